"""The real app on a real room: people with tokens call it, and every answer is held against the OpenAPI document."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

import httpx

from sfumato.errors import EngineFailure
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.request_payload import Request
from sfumato.server.app import API, create_app
from sfumato.server.settings import ServerSettings
from tests.memory import in_memory
from tests.room import BOARD, BY_WARD, COUNT, DATA, SCHEMA, SUM, Room
from tests.served import Caller

Body = dict[str, Any]
TOKENS = {"alice": "t1", "carol": "t2", "bob": "t3", "dan": "t4", "eve": "t5", "root": "t6", "fay": "t7"}
STATES = ("submitted", "returned", "refused", "withdrawn", "approved", "running", "computed", "released", "failed")


@dataclass(frozen=True)
class Place:
    """Where a room lies that nobody is in, and the secrets of those who may come."""

    folder: Path
    secrets: dict[str, str]


class Api:
    """A room behind the app. Each call says who makes it; nobody waits for workers but by `room.go`."""

    _escrow = SimpleNamespace()  # of whichever room was opened last: to write the document takes longer than a test
    app = create_app(cast(Escrow, _escrow), ServerSettings(calls_a_minute=10**9, sign_ins_a_minute=10**9))

    def __init__(self, room: Room, secrets: dict[str, str]) -> None:
        self.room, self.secrets = room, secrets
        vars(self._escrow).update(vars(room.escrow))

    def caller(self, who: str) -> Caller:
        return Caller(self.app, self.secrets[who])

    def __call__(self, who: str, method: str, path: str, **named: Any) -> httpx.Response:
        return self.caller(who)(method, path, **named)


def furnish(folder: Path) -> Place:
    """Two datasets of different controllers, one with a policy, and dan's and bob's requests in every state.

    Bob's request of a state has its number in STATES; dan's withheld answer is `computed`. Tokens are as in TOKENS.
    """
    room = Room(folder, f"sqlite:///{folder}/escrow.db").peopled()
    room.accounts.add(room["root"], "fay", ["controller"])
    room.datasets.register(room["fay"], SCHEMA.replace('"stays"', '"visits"'), title="Visits")
    room.datasets.deliver(room["fay"], "visits", [DATA], "csv")
    after = {"approve": "after the answer", "guarantees": ["none"], "preferences": ["rule", "epsilon"]}
    room.policy({"who": [BOARD], "preferences": ["rule", "epsilon", "gap"]}, {"who": ["dan"]} | after)
    secrets = {}
    for name, id in TOKENS.items():
        token, secrets[name] = room.accounts.new_token(room[name], f"of {name}")
        room.sql("UPDATE tokens SET id = :to WHERE id = :id", to=id, id=token.id)
    for state in STATES:
        _brought(room, state)
    for name in ("alice", "bob"):
        notice = room.notifications.many(room[name])[0]
        room.sql("UPDATE notifications SET id = :to WHERE id = :id", to=f"notice-of-{name}", id=notice.id)
    room.close()
    return Place(folder, secrets)


@contextmanager
def opened(place: Place) -> Iterator[Api]:
    """A copy of it, which may be changed."""
    with TemporaryDirectory(dir=in_memory()) as folder:
        shutil.copytree(place.folder, folder, dirs_exist_ok=True)
        room = Room(Path(folder), f"sqlite:///{folder}/escrow.db")
        yield Api(room, place.secrets)
        room.close()


def routes_of(noun: str) -> list[tuple[str, str, Body | None]]:
    """Each route below /datasets/{name}, /requests/{id}, /notifications/{id} or /tokens/{id}, with a fitting body."""
    bodies: dict[str, Body] = {
        "schema": {"schema_text": SCHEMA}, "controllers": {"controllers": ["fay"]},
        "population": {"population": "patients"}, "connection": {}, "assign": {"to": "carol"},
        "policy": {"access_rule": [{"who": ["bob"]}]}, "estimate": {"queries": [{"sql": COUNT}]},
        "failures": {"entry": 1, "cause": "the disk was full"},
        "check-policy": {"policy": {"access_rule": [{"who": ["bob"]}]}},
        "dry-run": {"queries": [{"sql": COUNT}]}, "worst-case": {"sql": COUNT},
        "rehearse": {"sql": COUNT}, "guessing": {"sql": COUNT, "how": {"choices": 4}},
        "explore": {"sql": COUNT}, "posthoc-risk": {}, "compare": {"sql": COUNT}, "risk": {"sql": COUNT},
        "noise": {"sql": COUNT, "epsilon": [0.1]}, "exposure-histogram": {"sql": COUNT, "epsilon": 0.1},
        "approve": {"binding": "x"},
        "return": {"note": "n"}, "refuse": {},
        "signals": {"task": {"task": "top_k", "column": "count(*)", "k": 1}, "query": 2},
        "difference": {"first": {"query": 2, "row": 1, "column": 2}, "second": {"query": 2, "row": 2, "column": 2}},
    }  # fmt: skip
    return [
        (method.upper(), path.removeprefix(API), bodies.get(path.rpartition("/")[2]))
        for path, methods in Api.app.openapi()["paths"].items()
        if path.startswith(f"{API}/{noun}/{{")
        for method in methods
    ]


def _brought(room: Room, state: str) -> Request:
    """A request that has come as far as this."""
    request = room.submit(
        *((COUNT, BY_WARD) if state == "released" else (SUM,)), by="dan" if state == "computed" else "bob"
    )
    alice, bob = room["alice"], room["bob"]
    match state:
        case "returned":
            room.decisions.return_(alice, request.id, "take wider groups")
        case "refused":
            room.decisions.refuse(alice, request.id, "not for this")
        case "withdrawn":
            room.requests.withdraw(bob, request.id)
        case "approved" | "running":
            room.approve(request)
            room.waiting.clear()
            if state == "running":
                room.sql("UPDATE requests SET state = 'running' WHERE id = :id", id=request.id)
        case "computed" | "released":
            room.approve(request, allow_no_guarantee=state == "computed")
            room.go()
        case "failed":
            room.runner.meanwhile = _fails
            room.approve(request)
            room.go()
    assert room.state(request) == state
    return request


def _fails(_job: object) -> None:
    raise EngineFailure
