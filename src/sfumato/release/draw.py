"""Reserve, draw, record, release: an answer is returned only after the ledger has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sfumato.ledger.entry import Draft
from sfumato.ledger.history import Record
from sfumato.model.calibration import Calibration
from sfumato.model.choice import Noise
from sfumato.model.guarantee import Fixed, Provenance, recorded_provenance
from sfumato.model.release import Answer, ReleaseCertificate, Released
from sfumato.release import answer as assemble
from sfumato.release.bound_query import BoundQuery
from sfumato.release.certificate import certify
from sfumato.release.draw_plan import DrawPlan, part_of
from sfumato.release.figures import charge_as_figure, record_as_figure
from sfumato.release.individual_filter import included
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.noise import Noisy, draw_noise
from sfumato.release.recorded import NOTHING, Recorded, draw_record
from sfumato.release.reserve import (
    Reservation,
    earlier_release,
    read_for,
    record_free_release,
    record_release,
    reserve,
    spent_in_period,
)
from sfumato.release.selection import select

if TYPE_CHECKING:
    from sfumato.release.people.survey import Survey

Entered = Callable[[Record, Sequence[Provenance]], Sequence[Draft]]


def draw(plan: DrawPlan, terms: ReleaseTerms, entered: Entered | None = None) -> Released:
    """Reserve before the data is read and record before the answer is returned; or answer from the ledger.

    `entered` is what is entered with the charge, in the same transaction: the plan itself.
    """
    plan.require_drawable()
    plan.query.context.require_data()
    with plan.query.context.snapshot():
        return _draw(plan, terms, entered)


def _draw(plan: DrawPlan, terms: ReleaseTerms, entered: Entered | None) -> Released:
    context = plan.query.context
    if terms.redraw:
        select.require_unreleased(plan.query, plan.request, plan.epsilon)
    left, known, read = earlier_release(plan.key, terms), NOTHING, context.ledger.known

    def answer_in(record: Record) -> Draft | Recorded | None:
        nonlocal known, read
        read = record
        stored = left(record)
        known = NOTHING if terms.redraw or stored is not None else plan.numbers_in(record)
        return known if known.is_complete else stored

    reservation: Reservation | Draft | Recorded = reserve(
        context.ledger,
        answer_in,
        lambda record: plan.provenances(record, terms.preregistered),
        lambda guarantee: plan.charge_draft(guarantee, read, known),
        allow_no_guarantee=terms.allow_no_guarantee,
        entered=entered,
        figure=charge_as_figure(context.ledger, plan.key, terms) if terms.figure else None,
    )
    if isinstance(reservation, Draft):
        if terms.figure:
            record_as_figure(context.ledger, reservation, terms.figure)
        return stored_release(reservation)
    if isinstance(reservation, Recorded):
        return from_record(plan, reservation, terms.figure)
    return draw_and_record(plan, reservation, known)[0]


def draw_and_record(plan: DrawPlan, reservation: Reservation, known: Recorded = NOTHING) -> tuple[Released, int]:
    """Draw and record a reserved release; returns it with the number of its entry. Known numbers are not drawn
    again."""
    known = part_of(reservation.guarantee, known)
    query, calibration = plan.query, plan.calibration
    noisy = select.accepted_output(query, plan.request, plan.epsilon) if plan.request.as_published else None
    if noisy is None:
        survey, mechanism, before = _survey(query, reservation), query.context.services.mechanism, known.columns(query)
        work = partial(draw_noise, survey, query.measurement, calibration, mechanism, before)
        noisy = read_for(query.context.ledger, plan.key, reservation, query.sql, work)
    public = calibration if reservation.guarantee.holds else None
    left = _assemble_release(plan, public, noisy, replace(reservation, recorded=known.charges), known)
    kept = _as_entry(left)
    if public is not None:
        kept |= {"draw": draw_record(query, noisy, public, reservation.guarantee, plan.positions(known))}
    return left, record_release(query.context.ledger, plan.key, reservation, query.sql, kept)


def _survey(query: BoundQuery, reservation: Reservation) -> Survey:
    """Of everyone or, within a budget per person, of the people who are still included."""
    individual = included(query.context, reservation.entry, query.context.ledger.known)
    return query.survey(Noise()) if individual is None else query.survey_of(individual)


def from_record(plan: DrawPlan, known: Recorded, figure: str = "") -> Released:
    """An answer whose noisy numbers were all drawn and charged before: nothing is drawn, and nothing is charged."""
    query = plan.query
    record = query.context.ledger.known
    inputs = tuple(recorded_provenance(number, c.guarantee, Fixed(c.fixed)) for number, c in known.sources)
    last = next(entry for entry in record.entries if entry.number == known.charges[-1])
    period = spent_in_period(query.context.ledger, record)
    reservation = Reservation(last, inputs, record.spent, period, recorded=known.charges, asked_after=record.last)
    left = replace(_assemble_release(plan, plan.calibration, known.noisy(query), reservation, known), repeated=True)
    record_free_release(query.context.ledger, plan.key, reservation, query.sql, _as_entry(left), figure)
    return left


def _assemble_release(
    plan: DrawPlan, calibration: Calibration | None, noisy: Noisy, reservation: Reservation, known: Recorded
) -> Released:
    """The answer, and its certificate: it states nothing more strongly than where its numbers come from."""
    query = plan.query
    answer = assemble.answer(query.measurement, noisy, calibration, query.statement.afterwards)
    certificate = certify(plan, calibration, answer, reservation)
    return Released(answer, certificate.weakened(source for _, source in known.sources))


def _as_entry(left: Released) -> dict[str, object]:
    return {"answer": left.answer.as_dict(), "certificate": left.certificate.as_dict()}


def stored_release(draft: Draft) -> Released:
    public = draft.public
    answer = Answer.from_dict(public["answer"])  # type: ignore[arg-type]
    return Released(answer, ReleaseCertificate.from_dict(public["certificate"]), repeated=True)  # type: ignore[arg-type]
