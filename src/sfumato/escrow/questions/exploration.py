"""Questions about a dataset without a request: from public facts, an exposure histogram, or the people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.errors import BadInput, Forbidden, PreferenceError, SfumatoError
from sfumato.escrow.catalogue.access import authorization_of
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy import RATED
from sfumato.escrow.policy.store import Policies, SignedPolicy
from sfumato.escrow.ports import EXPLORE, EscrowPorts
from sfumato.escrow.questions.facts import RequestFacts, RequestPreview, budget_left, each
from sfumato.escrow.questions.preferences import HOW
from sfumato.escrow.questions.query import RequestedQuery, checked_queries
from sfumato.escrow.questions.risk_facts import (
    DryRunFacts,
    HistogramFacts,
    RehearsalFacts,
    RiskFacts,
    SyntheticAnswer,
)
from sfumato.ledger.charges import EXPOSURE_HISTOGRAM
from sfumato.model.budget import BudgetLimit
from sfumato.model.choice import Noise
from sfumato.model.fit import Fit
from sfumato.model.guarantee import Guarantee
from sfumato.model.guess_view import GuessView
from sfumato.model.method_comparison import MethodComparison
from sfumato.model.plain import from_plain
from sfumato.model.release import ReleaseCertificate
from sfumato.model.risk import Source
from sfumato.model.statement import Aggregate, units_of
from sfumato.release.bound_query import BoundQuery, bind
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.keywords import GuessingKeywords, HistogramKeywords, NoiseKeywords, NoiseQuestion, RiskKeywords
from sfumato.release.risk.exploration import explore
from sfumato.release.risk.guessing_risk import guessing_risk
from sfumato.release.risk.method_comparison import compare_methods
from sfumato.release.risk.noise_plan import NoisePlan, noise_plan
from sfumato.release.risk.profile import worst_case
from sfumato.release.risk.rehearsal import people_of
from sfumato.sql.parser.statement import parse

_LOOKS = ("risk", "check")  # jobs that show facts about the people
_NO_RULE = (PreferenceError, Forbidden)  # there is no rule, or one that depends on the recipient
_RISK = ("mechanism", "delta", *RiskKeywords.__annotations__)
_NOISE = tuple(NoiseQuestion.__annotations__)
_HISTOGRAM = tuple(HistogramKeywords.__annotations__)


@dataclass(frozen=True)
class RequestEstimate:
    """Preview of a request; `allowed` are the guarantees that the policy accepts, None where no access rule applies."""

    facts: RequestFacts
    allowed: tuple[Guarantee, ...] | None

    @property
    def barred(self) -> bool:
        """Whether the policy would refuse it now."""
        return self.allowed is not None and self.facts.guarantee not in self.allowed


@dataclass(frozen=True)
class DatasetSpent:
    """Epsilon that a dataset has spent, None where no total exists, and the budget left."""

    epsilon: float | None
    budget: BudgetLimit
    left: float | None


@dataclass(frozen=True)
class RuleFacts:
    """The preregistered rule on a query; `stated` is empty without a rule that applies to this person."""

    noise: Noise
    method: str
    epsilon: float | None
    stated: Mapping[str, Any]
    guarantee: Guarantee
    looked: bool


class Questions:
    def __init__(self, ports: EscrowPorts, datasets: Datasets, policies: Policies) -> None:
        self._ports, self._datasets, self._policies = ports, datasets, policies

    # From public facts: the data is not read

    def estimate(
        self,
        actor: Person,
        name: str,
        queries: Sequence[Mapping[str, Any]],
        preference: Mapping[str, Any] | None,
        expected_count: float | None = None,
    ) -> RequestEstimate:
        """Cost and guarantee of a request before it is submitted; `expected_count` is the size of its smallest group,
        by public knowledge."""
        dataset, checked = self._datasets.visible(actor, name), self._checked(queries)
        signed = self._policies.of(dataset)
        access_rule = None if signed is None else signed.policy.access_rule_for(actor)
        if signed is not None and access_rule is not None:
            preference = signed.policy.beside_the_rule(preference)
            access_rule.require_preferences(preference)
        preview = self.preview(actor, dataset, checked, preference, signed=signed)
        if access_rule is None:
            return RequestEstimate(preview.facts(expected_count), None)
        tuple(each(access_rule.require, preview.statements))
        return RequestEstimate(preview.facts(expected_count), tuple(access_rule.guarantees))

    def dry_run(
        self, actor: Person, name: str, queries: Sequence[Mapping[str, Any]], preference: Mapping[str, Any] | None
    ) -> DryRunFacts:
        """Answer a request from synthetic rows that follow the schema: the shape of the answers, and no data."""
        checked = self._checked(queries)
        dataset, preview = self._public_preview(actor, name, checked, preference)
        terms: dict[str, Any] = {"queries": [vars(query) for query in checked]}
        terms |= {"preference": preview.preference, "rule": preview.dataset.schema.rule}
        terms |= {"allow_no_guarantee": True, "preregistered": ""}
        answers = self._on_synthetic_rows(actor, dataset, "release", terms)["answers"]
        texts = [query.sql for query in preview.queries]
        shapes = [from_plain(SyntheticAnswer, a | {"query": sql}) for sql, a in zip(texts, answers, strict=True)]
        return DryRunFacts(tuple(shapes), True, people_of(dataset.schema))

    def worst_case(self, actor: Person, name: str, sql: str, how: Mapping[str, Any]) -> RiskFacts:
        query = self._bind(actor, self._datasets.visible(actor, name), sql)
        return from_plain(RiskFacts, worst_case(query, **_only(how, _RISK)).view.as_dict())

    def noise(self, actor: Person, name: str, sql: str, epsilon: Sequence[float], how: Mapping[str, Any]) -> NoisePlan:
        """How far the noise of an answer goes how often, and the smallest meaningful answer."""
        query = self._bind(actor, self._datasets.visible(actor, name), sql)
        return noise_plan(query, epsilon, **_only(how, _NOISE))

    def guessing(self, actor: Person, name: str, sql: str, how: Mapping[str, Any]) -> GuessView:
        """How well an attacker guesses, and the risk of sharing the answer, at each candidate epsilon."""
        query = self._bind(actor, self._datasets.controlled(actor, name), sql)
        return guessing_risk(query, **_only(how, GuessingKeywords.__annotations__)).view

    def rehearse(
        self,
        actor: Person,
        name: str,
        sql: str,
        preference: Mapping[str, Any] | None,
        expected_count: float | None = None,
    ) -> RehearsalFacts:
        """Risk of the query on synthetic rows that follow the schema."""
        dataset, preview = self._public_preview(actor, name, (RequestedQuery(sql),), preference)
        return self._rehearsed(actor, dataset, preview, sql, expected_count=expected_count)

    def rehearsed(
        self, analyst: Person, dataset: RegisteredDataset, preview: RequestPreview, approver: Person
    ) -> tuple[RehearsalFacts | SfumatoError, ...]:
        """Rehearsals of a request's queries for its analyst; the error, where a query cannot be rehearsed."""
        rehearsals: list[RehearsalFacts | SfumatoError] = []
        for query, choice in zip(preview.queries, preview.choices, strict=True):
            try:
                rehearsals.append(
                    self._rehearsed(analyst, dataset, preview, query.sql, choice.epsilon, approver=approver)
                )
            except SfumatoError as why:
                rehearsals.append(why)
        return tuple(rehearsals)

    def _rehearsed(
        self,
        actor: Person,
        dataset: RegisteredDataset,
        preview: RequestPreview,
        sql: str,
        epsilon: float | None = None,
        expected_count: float | None = None,
        approver: Person | None = None,
    ) -> RehearsalFacts:
        terms = {"sql": sql, "preference": preview.preference, "rule": preview.dataset.schema.rule, "epsilon": epsilon}
        terms |= {"expected_count": expected_count}
        return from_plain(RehearsalFacts, self._on_synthetic_rows(actor, dataset, "rehearse", terms, approver))

    def side_by_side(self, actor: Person, name: str, sql: str) -> MethodComparison:
        """Compare every method for a controller; without a rule all of them are examples."""
        query = self._bind(actor, self._datasets.controlled(actor, name), sql)
        try:
            return self.compare(actor, name, sql, None)
        except _NO_RULE:
            return compare_methods(query, (), {}, look=False, preregistered="")

    def compare(
        self,
        actor: Person,
        name: str,
        sql: str,
        preference: Mapping[str, Any] | None,
        expected_count: float | None = None,
    ) -> MethodComparison:
        _, preview = self._public_preview(actor, name, (RequestedQuery(sql),), preference)
        preferences, how = preview.stated[0]
        terms: dict[str, Any] = {"look": False, "preregistered": "", "expected_count": expected_count}
        return compare_methods(preview.queries[0], preferences, _only(how, HOW), **terms)

    # From the data: controllers only, and logged

    def look(self, actor: Person, name: str, sql: str, how: Mapping[str, Any]) -> RiskFacts:
        return from_plain(RiskFacts, self._read(actor, name, "risk", {"sql": sql, "how": _only(how, _RISK)}))

    def check(self, actor: Person, name: str) -> Fit:
        return from_plain(Fit, self._read(actor, name, "check", {}))

    def exposure_histogram(
        self, actor: Person, name: str, sql: str, epsilon: float, how: Mapping[str, Any]
    ) -> HistogramFacts:
        """Private exposure histogram: noisy, charged; it does not count as looking at the data."""
        terms = {"sql": sql, "epsilon": epsilon, "how": _only(how, _HISTOGRAM)}
        facts = self._read(actor, name, "exposure_histogram", terms, EXPOSURE_HISTOGRAM)
        stored = facts.pop("certificate")
        certificate = None if stored is None else ReleaseCertificate.from_dict(stored)
        return replace(from_plain(HistogramFacts, facts | {"certificate": None}), certificate=certificate)

    def of_rule(self, actor: Person, name: str, sql: str) -> RuleFacts:
        """The preregistered rule on a query, for a controller, from public facts."""
        dataset = self._datasets.controlled(actor, name)
        looked = self._bind(actor, dataset, sql).context.ledger.known.anyone_looked
        signed = self._policies.of(dataset)
        try:
            preview = self.preview(actor, dataset, (RequestedQuery(sql),), None, signed=signed)
        except _NO_RULE:
            return RuleFacts(Noise(), "", None, {}, Guarantee.NONE if looked else Guarantee.DP, looked)
        rule = dataset.schema.rule if signed is None else signed.policy.rule
        [facts] = preview.facts().queries
        return RuleFacts(facts.noise, facts.method, facts.epsilon, dict(rule or {}), facts.guarantee, looked)

    def unit(self, actor: Person, name: str, sql: str) -> str:
        """The unit of the first figure of an answer, as the schema states it; empty: none."""
        query = self._bind(actor, self._datasets.controlled(actor, name), sql)
        figures = [output.source for output in query.statement.outputs if output.visible]
        units = zip(figures, units_of(query.statement, query.context.schema), strict=True)
        return next((unit for source, unit in units if isinstance(source, Aggregate)), "")

    def explore(
        self,
        actor: Person,
        name: str,
        sql: str,
        source: Source,
        how: Mapping[str, Any],
        *,
        epsilon: float | None = None,
        preference: Mapping[str, Any] | None = None,
        now: float | None = None,
        limit: float | None = None,
        accuracy: float | None = None,
        candidates: Sequence[float] | None = None,
    ) -> dict[str, Any]:
        """Risk for the explorer's sliders, from one of four sources; only the people are a look.

        `epsilon` is charged for an exposure histogram, which comes with `spent`, a DatasetSpent. `preference` and `now`
        are the preference in force and its epsilon, `limit` is the largest epsilon by the policy's rule, and
        `accuracy` what the analyst needs. `candidates` are the epsilons to list.
        """
        dataset = self._datasets.controlled(actor, name)
        policy = self._policies.of(dataset)
        epsilon_max = (None if policy is None else policy.policy.epsilon_max) or EPSILON_MAX
        terms: dict[str, Any] = {"epsilon_max": epsilon_max, "preference": dict(preference or {}), "now": now}
        terms |= {"limit": limit, "accuracy": accuracy, "candidates": list(candidates or ()) or None}
        drawn = _only(how, _HISTOGRAM if source is Source.EXPOSURE_HISTOGRAM else NoiseKeywords.__annotations__)
        question = {"sql": sql, "source": source.value, "how": drawn, "epsilon": epsilon, **terms}
        match source:
            case Source.WORST_CASE:
                profile = worst_case(self._bind(actor, dataset, sql), **drawn)
                return self._ports.exploration_view(explore(profile, **terms))
            case Source.REHEARSAL:
                self._bind(actor, dataset, sql)
                return self._on_synthetic_rows(actor, dataset, EXPLORE, question)
            case Source.EXPOSURE_HISTOGRAM if epsilon is None:
                raise BadInput.because("exposure-histogram-without-epsilon")
            case Source.EXPOSURE_HISTOGRAM:
                answer = self._read(actor, name, EXPLORE, question, EXPOSURE_HISTOGRAM)
                return answer | {"spent": self._spent(actor, dataset)}
            case Source.PEOPLE:
                return self._read(actor, name, EXPLORE, question, "risk")

    def _spent(self, actor: Person, dataset: RegisteredDataset) -> DatasetSpent:
        ledger = self._datasets.ledger_of(actor, dataset)
        left = budget_left(ledger)
        return DatasetSpent(ledger.total.epsilon, ledger.budget, None if left is None else float(left))

    def _read(
        self, actor: Person, name: str, verb: str, question: Mapping[str, Any], what: str | None = None
    ) -> dict[str, Any]:
        dataset = self._datasets.controlled(actor, name)
        if (what or verb) in _LOOKS:
            self._datasets.require_look(actor, dataset)
        policy = self._policies.of(dataset)
        authorization = None if policy is None else authorization_of(policy, None)
        if "sql" in question:  # refuse a query before data is opened
            bind(self._datasets.planned(dataset, authorization, actor), question["sql"])
        job = self._datasets.job(verb, dataset, actor.name, authorization) | dict(question)
        self._datasets.say(actor, f"asked for the {what or verb} of", dataset.name)
        called = f"{verb} {self._ports.new_id()}"
        if what == EXPOSURE_HISTOGRAM:
            return dict(self._datasets.computed(actor, dataset, called, job, deciding=True))
        return dict(self._ports.runner.run(called, job, actor.name, deciding=True))

    def _on_synthetic_rows(
        self,
        actor: Person,
        dataset: RegisteredDataset,
        verb: str,
        terms: Mapping[str, Any],
        approver: Person | None = None,
    ) -> dict[str, Any]:
        """The answer that `actor` would get, for an `approver` if one is waiting for it."""
        job, person = self._datasets.job_on(verb, dataset, "synthetic", "synthetic", actor.name), approver or actor
        called, deciding = f"{verb} on synthetic rows {self._ports.new_id()}", dataset.is_controlled_by(person)
        return dict(self._ports.runner.run(called, job | dict(terms), person.name, deciding=deciding))

    def _bind(self, actor: Person, dataset: RegisteredDataset, sql: str) -> BoundQuery:
        return bind(self._datasets.planned(dataset, None, actor), sql)

    # A request before it is submitted

    def _checked(self, queries: Sequence[Mapping[str, Any]]) -> tuple[RequestedQuery, ...]:
        return checked_queries(queries, self._ports.limits.most_queries)

    def preview(
        self,
        actor: Person,
        registered: RegisteredDataset,
        queries: Sequence[RequestedQuery],
        preference: Mapping[str, Any] | None,
        *,
        signed: SignedPolicy | None = None,
        preregistered: str = "",
        by_a_person: bool = False,
    ) -> RequestPreview:
        """Preview a request from public facts, under the policy for this analyst; a controller needs no access rule.

        `signed` is the policy in force, if it was read before.
        """
        policy = signed or self._policies.of(registered)
        access_rule = None if policy is None else policy.policy.access_rule_for(actor)
        if access_rule is None and not registered.is_controlled_by(actor):
            self._datasets.access_rule(actor, registered)
        authorization = None if policy is None else authorization_of(policy, access_rule, by_a_person=by_a_person)
        rule, preference = self.terms(actor, registered, queries, preference, policy)
        dataset = self._datasets.planned(registered, authorization, actor, rule)
        return RequestPreview(dataset, queries, preference, preregistered)

    def _public_preview(
        self,
        actor: Person,
        name: str,
        queries: Sequence[RequestedQuery],
        preference: Mapping[str, Any] | None,
    ) -> tuple[RegisteredDataset, RequestPreview]:
        """A preview that may be shown: noise by a rule that was changed after a look would reveal that rule."""
        dataset = self._datasets.visible(actor, name)
        preview = self.preview(actor, dataset, queries, preference)
        if preview.withheld and not preference and not dataset.is_controlled_by(actor):
            raise Forbidden.because("rule-withheld")
        return dataset, preview

    def terms(
        self,
        analyst: Person,
        dataset: RegisteredDataset,
        queries: Sequence[RequestedQuery],
        preference: Mapping[str, Any] | None,
        signed: SignedPolicy | None,
    ) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
        """The preregistered rule and the preference, with the policy's ratings of this analyst."""
        rule = dataset.schema.rule if signed is None else signed.policy.rule
        if signed is None or signed.policy.access_rule_for(analyst) is None:
            return rule, preference
        if own := [name for name in RATED if name in (preference or {})]:
            raise Forbidden.because("trust-stated", names=own)

        def columns() -> set[str]:
            present = self._datasets.columns(dataset)
            return {column for one in queries for column in parse(one.sql, dataset.schema, present).columns}

        return signed.policy.rule_for(analyst, columns, rule), signed.policy.rule_for(analyst, columns, preference)


def _only(how: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """The options, if all of them are known."""
    if unknown := [name for name in how if name not in known]:
        raise BadInput.because("option-unknown", name=unknown[0], known=list(known))
    return dict(how)
