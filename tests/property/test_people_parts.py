"""People asked about in parts: what parts give together is what everyone gives at once, bit for bit."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.composition import engines, local
from sfumato.errors import BadInput, OutOfMemory, SourceError
from sfumato.model.choice import Noise
from sfumato.model.facts import EXPOSURE
from sfumato.privacy.sensitivity import measure
from sfumato.release.people.passes import FINEST, Passes
from sfumato.release.people.survey import Survey
from sfumato.schema.read import from_dict
from sfumato.sql.lowering.spelling import spell
from sfumato.sql.parser.statement import parse
from sfumato.sql.plans import totals
from sfumato.sql.plans.exposure_summary import Tree
from sfumato.sql.plans.people_parts import SUM, Merging, PeoplePart
from sfumato.sql.plans.rows import PlanInput
from tests.property.tables import examples

SCHEMA: dict[str, Any] = {
    "name": "stays",
    "unit": "who",
    "max_rows": 3,
    "max_groups": 2,
    "columns": {
        "who": {"type": "text"},
        "days": {"type": "integer", "bounds": [0, 60]},
        "cost": {"type": "number", "bounds": [-1000, 1000]},
        "ward": {"type": "text", "categories": ["heart", "birth"]},
        "note": {"type": "text", "keys": "private"},
    },
}
QUERIES = (
    "SELECT COUNT(*), COUNT(DISTINCT who), SUM(days), SUM(cost) FROM stays",
    "SELECT ward, AVG(cost), SUM(days) FROM stays WHERE days > 3 GROUP BY ward",
    "SELECT ward, MEDIAN(days), MIN(days) FROM stays GROUP BY ward",
    "SELECT ward, COUNT(*) FROM stays GROUP BY ROLLUP (ward)",
    "SELECT note, COUNT(DISTINCT who), SUM(days) FROM stays GROUP BY note",
    "SELECT AVG(GREATEST(0, LEAST(d, 100))) FROM (SELECT who, SUM(days) AS d FROM stays GROUP BY who)",
    "SELECT COUNT(DISTINCT days) FROM stays",
)
ROWS = st.lists(
    st.tuples(
        st.sampled_from([None, "", "a", "A", "ß", "é", "who\\", "0", "00", "x" * 40]),
        st.none() | st.integers(-5, 70),
        st.none() | st.floats(-1100, 1100) | st.sampled_from([float("nan"), -0.0, float("inf")]),
        st.sampled_from([None, "heart", "birth", "other"]),
        st.sampled_from([None, "n", "m"]),
    ),
    max_size=40,
)


def in_parts(rows: list[tuple[Any, ...]], parts: int) -> DuckDB:
    types = [pa.string(), pa.int64(), pa.float64(), pa.string(), pa.string()]
    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    arrays = [pa.array(column, type_) for column, type_ in zip(columns, types, strict=True)]
    engine = engines.ENGINES["duckdb"](pa.table(arrays, names=list(SCHEMA["columns"])), from_dict(SCHEMA), None)
    assert isinstance(engine, DuckDB)
    engine.parts = parts
    return engine


def everything(engine: DuckDB, sql: str, noise: str = "laplace") -> dict[str, Any]:
    """All that is read of people and adds up, whole numbers as they are."""
    schema = from_dict(SCHEMA)
    statement = parse(sql, schema, engine.columns)
    survey = Survey(engine, schema, statement, measure(statement, schema), Noise(noise))
    read: dict[str, Any] = {"people": survey.people_count, "totals": survey.totals(), "moments": survey.moments}
    read["bins"] = survey.people_by_bin(10)
    facts = [survey.facts.influence, survey.facts.exposure]
    read["facts"] = [(f.people, f.min, f.max) for f in facts]
    read["sums"] = [f.sum for f in facts] + [f.sum_sq for f in facts]
    read["reach"] = survey.reach(EXPOSURE)
    read["spread"] = survey.distribution(EXPOSURE).bins
    return read


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.depth("tables asked about in parts")
@examples("tables asked about in parts")
@given(rows=ROWS)
def test_parts_together_are_everyone(sql: str, rows: list[tuple[Any, ...]]) -> None:
    together, at_once = (everything(in_parts(rows, parts), sql) for parts in (3, 1))
    assert together.pop("sums") == pytest.approx(at_once.pop("sums"), rel=1e-12, abs=1e-12)  # of floats, in any order
    assert together == at_once


class Engine:
    """Stands for one whose memory is enough for a quarter of the people, and that may be interrupted."""

    parts = 1

    def __init__(self) -> None:
        self.told: list[tuple[float, float]] = []
        self.read: list[str] = []
        self.interrupted_at: int | None = None

    def spell(self, tree: Tree) -> str:
        return spell(tree, "duckdb")

    def note_pass(self, begun: float, share: float) -> None:
        self.told.append((begun, share))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        if "% 4 =" not in sql:
            raise OutOfMemory
        if len(self.read) == self.interrupted_at:
            self.interrupted_at = None
            raise KeyboardInterrupt
        self.read.append(sql.split("% 4 = ")[1][0])
        return [(1, None)]


def reading(engine: Any) -> Any:
    schema = from_dict(SCHEMA)
    statement = parse("SELECT SUM(days) FROM stays", schema)
    question = PlanInput(schema, statement, measure(statement, schema))
    passes = Passes(engine)
    return lambda: passes.rows(totals.totals(question), question, Merging(0, (SUM,)))


def test_parts_that_are_too_large_are_halved_and_none_is_read_twice_after_an_interrupt() -> None:
    engine = Engine()
    engine.interrupted_at = 2
    read = reading(engine)
    with pytest.raises(KeyboardInterrupt):
        read()
    before = list(engine.read)
    assert (len(before), engine.told[-1]) == (2, (0, 1))
    assert read() == [(4, None)]
    assert engine.read[:2] == before
    assert sorted(engine.read) == ["0", "1", "2", "3"]
    begun = [told for told in engine.told if told[1] == 0.25]
    assert [told[0] for told in begun] == [0, 0.25, 0.5, 0.5, 0.75]


def test_a_few_people_with_most_of_the_rows_are_a_failure_of_the_engine() -> None:
    class Small(Engine):
        def rows(self, sql: str) -> list[tuple[Any, ...]]:
            self.read.append(sql)
            raise OutOfMemory

    engine = Small()
    with pytest.raises(OutOfMemory):
        reading(engine)()
    assert len(engine.read) == FINEST.bit_length()


def test_halves_are_disjoint_and_no_one_is_left_out() -> None:
    halves = deque([PeoplePart(0, 1)])
    for _ in range(5):
        halves.extend(halves.popleft().halves)
        for who in range(64):
            assert sum(who % part.of == part.number for part in halves) == 1


@pytest.mark.parametrize("folder", [False, True])
def test_more_people_than_the_memory_holds(tmp_path: Path, folder: bool) -> None:
    """A million people of one row or two: their table alone takes twice the limit. Nothing is written anywhere."""
    schema = {"name": "stays", "unit": "who", "max_rows": 2, "columns": {"who": {"type": "integer"}, **DAYS}}
    path = tmp_path / "stays" if folder else tmp_path / "stays.parquet"
    written = pa.table({"who": pa.array(range(MANY)), "days": pa.array([i % 60 for i in range(MANY)], pa.int8())})
    if folder:
        for half in (0, 1):
            (path / f"half={half}").mkdir(parents=True)
            pq.write_table(written.slice(half * MANY // 2, MANY // 2), path / f"half={half}" / "one.parquet")
    else:
        pq.write_table(written, path)
    opened = [engines.duckdb(path, from_dict(schema), memory_mb=limit) for limit in (engines.LEAST_MEMORY, None)]
    query = "SELECT COUNT(*), SUM(days) FROM stays"
    statement = parse(query, from_dict(schema))
    surveys = [
        Survey(engine, from_dict(schema), statement, measure(statement, from_dict(schema)), Noise())
        for engine in opened
    ]
    small, large = ({**dict(s.by_cell()), "people": s.people_count} for s in surveys)
    assert small == large
    assert opened[0].parts > opened[1].parts == 1
    assert opened[0].rows("SELECT current_setting('temp_directory')") == [("",)]


MANY = 1_500_000
DAYS = {"days": {"type": "integer", "bounds": [0, 60]}}


def test_a_csv_that_does_not_fit_is_refused_where_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "stays.csv"
    path.write_text("who,days\n" + "".join(f"{i:0100},{i % 60}\n" for i in range(600_000)), "ascii")
    schema = {"name": "stays", "columns": {"who": {"type": "text"}, **DAYS}}
    with pytest.raises(SourceError) as refused:
        local.open(path, schema, ledger=":memory:", memory_mb=engines.LEAST_MEMORY)
    assert str(refused.value) == (
        "stays.csv does not fit into 64 MiB of memory. "
        "Hint: convert it to Parquet, which is read where it lies, or state more memory."
    )


@pytest.mark.parametrize("wrong", [0, -1, 63])
def test_a_limit_that_duckdb_cannot_work_within_is_refused(wrong: int) -> None:
    with pytest.raises(BadInput, match="memory_mb"):
        local.open(pa.table({"days": [1]}), {"name": "stays", "columns": DAYS}, ledger=":memory:", memory_mb=wrong)
