"""One release from a closed file, beside the plain query from a closed file: what a program does that asks once."""

from __future__ import annotations

import gc
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

import sfumato as sf
from bench.cost import cpu, ledger_watched
from bench.question import QUESTIONS, Question
from bench.target import CLOSED, Target
from sfumato import demo
from sfumato.model.schema import Schema

FIXED = ("open", "parse", "ledger", "plan and certificate")
"""The parts of a release that do not grow with the people; what is left is the scan and the noise."""
FIRST = "first time"
"""A file that no ledger knows yet: every text in it is read once, to see that it can be read."""


@dataclass(frozen=True)
class Closed:
    """Medians in milliseconds of CPU of all threads, for each question: both sides, and the parts of ours."""

    rows: int
    ms: Mapping[str, Mapping[str, float]]

    def ratio(self, question: str) -> float:
        return self.ms[question]["sfumato"] / self.ms[question]["plain"]

    @property
    def targets(self) -> Iterator[Target]:
        what = "open and release once / plain DuckDB, both from a closed file"
        yield Target(what, statistics.median(map(self.ratio, self.ms)), most=CLOSED)

    @property
    def figures(self) -> dict[str, object]:
        ms = {name: {part: round(each, 1) for part, each in parts.items()} for name, parts in self.ms.items()}
        return {"rows": self.rows, "ms": ms}

    def lines(self) -> Iterator[str]:
        yield "From a closed file, ms of CPU; of the release, what does not grow with the people:"
        yield ""
        yield f"     plain  sfumato  ratio  {'  '.join((*FIXED, FIRST))}"
        for name, parts in self.ms.items():
            fixed = "  ".join(f"{parts[part]:>{len(part)}.1f}" for part in (*FIXED, FIRST))
            yield f"{name} {parts['plain']:>7.1f} {parts['sfumato']:>8.1f} {self.ratio(name):>6.2f}  {fixed}"


def closed(file: Path, few: Path, rows: int, rounds: int) -> Closed:
    """Rounds of both take turns. Planning and the certificate are what a release of a few people takes beside."""
    return Closed(rows, {question.name: _question(file, few, question, rounds) for question in QUESTIONS})


def _question(file: Path, few: Path, question: Question, rounds: int) -> dict[str, float]:
    taken: dict[str, list[float]] = defaultdict(list)
    for n in range(rounds + 1):
        one = {"plain": cpu(lambda: _plain(file, question))[0]} | _release(file, question)
        one[FIRST] = _release(file, question, known=False)["sfumato"]
        small, plain = _release(few, question), cpu(lambda: _plain(few, question))[0]
        one["plan and certificate"] = max(0.0, small["sfumato"] - plain - small["parse"] - small["ledger"])
        for part, ms in one.items() if n else ():  # the first round loads libraries and is forgotten
            taken[part].append(ms)
    return {part: statistics.median(ms) for part, ms in taken.items()}


def _plain(file: Path, question: Question) -> object:
    with duckdb.connect() as connection:
        connection.read_parquet(str(file)).create_view("adult")
        return connection.execute(question.sql()).fetchall()


def _release(file: Path, question: Question, *, known: bool = True) -> dict[str, float]:
    """One release, with a ledger in which the file is `known`, as when a program runs again, or with a new one."""
    schema = demo.schema()
    with TemporaryDirectory() as folder:
        ledger = Path(folder) / "adult.ledger"
        if known:
            sf.open(file, schema, ledger=ledger).query(question.sql()).release(epsilon=0.25)
        return _measured(file, question, schema, ledger)


def _measured(file: Path, question: Question, schema: Schema, ledger: Path) -> dict[str, float]:
    gc.collect()
    with ledger_watched() as entries:
        start = time.process_time()
        opening, dataset = cpu(lambda: sf.open(file, schema, ledger=ledger), collect=False)
        parsing, query = cpu(lambda: dataset.query(question.sql()), collect=False)
        query.release(epsilon=0.5)
        whole = 1000 * (time.process_time() - start)
    return {"sfumato": whole, "open": opening, "parse": parsing, "ledger": sum(spent for spent, _ in entries)}
