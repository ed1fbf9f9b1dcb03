"""Datasets of a workspace that are about the same people count together, as their controllers declare it."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.errors import BadInput, BudgetExceeded, EngineFailure, Forbidden, NoGuarantee
from sfumato.ledger.entry import Event
from sfumato.model.plain import to_plain
from sfumato.presentation.escrow import dataset_view
from sfumato.presentation.escrow.notifications_view import sentence
from tests.api import Api
from tests.room import DATA, RULE, SCHEMA, Room

BILLS = SCHEMA.replace('"stays"', '"bills"')
OTHERS = b"days,age,ward\n" + b"".join(b"%d,%d,a\n" % (i, i) for i in range(20))
BACKWARDS = b"days,age,ward\n" + b"\n".join(reversed(DATA.splitlines()[1:]))
ANYBODY = {"rule": RULE, "access_rule": [{"who": ["everyone"]}]}
COUNT = "SELECT COUNT(*) FROM bills WHERE days > 5"


def held(room: Room, data: bytes = OTHERS, *, by: str = "alice", **how: Any) -> Room:
    """With another dataset, of alice and carol."""
    room.datasets.register(room[by], BILLS, **how)
    room.datasets.controllers(room[by], "bills", [by, "carol"])
    room.datasets.deliver(room[by], "bills", [data], "csv")
    return room


def notices(room: Room, name: str) -> list[str]:
    return [sentence(one) for one in room.notifications.many(room[name]) if one.about.startswith("dataset ")]


def ask(room: Room) -> Any:
    return room.requests.submit(room["bob"], "bills", "planning", [{"sql": COUNT}])


def test_a_look_at_one_dataset_ends_the_guarantee_of_another_about_the_same_people(room: Room) -> None:
    held(room, population="patients")
    room.datasets.populate(room["alice"], "stays", "Patients")
    room.policies.set(room["alice"], "bills", ANYBODY)
    request = ask(room)
    room.policy()
    room.look()
    with pytest.raises(Forbidden, match="would have the guarantee 'none'"):
        room.approve(request)


def test_charges_and_budgets_of_a_population_are_shared(room: Room) -> None:
    held(room, population="patients")
    room.datasets.populate(room["alice"], "stays", "patients")
    room.policies.set(room["alice"], "bills", ANYBODY | {"budget": 0.3})
    room.policy(budget=3)
    (told,) = room.released()["answers"]
    assert (told["certificate"]["population"], told["certificate"]["budget"]) == ("patients", "epsilon 0.3")
    request = ask(room)
    room.approve(request)
    room.go()
    assert "(0.2 of 0.3 used)" in room.note(request)
    assert dataset_view.ledger(room.datasets.ledger(room["bob"], "bills")).spent == 0.2
    room.policy({"approve": "after the answer", "guarantees": ["none"]}, budget=3)
    with pytest.raises(BudgetExceeded):
        room.submit()


def test_an_analyst_sees_the_population_and_no_entry_or_name_of_another_dataset(room: Room) -> None:
    held(room, population="patients")
    room.datasets.populate(room["alice"], "stays", "patients")
    room.policy(public_page=True)
    room.policies.set(room["alice"], "bills", {"rule": RULE, "access_rule": [{"who": ["dan"], "approve": "automatic"}]})
    room.requests.submit(room["dan"], "bills", "planning", [{"sql": COUNT}])
    room.go()
    ledger = to_plain(dataset_view.ledger(room.datasets.ledger(room["bob"], "stays")))
    shown = repr(
        [
            to_plain(room.datasets.one(room["bob"], "stays")),
            ledger,
            dataset_view.public_page(room.datasets.public("stays")),
        ]
    )
    assert "'population': 'patients'" in shown
    assert "bills" not in shown
    assert "'spent': 0.2" in shown, "what was released from the other counts"


def test_a_controller_sees_the_entries_of_their_own_datasets(room: Room) -> None:
    held(room, population="patients")
    room.datasets.populate(room["alice"], "stays", "patients")
    room.datasets.controllers(room["alice"], "stays", ["alice"])
    room.look()

    def seen(by: str) -> set[str]:
        entries: Any = dataset_view.ledger(room.datasets.ledger(room[by], "bills")).entries
        return {entry.dataset for entry in entries}

    assert (seen("alice"), seen("carol"), seen("eve")) == ({"bills", "stays"}, {"bills"}, {"bills", "stays"})


def test_only_who_controls_every_dataset_of_a_population_adds_one(room: Room) -> None:
    room.accounts.add(room["root"], "fay", ["controller"])
    for name in ("stays", "STAYS"):
        with pytest.raises(Forbidden, match="has datasets that you do not control"):
            room.datasets.register(room["fay"], BILLS, population=name)
    held(room, by="alice", population="patients")
    with pytest.raises(Forbidden, match="has datasets that you do not control"):
        room.datasets.register(room["fay"], SCHEMA.replace('"stays"', '"patients"'))  # a name is a population too
    with pytest.raises(Forbidden):
        room.datasets.populate(room["eve"], "bills", "patients")
    with pytest.raises(BadInput, match="The name of the population is empty"):
        room.datasets.populate(room["alice"], "bills", "  ")


def test_a_population_in_the_schema_is_declared_by_registering_and_describing(room: Room) -> None:
    room.datasets.register(room["alice"], f'population = "patients"\n{BILLS}')
    assert room.datasets.of("bills").population == "patients"
    room.datasets.describe(room["alice"], "bills", BILLS)
    assert room.datasets.of("bills").population == "patients", "what is left out is not taken back"
    room.datasets.describe(room["alice"], "stays", f'population = "patients"\n{SCHEMA}')
    assert dataset_view.ledger(room.datasets.ledger(room["alice"], "bills")).population == "patients"
    declared = [entry.draft.public.get("population") for entry in room.entries(Event.OPENED)]
    assert declared == ["patients", "patients"]


# The same rows


@pytest.mark.parametrize("data", [DATA, BACKWARDS])
def test_controllers_are_told_of_the_same_rows_and_name_the_population(room: Room, data: bytes) -> None:
    held(room, data)
    said = "'bills' has the same rows as 'stays' and their budgets are counted separately."
    for name in ("alice", "carol"):
        assert any(text.startswith(said) for text in notices(room, name))
    assert to_plain(room.datasets.one(room["alice"], "bills"))["same_rows"] == ["stays"]
    room.look()
    room.policies.set(room["alice"], "bills", ANYBODY)
    assert room.approve(ask(room)).state == "approved", "nothing is merged by itself"
    room.datasets.populate(room["alice"], "bills", "stays")
    assert to_plain(room.datasets.one(room["alice"], "bills"))["same_rows"] == []
    with pytest.raises((Forbidden, NoGuarantee)):
        room.approve(room.requests.submit(room["bob"], "bills", "more", [{"sql": COUNT}]))


def test_whoever_does_not_control_the_other_dataset_is_not_told_its_name(room: Room) -> None:
    room.accounts.add(room["root"], "fay", ["controller"])
    room.datasets.register(room["fay"], BILLS)
    room.datasets.deliver(room["fay"], "bills", [DATA], "csv")
    (text,) = notices(room, "fay")
    assert "another dataset of this workspace, which you do not control" in text
    assert "stays" not in text
    assert to_plain(room.datasets.one(room["fay"], "bills"))["same_rows"] == [None]


def test_nothing_that_an_analyst_or_auditor_sees_depends_on_the_equality(room: Room) -> None:
    held(room, DATA)
    room.policies.set(room["alice"], "bills", ANYBODY)
    assert notices(room, "bob") == notices(room, "eve") == []
    assert all("same_rows" not in to_plain(room.datasets.one(room[name], "bills")) for name in ("bob", "eve"))
    assert all("digest" not in to_plain(version) for version in room.datasets.versions(room["alice"], "bills"))


def test_other_rows_are_told_to_nobody(room: Room) -> None:
    held(room)
    assert notices(room, "alice") == []


def test_a_digest_that_fails_refuses_no_data(room: Room) -> None:
    def fails(job: Any) -> None:
        if job["verb"] == "digest":
            raise EngineFailure

    room.runner.meanwhile = fails
    held(room, DATA)
    assert room.datasets.of("bills").version is not None


def test_a_population_is_named_through_the_api(api: Api) -> None:
    shown = api("alice", "PUT", "/datasets/stays/population", json={"population": "patients"}).json()
    assert shown["population"] == "patients"
    assert api("bob", "PUT", "/datasets/stays/population", json={"population": "others"}).status_code == 403
    body = {"schema_text": BILLS, "population": "patients"}
    assert api("alice", "POST", "/datasets", json=body).json()["population"] == "patients"
    assert api("fay", "PUT", "/datasets/visits/population", json={"population": "patients"}).status_code == 403
