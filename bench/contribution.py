"""What a contribution bound costs: a release where a person has several rows, beside plain SQL with the same bound.

The plain query samples at most `max_rows` rows of each person by RANDOM(). It is also timed with the first rows that
the engine comes across instead, which is cheaper and no sample.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

import sfumato as sf
from bench.cost import cpu
from bench.growth import short
from bench.population import FOLDER
from bench.target import CONTRIBUTION, Target

AVERAGE = "SELECT AVG(days) FROM stays"
BOUNDED = (
    "SELECT AVG(days) FROM (SELECT days, ROW_NUMBER() OVER (PARTITION BY patient{order}) AS place FROM {rows}) "
    "WHERE place <= {most}"
)
WITH_LOTS = "(SELECT patient, days, RANDOM() AS lot FROM stays)"
SIDES = ("plain", "first rows", "release")


@dataclass(frozen=True)
class Stays:
    """Rows of a person on average, and how many of them count."""

    name: str
    rows_each: int
    max_rows: int

    def file(self, rows: int, folder: Path = FOLDER) -> Path:
        """Made once. A patient has a number of stays that is as if each stay were anybody's: a Poisson number."""
        path = folder / f"stays-{self.rows_each}-{rows}.parquet"
        if not path.exists():
            people, part = max(1, rows // self.rows_each), path.with_suffix(".part")
            folder.mkdir(parents=True, exist_ok=True)
            with duckdb.connect() as connection:
                connection.execute(
                    f"COPY (SELECT (HASH(range, 1) % {people})::BIGINT AS patient, "
                    f"(HASH(range, 2) % 61)::INTEGER AS days FROM RANGE({rows})) TO $path (FORMAT parquet)",
                    {"path": str(part)},
                )
            part.rename(path)
        return path

    def plain(self, side: str) -> str:
        order, rows = (" ORDER BY lot", WITH_LOTS) if side == "plain" else ("", "stays")
        return BOUNDED.format(order=order, rows=rows, most=self.max_rows)

    @property
    def schema(self) -> dict[str, object]:
        columns = {"patient": {"type": "integer"}, "days": {"type": "integer", "bounds": [0, 60]}}
        return {"name": "stays", "unit": "patient", "max_rows": self.max_rows, "columns": columns}


STAYS = (Stays("within", 4, 10), Stays("beyond", 10, 5))
"""Nearly all people have no more rows than count; nearly all have more."""


@dataclass(frozen=True)
class Bounded:
    """Medians, in milliseconds of CPU."""

    stays: Stays
    rows: int
    ms: dict[str, float]

    @property
    def ratio(self) -> float:
        return self.ms["release"] / self.ms["plain"]

    @property
    def targets(self) -> Iterator[Target]:
        what = (
            f"release with most people {self.stays.name} max_rows, {short(self.rows)} rows / plain with the same bound"
        )
        yield Target(what, self.ratio, most=CONTRIBUTION[self.stays.name])

    @property
    def figures(self) -> dict[str, object]:
        facts: dict[str, object] = {"people": self.stays.name, "rows": self.rows, "max_rows": self.stays.max_rows}
        return facts | {f"{side} ms".replace(" ", "_"): round(self.ms[side], 1) for side in SIDES}

    def line(self) -> str:
        sides = " ".join(f"{self.ms[side]:>11.1f}" for side in SIDES)
        return f"{self.stays.name:<7} {short(self.rows):>5} {self.stays.max_rows:>9} {sides} {self.ratio:>7.2f}"


def lines(found: list[Bounded]) -> Iterator[str]:
    yield "A release where max_rows of a person's rows count, ms of CPU beside plain SQL with the same bound:"
    yield ""
    yield "people   rows  max_rows       plain  first rows     release   ratio"
    yield from (each.line() for each in found)


def bounded(stays: Stays, rows: int, rounds: int, folder: Path = FOLDER) -> Bounded:
    """The sides take turns, each on freshly opened data; opening is not charged."""
    file, taken = stays.file(rows, folder), defaultdict[str, list[float]](list)
    for n in range(rounds + 1):
        for side in SIDES[n % len(SIDES) :] + SIDES[: n % len(SIDES)]:
            spent = _release(file, stays) if side == "release" else _plain(file, stays.plain(side))
            if n:  # the first round loads libraries and is forgotten
                taken[side].append(spent)
    return Bounded(stays, rows, {side: statistics.median(taken[side]) for side in SIDES})


def _plain(file: Path, sql: str) -> float:
    with duckdb.connect() as connection:
        connection.read_parquet(str(file)).create_view("stays")
        return _spent(lambda: connection.execute(sql).fetchall())


def _release(file: Path, stays: Stays) -> float:
    query = sf.open(file, stays.schema, ledger=":memory:").query(AVERAGE)
    return _spent(lambda: query.release(epsilon=0.5))


def _spent(work: Callable[[], object]) -> float:
    return cpu(work)[0]
