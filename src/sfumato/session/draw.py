"""Reserve, draw, record, release: an answer leaves only after the ledger has it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.errors import Infeasible, NoMechanism, instead
from sfumato.ledger.charges import RELEASE
from sfumato.ledger.entry import Draft, Event, nano
from sfumato.ledger.record import Record
from sfumato.model.drawing import Calibration
from sfumato.model.guarantee import Guarantee, Provenance, chosen_by, word
from sfumato.model.release import Answer
from sfumato.risk.calibrate import calibrate
from sfumato.risk.cost import rho_delta_of, rho_of
from sfumato.session import assemble, select
from sfumato.session.certificate import certified
from sfumato.session.choice import Choice
from sfumato.session.decide import EPSILON_MAX, Request
from sfumato.session.ledger import digest
from sfumato.session.noise import drawn
from sfumato.session.release import Certificate, Release
from sfumato.session.reserve import Cost, Reserved, keep, on_this_data, repeatable, reserve, row, version_of

if TYPE_CHECKING:
    from sfumato.session.query import Query


def draw(query: Query, choice: Choice, *, accept_none: bool, again: bool, attestation: str) -> Release:
    """Reserved before the data is read, and kept before it leaves."""
    drawable(query, choice)
    query.dataset.require_data()
    if again:
        select.require_unreleased(query, choice)
    ledger, key = query.dataset.ledger, on_this_data(query, drawn_key(choice.asked, choice.epsilon))
    held = reserve(
        ledger,
        key,
        lambda record: query.provenances(choice, record, attestation),
        lambda guarantee: _reservation(query, choice, key, guarantee),
        accept_none=accept_none,
        again=again,
    )
    if isinstance(held, Draft):
        return as_it_left(held)
    return drawn_and_kept(query, choice, key, held)[0]


def drawn_and_kept(query: Query, choice: Choice, key: str, held: Reserved) -> tuple[Release, int]:
    """What leaves, after it was reserved, and the number of the entry that keeps it."""
    if choice.epsilon is None:
        raise _infeasible(choice)
    calibration = calibrated(query, choice, choice.epsilon)
    shown = calibration if word(held.inputs).holds else None
    noisy = select.accepted(query, choice)
    if noisy is None:
        noisy = drawn(query._totals(), query.measurement, calibration, query.dataset.services.mechanism)
    answer = assemble.answer(query.measurement, noisy, shown, query.statement.afterwards)
    certificate = certified(query, choice, shown, answer, held)
    left: dict[str, object] = {"answer": answer.as_dict(), "certificate": certificate.as_dict()}
    number = keep(query.dataset.ledger, key, held, query.sql, left)
    return Release(answer, certificate), number


def drawn_key(asked: Request, epsilon: float | None) -> str:
    """The request in these words; where its epsilon was drawn, with that: it may have been drawn several times."""
    return digest([asked.wording, epsilon]) if asked.draws else asked.wording


def repeats(query: Query, key: str, record: Record, accept_none: bool) -> bool:
    """Whether this very request was answered before, and may be again: then the same answer comes back."""
    return repeatable(record.released(on_this_data(query, key)), accept_none) is not None


def refuse_beyond_stop(query: Query, choice: Choice, record: Record, inputs: Sequence[Provenance]) -> None:
    """Refuse what `draw` would refuse for the stop, before anything is entered."""
    query.dataset.ledger.reserve(record, _reservation(query, choice, "", word(inputs)))


def _reservation(query: Query, choice: Choice, key: str, outcome: Guarantee) -> Draft:
    """The charge: epsilon, or a public constant where the epsilon would tell about the data."""
    told = choice.epsilon if outcome.holds else None
    calibration = None if told is None else calibrate(query.measurement, choice.noise, told, choice.epsilon_max)
    public: dict[str, object] = {
        "what": query.sql,
        "guarantee": outcome.value,
        "method": choice.asked.said(told=outcome.holds),
        "kind": RELEASE,
        "version": version_of(query.dataset),
    }
    public |= row(
        chosen_by(outcome, outright=choice.asked.outright),
        choice.noise.mechanism if calibration is None else calibration.mechanism,
        None if calibration is None else _cost(query, choice, calibration, outcome),
    )
    confidential: dict[str, object] = {"epsilon": choice.epsilon} if told is None else {}
    charge = nano(EPSILON_MAX if told is None else told)
    return query.dataset.ledger.draft(Event.RESERVED, key, public, confidential, charge, _delta(choice))


def _cost(query: Query, choice: Choice, calibration: Calibration, outcome: Guarantee) -> Cost:
    """What will be drawn, as the ledger tells it. A selection was charged by itself, up to the largest epsilon."""
    return Cost(
        calibration.epsilon,
        rho_of(query.measurement, calibration),
        tuple(float(number.sensitivity) for number in query.measurement.numbers),
        tuple(drawing.scale for drawing in calibration.numbers),
        query.measurement.k,
        _delta(choice),
        rho_delta_of(calibration),
        choice.select_epsilon,
        choice.epsilon_max if outcome is Guarantee.SELECTED else None,
    )


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
