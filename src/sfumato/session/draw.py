"""Reserve, draw, record, release: an answer leaves only after the ledger has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.errors import Infeasible, NoMechanism
from sfumato.ledger.entry import NANO, Draft, Entry, Event, nano
from sfumato.ledger.record import Record, Total
from sfumato.model.guarantee import Guarantee, Provenance, fixed, word
from sfumato.model.release import Answer
from sfumato.session import assemble
from sfumato.session.choice import Choice
from sfumato.session.decide import Request, decided_by
from sfumato.session.release import Certificate, Release
from sfumato.session.reserve import keep, on_this_data, repeatable, reserve
from sfumato.views.words import rows_that_count

if TYPE_CHECKING:
    from sfumato.session.query import Query

ATTESTED_SCHEMA = "bounds, categories and types were stated from what is publicly known, not from the data"
BOUNDS_FROM_DATA = "nothing: bounds, group keys and sensitivities were read off the data"


def draw(query: Query, choice: Choice, *, accept_none: bool, again: bool, attestation: str) -> Release:
    """Reserved before the data is read, and kept before it leaves."""
    _drawable(query, choice)
    ledger, key = query.dataset.ledger, on_this_data(query, choice.asked.key)
    held = reserve(
        ledger,
        key,
        lambda record: query.provenances(choice, record, attestation),
        lambda guarantee: _reservation(query, choice, key, guarantee),
        accept_none=accept_none,
        again=again,
    )
    if isinstance(held, Draft):
        return _as_it_left(held)
    if choice.epsilon is None:
        raise _infeasible(choice)
    drawn, after = _noisy(query, choice.epsilon), query.statement.afterwards
    answer = assemble.answer(query.measurement, drawn, _shown(choice, held.inputs), after)
    certificate = _certificate(query, choice, answer, held.entry, held.inputs, held.total)
    left: dict[str, object] = {"answer": answer.as_dict(), "certificate": certificate.as_dict()}
    keep(ledger, key, held, query.sql, left)
    return Release(answer, certificate)


def repeats(query: Query, asked: Request, record: Record) -> bool:
    """Whether this very request was answered before, with a guarantee: then the same answer comes back."""
    return repeatable(record.released(on_this_data(query, asked.key)), accept_none=False) is not None


def _reservation(query: Query, choice: Choice, key: str, outcome: Guarantee) -> Draft:
    """The charge: epsilon, or a public constant where the epsilon would tell about the data."""
    holds = outcome.holds and choice.epsilon is not None
    charge = nano(choice.epsilon if holds and choice.epsilon is not None else choice.epsilon_max)
    public: dict[str, object] = {"what": query.sql, "guarantee": outcome.value, "method": choice.method}
    confidential: dict[str, object] = {} if holds else {"epsilon": choice.epsilon}
    return query.dataset.ledger.draft(Event.RESERVED, key, public, confidential, charge)


def _shown(choice: Choice, inputs: Sequence[Provenance]) -> float | None:
    """The epsilon, where the public may know it."""
    return choice.epsilon if word(inputs).holds else None


def _drawable(query: Query, choice: Choice) -> None:
    """Refuse what cannot be drawn, from public facts, before anything is charged."""
    if choice.noise.mechanism != "laplace":
        raise NoMechanism(
            f"There is no release with {choice.noise.mechanism} noise in this version", hint="use --mechanism laplace."
        )
    if any(a.kind.selects for a in query.statement.aggregates):
        raise NoMechanism(
            "There is no release of MIN, MAX, MEDIAN and quantiles in this version",
            hint="its risk can be seen; release COUNT, SUM, AVG, VAR or STDDEV.",
        )
    if query.has_private_keys:
        raise NoMechanism(
            "There is no release with private group keys in this version",
            hint="its risk can be seen; list the public categories to release it.",
        )
    if choice.epsilon is None and not choice.asked.reads_people:
        raise _infeasible(choice)
    query.dataset.require_data()


def _infeasible(choice: Choice) -> Infeasible:
    if choice.asked.reads_people:  # whether there was an epsilon tells about the people
        return Infeasible(f"{choice.method} leads to no release", hint="state an epsilon with --epsilon.")
    return Infeasible(choice.why, hint="state an epsilon with --epsilon." if choice.unbounded else "ask for less.")


def _noisy(query: Query, epsilon: float) -> list[list[int]]:
    """Each number with its share of epsilon over all its cells: in all of them together, a person moves it by D."""
    measurement, totals = query.measurement, query.totals()
    mechanism = query.dataset.services.mechanism("laplace")
    columns = [
        mechanism(
            [totals.cells[cell][position] for cell in measurement.public_cells], number.steps, number.part(epsilon)
        )
        for position, number in enumerate(measurement.numbers)
    ]
    return [list(cell) for cell in zip(*columns, strict=True)]


def _as_it_left(draft: Draft) -> Release:
    public = draft.public
    answer = Answer.from_dict(public["answer"])  # type: ignore[arg-type]
    return Release(answer, Certificate.from_dict(public["certificate"]))  # type: ignore[arg-type]


def _certificate(
    query: Query, choice: Choice, answer: Answer, reserved: Entry, inputs: tuple[Provenance, ...], total: Total
) -> Certificate:
    dataset, measurement = query.dataset, query.measurement
    epsilon = _shown(choice, inputs)
    attestations = sorted({i.attestation for i in inputs if i.attestation})
    assumed = [BOUNDS_FROM_DATA if dataset.bounds_from_data else ATTESTED_SCHEMA, *dataset.assumed]
    assumed += [rows_that_count(dataset.schema.unit)] if dataset.schema.unit.column else []
    assumed += [f"fixed beforehand: “{said}” (said by {reserved.draft.who})" for said in attestations]
    numbers = () if dataset.bounds_from_data else measurement.numbers  # bounds from the data are the data's
    return Certificate(
        guarantee=word(inputs),
        epsilon=epsilon,
        delta=choice.noise.delta or 0.0,
        mechanism=choice.noise.mechanism,
        sensitivity=tuple(float(n.sensitivity) for n in numbers) or None,
        scale=None if epsilon is None else tuple(n.scale(epsilon) for n in numbers),
        unit=dataset.schema.unit.words,
        relation=dataset.schema.relation.value,
        outputs=measurement.k if numbers else None,
        select_epsilon=choice.select_epsilon,
        charged=None if epsilon is None else reserved.draft.nano_epsilon / NANO,
        noise_90=None if epsilon is None else assemble.half_widths(answer, measurement, epsilon),
        query=query.sql,
        query_sha256=query.statement.sha256,
        ledger_entry=reserved.number if dataset.ledger.recorded else None,
        dataset=dataset.schema.name,
        released_at=reserved.draft.at,
        method=choice.method,
        decided_by=decided_by(inputs, query.is_rule(choice)).value,
        fixed=fixed(inputs).value,
        assumed=tuple(assumed),
        dataset_total=total.epsilon,
        dataset_guarantee=total.guarantee,
        grid_step=tuple(float(n.step) for n in numbers) or None,
        numbers=tuple(n.words for n in numbers),
        post_processing=assemble.post_processing(measurement, query.statement.afterwards),
    )
