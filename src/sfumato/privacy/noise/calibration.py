"""From an epsilon to how wide the noise of each number is, and how many persons a private group must have."""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.errors import NoMechanism, PreferenceError
from sfumato.model.calibration import Calibration, Drawing, NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement, NoisyNumber, NumberKind
from sfumato.privacy.noise.gaussian import FINEST, mu_analytic, mu_classic, mu_on_lattice
from sfumato.privacy.noise.rank_selection import rank_90
from sfumato.privacy.noise.truncated_laplace import (
    FLATTEST,
    FURTHEST,
    delta_of_each,
    mass_within,
    mean_share,
    steps_of_reach,
)


def calibrate(measurement: Measurement, noise: Noise, epsilon: float, epsilon_max: float) -> Calibration:
    """What will be drawn so that all of it together is (epsilon, delta)-dp: epsilon for the whole query.

    The lattice of Gaussian noise is fine enough for the largest epsilon there could be: it must not tell which it was.
    """
    if noise.mechanism == NoiseLaw.GAUSSIAN:
        mu, largest = _mu_to_draw(measurement, noise, epsilon), mu_analytic(epsilon_max, _delta(noise))
        return Calibration(noise, epsilon, tuple(_gaussian(number, mu, largest) for number in measurement.numbers))
    if noise.mechanism == NoiseLaw.TRUNCATED:
        added_numbers(measurement, noise)
        truncated = tuple(_truncated(number, measurement, noise, epsilon) for number in measurement.numbers)
        return Calibration(noise, epsilon, truncated)
    drawings = tuple(_pure(number, epsilon) for number in measurement.numbers)
    return Calibration(noise, epsilon, drawings, threshold(measurement, noise, epsilon))


def added_numbers(measurement: Measurement, noise: Noise) -> int:
    """How many numbers carry Gaussian or truncated noise, all of them; refused where one of them cannot."""
    for number in measurement.numbers:
        if number.kind is NumberKind.SELECTION:
            raise NoMechanism.because("rank-without-noise", number=number.words, mechanism=noise.mechanism)
    if measurement.k is None:
        raise NoMechanism.because("private-keys-need-laplace")
    return measurement.k


def scale_of(number: NoisyNumber, noise: Noise, epsilon: float) -> float | None:
    """How wide the noise of a number is: b = D / (w eps), or sigma = D / (sqrt(w) mu); nothing where it is selected."""
    if number.kind is NumberKind.SELECTION:
        return None
    if noise.mechanism == NoiseLaw.GAUSSIAN:
        return float(number.euclidean) / math.sqrt(number.share) / mu_of(epsilon, noise)
    return number.scale(epsilon)


def furthest_of(number: NoisyNumber, measurement: Measurement, noise: Noise, epsilon: float) -> float:
    """How far the noise of a number goes at most; infinite unless it is truncated."""
    if noise.mechanism != NoiseLaw.TRUNCATED:
        return math.inf
    return float(steps_of_reach(number.part(epsilon), _each(measurement, noise), number.steps) * number.step)


def mean_of(measurement: Measurement, noise: Noise, epsilon: float) -> float:
    """The mean of the noise over that of Laplace noise of its scale, of the number that has least of it."""
    if noise.mechanism != NoiseLaw.TRUNCATED:
        return 1.0
    delta = delta_of_each(_delta(noise), len(measurement.numbers))
    return min(mean_share(number.part(epsilon), delta) for number in measurement.numbers)


def mu_of(epsilon: float, noise: Noise) -> float:
    """What an epsilon is worth as the sensitivity over sigma."""
    return (mu_classic if noise.calibration == "classic" else mu_analytic)(epsilon, _delta(noise))


def threshold(measurement: Measurement, noise: Noise, epsilon: float) -> Fraction | None:
    """How many noisy persons a group of private keys must have to be released (docs/theory/keys.md).

    A group of one person is released with probability `P(1 + X >= T) <= p`; someone has at most c such groups, and
    with `p = 1 - (1 - delta)^(1/c)` any of them is with at most delta. X is Laplace noise on the lattice of the count,
    `P(X >= k steps) = r^k / (1 + r)` with `r = e^(-1/b)`. Replacing someone is two steps of adding and removing at
    half of epsilon each, and costs `(1 + e^(eps/2))` times the delta of one.
    """
    position = measurement.thresholded
    if position is None:
        return None
    persons = measurement.numbers[position]
    most = int(persons.sensitivity / measurement.steps)
    twice = 0.0 if measurement.steps == 1 else epsilon / 2 + math.log1p(math.exp(-epsilon / 2))
    one = _log_of_each(math.log(_delta(noise)) - twice, most)
    steps = persons.steps / persons.part(epsilon)
    beyond = -steps * (math.log1p(math.exp(-1 / steps)) + one)
    return 1 + (max(1, math.ceil(beyond)) + 1) * persons.step


def _log_of_each(log_delta: float, most: int) -> float:
    """ln p of `p = 1 - (1 - delta)^(1/c)`; where floats end, of `delta / c`, which is less."""
    if log_delta < -600:
        return log_delta - math.log(most)
    return math.log(-math.expm1(math.log1p(-math.exp(log_delta)) / most))


def _pure(number: NoisyNumber, epsilon: float) -> Drawing:
    part = number.part(epsilon)
    if number.kind is NumberKind.SELECTION:
        return Drawing(NoiseLaw.EXPONENTIAL, part, number.apart, rank_90=rank_90(number, part))
    return Drawing(NoiseLaw.LAPLACE, part, number.step, number.scale(epsilon))


def _gaussian(number: NoisyNumber, mu: float, largest: float) -> Drawing:
    root = math.sqrt(number.share)
    steps = number.euclidean / number.step
    part, finer = mu * root, max(0, math.ceil(math.log2(FINEST * max(mu, largest) * root / float(steps))))
    return Drawing(NoiseLaw.GAUSSIAN, part, number.step / 2**finer, float(number.euclidean) / part)


def _each(measurement: Measurement, noise: Noise) -> float:
    """Delta is shared by the numbers, not by their cells: a person who moves one cell as far as possible shows most
    often."""
    return delta_of_each(_delta(noise), len(measurement.numbers))


def _truncated(number: NoisyNumber, measurement: Measurement, noise: Noise, epsilon: float) -> Drawing:
    part, delta = number.part(epsilon), _each(measurement, noise)
    reach = steps_of_reach(part, delta, number.steps)
    if reach > FURTHEST or mass_within(part, delta) < FLATTEST:
        beside = "grid" if reach > FURTHEST else "delta"
        raise NoMechanism.because("epsilon-too-small-for-truncated", beside=beside)
    return Drawing(NoiseLaw.TRUNCATED, part, number.step, number.scale(epsilon), reach=reach)


def _mu_to_draw(measurement: Measurement, noise: Noise, epsilon: float) -> float:
    delta = _delta(noise)
    sound = mu_on_lattice(epsilon, delta, added_numbers(measurement, noise))
    if noise.calibration != "classic":
        return sound
    classic = mu_classic(epsilon, delta)
    if classic > sound:
        raise NoMechanism.because("classic-noise-too-narrow")
    return classic


def _delta(noise: Noise) -> float:
    if noise.delta is None:
        raise PreferenceError.because("delta-missing", mechanism=noise.mechanism)
    return noise.delta
