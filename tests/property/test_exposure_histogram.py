"""The counts behind an exposure histogram: each person in the bin of their literal exposure, and in no other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.api.risk import RiskProfile
from sfumato.model.choice import Noise
from sfumato.presentation.exploration_view import exploration
from sfumato.presentation.figures.marks import Line, Range
from sfumato.presentation.risk.profile import candidates
from sfumato.privacy.noise.calibration import mu_of
from sfumato.release.risk.exploration import explore
from tests.property.oracle import leave_one_out, people_of
from tests.property.questions import releasable_questions
from tests.property.tables import SOURCES, Table, examples, other_rows, tables
from tests.property.test_people import places_of_kept

NOISES = {False: Noise(), True: Noise("gaussian", 1e-6)}
BINS = st.sampled_from((2, 3, 20, 200))
ROUNDED = 2**-20  # exposures are of rows rounded to the grid of the noise
EXACT = 1e-9


@pytest.mark.depth("exposure histogram tables")
@examples("exposure histogram tables")
@given(data=st.data(), kind=st.sampled_from(SOURCES), gaussian=st.booleans(), bins=BINS)
def test_everybody_is_in_the_bin_of_their_literal_exposure(
    data: st.DataObject, kind: str, gaussian: bool, bins: int
) -> None:
    """The oracle takes each person out and adds up fractions; only who is at an edge may be on either side of it."""
    table = data.draw(st.one_of(tables(units=True), tables(crowded=True)))
    question = data.draw(releasable_questions(table, additive=True))
    with TemporaryDirectory() as folder:
        dataset = sf.open(table.source(kind, Path(folder)), table.schema, ledger=":memory:")
        query = dataset.query(question.sql)
        found = query._bound.survey(NOISES[gaussian]).people_by_bin(bins)
    rows, people = table.rows, people_of(table.rows, dataset.schema)
    if dataset.schema.unit.column is not None:
        places = places_of_kept(table.source("pandas", Path()), table.schema, question.sql)
        rows = tuple(table.rows[place] for place in places)
    oracle = leave_one_out(rows, dataset.schema, question.literal, table.names.columns, people)
    exposures = oracle.exposures_l2() if gaussian else oracle.exposures()
    within = ROUNDED if any(number.rounded for number in query.measurement.numbers) else EXACT
    assert sum(found) == len(exposures)
    for place, count in enumerate(found):
        surely, perhaps = believable(exposures, place, bins, within)
        assert surely <= count <= perhaps, f"{count} people in bin {place} of {bins}"


def believable(exposures: Sequence[Fraction | float], place: int, bins: int, within: float) -> tuple[int, int]:
    """How many are in a bin at least and at most, where an exposure may be off by so much."""
    low, high = ((place - 1) / bins, place / bins) if place else (-math.inf, 0.0)
    surely = sum(low + within < u <= high - within or u == high == 0 for u in map(float, exposures))
    return surely, sum(low - within < u <= high + within for u in map(float, exposures))


@pytest.mark.depth("exposure histogram tables")
@examples("exposure histogram tables")
@given(data=st.data(), gaussian=st.booleans(), bins=BINS)
def test_neighbours_differ_by_one_in_one_bin(data: st.DataObject, gaussian: bool, bins: int) -> None:
    """Whoever leaves is gone from one bin, whoever is replaced may be in another one; rows of nobody are in none."""
    table = data.draw(st.one_of(tables(units=True), tables(crowded=True)))
    sql = data.draw(releasable_questions(table, additive=True)).sql
    counts = people_by_bin(table, sql, gaussian, bins)
    for person, places in table.people().items():
        rest = table.without(*places)
        gone = [a - b for a, b in zip(counts, people_by_bin(rest, sql, gaussian, bins), strict=True)]
        assert sorted(gone) == [0] * bins + [0 if person is None else 1]
    names = [person for person in table.people() if person is not None]
    if table.schema.get("unit") and names:
        who = data.draw(st.sampled_from(names))
        rest = table.without(*table.people()[who])
        other = Table(table.names, table.schema, (*rest.rows, *data.draw(other_rows(table, who))))
        moved = [a - b for a, b in zip(counts, people_by_bin(other, sql, gaussian, bins), strict=True)]
        assert sum(map(abs, moved)) <= 2


def people_by_bin(table: Table, sql: str, gaussian: bool, bins: int) -> tuple[int, ...]:
    dataset = sf.open(table.source("pandas", Path()), table.schema, ledger=":memory:")
    return dataset.query(sql)._bound.survey(NOISES[gaussian]).people_by_bin(bins)


@pytest.mark.depth("exposure histogram tables")
@examples("exposure histogram tables")
@given(data=st.data(), gaussian=st.booleans(), bins=BINS, spent=st.sampled_from((1.0, 10.0)))
def test_nothing_printed_as_a_bound_is_below_what_the_people_give(
    data: st.DataObject, gaussian: bool, bins: int, spent: float
) -> None:
    """Gaps and attack chances of people who are taken out literally, against all that a drawn histogram says.

    Some bins hold a dozen people and stand out from the noise, others hold one person and do not.
    """
    table = data.draw(st.one_of(tables(), tables(units=True), tables(crowded=True)))
    if "unit" not in table.schema:
        rows = tuple(row for row in table.rows for _ in range(data.draw(st.sampled_from((1, 12)))))
        table = Table(table.names, table.schema, rows)
    question = data.draw(releasable_questions(table, additive=True))
    dataset = sf.open(table.source("pandas", Path()), table.schema, ledger=":memory:")
    rows, people = table.rows, people_of(table.rows, dataset.schema)
    if dataset.schema.unit.column is not None:
        places = places_of_kept(table.source("pandas", Path()), table.schema, question.sql)
        rows = tuple(table.rows[place] for place in places)
    oracle = leave_one_out(rows, dataset.schema, question.literal, table.names.columns, people)
    exposures = [float(u) for u in (oracle.exposures_l2() if gaussian else oracle.exposures())] or [0.0]
    noise = NOISES[gaussian]
    profile = dataset.query(question.sql).exposure_histogram(
        spent, bins=bins, mechanism=noise.mechanism, delta=noise.delta, candidates=(1.0, 5.0)
    )
    found = exploration(explore(profile, epsilon_max=10.0, preference={}, now=None))
    points = {point["epsilon"]: point for point in found["points"]}
    for at in profile.candidates:
        gap, chance = given_by(exposures, oracle.outputs, at.epsilon, noise)
        for said in gaps_said(profile, points[at.epsilon], at.epsilon):
            assert said >= gap - EXACT, f"a gap of at most {said}, where the people have {gap}"
        for said in chances_said(profile, points[at.epsilon], at.epsilon):
            assert said >= chance - EXACT, f"an attacker right at most {said}, where it is {chance}"


def given_by(exposures: Sequence[float], k: int, epsilon: float, noise: Noise) -> tuple[float, float]:
    """The gap of Lemma 3.1 or 3.2 among these people, and how often an attacker is right of the most exposed."""
    least, most = min(exposures), max(exposures)
    if noise.mechanism == "gaussian":
        mu = mu_of(epsilon, noise)
        risks = [math.sqrt(u**2 + k / mu**2) for u in (least, most)]
        return risks[1] / risks[0], NormalDist().cdf(mu * most / 2)
    return (epsilon * most + k) / (epsilon * least + k), 1 - math.exp(-epsilon * most / 2) / 2


def printed(profile: RiskProfile, column: str, epsilon: float) -> float:
    """What the table of the view has in this column."""
    columns, rows = candidates(profile.view)
    [row] = [row for row in rows if float(row[0]) == epsilon]
    return float(row[columns.index(column)].removesuffix("%").removesuffix("×"))


def gaps_said(profile: RiskProfile, point: Mapping[str, Any], epsilon: float) -> list[float]:
    """In the row, the table, the picture and the explorer."""
    [bar] = [one for one in profile.plot("gap").figure.of(Range) if one.x == epsilon]
    shown = float(point["gap_shown"].removesuffix("×"))
    return [profile.at(epsilon).gap, printed(profile, "risk gap (at most)", epsilon), bar.high, point["gap"], shown]


def chances_said(profile: RiskProfile, point: Mapping[str, Any], epsilon: float) -> list[float]:
    """In the row, the attack, the table, the pictures and the explorer."""
    [line] = profile.plot("attack").figure.of(Line)
    [curve, _blind] = profile.roc(epsilon).figure.of(Line)
    return [
        profile.at(epsilon).attack_chance,
        profile.attack(epsilon).chance,
        printed(profile, "attack success", epsilon) / 100,
        point["in"] / 100,
        dict(line.points)[epsilon] / 100,
        max((hits + 100 - alarms) / 200 for alarms, hits in curve.points),
    ]
