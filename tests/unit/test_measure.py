"""Measurement: sensitivities, shares and grids from the schema alone, against brute force over the bounds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import QueryError, SchemaError
from sfumato.model.measurement import Measurement
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse


def measured(
    select: str,
    kind: str = "integer",
    bounds: tuple[float, float] = (0, 100),
    more: Mapping[str, object] = MappingProxyType({}),
    **stated: object,
) -> Measurement:
    wards = [f"w{i}" for i in range(400)]
    columns = {
        "v": {"type": kind, "bounds": list(bounds)},
        "g": {"categories": ["a", "b", "c"]},
        "h": {"type": "boolean"},
        "u": {"type": "integer"},
        "p": {"type": "text", "keys": "private"},
        "w": {"categories": wards},
        "x": {"categories": wards},
    }
    schema = from_dict({"name": "t", "columns": columns | dict(more)} | stated)
    return measure(parse(f"SELECT {select}", schema), schema)


@pytest.mark.parametrize(
    ("select", "bounds", "sensitivities"),
    [
        ("COUNT(*) FROM t", (0, 100), [1]),
        ("COUNT(v) FROM t", (0, 100), [1]),
        ("SUM(v) FROM t", (-30, 20), [30]),
        ("SUM(v) FROM t", (50, 60), [60]),
        ("AVG(v) FROM t", (0, 100), [50, 1]),
        ("AVG(v) FROM t", (0, 99), [Fraction(99, 2), 1]),
        ("COUNT(v), AVG(v) FROM t", (0, 100), [1, 50]),  # the mean's count is the same number
        ("COUNT(v / 4), AVG(v / 4) FROM t", (0, 100), [1, Fraction(25, 2)]),
        ("COUNT(4 / v), AVG(4 / v) FROM t", (1, 2), [1, 1, 1]),  # 4 / 0 exists once it is clamped: another number
        ("COUNT(*) AS a, COUNT(*) AS b FROM t", (0, 100), [1]),
        ("SUM(v), AVG(v) FROM t", (-5, 5), [5, 1]),  # centred at 0, the sum is the same number
        ("COUNT(*), COUNT(v), SUM(v) FROM t", (0, 9), [1, 1, 9]),
    ],
)
def test_sensitivities(select: str, bounds: tuple[int, int], sensitivities: list[Fraction]) -> None:
    numbers = measured(select, bounds=bounds).numbers
    assert [n.sensitivity for n in numbers] == sensitivities
    assert {n.share for n in numbers} == {Fraction(1, len(numbers))}


def test_cells_are_public_and_complete() -> None:
    assert measured("g, COUNT(*) FROM t GROUP BY g").cells == (("a",), ("b",), ("c",))
    assert measured("h, g, COUNT(*) FROM t GROUP BY g, h").public_cells[0] == ("a", False)
    assert measured("AVG(v) FROM t GROUP BY g, h").k == 12
    assert measured("COUNT(*) FROM t").cells == ((),)


def test_what_is_missing_in_the_schema_is_said() -> None:
    with pytest.raises(SchemaError, match=r"Column 'u' is summed but has no bounds.*\[columns.u\]"):
        measured("SUM(u) FROM t")
    with pytest.raises(SchemaError, match=r"GROUP BY u needs a public list.*\[columns.u\]"):
        measured("COUNT(*) FROM t GROUP BY u")
    for keys in ("p, u", "u, p"):  # beside private keys as well, in any order
        with pytest.raises(SchemaError, match=r"GROUP BY u needs a public list.*\[columns.u\]"):
            measured(f"COUNT(*) FROM t GROUP BY {keys}")
    with pytest.raises(QueryError, match="160,000 cells, and the limit is 100,000"):
        measured("COUNT(*) FROM t GROUP BY w, x")


@pytest.mark.parametrize(
    ("select", "sensitivities"),
    [
        ("COUNT(*) FROM t", [3]),
        ("COUNT(DISTINCT v) FROM t", [3]),
        ("COUNT(DISTINCT u) FROM t", [1]),
        ("COUNT(DISTINCT u) FROM t GROUP BY g", [3]),
        ("SUM(v) FROM t", [300]),
        ("SUM(v * v + 10 * v) FROM t", [33000]),
        ("SUM(CASE WHEN g = 'a' THEN 2 END) FROM t", [6]),
        ("AVG(v) FROM t", [150, 3]),
        ("VAR_POP(v), STDDEV(v), AVG(v), COUNT(v) FROM t", [3750, 150, 3]),
    ],
)
def test_a_person_has_several_rows(select: str, sensitivities: list[int]) -> None:
    """Three, in as many groups; who is replaced does it twice."""
    numbers = measured(select, unit="u", max_rows=3).numbers
    assert [n.sensitivity for n in numbers] == sensitivities
    twice = measured(select, unit="u", max_rows=3, relation="replace").numbers
    assert [n.sensitivity for n in twice] == [2 * s for s in sensitivities]


@pytest.mark.parametrize(
    ("select", "sensitivities"),
    [
        ("COUNT(DISTINCT u) FROM t", [1]),
        ("COUNT(DISTINCT u), COUNT(*) FROM t GROUP BY g", [3, 100]),  # of three public groups
        ("COUNT(DISTINCT u) FROM t GROUP BY h", [2]),
        ("COUNT(DISTINCT u) FROM t GROUP BY w", [5]),
        ("COUNT(DISTINCT u), SUM(v) FROM t GROUP BY p", [5, 10000]),
        ("COUNT(DISTINCT u) FROM t GROUP BY g, h", [5]),
        ("MAX(v), MEDIAN(v) FROM t GROUP BY g", [3, 50]),
        ("COUNT(DISTINCT v) FROM t GROUP BY g", [100]),
        ("COUNT(DISTINCT who), COUNT(*) FROM t GROUP BY who, g", [3, 100]),  # a person has one value of the unit
        ("COUNT(DISTINCT who) FROM t GROUP BY who", [1]),
    ],
)
def test_a_person_counts_in_few_groups(select: str, sensitivities: list[int]) -> None:
    """Of 100 rows in at most five groups; and in no more groups than there are, from public facts."""
    named = {"who": {"categories": ["Al", "Bo"]}} if "who" in select else {}
    unit = "who" if named else "u"
    numbers = measured(select, unit=unit, max_rows=100, max_groups=5, more=named).numbers
    assert [n.sensitivity for n in numbers] == sensitivities
    twice = measured(select, unit=unit, max_rows=100, max_groups=5, relation="replace", more=named).numbers
    assert [n.sensitivity for n in twice] == [2 * s for s in sensitivities]


@pytest.mark.parametrize(
    ("select", "said"),
    [
        ("AVG(CASE WHEN g = 'a' THEN 2 END) FROM t", "the same for everyone"),
        ("SUM(0 * v) FROM t", "the same for everyone"),
        ("VAR_POP(v * 1e200) FROM t", "too wide"),
        ("SUM(v * 1e200 * 1e200 * 0 + v) FROM t", "too wide"),
        ("AVG(v * 1e-200) FROM t", "too narrow"),
    ],
)
def test_a_range_can_be_computed_with(select: str, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        measured(select)


whole = st.integers(-(2**62), 2**62)
real = st.floats(-1e12, 1e12, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6)


pairs = st.one_of(st.tuples(whole, whole), st.tuples(real, real)).filter(lambda pair: pair[0] < pair[1])


@given(pairs, st.sampled_from(["SUM", "AVG"]))
def test_every_grid_is_fine_enough_and_holds_the_sensitivity(bounds: tuple[float, float], aggregate: str) -> None:
    """A sensitivity is a whole number of steps, at least 1,024 and at most 2^31 of them."""
    kind = "integer" if isinstance(bounds[0], int) else "number"
    number = measured(f"{aggregate}(v) FROM t", kind, bounds).numbers[0]
    assert number.step * number.steps == number.sensitivity
    assert 1024 <= number.steps <= 2**31
    assert number.rounded or (number.centre / number.step).denominator == 1


@given(st.floats(1e-6, 1e3), st.integers(1, 7))
def test_parts_of_epsilon_never_add_up_to_more(epsilon: float, parts: int) -> None:
    columns = {f"v{i}": {"type": "integer", "bounds": [0, 1]} for i in range(parts)}
    schema = from_dict({"name": "t", "columns": columns})
    sums = ", ".join(f"SUM(v{i})" for i in range(parts))
    numbers = measure(parse(f"SELECT {sums} FROM t", schema), schema).numbers
    assert len(numbers) == parts
    assert sum(Fraction(n.part(epsilon)) for n in numbers) <= Fraction(str(epsilon))
    assert sum(n.part(epsilon) for n in numbers) == pytest.approx(epsilon)


def test_too_many_candidates_are_refused_from_public_facts() -> None:
    schema = from_dict(
        {
            "name": "t",
            "columns": {
                "v": {"type": "number", "bounds": [0, 1]},
                "w": {"type": "number", "bounds": [0, 1], "step": 1e-6},
                "place": {"categories": [f"place {i}" for i in range(20_000)]},
            },
        }
    )
    said = "selects from 20,020,000 candidates, and the limit is 20,000,000; MEDIAN of v has 1,001 in each cell"
    with pytest.raises(QueryError, match=said):
        measure(parse("SELECT place, MEDIAN(v) FROM t GROUP BY place", schema), schema)
    figures = ", ".join(f"SUM(v + {i})" for i in range(51))
    with pytest.raises(QueryError, match="asks for 1,020,000 figures, and the limit is 1,000,000"):
        measure(parse(f"SELECT place, {figures} FROM t GROUP BY place", schema), schema)
    with pytest.raises(QueryError, match="gives more than 100,000 candidates for MAX of w"):
        measure(parse("SELECT MAX(w) FROM t", schema), schema)


CONDITIONS = ("v > 0", "v >= 1", "v BETWEEN 1 AND 3", "0 < v AND v < 9", "v = 2", "v > 2 AND v <= 99")
QUOTIENTS = ("8 / v", "LEAST(8 / v, 3) - v", "COALESCE(8 / v, 9)")


def test_no_row_that_a_condition_keeps_is_beyond_the_range_that_follows_from_it() -> None:
    """Also where a stored value is beyond the bounds: it is clamped to them."""
    stored = range(-3, 12)
    schema = {"v": {"type": "integer", "bounds": [0, 4]}, "u": {"type": "integer", "categories": list(stored)}}
    table = pd.DataFrame({"v": stored, "u": stored})
    dataset = sf.open(table, {"name": "t", "columns": schema}, ledger=":memory:")
    asked = [f"SUM({quotient}) FILTER (WHERE {met}) FROM t" for quotient in QUOTIENTS for met in CONDITIONS]
    asked += [f"SUM({quotient}) FROM t WHERE {met}" for quotient in QUOTIENTS for met in CONDITIONS]
    asked += [f"SUM({quotient.replace('/ v', '/ NULLIF(v, 0)')}) FROM t" for quotient in QUOTIENTS]
    for select in asked:
        query = dataset.query(f"SELECT u, {select} GROUP BY u")
        number = query.measurement.numbers[0]
        totals: list[Any] = [row[-1] or 0 for row in query.answer()]
        largest = max(map(abs, totals))
        assert largest <= number.sensitivity, select


def test_a_range_that_no_condition_gives_is_refused() -> None:
    """An end that is taken out of whole numbers leaves the next one; of other numbers it leaves any as near."""
    for select, kind in [
        ("SUM(8 / NULLIF(v, 0)) FROM t", "number"),
        ("SUM(8 / v) FROM t WHERE v <> 0", "integer"),  # below the bounds there is one that is clamped to 0
        ("SUM(8 / v) FROM t WHERE v > 0 OR h", "integer"),
        ("SUM(8 / v) FROM t WHERE NOT v > 0", "integer"),
        ("SUM(8 / v) FROM t WHERE v > -1", "integer"),
        ("SUM(8 / NULLIF(v, 1)) FROM t", "integer"),
        ("SUM(CASE WHEN h THEN 8 / v END) FROM t WHERE v >= 0", "integer"),
    ]:
        assert "its divisor may be 0" in refusal_of(select, kind), select


def refusal_of(select: str, kind: str) -> str:
    try:
        measured(select, kind, bounds=(0, 4))
    except QueryError as error:
        return error.message
    return "it is accepted"
