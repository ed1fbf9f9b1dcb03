"""From a question to an answer: submit, inspect, return, refuse or approve, release. No approval, no value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sfumato.errors import (
    AwaitingApproval,
    BadInput,
    Conflict,
    EngineFailure,
    Forbidden,
    Gone,
    NoGuarantee,
    NotFound,
    Refused,
    SfumatoError,
)
from sfumato.escrow.datasets import Datasets, mandate_of
from sfumato.escrow.facts import Foreseen
from sfumato.escrow.held import Held
from sfumato.escrow.notices import Notices
from sfumato.escrow.outside import Outside
from sfumato.escrow.people import People
from sfumato.escrow.person import Person, Role
from sfumato.escrow.policies import Signed
from sfumato.escrow.policy import Approve, Flow
from sfumato.escrow.request import Act, Asked, Request, State, binding_of, checked_queries, readable, stepped
from sfumato.escrow.visible import shown
from sfumato.ledger.entry import Draft, Event
from sfumato.ledger.record import Record
from sfumato.model.guarantee import Guarantee, join, word
from sfumato.session.ledger import Ledger, digest
from sfumato.views.words import of_policy, of_request

_LONGEST_PURPOSE = 2000
_WAITING = (State.SUBMITTED, State.APPROVED, State.RUNNING, State.COMPUTED)


class Requests:
    def __init__(self, outside: Outside, people: People, datasets: Datasets, notices: Notices) -> None:
        self._outside, self._people, self._datasets, self._notices = outside, people, datasets, notices
        self._rows = outside.rows("requests")

    # The analyst

    def submit(
        self,
        actor: Person,
        dataset: str,
        purpose: str,
        queries: Sequence[Mapping[str, Any]],
        preference: Mapping[str, Any] | None = None,
        *,
        idempotency: str | None = None,
    ) -> Request:
        """Ask. What the policy does not allow is refused here; what it approves by itself goes on at once."""
        body = digest([dataset, purpose, queries, preference])
        if idempotency and (before := self._rows.one(analyst=actor.name, idempotency=idempotency)):
            return _the_same(before, body)
        actor.require(Role.ANALYST, to="submit a request")
        with self._outside.reading():
            held, signed, flow = self._datasets.flowing(actor, dataset)
            version = self._datasets.version(held)
        asked, preference = (
            checked_queries(queries, self._outside.limits.most_queries),
            signed.policy.beside_the_rule(preference),
        )
        foreseen, _ = self._datasets.foreseen(actor, held, asked, preference, signed=signed)
        self._require_allowed(foreseen, flow, preference)
        asked = tuple(Asked(q.sql, one.weight) for q, one in zip(foreseen.queries, asked, strict=True))
        id, purpose = self._outside.new_id(), _checked_purpose(purpose)
        row: dict[str, Any] = {
            "id": id,
            "dataset": held.name,
            "analyst": actor.name,
            "purpose": purpose,
            "queries": [vars(one) for one in asked],
            "preference": None if not preference else dict(preference),
            "state": State.SUBMITTED.value,
            "version": version.id,
            "policy": signed.number,
            "binding": _binding(
                [id, purpose], held, self._datasets.version_key(held), asked, preference, signed, actor
            ),
            "submitted_at": self._outside.moment,
            "decided_at": None,
            "decided_by": [],
            "note": "",
            "guarantee": None,
            "charged": None,
            "answers": None,
            "owner": None,
            "idempotency": idempotency,
            "body_sha256": body,
        }
        foreseen.plan()
        automatic = flow.approve is Approve.AUTOMATIC and foreseen.guarantee.holds
        if automatic:
            row |= {"state": stepped(State.SUBMITTED, Act.APPROVE).value, "decided_at": self._outside.moment}
        with self._outside.transaction():
            if not self._rows.add(row):  # the same key came in between
                found = self._rows.one(analyst=actor.name, idempotency=idempotency)
                assert found is not None
                return _the_same(found, body)
            self._say(actor.name, "submitted", id, {"dataset": held.name})
            made = self._request(id)
            if automatic:
                self._say("the policy", "approved", id, {"binding": made.binding})
            else:
                self._notices.tell(held.controllers, of_request.submitted(actor.name, held.name, made.number), id)
        if automatic:
            self._outside.later(lambda: self.execute(id))
        return made

    def withdraw(self, actor: Person, id: str) -> Request:
        found = self._own(actor, id)
        self._move(found, Act.WITHDRAW, {"decided_at": self._outside.moment})
        self._say(actor.name, "withdrew", found.id)
        return self._request(found.id)

    def result(self, actor: Person, id: str) -> dict[str, Any]:
        """The answers, to whoever asked and to those who hold the data; nothing before they are released."""
        with self._outside.reading():
            return self._result(actor, id)

    def _result(self, actor: Person, id: str) -> dict[str, Any]:
        found, held = self._seen(actor, id)
        if found.state is State.COMPUTED and held.is_controlled_by(actor):
            raise AwaitingApproval(
                "The answer is withheld", hint="see it with `sfumato inspect --answer`, which is a look."
            )
        if found.state in _WAITING:
            raise AwaitingApproval(of_request.NEXT[found.state].removesuffix("."), hint="ask again later.")
        if found.state is not State.RELEASED:
            raise Gone(of_request.NEXT[found.state].removesuffix("."), hint=found.note or "submit another request.")
        if not (held.is_controlled_by(actor) or found.analyst == actor.name):
            raise Forbidden("The answer goes to whoever asked", hint="the certificate is in the dataset's ledger.")
        self._kept_long_enough(found, held)
        return self._answers(found) | {"guarantee": found.guarantee, "charged": found.charged}

    # Everybody who takes part

    def one(self, actor: Person, id: str) -> dict[str, Any]:
        found, held = self._seen(actor, id)
        to_controller = held.is_controlled_by(actor) or actor.has(Role.AUDITOR)
        progress = self._outside.runner.progress(found.id) if found.state is State.RUNNING else None
        return shown(found, to_controller=to_controller, progress=progress)

    def many(
        self,
        actor: Person,
        *,
        state: str | None = None,
        dataset: str | None = None,
        after: int | None = None,
        limit: int = 100,
    ) -> list[dict[str, Any]]:
        """An analyst's own, a controller's for their datasets, an auditor's for all; newest first."""
        where: dict[str, object] = {} if state is None else {"state": state}
        where |= {} if dataset is None else {"dataset": dataset.casefold()}
        listed: list[dict[str, Any]] = []
        while len(listed) < limit:
            rows = self._rows.many(after=after, limit=limit, newest_first=True, **where)
            seen = [row for row in rows if self._may_see(actor, row, self._datasets.of(row["dataset"]))]
            listed += [self.one(actor, row["id"]) for row in seen]
            if len(rows) < limit:
                break
            after = rows[-1]["number"]
        return listed[:limit]

    def cancel(self, actor: Person, id: str, *, accept_none: bool = False) -> Request:
        """Stop what runs, or take back what waits. What was charged stays charged.

        A controller who stops it after a look says no after a look.
        """
        found, held = self._seen(actor, id)
        if not (held.is_controlled_by(actor) or found.analyst == actor.name):
            raise Forbidden("Only whoever asked, or a controller, may cancel", hint="ask one of them.")
        if held.is_controlled_by(actor) and found.analyst != actor.name:
            stepped(found.state, Act.FAIL if found.state is State.RUNNING else Act.WITHDRAW)
            ledger = self._datasets.ledger_of(actor, held)
            self._enter(ledger, found, Act.WITHDRAW, found.binding, actor, accept_none)
        if found.state is State.RUNNING:
            if not self._outside.runner.cancel(found.id):
                raise Conflict("It does not run here, or not any more", hint="look at it again.")
            self._say(actor.name, "stopped", found.id)
            return self._request(found.id)
        self._move(found, Act.WITHDRAW, {"decided_at": self._outside.moment})
        self._say(actor.name, "cancelled", found.id)
        return self._request(found.id)

    # The controller

    def inspect(self, actor: Person, id: str, *, rehearse: bool = True) -> dict[str, Any]:
        """The approver's page: who asks, why, what, at what cost, and the worst it can do. Public facts only.

        With the rehearsal it has the same queries on invented rows.
        """
        found, held = self._decidable(actor, id)
        foreseen, signed, flow = self._foreseen(found, held)
        analyst = self._people.one(found.analyst)
        looked = foreseen.dataset.ledger.known.somebody_looked
        self._say(actor.name, "inspected", found.id)
        return {
            "request": shown(found, to_controller=True),
            "binding": self._binding_now(found, held, signed),
            "analyst": {"name": analyst.name, "organisation": analyst.organisation},
            "facts": foreseen.as_dict(),
            "approve": flow.approve.value,
            "approvals": {
                "needed": flow.approvals,
                "given": list(found.approved_by(self._binding_now(found, held, signed))),
            },
            "guarantees": [word.value for word in flow.guarantees],
            "looked": looked,
            "warning": of_policy.AFTER_LOOK if looked and found.state in (State.SUBMITTED, State.COMPUTED) else None,
            "policy": signed.policy.sentences(),
            "rehearsal": self._datasets.rehearsed(analyst, held, found.queries, found.preference) if rehearse else None,
        }

    def answer(self, actor: Person, id: str) -> dict[str, Any]:
        """A withheld answer, beside the true one, as 003's controller sees them: a look."""
        found, held = self._decidable(actor, id)
        if found.state is not State.COMPUTED:
            raise Conflict("There is no withheld answer", hint='only `approve = "after the answer"` makes one.')
        signed, flow = self._flow(found, held)
        job = self._datasets.job("answer", held, actor.name, mandate_of(signed, flow, found.binding))
        true = self._outside.runner.run(f"answer {found.id}", job | {"queries": [vars(one) for one in found.queries]})
        self._say(actor.name, "looked at the answer of", found.id)
        return self._answers(found) | {"true": true["answers"]}

    def approve(
        self,
        actor: Person,
        id: str,
        binding: str,
        *,
        note: str = "",
        accept_none: bool = False,
        fixed_beforehand: str = "",
    ) -> Request:
        """Let it go on, exactly as it was seen: `binding` is the page's. A second click changes nothing."""
        found, held = self._decidable(actor, id)
        if self._approved_before(found, actor, binding):
            return found
        stepped(found.state, Act.APPROVE)
        foreseen, signed, flow = self._foreseen(found, held, fixed_beforehand)
        if flow.approvers and actor.name not in [name.casefold() for name in flow.approvers]:
            raise Forbidden(f"The policy asks {', '.join(flow.approvers)} to approve", hint="leave it to them.")
        now = self._binding_now(found, held, signed)
        if found.state is State.COMPUTED and now != found.binding:  # what is withheld was computed as it was then
            raise Conflict(of_request.CHANGED, hint="refuse or return it; it can be submitted again.")
        if binding != now:
            raise Conflict(of_request.CHANGED, hint="inspect it again.")
        self._require_word(foreseen, flow, accept_none)
        self._enter(foreseen.dataset.ledger, found, Act.APPROVE, binding, actor, accept_none, fixed_beforehand)
        made = self._decision(found, actor, Act.APPROVE, binding, note, accept_none, fixed_beforehand)
        done = len({actor.name, *found.approved_by(binding)} & {*held.controllers}) >= flow.approvals
        if not done:
            if not self._rows.change(_as_it_was(found), {"decided_by": made, "binding": binding}):
                raise _meanwhile()
            self._say(actor.name, "approved in part", found.id, {"binding": binding})
            return self._request(found.id)
        to: dict[str, Any] = {"decided_by": made, "decided_at": self._outside.moment, "note": note, "binding": binding}
        if found.state is State.COMPUTED:
            to["answers"] = self._sealed(found, self._answers(found)["answers"], withheld=False)
        self._move(found, Act.APPROVE, to | {"policy": signed.number, "version": held.version})
        self._say(actor.name, "approved", found.id, {"binding": binding, "guarantee": foreseen.guarantee.value})
        self._notices.tell([found.analyst], of_request.decided(found.number, Act.APPROVE, note), found.id)
        if found.state is State.SUBMITTED:
            self._outside.later(lambda: self.execute(found.id))
        return self._request(found.id)

    def return_(self, actor: Person, id: str, note: str, *, accept_none: bool = False) -> Request:
        """Back to whoever asked, with what to change."""
        if not note.strip():
            raise BadInput("A request is returned with a note", hint="say what to change.")
        return self._no(actor, id, Act.RETURN, note, accept_none)

    def refuse(self, actor: Person, id: str, note: str = "", *, accept_none: bool = False) -> Request:
        return self._no(actor, id, Act.REFUSE, note, accept_none)

    def _no(self, actor: Person, id: str, act: Act, note: str, accept_none: bool) -> Request:
        """A no after a look tells about the people: it is entered, and the dataset's total is none from then on."""
        found, held = self._decidable(actor, id)
        stepped(found.state, act)
        ledger = self._datasets.ledger_of(actor, held)
        word = self._enter(ledger, found, act, found.binding, actor, accept_none)
        told = None if word.holds else word.value
        to = {"decided_by": self._decision(found, actor, act, found.binding, note, accept_none), "note": note}
        self._move(found, act, to | {"decided_at": self._outside.moment, "guarantee": told})
        self._say(actor.name, f"{act}ed" if act is Act.RETURN else "refused", found.id)
        self._notices.tell([found.analyst], of_request.decided(found.number, act, note), found.id)
        return self._request(found.id)

    # The platform

    def execute(self, id: str) -> None:
        """Compute what was approved, if it is still what was approved; whatever goes wrong, no value leaves."""
        found = self._request(id)
        if found.state is not State.APPROVED or not self._rows.change(
            _as_it_was(found), {"state": stepped(found.state, Act.START).value, "owner": self._lease()}
        ):
            return  # somebody else has it
        running = replace(found, state=State.RUNNING)
        try:
            answers, withheld = self._computed(running)
        except SfumatoError as failure:
            self._failed(running, str(failure if isinstance(failure, Refused) else EngineFailure()))
            return
        except BaseException:
            self._failed(running, "")
            raise
        act = Act.WITHHOLD if withheld else Act.RELEASE
        kept = {"answers": self._sealed(running, answers["answers"], withheld=withheld)}
        with self._outside.transaction():
            self._move(running, act, kept | {"guarantee": answers["guarantee"], "charged": answers["charged"]})
            self._say("sfumato", "computed" if withheld else "released", id, {"guarantee": answers["guarantee"]})
            if withheld:
                held = self._datasets.of(found.dataset)
                self._notices.tell(held.controllers, of_request.computed(found.number), id)
            else:
                self._notices.tell([found.analyst], of_request.released(found.number), id)

    def resume(self, *, alone: bool = True) -> int:
        """After a start: what was approved goes on; what was running has an unknown outcome, and counts as spent.

        What another server may still run is left to it for its time; `alone`: this one has no twin that lives.
        """
        for row in self._rows.many(state=State.RUNNING.value, limit=100_000):
            until, _, server = (row["owner"] or "").partition(" ")
            over = not until or datetime.fromisoformat(until) <= self._outside.now()
            if over or (alone and server == self._outside.limits.server):
                with suppress(Conflict):  # another server ended it meanwhile
                    self._failed(Request.of(row), "The server was stopped while it ran.")
        waiting = [row["id"] for row in self._rows.many(state=State.APPROVED.value, limit=100_000)]
        for id in waiting:
            self._outside.later(lambda id=id: self.execute(id))  # type: ignore[misc]
        return len(waiting)

    def _lease(self) -> str:
        """Until when what runs is this server's, whatever others find, and which one it is."""
        until = self._outside.now() + timedelta(seconds=self._outside.limits.lease_seconds)
        return f"{until.isoformat()} {self._outside.limits.server}"

    def _computed(self, found: Request) -> tuple[Mapping[str, Any], bool]:
        with self._outside.reading():
            job, withheld, decided = self._job(found)
        answers = self._outside.runner.run(found.id, job)
        # What left before comes back with the word it had: that it comes back was decided now.
        return {**answers, "guarantee": join([Guarantee(answers["guarantee"]), decided]).value}, withheld

    def _job(self, found: Request) -> tuple[Mapping[str, Any], bool, Guarantee]:
        """What a worker is to do, if it is still what was approved; whether that is withheld; and what was decided."""
        held = self._datasets.of(found.dataset)
        analyst = self._people.one(found.analyst)
        signed, flow = self._datasets.flow(analyst, held)
        if self._binding_now(found, held, signed) != found.binding:
            raise Conflict(of_request.CHANGED, hint="submit it again.")
        withheld = flow.approve is Approve.AFTER_THE_ANSWER
        automatic = not found.decided_by
        if automatic and (flow.approve is not Approve.AUTOMATIC or analyst.disabled):
            raise Forbidden("The policy no longer approves this by itself", hint="submit it again.")
        rule, preference = self._datasets.terms(analyst, held, found.queries, found.preference, signed)
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
            "accept_none": Guarantee.NONE in flow.guarantees and (withheld or any(d["accept_none"] for d in approvals)),
            "fixed_beforehand": next((d["fixed_beforehand"] for d in approvals if d["fixed_beforehand"]), ""),
        }
        decided = Guarantee.DP if automatic else word(ledger.record.decision(found.binding))
        return job, withheld, decided

    def _require_approved(self, found: Request, ledger: Ledger, flow: Flow) -> None:
        """What a request says of itself is no approval: the ledger has those, for exactly what is bound."""
        asked = {name.casefold() for name in flow.approvers}
        given = {who for who in ledger.record.approved_by(found.binding) if not asked or who in asked}
        if len(given) < flow.approvals or found.analyst in given:
            raise Conflict(of_request.CHANGED, hint="submit it again.")

    def _failed(self, found: Request, why: str) -> None:
        self._move(found, Act.FAIL, {"note": why, "decided_at": found.decided_at or self._outside.moment})
        self._say("sfumato", "failed", found.id)
        self._notices.tell([found.analyst], of_request.failed(found.number), found.id)

    # What the verbs above lean on

    def _require_allowed(self, foreseen: Foreseen, flow: Flow, stated: Mapping[str, Any] | None) -> None:
        """Refuse what the policy does not have, before anything is kept."""
        for statement in foreseen.statements:
            flow.require(statement)
            readable(statement.text, "query")
        flow.require_columns(foreseen.compared)
        flow.require_preferences(stated)
        if (
            flow.approve is Approve.AUTOMATIC
            and (stated or {}).get("delta")
            and foreseen.dataset.ledger.stop.delta is None
        ):
            hint = "state none, or ask a controller for a stop_delta in it."
            raise Forbidden("The policy approves by itself and does not say where delta stops", hint=hint)
        for choice in foreseen.choices:
            known = not (choice.asked.reads_people or choice.asked.draws)
            if known and choice.epsilon is None:
                raise Forbidden(choice.why.removesuffix("."), hint="ask for something else, or state an epsilon.")
        word = foreseen.guarantee_before_approval
        if flow.approve is Approve.AFTER_THE_ANSWER:
            foreseen.require_affordable()
            return
        if word not in flow.guarantees:
            lost = next((one.because for one in foreseen.inputs if one.what != "approval"), "")
            raise Forbidden(
                f"The policy lets nothing leave with the word {word}",
                hint=f"it allows {' and '.join(flow.guarantees)}{f' ({lost})' if not word.holds else ''}.",
            )

    def _require_word(self, foreseen: Foreseen, flow: Flow, accept_none: bool) -> None:
        word = foreseen.guarantee
        if word not in flow.guarantees:
            hint = f"it allows {' and '.join(flow.guarantees)}; or state where it was fixed with --fixed-beforehand."
            raise Forbidden(
                f"Approved now, this would carry the word {word}, which the policy does not allow", hint=hint
            )
        if not word.holds and not accept_none:
            raise _no_guarantee(Act.APPROVE)

    def _enter(
        self,
        ledger: Ledger,
        found: Request,
        act: Act,
        binding: str,
        actor: Person,
        accept_none: bool,
        attestation: str = "",
    ) -> Guarantee:
        """The decision, in the ledger, and its word: none after a look, which has to be accepted.

        Whether somebody has looked is read in the transaction that enters it: no look comes in between.
        """
        attested = " ".join(attestation.split())

        def decided(record: Record) -> list[Draft]:
            holds = not record.somebody_looked or (bool(attested) and act is Act.APPROVE)
            if not holds and not accept_none:
                raise _no_guarantee(act)
            public: dict[str, object] = {
                "what": f"request {found.number}: {act}",
                "approved": act is Act.APPROVE,
                "guarantee": (Guarantee.DP if holds else Guarantee.NONE).value,
            }
            public |= {"attested": attested} if attested else {}
            return [ledger.draft(Event.DECIDED, binding, public, who=actor.name)]

        return Guarantee(str(ledger.write(decided)[-1].draft.public["guarantee"]))

    def _decision(
        self,
        found: Request,
        actor: Person,
        act: Act,
        binding: str,
        note: str,
        accept_none: bool,
        fixed_beforehand: str = "",
    ) -> list[dict[str, Any]]:
        made = {"who": actor.name, "at": self._outside.moment, "act": act.value, "binding": binding, "note": note}
        made |= {"fixed_beforehand": " ".join(fixed_beforehand.split()), "state": found.state.value}
        return [*map(dict, found.decided_by), made | {"accept_none": accept_none}]

    def _approved_before(self, found: Request, actor: Person, binding: str) -> bool:
        """Whether this very approval was given: for what it led to, or as one of several."""
        given = [d for d in found.decided_by if d["act"] == Act.APPROVE and d["who"] == actor.name]
        return any(d["binding"] == binding and (d["state"] == found.state or found.state not in
                   (State.SUBMITTED, State.COMPUTED)) for d in given)  # fmt: skip

    def _foreseen(self, found: Request, held: Held, attestation: str = "") -> tuple[Foreseen, Signed, Flow]:
        analyst = self._people.one(found.analyst)
        signed, flow = self._flow(found, held)
        foreseen, _ = self._datasets.foreseen(
            analyst, held, found.queries, found.preference, signed=signed, attestation=attestation, by_a_person=True
        )
        return foreseen, signed, flow

    def _flow(self, found: Request, held: Held) -> tuple[Signed, Flow]:
        return self._datasets.flow(self._people.one(found.analyst), held)

    def _binding_now(self, found: Request, held: Held, signed: Signed) -> str:
        version, analyst = self._datasets.version_key(held), self._people.one(found.analyst)
        asked = [found.id, found.purpose]
        return _binding(asked, held, version, found.queries, found.preference, signed, analyst)

    def _decidable(self, actor: Person, id: str) -> tuple[Request, Held]:
        """A request that this person may decide: of their dataset, and not their own."""
        found, held = self._seen(actor, id)
        if not held.is_controlled_by(actor):
            raise Forbidden(f"Only a controller of {held.name} decides", hint="ask one of them.")
        if found.analyst == actor.name:
            raise Forbidden("Nobody decides their own request", hint="leave it to another controller.")
        return found, held

    def _own(self, actor: Person, id: str) -> Request:
        found, _ = self._seen(actor, id)
        if found.analyst != actor.name:
            raise Forbidden("Only whoever asked may withdraw", hint="refuse or return it instead.")
        return found

    def _seen(self, actor: Person, id: str) -> tuple[Request, Held]:
        """A request by its id, or by its number, as people say it."""
        row = self._rows.one(number=int(id)) if id.isdecimal() and len(id) < 10 else self._rows.one(id=id)
        held = None if row is None else self._datasets.of(row["dataset"])
        if row is None or held is None or not self._may_see(actor, row, held):
            raise NotFound("There is no such request", hint="list yours first.")
        return Request.of(row), held

    def _may_see(self, actor: Person, row: Mapping[str, Any], held: Held) -> bool:
        return row["analyst"] == actor.name or held.is_controlled_by(actor) or actor.has(Role.AUDITOR)

    def _request(self, id: str) -> Request:
        row = self._rows.one(id=id)
        assert row is not None  # requests are never removed
        return Request.of(row)

    def _move(self, found: Request, act: Act, to: Mapping[str, Any]) -> None:
        """One step, if it is still where it was."""
        state = stepped(found.state, act)
        if not self._rows.change(_as_it_was(found), dict(to) | {"state": state.value}):
            raise _meanwhile()

    def _answers(self, found: Request) -> dict[str, Any]:
        row = self._rows.one(id=found.id)
        assert row is not None
        about = _about(found.id, withheld=found.state is State.COMPUTED)
        return {"answers": json.loads(self._outside.locks.unseal(row["answers"], about))}

    def _sealed(self, found: Request, answers: object, *, withheld: bool) -> str:
        """What is withheld is sealed as that: a state that is edited in the database does not release it."""
        return self._outside.locks.seal(json.dumps(answers).encode(), _about(found.id, withheld=withheld))

    def _kept_long_enough(self, found: Request, held: Held) -> None:
        signed = self._datasets.policy_of(held)
        days = None if signed is None else signed.policy.answers_days
        if days is None or found.decided_at is None:
            return
        if datetime.fromisoformat(found.decided_at) + timedelta(days=days) <= self._outside.now():
            raise Gone(f"The policy keeps answers for {days} days, and they are over", hint="ask again.")

    def _say(self, who: str, verb: str, about: str, said: Mapping[str, object] | None = None) -> None:
        self._outside.audit.append(self._outside.moment, who, verb, about, said or {})


def _binding(
    request: Sequence[str],
    held: Held,
    version: str,
    queries: Sequence[Asked],
    stated: Mapping[str, Any] | None,
    signed: Signed,
    analyst: Person,
) -> str:
    data, who = [held.id, version, held.schema_text], [analyst.name, analyst.organisation]
    return binding_of(request, data, queries, stated or None, signed.policy.fingerprint, who)


def _the_same(row: Mapping[str, Any], body: str) -> Request:
    if row["body_sha256"] != body:
        hint = "take another Idempotency-Key for another request."
        raise Conflict("This Idempotency-Key was used for another request", hint=hint)
    return Request.of(row)


def _as_it_was(found: Request) -> dict[str, Any]:
    """Where it stands, and who decided: an approval that came in between is not overwritten."""
    return {"id": found.id, "state": found.state.value, "decided_by": [dict(one) for one in found.decided_by]}


def _no_guarantee(act: Act) -> NoGuarantee:
    if act is Act.APPROVE:
        return NoGuarantee(
            "Approved now, this would carry no guarantee. Nothing was drawn and nothing was charged",
            hint="state where the approval was fixed with --fixed-beforehand, or accept it with --accept-none.",
        )
    return NoGuarantee(of_policy.NO_AFTER_LOOK, hint="accept that with --accept-none, or leave it to the policy.")


def _meanwhile() -> Conflict:
    return Conflict("Somebody else was faster", hint="look at it again.")


def _checked_purpose(stated: str) -> str:
    said = " ".join(stated.split())
    if not said or len(said) > _LONGEST_PURPOSE:
        hint = "say in a sentence what the answer is for."
        raise BadInput(f"A request has a purpose of up to {_LONGEST_PURPOSE:,} characters", hint=hint)
    return readable(said, "purpose")


def _about(id: str, *, withheld: bool) -> str:
    return f"{'withheld ' if withheld else ''}answers of {id}"
