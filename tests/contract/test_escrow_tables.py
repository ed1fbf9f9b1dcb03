"""A dataset of several tables in a workspace: delivered as one ZIP file, asked by joins, with one budget and record."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sfumato.client.upload import delivery
from sfumato.composition import local
from sfumato.composition.sources import source_version
from sfumato.errors import BadInput, SourceError
from sfumato.schema.read import from_dict
from sfumato.schema.write import write
from tests.api import Api
from tests.contract.test_pages_datasets import page
from tests.property.test_joins import SHOP, schema_of, sources
from tests.room import RULE, Room

SHOP_SCHEMA = write(from_dict(schema_of(SHOP, "enforced")))
SPENT = "SELECT region, COUNT(*) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY region"


def zipped(folder: Path, but: str = "", **other: Any) -> bytes:
    """The shop as it is delivered: some tables as CSV, some as Parquet."""
    tables = {name: table for name, table in (sources(SHOP, "mixed", folder) | other).items() if name != but}
    return b"".join(delivery(tables).content())


@pytest.fixture
def shop(room: Room, tmp_path: Path) -> Room:
    room.datasets.register(room["alice"], SHOP_SCHEMA, title="A shop")
    room.datasets.deliver(room["alice"], "shop", [zipped(tmp_path)], "zip")
    room.policies.set(room["alice"], "shop", {"rule": RULE, "budget": 0.3, "access_rule": [
        {"who": ["everyone"], "approve": "automatic"}
    ]})  # fmt: skip
    return room


def ask(room: Room, sql: str = SPENT) -> Any:
    return room.requests.submit(room["bob"], "shop", "planning", [{"sql": sql}])


def test_a_join_is_answered_and_charged_to_the_budget_of_all_tables(shop: Room) -> None:
    request = ask(shop)
    shop.go()
    (answer,) = shop.result(request)["answers"]
    assert [row[0] for row in answer["rows"]] == ["north", "south"]
    assert "FROM orders JOIN customers ON" in answer["certificate"]["query"]
    second = ask(shop, "SELECT COUNT(*) FROM visits")
    shop.go()
    assert "(0.2 of 0.3 used)" in shop.note(second)
    assert shop.datasets.ledger(shop["alice"], "shop").record.total.epsilon == 0.2


def test_the_catalogue_has_the_columns_of_all_tables(shop: Room) -> None:
    names = [column.name for column in shop.datasets.one(shop["bob"], "shop").columns]
    assert {"customers.id", "orders.amount", "items.price", "products.kind"} <= set(names)
    assert shop.datasets.versions(shop["alice"], "shop")[0].format == "zip"


def test_a_new_version_replaces_all_tables(shop: Room, tmp_path: Path) -> None:
    before = shop.datasets.of("shop").version
    shop.datasets.deliver(shop["alice"], "shop", [zipped(tmp_path)], "zip")
    assert shop.datasets.of("shop").version != before


def test_what_does_not_fit_is_refused_and_forgotten(room: Room, tmp_path: Path) -> None:
    room.datasets.register(room["alice"], SHOP_SCHEMA)
    columns, orders = SHOP.tables["orders"]
    shared = sources(SHOP, "pandas", tmp_path)["orders"]
    shared.loc[len(orders)] = (2, 0, "a", 4)  # type: ignore[attr-defined]
    odd, twice = io.BytesIO(), zipped(tmp_path, orders=shared)
    with zipfile.ZipFile(odd, "w") as archive:
        archive.writestr("notes.docx", "hello")
    for content, format_, why in (
        (zipped(tmp_path, but="visits"), "zip", "No data is given for visits"),
        (twice, "zip", "Two rows of 'orders' have the same 'order_id'"),
        (odd.getvalue(), "zip", "notes.docx in shop is no table of its own"),
        (b"no archive", "zip", "shop cannot be read as a ZIP file"),
        (b"id,region\n1,north\n", "csv", "The schema has several tables"),
    ):
        with pytest.raises((BadInput, SourceError), match=why):
            room.datasets.deliver(room["alice"], "shop", [content], format_)
    assert room.datasets.of("shop").version is None
    with pytest.raises((BadInput, SourceError), match="The schema has one table"):
        room.datasets.deliver(room["alice"], "stays", [zipped(tmp_path)], "zip")
    assert columns


def test_pages_lead_to_several_tables(api: Api) -> None:
    assert "/register/tables" in page(api, "alice", "/register").text
    shown = page(api, "alice", "/register/tables").text
    assert 'accept=".zip"' in shown
    assert "sfumato schema draft --table" in shown


def test_a_folder_of_tables_may_be_named(tmp_path: Path) -> None:
    """Each table is a file, or a folder of Parquet files; which version it is follows from all of them."""
    sources(SHOP, "mixed", tmp_path)
    frame = sources(SHOP, "pandas", tmp_path)["items"]
    frame.to_csv(tmp_path / "items.csv", index=False)  # type: ignore[attr-defined]
    (tmp_path / "notes.txt").write_text("not a table", "utf-8")
    before = source_version(str(tmp_path))
    engine = local.engine_for_path(str(tmp_path), from_dict(schema_of(SHOP)))
    assert engine.rows("SELECT COUNT(*) FROM orders") == [(len(SHOP.tables["orders"][1]),)]
    engine.close()
    frame.iloc[:2].to_csv(tmp_path / "items.csv", index=False)  # type: ignore[attr-defined]
    assert source_version(str(tmp_path)) != before
