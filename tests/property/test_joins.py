"""Joins: the engine says what the oracle says that deletes each person from all tables, children by their parents."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from tests.property.oracle_joins import Aggregate, JoinQuestion, Shop, Value, exposures, leave_one_out
from tests.property.tables import Draw, examples

CLOSE = 1e-9
REGIONS, KINDS = ("north", "south"), ("book", "toy")
AMOUNTS, PRICES = (0, 9), (-4, 6)
IDS = (1, 2, 3, 4)
COUNT, SUM, AVG = Aggregate("COUNT"), Aggregate("SUM", "amount", *AMOUNTS), Aggregate("AVG", "amount", *AMOUNTS)


def _some(*values: Value) -> st.SearchStrategy[Value]:
    return st.sampled_from(values)


@st.composite
def shops(draw: Draw) -> Shop:
    """Customers who occur twice, orders of no one and of people who are no customers, items of no order; repeats."""
    few = st.integers(0, 6)
    customers = draw(st.lists(st.tuples(_some(*IDS, None), _some(*REGIONS, "west", None)), max_size=6))
    owners = _some(*IDS, *IDS, 8, 9, None)
    number = draw(few)
    orders = [
        (
            draw(owners),
            None if draw(st.integers(0, 9)) == 0 else place,
            draw(_some("a", "b", "c", None)),
            draw(_some(-2, 1, 4, 4, 12, None)),
        )
        for place in range(number + draw(few))
    ]
    items = draw(st.lists(st.tuples(_some(*range(8), None), _some(-9, -1, 2, 2, 7, None)), max_size=9))
    visits = draw(st.lists(st.tuples(owners, _some(1, 4, 6, None)), max_size=6))
    products = draw(st.lists(st.tuples(_some("a", "b", "b", "d", None), _some(*KINDS, None)), max_size=5))
    tables = {
        "customers": (("id", "region"), customers),
        "orders": (("customer_id", "order_id", "sku", "amount"), orders),
        "items": (("order_id", "price"), items),
        "visits": (("who", "amount"), visits),
        "products": (("sku", "kind"), products),
    }
    persons = {"customers": "id", "orders": "customer_id", "visits": "who"}
    parents = {"items": ("order_id", "orders", "order_id")}
    relation = draw(st.sampled_from((1, 1, 2)))
    return Shop(tables, ("customers", "id"), persons, parents, draw(st.integers(1, 4)), relation)


def schema_of(shop: Shop, unique: str = "declared") -> dict[str, Any]:
    def whole(ends: tuple[int, int]) -> dict[str, Any]:
        return {"type": "integer", "bounds": list(ends)}

    return {
        "name": "shop",
        "unit": {"table": "customers", "column": "id", "max_rows": shop.max_rows},
        "relation": "replace" if shop.steps == 2 else "add-remove",
        "tables": {
            "customers": {
                "person": "id",
                "columns": {"id": {"type": "integer"}, "region": {"categories": list(REGIONS)}},
            },
            "orders": {
                "person": "customer_id",
                "columns": {
                    "customer_id": {"type": "integer"},
                    "order_id": {"type": "integer"},
                    "sku": {"type": "text"},
                    "amount": whole(AMOUNTS),
                },
            },
            "items": {
                "parent": {"column": "order_id", "table": "orders", "key": "order_id", "unique": unique},
                "columns": {"order_id": {"type": "integer"}, "price": whole(PRICES)},
            },
            "visits": {"person": "who", "columns": {"who": {"type": "integer"}, "amount": whole(AMOUNTS)}},
            "products": {
                "public": True,
                "columns": {"sku": {"type": "text"}, "kind": {"categories": list(KINDS)}},
            },
        },
    }


def sources(shop: Shop, kind: str, folder: Path) -> dict[str, object]:
    """Each table as a frame or a file; `mixed` has some of both."""
    kinds = dict(zip(shop.tables, ("csv", "parquet", "pandas", "csv", "parquet"), strict=True))
    given: dict[str, object] = {}
    for name, (columns, rows) in shop.tables.items():
        frame = pd.DataFrame({c: pd.Series([row[i] for row in rows], dtype=object) for i, c in enumerate(columns)})
        own = kinds[name] if kind == "mixed" else kind
        given[name] = frame
        if own == "csv":
            frame.to_csv(folder / f"{name}.csv", index=False)
            given[name] = folder / f"{name}.csv"
        if own == "parquet":
            texts = frame.map(lambda value: None if value is None else str(value))
            types = pa.schema([(column, pa.string()) for column in columns])
            stored = pa.Table.from_pandas(texts, types, preserve_index=False)
            pyarrow.parquet.write_table(stored, folder / f"{name}.parquet")
            given[name] = folder / f"{name}.parquet"
    return given


def question(
    sql: str, relation: str, read: dict[str, str], *aggregates: Aggregate, one: bool = False, **keys: tuple[Value, ...]
) -> JoinQuestion:
    return JoinQuestion(sql, relation, read, aggregates, keys, one)


PRICE = Aggregate("SUM", "price", *PRICES)
QUESTIONS = [
    question("SELECT COUNT(*) FROM orders", "SELECT customer_id AS who FROM orders", {}, COUNT),
    question(
        "SELECT region, COUNT(*), SUM(o.amount) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY region",
        "SELECT o.customer_id AS who, region, amount FROM orders o JOIN customers c ON c.id = o.customer_id",
        {"customers.region": "region", "orders.amount": "amount"},
        *(COUNT, SUM),
        region=REGIONS,
    ),
    question(
        "SELECT AVG(o.amount) FROM customers c JOIN orders o ON o.customer_id = c.id AND o.amount < 6",
        "SELECT c.id AS who, amount FROM customers c JOIN orders o ON o.customer_id = c.id AND o.amount < 6",
        {"orders.amount": "amount"},
        AVG,
    ),
    question(
        "SELECT region, COUNT(*) FROM customers LEFT JOIN orders ON customers.id = orders.customer_id GROUP BY region",
        "SELECT customers.id AS who, region FROM customers LEFT JOIN orders ON customers.id = orders.customer_id",
        {"customers.region": "region"},
        COUNT,
        region=REGIONS,
    ),
    question(
        "SELECT COUNT(*), SUM(o.amount) FROM customers c LEFT JOIN orders o ON c.id = o.customer_id AND o.amount > 1 "
        "WHERE o.sku IS NULL",
        "SELECT c.id AS who, amount, sku FROM customers c LEFT JOIN orders o ON c.id = o.customer_id AND o.amount > 1 "
        "WHERE sku IS NULL",
        {"orders.amount": "amount", "orders.sku": "sku"},
        *(COUNT, SUM),
    ),
    question(
        "SELECT kind, COUNT(*) FROM orders o JOIN products p ON p.sku = o.sku GROUP BY kind",
        "SELECT customer_id AS who, kind FROM orders o JOIN products p ON p.sku = o.sku",
        {"products.kind": "kind"},
        COUNT,
        kind=KINDS,
    ),
    question(
        "SELECT SUM(o.amount), COUNT(*) FROM products p JOIN orders o ON p.sku >= o.sku JOIN customers c ON "
        "c.id = o.customer_id WHERE p.kind = 'book'",
        "SELECT customer_id AS who, amount, kind FROM products p JOIN orders o ON p.sku >= o.sku JOIN customers c ON "
        "c.id = o.customer_id WHERE p.kind = 'book'",
        {"orders.amount": "amount", "products.kind": "kind"},
        *(SUM, COUNT),
    ),
    question(
        "SELECT COUNT(*) FROM orders o LEFT JOIN products p ON p.sku = o.sku WHERE p.kind IS NULL",
        "SELECT customer_id AS who, kind FROM orders o LEFT JOIN products p ON p.sku = o.sku WHERE p.kind IS NULL",
        {"products.kind": "kind"},
        COUNT,
    ),
    question(
        "SELECT COUNT(*), SUM(price) FROM items",
        "SELECT customer_id AS who, price FROM items JOIN orders ON items.order_id = orders.order_id",
        {"items.price": "price"},
        *(COUNT, PRICE),
    ),
    question(
        "SELECT SUM(price) FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items i ON "
        "i.order_id = o.order_id",
        "SELECT c.id AS who, price FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items i ON "
        "i.order_id = o.order_id",
        {"items.price": "price"},
        PRICE,
    ),
    question(
        "SELECT COUNT(*), SUM(i.price) FROM items i LEFT JOIN items j ON i.order_id = j.order_id AND j.price < i.price",
        "SELECT customer_id AS who, i.price FROM items i LEFT JOIN items j ON i.order_id = j.order_id AND "
        "j.price < i.price JOIN orders ON i.order_id = orders.order_id",
        {"items.price": "price"},
        *(COUNT, PRICE),
    ),
    question(
        "SELECT COUNT(*) FROM orders a JOIN orders b ON a.customer_id = b.customer_id AND a.amount < b.amount",
        "SELECT a.customer_id AS who FROM orders a JOIN orders b ON a.customer_id = b.customer_id AND "
        "a.amount < b.amount",
        {},
        COUNT,
    ),
    question(
        "SELECT COUNT(*), SUM(o.amount) FROM orders o JOIN visits v ON v.who = o.customer_id WHERE v.amount > 1",
        "SELECT v.who, o.amount, v.amount AS spent FROM orders o JOIN visits v ON v.who = o.customer_id "
        "WHERE v.amount > 1",
        {"orders.amount": "amount", "visits.amount": "spent"},
        *(COUNT, SUM),
    ),
    question(
        "SELECT region, COUNT(*) FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND "
        "o.amount > 1) GROUP BY region",
        "SELECT id AS who, region, CASE WHEN 1 THEN id END AS own FROM customers c WHERE EXISTS (SELECT 1 FROM "
        "orders o WHERE o.customer_id = c.id AND o.amount > 1)",
        {"customers.region": "region", "own 1.customers.id": "own"},
        COUNT,
        region=REGIONS,
    ),
    question(
        "SELECT COUNT(*), SUM(amount) FROM orders WHERE customer_id NOT IN (SELECT v.who FROM visits v WHERE "
        "v.amount = 4) AND NOT EXISTS (SELECT 1 FROM items i JOIN orders x ON i.order_id = x.order_id WHERE "
        "x.customer_id = orders.customer_id)",
        "SELECT customer_id AS who, amount, NULL AS one, NULL AS two FROM orders WHERE NOT EXISTS (SELECT 1 FROM "
        "visits v WHERE v.amount = 4 AND v.who = orders.customer_id) AND NOT EXISTS (SELECT 1 FROM items i JOIN "
        "orders x ON i.order_id = x.order_id WHERE x.customer_id = orders.customer_id)",
        {"orders.amount": "amount", "own 1.customers.id": "one", "own 2.customers.id": "two"},
        *(COUNT, SUM),
    ),
    question(
        "SELECT SUM(amount), COUNT(*) FROM (SELECT customer_id, amount FROM orders WHERE amount > 0 UNION ALL "
        "SELECT who, amount FROM visits)",
        "SELECT customer_id AS who, amount FROM orders WHERE amount > 0 UNION ALL SELECT who, amount FROM visits",
        {"amount": "amount"},
        *(SUM, COUNT),
    ),
    question(
        "SELECT region, SUM(LEAST(t.spent, 9)) FROM (SELECT c.id, FIRST(c.region ORDER BY c.region) AS region, "
        "SUM(o.amount) AS spent FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.id) t "
        "GROUP BY region",
        "SELECT id AS who, MIN(region) AS region, COALESCE(MIN(9, SUM(MAX(0, MIN(9, amount)))), 9) AS amount FROM "
        "orders o JOIN customers c ON c.id = o.customer_id GROUP BY id",
        {},
        SUM,
        one=True,
        region=REGIONS,
    ),
    question(
        "SELECT COUNT(*) FROM (SELECT customer_id, COUNT(*) AS n FROM orders GROUP BY customer_id) a JOIN "
        "(SELECT who, COUNT(*) AS n FROM visits GROUP BY who) b ON a.customer_id = b.who WHERE a.n >= b.n",
        "SELECT who FROM (SELECT customer_id, COUNT(*) AS n FROM orders GROUP BY customer_id) a JOIN "
        "(SELECT who, COUNT(*) AS n FROM visits GROUP BY who) b ON a.customer_id = b.who WHERE a.n >= b.n",
        {},
        COUNT,
        one=True,
    ),
    question(
        "WITH big AS (SELECT * FROM orders WHERE amount > 1) SELECT COUNT(*), SUM(b.amount) FROM customers c LEFT JOIN "
        "big b ON b.customer_id = c.id",
        "SELECT id AS who, amount FROM customers c LEFT JOIN (SELECT * FROM orders WHERE amount > 1) b ON "
        "b.customer_id = c.id",
        {"b.amount": "amount"},
        *(COUNT, SUM),
    ),
]


@pytest.mark.depth("joined shops")
@examples("joined shops")
@given(shop=shops(), asked=st.sampled_from(QUESTIONS), kind=st.sampled_from(("pandas", "csv", "parquet", "mixed")))
def test_the_engine_joins_as_the_oracle_does(shop: Shop, asked: JoinQuestion, kind: str) -> None:
    assert_same(shop, asked, kind)


@pytest.mark.parametrize("asked", QUESTIONS, ids=range(len(QUESTIONS)))
def test_every_kind_of_join_on_one_shop(asked: JoinQuestion) -> None:
    """Everything occurs in it: people twice, rows of no one and of others, keys that repeat, more rows than count."""
    assert_same(SHOP, asked, "pandas")


def assert_same(shop: Shop, asked: JoinQuestion, kind: str) -> None:
    found = leave_one_out(shop, asked)
    for place in range(len(found.people)):
        changes = found.changes(place)
        assert changes == found.own_parts(place)  # the own part, every time
        for number, most in enumerate(r for a in asked.aggregates for r in a.reaches):
            assert sum(abs(row[number]) for row in changes) <= most * asked.max_rows(shop)
    with TemporaryDirectory() as folder:
        dataset = sf.open(sources(shop, kind, Path(folder)), schema_of(shop), ledger=":memory:")
        query = dataset.query(asked.sql)
        assert dataset.query(query.sql).statement == query.statement
        totals: dict[Any, Any] = dict(query._bound.totals().cells)
        steps = [float(number.step) for number in query.measurement.numbers]
        for cell, numbers in found.everyone.items():
            ours = [s * t for s, t in zip(steps, totals.get(cell, [0] * len(steps)), strict=True)]
            assert sorted(ours) == pytest.approx(sorted(map(float, numbers)), abs=CLOSE)
        risk = query.risk()
        assert risk.people_count == len(found.people)
        shown = risk.people().to_pydict()
        assert [str(person) for person in shown["person"]] == sorted(map(str, found.people))
        of_person = dict(zip(map(str, shown["person"]), shown["exposure"], strict=True))
        ours = [of_person[str(person)] for person in found.people]
        assert ours == pytest.approx([float(e) for e in exposures(shop, asked, found)], abs=CLOSE)


CUSTOMERS = [(1, "north"), (2, "south"), (2, "north"), (3, None), (None, "north"), (4, "west")]
ORDERS = [
    *((1, 0, "a", 4), (1, 1, "b", 12), (1, 2, "b", 4), (2, 3, "c", None), (2, 4, "a", 1), (8, 5, "a", 4)),
    *((None, 6, "b", 4), (1, 7, None, -2), (3, None, "a", 4)),
]
ITEMS = [(0, 2), (0, 2), (0, 7), (1, -9), (4, -1), (5, 2), (6, 2), (None, 2), (9, 2), (1, None)]
VISITS = [(1, 4), (1, 6), (2, None), (2, 1), (3, 4), (9, 4), (None, 6)]
PRODUCTS = [("a", "book"), ("b", "toy"), ("b", "book"), ("d", "toy"), (None, "book"), ("c", None)]
SHOP = Shop(
    {
        "customers": (("id", "region"), CUSTOMERS),
        "orders": (("customer_id", "order_id", "sku", "amount"), ORDERS),
        "items": (("order_id", "price"), ITEMS),
        "visits": (("who", "amount"), VISITS),
        "products": (("sku", "kind"), PRODUCTS),
    },
    ("customers", "id"),
    {"customers": "id", "orders": "customer_id", "visits": "who"},
    {"items": ("order_id", "orders", "order_id")},
    max_rows=2,
)
