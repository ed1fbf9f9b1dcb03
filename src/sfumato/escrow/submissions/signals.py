"""What whoever asked for a release does about its noise: ask for a signal, see where it stands, fetch it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.errors import AwaitingApproval, BadInput, BudgetExceeded, Conflict, Forbidden, Gone, SandboxMissing
from sfumato.escrow.catalogue.access import mandate_of
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.catalogue.separation import refuse_viewer
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.notifications import Happened, Notifications
from sfumato.escrow.policy.policy import AccessRule, Approve
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.submissions.code_review import checked, require_function
from sfumato.escrow.submissions.lifecycle import Act, State, stepped
from sfumato.escrow.submissions.scoring import MOST_OWN_BLOCKS, MOST_OWN_DRAWS, asked_by, most_runs, task_for
from sfumato.escrow.submissions.signal import HOW, Signal
from sfumato.escrow.submissions.signal_decisions import SignalDecisions
from sfumato.escrow.submissions.signal_docket import About, SignalDocket
from sfumato.escrow.submissions.signal_execution import SignalExecution, decides_itself
from sfumato.escrow.submissions.visibility import shown_signal
from sfumato.ledger.entry import NANO
from sfumato.model.signal import SignalKind
from sfumato.release.bound_query import bind
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.ledger import digest
from sfumato.release.risk.posthoc import require_same_numbers
from sfumato.signals.charged import exact_bits
from sfumato.signals.signal import preview_guarantee
from sfumato.signals.signal_request import signal_request
from sfumato.signals.tasks.registry import task as task_of
from sfumato.signals.tasks.registry import task_descriptions

_WAITING = (State.SUBMITTED, State.APPROVED, State.RUNNING, State.COMPUTED)


@dataclass(frozen=True)
class TaskLibrary:
    """The tasks, and whether functions of one's own can run here: each run takes `seconds`; `missing` says why not."""

    tasks: list[dict[str, Any]]
    missing: SandboxMissing | None
    seconds: float


class Signals:
    def __init__(
        self,
        outside: EscrowPorts,
        datasets: Datasets,
        docket: SignalDocket,
        notices: Notifications,
        decisions: SignalDecisions,
        execution: SignalExecution,
    ) -> None:
        self._outside, self._datasets, self._docket = outside, datasets, docket
        self._notices, self._decisions, self._execution = notices, decisions, execution

    def tasks(self, _actor: Person) -> TaskLibrary:
        return TaskLibrary(task_descriptions(), self._outside.sandbox.missing(), self._outside.limits.code_seconds)

    def prepare(self) -> None:
        """At a start: test the sandbox, if some policy lets code be brought."""
        if self._datasets.some_policy(lambda policy: any(flow.code for flow in policy.access_rules)):
            self._outside.later(lambda: _ignored(self._outside.sandbox.missing()))

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
        stated = {name: value for name, value in (how or {}).items() if value is not None and value is not False}
        body = digest([request, query, kind, task, code, stated])
        if idempotency and (before := self._docket.rows.one(analyst=actor.name, idempotency=idempotency)):
            return _the_same(before, body)
        with self._outside.reading():
            about = self._docket.about(actor, request, query)
            actor.require(Role.ANALYST, to="ask for a signal")
            signed, flow = self._datasets.access_rule(actor, about.held)
        refuse_viewer(self._datasets.ledger_of(actor, about.held).record, actor, "ask about it")
        found = self._asked(actor, about, signed, kind, task, code, stated)
        flow.require_signal(found.kind, own_code=found.code is not None)
        if found.code is not None:
            self._execution.require_sandbox()
        automatic = self._require_possible(found, actor, about, signed, flow)
        if found.kind is SignalKind.FREE and found.code is None:
            return self._released(found, self._execution.free(found, about), idempotency, body)
        found = replace(found, binding=self._docket.binding_now(found, about, signed))
        if automatic:
            found = replace(found, state=stepped(found.state, Act.APPROVE), decided_at=self._outside.moment)
        with self._outside.transaction():
            if found.kind is SignalKind.PUBLISHED:
                self._docket.require_bits(found, flow)  # of several at once not all may fit
            if (other := self._added(found, None, idempotency, body)) is not None:
                return other
            made = self._docket.signal(found.id)
            self._docket.say(actor.name, "asked for a signal", made.id, {"dataset": made.dataset, "kind": made.kind})
            if automatic:
                self._docket.say("the policy", "approved", made.id, {"binding": made.binding})
            else:
                values = {"who": actor.name, "number": made.number, "request": about.request.number}
                self._notices.tell(about.held.controllers, Happened.SIGNAL_SUBMITTED, made.request, **values)
        if automatic:
            self._execution.start(made)
        return made

    def withdraw(self, actor: Person, id: str) -> Signal:
        """Take back what waits, or stop what runs. What was charged stays charged."""
        found, _ = self._docket.seen(actor, id)
        if found.analyst != actor.name:
            raise Forbidden.because("withdrawn-by-others")
        if found.state is State.RUNNING:
            if not self._execution.stop(found.id):
                raise Conflict.because("submission-not-running")
            self._docket.say(actor.name, "stopped", found.id)
            return self._docket.signal(found.id)
        self._docket.move(found, Act.WITHDRAW, {"decided_at": self._outside.moment})
        self._docket.say(actor.name, "withdrew", found.id)
        return self._docket.signal(found.id)

    def result(self, actor: Person, id: str) -> dict[str, Any]:
        """The signal, to whoever asked and to those who hold the data; nothing before it is released."""
        found, held = self._docket.seen(actor, id)
        if found.state in _WAITING:
            raise AwaitingApproval.because("signal-awaited", state=found.state.value)
        if found.state is not State.RELEASED:
            raise Gone.because("signal-without-result", state=found.state.value, note=found.note)
        if not self._may_have(actor, found, held):
            raise Forbidden.because("signal-of-others")
        self._docket.of_signal(found)  # as long as the answer is kept
        return self._docket.result(found)

    def one(self, actor: Person, id: str) -> dict[str, Any]:
        found, held = self._docket.seen(actor, id)
        there = found.state is State.RELEASED and self._may_have(actor, found, held)
        return self._shown(actor, found, held, self._docket.result(found) if there else None)

    def many(
        self,
        actor: Person,
        *,
        request: str | None = None,
        state: str | None = None,
        waiting: bool = False,
        after: int | None = None,
        limit: int = 100,
    ) -> list[dict[str, Any]]:
        """An analyst's own, a controller's for their datasets, an auditor's for all; newest first.

        `waiting`: those that wait for this person's decision, oldest first.
        """
        if waiting:
            return self._decisions.waiting(actor, limit)
        where: dict[str, object] = {} if state is None else {"state": State.of(state).value}
        where |= {} if request is None else {"request": self._docket.request(actor, request).id}
        listed: list[dict[str, Any]] = []
        while len(listed) < limit:
            rows = self._docket.rows.many(after=after, limit=limit, newest_first=True, **where)
            for row in rows:
                held = self._datasets.of(row["dataset"])
                if self._docket.may_see(actor, row, held):
                    listed.append(self._shown(actor, Signal.of(row), held))
            if len(rows) < limit:
                break
            after = rows[-1]["number"]
        return listed[:limit]

    def _shown(
        self, actor: Person, found: Signal, held: RegisteredDataset, result: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        to_controller = held.is_controlled_by(actor) or actor.has(Role.AUDITOR)
        runs = (self._execution.runs(found.id), most_runs(found)) if found.state is State.RUNNING else (None, 0)
        return shown_signal(found, to_controller=to_controller, result=result, runs=runs)

    def _may_have(self, actor: Person, found: Signal, held: RegisteredDataset) -> bool:
        return held.is_controlled_by(actor) or found.analyst == actor.name

    # What is asked for, and whether it can be

    def _asked(
        self,
        actor: Person,
        about: About,
        signed: SignedPolicy,
        kind: str,
        task: Mapping[str, Any] | None,
        code: str | None,
        stated: Mapping[str, Any],
    ) -> Signal:
        """A signal as it would be kept."""
        if (task is None) == (code is None):
            raise BadInput.because("signal-task-or-code")
        if strange := [name for name in stated if name not in HOW]:
            raise BadInput.because("option-unknown", name=strange[0], known=list(HOW))
        if ("range" in stated) != (code is not None):
            raise BadInput.because("own-code-states-range")
        if code is not None:
            require_function(checked(code))
        signal_request(kind, stated.get("epsilon"))
        found = Signal(
            id=self._outside.new_id(),
            number=0,
            request=about.request.id,
            dataset=about.held.name,
            analyst=actor.name,
            query=about.query,
            kind=SignalKind(kind),
            task=None if task is None else task_of(dict(task)).as_dict(),
            code=code,
            how=dict(stated),
            bits=None,
            state=State.SUBMITTED,
            version=about.request.version,
            policy=signed.number,
            binding="",
            submitted_at=self._outside.moment,
        )
        scored = task_for(found)
        return replace(found, bits=exact_bits(scored) if found.kind is SignalKind.PUBLISHED else None)

    def _require_possible(
        self, found: Signal, actor: Person, about: About, signed: SignedPolicy, flow: AccessRule
    ) -> bool:
        """Refuse from public facts, before anything is kept; and whether the policy approves it by itself."""
        asked, policy = asked_by(found), signed.policy
        if found.code is not None and (asked.draws > MOST_OWN_DRAWS or asked.blocks > MOST_OWN_BLOCKS):
            raise BadInput.because("own-code-runs", draws=MOST_OWN_DRAWS, blocks=MOST_OWN_BLOCKS)
        if asked.epsilon is not None and asked.epsilon > (most := policy.epsilon_max or EPSILON_MAX):
            raise Forbidden.because("signal-epsilon-above-policy", most=most)
        if found.reads_people and self._datasets.version(about.held).id != about.request.version:
            raise Conflict.because("signal-about-older-data")
        automatic = flow.approve is Approve.AUTOMATIC and decides_itself(found)
        mandate = mandate_of(signed, flow, by_a_person=not automatic)
        query = bind(self._datasets.planned(about.held, mandate, actor), about.sql)
        require_same_numbers(query, about.release)
        word = preview_guarantee(query, about.release, task_for(found), asked)
        if found.reads_people:
            self._require_affordable(actor, about.held, EPSILON_MAX if asked.epsilon is None else asked.epsilon)
        return automatic and word.holds and word in flow.guarantees

    def _require_affordable(self, actor: Person, held: RegisteredDataset, epsilon: float) -> None:
        ledger = self._datasets.ledger_of(actor, held)
        if ledger.budget.epsilon is None:
            return
        left = ledger.budget.epsilon - Fraction(ledger.total.nano_epsilon, NANO)
        if Fraction(str(epsilon)) > left:
            raise BudgetExceeded.because("signal-beyond-budget", epsilon=epsilon, left=float(max(left, Fraction(0))))

    # Keeping it

    def _released(self, found: Signal, made: Mapping[str, Any], idempotency: str | None, body: str) -> Signal:
        settled = {"state": State.RELEASED, "guarantee": made["guarantee"], "charged": made["cost"]}
        done = replace(found, **settled, decided_at=self._outside.moment)
        with self._outside.transaction():
            if (other := self._added(done, made, idempotency, body)) is not None:
                return other
            self._docket.say(found.analyst, "made a free signal", found.id, {"dataset": found.dataset})
        return self._docket.signal(found.id)

    def _added(
        self, found: Signal, result: Mapping[str, Any] | None, idempotency: str | None, body: str
    ) -> Signal | None:
        """Keep it; or the one that came in between with the same key."""
        row = vars(found) | {"kind": found.kind.value, "state": found.state.value, "decided_by": []}
        row |= {"result": None if result is None else self._docket.sealed(found.id, result, withheld=False)}
        row |= {"owner": None, "idempotency": idempotency, "body_sha256": body}
        del row["number"]
        if self._docket.rows.add(row):
            return None
        before = self._docket.rows.one(analyst=found.analyst, idempotency=idempotency)
        assert before is not None
        return _the_same(before, body)


def _ignored(_found: object) -> None:
    """Whoever asks next is told."""


def _the_same(row: Mapping[str, Any], body: str) -> Signal:
    if row["body_sha256"] != body:
        raise Conflict.because("idempotency-key-used", what="signal")
    return Signal.of(row)
