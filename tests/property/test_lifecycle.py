"""Whoever asks, decides, looks and changes what in any order: no analyst gets a value that no approval covers.

And the word on each certificate is that of a model which knows nothing but who looked when.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from sfumato.errors import BadInput, Conflict, Forbidden, NotFound, Refused
from sfumato.escrow.submissions.request_payload import Request
from sfumato.ledger.entry import Event
from tests.depth import depth
from tests.memory import in_memory
from tests.room import BY_WARD, COUNT, DATA, SUM, Room

A_ROOM = 12  # steps
MINUTES = "minutes of 3 May"
ANALYSTS = ("bob", "dan", "carol")  # carol holds the data, too
CONTROLLERS = ("alice", "carol")
ASKED = ((COUNT,), (SUM,), (COUNT, BY_WARD))
OWN = {"epsilon": 0.3}
ANY = ["dp", "none"]
POLICIES: dict[str, dict[str, Any]] = {
    "by a controller": {"guarantees": ["dp"]},
    "whatever the word": {"guarantees": ANY},
    "by two": {"guarantees": ANY, "approvals": 2},
    "by itself": {"approve": "automatic", "guarantees": ["dp"]},
    "by itself, or whatever the word": {"approve": "automatic", "guarantees": ANY},
    "after the answer": {"approve": "after the answer", "guarantees": ["none"]},
    "for bob": {"who": ["bob"], "guarantees": ANY},
}


@dataclass(frozen=True)
class Ruled:
    """A policy, by what it says."""

    kind: str
    gap: float
    attested: bool

    @property
    def by_itself(self) -> bool:
        return self.kind.startswith("by itself")

    @property
    def approvals(self) -> int:
        return 2 if self.kind == "by two" else 1


Bound = tuple[str, Ruled, int]  # request, policy, version of the data


@dataclass(frozen=True)
class Approval:
    who: str
    of: Bound
    of_answer: bool  # of one that is withheld
    blind: bool
    attested: bool
    accepted: bool


@dataclass
class Asked:
    request: Request
    analyst: str
    queries: tuple[str, ...]
    own: bool
    bound: Bound  # when it was submitted
    approvals: list[Approval] = field(default_factory=list)
    ran: Bound | None = None
    words: list[str] = field(default_factory=list)
    decided: str = "dp"  # of what comes back too: that it does was decided anew


def by_people(given: list[Approval]) -> str:
    """The word of what people decided, each before a look or as it was fixed."""
    return "dp" if all(approval.blind or approval.attested for approval in given) else "none"


@pytest.fixture(scope="module")
def furnished() -> Iterator[Path]:
    """A room with people and data in it, to be copied; in memory, where there is such a folder."""
    with tempfile.TemporaryDirectory(prefix="sfumato-", dir=in_memory()) as name:
        folder = Path(name) / "room"
        folder.mkdir()
        room = Room(folder, f"sqlite:///{folder}/escrow.db").peopled()
        room.accounts.change(room["root"], "carol", roles=["analyst", "controller"])
        room.close()
        yield folder


class Lifecycle(RuleBasedStateMachine):
    def __init__(self, furnished: Path, kind: str) -> None:
        super().__init__()
        self.first = kind
        self.folder = Path(tempfile.mkdtemp(dir=furnished.parent))
        shutil.copytree(furnished, self.folder, dirs_exist_ok=True)
        self.room = Room(self.folder, f"sqlite:///{self.folder}/escrow.db")
        self.asked: list[Asked] = []
        self.version = 1
        self.looked = False
        self.policy = Ruled("", 0.0, attested=False)  # none yet
        self.policy_at_look: Ruled | None = None
        self.changed = False  # what a policy lets happen, after the first look
        self.plans: dict[str, object] = {}  # of each query, the last before the first look
        self.left: dict[object, str] = {}  # the word of what was released, by query, preference and data
        self.together: set[object] = set()
        self.pages: dict[str, Bound] = {}
        self.prints: dict[Ruled, str] = {}
        self.bits: dict[object, object] = {}

    def teardown(self) -> None:
        for one in self.asked:
            self.read(one)
        self.room.audit.verify(self.room["eve"])
        self.room.close()
        shutil.rmtree(self.folder)

    # Whoever holds the data

    @initialize(attested=st.booleans(), own=st.booleans(), looked=st.booleans())
    def begin(self, attested: bool, own: bool, looked: bool) -> None:
        self.change_policy(self.first, 1.2, attested, "alice")
        self.submit("bob", (COUNT,), own)
        self.submit("carol", (SUM,), own=False)
        if looked:
            self.look("carol")

    @rule(
        kind=st.sampled_from(sorted(POLICIES)),
        gap=st.sampled_from((1.2, 1.5)),
        attested=st.booleans(),
        by=st.sampled_from(CONTROLLERS),
    )
    def change_policy(self, kind: str, gap: float, attested: bool, by: str) -> None:
        flow = {"preferences": ["rule", "epsilon"]} | POLICIES[kind]
        said: dict[str, Any] = {"preregistered": MINUTES} if attested else {}
        self.room.policy(flow, by=by, rule={"gap": gap, "worst_case": True}, allow_no_guarantee=True, **said)
        before, self.policy = self.policy, Ruled(kind, gap, attested)
        self.changed |= self.looked and (before.kind, before.gap) != (kind, gap)
        self.prints[self.policy] = self.room.policies.current(self.room["eve"], "stays").policy.fingerprint

    @rule()
    def deliver(self) -> None:
        self.room.datasets.deliver(self.room["alice"], "stays", [DATA], "csv")
        self.version += 1

    @rule(by=st.sampled_from(CONTROLLERS))
    def look(self, by: str) -> None:
        self.room.look(by)
        self.was_looked()

    def was_looked(self) -> None:
        if not self.looked:
            self.looked, self.policy_at_look = True, self.policy

    # Whoever asks

    @rule(by=st.sampled_from(ANALYSTS), queries=st.sampled_from(ASKED), own=st.booleans())
    def submit(self, by: str, queries: tuple[str, ...], own: bool) -> None:
        try:
            request = self.room.submit(*queries, by=by, preference=OWN if own else None)
        except (Forbidden, NotFound):
            return
        bound = (request.id, self.policy, self.version)
        assert self.pages.setdefault(request.binding, bound) == bound
        one = Asked(request, by, queries, own, bound)
        self.plan(one)
        self.asked.append(one)

    # Whoever decides

    @rule(data=st.data(), said=st.sampled_from(("accepted", "attested", "")), later=st.booleans())
    def approve(self, data: st.DataObject, said: str, later: bool) -> None:
        """By what is on the page now."""
        one, by = self.drawn(data, "submitted", "computed"), data.draw(st.sampled_from(CONTROLLERS))
        page = self.tried(lambda: self.room.decisions.inspect(self.room[by], one.request.id))
        binding = one.request.binding if page is None else page.binding
        if page is not None:
            bound = (one.request.id, self.policy, self.version)
            assert self.pages.setdefault(binding, bound) == bound, "another thing has another binding"
        accept = said == "accepted" or self.policy.kind == "after the answer"  # else it would come to nothing
        self.approved(one, by, binding, accept, said == "attested")
        if not later:
            self.executed(one)

    @rule(data=st.data(), accept=st.booleans())
    def approve_something_else(self, data: st.DataObject, accept: bool) -> None:
        """By a page that was seen before, or that of another request."""
        one, by = self.drawn(data, "submitted", "computed"), data.draw(st.sampled_from(CONTROLLERS))
        self.approved(one, by, data.draw(st.sampled_from(["", *self.pages])), accept, attested=False)

    def approved(self, one: Asked, by: str, binding: str, accept: bool, attested: bool) -> None:
        state = self.room.state(one.request)
        said: dict[str, Any] = {"allow_no_guarantee": accept, "preregistered": MINUTES if attested else ""}
        made = self.tried(lambda: self.room.decisions.approve(self.room[by], one.request.id, binding, **said))
        if made is None:
            return
        assert by != one.analyst, "nobody approves their own"
        bound = self.pages[binding]
        approval = Approval(by, bound, state == "computed", not self.looked, attested, accept)
        for given in one.approvals:
            if (given.who, given.of) == (by, bound) and (
                given.of_answer == approval.of_answer or state not in ("submitted", "computed")
            ):
                return  # a second click
        assert bound == (one.request.id, self.policy, self.version), "what was approved is what there is"
        one.approvals.append(approval)

    @rule(data=st.data(), no=st.sampled_from(("withdraw", "cancel", "refuse", "return_")), accept=st.booleans())
    def end_it(self, data: st.DataObject, no: str, accept: bool) -> None:
        one, by = data.draw(st.sampled_from(self.asked)), data.draw(st.sampled_from((*CONTROLLERS, "bob", "dan")))
        decides = no in ("refuse", "return_")
        noun = self.room.decisions if decides else self.room.requests
        verb = partial(getattr(noun, no), self.room[by], one.request.id)
        said = {"note": "no", "allow_no_guarantee": accept} if decides else {}
        if self.tried(lambda: verb(**said)) is not None:
            assert decides == (by != one.analyst) or no == "cancel"
            assert accept or not self.looked or by == one.analyst, "a no after a look has to be accepted"

    @precondition(lambda self: any(self.room.state(one.request) == "computed" for one in self.asked))
    @rule(data=st.data(), by=st.sampled_from(CONTROLLERS))
    def see_a_withheld_answer(self, data: st.DataObject, by: str) -> None:
        one = self.drawn(data, "computed")
        if self.tried(lambda: self.room.decisions.look(self.room[by], one.request.id)) is not None:
            self.was_looked()

    # The platform

    @rule(data=st.data())
    def execute(self, data: st.DataObject) -> None:
        """At any time, whatever there is."""
        self.executed(self.drawn(data, "approved"))

    def executed(self, one: Asked) -> None:
        before = self.room.state(one.request)
        expected = self.foreseen(one) if before == "approved" else before
        self.room.execution.execute(one.request.id)
        assert self.room.state(one.request) == expected
        self.read(one)

    def drawn(self, data: st.DataObject, *states: str) -> Asked:
        """One that is in such a state, if there is one."""
        found = [one for one in self.asked if self.room.state(one.request) in states]
        return data.draw(st.sampled_from(found or self.asked))

    # The model

    def foreseen(self, one: Asked) -> str:
        """What comes of a request that is approved, and with which words."""
        now = (one.request.id, self.policy, self.version)
        given = [approval for approval in one.approvals if approval.of == now]
        if not (given if one.approvals else one.bound == now):
            return "failed"
        after = self.policy.kind == "after the answer"
        accept = after or any(approval.accepted for approval in given)
        accept = accept and "none" in POLICIES[self.policy.kind].get("guarantees", ())
        words = [self.word(one, query, given) for query in one.queries]
        keys = [self.key(one, query) for query in one.queries]
        comes_back = [key in self.left and (accept or self.left[key] == "dp") for key in keys]
        if not accept and any(word == "none" and not back for word, back in zip(words, comes_back, strict=True)):
            return "failed"
        self.plan(one)
        if len(keys) > 1 and {*words} == {"dp"}:
            if tuple(keys) not in self.together:
                self.together.add(tuple(keys))
                self.left |= dict.fromkeys(keys, "dp")
            one.words = ["dp"] * len(keys)
        else:
            one.words = [
                self.left[key] if back else word for key, word, back in zip(keys, words, comes_back, strict=True)
            ]
            self.left |= dict(zip(keys, one.words, strict=True))
        one.ran, one.decided = now, by_people(given)
        return "computed" if after else "released"

    def word(self, one: Asked, query: str, given: list[Approval]) -> str:
        """None, if the preference or the decision came after a look and nobody said where it was fixed."""
        of_record = not self.looked or self.policy == self.policy_at_look
        attested = any(approval.attested for approval in given)
        stated = not self.looked or self.plans.get(query) == self.stated(one) or attested
        stated = stated or (not one.own and (of_record or self.policy.attested))
        by_itself = (of_record and not self.changed) or self.policy.attested
        decided = by_people(given) == "dp" if given else by_itself
        return "dp" if stated and decided and self.policy.kind != "after the answer" else "none"

    def stated(self, one: Asked) -> object:
        return "own" if one.own else self.policy.gap

    def key(self, one: Asked, query: str) -> object:
        return query, self.stated(one), self.version

    def plan(self, one: Asked) -> None:
        if not self.looked:
            self.plans |= dict.fromkeys(one.queries, self.stated(one))

    # What always holds

    def read(self, one: Asked) -> None:
        """Everybody asks for the answer; whoever gets one may have it."""
        for who in ("bob", "dan"):
            got = self.tried(lambda who=who: self.room.requests.result(self.room[who], one.request.id))  # type: ignore[misc]
            if got is not None:
                assert who == one.analyst
                self.covered(one)
        got = self.tried(lambda: self.room.result(one.request))
        if got is None:
            return
        self.covered(one)
        certificates = [answer["certificate"] for answer in got["answers"]]
        assert [certificate["guarantee"] for certificate in certificates] == one.words
        assert got["guarantee"] == ("none" if "none" in [*one.words, one.decided] else "dp")
        for answer, certificate in zip(got["answers"], certificates, strict=True):
            assert (certificate["epsilon"] is None) == (certificate["guarantee"] == "none")
            drawn = (certificate["ledger_entry"], certificate["query"])
            assert self.bits.setdefault(drawn, answer["rows"]) == answer["rows"]

    def covered(self, one: Asked) -> None:
        """By people, as the ledger has it, or by a policy that decides by itself and is in the ledger."""
        assert one.ran is not None
        _, policy, _ = one.ran
        if not one.approvals:
            assert one.bound == one.ran
            assert policy.by_itself
            opened = [entry.draft.public["rule"] for entry in self.room.entries(Event.OPENED)]
            assert self.prints[policy] in opened
            return
        decided = [entry.draft for entry in self.room.entries(Event.DECIDED) if entry.draft.public["approved"]]
        entered = {draft.who for draft in decided if self.pages[draft.key] == one.ran}
        for of_answer in (False, True) if policy.kind == "after the answer" else (False,):
            who = {a.who for a in one.approvals if a.of == one.ran and a.of_answer == of_answer}
            assert len(who) >= policy.approvals
            assert who <= entered
            assert one.analyst not in who

    def tried(self, act: Callable[[], Any]) -> Any:
        """What comes of it; None where it is refused."""
        try:
            return act()
        except (BadInput, Conflict, Refused):
            return None


@pytest.mark.depth("lifecycle steps")
@pytest.mark.parametrize("kind", POLICIES)
def test_no_analyst_gets_a_value_that_no_approval_covers(furnished: Path, kind: str) -> None:
    examples = depth("lifecycle steps") // A_ROOM
    run_state_machine_as_test(
        cast(type[Lifecycle], partial(Lifecycle, furnished, kind)),
        settings=settings(max_examples=examples, stateful_step_count=A_ROOM),
    )
