"""Signals by the API: what an analyst sees of one is a fixed list, state by state; without a sandbox it is a 501."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

from sfumato.adapters.sandbox.bubblewrap import Bubblewrap
from sfumato.adapters.sandbox.limits import SandboxLimits
from sfumato.errors import EngineFailure
from sfumato.escrow.submissions.code_review import fingerprint
from sfumato.ports import Columns
from sfumato.presentation.escrow import signals_view as signalling
from tests.api import STATES, Api
from tests.room import BOARD, BY_WARD

CODE = "def evaluate(tables):\n    counts = tables[0]['count(*)']\n    return counts[0] / max(1, sum(counts))\n"
TASK = {"task": "histogram_distance", "column": "count(*)"}
_WANTED = {
    "id", "number", "request", "dataset", "query", "kind", "task", "code", "range", "epsilon", "blocks", "draws",
    "by_range", "bits", "state", "next", "submitted_at", "due",
}  # fmt: skip
_SETTLED = _WANTED | {"decided_at"}
_APPROVED = _SETTLED | {"starts_at"}
SEEN = {
    "submitted": _WANTED,
    "withdrawn": _WANTED,
    "returned": _SETTLED | {"note", "guarantee"},
    "refused": _SETTLED | {"note", "guarantee"},
    "approved": _APPROVED,
    "running": _SETTLED,
    "computed": _SETTLED,
    "released": _SETTLED | {"note", "guarantee", "charged", "result"},
    "failed": _SETTLED | {"note"},
}


@pytest.fixture
def asked(api: Api) -> str:
    """The number of a request of bob's that was answered, where every signal may be asked for."""
    room = api.room
    every = ["free", "noisy_difference", "sample_and_aggregate", "as_published"]
    room.policy({"who": [BOARD], "signals": every, "code": True, "signal_bits": 100})
    request = room.submit(BY_WARD)
    room.approve(request)
    room.go()
    return str(request.number)


def post(api: Api, number: str, **said: Any) -> dict[str, Any]:
    answer = api("bob", "POST", f"/requests/{number}/signals", json=said)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def decided(api: Api, id: str, verb: str, **said: Any) -> None:
    if verb == "approve":
        said |= {"binding": api("alice", "GET", f"/signals/{id}/page").json()["binding"]}
    answer = api("alice", "POST", f"/signals/{id}/{verb}", json=said)
    assert answer.status_code == 200, answer.text


def brought(api: Api, number: str, state: str) -> str:
    """A signal that has come as far as this."""
    room = api.room
    kind = {"computed": "as_published"}.get(state, "noisy_difference")
    epsilon = {} if state == "computed" else {"epsilon": 0.1}
    id = str(post(api, number, kind=kind, task=TASK, **epsilon)["id"])
    if state in ("returned", "refused"):
        decided(api, id, state.removesuffix("ed").replace("refus", "refuse"), note="another")
    elif state == "withdrawn":
        assert api("bob", "POST", f"/signals/{id}/withdraw").status_code == 200
    elif state != "submitted":
        decided(api, id, "approve", allow_no_guarantee=state == "computed", note="go on")
        if state in ("approved", "running"):
            room.waiting.clear()
        if state == "running":
            room.sql("UPDATE signals SET state = 'running' WHERE id = :id", id=id)
        if state == "failed":
            room.runner.meanwhile = _fails
        room.go()
        room.runner.meanwhile = lambda _job: None
    return id


def _fails(_job: object) -> None:
    raise EngineFailure


def test_of_a_signal_what_its_state_lets_an_analyst_see(api: Api, asked: str) -> None:
    last = ("failed", "computed")  # after these a decision carries no guarantee
    ids = {state: brought(api, asked, state) for state in (*(state for state in STATES if state not in last), *last)}
    for state, id in ids.items():
        shown = api("bob", "GET", f"/signals/{id}").json()
        assert (shown["state"], set(shown)) == (state, SEEN[state])
        expected = {"released": 200, "returned": 410, "refused": 410, "withdrawn": 410, "failed": 410}
        assert api("bob", "GET", f"/signals/{id}/result").status_code == expected.get(state, 202), state
        for who in ("dan", "fay", "root"):
            assert api(who, "GET", f"/signals/{id}").status_code == 404, state
        assert api("eve", "GET", f"/signals/{id}").json()["result"] is None, "an auditor sees that it is there"
    for path in ("/signals", f"/requests/{asked}/signals"):
        listed = {one["id"]: set(one) for one in api("bob", "GET", path).json()["items"]}
        assert listed == {id: SEEN[state] for state, id in ids.items()}
    for who in ("dan", "fay", "root"):
        assert api(who, "GET", "/signals").json()["items"] == []


def test_a_withheld_score_reaches_no_analyst(api: Api, asked: str) -> None:
    id = brought(api, asked, "computed")
    seen = api("alice", "POST", f"/signals/{id}/value").json()
    assert seen["exact"] is not None
    for method, path in (("GET", ""), ("GET", "/result"), ("GET", "/page"), ("POST", "/value")):
        answer = api("bob", method, f"/signals/{id}{path}")
        assert "exact" not in answer.text.replace("exact answer", "").replace("exact scores", "")


def test_the_page_of_code_has_its_marks(api: Api, asked: str) -> None:
    code = "import os\ndef evaluate(tables):\n    for row in tables[0].iterrows():\n        pass\n    return 1\n"
    id = post(api, asked, code=code, range=[0, 1])["id"]
    page = api("alice", "GET", f"/signals/{id}/page").json()
    assert {mark["line"] for mark in page["marks"]} == {1, 3}
    assert api("bob", "GET", f"/signals/{id}/page").status_code == 403


def test_attack_6_without_a_sandbox_it_is_501_and_nothing_is_kept_or_run(api: Api, asked: str) -> None:
    api.room.sandbox.lacking = "install bubblewrap: apt install bubblewrap."
    before = (len(api.room.entries()), api.room.ports.rows("signals").many())
    answer = api("bob", "POST", f"/requests/{asked}/signals", json={"code": CODE, "range": [0, 1]})
    assert (answer.status_code, answer.json()["code"]) == (501, "sandbox_unavailable")
    assert "apt install" in answer.json()["hint"]
    assert (len(api.room.entries()), api.room.ports.rows("signals").many()) == before
    assert api.room.sandbox.runs == []
    told = api("bob", "GET", "/tasks").json()
    assert told["code"]["ready"] is False
    assert {task["name"] for task in told["tasks"]} >= {"above", "classifier", "formula", "t_test"}
    assert told["kinds"][0]["kind"] == "free"


def test_the_tasks_are_told_with_their_ranges_and_how_long_code_takes(api: Api) -> None:
    told = api("bob", "GET", "/tasks").json()
    said = " ".join(signalling.library(told).split())
    assert "rank_agreement column, [reference] -1 to 1 Kendall" in said
    assert "formula expression, low, high, [otherwise] low to high Value of an expression" in said
    assert f"On exact answers each run takes {told['code']['seconds']:g} seconds" in said


@pytest.mark.parametrize(
    ("code", "where"), [("def evaluate(tables: 1", "line 1"), ("\nevaluate(", "line 2"), ("mine.py", "line 1")]
)
def test_code_that_has_no_score_by_its_text_waits_for_nobody(api: Api, asked: str, code: str, where: str) -> None:
    answer = api("bob", "POST", f"/requests/{asked}/signals", json={"code": code, "range": [0, 1]})
    assert (answer.status_code, answer.json()["code"]) == (422, "input")
    assert "so it has no score" in answer.text
    assert answer.json()["where"] == where
    assert api("alice", "GET", "/signals?waiting=true").json()["items"] == []


ENDLESS = "import time; time.sleep(10**6)"
FAILING = {  # one of each way to end; all of them are tried in tests/contract/test_sandbox.py
    "an exception": "raise ValueError('secret')",
    "a hard exit": "import os; os._exit(42)",
    "two numbers": "import os; os.write(0, bytes(8)); return 0.5",
    "no end": ENDLESS,
    "a word before it fails": "print('secret'); import os; os.write(2, b'secret'); return None",
}


def test_whatever_fails_on_the_exact_answer_is_the_same_in_every_response(api: Api) -> None:
    """In the real sandbox; but for what was sent, the signal's own numbers and the time, byte by byte."""
    patient, short = (Bubblewrap(SandboxLimits(seconds=seconds), pause=lambda _: None) for seconds in (300, 2))
    if missing := patient._lacking():
        pytest.skip(missing.hint)
    for real in (patient, short):
        real._verdict.append(None)  # its self-test is shown elsewhere

    def score(code: str, tables: Sequence[Columns], *, padded: bool = True) -> float | None:
        """Nobody waits long for what has no end; whatever scores has as long as a busy machine takes."""
        has_no_end = ENDLESS in code and list(tables[0]["count(*)"]) == [10, 10, 10]
        return (short if has_no_end else patient).score(code, tables, padded=padded)

    api.room.sandbox.score = score  # type: ignore[method-assign]
    flow = {"preferences": ["epsilon"], "signals": ["as_published"], "code": True, "signal_bits": 100}
    api.room.policy({"who": [BOARD], **flow})
    request = api.room.submit(BY_WARD, preference={"epsilon": 0.01})  # the noise is not 0 three times
    api.room.approve(request)
    api.room.go()
    api.room.look()  # whoever approves has seen something before the first of them, as before the others
    seen = {_failed(api, str(request.number), failing) for failing in FAILING.values()}
    assert len(seen) == 1
    assert "secret" not in str(seen)


def _failed(api: Api, request: str, failing: str) -> tuple[str, ...]:
    """All that anybody is told of a function that scores on what was released, and not on the exact answer."""
    code = f"def evaluate(tables):\n    if tables[0]['count(*)'].tolist() != [10, 10, 10]: return 1\n    {failing}\n"
    made = post(api, request, kind="as_published", code=code, range=[0, 1])
    said = []
    for looks in ([("alice", "POST", "/value")], [("bob", "GET", ""), ("bob", "GET", "/result")]):
        decided(api, made["id"], "approve", allow_no_guarantee=True)
        api.room.go()
        said += [api(who, method, f"/signals/{made['id']}{path}") for who, method, path in looks]
    assert [answer.status_code for answer in said] == [200, 200, 200]
    assert said[2].json()["exact"] is None
    own = "|".join(map(re.escape, (json.dumps(code), made["id"], fingerprint(code))))
    own += r'|"(number|ledger_entry)":\d+|"released_at":"[^"]+"'
    return tuple(re.sub(own, "", answer.text) for answer in said)


def test_the_same_key_is_the_same_signal(api: Api, asked: str) -> None:
    said = {"kind": "noisy_difference", "epsilon": 0.1, "task": TASK}
    key = {"Idempotency-Key": "once"}
    first, second = (api("bob", "POST", f"/requests/{asked}/signals", json=said, headers=key) for _ in range(2))
    assert first.json() == second.json()
    other = api("bob", "POST", f"/requests/{asked}/signals", json=said | {"epsilon": 0.2}, headers=key)
    assert other.status_code == 409
