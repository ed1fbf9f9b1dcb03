"""A query on a look-alike: invented rows, or a public table. Free, and nobody is read."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import SchemaError, SourceError
from sfumato.model.choice import Noise
from sfumato.model.risk import Source
from sfumato.model.schema import Schema
from sfumato.model.selection_trials import SelectionTrials
from sfumato.privacy.preferences.disparity import Ratio
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.solver import Solution
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import EPSILON_MAX, solve_request
from sfumato.release.people.exposure_range import compared_spread, spread
from sfumato.release.people.survey import Survey
from sfumato.release.request import request_of
from sfumato.release.risk.profile import Profile, figures_of
from sfumato.release.selection.trials import run_trials, typical_selection

_PEOPLE = 10_000  # that are invented, where nobody says how many there are


def people_of(schema: Schema) -> int:
    """How many people are invented: as many as there are at least, by public knowledge."""
    return schema.people_at_least or _PEOPLE


def rehearse(
    query: BoundQuery,
    preferences: tuple[Preference, ...] = (),
    mechanism: str = "laplace",
    delta: float | None = None,
    calibration: str = "analytic",
    candidates: str | Sequence[float] | None = None,
    epsilon_max: float = EPSILON_MAX,
    *,
    like: object = None,
    rows: int | None = None,
) -> Profile:
    """Risk on the look-alike, and what the preferences would lead to there."""
    noise, request = query.noise(mechanism, delta, calibration), None
    if preferences:
        request = request_of(query, preferences, mechanism, delta, calibration, candidates, epsilon_max)
    measurement, survey = query.public_measurement, _look_alike(query, noise, like, rows)
    people = spread(survey, noise, sums=True)
    solution: Solution | None = None
    tries: tuple[SelectionTrials, ...] = ()
    if request is not None:
        tries = run_trials(request, survey, query.context.services)
        selected = typical_selection(request, tries)
        solution = solve_request(request, lambda p: compared_spread(p, survey, noise), measurement, selected)
    return Profile(
        Source.REHEARSAL,
        query.sql,
        measurement,
        noise,
        people,
        *figures_of(survey),
        survey=survey,
        solution=solution,
        tries=tries,
        preferences=preferences,
        limit=_limit(preferences),
        exact=people.fixed is not None and any(isinstance(p, Ratio) and p.exact for p in preferences),
    )


def _look_alike(query: BoundQuery, noise: Noise, like: object, rows: int | None) -> Survey:
    dataset, schema = query.context, query.context.schema
    if like is None:
        _inventable(query)
    elif dataset.is_the_data(like):
        raise SourceError.because("rehearsal-on-the-data")
    engine = dataset.services.rehearsal(schema, like, rows or people_of(schema))
    if like is not None and dataset.is_copied(engine):
        raise SourceError.because("rehearsal-on-rows-of-data")
    return Survey(engine, schema, query.statement, query.public_measurement, noise)


def _inventable(query: BoundQuery) -> None:
    schema = query.context.schema
    for name in query.statement.columns:
        column = schema.column(name)
        if name == schema.unit.column:
            continue  # a person is a number
        if column is None or (column.bounds is None and column.keys is None):
            if column is not None and column.private_keys:
                raise SchemaError.because("rehearsal-with-private-keys", column=name)
            raise SchemaError.because("rehearsal-without-bounds", column=name, schema=schema.origin)


def _limit(preferences: Sequence[Preference]) -> float | None:
    """The gap that was asked for, if one was."""
    taus = [float(p.tau) for p in preferences if isinstance(p, Ratio) and p.tau and p.between is None]
    return 1 / max(taus) if taus else None
