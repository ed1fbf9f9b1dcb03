"""Submissions, requests and signals alike: the facts that both have, and the steps that both may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, Self
from unicodedata import bidirectional, category

from sfumato.errors import BadInput, Conflict
from sfumato.model.plain import from_plain, to_plain


class State(StrEnum):
    SUBMITTED = "submitted"
    RETURNED = "returned"  # with a note, to be changed and submitted again
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    APPROVED = "approved"  # waits for a worker
    RUNNING = "running"
    COMPUTED = "computed"  # the result is withheld until it was looked at
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
    UNDO = "undo"  # an approval, before it starts
    PUT_BACK = "put-back"  # to be started again: the server stopped before anything was charged


WAITING = (State.SUBMITTED, State.COMPUTED)
"""The states in which a controller has to decide."""

PENDING = (*WAITING, State.APPROVED, State.RUNNING)
"""The states that another one follows."""

_TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_DECISIONS = {Act.RETURN: State.RETURNED, Act.REFUSE: State.REFUSED}
STEPS: Mapping[State, Mapping[Act, State]] = {
    State.SUBMITTED: {Act.APPROVE: State.APPROVED, Act.WITHDRAW: State.WITHDRAWN} | _DECISIONS,
    State.APPROVED: {Act.START: State.RUNNING, Act.WITHDRAW: State.WITHDRAWN, Act.FAIL: State.FAILED}
    | {Act.UNDO: State.SUBMITTED},
    State.RUNNING: {Act.RELEASE: State.RELEASED, Act.WITHHOLD: State.COMPUTED, Act.FAIL: State.FAILED}
    | {Act.PUT_BACK: State.APPROVED},
    State.COMPUTED: {Act.APPROVE: State.RELEASED} | _DECISIONS,
}


def next_state(state: State, act: Act, what: str) -> State:
    """The state after an act; an act that is not possible is refused."""
    try:
        return STEPS[state][act]
    except KeyError:
        raise Conflict.because("step-not-possible", what=what, state=state.value, act=act.value) from None


@dataclass(frozen=True, kw_only=True)
class SubmissionDecision:
    """What a person decided, in which state, of what it was bound to then."""

    who: str
    at: str
    act: Act
    binding: str
    note: str
    preregistered: str
    state: State
    allow_no_guarantee: bool


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What an analyst submits and a controller decides. The clock and the identity are arguments."""

    noun: ClassVar[str]  # what people call it
    result_column: ClassVar[str]  # where its result is stored, sealed
    started: ClassVar[Mapping[str, Any]] = {}  # fields that change when it starts
    searched: ClassVar[tuple[str, ...]]  # what a search looks in

    id: str
    number: int
    dataset: str
    analyst: str
    state: State
    version: str
    policy: int
    binding: str
    submitted_at: str
    decided_at: str | None = None
    decided_by: tuple[SubmissionDecision, ...] = ()
    note: str = ""
    guarantee: str | None = None
    charged: float | None = None
    starts_at: str | None = None  # when an approval starts: until then it can be taken back
    due: str | None = None  # the day by which it is to be decided
    assigned_to: str | None = None  # the controller who is to decide it

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        values = {field.name: row[field.name] for field in fields(cls)}
        decided_by = tuple(from_plain(SubmissionDecision, decision) for decision in row["decided_by"] or ())
        return cls(**values | {"state": State(row["state"]), "decided_by": decided_by})

    def as_row(self) -> dict[str, Any]:
        """Its fields as they are stored."""
        return vars(self) | {"state": self.state.value, "decided_by": to_plain(self.decided_by)}

    def as_dict(self) -> dict[str, Any]:
        """Its fields as they are shown, to those who may see them."""
        return self.as_row()

    @property
    def about(self) -> str:
        """The id of the request that notifications about it lead to."""
        return self.id

    @property
    def has_code(self) -> bool:
        """Whether it runs code of the analyst."""
        return False

    @property
    def extra_runs(self) -> int:
        """Runs of code that a worker's lease allows for, at most."""
        return 0

    @property
    def sealed_as(self) -> str:
        """What its result is sealed as."""
        return f"{self.noun} {self.id}"

    @property
    def approvals(self) -> list[SubmissionDecision]:
        """The decisions on exactly what it is bound to."""
        return [decision for decision in self.decided_by if decision.binding == self.binding]

    def next_state(self, act: Act) -> State:
        return next_state(self.state, act, self.noun)

    def approved_by(self, binding: str) -> tuple[str, ...]:
        """Who approved exactly this, in this state."""
        approvals = [d for d in self.decided_by if d.act is Act.APPROVE and d.binding == binding]
        return tuple(dict.fromkeys(d.who for d in approvals if d.state is self.state))

    def approved_with(self, binding: str) -> tuple[str, ...]:
        """Who approved exactly this, in any state."""
        approvals = [d.who for d in self.decided_by if d.act is Act.APPROVE and d.binding == binding]
        return tuple(dict.fromkeys(approvals))

    def was_approved_by(self, name: str, binding: str) -> bool:
        """Whether this person gave this very approval: for what it led to, or as one of several."""
        approvals = [d for d in self.decided_by if d.act is Act.APPROVE and d.who == name]
        return any(d.binding == binding and (d.state is self.state or self.state not in WAITING) for d in approvals)


def require_readable(text: str, what: str) -> str:
    """Refuse a text that shows an approver something else than it says: that moves a cursor or turns a line around."""
    if any(category(letter) == "Cc" or bidirectional(letter) in _TURNS for letter in text):
        raise BadInput.because("text-hides-something", what=what)
    return text
