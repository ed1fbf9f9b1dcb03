"""Each route is one verb of the escrow: what was sent is what the verb is given."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from sfumato.escrow.audit_log import AuditEnds, AuditHead
from sfumato.escrow.catalogue.datasets import DatasetFilter, DatasetLedger
from sfumato.escrow.catalogue.entries import CatalogueEntry, DatasetAccess
from sfumato.escrow.dataset import Version
from sfumato.escrow.identity.accounts import ActiveSession, PersonFilter, Token
from sfumato.escrow.identity.person import Person
from sfumato.escrow.notifications import Happened, Notification, Topic
from sfumato.escrow.policy.draft import SchemaDraft
from sfumato.escrow.policy.policy import AccessRule, Policy
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.questions.risk_facts import DryRunFacts, HistogramFacts, RehearsalFacts, RiskFacts
from sfumato.escrow.submissions.lifecycle import State
from sfumato.escrow.submissions.request_payload import AnswersBesideTrue, ReleasedAnswers, Request, RequestApprovalFacts
from sfumato.escrow.submissions.requests import DecisionPreviews
from sfumato.escrow.submissions.scoring import SignalResult
from sfumato.escrow.submissions.signal_payload import Signal, SignalApprovalFacts
from sfumato.escrow.submissions.signals import TaskLibrary
from sfumato.escrow.submissions.store import SubmissionFilter
from sfumato.escrow.submissions.visibility import visible
from sfumato.ledger.audit_log import AuditEntry
from sfumato.ledger.history import Record
from sfumato.model.budget import NO_BUDGET
from sfumato.model.choice import Noise
from sfumato.model.fit import Fit
from sfumato.model.guarantee import Guarantee
from sfumato.model.guess_view import GuessView
from sfumato.model.method_comparison import MethodComparison
from sfumato.model.noise_view import NoiseView
from sfumato.model.plain import to_plain
from sfumato.model.release import ReleaseCertificate
from sfumato.model.risk import Source
from sfumato.model.signal_score import PublishedScore, SignalKind
from sfumato.presentation.posthoc_view import PosthocFacts
from sfumato.release.difference import Cell, Difference
from sfumato.schema.read import from_dict
from sfumato.schema.write import write
from tests.examples import made_up
from tests.served import ESTIMATE, Caller, Nouns, app_on, operations, person

DATASET = made_up(DatasetAccess, name="adult")
TOKEN = made_up(Token, id="t1")
SUBMITTED: dict[str, Any] = {"state": State.SUBMITTED, "guarantee": None, "decided_by": ()}
REQUEST = visible(made_up(Request, id="r1", number=7, **SUBMITTED), to_controller=True)
SIGNAL = visible(made_up(Signal, id="s1", number=3, kind=SignalKind.FREE, how={}, **SUBMITTED), to_controller=True)
SCORED = PublishedScore({"task": "top_k"}, (0.0, 1.0), 0.5, made_up(ReleaseCertificate, guarantee="none"), 0.5, 2, 6.7)
RESULT = SignalResult(SCORED, Guarantee.NONE)
POLICY = Policy(access_rules=())
SIGNED = SignedPolicy("adult", 1, "alice", "x", POLICY)
LEDGER = DatasetLedger(Record("adult"), NO_BUDGET, frozenset(), True)
DECIDED: dict[str, Any] = {"binding": "b", "analyst": person("bob"), "access": AccessRule(who=("bob",))}
DECIDED |= {"approved_by": (), "looked": False, "warning": None, "policy": POLICY}
ANSWERS = ReleasedAnswers((), Guarantee.DP, 0.2)
NOTICE = Notification("n1", 1, "alice", "x", "x", None, Happened.REQUEST_FAILED, {"number": 7})


END = {"number": 3, "digest": "x"}
HEAD = {"ledger": END, "audit": END, "at": "x", "by": "x", "public_key": "x", "signature": "x"}


def nouns() -> Nouns:
    made = Nouns()
    made.accounts.answers = {
        "add": person("bob"),
        "change": person("bob"),
        "many": [person("alice"), person("bob")],
        "count": 2,
        "sessions": [made_up(ActiveSession)],
        "tokens": [TOKEN],
        "new_token": (TOKEN, "the secret"),
        "introduce": [],
    }
    made.datasets.answers = {
        "register": DATASET,
        "many": [made_up(CatalogueEntry)],
        "count": 1,
        "one": DATASET,
        "versions": [made_up(Version)],
        "connect": made_up(Version),
        "ledger": LEDGER,
        "state_cause": LEDGER,
        "deliver": made_up(Version),
    }
    made.questions.answers |= {
        "estimate": ESTIMATE,
        "dry_run": DryRunFacts((), True, 1000),
        "worst_case": made_up(RiskFacts),
        "rehearse": made_up(RehearsalFacts),
        "explore": {"a": 1},
        "exposure_histogram": made_up(HistogramFacts),
        "look": made_up(RiskFacts),
        "check": made_up(Fit),
    }
    made.questions.answers["compare"] = MethodComparison("Q", Noise(), (), None, looked=False)
    made.questions.answers["noise"] = SimpleNamespace(view=made_up(NoiseView))
    made.policies.answers = {"set": SIGNED, "current": SIGNED, "history": [SIGNED], "check": POLICY}
    made.policies.answers |= {"check_schema": SchemaDraft("t", "S", from_dict({"name": "t"}), POLICY)}
    made.requests.answers = {
        "guessing": GuessView("Q", "one of 4", 0.25, "laplace", None, (), ()),
        "submit": REQUEST.submission,
        "listed": [REQUEST],
        "counts": {State.SUBMITTED: 1},
        "get": (REQUEST.submission, DATASET),
        "preview_each": DecisionPreviews((), 0.0, 0.0),
        "one": REQUEST,
        "result": ANSWERS,
        "difference": Difference(3, 1, 5, picked=False),
        "posthoc_risk": to_plain(made_up(PosthocFacts)),
    }
    asked: dict[str, Any] = {"facts": ESTIMATE.facts, "guarantee_before_approval": Guarantee.DP, "rehearsal": None}
    inspected = RequestApprovalFacts(submission=REQUEST, **asked, **DECIDED)
    made.requests.approval.answers = {"inspect": inspected, "look": AnswersBesideTrue((), (), ())}
    made.signals.answers = {
        "tasks": TaskLibrary((), None, 30),
        "submit": SIGNAL.submission,
        "listed": [SIGNAL],
        "counts": {State.SUBMITTED: 1},
        "one": SIGNAL,
        "result": RESULT,
    }
    about: dict[str, Any] = {"request": REQUEST.submission, "sql": "Q", "marks": (), "sandbox": None, "bits_used": 0.0}
    about |= {"guarantee": Guarantee.DP, "epsilon": 0.0, "charge": None}
    page = SignalApprovalFacts(submission=SIGNAL, **about, **DECIDED)
    made.signals.approval.answers = {"inspect": page, "look": RESULT, "waiting": [SIGNAL], "count_waiting": 1}
    made.notifications.answers = {"many": [NOTICE], "count": 1, "muted": ()}
    made.audit.answers = {"many": [made_up(AuditEntry)], "head": made_up(AuditHead), "verify": made_up(AuditEnds)}
    return made


ASKED = {"queries": [{"sql": "Q", "weight": 2}], "preference": {"gap": 1.2}}
NOISE_TERMS = {
    "probabilities": (0.5, 0.3, 0.1), "expected": None, "expected_count": None, "within": None, "relative_error": 0.1,
    "confidence": 0.9, "mechanism": "laplace", "delta": None,
}  # fmt: skip
GIVEN_ASKED = ([{"sql": "Q", "weight": 2.0, "index": None, "expected": None, "signal": None}], {"gap": 1.2})
# method, address, body, status, the verb, what it is given after the person who acts
BOUND = {"binding": "b", "note": "", "preregistered": "", "at_once": False, "by_session": False}
ALLOWING, REFUSING = {"allow_no_guarantee": True}, {"allow_no_guarantee": False}
ROUTES: list[tuple[str, str, Any, int, str, tuple[Any, ...], dict[str, Any]]] = [
    ("GET", "/sessions", None, 200, "sessions", (None,), {}),
    ("DELETE", "/sessions", None, 204, "end_other_sessions", (None,), {}),
    ("DELETE", "/sessions/s1", None, 204, "end_session", ("s1",), {}),
    ("GET", "/tokens", None, 200, "tokens", (), {}),
    ("POST", "/tokens", {"label": "x"}, 201, "new_token", ("x", 90, ("read", "write")), {"person": None}),
    ("DELETE", "/tokens/t1", None, 204, "revoke", ("t1",), {}),
    (
        "GET", "/people?after=a&limit=7&search=x", None, 200,
        "many", ("a", 8), {"filter": PersonFilter(search="x")},
    ),
    (
        "POST", "/people", {"name": "bob", "roles": ["analyst"]}, 201,
        "add", ("bob", ["analyst"]), {"organisation": "", "password": None},
    ),
    (
        "PATCH", "/people/bob", {"disabled": True}, 200,
        "change", ("bob",),
        {"roles": None, "organisation": None, "disabled": True, "password": None, "current_password": None},
    ),
    (
        "GET", "/datasets?retired=true", None, 200,
        "many", (None, 101), {"filter": DatasetFilter(retired=True)},
    ),
    ("POST", "/datasets", {"schema_text": "S"}, 201, "register", ("S",),
     {"title": "", "reference": None, "connection": None, "population": ""}),
    ("PUT", "/datasets/adult/connection", {}, 200, "connect", ("adult", None), {}),
    (
        "POST", "/datasets/check-schema", {"schema_table": {"name": "t"}, "policy": {"access_rule": [1]}}, 200,
        "check_schema", (write(from_dict({"name": "t"})), {"access_rule": [1]}), {},
    ),
    ("POST", "/datasets/adult/check-policy", {"policy_text": "budget = 3"}, 200, "check", ("adult", "budget = 3"), {}),
    ("GET", "/datasets/adult", None, 200, "one", ("adult",), {}),
    ("PUT", "/datasets/adult/schema", {"schema_text": "S"}, 200, "describe", ("adult", "S"), {}),
    ("PUT", "/datasets/adult/population", {"population": "p"}, 200, "populate", ("adult", "p"), {}),
    ("PUT", "/datasets/adult/controllers", {"controllers": ["a"]}, 200, "controllers", ("adult", ["a"]), {}),
    ("DELETE", "/datasets/adult", None, 204, "retire", ("adult",), {}),
    ("GET", "/datasets/adult/versions", None, 200, "versions", ("adult",), {}),
    ("GET", "/datasets/adult/ledger", None, 200, "ledger", ("adult",), {}),
    ("POST", "/datasets/adult/failures", {"entry": 7, "cause": "disk"}, 200, "state_cause", ("adult", 7, "disk"), {}),
    ("GET", "/datasets/adult/policy", None, 200, "current", ("adult",), {}),
    ("PUT", "/datasets/adult/policy", {"access_rule": [1]}, 200, "set", ("adult", {"access_rule": [1]}), REFUSING),
    ("GET", "/datasets/adult/policies", None, 200, "history", ("adult",), {}),
    ("POST", "/datasets/adult/estimate", ASKED, 200, "estimate", ("adult", *GIVEN_ASKED, None), {}),
    ("POST", "/datasets/adult/dry-run", ASKED, 200, "dry_run", ("adult", *GIVEN_ASKED), {}),
    ("POST", "/datasets/adult/worst-case", {"sql": "Q"}, 200, "worst_case", ("adult", "Q", {}), {}),
    ("POST", "/datasets/adult/rehearse", {"sql": "Q"}, 200, "rehearse", ("adult", "Q", None, None), {}),
    ("POST", "/datasets/adult/compare", {"sql": "Q"}, 200, "compare", ("adult", "Q", None, None), {}),
    (
        "POST", "/datasets/adult/exposure-histogram", {"sql": "Q", "epsilon": 0.05, "how": {"bins": 4}}, 200,
        "exposure_histogram", ("adult", "Q", 0.05, {"bins": 4}), {},
    ),
    ("POST", "/datasets/adult/risk", {"sql": "Q"}, 200, "look", ("adult", "Q", {}), {}),
    ("POST", "/datasets/adult/check", None, 200, "check", ("adult",), {}),
    (
        "POST", "/datasets/adult/explore", {"sql": "Q", "source": "people", "preference": {"gap": 2.0}, "now": 1.0},
        200, "explore", ("adult", "Q", Source.PEOPLE, {}),
        {"epsilon": None, "preference": {"gap": 2.0}, "now": 1.0, "limit": None, "accuracy": None,
         "candidates": None},
    ),
    (
        "GET", "/requests?state=released&dataset=adult&after=9&limit=3", None, 200,
        "listed", (SubmissionFilter(state=(State.RELEASED,), dataset="adult"),), {"after": 9, "limit": 4},
    ),
    (
        "POST", "/requests/decision-preview", {"ids": ["r1", "r2"]}, 200,
        "preview_each", (["r1", "r2"],), {},
    ),
    (
        "POST", "/requests", ASKED | {"dataset": "adult", "purpose": "why"}, 201,
        "submit", ("adult", "why", *GIVEN_ASKED), {"accuracy": None, "due": None, "idempotency": "key-1"},
    ),
    ("GET", "/requests/r1", None, 200, "one", ("r1",), {}),
    ("GET", "/requests/r1/page", None, 200, "inspect", ("r1",), {}),
    ("POST", "/requests/r1/answer", None, 200, "look", ("r1",), {}),
    (
        "POST", "/requests/r1/approve", {"binding": "b"}, 200,
        "approve", ("r1",),
        BOUND | {"allow_no_guarantee": False},
    ),
    ("POST", "/requests/r1/undo", None, 200, "undo", ("r1",), {"allow_no_guarantee": False}),
    ("POST", "/requests/r1/assign", {"to": "carol"}, 200, "assign", ("r1", "carol"), {}),
    ("POST", "/requests/r1/return", {"note": "n"}, 200, "return_", ("r1", "n"), {"allow_no_guarantee": False}),
    ("POST", "/requests/r1/refuse", ALLOWING, 200, "refuse", ("r1", ""), ALLOWING),
    ("POST", "/requests/r1/withdraw", None, 200, "withdraw", ("r1",), {}),
    ("POST", "/requests/r1/cancel", {"allow_no_guarantee": True}, 200, "cancel", ("r1",), {"allow_no_guarantee": True}),
    ("GET", "/requests/r1/result", None, 200, "result", ("r1",), {}),
    (
        "POST", "/requests/r1/difference",
        {"first": {"row": 1, "column": 2}, "second": {"query": 2, "row": 3, "column": 2}}, 200,
        "difference", ("r1", Cell(1, 1, 2), Cell(2, 3, 2)), {},
    ),
    ("GET", "/tasks", None, 200, "tasks", (), {}),
    (
        "POST", "/requests/r1/signals", {"kind": "noisy_difference", "task": {"task": "top_k"}, "epsilon": 0.5}, 201,
        "submit", ("r1", 1, "noisy_difference"),
        {
            "task": {"task": "top_k"}, "code": None, "idempotency": "key-1",
            "how": {"range": None, "epsilon": 0.5, "blocks": None, "draws": None, "by_range": False},
        },
    ),
    (
        "GET", "/requests/r1/signals?limit=3", None, 200,
        "listed", (SubmissionFilter(request="r1"),), {"after": None, "limit": 4},
    ),
    (
        "GET", "/signals?state=released&waiting=true&after=9", None, 200,
        "waiting", (101,), {"filter": SubmissionFilter(state=(State.RELEASED,)), "after": 9},
    ),
    ("GET", "/signals/s1", None, 200, "one", ("s1",), {}),
    ("GET", "/signals/s1/page", None, 200, "inspect", ("s1",), {}),
    ("POST", "/signals/s1/value", None, 200, "look", ("s1",), {}),
    (
        "POST", "/signals/s1/approve", {"binding": "b", "allow_no_guarantee": True}, 200,
        "approve", ("s1",),
        BOUND | {"allow_no_guarantee": True},
    ),
    ("POST", "/signals/s1/undo", ALLOWING, 200, "undo", ("s1",), ALLOWING),
    ("POST", "/signals/s1/assign", {}, 200, "assign", ("s1", None), {}),
    ("POST", "/signals/s1/return", {"note": "n"}, 200, "return_", ("s1", "n"), {"allow_no_guarantee": False}),
    ("POST", "/signals/s1/refuse", {}, 200, "refuse", ("s1", ""), {"allow_no_guarantee": False}),
    ("POST", "/signals/s1/withdraw", None, 200, "withdraw", ("s1",), {}),
    ("GET", "/signals/s1/result", None, 200, "result", ("s1",), {}),
    ("GET", "/notifications?unread=true", None, 200, "many", (), {"unread": True, "after": None, "limit": 101}),
    ("POST", "/notifications/n1/read", None, 204, "read", ("n1",), {}),
    ("POST", "/notifications/read", None, 204, "read_all", (), {}),
    ("GET", "/notifications/settings", None, 200, "muted", (), {}),
    ("PUT", "/notifications/settings", {"muted": ["decided"]}, 200, "mute", ([Topic.DECIDED],), {}),
    (
        "GET", "/audit?after=5&newest_first=true&who=ada", None, 200,
        "many", (5, 101), {"newest_first": True, "who": "ada", "about": None},
    ),
    ("GET", "/introduction", None, 200, "introduced", (), {}),
    ("POST", "/introduction", {"answers": [1, 0, 2, 1]}, 200, "introduce", ([1, 0, 2, 1],), {}),
    (
        "POST", "/datasets/adult/guessing", {"sql": "Q", "how": {"choices": 4, "trust": "low"}}, 200,
        "guessing", ("adult", "Q", {"choices": 4, "trust": "low"}, ""), {},
    ),
    (
        "POST", "/datasets/adult/noise", {"sql": "Q", "epsilon": [0.1]}, 200,
        "noise", ("adult", "Q", [0.1], NOISE_TERMS), {},
    ),
    ("POST", "/requests/r1/posthoc-risk", {"query": 2}, 200, "posthoc_risk", ("r1", 2, None), {}),
    ("GET", "/audit/head", None, 200, "head", (), {}),
    ("POST", "/audit/verify", {"head": HEAD}, 200, "verify", (HEAD,), {}),
]  # fmt: skip
NOUNS = nouns()
APP = app_on(NOUNS, calls_a_minute=1_000_000)


@pytest.mark.parametrize(("method", "path", "body", "status", "verb", "given", "named"), ROUTES)
def test_a_route_is_a_verb(
    method: str, path: str, body: Any, status: int, verb: str, given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    for noun in NOUNS.every():
        noun.calls.clear()
    answer = Caller(APP)(method, path, json=body, headers={"Idempotency-Key": "key-1"})
    assert answer.status_code == status
    assert (verb, (person("alice"), *given), named) in NOUNS.calls
    if status == 204:
        assert not answer.content


def test_no_route_is_left_out() -> None:
    elsewhere = {
        ("GET", "/health"),
        ("GET", "/public/{name}"),
        ("PUT", "/datasets/{name}/data"),
        *((m, "/session") for m in ("GET", "POST", "DELETE")),
    }
    shown = {(method, path.removeprefix("/api/v1")) for method, path in operations(APP)} - elsewhere
    assert len(ROUTES) == len(shown)


def test_what_is_no_part_of_a_person_does_not_leave() -> None:
    """A field that somebody adds to a person stays here until somebody says that it may leave."""

    @dataclass(frozen=True)
    class Careless(Person):
        password: str = "$argon2id$..."

    made = nouns()
    made.accounts.answers["many"] = [Careless(**vars(person("bob")))]
    answer = Caller(app_on(made))("GET", "/people")
    assert answer.status_code == 200
    assert "argon2" not in answer.text


def test_pages_go_on_where_the_last_one_ended() -> None:
    made = nouns()
    everyone = [person(f"p{number}") for number in range(5)]
    made.accounts.answers["many"] = lambda _, after, limit, **_how: [p for p in everyone if p.name > (after or "")][
        :limit
    ]
    call, found, after = Caller(app_on(made)), [], ""
    while after is not None:
        page = call("GET", f"/people?limit=2{f'&after={after}' if after else ''}").json()
        found.append([one["name"] for one in page["items"]])
        after = page["next"]
    assert found == [["p0", "p1"], ["p2", "p3"], ["p4"]]


def test_a_page_that_is_just_full_is_the_last() -> None:
    made = nouns()
    made.audit.answers["many"] = lambda _, after, limit, **_how: [
        made_up(AuditEntry, number=n) for n in range(after + 1, 5)
    ][:limit]
    call = Caller(app_on(made))
    assert call("GET", "/audit?limit=2").json()["next"] == 2
    assert call("GET", "/audit?limit=2&after=2").json()["next"] is None
