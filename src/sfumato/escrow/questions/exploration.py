"""What may be asked of a dataset beside a request: of public facts, of an exposure histogram, of the people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.errors import BadInput, Forbidden, PreferenceError, SfumatoError
from sfumato.escrow.catalogue.access import mandate_of
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy import PARTNER
from sfumato.escrow.policy.store import Policies, SignedPolicy
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.questions.facts import RequestFacts, RequestPreview, each
from sfumato.escrow.questions.preferences import HOW
from sfumato.escrow.questions.query import RequestedQuery, checked_queries, shares_of
from sfumato.escrow.questions.risk_facts import (
    DryRunFacts,
    HistogramFacts,
    InventedAnswer,
    RehearsalFacts,
    RiskFacts,
)
from sfumato.ledger.charges import EXPOSURE_HISTOGRAM
from sfumato.ledger.entry import NANO
from sfumato.model.budget import BudgetLimit
from sfumato.model.choice import Noise
from sfumato.model.fit import Fit
from sfumato.model.guarantee import Guarantee
from sfumato.model.guess_view import GuessView
from sfumato.model.method_comparison import MethodComparison
from sfumato.model.plain import from_plain
from sfumato.model.release import ReleaseCertificate
from sfumato.model.risk import Source
from sfumato.release.bound_query import bind
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.risk.exploration import explore
from sfumato.release.risk.guessing_risk import guessing_risk
from sfumato.release.risk.method_comparison import compare_methods
from sfumato.release.risk.profile import worst_case
from sfumato.release.risk.rehearsal import people_of
from sfumato.sql.parser.statement import parse

_RISK = ("mechanism", "delta", "calibration", "candidates", "exact")
_NOISE = ("mechanism", "delta", "calibration")
_GUESSING = (
    *("choices", "secret", "radius", "prior", "trust", "data_sensitivity", "limit"),
    *("mechanism", "delta", "calibration", "candidates"),
)
_HISTOGRAM = (
    "mechanism",
    "delta",
    "calibration",
    "candidates",
    "bins",
    "allow_no_guarantee",
    "redraw",
    "preregistered",
)


_LOOKS = ("risk", "check")  # what shows facts about the people


@dataclass(frozen=True)
class RequestEstimate:
    """Preview of a request; `allowed` are the guarantees that the policy accepts, None where no access rule applies."""

    facts: RequestFacts
    allowed: tuple[Guarantee, ...] | None

    @property
    def barred(self) -> bool:
        """Whether it would be submitted in vain, as things are."""
        return self.allowed is not None and self.facts.guarantee not in self.allowed


@dataclass(frozen=True)
class DatasetSpent:
    """What a dataset has spent, None where no total exists, and what is left of its budget."""

    epsilon: float | None
    budget: BudgetLimit
    left: float | None


@dataclass(frozen=True)
class RuleFacts:
    """What the rule of record makes of a query; without a rule that holds for whoever asks, nothing is `stated`."""

    noise: Noise
    method: str
    epsilon: float | None
    stated: Mapping[str, Any]
    guarantee: Guarantee
    looked: bool


class Questions:
    def __init__(self, ports: EscrowPorts, datasets: Datasets, policies: Policies) -> None:
        self._ports, self._datasets, self._policies = ports, datasets, policies

    # Public facts: nobody is read

    def estimate(
        self,
        actor: Person,
        name: str,
        queries: Sequence[Mapping[str, Any]],
        preference: Mapping[str, Any] | None,
        people: float | None = None,
    ) -> RequestEstimate:
        """What a request would cost and mean, before it is submitted; `people` are in its smallest group at least."""
        dataset = self._datasets.visible(actor, name)
        read, preference = (
            checked_queries(queries, self._ports.limits.most_queries),
            self._allowed_preference(actor, dataset, preference),
        )
        preview, signed = self.preview(actor, dataset, read, preference)
        access_rule = None if signed is None else signed.policy.access_rule_for(actor)
        if access_rule is None:
            return RequestEstimate(preview.facts(people), None)
        tuple(each(access_rule.require, preview.statements))
        return RequestEstimate(preview.facts(people), tuple(access_rule.guarantees))

    def _allowed_preference(
        self, actor: Person, dataset: RegisteredDataset, preference: Mapping[str, Any] | None
    ) -> Mapping[str, Any] | None:
        """What this person may go by; the rule itself is nothing stated."""
        signed = self._policies.of(dataset)
        access_rule = None if signed is None else signed.policy.access_rule_for(actor)
        if signed is None or access_rule is None:
            return preference
        beside = signed.policy.beside_the_rule(preference)
        access_rule.require_preferences(beside)
        return beside

    def dry_run(
        self, actor: Person, name: str, queries: Sequence[Mapping[str, Any]], preference: Mapping[str, Any] | None
    ) -> DryRunFacts:
        """The same request on invented rows that follow the schema: the shape of an answer, and nobody's."""
        dataset = self._datasets.visible(actor, name)
        read = checked_queries(queries, self._ports.limits.most_queries)
        preview, signed = self.preview(actor, dataset, read, preference)
        _require_public_rule(actor, dataset, preview, preference)
        rule = preview.dataset.schema.rule
        job = self._datasets.job_on("release", dataset, "invented", "invented", actor.name) | {
            "queries": [vars(one) for one in read],
            "shares": list(shares_of(read)),
            "preference": _filled(signed, actor, preview, preference),
            "allow_no_guarantee": True,
            "preregistered": "",
            "rule": rule,
        }
        answers = self._ports.runner.run(f"dry run {self._ports.new_id()}", job)["answers"]
        texts = [query.sql for query in preview.queries]
        shapes = [from_plain(InventedAnswer, a | {"query": sql}) for sql, a in zip(texts, answers, strict=True)]
        return DryRunFacts(tuple(shapes), True, people_of(dataset.schema))

    def worst_case(self, actor: Person, name: str, sql: str, how: Mapping[str, Any]) -> RiskFacts:
        dataset = self._datasets.visible(actor, name)
        query = bind(self._datasets.planned(dataset, None, actor), sql)
        return from_plain(RiskFacts, worst_case(query, **_only(how, _RISK)).view.as_dict())

    def guessing(self, actor: Person, name: str, sql: str, how: Mapping[str, Any]) -> GuessView:
        """What a snoop guesses, and what sharing the answer risks, at each candidate."""
        dataset = self._datasets.controlled(actor, name)
        return guessing_risk(bind(self._datasets.planned(dataset, None, actor), sql), **_only(how, _GUESSING)).view

    def rehearse(self, actor: Person, name: str, sql: str, preference: Mapping[str, Any] | None) -> RehearsalFacts:
        """The same query on invented rows: what people who follow the schema would be exposed to."""
        dataset = self._datasets.visible(actor, name)
        preview, signed = self.preview(actor, dataset, (RequestedQuery(sql),), preference)
        _require_public_rule(actor, dataset, preview, preference)
        filled = _filled(signed, actor, preview, preference)
        rule = preview.dataset.schema.rule
        return from_plain(RehearsalFacts, self._rehearsed(actor, dataset, sql, filled, rule))

    def rehearsed(
        self,
        partner: Person,
        dataset: RegisteredDataset,
        preview: RequestPreview,
        preference: Mapping[str, Any] | None,
        signed: SignedPolicy,
    ) -> list[dict[str, Any]]:
        """Each query of a request as its partner would have it; why not, where no rows can be invented for it."""
        filled, rule = _filled(signed, partner, preview, preference), preview.dataset.schema.rule
        rehearsals: list[dict[str, Any]] = []
        for query, choice in zip(preview.queries, preview.choices, strict=True):
            try:
                rehearsals.append(self._rehearsed(partner, dataset, query.sql, filled, rule, choice.epsilon))
            except SfumatoError as why:
                rehearsals.append(why.as_dict())
        return rehearsals

    def _rehearsed(
        self,
        actor: Person,
        dataset: RegisteredDataset,
        sql: str,
        preference: Mapping[str, Any] | None,
        rule: Mapping[str, Any] | None,
        epsilon: float | None = None,
    ) -> dict[str, Any]:
        job = self._datasets.job_on("rehearse", dataset, "invented", "invented", actor.name)
        terms = {"sql": sql, "preference": preference, "rule": rule, "epsilon": epsilon}
        return dict(self._ports.runner.run(f"rehearsal {self._ports.new_id()}", job | terms))

    def side_by_side(self, actor: Person, name: str, sql: str) -> MethodComparison:
        """The same for a controller, who needs no rule for it: then all are examples."""
        dataset = self._datasets.controlled(actor, name)
        query = bind(self._datasets.planned(dataset, None, actor), sql)
        try:
            return self.compare(actor, name, sql, None)
        except (PreferenceError, Forbidden):  # no rule, or one that goes by who asks
            return compare_methods(query, (), {}, look=False, attestation="")

    def compare(self, actor: Person, name: str, sql: str, preference: Mapping[str, Any] | None) -> MethodComparison:
        dataset = self._datasets.visible(actor, name)
        preview, _ = self.preview(actor, dataset, (RequestedQuery(sql),), preference)
        _require_public_rule(actor, dataset, preview, preference)
        preferences, how = preview.stated[0]
        return compare_methods(preview.queries[0], preferences, _only(how, HOW), look=False, attestation="")

    # The people themselves: controllers only, and recorded

    def look(self, actor: Person, name: str, sql: str, how: Mapping[str, Any]) -> RiskFacts:
        return from_plain(RiskFacts, self._read(actor, name, "risk", {"sql": sql, "how": _only(how, _RISK)}))

    def check(self, actor: Person, name: str) -> Fit:
        return from_plain(Fit, self._read(actor, name, "check", {}))

    def exposure_histogram(
        self, actor: Person, name: str, sql: str, epsilon: float, how: Mapping[str, Any]
    ) -> HistogramFacts:
        """A private histogram of exposures: charged, and no look."""
        terms = {"sql": sql, "epsilon": epsilon, "how": _only(how, _HISTOGRAM)}
        facts = self._read(actor, name, "exposure_histogram", terms, EXPOSURE_HISTOGRAM)
        stored = facts.pop("certificate")
        certificate = None if stored is None else ReleaseCertificate.from_dict(stored)
        return replace(from_plain(HistogramFacts, facts | {"certificate": None}), certificate=certificate)

    def of_rule(self, actor: Person, name: str, sql: str) -> RuleFacts:
        """What the rule of record makes of a query, for a controller who thinks about it. Public facts only."""
        registered = self._datasets.controlled(actor, name)
        dataset = self._datasets.planned(registered, None, actor)
        bind(dataset, sql)
        looked = dataset.ledger.known.somebody_looked
        try:
            preview, signed = self.preview(actor, registered, (RequestedQuery(sql),), None)
        except (PreferenceError, Forbidden):  # no rule, or one that goes by who asks
            word = Guarantee.NONE if looked else Guarantee.DP
            return RuleFacts(Noise(), "", None, {}, word, looked)
        rule = registered.schema.rule if signed is None else signed.policy.rule
        [facts] = preview.facts().queries
        return RuleFacts(facts.noise, facts.method, facts.epsilon, dict(rule or {}), facts.guarantee, looked)

    def explore(
        self,
        actor: Person,
        name: str,
        sql: str,
        source: Source,
        how: Mapping[str, Any],
        *,
        epsilon: float | None = None,
        stated: Mapping[str, Any] | None = None,
        now: float | None = None,
    ) -> dict[str, Any]:
        """Risk as the explorer's sliders move through it, from one of four sources; only the people are a look.

        `epsilon` is an exposure histogram's own; `stated` and `now` are the preference in force and what it leads to.
        An exposure histogram comes with `spent` as well: a DatasetSpent.
        """
        dataset = self._datasets.controlled(actor, name)
        policy = self._policies.of(dataset)
        ceiling = (None if policy is None else policy.policy.epsilon_max) or EPSILON_MAX
        terms: dict[str, Any] = {"ceiling": ceiling, "preference": dict(stated or {}), "now": now}
        drawn = _only(how, _HISTOGRAM if source is Source.EXPOSURE_HISTOGRAM else _NOISE)
        question = {"sql": sql, "source": source.value, "how": drawn, "epsilon": epsilon, **terms}
        match source:
            case Source.WORST_CASE:
                query = bind(self._datasets.planned(dataset, None, actor), sql)
                return self._ports.exploration_view(explore(worst_case(query, **drawn), **terms))
            case Source.REHEARSAL:
                bind(self._datasets.planned(dataset, None, actor), sql)
                job = self._datasets.job_on("explore", dataset, "invented", "invented", actor.name)
                return dict(self._ports.runner.run(f"rehearsal {self._ports.new_id()}", job | question))
            case Source.EXPOSURE_HISTOGRAM if epsilon is None:
                raise BadInput.because("exposure-histogram-without-epsilon")
            case Source.EXPOSURE_HISTOGRAM:
                answer = self._read(actor, name, "explore", question, EXPOSURE_HISTOGRAM)
                return answer | {"spent": self._spent(actor, dataset)}
            case Source.PEOPLE:
                return self._read(actor, name, "explore", question, "risk")

    def _spent(self, actor: Person, dataset: RegisteredDataset) -> DatasetSpent:
        ledger = self._datasets.ledger_of(actor, dataset)
        total, budget = ledger.total, ledger.budget
        left = None if budget.epsilon is None else float(budget.epsilon - Fraction(total.nano_epsilon, NANO))
        return DatasetSpent(total.epsilon, budget, left)

    def _read(
        self, actor: Person, name: str, verb: str, question: Mapping[str, Any], what: str | None = None
    ) -> dict[str, Any]:
        dataset = self._datasets.controlled(actor, name)
        if (what or verb) in _LOOKS:
            self._datasets.require_look(actor, dataset)
        policy = self._policies.of(dataset)
        mandate = None if policy is None else mandate_of(policy, None)
        if "sql" in question:  # what is refused is refused before data is opened
            bind(self._datasets.planned(dataset, mandate, actor), question["sql"])
        job = self._datasets.job(verb, dataset, actor.name, mandate) | dict(question)
        self._datasets.say(actor, f"asked for the {what or verb} of", dataset.name)
        called = f"{verb} {self._ports.new_id()}"
        if what == EXPOSURE_HISTOGRAM:
            return dict(self._datasets.computed(actor, dataset, called, job))
        return dict(self._ports.runner.run(called, job))

    # A request, before it is one

    def preview(
        self,
        actor: Person,
        registered: RegisteredDataset,
        queries: Sequence[RequestedQuery],
        preference: Mapping[str, Any] | None,
        *,
        signed: SignedPolicy | None = None,
        attestation: str = "",
        by_a_person: bool = False,
    ) -> tuple[RequestPreview, SignedPolicy | None]:
        """A request by public facts, under the policy as this person's partner; a controller needs no access rule.

        `signed` is the policy in force, where it was read already.
        """
        policy = signed or self._policies.of(registered)
        access_rule = None if policy is None else policy.policy.access_rule_for(actor)
        if access_rule is None and not registered.is_controlled_by(actor):
            self._datasets.access_rule(actor, registered)
        mandate = None if policy is None else mandate_of(policy, access_rule, by_a_person=by_a_person)
        rule, preference = self.terms(actor, registered, queries, preference, policy)
        dataset = self._datasets.planned(registered, mandate, actor, rule)
        return RequestPreview(dataset, queries, shares_of(queries), preference, attestation), policy

    def terms(
        self,
        partner: Person,
        dataset: RegisteredDataset,
        queries: Sequence[RequestedQuery],
        preference: Mapping[str, Any] | None,
        signed: SignedPolicy | None,
    ) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
        """The rule of record and what was stated, as the policy has them for this partner."""
        rule = dataset.schema.rule if signed is None else signed.policy.rule
        if signed is None or signed.policy.access_rule_for(partner) is None:
            return rule, preference
        if own := [name for name in PARTNER if name in (preference or {})]:
            raise Forbidden.because("trust-stated", names=own)

        def columns() -> set[str]:
            present = self._datasets.columns(dataset)
            return {column for one in queries for column in parse(one.sql, dataset.schema, present).columns}

        return signed.policy.rule_for(partner, columns, rule), signed.policy.rule_for(partner, columns, preference)


def _require_public_rule(
    actor: Person, dataset: RegisteredDataset, preview: RequestPreview, preference: Mapping[str, Any] | None
) -> None:
    """A rule that was changed after a look is not told; noise on invented rows, as it would be drawn, would tell it."""
    if preview.withheld and not preference and not dataset.is_controlled_by(actor):
        raise Forbidden.because("rule-withheld")


def _filled(
    signed: SignedPolicy | None, actor: Person, preview: RequestPreview, preference: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """A preference with this partner's trust, where the policy rates it."""
    if signed is None or signed.policy.access_rule_for(actor) is None:
        return preference
    columns = {column for statement in preview.statements for column in statement.columns}
    return signed.policy.rule_for(actor, lambda: columns, preference)


def _only(how: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    for name in how:
        if name not in known:
            raise BadInput.because("option-unknown", name=name, known=list(known))
    return dict(how)
