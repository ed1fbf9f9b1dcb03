"""Which cells a WHERE rules out, by our own evaluation: never one that DuckDB finds a row in."""

from __future__ import annotations

from functools import cache
from itertools import product

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import QueryError
from sfumato.model.possible_cells import possible_cells
from sfumato.model.schema import Type
from sfumato.model.statement import ColumnRef, Pattern
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.builder.ast import column, predicate, select_from
from sfumato.sql.parser.statement import parse, parse_condition
from tests.property.tables import examples

TEXTS = ("Heart", "heart", "a%b", "a_b", "it's", "", "Z", "Ünï", "ß", "\n", "10", "\\")
NUMBERS = (-3, 0, 1, 6, 12, 2**53 + 1, -(2**63), 2**63 - 1)
KEYS = ("g", "n", "h")
Cell = tuple[object, ...]
Draw = st.SearchStrategy[str]

_COMPARED = st.sampled_from(("=", "<>", "<", "<=", ">", ">="))
_NO = st.sampled_from(("", "NOT "))
_WRITTEN = ("-3", "0", "1", "6", "2.5", "-0.5", "1e1", "12")
_ODD = (
    *("9007199254740993", "9007199254740992.0", "9223372036854775807", "9223372036854775808"),
    *("1e39", "1e101", "1e-101", "0.1"),
)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def conditions(numbers: tuple[str, ...], texts: tuple[str, ...]) -> Draw:
    """Conditions on three keys: a text, a whole number and a truth."""
    number, text = st.sampled_from(numbers), st.sampled_from(texts).map(_quoted)
    scalar = st.recursive(
        st.one_of(st.just("n"), number),
        lambda part: st.one_of(
            st.builds("({} {} {})".format, part, st.sampled_from("+-*/"), part),
            part.map("ABS({})".format),
            st.builds("COALESCE({}, {})".format, part, part),
            st.builds("CASE WHEN n {} {} THEN {} END".format, _COMPARED, part, part),
            st.builds("CASE WHEN h THEN {} ELSE {} END".format, part, part),
        ),
        max_leaves=3,
    )
    word = st.one_of(st.just("g"), st.just("LOWER(g)"), st.just("UPPER(g)"), st.just("COALESCE(g, 'x')"), text)
    patterns = st.sampled_from(("%", "H%", "_eart", "%a%", "a_b", "a\\%b", "%\\%", "", "%'%", "%A%B", "_", "__", "Ü%"))
    leaf = st.one_of(
        st.builds("{} {} {}".format, scalar, _COMPARED, scalar),
        st.builds("{} {} {}".format, word, _COMPARED, word),
        st.builds("{} {}IN ({}, {})".format, scalar, _NO, number, number),
        st.builds("g {}IN ({}, {})".format, _NO, text, text),
        st.builds("{} IS {}NULL".format, scalar, _NO),
        st.builds("{} BETWEEN {} AND {}".format, scalar, number, number),
        st.builds("{} {}{} {}".format, word, _NO, st.sampled_from(("LIKE", "ILIKE")), patterns.map(_quoted)),
        st.sampled_from(("h", "h = FALSE", "h < TRUE", "COALESCE(h, TRUE)", "FALSE", "TRUE", "h IS NULL")),
    )
    return st.recursive(
        leaf,
        lambda part: st.one_of(
            part.map("NOT ({})".format),
            st.builds("({} AND {})".format, part, part),
            st.builds("({} OR {})".format, part, part),
        ),
        max_leaves=4,
    )


@cache
def asked_of(texts: tuple[str, ...], numbers: tuple[int, ...]) -> tuple[sf.Dataset, tuple[Cell, ...]]:
    """A table with one row in every cell."""
    cells = tuple(product(texts, numbers, (False, True)))
    columns = {
        "g": {"type": "text", "categories": list(texts)},
        "n": {"type": "integer", "categories": list(numbers)},
        "h": {"type": "boolean"},
    }
    rows = pd.DataFrame(cells, columns=list(KEYS))
    return sf.open(rows, {"name": "t", "columns": columns}, ledger=":memory:"), cells


def kept_by_duckdb(dataset: sf.Dataset, where: str) -> set[Cell]:
    engine = dataset._context.engine
    select = select_from(map(column, KEYS), "t", where=[predicate(parse_condition(where, dataset.schema))])
    return set(engine.rows(engine.spell(select)))


@pytest.mark.depth("excluded groups")
@examples("excluded groups")
@given(where=conditions((*_WRITTEN, *_ODD), TEXTS))
def test_no_cell_is_ruled_out_that_an_engine_keeps_rows_in(where: str) -> None:
    dataset, cells = asked_of(TEXTS, NUMBERS)
    possible = set(possible_cells(parse_condition(where, dataset.schema), KEYS, cells))  # type: ignore[arg-type]
    assert kept_by_duckdb(dataset, where) <= possible


@pytest.mark.depth("excluded groups")
@examples("excluded groups")
@given(where=conditions(_WRITTEN, tuple(text for text in TEXTS if text.isascii())))
def test_of_plain_values_exactly_the_cells_without_rows_are_ruled_out(where: str) -> None:
    """Letters of ASCII and numbers that floats can hold: there the evaluation is always sure."""
    dataset, cells = asked_of(tuple(text for text in TEXTS if text.isascii()), (-3, 0, 1, 6, 12))
    if "Ü" in where:
        return
    possible = set(possible_cells(parse_condition(where, dataset.schema), KEYS, cells))  # type: ignore[arg-type]
    assert kept_by_duckdb(dataset, where) == possible


def months(sql: str) -> tuple[Cell, ...] | None:
    columns = {
        "month": {"type": "integer", "categories": list(range(1, 13))},
        "ward": {"type": "text", "categories": ["Heart", "Birth"]},
        "age": {"type": "integer", "bounds": [0, 120]},
    }
    schema = from_dict({"name": "stays", "columns": columns})
    return measure(parse(sql, schema), schema).cells


def test_groups_that_the_where_excludes_are_left_out() -> None:
    assert months("SELECT month, COUNT(*) FROM stays WHERE month IN (6, 7, 8) GROUP BY month") == ((6,), (7,), (8,))
    late = "SELECT month, ward, COUNT(*) FROM stays WHERE month > 11 AND age > 60 AND ward <> 'Birth' GROUP BY 1, 2"
    assert months(late) == ((12, "Heart"),)


def test_several_keys_in_one_condition_are_evaluated_on_each_cell() -> None:
    either = "SELECT COUNT(*) FROM stays WHERE (month = 1 AND ward = 'Heart') OR month = 2 GROUP BY month, ward"
    assert months(either) == ((1, "Heart"), (2, "Heart"), (2, "Birth"))


@pytest.mark.parametrize("where", ["month = 6 OR age > 60", "age > 60", "CASE WHEN age > 60 THEN month ELSE 1 END = 1"])
def test_a_condition_that_reads_more_than_keys_rules_out_nothing(where: str) -> None:
    found = months(f"SELECT month, COUNT(*) FROM stays WHERE {where} GROUP BY month")
    assert found is not None
    assert len(found) == 12


def test_a_where_that_excludes_every_group_is_refused() -> None:
    with pytest.raises(QueryError, match="The WHERE excludes every group of GROUP BY ward"):
        months("SELECT ward, COUNT(*) FROM stays WHERE ward = 'heart' GROUP BY ward")


def test_without_group_by_there_is_one_figure_whatever_the_where_says() -> None:
    assert months("SELECT COUNT(*) FROM stays WHERE 1 = 2") == ((),)


def test_a_condition_that_takes_too_long_to_evaluate_is_left_to_the_engine() -> None:
    texts = tuple((f"{i:040d}",) for i in range(50))
    longest, shorter = (Pattern(ColumnRef("g", Type.TEXT), "%z" * signs) for signs in (1000, 10))
    assert possible_cells(longest, ["g"], texts) == texts
    assert possible_cells(shorter, ["g"], texts) == ()
