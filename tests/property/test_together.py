"""A preference for n people together, by brute force: all groups of n who leave a small table, and all outputs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.calibration import Calibration
from sfumato.model.choice import Noise
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.noise.gaussian import delta_at
from tests.property.tables import examples

SCHEMA: dict[str, Any] = {
    "name": "stays",
    "columns": {
        "days": {"type": "integer", "bounds": [0, 3]},
        "ward": {"type": "text", "categories": ["a", "b"]},
    },
}
QUERIES = (
    "SELECT COUNT(*) FROM stays",
    "SELECT SUM(days) FROM stays",
    "SELECT AVG(days), COUNT(*) FROM stays GROUP BY ward",
)
people = st.lists(st.tuples(st.integers(-1, 5), st.sampled_from("ab")), min_size=1, max_size=5)
Totals = dict[tuple[Any, ...], tuple[int, ...]]


def totals(rows: list[tuple[int, str]], sql: str) -> tuple[Totals, sf.Query]:
    """The exact totals of each cell, in whole steps of the lattice."""
    table = pd.DataFrame(
        {"days": pd.Series([d for d, _ in rows], dtype="int64"), "ward": pd.Series([w for _, w in rows], dtype="str")}
    )
    query = sf.open(table, SCHEMA, ledger=":memory:").query(sql)
    return dict(query._bound.totals().by_cell()), query


def moves(one: Totals, other: Totals, drawn: Calibration, numbers: Any) -> Iterator[float]:
    """By how much each noisy number differs, in units of its noise."""
    for cell in {*one, *other}:
        none = (0,) * len(numbers)
        for a, b, number, drawing in zip(
            one.get(cell, none), other.get(cell, none), numbers, drawn.numbers, strict=True
        ):
            yield float(abs(a - b) * number.step) / drawing.scale  # type: ignore[operator]


def largest_log_ratio(steps: int, step: float, scale: float) -> float:
    """Over all outputs near two totals that are so many steps of the lattice apart, under the law that is drawn."""
    r = math.exp(-step / scale)
    log_law = {k: abs(k) * math.log(r) for k in range(-3 * steps, 4 * steps)}
    return max(abs(log_law[k] - log_law[k - steps]) for k in range(-2 * steps, 3 * steps))


@pytest.mark.depth("groups of people")
@examples("groups of people")
@given(people, st.sampled_from(QUERIES), st.integers(1, 3), st.sampled_from([Noise(), Noise("gaussian", 1e-5)]))
def test_no_group_of_n_tells_more_than_the_preference_allows(
    rows: list[tuple[int, str]], sql: str, n: int, noise: Noise
) -> None:
    whole, query = totals(rows, sql)
    choice = query.choose(sf.together(sf.attack_chance(0.7), n), mechanism=noise.mechanism, delta=noise.delta)
    alone = query.choose(sf.attack_chance(0.7), mechanism=noise.mechanism, delta=noise.delta)
    assert choice.epsilon is not None
    assert alone.epsilon is not None
    measurement = query.measurement
    drawn = calibrate(measurement, noise, choice.epsilon, 10.0)
    for size in range(1, min(n, len(rows)) + 1):
        for group in combinations(range(len(rows)), size):
            left, _ = totals([row for i, row in enumerate(rows) if i not in group], sql)
            moved = list(moves(whole, left, drawn, measurement.numbers))
            if noise.mechanism == "gaussian":
                assert delta_at(alone.epsilon, math.hypot(*moved)) <= 1e-5
            else:
                assert sum(moved) <= alone.epsilon * (1 + 1e-12)


@pytest.mark.parametrize("noise", [Noise(), Noise("gaussian", 1e-5)], ids=lambda noise: noise.mechanism)
@pytest.mark.parametrize("n", [2, 3])
def test_a_group_that_counts_in_full_tells_exactly_as_much(n: int, noise: Noise) -> None:
    whole, query = totals([(3, "a")] * 4, "SELECT SUM(days) FROM stays")
    left, _ = totals([(3, "a")] * (4 - n), "SELECT SUM(days) FROM stays")
    choice = query.choose(sf.together(sf.attack_chance(0.7), n), mechanism=noise.mechanism, delta=noise.delta)
    drawn = calibrate(query.measurement, noise, choice.epsilon or 0, 10.0)
    [moved] = moves(whole, left, drawn, query.measurement.numbers)
    alone = query.choose(sf.attack_chance(0.7), mechanism=noise.mechanism, delta=noise.delta)
    drawn_alone = calibrate(query.measurement, noise, alone.epsilon or 0, 10.0)
    assert drawn_alone.numbers[0].scale is not None
    assert moved == pytest.approx(3 / drawn_alone.numbers[0].scale, rel=1e-6)
    if noise.mechanism == "laplace":
        [number], [drawing] = query.measurement.numbers, drawn.numbers
        steps = round(3 * n / float(number.step))
        found = largest_log_ratio(steps, float(number.step), drawing.scale or 0)
        assert found == pytest.approx(alone.epsilon, rel=1e-9)
