"""What a release will draw: the noise of a request, calibrated once, and what the record has of it already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from sfumato.errors import Conflict, Infeasible, NoMechanism, instead
from sfumato.ledger.charges import PART, RELEASE, WITHIN
from sfumato.ledger.entry import NANO, Draft, upward
from sfumato.ledger.history import Record
from sfumato.model.calibration import Calibration
from sfumato.model.guarantee import Guarantee, Provenance
from sfumato.privacy.accounting.cost import rho_delta_of, rho_of
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.preferences.solver import Solution
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import ReleaseRequest, SolvedRequest
from sfumato.release.individual_filter import WithinBudget, within_budget
from sfumato.release.ledger import digest
from sfumato.release.recorded import NOTHING, Recorded, recorded_numbers
from sfumato.release.reserve import ChargePurpose, PrivacyCost, answer_key, charge_draft, partition_facts, repeatable
from sfumato.release.selection import select


@dataclass(frozen=True)
class DrawPlan:
    """A request with the epsilon that it led to. `hidden`: that epsilon tells about the people."""

    query: BoundQuery
    request: ReleaseRequest
    solution: Solution
    hidden: bool

    @classmethod
    def of(cls, query: BoundQuery, choice: SolvedRequest) -> DrawPlan:
        request, solution = choice.request, Solution(choice.epsilon, choice.feasible, choice.unbounded, choice.why)
        return cls(query, request, solution, request.reads_people or (bool(request.selecting) and choice.confidential))

    @property
    def epsilon(self) -> float | None:
        return self.solution.epsilon

    @property
    def delta(self) -> Fraction:
        return Fraction(str(self.request.noise.delta or 0))

    @cached_property
    def key(self) -> str:
        """The request in these words; where its epsilon was drawn, with that: it may have been drawn several times."""
        request = self.request
        return answer_key(self.query, digest([request.wording, self.epsilon]) if request.draws else request.wording)

    def require_drawable(self) -> None:
        """Refuse what cannot be drawn, from public facts, before anything is charged.

        An epsilon that was read off the people is none: what could not be drawn at the largest is refused at any.
        """
        if self.hidden:
            calibrate(self.query.measurement, self.request.noise, self.request.epsilon_max, self.request.epsilon_max)
        elif self.epsilon is None:
            raise self._infeasible()
        else:
            self._own_calibration  # noqa: B018
            self.within  # noqa: B018

    @cached_property
    def within(self) -> WithinBudget | None:
        """What it costs within the budget per person; None where it is charged outside it."""
        return None if self.hidden else within_budget(self.query, self.request, self.epsilon)

    @cached_property
    def calibration(self) -> Calibration:
        """What is drawn. Of an epsilon that was read off the people nothing more is told than that it led nowhere."""
        return instead(self._infeasible(), (NoMechanism,), lambda: self._own_calibration)

    @cached_property
    def _own_calibration(self) -> Calibration:
        if self.epsilon is None:
            raise self._infeasible()
        return calibrate(self.query.measurement, self.request.noise, self.epsilon, self.request.epsilon_max)

    def _infeasible(self) -> Infeasible:
        if self.hidden:
            # Whether there was an epsilon, and why not, tells about the people.
            method = self.request.method_text(public=False)
            return Infeasible.because("preference-leads-nowhere", method=method)
        if self.solution.unbounded:
            return Infeasible.because("epsilon-unbounded", why=self.solution.why)
        return Infeasible.because("preference-infeasible", why=self.solution.why)

    # What the record has of it

    def numbers_in(self, record: Record) -> Recorded:
        """The noisy numbers that the record has. An epsilon that was read off the people is looked up nowhere:
        whether it is there would tell about them.
        """
        if self.hidden or self.epsilon is None or self.query.context.bounds_from_data:
            return NOTHING
        guarantee = Guarantee.SELECTED if self.request.selecting else Guarantee.DP
        try:
            known = recorded_numbers(self.query, self._own_calibration, guarantee, record)
        except NoMechanism:
            return NOTHING
        return known if known.is_complete or self.within is None else NOTHING  # one answer is about the same people

    def is_in(self, record: Record, *, allow_no_guarantee: bool) -> bool:
        """Whether the record has the answer, or all its noisy numbers: then nothing is drawn."""
        if repeatable(record.release_entry(self.key), allow_no_guarantee) is not None:
            return True
        return self.numbers_in(record).is_complete

    def provenances(self, record: Record, preregistered: str) -> tuple[Provenance, ...]:
        """The labels of all that goes into it, from the record that its charge is decided by."""
        spent = Fraction(record.total.nano_epsilon, NANO)
        if any(p.spent not in (None, spent) for p in self.request.preferences):
            raise Conflict.because("spent-since-chosen")
        if not self.request.selecting:
            return self.query.provenances(self.request, record, preregistered)
        return select.provenances_of_choice(self.query, self.request, self.epsilon, record, preregistered)

    # What it costs

    def charge_draft(self, outcome: Guarantee, record: Record, known: Recorded = NOTHING) -> Draft:
        """The charge: epsilon, or a public constant where the epsilon would tell about the data.

        Where some of the noisy numbers are known, the others' shares of epsilon. Within a budget per person, all of
        that or nothing.
        """
        within = self.within if outcome is Guarantee.DP else None
        request, known = self.request, part_of(outcome, known)
        calibration = self._own_calibration if outcome.holds and self.epsilon is not None else None
        cost = None if calibration is None else self._cost(calibration, outcome, self.positions(known))
        if within is not None and cost is not None:
            epsilon, delta, rho = within.charged(record)
            cost = replace(cost, epsilon=float(epsilon), delta=delta, rho=rho, rho_delta=Fraction(0))
        mechanism = request.noise.mechanism if calibration is None else calibration.mechanism
        kind = WITHIN if within is not None else PART if known.entries else RELEASE
        method = request.method_text(public=outcome.holds)
        purpose = ChargePurpose(self.query.sql, kind, method, mechanism, request.outright)
        draft = charge_draft(self.query.context, self.key, outcome, purpose, cost, self.epsilon)
        if within is not None and self.epsilon is not None:
            return replace(draft, public={**draft.public, **within.public_facts(record, self.epsilon)})
        public = {**draft.public, **partition_facts(self.query.context, [self.query.statement])}
        return replace(draft, delta=str(self.delta), public=public)

    def _cost(self, calibration: Calibration, outcome: Guarantee, positions: Sequence[int]) -> PrivacyCost:
        """What will be drawn, as the ledger tells it. A selection was charged by itself, up to the largest epsilon."""
        measurement, request = self.query.measurement, self.request
        return PrivacyCost(
            self._epsilon_of(calibration, positions),
            rho_of(measurement, calibration, positions),
            tuple(float(measurement.numbers[i].sensitivity_under(request.noise.mechanism)) for i in positions),
            tuple(calibration.numbers[i].scale for i in positions),
            None if measurement.cells is None else len(measurement.drawn_cells) * len(positions),
            self.delta,
            rho_delta_of(calibration),
            request.select_epsilon,
            request.epsilon_max if outcome is Guarantee.SELECTED else None,
        )

    def _epsilon_of(self, calibration: Calibration, positions: Sequence[int]) -> float:
        """The epsilon of some of the numbers: their shares of it, rounded up; of all of them, the whole."""
        shares = sum((self.query.measurement.numbers[i].share for i in positions), Fraction(0))
        return calibration.epsilon if shares == 1 else upward(shares * Fraction(str(calibration.epsilon)))

    def positions(self, known: Recorded) -> list[int]:
        """The positions of the numbers that are to be drawn."""
        return [i for i in range(len(self.query.measurement.numbers)) if i not in known.entries]


def part_of(guarantee: Guarantee, known: Recorded) -> Recorded:
    """What is known of a release that is charged in part. Without a guarantee, or where epsilon was selected, all is
    drawn: what is charged then tells nothing about it, or is told with the selection.
    """
    return known if guarantee is Guarantee.DP else NOTHING
