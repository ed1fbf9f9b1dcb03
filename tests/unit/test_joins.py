"""Which joins are read, and why the others are refused; what the schema of several tables may say."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import BadInput, QueryError, SchemaError, SourceError
from sfumato.schema.read import from_dict
from sfumato.schema.write import write
from sfumato.sql.parser.statement import parse
from tests.property.test_joins import SHOP, schema_of, sources

SCHEMA = schema_of(SHOP)
STATED = from_dict(SCHEMA)
PRESENT = {column.name: column.type for column in STATED.columns}
ORDERS = "FROM orders o JOIN customers c ON c.id = o.customer_id"
ALONE = {
    "name": "stays",
    "unit": "patient",
    "max_rows": 4,
    "columns": {"patient": {"type": "text"}, "days": {"type": "integer", "bounds": [0, 60]}},
}

READ = [
    "SELECT COUNT(*) FROM orders",
    "SELECT COUNT(*) FROM shop.orders AS o WHERE o.amount > 3",
    f"SELECT region, SUM(amount) {ORDERS} GROUP BY region",
    f"SELECT c.region AS r, AVG(o.amount) {ORDERS} GROUP BY r HAVING COUNT(*) > 3 ORDER BY 2 DESC",
    f"SELECT COUNT(DISTINCT c.id) AS a, COUNT(DISTINCT o.customer_id) AS b {ORDERS}",
    f"SELECT COUNT(*) {ORDERS} AND o.amount > 3 AND (c.region = 'north' OR o.sku LIKE 'a%')",
    f"SELECT kind, region, COUNT(*) {ORDERS} JOIN products p ON p.sku = o.sku GROUP BY ROLLUP(kind, region)",
    "SELECT COUNT(*) FROM products p JOIN orders o ON o.sku > p.sku AND o.amount <> 3",
    "SELECT COUNT(*) FROM orders o LEFT JOIN products p ON p.sku = o.sku WHERE p.sku IS NULL",
    "SELECT COUNT(*) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id LEFT JOIN products p ON p.sku = o.sku",
    "SELECT COUNT(*) FROM products p JOIN products q ON p.kind = q.kind JOIN orders o ON o.sku = q.sku",
    "SELECT SUM(price) FROM items",
    "SELECT SUM(price), SUM(amount) FROM items i JOIN orders o ON o.order_id = i.order_id",
    "SELECT COUNT(*) FROM items i JOIN items j ON i.order_id = j.order_id",
    "SELECT region, SUM(price) FROM customers c JOIN orders o ON c.id = o.customer_id JOIN items USING_ ON "
    "USING_.order_id = o.order_id GROUP BY region",
    "SELECT COUNT(*) FROM orders a JOIN orders b ON a.customer_id = b.customer_id AND a.order_id < b.order_id",
    "SELECT COUNT(*) FROM visits v JOIN orders o ON v.who = o.customer_id JOIN customers c ON c.id = v.who",
    "SELECT COUNT(*) FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)",
    "SELECT COUNT(*) FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE amount > 3)",
    "SELECT COUNT(*) FROM customers c WHERE NOT EXISTS (SELECT 1 FROM items i JOIN orders o ON o.order_id = i.order_id "
    "WHERE o.customer_id = c.id AND i.price > 0)",
    "SELECT SUM(amount) FROM (SELECT customer_id, amount FROM orders UNION ALL SELECT who, amount FROM visits) t",
    "SELECT what, COUNT(*) FROM (SELECT customer_id AS id, CASE WHEN amount > 3 THEN 'much' ELSE 'few' END AS what "
    "FROM orders UNION ALL SELECT who, CASE WHEN amount > 3 THEN 'much' ELSE 'none' END FROM visits) GROUP BY what",
    "SELECT AVG(LEAST(t, 50)) FROM (SELECT c.id, SUM(o.amount) AS t FROM customers c JOIN orders o ON "
    "o.customer_id = c.id GROUP BY c.id)",
    "SELECT region, COUNT(*) FROM customers c JOIN (SELECT customer_id, COUNT(*) AS n FROM orders GROUP BY 1) t ON "
    "t.customer_id = c.id WHERE n > 2 GROUP BY region",
    "WITH o AS (SELECT * FROM orders WHERE amount > 3) SELECT COUNT(*) FROM o JOIN customers c ON c.id = o.customer_id",
    "SELECT COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY amount) AS n FROM orders o "
    "JOIN products p ON p.sku = o.sku) WHERE n = 1",
    "SELECT kind, COUNT(*) FROM orders o JOIN (SELECT sku, kind FROM products WHERE kind = 'book') p ON p.sku = o.sku "
    "GROUP BY kind",
    f"SELECT CORR(o.amount, v.amount), MEDIAN(o.amount) {ORDERS} JOIN visits v ON v.who = c.id",
    f"SELECT region, COUNT(*) FILTER (WHERE o.amount > 3), SUM(o.amount) / COUNT(*) {ORDERS} GROUP BY ALL",
    "SELECT COUNT(*) FROM customers c JOIN customers d ON c.id = d.id AND c.region <> d.region",
]
MEET = "lets rows of different people meet"
REFUSED = {
    "SELECT COUNT(*) FROM orders o JOIN customers c ON o.sku = c.region": MEET,
    "SELECT COUNT(*) FROM orders o JOIN customers c ON c.id <> o.customer_id": MEET,
    "SELECT COUNT(*) FROM orders o JOIN customers c ON c.id >= o.customer_id": MEET,
    "SELECT COUNT(*) FROM orders o JOIN customers c ON c.id = o.customer_id OR o.amount > 3": MEET,
    "SELECT COUNT(*) FROM orders o JOIN customers c ON NOT (c.id <> o.customer_id)": MEET,
    "SELECT COUNT(*) FROM orders o JOIN customers c ON c.id = o.customer_id + 0": MEET,
    "SELECT COUNT(*) FROM orders o JOIN customers c ON c.id = o.order_id": MEET,
    "SELECT COUNT(*) FROM orders a JOIN orders b ON a.sku = b.sku": MEET,
    "SELECT COUNT(*) FROM orders a JOIN orders b ON a.order_id = b.order_id": "ON b.customer_id = a.customer_id",
    "SELECT COUNT(*) FROM items i JOIN customers c ON c.id = i.order_id": "ON i.order_id = orders.order_id",
    "SELECT COUNT(*) FROM items i JOIN orders o ON i.order_id = o.amount": MEET,
    "SELECT COUNT(*) FROM orders o JOIN customers c ON c.id = o.customer_id JOIN visits v ON v.amount = o.amount": MEET,
    "SELECT COUNT(*) FROM orders o LEFT JOIN visits v ON v.amount = o.amount": MEET,
    "SELECT COUNT(*) FROM orders o JOIN (SELECT who, amount FROM visits) v ON v.amount = o.amount": MEET,
    "SELECT COUNT(*) FROM orders, customers": "rows of different people would meet",
    "SELECT COUNT(*) FROM orders CROSS JOIN customers": "rows of different people would meet",
    "SELECT COUNT(*) FROM orders o JOIN customers c ON 1 = 1": "rows of different people would meet",
    "SELECT COUNT(*) FROM orders CROSS JOIN products": "a condition that compares a column of it",
    "SELECT COUNT(*) FROM orders NATURAL JOIN customers": "ON one.column = other.column",
    "SELECT COUNT(*) FROM items JOIN orders USING (order_id)": "ON one.column = other.column",
    "SELECT COUNT(*) FROM products p LEFT JOIN orders o ON o.sku = p.sku": "put o on the left",
    "SELECT COUNT(*) FROM orders o RIGHT JOIN products p ON o.sku = p.sku": "with a private table on its left",
    "SELECT COUNT(*) FROM orders o FULL JOIN customers c ON c.id = o.customer_id": "depends on all people together",
    "SELECT COUNT(*) FROM orders o SEMI JOIN customers c ON c.id = o.customer_id": "use WHERE EXISTS",
    "SELECT COUNT(*) FROM orders o ASOF JOIN visits v ON v.who = o.customer_id AND v.amount >= o.amount": "the person",
    "SELECT COUNT(*) FROM products": "no row of them is about a person",
    "SELECT COUNT(*) FROM doctors": "use customers or orders",
    f"SELECT COUNT(*) {ORDERS} JOIN doctors d ON d.id = o.sku": "There is no table 'doctors'",
    f"SELECT COUNT(*) {ORDERS} JOIN visits c ON c.who = o.customer_id": "Two tables are called 'c'",
    "SELECT COUNT(order_id) FROM orders o JOIN items i ON i.order_id = o.order_id": "write o.order_id or i.order_id",
    "SELECT SUM(o.price) FROM orders o JOIN items i ON i.order_id = o.order_id": "no column 'price'",
    "SELECT SUM(orders.amount) FROM orders o": "use the name o",
    "SELECT COUNT(*) FROM (SELECT id FROM customers UNION SELECT who FROM visits)": "write UNION ALL",
    "SELECT COUNT(*) FROM (SELECT id FROM customers EXCEPT SELECT who FROM visits)": "AND, OR and NOT",
    "SELECT COUNT(*) FROM (SELECT amount FROM orders UNION ALL SELECT amount FROM visits)": "person in the same place",
    "SELECT COUNT(*) FROM (SELECT who, amount FROM visits UNION ALL SELECT amount, customer_id FROM orders)": "person",
    "SELECT COUNT(*) FROM (SELECT customer_id, sku FROM orders UNION ALL SELECT who, amount FROM visits)": "same types",
    "SELECT COUNT(*) FROM (SELECT customer_id, sku FROM orders UNION ALL SELECT 1 AS a, sku FROM products)": "person",
    "SELECT COUNT(*) FROM (SELECT DISTINCT sku FROM orders)": "several people",
    f"SELECT COUNT(*) FROM (SELECT region, SUM(amount) AS s {ORDERS} GROUP BY region)": "several people",
    "SELECT COUNT(*) FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.sku = c.region)": "other people",
    "SELECT COUNT(*) FROM customers c WHERE EXISTS (SELECT 1 FROM visits v WHERE amount = 3)": "add v.who = c.id",
    "SELECT COUNT(*) FROM orders WHERE EXISTS (SELECT 1 FROM orders WHERE amount > 3)": "another name with AS",
    "SELECT COUNT(*) FROM items i WHERE EXISTS (SELECT 1 FROM orders o WHERE o.order_id = 3)": "to the outer ones",
    "SELECT COUNT(*) FROM orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.order_id = 3)": "to the inner ones",
    "SELECT COUNT(*) FROM orders o JOIN (SELECT amount FROM visits) v ON v.amount = o.amount": "visits.who in v",
    "SELECT COUNT(*) FROM customers c WHERE c.region IN (SELECT sku FROM orders)": "other people",
    "SELECT COUNT(*) FROM orders o JOIN customers c ON EXISTS (SELECT 1 FROM visits v WHERE v.who = c.id)": "WHERE",
    "SELECT COUNT(*) FROM orders JOIN (SELECT who FROM visits) ON who = customer_id": "name it",
    'SELECT COUNT(*) FROM orders JOIN (SELECT who FROM visits) AS "a.b" ON who = customer_id': "rename it",
    "SELECT COUNT(*) FROM " + " JOIN ".join(
        ["orders", *(f"orders o{i} ON o{i}.customer_id = orders.customer_id" for i in range(20))]
    ): "16 tables at most",
}  # fmt: skip


@pytest.mark.parametrize("sql", READ)
def test_a_join_is_read_and_its_one_spelling_is_the_same_statement(sql: str) -> None:
    statement = parse(sql, STATED)
    assert parse(statement.text, STATED) == statement
    assert "customers.id" in statement.columns  # every query reads who the people are


@pytest.mark.parametrize(("sql", "why"), REFUSED.items())
def test_a_refused_join_says_why_and_what_to_write(sql: str, why: str) -> None:
    with pytest.raises(QueryError) as refused:
        parse(sql, STATED, PRESENT)
    sentence = str(refused.value)
    assert why in sentence
    assert "Hint: " in sentence


def test_there_are_many_joins_of_each_kind() -> None:
    assert len(READ) + len(REFUSED) >= 60


def test_the_hint_of_a_refused_join_is_accepted() -> None:
    accepted = 0
    for sql, why in REFUSED.items():
        if why == MEET:
            with pytest.raises(QueryError) as refused:
                parse(sql, STATED, PRESENT)
            _, _, condition = (refused.value.hint or "").rstrip(".").partition("on the person: ON ")
            if condition:
                parse(f"{sql.rpartition(' ON ')[0]} ON {condition}", STATED, PRESENT)
                accepted += 1
    assert accepted >= 10


def test_the_broken_forms_are_refused(tmp_path: Path) -> None:
    """Each of them lets one person change more than their own part (docs/theory/joins.md)."""
    forms = [
        "SELECT COUNT(*) FROM orders a JOIN orders b ON a.sku = b.sku",
        "SELECT COUNT(*) FROM products p LEFT JOIN orders o ON o.sku = p.sku",
    ]
    assert [sql for sql in forms if not _is_refused(sql)] == []
    columns, orders = SHOP.tables["orders"]
    shared = pd.DataFrame([*orders, (2, 0, "a", 4)], columns=list(columns), dtype=object)
    refused = False
    try:
        sf.open(sources(SHOP, "pandas", tmp_path) | {"orders": shared}, schema_of(SHOP, "enforced"), ledger=":memory:")
    except SourceError:
        refused = True
    assert refused, "two people share the key of an order"


def _is_refused(sql: str) -> bool:
    try:
        parse(sql, STATED, PRESENT)
    except QueryError:
        return True
    return False


def test_one_table_may_be_joined_with_itself_on_the_person() -> None:
    stated = from_dict(ALONE)
    pairs = "SELECT COUNT(*) FROM stays a JOIN stays b ON a.patient = b.patient AND a.days < b.days"
    statement = parse(pairs, stated)
    assert statement.columns == ("days", "patient")
    assert parse(statement.text, stated) == statement
    assert parse("SELECT SUM(days) FROM stays", stated).derived is None  # as ever
    frame = pd.DataFrame({"patient": ["a", "a", "a", "b", None, "c", "c"], "days": [1, 2, 3, 1, 5, 4, 4]})
    assert sf.open(frame, ALONE, ledger=":memory:").query(pairs).answer() == ((3,),)
    with pytest.raises(QueryError, match="lets rows of different people meet"):
        parse("SELECT COUNT(*) FROM stays a JOIN stays b ON a.days = b.days", stated)


# The schema


def changed(**tables: Any) -> dict[str, Any]:
    """The schema of the shop with other tables in it."""
    return SCHEMA | {"tables": SCHEMA["tables"] | tables}


ITEMS = SCHEMA["tables"]["items"]
PARENT = ITEMS["parent"]
WRONG = {
    "no owner": (changed(notes={"columns": {}}), "does not say whose the rows of table 'notes' are"),
    "public and person": (changed(notes={"public": True, "person": "a", "columns": {"a": {}}}), "is public and has"),
    "two owners": (changed(items=ITEMS | {"person": "order_id"}), "both a person and a parent"),
    "no reason": (changed(items=ITEMS | {"parent": PARENT | {"unique": "sure"}}), 'unique = "enforced"'),
    "no key": (changed(items=ITEMS | {"parent": {"table": "orders"}}), "The parent has no column"),
    "no such key": (changed(items=ITEMS | {"parent": PARENT | {"key": "orderid"}}), "did you mean 'order_id'?"),
    "no such table": (changed(items=ITEMS | {"parent": PARENT | {"table": "order"}}), "no other table 'order'"),
    "public parent": (
        changed(items=ITEMS | {"parent": PARENT | {"table": "products", "key": "sku"}}),
        "is a public table, so it says nothing",
    ),
    "other type": (
        changed(visits={"person": "who", "columns": {"who": {"type": "text"}}}),
        "'visits.who' is text and 'customers.id' is integer",
    ),
    "two units": (changed(visits={"unit": "who", "columns": {"who": {}}}), "'unit' is not a key"),
    "circle": (
        changed(
            items=ITEMS | {"parent": PARENT | {"table": "parts", "key": "part"}},
            parts={
                "parent": PARENT | {"table": "items", "key": "order_id", "column": "part"},
                "columns": {"part": {"type": "integer"}},
            },
        ),
        "lead back to",
    ),
    "no unit": ({k: v for k, v in SCHEMA.items() if k != "unit"}, "says in which of them everyone is"),
    "unit elsewhere": (SCHEMA | {"unit": {"table": "people", "column": "id", "max_rows": 3}}, "no table 'people'"),
    "no bound": (SCHEMA | {"unit": {"table": "customers", "column": "id"}}, "does not limit how many rows"),
    "columns": (SCHEMA | {"columns": {"a": {}}}, "is for a schema of one table"),
    "a point": (changed(**{"a.b": {"public": True}}), "without a point in it"),
}


@pytest.mark.parametrize(("schema", "why"), WRONG.values(), ids=WRONG)
def test_a_schema_that_does_not_say_whose_rows_are_is_refused(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(SchemaError) as wrong:
        from_dict(schema)
    assert why in str(wrong.value)


def test_a_schema_of_several_tables_is_written_and_read_again() -> None:
    assert from_dict(tomllib.loads(write(STATED))) == STATED
    assert from_dict(tomllib.loads(write(from_dict(schema_of(SHOP, "enforced")))), "the schema").tables != STATED.tables


def test_a_change_of_a_table_concerns_the_queries_that_read_it() -> None:
    """Its columns have other fingerprints if it is said of another person, or to be public."""
    before = STATED.fingerprints()
    other = schema_of(SHOP, "enforced")
    after = from_dict(
        other | {"tables": other["tables"] | {"visits": other["tables"]["visits"] | {"person": "amount"}}}
    )
    differ = {name for name, fingerprint in after.fingerprints().items() if before[name] != fingerprint}
    assert differ == {"items.order_id", "items.price", "visits.who", "visits.amount"}
    for sql in ("SELECT COUNT(*) FROM visits", "SELECT COUNT(*) FROM items"):
        assert differ & set(parse(sql, STATED).columns)
    assert not differ & set(parse(f"SELECT COUNT(*) {ORDERS}", STATED).columns)


# Opening


def test_a_shared_parent_key_is_refused_when_the_data_is_opened(tmp_path: Path) -> None:
    """A query could not refuse it: that it fails would tell whose order it is. Declared keys are assumed instead."""
    enforced, given = schema_of(SHOP, "enforced"), sources(SHOP, "pandas", tmp_path)
    sf.open(given, enforced, ledger=":memory:")
    columns, orders = SHOP.tables["orders"]
    shared = given | {"orders": pd.DataFrame([*orders, (2, 0, "a", 4)], columns=list(columns), dtype=object)}
    with pytest.raises(SourceError, match="Two rows of 'orders' have the same 'order_id'"):
        sf.open(shared, enforced, ledger=":memory:")
    sf.open(shared, SCHEMA, ledger=":memory:")


def test_a_certificate_lists_the_keys_that_are_declared(tmp_path: Path) -> None:
    for unique, sql, listed in (
        ("declared", "SELECT COUNT(*) FROM items", True),
        ("declared", "SELECT COUNT(*) FROM customers WHERE id IN (SELECT o.customer_id FROM items i JOIN orders o ON "
         "o.order_id = i.order_id)", True),
        ("declared", f"SELECT COUNT(*) {ORDERS}", False),
        ("enforced", "SELECT COUNT(*) FROM items", False),
    ):  # fmt: skip
        dataset = sf.open(sources(SHOP, "pandas", tmp_path), schema_of(SHOP, unique), ledger=":memory:")
        certificate = dataset.query(sql).release(epsilon=1.0).certificate
        assert ("no two rows of orders have the same order_id" in str(certificate)) == listed


def test_tables_and_sources_have_to_be_the_same(tmp_path: Path) -> None:
    given = sources(SHOP, "pandas", tmp_path)
    with pytest.raises(SourceError, match="No data is given for visits"):
        sf.open({name: table for name, table in given.items() if name != "visits"}, SCHEMA, ledger=":memory:")
    with pytest.raises(SourceError, match="no table doctors"):
        sf.open(given | {"doctors": given["visits"]}, SCHEMA, ledger=":memory:")
    with pytest.raises(SourceError, match="several tables, and one"):
        sf.open(given["orders"], SCHEMA, ledger=":memory:")
    with pytest.raises(SourceError, match="one table, and several"):
        sf.open(given, ALONE, ledger=":memory:")


def test_a_rehearsal_makes_up_all_tables(tmp_path: Path) -> None:
    """Rows below a parent find it; a public stand-in may be any set of tables but private ones of the data."""
    given = sources(SHOP, "pandas", tmp_path)
    dataset = sf.open(given, SCHEMA, ledger=":memory:")
    query = dataset.query(
        f"SELECT region, COUNT(*), SUM(price) {ORDERS} JOIN items i ON i.order_id = o.order_id GROUP BY 1"
    )
    reach = query.rehearse(rows=200).exposure
    assert reach is not None
    assert reach.max > 0
    other = {name: table.copy() for name, table in sources(SHOP.without(1), "pandas", tmp_path).items()}  # type: ignore[attr-defined]
    assert query.rehearse(like=other | {"products": given["products"]}).people_count == 3
    with pytest.raises(BadInput, match="confidential data itself"):
        query.rehearse(like=other | {"orders": given["orders"]})
    assert dataset.check().people == sum(len(rows) for _, rows in SHOP.tables.values())
    assert {column.name for column in dataset.check().columns} >= {"orders.amount", "items.price"}
