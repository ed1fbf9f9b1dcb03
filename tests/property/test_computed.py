"""Computed columns: their one form is what they compute, and their figures lie within interval and limits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import QueryError
from sfumato.model.calibration import Drawing, NoiseLaw
from sfumato.model.measurement import Measurement
from sfumato.model.statement import Arithmetic, ColumnRef, Constant, Scalar
from sfumato.privacy.noise.computed import ComputedColumns
from sfumato.privacy.noise.forms import Forms
from sfumato.privacy.sensitivity import measure
from sfumato.release.answer import AnswerColumns
from sfumato.release.shown_groups import ShownGroup
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

STAYS = from_dict(
    {
        "name": "stays",
        "columns": {
            "days": {"type": "integer", "bounds": [0, 60]},
            "cost": {"type": "number", "bounds": [-5, 100]},
            "urgent": {"type": "boolean"},
        },
    }
)
LEAVES = ("COUNT(*)", "COUNT_IF(urgent)", "SUM(days)", "SUM(cost)", "AVG(cost)", "AVG(days)", "2", "0.5")
SHAPES = ("({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} / {b})")


def _grown(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda shape, a, b: shape.format(a=a, b=b), st.sampled_from(SHAPES), parts, parts)


RATIONAL = st.recursive(st.sampled_from(LEAVES), _grown, max_leaves=5)
ANY = st.recursive(
    RATIONAL,
    lambda parts: st.one_of(
        _grown(parts),
        parts.map("ABS({})".format),
        parts.map("ROUND({}, 1)".format),
        parts.map("GREATEST({}, 3)".format),
        parts.map("COALESCE({}, 1)".format),
        st.tuples(parts, parts).map(lambda two: f"CASE WHEN {two[0]} > {two[1]} THEN {two[0]} ELSE 3 - {two[1]} END"),
    ),
    max_leaves=3,
)
CELLS = st.lists(st.floats(-50, 500), min_size=12, max_size=12)


def _computed(sql: str) -> tuple[Measurement, Scalar] | None:
    try:
        measurement = measure(parse(f"SELECT COUNT(*) AS n, {sql} AS c FROM stays", STAYS), STAYS)
    except QueryError as refused:
        if "and the limit is 200" in str(refused):  # a CASE that doubles what it is of may be too long
            return None
        raise
    column = next(column for column in measurement.columns if column.name == "c")
    return None if column.computed is None else (measurement, column.computed)


@given(RATIONAL, CELLS)
def test_the_one_form_of_an_expression_is_its_value(sql: str, cell: list[float]) -> None:
    found = _computed(sql)
    form = None if found is None else Forms(found[0]).form(found[1], {})
    if found is None or form is None:
        return
    measurement, computed = found
    true = _value(computed, measurement, cell)
    bottom = form.bottom.value(cell)
    if true is not None and abs(bottom) > 1e-6 and not form.constant:
        assert form.top.value(cell) / bottom == pytest.approx(float(true), rel=1e-6, abs=1e-6)


@given(ANY, CELLS)
def test_a_figure_lies_within_its_interval_and_its_limits(sql: str, cell: list[float]) -> None:
    found = _computed(sql)
    if found is None:
        return
    measurement, computed = found
    drawn = [Drawing(NoiseLaw.LAPLACE, 1.0, n.step, n.scale(1.0)) for n in measurement.numbers]
    group = ShownGroup((), tuple(cell), drawn, {})
    columns = AnswerColumns(measurement, [group])
    row, place = columns.row(group), [c.name for c in measurement.columns].index("c")
    interval, (low, high) = columns.interval(place, row, group), ComputedColumns(measurement).limits(computed, {})
    if row[place] is None:
        assert interval is None
        return
    figure = float(row[place])  # type: ignore[arg-type]
    assert math.isfinite(figure)
    assert low <= figure <= high
    if interval is not None:
        assert interval[0] <= figure <= interval[1]
        assert low <= interval[0] <= interval[1] <= high


@pytest.mark.parametrize(
    ("sql", "limits"),
    [
        ("COUNT(*) FILTER (WHERE urgent) / COUNT(*)", (0, 1)),
        ("100 * COUNT_IF(urgent) / COUNT(*)", (0, 100)),
        ("(COUNT(*) - COUNT_IF(urgent)) / COUNT(*)", (0, 1)),
        ("SUM(days) FILTER (WHERE urgent) / SUM(days)", (0, 1)),
        ("SUM(cost) FILTER (WHERE urgent) / SUM(cost)", (-math.inf, math.inf)),
        ("SUM(cost) / COUNT(cost)", (-5, 100)),
        ("SUM(days + 1) / COUNT(*)", (0, 61)),
        ("COUNT(*) / COUNT_IF(urgent)", (0, math.inf)),
        ("10 * AVG(cost) - 5", (-55, 995)),
        ("COUNT(*) / COUNT(*)", (1, 1)),
        ("ROUND(100.0 * COUNT_IF(urgent) / NULLIF(COUNT(*), 0), 1)", (0, 100)),
        ("GREATEST(AVG(cost), 0)", (0, 100)),
        ("FLOOR(AVG(days) / 7)", (0, 8)),
        ("COUNT(*) - COUNT(*)", (0, 0)),
    ],
)
def test_public_limits_of_a_computed_column(sql: str, limits: tuple[float, float]) -> None:
    found = _computed(sql)
    assert found is not None
    assert ComputedColumns(found[0]).limits(found[1], {}) == pytest.approx(limits)


def _value(part: Scalar, measurement: Measurement, cell: list[float]) -> Fraction | None:
    """The expression on the noisy numbers as they are, exactly; None where it divides by 0."""
    match part:
        case Constant(Fraction() as number):
            return number
        case ColumnRef(name):
            column = next(column for column in measurement.columns if column.name == name)
            first, *rest = (Fraction(cell[i]) for i in column.numbers)
            if not rest:
                return first
            return first / rest[0] + measurement.numbers[column.numbers[0]].centre if rest[0] else None
        case Arithmetic(operator, left, right):
            a, b = _value(left, measurement, cell), _value(right, measurement, cell)
            if a is None or b is None or (operator == "/" and not b):
                return None
            return {"+": a + b, "-": a - b, "*": a * b}[operator] if operator != "/" else a / b
    raise AssertionError(part)
