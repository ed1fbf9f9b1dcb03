"""What privacy costs where the table is: CPU of the server, as ratios to its own plain query in one run.

`python bench/remote.py --rows 10000000` measures PostgreSQL, on a server of its own, without parallel workers; with
`--engine spark` Spark, in one Java process with two threads.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import typer
from pyarrow import csv

sys.path.insert(0, str(Path(__file__).parents[1]))  # a file that is run finds only what lies beside it

import sfumato as sf
from bench import population
from bench.question import QUESTIONS, Question
from sfumato import demo
from sfumato.adapters.engines.postgres.engine import PostgreSQL
from sfumato.model.choice import Noise
from tests.postgres import started

SIDES = ("plain", "ends", "facts", "release")
TYPES = {"int8": "smallint", "int16": "smallint", "int32": "integer", "int64": "bigint", "double": "double precision"}
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cost:
    """Seconds of CPU of the server for one question, by side: medians."""

    question: Question
    seconds: dict[str, float]

    def line(self) -> str:
        plain = self.seconds["plain"]
        ratios = "".join(f"{self.seconds[side] / plain:>10.2f}" for side in SIDES[1:])
        return f"{self.question.name:<4}{plain:>10.2f}{ratios}"


def main(
    rows: int = typer.Option(1_000_000, min=1, help="How many people."),
    rounds: int = typer.Option(5, min=1, help="How many rounds the medians are of."),
    engine: str = typer.Option("postgres", help="postgres or spark."),
) -> None:
    """Measure Q1 to Q5 of the RDR paper where the table is."""
    file = population.files([rows], typer.echo)[rows].resolve()
    with _served(file) if engine == "postgres" else nullcontext("") as url:
        typer.echo(f"{engine}, {rows:,} people; plain query in seconds of CPU, the others as ratios to it.")
        typer.echo("         plain" + "".join(f"{side:>10}" for side in SIDES[1:]))
        for question in QUESTIONS:
            typer.echo(_cost(_opened(file, url), question, rounds).line())


@dataclass(frozen=True)
class Opened:
    """A dataset, how its table is called there, and the process that computes."""

    dataset: sf.Dataset
    table: str
    pid: int


def _opened(file: Path, url: str) -> Opened:
    if url:
        dataset = sf.open(url, demo.schema(), table="adult", ledger=":memory:")
        engine = dataset._context.engine
        assert isinstance(engine, PostgreSQL)
        return Opened(dataset, "public.adult", engine._connection.info.backend_pid)
    from pyspark import SparkContext

    dataset = sf.open(str(file), demo.schema(), engine="spark", master="local[2]", ledger=":memory:")
    assert SparkContext._gateway is not None
    return Opened(dataset, f"parquet.`{file}`", SparkContext._gateway.proc.pid)


@contextmanager
def _served(file: Path) -> Iterator[str]:
    with started() as server:
        with psycopg.connect(server.address, autocommit=True) as owner:
            schema = pq.read_schema(file)
            columns = ", ".join(f'"{f.name}" {TYPES.get(str(f.type), "text")}' for f in schema)
            owner.execute(f"CREATE UNLOGGED TABLE adult ({columns})".encode())
            owner.execute("ALTER ROLE sfumato SET max_parallel_workers_per_gather = 0")
            with owner.cursor().copy(b"COPY adult FROM STDIN (FORMAT csv)") as copy:
                for batch in pq.ParquetFile(file).iter_batches():
                    written = pa.BufferOutputStream()
                    csv.write_csv(batch, written, csv.WriteOptions(include_header=False))
                    copy.write(written.getvalue().to_pybytes())
            owner.execute("VACUUM ANALYZE adult")
        yield server.address


def _cost(opened: Opened, question: Question, rounds: int) -> Cost:
    """The sides take turns, on one connection; the first round is forgotten."""
    engine, query = opened.dataset._context.engine, opened.dataset.query(question.sql())
    plain = question.sql().replace("FROM adult", f"FROM {opened.table}")
    work: dict[str, Callable[[], object]] = {
        "plain": lambda: engine.rows(plain),
        "ends": lambda: query._bound.look(Noise()).reach(),
        "facts": lambda: query._bound.look(Noise()).facts,
        "release": lambda: query._bound.survey(Noise()).totals(),
    }
    seconds = defaultdict[str, list[float]](list)
    for n in range(rounds + 1):
        for side in SIDES[n % len(SIDES) :] + SIDES[: n % len(SIDES)]:
            query._bound._surveys.clear()
            before = _cpu(opened.pid)
            work[side]()
            if n:
                seconds[side].append(_cpu(opened.pid) - before)
    engine.close()
    return Cost(question, {side: statistics.median(taken) for side, taken in seconds.items()})


def _cpu(pid: int) -> float:
    """What the process that computes has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


if __name__ == "__main__":
    typer.run(main)
