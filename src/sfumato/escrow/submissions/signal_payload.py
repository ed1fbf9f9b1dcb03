"""Signals: what noise did to a task, about an answer that was released; what an approval binds, and how they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Self

from sfumato.errors import Forbidden, Refused, SandboxMissing
from sfumato.escrow.catalogue.access import authorization_of
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy import AccessRule
from sfumato.escrow.questions.facts import budget_left
from sfumato.escrow.submissions.code_review import Mark, fingerprint, marks
from sfumato.escrow.submissions.lifecycle import PENDING, Act, State, Submission
from sfumato.escrow.submissions.payload import ApprovalFacts, Approved, Computed, Payload, no_guarantee
from sfumato.escrow.submissions.request_payload import Request
from sfumato.escrow.submissions.scoring import (
    OWN_BLOCKS,
    OWN_DRAWS,
    Exact,
    Runs,
    SignalResult,
    require_sandbox,
    score,
)
from sfumato.escrow.submissions.store import SubmissionStore
from sfumato.model.guarantee import Guarantee
from sfumato.model.release import Released
from sfumato.model.signal_score import SignalKind
from sfumato.release.bound_query import bind
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.ledger import PrivacyLedger, digest
from sfumato.signals.record import look_text
from sfumato.signals.signal_request import SignalRequest, signal_request, table_of
from sfumato.signals.tasks.own_code import OwnCode, Run
from sfumato.signals.tasks.registry import task as task_of
from sfumato.signals.tasks.task import Task
from sfumato.signals.utility_signal import preview_guarantee

HOW = ("range", "epsilon", "blocks", "draws", "by_range")


@dataclass(frozen=True, kw_only=True)
class Signal(Submission):
    """A task of the library, or code of the analyst's own. `bits` is what it may tell by an exact score."""

    noun, result_column, started = "signal", "result", {"ran": True}
    searched = ("number", "kind", "task", "code", "analyst", "dataset")

    request: str
    query: int
    kind: SignalKind
    task: Mapping[str, Any] | None
    code: str | None
    how: Mapping[str, Any]
    bits: float | None
    ran: bool = False

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        return super().from_row({**row, "kind": SignalKind(row["kind"]), "ran": bool(row["ran"])})

    def as_row(self) -> dict[str, Any]:
        return super().as_row() | {"kind": self.kind.value}

    def as_dict(self) -> dict[str, Any]:
        return self.as_row() | {name: self.how.get(name) for name in HOW}

    @property
    def about(self) -> str:
        return self.request

    @property
    def has_code(self) -> bool:
        return self.code is not None

    @property
    def most_runs(self) -> int:
        """How often code is run at most: on the release, and on each draw, each block or the exact answer."""
        if not self.has_code:
            return 0
        draws, blocks = self.how.get("draws") or OWN_DRAWS, self.how.get("blocks") or OWN_BLOCKS
        return 1 + {SignalKind.FREE: draws, SignalKind.BLOCKS: blocks}.get(self.kind, 1)

    @property
    def extra_runs(self) -> int:
        """One more than there are at most, as a margin."""
        return 1 + self.most_runs

    @property
    def reads_people(self) -> bool:
        return self.kind is not SignalKind.FREE

    @property
    def is_exact(self) -> bool:
        """Whether it is the score of the exact answer: no guarantee, counted in bits, and approved twice."""
        return self.kind is SignalKind.PUBLISHED

    @property
    def is_automatic(self) -> bool:
        """Whether a policy that approves by itself covers it: no person has to read code, or a value."""
        return not self.has_code and not self.is_exact

    @property
    def canonical(self) -> list[object]:
        """What it is to be: code by its hash."""
        code = None if self.code is None else fingerprint(self.code)
        return [self.query, self.kind.value, self.task, code, dict(self.how)]

    def scored_by(self, run: Run = lambda _table: None) -> Task:
        """The task, or the code; without a `run` code cannot be scored, only checked."""
        if self.code is None:
            return task_of(dict(self.task or {}))
        low, high = self.how["range"]
        return OwnCode(sha256=fingerprint(self.code), low=low, high=high, run=run)

    def parameters(self, *, allow_no_guarantee: bool = False, preregistered: str = "") -> SignalRequest:
        """What it is to be. Of code nothing but its range is known: that is what noise is then sized by."""
        how: dict[str, Any] = {name: self.how[name] for name in ("draws", "blocks") if self.how.get(name) is not None}
        if self.has_code:
            how = {"draws": OWN_DRAWS, "blocks": OWN_BLOCKS} | how
        how |= {"by_range": self.has_code or bool(self.how.get("by_range")), "preregistered": preregistered}
        return signal_request(self.kind.value, self.how.get("epsilon"), allow_no_guarantee=allow_no_guarantee, **how)


@dataclass(frozen=True)
class ReleasedAnswer:
    """What a signal is about: one answer of a request, as it was released."""

    request: Request
    dataset: RegisteredDataset
    query: int
    release: Released

    @property
    def sql(self) -> str:
        return self.release.certificate.query


@dataclass(frozen=True)
class SignalCharge:
    """What would be charged for a signal with this guarantee, and what is left of the budget."""

    epsilon: float
    guarantee: Guarantee
    left: float | None


@dataclass(frozen=True, kw_only=True)
class SignalApprovalFacts(ApprovalFacts[Signal]):
    """With the guarantee and the cost of the signal; `sandbox` is the reason why code cannot run here."""

    request: Request
    sql: str
    marks: tuple[Mark, ...]
    sandbox: SandboxMissing | None
    guarantee: Guarantee
    epsilon: float
    charge: SignalCharge | None
    bits_used: float  # by exact scores before


class SignalPayload(Payload[Signal, SignalApprovalFacts, SignalResult]):
    """`code_runs` are those that run here, by their signal."""

    looked_at = "scores"

    def __init__(self, about: ReleasedAnswer, code_runs: dict[str, Runs], *parts: Any) -> None:
        super().__init__(*parts)
        self._about, self._code_runs = about, code_runs

    @property
    def binding(self) -> str:
        """Of this signal, its code or task, kind and parameters, the release, data, schema, policy and recipient.

        A free one is of a release, whatever the data is by now.
        """
        signal, dataset, analyst = self.submission, self.dataset, self.analyst
        current = self._store.datasets.version_key(dataset) if signal.reads_people else self._about.request.version
        data, who = [dataset.id, current, dataset.schema_text], [analyst.name, analyst.organisation]
        release, policy = digest(self._about.release.as_dict()), self.signed.policy.fingerprint
        return digest(["signal", [signal.id], signal.canonical, release, data, policy, who])

    @cached_property
    def guarantee(self) -> Guarantee:
        if self.submission.is_exact:
            return Guarantee.NONE
        authorization = authorization_of(self.signed, self.access, by_a_person=True)
        query = bind(self._store.datasets.planned(self.dataset, authorization, self.analyst), self._about.sql)
        parameters = self.submission.parameters(preregistered=self._preregistered)
        return preview_guarantee(query, self._about.release, self.submission.scored_by(), parameters)

    def ledger_for(self, approver: Person) -> PrivacyLedger:
        """The approver's ledger: a signal has no rule."""
        return self._store.datasets.ledger_of(approver, self.dataset)

    def page(
        self, facts: ApprovalFacts[Signal], ledger: PrivacyLedger, _approver: Person, _rehearse: bool, /
    ) -> SignalApprovalFacts:
        """The approver's page, with the task, or the code and its marks."""
        signal = self.submission
        return SignalApprovalFacts(
            **vars(facts),
            request=self._about.request,
            sql=self._about.sql,
            marks=() if signal.code is None else tuple(marks(signal.code)),
            sandbox=self._store.ports.sandbox.missing() if signal.has_code else None,
            guarantee=self.guarantee,
            epsilon=EPSILON_MAX if signal.is_exact else signal.how.get("epsilon") or 0.0,
            charge=self._charge(ledger),
            bits_used=0.0 if signal.bits is None else _bits_used(self._store, signal),
        )

    def _charge(self, ledger: PrivacyLedger) -> SignalCharge | None:
        """What would be charged if it were approved now, and what is left; None: nothing, or it is charged already."""
        if not self.submission.reads_people or self.submission.state is not State.SUBMITTED:
            return None
        left = budget_left(ledger)
        epsilon = self.submission.how["epsilon"] if self.guarantee.holds else EPSILON_MAX
        return SignalCharge(epsilon, self.guarantee, None if left is None else float(max(left, Fraction(0))))

    def look(self, approver: Person) -> SignalResult:
        """Both scores."""
        result = SignalResult.from_stored(self._store.unseal(self.submission))
        what = look_text(str(result.score.task["task"]), self._about.sql)
        self.ledger_for(approver).look(digest(["value", self.submission.id]), what)
        return result

    def require_allowed(self) -> None:
        self.access.require_signal(self.submission.kind, own_code=self.submission.has_code)

    def require_possible(self) -> None:
        if self.submission.has_code and self.submission.state is State.SUBMITTED:
            require_sandbox(self._store.ports.sandbox)
        if self.submission.is_exact:
            require_bits(self._store, self.submission, self.access)  # the policy may allow fewer by now

    def require_guarantee(self, *, allow_no_guarantee: bool) -> None:
        """That the policy lists `as_published` says that it may leave without one; its approver says so too."""
        if not self.submission.is_exact:
            super().require_guarantee(allow_no_guarantee=allow_no_guarantee)
        elif not allow_no_guarantee:
            raise no_guarantee(Act.APPROVE)

    @property
    def is_withheld(self) -> bool:
        return self.submission.is_exact

    @property
    def is_automatic(self) -> bool:
        return self.submission.is_automatic

    def prepare(self, approved: Approved) -> Callable[[], Computed]:
        parameters = self.submission.parameters(
            allow_no_guarantee=approved.allow_no_guarantee, preregistered=approved.preregistered
        )
        return partial(self._run_code if self.submission.has_code else self._run_task, approved, parameters)

    def _run_task(self, approved: Approved, parameters: SignalRequest) -> Computed:
        """In a worker, which has the data."""
        names = ("epsilon", "blocks", "by_range", "allow_no_guarantee")
        how = {name: getattr(parameters, name) for name in names}
        how |= {"kind": parameters.kind.value, "preregistered": parameters.preregistered}
        datasets, task = self._store.datasets, dict(self.submission.task or {})
        job = datasets.job("signal", self.dataset, approved.who, approved.authorization)
        job |= {"sql": self._about.sql, "release": self._about.release.as_dict(), "task": task, "how": how}
        return _computed(datasets.computed(self.analyst, self.dataset, self.submission.id, job)["signal"])

    def _run_code(self, approved: Approved, parameters: SignalRequest) -> Computed:
        """In the sandbox, which this process starts: a worker hands over the tables that are scored, and no more."""
        id, code, free = self.submission.id, self.submission.code, not self.submission.reads_people
        ports, datasets = self._store.ports, self._store.datasets
        require_sandbox(ports.sandbox)
        assert code is not None
        context = (
            datasets.planned(self.dataset, approved.authorization, self.analyst)
            if free
            else datasets.as_read(self.dataset, approved.authorization, approved.who)
        )
        query = bind(context, self._about.sql)
        released = table_of(self._about.release.answer, query.measurement)

        def tables(blocks: int | None) -> Mapping[str, Any]:
            job = datasets.job("tables", self.dataset, approved.who, approved.authorization)
            job |= {"sql": self._about.sql, "blocks": blocks, "data": context.version}
            return ports.runner.run(id, job, self.analyst.name)

        run = self._code_runs[id] = Runs(ports.sandbox, code, released, all_public=free)
        try:
            if run(released) is None:
                raise Refused.because("function-without-score")
            exact = None if free else Exact(tables)
            scored = score(query, self._about.release, self.submission.scored_by(run), parameters, exact)
            return _computed(scored.stored())
        finally:
            del self._code_runs[id]

    def sealed(self, computed: Computed) -> object:
        """With the guarantee with which it leaves."""
        return computed.result | {"guarantee": computed.guarantee.value}


def _computed(stored: Mapping[str, Any]) -> Computed:
    return Computed(stored, Guarantee(stored["guarantee"]), stored["cost"])


def _bits_used(store: SubmissionStore[Signal], signal: Signal) -> float:
    """What other exact scores have told this analyst, or may yet: whatever was started counts, no score too."""
    rows = store.rows.many(
        analyst=signal.analyst, dataset=signal.dataset, kind=SignalKind.PUBLISHED.value, limit=100_000
    )
    counted = [row for row in rows if row["ran"] or State(row["state"]) in PENDING]
    return float(sum(row["bits"] for row in counted if row["id"] != signal.id))


def require_bits(store: SubmissionStore[Signal], signal: Signal, access: AccessRule) -> None:
    """Refuse what would tell more than the policy lets exact scores tell this analyst."""
    bits, used = signal.bits or 0.0, _bits_used(store, signal)
    if bits + used > access.signal_bits:
        raise Forbidden.because("signal-beyond-bits", told=bits, used=used, budget=access.signal_bits)
