"""A server on a real workspace: one request from its purpose to its answer, and what each role is refused."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sfumato.adapters.vault.vault_file import Argon2Cost
from sfumato.composition import create
from sfumato.composition.workspace import open_workspace
from sfumato.server.app import API, OPEN_TO_ALL, create_app
from sfumato.server.settings import ServerSettings
from tests.served import Caller, operations

PASSPHRASE, PASSWORD = "a passphrase of a test", "four words put together"
SCHEMA = """
name = "stays"
unit = "row"
[rule]
gap = 1.2
worst_case = true
[columns.days]
type = "integer"
bounds = [0, 30]
[columns.ward]
categories = ["surgery", "cardiology"]
"""
ROWS = b"days,ward\n" + b"".join(b"%d,%s\n" % (n % 30, (b"surgery", b"cardiology")[n % 2]) for n in range(200))
SIGNALS = ["free", "noisy_difference"]
POLICY = {"purpose": "planning", "access_rule": [{"who": ["ada"], "approve": "by a controller", "signals": SIGNALS}]}
QUERY = {"queries": [{"sql": "SELECT ward, COUNT(*) FROM stays GROUP BY ward"}]}
ROLES = {
    "root": ["admin"], "carol": ["controller"], "other": ["controller"], "ada": ["analyst"], "eve": ["analyst"],
    "otto": ["auditor"],
}  # fmt: skip


class Desk:
    """A workspace with one of each role, a dataset and a request that waits."""

    def __init__(self, folder: Path) -> None:
        cheap = Argon2Cost(1, 8 * 1024, 1)
        create.create_workspace(
            folder, admin="root", password=PASSWORD, passphrase=PASSPHRASE, roles=["admin"], cost=cheap
        )
        self.workspace = open_workspace(folder, passphrase=PASSPHRASE)
        self.app = create_app(self.workspace.escrow, ServerSettings(calls_a_minute=1_000_000))
        root = Caller(self.app, None)
        self.csrf = root("POST", "/session", json={"name": "root", "password": PASSWORD}).json()["csrf"]
        root.headers = {"X-CSRF-Token": self.csrf}
        self.as_: dict[str, Caller] = {}
        for name, roles in ROLES.items():
            if name != "root":
                assert root("POST", "/people", json={"name": name, "roles": roles}).status_code == 201
            token = root("POST", "/tokens", json={"label": "test", "person": name}).json()["secret"]
            self.as_[name] = Caller(self.app, token)
        carol, ada = self.as_["carol"], self.as_["ada"]
        assert carol("POST", "/datasets", json={"schema_text": SCHEMA}).status_code == 201
        self.version = carol("PUT", "/datasets/stays/data", content=ROWS, headers={"Content-Type": "text/csv"})
        assert carol("PUT", "/datasets/stays/policy", json=POLICY).status_code == 200
        self.asked = {"dataset": "stays", "purpose": "beds"} | QUERY
        again, other = self.asked, self.asked | {"purpose": "x"}
        self.request, self.repeated, self.other = (
            ada("POST", "/requests", json=body, headers={"Idempotency-Key": "k1"})
            for body in (self.asked, again, other)
        )


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    found = Desk(tmp_path_factory.mktemp("escrow") / "workspace")
    yield found
    found.workspace.close()


def test_what_was_made(desk: Desk) -> None:
    assert desk.version.status_code == 200
    assert desk.version.json()["bytes"] == len(ROWS)
    assert (desk.request.status_code, desk.request.json()["state"]) == (201, "submitted")
    assert desk.repeated.json() == desk.request.json()
    assert desk.other.status_code == 409


@pytest.fixture(scope="module")
def answered(desk: Desk) -> Desk:
    """The same, after its request was approved and answered."""
    ada, carol, id = desk.as_["ada"], desk.as_["carol"], desk.request.json()["id"]
    assert ada("GET", f"/requests/{id}/result").status_code == 202
    assert "decided_by" not in ada("GET", f"/requests/{id}").json()
    binding = carol("GET", f"/requests/{id}/page").json()["binding"]
    approved = carol("POST", f"/requests/{id}/approve", json={"binding": binding})
    assert approved.status_code == 200, approved.text
    until = time.monotonic() + 600
    while (answer := ada("GET", f"/requests/{id}/result")).status_code == 202:
        assert time.monotonic() < until, "it is still not answered"
    assert answer.status_code == 200, answer.text
    return desk


def test_a_request_goes_from_its_purpose_to_its_answer(answered: Desk) -> None:
    ada, id = answered.as_["ada"], answered.request.json()["id"]
    answer = ada("GET", f"/requests/{id}/result")
    assert {row[0] for row in answer.json()["answers"][0]["rows"]} == {"surgery", "cardiology"}
    notice = next(one for one in ada("GET", "/notifications?unread=true").json()["items"] if one["about"] == id)
    assert ada("POST", f"/notifications/{notice['id']}/read").status_code == 204


# Addresses that exist, and bodies that fit: a refusal is then about who asks. What would succeed for somebody is asked
# in a way that changes nothing (a wrong binding, an empty policy).
BODIES: dict[tuple[str, str], Any] = {
    ("POST", "/tokens"): {"label": "another"},
    ("POST", "/people"): {"name": "carol", "roles": ["analyst"]},
    ("PATCH", "/people/{name}"): {"organisation": "x"},
    ("POST", "/datasets"): {"schema_text": SCHEMA},
    ("POST", "/datasets/check-schema"): {"schema_text": SCHEMA.replace('"stays"', '"new"')},
    ("POST", "/datasets/{name}/check-policy"): {"policy": POLICY},
    ("POST", "/datasets/{name}/failures"): {"entry": 1, "cause": "the disk was full"},
    ("PUT", "/datasets/{name}/schema"): {"schema_text": 'name = "another"'},
    ("PUT", "/datasets/{name}/connection"): {},
    ("PUT", "/datasets/{name}/controllers"): {"controllers": ["carol"]},
    ("PUT", "/datasets/{name}/population"): {"population": "patients"},
    ("PUT", "/datasets/{name}/policy"): {},
    ("POST", "/datasets/{name}/estimate"): QUERY,
    ("POST", "/datasets/{name}/dry-run"): QUERY,
    ("POST", "/datasets/{name}/worst-case"): QUERY["queries"][0],
    ("POST", "/datasets/{name}/noise"): QUERY["queries"][0] | {"epsilon": [0.1]},
    ("POST", "/datasets/{name}/guessing"): QUERY["queries"][0] | {"how": {"choices": 4}},
    ("POST", "/datasets/{name}/rehearse"): QUERY["queries"][0],
    ("POST", "/datasets/{name}/compare"): QUERY["queries"][0],
    ("POST", "/datasets/{name}/exposure-histogram"): {"sql": "SELECT 1", "epsilon": 0.1},
    ("POST", "/datasets/{name}/risk"): {"sql": "SELECT 1"},
    ("POST", "/datasets/{name}/explore"): {"sql": "SELECT 1"},
    ("POST", "/requests"): {"dataset": "stays", "purpose": "x", "queries": [{"sql": "SELECT 1"}]},
    ("POST", "/requests/decision-preview"): {"ids": ["nothing"]},
    ("POST", "/requests/{id}/posthoc-risk"): {},
    ("POST", "/requests/{id}/approve"): {"binding": "another"},
    ("POST", "/requests/{id}/return"): {"note": "x", "allow_no_guarantee": True},
    ("POST", "/requests/{id}/refuse"): {},
    ("POST", "/requests/{id}/signals"): {"task": {"task": "top_k", "column": "count(*)"}},
    ("PUT", "/notifications/settings"): {"muted": []},
    ("POST", "/requests/{id}/assign"): {},
    ("POST", "/signals/{id}/assign"): {},
    ("POST", "/signals/{id}/approve"): {"binding": "another"},
    ("POST", "/signals/{id}/return"): {"note": "x"},
    ("POST", "/signals/{id}/refuse"): {},
    ("POST", "/requests/{id}/difference"): {"first": {"row": 1, "column": 1}, "second": {"row": 2, "column": 1}},
    ("POST", "/audit/verify"): {},
    ("POST", "/introduction"): {"answers": [0, 0, 0, 0]},
}  # fmt: skip
SPARED = {  # these would end the story that other tests go on with
    ("DELETE", "/session"), ("DELETE", "/sessions"), ("DELETE", "/sessions/{id}"),
    ("DELETE", "/datasets/{name}"), ("DELETE", "/tokens/{id}"),
    ("POST", "/requests/{id}/refuse"), ("POST", "/requests/{id}/withdraw"), ("POST", "/requests/{id}/cancel"),
    ("POST", "/signals/{id}/refuse"), ("POST", "/signals/{id}/withdraw"),
}  # fmt: skip
EVERYBODY = {
    ("GET", "/session"), ("GET", "/sessions"), ("GET", "/tokens"), ("POST", "/tokens"),
    ("GET", "/datasets"), ("GET", "/requests"),
    ("GET", "/notifications"), ("GET", "/signals"), ("GET", "/tasks"), ("POST", "/notifications/{id}/read"),
    ("POST", "/notifications/read"), ("GET", "/notifications/settings"), ("PUT", "/notifications/settings"),
    ("GET", "/introduction"), ("POST", "/introduction"),
}  # fmt: skip
SEES = {("GET", "/datasets/{name}"), ("GET", "/datasets/{name}/ledger")}
PUBLIC = {
    ("POST", f"/datasets/{{name}}/{verb}")
    for verb in ("estimate", "dry-run", "worst-case", "noise", "rehearse", "compare")
}
PUBLIC_FACTS = {("POST", "/datasets/{name}/worst-case"), ("POST", "/datasets/{name}/noise")}
FOLLOWS = {
    *(("GET", f"/requests/{{id}}{what}") for what in ("", "/result", "/signals")),
    ("POST", "/requests/{id}/difference"),
    ("GET", "/signals/{id}"),
    ("GET", "/signals/{id}/result"),
}
POLICIES = {("GET", "/datasets/{name}/policy"), ("GET", "/datasets/{name}/policies")}
RECORD = {("GET", "/audit"), ("GET", "/audit/head"), ("POST", "/audit/verify"), ("GET", "/people")}
ADMIN = {("POST", "/people"), ("PATCH", "/people/{name}")}
HOLDS = {
    *(
        ("PUT", f"/datasets/{{name}}/{what}")
        for what in ("data", "connection", "schema", "controllers", "population", "policy")
    ),
    *(("POST", f"/datasets/{{name}}/{verb}") for verb in ("guessing", "exposure-histogram", "risk", "explore")),
    *(("POST", f"/datasets/{{name}}/{verb}") for verb in ("check", "check-policy")),
    ("GET", "/datasets/{name}/versions"),
    ("POST", "/datasets/{name}/failures"),
    ("GET", "/requests/{id}/page"),
    *(
        ("POST", f"/requests/{{id}}/{verb}")
        for verb in ("approve", "return", "answer", "undo", "assign", "posthoc-risk")
    ),
    ("GET", "/signals/{id}/page"),
    *(("POST", f"/signals/{{id}}/{verb}") for verb in ("approve", "return", "value", "undo", "assign")),
}
REGISTERS = {("POST", "/datasets"), ("POST", "/datasets/check-schema")}
# Who is *not* told 403 or 404: everything else is.
ALLOWED = {
    "root": EVERYBODY | RECORD | ADMIN,
    "carol": EVERYBODY | RECORD | SEES | PUBLIC | FOLLOWS | POLICIES | HOLDS | REGISTERS,
    "other": EVERYBODY | RECORD | REGISTERS,
    "ada": EVERYBODY | SEES | PUBLIC | FOLLOWS | {("POST", "/requests"), ("POST", "/requests/{id}/signals")},
    "eve": EVERYBODY,
    "otto": EVERYBODY | RECORD | SEES | FOLLOWS | POLICIES | PUBLIC_FACTS,
}


@pytest.mark.parametrize("who", ROLES)
def test_who_is_refused_what(answered: Desk, who: str) -> None:
    desk = answered
    shown = {
        (method, path.removeprefix(API)) for method, path in operations(desk.app) if not OPEN_TO_ALL.holds(method, path)
    }
    request = desk.as_["ada"]("POST", "/requests", json=desk.asked).json()["id"]
    signal = _signal(desk)
    let_in = set()
    for method, path in sorted(shown - SPARED):
        address = path.replace("{name}", "stays" if "datasets" in path else "other").replace(
            "{id}", signal if "/signals/" in path else request
        )
        csv: dict[str, Any] = {"content": b"", "headers": {"Content-Type": "text/csv"}}
        answer = desk.as_[who](
            method, address, **csv if path.endswith("/data") else {"json": BODIES.get((method, path))}
        )
        assert answer.status_code < 500, f"{method} {path}: {answer.text}"
        if answer.status_code not in (403, 404) or path == "/notifications/{id}/read":
            let_in.add((method, path))
    assert let_in == ALLOWED[who]


def _signal(desk: Desk) -> str:
    """A signal that waits, about the request that was answered."""
    task = {"task": "histogram_distance", "column": "count(*)"}
    asked = {"kind": "noisy_difference", "epsilon": 0.1, "task": task}
    signal = desk.as_["ada"]("POST", f"/requests/{desk.request.json()['id']}/signals", json=asked)
    assert (signal.status_code, signal.json()["state"]) == (201, "submitted"), signal.text
    return str(signal.json()["id"])
