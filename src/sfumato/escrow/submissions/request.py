"""What whoever asks does: submit, see where it stands, take it back, fetch the answer. No approval, no value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sfumato.errors import AwaitingApproval, BadInput, Conflict, Forbidden, Gone
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.catalogue.separation import refuse_viewer
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.notifications import Happened, Notifications
from sfumato.escrow.policy.policy import AccessRule, Approve
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.questions.exploration import Questions
from sfumato.escrow.questions.facts import RequestPreview, each
from sfumato.escrow.questions.query import RequestedQuery, checked_queries
from sfumato.escrow.submissions.decisions import Decisions
from sfumato.escrow.submissions.docket import Docket
from sfumato.escrow.submissions.execution import Execution
from sfumato.escrow.submissions.lifecycle import Act, Request, State, readable, stepped
from sfumato.escrow.submissions.visibility import shown
from sfumato.model.release import Answer, ReleaseCertificate
from sfumato.release.bound_query import bind
from sfumato.release.difference import Cell, Difference, difference, figure_of
from sfumato.release.ledger import digest

_LONGEST_PURPOSE = 2000
_WAITING = (State.SUBMITTED, State.APPROVED, State.RUNNING, State.COMPUTED)


class Requests:
    def __init__(
        self,
        outside: EscrowPorts,
        datasets: Datasets,
        questions: Questions,
        docket: Docket,
        notices: Notifications,
        decisions: Decisions,
        execution: Execution,
    ) -> None:
        self._outside, self._datasets, self._questions, self._docket = outside, datasets, questions, docket
        self._notices, self._decisions, self._execution = notices, decisions, execution

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
        if idempotency and (before := self._docket.rows.one(analyst=actor.name, idempotency=idempotency)):
            return _the_same(before, body)
        actor.require(Role.ANALYST, to="submit a request")
        with self._outside.reading():
            held, signed, flow = self._datasets.accessible(actor, dataset)
            version = self._datasets.version(held)
        asked = checked_queries(queries, self._outside.limits.most_queries)
        preference = signed.policy.beside_the_rule(preference)
        foreseen, _ = self._questions.preview(actor, held, asked, preference, signed=signed)
        refuse_viewer(foreseen.dataset.ledger.known, actor, "ask about it")
        self._require_allowed(foreseen, flow, preference)
        asked = tuple(RequestedQuery(q.sql, one.weight) for q, one in zip(foreseen.queries, asked, strict=True))
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
            "binding": self._docket.binding([id, purpose], held, asked, preference, signed, actor),
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
            if not self._docket.rows.add(row):  # the same key came in between
                found = self._docket.rows.one(analyst=actor.name, idempotency=idempotency)
                assert found is not None
                return _the_same(found, body)
            self._docket.say(actor.name, "submitted", id, {"dataset": held.name})
            made = self._docket.request(id)
            if automatic:
                self._docket.say("the policy", "approved", id, {"binding": made.binding})
            else:
                values = {"who": actor.name, "dataset": held.name, "number": made.number}
                self._notices.tell(held.controllers, Happened.REQUEST_SUBMITTED, id, **values)
        if automatic:
            self._outside.later(lambda: self._execution.execute(id))
        return made

    def withdraw(self, actor: Person, id: str) -> Request:
        found = self._own(actor, id)
        self._docket.move(found, Act.WITHDRAW, {"decided_at": self._outside.moment})
        self._docket.say(actor.name, "withdrew", found.id)
        return self._docket.request(found.id)

    def result(self, actor: Person, id: str) -> dict[str, Any]:
        """The answers, to whoever asked and to those who hold the data; nothing before they are released."""
        with self._outside.reading():
            return self._result(actor, id)

    def _result(self, actor: Person, id: str) -> dict[str, Any]:
        found, held = self._docket.seen(actor, id)
        if found.state is State.COMPUTED and held.is_controlled_by(actor):
            raise AwaitingApproval.because("answer-withheld")
        if found.state in _WAITING:
            raise AwaitingApproval.because("answer-awaited", state=found.state.value)
        if found.state is not State.RELEASED:
            raise Gone.because("request-without-answer", state=found.state.value, note=found.note)
        if not (held.is_controlled_by(actor) or found.analyst == actor.name):
            raise Forbidden.because("answer-of-others")
        self._kept_long_enough(found, held)
        return self._docket.answers(found) | {"guarantee": found.guarantee, "charged": found.charged}

    def difference(self, actor: Person, id: str, first: Cell, second: Cell) -> Difference:
        """Whether one released figure may be called larger than another: from what was released alone."""
        answers = self.result(actor, id)["answers"]
        found, held = self._docket.seen(actor, id)
        dataset = self._datasets.planned(held, None, actor)
        figures = []
        for cell in (first, second):
            if not 0 < cell.query <= len(answers):
                raise BadInput.because("request-query-missing", number=found.number, query=cell.query)
            told = answers[cell.query - 1]
            certificate = ReleaseCertificate.from_dict(told["certificate"])
            query = bind(dataset, certificate.query)
            figures.append(figure_of(query, Answer.from_dict(told), certificate, cell))
        return difference(*figures)

    def recipients(self, actor: Person, dataset: str) -> dict[int, list[dict[str, Any]]]:
        """Who has the answer of which charge, by the number of its entry: for those who hold the data."""
        held = self._datasets.for_whoever_decides(actor, dataset)
        found: dict[int, list[dict[str, Any]]] = {}
        for row in self._docket.rows.many(dataset=held.name, state=State.RELEASED.value, limit=100_000):
            request = Request.of(row)
            whom = self._docket.asker(request)
            for answer in self._docket.answers(request)["answers"]:
                told = {"number": request.number, "name": whom.name, "organisation": whom.organisation}
                certificate = answer["certificate"]
                for entry in {certificate["ledger_entry"], *(certificate.get("recorded") or ())}:
                    have = found.setdefault(entry, [])
                    have += [] if told in have else [told]  # one charge may be for several of its answers
        return found

    def found(self, actor: Person, id: str) -> tuple[Request, RegisteredDataset]:
        """A request that this person may see, and the dataset that it is to."""
        return self._docket.seen(actor, id)

    def one(self, actor: Person, id: str) -> dict[str, Any]:
        found, held = self._docket.seen(actor, id)
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
        where: dict[str, object] = {} if state is None else {"state": State.of(state).value}
        where |= {} if dataset is None else {"dataset": dataset.casefold()}
        listed: list[dict[str, Any]] = []
        while len(listed) < limit:
            rows = self._docket.rows.many(after=after, limit=limit, newest_first=True, **where)
            seen = [row for row in rows if self._docket.may_see(actor, row, self._datasets.of(row["dataset"]))]
            listed += [self.one(actor, row["id"]) for row in seen]
            if len(rows) < limit:
                break
            after = rows[-1]["number"]
        return listed[:limit]

    def cancel(self, actor: Person, id: str, *, allow_no_guarantee: bool = False) -> Request:
        """Stop what runs, or take back what waits. What was charged stays charged.

        A controller who stops it after a look says no after a look.
        """
        found, held = self._docket.seen(actor, id)
        if not (held.is_controlled_by(actor) or found.analyst == actor.name):
            raise Forbidden.because("cancelled-by-others")
        if held.is_controlled_by(actor) and found.analyst != actor.name:
            stepped(found.state, Act.FAIL if found.state is State.RUNNING else Act.WITHDRAW)
            ledger = self._datasets.ledger_of(actor, held)
            self._decisions.enter(ledger, found, Act.WITHDRAW, found.binding, actor, allow_no_guarantee)
        if found.state is State.RUNNING:
            if not self._outside.runner.cancel(found.id):
                raise Conflict.because("submission-not-running")
            self._docket.say(actor.name, "stopped", found.id)
            return self._docket.request(found.id)
        self._docket.move(found, Act.WITHDRAW, {"decided_at": self._outside.moment})
        self._docket.say(actor.name, "cancelled", found.id)
        return self._docket.request(found.id)

    def _require_allowed(self, foreseen: RequestPreview, flow: AccessRule, stated: Mapping[str, Any] | None) -> None:
        """Refuse what the policy does not have, before anything is kept."""
        tuple(each(flow.require, foreseen.statements))
        tuple(each(lambda statement: readable(statement.text, "query"), foreseen.statements))
        flow.require_columns(foreseen.compared)
        flow.require_preferences(stated)
        if (
            flow.approve is Approve.AUTOMATIC
            and (stated or {}).get("delta")
            and foreseen.dataset.ledger.budget.delta is None
        ):
            raise Forbidden.because("delta-without-budget")
        for choice in foreseen.choices:
            known = not (choice.asked.reads_people or choice.asked.draws)
            if known and choice.epsilon is None:
                raise Forbidden.because("request-without-epsilon", why=choice.why.removesuffix("."))
        word = foreseen.guarantee_before_approval
        if flow.approve is Approve.AFTER_THE_ANSWER:
            foreseen.require_affordable()
            return
        if word not in flow.guarantees:
            lost = next((one.because for one in foreseen.inputs if one.what != "approval"), "")
            raise Forbidden.because(
                "request-guarantee-not-allowed",
                guarantee=word.value,
                allowed=[one.value for one in flow.guarantees],
                lost="" if word.holds else lost,
            )

    def _own(self, actor: Person, id: str) -> Request:
        found, _ = self._docket.seen(actor, id)
        if found.analyst != actor.name:
            raise Forbidden.because("withdrawn-by-others")
        return found

    def _kept_long_enough(self, found: Request, held: RegisteredDataset) -> None:
        signed = self._datasets.policy_of(held)
        days = None if signed is None else signed.policy.answers_days
        if days is None or found.decided_at is None:
            return
        if datetime.fromisoformat(found.decided_at) + timedelta(days=days) <= self._outside.now():
            raise Gone.because("answers-no-longer-kept", days=days)


def _the_same(row: Mapping[str, Any], body: str) -> Request:
    if row["body_sha256"] != body:
        raise Conflict.because("idempotency-key-used", what="request")
    return Request.of(row)


def _checked_purpose(stated: str) -> str:
    said = " ".join(stated.split())
    if not said or len(said) > _LONGEST_PURPOSE:
        raise BadInput.because("purpose-length", longest=_LONGEST_PURPOSE)
    return readable(said, "purpose")
