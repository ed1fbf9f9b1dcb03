"""A public guess of how many rows are counted in the smallest group, for the interval of an answer before paying."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, cast

from sfumato.errors import SfumatoError
from sfumato.ledger.entry import Event
from sfumato.model.canonical import canonical
from sfumato.model.choice import Noise
from sfumato.model.expected_interval import CountSource, ExpectedCount
from sfumato.model.facts import Totals
from sfumato.model.guarantee import Guarantee
from sfumato.model.measurement import Measurement
from sfumato.model.release import Answer
from sfumato.model.risk import RiskAt
from sfumato.model.statement import Aggregate, AggregateKind, Statement
from sfumato.privacy.noise.expected_interval import SIZES, divisors, expected_intervals
from sfumato.privacy.preferences.accuracy import checked_count
from sfumato.privacy.preferences.preference import Preference
from sfumato.release.bound_query import BoundQuery
from sfumato.sql.parser.statement import parse

_NEWEST = 100  # releases that are searched for a count
_EXAMPLE = ExpectedCount(1_000, CountSource.EXAMPLE)


def expected_count(
    query: BoundQuery,
    guess: float | None = None,
    preferences: Iterable[Preference] = (),
    synthetic: Callable[[], Totals] | None = None,
) -> ExpectedCount | None:
    """The stated one; else the schema's or that of synthetic data; else a count that was released before, at its lower
    end; else an example. None where no figure of the answer is divided by a count.
    """
    given = checked_count(guess)
    measurement = query.public_measurement
    if not divisors(measurement) or measurement.cells is None:
        return None
    counts = [given, *(getattr(preference, "expected_count", None) for preference in preferences)]
    if known := [count for count in counts if count is not None]:
        return ExpectedCount(int(known[0]), CountSource.STATED)
    if synthetic is not None:
        return ExpectedCount(max(1, _smallest(measurement, synthetic())), CountSource.SYNTHETIC)
    groups = max(1, len(measurement.cells))
    if query.context.schema.people_at_least:
        return ExpectedCount(max(1, query.context.schema.people_at_least // groups), CountSource.SCHEMA)
    released = next((low for low in _released(query) if low > 0), None)
    return _EXAMPLE if released is None else ExpectedCount(released, CountSource.RELEASED)


def with_answers(at: RiskAt, measurement: Measurement, noise: Noise, expected: ExpectedCount | None) -> RiskAt:
    """With the 90% intervals of the answer: at the expected count, and at other sizes of the group."""
    counts = () if expected is None else sorted({*SIZES, expected.count})
    return replace(at, answers=expected_intervals(measurement, noise, at.epsilon, counts))


def _smallest(measurement: Measurement, totals: Totals) -> int:
    """The smallest count that a figure of the answer is divided by."""
    counts = divisors(measurement)
    return min(
        (int(cell[i] * measurement.numbers[i].step) for cell in totals.cells.values() for i in counts), default=0
    )


def _released(query: BoundQuery) -> Iterator[int]:
    """Lower ends of counts of these rows that this person released before, in the smallest group each; newest first.

    What others released may not be this person's to see.
    """
    context = query.context
    name, drafts = context.schema.name.casefold(), (entry.draft for entry in reversed(context.ledger.known.entries))
    own = (d for d in drafts if d.event is Event.RELEASED and d.who == context.ledger.who)
    answered = (d.public for d in own if "answer" in d.public and d.dataset.casefold() == name)
    for public in islice(answered, _NEWEST):
        try:
            counted = parse(str(public["what"]), context.schema, context.present)
        except SfumatoError:  # the schema was another one then
            continue
        if not Guarantee(str(public["guarantee"])).holds:
            continue
        answer, groups = Answer.from_dict(cast(dict[str, Any], public["answer"])), _groups(query, counted)
        positions = _counts(counted, answer)
        if groups is not None and positions and not counted.afterwards.picks:
            lows = [row[i] for row in answer.intervals or () for i in positions]
            yield min((int(low[0]) for low in lows if low is not None), default=0) // groups


def _groups(query: BoundQuery, counted: Statement) -> int | None:
    """Into how many groups the counted rows fall in this query; None where they are other rows."""
    own, cells = query.statement, query.public_measurement.cells
    if counted.table != own.table or canonical(counted.where) != canonical(own.where):
        return None
    if set(counted.keys) == set(own.keys):
        return 1
    return None if counted.keys or cells is None else max(1, len(cells))


def _counts(counted: Statement, answer: Answer) -> Sequence[int]:
    """The columns of an answer that count rows."""
    names = {output.name for output in counted.outputs if output.source == Aggregate(AggregateKind.COUNT)}
    return [i for i, name in enumerate(answer.columns) if name in names and answer.ranged[i]]
