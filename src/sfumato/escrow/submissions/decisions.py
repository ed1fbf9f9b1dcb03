"""What whoever holds the data decides of a request: inspect, return, refuse or approve, each entered in the ledger."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sfumato.errors import BadInput, Conflict, Forbidden
from sfumato.escrow.catalogue.access import mandate_of
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.catalogue.separation import decides_after_look, is_viewer, refuse_viewer
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person
from sfumato.escrow.notifications import Happened, Notifications
from sfumato.escrow.policy.policy import AccessRule
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.questions.exploration import Questions
from sfumato.escrow.questions.facts import RequestPreview
from sfumato.escrow.submissions.ballot import (
    WAITING,
    approved_before,
    approved_by,
    entered,
    noted,
    require_approver,
    require_word,
    valid,
    warning,
)
from sfumato.escrow.submissions.docket import Docket
from sfumato.escrow.submissions.execution import Execution
from sfumato.escrow.submissions.lifecycle import Act, Request, State, stepped
from sfumato.escrow.submissions.visibility import shown
from sfumato.model.guarantee import Guarantee
from sfumato.release.ledger import PrivacyLedger


class Decisions:
    def __init__(
        self,
        outside: EscrowPorts,
        people: Accounts,
        datasets: Datasets,
        questions: Questions,
        docket: Docket,
        notices: Notifications,
        execution: Execution,
    ) -> None:
        self._outside, self._people, self._datasets = outside, people, datasets
        self._questions, self._docket, self._notices, self._execution = questions, docket, notices, execution

    def waiting(self, actor: Person, limit: int = 100) -> list[dict[str, Any]]:
        """What waits for this person's decision, oldest first."""
        return [shown(found, to_controller=True) for found in self._docket.waiting(actor, limit)]

    def decides(self, actor: Person, id: str) -> bool:
        """Whether a request is this person's to decide; to others it may be there, or not."""
        self._docket.seen(actor, id)
        with suppress(Forbidden):
            _, held = self._docket.decidable(actor, id)
            return not is_viewer(self._datasets.ledger_of(actor, held).known, actor)
        return False

    def brief(self, actor: Person, id: str) -> dict[str, Any]:
        """What a request would cost and carry, if it were approved now: two figures, from public facts.

        `introduction`: whether this person passes that first, to approve it in a browser.
        """
        found, held = self._docket.decidable(actor, id)
        foreseen, signed, _ = self._foreseen(found, held)
        charge = foreseen.charge
        return {
            "epsilon": None if charge is None else float(charge[0]),
            "guarantee": foreseen.guarantee.value,
            "introduction": self._not_introduced(actor, signed),
        }

    def _not_introduced(self, actor: Person, signed: SignedPolicy) -> bool:
        return signed.policy.introduction and self._people.introduced(actor) is None

    def inspect(self, actor: Person, id: str, *, rehearse: bool = True) -> dict[str, Any]:
        """The approver's page: who asks, why, what, at what cost, and the worst it can do. Public facts only.

        With the rehearsal it has the same queries on invented rows. `facts` is a RequestFacts, `warning` an EarlierLook
        and `policy` a Policy.
        """
        found, held = self._docket.decidable(actor, id)
        foreseen, signed, flow = self._foreseen(found, held)
        analyst, now = self._people.one(found.analyst), self._docket.binding_now(found, held, signed)
        record, rehearsal = foreseen.dataset.ledger.known, None
        if rehearse:
            rehearsal = self._questions.rehearsed(analyst, held, foreseen, found.preference, signed)
        self._docket.say(actor.name, "inspected", found.id)
        return {
            "request": shown(found, to_controller=True),
            "binding": now,
            "analyst": {"name": analyst.name, "organisation": analyst.organisation},
            "facts": foreseen.facts(),
            "guarantee_before_approval": foreseen.guarantee_before_approval.value,
            "approve": flow.approve.value,
            "approvals": {"needed": flow.approvals, "given": [*valid(approved_by(found, now), record)]},
            "guarantees": [word.value for word in flow.guarantees],
            "looked": decides_after_look(record, actor),
            "warning": warning(record, actor) if found.state in WAITING else None,
            "policy": signed.policy,
            "rehearsal": rehearsal,
        }

    def answer(self, actor: Person, id: str) -> dict[str, Any]:
        """A withheld answer, beside the true one, as the PRI paper's controller sees them: a look."""
        found, held = self._docket.decidable(actor, id)
        if found.state is not State.COMPUTED:
            raise Conflict.because("no-withheld-answer")
        self._datasets.require_look(actor, held)
        signed, flow = self._docket.flow(found, held)
        job = self._datasets.job("answer", held, actor.name, mandate_of(signed, flow, found.binding))
        true = self._outside.runner.run(f"answer {found.id}", job | {"queries": [vars(one) for one in found.queries]})
        self._docket.say(actor.name, "looked at the answer of", found.id)
        return self._docket.answers(found) | {"true": true["answers"], "cells": true["cells"]}

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
    ) -> Request:
        """Let it go on, exactly as it was seen: `binding` is the page's. A second click changes nothing.

        `by_session`: by somebody who signed in, whom the policy may ask to have passed the introduction.
        """
        found, held = self._docket.decidable(actor, id)
        if approved_before(found, actor, binding):
            return found
        stepped(found.state, Act.APPROVE)
        foreseen, signed, flow = self._foreseen(found, held, preregistered)
        refuse_viewer(foreseen.dataset.ledger.known, actor, "decide on requests")
        require_approver(self._people, actor, signed, flow, by_session=by_session)
        now = self._docket.binding_now(found, held, signed)
        if found.state is State.COMPUTED and now != found.binding:  # what is withheld was computed as it was then
            raise Conflict.because("request-changed", then="return")
        if binding != now:
            raise Conflict.because("request-changed", then="inspect")
        require_word(foreseen.guarantee, flow, allow_no_guarantee)
        self.enter(foreseen.dataset.ledger, found, Act.APPROVE, binding, actor, allow_no_guarantee, preregistered)
        made = noted(found, actor, self._outside.moment, Act.APPROVE, binding, note, allow_no_guarantee, preregistered)
        given = {actor.name, *valid(approved_by(found, binding), foreseen.dataset.ledger.known)}
        done = len(given & {*held.controllers}) >= flow.approvals
        if not done:
            self._docket.change(found, {"decided_by": made, "binding": binding})
            self._docket.say(actor.name, "approved in part", found.id, {"binding": binding})
            return self._docket.request(found.id)
        to: dict[str, Any] = {"decided_by": made, "decided_at": self._outside.moment, "note": note, "binding": binding}
        if found.state is State.COMPUTED:
            to["answers"] = self._docket.sealed(found, self._docket.answers(found)["answers"], withheld=False)
        self._docket.move(found, Act.APPROVE, to | {"policy": signed.number, "version": held.version})
        self._docket.say(actor.name, "approved", found.id, {"binding": binding, "guarantee": foreseen.guarantee.value})
        self._tell_decided(found, Act.APPROVE, note)
        if found.state is State.SUBMITTED:
            self._outside.later(lambda: self._execution.execute(found.id))
        return self._docket.request(found.id)

    def return_(self, actor: Person, id: str, note: str, *, allow_no_guarantee: bool = False) -> Request:
        """Back to whoever asked, with what to change."""
        if not note.strip():
            raise BadInput.because("request-returned-without-note")
        return self._no(actor, id, Act.RETURN, note, allow_no_guarantee)

    def refuse(self, actor: Person, id: str, note: str = "", *, allow_no_guarantee: bool = False) -> Request:
        return self._no(actor, id, Act.REFUSE, note, allow_no_guarantee)

    def _no(self, actor: Person, id: str, act: Act, note: str, allow_no_guarantee: bool) -> Request:
        """A no after a look tells about the people: it is entered, and the dataset's total is none from then on."""
        found, held = self._docket.decidable(actor, id)
        stepped(found.state, act)
        ledger = self._datasets.ledger_of(actor, held)
        refuse_viewer(ledger.known, actor, "decide on requests")
        word = self.enter(ledger, found, act, found.binding, actor, allow_no_guarantee)
        told = None if word.holds else word.value
        made = noted(found, actor, self._outside.moment, act, found.binding, note, allow_no_guarantee)
        to = {"decided_by": made, "note": note}
        self._docket.move(found, act, to | {"decided_at": self._outside.moment, "guarantee": told})
        self._docket.say(actor.name, f"{act}ed" if act is Act.RETURN else "refused", found.id)
        self._tell_decided(found, act, note)
        return self._docket.request(found.id)

    def _tell_decided(self, found: Request, act: Act, note: str) -> None:
        values = {"number": found.number, "act": act.value, "note": note}
        self._notices.tell([found.analyst], Happened.REQUEST_DECIDED, found.id, **values)

    def enter(
        self,
        ledger: PrivacyLedger,
        found: Request,
        act: Act,
        binding: str,
        actor: Person,
        allow_no_guarantee: bool,
        attestation: str = "",
    ) -> Guarantee:
        return entered(ledger, f"request {found.number}", act, binding, actor, allow_no_guarantee, attestation)

    def _foreseen(
        self, found: Request, held: RegisteredDataset, attestation: str = ""
    ) -> tuple[RequestPreview, SignedPolicy, AccessRule]:
        analyst = self._people.one(found.analyst)
        signed, flow = self._docket.flow(found, held)
        foreseen, _ = self._questions.preview(
            analyst, held, found.queries, found.preference, signed=signed, attestation=attestation, by_a_person=True
        )
        return foreseen, signed, flow
