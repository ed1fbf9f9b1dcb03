"""The bits of what is released tell nothing: both neighbours reach the same floats, each low bit as often."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice

import pytest

from sfumato.model.choice import Noise
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release import answer as assemble
from sfumato.release.noise import Noisy
from tests.depth import depth
from tests.statistical.audit import RATE, question
from tests.statistical.bulk import draw_answers

pytestmark = pytest.mark.statistical

EPSILON = 0.01  # so little that what the neighbours may differ by, a quarter of a percent, is not seen
SEED = 20240229  # of the noise that is made here; that of a release has none
PLACES = 12  # low bits
GROUPS = 400  # in one release, each with noise of its own
AWKWARD = {"type": "number", "bounds": [-0.1, 0.7]}
OTHERS, PERSON = (0.1, 1 / 3, 1e-17, -0.0, 0.7), 0.3
FIGURES = ["COUNT(*)", "COUNT(value)", "SUM(value)", "AVG(value)", "VAR_POP(value)", "STDDEV(value)"]

Side = Sequence[float]


def told_apart(one: Side, other: Side, step: Fraction | None) -> str:
    """What in the bits of their numbers tells two neighbours apart, by chance once in 1 / RATE; "" if nothing does.

    With a step every number must be the float nearest to a whole multiple of it. A frequency is further from its
    probability than `sqrt(ln(2 / rate) / 2 n)` at a rate (Hoeffding): each of two sides of each bit has its share.
    """
    patterns = {"mantissa": [[_mantissa(x) for x in side] for side in (one, other)]}
    if step is not None:
        patterns["steps"] = [[round(Fraction(x) / step) for x in side] for side in (one, other)]
        for side, steps in zip((one, other), patterns["steps"], strict=True):
            if any(float(step * k) != x for x, k in zip(side, steps, strict=True)):
                return f"a number is no whole multiple of {float(step):g}"
    checks = 2 * PLACES * len(patterns)
    allowed = sum(math.sqrt(math.log(2 * checks / RATE) / (2 * len(side))) for side in (one, other))
    for name, sides in patterns.items():
        for place in range(PLACES):
            often = [sum(bits >> place & 1 for bits in side) / len(side) for side in sides]
            if abs(often[0] - often[1]) > allowed:
                return f"bit {place} of the {name} is set {often[0]:.3f} and {often[1]:.3f} of the time"
    return ""


def _mantissa(x: float) -> int:
    return int(abs(math.frexp(x)[0]) * 2**53)


@pytest.mark.depth("audit runs")
@pytest.mark.parametrize("figure", FIGURES)
def test_no_bit_of_a_release_tells_two_neighbours_apart(figure: str) -> None:
    numbers: list[list[tuple[float, ...]]] = []
    figures: list[list[float]] = []
    steps: list[Fraction] = []
    sql = f"SELECT place, {figure} FROM people GROUP BY place"
    for people in (OTHERS, (*OTHERS, PERSON)):
        asked = question(sql, AWKWARD, {f"place {i}": people for i in range(GROUPS)})
        runs = math.ceil(4 * depth("audit runs") / GROUPS)
        answers = list(islice(draw_answers(asked, asked.choose(stated_epsilon(EPSILON))), runs))
        numbers.append([cell for answer in answers for cell in answer.numbers])
        figures.append([float(str(row[1])) for answer in answers for row in answer.rows])
        steps = [n.step for n in asked.measurement.numbers]
        calibration = calibrate(asked.measurement, Noise(), EPSILON, EPSILON)
        released = answers[0]
        drawn = [tuple(round(Fraction(x) / s) * s for x, s in zip(c, steps, strict=True)) for c in released.numbers]
        made = assemble.answer(asked.measurement, Noisy(asked.measurement.public_cells, tuple(drawn)), calibration)
        assert made == released, "an answer is made of what was drawn, and of nothing else"
    for j, step in enumerate(steps):
        one, other = ([cell[j] for cell in side] for side in numbers)
        assert not (told := told_apart(one, other, step)), told
    assert not (told := told_apart(figures[0], figures[1], None)), told


# The test itself, on noise that was made here

STEP = Fraction(1, 1024)


def laplace(coins: random.Random) -> float:
    return coins.expovariate(EPSILON) - coins.expovariate(EPSILON)


def on_lattice(x: float) -> float:
    return float(STEP * round(x / STEP))


@pytest.mark.parametrize(
    ("noisy", "told"),
    [
        (lambda value, coins: on_lattice(on_lattice(value) + laplace(coins)), ""),
        (lambda value, coins: on_lattice(value + laplace(coins)), ""),  # what is rounded afterwards, as a whole
        (lambda value, coins: value + laplace(coins), "a number is no whole multiple of 0.000976562"),
        (lambda value, coins: value + on_lattice(laplace(coins)), "a number is no whole multiple of 0.000976562"),
        (lambda value, coins: on_lattice(value) + 2 * on_lattice(laplace(coins)), "bit 0 of the steps is set "),
    ],
    ids=["value and noise on the grid", "rounded afterwards", "noise in floats", "a value off the grid", "even noise"],
)
def test_noise_that_tells_by_its_bits_is_seen(noisy: object, told: str) -> None:
    assert callable(noisy)
    coins, runs = random.Random(SEED), 4 * depth("audit runs")
    sides = [[noisy(sum(people), coins) for _ in range(runs)] for people in (OTHERS, (*OTHERS, PERSON))]
    assert told_apart(sides[0], sides[1], STEP).startswith(told)
    assert bool(told) == bool(told_apart(sides[0], sides[1], STEP))


def test_a_value_off_the_grid_shows_in_the_low_bits_too() -> None:
    """To whoever does not know the step, too."""
    coins, runs = random.Random(SEED), 4 * depth("audit runs")
    half = float(STEP / 2)
    sides = [[2.0**30 + value + on_lattice(laplace(coins)) for _ in range(runs)] for value in (0.0, half * 2**-10)]
    assert told_apart(sides[0], sides[1], None).startswith("bit ")
