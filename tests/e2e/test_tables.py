"""Commands about several tables: `--table NAME=FILE` in place of DATA."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.schema.read import from_dict
from sfumato.schema.write import write
from tests.e2e.command import Ran, Typed
from tests.property.test_joins import SHOP, schema_of, sources

SPENT = "SELECT region, COUNT(*), SUM(amount) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY region"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folder of a shop; the options that name its tables and its schema."""
    sources(SHOP, "csv", tmp_path)
    (tmp_path / "shop.toml").write_text(write(from_dict(schema_of(SHOP, "enforced"))), "utf-8")
    monkeypatch.chdir(tmp_path)
    tables = [word for name in SHOP.tables for word in ("--table", f"{name}={name}.csv")]
    return [*tables, "--schema", "shop.toml"]


def test_every_command_takes_several_tables(shop: list[str], typed: Typed) -> None:
    drafted = typed("schema", "draft", *shop[:-2])
    assert drafted.out.count("[tables.") == drafted.out.count("# person = ") + drafted.out.count(".columns.")
    asked = [*shop, "--sql", SPENT]
    released = _ran(typed("release", *asked, "--epsilon", "1", "--json"))
    assert released.json["certificate"]["query"].endswith("GROUP BY customers.region")
    assert _ran(typed("release", *asked, "--epsilon", "1", "--json")).json == released.json, "the files are the same"
    for name in ("worst-case", "rehearse", "compare"):
        _ran(typed(name, *asked))
    public = [word for name in SHOP.tables for word in ("--like", f"{name}={name}.csv")]
    assert "confidential data" in typed("rehearse", *asked, *public).err
    _ran(typed("exposure-histogram", *asked, "--epsilon", "0.1"))
    _ran(typed("risk", *asked, "--yes", "--people", "people.parquet"))
    assert "orders.amount" in _ran(typed("schema", "check", *shop, "--yes")).out
    assert _ran(typed("ledger", "people", *shop, "--yes", "--json")).json["people"] == 4


def test_files_of_other_tables_are_refused(shop: list[str], typed: Typed) -> None:
    asked = ["--sql", SPENT, "--epsilon", "1"]
    for words, why in (
        (["--schema", "shop.toml"], "No data is named"),
        (["orders.csv", *shop], "Both orders.csv and --table are given"),
        (["orders.csv", "--schema", "shop.toml"], "write --table NAME=FILE for each table of the schema"),
        (shop[2:], "No data is given for customers"),
        (["--table", "orders", *shop], "--table orders names no file"),
        (["--table", "Orders=a.csv", *shop], "--table names orders twice"),
        (["--table", "doctors=visits.csv", *shop], "The schema has no table doctors"),
    ):
        refused = typed("release", *words, *asked)
        assert refused.code == 2
        assert why in refused.err
    Path("orders.csv").write_text("customer_id,order_id,sku,amount\n1,7,a,3\n2,7,b,4\n", "utf-8")
    refused = typed("release", *shop, *asked)
    assert refused.err.startswith("Two rows of 'orders' have the same 'order_id'")


def _ran(ran: Ran) -> Ran:
    assert ran.code == 0, ran.err
    return ran
