"""Reserve, draw, record, release: an answer leaves only after the ledger has it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.errors import Infeasible, NoGuarantee
from sfumato.ledger.entry import Draft, Entry, Event, nano
from sfumato.ledger.record import Record, Total
from sfumato.model.guarantee import Guarantee, Provenance, word
from sfumato.model.release import Answer
from sfumato.risk.calibrate import calibrate
from sfumato.session import assemble
from sfumato.session.certificate import certified
from sfumato.session.choice import Choice
from sfumato.session.decide import Request
from sfumato.session.ledger import digest
from sfumato.session.noise import drawn
from sfumato.session.release import Certificate, Release

if TYPE_CHECKING:
    from sfumato.session.query import Query


def draw(query: Query, choice: Choice, *, accept_none: bool, again: bool, attestation: str) -> Release:
    """One transaction decides and reserves, before the data is read; a second keeps the answer before it leaves.

    A crash in between leaves epsilon spent: an unknown outcome counts as spent.
    """
    _drawable(query, choice)
    ledger = query.dataset.ledger
    key = _key(query, choice.asked)
    inputs: tuple[Provenance, ...] = ()
    total = Total()
    stored: Draft | None = None

    def decide(record: Record) -> Sequence[Draft]:
        nonlocal inputs, total, stored
        stored = None if again else _repeatable(record.released(key), accept_none)
        if stored is not None:
            return []
        inputs, total = query.provenances(choice, record, attestation), record.total
        if not accept_none:
            refuse_without_guarantee(inputs)
        return ledger.reserve(record, _reservation(query, choice, key, word(inputs)))

    added = ledger.write(decide)
    if stored is not None:
        return _as_it_left(stored)
    reserved = added[-1]
    if choice.epsilon is None:
        raise _infeasible(choice)
    calibration = calibrate(query.measurement, choice.noise, choice.epsilon, choice.epsilon_max)
    shown = calibration if word(inputs).holds else None
    noisy = drawn(query.totals(), query.measurement, calibration, query.dataset.services.mechanism)
    answer = assemble.answer(query.measurement, noisy, shown, query.statement.afterwards)
    certificate = certified(query, choice, shown, answer, reserved, inputs, total.and_then(reserved))
    left: dict[str, object] = {"what": query.sql, "guarantee": word(inputs).value, "reserved": reserved.number}
    left |= {"answer": answer.as_dict(), "certificate": certificate.as_dict()}
    ledger.write(lambda _record: [ledger.draft(Event.RELEASED, key, left)])
    return Release(answer, certificate)


def repeats(query: Query, asked: Request, record: Record, accept_none: bool) -> bool:
    """Whether this very request was answered before, and may be again: then the same answer comes back."""
    return _repeatable(record.released(_key(query, asked)), accept_none) is not None


def refuse_beyond_stop(query: Query, choice: Choice, record: Record, inputs: Sequence[Provenance]) -> None:
    """Refuse what `draw` would refuse for the stop, before anything is entered."""
    query.dataset.ledger.reserve(record, _reservation(query, choice, "", word(inputs)))


def _key(query: Query, asked: Request) -> str:
    """The same request, on the same data, under the same schema: the same answer."""
    schema = [query.dataset.ledger.schema.get(name) for name in ("", *query.statement.columns)]
    return digest([asked.key, query.dataset.version, schema])


def _repeatable(released: Entry | None, accept_none: bool) -> Draft | None:
    """The answer as it left, if there is one; what carries no guarantee has to be accepted each time."""
    if released is None:
        return None
    holds = Guarantee(str(released.draft.public["guarantee"])).holds
    return released.draft if holds or accept_none else None


def _reservation(query: Query, choice: Choice, key: str, outcome: Guarantee) -> Draft:
    """The charge: epsilon, or a public constant where the epsilon would tell about the data."""
    holds = outcome.holds and choice.epsilon is not None
    charge = nano(choice.epsilon if holds and choice.epsilon is not None else choice.epsilon_max)
    public: dict[str, object] = {
        "what": query.sql,
        "guarantee": outcome.value,
        "method": choice.asked.said(told=outcome.holds),
    }
    confidential: dict[str, object] = {} if holds else {"epsilon": choice.epsilon}
    delta = Fraction(str(choice.noise.delta or 0))
    return query.dataset.ledger.draft(Event.RESERVED, key, public, confidential, charge, delta)


def refuse_without_guarantee(inputs: Sequence[Provenance]) -> None:
    if word(inputs).holds:
        return
    lost = [i for i in inputs if not word([i]).holds]
    reason = "; ".join(f"the {i.what} was {i.because}" for i in lost)
    attest = "or state where it was fixed with --fixed-beforehand; " if all(i.can_be_attested for i in lost) else ""
    raise NoGuarantee(
        f"This release would carry no guarantee: {reason}. Nothing was drawn and nothing was charged",
        hint=f"use --worst-case, which reads nobody; {attest}or accept it with --accept-none.",
    )


def _drawable(query: Query, choice: Choice) -> None:
    """Refuse what cannot be drawn, from public facts, before anything is charged."""
    if choice.epsilon is None and not choice.asked.reads_people:
        raise _infeasible(choice)
    calibrate(query.measurement, choice.noise, choice.epsilon or choice.epsilon_max, choice.epsilon_max)
    query.dataset.require_data()


def _infeasible(choice: Choice) -> Infeasible:
    if choice.asked.reads_people:  # whether there was an epsilon tells about the people
        return Infeasible(f"{choice.method} leads to no release", hint="state an epsilon with --epsilon.")
    return Infeasible(choice.why, hint="state an epsilon with --epsilon." if choice.unbounded else "ask for less.")


def _as_it_left(draft: Draft) -> Release:
    public = draft.public
    answer = Answer.from_dict(public["answer"])  # type: ignore[arg-type]
    return Release(answer, Certificate.from_dict(public["certificate"]))  # type: ignore[arg-type]
