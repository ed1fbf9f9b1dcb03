"""Whether the cost of a row stays the same: one file of 10M people, read once, 10 times and 30 times over, on DuckDB.

`python bench/flat.py` prints nanoseconds of CPU for each row of the plain query and of what choosing needs. The files
are links to one, so that neither disk nor memory is what is measured.
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import typer

sys.path.insert(0, str(Path(__file__).parents[1]))  # a file that is run finds only what lies beside it

import sfumato as sf
from bench import population
from bench.question import QUESTIONS, Question
from sfumato import demo
from sfumato.model.choice import Noise


def main(
    rows: int = typer.Option(10_000_000, min=1, help="How many people the file has."),
    rounds: int = typer.Option(3, min=1, help="How many rounds the medians are of."),
) -> None:
    """Measure Q1, Q4 and Q5 of the RDR paper."""
    file = population.files([rows], typer.echo)[rows].resolve()
    typer.echo("CPU, ns a row" + "".join(f"{times * rows / 1e6:>9,.0f}M" for times in (1, 10, 30)))
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        places = []
        for times in (1, 10, 30):
            (place := Path(folder) / str(times)).mkdir()
            for n in range(times):
                os.link(file, place / f"{n}.parquet")
            places.append((place, times * rows))
        for question in (q for q in QUESTIONS if q.name in ("Q1", "Q4", "Q5")):
            costs = [_costs(place, question, rounds, count) for place, count in places]
            for side in ("plain", "choose"):
                typer.echo(f"{question.name} {side:<10}" + "".join(f"{cost[side]:>10.2f}" for cost in costs))


def _costs(place: Path, question: Question, rounds: int, rows: int) -> dict[str, float]:
    dataset = sf.open(place, demo.schema(), ledger=":memory:")
    engine, query = dataset._context.engine, dataset.query(question.sql())
    plain = question.sql().replace("FROM adult", f"FROM read_parquet('{place}/*.parquet')")

    def choose() -> object:
        query._bound._surveys.clear()
        return query._bound.look(Noise()).reach()

    work: dict[str, Callable[[], object]] = {"plain": lambda: engine.rows(plain), "choose": choose}
    return {side: 1e9 * statistics.median(_cpu(do) for _ in range(rounds + 1)) / rows for side, do in work.items()}


def _cpu(work: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_SELF)
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    typer.run(main)
