"""Possible worlds of a public universe: what an attacker believes of each at an epsilon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.schema import PERSON
from sfumato.model.statement import AggregateKind
from sfumato.model.world_beliefs import BeliefsAtEpsilon, WorldBelief, WorldBeliefs
from sfumato.privacy.preferences.belief import Belief, Universe, require_bounded
from sfumato.privacy.preferences.preference import number_where
from sfumato.privacy.risk.belief import STATISTICS, Statistic, mean, median
from sfumato.privacy.risk.possible_worlds import beliefs_at, bound_of, countless, largest_epsilon, prior_of
from sfumato.privacy.risk.published_worlds import PAPER_EPSILONS, beliefs_as_published
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import candidates_of
from sfumato.release.people.survey import Survey
from sfumato.sql.builder.ast import column, order_by, select_from
from sfumato.sql.plans.rows import PlanInput, rows

SCHEMA, POSSIBLE_WORLDS = "schema", "possible-worlds"
MOST_NAMED = 2000  # worlds that are shown one by one


def world_beliefs(
    query: BoundQuery,
    candidates: str | Sequence[float] | None,
    sensitivity: str = "schema",
    response: float | None = None,
    limit: float | None = None,
    names: str | None = None,
) -> WorldBeliefs:
    """Each possible world of a public universe at each epsilon, by default those of the paper's tables."""
    epsilons = candidates_of(candidates) or PAPER_EPSILONS
    if limit is not None:
        number_where("limit", limit, "belief-out-of-range", lambda number: 0 < number < 1)
    if sensitivity == POSSIBLE_WORLDS:
        return as_published(query, epsilons, limit, names, response)
    if sensitivity != SCHEMA:
        known = [SCHEMA, POSSIBLE_WORLDS]
        raise PreferenceError.because("sensitivity-unknown", sensitivity=sensitivity, known=known)
    if response is not None:
        raise PreferenceError.because("response-of-one-number")
    return as_released(query, epsilons, limit, names)


def as_released(query: BoundQuery, epsilons: Sequence[float], limit: float | None, names: str | None) -> WorldBeliefs:
    """With the noise of a release, sized by the schema: the largest belief in each world, at whatever answer."""
    require_bounded(Belief(Fraction(1, 2), Universe(None)), Noise(), query.declared)
    survey = Survey(query.context.engine, query.context.schema, query.statement, query.public_measurement, Noise())
    listed = sorted(survey.worlds(), key=lambda one: (one[0].loads, one[0].apart))
    worlds, who = tuple(world for world, _ in listed), [person for _, person in listed]
    if not worlds or countless(worlds) or len(worlds) > MOST_NAMED:
        raise PreferenceError.because("universe-size", most=MOST_NAMED, worlds=len(worlds))
    named, prior = _names(query, names), prior_of(worlds)
    at = []
    for epsilon in epsilons:
        beliefs = zip(who, worlds, beliefs_at(worlds, epsilon), strict=True)
        each = (
            WorldBelief(named.get(person, str(person)), int(world.mass), None, prior, posterior)
            for person, world, posterior in beliefs
        )
        at.append(BeliefsAtEpsilon(epsilon, None, tuple(each)))
    if limit is None:
        return WorldBeliefs(tuple(at))
    return WorldBeliefs(tuple(at), None, limit, bound_of(worlds, limit), largest_epsilon(worlds, limit))


def as_published(
    query: BoundQuery, epsilons: Sequence[float], limit: float | None, names: str | None, response: float | None
) -> WorldBeliefs:
    """The paper's own arithmetic: noise sized by the universe, and the belief in each world after one noisy answer."""
    answer, people, named = _answer(query), _values(query), _names(query, names)
    if not 3 <= len(people) <= MOST_NAMED:
        raise PreferenceError.because("universe-size", most=MOST_NAMED, worlds=len(people))
    who = [named.get(person, str(person)) for person, _ in people]
    values = [value for _, value in people]
    return beliefs_as_published(who, values, answer, epsilons, response, limit)


def _answer(query: BoundQuery) -> Statistic:
    """The mean or the median of one column, as in the paper."""
    aggregates = query.statement.aggregates
    if len(aggregates) == 1 and not query.statement.keys:
        (only,) = aggregates
        if only.kind is AggregateKind.AVG:
            return mean
        if only.kind is AggregateKind.QUANTILE_CONT and only.at == Fraction(1, 2):
            return median
        if only.kind is AggregateKind.SUM:
            return math.fsum
    raise PreferenceError.because("published-worlds-answer")


def _values(query: BoundQuery) -> list[tuple[object, float]]:
    """Each person of the universe whose value counts, in order."""
    context = query.context
    question = PlanInput(context.schema, query.statement, query.public_measurement)
    (value,) = question.values
    tree = rows(question, source=context.engine.numbered, person=True)
    read = order_by(select_from([column(PERSON), column(value.name)], tree), PERSON)
    records = context.engine.rows(context.engine.spell(read))
    people = [(person, float(own)) for person, own in records if own is not None]
    if len({person for person, _ in people}) < len(people):
        raise PreferenceError.because("published-worlds-rows")
    return people


def _names(query: BoundQuery, names: str | None) -> dict[object, str]:
    """How each person of the universe is called, by a column of it."""
    if names is None:
        return {}
    context = query.context
    known = next((name for name in context.engine.columns if name.lower() == names.lower()), None)
    if known is None:
        raise PreferenceError.because("universe-names", column=names)
    unit = context.schema.unit.column
    tree = select_from([column(PERSON if unit is None else unit), column(known)], context.engine.numbered)
    return {person: str(name) for person, name in context.engine.rows(context.engine.spell(tree))}


def universe_from_text(text: str, most: int) -> tuple[list[str], list[float]]:
    """Names and values of a universe, one person on each line: a name, a comma and a number."""
    people = [line.rpartition(",") for line in text.splitlines() if line.strip()]
    if not 3 <= len(people) <= most:
        raise PreferenceError.because("universe-size", most=most, worlds=len(people))
    return [who.strip() or "a person" for who, _, _ in people], [number_from_text(value) for _, _, value in people]


def number_from_text(text: str) -> float:
    """A finite number, as it is written."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise PreferenceError.because("universe-line", line=text.strip()[:40])
    return value


def statistic(name: str) -> Statistic:
    """The answer of that name."""
    if name not in STATISTICS:
        raise PreferenceError.because("universe-answer", known=list(STATISTICS))
    return STATISTICS[name]
