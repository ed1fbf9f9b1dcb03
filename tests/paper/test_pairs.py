"""Intervals of correlations, covariances and slopes as golden-2.json has them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sfumato.model.calibration import Drawing, NoiseLaw
from sfumato.model.statement import ColumnRef, PairKind, PairStatistic
from sfumato.privacy.noise.computed import ComputedColumns, each_miss
from sfumato.privacy.noise.intervals import reach
from sfumato.privacy.noise.pairs import pair_figure, pair_range
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

HALF = Fraction(50)
NOISY = {"n": 1e4, "x": 2e4, "y": -1e4, "xy": 1e6, "xx": -1e7, "yy": -1e7}
MOVES = {"n": 1, "x": 50, "y": 50, "xy": 2500, "xx": 1250, "yy": 1250}
VALUE = ColumnRef("v", None)


@pytest.mark.golden("corr_box")
@pytest.mark.parametrize(
    ("kind", "totals", "interval"),
    [
        (PairKind.COVAR_POP, "n x y xy", (95.338123, 108.725749)),
        (PairKind.CORR, "n y x xy xx yy", (0.376366, 0.449988)),
        (PairKind.REGR_SLOPE, "n y x xy xx", (0.378410, 0.453033)),
    ],
)
def test_the_interval_of_the_specification(kind: PairKind, totals: str, interval: tuple[float, float]) -> None:
    """Six numbers, each with a sixth of epsilon 1, within their intervals at once."""
    ends = []
    for name in totals.split():
        far = reach(NoiseLaw.LAPLACE, 6.0 * MOVES[name], each_miss(0.1, [frozenset((i,)) for i in range(6)]))
        ends.append((NOISY[name] - far, NOISY[name] + far))
    pair = PairStatistic(kind, VALUE, VALUE, (), (HALF, HALF), (HALF, HALF))
    assert pair_range(pair, ends) == pytest.approx(interval, abs=2e-6)


@pytest.mark.golden("corr_box")
def test_the_interval_of_a_correlation_that_was_asked_for() -> None:
    bounds = {"type": "number", "bounds": [0, 100]}
    schema = from_dict({"name": "t", "columns": {"x": bounds, "y": bounds}})
    measurement = measure(parse("SELECT CORR(y, x) AS r FROM t", schema), schema)
    computed = next(column.computed for column in measurement.columns if column.name == "r")
    assert isinstance(computed, PairStatistic)
    assert [number.sensitivity for number in measurement.numbers] == list(MOVES.values())
    drawn = [Drawing(NoiseLaw.LAPLACE, 1.0, n.step, n.scale(1.0)) for n in measurement.numbers]
    cell = [NOISY[name] for name in ("n", "y", "x", "xy", "xx", "yy")]
    figure = pair_figure(computed, cell)
    assert figure == pytest.approx(0.4121, abs=5e-5)
    interval = ComputedColumns(measurement).interval(computed, {}, cell, drawn, figure)
    assert interval == pytest.approx((0.376366, 0.449988), abs=2e-6)
