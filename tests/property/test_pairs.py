"""Correlations and the like from totals: their formulas, and that an interval holds every value that it must."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.model.statement import ColumnRef, PairKind, PairStatistic
from sfumato.privacy.noise.pairs import pair_figure, pair_limits, pair_range
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

VALUE = ColumnRef("v", None)
MIDDLES, HALVES = (Fraction(10), Fraction(-3)), (Fraction(5), Fraction(20))
PAIRS = {kind: PairStatistic(kind, VALUE, VALUE, (), MIDDLES, HALVES) for kind in PairKind}
ROWS = st.lists(st.tuples(st.integers(5, 15), st.integers(-23, 17)), max_size=12)


def totals(pair: PairStatistic, rows: list[tuple[int, int]]) -> list[float]:
    """Of rows of values, first and second."""
    centred = [(float(a - MIDDLES[0]), float(b - MIDDLES[1])) for a, b in rows]
    squares = [sum(c[i] ** 2 - float(HALVES[i]) ** 2 / 2 for c in centred) for i in (1, 0)]
    sums = [sum(a for a, _ in centred), sum(b for _, b in centred), sum(a * b for a, b in centred)]
    return [float(len(rows)), *sums, *squares[: pair.kind.squares]]


def by_hand(kind: PairKind, rows: list[tuple[int, int]]) -> float | None:
    """The same as Python's library has it."""
    first, second = [a for a, _ in rows], [b for _, b in rows]
    if len(rows) <= kind.lost:
        return None
    n = len(rows)
    covariance = sum(a * b for a, b in rows) / n - sum(first) / n * sum(second) / n
    if not kind.squares:
        return covariance * n / (n - kind.lost)
    if len(set(second)) < 2 or (kind.squares == 2 and len(set(first)) < 2):
        return None
    if kind.squares == 2:
        r = statistics.correlation(first, second)
        return r if kind is PairKind.CORR else r**2
    line = statistics.linear_regression(second, first)
    return line.slope if kind is PairKind.REGR_SLOPE else line.intercept


@given(st.sampled_from(PairKind), ROWS)
def test_a_figure_without_noise_is_the_true_one(kind: PairKind, rows: list[tuple[int, int]]) -> None:
    figure, true = pair_figure(PAIRS[kind], totals(PAIRS[kind], rows)), by_hand(kind, rows)
    if true is None:
        assert figure is None or len(rows) > 1, "rounding may leave a variance of 0 a little above it"
        return
    assert figure == pytest.approx(true, rel=1e-6, abs=1e-6)


@given(st.sampled_from(PairKind), ROWS, st.lists(st.tuples(st.floats(0, 300), st.floats(0, 1)), min_size=6, max_size=6))
def test_an_interval_holds_the_truth_that_its_totals_allow(
    kind: PairKind, rows: list[tuple[int, int]], noise: list[tuple[float, float]]
) -> None:
    """Also where only a few rows are left, and where a variance may be 0."""
    pair, true = PAIRS[kind], by_hand(kind, rows)
    exact = totals(pair, rows)
    spans = [(t - far * share, t + far * (1 - share)) for t, (far, share) in zip(exact, noise, strict=False)]
    inside, limits = pair_range(pair, spans), pair_limits(pair)
    if inside is None:
        assert kind in (PairKind.REGR_SLOPE, PairKind.REGR_INTERCEPT)
        return
    assert limits[0] <= inside[0] <= inside[1] <= limits[1]
    assert all(map(math.isfinite, inside))
    if true is not None:
        assert inside[0] - 1e-6 <= true <= inside[1] + 1e-6


def test_its_numbers_and_what_one_person_moves_them_by() -> None:
    """One count of the rows that have both values, and sums over these rows."""
    columns = {"x": {"type": "integer", "bounds": [0, 100]}, "y": {"type": "number", "bounds": [-1, 3]}}
    schema = from_dict({"name": "t", "columns": columns})
    expected = {"COVAR_POP": (1, 50, 2, 100), "REGR_SLOPE": (1, 50, 2, 100, 2), "CORR": (1, 50, 2, 100, 2, 1250)}
    for name, moves in expected.items():
        statement = parse(f"SELECT {name}(x, y) FROM t WHERE y > 0", schema)
        measurement = measure(statement, schema)
        assert tuple(number.sensitivity for number in measurement.numbers) == moves
        assert [number.share for number in measurement.numbers] == [Fraction(1, len(moves))] * len(moves)
        assert measurement.additive
        assert parse(statement.text, schema) == statement
        texts = [repr(number.argument) for number in measurement.numbers]
        assert all(text.count("Missing(operand=ColumnRef(name='x'") == 1 for text in texts)
        assert all(text.count("Missing(operand=ColumnRef(name='y'") == 1 for text in texts)
