"""The escrow, verb by verb, on SQLite and on PostgreSQL: who is there, what they hold, who decides, what leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.adapters.vault.vault_file import Argon2Cost
from sfumato.composition.create import create_workspace
from sfumato.composition.settings import WorkspaceSettings
from sfumato.composition.workspace import open_workspace
from sfumato.errors import (
    AwaitingApproval,
    BadInput,
    BudgetExceeded,
    Cancelled,
    Conflict,
    EngineFailure,
    Forbidden,
    Gone,
    LedgerBroken,
    NoGuarantee,
    NotFound,
    NotSignedIn,
    PolicyError,
    PreferenceError,
    SfumatoError,
    SourceError,
    VaultBroken,
)
from sfumato.escrow.ports import EscrowLimits
from sfumato.escrow.submissions.lifecycle import STEPS, Act, State, next_state
from sfumato.escrow.submissions.visibility import FIELDS
from sfumato.ledger.entry import Event
from sfumato.model.plain import to_plain
from sfumato.presentation.escrow import dataset_view, submission_view
from sfumato.presentation.escrow.notifications_view import sentence, worded
from sfumato.presentation.escrow.policy_view import sentences, signed
from sfumato.presentation.escrow.submission_view import worded_answers
from sfumato.presentation.refusals.catalogue import terms
from tests.contract.conftest import Copies
from tests.room import BOARD, BY_WARD, COUNT, DATA, RULE, SCHEMA, SUM, Room

AFTER = {"approve": "after the answer", "guarantees": ["none"]}
AUTOMATIC = {"approve": "automatic"}


# People


def test_an_admin_lets_people_in_by_name_and_role(room: Room) -> None:
    fay = room.accounts.add(room["root"], " Fay@Board ", ["analyst", "controller"], organisation=" Health  Board ")
    assert (fay.name, fay.organisation, sorted(fay.roles)) == ("fay@board", BOARD, ["analyst", "controller"])
    assert room["FAY@board"] == fay
    with pytest.raises(Conflict, match="already a user 'bob'"):
        room.accounts.add(room["root"], "BOB", ["analyst"])
    for name in ("", "everyone", "a b", "-x", "x" * 65, "ünï", "a\nb"):
        with pytest.raises(BadInput, match="not a valid user name"):
            room.accounts.add(room["root"], name, ["analyst"])
    for roles in ([], ["boss"]):
        with pytest.raises(BadInput, match="role"):
            room.accounts.add(room["root"], "gus", roles)
    for other in ("alice", "bob", "eve"):
        with pytest.raises(Forbidden, match="Only an admin may add users"):
            room.accounts.add(room[other], "gus", ["analyst"])


def test_analysts_do_not_learn_who_else_is_there(room: Room) -> None:
    assert [p.name for p in room.accounts.many(room["alice"])] == ["alice", "bob", "carol", "dan", "eve", "root"]
    assert [p.name for p in room.accounts.many(room["eve"], after="bob", limit=2)] == ["carol", "dan"]
    with pytest.raises(Forbidden):
        room.accounts.many(room["bob"])


def test_a_token_is_good_for_its_time_its_scopes_and_until_it_is_revoked(room: Room) -> None:
    token, secret = room.accounts.new_token(room["bob"], "laptop", days=2, scopes=["read"])
    assert room.accounts.of_token(secret) == (room["bob"], frozenset({"read"}))
    assert secret not in json.dumps([dict(row) for row in room.ports.rows("tokens").many()])
    room.pass_(days=1, hours=23)
    room.accounts.of_token(secret)
    room.pass_(hours=1)
    with pytest.raises(NotSignedIn):
        room.accounts.of_token(secret)
    token, secret = room.accounts.new_token(room["root"], "script", person="bob")
    assert [one.person for one in room.accounts.tokens(room["bob"])] == ["bob", "bob"]
    for stranger in ("dan", "alice"):
        with pytest.raises(NotFound, match="no such token"):
            room.accounts.revoke(room[stranger], token.id)
        with pytest.raises(Forbidden):
            room.accounts.new_token(room[stranger], "", person="bob")
    room.accounts.revoke(room["bob"], token.id)
    with pytest.raises(NotSignedIn):
        room.accounts.of_token(secret)
    with pytest.raises(NotSignedIn):
        room.accounts.of_token("")
    for days in (0, float("nan"), 367):
        with pytest.raises(BadInput, match="up to 366 days"):
            room.accounts.new_token(room["bob"], "", days)
    for scopes in ((), ("admin",)):
        with pytest.raises(BadInput, match="The scope of a token is"):
            room.accounts.new_token(room["bob"], "", scopes=scopes)


def test_a_user_lists_and_ends_own_sessions_only(room: Room) -> None:
    password = "four words put together"
    for name in ("bob", "dan"):
        room.accounts.change(room[name], name, password=password)
    old, here, there = (room.accounts.sign_in("bob", password) for _ in range(3))
    other = room.accounts.sign_in("dan", password)
    sessions = room.accounts.sessions(room["bob"], here.csrf)
    assert sorted(each.current for each in sessions) == [False, False, True]
    assert not any(secret in repr(sessions) for secret in (old.secret, old.csrf, here.secret, here.csrf))
    (of_dan,) = room.accounts.sessions(room["dan"], None)
    for unknown in (of_dan.id, "nothing", ""):
        with pytest.raises(NotFound, match="no such session among yours"):
            room.accounts.end_session(room["bob"], unknown)
    ended = next(each.id for each in sessions if not each.current)
    room.accounts.end_session(room["bob"], ended)
    assert ended not in {each.id for each in room.accounts.sessions(room["bob"], here.csrf)}
    room.accounts.end_other_sessions(room["bob"], here.csrf)
    for gone in (old, there):
        with pytest.raises(NotSignedIn):
            room.accounts.of_session(gone.secret)
    (current,) = room.accounts.sessions(room["bob"], here.csrf)
    assert current.current
    assert room.accounts.of_session(other.secret)[0].name == "dan"
    said = [entry.verb for entry in room.audit.many(room["root"], newest_first=True)]
    assert said.count("ended a session of") == 2
    room.accounts.end_session(room["bob"], current.id)
    with pytest.raises(NotSignedIn):
        room.accounts.of_session(here.secret)
    room.pass_(hours=12)
    assert room.accounts.sessions(room["dan"], None) == []


def test_a_session_ends_by_time_by_a_new_password_and_with_its_person(room: Room) -> None:
    room.accounts.change(room["bob"], "bob", password="four words put together")
    for name, password in (("bob", "wrong"), ("nobody", "four words put together"), ("dan", "")):
        with pytest.raises(NotSignedIn, match="user name or the password is wrong"):
            room.accounts.sign_in(name, password)
    session = room.accounts.sign_in("BOB", "four words put together")
    assert room.accounts.of_session(session.secret) == (room["bob"], session.csrf)
    assert session.secret not in repr(session)
    room.pass_(hours=12)
    with pytest.raises(NotSignedIn):
        room.accounts.of_session(session.secret)
    session = room.accounts.sign_in("bob", "four words put together")
    room.accounts.sign_out(session.secret)
    with pytest.raises(NotSignedIn):
        room.accounts.of_session(session.secret)
    session = room.accounts.sign_in("bob", "four words put together")
    with pytest.raises(Forbidden, match="current password is wrong"):
        room.accounts.change(room["bob"], "bob", password="four other words together")
    known, other = "four words put together", "four other words together"
    room.accounts.change(room["bob"], "bob", password=other, current_password=known)
    with pytest.raises(NotSignedIn):
        room.accounts.of_session(session.secret)
    with pytest.raises(BadInput, match="fewer than 12"):
        room.accounts.change(room["root"], "bob", password="short")


def test_whoever_is_disabled_is_no_longer_let_in(room: Room) -> None:
    _, secret = room.accounts.new_token(room["bob"], "laptop")
    with pytest.raises(Forbidden):
        room.accounts.change(room["bob"], "bob", roles=["admin"])
    room.accounts.change(room["root"], "bob", disabled=True)
    with pytest.raises(NotSignedIn, match="is disabled"):
        room.accounts.of_token(secret)
    room.accounts.change(room["root"], "bob", disabled=False)
    assert room.accounts.of_token(secret)[0].name == "bob"


def test_somebody_stays_admin(room: Room) -> None:
    changes: list[dict[str, Any]] = [{"disabled": True}, {"roles": ["auditor"]}]
    for change in changes:
        with pytest.raises(Conflict, match="This user is the only admin left"):
            room.accounts.change(room["root"], "root", **change)
    room.accounts.change(room["root"], "eve", roles=["admin"])
    room.accounts.change(room["root"], "root", disabled=True)
    with pytest.raises(Conflict, match="This user is the only admin left"):
        room.accounts.change(room["eve"], "eve", roles=["auditor"])


# Data


def test_a_file_that_does_not_fit_its_schema_leaves_nothing(room: Room) -> None:
    files = sorted((room.folder / "vault").iterdir())
    before = room.datasets.versions(room["alice"], "stays")

    def breaks_off() -> Iterator[bytes]:
        yield DATA[:40]
        raise ConnectionError

    for data, format, error in (
        ([b"days,ward\n1,a\n"], "csv", BadInput),
        ([b"PAR1 this is none"], "parquet", BadInput),
        ([DATA], "xlsx", BadInput),
        (breaks_off(), "csv", ConnectionError),
    ):
        with pytest.raises(error):
            room.datasets.deliver(room["alice"], "stays", data, format)
    assert room.datasets.versions(room["alice"], "stays") == before
    assert sorted((room.folder / "vault").iterdir()) == files
    assert room.datasets.of("stays").version == before[0].id


def test_a_value_that_would_fail_a_query_is_told_at_delivery_and_to_nobody_else(room: Room, tmp_path: Path) -> None:
    """The controller who delivers it is told the column; what analysts ask goes on with the data that was there."""
    room.policy(AUTOMATIC)
    bad = pa.array([b"a", b"\xff"]).view(pa.string())
    pq.write_table(pa.table({"days": [1, 2], "age": [3, 4], "ward": bad}), tmp_path / "stays.parquet")
    with pytest.raises(SourceError, match=r"^Column 'ward' of stays has text that is not UTF-8"):
        room.datasets.deliver(room["alice"], "stays", [(tmp_path / "stays.parquet").read_bytes()], "parquet")
    assert len(room.datasets.versions(room["alice"], "stays")) == 1
    assert room.released()["answers"][0]["certificate"]["guarantee"] == "dp"


def test_data_is_registered_once_by_a_controller_and_described_again(room: Room) -> None:
    with pytest.raises(Conflict, match="already a dataset 'STAYS'"):
        room.datasets.register(room["carol"], SCHEMA.replace('"stays"', '"STAYS"'))
    for other in ("bob", "root", "eve"):
        with pytest.raises(Forbidden):
            room.datasets.register(room[other], SCHEMA.replace('"stays"', '"more"'))
    with pytest.raises(Forbidden, match="not in a folder that this workspace allows"):
        room.datasets.register(room["alice"], SCHEMA.replace('"stays"', '"more"'), reference="/etc/passwd")
    with pytest.raises(BadInput, match="not 'stays'"):
        room.datasets.describe(room["alice"], "stays", SCHEMA.replace('"stays"', '"more"'))
    with pytest.raises(BadInput):
        room.datasets.describe(room["alice"], "stays", SCHEMA + "[columns.gone]\ntype = 'text'\n")
    assert room.datasets.of("stays").schema_text == SCHEMA
    room.datasets.describe(room["carol"], "stays", SCHEMA.replace("60", "70"))
    assert "70" in room.datasets.of("stays").schema_text


def test_to_whoever_has_no_flow_a_dataset_is_not_there(room: Room) -> None:
    for verb in (room.datasets.one, room.datasets.ledger, room.policies.current):
        with pytest.raises(NotFound, match="There is no dataset 'stays', or you have no access to it"):
            verb(room["bob"], "stays")
    with pytest.raises(NotFound, match="no dataset"):
        room.submit()
    with pytest.raises(NotFound, match="has no policy"):
        room.policies.current(room["alice"], "stays")
    assert room.datasets.many(room["bob"]) == []
    room.policy({"who": [BOARD]})
    assert [one.name for one in room.datasets.many(room["bob"])] == ["stays"]
    assert room.datasets.many(room["dan"]) == []
    with pytest.raises(NotFound):
        room.submit(by="dan")
    shown = to_plain(room.datasets.one(room["bob"], "stays"))
    assert {"controllers", "created_by", "reference"}.isdisjoint(shown)
    assert "entries" not in to_plain(dataset_view.ledger(room.datasets.ledger(room["bob"], "stays")))
    for confidential in (room.datasets.versions, room.questions.check, room.policies.current, room.policies.history):
        with pytest.raises(Forbidden):
            confidential(room["bob"], "stays")
    with pytest.raises(Forbidden):
        room.look("bob")
    with pytest.raises(Forbidden):
        room.questions.exposure_histogram(room["bob"], "stays", COUNT, 0.1, {})


def test_each_controller_holds_the_data_until_they_no_longer_do(room: Room) -> None:
    room.policy(by="carol")
    request = room.submit()
    with pytest.raises(Forbidden):
        room.datasets.controllers(room["alice"], "stays", ["alice", "bob"])
    with pytest.raises(BadInput):
        room.datasets.controllers(room["alice"], "stays", [])
    room.datasets.controllers(room["carol"], "stays", ["carol"])
    with pytest.raises(NotFound):
        room.approve(request, "alice")
    with pytest.raises(NotFound):
        room.policy(by="alice")
    with pytest.raises(NotFound):
        room.look("alice")
    room.approve(request, "carol")
    room.accounts.change(room["root"], "carol", roles=["analyst"])
    with pytest.raises((Forbidden, NotFound)):
        room.policy(by="carol")


def test_a_retired_dataset_is_gone_and_its_record_stays(room: Room) -> None:
    room.policy()
    left, waiting = room.submit(), room.submit(SUM)
    room.approve(left)
    room.go()
    room.approve(waiting)
    room.datasets.retire(room["alice"], "stays")
    assert list((room.folder / "vault").iterdir()) == []
    assert all(version.forgotten for version in room.datasets.versions(room["alice"], "stays"))
    with pytest.raises(NotFound):
        room.submit(BY_WARD)
    with pytest.raises(Conflict, match="retired"):
        room.datasets.deliver(room["alice"], "stays", [DATA], "csv")
    room.go()
    assert room.state(waiting) == "failed"
    assert room.result(left)["guarantee"] == "dp", "what was released stays released"
    assert room.charged == 0.2


# Policies


def test_every_version_of_a_policy_is_kept_with_its_author(room: Room) -> None:
    room.policy()
    room.policy({"who": ["bob"]}, by="carol")
    first, second = room.policies.history(room["eve"], "stays")
    assert [(one.number, one.author) for one in (first, second)] == [(1, "alice"), (2, "carol")]
    assert room.policies.current(room["alice"], "stays") == second
    assert list(signed(second).sentences) == sentences(second.policy)
    with pytest.raises(PolicyError, match="has no access rule"):
        room.policies.set(room["alice"], "stays", {"access_rule": []})
    assert len(room.policies.history(room["alice"], "stays")) == 2
    sealed = [row["sealed"] for row in room.ports.rows("policies").many()]
    assert not any("bob" in text for text in sealed)


def test_a_policy_that_was_edited_in_the_database_is_refused(room: Room) -> None:
    room.policy()
    kept = room.ports.rows("policies").many()[0]
    assert {*kept} == {"id", "number", "dataset", "author", "at", "sealed", "signature"}
    for column, value in kept.items():
        request = room.submit()
        room.approve(request)
        other = {"number": 2, "author": "carol", "dataset": "other"}.get(column, f"{value}"[:-3] + "AAA")
        room.sql(f"UPDATE policies SET {column} = :to", to=other)
        assert_nothing_flows(room)
        assert room.datasets.sweep() == 0
        room.go()
        assert room.state(request) == "failed", column
        room.sql(f"UPDATE policies SET {column} = :to", to=value)
    assert room.charged == 0


def assert_nothing_flows(room: Room) -> None:
    with pytest.raises((LedgerBroken, VaultBroken)):
        room.policies.current(room["alice"], "stays")
    with pytest.raises(NotFound):
        room.submit(SUM)


def test_policies_that_change_places_are_refused(room: Room) -> None:
    room.policy({"who": ["bob"]})
    room.policy()
    first, second = room.ports.rows("policies").many()
    for content in (("sealed",), ("sealed", "signature"), ("id", "author", "at", "sealed", "signature")):
        room.ports.rows("policies").remove(dataset="stays")
        for one, other in ((first, second), (second, first)):
            room.ports.rows("policies").add(dict(one) | {name: other[name] for name in content})
        assert_nothing_flows(room)


def test_a_policy_of_another_dataset_is_refused(room: Room) -> None:
    room.policy()
    room.datasets.register(room["alice"], SCHEMA.replace('"stays"', '"more"'))
    room.sql("UPDATE policies SET dataset = 'more'")
    assert_nothing_flows(room)
    with pytest.raises(VaultBroken):
        room.policies.current(room["alice"], "more")


def test_an_older_policy_does_not_come_back_when_the_newest_is_deleted(room: Room) -> None:
    room.policy()
    room.policy({"who": ["bob"]})
    room.sql("DELETE FROM policies WHERE number = 2")
    assert_nothing_flows(room)
    room.policy(by="carol")
    assert room.submit(SUM).state == "submitted", "a controller writes it anew"


# Requests


def test_a_request_through_the_states_that_lead_to_an_answer(room: Room) -> None:
    room.policy()
    request = room.submit(COUNT, BY_WARD)
    assert (request.state, request.number, request.version) == ("submitted", 1, room.datasets.of("stays").version)
    with pytest.raises(AwaitingApproval, match="awaits the decision of a controller"):
        room.result(request)
    assert room.charged == 0
    assert room.approve(request).state == "approved"
    with pytest.raises(AwaitingApproval, match="waits to be computed"):
        room.result(request)

    def meanwhile(job: Any) -> None:
        assert room.state(request) == "running"
        assert room.requests.one(room["alice"], request.id).progress == 0.5
        with pytest.raises(AwaitingApproval, match="being computed"):
            room.result(request)

    room.runner.meanwhile = meanwhile
    room.go()
    result = room.result(request)
    assert room.state(request) == "released"
    assert (result["guarantee"], result["charged"]) == ("dp", 0.4)
    assert room.charged == pytest.approx(0.4), "charged once, together"
    for answer in result["answers"]:
        certificate = answer["certificate"]
        assert (certificate["guarantee"], certificate["released_by"]) == ("dp", "alice")
        assert (certificate["decided_by"], certificate["epsilon"]) == ("blind", 0.2)
    assert [len(answer["rows"]) for answer in result["answers"]] == [1, 3]
    assert worded_answers(room.requests.result(room["carol"], request.id)) == result
    row = room.ports.rows("requests").one(id=request.id)
    assert row is not None
    stored = json.loads(room.ports.locks.unseal(row["answers"], f"answers of {request.id}"))
    read = [released.as_dict() for released in room.requests.result(room["carol"], request.id).answers]
    assert json.loads(json.dumps(read)) == stored, "what a signal's binding is a digest of"
    with pytest.raises(Forbidden, match="Only the analyst who submitted the"):
        room.requests.result(room["eve"], request.id)
    with pytest.raises(NotFound):
        room.requests.result(room["dan"], request.id)


def test_what_each_may_see_of_a_request_is_a_fixed_list(room: Room) -> None:
    room.policy()
    request = room.submit()
    assert set(room.requests.one(room["bob"], request.id).fields) == {*FIELDS["request"].analyst[State.SUBMITTED]}
    assert set(room.requests.one(room["alice"], request.id).fields) == {*FIELDS["request"].controller}
    assert {"binding", "decided_by", "analyst"}.isdisjoint({*FIELDS["request"].analyst[State.RELEASED]})
    assert [one.submission.id for one in room.requests.many(room["bob"])] == [request.id]
    assert room.requests.many(room["dan"]) == []
    assert len(room.requests.many(room["eve"], state="submitted", dataset="STAYS")) == 1
    with pytest.raises(NotFound):
        room.requests.one(room["dan"], request.id)
    for nobody in ("bob", "eve"):
        with pytest.raises(Forbidden, match="Only a controller of dataset 'stays' may decide"):
            room.decisions.inspect(room[nobody], request.id)


def test_the_approvers_page_has_public_facts_only(room: Room) -> None:
    room.policy(budget=3)
    request = room.submit(COUNT, SUM)
    jobs = len(room.runner.done)
    page = submission_view.request_page(room.decisions.inspect(room["alice"], request.id))
    assert {(job["verb"], job["format"]) for job in room.runner.done[jobs:]} == {("rehearse", "synthetic")}, "nobody"
    assert [one["at"]["epsilon"] for one in page["rehearsal"]] == [q["epsilon"] for q in page["facts"]["queries"]]
    assert room.entries(Event.LOOKED, Event.RESERVED) == []
    assert (page["analyst"], page["looked"], page["warning"]) == ({"name": "bob", "organisation": BOARD}, False, None)
    facts = page["facts"]
    assert (facts["epsilon"], facts["guarantee"], facts["spent"], facts["left"]) == (0.4, "dp", 0.0, 3.0)
    assert [query["outputs"] for query in facts["queries"]] == [1, 1]
    assert all(query["worst_case"] and query["odds"] for query in facts["queries"])
    room.look()
    assert room.decisions.inspect(room["carol"], request.id).warning


def test_a_no_has_a_note_and_ends_it(room: Room) -> None:
    room.policy()
    returned, refused = room.submit(), room.submit(SUM)
    with pytest.raises(BadInput, match="without a note"):
        room.decisions.return_(room["alice"], returned.id, " ")
    assert room.decisions.return_(room["alice"], returned.id, "round the ages").state == "returned"
    assert room.decisions.refuse(room["carol"], refused.id, "not for this").state == "refused"
    for request, note in ((returned, "round the ages"), (refused, "not for this")):
        assert room.requests.one(room["bob"], request.id).submission.note == note
        with pytest.raises(Gone, match=note):
            room.result(request)
        with pytest.raises(Conflict, match="cannot be approved"):
            room.approve(request)
    assert [entry.draft.public["approved"] for entry in room.entries(Event.DECIDED)] == [False, False]
    assert dataset_view.ledger(room.datasets.ledger(room["bob"], "stays")).guarantee == "dp", "nobody had looked"


def test_a_request_can_be_refused_when_its_flow_is_gone(room: Room) -> None:
    room.policy()
    request = room.submit()
    room.policy({"who": ["dan"]})
    with pytest.raises(Forbidden):
        room.approve(request)
    assert room.decisions.refuse(room["alice"], request.id).state == "refused"


def test_what_is_withdrawn_does_not_run(room: Room) -> None:
    room.policy()
    waiting, approved = room.submit(), room.submit(SUM)
    room.approve(approved)
    for request in (waiting, approved):
        with pytest.raises(NotFound):
            room.requests.withdraw(room["dan"], request.id)
        with pytest.raises(Forbidden, match="Only the analyst who submitted this"):
            room.requests.withdraw(room["alice"], request.id)
        assert room.requests.withdraw(room["bob"], request.id).state == "withdrawn"
        with pytest.raises(Conflict):
            room.requests.withdraw(room["bob"], request.id)
    room.go()
    assert room.charged == 0


def test_weights_share_out_what_the_rule_allows(room: Room) -> None:
    room.policy()
    asked = [{"sql": COUNT, "weight": 1}, {"sql": SUM, "weight": 4}, {"sql": BY_WARD, "weight": 2}]
    request = room.requests.submit(room["bob"], "stays", "planning", asked)
    room.approve(request)
    room.go()
    result = room.result(request)
    assert [answer["certificate"]["epsilon"] for answer in result["answers"]] == [0.05, 0.2, 0.1]
    assert result["charged"] == pytest.approx(0.35)
    for weight in (0, -1, float("nan"), 1001):
        with pytest.raises(BadInput, match="weight"):
            room.requests.submit(room["bob"], "stays", "planning", [{"sql": COUNT, "weight": weight}])
    with pytest.raises(BadInput, match="twice"):
        room.submit(COUNT, COUNT.lower())
    with pytest.raises(BadInput, match="The request has no query"):
        room.requests.submit(room["bob"], "stays", "planning", [])
    with pytest.raises(BadInput, match="at most 20 queries"):
        room.submit(*(f"SELECT COUNT(*) FROM stays WHERE days > {n}" for n in range(21)))
    with pytest.raises(BadInput, match="needs a purpose"):
        room.requests.submit(room["bob"], "stays", "  ", asked)


def test_two_approvals_are_two_peoples_of_the_same_thing(room: Room) -> None:
    room.policy({"approvals": 2})
    request = room.submit()
    assert room.approve(request, "alice").state == "submitted"
    assert room.approve(request, "alice").state == "submitted", "twice the same is once"
    page = room.decisions.inspect(room["carol"], request.id)
    assert (page.access.approvals, page.approved_by) == (2, ("alice",))
    room.policy({"approvals": 2}, purpose="another")
    assert room.decisions.inspect(room["carol"], request.id).approved_by == ()
    assert room.approve(request, "carol").state == "submitted", "alice approved it under another policy"
    assert room.approve(request, "alice").state == "approved"
    room.go()
    assert room.result(request)["guarantee"] == "dp"


def test_only_those_approve_whom_the_policy_asks(room: Room) -> None:
    room.policy({"approvers": ["carol"]})
    request = room.submit()
    with pytest.raises(Forbidden, match="Only carol may approve"):
        room.approve(request, "alice")
    assert room.approve(request, "carol").state == "approved"


def test_nobody_decides_their_own_request(room: Room) -> None:
    room.accounts.change(room["root"], "alice", roles=["analyst", "controller"])
    room.policy()
    request = room.submit(by="alice")
    for decide in (room.decisions.inspect, room.decisions.refuse, room.decisions.look):
        with pytest.raises(Forbidden, match="You cannot decide on your own"):
            decide(room["alice"], request.id)
    with pytest.raises(Forbidden, match="You cannot decide on your own"):
        room.decisions.approve(room["alice"], request.id, request.binding)
    room.approve(request, "carol")
    room.go()
    assert room.result(request)["guarantee"] == "dp"


def test_a_second_click_on_approve_changes_nothing(room: Room) -> None:
    room.policy()
    request = room.submit()
    first = room.approve(request)
    entries = len(room.entries())
    for _ in range(2):
        assert room.decisions.approve(room["alice"], request.id, first.binding) == first
    assert (len(room.waiting), len(room.entries())) == (1, entries)
    room.waiting *= 2
    room.go()
    assert room.decisions.approve(room["alice"], request.id, first.binding).state == "released"
    assert room.charged == 0.2


def test_a_request_that_comes_twice_under_one_key_is_one_request(room: Room) -> None:
    room.policy()
    first = room.submit(idempotency="k1")
    room.policy({"who": ["dan"]})
    assert room.submit(idempotency="k1") == first
    for queries, preference in (([SUM], None), ([COUNT], RULE)):
        with pytest.raises(Conflict, match="used for another request"):
            room.submit(*queries, preference=preference, idempotency="k1")
    room.submit(by="dan", idempotency="k1")
    assert len(room.requests.many(room["eve"])) == 2


def test_people_are_told_what_concerns_them(room: Room) -> None:
    room.policy()
    request = room.submit()
    for controller in ("alice", "carol"):
        (told,) = room.notifications.many(room[controller], unread=True)
        assert sentence(told) == "bob submitted request 1 to stays. It waits for a decision."
    room.approve(request)
    room.go()
    texts = [sentence(told) for told in room.notifications.many(room["bob"])]
    assert texts == ["The answer to request 1 is available.", "Request 1 was approved."]
    newest, oldest = room.notifications.many(room["bob"])
    room.notifications.read(room["bob"], newest.id)
    assert [told.id for told in room.notifications.many(room["bob"], unread=True)] == [oldest.id]
    with pytest.raises(NotFound):
        room.notifications.read(room["dan"], oldest.id)


def test_what_people_were_told_by_an_older_version_is_shown_as_it_was_stored(room: Room) -> None:
    told = {"id": "n1", "person": "bob", "at": room.ports.moment, "text": "Request 1 was approved. {Gladly}."}
    room.ports.rows("notifications").add(told | {"about": "r1", "read_at": None})
    (found,) = room.notifications.many(room["bob"])
    assert to_plain(worded(found)) == told | {"number": found.number, "about": "r1", "read_at": None}


@pytest.mark.parametrize("swept", [True, False])
def test_what_was_kept_long_enough_is_gone(room: Room, swept: bool) -> None:
    room.policy(retention={"answers_days": 30, "data_days": 60})
    request = room.submit()
    room.approve(request)
    room.go()
    room.pass_(days=29)
    room.result(request)
    assert room.datasets.sweep() == 0
    room.pass_(days=1)
    with pytest.raises(Gone, match="30 days"):
        room.result(request)
    late = room.submit(SUM)
    room.pass_(days=30)
    if swept:
        assert room.datasets.sweep() == 1
    with pytest.raises(Conflict, match="no data"):
        room.approve(late)
    with pytest.raises(Conflict, match="no data"):
        room.submit(BY_WARD)
    assert list((room.folder / "vault").iterdir()) == []


def test_what_runs_when_the_server_stops_has_failed_and_what_waits_goes_on(room: Room) -> None:
    room.policy()
    running, waiting = room.submit(), room.submit(SUM)
    room.approve(running)
    room.approve(waiting)
    lost = room.waiting[0]

    def stops(_job: Any) -> None:
        raise KeyboardInterrupt

    room.runner.meanwhile = stops
    with pytest.raises(KeyboardInterrupt):
        lost()
    assert room.state(running) == "failed"
    room.sql("UPDATE requests SET state = 'running' WHERE id = :id", id=running.id)
    room.waiting.clear()
    room.runner.meanwhile = lambda _job: None
    assert room.execution.resume() == 1
    assert (room.state(running), room.note(running)) == ("failed", "The server was stopped while it ran.")
    room.go()
    assert room.state(waiting) == "released"
    assert [sentence(told) for told in room.notifications.many(room["bob"])][-2:] == ["Request 2 was approved.",
                                                                             "Request 1 was approved."]  # fmt: skip


def test_what_is_cancelled_while_it_runs_comes_to_no_answer(room: Room) -> None:
    room.policy()
    request, waits = room.submit(), room.submit(SUM)
    room.approve(request)

    def cancel(_job: Any) -> None:
        with pytest.raises(NotFound):
            room.requests.cancel(room["dan"], request.id)
        with pytest.raises(Forbidden):
            room.requests.cancel(room["eve"], request.id)
        room.requests.cancel(room["bob"], request.id)
        raise Cancelled

    room.runner.meanwhile = cancel
    room.go()
    assert room.runner.stopped == [request.id]
    assert room.state(request) == "failed"
    with pytest.raises(Gone):
        room.result(request)
    assert room.requests.cancel(room["alice"], waits.id).state == "withdrawn"
    assert room.entries(Event.RESERVED) == []


def test_nothing_is_released_past_the_budget(room: Room) -> None:
    room.policy(budget=0.3)
    first, second = room.submit(), room.submit(SUM)
    room.approve(first)
    room.approve(second)
    room.go()
    assert (room.state(first), room.state(second)) == ("released", "failed")
    assert "0.2 of 0.3 used" in room.note(second)
    assert room.charged == 0.2


def test_an_epsilon_ceiling_holds_for_whatever_is_asked(room: Room) -> None:
    room.policy({"preferences": ["epsilon", "within"]}, epsilon_max=0.5)
    for stated in ({"epsilon": 3}, {"epsilon": 3, "epsilon_max": 8}):
        with pytest.raises(PreferenceError, match=r"3 exceeds epsilon_max, which is 0\.5"):
            room.questions.estimate(room["bob"], "stays", [{"sql": COUNT}], stated)
    within = room.questions.estimate(room["bob"], "stays", [{"sql": COUNT}], {"within": 1, "confidence": 0.9})
    assert within.facts.epsilon in (None, 0.0, 0.5)
    assert room.released(preference={"epsilon": 0.5})["answers"][0]["certificate"]["epsilon"] == 0.5
    with pytest.raises(Forbidden, match="ask by the preregistered rule alone"):
        room.submit()
    with pytest.raises(Forbidden, match="ask by the preregistered rule alone"):
        room.submit(preference=RULE)


def test_after_the_answer_it_is_computed_withheld_seen_and_then_decided(room: Room) -> None:
    room.policy(AFTER)
    request, other = room.submit(), room.submit(SUM)
    with pytest.raises(NoGuarantee):
        room.approve(request)
    assert room.charged == 0
    for one in (request, other):
        room.approve(one, allow_no_guarantee=True)
    room.go()
    for one in (request, other):
        assert room.state(one) == "computed"
        for who in ("bob", "alice"):
            with pytest.raises(AwaitingApproval, match="withheld"):
                room.requests.result(room[who], one.id)
    assert room.charged == 20, "the public constant, each"
    assert "answers" not in room.requests.one(room["bob"], request.id).fields
    seen = worded_answers(room.decisions.look(room["alice"], request.id))
    assert seen["true"] == [[[26]]]
    assert [entry.draft.who for entry in room.entries(Event.LOOKED)] == ["alice"]
    with pytest.raises(NoGuarantee):
        room.decisions.refuse(room["alice"], other.id)
    assert room.decisions.refuse(room["alice"], other.id, allow_no_guarantee=True).state == "refused"
    assert room.approve(request, "carol", allow_no_guarantee=True).state == "released"
    result = room.result(request)
    assert (result["guarantee"], result["charged"], result["answers"]) == ("none", None, seen["answers"])
    assert result["answers"][0]["certificate"]["epsilon"] is None
    with pytest.raises(Gone):
        room.result(other)
    assert room.charged == 20


def test_what_the_policy_approves_by_itself_goes_on_at_once(room: Room) -> None:
    room.policy(AUTOMATIC)
    request = room.submit()
    assert request.state == "approved"
    assert room.notifications.many(room["alice"]) == []
    room.go()
    certificate = room.result(request)["answers"][0]["certificate"]
    assert (certificate["guarantee"], certificate["decided_by"], certificate["released_by"]) == ("dp", "policy", "bob")
    room.policy({"approve": "automatic", "preferences": ["rule", "ratio", "epsilon"]})
    with pytest.raises(Forbidden, match="would have the guarantee 'none'"):
        room.submit(SUM, preference={"ratio": 0.9})
    with pytest.raises(Forbidden, match="already fixes the noise"):
        room.submit(SUM, preference={"mechanism": "gaussian", "delta": 0.9})
    with pytest.raises(Forbidden, match="has no budget for delta"):
        room.submit(SUM, preference={"epsilon": 1, "mechanism": "gaussian", "delta": 0.9})


def test_whoever_is_disabled_gets_nothing_by_themselves(room: Room) -> None:
    room.policy(AUTOMATIC)
    request = room.submit()
    room.accounts.change(room["root"], "bob", disabled=True)
    room.go()
    assert room.state(request) == "failed"
    assert room.charged == 0


def test_partners_who_are_trusted_more_get_less_noise(room: Room) -> None:
    room.policy(
        rule={"sharing_risk": 0.02, "choices": 4},
        trust={BOARD: "high", "everyone": "low"},
        sensitivity={"dataset": "medium", "columns": {"age": "very high"}},
    )
    epsilons: dict[tuple[str, str], Any] = {
        (who, sql): room.questions.estimate(room[who], "stays", [{"sql": sql}], None).facts.epsilon
        for who in ("bob", "dan")
        for sql in (COUNT, SUM)
    }
    assert epsilons["bob", COUNT] > epsilons["bob", SUM] > epsilons["dan", SUM]
    assert epsilons["bob", COUNT] > epsilons["dan", COUNT] > epsilons["dan", SUM]
    left = {who: room.released(by=who)["answers"][0]["certificate"]["epsilon"] for who in ("bob", "dan")}
    assert left["bob"] > left["dan"]
    assert left == {who: pytest.approx(epsilons[who, COUNT], abs=1e-9) for who in left}


def test_an_estimate_and_a_dry_run_charge_nothing_and_read_nobody(room: Room) -> None:
    room.policy()
    before, asked = len(room.entries()), [{"sql": COUNT}, {"sql": BY_WARD}]
    room.ports.files.forget(room.datasets.of("stays").id, str(room.datasets.of("stays").version))
    estimate = room.questions.estimate(room["bob"], "stays", asked, None)
    assert (estimate.facts.epsilon, estimate.facts.guarantee) == (0.4, "dp")
    dry = room.questions.dry_run(room["bob"], "stays", asked, None)
    assert dry.synthetic
    assert [len(answer.rows) for answer in dry.answers] == [1, 3]
    assert room.questions.worst_case(room["bob"], "stays", COUNT, {}).source == "worst case"
    assert room.questions.rehearse(room["bob"], "stays", COUNT, None).source
    assert room.questions.compare(room["bob"], "stays", COUNT, None).methods
    assert len(room.entries()) == before
    for stated in ({"gap": 1.2}, None):
        room.questions.dry_run(room["bob"], "stays", [{"sql": SUM}], stated)
    assert len(room.entries()) == before
    assert {job["format"] for job in room.runner.done} == {"synthetic"}


def test_a_histogram_is_charged_and_no_look(room: Room) -> None:
    room.policy()
    room.questions.exposure_histogram(room["alice"], "stays", SUM, 0.05, {})
    assert room.charged == 0.05
    assert room.entries(Event.LOOKED) == []
    room.questions.check(room["carol"], "stays")
    assert [entry.draft.who for entry in room.entries(Event.LOOKED)] == ["carol"]


def test_every_step_that_a_request_may_take_is_in_one_table() -> None:
    for state in State:
        for act in Act:
            if act in STEPS.get(state, {}):
                assert next_state(state, act, "request") is STEPS[state][act]
            else:
                with pytest.raises(Conflict, match=f"is {state}, so it cannot be {terms()['text']['done'][act]}"):
                    next_state(state, act, "request")


# The record


def test_the_record_says_who_did_what_in_one_chain(room: Room) -> None:
    room.policy()
    request = room.submit()
    room.approve(request)
    room.go()
    said = [(one.who, one.verb) for one in room.audit.many(room["eve"], limit=1000)]
    assert said[-5:] == [
        ("alice", "wrote the policy of"),
        ("bob", "submitted"),
        ("alice", "inspected"),
        ("alice", "approved"),
        ("sfumato", "released"),
    ]
    ends = room.audit.verify(room["eve"])
    assert ends.audit.number == len(said)
    assert ends.ledger.number == len(room.entries())
    for verb in (room.audit.many, room.audit.verify, room.audit.head):
        with pytest.raises(Forbidden):
            verb(room["bob"])


def test_a_signed_head_shows_that_an_older_copy_was_put_back(room: Room, copies: Copies) -> None:
    room.policy()
    room.close()
    older = Room(*copies(room.folder, room.url))
    newer = Room(room.folder, room.url)
    newer.released()
    head: dict[str, Any] = to_plain(newer.audit.head(newer["eve"]))
    assert to_plain(newer.audit.verify(newer["eve"], head))["ledger"] == head["ledger"]
    newer.released(SUM)
    newer.audit.verify(newer["alice"], json.loads(json.dumps(head)))
    older.audit.verify(older["eve"])  # by itself it is a chain like any other
    with pytest.raises(LedgerBroken, match="an older copy was restored"):
        older.audit.verify(older["eve"], head)
    older.released(SUM)
    older.released(BY_WARD)
    with pytest.raises(LedgerBroken, match="an older copy was restored"):
        older.audit.verify(older["eve"], head)
    for edited in (head | {"by": "alice"}, head | {"ledger": head["audit"]}, head | {"signature": "00"}, {}):
        with pytest.raises(BadInput, match="has no valid signature"):
            newer.audit.verify(newer["eve"], edited)
    older.close()
    newer.close()


# The same with processes


@pytest.mark.slow
def test_a_workspace_answers_by_workers_and_stops_what_is_cancelled(database_url: str, tmp_path: Path) -> None:
    folder, passphrase = tmp_path / "workspace", "open sesame please"
    database = "sqlite" if database_url.startswith("sqlite") else database_url
    settings = WorkspaceSettings(database=database, workers=1, undo_seconds=1)
    locked: dict[str, Any] = {"passphrase": passphrase, "cost": Argon2Cost(1, 64, 1)}
    create_workspace(folder, admin="root", password="four words put together", settings=settings, **locked)
    with open_workspace(folder, passphrase=passphrase) as workspace:
        escrow = workspace.escrow
        people, requests = escrow.accounts, escrow.requests
        root = people.one("root")
        bob = people.add(root, "bob", ["analyst"])
        escrow.datasets.register(root, SCHEMA)
        with pytest.raises(BadInput):
            escrow.datasets.deliver(root, "stays", [b"days\n1\n"], "csv")
        escrow.datasets.deliver(root, "stays", [DATA], "csv")
        escrow.policies.set(root, "stays", {"rule": RULE, "access_rule": [{"who": ["bob"]}]})
        request = requests.submit(bob, "stays", "planning", [{"sql": COUNT}, {"sql": BY_WARD}])
        assert escrow.requests.approval.approve(root, request.id, request.binding).starts_at is not None
        withdrawn = requests.submit(bob, "stays", "planning", [{"sql": SUM}])
        requests.cancel(bob, withdrawn.id)
    with open_workspace(folder, passphrase=passphrase) as workspace:  # what was approved was waited for
        requests = workspace.escrow.requests
        result = requests.result(bob, request.id)
        assert (result.guarantee, len(result.answers), result.charged) == ("dp", 2, 0.4)
        assert requests.one(bob, withdrawn.id).submission.state == "withdrawn"
        assert workspace.escrow.audit.verify(root).ledger.number > 0
    with pytest.raises(SfumatoError, match="passphrase"):
        open_workspace(folder, passphrase="something else entirely")


# Who reads the record, and several servers


def test_a_controller_reads_the_record_of_their_own(room: Room) -> None:
    room.policy()
    request = room.submit()
    room.accounts.add(room["root"], "olga", ["controller"])
    room.datasets.register(room["olga"], 'name = "wages"\n[columns.pay]\ntype = "integer"\nbounds = [0, 9]\n')
    told = {name: room.audit.many(room[name], limit=1000) for name in ("olga", "alice", "eve", "root")}
    assert {entry.about for entry in told["olga"]} == {"wages"}
    assert request.id in {entry.about for entry in told["alice"]}
    assert "wages" not in {entry.about for entry in told["alice"]}
    assert told["eve"] == told["root"]
    assert len(told["eve"]) > len(told["olga"]) + len(told["alice"])


def test_what_another_server_runs_is_left_to_it_until_its_time_is_over(room: Room) -> None:
    room.policy()
    object.__setattr__(room.ports, "limits", EscrowLimits(lease_seconds=420, server="one"))
    request = room.submit()
    room.approve(request)

    def meanwhile(_job: object) -> None:
        room.execution.resume(alone=False)
        assert room.state(request) == State.RUNNING, "a server that starts now leaves it alone"
        object.__setattr__(room.ports, "limits", EscrowLimits(lease_seconds=420, server="another"))
        room.execution.resume()
        assert room.state(request) == State.RUNNING
        room.pass_(days=1)
        room.execution.resume()

    room.runner.meanwhile = meanwhile
    with pytest.raises(Conflict):
        room.go()
    assert room.state(request) == State.FAILED, "its server was gone too long: what it says then is not heard"


def test_what_never_had_data_is_taken_back(room: Room) -> None:
    room.datasets.register(room["alice"], 'name = "wages"\n[columns.pay]\ntype = "integer"\nbounds = [0, 9]\n')
    with pytest.raises(BadInput):
        room.datasets.deliver(room["alice"], "wages", [b"days\n1\n"], "csv")
    room.datasets.retire(room["alice"], "wages")
    with pytest.raises(NotFound):
        room.datasets.one(room["alice"], "wages")
    room.datasets.register(room["alice"], 'name = "wages"\n[columns.pay]\ntype = "integer"\nbounds = [0, 9]\n')


def test_where_every_epsilon_will_do_the_ceiling_holds(room: Room) -> None:
    rated: dict[str, Any] = {"rule": {"sharing_risk": "low", "choices": 4}, "trust": {"everyone": "very high"}}
    room.policy({"approve": "automatic"}, **rated, sensitivity={"dataset": "low"}, epsilon_max=0.5)
    assert room.questions.estimate(room["bob"], "stays", [{"sql": COUNT}], None).facts.epsilon == 0.5
    request = room.submit()
    room.go()
    assert room.result(request)["charged"] == 0.5
    room.policy({"approve": "automatic"}, **rated, sensitivity={"dataset": "low"})
    assert room.questions.estimate(room["bob"], "stays", [{"sql": COUNT}], None).facts.epsilon is None
    with pytest.raises(Forbidden, match="Every epsilon meets"):
        room.submit(SUM)


def test_an_estimate_is_of_what_may_be_submitted(room: Room) -> None:
    room.policy({"columns": ["days", "ward"]})
    asked = [{"sql": COUNT}]
    with pytest.raises(Forbidden, match="does not allow you to state the preference 'epsilon'"):
        room.questions.estimate(room["bob"], "stays", asked, {"epsilon": 1.0})
    with pytest.raises(Forbidden, match="does not allow you to use column 'age'"):
        room.questions.estimate(room["bob"], "stays", [{"sql": SUM}], None)
    assert room.questions.estimate(room["bob"], "stays", asked, RULE) == room.questions.estimate(
        room["bob"], "stays", asked, None
    )
    assert room.submit(preference=RULE).preference is None


def test_what_is_charged_more_than_is_left_is_not_submitted(room: Room) -> None:
    room.policy({"approve": "after the answer", "guarantees": ["none"]}, budget=5)
    assert room.questions.estimate(room["bob"], "stays", [{"sql": COUNT}], None).facts.epsilon == 10
    with pytest.raises(BudgetExceeded, match="needs epsilon 10, and 5 of the budget is left"):
        room.submit()


# Failures of the engine


def test_a_lost_worker_is_a_failure_until_its_cause_is_stated(room: Room) -> None:
    """One that takes too long or too much is killed: that it was tells the analyst something exact about the data."""

    def lose(_job: object) -> None:
        raise EngineFailure(worker_lost=True)

    room.policy(AUTOMATIC)
    request, room.runner.meanwhile = room.submit(), lose
    room.go()
    room.runner.meanwhile = lambda _job: None
    assert (room.state(request), room.note(request)) == ("failed", str(EngineFailure()))
    ledger = dataset_view.ledger(room.datasets.ledger(room["alice"], "stays"))
    assert ledger.guarantee == "none"
    (failed,) = (entry for entry in ledger.entries or () if entry.event == "failed")
    with pytest.raises(Forbidden):
        room.datasets.state_cause(room["bob"], "stays", failed.number, "the disk was full")
    after = dataset_view.ledger(room.datasets.state_cause(room["alice"], "stays", failed.number, "the disk was full"))
    assert after.guarantee == "dp"
