"""Types of requests and signals; the fields that are present depend on the person and on the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.escrow.policy.policy import Approve
from sfumato.escrow.questions.query import RequestedQuery
from sfumato.escrow.questions.risk_facts import RehearsalFacts
from sfumato.escrow.submissions.lifecycle import State, SubmissionDecision
from sfumato.model.confidential import Confidential
from sfumato.model.guarantee import Guarantee
from sfumato.model.signal_score import SignalKind
from sfumato.presentation.escrow.questions_view import RequestCost, WordedCertificate
from sfumato.signals.tasks.registry import TaskDescription

Value = str | float | bool | None


@dataclass(frozen=True, kw_only=True)
class WordedRequest:
    """A request as this person may see it; the fields from `decided_at` on may be missing."""

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
    accuracy: float | None = None
    due: str | None = None
    decided_at: str | None = None
    note: str | None = None
    guarantee: Guarantee | None = None
    charged: float | None = None
    analyst: str | None = None
    policy: int | None = None
    binding: str | None = None
    decided_by: tuple[SubmissionDecision, ...] | None = None
    starts_at: str | None = None
    assigned_to: str | None = None
    progress: float | None = None


@dataclass(frozen=True, kw_only=True)
class WordedSignalResult:
    """The effect of noise on a task; each kind of signal has figures of its own."""

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
    verdict: str | None = None  # how often fresh noise gives the same result, yes or no
    picture: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class WordedSignal:
    """A signal as this person may see it; `result` is present once it is released to them."""

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
    due: str | None = None
    decided_at: str | None = None
    note: str | None = None
    guarantee: Guarantee | None = None
    charged: float | None = None
    starts_at: str | None = None
    assigned_to: str | None = None
    result: WordedSignalResult | None = None
    analyst: str | None = None
    policy: int | None = None
    binding: str | None = None
    decided_by: tuple[SubmissionDecision, ...] | None = None


@dataclass(frozen=True)
class RequestDecisionPreview:
    """One of several requests that are decided together; `problem` says why it can only be decided on its own page."""

    id: str
    number: int
    identical: str
    binding: str | None
    epsilon: float | None
    guarantee: Guarantee | None
    problem: str | None


@dataclass(frozen=True)
class DecisionPreview:
    """A decision on several requests: `epsilon` is the most that is charged, `once` if identical requests share one
    release. Null where a charge is not known in advance.
    """

    requests: tuple[RequestDecisionPreview, ...]
    epsilon: float | None
    once: float | None
    sentence: str


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
    """The approver's page of a request, from public facts; `binding` identifies what an approval is for."""

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
    """A line of code to check, and why."""

    line: int
    why: str


@dataclass(frozen=True)
class PageBits:
    """Bits that exact scores reveal at most: this one, earlier ones, and the limit of the policy."""

    told: float
    used: float
    budget: float
    sentence: str


@dataclass(frozen=True, kw_only=True)
class SignalPage:
    """The approver's page of a signal: the task, or the code with its marks, the guarantee, the cost and the bits."""

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
    """One release. Older ones have no `types`, `ranged` and `behind`."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    intervals: tuple[tuple[tuple[float, float] | None, ...], ...] | None
    numbers: tuple[tuple[float, ...], ...]
    types: tuple[str | None, ...] | None = None
    ranged: tuple[bool, ...] | None = None
    behind: tuple[tuple[int | None, ...], ...] | None = None
    certificate: WordedCertificate


@dataclass(frozen=True)
class CertifiedAnswers:
    """The releases of a request in the order of its queries, and the total charge.

    `least` is the smallest meaningful answer of each with one figure: a true answer of it or more is off by at most 10%
    of itself, with 90% probability.
    """

    answers: tuple[CertifiedAnswer, ...]
    guarantee: Guarantee | None
    charged: float | None
    least: tuple[float | None, ...] = ()


@dataclass(frozen=True, repr=False)
class WithheldAnswers(Confidential):
    """Withheld answers and the true ones, cell by cell."""

    answers: tuple[CertifiedAnswer, ...]
    true: tuple[tuple[tuple[Value, ...], ...], ...]
    cells: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class WordedTask(TaskDescription):
    """`range` is null if the parameters of the task state it; `lipschitz` describes its constant, if it has one."""

    lipschitz: str | None
    sentence: str


@dataclass(frozen=True)
class WordedSignalKind:
    kind: SignalKind
    guarantee: str
    cost: str


@dataclass(frozen=True)
class WordedSandbox:
    """Whether analysts' own functions can run here, or why not; each run takes `seconds`."""

    ready: bool
    sentence: str
    padding: str
    seconds: float


@dataclass(frozen=True)
class WordedTaskLibrary:
    tasks: tuple[WordedTask, ...]
    kinds: tuple[WordedSignalKind, ...]
    code: WordedSandbox
