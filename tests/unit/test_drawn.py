"""What a draw holds in memory: public facts and what it shows decide it, not how many groups there are."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import cast

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import QueryError
from sfumato.model.choice import Noise
from sfumato.model.facts import Cell, Counts
from sfumato.model.measurement import FEW, GROUPS, Measurement
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.sensitivity import MOST_SELECTED, measure, require_drawable
from sfumato.release.noise import Noisy, draw_noise
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

SCHEMA = from_dict(
    {
        "name": "t",
        "columns": {
            "v": {"type": "number", "bounds": [0, 1000], "step": 0.01},
            "u": {"type": "number", "bounds": [0, 1000], "step": 0.1},
            "w": {"type": "integer", "bounds": [0, 9]},
            "town": {"keys": "private"},
            "side": {"categories": ["left", "right"]},
        },
    }
)
QUANTILES = ", ".join(f"QUANTILE_DISC(v, 0.{i})" for i in range(10, 12))


def measured(sql: str) -> Measurement:
    return measure(parse(sql, SCHEMA), SCHEMA)


class Groups:
    """Groups of `people` persons each, one after the other; it notes how many are asked for."""

    def __init__(self, numbers: int, groups: int, people: int) -> None:
        self.numbers, self.groups, self.people = numbers, groups, people
        self.passes: Counter[str] = Counter()

    def by_cell(self) -> Iterator[tuple[Cell, tuple[int, ...]]]:
        self.passes["totals"] += 1
        return (((f"town {i}",), (self.people * 1024,) * self.numbers) for i in range(self.groups))

    def counts_by_cell(self, position: int) -> Iterator[tuple[Cell, Counts]]:
        self.passes[f"counts of {position}"] += 1
        return (((f"town {i}",), {2 * i + 1: self.people}) for i in range(self.groups))


def best(scores: Sequence[int], _sensitivity: int, _budget: float) -> list[int]:
    return [scores.index(max(scores))]


def bare(totals: Sequence[int], _sensitivity: int, _budget: float) -> list[int]:
    return list(totals)


def draw(groups: Groups, measurement: Measurement) -> Noisy:
    """As ever, but without noise."""
    calibration = calibrate(measurement, Noise(delta=1e-6), 1.0, 10.0)
    return draw_noise(groups, measurement, calibration, lambda law, *_: best if law == "exponential" else bare)


def peak(groups: Groups, measurement: Measurement) -> int:
    tracemalloc.start()
    try:
        draw(groups, measurement)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_groups_that_do_not_show_take_no_memory() -> None:
    measurement = measured("SELECT town, MEDIAN(u), COUNT(w) FROM t GROUP BY town")
    few, many = (peak(Groups(len(measurement.numbers), groups, people=1), measurement) for groups in (20_000, 60_000))
    assert many < few + 2**20


def test_one_group_is_expanded_at_a_time() -> None:
    """Each has 100,001 candidates."""
    measurement = measured("SELECT town, MEDIAN(v) FROM t GROUP BY town")
    one, five = (peak(Groups(len(measurement.numbers), groups, people=10_000), measurement) for groups in (1, 5))
    assert five < one + 2**20


def test_numbers_that_rank_the_same_values_read_their_counts_once() -> None:
    figures = "MEDIAN(u), QUANTILE_DISC(u, 0.25), MAX(u), MEDIAN(w)"
    measurement = measured(f"SELECT town, {figures} FROM t GROUP BY town")
    groups = Groups(len(measurement.numbers), groups=3, people=10_000)
    noisy = draw(groups, measurement)
    assert groups.passes == {"totals": 1, "counts of 0": 1, "counts of 2": 1, "counts of 3": 1}
    assert noisy.cells == (("town 0",), ("town 1",), ("town 2",))
    assert [[float(cast(Fraction, n)) for n in row[:2]] for row in noisy.numbers] == [[0.1 * i] * 2 for i in range(3)]


def test_what_was_read_for_a_draw_is_held_only_where_it_is_small() -> None:
    people = pd.DataFrame({"v": [1.0, 2.0], "u": [1.0, 2.0], "w": [1, 2], "town": ["a", "b"], "side": ["left", "left"]})
    dataset = sf.open(people, SCHEMA, ledger=":memory:")
    for sql, held in (("SELECT AVG(v) FROM t", True), ("SELECT side, MEDIAN(w) FROM t GROUP BY side", True),
                      (f"SELECT {QUANTILES} FROM t", False)):  # fmt: skip
        query = dataset.query(sql)
        query.release(epsilon=1)
        assert bool(query._bound.survey(Noise())._known_cells) == held == (query.measurement.candidates < FEW)
    query = dataset.query("SELECT town, COUNT(*) FROM t GROUP BY town")
    query.release(epsilon=1, delta=1e-6)
    assert not query._bound.survey(Noise())._known_cells


# Limits


def test_private_keys_count_as_a_hundred_groups() -> None:
    by_town = measured("SELECT town, MEDIAN(v) FROM t GROUP BY town")
    assert by_town.candidates == GROUPS * 100_001
    with pytest.raises(QueryError) as refusal:
        measured(f"SELECT town, {QUANTILES} FROM t GROUP BY town")
    assert str(refusal.value) == (
        "The query selects from 20,000,200 candidates (private keys count as 100 groups), and the limit is 20,000,000; "
        "QUANTILE_DISC at 0.1 of v has 100,001 in each cell. Hint: state a larger step in the schema, group by fewer "
        "columns, or ask for fewer quantiles at a time."
    )


def test_the_queries_of_a_request_are_counted_together() -> None:
    one = measured("SELECT side, MEDIAN(v), MEDIAN(w) FROM t GROUP BY side")
    many = MOST_SELECTED // one.candidates
    require_drawable([one] * many, "The request")
    with pytest.raises(QueryError, match=r"^The request selects from 20,002,200 .*: query 1 has most of them\."):
        require_drawable([one] * (many + 1), "The request")
