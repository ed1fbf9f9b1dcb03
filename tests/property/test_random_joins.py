"""Joins made up at random: of whatever is accepted, one person changes their own part and no more than `max_rows` rows.

No oracle reads these queries: the engine answers them for everyone, for everyone but one person, and for each person
alone. A condition that lets rows of two people meet is in many of them, and has to be refused.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.errors import QueryError, SchemaError
from tests.depth import depth
from tests.property.oracle_joins import Shop, Value
from tests.property.test_joins import AMOUNTS, SHOP, schema_of, sources

SEED = 20260311
COLUMNS = {name: names for name, (names, _) in SHOP.tables.items()}
SUB_SELECTS = {
    "(SELECT customer_id, COUNT(*) AS amount, MAX(order_id) AS order_id FROM orders GROUP BY customer_id)": (
        ("customer_id", "amount", "order_id")
    ),
    "(SELECT amount AS customer_id, customer_id AS amount, order_id AS sku FROM orders)": (
        ("customer_id", "amount", "sku")
    ),
    "(SELECT customer_id, amount FROM orders UNION ALL SELECT who, amount FROM visits)": ("customer_id", "amount"),
    "(SELECT * FROM products WHERE kind = 'book')": ("sku", "kind"),
}
Named = tuple[str, Sequence[str]]
"""A table as a query calls it, and its columns."""


def a_table(rng: random.Random, place: int) -> tuple[str, Named]:
    called = f"t{place}"
    if rng.random() < 0.25:
        text, columns = rng.choice(list(SUB_SELECTS.items()))
        return f"{text} AS {called}", (called, columns)
    name = rng.choice(list(COLUMNS))
    return f"{name} AS {called}", (called, COLUMNS[name])


def a_column(rng: random.Random, table: Named) -> str:
    return f"{table[0]}.{rng.choice(table[1])}"


def a_condition(rng: random.Random, before: Sequence[Named], new: Named) -> str:
    """A link that the rules accept, more often than not; or any columns, compared in any way."""
    one, other = a_column(rng, rng.choice(before)), a_column(rng, new)
    people = [f"{t}.{c}" for t, columns in before for c in columns if c in ("id", "customer_id", "who", "order_id")]
    mine = [f"{new[0]}.{c}" for c in new[1] if c in ("id", "customer_id", "who", "order_id")]
    if people and mine and rng.random() < 0.7:
        one, other = rng.choice(people), rng.choice(mine)
    same = f"{one} = {other}"
    return rng.choice([same, same, same, f"{one} < {other}", f"({same} OR {other} IS NULL)", f"NOT ({one} <> {other})"])


def a_query(rng: random.Random) -> str:
    text, table = a_table(rng, 0)
    tables = [table]
    for place in range(1, rng.choice((1, 2, 2, 3, 4))):
        added, new = a_table(rng, place)
        conditions = [a_condition(rng, tables, new) for _ in range(rng.choice((1, 1, 2)))]
        text += f" {rng.choice(('JOIN', 'JOIN', 'LEFT JOIN'))} {added} ON {' AND '.join(conditions)}"
        tables.append(new)
    where = [f"{a_column(rng, rng.choice(tables))} {rng.choice(('IS NULL', 'IS NOT NULL'))}"] * (rng.random() < 0.3)
    if rng.random() < 0.3:
        inner = rng.choice(("orders", "visits", "customers"))
        own, other = f"x.{rng.choice(COLUMNS[inner])}", a_column(rng, rng.choice(tables))
        where.append(f"{rng.choice(('', 'NOT '))}EXISTS (SELECT 1 FROM {inner} x WHERE {own} = {other})")
    summed = next((f"{t}.amount" for t, columns in tables if "amount" in columns), None)
    figures = ", ".join(["COUNT(*)", *([] if summed is None else [f"SUM({summed})"])])
    kept = f" WHERE {rng.choice((' AND ', ' OR ')).join(where)}" if where else ""
    return f"SELECT {figures} FROM {text}{kept}"


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Mapping[tuple[str, Value], sf.Dataset]:
    """Everyone, and for each person all others, and that person alone."""

    def opened(shop: Shop) -> sf.Dataset:
        folder: Path = tmp_path_factory.mktemp("shop")
        return sf.open(sources(shop, "pandas", folder), schema_of(shop), ledger=":memory:")

    some: dict[tuple[str, Value], sf.Dataset] = {("everyone", None): opened(SHOP)}
    for person in SHOP.everyone():
        some["without", person] = opened(SHOP.without(person))
        some["only", person] = opened(SHOP.only(person))
    return some


@pytest.mark.depth("random joins", seed=SEED)
def test_one_person_changes_their_own_part_of_any_join(shops: Mapping[tuple[str, Value], sf.Dataset]) -> None:
    rng, accepted, moved = random.Random(SEED), 0, 0
    for _ in range(depth("random joins")):
        sql = a_query(rng)
        try:
            shops["everyone", None].query(sql)
        except (QueryError, SchemaError):
            continue
        accepted += 1
        answers = {which: _numbers(dataset, sql) for which, dataset in shops.items()}
        for person in SHOP.everyone():
            whole, rest, own = (answers[w] for w in (("everyone", None), ("without", person), ("only", person)))
            change = [a - b for a, b in zip(whole, rest, strict=True)]
            assert change == own, sql
            assert all(abs(c) <= SHOP.max_rows * most for c, most in zip(change, (1, AMOUNTS[1]), strict=False)), sql
            moved += any(change)
    assert accepted > depth("random joins") / 10
    assert moved > accepted / 4


def _numbers(dataset: sf.Dataset, sql: str) -> list[Any]:
    [row] = dataset.query(sql).answer()
    return [value or 0 for value in row]
