"""Spark: the numbers of DuckDB, one sentence for each failure, and nothing of the data in any log."""

from __future__ import annotations

import datetime as dt
import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.adapters.engines.spark import java, session
from sfumato.adapters.engines.spark.engine import Spark
from sfumato.errors import BadInput, EngineFailure, SfumatoError, SourceError
from sfumato.model.choice import Noise
from sfumato.model.facts import EXPOSURE
from tests.spark import cluster, environment

SECRET = "Zebulon Xanthopoulos"
QUERIES = {  # of the RDR paper (sec. 6.2)
    "Q1": "SELECT COUNT(*) FROM adult WHERE education_num = 13 AND age = 25",
    "Q2": "SELECT marital_status, COUNT(*) FROM adult WHERE race = 'Asian-Pac-Islander' GROUP BY marital_status",
    "Q3": "SELECT COUNT(*) FROM adult WHERE native_country <> 'United-States' AND sex = 'Female'",
    "Q4": "SELECT AVG(hours_per_week) FROM adult WHERE workclass IN ('Federal-gov', 'Local-gov', 'State-gov')",
    "Q5": "SELECT SUM(capital_gain) FROM adult",
}
PER_PERSON = (
    "SELECT COUNT(*), AVG(LEAST(GREATEST(hours, 0), 500)) "
    "FROM (SELECT race, SUM(hours_per_week) AS hours FROM adult GROUP BY race)"
)
STATUS, WORK = ["Married", "Divorced", "Never"], ["Federal-gov", "Local-gov", "State-gov", "Private"]
SCHEMA: dict[str, Any] = {
    "name": "adult",
    "null_values": ["?"],
    "columns": {
        "age": {"type": "integer", "bounds": [17, 90]},
        "education_num": {"type": "integer", "bounds": [1, 16]},
        "hours_per_week": {"type": "number", "bounds": [0, 99]},
        "capital_gain": {"type": "integer", "bounds": [0, 99999]},
        "marital_status": {"type": "text", "categories": STATUS},
        "workclass": {"type": "text", "categories": WORK},
        "race": {"type": "text"},
        "sex": {"type": "text", "categories": ["Female", "Male"]},
        "native_country": {"type": "text"},
    },
}
OF_PEOPLE = SCHEMA | {
    "unit": "race",
    "max_rows": 4,
    "columns": SCHEMA["columns"] | {"race": {"type": "text"}},
}


def adults(rows: int = 900) -> pa.Table:
    """Rows of every kind of value that the queries read, some of them missing."""
    return pa.table(
        {
            "age": pa.array([None if i % 97 == 5 else 17 + i * 7 % 80 for i in range(rows)], pa.int16()),
            "education_num": pa.array([1 + i * 3 % 16 for i in range(rows)], pa.int32()),
            "hours_per_week": pa.array([None if i % 53 == 3 else (i * 37 % 990) / 10 for i in range(rows)]),
            "capital_gain": pa.array([i * i % 100_003 for i in range(rows)], pa.int64()),
            "marital_status": pa.array([[*STATUS, "?", None][i % 5] for i in range(rows)]),
            "workclass": pa.array([[*WORK, "?"][i * 3 % 5] for i in range(rows)]),
            "race": pa.array([["Asian-Pac-Islander", f"group {i % 41}"][i % 3 > 0] for i in range(rows)]),
            "sex": pa.array([["Female", "Male"][i % 7 > 2] for i in range(rows)]),
            "native_country": pa.array([["United-States", "ß", "İ"][i % 11 % 3] for i in range(rows)]),
        }
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("adults") / "adult.parquet"
    pq.write_table(adults(), path)
    return path


@pytest.fixture
def changing(tmp_path: Path) -> Path:
    path = tmp_path / "adult.parquet"
    pq.write_table(adults(60), path)
    return path


def opened(place: Path | str, schema: dict[str, Any] = SCHEMA, **how: Any) -> sf.Dataset:
    return sf.open(str(place), schema, **{"ledger": ":memory:", "engine": "spark", **how})


def engine_of(dataset: sf.Dataset) -> Spark:
    engine = dataset._context.engine
    assert isinstance(engine, Spark)
    return engine


def surveyed(dataset: sf.Dataset, sql: str) -> tuple[object, ...]:
    query = dataset.query(sql)
    survey = query._bound.look(Noise())
    facts = survey.facts
    figures = [
        float(f"{value:.9e}")
        for summary in (facts.influence, facts.exposure)
        for value in (summary.people, summary.min, summary.max, summary.sum, summary.sum_sq)
    ]
    return query._bound.totals().cells, figures


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("schema", "queries"), [(SCHEMA, tuple(QUERIES.values())), (OF_PEOPLE, (QUERIES["Q4"], PER_PERSON))]
)
def test_spark_gives_the_numbers_of_duckdb(place: Path, schema: dict[str, Any], queries: tuple[str, ...]) -> None:
    there, here = opened(place, schema), opened(place, schema, engine="duckdb")
    for sql in queries:
        assert surveyed(there, sql) == surveyed(here, sql), sql
    distributions = [d.query(queries[-1])._bound.look(Noise()).distribution(EXPOSURE) for d in (there, here)]
    assert distributions[0].quantile(0.9) == pytest.approx(distributions[1].quantile(0.9), rel=1e-9)


HOSTILE = {
    "whole": pa.array([None, -(2**63), 2**63 - 1, -1, 0, 7], pa.int64()),
    "real": pa.array([None, float("nan"), float("inf"), -0.0, 1.7e308, 9.3e18], pa.float64()),
    "text": pa.array([None, "", "%_\\", "1e400", "9" * 40, "İß  "]),
    "figure": pa.array(["1.5", "1e2", "-7", "9223372036854775807", "0x10", "5 000"]),
    "wide": pa.array([None, 10**37, -(10**37), 0, 1, 5], pa.decimal128(38, 0)),
    "day": pa.array([None, dt.date(1, 1, 1), dt.date(9999, 12, 31), None, dt.date(2024, 2, 29), None], pa.date32()),
    "since": pa.array([0, -700_000, 2_900_000, 1, 19_782, None], pa.int32()).cast(pa.date32()),
    "far": pa.array([-(2**31), 2**31 - 2, 0, 1, 2, 3], pa.int32()).cast(pa.date32()),
    "moment": pa.array([None, -(2**63), 2**63 - 1, 0, 1, 2], pa.int64()).cast(pa.timestamp("us")),
}
EVERY_YEAR = [dt.date(1, 1, 1), dt.date(9999, 12, 31)]
HOSTILE_SCHEMA = {
    "name": "hostile",
    "columns": {
        "whole": {"type": "integer", "bounds": [1 - 2**62, 2**62 - 1]},
        "real": {"type": "number", "bounds": [-1e50, 1e50]},
        "text": {"type": "text"},
        "figure": {"type": "integer", "bounds": [-10, 1000]},
        "wide": {"type": "number", "bounds": [-1e6, 1e6]},
        "day": {"type": "date", "bounds": EVERY_YEAR},
        "since": {"type": "date", "bounds": EVERY_YEAR},
        "far": {"type": "date"},
        "moment": {"type": "timestamp"},
    },
}
OF_HOSTILE = (
    "SELECT SUM(whole), SUM(real), SUM(figure), SUM(wide), AVG(whole), COUNT(day), COUNT(moment) FROM hostile",
    "SELECT COUNT(FLOOR(real)), COUNT(CEIL(real / 3)), COUNT(ROUND(real, -2)), COUNT(whole // -1), SUM(whole % 7), "
    "COUNT(EXP(real)), COUNT(SQRT(real)), SUM(ABS(whole)), COUNT(real % whole), COUNT(real ** 3) FROM hostile",
    "SELECT COUNT(*) FROM hostile WHERE text LIKE '%\\' OR text LIKE '9%9_9' OR REGEXP_MATCHES(text, '^9{40}$') OR "
    "RIGHT(text, 2) = '  ' OR LENGTH(text) = 0 OR text = '${env:HOME}'",
    "SELECT COUNT(DATE_PART('dow', day)), SUM(DATE_PART('year', day)), SUM(DATE_DIFF('week', day, since)), "
    "COUNT(day + INTERVAL 9000 YEAR), SUM(DATE_DIFF('month', since, day)), COUNT_IF(LAST_DAY(day) = day), "
    "COUNT_IF(day - INTERVAL 1 MONTH < '2024-01-30') FROM hostile "
    "WHERE DATE_TRUNC('month', day) >= '0001-01-01' OR day IS NULL",
)


@pytest.mark.usefixtures("spark")
def test_no_stored_value_makes_a_query_fail_or_changes_its_number(tmp_path: Path, capfd: Any, caplog: Any) -> None:
    pq.write_table(pa.table(HOSTILE), tmp_path / "hostile.parquet")
    there, here = (opened(tmp_path / "hostile.parquet", HOSTILE_SCHEMA, engine=name) for name in ("spark", "duckdb"))
    for sql in OF_HOSTILE:
        assert there.query(sql)._bound.totals().cells == here.query(sql)._bound.totals().cells, sql
    assert next(iter(there.query("SELECT COUNT(far) FROM hostile")._bound.totals().cells.values())) == (4 * 1024,)
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


@pytest.mark.usefixtures("spark")
def test_a_failure_says_one_sentence_and_nothing_else(
    tmp_path: Path, capfd: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Spark's own messages quote the value, and pyspark writes them to stderr at any level of Spark's log."""
    pq.write_table(pa.table({"name": [SECRET]}), tmp_path / "names.parquet")
    engine = engine_of(opened(tmp_path / "names.parquet", {"name": "names", "columns": {"name": {"type": "text"}}}))
    with caplog.at_level(logging.DEBUG), pytest.raises(EngineFailure) as failure:
        engine.rows("SELECT CAST(name AS INT) FROM `sfumato stored`")
    with pytest.raises(EngineFailure) as in_stream:
        list(engine.stream("SELECT CAST(name AS INT) FROM `sfumato stored`"))
    for error in (failure.value, in_stream.value):
        assert error.__cause__ is error.__context__ is None
        assert SECRET not in str(error)
    assert SECRET not in "".join([*capfd.readouterr(), caplog.text])
    assert engine.rows("SELECT COUNT(*) FROM `sfumato stored`") == [(1,)]


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """SIGINT interrupts, also where the tests run in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("spark", "ctrl_c")
def test_ctrl_c_cancels_the_job(place: Path) -> None:
    engine = engine_of(opened(place))
    shares = list[float | None]()

    def interrupt() -> None:
        shares.append(engine.progress())
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    timer = threading.Timer(3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.rows("SELECT SUM(a.id * b.id % 7) FROM RANGE(3000000) AS a CROSS JOIN RANGE(3000000) AS b")
    assert shares[0] is not None
    assert engine.rows("SELECT 1") == [(1,)]  # the one thread of this Spark is free again
    assert engine._jobs._context is not None
    assert engine._jobs._context.statusTracker().getActiveJobsIds() == []


@pytest.mark.usefixtures("spark")
def test_a_table_that_changes_is_told_once_and_charged_once_at_most(changing: Path) -> None:
    dataset = opened(changing)
    before = dataset._context.version
    query = dataset.query("SELECT COUNT(*) FROM adult")
    engine = engine_of(dataset)
    ask = engine._session.sql

    def meanwhile(sql: str) -> Any:
        frame = ask(sql)
        pq.write_table(adults(61), changing)
        return frame

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine._session, "sql", meanwhile)
        with pytest.raises(SfumatoError, match=r"changed while it was being read|could not finish this query"):
            query.release(epsilon=1.0)
    assert dataset.ledger.total.releases <= 1
    charged = dataset.ledger.total.releases
    with pytest.raises(SourceError, match=r"adult\.parquet changed after it was opened"):
        query.release(epsilon=0.5)
    assert dataset.ledger.total.releases == charged
    assert opened(changing)._context.version != before


@pytest.mark.usefixtures("spark")
def test_a_pattern_that_java_could_try_for_ever_is_refused_before_anything_is_charged(place: Path) -> None:
    dataset = opened(place)
    with pytest.raises(SfumatoError, match="would take this engine too long"):
        dataset.query("SELECT COUNT(*) FROM adult WHERE REGEXP_MATCHES(race, '(a|aa)*b')").release(epsilon=1.0)
    assert dataset.ledger.total.releases == 0


def unreadable(folder: Path) -> Path:
    path = folder / "odd.parquet"
    pq.write_table(pa.table({"age": pa.array([b"x"], pa.binary())}), path)
    return path


BAD_PLACES: dict[str, tuple[Callable[[Path], str], dict[str, Any], str]] = {
    "a missing table": (lambda _: "clinic.visits", {}, "There is no table clinic.visits, or it may not be read"),
    "a missing file": (lambda folder: str(folder / "no.parquet"), {}, "no.parquet cannot be read as a table"),
    "a column of bytes": (
        lambda folder: str(unreadable(folder)),
        {},
        "Column 'age' of odd.parquet has type binary, which is not supported",
    ),
    "an unreachable master": (
        lambda _: "adult.parquet", {"master": "spark://127.0.0.1:1"}, "No Spark answers at spark://127.0.0.1:1",
    ),
    "an unreachable Connect": (lambda _: "sc://127.0.0.1:1", {}, "No Spark answers at sc://127.0.0.1:1"),
    "another master": (lambda _: "adult.parquet", {"master": "local[7]"}, "Spark already runs in this process"),
    "a master of DuckDB": (lambda _: "a.csv", {"master": "local[1]", "engine": "duckdb"}, "A master of Spark is named"),
    "a master twice": (lambda _: "sc://a", {"master": "local[1]"}, "The source is a master of Spark"),
}  # fmt: skip


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("case", BAD_PLACES)
def test_what_cannot_be_opened_is_refused_in_one_sentence(case: str, place: Path, tmp_path: Path, capfd: Any) -> None:
    source, how, sentence = BAD_PLACES[case]
    opened(place)  # Spark runs
    capfd.readouterr()
    schema = {"name": "adult", "columns": {"age": {"type": "integer", "bounds": [17, 90]}}}
    with pytest.raises(BadInput) as refusal:
        opened(source(tmp_path), schema, **({"engine": None} if "://" in source(tmp_path) else {}) | how)
    assert refusal.value.message.startswith(sentence)
    assert capfd.readouterr() == ("", "")


def test_java_and_pyspark_are_asked_for_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SourceError, match=r"Spark needs Java 17 or newer, and the one on this machine is Java 11"):
        java.require_java()
    program.unlink()
    with pytest.raises(SourceError, match="Spark needs Java 17 or newer, and there is none on this machine"):
        java.require_java()
    monkeypatch.setattr(session, "find_spec", lambda _: None)
    with pytest.raises(BadInput, match=r"Engine 'spark' needs the package pyspark.*pip install 'sfumato\[spark\]'"):
        session.open_session(None)


@pytest.fixture
def of_cluster(tmp_path: Path) -> dict[str, Any]:
    """What a process of its own gets from a master and two workers, one of whose executors it kills."""
    pq.write_table(adults(), tmp_path / "adult.parquet")
    with cluster() as there:
        done = subprocess.run(
            [sys.executable, "-m", "tests.spark_on_cluster", str(tmp_path), there.url, *there.pids],
            capture_output=True, text=True, check=False, env={**os.environ, **environment(tmp_path)},
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "stderr": done.stderr}


def test_a_cluster_of_processes_gives_the_same_numbers_and_survives_a_killed_executor(
    of_cluster: dict[str, Any], place: Path
) -> None:
    here = opened(place, engine="duckdb")
    expected = {name: surveyed(here, sql)[1] for name, sql in QUERIES.items()}
    people = surveyed(opened(place, OF_PEOPLE, engine="duckdb"), PER_PERSON)[1]
    assert of_cluster["figures"] == {**expected, "per person": people}
    assert of_cluster["after the kill"] == expected["Q2"]
    assert of_cluster["killed"]
    assert len(of_cluster["lost"]) == 2
    assert all(message.startswith("Spark does not answer any more") for message in of_cluster["lost"])
    assert of_cluster["releases"] == 1  # what was lost before it was charged costs nothing
    assert of_cluster["stderr"] == ""
