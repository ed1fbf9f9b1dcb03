"""What the platform does with what was approved: compute it, if it still is what was approved, and keep what comes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sfumato.errors import Conflict, EngineFailure, Forbidden, Refused, SfumatoError
from sfumato.escrow.catalogue.access import mandate_of
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.notifications import Happened, Notifications
from sfumato.escrow.policy.policy import AccessRule, Approve
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.questions.exploration import Questions
from sfumato.escrow.submissions.docket import Docket
from sfumato.escrow.submissions.lifecycle import Act, Request, State, stepped
from sfumato.model.guarantee import Guarantee, guarantee_of, weakest
from sfumato.release.ledger import PrivacyLedger


class Execution:
    def __init__(
        self,
        outside: EscrowPorts,
        people: Accounts,
        datasets: Datasets,
        questions: Questions,
        docket: Docket,
        notices: Notifications,
    ) -> None:
        self._outside, self._people, self._datasets = outside, people, datasets
        self._questions, self._docket, self._notices = questions, docket, notices

    def execute(self, id: str) -> None:
        """Compute what was approved, if it is still what was approved; whatever goes wrong, no value leaves."""
        found = self._docket.request(id)
        if found.state is not State.APPROVED:
            return
        started = {"state": stepped(found.state, Act.START).value, "owner": self._outside.lease()}
        if not self._docket.taken(found, started):
            return  # somebody else has it
        running = replace(found, state=State.RUNNING)
        try:
            answers, withheld = self._computed(running)
        except SfumatoError as failure:
            self._failed(running, str(failure if isinstance(failure, Refused) else EngineFailure()))
            return
        except BaseException:
            self._failed(running, str(EngineFailure()))
            raise
        act = Act.WITHHOLD if withheld else Act.RELEASE
        kept = {"answers": self._docket.sealed(running, answers["answers"], withheld=withheld)}
        with self._outside.transaction():
            self._docket.move(running, act, kept | {"guarantee": answers["guarantee"], "charged": answers["charged"]})
            self._docket.say("sfumato", "computed" if withheld else "released", id, {"guarantee": answers["guarantee"]})
            if withheld:
                held = self._datasets.of(found.dataset)
                self._notices.tell(held.controllers, Happened.REQUEST_COMPUTED, id, number=found.number)
            else:
                self._notices.tell([found.analyst], Happened.REQUEST_RELEASED, id, number=found.number)

    def resume(self, *, alone: bool = True) -> int:
        """After a start: what was approved goes on; what was running has an unknown outcome, and counts as spent.

        What another server may still run is left to it for its time; `alone`: this one has no twin that lives.
        """
        for row in self._docket.rows.many(state=State.RUNNING.value, limit=100_000):
            if self._outside.is_over(row["owner"], alone=alone):
                with suppress(Conflict):  # another server ended it meanwhile
                    self._failed(Request.of(row), "The server was stopped while it ran.")
        waiting = [row["id"] for row in self._docket.rows.many(state=State.APPROVED.value, limit=100_000)]
        for id in waiting:
            self._outside.later(lambda id=id: self.execute(id))  # type: ignore[misc]
        return len(waiting)

    def _computed(self, found: Request) -> tuple[Mapping[str, Any], bool]:
        with self._outside.reading():
            job, withheld, decided = self._job(found)
        analyst, held = self._people.one(found.analyst), self._datasets.of(found.dataset)
        answers = self._datasets.computed(analyst, held, found.id, job)
        # What left before comes back with the word it had: that it comes back was decided now.
        return {**answers, "guarantee": weakest([Guarantee(answers["guarantee"]), decided]).value}, withheld

    def _job(self, found: Request) -> tuple[Mapping[str, Any], bool, Guarantee]:
        """What a worker is to do, if it is still what was approved; whether that is withheld; and what was decided."""
        held = self._datasets.of(found.dataset)
        analyst = self._people.one(found.analyst)
        signed, flow = self._datasets.access_rule(analyst, held)
        if self._docket.binding_now(found, held, signed) != found.binding:
            raise Conflict.because("request-changed", then="submit")
        withheld = flow.approve is Approve.AFTER_THE_ANSWER
        automatic = not found.decided_by
        if automatic and (flow.approve is not Approve.AUTOMATIC or analyst.disabled):
            raise Forbidden.because("request-no-longer-automatic")
        rule, preference = self._questions.terms(analyst, held, found.queries, found.preference, signed)
        ledger = self._datasets.ledger_of(analyst, held)
        if not automatic:
            self._require_approved(found, ledger, flow)
        approvals = [d for d in found.decided_by if d["binding"] == found.binding]
        who = found.analyst if automatic else approvals[-1]["who"]
        mandate = mandate_of(signed, flow, found.binding, by_a_person=not automatic)
        job = self._datasets.job("release", held, who, mandate) | {
            "queries": [vars(one) for one in found.queries],
            "shares": list(found.shares),
            "preference": preference,
            "rule": rule,
            "allow_no_guarantee": Guarantee.NONE in flow.guarantees
            and (withheld or any(d["allow_no_guarantee"] for d in approvals)),
            "preregistered": next((d["preregistered"] for d in approvals if d["preregistered"]), ""),
        }
        decided = Guarantee.DP if automatic else guarantee_of(ledger.record.decision(found.binding))
        return job, withheld, decided

    def _require_approved(self, found: Request, ledger: PrivacyLedger, flow: AccessRule) -> None:
        """What a request says of itself is no approval: the ledger has those, for exactly what is bound."""
        asked = {name.casefold() for name in flow.approvers}
        given = {who for who in ledger.record.approved_by(found.binding) if not asked or who in asked}
        if len(given) < flow.approvals or found.analyst in given:
            raise Conflict.because("request-changed", then="submit")

    def _failed(self, found: Request, why: str) -> None:
        self._docket.move(found, Act.FAIL, {"note": why, "decided_at": found.decided_at or self._outside.moment})
        self._docket.say("sfumato", "failed", found.id)
        self._notices.tell([found.analyst], Happened.REQUEST_FAILED, found.id, number=found.number)
