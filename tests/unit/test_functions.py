"""Functions: one table for the parser, the plans and the ranges; no row adds more than the range says."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

import sfumato as sf
from sfumato.errors import EngineFailure
from sfumato.model.choice import Noise
from sfumato.model.functions import FUNCTIONS
from sfumato.sql.builder import functions
from sfumato.sql.parser.calls import SHAPES
from sfumato.sql.parser.vocabulary import FUNCTIONS as OFFERED


def opened(frame: pd.DataFrame, **bounds: tuple[float, float]) -> sf.Dataset:
    columns = {name: {"type": "number", "bounds": list(ends)} for name, ends in bounds.items()}
    return sf.open(frame, {"name": "t", "columns": columns}, ledger=":memory:")


def test_every_function_is_read_and_built() -> None:
    assert {*functions._BUILD, *functions._OF_TEXT} == {*FUNCTIONS}
    others = {"LTRIM", "RTRIM", "LOG2"}  # other forms of TRIM and LOG10 in the grammar
    assert {shape.name for shape in SHAPES.values()} | others == {*FUNCTIONS}
    assert {name for name in FUNCTIONS if name.isidentifier()} <= {*OFFERED}


def test_what_floats_push_beyond_a_range_adds_no_more_than_the_sensitivity() -> None:
    """(0.1 + 0.2) * 10 is 3 by the bounds and 3.0000000000000004 in floats: its CEIL is 4."""
    dataset = opened(pd.DataFrame({"a": [0.1], "b": [0.2]}), a=(0, 0.1), b=(0, 0.2))
    query = dataset.query("SELECT SUM(CEIL((a + b) * 10)) FROM t")
    [number], [(_, [steps])] = query.measurement.numbers, query._bound.totals().cells.items()
    assert number.sensitivity == 3
    assert steps * number.step <= number.sensitivity


def test_a_mean_counts_the_values_that_it_adds_up() -> None:
    """A root is missing below 0, but not of what is clamped to 0."""
    dataset = opened(pd.DataFrame({"v": [-5.0, 4.0, None]}), v=(0, 9))
    query = dataset.query("SELECT AVG(SQRT(v)), COUNT(SQRT(v)) FROM t")
    [(_, (_, *counts))] = query._bound.totals().cells.items()
    assert [count * query.measurement.numbers[1].step for count in counts] == [Fraction(2), Fraction(1)]
    assert query._bound.look(Noise()).answer() == ((1.0, 1),)


def test_what_has_no_value_is_missing_and_nothing_fails() -> None:
    schema = {"name": "t", "columns": {name: {"type": "integer", "bounds": [-9, 9]} for name in "vw"}}
    dataset = sf.open(pd.DataFrame({"v": [7, -7, 7], "w": [2, 2, 0]}), schema, ledger=":memory:")
    query = dataset.query("SELECT COUNT(v // w), COUNT(v % w) FROM t")
    try:
        counts: object = query._bound.look(Noise()).answer()
    except EngineFailure:
        counts = "a failure, which tells that somebody has 0"
    assert counts == ((2, 2),)
