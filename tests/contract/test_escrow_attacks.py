"""Ways around a policy that somebody tried: what they get is a refusal, or the word that the record has."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.adapters.vault.vault_file import Argon2Cost
from sfumato.composition.create import create_workspace
from sfumato.errors import BadInput, Conflict, EngineFailure, Forbidden, NoGuarantee, PreferenceError, QueryError
from sfumato.escrow.ports import EscrowLimits
from sfumato.escrow.submissions.request_payload import Request
from sfumato.presentation.escrow import dataset_view, submission_view
from tests.room import BOARD, COUNT, DATA, RULE, SCHEMA, Room

AUTOMATIC = {"approve": "automatic"}


def test_a_rule_that_the_schema_states_is_of_record_with_the_policy(room: Room) -> None:
    """Looked at, and then changed in the schema: the policy goes by the rule that it was written with."""
    room.datasets.describe(room["alice"], "stays", f"{SCHEMA}[rule]\ngap = 1.2\nworst_case = true\n")
    room.policies.set(room["alice"], "stays", {"access_rule": [{"who": ["bob"]} | AUTOMATIC]})
    assert room.policies.current(room["alice"], "stays").policy.rule == RULE
    room.look()
    room.datasets.describe(room["alice"], "stays", f"{SCHEMA}[rule]\nepsilon = 5\n")
    assert (room.released()["guarantee"], room.charged) == ("dp", 0.2)


def test_a_schema_adds_no_rule_to_a_policy_without_one(room: Room) -> None:
    room.policies.set(room["alice"], "stays", {"access_rule": [{"who": ["bob"]} | AUTOMATIC]})
    room.look()
    room.datasets.describe(room["alice"], "stays", f"{SCHEMA}[rule]\nepsilon = 5\n")
    with pytest.raises(PreferenceError, match="No preference is stated"):
        room.submit()


def test_nobody_rates_their_own_trust(room: Room) -> None:
    """Under a rule on sharing risk the noise is the policy's to say, whoever states a preference."""
    rated: dict[str, Any] = {"trust": {"everyone": "very low"}, "sensitivity": {"dataset": "very high"}}
    room.policy({"preferences": ["sharing_risk"]} | AUTOMATIC, **rated)
    asked = {"sharing_risk": "low", "choices": 4}
    room.submit(preference=asked)
    for own in ({"trust": "high"}, {"data_sensitivity": 0.1}):
        for ask in (room.questions.estimate, room.questions.dry_run):
            with pytest.raises(Forbidden, match="rated by the policy"):
                ask(room["bob"], "stays", [{"sql": COUNT}], asked | own)
        with pytest.raises(Forbidden, match="rated by the policy"):
            room.submit(preference=asked | own)
    assert room.questions.estimate(room["alice"], "stays", [{"sql": COUNT}], asked).facts.epsilon is not None


def test_nobody_who_asks_raises_the_ceiling(room: Room) -> None:
    room.policy({"preferences": ["epsilon"]} | AUTOMATIC)
    room.released(preference={"epsilon": 10, "epsilon_max": 1e6})
    assert room.charged == 10
    with pytest.raises(PreferenceError, match="500 exceeds epsilon_max, which is 10"):
        room.submit(preference={"epsilon": 500, "epsilon_max": 1e6})
    room.policy({"preferences": ["epsilon"]} | AUTOMATIC, epsilon_max=20)
    room.released(preference={"epsilon": 20, "epsilon_max": 1e6})
    with pytest.raises(PreferenceError, match="500 exceeds epsilon_max, which is 20"):
        room.submit(preference={"epsilon": 500, "epsilon_max": 1e6})
    assert room.charged == 30


def test_whoever_approves_what_the_policy_did_not_is_no_policy(room: Room) -> None:
    """One states where it was fixed and another accepts that nothing is: the word is that of both."""
    room.policy({"guarantees": ["dp", "none"], "preferences": ["epsilon"], "approvals": 2} | AUTOMATIC)
    room.look()
    request = room.submit(preference={"epsilon": 1})
    assert room.decisions.inspect(room["alice"], request.id).warning is not None
    room.approve(request, "alice", preregistered="minutes of 3 May")
    room.approve(request, "carol", allow_no_guarantee=True)
    room.go()
    assert room.result(request)["guarantee"] == "none"


def test_what_was_accepted_for_nothing_is_no_way_around_the_words_of_a_flow(room: Room) -> None:
    """Approved as dp, with none accepted beside it; then another's plan takes its place, and somebody looks."""
    room.policy({"guarantees": ["dp"], "preferences": ["epsilon"]})
    request = room.submit(preference={"epsilon": 1})
    room.approve(request, allow_no_guarantee=True)
    room.submit(by="dan", preference={"epsilon": 2})
    room.look()
    room.go()
    assert (room.state(request), room.charged) == ("failed", 0)


def test_whoever_no_longer_holds_the_data_approves_no_part_of_it(room: Room) -> None:
    room.accounts.add(room["root"], "zoe", ["controller"])
    room.datasets.controllers(room["alice"], "stays", ["alice", "carol", "zoe"])
    room.policy({"approvals": 2})
    request = room.submit()
    room.approve(request, "carol")
    room.datasets.controllers(room["alice"], "stays", ["alice", "zoe"])
    assert room.approve(request, "alice").state == "submitted"
    assert room.approve(request, "zoe").state == "approved"


def test_an_answer_that_comes_back_to_somebody_else_has_the_word_of_that_decision(room: Room) -> None:
    """What bob got before the look is dp; that dan gets it too was decided after it, and tells."""
    room.policy({"guarantees": ["dp", "none"]})
    first = room.released(COUNT, by="bob")
    room.look()
    redraw = room.released(COUNT, by="dan", allow_no_guarantee=True)
    assert (first["guarantee"], redraw["guarantee"]) == ("dp", "none")
    assert (redraw["answers"], room.charged) == (first["answers"], 0.2)
    assert dataset_view.ledger(room.datasets.ledger(room["eve"], "stays")).guarantee == "none"


def test_the_same_numbers_in_other_words_are_charged_once_whoever_asks(room: Room) -> None:
    room.policy(AUTOMATIC)
    first, redraw = room.released(COUNT, by="bob"), room.released(f"{COUNT} LIMIT 1", by="dan")
    told = redraw["answers"][0]
    assert told["rows"] == first["answers"][0]["rows"]
    assert (redraw["guarantee"], redraw["charged"], room.charged) == ("dp", 0, 0.2)
    entry = first["answers"][0]["certificate"]["ledger_entry"]
    assert told["certificate"]["recorded"] == [entry]
    have = room.requests.recipients(room["alice"], "stays")[entry]
    assert sorted(one.name for one in have) == ["bob", "dan"], "of one charge, everybody who has its numbers"


@pytest.mark.parametrize("decide", ["refuse", "return_", "approve"])
def test_a_look_amid_a_decision_comes_before_it(room: Room, monkeypatch: pytest.MonkeyPatch, decide: str) -> None:
    room.policy()
    request = room.submit()
    binding, enter = room.decisions.inspect(room["alice"], request.id).binding, room.decisions.enter

    def looked(*given: Any, **named: Any) -> Any:
        room.look("carol", COUNT)
        return enter(*given, **named)

    monkeypatch.setattr(room.decisions, "enter", looked)
    with pytest.raises(NoGuarantee):
        getattr(room.decisions, decide)(room["alice"], request.id, binding)
    assert room.state(request) == "submitted"


def test_where_data_lies_is_for_its_controllers(room: Room) -> None:
    place = room.folder / "a place that nobody is told"
    place.mkdir()
    (place / "stays.csv").write_bytes(DATA)
    object.__setattr__(room.ports, "limits", EscrowLimits(references=(str(place),)))
    schema = SCHEMA.replace("stays", "elsewhere")
    room.datasets.register(room["alice"], schema, reference=str(place / "stays.csv"))
    room.policies.set(room["alice"], "elsewhere", {"rule": RULE, "access_rule": [{"who": ["bob"]} | AUTOMATIC]})
    asked = (room["bob"], "elsewhere", "planning beds", [{"sql": "SELECT COUNT(*) FROM elsewhere"}])
    request = room.requests.submit(*asked)
    (place / "stays.csv").unlink()
    room.go()
    told = json.dumps(submission_view.request(room.requests.one(room["bob"], request.id)))
    with pytest.raises(
        Conflict, match="The data of dataset 'elsewhere' cannot be read where its reference points"
    ) as error:
        room.requests.submit(*asked)
    (place / "stays.csv").write_text("days\n1\n")
    request = room.requests.submit(*asked)
    room.go()
    assert room.requests.one(room["bob"], request.id).submission.note == str(EngineFailure())
    assert "nobody is told" not in told + str(error.value)


def test_data_that_lies_elsewhere_may_change_between_requests_and_not_within_one(room: Room) -> None:
    """The next request reads it as it is then; one that it changes under comes to nothing, and tells no more."""
    place = room.folder / "elsewhere"
    place.mkdir()
    file = place / "stays.parquet"
    table = pa.table({"days": [1] * 9, "age": [2] * 9, "ward": ["a"] * 9})
    pq.write_table(table, file)
    object.__setattr__(room.ports, "limits", EscrowLimits(references=(str(place),)))
    room.datasets.register(room["alice"], SCHEMA.replace("stays", "elsewhere"), reference=str(file))
    room.policies.set(room["alice"], "elsewhere", {"rule": RULE, "access_rule": [{"who": ["bob"]} | AUTOMATIC]})

    def asked(sql: str) -> Request:
        request = room.requests.submit(room["bob"], "elsewhere", "planning beds", [{"sql": sql}])
        room.go()
        return room.requests.one(room["bob"], request.id).submission

    assert asked("SELECT COUNT(*) FROM elsewhere").state == "released"
    file.chmod(0o600)  # which changes nothing but a time
    assert asked("SELECT SUM(age) FROM elsewhere").state == "released"
    pq.write_table(table.slice(1), file)
    assert asked("SELECT SUM(days) FROM elsewhere").state == "released"
    cleaned = DuckDB._clean_connection
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DuckDB, "_clean_connection", lambda self: (pq.write_table(table, file), cleaned(self))[1])
        failed = asked("SELECT AVG(days) FROM elsewhere")
    assert (failed.state, failed.note) == ("failed", str(EngineFailure()))
    assert asked("SELECT AVG(age) FROM elsewhere").state == "released"


def test_people_are_told_apart_by_no_column_that_the_policy_withholds(room: Room) -> None:
    room.policy({"columns": ["age", "days"], "preferences": ["gap", "satisfies"], "guarantees": ["none"]})
    assert room.submit(preference={"gap": 1.2, "between": "days > 30"}).state == "submitted"
    assert room.submit(preference={"satisfies": "max('days > 30') <= 2 * min"}).state == "submitted"
    with pytest.raises(Forbidden, match="ward"):
        room.submit(preference={"satisfies": "max(\"ward = 'a'\") <= 2 * min"})
    with pytest.raises(Forbidden, match="use column 'ward'"):
        room.submit(preference={"gap": 1.2, "between": "days > 30 AND ward = 'a'"})


def test_nobody_is_called_what_a_policy_means_another_by(room: Room) -> None:
    """An organisation named as a person is would have that person's flow, and their trust."""
    room.policy({"who": ["bob"]})
    for organisation in ("Bob", " bob ", "EVERYONE"):
        with pytest.raises(Conflict, match="a user and an organisation"):
            room.accounts.add(room["root"], "mal", ["analyst"], organisation=organisation)
        with pytest.raises(Conflict, match="a user and an organisation"):
            room.accounts.change(room["root"], "dan", organisation=organisation)
    with pytest.raises(Conflict, match="'insurer' cannot name both"):
        room.accounts.add(room["root"], "Insurer", ["analyst"])
    assert room.accounts.change(room["root"], "dan", organisation=BOARD).organisation == BOARD


@pytest.mark.parametrize("hidden", ["\x1b[2K", "\x9b1A", "\u202e", "\u2066"])
def test_nothing_in_a_request_hides_what_it_says(room: Room, hidden: str) -> None:
    """A terminal moves its cursor where it is told to: a page would show another query than the one approved."""
    room.policy()
    with pytest.raises(BadInput, match="purpose has characters"):
        room.requests.submit(room["bob"], "stays", f"planning{hidden} beds", [{"sql": COUNT}])
    for literal in (f"a{hidden}", "a\nepsilon 0.01"):
        with pytest.raises(BadInput, match="query has characters"):
            room.submit(f"SELECT COUNT(*) FROM stays WHERE ward = '{literal}'")
    assert room.requests.submit(room["bob"], "stays", "lits\n d'hôpital", [{"sql": f"\n{COUNT}\t"}]).number == 1


def test_nobody_keeps_the_server_busy_with_one_question(room: Room) -> None:
    room.policy()
    many = ", ".join(f"SUM(age + {number})" for number in range(3000))
    for sql in (f"SELECT {many} FROM stays", f"SELECT COUNT(*) FROM stays ORDER BY {many}"):
        with pytest.raises(QueryError, match="256 columns at most"):
            room.submit(sql)
    with pytest.raises(BadInput, match="at most 100,000 characters of SQL"):
        room.submit(*(f"SELECT COUNT(*) FROM stays WHERE age > {n}{' ' * 60_000}" for n in range(2)))


def test_whoever_holds_the_keys_leaves_no_core_behind(tmp_path: Path) -> None:
    create_workspace(
        tmp_path / "ws", admin="root", password="four words put together", passphrase="open", cost=Argon2Cost(1, 64, 1)
    )
    code = f"""
import resource
from sfumato.composition.workspace import open_workspace
with open_workspace({str(tmp_path / "ws")!r}, passphrase="open"):
    print(*resource.getrlimit(resource.RLIMIT_CORE))
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["0", "0"]


def test_a_server_starts_while_another_ends_what_it_ran(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.policy(AUTOMATIC)
    request = room.submit()
    failed = room.execution._fail

    def meanwhile(found: Request, why: str) -> None:
        monkeypatch.undo()
        room.sql("UPDATE requests SET state = 'released' WHERE id = :id", id=found.id)
        failed(found, why)

    monkeypatch.setattr(room.execution, "_fail", meanwhile)
    room.sql("UPDATE requests SET state = 'running' WHERE id = :id", id=request.id)
    assert (room.execution.resume(), room.state(request)) == (0, "released")
