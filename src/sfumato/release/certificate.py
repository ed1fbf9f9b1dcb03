"""The certificate of a release: from the ledger, public facts, and the calibration where it is public."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.ledger.entry import NANO, nano, upward
from sfumato.model.calibration import Calibration, NoiseLaw
from sfumato.model.guarantee import Fixed, Guarantee, guarantee_of, latest_fixed
from sfumato.model.joined_tables import parents_in
from sfumato.model.measurement import NoisyNumber, NumberKind
from sfumato.model.release import BOUNDS_SOURCES, Answer, Assumed, Assumption, ReleaseCertificate
from sfumato.model.schema import Relation, Uniqueness
from sfumato.privacy.noise.groups import epsilon_of_group
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.together import most_together
from sfumato.release import answer as assemble
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import ReleaseRequest, decided_by, plan_of
from sfumato.release.draw_plan import DrawPlan
from sfumato.release.reserve import Reservation, SpentInPeriod
from sfumato.release.selection import select

_SOURCES = dict(zip(Fixed, BOUNDS_SOURCES, strict=True))  # docs/theory/words.md


def certify(
    plan: DrawPlan, calibration: Calibration | None, answer: Answer, reservation: Reservation
) -> ReleaseCertificate:
    """Without a calibration, which tells epsilon, whatever follows from it is withheld.

    Where noisy numbers come from the ledger, only what the release depends on beside them is certified here: `weakened`
    adds the rest.
    """
    query, request = plan.query, plan.request
    context, measurement = query.context, query.measurement
    numbers = () if context.bounds_from_data else measurement.numbers  # bounds from the data are the data's
    drawings = None if calibration is None else calibration.numbers
    threshold = None if calibration is None else calibration.threshold
    return ReleaseCertificate(
        **about(query, reservation, request.preferences) | _with_selection(query, request, reservation),
        epsilon=None if calibration is None else calibration.epsilon,
        delta=request.noise.delta or 0.0,
        mechanism=request.noise.mechanism if calibration is None else calibration.mechanism,
        sensitivity=tuple(float(n.sensitivity_under(request.noise.mechanism)) for n in numbers) or None,
        scale=None if drawings is None else tuple(drawing.scale for drawing in drawings),
        outputs=measurement.k if numbers else None,
        noise_90=None if calibration is None else assemble.half_widths(answer, measurement, calibration),
        method=request.method_text(public=calibration is not None),
        decided_by=decided_by(reservation.inputs, request.applies(query.rule)).value,
        grid_step=None if drawings is None else tuple(float(drawing.step) for drawing in drawings),
        numbers=tuple(n.words for n in numbers),
        post_processing=assemble.post_processing(measurement, query.statement.afterwards),
        calibration=request.noise.calibration if request.noise.mechanism == NoiseLaw.GAUSSIAN else None,
        shares=tuple(float(n.share) for n in numbers) or None,
        laws=tuple(_law(n, request) for n in numbers) or None,
        rank_90=None if drawings is None else tuple(drawing.rank_90 for drawing in drawings),
        threshold=None if threshold is None else float(threshold),
        reach=tuple(d.furthest for d in drawings or () if d.reach is not None) or None,
        why=None if calibration is None else plan.solution.why,
        **_together(plan, calibration),
        **_per_person(plan, reservation),
        planned_at=context.ledger.known.planned_at(plan_of(request), before=reservation.entry.number),
    )


def _together(plan: DrawPlan, calibration: Calibration | None) -> dict[str, Any]:
    """What it means for so many people together, where a preference had to hold for them."""
    people = most_together(plan.request.preferences)
    if people is None or calibration is None:
        return {"together": people}
    epsilon, numbers = calibration.epsilon, plan.query.measurement.k or 1
    return {"together": people, "together_epsilon": epsilon_of_group(epsilon, people, plan.request.noise, numbers)}


def _per_person(plan: DrawPlan, reservation: Reservation) -> dict[str, Any]:
    """The budget per person that the answer is within, where it is about the people who are still included."""
    if plan.within is None or reservation.guarantee is not Guarantee.DP:
        return {}
    budget = plan.within.budget
    return {"per_person": float(budget.epsilon), "per_person_delta": upward(budget.delta)}


def _with_selection(query: BoundQuery, request: ReleaseRequest, reservation: Reservation) -> dict[str, Any]:
    """What the release cost with the private selection of its epsilon, and what it could have cost at most.

    Selected several times, all of them count: it could have been any.
    """
    if not request.select_epsilon:
        return {"select_epsilon": 0.0}
    if not reservation.guarantee.holds:
        return {"select_epsilon": None}
    times = select.times(query, request, reservation.entry.number)
    spent, most = times * nano(request.select_epsilon), nano(request.epsilon_max)
    charged = 0.0 if reservation.is_free else (spent + reservation.entry.draft.nano_epsilon) / NANO
    return {"select_epsilon": spent / NANO, "charged": charged, "at_most": (spent + most) / NANO}


def about(
    query: BoundQuery,
    reservation: Reservation,
    preferences: Sequence[Preference] = (),
    assumptions: Sequence[Assumption] = (),
) -> dict[str, Any]:
    """The facts that every charge has: the privacy unit, the data, when and by whom it was made, and the total."""
    context, reserved, inputs, total = query.context, reservation.entry, reservation.inputs, reservation.total
    unit, services, ledger = context.schema.unit, context.services, context.ledger
    rows = None if _counts_all_rows(query) else unit
    return {
        "guarantee": reservation.guarantee,
        "lost": tuple(dict.fromkeys(i.what for i in inputs if not guarantee_of([i]).holds)) or None,
        "unit": unit.words,
        "relation": context.schema.relation.value,
        "batch": reservation.together,
        "batch_delta": None if reservation.together is None else upward(Fraction(reserved.draft.delta)),
        "charged": _charge(reservation),
        "recorded": reservation.recorded or None,
        "query": query.sql,
        "query_sha256": query.statement.sha256,
        "ledger_entry": reserved.number if ledger.recorded else None,
        "dataset": context.schema.name,
        "population": ledger.known.population,
        "released_at": services.now() if reservation.is_free else reserved.draft.at,
        "fixed": latest_fixed(inputs).value,
        "assumed": (*_assumptions(query, reservation, preferences), *map(Assumed, assumptions)),
        "dataset_total": total.epsilon,
        "dataset_delta": total.delta,
        "dataset_guarantee": total.guarantee,
        "budget": ledger.budget.words,
        **_in_period(reservation.period),
        "cohort": ledger.cohort or None,
        "max_rows": None if rows is None else rows.max_rows,
        "max_groups": None if rows is None else rows.max_groups,
        "bounds_source": _SOURCES[latest_fixed(i for i in inputs if i.what in ("schema", "bounds"))],
        "looked": ledger.known.looked_before(reservation.number),
        "released_by": services.who if reservation.is_free else reserved.draft.who,
        "sampler": services.sampler(),
        "software": services.software,
        "engine": context.engine_product,
    }


def _counts_all_rows(query: BoundQuery) -> bool:
    """Whether the statement reads one row for each person, computed from all of that person's rows."""
    derived = query.statement.derived
    return derived is not None and derived.one_row_each


@dataclass(frozen=True)
class LaplaceDraw:
    """Laplace noise on one kind of number: what was spent on it, and how far it goes with 90% probability."""

    epsilon: float
    sensitivity: float
    scale: float
    step: float
    reach_90: float


@dataclass(frozen=True)
class NumberTexts:
    """How certificates and the ledger name numbers that are charged beside a release; stored, so fixed."""

    method: str
    number: str
    post_processing: str


def certify_numbers(
    query: BoundQuery,
    reservation: Reservation,
    draw: LaplaceDraw | None,
    texts: NumberTexts,
    outputs: int = 1,
    assumptions: Sequence[Assumption] = (),
) -> ReleaseCertificate:
    """The certificate of what was charged beside a release; without a draw it is an exact number."""
    public_draw, law = draw if reservation.guarantee.holds else None, NoiseLaw.LAPLACE.value
    return ReleaseCertificate(
        **about(query, reservation, assumptions=assumptions),
        epsilon=None if public_draw is None else public_draw.epsilon,
        delta=0.0,
        mechanism="no noise" if draw is None else law,
        sensitivity=None if draw is None else (draw.sensitivity,),
        scale=None if public_draw is None else (public_draw.scale,),
        outputs=outputs,
        select_epsilon=0.0,
        noise_90=None if public_draw is None else (public_draw.reach_90,) * outputs,
        method=texts.method,
        decided_by=decided_by(reservation.inputs, is_rule=False).value,
        grid_step=None if public_draw is None else (public_draw.step,),
        numbers=(texts.number,),
        post_processing=(texts.post_processing,),
        shares=(1.0,),
        laws=None if draw is None else (law,),
    )


def _charge(reservation: Reservation) -> float | None:
    if not reservation.guarantee.holds:
        return None
    return 0.0 if reservation.is_free else reservation.entry.draft.nano_epsilon / NANO


def _law(number: NoisyNumber, request: ReleaseRequest) -> str:
    return NoiseLaw.EXPONENTIAL.value if number.kind is NumberKind.SELECTION else request.noise.mechanism


def _in_period(period: SpentInPeriod | None) -> dict[str, Any]:
    """What was released in the calendar period so far, where a budget is stated for periods."""
    if period is None:
        return {}
    total = period.spent.total
    return {"period": period.period.name, "period_total": total.epsilon, "period_delta": total.delta}


def _assumptions(query: BoundQuery, reservation: Reservation, preferences: Sequence[Preference]) -> Iterator[Assumed]:
    context, unit, known = query.context, query.context.schema.unit, query.context.ledger.known
    yield Assumed(Assumption.BOUNDS_FROM_DATA if context.bounds_from_data else Assumption.SCHEMA_PUBLIC)
    yield from map(Assumed, context.assumed)
    if not (context.bounds_from_data or context.schema.looked):
        yield Assumed(Assumption.LOOKED_LINE_KEPT)
    apart = {} if known.population is None else {"population": known.population}
    yield Assumed.of(Assumption.COUNTED_APART, **apart)
    spent = reservation.spent
    if spent.cohorts:
        yield Assumed.of(Assumption.COHORTS_DISJOINT, cohorts=len(spent.cohorts))
    if unit.column:
        yield from (Assumed.of(Assumption.ONE_VALUE_EACH, unit=unit.words, column=c) for c in spent.partitions)
    if context.schema.relation is Relation.REPLACE:
        yield from (Assumed.of(Assumption.REPLACED_ALIKE, unit=unit.words, column=c) for c in spent.partitions)
    for parent in parents_in(query.statement.derived):
        if parent.unique is Uniqueness.DECLARED:
            yield Assumed.of(Assumption.KEY_UNIQUE, table=parent.table, column=parent.key)
    yield from (assumed for p in preferences for assumed in p.assumptions)
    if unit.column and not _counts_all_rows(query):
        yield Assumed.of(Assumption.ROWS_COUNTED, unit=unit.words, rows=unit.max_rows, groups=unit.groups)
    for preregistered in sorted({i.preregistered for i in reservation.inputs if i.preregistered}):
        yield Assumed.of(Assumption.DECLARED, said=preregistered, by=reservation.entry.draft.who)
    if reservation.resumption is not None:
        cause = str(reservation.resumption.draft.public["cause"])
        yield Assumed.of(Assumption.INTERRUPTED, entry=reservation.entry.number, cause=cause)
    if not reservation.guarantee.holds:
        return
    if any(i.fixed is Fixed.SEPARATED for i in reservation.inputs):
        yield Assumed.of(Assumption.VIEWERS_SILENT, viewers=known.viewers_before(reservation.number))
    if known.looked_at_another(context.ledger.version, reservation.number):
        yield Assumed(Assumption.ROWS_CHOSEN_BLINDLY)
    if known.looked_before(reservation.number):
        yield Assumed(Assumption.ASKED_BLINDLY)
