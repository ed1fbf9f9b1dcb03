"""Preferences about the answer: how far it may lie from the truth. They ask for an epsilon that is large enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.measurement import Assembly, Measurement, NoisyNumber
from sfumato.model.method_comparison import Need
from sfumato.privacy.bisection import largest
from sfumato.privacy.noise.calibration import furthest_of, scale_of
from sfumato.privacy.noise.error import each_confidence, epsilon_for_error_on_lattice, sigma_for_error
from sfumato.privacy.noise.forms import WeightedSum, computed_share, computed_sum
from sfumato.privacy.noise.intervals import joint_quantile, reach
from sfumato.privacy.noise.truncated_laplace import delta_of_each, epsilon_of_reach
from sfumato.privacy.noise.worth import epsilon_of_mu
from sfumato.privacy.preferences.preference import Interval, Preference, Setting, exactly, number_where, plain

_LEAST, _MOST = 1e-9, 1e6  # epsilons
_UP = 1 + 1e-9  # rounded up, so that the noise that is drawn is not a hair too wide


@dataclass(frozen=True)
class Within(Preference):
    """Every figure of the answer within `error` of the true one, all of them together this often.

    See docs/theory/ranges.md.
    """

    error: Fraction
    confidence: Fraction
    each: bool = False  # cell by cell, not all of them together
    expected_count: Fraction | None = None  # how many people are in the smallest cell of a mean, at least

    asks_smallest = True
    unstated_name = "within"

    @property
    def words(self) -> str:
        return f"within {float(self.error):g}{_how_often(self.confidence, self.each)}"

    @property
    def need(self) -> Need:
        return Need.PUBLIC if self.expected_count is None else Need.COUNT

    def interval(self, setting: Setting, /) -> Interval:
        return Interval(smallest_epsilon(self, setting.noise, setting.measurement), math.inf)

    def to_mapping(self) -> dict[str, Any]:
        promise = {"confidence": self.confidence, "each": self.each, "expected_count": self.expected_count}
        return plain({"within": self.error} | promise)


@dataclass(frozen=True)
class RelativeError(Preference):
    """The same as a share of an answer that is publicly expected (DIFF, equation 6)."""

    share: Fraction
    expected: Fraction
    confidence: Fraction
    each: bool = False
    expected_count: Fraction | None = None

    asks_smallest = True
    need = Need.ANSWER
    unstated_name = "relative error"

    @property
    def words(self) -> str:
        expected = f" of an expected {float(self.expected):g}"
        return f"relative error {float(self.share):g}{expected}{_how_often(self.confidence, self.each)}"

    @property
    def as_error(self) -> Within:
        error = self.share * abs(self.expected)
        return Within(error, self.confidence, self.each, self.expected_count)

    def interval(self, setting: Setting, /) -> Interval:
        return self.as_error.interval(setting)

    def to_mapping(self) -> dict[str, Any]:
        promise = {"confidence": self.confidence, "each": self.each, "expected_count": self.expected_count}
        return plain({"relative_error": self.share, "expected": self.expected} | promise)


def within(
    error: float, *, confidence: float = 0.95, each: bool = False, expected_count: float | None = None
) -> Within:
    """All figures of the answer at most `error` off, in `confidence` of all answers; `each` promises it one by one.

    A mean needs `expected_count`: how many people its smallest cell has, at least, by public knowledge.
    """
    number = number_where("within", error, "within-not-positive", lambda n: n > 0)
    return Within(number, _confidence(confidence), each, checked_count(expected_count))


def relative_error(
    share: float,
    *,
    expected: float | None = None,
    confidence: float = 0.9,
    each: bool = False,
    expected_count: float | None = None,
) -> RelativeError:
    """At most `share` off, as a share of the answer that is publicly `expected`; of several, the smallest of them."""
    number = number_where("relative error", share, "relative-error-not-positive", lambda n: n > 0)
    if expected is None:
        raise PreferenceError.because("expected-answer-missing")
    answer = exactly("expected", expected)
    if answer == 0:
        raise PreferenceError.because("expected-answer-zero")
    return RelativeError(number, answer, _confidence(confidence), each, checked_count(expected_count))


def smallest_epsilon(preference: Within, noise: Noise, measurement: Measurement | None) -> float:
    """The least epsilon that keeps the answer within its error, as its noise will be drawn."""
    if measurement is None:
        raise PreferenceError.because("bounds-of-schema-needed", stated=preference.words)
    if measurement.cells is None:
        raise PreferenceError.because("private-keys-error-unbounded")
    if measurement.levels is not None:
        raise PreferenceError.because("levels-error-unbounded")
    if preference.confidence == 1 and noise.mechanism != NoiseLaw.TRUNCATED:
        raise PreferenceError.because("noise-without-end", mechanism=noise.mechanism)
    answers = [column for column in measurement.columns if column.visible and measurement.behind(column)]
    together = 1 if preference.each else len(answers) * len(measurement.cells)
    confidence = each_confidence(float(preference.confidence), together)
    return _UP * max(_LEAST, *(_smallest(column, preference, confidence, noise, measurement) for column in answers))


def _smallest(column: Assembly, preference: Within, confidence: float, noise: Noise, measurement: Measurement) -> float:
    """Of one column of the answer, right with this confidence in each of its cells."""
    if column.computed is not None:
        return _for_computed(column, preference, confidence, noise, measurement)
    numbers = [measurement.numbers[i] for i in column.numbers]
    if any(number.kind.is_ranked for number in numbers) or len(numbers) > 2:
        raise PreferenceError.because("error-unbounded-beforehand", column=column.name, numbers=len(numbers))
    if len(numbers) == 1:
        error = _before_rounding(numbers[0], float(preference.error))
        if confidence == 1 and error <= numbers[0].sensitivity:
            raise PreferenceError.because("truncated-noise-reaches-further", moved=float(numbers[0].sensitivity))
        wide = _for_number(numbers[0], error, confidence, noise)
        return min(wide, _for_reach(numbers[0], error, noise, measurement))
    if confidence == 1:
        raise PreferenceError.because("mean-error-without-end", column=column.name)
    if preference.expected_count is None:
        raise PreferenceError.because("expected-count-missing", column=column.name)
    return _for_mean(numbers, float(preference.error), float(preference.expected_count), confidence, noise)


def _before_rounding(number: NoisyNumber, error: float) -> float:
    """How far noise may go: a count is rounded, which takes what lies half a person off or more a whole one off."""
    return min(error, math.floor(error) + 0.5 - float(number.step)) if number.kind.counts else error


def _for_reach(number: NoisyNumber, error: float, noise: Noise, measurement: Measurement) -> float:
    """The least epsilon at which truncated noise never goes further than the error; it always goes beyond D."""
    if noise.mechanism != NoiseLaw.TRUNCATED:
        return math.inf
    delta = delta_of_each(noise.delta or 0.0, len(measurement.numbers))
    between = epsilon_of_reach(error, delta, float(number.sensitivity))
    if between is None:
        return math.inf
    high = max(_LEAST, between) / float(number.share)  # on a lattice it takes a little more
    low = high / 2
    while furthest_of(number, measurement, noise, high) > error:
        low, high = high, 2 * high
        if high > _MOST:
            return math.inf
    return largest(lambda epsilon: furthest_of(number, measurement, noise, epsilon) > error, low, high)


def _for_number(number: NoisyNumber, error: float, confidence: float, noise: Noise) -> float:
    if confidence == 1:
        return math.inf
    if noise.mechanism == NoiseLaw.GAUSSIAN:
        return epsilon_of_mu(_mu(number, error, confidence), noise)
    steps = math.floor(Fraction(error) / number.step)
    return epsilon_for_error_on_lattice(steps, confidence, number.steps) / float(number.share)


def _for_mean(numbers: list[NoisyNumber], error: float, count: float, confidence: float, noise: Noise) -> float:
    """A centred sum and its count, of at least `count` people.

    Off by e and f they make the mean `|e - m f| / (n + f)` off, at most A unless `e - (m + A) f` or `(m - A) f - e` is
    above `A n`: two one-sided events, of noises no wider than e and `(H + A) f`, H being half the width of the bounds.
    On a lattice noise goes a step further: both stay within `A n - s_e - (H + A) s_f`.
    """
    total, people = numbers
    weight = error + (0.0 if total.bounds is None else float(total.bounds.half_width))
    room = error * count - float(total.step) - weight * float(people.step)
    if room <= 0:
        return math.inf
    if noise.mechanism == NoiseLaw.GAUSSIAN:
        wide = [float(number.euclidean) / math.sqrt(number.share) for number in numbers]
        return epsilon_of_mu(joint_quantile(NoiseLaw.GAUSSIAN, wide[0], weight * wide[1], 1 - confidence) / room, noise)
    wide = [float(number.sensitivity / number.share) for number in numbers]
    return joint_quantile(NoiseLaw.LAPLACE, wide[0], weight * wide[1], 1 - confidence) / room


def _for_computed(
    column: Assembly, preference: Within, confidence: float, noise: Noise, measurement: Measurement
) -> float:
    """The epsilon at which all numbers of a weighted sum, or of a share of a count, are within their own reach at once.

    That holds also once counts are rounded and kept from falling below 0, which takes none further from the truth.
    """
    total, share = computed_sum(column, measurement), computed_share(column, measurement)
    if total is None and share is None:
        raise PreferenceError.because("error-of-computed-unknown", column=column.name)
    if total is None and confidence == 1:
        raise PreferenceError.because("mean-error-without-end", column=column.name)
    if total is None and preference.expected_count is None:
        raise PreferenceError.because("expected-count-missing", column=column.name)
    error, law = float(preference.error), NoiseLaw(noise.mechanism)
    numbers = measurement.behind(column)
    miss = 1 - each_confidence(confidence, len(numbers))

    def is_further(epsilon: float) -> bool:
        far = {i: _off(measurement.numbers[i], law, miss, epsilon, noise, measurement) for i in numbers}
        if total is not None:
            return _weighted(total, far) > error
        assert share is not None
        least = float(preference.expected_count or 0) - _weighted(share.ratio.bottom, far)
        steepest = max(map(abs, share.limits))
        off = _weighted(share.ratio.top, far) + steepest * _weighted(share.ratio.bottom, far)
        return least <= 0 or off / least > error

    return math.inf if is_further(_MOST) else largest(is_further, 0.0, _MOST)


def _off(
    number: NoisyNumber, law: NoiseLaw, miss: float, epsilon: float, noise: Noise, measurement: Measurement
) -> float:
    """How far a number is from the true one, printed, but for a share `miss` of the time."""
    furthest = furthest_of(number, measurement, noise, epsilon) if epsilon else math.inf
    scale = scale_of(number, noise, epsilon) if epsilon else None
    far = math.inf if scale is None else furthest if miss <= 0 else reach(law, scale, miss, furthest)
    return far + float(number.step) + 0.5 * number.kind.counts


def _weighted(total: WeightedSum, far: Mapping[int, float]) -> float:
    return math.fsum(abs(float(weight)) * far[i] for i, weight in total.weights)


def _mu(number: NoisyNumber, error: float, confidence: float) -> float:
    """How much of the noise's mu keeps one number within its error."""
    return float(number.euclidean) / math.sqrt(number.share) / sigma_for_error(error, confidence)


def _confidence(value: object) -> Fraction:
    return number_where("confidence", value, "confidence-out-of-range", lambda n: 0 < n <= 1)


def checked_count(value: object) -> Fraction | None:
    """How many people are publicly expected, at least one; None where that is not stated."""
    if value is None:
        return None
    return number_where("expected count", value, "expected-count-below-one", lambda n: n >= 1)


def _how_often(confidence: Fraction, each: bool) -> str:
    percent = f"{float(100 * confidence):g}"
    percent = percent if confidence == 1 or percent != "100" else f"{float(100 * confidence):.15g}"  # never 100
    return f" with {percent}% probability{', for each figure separately' if each else ''}"
