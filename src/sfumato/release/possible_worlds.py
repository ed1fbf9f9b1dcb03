"""Possible worlds, read from a universe that is declared public; or, as a look, from the data itself."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.privacy.preferences.belief import (
    Belief,
    MissingPeople,
    Universe,
    WorldAnswers,
    above_prior,
    answers,
    missing_of,
    require_bounded,
)
from sfumato.privacy.risk.possible_worlds import prior_of
from sfumato.release.bound_query import BoundQuery
from sfumato.release.people.survey import Survey

_ANSWERS = (["answer"], ["answer", "prior"])  # the columns of a file that holds no people


def read_worlds(query: BoundQuery, preference: Belief, noise: Noise) -> Belief:
    """With its worlds read; a universe that is the data itself is refused."""
    require_bounded(preference, noise, query.declared)
    if not isinstance(preference.worlds, Universe):
        return preference
    known = _listed_answers(query, preference) or _missing(query, preference)
    complete = replace(preference, worlds=known)
    require_bounded(complete, noise, query.declared)
    before = prior_of(known.worlds) if isinstance(known, MissingPeople) else float(known.likeliest)
    above_prior(complete.rho, before)
    return complete


def _missing(query: BoundQuery, preference: Belief) -> MissingPeople:
    assert isinstance(preference.worlds, Universe)
    source, name = preference.worlds.source, preference.worlds.name
    dataset = query.context
    if dataset.is_the_data(source):
        raise PreferenceError.because("universe-is-the-data")
    engine = dataset.services.rehearsal(dataset.schema, source, 0)
    if dataset.is_copied(engine):
        raise PreferenceError.because("universe-has-rows-of-data")
    survey = Survey(engine, dataset.schema, query.statement, query.public_measurement, Noise())
    return missing_of((world for world, _ in survey.worlds()), preference.missing, name)


def _listed_answers(query: BoundQuery, preference: Belief) -> WorldAnswers | None:
    """The answers in each world, where the file holds these and no people."""
    assert isinstance(preference.worlds, Universe)
    source = preference.worlds.source
    if not isinstance(source, str | Path) or Path(source).suffix.lower() != ".csv" or not Path(source).is_file():
        return None
    with Path(source).open(encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = csv.reader(file)
        header = [name.strip().lower() for name in next(lines, [])]
        if header not in _ANSWERS or query.context.schema.column("answer") is not None:
            return None
        rows = [line for line in lines if line]
    if preference.missing > 1:
        raise PreferenceError.because("worlds-have-none-missing", file=preference.worlds.name)
    if any(len(row) != len(header) for row in rows):
        raise PreferenceError.because("worlds-rows-differ", file=preference.worlds.name)
    prior = [row[1] for row in rows] if len(header) > 1 else None
    return answers([row[0] for row in rows], prior)
