"""What analysts do about the noise of an answer: ask for a signal, see where it stands, fetch it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.errors import BadInput, BudgetExceeded, Conflict, Forbidden, SandboxMissing, SfumatoError
from sfumato.escrow.catalogue.access import authorization_of
from sfumato.escrow.catalogue.separation import refuse_viewer
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.policy import AccessRule, Approve
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.questions.facts import budget_left
from sfumato.escrow.submissions.code_review import checked, require_function
from sfumato.escrow.submissions.lifecycle import State
from sfumato.escrow.submissions.request_payload import Request
from sfumato.escrow.submissions.requests import Requests
from sfumato.escrow.submissions.scoring import (
    MOST_OWN_BLOCKS,
    MOST_OWN_DRAWS,
    Runs,
    SignalResult,
    require_sandbox,
    score,
)
from sfumato.escrow.submissions.signal_payload import (
    HOW,
    ReleasedAnswer,
    Signal,
    SignalApprovalFacts,
    SignalPayload,
    require_bits,
)
from sfumato.escrow.submissions.store import SubmissionFilter, SubmissionStore
from sfumato.escrow.submissions.submission import Submissions
from sfumato.escrow.submissions.visibility import Standing, VisibleSubmission
from sfumato.model.signal_score import SignalKind
from sfumato.release.bound_query import bind
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.ledger import digest
from sfumato.release.risk.posthoc import require_same_numbers
from sfumato.signals.charged import exact_bits
from sfumato.signals.signal_request import signal_request
from sfumato.signals.tasks.registry import TaskDescription, task_descriptions
from sfumato.signals.tasks.registry import task as task_of
from sfumato.signals.utility_signal import preview_guarantee


@dataclass(frozen=True)
class TaskLibrary:
    """The tasks, and whether functions of one's own can run here: each run takes `seconds`; `missing` says why not."""

    tasks: tuple[TaskDescription, ...]
    missing: SandboxMissing | None
    seconds: float


class Signals(Submissions[Signal, SignalApprovalFacts, SignalResult, SignalResult]):
    def __init__(self, store: SubmissionStore[Signal], requests: Requests) -> None:
        super().__init__(store)
        self._requests = requests
        self._code_runs: dict[str, Runs] = {}

    def payload(self, submission: Signal, dataset: RegisteredDataset, *policy: Any) -> SignalPayload:
        analyst = self._store.accounts.one(submission.analyst)
        about = self._released_answer(analyst, submission.request, submission.query)
        return SignalPayload(about, self._code_runs, self._store, submission, dataset, *policy)

    def _released_answer(self, analyst: Person, id: str, query: int) -> ReleasedAnswer:
        """The answer that a signal is about, if the analyst may still have it."""
        request, dataset = self._requests.get(analyst, id)
        if request.analyst != analyst.name:
            raise Forbidden.because("signal-about-answer-of-others")
        answers = self._requests.result(analyst, id).answers
        if not 0 < query <= len(answers):
            raise BadInput.because("request-query-missing", number=request.number, query=query)
        return ReleasedAnswer(request, dataset, query, answers[query - 1])

    def tasks(self, _actor: Person) -> TaskLibrary:
        return TaskLibrary(task_descriptions(), self._ports.sandbox.missing(), self._ports.limits.code_seconds)

    def prepare(self) -> None:
        """At a start: test the sandbox, if some policy lets code be brought."""
        if self._datasets.some_policy(lambda policy: any(access.code for access in policy.access_rules)):

            def test() -> None:
                self._ports.sandbox.missing()

            self._ports.later("", test)

    def submit(
        self,
        actor: Person,
        request: str,
        query: int,
        kind: str,
        *,
        task: Mapping[str, Any] | None = None,
        code: str | None = None,
        how: Mapping[str, Any] | None = None,
        idempotency: str | None = None,
    ) -> Signal:
        """Ask. What the policy does not allow is refused here; what is free, with a task of ours, is here at once."""
        how = {name: value for name, value in (how or {}).items() if value is not None and value is not False}
        body = digest([request, query, kind, task, code, how])
        if earlier := self._store.sent_before(actor.name, idempotency, body):
            return earlier
        with self._ports.reading():
            about = self._released_answer(actor, request, query)
            actor.require(Role.ANALYST, to="ask for a signal")
            signed, access = in_force = self._datasets.access_rule(actor, about.dataset)
        refuse_viewer(self._datasets.ledger_of(actor, about.dataset).record, actor, "ask about it")
        signal = self._signal(actor, about, signed, kind, task, code, how)
        access.require_signal(signal.kind, own_code=signal.has_code)
        if signal.has_code:
            require_sandbox(self._ports.sandbox)
        automatic = self._require_possible(signal, actor, about, signed, access)
        if not signal.reads_people and not signal.has_code:
            return self._release(signal, actor, about, idempotency, body)
        payload = SignalPayload(about, self._code_runs, self._store, signal, about.dataset, "", in_force)
        signal = replace(signal, binding=payload.binding)

        def require() -> None:
            if signal.is_exact:
                require_bits(self._store, signal, access)  # of several at once not all may fit

        return self._add(
            signal,
            about.dataset,
            idempotency,
            body,
            automatic=automatic,
            verb="asked for a signal",
            logged={"dataset": signal.dataset, "kind": signal.kind},
            notified={"request": about.request.number},
            require=require,
        )

    def submit_with(self, request: Request) -> None:
        """Ask for the signals that were submitted with the queries of a request, now that its answers are released.

        Who approved the request approved them with it: each approval is given again, for the signal that it led to, and
        refused where one of the signal would be. What is refused waits for a decision of its own, or is left out.
        """
        analyst = self._store.accounts.one(request.analyst)
        for number, query in enumerate(request.queries, 1):
            if query.signal is None:
                continue
            options = dict(query.signal)
            kind, task, code = (options.pop(name, None) for name in ("kind", "task", "code"))
            try:
                how: dict[str, Any] = {"task": task, "code": code, "how": options}
                how |= {"idempotency": f"with-{request.id}-{number}"}
                signal = self.submit(analyst, request.id, number, kind, **how)
                if signal.state is State.SUBMITTED:
                    self._approve_with(request, signal)
            except SfumatoError:
                self._store.log("sfumato", "could not compute a signal with", request.id, {"query": number})

    def _approve_with(self, request: Request, signal: Signal) -> None:
        """Approve a signal in the names of those who approved its request with it."""
        for name in request.approved_with(request.binding):
            approver = self._store.accounts.one(name)
            how: dict[str, Any] = {"note": f"with request {request.number}", "at_once": True}
            self.approval.approve(approver, signal.id, signal.binding, **how)

    def one(self, actor: Person, id: str) -> VisibleSubmission[Signal]:
        signal, dataset = self._store.get_visible(actor, id)
        is_there = signal.state is State.RELEASED and self._may_have(actor, signal, dataset)
        return self._visible(actor, signal, dataset, result=self._result(signal) if is_there else None)

    def many(
        self,
        actor: Person,
        *,
        request: str | None = None,
        state: str | None = None,
        waiting: bool = False,
        after: int | None = None,
        limit: int = 100,
    ) -> list[VisibleSubmission[Signal]]:
        """An analyst's own, a controller's for their datasets, an auditor's for all; newest first.

        `waiting`: those that wait for this person's decision, oldest first.
        """
        if waiting:
            return self.approval.waiting(actor, limit)
        about = None if request is None else self._requests.get(actor, request)[0].id
        states = () if state is None else (State.of(state),)
        return self.listed(actor, SubmissionFilter(state=states, request=about), after=after, limit=limit)

    def _current(self, submission: Signal) -> dict[str, object]:
        run = self._code_runs.get(submission.id)
        return {"standing": Standing(submission.state, None if run is None else run.done, submission.most_runs)}

    def _stop(self, id: str) -> bool:
        """At once, or after the run of a function."""
        run = self._code_runs.get(id)
        if run is not None:
            run.stop()
        return super()._stop(id) or run is not None

    def _released_result(self, submission: Signal, dataset: RegisteredDataset) -> SignalResult:
        self.payload(submission, dataset)  # as long as the answer is kept
        return self._result(submission)

    def _result(self, signal: Signal) -> SignalResult:
        return SignalResult.from_stored(self._store.unseal(signal))

    # What is asked for, and whether it can be

    def _signal(
        self,
        actor: Person,
        about: ReleasedAnswer,
        signed: SignedPolicy,
        kind: str,
        task: Mapping[str, Any] | None,
        code: str | None,
        how: Mapping[str, Any],
    ) -> Signal:
        """A signal as it would be stored."""
        if (task is None) == (code is None):
            raise BadInput.because("signal-task-or-code")
        if unknown := [name for name in how if name not in HOW]:
            raise BadInput.because("option-unknown", name=unknown[0], known=list(HOW))
        if ("range" in how) != (code is not None):
            raise BadInput.because("own-code-states-range")
        if code is not None:
            require_function(checked(code))
        signal_request(kind, how.get("epsilon"))
        signal = self._store.new(
            actor,
            about.dataset,
            signed,
            version=about.request.version,
            request=about.request.id,
            query=about.query,
            kind=SignalKind(kind),
            task=None if task is None else task_of(dict(task)).as_dict(),
            code=code,
            how=dict(how),
            bits=None,
        )
        scored = signal.scored_by()
        return replace(signal, bits=exact_bits(scored)) if signal.is_exact else signal

    def _require_possible(
        self, signal: Signal, actor: Person, about: ReleasedAnswer, signed: SignedPolicy, access: AccessRule
    ) -> bool:
        """Refuse from public facts, before anything is stored; and return whether the policy approves it by itself."""
        parameters, most = signal.parameters(), signed.policy.epsilon_max or EPSILON_MAX
        if signal.has_code and (parameters.draws > MOST_OWN_DRAWS or parameters.blocks > MOST_OWN_BLOCKS):
            raise BadInput.because("own-code-runs", draws=MOST_OWN_DRAWS, blocks=MOST_OWN_BLOCKS)
        if parameters.epsilon is not None and parameters.epsilon > most:
            raise Forbidden.because("signal-epsilon-above-policy", most=most)
        if signal.reads_people and self._datasets.version(about.dataset).id != about.request.version:
            raise Conflict.because("signal-about-older-data")
        automatic = access.approve is Approve.AUTOMATIC and signal.is_automatic
        authorization = authorization_of(signed, access, by_a_person=not automatic)
        query = bind(self._datasets.planned(about.dataset, authorization, actor), about.sql)
        require_same_numbers(query, about.release)
        guarantee = preview_guarantee(query, about.release, signal.scored_by(), parameters)
        if signal.reads_people:
            epsilon = EPSILON_MAX if parameters.epsilon is None else parameters.epsilon
            left = budget_left(self._datasets.ledger_of(actor, about.dataset))
            if left is not None and Fraction(str(epsilon)) > left:
                rest = float(max(left, Fraction(0)))
                raise BudgetExceeded.because("signal-beyond-budget", epsilon=epsilon, left=rest)
        return automatic and guarantee.holds and guarantee in access.guarantees

    def _release(
        self, signal: Signal, actor: Person, about: ReleasedAnswer, idempotency: str | None, body: str
    ) -> Signal:
        """From released answers alone: no row is read, nothing is charged, and no process is started."""
        query = bind(self._datasets.planned(about.dataset, None, actor), about.sql)
        result = score(query, about.release, signal.scored_by(), signal.parameters())
        settled: dict[str, Any] = {"state": State.RELEASED, "guarantee": result.guarantee, "charged": result.cost}
        released = replace(signal, **settled, decided_at=self._ports.moment)
        with self._ports.transaction():
            if (earlier := self._store.add(released, idempotency, body, result.stored())) is not None:
                return earlier
            self._store.log(signal.analyst, "asked for a free signal", signal.id, {"dataset": signal.dataset})
        return self._store.get(signal.id)
