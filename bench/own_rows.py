"""What a sub-select by person costs: a release of a mean of totals, beside the same plain SQL."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

import sfumato as sf
from bench.contribution import STAYS
from bench.cost import cpu
from bench.growth import short
from bench.population import FOLDER
from bench.target import OWN_ROWS, Target

TOTALS = "SELECT AVG(total) FROM (SELECT patient, SUM(days) AS total FROM stays GROUP BY patient)"
SIDES = ("plain", "release")


@dataclass(frozen=True)
class OwnTotals:
    """Medians, in milliseconds of CPU."""

    rows: int
    ms: dict[str, float]

    @property
    def ratio(self) -> float:
        return self.ms["release"] / self.ms["plain"]

    @property
    def targets(self) -> Iterator[Target]:
        yield Target(
            f"release of totals by person, {short(self.rows)} rows / the same plain SQL", self.ratio, most=OWN_ROWS
        )

    @property
    def figures(self) -> dict[str, object]:
        return {"rows": self.rows} | {f"{side}_ms": round(self.ms[side], 1) for side in SIDES}

    def lines(self) -> Iterator[str]:
        yield "A release of the mean of each person's total, ms of CPU beside the same plain SQL:"
        yield ""
        yield "  rows       plain     release   ratio"
        sides = " ".join(f"{self.ms[side]:>11.1f}" for side in SIDES)
        yield f"{short(self.rows):>6} {sides} {self.ratio:>7.2f}"


def own_totals(rows: int, rounds: int, folder: Path = FOLDER) -> OwnTotals:
    """The sides take turns, each on freshly opened data; opening is not charged."""
    stays = STAYS[0]
    file, taken = stays.file(rows, folder), defaultdict[str, list[float]](list)
    days = {"type": "integer", "bounds": [0, 60], "per_person": [0, 240]}
    schema = stays.schema | {"columns": {"patient": {"type": "integer"}, "days": days}}
    for n in range(rounds + 1):
        for side in SIDES[n % len(SIDES) :] + SIDES[: n % len(SIDES)]:
            spent = _release(file, schema) if side == "release" else _plain(file)
            if n:  # the first round loads libraries and is forgotten
                taken[side].append(spent)
    return OwnTotals(rows, {side: statistics.median(taken[side]) for side in SIDES})


def _plain(file: Path) -> float:
    with duckdb.connect() as connection:
        connection.read_parquet(str(file)).create_view("stays")
        return cpu(lambda: connection.execute(TOTALS).fetchall())[0]


def _release(file: Path, schema: dict[str, object]) -> float:
    query = sf.open(file, schema, ledger=":memory:").query(TOTALS)
    return cpu(lambda: query.release(epsilon=0.5))[0]
