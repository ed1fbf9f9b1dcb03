"""Releases that are fixed in advance and charged together: one charge, tight, before anything is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

from sfumato.errors import NoGuarantee, PreferenceError
from sfumato.ledger.charges import BATCH
from sfumato.ledger.entry import NANO, Draft, nano
from sfumato.ledger.history import Record
from sfumato.model.calibration import NoiseLaw
from sfumato.model.guarantee import Guarantee, Provenance
from sfumato.model.release import Released
from sfumato.privacy.accounting.cost import rho_delta_of, rho_of
from sfumato.privacy.accounting.dominating_pairs import pairs_of
from sfumato.privacy.noise.gaussian import lattice_cost
from sfumato.release.bound_query import bind
from sfumato.release.context import DatasetContext
from sfumato.release.decide import SolvedRequest, checked_delta
from sfumato.release.draw import draw_and_record, from_record, stored_release
from sfumato.release.draw_plan import DrawPlan
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.ledger import digest
from sfumato.release.recorded import Recorded
from sfumato.release.request import require_own_choice
from sfumato.release.reserve import (
    ChargePurpose,
    PrivacyCost,
    Reservation,
    charge_draft,
    earlier_release,
    partition_facts,
    record_release,
    reserve,
)

TIGHT = "tight accounting of a batch that was fixed in advance"  # how a charge came about, as the ledger has it
SUMMED = "the sum over a batch that was fixed in advance"


class BatchPlan:
    """`epsilon` and `delta` are what all of it is charged; the sums are one by one.

    Without a delta for tight accounting, the sums are what is charged.
    """

    def __init__(self, context: DatasetContext, choices: Sequence[SolvedRequest], delta: float | None) -> None:
        self.context = context
        self._stated = None if delta is None else checked_delta(delta)
        self._members = tuple(_Member(context, choice) for choice in choices)
        if not self._members:
            raise PreferenceError.because("batch-empty")
        if context.per_person is not None:
            raise PreferenceError.because("per-person-batch")
        keys = [member.plan.key for member in self._members]
        twice = next((m for m in self._members if keys.count(m.plan.key) > 1), None)
        if twice is not None:
            raise PreferenceError.because("batch-choice-twice", sql=twice.query.sql)
        self._key = digest(["batch", keys, self._stated])

    # What it costs: public, and read off no one

    @property
    def epsilon(self) -> float:
        """What is charged for all of it: tight, at `delta`; or the sum, where that is no more."""
        return self._charge[0] / NANO

    @property
    def delta(self) -> float:
        return float(self._charge[1])

    @property
    def epsilon_sum(self) -> float:
        return self._sums[0] / NANO

    @property
    def delta_sum(self) -> float:
        return float(self._sums[1])

    @property
    def is_tight(self) -> bool:
        """Whether tight accounting charges less than the sum."""
        return self._charge != self._sums

    @cached_property
    def _sums(self) -> tuple[int, Fraction]:
        return sum(nano(m.epsilon) for m in self._members), sum((m.plan.delta for m in self._members), Fraction(0))

    @cached_property
    def _charge(self) -> tuple[int, Fraction]:
        """In billionths of epsilon, and delta. What thresholds and truncated noise may show comes on top."""
        summed = self._sums
        if self._stated is None:
            return summed
        numbers = sum(m.gaussian_numbers for m in self._members)
        more, left = lattice_cost(summed[0] / NANO, self._stated, numbers) if numbers else (0.0, self._stated)
        members = [(m.query, m.plan.calibration) for m in self._members]
        pairs = [pair for q, calibration in members for pair in pairs_of(q.measurement, calibration, q.schema)]
        tight = self.context.services.accountant()(pairs, left) + more
        if tight >= summed[0] / NANO:
            return summed
        threshold_delta = sum((m.plan.delta for m in self._members if not m.gaussian_numbers), Fraction(0))
        return nano(tight), Fraction(str(self._stated)) + threshold_delta

    # Reserve once, draw and keep each

    def release_all(self, *, redraw: bool = False, preregistered: str = "") -> tuple[Released, ...]:
        """The noisy answers with their certificates, in order, charged together first.

        The same batch on the same data returns the answers that were released, uncharged, and so does one whose noisy
        numbers are all in the record; `redraw` draws anew.
        """
        self.context.require_data()
        with self.context.snapshot():
            return self._release_all(redraw=redraw, preregistered=preregistered)

    def _release_all(self, *, redraw: bool, preregistered: str) -> tuple[Released, ...]:
        ledger = self.context.ledger
        each: list[tuple[Provenance, ...]] = []  # as it was when all of it was reserved

        def inputs(record: Record) -> tuple[Provenance, ...]:
            each[:] = [m.plan.provenances(record, preregistered or m.choice.preregistered) for m in self._members]
            return tuple(i for own in each for i in own)

        left_before = earlier_release(self._key, ReleaseTerms(redraw=redraw))

        def answers_in(record: Record) -> Draft | list[Recorded] | None:
            stored = left_before(record)
            if stored is not None or redraw:
                return stored
            known = [m.plan.numbers_in(record) for m in self._members]
            return known if all(numbers.is_complete for numbers in known) else None

        reservation: Reservation | Draft | list[Recorded] = reserve(
            ledger, answers_in, inputs, self._charge_draft, allow_no_guarantee=False, what=BATCH
        )
        if isinstance(reservation, Draft):
            return self._as_they_left(reservation)
        if isinstance(reservation, list):
            each_known = zip(self._members, reservation, strict=True)
            return tuple(from_record(m.plan, known) for m, known in each_known)
        drawn = []
        for member, own in zip(self._members, each, strict=True):
            its = replace(reservation, inputs=own, together=len(self._members))
            drawn.append(draw_and_record(member.plan, its))
        record_release(ledger, self._key, reservation, self._what, {"members": [number for _, number in drawn]})
        return tuple(released for released, _ in drawn)

    @property
    def _what(self) -> str:
        return f"{len(self._members)} charged together: {'; '.join(m.query.sql for m in self._members)}"

    def _charge_draft(self, outcome: Guarantee) -> Draft:
        mechanisms = dict.fromkeys(m.plan.calibration.mechanism for m in self._members)
        outright = all(m.choice.request.outright for m in self._members)
        purpose = ChargePurpose(self._what, BATCH, self._method, ", ".join(mechanisms), outright)
        draft = charge_draft(self.context, self._key, outcome, purpose, self._cost, None)
        facts = partition_facts(self.context, [m.query.statement for m in self._members])
        return replace(draft, public={**draft.public, **facts})

    @property
    def _method(self) -> str:
        return TIGHT if self.is_tight else SUMMED

    @property
    def _cost(self) -> PrivacyCost:
        epsilon, delta = self._charge
        drawn = [(m.query.measurement, m.plan.calibration) for m in self._members]
        numbers = [measurement.k for measurement, _ in drawn]
        return PrivacyCost(
            epsilon / NANO,
            sum((rho_of(measurement, calibration) for measurement, calibration in drawn), Fraction(0)),
            tuple(
                float(n.sensitivity_under(c.noise.mechanism)) for measurement, c in drawn for n in measurement.numbers
            ),
            tuple(drawing.scale for _, calibration in drawn for drawing in calibration.numbers),
            None if None in numbers else sum(number or 0 for number in numbers),
            delta,
            sum((rho_delta_of(calibration) for _, calibration in drawn), Fraction(0)),
        )

    def _as_they_left(self, kept: Draft) -> tuple[Released, ...]:
        entries = {entry.number: entry.draft for entry in self.context.ledger.known.entries}
        return tuple(stored_release(entries[number]) for number in cast(list[Any], kept.public["members"]))

    def as_dict(self) -> dict[str, object]:
        sums: dict[str, object] = {"epsilon_sum": self.epsilon_sum, "delta_sum": self.delta_sum}
        return {"epsilon": self.epsilon, "delta": self.delta} | sums | {"queries": [m.query.sql for m in self._members]}


class _Member:
    """One choice of a batch, with what it will draw: all of it public."""

    def __init__(self, context: DatasetContext, choice: object) -> None:
        if not isinstance(choice, SolvedRequest):
            raise PreferenceError.because("batch-not-of-choices")
        self.query, self.choice = bind(context, choice.request.statement.text), choice
        if choice.guarantee is not Guarantee.DP or choice.request.selecting:
            method = choice.request.method_text(public=choice.guarantee.holds)
            raise NoGuarantee.because(
                "batch-epsilon-not-public", guarantee=choice.guarantee.value, method=method, sql=self.query.sql
            )
        require_own_choice(self.query, choice)
        self.plan = DrawPlan.of(self.query, choice)
        self.plan.require_drawable()

    @property
    def epsilon(self) -> float:
        assert self.choice.epsilon is not None  # whatever has none is not drawable
        return self.choice.epsilon

    @property
    def gaussian_numbers(self) -> int:
        """How many numbers carry Gaussian noise: all of them, or none."""
        return (self.query.measurement.k or 0) if self.choice.noise.mechanism == NoiseLaw.GAUSSIAN else 0
