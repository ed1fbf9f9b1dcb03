"""Requests: queries that are released together for one purpose; what an approval of them binds, and how they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self

from sfumato.errors import SfumatoError
from sfumato.escrow.catalogue.access import authorization_of
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy import Approve
from sfumato.escrow.questions.exploration import Questions
from sfumato.escrow.questions.facts import RequestFacts, RequestPreview
from sfumato.escrow.questions.query import RequestedQuery
from sfumato.escrow.questions.risk_facts import RehearsalFacts
from sfumato.escrow.submissions.lifecycle import Submission
from sfumato.escrow.submissions.payload import ApprovalFacts, Approved, Computed, Payload
from sfumato.model.confidential import Confidential
from sfumato.model.guarantee import Guarantee
from sfumato.model.release import Released
from sfumato.release.ledger import PrivacyLedger, digest


@dataclass(frozen=True, kw_only=True)
class Request(Submission):
    noun, result_column = "request", "answers"
    searched = ("number", "purpose", "analyst", "dataset", "queries.sql")

    purpose: str
    queries: tuple[RequestedQuery, ...]
    preference: Mapping[str, Any] | None  # None: the preregistered rule
    accuracy: float | None = None  # the answer is useful if the 90% interval of a figure is within plus or minus this

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        queries = tuple(map(RequestedQuery.of, row["queries"]))
        return super().from_row({**row, "queries": queries})

    def as_row(self) -> dict[str, Any]:
        preference = None if self.preference is None else dict(self.preference)
        return super().as_row() | {"queries": [vars(query) for query in self.queries], "preference": preference}

    @property
    def sealed_as(self) -> str:
        return f"answers of {self.id}"


@dataclass(frozen=True, kw_only=True)
class RequestApprovalFacts(ApprovalFacts[Request]):
    """With the cost of the request; a query that cannot be rehearsed has the reason in place of its rehearsal."""

    facts: RequestFacts
    guarantee_before_approval: Guarantee
    rehearsal: tuple[RehearsalFacts | SfumatoError, ...] | None


@dataclass(frozen=True)
class ReleasedAnswers:
    """The releases of a request in the order of its queries, and what all of it was charged."""

    answers: tuple[Released, ...]
    guarantee: Guarantee | None
    charged: float | None


@dataclass(frozen=True, repr=False)
class AnswersBesideTrue(Confidential):
    """Answers that wait for a decision, beside the true ones, cell by cell."""

    answers: tuple[Released, ...]
    true: tuple[tuple[tuple[object, ...], ...], ...]
    cells: tuple[tuple[str, ...], ...]


class RequestPayload(Payload[Request, RequestApprovalFacts, AnswersBesideTrue]):
    looked_at = "answer"

    def __init__(self, questions: Questions, *parts: Any, **policy: Any) -> None:
        super().__init__(*parts, **policy)
        self._questions = questions

    @cached_property
    def preview(self) -> RequestPreview:
        """What it would cost and promise, if a person approved it now."""
        request = self.submission
        how: dict[str, Any] = {"preregistered": self._preregistered, "by_a_person": True, "signed": self.signed}
        return self._questions.preview(self.analyst, self.dataset, request.queries, request.preference, **how)

    @property
    def binding(self) -> str:
        """Of this request, its data under its schema, the policy and the recipient."""
        request, dataset, analyst = self.submission, self.dataset, self.analyst
        data = [dataset.id, self._store.datasets.version_key(dataset), dataset.schema_text]
        queries = [query.terms for query in request.queries]
        policy, who = self.signed.policy.fingerprint, [analyst.name, analyst.organisation]
        question = [data, queries, request.preference or None]
        purpose = [request.id, request.purpose, *([] if request.accuracy is None else [request.accuracy])]
        return digest(["request", purpose, *question, policy, who])

    @property
    def guarantee(self) -> Guarantee:
        return self.preview.guarantee

    def ledger_for(self, _approver: Person) -> PrivacyLedger:
        """The preview's ledger, which has the rule that is approved."""
        return self.preview.dataset.ledger

    def page(
        self, facts: ApprovalFacts[Request], _ledger: PrivacyLedger, approver: Person, rehearse: bool, /
    ) -> RequestApprovalFacts:
        """The approver's page, with the cost and, to `rehearse`, each query on synthetic rows."""
        preview = self.preview
        rehearsal = self._questions.rehearsed(self.analyst, self.dataset, preview, approver) if rehearse else None
        before = preview.guarantee_before_approval
        return RequestApprovalFacts(
            **vars(facts), facts=preview.facts(), guarantee_before_approval=before, rehearsal=rehearsal
        )

    def look(self, approver: Person) -> AnswersBesideTrue:
        """The answer beside the true one, which a worker reads, and enters as a look."""
        request, datasets = self.submission, self._store.datasets
        authorization = authorization_of(self.signed, self.access, request.binding)
        job = datasets.job("answer", self.dataset, approver.name, authorization)
        queries = [vars(query) for query in request.queries]
        job |= {"queries": queries}
        exact = self._store.ports.runner.run(f"answer {request.id}", job, approver.name, deciding=True)
        released = tuple(map(Released.from_dict, self._store.unseal(request)))
        true = tuple(tuple(map(tuple, rows)) for rows in exact["answers"])
        return AnswersBesideTrue(released, true, tuple(map(tuple, exact["cells"])))

    @property
    def approved_fields(self) -> dict[str, Any]:
        """Also the version of the data that it runs on by now; a signal stays with that of its release."""
        return super().approved_fields | {"version": self.dataset.version}

    @property
    def approved_facts(self) -> dict[str, object]:
        """The guarantee that was previewed; a signal's is logged when it is computed."""
        return {"guarantee": self.guarantee.value}

    @property
    def is_withheld(self) -> bool:
        return self.access.approve is Approve.AFTER_THE_ANSWER

    def prepare(self, approved: Approved) -> Callable[[], Computed]:
        request, dataset, datasets = self.submission, self.dataset, self._store.datasets
        rule, preference = self._questions.terms(
            self.analyst, dataset, request.queries, request.preference, self.signed
        )
        job = datasets.job("release", dataset, approved.who, approved.authorization) | {
            "queries": [vars(query) for query in request.queries],
            "preference": preference,
            "rule": rule,
            "allow_no_guarantee": Guarantee.NONE in self.access.guarantees
            and (self.is_withheld or approved.allow_no_guarantee),
            "preregistered": approved.preregistered,
        }
        return partial(self._run, job)

    def _run(self, job: Mapping[str, Any]) -> Computed:
        computed = self._store.datasets.computed(self.analyst, self.dataset, self.submission.id, job)
        return Computed(computed["answers"], Guarantee(computed["guarantee"]), computed["charged"])
