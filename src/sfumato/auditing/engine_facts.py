"""Everything that is read for a query, as plain values that can be compared and written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial
from math import isclose
from typing import TYPE_CHECKING, Any, TypeAlias

from sfumato.auditing import engine_rows
from sfumato.model.choice import Noise
from sfumato.model.facts import EXPOSURE, INFLUENCE, Totals
from sfumato.model.fit import Fit
from sfumato.release.bound_query import BoundQuery, bind
from sfumato.release.context import DatasetContext
from sfumato.release.data_quality import exact_counts
from sfumato.signals.exact_answer import block_tables

if TYPE_CHECKING:
    from sfumato.release.people.survey import Survey

Find: TypeAlias = Callable[[], Any]
GAUSSIAN = Noise("gaussian", 1e-6)
TOTALS = "totals"  # compared to the last bit
_OF_SQUARES = ("influence", "exposure", "moves")  # what Gaussian noise computes in another way
TOLERANCE = 1e-9  # of all other facts


def facts_of(context: DatasetContext, people: str) -> Iterator[tuple[str, str, Find]]:
    """Each query, the name of a fact, and what finds it in this table of `engine_rows`."""
    for sql in engine_rows.queries_of(people):
        if engine_rows.FAR not in sql:
            yield sql, TOTALS, partial(_totals, context, sql)
    for sql in engine_rows.surveyed_queries_of(people):
        for name, find in survey_facts(context, sql):
            yield sql, name, find
    yield "", "fit", lambda: plain(context.check())
    yield "", "rows by class", lambda: plain(exact_counts(context))


def _totals(context: DatasetContext, sql: str) -> Any:
    return plain(bind(context, sql).totals())


def survey_facts(context: DatasetContext, sql: str) -> Iterator[tuple[str, Find]]:
    """Everything that is known of the people of a query.

    Where no column names people, their numbers are left out: these are not the same in every engine.
    """
    query, side = bind(context, sql), context.condition("n > 3")
    named = context.schema.unit.column is not None
    cells = dict.fromkeys(query.measurement.drawn_cells, [0.5] * len(query.measurement.numbers))
    facts: dict[str, Callable[[Survey], Any]] = {
        "influence": lambda survey: survey.facts.summary(INFLUENCE),
        "exposure": lambda survey: survey.facts.summary(EXPOSURE),
        "people": lambda survey: _people(survey, named=named),
        "medians": lambda survey: sorted(survey.medians(side, INFLUENCE).items()),
        "group": lambda survey: survey.group(side, EXPOSURE).people,
        "distribution": lambda survey: [survey.distribution(INFLUENCE).quantile(p) for p in (0.25, 0.5, 0.9)],
        "most exposed": lambda survey: survey.most_exposed()["exposure"].to_pylist(),
        "worlds": lambda survey: sorted(world.mass for world, _ in survey.worlds()),
        "moves": lambda survey: survey.largest_moves([cells], [1.0] * len(query.measurement.numbers)),
        "singletons": lambda survey: survey.singletons,
    }
    if query.measurement.additive:
        facts["bins"] = lambda survey: survey.people_by_bin(20)
        facts["moments"] = lambda survey: survey.moments
        facts["blocks"] = lambda _: [sorted(t.rows, key=str) for t in block_tables(query, 3, "key")]
    for name, find in facts.items():
        yield name, partial(_value, query, Noise(), find)
    for name in _OF_SQUARES:
        yield f"{name}, gaussian", partial(_value, query, GAUSSIAN, facts[name])
    yield "answer", lambda: plain(query.answer())


def _value(query: BoundQuery, noise: Noise, find: Callable[[Survey], Any]) -> Any:
    return plain(find(query.look(noise)))


def _people(survey: Survey, *, named: bool) -> list[Any]:
    people = survey.people().to_pydict()
    return [sorted(map(str, people["person"])) if named else len(people["person"]), sorted(people["exposure"])]


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    match value:
        case Totals():
            return [plain(sorted(value.by_cell(), key=str)), plain(sorted(value.counts.items()))]
        case Fit():
            return [value.people, *([c.name, c.missing, c.unfit, c.clamped, c.unlisted] for c in value.columns)]
        case Mapping():
            return plain(sorted(value.items(), key=str))
        case list() | tuple():
            return [plain(one) for one in value]
        case date():
            return value.isoformat()
        case None | bool() | int() | float() | str():
            return value
    return plain(list(vars(value).values()))


def agree(one: Any, other: Any, tolerance: float = TOLERANCE) -> bool:
    """Whether two plain values are the same, floats up to a tolerance, of their size where it is above 1."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(agree(*both, tolerance) for both in zip(one, other, strict=True))
    if isinstance(one, float) or isinstance(other, float):
        numbers = [v for v in (one, other) if isinstance(v, int | float)]
        return len(numbers) == 2 and isclose(*numbers, rel_tol=tolerance, abs_tol=tolerance)
    return bool(one == other)
