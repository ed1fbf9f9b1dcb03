"""DIFF: one epsilon for several queries, split by an index, planned and charged once for all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.errors import NoGuarantee, PreferenceError
from sfumato.ledger.charges import BATCH
from sfumato.model import budget_split as model
from sfumato.model.budget_split import Checked, QueryShare
from sfumato.model.calibration import Drawing, NoiseLaw
from sfumato.model.choice import Noise
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.noise.error import relative_error as error_of
from sfumato.privacy.noise.intervals import COVERAGE, reach
from sfumato.privacy.preferences.budget_split import (
    best_index,
    epsilon_needed,
    parts,
    require_confidence,
    require_errors,
    require_guesses,
    require_index,
)
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.sensitivity import sensitivity_of_rows
from sfumato.release.batch import TIGHT, BatchPlan
from sfumato.release.bound_query import BoundQuery, bind
from sfumato.release.choose import choose_epsilon
from sfumato.release.context import DatasetContext
from sfumato.release.decide import EPSILON_MAX, checked_delta
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.request import request_of
from sfumato.release.reserve import refuse_without_guarantee


@dataclass(frozen=True, repr=False, kw_only=True)
class SplitPlan(model.BudgetSplit):
    """From public facts: nothing was read, entered or charged."""

    queries: tuple[BoundQuery, ...] = field(compare=False)
    noises: tuple[Noise, ...]  # of each query
    tight: float | None = None  # the delta at which all of it is accounted for together, where that is asked for


def split(
    context: DatasetContext,
    queries: Sequence[str | BoundQuery],
    epsilon: float,
    *,
    index: Sequence[float] | None = None,
    expected: Sequence[float] | None = None,
    aim: str | None = None,
    relative_error: float | Sequence[float] = 0.1,
    confidence: float = 0.9,
    mechanism: str = "laplace",
    delta: float | None = None,
) -> SplitPlan:
    """Each query's part of epsilon, and what that means for its answer. Without index and guesses all are alike."""
    bound = tuple(_query(context, query) for query in queries)
    if not bound:
        raise PreferenceError.because("split-empty")
    if index is not None and aim is not None:
        raise PreferenceError.because("split-index-and-aim")
    whole = stated_epsilon(epsilon).value
    errors, confidence = require_errors(relative_error, len(bound)), require_confidence(confidence)
    units = [unit_of(query) for query in bound]
    guesses = None if expected is None else _guesses(bound, expected)
    if index is not None:
        chosen = require_index(index, len(bound))
    elif guesses is not None or aim is not None:
        aim = "largest" if aim is None else aim
        chosen = best_index(units, guesses, aim)
    else:
        chosen = (1.0,) * len(bound)
    noises, tight = _noises(bound, mechanism, delta)
    own = _parts(bound, units, chosen, whole)
    each = zip(bound, noises, own, chosen, units, errors, guesses or [None] * len(bound), strict=True)
    shares = tuple(_part(*of_query, miss=1 - confidence) for of_query in each)
    laplace = guesses is not None and mechanism == NoiseLaw.LAPLACE
    needed = epsilon_needed(units, chosen, guesses or (), errors, 1 - confidence) if laplace else None
    return SplitPlan(whole, shares, confidence, aim, needed, queries=bound, noises=noises, tight=tight)


class SplitBatchPlan(BatchPlan):
    """Each part of a split is planned as an epsilon of its query."""

    def __init__(self, context: DatasetContext, split: SplitPlan, preregistered: str = "") -> None:
        self.split = split
        requests = [
            request_of(query, (stated_epsilon(part.epsilon),), **vars(noise))
            for query, part, noise in zip(split.queries, split.parts, split.noises, strict=True)
        ]
        each = list(zip(split.queries, requests, strict=True))
        record = context.ledger.record
        inputs = [provenance for query, own in each for provenance in query.provenances(own, record, preregistered)]
        refuse_without_guarantee(inputs, BATCH, instead="as-planned")
        terms = ReleaseTerms(preregistered=preregistered)
        choices = [choose_epsilon(query, own, terms) for query, own in each]
        super().__init__(context, choices, split.tight)

    def check_answers(self) -> tuple[Checked, ...]:
        """Test (9) with the true answers, for the controller's eyes: a look, entered before anything is read."""
        return tuple(_check(query, part) for query, part in zip(self.split.queries, self.split.parts, strict=True))

    @property
    def _method(self) -> str:
        return "; ".join([split_text(self.split), *([TIGHT] if self.is_tight else [])])

    def as_dict(self) -> dict[str, object]:
        return super().as_dict() | {"split": self.split.as_dict()}


def split_text(split: model.BudgetSplit) -> str:
    """How an epsilon was split, as the ledger has it."""
    text = f"epsilon {split.epsilon:.15g} split by the index {' : '.join(f'{part.index:.6g}' for part in split.parts)}"
    if split.aim is None:
        return text
    return f"{text}; aim {split.aim}; expected {', '.join(f'{part.expected or 0:.6g}' for part in split.parts)}"


def _query(context: DatasetContext, query: object) -> BoundQuery:
    if isinstance(query, BoundQuery) and query.context is not context:
        raise PreferenceError.because("split-of-other-dataset")
    if not isinstance(query, str | BoundQuery):
        raise PreferenceError.because("split-not-of-queries")
    if context.bounds_from_data:
        raise NoGuarantee.because("split-bounds-from-data")
    return bind(context, query) if isinstance(query, str) else query


def is_one_number(query: BoundQuery) -> bool:
    """Whether each figure of its answer is one number with noise, so that its scale tells how far it is off."""
    numbers, columns = query.measurement.numbers, query.measurement.columns
    is_computed = any(column.computed is not None for column in columns)
    return len(numbers) == 1 and not numbers[0].kind.is_ranked and not is_computed


def unit_of(query: BoundQuery) -> Fraction:
    """What its noise scale is in units of: its sensitivity; or that of a count of rows, where there is no one scale."""
    one = is_one_number(query)
    return query.measurement.numbers[0].sensitivity if one else sensitivity_of_rows(query.schema)


def _guesses(queries: Sequence[BoundQuery], expected: Sequence[float]) -> tuple[float, ...]:
    for query in queries:
        if not is_one_number(query):
            raise PreferenceError.because("split-expected-of-several", sql=query.sql)
    return require_guesses(expected, len(queries))


def _parts(
    queries: Sequence[BoundQuery], units: Sequence[Fraction], index: Sequence[float], epsilon: float
) -> tuple[float, ...]:
    epsilons = parts(units, index, epsilon)
    for query, own in zip(queries, epsilons, strict=True):
        if own <= 0:
            raise PreferenceError.because("split-part-too-small", sql=query.sql)
        if own > EPSILON_MAX:
            raise PreferenceError.because("split-part-too-large", most=EPSILON_MAX, sql=query.sql)
    return epsilons


def _noises(
    queries: Sequence[BoundQuery], mechanism: str, delta: float | None
) -> tuple[tuple[Noise, ...], float | None]:
    """How each is drawn, and the delta of tight accounting.

    A delta goes to the noise that needs one, in equal parts; where none does it is for tight accounting.
    """
    delta = None if delta is None else checked_delta(delta)
    needing = [query.has_private_keys or mechanism != NoiseLaw.LAPLACE for query in queries]
    own = None if delta is None else _equal(delta, sum(needing) or 1)
    noises = [q.noise(mechanism, own if needs else None, "analytic") for q, needs in zip(queries, needing, strict=True)]
    return tuple(noises), None if any(needing) else delta


def _equal(delta: float, parts: int) -> float:
    """One of so many equal parts, rounded down: they never add up to more."""
    own = delta / parts
    while parts * Fraction(str(own)) > Fraction(str(delta)):
        own = math.nextafter(own, 0)
    return own


def _part(
    query: BoundQuery,
    noise: Noise,
    epsilon: float,
    index: float,
    unit: Fraction,
    error: float,
    guess: float | None,
    *,
    miss: float,
) -> QueryShare:
    drawings = calibrate(query.measurement, noise, epsilon, EPSILON_MAX).numbers
    one = drawings[0] if is_one_number(query) else None
    off = None if one is None else _reach(one, miss)
    return QueryShare(
        query=query.sql,
        index=index,
        sensitivity=float(unit),
        epsilon=epsilon,
        scale=tuple(drawing.scale for drawing in drawings),
        noise_90=tuple(_reach(drawing, 1 - COVERAGE) for drawing in drawings),
        relative_error=error,
        least=None if off is None else off / error,
        expected=guess,
        expected_error=None if off is None or guess is None else error_of(off, guess),
    )


def _reach(drawing: Drawing, miss: float) -> float | None:
    return None if drawing.scale is None else reach(drawing.law, drawing.scale, miss)


def _check(query: BoundQuery, part: QueryShare) -> Checked:
    if part.least is None:
        return Checked(query.sql, None, ())
    answers = tuple(float(row[0] or 0) for row in query.answer())  # type: ignore[arg-type]
    return Checked(query.sql, part.least, answers)
