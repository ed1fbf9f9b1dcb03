"""What analysts do with requests: submit them, see where they stand, take them back, fetch the answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from math import isfinite
from typing import Any

from sfumato.errors import AwaitingApproval, BadInput, Conflict, Forbidden, Gone, PreferenceError, SfumatoError
from sfumato.escrow.catalogue.access import authorization_of
from sfumato.escrow.catalogue.separation import refuse_viewer
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.policy import AccessRule, Approve
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.ports import POSTHOC
from sfumato.escrow.questions.exploration import Questions
from sfumato.escrow.questions.facts import QueryFacts, RequestPreview, each
from sfumato.escrow.questions.query import checked_queries
from sfumato.escrow.submissions.approval import Decision
from sfumato.escrow.submissions.lifecycle import Act, State, require_readable
from sfumato.escrow.submissions.request_payload import (
    AnswersBesideTrue,
    ReleasedAnswers,
    Request,
    RequestApprovalFacts,
    RequestPayload,
)
from sfumato.escrow.submissions.requested_signal import checked_signal
from sfumato.escrow.submissions.store import IDENTICAL, SubmissionFilter, SubmissionStore
from sfumato.escrow.submissions.submission import Submissions
from sfumato.escrow.submissions.visibility import VisibleSubmission
from sfumato.ledger.holdings import holdings
from sfumato.ledger.odometer import Total
from sfumato.model.expected_interval import ExpectedInterval
from sfumato.model.guarantee import Guarantee
from sfumato.model.guess_view import GuessView
from sfumato.model.release import Released
from sfumato.model.statement import units_of
from sfumato.release.bound_query import bind
from sfumato.release.difference import Cell, Difference, difference, figure_of
from sfumato.release.ledger import digest

_LONGEST_PURPOSE = 2000


@dataclass(frozen=True)
class RequestBrief:
    """Epsilon and guarantee of a request; `introduction`: whether the approver has to pass that first.

    `noise` is of its first figure and `attack_chance` the highest of its queries, where they are known in advance.
    """

    epsilon: float | None
    guarantee: Guarantee
    introduction: bool
    allowed: bool
    left: float | None
    approvals: tuple[int, int]  # given and needed
    attack_chance: float | None
    noise: ExpectedInterval | None


@dataclass(frozen=True)
class OnePreview:
    """A request that is to be decided together with others: `identical` is the same for identical ones."""

    request: Request
    identical: str
    brief: RequestBrief | None
    binding: str | None
    problem: SfumatoError | None


@dataclass(frozen=True)
class DecisionPreviews:
    """`epsilon` is charged at most, and `once` if one release answers identical requests; None: not known yet."""

    each: tuple[OnePreview, ...]
    epsilon: float | None
    once: float | None


@dataclass(frozen=True)
class Recipient:
    """The analyst who has an answer, and the number of the request."""

    number: int
    name: str
    organisation: str


class Requests(Submissions[Request, RequestApprovalFacts, ReleasedAnswers, AnswersBesideTrue]):
    def __init__(self, store: SubmissionStore[Request], questions: Questions) -> None:
        super().__init__(store)
        self._questions = questions
        self._signals = store.ports.rows("signals")
        self._entries: dict[str, frozenset[int]] = {}  # ledger entries by released request; they never change

    def payload(
        self,
        submission: Request,
        dataset: RegisteredDataset,
        preregistered: str = "",
        in_force: tuple[SignedPolicy, AccessRule] | None = None,
    ) -> RequestPayload:
        return RequestPayload(self._questions, self._store, submission, dataset, preregistered, in_force)

    def submit(
        self,
        actor: Person,
        dataset: str,
        purpose: str,
        queries: Sequence[Mapping[str, Any]],
        preference: Mapping[str, Any] | None = None,
        *,
        accuracy: float | None = None,
        due: str | None = None,
        idempotency: str | None = None,
    ) -> Request:
        """Ask. What the policy does not allow is refused here; what it approves by itself goes on at once."""
        limits = {name: value for name, value in (("accuracy", accuracy), ("due", due)) if value is not None}
        body = digest([dataset, purpose, queries, preference, *([limits] if limits else [])])
        if earlier := self._store.sent_before(actor.name, idempotency, body):
            return earlier
        actor.require(Role.ANALYST, to="submit a request")
        with self._ports.reading():
            registered, signed, access = self._datasets.accessible(actor, dataset)
            version = self._datasets.version(registered)
        checked = checked_queries(queries, self._ports.limits.most_queries)
        preference = signed.policy.beside_the_rule(preference)
        preview = self._questions.preview(actor, registered, checked, preference, signed=signed)
        refuse_viewer(preview.dataset.ledger.known, actor, "ask about it")
        _require_allowed(preview, access, preference)
        checked = tuple(
            one if one.signal is None else replace(one, signal=checked_signal(one.signal, access)) for one in checked
        )
        request = self._store.new(
            actor,
            registered,
            signed,
            version=version.id,
            purpose=_checked_purpose(purpose),
            queries=tuple(replace(c, sql=q.sql) for q, c in zip(preview.queries, checked, strict=True)),
            preference=preference or None,
            accuracy=_checked_accuracy(accuracy),
            due=due,
        )
        request = replace(request, binding=self.payload(request, registered, in_force=(signed, access)).binding)
        preview.plan()
        about = {"dataset": registered.name}
        automatic = access.approve is Approve.AUTOMATIC and preview.guarantee.holds
        how: dict[str, Any] = {"verb": "submitted", "logged": about, "notified": about}
        return self._add(request, registered, idempotency, body, automatic=automatic, **how)

    def withdraw(self, actor: Person, id: str) -> Request:
        """Take back what does not run yet; what runs is stopped by `cancel`."""
        request = self._own(actor, id)
        request.next_state(Act.WITHDRAW)
        return self._end(actor, request, "withdrew")

    def cancel(self, actor: Person, id: str, *, allow_no_guarantee: bool = False) -> Request:
        """Stop what runs, or take back what waits. What was charged stays charged.

        A controller who stops it after a look says no after a look.
        """
        request, dataset = self._store.get_visible(actor, id)
        if not self._may_have(actor, request, dataset):
            raise Forbidden.because("cancelled-by-others")
        if dataset.is_controlled_by(actor) and request.analyst != actor.name:
            request.next_state(Act.FAIL if request.state is State.RUNNING else Act.WITHDRAW)
            ledger = self._datasets.ledger_of(actor, dataset)
            decision = Decision(actor, Act.WITHDRAW, request.binding, allow_no_guarantee=allow_no_guarantee)
            self.approval.enter(ledger, request, decision)
        return self._end(actor, request, "cancelled")

    def result(self, actor: Person, id: str) -> ReleasedAnswers:
        """As of any submission; a controller is told that a withheld answer can be seen."""
        with self._ports.reading():
            request, dataset = self._store.get_visible(actor, id)
            if request.state is State.COMPUTED and dataset.is_controlled_by(actor):
                raise AwaitingApproval.because("answer-withheld")
            return super().result(actor, id)

    def difference(self, actor: Person, id: str, first: Cell, second: Cell) -> Difference:
        """Whether one released figure may be called larger than another: from what was released alone."""
        answers = self.result(actor, id).answers
        request, dataset = self._store.get_visible(actor, id)
        context = self._datasets.planned(dataset, None, actor)
        figures = []
        for cell in (first, second):
            if not 0 < cell.query <= len(answers):
                raise BadInput.because("request-query-missing", number=request.number, query=cell.query)
            released = answers[cell.query - 1]
            query = bind(context, released.certificate.query)
            figures.append(figure_of(query, released.answer, released.certificate, cell))
        return difference(*figures)

    def posthoc_risk(self, actor: Person, id: str, query: int = 1, between: str | None = None) -> dict[str, Any]:
        """What an answer tells about each person, for a controller; a look.

        The answer was released, or is withheld until a controller decides: then this is what the PRI paper's
        controller sees before the decision (step 3 of its protocol).
        """
        request, dataset = self._store.get_decidable(actor, id)
        if request.state is State.COMPUTED:
            answers = tuple(map(Released.from_dict, self._store.unseal(request)))
        elif request.state is State.RELEASED:
            answers = self._released_result(request, dataset).answers
        else:
            raise Conflict.because("no-answer-to-measure", number=request.number, state=request.state.value)
        if not 0 < query <= len(answers):
            raise BadInput.because("request-query-missing", number=request.number, query=query)
        self._datasets.require_look(actor, dataset)
        signed, answer = self._datasets.policy_of(dataset), answers[query - 1]
        authorization = None if signed is None else authorization_of(signed, None)
        job = self._datasets.job(POSTHOC, dataset, actor.name, authorization)
        job |= {"sql": answer.certificate.query, "release": answer.as_dict(), "between": between}
        called = f"post-hoc risk of {request.id} {self._ports.new_id()}"
        facts = self._ports.runner.run(called, job, actor.name, deciding=True)
        self._store.log(actor.name, "looked at the post-hoc risk of", request.id)
        return dict(facts)

    def units(self, actor: Person, id: str) -> list[list[str]]:
        """The unit of each column of each released answer, as the schema states it now; empty: none."""
        answers = self.result(actor, id).answers
        _, dataset = self._store.get_visible(actor, id)
        context = self._datasets.planned(dataset, None, actor)
        units = [[""] * len(one.answer.columns) for one in answers]
        for place, one in enumerate(answers):
            with suppress(SfumatoError):  # the schema no longer has a column of it
                units[place] = list(units_of(bind(context, one.certificate.query).statement, context.schema))
        return units

    def recipients(self, actor: Person, dataset: str) -> dict[int, list[Recipient]]:
        """Recipients of the answers by the number of the ledger entry: for controllers and auditors."""
        name = self._datasets.for_whoever_decides(actor, dataset).name
        rows = self._store.rows.many(dataset=name, state=State.RELEASED.value, limit=100_000)
        released = [Request.from_row(row) for row in rows]
        analysts = {one.name: one for one in self._store.accounts.named({request.analyst for request in released})}
        by_entry: dict[int, list[Recipient]] = {}
        for request in released:
            recipient = Recipient(request.number, request.analyst, analysts[request.analyst].organisation)
            for entry in self._entries_of(request):
                by_entry.setdefault(entry, []).append(recipient)  # a charge may be for several answers
        return by_entry

    def recipient_names(self, actor: Person, dataset: str) -> list[str]:
        """Organisations and analysts who have an answer of this dataset: for controllers and auditors."""
        each = [one for recipients in self.recipients(actor, dataset).values() for one in recipients]
        return sorted({one.organisation or one.name for one in each} | {one.name for one in each}, key=str.casefold)

    def held_by(self, actor: Person, dataset: str, recipient: str) -> Total:
        """The total of everything that an analyst or an organisation has of these people: for its controllers.

        There is none where one of the answers has no guarantee.
        """
        registered = self._datasets.controlled(actor, dataset)
        record = self._datasets.record_of(actor, registered)
        if record is None:
            return Total()
        wanted = recipient.casefold()
        people = [one.name for one in self._store.accounts.all() if wanted in (one.name, one.organisation.casefold())]
        released: dict[str, Any] = {"dataset": [*record.together], "analyst": people, "state": State.RELEASED.value}
        requests, signals = (rows.many(**released, limit=100_000) for rows in (self._store.rows, self._signals))
        numbers = frozenset[int]().union(*(self._entries_of(Request.from_row(row)) for row in requests))
        total = holdings(record, numbers, people)
        sound = all(row["guarantee"] and Guarantee(row["guarantee"]).holds for row in (*requests, *signals))
        return total if sound else total.without_guarantee()

    def guessing(self, actor: Person, dataset: str, sql: str, how: Mapping[str, Any], recipient: str = "") -> GuessView:
        """How well an attacker guesses, and the sharing risk; with everything that a recipient holds already."""
        if recipient:
            total = self.held_by(actor, dataset, recipient)
            if total.epsilon is None or total.delta is None:
                raise PreferenceError.because("held-without-total", recipient=recipient)
            how = {**how, "earlier_epsilon": total.epsilon, "earlier_delta": total.delta}
        return self._questions.guessing(actor, dataset, sql, how)

    def _entries_of(self, request: Request) -> frozenset[int]:
        """Ledger entries of the answers of a released request."""
        if request.id not in self._entries:
            certificates = [answer["certificate"] for answer in self._store.unseal(request)]
            numbers = [{one["ledger_entry"], *(one.get("recorded") or ())} for one in certificates]
            self._entries[request.id] = frozenset().union(*numbers)
        return self._entries[request.id]

    def get(self, actor: Person, id: str) -> tuple[Request, RegisteredDataset]:
        """A request that this person may see, and the dataset that it is to."""
        return self._store.get_visible(actor, id)

    def many(
        self,
        actor: Person,
        *,
        state: str | None = None,
        dataset: str | None = None,
        after: int | None = None,
        limit: int = 100,
    ) -> list[VisibleSubmission[Request]]:
        """An analyst's own, a controller's for their datasets, an auditor's for all; newest first."""
        states = () if state is None else (State.of(state),)
        return self.listed(actor, SubmissionFilter(state=states, dataset=dataset), after=after, limit=limit)

    def briefs(self, actor: Person, requests: Sequence[Request]) -> dict[str, RequestBrief]:
        """Cost and guarantee of requests that this person may decide, approved now, from public facts; by their ids.

        Those whose policy or data is gone are left out.
        """
        datasets = self._datasets.named({request.dataset for request in requests})
        analysts = {one.name: one for one in self._store.accounts.named({request.analyst for request in requests})}
        policies: dict[str, SignedPolicy | None] = {}
        briefs: dict[str, RequestBrief] = {}
        for request in requests:
            dataset, analyst = datasets[request.dataset], analysts[request.analyst]
            with suppress(SfumatoError):
                if dataset.name not in policies:
                    policies[dataset.name] = self._datasets.policy_of(dataset)
                in_force = self._datasets.access_rule(analyst, dataset, policies[dataset.name])
                briefs[request.id] = self._brief(actor, self.payload(request, dataset, "", in_force))
        return briefs

    def _brief(self, actor: Person, payload: RequestPayload) -> RequestBrief:
        facts, request = payload.preview.facts(), payload.submission
        worst = [query.worst_case for query in facts.queries if query.worst_case is not None]
        return RequestBrief(
            epsilon=facts.epsilon,
            guarantee=payload.guarantee,
            introduction=self.approval.is_introduction_due(actor, payload.signed),
            allowed=payload.guarantee in payload.access.guarantees,
            left=facts.left,
            approvals=(len(request.approved_by(request.binding)), payload.access.approvals),
            attack_chance=max((at.attack_chance for at in worst), default=None),
            noise=_first_noise(facts.queries[0]),
        )

    def preview_each(self, actor: Person, ids: Sequence[str]) -> DecisionPreviews:
        """What a decision on each of several requests would be of; which of them are identical counts for the total."""
        previews = [self._preview_one(actor, id) for id in dict.fromkeys(ids)]
        costs = [one.brief for one in previews if one.brief is not None]
        known = all(brief.epsilon is not None for brief in costs)
        once = {one.identical: one.brief.epsilon for one in previews if one.brief is not None}
        return DecisionPreviews(
            tuple(previews),
            _sum(brief.epsilon for brief in costs) if known else None,
            _sum(once.values()) if known else None,
        )

    def _preview_one(self, actor: Person, id: str) -> OnePreview:
        request, dataset = self._store.get_decidable(actor, id)
        identical = digest([request.as_row()[name] for name in IDENTICAL])
        try:
            payload = self.payload(request, dataset)
            return OnePreview(request, identical, self._brief(actor, payload), payload.binding, None)
        except SfumatoError as problem:  # its policy or data is gone
            return OnePreview(request, identical, None, None, problem)

    def _current(self, submission: Request) -> dict[str, object]:
        return {"progress": self._ports.runner.progress(submission.id)}

    def _released_result(self, submission: Request, dataset: RegisteredDataset) -> ReleasedAnswers:
        signed, decided_at = self._datasets.policy_of(dataset), submission.decided_at
        days = None if signed is None else signed.policy.answers_days
        over = self._ports.now() - timedelta(days=days or 0)
        if days is not None and decided_at is not None and datetime.fromisoformat(decided_at) <= over:
            raise Gone.because("answers-no-longer-kept", days=days)
        answers = tuple(map(Released.from_dict, self._store.unseal(submission)))
        guarantee = None if submission.guarantee is None else Guarantee(submission.guarantee)
        return ReleasedAnswers(answers, guarantee, submission.charged)


def _sum(epsilons: Iterable[float | None]) -> float:
    return float(sum((Fraction(str(epsilon or 0)) for epsilon in epsilons), Fraction(0)))


def _require_allowed(preview: RequestPreview, access: AccessRule, preference: Mapping[str, Any] | None) -> None:
    """Refuse what the policy does not have, before anything is kept."""
    tuple(each(access.require, preview.statements))
    tuple(each(lambda statement: require_readable(statement.text, "query"), preview.statements))
    access.require_columns(preview.compared)
    access.require_preferences(preference)
    delta, budget = (preference or {}).get("delta"), preview.dataset.ledger.budget
    if access.approve is Approve.AUTOMATIC and delta and budget.delta is None:
        raise Forbidden.because("delta-without-budget")
    for choice in preview.choices:
        known = not (choice.request.reads_people or choice.request.draws)
        if known and choice.epsilon is None:
            raise Forbidden.because("request-without-epsilon", why=choice.why.removesuffix("."))
    if access.approve is Approve.AFTER_THE_ANSWER:
        preview.require_affordable()
        return
    guarantee = preview.guarantee_before_approval
    if guarantee not in access.guarantees:
        lost = next((source.because for source in preview.inputs if source.what != "approval"), "")
        raise Forbidden.because(
            "request-guarantee-not-allowed",
            guarantee=guarantee.value,
            allowed=[allowed.value for allowed in access.guarantees],
            lost="" if guarantee.holds else lost,
        )


def _first_noise(query: QueryFacts) -> ExpectedInterval | None:
    """The 90% interval of the first figure of the answer; of an average, at the size of its group that is expected."""
    expected = None if query.expected_count is None else query.expected_count.count
    answers = () if query.worst_case is None else query.worst_case.answers
    return next((one for one in answers if one.count in (None, expected)), None)


def _checked_accuracy(accuracy: float | None) -> float | None:
    if accuracy is not None and not (isfinite(accuracy) and accuracy > 0):
        raise BadInput.because("accuracy-not-positive", accuracy=accuracy)
    return accuracy


def _checked_purpose(purpose: str) -> str:
    text = " ".join(purpose.split())
    if not text or len(text) > _LONGEST_PURPOSE:
        raise BadInput.because("purpose-length", longest=_LONGEST_PURPOSE)
    return require_readable(text, "purpose")
