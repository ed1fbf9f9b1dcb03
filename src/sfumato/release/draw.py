"""Reserve, draw, record, release: an answer leaves only after the ledger has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.api.choice import Choice
from sfumato.api.release import Certificate, Release
from sfumato.errors import Infeasible, NoMechanism, instead
from sfumato.ledger.charges import PART, RELEASE
from sfumato.ledger.entry import Draft, Event, nano, upward
from sfumato.ledger.history import Record
from sfumato.model.calibration import Calibration
from sfumato.model.choice import Noise
from sfumato.model.guarantee import Fixed, Guarantee, Provenance, chosen_by, recorded_before, word
from sfumato.model.release import Answer
from sfumato.privacy.accounting.cost import rho_delta_of, rho_of
from sfumato.privacy.noise.calibration import calibrate
from sfumato.release import answer as assemble
from sfumato.release import select
from sfumato.release.certificate import certified
from sfumato.release.decide import EPSILON_MAX, Request
from sfumato.release.ledger import digest
from sfumato.release.noise import Noisy, drawn
from sfumato.release.recorded import NOTHING, Recorded, kept_draw, recorded_numbers
from sfumato.release.reserve import (
    Cost,
    Reserved,
    as_before,
    keep,
    on_this_data,
    read_for,
    repeatable,
    reserve,
    row,
    version_of,
)

if TYPE_CHECKING:
    from sfumato.api.query import Query


def draw(query: Query, choice: Choice, *, accept_none: bool, again: bool, attestation: str) -> Release:
    """Reserved before the data is read, and kept before it leaves; or answered from what the record has."""
    drawable(query, choice)
    query.dataset.require_data()
    if again:
        select.require_unreleased(query, choice)
    key = on_this_data(query, drawn_key(choice.asked, choice.epsilon))
    left, known = as_before(key, accept_none=accept_none, again=again), NOTHING

    def recorded(record: Record) -> Draft | Recorded | None:
        nonlocal known
        stored = left(record)
        known = NOTHING if again or stored is not None else numbers_of(query, choice, record)
        return known if known.is_complete else stored

    held: Reserved | Draft | Recorded = reserve(
        query.dataset.ledger,
        recorded,
        lambda record: query.provenances(choice, record, attestation),
        lambda guarantee: _reservation(query, choice, key, guarantee, known),
        accept_none=accept_none,
    )
    if isinstance(held, Draft):
        return as_it_left(held)
    if isinstance(held, Recorded):
        return from_record(query, choice, key, held)
    return drawn_and_kept(query, choice, key, held, known)[0]


def drawn_and_kept(
    query: Query, choice: Choice, key: str, held: Reserved, known: Recorded = NOTHING
) -> tuple[Release, int]:
    """What leaves, after it was reserved, and the number of the entry that keeps it. What is known is not drawn."""
    if choice.epsilon is None:
        raise _infeasible(choice)
    known = _part(held.guarantee, known)
    calibration = calibrated(query, choice, choice.epsilon)
    noisy = select.accepted(query, choice)
    if noisy is None:
        survey, mechanism, before = query._survey(Noise()), query.dataset.services.mechanism, known.columns(query)
        noisy = read_for(
            query.dataset.ledger,
            key,
            held,
            query.sql,
            lambda: drawn(survey, query.measurement, calibration, mechanism, before),
        )
    shown = calibration if held.guarantee.holds else None
    left = _left(query, choice, shown, noisy, replace(held, recorded=known.charges), known)
    kept = _as_entry(left)
    if shown is not None:
        kept |= {"draw": kept_draw(query, noisy, shown, held.guarantee, _drawn(query, known))}
    return left, keep(query.dataset.ledger, key, held, query.sql, kept)


def from_record(query: Query, choice: Choice, key: str, known: Recorded) -> Release:
    """An answer whose noisy numbers were all drawn and charged before: nothing is drawn, and nothing is charged."""
    if choice.epsilon is None:
        raise _infeasible(choice)
    record = query.dataset.ledger.known
    inputs = tuple(recorded_before(number, c.guarantee, Fixed(c.fixed)) for number, c in known.sources)
    last = next(entry for entry in record.entries if entry.number == known.charges[-1])
    held = Reserved(last, inputs, record.total, recorded=known.charges, asked_after=record.last)
    left = _left(query, choice, calibrated(query, choice, choice.epsilon), known.noisy(query), held, known)
    keep(query.dataset.ledger, key, held, query.sql, _as_entry(left))
    return left


def _left(
    query: Query, choice: Choice, calibration: Calibration | None, noisy: Noisy, held: Reserved, known: Recorded
) -> Release:
    """The answer, and its certificate: it states nothing more strongly than where its numbers come from."""
    answer = assemble.answer(query.measurement, noisy, calibration, query.statement.afterwards)
    certificate = certified(query, choice, calibration, answer, held)
    return Release(answer, certificate.weakened(source for _, source in known.sources))


def _as_entry(left: Release) -> dict[str, object]:
    return {"answer": left.answer.as_dict(), "certificate": left.certificate.as_dict()}


def _part(guarantee: Guarantee, known: Recorded) -> Recorded:
    """What is known of a release that is charged in part. Without a guarantee, or where epsilon was selected, all is
    drawn: what is charged then tells nothing about it, or is told with the selection.
    """
    return known if guarantee is Guarantee.DP else NOTHING


def _drawn(query: Query, known: Recorded) -> list[int]:
    """The positions of the numbers that are to be drawn."""
    return [i for i in range(len(query.measurement.numbers)) if i not in known.entries]


def drawn_key(asked: Request, epsilon: float | None) -> str:
    """The request in these words; where its epsilon was drawn, with that: it may have been drawn several times."""
    return digest([asked.wording, epsilon]) if asked.draws else asked.wording


def numbers_of(query: Query, choice: Choice, record: Record) -> Recorded:
    """What the record has of a choice's noisy numbers. An epsilon that was read off the people is looked up nowhere:
    whether it is there would tell about them.
    """
    if _is_hidden(choice) or choice.epsilon is None or query.dataset.bounds_from_data:
        return NOTHING
    guarantee = Guarantee.SELECTED if choice.asked.selecting else Guarantee.DP
    try:
        calibration = calibrate(query.measurement, choice.noise, choice.epsilon, choice.epsilon_max)
    except NoMechanism:
        return NOTHING
    return recorded_numbers(query, calibration, guarantee, record)


def repeats(query: Query, choice: Choice, record: Record, accept_none: bool) -> bool:
    """Whether the record has the answer, or all its noisy numbers: then nothing is drawn."""
    key = on_this_data(query, drawn_key(choice.asked, choice.epsilon))
    if repeatable(record.released(key), accept_none) is not None:
        return True
    return numbers_of(query, choice, record).is_complete


def refuse_beyond_stop(query: Query, choice: Choice, record: Record, inputs: Sequence[Provenance]) -> None:
    """Refuse what `draw` would refuse for the stop, before anything is entered."""
    charge = _reservation(query, choice, "", word(inputs), numbers_of(query, choice, record))
    query.dataset.ledger.reserve(record, charge)


def _reservation(query: Query, choice: Choice, key: str, outcome: Guarantee, known: Recorded = NOTHING) -> Draft:
    """The charge: epsilon, or a public constant where the epsilon would tell about the data.

    Where some of the noisy numbers are known, the others' shares of epsilon.
    """
    known = _part(outcome, known)
    told = choice.epsilon if outcome.holds else None
    calibration = None if told is None else calibrate(query.measurement, choice.noise, told, choice.epsilon_max)
    cost = None if calibration is None else _cost(query, choice, calibration, outcome, _drawn(query, known))
    public: dict[str, object] = {
        "what": query.sql,
        "guarantee": outcome.value,
        "method": choice.asked.said(told=outcome.holds),
        "kind": PART if known.entries else RELEASE,
        "version": version_of(query.dataset),
    }
    public |= row(
        chosen_by(outcome, outright=choice.asked.outright),
        choice.noise.mechanism if calibration is None else calibration.mechanism,
        cost,
    )
    confidential: dict[str, object] = {"epsilon": choice.epsilon} if told is None else {}
    charge = nano(EPSILON_MAX if cost is None else cost.epsilon)
    return query.dataset.ledger.draft(Event.RESERVED, key, public, confidential, charge, _delta(choice))


def _cost(query: Query, choice: Choice, calibration: Calibration, outcome: Guarantee, positions: Sequence[int]) -> Cost:
    """What will be drawn, as the ledger tells it. A selection was charged by itself, up to the largest epsilon."""
    measurement = query.measurement
    return Cost(
        _epsilon_of(query, calibration, positions),
        rho_of(measurement, calibration, positions),
        tuple(float(measurement.numbers[i].sensitivity_under(choice.noise.mechanism)) for i in positions),
        tuple(calibration.numbers[i].scale for i in positions),
        None if measurement.cells is None else len(measurement.cells) * len(positions),
        _delta(choice),
        rho_delta_of(calibration),
        choice.select_epsilon,
        choice.epsilon_max if outcome is Guarantee.SELECTED else None,
    )


def _epsilon_of(query: Query, calibration: Calibration, positions: Sequence[int]) -> float:
    """The epsilon of some of the numbers: their shares of it, rounded up; of all of them, the whole."""
    shares = sum((query.measurement.numbers[i].share for i in positions), Fraction(0))
    return calibration.epsilon if shares == 1 else upward(shares * Fraction(str(calibration.epsilon)))


def _delta(choice: Choice) -> Fraction:
    return Fraction(str(choice.noise.delta or 0))


def drawable(query: Query, choice: Choice) -> None:
    """Refuse what cannot be drawn, from public facts, before anything is charged.

    An epsilon that was read off the people is none: what could not be drawn at the largest is refused at any.
    """
    public = choice.epsilon_max if _is_hidden(choice) else choice.epsilon
    if public is None:
        raise _infeasible(choice)
    calibrate(query.measurement, choice.noise, public, choice.epsilon_max)


def calibrated(query: Query, choice: Choice, epsilon: float) -> Calibration:
    """What will be drawn. Of an epsilon that was read off the people nothing more is told than that it led nowhere."""
    return instead(
        _infeasible(choice),
        (NoMechanism,),
        lambda: calibrate(query.measurement, choice.noise, epsilon, choice.epsilon_max),
    )


def _is_hidden(choice: Choice) -> bool:
    """Whether its epsilon was read off the people, or selected without a guarantee."""
    return choice.asked.reads_people or (bool(choice.asked.selecting) and choice.confidential)


def _infeasible(choice: Choice) -> Infeasible:
    if _is_hidden(choice):
        said = choice.asked.said(told=False)  # whether there was an epsilon, and why not, tells about the people
        return Infeasible(f"A preference ({said}) leads to no release", hint="state an epsilon with --epsilon.")
    if choice.unbounded:
        return Infeasible(choice.why.partition(":")[0], hint="state one with --epsilon.")
    return Infeasible(choice.why, hint="ask for less.")


def as_it_left(draft: Draft) -> Release:
    public = draft.public
    answer = Answer.from_dict(public["answer"])  # type: ignore[arg-type]
    return Release(answer, Certificate.from_dict(public["certificate"]))  # type: ignore[arg-type]
