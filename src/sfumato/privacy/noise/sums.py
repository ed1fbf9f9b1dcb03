"""The law of a sum of independent noises, each with a scale of its own (docs/theory/computed.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from functools import lru_cache

from sfumato.model.calibration import NoiseLaw
from sfumato.privacy.bisection import last_below
from sfumato.privacy.noise.intervals import COVERAGE, joint_quantile, joint_tail, reach

MOST_EXACT = 24  # noises whose exact law is computed; of more, a bound
_FEW = 8  # noises of which floats have digits enough, if their scales are a little apart
_APART = 1e-9  # equal scales are taken to differ by this share: the sum gets that much wider
_DIGITS = 10  # decimal digits that each further noise may cancel


def tail_of_sum(law: NoiseLaw, scales: Sequence[float], t: float) -> float:
    """`P(|X_1 + ... + X_k| > t)`; of truncated noise a bound: it is nearer to 0 than the Laplace noise it is cut from.

    With different scales it is `sum_j A_j e^(-t / b_j)`, `A_j = prod_(i != j) b_j^2 / (b_j^2 - b_i^2)`. The terms
    cancel where scales are nearly equal: those are made wider, never narrower. Of more than 8 noises it is a bound.

    >>> round(tail_of_sum(NoiseLaw.LAPLACE, (1, 2, 3), 8.6236), 4)
    0.1
    """
    wide = sorted((float(scale) for scale in scales if scale), reverse=True)
    if not wide:
        return 0.0 if t > 0 else 1.0
    if law in (NoiseLaw.GAUSSIAN, NoiseLaw.COMBINED):
        return joint_tail(law, t, math.hypot(*wide), 0.0)
    if len(wide) < 3:
        return joint_tail(law, t, wide[0], wide[1] if len(wide) > 1 else 0.0)
    return _quick_tail(wide, t) if len(wide) <= _FEW else _bounded_tail(wide, t)


def reach_of_sum(
    law: NoiseLaw, scales: Sequence[float], miss: float = 1 - COVERAGE, furthest: Sequence[float] = ()
) -> float:
    """How far a sum of noises goes but for a share `miss` of the time; truncated noises no further than all together.

    >>> [round(reach_of_sum(NoiseLaw.LAPLACE, scales), 4) for scales in ((1, 1), (1, 2), (1, 1, 1), (1, 2, 3))]
    [3.2718, 5.1419, 4.0104, 8.6236]
    """
    wide = tuple(sorted((float(scale) for scale in scales if scale), reverse=True))
    most = math.fsum(furthest) if furthest else math.inf
    if len(wide) == 1:
        return reach(law, wide[0], miss, most)
    return min(most, _reach(law, wide, miss)) if wide else 0.0


@lru_cache(maxsize=4096)
def _reach(law: NoiseLaw, wide: tuple[float, ...], miss: float) -> float:
    if law in (NoiseLaw.GAUSSIAN, NoiseLaw.COMBINED):
        return reach(law, math.hypot(*wide), miss)
    if len(wide) == 2:
        return joint_quantile(law, wide[0], wide[1], miss)
    most = sum(wide) * math.log(len(wide) / miss)  # one of them would have to go further than its part of this
    return last_below(lambda t: -_exact_tail(wide, t), -miss, 0.0, most)


def _quick_tail(wide: Sequence[float], t: float) -> float:
    """In floats: scales so far apart that what cancels leaves seven digits, 0.002% for three and 3% for eight."""
    scales, apart = [wide[-1]], 1 + _APART ** (1 / (len(wide) - 1)) / 2
    for scale in reversed(wide[:-1]):
        scales.append(max(scale, scales[-1] * apart))
    total = 0.0
    for j, own in enumerate(scales):
        weight = 1.0
        for i, other in enumerate(scales):
            if i != j:
                weight /= 1 - (other / own) ** 2
        total += weight * math.exp(-t / own)
    return min(1.0, max(0.0, total))


def _exact_tail(wide: tuple[float, ...], t: float) -> float:
    if len(wide) > MOST_EXACT:
        return _bounded_tail(wide, t)
    with localcontext(_context(len(wide))):
        terms = (weight * (-Decimal(t) / scale).exp() for weight, scale in _weights(wide))
        return min(1.0, max(0.0, float(sum(terms, Decimal(0)))))


@lru_cache(maxsize=256)
def _weights(wide: tuple[float, ...]) -> tuple[tuple[Decimal, Decimal], ...]:
    """`A_j` and `b_j`, of scales that are all different."""
    with localcontext(_context(len(wide))):
        scales = [Decimal(wide[-1])]
        for scale in reversed(wide[:-1]):
            scales.append(max(Decimal(scale), scales[-1] * (1 + Decimal(_APART))))
        weights = []
        for j, own in enumerate(scales):
            weight = Decimal(1)
            for i, other in enumerate(scales):
                if i != j:
                    weight /= 1 - (other / own) ** 2
            weights.append((weight, own))
        return tuple(weights)


def _context(numbers: int) -> Context:
    return Context(prec=20 + _DIGITS * numbers)


def _bounded_tail(wide: Sequence[float], t: float) -> float:
    """Chernoff's bound `2 e^(-s t) prod_j 1 / (1 - (s b_j)^2)`, at the best of a few s below `1 / b_1`."""
    bounds = []
    for i in range(1, 64):
        s = i / 64 / wide[0]
        bounds.append(2 * math.exp(-s * t - math.fsum(math.log1p(-((s * b) ** 2)) for b in wide)))
    return min(1.0, *bounds)
