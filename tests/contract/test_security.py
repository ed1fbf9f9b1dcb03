"""Attacks on the escrow, each by its number in the list of what must hold (docs: security, attacks and faults)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sfumato.errors import BadInput, Conflict, Forbidden, PreferenceError, SfumatoError, VaultBroken
from sfumato.escrow.questions.query import RequestedQuery
from sfumato.escrow.submissions.request_payload import Request
from sfumato.ledger.entry import Event
from sfumato.model.plain import to_plain
from sfumato.presentation.escrow import submission_view
from tests.room import BY_WARD, COUNT, DATA, SCHEMA, SUM, Room

ALL = "SELECT COUNT(*) FROM stays"


# 5. Code or query changed after approval: refused


def assert_refused(room: Room, request: Request, why: str = "") -> None:
    """No value, nothing drawn, nothing charged."""
    room.go()
    assert room.state(request) == "failed", why
    assert room.entries(Event.RESERVED, Event.RELEASED) == []
    assert not any(job["verb"] == "release" for job in room.runner.done)
    with pytest.raises(SfumatoError):
        room.result(request)


BY_API: dict[str, Callable[[Room], Any]] = {
    "version": lambda room: room.datasets.deliver(room["carol"], "stays", [DATA], "csv"),
    "schema": lambda room: room.datasets.describe(room["alice"], "stays", SCHEMA.replace("60", "70")),
    "policy": lambda room: room.policy(rule={"gap": 3, "worst_case": True}),
    "purpose of the policy": lambda room: room.policy(purpose="another"),
    "access_rule": lambda room: room.policy({"who": ["dan"]}),
    "organisation": lambda room: room.accounts.change(room["root"], "bob", organisation="Insurer"),
}


def test_5_what_is_changed_after_its_approval_does_not_run(room: Room) -> None:
    for changed, change in BY_API.items():
        room.accounts.change(room["root"], "bob", organisation="Board")
        room.policy()
        request, seen = room.submit(), room.submit(SUM)
        binding = room.decisions.inspect(room["alice"], seen.id).binding
        room.approve(request)
        change(room)
        assert_refused(room, request, changed)
        with pytest.raises((Conflict, Forbidden)):
            room.decisions.approve(room["alice"], seen.id, binding)
        assert room.state(seen) == "submitted"


ROWS: dict[str, tuple[str, Any]] = {
    "query": ("queries", [{"sql": ALL, "weight": 1.0}]),
    "weight": ("queries", [{"sql": COUNT, "weight": 2.0}]),
    "second query": ("queries", [{"sql": COUNT, "weight": 1.0}, {"sql": ALL, "weight": 1.0}]),
    "preference": ("preference", {"epsilon": 5.0}),
    "recipient": ("analyst", "dan"),
    "purpose": ("purpose", "selling it"),
    "binding": ("binding", "0" * 64),
    "decisions": ("decided_by", []),
}


def test_5_a_request_that_is_edited_in_the_database_does_not_run(room: Room) -> None:
    room.policy({"preferences": ["rule", "epsilon"]})
    for edited, (column, value) in ROWS.items():
        request = room.submit()
        room.approve(request)
        to = value if isinstance(value, str) else json.dumps(value)
        room.sql(f"UPDATE requests SET {column} = :to WHERE id = :id", to=to, id=request.id)
        assert_refused(room, request, edited)


def test_5_nor_does_one_whose_binding_was_made_to_fit(room: Room) -> None:
    """Whoever writes to the database can compute a hash; the approval of it stands in the ledger, or does not."""
    room.policy({"preferences": ["rule", "epsilon"]})
    request = room.submit()
    approved = room.approve(request)
    held = room.datasets.of("stays")
    forged = replace(request, queries=(RequestedQuery(ALL),), preference={"epsilon": 5.0})
    binding = room.requests.payload(forged, held).binding
    made = [to_plain(one) | {"binding": binding} for one in approved.decided_by]
    room.sql(
        "UPDATE requests SET queries = :queries, preference = :preference, binding = :binding, decided_by = :made",
        queries=json.dumps([{"sql": ALL, "weight": 1.0}]),
        preference=json.dumps({"epsilon": 5.0}),
        binding=binding,
        made=json.dumps(made, sort_keys=True),
    )
    assert_refused(room, request)


def test_5_nor_one_that_was_declared_approved(room: Room) -> None:
    room.policy()
    approved, request = room.submit(), room.submit(SUM)
    decided = room.approve(approved).decided_by
    room.waiting.clear()
    for made in ([], [to_plain(one) | {"binding": request.binding} for one in decided]):
        room.sql(
            "UPDATE requests SET state = 'approved', decided_by = :made WHERE id = :id",
            made=json.dumps(made, sort_keys=True),
            id=request.id,
        )
        room.execution.execute(request.id)
        assert_refused(room, request)


def test_5_nor_one_on_an_older_version_put_back(room: Room) -> None:
    room.policy()
    older = room.datasets.of("stays").version
    room.datasets.deliver(room["alice"], "stays", [DATA], "csv")
    request = room.submit()
    room.approve(request)
    room.sql("UPDATE datasets SET version = :to", to=older)
    assert_refused(room, request)


def test_5_a_withheld_answer_is_approved_as_it_was_computed_or_not_at_all(room: Room) -> None:
    after = {"approve": "after the answer", "guarantees": ["none"]}
    for changed in ("version", "schema", "policy"):
        room.policy(after)
        request = room.submit()
        room.approve(request, allow_no_guarantee=True)
        room.go()
        BY_API[changed](room)
        with pytest.raises(Conflict, match="changed after the approval"):
            room.approve(request, allow_no_guarantee=True)
        assert room.state(request) == "computed"
        room.decisions.refuse(room["alice"], request.id, allow_no_guarantee=True)


def test_5_a_withheld_answer_is_not_released_by_an_edited_row(room: Room) -> None:
    room.policy({"approve": "after the answer", "guarantees": ["none"]})
    request, other = room.submit(), room.submit(SUM)
    for one in (request, other):
        room.approve(one, allow_no_guarantee=True)
    room.go()
    room.sql("UPDATE requests SET state = 'released' WHERE id = :id", id=request.id)
    with pytest.raises(VaultBroken):
        room.result(request)
    room.approve(other, allow_no_guarantee=True)
    assert room.result(other)["answers"]
    room.sql(
        "UPDATE requests SET answers = (SELECT answers FROM requests WHERE id = :other) WHERE id = :id",
        id=request.id,
        other=other.id,
    )
    with pytest.raises(VaultBroken):
        room.result(request)


def test_5_an_approval_is_of_what_was_on_the_page(room: Room) -> None:
    room.policy()
    first, second = room.submit(), room.submit(SUM)
    for wrong in ("", second.binding, first.binding.upper()):
        with pytest.raises(Conflict, match="changed since you inspected the request"):
            room.decisions.approve(room["alice"], first.id, wrong)
    assert room.entries(Event.DECIDED) == []


# 10. The same query again and again to average the noise away


def test_10_the_same_query_again_brings_the_same_bits_and_no_charge(room: Room) -> None:
    room.policy({"approve": "automatic"})
    first = room.released(COUNT)
    charged = room.charged
    for by, text in (("bob", COUNT), ("bob", COUNT.lower()), ("dan", f"{COUNT} -- again")):
        redraw = room.released(text, by=by)
        assert redraw["answers"] == first["answers"], "whoever asks, however it is written"
    assert room.charged == charged == 0.2
    together = room.released(SUM, BY_WARD)
    charged = room.charged
    assert room.released(BY_WARD, by="dan")["answers"] == together["answers"][1:]
    assert room.released(SUM, BY_WARD)["answers"] == together["answers"]
    assert room.charged == charged


def test_10_on_other_data_or_at_another_epsilon_it_is_charged(room: Room) -> None:
    room.policy({"approve": "automatic", "preferences": ["rule", "epsilon"]})
    room.released()
    room.released(preference={"epsilon": 0.3})
    assert room.charged == pytest.approx(0.5)
    room.datasets.deliver(room["alice"], "stays", [DATA], "csv")
    room.released()
    assert room.charged == pytest.approx(0.7)


# 16. Negative, NaN, 1e-400 or huge epsilon; a retried request


def test_16_an_epsilon_that_is_none_is_rejected(room: Room) -> None:
    room.policy({"preferences": ["epsilon"], "approve": "automatic"})
    before = len(room.entries())
    for number in (-1, -0.0, 0, math.nan, math.inf, -math.inf, 1e-400, "nan", "much", [1], {"a": 1}):
        with pytest.raises(PreferenceError, match="epsilon"):
            room.submit(preference={"epsilon": number})
        with pytest.raises(PreferenceError):
            room.questions.estimate(room["bob"], "stays", [{"sql": COUNT}], {"epsilon": number})
        with pytest.raises(PreferenceError):
            room.questions.exposure_histogram(room["alice"], "stays", COUNT, number, {})  # type: ignore[arg-type]
    assert (len(room.entries()), room.requests.many(room["eve"])) == (before, [])


def test_16_a_huge_epsilon_becomes_the_ceiling_or_is_rejected(room: Room) -> None:
    room.policy({"preferences": ["epsilon"], "approve": "automatic"}, epsilon_max=0.5)
    for number in (10**400, 1e308, 1e7):
        with pytest.raises(PreferenceError, match=r"must be between|must be"):
            room.submit(preference={"epsilon": number})
    for number, sql in ((1e6, COUNT), (11, SUM)):
        with pytest.raises(PreferenceError, match=r"exceeds epsilon_max, which is 0\.5"):
            room.submit(sql, preference={"epsilon": number})
    assert room.charged == 0
    assert room.released(preference={"epsilon": 0.5})["answers"][0]["certificate"]["epsilon"] == 0.5


def test_16_so_is_whatever_else_makes_no_noise(room: Room) -> None:
    room.policy({"preferences": ["epsilon"]})
    others: list[dict[str, Any]] = [
        {"epsilon_max": math.nan},
        {"epsilon_max": -1},
        {"candidates": [0]},
        {"candidates": [math.nan]},
    ]
    for delta in (0, -1e-9, math.nan, 1e-400, 1):
        others += [{"delta": delta}]
    for stated in (*others, {"mechanism": "none"}, {"calibration": "mine"}):
        with pytest.raises(BadInput):
            room.submit(preference={"epsilon": 1, "mechanism": "gaussian", "delta": 1e-9} | stated)
    assert room.requests.many(room["eve"]) == []


def test_16_a_retried_request_is_charged_once(room: Room) -> None:
    room.policy()
    request = room.submit(idempotency="once")
    assert room.submit(idempotency="once") == request
    approved = room.approve(request)
    room.decisions.approve(room["alice"], request.id, approved.binding)
    room.waiting *= 3
    room.go()
    for _ in range(2):
        room.execution.execute(request.id)
        room.execution.resume()
        room.go()
        assert room.submit(idempotency="once").id == request.id
        room.result(request)
    assert (room.charged, len(room.entries(Event.RESERVED))) == (0.2, 1)


def test_16_a_request_whose_outcome_is_unknown_counts_as_spent(room: Room) -> None:
    """It drew, and the server was gone before anybody got it: what comes of asking again is charged, or the same."""
    room.policy()
    request = room.submit()
    room.approve(request)
    room.go()
    room.sql("UPDATE requests SET state = 'running', answers = NULL")
    assert room.execution.resume() == 0
    assert room.state(request) == "failed"
    assert room.charged == 0.2
    redraw = room.released()
    assert redraw["answers"][0]["certificate"]["ledger_entry"] == room.entries(Event.RESERVED)[0].number
    assert room.charged == 0.2


# 20. Errors that depend on one person's data

ON_ONE = {
    "division": "SELECT COUNT(*) FROM stays WHERE 1 / days > 0",
    "division in a sum": "SELECT SUM(CASE WHEN 60 / days > 1 THEN 1 ELSE 0 END) FROM stays",
    "bad cast": "SELECT COUNT(*) FROM stays WHERE CAST(ward AS INTEGER) > 0",
    "value that does not fit": SUM,
    "overflow in a case": (
        "SELECT COUNT(*) FROM stays WHERE CASE WHEN days = 0 THEN 9223372036854775807 + age ELSE age END > 0"
    ),
    "root of less than nothing": "SELECT COUNT(*) FROM stays WHERE sqrt(age - 200 * (days / 60)) > 0",
    "key that is not listed": BY_WARD,
}
PERSONS = (b"0,not a number,zzz\n", b"0,9223372036854775807,9\n", b",,\n")


def test_20_an_error_of_one_person_is_the_same_answer_and_charge_for_both_neighbours(room: Room) -> None:
    room.policy({"approve": "automatic"})
    without_zero = DATA.replace(b"\n0,", b"\n1,")
    outcomes = {}
    for person in (b"", *PERSONS):
        room.datasets.deliver(room["alice"], "stays", [without_zero + person], "csv")
        outcomes[person] = {name: outcome(room, sql) for name, sql in ON_ONE.items()}
    for person in PERSONS:
        assert outcomes[person] == outcomes[b""]
    assert {"released"} <= {said["state"] for said in outcomes[b""].values() if isinstance(said, dict)}


def outcome(room: Room, sql: str) -> object:
    """All that an analyst gets to see, but for the noisy numbers, the entry and the time."""
    before = room.charged
    try:
        request = room.submit(sql)
    except SfumatoError as refused:
        return str(refused)
    room.go()
    charged = round(room.charged - before, 9)
    shown = submission_view.request(room.requests.one(room["bob"], request.id))
    seen: dict[str, Any] = {name: shown.get(name) for name in ("state", "note", "guarantee", "charged")}
    if shown["state"] == "released":
        (answer,) = room.result(request)["answers"]
        hidden = ("ledger_entry", "dataset_total", "noise_90", "planned_at")
        certificate = {name: said for name, said in answer["certificate"].items() if name not in hidden}
        certificate.pop("released_at")
        seen |= {"columns": answer["columns"], "rows": len(answer["rows"]), "certificate": certificate}
    return seen | {"charge": charged}


def test_20_an_engine_that_cannot_finish_says_one_constant_thing(room: Room) -> None:
    """Whatever goes wrong while the data is read is said in one sentence, after the charge."""
    room.policy({"approve": "automatic"})
    request = room.submit()

    def fails(job: Any) -> None:
        raise ZeroDivisionError("the age of somebody")

    room.runner.meanwhile = fails
    with pytest.raises(ZeroDivisionError):
        room.go()  # a worker would have swallowed it; nothing of it is kept
    told = [room.requests.one(room["bob"], request.id), *room.notifications.many(room["bob"])]
    assert "somebody" not in json.dumps(told, default=str)
    assert room.state(request) == "failed"
