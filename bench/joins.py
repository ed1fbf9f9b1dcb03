"""What a join costs: orders, customers and a public table, beside plain SQL that joins them with the same bound."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

import sfumato as sf
from bench.cost import cpu
from bench.growth import short
from bench.population import FOLDER
from bench.target import JOINS, Target

ORDERS_EACH, MAX_ROWS, SKUS = 4, 20, 1000
FROM = "FROM orders o JOIN customers c ON c.id = o.customer_id JOIN products p ON p.sku = o.sku WHERE p.kind = 'book'"
QUERY = f"SELECT c.region, SUM(o.amount) {FROM} GROUP BY c.region"
BOUNDED = (
    "SELECT region, SUM(amount) FROM (SELECT c.region, o.amount, "
    f"ROW_NUMBER() OVER (PARTITION BY o.customer_id) AS place {FROM}) WHERE place <= {MAX_ROWS} GROUP BY region"
)
SIDES = ("plain", "bounded", "release", "moments")

_TABLES = {
    "customers": "SELECT range AS id, CASE HASH(range, 1) % 4 WHEN 0 THEN 'north' WHEN 1 THEN 'south' "
    "WHEN 2 THEN 'east' ELSE 'west' END AS region FROM RANGE({people})",
    "orders": "SELECT (HASH(range, 2) % {people})::BIGINT AS customer_id, 'sku-' || HASH(range, 3) % {skus} AS sku, "
    "(HASH(range, 4) % 50001) / 100 AS amount FROM RANGE({orders})",
    "products": "SELECT 'sku-' || range AS sku, CASE WHEN range % 2 = 0 THEN 'book' ELSE 'toy' END AS kind "
    "FROM RANGE({skus})",
}
SCHEMA: dict[str, object] = {
    "name": "shop",
    "unit": {"table": "customers", "column": "id", "max_rows": MAX_ROWS},
    "tables": {
        "customers": {
            "person": "id",
            "columns": {"id": {"type": "integer"}, "region": {"categories": ["north", "south", "east", "west"]}},
        },
        "orders": {
            "person": "customer_id",
            "columns": {
                "customer_id": {"type": "integer"},
                "sku": {"type": "text"},
                "amount": {"type": "number", "bounds": [0, 500]},
            },
        },
        "products": {"public": True, "columns": {"sku": {"type": "text"}, "kind": {"type": "text"}}},
    },
}


@dataclass(frozen=True)
class Join:
    """Medians, in milliseconds of CPU."""

    orders: int
    ms: Mapping[str, float]

    def ratio(self, side: str) -> float:
        return self.ms[side] / self.ms["bounded"]

    @property
    def targets(self) -> Iterator[Target]:
        size = f"{short(self.orders)} orders with {self.orders / ORDERS_EACH / 1e6:g}M customers"
        for side, most in JOINS.items():
            yield Target(
                f"{side} of a join of {size} / the plain join with the same bound", self.ratio(side), most=most
            )

    @property
    def figures(self) -> dict[str, object]:
        return {"orders": self.orders, "customers": self.orders // ORDERS_EACH, "max_rows": MAX_ROWS} | {
            f"{side}_ms": round(self.ms[side], 1) for side in SIDES
        }

    def lines(self) -> Iterator[str]:
        yield "A join of orders, customers and a public table, ms of CPU; ratios to the plain join with the same bound:"
        yield ""
        yield "orders       plain     bounded     release  ratio     moments  ratio"
        plain, bounded, release, moments = (f"{self.ms[side]:>11.1f}" for side in SIDES)
        ratios = [f"{self.ratio(side):>6.2f}" for side in JOINS]
        yield f"{short(self.orders):>6} {plain} {bounded} {release} {ratios[0]} {moments} {ratios[1]}"


def join(orders: int, rounds: int, folder: Path = FOLDER) -> Join:
    """The sides take turns, each on freshly opened data; opening is not charged."""
    files, taken = _files(orders, folder), defaultdict[str, list[float]](list)
    for n in range(rounds + 1):
        for side in SIDES[n % len(SIDES) :] + SIDES[: n % len(SIDES)]:
            spent = _plain(files, side) if side in ("plain", "bounded") else _private(files, side)
            if n:  # the first round loads libraries and is forgotten
                taken[side].append(spent)
    return Join(orders, {side: statistics.median(taken[side]) for side in SIDES})


def _files(orders: int, folder: Path) -> Mapping[str, Path]:
    """Made once. A customer has a number of orders that is as if each were anybody's: a Poisson number."""
    people = max(1, orders // ORDERS_EACH)
    files = {name: folder / f"{name}-{orders}.parquet" for name in _TABLES}
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in files.items():
        if not path.exists():
            part = path.with_suffix(".part")
            with duckdb.connect() as connection:
                select = _TABLES[name].format(people=people, orders=orders, skus=SKUS)
                connection.execute(f"COPY ({select}) TO $path (FORMAT parquet)", {"path": str(part)})
            part.rename(path)
    return files


def _plain(files: Mapping[str, Path], side: str) -> float:
    with duckdb.connect() as connection:
        for name, file in files.items():
            connection.read_parquet(str(file)).create_view(name)
        return cpu(lambda: connection.execute(QUERY if side == "plain" else BOUNDED).fetchall())[0]


def _private(files: Mapping[str, Path], side: str) -> float:
    query = sf.open(dict(files), SCHEMA, ledger=":memory:").query(QUERY)
    return cpu(lambda: query.release(epsilon=0.5) if side == "release" else _moments(query))[0]


def _moments(query: sf.Query) -> object:
    """The sums over all the people that every preference needs."""
    profile: Any = query.risk()
    return profile.influence.sum, profile.influence.sum_sq, profile.exposure.sum
