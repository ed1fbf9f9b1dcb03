"""The noise of a query at any probability, from public facts: nothing is read, entered or charged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.measurement import Assembly, Measurement
from sfumato.model.noise_view import ColumnNoise, NoiseTerms, NoiseView
from sfumato.privacy.noise.noise_quantiles import column_noise
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release.bound_query import BoundQuery

_SHARES = [p / 50 for p in range(1, 50)]
_ERRORS = [0.01 * 1.2**i for i in range(23)]  # of relative errors, from 1% to 55%
Course = list[tuple[float, float]]


@dataclass(frozen=True, repr=False)
class NoisePlan:
    """Noise per column and epsilon, and its curves (Figures 1 and 2 of the DIFF paper for one's own query)."""

    measurement: Measurement
    noise: Noise
    view: NoiseView

    def noise_curves(self) -> dict[str, Course]:
        """Noise by probability, a curve per epsilon (Figure 1), of the first column with a scale."""
        terms = replace(self.view.terms, probabilities=tuple(_SHARES))
        columns = {e: self._at(self._first, e, terms) for e in self.view.epsilons}
        return {
            f"epsilon {e:g}": [(t.probability, t.noise) for t in column.tails if t.noise is not None]
            for e, column in columns.items()
            if any(t.noise is not None for t in column.tails)
        }

    def least_curves(self) -> dict[str, Course]:
        """The smallest meaningful answer by epsilon, a curve per probability (Figure 2)."""
        low, high = min(self.view.epsilons) / 10, max(self.view.epsilons) * 10
        epsilons = [low * (high / low) ** (i / 40) for i in range(41)]
        return self._least_by(epsilons, lambda epsilon, terms: self._at(self._first, epsilon, terms))

    def least_by_error(self) -> dict[str, Course]:
        """The same by relative error, at the first epsilon."""
        epsilon = self.view.epsilons[0]
        return self._least_by(
            _ERRORS, lambda error, terms: self._at(self._first, epsilon, replace(terms, relative_error=error))
        )

    def _least_by(self, across: Sequence[float], at: Callable[[float, NoiseTerms], ColumnNoise]) -> dict[str, Course]:
        curves: dict[str, Course] = {}
        for p in self.view.terms.probabilities:
            terms = replace(self.view.terms, confidence=1 - p)
            columns = [(x, at(x, terms)) for x in across]
            course = [(x, least) for x, column in columns if (least := _least(column)) is not None]
            if len(course) > 1:
                curves[f"probability {p:g}"] = course
        return curves

    @property
    def _first(self) -> Assembly:
        """The first column of which there is something to draw."""
        columns = shown_columns(self.measurement)
        at = (self._at(column, self.view.epsilons[0], self.view.terms) for column in columns)
        drawn = (column for column, noise in zip(columns, at, strict=True) if _least(noise) is not None)
        return next(drawn, columns[0])

    def _at(self, column: Assembly, epsilon: float, terms: NoiseTerms) -> ColumnNoise:
        return column_noise(column, self.measurement, self.noise, epsilon, terms)


def noise_plan(
    query: BoundQuery,
    epsilon: float | Sequence[float],
    *,
    probabilities: Sequence[float] = (0.5, 0.3, 0.1),
    expected: float | None = None,
    expected_count: float | None = None,
    within: float | None = None,
    relative_error: float = 0.1,
    confidence: float = 0.9,
    mechanism: str = "laplace",
    delta: float | None = None,
    calibration: str = "analytic",
) -> NoisePlan:
    """How far the noise of each figure goes, and the smallest answer of which that is little.

    `expected` is a public guess of the answer and `expected_count` of how many values are averaged; `within` is the
    error of an average in its own units, in place of `relative_error` times `expected`.
    """
    listed = [epsilon] if isinstance(epsilon, int | float) else list(epsilon)
    epsilons = tuple(stated_epsilon(each).value for each in listed)
    if not epsilons:
        raise PreferenceError.because("noise-without-epsilon")
    shares = tuple(_between("probability", p) for p in probabilities)
    terms = NoiseTerms(
        shares or (0.5,),
        _positive("relative_error", relative_error),
        _between("confidence", confidence),
        None if expected is None else _not_zero(expected),
        None if expected_count is None else _positive("expected_count", expected_count),
        None if within is None else _positive("within", within),
    )
    measurement = query.public_measurement
    noise = query.noise(mechanism, delta, calibration)
    columns = tuple(
        column_noise(column, measurement, noise, e, terms) for e in epsilons for column in shown_columns(measurement)
    )
    return NoisePlan(measurement, noise, NoiseView(query.sql, mechanism, delta, epsilons, terms, columns))


def shown_columns(measurement: Measurement) -> list[Assembly]:
    """The columns of an answer that have noise."""
    return [column for column in measurement.columns if column.visible and not column.is_public]


def _least(column: ColumnNoise) -> float | None:
    return column.least if column.least_count is None else float(column.least_count)


def _between(name: str, value: float) -> float:
    if not 0 < value < 1:
        raise PreferenceError.because("noise-share-out-of-range", name=name, value=value)
    return float(value)


def _positive(name: str, value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise PreferenceError.because("noise-number-not-positive", name=name, value=value)
    return float(value)


def _not_zero(value: float) -> float:
    if not math.isfinite(value) or value == 0:
        raise PreferenceError.because("guess-of-zero")
    return float(value)
