"""What the noise did, asked about a release: submitted, inspected, run, inspected again, released."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import (
    AwaitingApproval,
    BadInput,
    BudgetExceeded,
    Conflict,
    Forbidden,
    Gone,
    NoGuarantee,
    NoMechanism,
    NotFound,
    SandboxMissing,
    SfumatoError,
)
from sfumato.escrow.ports import EscrowLimits
from sfumato.escrow.submissions.request_payload import Request
from sfumato.escrow.submissions.signal_payload import Signal
from sfumato.ledger.entry import Event
from sfumato.presentation.escrow import signals_view as signalling
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.escrow.notifications_view import sentence
from tests.contract.conftest import Copies
from tests.room import BY_WARD, COUNT, DATA, SCHEMA, Room

ABOVE = {"task": "above", "column": "count(*)", "a": "a", "b": "b"}
DISTANCE = {"task": "histogram_distance", "column": "count(*)"}
EVERY = ["free", "noisy_difference", "sample_and_aggregate", "as_published"]
SHARE = "def evaluate(tables):\n    counts = tables[0]['count(*)']\n    return counts[0] / max(1, sum(counts))\n"


Answered = Callable[[str], tuple[Path, str, Request]]


@pytest.fixture(scope="session")
def answered(furnished: Callable[[str], tuple[Path, str]], copies: Copies) -> Answered:
    """A room where counts by ward were released to bob under a policy that lets every signal be asked for."""
    made: dict[str, tuple[Path, str, Request]] = {}

    def place(kind: str) -> tuple[Path, str, Request]:
        if kind not in made:
            where = copies(*furnished(kind))
            room = Room(*where)
            room.policy({"signals": EVERY, "code": True, "preferences": ["rule", "epsilon"]})
            request = room.submit(BY_WARD, preference={"epsilon": 1.0})
            room.approve(request)
            room.go()
            room.close()
            made[kind] = (*where, request)
        return made[kind]

    return place


@pytest.fixture
def asked(kind: str, answered: Answered) -> Request:
    return answered(kind)[2]


@pytest.fixture
def room(
    request: pytest.FixtureRequest, kind: str, furnished: Callable[[str], tuple[Path, str]], copies: Copies
) -> Iterator[Room]:
    """Nothing was asked yet, unless a test begins with what was."""
    begun = "asked" in request.fixturenames
    made = Room(*copies(*(request.getfixturevalue("answered")(kind)[:2] if begun else furnished(kind))))
    yield made
    made.close()


def submit(room: Room, request: Request, kind: str = "free", by: str = "bob", **said: Any) -> Signal:
    named = {name: said.pop(name) for name in ("task", "code", "idempotency") if name in said}
    if "code" not in named:
        named.setdefault("task", DISTANCE)
    return room.signals.submit(room[by], request.id, 1, kind, how=said, **named)


def approve(room: Room, signal: Signal, by: str = "alice", **how: Any) -> Signal:
    binding = room.signal_decisions.inspect(room[by], signal.id).binding
    return room.signal_decisions.approve(room[by], signal.id, binding, **how)


def state(room: Room, signal: Signal) -> str:
    return str(room.signals.one(room[signal.analyst], signal.id).submission.state)


def result(room: Room, signal: Signal) -> dict[str, Any]:
    return submission_view.signal_result(room.signals.result(room[signal.analyst], signal.id))


def page_of(room: Room, signal: Signal) -> dict[str, Any]:
    return submission_view.signal_page(room.signal_decisions.inspect(room["alice"], signal.id))


# Free


def test_a_free_signal_needs_nobody_and_costs_nothing(room: Room, asked: Request) -> None:
    before, jobs, charged = len(room.entries()), len(room.runner.done), room.charged
    signal = submit(room, asked, task=ABOVE, draws=50)
    assert (signal.state, signal.guarantee, signal.charged) == ("released", "dp", 0.0)
    found = result(room, signal)
    assert (found["draws"], len(found["scores"]), found["cost"]) == (50, 50, 0.0)
    assert found["sentences"][-1].startswith("The signal is computed from the release alone")
    assert (len(room.entries()), len(room.runner.done), room.charged) == (before, jobs, charged)
    assert room.sandbox.runs == []
    assert submission_view.signal(room.signals.one(room["bob"], signal.id))["result"] == found


def test_what_is_stored_has_no_sentences_and_is_read_as_it_was_written(room: Room, asked: Request) -> None:
    signal = submit(room, asked, task=ABOVE, draws=50)
    row = room.ports.rows("signals").one(id=signal.id)
    assert row is not None
    stored = json.loads(room.ports.locks.unseal(row["result"], f"signal {signal.id}"))
    assert {"title", "sentences", "picture", "verdict"}.isdisjoint(stored)
    assert json.loads(json.dumps(room.signals.result(room["bob"], signal.id).stored())) == stored
    assert {"title", "sentences", "picture", "verdict"} == set(result(room, signal)) - set(stored)


def test_a_free_signal_is_about_what_was_released_whatever_comes_later(room: Room, asked: Request) -> None:
    room.datasets.deliver(room["alice"], "stays", [DATA], "csv")
    assert submit(room, asked).state == "released"
    with pytest.raises(Conflict, match="newer data"):
        submit(room, asked, "noisy_difference", epsilon=0.5)


def test_figures_that_a_new_schema_makes_others_are_no_longer_spoken_about(room: Room, asked: Request) -> None:
    room.datasets.describe(room["alice"], "stays", f'unit = "age"\nmax_rows = 2\n{SCHEMA}')
    with pytest.raises(BadInput, match="other data, or under another schema"):
        submit(room, asked)


# Noise, charged


@pytest.mark.parametrize(("wanted", "how"), [("noisy_difference", {}), ("sample_and_aggregate", {"blocks": 5})])
def test_what_is_charged_is_approved_first(room: Room, asked: Request, wanted: str, how: dict[str, Any]) -> None:
    before = room.charged
    signal = submit(room, asked, wanted, epsilon=0.5, **how)
    assert signal.state == "submitted"
    with pytest.raises(AwaitingApproval):
        result(room, signal)
    assert approve(room, signal).state == "approved"
    room.go()
    found = result(room, signal)
    assert (found["guarantee"], found["cost"], found["certificate"]["released_by"]) == ("dp", 0.5, "alice")
    assert room.charged == pytest.approx(before + 0.5)
    shown = room.signals.one(room["bob"], signal.id)
    assert (shown.submission.state, shown.submission.charged) == ("released", 0.5)
    assert [sentence(n) for n in room.notifications.many(room["bob"], limit=2)] == [
        "Signal 1 is available.",
        "Signal 1 was approved.",
    ]
    assert "signal 1 about request 1. It waits for a decision." in sentence(
        room.notifications.many(room["alice"], limit=1)[0]
    )


def test_what_a_policy_approves_by_itself_goes_on(room: Room) -> None:
    room.policy({"signals": EVERY, "code": True, "approve": "automatic"})
    request = room.submit(BY_WARD)
    room.go()
    signal = submit(room, request, "noisy_difference", epsilon=0.5)
    assert signal.state == "approved"
    room.go()
    assert result(room, signal)["guarantee"] == "dp"
    assert submit(room, request, "as_published", task=ABOVE).state == "submitted"
    assert submit(room, request, "free", code=SHARE, range=[0, 1]).state == "submitted"
    automatic = [row for row in room.audit.many(room["eve"]) if row.who == "the policy"]
    assert len(automatic) == 2


def test_a_budget_and_a_ceiling_hold_for_signals_too(room: Room) -> None:
    room.policy({"signals": EVERY}, budget=0.5, epsilon_max=0.4)
    request = room.submit(BY_WARD)
    room.approve(request)
    room.go()
    with pytest.raises(Forbidden, match=r"at most epsilon 0\.4"):
        submit(room, request, "noisy_difference", epsilon=0.45)
    with pytest.raises(BudgetExceeded, match=r"0\.3 of the budget is left"):
        submit(room, request, "noisy_difference", epsilon=0.35)
    with pytest.raises(BudgetExceeded, match="needs epsilon 10"):
        submit(room, request, "as_published")
    signals = [submit(room, request, "noisy_difference", epsilon=0.2, task=DISTANCE | {"reference": r})
               for r in ({"a": 1}, {"b": 1})]  # fmt: skip
    for signal in signals:
        approve(room, signal)
    room.go()
    assert [state(room, signal) for signal in signals] == ["released", "failed"]
    assert "0.4 of 0.5 used" in room.signals.one(room["bob"], signals[1].id).submission.note
    assert room.charged == pytest.approx(0.4)


def test_after_a_look_what_a_person_decides_carries_no_guarantee(room: Room, asked: Request) -> None:
    signal = submit(room, asked, "noisy_difference", epsilon=0.5)
    before = page_of(room, signal)
    assert before["charge"].startswith("The charge is at most epsilon 0.5.")
    room.look()
    page = page_of(room, signal)
    assert (page["guarantee"], page["looked"]) == ("none", True)
    assert page["charge"].startswith("Without a guarantee, a public constant is charged: epsilon 10.")
    with pytest.raises(Forbidden, match="would have the guarantee 'none'"):
        approve(room, signal)
    with pytest.raises(NoGuarantee):
        room.signal_decisions.refuse(room["alice"], signal.id, "no")
    approve(room, signal, preregistered="minutes of 3 May")
    room.go()
    assert result(room, signal)["guarantee"] == "dp"


def test_what_comes_back_after_a_look_says_so(room: Room) -> None:
    room.policy({"signals": EVERY, "guarantees": ["dp", "none"], "preferences": ["rule", "epsilon"]})
    request = room.submit(BY_WARD, preference={"epsilon": 1.0})
    room.approve(request)
    room.go()
    first = submit(room, request, "noisy_difference", epsilon=0.5)
    approve(room, first)
    room.go()
    charged = room.charged
    room.look()
    redraw = submit(room, request, "noisy_difference", epsilon=0.5)
    approve(room, redraw, allow_no_guarantee=True)
    room.go()
    assert room.charged == charged, "it is the same number"
    before, now = result(room, first), result(room, redraw)
    assert (before["noisy"], before["guarantee"], now["guarantee"]) == (now["noisy"], "dp", "none")
    assert "The decision to release it now was made after a look" in now["sentences"][-1]
    assert "guarantee dp" in now["sentences"][-1]
    assert now["sentences"][-1].endswith("its guarantee here is none.")
    assert now["sentences"][:-1] == before["sentences"]


# As published


def test_both_scores_leave_after_two_inspections(room: Room, asked: Request) -> None:
    signal = submit(room, asked, "as_published", task=ABOVE | {"width": 20})
    assert signal.bits == pytest.approx(6.658, abs=0.001)
    with pytest.raises(NoGuarantee):
        approve(room, signal)
    approve(room, signal, allow_no_guarantee=True)
    room.go()
    assert state(room, signal) == "computed"
    page = page_of(room, signal)
    assert page["charge"] is None, "it is charged already"
    assert "Both scores are computed and withheld. Decide" in signalling.page(page)
    assert not any("signal" in e.draft.public for e in room.entries()), "the record may be shown to anybody"
    with pytest.raises(AwaitingApproval, match="withheld"):
        result(room, signal)
    with pytest.raises(Forbidden):
        room.signal_decisions.look(room["bob"], signal.id)
    value = room.signal_decisions.look(room["alice"], signal.id).stored()
    assert (value["exact"], value["decimals"]) == (0.5, 2)
    looks = [e.draft for e in room.entries(Event.LOOKED) if e.draft.who == "alice"]
    assert len(looks) == 2
    approve(room, signal, allow_no_guarantee=True)
    found = result(room, signal)
    assert (found["exact"], found["guarantee"], found["cost"]) == (0.5, "none", None)
    assert room.charged == pytest.approx(11)
    with pytest.raises(Conflict, match="no withheld score"):
        room.signal_decisions.look(room["alice"], signal.id)


def test_in_the_papers_own_order_nothing_carries_a_guarantee(room: Room) -> None:
    room.policy({"signals": EVERY, "approve": "after the answer", "guarantees": ["none"]})
    request = room.submit(BY_WARD)
    for _ in range(2):
        room.approve(request, allow_no_guarantee=True)
        room.go()
    assert room.state(request) == "released"
    with pytest.raises(NoGuarantee, match="the size of its noise is withheld"):
        submit(room, request)
    signal = submit(room, request, "as_published", task=ABOVE)
    for _ in range(2):
        approve(room, signal, allow_no_guarantee=True)
        room.go()
    assert result(room, signal)["guarantee"] == "none"


def test_a_withheld_value_is_not_released_by_editing_its_state(room: Room, asked: Request) -> None:
    signal = submit(room, asked, "as_published", task=ABOVE)
    approve(room, signal, allow_no_guarantee=True)
    room.go()
    room.sql("UPDATE signals SET state = 'released' WHERE id = :id", id=signal.id)
    with pytest.raises(SfumatoError):
        result(room, signal)


def test_exact_scores_stay_within_the_bits_of_an_analyst(room: Room) -> None:
    """Attack 4: three of 6.7 bits do not fit into 20; what was refused unread is given back, what ran is not."""
    room.policy({"signals": EVERY, "code": True, "signal_bits": 14})
    request = room.submit(BY_WARD)
    room.approve(request)
    room.go()
    first = submit(room, request, "as_published", task=ABOVE)
    second = submit(room, request, "as_published", task=ABOVE | {"b": "c"})
    read = len(room.runner.done)
    with pytest.raises(Forbidden, match=r"6\.7 bits, and 13\.3 of the 14 bits"):
        submit(room, request, "as_published", task=ABOVE | {"a": "c"})
    room.signal_decisions.refuse(room["alice"], second.id, "one is enough")
    redraw = submit(room, request, "as_published", task=ABOVE | {"a": "c"})
    assert len(room.runner.done) == read
    approve(room, first, allow_no_guarantee=True)
    room.go()
    assert state(room, first) == "computed"
    room.signal_decisions.refuse(room["alice"], first.id, "not this", allow_no_guarantee=True)
    with pytest.raises(Forbidden, match="are used"):
        submit(room, request, "as_published", task=ABOVE | {"b": "c"})
    page = page_of(room, redraw)
    assert page["bits"]["used"] == pytest.approx(6.658, abs=0.001)
    assert "7.3 of 14 bits" in page["bits"]["sentence"]


def test_a_policy_that_allows_fewer_bits_holds_for_what_waits(room: Room, asked: Request) -> None:
    signal = submit(room, asked, "as_published", task=ABOVE)
    room.policy({"signals": EVERY, "signal_bits": 5})
    with pytest.raises(Forbidden, match=r"6\.7 bits, and 0\.0 of the 5 bits"):
        approve(room, signal, allow_no_guarantee=True)
    assert state(room, signal) == "submitted"


# Code of one's own


def test_code_on_what_was_released_is_read_by_a_controller_and_runs_on_nothing_else(room: Room, asked: Request) -> None:
    signal = submit(room, asked, code=SHARE, range=[0, 1], draws=5)
    assert signal.state == "submitted"
    assert room.sandbox.runs == []
    jobs = len(room.runner.done)
    page = page_of(room, signal)
    assert (page["code"], page["sandbox"], page["charge"]) == (SHARE, None, None)
    assert "The analyst's own function, with scores from 0 to 1:\n    1  def evaluate(tables):" in signalling.page(page)
    approve(room, signal)
    room.go()
    found = result(room, signal)
    assert (found["task"]["task"], found["draws"], found["guarantee"], found["cost"]) == ("own_code", 5, "dp", 0.0)
    tables = [str(tables) for _, tables, _ in room.sandbox.runs]
    assert tables.count(tables[0]) == 1, "a draw that comes to the release again is known"
    assert len(tables) <= 6
    assert not any(padded for _, _, padded in room.sandbox.runs)
    assert len(room.runner.done) == jobs


@pytest.mark.parametrize(
    ("wanted", "how", "runs"),
    [("noisy_difference", {"epsilon": 0.5}, 1), ("sample_and_aggregate", {"epsilon": 0.5, "blocks": 4}, 4)],
)
def test_code_on_exact_answers_is_charged_and_takes_its_time(
    room: Room, asked: Request, wanted: str, how: dict[str, Any], runs: int
) -> None:
    signal = submit(room, asked, wanted, code=SHARE, range=[0, 1], **how)
    approve(room, signal)
    room.go()
    found = result(room, signal)
    assert (found["guarantee"], found["cost"]) == ("dp", 0.5)
    assert "the program that wrote the CSV file closed every quote that it opened" in found["certificate"]["assumed"]
    timed = "the function did not use timing to carry information from one run to another"
    assert (timed in found["certificate"]["assumed"]) == (runs > 1), "nobody is in two blocks, unless runs meet"
    padded = [padded for _, _, padded in room.sandbox.runs]
    assert padded == [False] + [True] * runs
    assert room.charged == pytest.approx(1.5)


def test_code_as_published(room: Room, asked: Request) -> None:
    signal = submit(room, asked, "as_published", code=SHARE, range=[0, 1])
    assert signal.bits == pytest.approx(6.672, abs=0.001), "no_score is told apart from every score"
    approve(room, signal, allow_no_guarantee=True)
    room.go()
    assert room.signal_decisions.look(room["alice"], signal.id).stored()["exact"] == 0.33
    exact = room.sandbox.runs[-1][1]
    assert exact == [{"ward": ["a", "b", "c"], "count(*)": [10, 10, 10]}]
    kept = room.ports.rows("signals").one(id=signal.id)
    assert "10, 10, 10" not in str(kept)


@pytest.mark.parametrize("failing", ["raise ValueError(1)", "return 'a text'", "return float('nan')", "import nothing"])
def test_what_fails_on_exact_answers_is_one_no_score(room: Room, asked: Request, failing: str) -> None:
    released = room.result(asked)["answers"][0]["rows"][0][1]
    code = f"def evaluate(tables):\n    if tables[0]['count(*)'][0] == {released}:\n        return 1\n    {failing}\n"
    signal = submit(room, asked, "as_published", code=code, range=[0, 1])
    approve(room, signal, allow_no_guarantee=True)
    room.go()
    approve(room, signal, allow_no_guarantee=True)
    found = result(room, signal)
    if released != 10:
        assert found["exact"] is None
        assert "Score of the exact answer: no score" in found["sentences"][0]
    assert room.signals.one(room["bob"], signal.id).submission.bits == pytest.approx(6.672, abs=0.001)


def test_code_without_a_score_on_the_release_reads_nobody(room: Room, asked: Request) -> None:
    before, jobs = room.charged, len(room.runner.done)
    signal = submit(room, asked, "noisy_difference", code="def evaluate(tables):\n    1 / 0\n", range=[0, 1], epsilon=1)
    approve(room, signal)
    room.go()
    assert state(room, signal) == "failed"
    assert "no score for the released answer" in room.signals.one(room["bob"], signal.id).submission.note
    assert (room.charged, len(room.runner.done)) == (before, jobs)


def test_without_a_sandbox_code_is_refused_and_nothing_runs(room: Room, asked: Request) -> None:
    """Attack 6: at each step, from submitting to running."""
    signal = submit(room, asked, code=SHARE, range=[0, 1])
    room.sandbox.lacking = "install bubblewrap: apt install bubblewrap."
    assert submission_view.library(room.signals.tasks(room["bob"]))["code"]["ready"] is False
    with pytest.raises(SandboxMissing) as refused:
        submit(room, asked, code=SHARE, range=[0, 1])
    assert "apt install bubblewrap" in refused.value.hint
    with pytest.raises(SandboxMissing):
        approve(room, signal)
    room.sandbox.lacking = None
    approve(room, signal)
    room.sandbox.lacking = "it went away."
    room.go()
    assert state(room, signal) == "failed"
    assert room.sandbox.runs == []
    assert submit(room, asked).state == "released", "a task of ours needs none"


# Approvals


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE signals SET code = replace(code, '[0]', '[1]')",
        "UPDATE signals SET kind = 'as_published', bits = 1",
        'UPDATE signals SET how = \'{"epsilon": 9.0, "range": [0, 1]}\'',
        "UPDATE signals SET query = 2",
        "UPDATE signals SET analyst = 'dan'",
    ],
)
@pytest.mark.parametrize("when", ["before the approval", "after the approval"])
def test_what_is_changed_after_it_was_seen_does_not_run(room: Room, asked: Request, change: str, when: str) -> None:
    """Attack 5: an approval is of the code, the kind, the parameters and the recipient that were seen."""
    signal = submit(room, asked, "noisy_difference", code=SHARE, range=[0, 1], epsilon=0.5)
    binding = room.signal_decisions.inspect(room["alice"], signal.id).binding
    charged = room.charged
    if when == "before the approval":
        room.sql(f"{change} WHERE id = :id", id=signal.id)
        with pytest.raises(SfumatoError):
            room.signal_decisions.approve(room["alice"], signal.id, binding, allow_no_guarantee=True)
    else:
        room.signal_decisions.approve(room["alice"], signal.id, binding)
        room.sql(f"{change} WHERE id = :id", id=signal.id)
    room.go()
    row = room.ports.rows("signals").one(id=signal.id)
    assert row is not None
    assert row["state"] in ("submitted", "failed")
    assert room.sandbox.runs == []
    assert room.charged == charged


def test_new_data_or_another_policy_needs_another_approval(room: Room, asked: Request) -> None:
    first, second = (submit(room, asked, "noisy_difference", epsilon=e) for e in (0.5, 0.6))
    approve(room, first)
    room.policy({"signals": EVERY, "code": True, "preferences": ["rule", "epsilon"]}, budget=100)
    room.go()
    assert state(room, first) == "failed"
    approve(room, second)
    room.datasets.deliver(room["alice"], "stays", [DATA], "csv")
    room.go()
    assert state(room, second) == "failed"
    assert room.charged == 1.0


def test_data_elsewhere_that_is_written_anew_while_code_runs_is_not_scored(room: Room, tmp_path: Path) -> None:
    """Attack 5: between the check of an approval and the reading a function has run for seconds."""
    lies, name = tmp_path / "stays.csv", "elsewhere"
    lies.write_bytes(DATA)
    object.__setattr__(room.ports, "limits", EscrowLimits(references=(str(tmp_path),)))
    room.datasets.register(room["alice"], SCHEMA.replace("stays", name), reference=str(lies))
    flow = {"who": ["everyone"], "signals": EVERY, "code": True, "preferences": ["epsilon"]}
    room.policies.set(room["alice"], name, {"access_rule": [flow]})
    query = {"sql": BY_WARD.replace("stays", name)}
    request = room.requests.submit(room["bob"], name, "planning beds", [query], {"epsilon": 1.0})
    room.approve(request)
    room.go()
    signal = submit(room, request, "as_published", code=SHARE, range=[0, 1])
    approve(room, signal, allow_no_guarantee=True)

    def written_anew(_job: Mapping[str, Any]) -> None:
        lies.write_bytes(DATA.replace(b",b\n", b",a\n"))

    room.runner.meanwhile = written_anew
    room.go()
    assert state(room, signal) == "failed"
    assert [padded for _, _, padded in room.sandbox.runs] == [False], "on the release alone"


def test_an_approval_that_the_ledger_does_not_have_is_none(room: Room, asked: Request) -> None:
    signal = submit(room, asked, "noisy_difference", epsilon=0.5)
    said = {
        "who": "alice",
        "act": "approve",
        "binding": signal.binding,
        "state": "submitted",
        "allow_no_guarantee": False,
    }
    decided = json.dumps([said | {"preregistered": "", "note": "", "at": ""}], sort_keys=True)
    room.sql("UPDATE signals SET state = 'approved', decided_by = :by WHERE id = :id", by=decided, id=signal.id)
    room.escrow.resume()
    room.go()
    assert state(room, signal) == "failed"
    assert room.charged == 1.0


def test_several_have_to_approve_where_the_policy_says_so(room: Room) -> None:
    room.policy({"signals": EVERY, "approvals": 2})
    request = room.submit(BY_WARD)
    for name in ("alice", "carol"):
        room.approve(request, by=name)
    room.go()
    signal = submit(room, request, "noisy_difference", epsilon=0.5)
    assert [one.submission.id for one in room.signals.many(room["carol"], waiting=True)] == [signal.id]
    assert approve(room, signal).state == "submitted"
    assert room.signals.many(room["alice"], waiting=True) == []
    assert approve(room, signal, by="carol").state == "approved"
    assert approve(room, signal, by="carol").state == "approved", "a second click changes nothing"
    room.go()
    assert state(room, signal) == "released"


# What else is refused, and to whom


def test_a_policy_lets_free_signals_be_asked_for_and_no_others_by_itself(room: Room) -> None:
    room.policy()
    request = room.submit(BY_WARD)
    room.approve(request)
    room.go()
    assert submit(room, request).state == "released"
    for kind in ("noisy_difference", "as_published"):
        with pytest.raises(Forbidden, match="does not allow you to ask for the signal"):
            submit(room, request, kind, epsilon=1.0 if kind == "noisy_difference" else None)
    with pytest.raises(Forbidden, match="submit your own code"):
        submit(room, request, code=SHARE, range=[0, 1])
    assert room.signals.many(room["bob"])[0].submission.state == "released"


@pytest.mark.parametrize(
    ("said", "error", "match"),
    [
        ({"task": None}, BadInput, "either a task or your own code"),
        ({"code": SHARE, "task": ABOVE, "range": [0, 1]}, BadInput, "either a task or your own code"),
        ({"code": SHARE}, BadInput, "range of the scores is stated for your own code"),
        ({"code": SHARE, "range": [1, 0]}, BadInput, "needs a lower end below its upper end"),
        ({"code": SHARE, "range": [0, 0.005]}, BadInput, "needs a lower end below its upper end"),
        (
            {"code": "def evaluate(t):\n    return 1 \u202e", "range": [0, 1]},
            BadInput,
            "characters that are not visible",
        ),
        ({"code": " ", "range": [0, 1]}, BadInput, "1 to 20,000 characters"),
        ({"code": SHARE, "range": [0, 1], "draws": 101}, BadInput, "too many of them"),
        ({"range": [0, 1]}, BadInput, "and only for that"),
        ({"task": {"task": "guess"}}, BadInput, "There is no task"),
        ({"task": {"column": "count(*)"}}, BadInput, "The task has no name"),
        ({"task": ABOVE | {"column": "n"}}, BadInput, "no figure 'n'"),
        ({"kind": "loud"}, BadInput, "There is no signal"),
        ({"kind": "noisy_difference"}, BadInput, "an epsilon of its own"),
        ({"epsilon": 1.0}, BadInput, "spends no epsilon"),
        ({"kind": "noisy_difference", "epsilon": 1.0, "task": ABOVE}, NoMechanism, "by its whole range"),
        ({"what": 1}, BadInput, "no option 'what'"),
    ],
)
def test_what_cannot_be_is_refused_before_it_is_kept(
    room: Room, asked: Request, said: dict[str, Any], error: type[SfumatoError], match: str
) -> None:
    with pytest.raises(error, match=match):
        submit(room, asked, **said)
    assert room.signals.many(room["bob"]) == []


def test_only_whoever_asked_asks_about_it_once_it_is_released(room: Room, asked: Request) -> None:
    with pytest.raises(NotFound):
        submit(room, asked, by="dan")
    with pytest.raises(Forbidden):
        submit(room, asked, by="alice")
    with pytest.raises(BadInput, match="no query 2"):
        room.signals.submit(room["bob"], asked.id, 2, "free", task=ABOVE)
    waiting = room.submit(COUNT)
    with pytest.raises(AwaitingApproval):
        submit(room, waiting)
    signal = submit(room, asked, "noisy_difference", epsilon=0.5)
    for who in ("bob", "dan", "eve"):
        with pytest.raises((Forbidden, NotFound)):
            approve(room, signal, by=who)
    with pytest.raises(NotFound):
        room.signals.one(room["dan"], signal.id)
    with pytest.raises(Forbidden):
        room.signals.withdraw(room["alice"], signal.id)
    assert room.signals.withdraw(room["bob"], signal.id).state == "withdrawn"
    with pytest.raises(Gone):
        result(room, signal)
    with pytest.raises(Conflict, match="The signal is withdrawn"):
        approve(room, signal)


def test_a_signal_is_returned_with_a_note(room: Room, asked: Request) -> None:
    signal = submit(room, asked, "noisy_difference", epsilon=0.5)
    with pytest.raises(BadInput):
        room.signal_decisions.return_(room["alice"], signal.id, " ")
    room.signal_decisions.return_(room["alice"], signal.id, "less, please")
    shown = room.signals.one(room["bob"], signal.id)
    assert (shown.submission.state, shown.submission.note) == ("returned", "less, please")


def test_a_submission_that_is_sent_twice_is_one(room: Room, asked: Request) -> None:
    first = submit(room, asked, "noisy_difference", epsilon=0.5, idempotency="k")
    assert submit(room, asked, "noisy_difference", epsilon=0.5, idempotency="k") == first
    with pytest.raises(Conflict, match="another signal"):
        submit(room, asked, "noisy_difference", epsilon=0.6, idempotency="k")


def test_what_ran_when_the_server_stopped_counts_as_spent(room: Room, asked: Request) -> None:
    running, waiting = (submit(room, asked, "noisy_difference", epsilon=e) for e in (0.5, 0.6))
    for signal in (running, waiting):
        approve(room, signal)
    room.waiting.clear()
    room.sql("UPDATE signals SET state = 'running' WHERE id = :id", id=running.id)
    assert room.escrow.resume() == 1
    room.go()
    assert (state(room, running), state(room, waiting)) == ("failed", "released")


def test_functions_wait_for_each_other_and_nothing_else_waits_for_them(room: Room, asked: Request) -> None:
    own = [submit(room, asked, "free", code=SHARE, range=[0, 1], draws=n) for n in (2, 3)]
    other = submit(room, asked, "noisy_difference", epsilon=0.5)
    for signal in (*own, other):
        approve(room, signal)
    while room.waiting:
        room.waiting.pop(0)()
    assert [state(room, signal) for signal in (*own, other)] == ["approved", "approved", "released"]
    room.go()
    assert [state(room, signal) for signal in own] == ["released", "released"]


def test_a_function_says_how_far_it_is_and_is_stopped_by_whoever_asked(room: Room, asked: Request) -> None:
    signal = submit(room, asked, "sample_and_aggregate", code=SHARE, range=[0, 1], blocks=4, epsilon=0.5)
    approve(room, signal)
    seen: list[str] = []

    def meanwhile() -> None:
        seen.append(submission_view.signal(room.signals.one(room["bob"], signal.id))["next"])
        if len(seen) == 3:
            with pytest.raises(Forbidden):
                room.signals.withdraw(room["alice"], signal.id)
            assert room.signals.withdraw(room["bob"], signal.id).state == "running"

    room.sandbox.meanwhile = meanwhile
    charged = room.charged
    room.go()
    assert seen == [f"It is being computed. Run {run} of at most 5." for run in (1, 2, 3)]
    assert state(room, signal) == "failed"
    assert "cancelled" in room.signals.one(room["bob"], signal.id).submission.note
    assert room.charged == pytest.approx(charged + 0.5), "it was charged before anybody was read"
    with pytest.raises(Conflict):
        room.signals.withdraw(room["bob"], signal.id)


def test_a_state_that_is_none_is_refused(room: Room, asked: Request) -> None:
    for many in (room.signals.many, room.requests.many):
        with pytest.raises(BadInput, match="no state 'nonsense'"):
            many(room["bob"], state="nonsense")


def test_answers_that_are_no_longer_kept_have_no_signals(room: Room) -> None:
    room.policy({"signals": EVERY}, retention={"answers_days": 2})
    request = room.submit(BY_WARD)
    room.approve(request)
    room.go()
    signal = submit(room, request)
    room.pass_(days=3)
    for ask in (lambda: submit(room, request), lambda: result(room, signal)):
        with pytest.raises(Gone):
            ask()
