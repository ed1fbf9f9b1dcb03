"""A query on synthetic data: invented rows, or a public table. Free, and no data is read."""

from __future__ import annotations

from typing import Unpack

from sfumato.errors import SchemaError, SourceError
from sfumato.model.choice import Noise
from sfumato.model.risk import Source
from sfumato.model.schema import Schema
from sfumato.model.selection_trials import SelectionTrials
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.solver import Solution
from sfumato.privacy.preferences.together import most_together
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import candidates_of, solve_request
from sfumato.release.keywords import SearchKeywords
from sfumato.release.people.exposure_range import compared_spread, spread
from sfumato.release.people.survey import Survey
from sfumato.release.request import request_of
from sfumato.release.risk.expected_count import expected_count as public_guess
from sfumato.release.risk.profile import Profile, figures_of
from sfumato.release.selection.trials import run_trials, typical_selection

_PEOPLE = 10_000  # that are invented, where no one says how many there are


def people_of(schema: Schema) -> int:
    """How many people are invented: as many as there are at least, by public knowledge."""
    return schema.people_at_least or _PEOPLE


def rehearse(
    query: BoundQuery,
    preferences: tuple[Preference, ...] = (),
    *,
    like: object = None,
    rows: int | None = None,
    expected_count: float | None = None,
    **how: Unpack[SearchKeywords],
) -> Profile:
    """Risk on the synthetic data, and what the preferences would lead to there."""
    noise = query.noise(how.get("mechanism", "laplace"), how.get("delta"), how.get("calibration", "analytic"))
    request = request_of(query, preferences, **how) if preferences else None
    measurement, survey = query.public_measurement, _synthetic_survey(query, noise, like, rows)
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
        epsilons=candidates_of(how.get("candidates")),
        solution=solution,
        tries=tries,
        preferences=preferences,
        limit=min((p.risk_gap for p in preferences if p.reads_people and p.risk_gap is not None), default=None),
        stand_in=like is not None,
        exact=people.fixed is not None and any(p.exact for p in preferences),
        expected_count=public_guess(query, expected_count, preferences, survey.totals),
        together=most_together(preferences),
    )


def _synthetic_survey(query: BoundQuery, noise: Noise, like: object, rows: int | None) -> Survey:
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
        if name == schema.unit.column or name in schema.linking_columns:
            continue  # a person is a number, and so is a key
        if column is None or (column.ends is None and column.keys is None):
            if column is not None and column.private_keys:
                raise SchemaError.because("rehearsal-with-private-keys", column=name)
            raise SchemaError.because("rehearsal-without-bounds", column=name, schema=schema.origin)
