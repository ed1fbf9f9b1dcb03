"""Releases within a budget per person: which they are, what the ledger charges, and whom their answers are about.

The first one charges the whole budget per person; the others charge nothing. Inclusion is computed by the engine, from
the charges in the ledger and each person's own rows (docs/theory/filter.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import Any, cast
from weakref import WeakKeyDictionary

from sfumato.errors import BadInput, PreferenceError
from sfumato.ledger.entry import Entry, Event
from sfumato.ledger.history import Record
from sfumato.model.calibration import NoiseLaw
from sfumato.model.person_budget import PersonBudget
from sfumato.privacy.accounting.individual_filter import PersonCost, cost_of, limit_of, rho_of_budget
from sfumato.privacy.sensitivity import measure
from sfumato.release.bound_query import BoundQuery
from sfumato.release.context import DatasetContext
from sfumato.release.decide import ReleaseRequest
from sfumato.release.ledger import digest
from sfumato.release.reserve import version_of
from sfumato.sql.parser.statement import parse
from sfumato.sql.plans.individual_filter_plan import FilteredCharge, IndividualFilter
from sfumato.sql.plans.rows import L1, L2, PlanInput

_RULE = "filter 1"  # how costs are computed; another number begins another filter


@dataclass(frozen=True)
class WithinBudget:
    """What a release within a budget per person costs: each person some units, and the ledger all of it or nothing."""

    context: DatasetContext
    budget: PersonBudget
    cost: PersonCost

    @property
    def steps(self) -> int:
        return self.context.schema.relation.steps

    def key_in(self, record: Record) -> str:
        """The filter that the release is charged in: one for each version of the data, schema and budget.

        Where the software does not read a charge as it was read before, another filter begins.
        """
        own = [_RULE, version_of(self.context), self.context.ledger.cohort, dict(self.context.ledger.schema)]
        for serial in count():
            key = digest([*own, self.budget.as_texts(), serial])
            if all(_question(self.context, entry) is not None for entry in record.charges_within(key)):
                return key
        raise AssertionError

    def charged(self, record: Record) -> tuple[Fraction, Fraction, Fraction]:
        """Epsilon, delta and rho that the ledger adds to its total."""
        if record.charges_within(self.key_in(record)):
            return Fraction(0), Fraction(0), Fraction(0)
        return self.budget.epsilon, self.budget.delta, rho_of_budget(self.budget)

    def public_facts(self, record: Record, epsilon: float) -> dict[str, object]:
        """What the entry of the charge says about it."""
        facts = {"filter": self.key_in(record), "epsilon": epsilon, **self.budget.as_texts()}
        return {"per_person": facts | self.cost.as_public()}


def within_budget(query: BoundQuery, request: ReleaseRequest, epsilon: float | None) -> WithinBudget | None:
    """What a release costs within the budget per person; None where there is none, or the release is outside it.

    Inside are sums and counts with public groups whose epsilon follows from public facts. Everything else is charged
    beside the budget per person, and is about everyone.
    """
    context, budget, noise = query.context, query.context.per_person, request.noise
    if budget is None or epsilon is None or query.declared is None or request.reads_people or request.draws:
        return None
    if not query.declared.is_sums_in_public_cells:
        return None
    if noise.mechanism == NoiseLaw.TRUNCATED or noise.calibration == "classic":
        return None
    if noise.mechanism == NoiseLaw.GAUSSIAN and not budget.delta:
        raise PreferenceError.because("per-person-gaussian")
    cost = cost_of(budget, noise, epsilon, context.schema.relation.steps)
    if cost.most > limit_of(budget, context.schema.relation.steps):
        most = float(budget.epsilon)
        raise PreferenceError.because("per-person-exceeded", epsilon=epsilon, most=most)
    return WithinBudget(context, budget, cost)


@dataclass(frozen=True)
class Included:
    """The people whom a charge within a budget per person is about: as the entries before it say."""

    context: DatasetContext
    entry: Entry
    record: Record

    @cached_property
    def filter(self) -> IndividualFilter:
        key = str(_facts(self.entry)["filter"])
        entries = [entry for entry in self.record.charges_within(key) if entry.number <= self.entry.number]
        charges = [self._charge(entry) for entry in entries]
        budget = PersonBudget.from_texts(_facts(self.entry))
        assert budget is not None
        return IndividualFilter(tuple(charges[:-1]), charges[-1], limit_of(budget, self.context.schema.relation.steps))

    def _charge(self, entry: Entry) -> FilteredCharge:
        question = _question(self.context, entry)
        assert question is not None  # the filter was found to be readable before the charge
        return FilteredCharge(question, _cost(entry), question.statement.text)


def included(context: DatasetContext, entry: Entry, record: Record) -> IndividualFilter | None:
    """The people whom the answer to a charge is about; None where that is everyone."""
    return Included(context, entry, record).filter if _facts(entry) else None


def surely_everyone(context: DatasetContext, number: int | None) -> bool:
    """Whether the answer to a charge is about everyone, from public facts; not where its entry is not known."""
    record = context.ledger.known
    entry = next((e for e in record.entries if e.number == number and e.draft.event is Event.RESERVED), None)
    if entry is None:
        return False
    people = included(context, entry, record)
    return people is None or people.includes_everyone


def _question(context: DatasetContext, entry: Entry) -> PlanInput | None:
    """The question of a charge as it is understood today; None where that is not how it was understood."""
    known = _QUESTIONS.setdefault(context, {})
    key = str(entry.draft.public["what"]), L2 if _cost(entry).squared else L1
    if key not in known:
        known[key] = _understood(context, *key)
    return known[key]


_QUESTIONS: WeakKeyDictionary[DatasetContext, dict[tuple[str, str], PlanInput | None]] = WeakKeyDictionary()


def _understood(context: DatasetContext, text: str, norm: str) -> PlanInput | None:
    try:
        statement = parse(text, context.schema, context.present)
        measurement = measure(statement, context.schema)
    except BadInput:
        return None
    same = statement.text == text and measurement.is_sums_in_public_cells
    return PlanInput(context.schema, statement, measurement, norm) if same else None


def _cost(entry: Entry) -> PersonCost:
    facts = _facts(entry)
    return PersonCost(int(facts["most"]), bool(facts["squared"]), facts["loss"])


def _facts(entry: Entry) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], entry.draft.public.get("per_person") or {})
