"""Reserve, draw, record, release: an answer leaves only after the ledger has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.errors import Infeasible, NoGuarantee, NoMechanism
from sfumato.ledger.entry import NANO, Draft, Event, nano
from sfumato.ledger.record import Record
from sfumato.model.guarantee import Guarantee, Provenance, fixed, word
from sfumato.model.measurement import Measurement
from sfumato.model.release import Answer
from sfumato.session import assemble
from sfumato.session.choice import Choice
from sfumato.session.decide import decided_by
from sfumato.session.ledger import digest
from sfumato.session.release import Certificate, Release

if TYPE_CHECKING:
    from sfumato.session.query import Query

ATTESTED_SCHEMA = "bounds, categories and types were stated from what is publicly known, not from the data"
BOUNDS_FROM_DATA = "nothing: bounds, group keys and sensitivities were read off the data"


def draw(query: Query, choice: Choice, *, accept_none: bool, again: bool, attestation: str) -> Release:
    """One transaction decides and reserves, before the data is read; a second keeps the answer before it leaves.

    A crash in between leaves epsilon spent: an unknown outcome counts as spent.
    """
    epsilon = _releasable(choice)
    ledger = query.dataset.ledger
    key = digest([choice.asked.key, query.dataset.version])
    recorded: list[Release] = []
    inputs: tuple[Provenance, ...] = ()

    def decide(record: Record) -> Sequence[Draft]:
        nonlocal inputs
        stored = None if again else record.released(key)
        inputs = query.provenances(choice, record, attestation)
        if not accept_none:
            refuse_without_guarantee(inputs)
        if stored is not None:
            recorded.append(_stored(stored.draft))
            return []
        outcome = word(inputs)
        charge = nano(epsilon if outcome.holds else choice.epsilon_max)
        public: dict[str, object] = {"what": query.sql, "guarantee": outcome.value, "method": choice.method}
        return [ledger.draft(Event.RESERVED, key, public, _confidential(choice, outcome), charge)]

    record = ledger.write(decide)
    if recorded:
        return recorded[0]
    entry = record.entries[-1]
    outcome = word(inputs)
    measurement = query.measurement
    totals = query.totals
    drawn = _noisy(query, measurement, [totals.cells[cell] for cell in measurement.cells], epsilon)
    answer = assemble.answer(measurement, drawn, epsilon if outcome.holds else None)
    certificate = _certificate(query, choice, answer, record, entry.number, inputs, entry.draft)
    kept: dict[str, object] = {"what": query.sql, "guarantee": outcome.value, "reserved": entry.number}
    left = kept | {"answer": answer.as_dict(), "certificate": certificate.as_dict()}
    ledger.write(lambda _record: [ledger.draft(Event.RELEASED, key, left)])
    return Release(answer, certificate)


def refuse_without_guarantee(inputs: Sequence[Provenance]) -> None:
    if word(inputs).holds:
        return
    reason = "; ".join(f"the {i.what} was {i.because}" for i in inputs if not word([i]).holds)
    raise NoGuarantee(
        f"This release would carry no guarantee: {reason}. Nothing was drawn and nothing was charged",
        hint="use --worst-case, which reads nobody; or state where it was fixed with --fixed-beforehand; "
        "or accept it with --accept-none.",
    )


def _releasable(choice: Choice) -> float:
    if choice.noise.mechanism != "laplace":
        raise NoMechanism(
            f"There is no release with {choice.noise.mechanism} noise in this version", hint="use --mechanism laplace."
        )
    if choice.epsilon is None:
        raise Infeasible(choice.why, hint="state an epsilon with --epsilon." if choice.unbounded else "ask for less.")
    return choice.epsilon


def _noisy(query: Query, measurement: Measurement, cells: Sequence[Sequence[int]], epsilon: float) -> list[list[int]]:
    """Each number with its share of epsilon over all its cells: one person is in one cell only."""
    mechanism = query.dataset.services.mechanism("laplace")
    columns = []
    for position, number in enumerate(measurement.numbers):
        totals = [cell[position] for cell in cells]
        columns.append(list(mechanism(totals, number.steps, number.part(epsilon))))
    return [list(cell) for cell in zip(*columns, strict=True)]


def _confidential(choice: Choice, outcome: Guarantee) -> dict[str, object]:
    return {} if outcome.holds else {"epsilon": choice.epsilon}


def _stored(draft: Draft) -> Release:
    public = draft.public
    answer = Answer.from_dict(public["answer"])  # type: ignore[arg-type]
    return Release(answer, Certificate.from_dict(public["certificate"]))  # type: ignore[arg-type]


def _certificate(
    query: Query,
    choice: Choice,
    answer: Answer,
    record: Record,
    entry: int,
    inputs: tuple[Provenance, ...],
    reserved: Draft,
) -> Certificate:
    outcome, measurement, schema = word(inputs), query.measurement, query.dataset.schema
    holds = outcome.holds
    epsilon = choice.epsilon if holds else None
    total = record.total
    attestations = sorted({i.attestation for i in inputs if i.attestation})
    assumed = [BOUNDS_FROM_DATA if query.dataset.bounds_from_data else ATTESTED_SCHEMA]
    assumed += [f"fixed beforehand: “{said}” (said by {reserved.who})" for said in attestations]
    return Certificate(
        guarantee=outcome,
        epsilon=epsilon,
        delta=choice.noise.delta or 0.0,
        mechanism=choice.noise.mechanism,
        sensitivity=tuple(float(n.sensitivity) for n in measurement.numbers),
        scale=None if epsilon is None else tuple(n.scale(epsilon) for n in measurement.numbers),
        unit=schema.unit.words,
        relation=schema.relation.value,
        outputs=measurement.k,
        select_epsilon=choice.select_epsilon,
        charged=reserved.nano_epsilon / NANO if holds else None,
        noise_90=None if epsilon is None else assemble.half_widths(answer, measurement, epsilon),
        query=query.sql,
        query_sha256=query.statement.sha256,
        ledger_entry=entry if query.dataset.ledger.recorded else None,
        dataset=schema.name,
        released_at=reserved.at,
        method=choice.method,
        decided_by=decided_by(inputs, query.is_rule(choice)).value,
        fixed=fixed(inputs).value,
        assumed=tuple(assumed),
        dataset_total=total.epsilon,
        dataset_guarantee=total.guarantee,
        grid_step=tuple(float(n.step) for n in measurement.numbers),
        numbers=tuple(n.words for n in measurement.numbers),
        post_processing=assemble.POST_PROCESSING,
    )
