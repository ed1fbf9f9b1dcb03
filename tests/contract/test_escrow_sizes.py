"""Requests that would take much: refused when they are submitted, or released, whoever is in the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sfumato.adapters.vault.vault_file import Argon2Cost
from sfumato.composition.create import create_workspace
from sfumato.composition.workspace import open_workspace
from sfumato.errors import BadInput, QueryError
from sfumato.escrow.service import Escrow
from tests.room import Room

SCHEMA = """name = "{name}"
[columns.v]
type = "number"
bounds = [0, 1000]
step = 0.01
[columns.w]
type = "number"
bounds = [0, 1000]
[columns.name]
type = "text"
[columns.town]
keys = "private"
"""
OTHERS = b"v,w,name,town\n" + b"".join(b"%d,%d,person %d,town %d\n" % (i, i, i, i % 2) for i in range(2000))
DATA = {"others": OTHERS, "everybody": OTHERS + b"12.34,12.34,Ada,Adaville\n"}
POLICY = {"rule": {"epsilon": 1.0, "delta": 1e-6}, "budget": 50, "budget_delta": 0.001}


def quantiles(column: str, many: int, first: int, of: str) -> str:
    figures = ", ".join(f"QUANTILE_DISC({column}, {i / 10_000})" for i in range(first, first + many))
    return f"SELECT town, {figures} FROM {of} GROUP BY town"


def queries(count: int, column: str, many: int, of: str) -> list[dict[str, Any]]:
    """No two of them ask for the same."""
    return [{"sql": quantiles(column, many, 1 + many * i, of)} for i in range(count)]


def furnish(escrow: Escrow, controller: str) -> None:
    alice = escrow.accounts.one(controller)
    for name, data in DATA.items():
        escrow.datasets.register(alice, SCHEMA.format(name=name))
        escrow.datasets.deliver(alice, name, [data], "csv")
        flow = {"who": ["everyone"], "approve": "automatic"}
        escrow.policies.set(alice, name, POLICY | {"access_rule": [flow]})


@pytest.fixture
def house(room: Room) -> Room:
    """The same data twice, with one person and without them."""
    furnish(room.escrow, "alice")
    return room


@pytest.mark.parametrize("name", DATA)
def test_many_fine_quantiles_are_refused_with_one_person_and_without_them(house: Room, name: str) -> None:
    """Their candidates took 400 MB for one more group: 14 such queries failed with that person, and not without."""
    with pytest.raises(
        QueryError, match=r"selects from 40,000,400 candidates .*, and the limit is 20,000,000; .* query 1"
    ):
        house.requests.submit(house["bob"], name, "how they are spread", queries(14, "v", 4, name))
    with pytest.raises(QueryError, match=r"The request selects from 20,000,200 candidates .*: query 1 has most"):
        house.requests.submit(house["bob"], name, "how they are spread", queries(2, "v", 1, name))
    with pytest.raises(QueryError, match=r"counts values in 10,000,000 bins .* limit is 1,000,000; .* query 1"):
        house.requests.submit(house["bob"], name, "how they are spread", queries(14, "v", 254, name))
    assert not house.requests.many(house["bob"])


def test_what_is_too_large_for_a_worker_is_refused_when_it_is_submitted(house: Room) -> None:
    """A worker reads the one spelling, in which sub-selects are written out."""
    told = f"CASE WHEN name = 'Ada' THEN '{'x' * 900}' ELSE '' END AS told"
    looked_for = " OR ".join(f"told LIKE '%{i}'" for i in range(120))
    sums = " + ".join(["v"] * 60)
    for sql in (
        f"SELECT COUNT(*) FROM (SELECT {told} FROM everybody) WHERE {looked_for}",
        f"SELECT SUM({sums}) FROM everybody",
    ):
        with pytest.raises(QueryError, match=r"the limit is|nested too deeply"):
            house.requests.submit(house["bob"], "everybody", "planning", [{"sql": sql}])


@pytest.mark.slow
def test_a_request_at_the_limit_is_released_by_workers_with_one_person_and_without_them(tmp_path: Path) -> None:
    """Fourteen queries with all the candidates that a request may have, in processes with the limits they come with."""
    folder, passphrase = tmp_path / "workspace", "open sesame please"
    locked: dict[str, Any] = {"passphrase": passphrase, "cost": Argon2Cost(1, 64, 1)}
    create_workspace(folder, admin="root", password="four words put together", **locked)
    with open_workspace(folder, passphrase=passphrase) as workspace:
        escrow = workspace.escrow
        root = escrow.accounts.one("root")
        bob = escrow.accounts.add(root, "bob", ["analyst"])
        furnish(escrow, "root")
        with pytest.raises(BadInput):
            escrow.requests.submit(bob, "everybody", "planning", queries(14, "v", 254, "everybody"))
        asked = {name: escrow.requests.submit(bob, name, "planning", queries(14, "w", 4, name)) for name in DATA}
    with open_workspace(folder, passphrase=passphrase) as workspace:  # what was approved was waited for
        for request in asked.values():
            result = workspace.escrow.requests.result(bob, request.id)
            assert (result.guarantee, len(result.answers), result.charged) == ("dp", 14, 14.0)
