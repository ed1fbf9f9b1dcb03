"""No stored value decides whether there is an answer: it is read, it is missing, or its file is refused at opening."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import SourceError
from sfumato.model.facts import Totals
from tests.property.stored import FILES, SOURCES, STORED, WRAPS, holds, of
from tests.property.tables import examples
from tests.property.test_neighbours import Outside, assert_moved_within_sensitivity, released

CASES = [(s, t, w) for s in SOURCES for t in STORED for w in WRAPS if holds(s, t, w)]
DECLARED: dict[str, dict[str, Any]] = {
    "": {},
    "integer": {"v": {"type": "integer", "bounds": [0, 10]}},
    "number": {"v": {"type": "number", "bounds": [-1, 1]}},
    "text": {"v": {"type": "text", "categories": ["1", "00:00:00"]}},
    "boolean": {"v": {"type": "boolean"}},
    "date": {"v": {"type": "date"}},
}
QUESTIONS = {
    "": [
        "SELECT COUNT(*), SUM(n) FROM t",
        "SELECT COUNT(v), COUNT(*) FROM t",
        "SELECT SUM(n) FROM t WHERE v IS NOT NULL",
    ],
    "integer": ["SELECT SUM(v), AVG(v) FROM t WHERE v <> 3 OR v IS NULL", "SELECT MEDIAN(v), COUNT(DISTINCT v) FROM t"],
    "number": [
        "SELECT SUM(v), VAR_POP(v) FROM t WHERE v * v > -1 OR v IS NULL",
        "SELECT SUM(v * n), COUNT(DISTINCT v) FROM t",
    ],
    "text": ["SELECT v, SUM(n) FROM t GROUP BY v", "SELECT COUNT(*) FROM t WHERE v LIKE '_%1' OR v > 'a'"],
    "boolean": ["SELECT v, COUNT(*) FROM t GROUP BY v", "SELECT COUNT(*) FROM t WHERE NOT v"],
    "date": ["SELECT COUNT(*), COUNT(DISTINCT v) FROM t WHERE v > DATE '2000-01-01' OR v IS NULL"],
}


def schema(declared: str) -> dict[str, Any]:
    return {"name": "t", "columns": {"n": {"type": "integer", "bounds": [0, 10]}} | DECLARED[declared]}


def seen(source: str, table: pa.Table, declared: str, sql: str) -> tuple[Outside, Totals] | str:
    """What is seen of a release and the totals behind it; or why the source was not opened."""
    with TemporaryDirectory() as folder:
        opened = SOURCES[source](table, Path(folder))
        try:
            sf.open(opened, schema(declared), ledger=":memory:")
        except SourceError as refused:
            return str(refused)
        redraw = SOURCES[source](table, Path(folder)) if source == "reader" else opened
        return released(redraw, schema(declared), sql)


@pytest.mark.depth("neighbour stored values")
@examples("neighbour stored values")
@given(data=st.data(), case=st.sampled_from(CASES), declared=st.sampled_from(tuple(DECLARED)))
def test_no_stored_value_is_seen_from_outside(data: st.DataObject, case: tuple[str, str, str], declared: str) -> None:
    """Its person is there, or not: with a file that opens, everything but the noise is the same."""
    source, stored, wrap = case
    of_type, sql = STORED[stored], data.draw(st.sampled_from(QUESTIONS[declared] + QUESTIONS[""]))
    ordinary = [*of_type.ordinary, None, *of_type.ordinary]
    odd = data.draw(st.sampled_from(of(source, stored)))
    place = data.draw(st.integers(0, len(ordinary)))
    values = [*ordinary[:place], odd, *ordinary[place:]]

    def table(values: list[Any]) -> pa.Table:
        return pa.table({"n": pa.array([3] * len(values)), "v": WRAPS[wrap](of_type.array(values))})

    without = seen(source, table(ordinary), declared, sql)
    assert not isinstance(without, str), without
    found = seen(source, table(values), declared, sql)
    if isinstance(found, str):
        assert source in FILES, "what lies in memory is read, or missing"
        assert found.startswith("Column 'v' of ")
    else:
        assert found[0] == without[0]
        assert_moved_within_sensitivity(without[1], found[1], without[0])
