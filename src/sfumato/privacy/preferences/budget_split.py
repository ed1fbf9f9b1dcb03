"""DIFF: one epsilon for several queries, split so that their noise scales are as an index says (DIFF 6).

Everything here is a function of public facts. D are sensitivities, g the index, one of each a query; Q are public
guesses of the answers. The papers' pr is `miss`: how often an error may be larger.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from sfumato.errors import PreferenceError
from sfumato.privacy.noise.error import epsilon_for_relative_error, minimum_true_answer

Number = float | Fraction
BILLION = 10**9  # a ledger counts whole billionths


def alpha(sensitivities: Sequence[Number], index: Sequence[float], epsilon: float) -> float:
    """`alpha = (1 / eps) sum D_i / g_i`: the noise scale at index 1 (equation 8).

    >>> alpha([1, 1], [1, 4], 0.5)
    2.5
    """
    return float(sum(_weights(sensitivities, index)) / _exact(epsilon))


def scales(sensitivities: Sequence[Number], index: Sequence[float], epsilon: float) -> tuple[float, ...]:
    """`lam_i = alpha g_i`: each query's noise scale (equation 7). The parts `D_i / lam_i` add up to epsilon.

    >>> scales([1, 1], [1, 4], 0.5)
    (2.5, 10.0)
    """
    whole = sum(_weights(sensitivities, index)) / _exact(epsilon)
    return tuple(float(whole * g) for g in _exactly(index))


def parts(sensitivities: Sequence[Number], index: Sequence[float], epsilon: float) -> tuple[float, ...]:
    """`eps_i = D_i / lam_i`: each query's part of epsilon, in whole billionths that add up to epsilon exactly.

    What rounding down leaves goes, a billionth each, to those that lost most by it. Of an epsilon that is no whole
    number of billionths what is beyond the last one is left.

    >>> parts([1, 1], [1, 4], 0.5), parts([1, 1, 1], [1, 1, 1], 0.1)
    ((0.4, 0.1), (0.033333334, 0.033333333, 0.033333333))
    """
    weights = _weights(sensitivities, index)
    billionths = math.floor(_exact(epsilon) * BILLION)
    exact = [billionths * weight / sum(weights) for weight in weights]
    whole = [math.floor(part) for part in exact]
    most_lost = sorted(range(len(exact)), key=lambda i: whole[i] - exact[i])
    for i in most_lost[: billionths - sum(whole)]:
        whole[i] += 1
    return tuple(part / BILLION for part in whole)


def minimum_true_answers(scales: Sequence[float], relative_errors: Sequence[float], miss: float) -> tuple[float, ...]:
    """`MTA_i = -lam_i ln(pr) / re_i` (equation 10).

    >>> [round(least) for least in minimum_true_answers([2.5, 10], [0.1, 0.1], 0.1)]
    [58, 230]
    """
    return tuple(minimum_true_answer(lam, 1.0, miss, re) for lam, re in zip(scales, relative_errors, strict=True))


def meets(
    sensitivities: Sequence[Number],
    index: Sequence[float],
    epsilon: float,
    answers: Sequence[float],
    relative_errors: Sequence[float],
    miss: float,
) -> tuple[bool, ...]:
    """Test (9), query by query: `sum D/g <= -(re_i / g_i) eps q_i / ln(pr)`.

    With public guesses of the answers it is public; with the true answers it is for the controller's eyes.

    >>> meets([1, 1], [1, 4], 0.5, [60, 200], [0.1, 0.1], 0.1)
    (True, False)
    """
    whole = sum(map(float, _weights(sensitivities, index)))
    each = zip(index, answers, relative_errors, strict=True)
    return tuple(whole <= re / g * epsilon * abs(q) / -math.log(miss) for g, q, re in each)


def epsilon_needed(
    sensitivities: Sequence[Number],
    index: Sequence[float],
    answers: Sequence[float],
    relative_errors: Sequence[float],
    miss: float,
) -> float:
    """The least epsilon at which (9) holds for every query: `max_i -g_i (sum D/g) ln(pr) / (re_i q_i)`.

    See docs/theory/split.md.

    >>> round(epsilon_needed([1, 1], [1, 4], [60, 200], [0.1, 0.1], 0.1), 3)
    0.576
    """
    at_one = scales(sensitivities, index, 1.0)
    each = zip(at_one, answers, relative_errors, strict=True)
    return max(epsilon_for_relative_error(re, abs(q), miss, lam) for lam, q, re in each)


def best_index(sensitivities: Sequence[Number], guesses: Sequence[float] | None, aim: str) -> tuple[float, ...]:
    """The index that makes the largest relative error, their sum, or the sum of their squares smallest.

    See docs/theory/split.md.

    `g = Q`, `g = sqrt(D Q)`, `g = (D Q^2)^(1/3)`: with errors `e_i = c lam_i / Q_i` and `sum D_i / lam_i = eps` fixed.

    >>> best_index([1, 1], [100, 10000], "largest"), best_index([1, 1], [100, 10000], "sum")
    ((100.0, 10000.0), (10.0, 100.0))
    """
    if aim not in AIMS:
        raise PreferenceError.because("aim-unknown", aim=str(aim), aims=list(AIMS))
    if guesses is None:
        raise PreferenceError.because("aim-without-guesses", aim=aim)
    each = zip(sensitivities, require_guesses(guesses, len(sensitivities)), strict=True)
    return tuple(AIMS[aim](float(d), abs(q)) for d, q in each)


AIMS: Mapping[str, Callable[[float, float], float]] = {
    "largest": lambda _, q: q,
    "sum": lambda d, q: math.sqrt(d * q),
    "squares": lambda d, q: math.cbrt(d * q * q),
}
"""What of all the relative errors is to be as small as it can be, and the index that makes it so."""


def require_index(index: Sequence[float], queries: int) -> tuple[float, ...]:
    """One number above 0 for each query."""
    numbers = _numbers("index", index, queries)
    if not all(g > 0 for g in numbers):
        raise PreferenceError.because("index-not-positive", number=_bad(numbers))
    return numbers


def require_guesses(guesses: Sequence[float], queries: int) -> tuple[float, ...]:
    """A guess for each query; of an answer of 0 every error is infinitely large."""
    numbers = _numbers("expected answer", guesses, queries)
    if not all(numbers):
        raise PreferenceError.because("guess-of-zero")
    return numbers


def require_errors(relative_error: float | Sequence[float], queries: int) -> tuple[float, ...]:
    """One relative error above 0 for all of the queries, or one for each."""
    errors = relative_error if isinstance(relative_error, Iterable) else [relative_error] * queries
    numbers = _numbers("relative error", errors, queries)
    if not all(re > 0 for re in numbers):
        raise PreferenceError.because("split-relative-error-not-positive", number=_bad(numbers))
    return numbers


def require_confidence(confidence: float) -> float:
    """How often what is shown holds: a probability."""
    [number] = _numbers("confidence", [confidence], 1)
    if not 0 < number < 1:
        raise PreferenceError.because("split-confidence-out-of-range", number=number)
    return number


def _bad(numbers: Sequence[float]) -> float:
    return next(number for number in numbers if not number > 0)


def _numbers(what: str, values: Iterable[float], queries: int) -> tuple[float, ...]:
    try:
        numbers = tuple(math.nan if isinstance(number, bool) else float(number) for number in values)
    except (TypeError, ValueError, OverflowError):
        numbers = (math.nan,)
    if not all(map(math.isfinite, numbers)):
        raise PreferenceError.because("split-numbers-not-finite", what=what)
    if len(numbers) != queries:
        raise PreferenceError.because("split-numbers-not-of-queries", what=what, queries=queries, numbers=len(numbers))
    return numbers


def _weights(sensitivities: Sequence[Number], index: Sequence[float]) -> list[Fraction]:
    """`D_i / g_i`: what the parts of epsilon are proportional to."""
    each = zip(_exactly(sensitivities), _exactly(require_index(index, len(sensitivities))), strict=True)
    return [d / g for d, g in each]


def _exactly(numbers: Sequence[Number]) -> list[Fraction]:
    return [_exact(number) for number in numbers]


def _exact(number: Number) -> Fraction:
    """As it is written: 0.01 is a hundredth."""
    return number if isinstance(number, Fraction) else Fraction(str(float(number)))
