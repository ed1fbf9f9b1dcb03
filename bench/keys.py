"""What many computed groups cost: a release by 100,000 values of an expression, beside the plain GROUP BY of it.

The pass of the engine is compared with the plain query; what a release does besides is stated for each group.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb

import sfumato as sf
from bench.cost import cpu
from bench.growth import short
from bench.population import FOLDER
from bench.target import KEYS_MICROSECONDS, KEYS_PASS, KEYS_PLANNING_MS, Target
from sfumato.sql.lowering.spelling import spell
from sfumato.sql.plans.rows import PlanInput
from sfumato.sql.plans.totals import totals

KEYS = 100_000
STATEMENT = "SELECT v + 1 AS bin, COUNT(*) FROM visits GROUP BY bin"
SCHEMA = {"name": "visits", "columns": {"v": {"type": "integer", "bounds": [0, KEYS - 1]}}}
SIDES = ("plain", "pass", "planning", "release")


@dataclass(frozen=True)
class ManyKeys:
    """Medians, in milliseconds of CPU."""

    rows: int
    ms: dict[str, float]

    @property
    def each(self) -> float:
        """Microseconds for each group, of what a release does beside the pass of the engine."""
        return 1000 * (self.ms["release"] - self.ms["pass"]) / KEYS

    @property
    def targets(self) -> Iterator[Target]:
        rows = short(self.rows)
        ratio = self.ms["pass"] / self.ms["plain"]
        yield Target(f"pass for {KEYS:,} computed groups, {rows} rows / plain", ratio, most=KEYS_PASS)
        yield Target("a release beside the pass, for each group", self.each, most=KEYS_MICROSECONDS, unit=" us")
        planning = self.ms["planning"]
        yield Target(f"parse and plan {KEYS:,} computed groups", planning, most=KEYS_PLANNING_MS, unit=" ms")

    @property
    def figures(self) -> dict[str, object]:
        facts: dict[str, object] = {"rows": self.rows, "groups": KEYS, "us_each": round(self.each, 1)}
        return facts | {f"{side}_ms": round(self.ms[side], 1) for side in SIDES}

    def lines(self) -> Iterator[str]:
        yield f"A release by {KEYS:,} computed groups of {short(self.rows)} rows, ms of CPU:"
        yield ""
        yield "     plain      pass  planning   release  us a group"
        yield " ".join(f"{self.ms[side]:>9.1f}" for side in SIDES) + f" {self.each:>11.1f}"


def many_keys(rows: int, rounds: int, folder: Path = FOLDER) -> ManyKeys:
    """The sides take turns on one file."""
    file, taken = _file(rows, folder), defaultdict[str, list[float]](list)
    for n in range(rounds + 1):
        dataset = sf.open(file, SCHEMA, ledger=":memory:")
        spent = {"plain": _plain(file)}
        spent["planning"], query = cpu(partial(dataset.query, STATEMENT))
        bound = query._bound
        plan = totals(PlanInput(bound.schema, bound.statement, bound.measurement))
        sql, engine = spell(plan, "duckdb"), bound.context.engine
        spent["pass"], _ = cpu(partial(_read, engine.stream, sql))
        spent["release"], _ = cpu(partial(query.release, epsilon=0.5))
        if n:  # the first round loads libraries and is forgotten
            for side, ms in spent.items():
                taken[side].append(ms)
    return ManyKeys(rows, {side: statistics.median(taken[side]) for side in SIDES})


def _read(stream: Callable[[str], Iterator[object]], sql: str) -> int:
    return sum(1 for _ in stream(sql))


def _file(rows: int, folder: Path) -> Path:
    """Made once: each row has any of the values."""
    path = folder / f"visits-{rows}.parquet"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with duckdb.connect() as connection:
            table = f"SELECT (HASH(range, 1) % {KEYS})::BIGINT AS v FROM RANGE({rows})"
            connection.execute(f"COPY ({table}) TO $path (FORMAT parquet)", {"path": str(part)})
        part.rename(path)
    return path


def _plain(file: Path) -> float:
    with duckdb.connect() as connection:
        connection.read_parquet(str(file)).create_view("visits")
        return cpu(lambda: connection.execute(STATEMENT).fetchall())[0]
