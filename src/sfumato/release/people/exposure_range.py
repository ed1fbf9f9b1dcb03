"""Exposure range that a preference is evaluated on: the least and the most exposed, two groups, or everyone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.model.measurement import Measurement, NumberKind
from sfumato.model.risk import WORST_CASE, ExposureRange
from sfumato.model.schema import Relation, Schema
from sfumato.model.statement import AggregateKind, Statement
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.risk.profile import own_scale
from sfumato.privacy.risk.rdr_exact import require_split
from sfumato.sql.parser.statement import parse_condition

if TYPE_CHECKING:
    from sfumato.release.people.survey import Survey


def spread(survey: Survey, noise: Noise, *, sums: bool = False) -> ExposureRange:
    """The least and the most exposed, and under how many noisy numbers; with private keys as if there were one.

    `sums`: more than the two will be asked for, so one pass shall give all of it.
    """
    schema, statement, measurement = survey.question.schema, survey.question.statement, survey.measurement
    published = survey.published
    low, high = survey.reach(survey.figure, sums=sums)
    return ExposureRange(
        Fraction(low),
        Fraction(high),
        survey.k,
        survey.sensitivity,
        published=published,
        fixed=fixed_part(statement, schema, None if published else measurement),
        relation=schema.relation,
        empty=not survey.people_count,
        scale=1.0 if published else own_scale(measurement, noise),
    )


def worst_case_range(relation: Relation) -> ExposureRange:
    """The worst case under the noise of one release: it bounds everyone behind a private histogram."""
    return ExposureRange(Fraction(0), Fraction(1), 1, relation=relation)


def estimated_spread(drawn: ExposureHistogram, measurement: Measurement, relation: Relation) -> ExposureRange | None:
    """The outer edges of the bins that a private histogram tells from noise; None where there are none."""
    if not any(drawn.seen):
        return None
    return ExposureRange(Fraction(drawn.min), Fraction(drawn.max), measurement.k or 1, relation=relation)


def compared_spread(preference: Preference, survey: Survey, noise: Noise) -> ExposureRange:
    """The exposure range that this preference is evaluated on."""
    everyone = spread(survey, noise)
    if preference.between is not None:
        met = parse_condition(preference.between, survey.question.registered, survey.columns)
        medians = survey.medians(met, survey.figure)
        return spread_between(
            (medians.get(True), medians.get(False)), everyone.k, everyone.sensitivity, everyone.published
        )
    if preference.reads_everyone:
        conditions = [
            (text, parse_condition(text, survey.question.registered, survey.columns)) for text in preference.conditions
        ]
        groups = {text: survey.group(met, survey.figure) for text, met in conditions}
        empty = everyone.empty or not all(group.people for group in groups.values())
        return replace(everyone, figures=survey.distribution(survey.figure), groups=groups, empty=empty)
    return everyone


def spread_between(
    medians: tuple[float | None, float | None], k: int, sensitivity: Fraction = Fraction(1), published: bool = False
) -> ExposureRange:
    """The range of a ratio between two groups: their medians; None for an empty group (docs/theory/gap.md).

    >>> found = spread_between((0.75, 0.5), k=2)
    >>> found.low, found.high, spread_between((0.75, None), k=2).empty
    (Fraction(1, 2), Fraction(3, 4), True)
    """
    figures = [Fraction(median) for median in medians if median is not None]
    if len(figures) < len(medians):
        return ExposureRange(Fraction(0), Fraction(0), k, sensitivity, published, empty=True)
    return ExposureRange(min(figures), max(figures), k, sensitivity, published)


def require_comparable(
    preference: Preference, noise: Noise, statement: Statement, schema: Schema, measurement: Measurement | None
) -> None:
    """Refuse what cannot be compared: from public facts, before any data is read."""
    if preference.reads_people and measurement is not None and measurement.cells is None:
        raise PreferenceError.because("private-keys-not-compared")
    if noise.mechanism == NoiseLaw.TRUNCATED and preference.reads_everyone:
        raise PreferenceError.because("truncated-noise-not-compared", stated=preference.words)
    if preference.each and statement.afterwards.picks:
        raise PreferenceError.because("rows-kept-by-noise")
    if preference.exact:
        people = fixed_part(statement, schema, measurement)
        require_exact(noise, people if preference.reads_people else WORST_CASE.fixed)


def require_exact(noise: Noise, fixed: Fraction | None) -> None:
    """Refuse an exact RDR that is not known."""
    if noise.mechanism != NoiseLaw.GAUSSIAN:
        require_split(noise, fixed)


def fixed_part(statement: Statement, schema: Schema, measurement: Measurement | None) -> Fraction | None:
    """The part of a contributor's exposure that is a number of its own; None where the exact RDR is not known.

    A person who counts in an AVG with one row moves its count by 1. As published (no measurement) it is one number.
    """
    aggregates = set(statement.aggregates)
    if len(aggregates) != 1 or (measurement is not None and measurement.cells is None):
        return None
    if measurement is not None and measurement.drawn_levels > 1:
        return None  # a part of the exposure is in each level
    kind, one_row = aggregates.pop().kind, schema.unit.max_rows == 1
    if kind in (AggregateKind.COUNT, AggregateKind.COUNT_DISTINCT, AggregateKind.SUM):
        return Fraction(0) if one_row or not statement.keys else None
    if kind is not AggregateKind.AVG or not one_row:
        return None
    if measurement is None:
        return Fraction(0)
    return next(n.share for n in measurement.numbers if n.kind is NumberKind.COUNT) / schema.relation.steps
