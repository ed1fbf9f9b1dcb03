"""Requests and signals as they are answered: what of them is seen depends on who asks and on their state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.escrow.policy.policy import Approve
from sfumato.escrow.questions.query import RequestedQuery
from sfumato.escrow.questions.risk_facts import RehearsalFacts
from sfumato.escrow.submissions.lifecycle import Act, State
from sfumato.model.confidential import Confidential
from sfumato.model.guarantee import Guarantee
from sfumato.model.signal_score import SignalKind
from sfumato.presentation.escrow.questions_view import RequestCost, WordedCertificate

Value = str | float | bool | None


@dataclass(frozen=True, kw_only=True)
class SubmissionDecision:
    who: str
    at: str
    act: Act
    binding: str
    note: str
    preregistered: str
    state: State
    allow_no_guarantee: bool


@dataclass(frozen=True, kw_only=True)
class WordedRequest:
    """What this person may see of a request at this step; the fields from `decided_at` on are there in some."""

    id: str
    number: int
    state: State
    dataset: str
    purpose: str
    queries: tuple[RequestedQuery, ...]
    preference: Mapping[str, Any] | None
    next: str
    submitted_at: str
    version: str
    decided_at: str | None = None
    note: str | None = None
    guarantee: Guarantee | None = None
    charged: float | None = None
    analyst: str | None = None
    policy: int | None = None
    binding: str | None = None
    decided_by: tuple[SubmissionDecision, ...] | None = None
    progress: float | None = None


@dataclass(frozen=True, kw_only=True)
class WordedSignalResult:
    """What noise did to a task; each kind of signal has figures of its own."""

    kind: SignalKind
    task: Mapping[str, Any] | None = None
    range: tuple[float, float] | None = None
    score: float | None = None
    draws: int | None = None
    damage: float | None = None
    changed: float | None = None
    bound: float | None = None
    proven: bool | None = None
    quantiles: Mapping[str, float] | None = None
    noisy: float | None = None
    difference: float | None = None
    mean: float | None = None
    blocks: int | None = None
    noise_90: float | None = None
    exact: float | None = None
    decimals: int | None = None
    bits: float | None = None
    guarantee: Guarantee | None = None
    cost: float | None = None
    certificate: WordedCertificate | None = None
    scores: tuple[float, ...] | None = None
    damages: tuple[float, ...] | None = None
    decides: bool | None = None
    why: str | None = None
    title: str | None = None
    sentences: tuple[str, ...] | None = None
    picture: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class WordedSignal:
    """What this person may see of a signal at this step; `result` is there once it is released to them."""

    id: str
    number: int
    state: State
    request: str
    dataset: str
    query: int
    kind: SignalKind
    task: Mapping[str, Any] | None
    code: str | None
    range: tuple[float, float] | None
    epsilon: float | None
    blocks: int | None
    draws: int | None
    by_range: bool | None
    bits: float | None
    next: str
    submitted_at: str
    decided_at: str | None = None
    note: str | None = None
    guarantee: Guarantee | None = None
    charged: float | None = None
    result: WordedSignalResult | None = None
    analyst: str | None = None
    policy: int | None = None
    binding: str | None = None
    decided_by: tuple[SubmissionDecision, ...] | None = None


@dataclass(frozen=True)
class PageAnalyst:
    name: str
    organisation: str


@dataclass(frozen=True)
class PageApprovals:
    needed: int
    given: tuple[str, ...]


@dataclass(frozen=True)
class ErrorFacts:
    code: str
    message: str
    hint: str
    where: str


@dataclass(frozen=True)
class FailedRehearsal:
    """Why a query cannot be rehearsed."""

    error: ErrorFacts


@dataclass(frozen=True, kw_only=True)
class RequestPage:
    """What an approver reads of a request, from public facts; `binding` is what an approval holds for."""

    request: WordedRequest
    binding: str
    analyst: PageAnalyst
    facts: RequestCost
    guarantee_before_approval: Guarantee
    approve: Approve
    rehearsal: tuple[RehearsalFacts | FailedRehearsal, ...] | None
    approvals: PageApprovals
    guarantees: tuple[Guarantee, ...]
    looked: bool
    warning: str | None
    policy: tuple[str, ...]


@dataclass(frozen=True)
class PageRequest:
    id: str
    number: int
    purpose: str


@dataclass(frozen=True)
class CodeMark:
    """A line of code that deserves attention."""

    line: int
    why: str


@dataclass(frozen=True)
class PageBits:
    """What exact scores tell at most: this one, those before, and all that the policy allows."""

    told: float
    used: float
    budget: float
    sentence: str


@dataclass(frozen=True, kw_only=True)
class SignalPage:
    """What an approver reads of a signal: the task, or the code with its marks, the promise, the cost and the bits."""

    signal: WordedSignal
    binding: str
    analyst: PageAnalyst
    request: PageRequest
    sql: str
    code: str | None
    marks: tuple[CodeMark, ...]
    sandbox: str | None
    guarantee: Guarantee
    epsilon: float
    sentences: tuple[str, ...]
    charge: str | None
    bits: PageBits | None
    approvals: PageApprovals
    guarantees: tuple[Guarantee, ...]
    looked: bool
    warning: str | None
    policy: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class CertifiedAnswer:
    """One release. Older ones are without `types` and `ranged`."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    intervals: tuple[tuple[tuple[float, float] | None, ...], ...] | None
    numbers: tuple[tuple[float, ...], ...]
    types: tuple[str | None, ...] | None = None
    ranged: tuple[bool, ...] | None = None
    certificate: WordedCertificate


@dataclass(frozen=True)
class CertifiedAnswers:
    """The releases of a request in the order of its queries, and what all of it was charged."""

    answers: tuple[CertifiedAnswer, ...]
    guarantee: Guarantee | None
    charged: float | None


@dataclass(frozen=True, repr=False)
class WithheldAnswers(Confidential):
    """Answers that wait for a decision, beside the true ones, cell by cell."""

    answers: tuple[CertifiedAnswer, ...]
    true: tuple[tuple[tuple[Value, ...], ...], ...]
    cells: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class TaskParameter:
    name: str
    kind: str
    required: bool
    default: str | float | tuple[str, ...] | None


@dataclass(frozen=True)
class WordedTask:
    """`range` is null where a task states its own; `lipschitz` says in words where it has a constant."""

    name: str
    parameters: tuple[TaskParameter, ...]
    range: tuple[float, float] | None
    lipschitz: str | None
    sentence: str


@dataclass(frozen=True)
class WordedSignalKind:
    kind: SignalKind
    guarantee: str
    cost: str


@dataclass(frozen=True)
class WordedSandbox:
    """Whether functions of one's own can run here, or why not; each run takes `seconds`."""

    ready: bool
    sentence: str
    padding: str
    seconds: float


@dataclass(frozen=True)
class WordedTaskLibrary:
    tasks: tuple[WordedTask, ...]
    kinds: tuple[WordedSignalKind, ...]
    code: WordedSandbox
