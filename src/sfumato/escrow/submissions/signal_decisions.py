"""What whoever holds the data decides of a signal: read its code, approve, return or refuse; see an exact score."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.errors import BadInput, Conflict
from sfumato.escrow.catalogue.access import mandate_of
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.catalogue.separation import decides_after_look, refuse_viewer
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person
from sfumato.escrow.notifications import Happened, Notifications
from sfumato.escrow.policy.policy import AccessRule
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.submissions.ballot import (
    WAITING,
    approved_before,
    approved_by,
    entered,
    no_guarantee,
    noted,
    require_approver,
    require_word,
    valid,
    warning,
)
from sfumato.escrow.submissions.code_review import marks
from sfumato.escrow.submissions.lifecycle import Act, State, stepped
from sfumato.escrow.submissions.scoring import asked_by, task_for
from sfumato.escrow.submissions.signal import Signal
from sfumato.escrow.submissions.signal_docket import About, SignalDocket
from sfumato.escrow.submissions.signal_execution import SignalExecution
from sfumato.escrow.submissions.visibility import shown_signal
from sfumato.ledger.entry import NANO
from sfumato.model.guarantee import Guarantee
from sfumato.model.signal import SignalKind
from sfumato.release.bound_query import bind
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.ledger import PrivacyLedger, digest
from sfumato.signals.record import look_text
from sfumato.signals.signal import preview_guarantee


@dataclass(frozen=True)
class SignalCharge:
    """What would be charged for a signal that carries this word, and what is left of the budget."""

    epsilon: float
    guarantee: Guarantee
    left: float | None


class SignalDecisions:
    def __init__(
        self,
        outside: EscrowPorts,
        people: Accounts,
        datasets: Datasets,
        docket: SignalDocket,
        notices: Notifications,
        execution: SignalExecution,
    ) -> None:
        self._outside, self._people, self._datasets = outside, people, datasets
        self._docket, self._notices, self._execution = docket, notices, execution

    def waiting(self, actor: Person, limit: int = 100) -> list[dict[str, Any]]:
        """What waits for this person's decision, oldest first."""
        return [shown_signal(found, to_controller=True) for found in self._docket.waiting(actor, limit)]

    def inspect(self, actor: Person, id: str) -> dict[str, Any]:
        """The approver's page: the task, or the code with its marks; what it promises, costs and may tell.

        `marks` are Marks, `sandbox` says why code cannot run, `charge` is a SignalCharge, `warning` an EarlierLook and
        `policy` a Policy.
        """
        found, held = self._docket.decidable(actor, id)
        about = self._docket.of_signal(found)
        signed, flow = self._docket.flow(found, held)
        now = self._docket.binding_now(found, about, signed)
        analyst, ledger = self._people.one(found.analyst), self._datasets.ledger_of(actor, held)
        record, word = ledger.known, self._word(found, about, signed, flow)
        missing = None if found.code is None else self._outside.sandbox.missing()
        self._docket.say(actor.name, "inspected", found.id)
        return {
            "signal": shown_signal(found, to_controller=True),
            "binding": now,
            "analyst": {"name": analyst.name, "organisation": analyst.organisation},
            "request": {"id": about.request.id, "number": about.request.number, "purpose": about.request.purpose},
            "sql": about.sql,
            "code": found.code,
            "marks": [] if found.code is None else marks(found.code),
            "sandbox": missing,
            "guarantee": word.value,
            "epsilon": EPSILON_MAX if found.kind is SignalKind.PUBLISHED else found.how.get("epsilon") or 0.0,
            "charge": _charge(found, word, ledger),
            "bits": self._bits(found, flow),
            "approvals": {"needed": flow.approvals, "given": [*valid(approved_by(found, now), record)]},
            "guarantees": [word.value for word in flow.guarantees],
            "looked": decides_after_look(record, actor),
            "warning": warning(record, actor) if found.state in WAITING else None,
            "policy": signed.policy,
        }

    def value(self, actor: Person, id: str) -> dict[str, Any]:
        """Both scores of a signal that is withheld, as the PRI paper's controller sees them: a look."""
        found, held = self._docket.decidable(actor, id)
        if found.state is not State.COMPUTED:
            raise Conflict.because("no-withheld-value")
        self._datasets.require_look(actor, held)
        result, about = self._docket.result(found), self._docket.of_signal(found)
        what = look_text(str(result["task"]["task"]), about.sql)
        self._datasets.ledger_of(actor, held).look(digest(["value", found.id]), what)
        self._docket.say(actor.name, "looked at the scores of", found.id)
        return result

    def approve(
        self,
        actor: Person,
        id: str,
        binding: str,
        *,
        note: str = "",
        allow_no_guarantee: bool = False,
        preregistered: str = "",
        by_session: bool = False,
    ) -> Signal:
        """Let it go on, exactly as it was seen: `binding` is the page's. A second click changes nothing."""
        found, held = self._docket.decidable(actor, id)
        if approved_before(found, actor, binding):
            return found
        stepped(found.state, Act.APPROVE, "signal")
        about = self._docket.of_signal(found)
        signed, flow = self._docket.flow(found, held)
        ledger = self._datasets.ledger_of(actor, held)
        refuse_viewer(ledger.record, actor, "decide on signals")
        require_approver(self._people, actor, signed, flow, by_session=by_session)
        flow.require_signal(found.kind, own_code=found.code is not None)
        now = self._docket.binding_now(found, about, signed)
        if found.state is State.COMPUTED and now != found.binding:  # what is withheld was computed as it was then
            raise Conflict.because("signal-changed", then="return")
        if binding != now:
            raise Conflict.because("signal-changed", then="inspect")
        if found.code is not None and found.state is State.SUBMITTED:
            self._execution.require_sandbox()
        if found.kind is SignalKind.PUBLISHED:
            self._docket.require_bits(found, flow)  # the policy may allow fewer by now
        self._require_word(found, self._word(found, about, signed, flow, preregistered), flow, allow_no_guarantee)
        entered(ledger, _what(found), Act.APPROVE, binding, actor, allow_no_guarantee, preregistered)
        made = noted(found, actor, self._outside.moment, Act.APPROVE, binding, note, allow_no_guarantee, preregistered)
        given = {actor.name, *valid(approved_by(found, binding), ledger.known)}
        done = len(given & {*held.controllers}) >= flow.approvals
        if not done:
            self._docket.change(found, {"decided_by": made, "binding": binding})
            self._docket.say(actor.name, "approved in part", found.id, {"binding": binding})
            return self._docket.signal(found.id)
        to: dict[str, Any] = {"decided_by": made, "decided_at": self._outside.moment, "note": note, "binding": binding}
        if found.state is State.COMPUTED:
            to["result"] = self._docket.sealed(found.id, self._docket.result(found), withheld=False)
        self._docket.move(found, Act.APPROVE, to | {"policy": signed.number})
        self._docket.say(actor.name, "approved", found.id, {"binding": binding})
        self._tell_decided(found, Act.APPROVE, note)
        if found.state is State.SUBMITTED:
            self._execution.start(found)
        return self._docket.signal(found.id)

    def return_(self, actor: Person, id: str, note: str, *, allow_no_guarantee: bool = False) -> Signal:
        """Back to whoever asked, with what to change."""
        if not note.strip():
            raise BadInput.because("signal-returned-without-note")
        return self._no(actor, id, Act.RETURN, note, allow_no_guarantee)

    def refuse(self, actor: Person, id: str, note: str = "", *, allow_no_guarantee: bool = False) -> Signal:
        return self._no(actor, id, Act.REFUSE, note, allow_no_guarantee)

    def _no(self, actor: Person, id: str, act: Act, note: str, allow_no_guarantee: bool) -> Signal:
        """A no after a look tells about the people: it is entered, and the dataset's total is none from then on."""
        found, held = self._docket.decidable(actor, id)
        stepped(found.state, act, "signal")
        ledger = self._datasets.ledger_of(actor, held)
        refuse_viewer(ledger.known, actor, "decide on signals")
        word = entered(ledger, _what(found), act, found.binding, actor, allow_no_guarantee)
        made = noted(found, actor, self._outside.moment, act, found.binding, note, allow_no_guarantee)
        to = {"decided_by": made, "note": note, "guarantee": None if word.holds else word.value}
        self._docket.move(found, act, to | {"decided_at": self._outside.moment})
        self._docket.say(actor.name, "returned" if act is Act.RETURN else "refused", found.id)
        self._tell_decided(found, act, note)
        return self._docket.signal(found.id)

    def _tell_decided(self, found: Signal, act: Act, note: str) -> None:
        values = {"number": found.number, "act": act.value, "note": note}
        self._notices.tell([found.analyst], Happened.SIGNAL_DECIDED, found.request, **values)

    def _word(
        self, found: Signal, about: About, signed: SignedPolicy, flow: AccessRule, attestation: str = ""
    ) -> Guarantee:
        """The word that it would carry, approved now."""
        if found.kind is SignalKind.PUBLISHED:
            return Guarantee.NONE
        mandate = mandate_of(signed, flow, by_a_person=True)
        analyst = self._people.one(found.analyst)
        query = bind(self._datasets.planned(about.held, mandate, analyst), about.sql)
        return preview_guarantee(query, about.release, task_for(found), asked_by(found, attestation=attestation))

    def _require_word(self, found: Signal, word: Guarantee, flow: AccessRule, allow_no_guarantee: bool) -> None:
        """That the policy lists `as_published` says that its word may leave; whoever approves it says so too."""
        if found.kind is not SignalKind.PUBLISHED:
            require_word(word, flow, allow_no_guarantee)
        elif not allow_no_guarantee:
            raise no_guarantee(Act.APPROVE)

    def _bits(self, found: Signal, flow: AccessRule) -> dict[str, float] | None:
        if found.bits is None:
            return None
        used = self._docket.bits_used(found.analyst, found.dataset, beside=found.id)
        return {"told": found.bits, "used": used, "budget": flow.signal_bits}


def _charge(found: Signal, word: Guarantee, ledger: PrivacyLedger) -> SignalCharge | None:
    """What would be charged if it were approved now, and what is left; None: nothing, or it is charged already."""
    if not found.reads_people or found.state is not State.SUBMITTED:
        return None
    budget, spent = ledger.budget.epsilon, Fraction(ledger.total.nano_epsilon, NANO)
    left = None if budget is None else float(max(budget - spent, Fraction(0)))
    return SignalCharge(found.how["epsilon"] if word.holds else EPSILON_MAX, word, left)


def _what(found: Signal) -> str:
    return f"signal {found.number}"
