"""Shoaran, Thomo & Weber, "Differential Privacy in Practice": Examples 1 to 3, Figures 1 and 2."""

from __future__ import annotations

from sfumato.presentation.figures.curves import mta_curves, noise_curves
from sfumato.presentation.figures.figure import Figure
from sfumato.privacy.noise.error import minimum_true_answer, noise_quantile, relative_error
from sfumato.privacy.preferences.budget_split import alpha, best_index, minimum_true_answers, scales
from sfumato.reproduce.data import Study
from sfumato.reproduce.finding import Reproduction, Value, beside, with_place

PAPER = "Differential Privacy in Practice"
EPSILON, MISS, ERROR = 0.01, 0.1, 0.1
ANSWERS, INDEX = (3000.0, 30_000.0), (1.0, 10.0)
ROUNDED = "the print rounds the noise to 230 before it goes on"


def examples(_study: Study) -> Reproduction:
    """How large an answer must be for its noise not to matter, alone and beside another."""
    values = (*_example_1(), *_example_2(), *_example_3(), *_beyond())
    notes = ("An index that is read off the true answers tells about them: give public guesses instead.",)
    return Reproduction(
        "diff", "Examples 1 to 3, Figures 1 and 2", PAPER, values, (_figure_1(), _figure_2()), notes=notes
    )


def _example_1() -> list[Value]:
    quantiles = [noise_quantile(1, EPSILON, miss) for miss in (0.5, 0.3, 0.1)]
    return [
        beside("section 3: noise that 50, 30 and 10% are above, at epsilon 0.01", "69 120 230", quantiles),
        beside("Example 1: minimum true answer", "2300", minimum_true_answer(1, EPSILON, MISS, ERROR), rounded=ROUNDED),
    ]


def _example_2() -> list[Value]:
    noise = noise_quantile(2, EPSILON, MISS)
    errors = [relative_error(noise, answer) for answer in ANSWERS]
    return [
        beside("Example 2: noise that 10% are above", "460", noise, rounded="460.52, rounded down"),
        beside("Example 2: minimum true answer", "4600", minimum_true_answer(2, EPSILON, MISS, ERROR), rounded=ROUNDED),
        beside("Example 2: relative errors", "0.15 0.015", errors),
    ]


def _example_3() -> list[Value]:
    each = scales((1, 1), INDEX, EPSILON)
    least = minimum_true_answers(each, (ERROR, ERROR), MISS)
    return [
        beside("Example 3: alpha", "110", alpha((1, 1), INDEX, EPSILON)),
        beside("Example 3: noise scales", "110 1100", each),
        beside("Example 3: minimum true answers", "2533 25328", least),
        beside("Example 3: noise that 10% are above", "253.3 2532.8", [noise_quantile(lam, 1, MISS) for lam in each]),
    ]


def _beyond() -> list[Value]:
    """Which index is best for public guesses of the answers (docs/theory/split.md)."""
    values = []
    for aim, measure in (("largest", "largest error"), ("sum", "sum of errors"), ("squares", "sum of squares")):
        index = best_index((1, 1), ANSWERS, aim)
        errors = [relative_error(lam, q) for lam, q in zip(scales((1, 1), index, EPSILON), ANSWERS, strict=True)]
        values.append(beside(f"scale over answer, by the index for the least {measure}", "", errors, digits=4))
    return values


def _figure_1() -> Figure:
    shares = [i / 100 for i in range(2, 101)]
    curves = {
        f"epsilon {epsilon:g}": [(share, noise_quantile(1, epsilon, share)) for share in shares]
        for epsilon in (0.01, 0.05, 0.1)
    }
    return with_place("Figure 1", noise_curves(curves, "Of sensitivity 1."))


def _figure_2() -> Figure:
    epsilons = [0.01 * i for i in range(1, 101)]
    curves = {
        f"{1 - miss:.0%} of the time": [(e, minimum_true_answer(1, e, miss, ERROR)) for e in epsilons]
        for miss in (0.5, 0.3, 0.1)
    }
    return with_place("Figure 2", mta_curves(curves, "For a relative error of 10%."))
