"""Peak memory that a verb adds to the plain query's. Each is measured in a process of its own.

A process that has sfumato loaded is larger than one that has only DuckDB, whatever the data is. That is no cost of a
query, so each process first does its work on a few people, which loads all it will need; what counts is how far
the work on all the people then lifts its peak above that, opening the file included (a copy of the data would show).
The added memory is the difference of these two lifts. The peak is the kernel's VmHWM, which is of this program alone
(the maximum that getrusage gives begins with that of the process that started it), and it is set back in between.
"""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
from pathlib import Path

import typer

from bench.question import QUESTIONS, Question

ROOT = Path(__file__).parents[1]
STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def can_be_measured() -> bool:
    return STATUS.exists() and RESET.exists()


def lift(question: Question, work: str, few: Path, many: Path, times: int) -> float:
    """MiB between a process at rest and its peak; the median of a few processes. `work` is a verb, or "plain"."""
    command = [sys.executable, "-m", "bench.memory", question.name, work, str(few.resolve()), str(many.resolve())]
    runs = [subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True) for _ in range(times)]
    return statistics.median(float(run.stdout) for run in runs)


def main(question: str, work: str, few: Path, many: Path) -> None:
    """Print the lift of this very process, in MiB."""
    asked = next(q for q in QUESTIONS if q.name == question)
    for _ in range(2):  # once to load libraries, once to fill what they keep
        _work(asked, work, few)
    gc.collect()
    at_rest = _kib("VmRSS")
    RESET.write_text("5", "ascii")
    _work(asked, work, many)
    typer.echo((_kib("VmHWM") - at_rest) / 1024)


def _work(question: Question, work: str, file: Path) -> None:
    """The plain side imports nothing of sfumato."""
    if work == "plain":
        import duckdb

        with duckdb.connect() as connection:
            connection.read_parquet(str(file)).create_view("adult")
            connection.execute(question.sql()).fetchall()
    else:
        import sfumato as sf
        from bench.cost import VERBS
        from sfumato import demo

        VERBS[work](sf.open(file, demo.schema(), ledger=":memory:").query(question.sql()))


def _kib(field: str) -> int:
    lines = STATUS.read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


if __name__ == "__main__":
    typer.run(main)
