"""Every method side by side for one query: from public facts, and after a look for the people too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from sfumato.errors import BadInput, Refused
from sfumato.ledger.entry import NANO
from sfumato.ledger.history import Record
from sfumato.model.expected_interval import ExpectedCount
from sfumato.model.guarantee import Guarantee, guarantee_of
from sfumato.model.method_comparison import Absence, Method, MethodComparison, Need, Together
from sfumato.model.risk import WORST_CASE, ExposureRange, RiskAt
from sfumato.privacy.preferences import preference_comparison as pure
from sfumato.privacy.preferences.belief import require_pure
from sfumato.privacy.preferences.disparity import gap
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.preference_comparison import Grounds, MethodRow
from sfumato.privacy.preferences.solver import People
from sfumato.privacy.risk.profile import risk_at
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import ReleaseRequest
from sfumato.release.people.exposure_range import compared_spread
from sfumato.release.request import request_of
from sfumato.release.risk.expected_count import expected_count as public_guess
from sfumato.release.risk.expected_count import with_answers

BUDGET_LEFT = "budget {:g}, of which {:g} is spent"  # as one of the methods
PERIOD_BUDGET_LEFT = "budget {}, of which {:g} is left now"
_ANY = gap(1.2, worst_case=True)  # where nothing is stated, what else was said is still checked


def compare_methods(
    query: BoundQuery,
    preferences: Sequence[Preference],
    how: dict[str, Any],
    *,
    look: bool,
    preregistered: str,
    expected_count: float | None = None,
) -> MethodComparison:
    """The stated preferences, or those of the rule, and every other method beside them.

    What is stated and cannot be is refused as `choose` refuses it, before a look is entered. Nothing else is entered:
    what is chosen afterwards is planned then.
    """
    given = bool(preferences or query.rule.preferences)
    request = request_of(query, preferences if given else (_ANY,), **how)
    requested = request.preferences if given else ()
    query.require_addable(request.noise)  # or no guarantee would be true of any row
    looked_before = query.context.ledger.record.anyone_looked
    grounds = Grounds(request.noise, query.declared, None, request.candidates, request.epsilon_max)
    rows = [pure.row(preference, grounds) for preference in requested]
    if look:
        grounds = replace(grounds, people=_people(query, request))
        rows = [pure.row(preference, grounds) for preference in requested]
    expected = None if query.declared is None else public_guess(query, expected_count, requested)
    table = _Table(query, request, grounds, query.context.ledger.record, preregistered, expected)
    methods = [
        *(table.method(row, requested=True) for row in rows),
        *(table.example(preference) for preference in pure.others(requested, _panel(query))),
        *(table.unstated(name, need, tried) for name, need, tried in pure.unstated(requested)),
        *_budget(query),
    ]
    return MethodComparison(
        query.sql,
        request.noise,
        tuple(methods),
        table.together(rows) if given else None,
        looked=look,
        from_data=query.context.bounds_from_data,
        by_rule=given and not preferences,
        looked_before=looked_before,
        numbers=() if query.declared is None else tuple(number.words for number in query.declared.numbers),
        expected_count=expected,
    )


@dataclass(frozen=True)
class _Table:
    """What a row is computed from: the request, the known facts and the ledger."""

    query: BoundQuery
    request: ReleaseRequest
    grounds: Grounds
    record: Record
    preregistered: str
    expected: ExpectedCount | None

    def method(self, row: MethodRow, *, requested: bool) -> Method:
        """A row with the guarantee of a release by it alone, and the meaning of its epsilon."""
        preference, alone = row.preference, row.alone
        epsilon = None if alone is None else alone.epsilon
        method = Method(
            preference.words,
            row.need,
            requested=requested,
            low=None if row.interval is None else row.interval.low,
            high=None if row.interval is None else row.interval.high,
            epsilon=epsilon,
            why="" if alone is None else alone.why,
            guarantee=guarantee_of(self.query.provenances(self._by(preference), self.record, self.preregistered)),
            select_epsilon=preference.select_epsilon,
            of_people=preference.reads_people and alone is not None,
            at=self._at(epsilon),
        )
        if alone is not None:
            return method
        absent = _absence(method)
        most = method.select_epsilon + self.request.epsilon_max if absent is Absence.SELECTED else None
        return replace(method, absent=absent, at_most=most)

    def example(self, preference: Preference) -> Method:
        """The same of an example; one that does not apply to this query says why."""
        try:
            [resolved] = self._by(preference).preferences
            return self.method(pure.row(resolved, self.grounds), requested=False)
        except (BadInput, Refused) as error:
            need = preference.need
            return Method(preference.words, need, why=f"{error.message}.", select_epsilon=preference.select_epsilon)

    def unstated(self, name: str, need: Need, tried: Preference | None) -> Method:
        """A method that has to be stated, and how; or why it does not apply."""
        try:
            if tried is not None:
                pure.row(self._by(tried).preferences[0], self.grounds)
            elif self.query.declared is not None:
                require_pure(self.request.noise, self.query.declared)
        except (BadInput, Refused) as error:
            return Method(name, need, why=f"{error.message}.")
        return Method(name, need, absent=Absence.UNSTATED)

    def together(self, rows: Sequence[MethodRow]) -> Together:
        """What the stated ones come to; which epsilon that is, is not known while one of them is not."""
        intersection = pure.intersection(rows, self.grounds)
        solution, common = intersection.solution, intersection.interval
        epsilon = None if solution is None or intersection.unknown else solution.epsilon
        return Together(
            low=None if common is None else common.low,
            high=None if common is None else common.high,
            epsilon=epsilon,
            feasible=solution is None or solution.feasible,
            unbounded=solution is not None and solution.unbounded,
            why="" if solution is None else solution.why,
            guarantee=guarantee_of(self.query.provenances(self.request, self.record, self.preregistered)),
            conflict=() if solution is None else tuple(p.words for p in solution.conflict),
            unknown=tuple(p.words for p in intersection.unknown),
            of_people=any(row.preference.reads_people and row.alone is not None for row in rows),
            at=self._at(epsilon),
        )

    def _by(self, preference: Preference) -> ReleaseRequest:
        """The request of this preference alone, under the same noise."""
        noise = self.request.noise
        drawn = noise.mechanism, noise.delta, noise.calibration
        return request_of(self.query, (preference,), *drawn, self.request.candidates, self.request.epsilon_max)

    def _at(self, epsilon: float | None) -> RiskAt | None:
        """For anyone in any data; with bounds from the data nothing public says it."""
        if not epsilon or self.query.declared is None:
            return None
        at = risk_at(epsilon, WORST_CASE, self.query.declared, self.request.noise)
        return with_answers(at, self.query.declared, self.request.noise, self.expected)


def _absence(method: Method) -> Absence:
    """Why a method has no interval here."""
    if method.need is Need.SELECTION:
        return Absence.SELECTED_AFTER_LOOK if method.guarantee is Guarantee.NONE else Absence.SELECTED
    return Absence.DRAWN if method.select_epsilon else Absence.READ


def _people(query: BoundQuery, request: ReleaseRequest) -> People:
    """Whom preferences compare, after the look was entered."""
    query.context.require_data()
    survey = query.look(request.noise)

    @cache
    def people(preference: Preference) -> ExposureRange:
        return compared_spread(preference, survey, request.noise)

    return people


def _panel(query: BoundQuery) -> tuple[Preference, ...]:
    """The examples; what is guessed is the first column of the query whose values are listed."""
    columns = [query.context.schema.column(name) for name in query.statement.columns]
    listed = [(c.name, len(c.listed)) for c in columns if c is not None and c.listed is not None and len(c.listed) > 1]
    return pure.panel(*listed[0]) if listed else pure.panel()


def _budget(query: BoundQuery) -> tuple[Method, ...]:
    """What is left to spend, where a budget is stated."""
    ledger = query.context.ledger
    left = ledger.epsilon_left()
    if left is None:
        return ()
    budget, high = ledger.budget, float(max(left, Fraction(0)))
    words = BUDGET_LEFT.format(float(budget.epsilon or 0), float(Fraction(ledger.known.total.nano_epsilon, NANO)))
    if budget.per:
        words = PERIOD_BUDGET_LEFT.format(budget.words, high)
    return (Method(words, Need.SPENT, low=0.0, high=high),)
