"""What may be asked of a dataset beside a request: of public facts, of an exposure histogram, of the people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.errors import BadInput, Forbidden, PreferenceError, SfumatoError
from sfumato.escrow.catalogue.access import mandate_of
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.dataset import Held
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy import PARTNER
from sfumato.escrow.policy.store import Policies, Signed
from sfumato.escrow.ports import Outside
from sfumato.escrow.questions.facts import Foreseen, RequestFacts, each
from sfumato.escrow.questions.preferences import HOW
from sfumato.escrow.questions.query import Asked, checked_queries, shares_of
from sfumato.ledger.charges import EXPOSURE_HISTOGRAM
from sfumato.ledger.entry import NANO
from sfumato.model.budget import BudgetLimit
from sfumato.model.choice import Noise
from sfumato.model.guarantee import Guarantee
from sfumato.model.guessing import GuessView
from sfumato.model.method_comparison import Comparison
from sfumato.model.risk import Source
from sfumato.release.bound_query import bind
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.risk.exploration import explore
from sfumato.release.risk.guessing import guessing_risk
from sfumato.release.risk.method_comparison import compare_methods
from sfumato.release.risk.profile import worst_case
from sfumato.release.risk.rehearsal import people_of
from sfumato.sql.parser.statement import parse

_SHAPE = ("columns", "rows", "intervals", "numbers", "types", "ranged")  # of an answer on invented rows
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
    """What a request would come to; `allowed` are the words that the policy lets leave, None where no flow is asked."""

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
    def __init__(self, outside: Outside, datasets: Datasets, policies: Policies) -> None:
        self._outside, self._datasets, self._policies = outside, datasets, policies

    # Public facts: nobody is read

    def estimate(
        self,
        actor: Person,
        name: str,
        queries: Sequence[Mapping[str, Any]],
        stated: Mapping[str, Any] | None,
        people: float | None = None,
    ) -> RequestEstimate:
        """What a request would cost and mean, before it is submitted; `people` are in its smallest group at least."""
        held = self._datasets.visible(actor, name)
        read, stated = checked_queries(queries, self._outside.limits.most_queries), self._stated(actor, held, stated)
        foreseen, signed = self.foreseen(actor, held, read, stated)
        flow = None if signed is None else signed.policy.flow_for(actor)
        if flow is None:
            return RequestEstimate(foreseen.facts(people), None)
        tuple(each(flow.require, foreseen.statements))
        return RequestEstimate(foreseen.facts(people), tuple(flow.guarantees))

    def _stated(self, actor: Person, held: Held, stated: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """What this person may go by; the rule itself is nothing stated."""
        signed = self._policies.of(held)
        flow = None if signed is None else signed.policy.flow_for(actor)
        if signed is None or flow is None:
            return stated
        beside = signed.policy.beside_the_rule(stated)
        flow.require_preferences(beside)
        return beside

    def dry_run(
        self, actor: Person, name: str, queries: Sequence[Mapping[str, Any]], stated: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """The same request on invented rows that follow the schema: the shape of an answer, and nobody's."""
        held = self._datasets.visible(actor, name)
        read = checked_queries(queries, self._outside.limits.most_queries)
        foreseen, signed = self.foreseen(actor, held, read, stated)
        _require_told(actor, held, foreseen, stated)
        rule = foreseen.dataset.schema.rule
        job = self._datasets.job_on("release", held, "invented", "invented", actor.name) | {
            "queries": [vars(one) for one in read],
            "shares": list(shares_of(read)),
            "preference": _filled(signed, actor, foreseen, stated),
            "allow_no_guarantee": True,
            "preregistered": "",
            "rule": rule,
        }
        answers = self._outside.runner.run(f"dry run {self._outside.new_id()}", job)["answers"]
        texts = [query.sql for query in foreseen.queries]
        shapes = [{name: one[name] for name in _SHAPE} for one in answers]  # nothing is certified
        return {"answers": [{"query": sql} | one for sql, one in zip(texts, shapes, strict=True)]} | {
            "invented": True,
            "people": people_of(held.schema),
        }

    def worst_case(self, actor: Person, name: str, sql: str, how: Mapping[str, Any]) -> dict[str, Any]:
        held = self._datasets.visible(actor, name)
        query = bind(self._datasets.planned(held, None, actor), sql)
        return dict(worst_case(query, **_only(how, _RISK)).view.as_dict())

    def guessing(self, actor: Person, name: str, sql: str, how: Mapping[str, Any]) -> GuessView:
        """What a snoop guesses, and what sharing the answer risks, at each candidate."""
        held = self._datasets.controlled(actor, name)
        return guessing_risk(bind(self._datasets.planned(held, None, actor), sql), **_only(how, _GUESSING)).view

    def rehearse(self, actor: Person, name: str, sql: str, stated: Mapping[str, Any] | None) -> dict[str, Any]:
        """The same query on invented rows: what people who follow the schema would be exposed to."""
        held = self._datasets.visible(actor, name)
        foreseen, signed = self.foreseen(actor, held, (Asked(sql),), stated)
        _require_told(actor, held, foreseen, stated)
        filled = _filled(signed, actor, foreseen, stated)
        return self._rehearsed(actor, held, sql, filled, foreseen.dataset.schema.rule)

    def rehearsed(
        self, partner: Person, held: Held, foreseen: Foreseen, stated: Mapping[str, Any] | None, signed: Signed
    ) -> list[dict[str, Any]]:
        """Each query of a request as its partner would have it; why not, where no rows can be invented for it."""
        filled, rule = _filled(signed, partner, foreseen, stated), foreseen.dataset.schema.rule
        found: list[dict[str, Any]] = []
        for query, choice in zip(foreseen.queries, foreseen.choices, strict=True):
            try:
                found.append(self._rehearsed(partner, held, query.sql, filled, rule, choice.epsilon))
            except SfumatoError as why:
                found.append(why.as_dict())
        return found

    def _rehearsed(
        self,
        actor: Person,
        held: Held,
        sql: str,
        stated: Mapping[str, Any] | None,
        rule: Mapping[str, Any] | None,
        epsilon: float | None = None,
    ) -> dict[str, Any]:
        job = self._datasets.job_on("rehearse", held, "invented", "invented", actor.name)
        said = {"sql": sql, "preference": stated, "rule": rule, "epsilon": epsilon}
        return dict(self._outside.runner.run(f"rehearsal {self._outside.new_id()}", job | said))

    def side_by_side(self, actor: Person, name: str, sql: str) -> Comparison:
        """The same for a controller, who needs no rule for it: then all are examples."""
        held = self._datasets.controlled(actor, name)
        query = bind(self._datasets.planned(held, None, actor), sql)
        try:
            return self.compare(actor, name, sql, None)
        except (PreferenceError, Forbidden):  # no rule, or one that goes by who asks
            return compare_methods(query, (), {}, look=False, attestation="")

    def compare(self, actor: Person, name: str, sql: str, stated: Mapping[str, Any] | None) -> Comparison:
        held = self._datasets.visible(actor, name)
        foreseen, _ = self.foreseen(actor, held, (Asked(sql),), stated)
        _require_told(actor, held, foreseen, stated)
        preferences, how = foreseen.stated[0]
        return compare_methods(foreseen.queries[0], preferences, _only(how, HOW), look=False, attestation="")

    # The people themselves: controllers only, and recorded

    def look(self, actor: Person, name: str, sql: str, how: Mapping[str, Any]) -> dict[str, Any]:
        return self._read(actor, name, "risk", {"sql": sql, "how": _only(how, _RISK)})

    def check(self, actor: Person, name: str) -> dict[str, Any]:
        return self._read(actor, name, "check", {})

    def exposure_histogram(
        self, actor: Person, name: str, sql: str, epsilon: float, how: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A private histogram of exposures: charged, and no look."""
        asked = {"sql": sql, "epsilon": epsilon, "how": _only(how, _HISTOGRAM)}
        return self._read(actor, name, "exposure_histogram", asked, EXPOSURE_HISTOGRAM)

    def of_rule(self, actor: Person, name: str, sql: str) -> RuleFacts:
        """What the rule of record makes of a query, for a controller who thinks about it. Public facts only."""
        held = self._datasets.controlled(actor, name)
        dataset = self._datasets.planned(held, None, actor)
        bind(dataset, sql)
        looked = dataset.ledger.known.somebody_looked
        try:
            foreseen, signed = self.foreseen(actor, held, (Asked(sql),), None)
        except (PreferenceError, Forbidden):  # no rule, or one that goes by who asks
            word = Guarantee.NONE if looked else Guarantee.DP
            return RuleFacts(Noise(), "", None, {}, word, looked)
        rule = held.schema.rule if signed is None else signed.policy.rule
        [told] = foreseen.facts().queries
        return RuleFacts(told.noise, told.method, told.epsilon, dict(rule or {}), told.guarantee, looked)

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
        held = self._datasets.controlled(actor, name)
        policy = self._policies.of(held)
        ceiling = (None if policy is None else policy.policy.epsilon_max) or EPSILON_MAX
        terms: dict[str, Any] = {"ceiling": ceiling, "stated": dict(stated or {}), "now": now}
        drawn = _only(how, _HISTOGRAM if source is Source.EXPOSURE_HISTOGRAM else _NOISE)
        asked = {"sql": sql, "source": source.value, "how": drawn, "epsilon": epsilon, **terms}
        match source:
            case Source.WORST_CASE:
                query = bind(self._datasets.planned(held, None, actor), sql)
                return self._outside.exploration_view(explore(worst_case(query, **drawn), **terms))
            case Source.REHEARSAL:
                bind(self._datasets.planned(held, None, actor), sql)
                job = self._datasets.job_on("explore", held, "invented", "invented", actor.name)
                return dict(self._outside.runner.run(f"rehearsal {self._outside.new_id()}", job | asked))
            case Source.EXPOSURE_HISTOGRAM if epsilon is None:
                raise BadInput.because("exposure-histogram-without-epsilon")
            case Source.EXPOSURE_HISTOGRAM:
                answer = self._read(actor, name, "explore", asked, EXPOSURE_HISTOGRAM)
                return answer | {"spent": self._spent(actor, held)}
            case Source.PEOPLE:
                return self._read(actor, name, "explore", asked, "risk")

    def _spent(self, actor: Person, held: Held) -> DatasetSpent:
        ledger = self._datasets.ledger_of(actor, held)
        total, budget = ledger.total, ledger.budget
        left = None if budget.epsilon is None else float(budget.epsilon - Fraction(total.nano_epsilon, NANO))
        return DatasetSpent(total.epsilon, budget, left)

    def _read(
        self, actor: Person, name: str, verb: str, asked: Mapping[str, Any], what: str | None = None
    ) -> dict[str, Any]:
        held = self._datasets.controlled(actor, name)
        if (what or verb) in _LOOKS:
            self._datasets.require_look(actor, held)
        policy = self._policies.of(held)
        mandate = None if policy is None else mandate_of(policy, None)
        if "sql" in asked:  # what is refused is refused before data is opened
            bind(self._datasets.planned(held, mandate, actor), asked["sql"])
        job = self._datasets.job(verb, held, actor.name, mandate) | dict(asked)
        self._datasets.say(actor, f"asked for the {what or verb} of", held.name)
        called = f"{verb} {self._outside.new_id()}"
        if what == EXPOSURE_HISTOGRAM:
            return dict(self._datasets.computed(actor, held, called, job))
        return dict(self._outside.runner.run(called, job))

    # A request, before it is one

    def foreseen(
        self,
        actor: Person,
        held: Held,
        queries: Sequence[Asked],
        stated: Mapping[str, Any] | None,
        *,
        signed: Signed | None = None,
        attestation: str = "",
        by_a_person: bool = False,
    ) -> tuple[Foreseen, Signed | None]:
        """A request by public facts, under the policy as this person's partner; a controller needs no flow.

        `signed` is the policy in force, where it was read already.
        """
        policy = signed or self._policies.of(held)
        flow = None if policy is None else policy.policy.flow_for(actor)
        if flow is None and not held.is_controlled_by(actor):
            self._datasets.flow(actor, held)
        mandate = None if policy is None else mandate_of(policy, flow, by_a_person=by_a_person)
        rule, stated = self.terms(actor, held, queries, stated, policy)
        dataset = self._datasets.planned(held, mandate, actor, rule)
        return Foreseen(dataset, queries, shares_of(queries), stated, attestation), policy

    def terms(
        self,
        partner: Person,
        held: Held,
        queries: Sequence[Asked],
        stated: Mapping[str, Any] | None,
        signed: Signed | None,
    ) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
        """The rule of record and what was stated, as the policy has them for this partner."""
        rule = held.schema.rule if signed is None else signed.policy.rule
        if signed is None or signed.policy.flow_for(partner) is None:
            return rule, stated
        if own := [name for name in PARTNER if name in (stated or {})]:
            raise Forbidden.because("trust-stated", names=own)

        def columns() -> set[str]:
            present = self._datasets.columns(held)
            return {column for one in queries for column in parse(one.sql, held.schema, present).columns}

        return signed.policy.rule_for(partner, columns, rule), signed.policy.rule_for(partner, columns, stated)


def _require_told(actor: Person, held: Held, foreseen: Foreseen, stated: Mapping[str, Any] | None) -> None:
    """A rule that was changed after a look is not told; noise on invented rows, as it would be drawn, would tell it."""
    if foreseen.withheld and not stated and not held.is_controlled_by(actor):
        raise Forbidden.because("rule-withheld")


def _filled(
    signed: Signed | None, actor: Person, foreseen: Foreseen, stated: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """A preference with this partner's trust, where the policy rates it."""
    if signed is None or signed.policy.flow_for(actor) is None:
        return stated
    columns = {column for statement in foreseen.statements for column in statement.columns}
    return signed.policy.rule_for(actor, lambda: columns, stated)


def _only(how: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    for name in how:
        if name not in known:
            raise BadInput.because("option-unknown", name=name, known=list(known))
    return dict(how)
