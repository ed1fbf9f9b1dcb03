"""A request: what was asked, and the steps it may take. The clock and the identity are arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from unicodedata import bidirectional, category

from sfumato.errors import BadInput, Conflict
from sfumato.escrow.questions.query import RequestedQuery, shares_of
from sfumato.release.ledger import digest


class State(StrEnum):
    SUBMITTED = "submitted"
    RETURNED = "returned"  # with a note, to be changed and submitted again
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    APPROVED = "approved"  # waits for a worker
    RUNNING = "running"
    COMPUTED = "computed"  # the answer is withheld until it was looked at
    RELEASED = "released"
    FAILED = "failed"

    @classmethod
    def of(cls, word: str) -> State:
        """By its word."""
        try:
            return cls(word)
        except ValueError:
            raise BadInput.because("state-unknown", state=word, states=[state.value for state in cls]) from None


class Act(StrEnum):
    APPROVE = "approve"
    RETURN = "return"
    REFUSE = "refuse"
    WITHDRAW = "withdraw"
    START = "start"
    RELEASE = "release"
    WITHHOLD = "withhold"
    FAIL = "fail"


_TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_DECISIONS = {Act.RETURN: State.RETURNED, Act.REFUSE: State.REFUSED}
STEPS: Mapping[State, Mapping[Act, State]] = {
    State.SUBMITTED: {Act.APPROVE: State.APPROVED, Act.WITHDRAW: State.WITHDRAWN} | _DECISIONS,
    State.APPROVED: {Act.START: State.RUNNING, Act.WITHDRAW: State.WITHDRAWN, Act.FAIL: State.FAILED},
    State.RUNNING: {Act.RELEASE: State.RELEASED, Act.WITHHOLD: State.COMPUTED, Act.FAIL: State.FAILED},
    State.COMPUTED: {Act.APPROVE: State.RELEASED} | _DECISIONS,
}


def stepped(state: State, act: Act, what: str = "request") -> State:
    """The state after an act; an act that is not possible is refused."""
    try:
        return STEPS[state][act]
    except KeyError:
        raise Conflict.because("step-not-possible", what=what, state=state.value, act=act.value) from None


@dataclass(frozen=True)
class Request:
    id: str
    number: int
    dataset: str
    analyst: str
    purpose: str
    queries: tuple[RequestedQuery, ...]
    preference: Mapping[str, Any] | None  # None: the rule of record
    state: State
    version: str
    policy: int
    binding: str
    submitted_at: str
    decided_at: str | None = None
    decided_by: tuple[Mapping[str, Any], ...] = ()
    note: str = ""
    guarantee: str | None = None
    charged: float | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Request:
        known = {name: row[name] for name in cls.__dataclass_fields__}
        asked = tuple(RequestedQuery(one["sql"], one["weight"]) for one in row["queries"])
        read = {"queries": asked, "state": State(row["state"]), "decided_by": tuple(row["decided_by"] or ())}
        return cls(**known | read)

    @property
    def shares(self) -> tuple[float, ...]:
        """Of what the rule allows, how much each query gets: the most important all of it, none more."""
        return shares_of(self.queries)


def binding_of(
    request: Sequence[str],
    data: Sequence[str],
    queries: Sequence[RequestedQuery],
    preference: Mapping[str, Any] | None,
    policy: str,
    who: Sequence[str],
) -> str:
    """What an approval is of: this request and its purpose, the data under its schema, queries, preference, policy and
    recipient. Another of these needs another approval.
    """
    asked = [[one.sql, one.weight] for one in queries]
    return digest(["request", request, data, asked, preference, policy, who])


def readable(stated: str, what: str) -> str:
    """A text that shows what it says to whoever decides: nothing in it moves a cursor or turns the line around."""
    if any(category(letter) == "Cc" or bidirectional(letter) in _TURNS for letter in stated):
        raise BadInput.because("text-hides-something", what=what)
    return stated
