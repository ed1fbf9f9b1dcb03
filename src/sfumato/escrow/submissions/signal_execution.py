"""What the platform does with a signal that may be made: compute it, if it still is what was approved, and keep it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any

from sfumato.errors import Conflict, EngineFailure, Forbidden, Refused, SfumatoError
from sfumato.escrow.catalogue.access import mandate_of
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.notifications import Happened, Notifications
from sfumato.escrow.policy.policy import AccessRule, Approve
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.submissions.lifecycle import Act, State, stepped
from sfumato.escrow.submissions.scoring import Exact, Runs, asked_by, most_runs, task_for
from sfumato.escrow.submissions.signal import Signal
from sfumato.escrow.submissions.signal_docket import About, SignalDocket
from sfumato.model.authorization import Authorization
from sfumato.model.guarantee import Guarantee, guarantee_of, weakest
from sfumato.model.signal import FreeScore, SignalKind
from sfumato.release.bound_query import BoundQuery, bind
from sfumato.release.ledger import PrivacyLedger
from sfumato.release.risk.posthoc import require_same_numbers
from sfumato.signals.signal import make_signal
from sfumato.signals.signal_request import SignalRequest, table_of
from sfumato.signals.tasks.task import Task


class SignalExecution:
    def __init__(
        self, outside: EscrowPorts, people: Accounts, datasets: Datasets, docket: SignalDocket, notices: Notifications
    ) -> None:
        self._outside, self._people, self._datasets = outside, people, datasets
        self._docket, self._notices = docket, notices
        self._functions: dict[str, Runs] = {}  # those that run here, by their signal

    def free(self, found: Signal, about: About) -> dict[str, Any]:
        """From what was released alone: nobody is read, nothing is charged, and no process is started."""
        analyst = self._people.one(found.analyst)
        query = bind(self._datasets.planned(about.held, None, analyst), about.sql)
        return self._made(query, about, task_for(found), asked_by(found))

    def start(self, found: Signal) -> None:
        """What is approved, in the background: a function of their own waits for the others of its sort."""
        do = self._outside.later if found.code is None else self._outside.in_turn
        do(lambda: self.execute(found.id))

    def execute(self, id: str) -> None:
        """Compute what was approved, if it is still what was approved; whatever goes wrong, no value leaves."""
        found = self._docket.signal(id)
        if found.state is not State.APPROVED:
            return
        more = self._outside.limits.code_seconds * (1 + most_runs(found))
        started = {"state": stepped(found.state, Act.START).value, "owner": self._outside.lease(more), "ran": True}
        if not self._docket.taken(found, started):
            return  # somebody else has it
        running = replace(found, state=State.RUNNING, ran=True)
        try:
            made = self._computed(running)
        except SfumatoError as failure:
            self._failed(running, str(failure if isinstance(failure, Refused) else EngineFailure()))
            return
        except BaseException:
            self._failed(running, str(EngineFailure()))
            raise
        finally:
            self._functions.pop(id, None)
        withheld = found.kind is SignalKind.PUBLISHED
        kept = {"result": self._docket.sealed(id, made, withheld=withheld), "guarantee": made["guarantee"]}
        with self._outside.transaction():
            self._docket.move(running, Act.WITHHOLD if withheld else Act.RELEASE, kept | {"charged": made["cost"]})
            self._docket.say("sfumato", "computed" if withheld else "released", id, {"guarantee": made["guarantee"]})
            if withheld:
                held = self._datasets.of(found.dataset)
                self._notices.tell(held.controllers, Happened.SIGNAL_COMPUTED, found.request, number=found.number)
            else:
                self._notices.tell([found.analyst], Happened.SIGNAL_RELEASED, found.request, number=found.number)

    def resume(self, *, alone: bool = True) -> int:
        """After a start: what was approved goes on; what was running has an unknown outcome, and counts as spent."""
        for row in self._docket.rows.many(state=State.RUNNING.value, limit=100_000):
            if self._outside.is_over(row["owner"], alone=alone):
                with suppress(Conflict):  # another server ended it meanwhile
                    self._failed(Signal.of(row), "The server was stopped while it ran.")
        waiting = [Signal.of(row) for row in self._docket.rows.many(state=State.APPROVED.value, limit=100_000)]
        for found in waiting:
            self.start(found)
        return len(waiting)

    def runs(self, id: str) -> int | None:
        """Which run of a function this is; None: there is none here."""
        function = self._functions.get(id)
        return None if function is None else function.done

    def stop(self, id: str) -> bool:
        """Stop what runs here, at once or after the run of a function; whether there was something."""
        function = self._functions.get(id)
        if function is not None:
            function.stop()
        return self._outside.runner.cancel(id) or function is not None

    def require_sandbox(self) -> None:
        if (missing := self._outside.sandbox.missing()) is not None:
            raise copy(missing)

    def _computed(self, found: Signal) -> dict[str, Any]:
        with self._outside.reading():
            about = self._docket.of_signal(found)
            signed, flow = self._docket.flow(found, about.held)
            if self._docket.binding_now(found, about, signed) != found.binding:
                raise Conflict.because("signal-changed", then="ask")
            flow.require_signal(found.kind, own_code=found.code is not None)
            who, mandate, decided = self._mandate(found, about, signed, flow)
            approvals = [d for d in found.decided_by if d["binding"] == found.binding]
            attested = next((d["preregistered"] for d in approvals if d["preregistered"]), "")
            asked = asked_by(
                found, allow_no_guarantee=any(d["allow_no_guarantee"] for d in approvals), attestation=attested
            )
        if found.code is None:
            made = self._by_task(found, about, asked, self._datasets.job("signal", about.held, who, mandate))
        else:
            made = self._by_code(found, about, asked, who, mandate)
        # What left before comes back with the word it had: that it comes back was decided now.
        return made | {"guarantee": weakest([Guarantee(made["guarantee"]), decided]).value}

    def _by_task(self, found: Signal, about: About, asked: SignalRequest, job: Mapping[str, Any]) -> dict[str, Any]:
        """In a worker, which has the data."""
        how = {"kind": asked.kind.value, "epsilon": asked.epsilon, "blocks": asked.blocks, "by_range": asked.by_range}
        how |= {"allow_no_guarantee": asked.allow_no_guarantee, "preregistered": asked.attestation}
        said = {"sql": about.sql, "release": about.told, "task": dict(found.task or {}), "how": how}
        analyst = self._people.one(found.analyst)
        left = self._datasets.computed(analyst, about.held, found.id, {**job, **said})
        return dict(left["signal"])

    def _by_code(
        self, found: Signal, about: About, asked: SignalRequest, who: str, mandate: Authorization
    ) -> dict[str, Any]:
        """In the sandbox, which this process starts: a worker hands over the tables that are scored, and no more."""
        self.require_sandbox()
        assert found.code is not None
        analyst, free = self._people.one(found.analyst), found.kind is SignalKind.FREE
        dataset = (
            self._datasets.planned(about.held, mandate, analyst)
            if free
            else self._datasets.as_read(about.held, mandate, who)
        )
        query = bind(dataset, about.sql)
        released = table_of(about.release.answer, query.measurement)
        run = self._functions[found.id] = Runs(self._outside.sandbox, found.code, released, all_public=free)
        if run(released) is None:
            raise Refused.because("function-without-score")

        def tables(blocks: int | None) -> Mapping[str, Any]:
            said = {"sql": about.sql, "blocks": blocks, "data": dataset.version}
            return self._outside.runner.run(found.id, self._datasets.job("tables", about.held, who, mandate) | said)

        return self._made(query, about, task_for(found, run), asked, None if free else Exact(tables))

    def _made(
        self, query: BoundQuery, about: About, task: Task, asked: SignalRequest, exact: Exact | None = None
    ) -> dict[str, Any]:
        require_same_numbers(query, about.release)
        found = make_signal(query, about.release, task, asked, exact)
        return found.stored() if isinstance(found, FreeScore) else found.as_dict()

    def _mandate(
        self, found: Signal, about: About, signed: SignedPolicy, flow: AccessRule
    ) -> tuple[str, Authorization, Guarantee]:
        """Who lets it go on, under what, and the word of that."""
        automatic = not found.decided_by
        ledger = self._datasets.ledger_of(self._people.one(found.analyst), about.held)
        mandate = mandate_of(signed, flow, found.binding, by_a_person=not automatic)
        if not automatic:
            self._require_approved(found, ledger, flow)
            approvals = [d for d in found.decided_by if d["binding"] == found.binding]
            return approvals[-1]["who"], mandate, guarantee_of(ledger.record.decision(found.binding))
        by_itself = flow.approve is Approve.AUTOMATIC and decides_itself(found)
        if not by_itself or self._people.one(found.analyst).disabled:
            raise Forbidden.because("signal-no-longer-automatic")
        return found.analyst, mandate, Guarantee.DP

    def _require_approved(self, found: Signal, ledger: PrivacyLedger, flow: AccessRule) -> None:
        """What a signal says of itself is no approval: the ledger has those, for exactly what is bound."""
        asked = {name.casefold() for name in flow.approvers}
        given = {who for who in ledger.record.approved_by(found.binding) if not asked or who in asked}
        if len(given) < flow.approvals or found.analyst in given:
            raise Conflict.because("signal-changed", then="ask")

    def _failed(self, found: Signal, why: str) -> None:
        self._docket.move(found, Act.FAIL, {"note": why, "decided_at": found.decided_at or self._outside.moment})
        self._docket.say("sfumato", "failed", found.id)
        self._notices.tell([found.analyst], Happened.SIGNAL_FAILED, found.request, number=found.number)


def decides_itself(found: Signal) -> bool:
    """Whether an automatic flow covers it: no person has to read code, or a value."""
    return found.code is None and found.kind is not SignalKind.PUBLISHED
