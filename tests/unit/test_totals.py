"""ROLLUP, CUBE and GROUPING SETS: what is drawn, the fit of groups to their totals, and what is printed."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from itertools import product
from typing import Any, cast

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import QueryError, SfumatoError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.levels import ALL, Level, LevelCell, Levels, group_of, groups_of, level_of
from sfumato.model.measurement import NoisyNumber
from sfumato.model.release import Answer
from sfumato.privacy.noise.consistent_totals import ConsistentTotals, tree_least_squares, whole_counts
from sfumato.privacy.noise.intervals import reach
from tests.property.test_question import key

Leaf = tuple[int, ...]
SETS: list[tuple[Level, ...]] = [
    ((0, 1), (0,), ()),
    ((0, 1), (0,), (1,), ()),
    ((0,), (1,)),
    ((0, 1), ()),
    ((0, 1, 2), (0, 1), (0, 2), (1, 2), (0,), (1,), (2,), ()),
]
WARDS = ["Birth", "Heart", "Surgery", "Eyes", "Ears"]
SCHEMA = {
    "name": "stays",
    "columns": {
        "ward": {"type": "text", "categories": WARDS},
        "urgent": {"type": "boolean"},
        "town": {"type": "text", "keys": "private"},
        "days": {"type": "integer", "bounds": [0, 60]},
        "patient": {"type": "integer"},
    },
}
ROWS = [{"ward": WARDS[i % 5], "urgent": i % 3 == 0, "town": "A", "days": i % 61, "patient": i} for i in range(60)]


# The fit (values of the specification: methods-2, section 26)


def test_two_passes_over_a_tree_are_least_squares() -> None:
    children = {"r": ["a", "b"], "a": ["a1", "a2"], "b": ["b1", "b2", "b3"]}
    drawn = {"r": 100, "a": 45, "b": 52, "a1": 20, "a2": 21, "b1": 10, "b2": 25, "b3": 22}
    variance = {"r": 2.0, "a": 8.0, "b": 8.0} | dict.fromkeys(("a1", "a2", "b1", "b2", "b3"), 18.0)
    value, spread = tree_least_squares(children, drawn, variance)  # type: ignore[arg-type]
    assert list(value.values()) == pytest.approx(
        [99.60264650283553, 45.573156899810954, 54.02948960302457, 22.286578449905477, 23.286578449905477,
         9.009829867674858, 24.009829867674856, 21.009829867674856], rel=1e-9)  # fmt: skip
    assert [math.sqrt(one) for one in spread.values()] == pytest.approx(
        [1.3199071972876715, 1.9451845442407565, 1.959128697967158, 3.1537177628615187, 3.1537177628615196,
         3.5251191509444597, 3.525119150944458, 3.525119150944456], rel=1e-9)  # fmt: skip


@pytest.mark.parametrize(
    ("leaves", "drawn", "total", "leaf"),
    [(4, 1, 8.0, 2.0), (4, 2, 6.4, 6.4), (100, 1, 200.0, 2.0), (100, 2, 7.920792079207921, 7.920792079207921)],
)
def test_variances_of_two_levels_are_those_of_the_specification(
    leaves: int, drawn: int, total: float, leaf: float
) -> None:
    fit = ConsistentTotals(Levels(((0,), ()), ((0,), ())[:drawn]), [(i,) for i in range(leaves)])
    one = 2 * drawn**2  # of a Laplace noise with its share of epsilon = 1
    assert [one * variance for variance in fit.variances()] == pytest.approx([leaf] * leaves + [total])


@pytest.mark.parametrize("product_of_keys", [True, False])
@pytest.mark.parametrize("sets", SETS, ids=str)
def test_the_fit_is_that_of_the_pseudo_inverse(sets: tuple[Level, ...], product_of_keys: bool) -> None:
    """Groups add up to their totals, and no variance is larger than that of what was drawn, or of a sum of leaves."""
    rng = random.Random(str(sets))
    keys = 1 + max(key for level in sets for key in level)
    leaves = [leaf for leaf in product(*(range(k + 2) for k in range(keys))) if product_of_keys or rng.random() < 0.7]
    for drawn in (sets, (tuple(range(keys)),)):
        fit = ConsistentTotals(Levels(sets, drawn), leaves)
        noisy = [rng.gauss(0, 10) for _ in fit.drawn]
        projection = matrix(sets, leaves) @ np.linalg.pinv(matrix(drawn, leaves))
        fitted = fit.fitted(noisy)
        assert fitted == pytest.approx(projection @ noisy, abs=1e-8)
        by_group = dict(zip(fit.shown, fitted, strict=True))
        for group in fit.shown:
            finer = [other for other in fit.shown if level_of(other) == (*range(keys),)]
            parts = [by_group[other] for other in finer if group_of(other, level_of(group)) == group]
            assert not parts or sum(parts) == pytest.approx(by_group[group], abs=1e-8)
        exact = (projection**2).sum(axis=1)
        bounds = fit.variances()
        assert all(known <= one + 1e-9 for known, one in zip(exact, bounds, strict=True))
        if product_of_keys or fit.levels.is_chain:
            assert bounds == pytest.approx(exact)
        if len(drawn) > 1:
            assert max(bounds) <= 1 + 1e-9


def matrix(levels: Sequence[Level], leaves: Sequence[Leaf]) -> np.ndarray:
    groups = groups_of(levels, leaves)
    return np.array([[float(group_of(leaf, level_of(group)) == group) for leaf in leaves] for group in groups])


def test_a_sum_of_laplace_noises_stays_within_the_interval_that_it_is_given() -> None:
    """By its characteristic function: at 90% and beyond, of any weights, one of them large or all alike."""
    rng = random.Random(7)
    some = ([rng.random() ** 3 for _ in range(n)] for n in (2, 3, 5, 9))
    mixtures = [[1.0], [1.0, 1.0], [1.0] * 50, [1.0, 0.1], *some]
    for weights in mixtures:
        deviation = math.sqrt(2 * sum(a * a for a in weights))
        for miss in (0.1, 0.1 / 3, 0.01):
            far = reach(NoiseLaw.COMBINED, deviation, miss)
            assert beyond(far, weights) <= miss * (1 + 1e-6) + 1e-7, (weights, miss)
            assert miss < 0.1 or beyond(0.98 * far, weights) > miss


def beyond(far: float, weights: Sequence[float]) -> float:
    """`P(|sum a_j X_j| > far)`, by Fourier series of a period that the sum never leaves."""
    deviation = math.sqrt(2 * sum(a * a for a in weights))
    t = np.arange(1, 60_000) * (2 * math.pi / (80 * deviation))
    transform = np.prod([1 / (1 + (a * t) ** 2) for a in weights], axis=0)
    step = t[0]
    return float(1 - (step * far / math.pi + 2 / math.pi * np.sum(transform * np.sin(t * far) / (t / step))))


# What is printed


def test_printed_counts_of_a_rollup_are_whole_and_add_up() -> None:
    rng = random.Random(3)
    leaves = list(product(range(4), range(3)))
    levels = Levels(((0, 1), (0,), ()), ((0, 1), (0,), ()))
    fit = ConsistentTotals(levels, leaves)
    for _ in range(50):
        estimates = fit.fitted([rng.gauss(2, 6) for _ in fit.drawn])
        printed = dict(zip(fit.shown, whole_counts(levels, fit.shown, estimates), strict=True))
        assert min(printed.values()) >= 0
        assert_adds_up(printed)
        assert printed[ALL, ALL] == max(0, round(estimates[fit.shown.index((ALL, ALL))]))


def assert_adds_up(printed: dict[LevelCell, int]) -> None:
    for group, count in printed.items():
        level = level_of(group)
        parts = [n for other, n in printed.items() if level_of(other) == (*level, len(level))]
        children = [
            n
            for other, n in printed.items()
            if level_of(other) == (*level, len(level)) and group_of(other, level) == group
        ]
        assert not parts or sum(children) == count


@pytest.mark.parametrize("by", ["ROLLUP(ward, urgent)", "ward, ROLLUP(urgent)", "ROLLUP(ward)"])
def test_a_released_rollup_adds_up_and_each_interval_contains_its_figure(by: str) -> None:
    release = stays().query(f"SELECT ward, COUNT(*) AS n, AVG(days) AS d FROM stays GROUP BY {by}").release(epsilon=0.2)
    answer = release.answer
    for row, intervals in zip(answer.rows, answer.intervals or (), strict=True):
        for figure, interval in zip(row[1:], intervals[1:], strict=True):
            assert interval is not None
            assert interval[0] <= figure <= interval[1]  # type: ignore[operator]
    assert Answer.from_dict(json.loads(json.dumps(answer.as_dict()))) == answer


def test_a_key_that_is_rolled_up_has_no_value_and_grouping_tells_it() -> None:
    sql = "SELECT urgent, ward, GROUPING(ward) AS w, GROUPING(ward, urgent) AS both, COUNT(*) FROM stays GROUP BY "
    release = stays().query(sql + "CUBE(ward, urgent)").release(epsilon=1)
    for row in release.rows:
        urgent, ward, w, both, _ = cast(tuple[Any, ...], row)
        assert (ward is None, urgent is None) == (w == 1, both % 2 == 1)
        assert both // 2 == w
    assert "all" in str(release)
    assert release._repr_html_().count("all")
    only = (
        stays().query(sql + "ROLLUP(ward, urgent) HAVING GROUPING(ward) = 1 ORDER BY GROUPING(ward)").release(epsilon=1)
    )
    assert [row[:4] for row in only.rows] == [(None, None, 1, 3)]
    assert stays().query(sql + "ward, urgent").release(epsilon=1).rows[0][2:4] == (0, 0)


def test_with_little_noise_every_level_is_the_exact_answer() -> None:
    sql = "SELECT ward, urgent, COUNT(*), SUM(days), AVG(days), VAR_POP(days) FROM stays GROUP BY CUBE(ward, urgent)"
    for how in ({}, {"mechanism": "gaussian", "delta": 1e-6}):
        dataset = stays(*ROWS * 500)
        released = dataset.query(sql).release(epsilon=10, **how)  # type: ignore[arg-type]
        exact = dataset.query(sql).answer()
        for row, true in zip(released.rows, exact, strict=True):
            assert row[2:] == pytest.approx(true, rel=0.03)


# What is drawn, and recorded


def test_a_person_moves_each_drawn_level_by_the_sensitivity() -> None:
    one, levels = (numbers(f"SELECT COUNT(*), SUM(days) FROM stays GROUP BY {by}") for by in ("ward", "ROLLUP(ward)"))
    assert [n.sensitivity for n in levels] == [2 * n.sensitivity for n in one]
    assert [n.share for n in levels] == [n.share for n in one]
    for n, of_one in zip(levels, one, strict=True):
        assert of_one.euclidean * math.sqrt(2) <= n.euclidean <= of_one.euclidean * math.sqrt(2) + n.step
    assert stays().query("SELECT COUNT(*) FROM stays GROUP BY ROLLUP(ward)").measurement.k == 6


def test_few_groups_are_drawn_by_themselves() -> None:
    """Two leaves, two levels: then it is the same draw as without totals, and one is answered from the other."""
    by_urgent, with_total = (f"SELECT urgent, COUNT(*) FROM stays GROUP BY {by}" for by in ("urgent", "ROLLUP(urgent)"))
    assert numbers(by_urgent) == numbers(with_total)
    assert key(by_urgent) == key(with_total)
    dataset = stays()
    first = dataset.query(by_urgent).release(epsilon=1)
    second = dataset.query(with_total).release(epsilon=1)
    assert dataset.ledger.total.epsilon == 1
    assert [row[1] for row in second.rows][:2] == pytest.approx([row[1] for row in first.rows], abs=1)
    assert second.rows[2][1] == sum(cast(int, row[1]) for row in second.rows[:2])


def test_levels_are_a_question_of_their_own_and_answered_from_the_record() -> None:
    plain, rollup, cube, sets = (
        f"SELECT COUNT(*) FROM stays GROUP BY {by}"
        for by in ("ward, urgent", "ROLLUP(ward, urgent)", "CUBE(ward, urgent)", "GROUPING SETS ((ward), (urgent))")
    )
    many: dict[str, object] = {"ward": {"type": "text", "categories": [f"ward {i}" for i in range(9)]}}
    assert len({key(sql, many) for sql in (plain, rollup, cube, sets)}) == 4
    same = "SELECT urgent AS u, COUNT(*) AS n FROM stays GROUP BY GROUPING SETS ((), (urgent, ward), (ward)) ORDER BY n"
    assert key(rollup, many) == key(same, many)
    dataset = stays()
    dataset.query(rollup).release(epsilon=1)
    again = dataset.query(same).release(epsilon=1)
    assert dataset.ledger.total.epsilon == 1
    assert again.certificate.recorded


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT COUNT(DISTINCT days) FROM stays GROUP BY ROLLUP(ward)", "do not add up"),
        ("SELECT COUNT(DISTINCT patient) FROM stays GROUP BY CUBE(ward)", "do not add up"),
        ("SELECT MEDIAN(days) FROM stays GROUP BY ROLLUP(ward)", "do not add up"),
        ("SELECT MAX(days) FROM stays GROUP BY GROUPING SETS ((ward), ())", "do not add up"),
        ("SELECT COUNT(*) FROM stays GROUP BY ROLLUP(town)", "private keys"),
    ],
)
def test_what_does_not_add_up_is_refused_with_the_reason(sql: str, why: str) -> None:
    with pytest.raises(QueryError, match=why):
        sf.open(frame(ROWS), SCHEMA | {"unit": "patient", "max_rows": 1}, ledger=":memory:").query(sql)


def test_the_noise_before_paying_is_that_of_the_least_exact_figure() -> None:
    for by, figures in (("ward", 1), ("ROLLUP(ward)", 2), ("CUBE(ward, urgent)", 4), ("ROLLUP(urgent)", 1)):
        query = stays().query(f"SELECT COUNT(*) FROM stays GROUP BY {by}")
        (foreseen,) = query.worst_case().at(0.1).noise_90
        (column,) = [i for i, ranged in enumerate(query.release(epsilon=0.1).answer.ranged) if ranged]
        rows = stays(*ROWS * 200).query(query.sql).release(epsilon=0.1).answer
        widths = [row[column][1] - row[column][0] for row in rows.intervals or ()]  # type: ignore[index]
        assert foreseen is not None
        assert max(widths) == pytest.approx(2 * foreseen, abs=2.1), figures


def test_a_required_error_is_refused() -> None:
    with pytest.raises(SfumatoError, match="depends on its level"):
        stays().query("SELECT COUNT(*) FROM stays GROUP BY ROLLUP(ward)").choose(sf.within(5))


def test_what_reads_drawn_figures_one_by_one_is_refused() -> None:
    release = stays().query("SELECT ward, COUNT(*) AS n FROM stays GROUP BY ROLLUP(ward)").release(epsilon=1)
    for refused in (
        release.posthoc_risk,
        lambda: release.signal(sf.task("above", column="n", a="Birth", b="Heart")),
    ):
        with pytest.raises(SfumatoError, match="several levels"):
            refused()


def numbers(sql: str) -> tuple[NoisyNumber, ...]:
    return stays().query(sql).measurement.numbers


def stays(*rows: dict[str, object]) -> sf.Dataset:
    return sf.open(frame(rows or ROWS), SCHEMA, ledger=":memory:")


def frame(rows: Sequence[dict[str, object]]) -> object:
    import pandas as pd

    return pd.DataFrame(rows)
