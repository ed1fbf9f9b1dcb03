"""How many times faster an epsilon is found than by the authors' method, which finds the same one."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pandas as pd

import sfumato as sf
from bench.baseline import Baseline
from bench.cost import costs, cpu
from bench.question import Question
from bench.target import SPEED_UP, Target
from sfumato import demo

TAU = 0.95
MISSING = "?"


@dataclass(frozen=True)
class Speed:
    """CPU time of the authors' method in seconds; ours in milliseconds, also with their bounds and candidates."""

    question: Question
    epsilon: float | None
    runs: int  # of the query with one person left out
    baseline_s: float
    choose_ms: float
    planning_ms: float
    as_published_ms: float

    @property
    def times(self) -> float:
        return 1000 * self.baseline_s / self.choose_ms

    @property
    def times_without_planning(self) -> float:
        return 1000 * self.baseline_s / (self.choose_ms - self.planning_ms)

    @property
    def times_as_published(self) -> float:
        return 1000 * self.baseline_s / self.as_published_ms

    @property
    def targets(self) -> Iterator[Target]:
        what = f"{self.question.name} choose, times faster than the authors' way, without planning"
        yield Target(what, self.times_without_planning, least=SPEED_UP)

    @property
    def figures(self) -> dict[str, float | None]:
        return {
            "epsilon": self.epsilon,
            "runs": self.runs,
            "baseline_s": round(self.baseline_s, 2),
            "times": round(self.times, 1),
            "times_without_planning": round(self.times_without_planning, 1),
            "times_as_published": round(self.times_as_published, 1),
        }


def speed(file: Path, question: Question, planning_ms: float, rounds: int) -> Speed:
    """Run both on the same people; filling the SQLite table is not charged, as opening is not."""
    everybody = people(file)
    authors = Baseline(question, everybody)
    baseline_ms, theirs = cpu(lambda: authors.find_epsilon(TAU))
    took, found = zip(*(_as_published(file, question) for _ in range(rounds + 1)), strict=True)
    if set(found) != {theirs}:
        raise AssertionError(f"{question.name}: the authors' method finds epsilon {theirs}, sfumato {found[0]}")
    return Speed(
        question,
        epsilon=theirs,
        runs=len(everybody[list(question.reads)].drop_duplicates()),
        baseline_s=baseline_ms / 1000,
        choose_ms=costs(file, question, rounds, ["choose"]).verb["choose"],
        planning_ms=planning_ms,
        as_published_ms=statistics.median(took[1:]),
    )


def people(file: Path) -> pd.DataFrame:
    """Everybody; the codebook's mark for a missing answer is a missing answer."""
    with duckdb.connect() as connection:
        found = connection.execute("SELECT * FROM read_parquet($file)", {"file": str(file)}).df()
    return found.replace({MISSING: None})


def _as_published(file: Path, question: Question) -> tuple[float, float | None]:
    """Milliseconds and the epsilon, with bounds from the data and on the paper's candidates."""
    query = sf.open(file, demo.schema(), ledger=":memory:", bounds_from_data=True).query(question.sql())
    took, choice = cpu(lambda: query.choose(sf.ratio(TAU), candidates="paper"))
    return took, choice.epsilon
