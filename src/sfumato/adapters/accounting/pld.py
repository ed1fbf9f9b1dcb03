"""Tight accounting with dp-accounting: the privacy losses of all the pairs, discretised upwards and composed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

from sfumato.errors import BadInput
from sfumato.model.dominating_pairs import Normal, OnLattice, Pair, Pure

FINE = 1024  # steps of the discretisation, for each pair, to the sum of what the pairs may lose
FFT_ERROR = 1e-11  # taken off delta for each pair: more than floats lose in one convolution
_UP = 1 + 2**-40


def epsilon_at(pairs: Sequence[Pair], delta: float) -> float:
    """An epsilon at which all the pairs together are (epsilon, delta)-dp, never below the least; or infinity."""
    left = delta - FFT_ERROR * len(pairs)
    if left <= 0:
        return math.inf
    library, width = _library(), sum(pair.loss for pair in pairs) / (FINE * max(8, len(pairs)))
    each = (_power(_distribution(pair, width, library), times) for pair, times in Counter(pairs).items())
    return float(_product(each).get_epsilon_for_delta(left)) * _UP


def _library() -> Any:
    try:
        from dp_accounting.pld import common, privacy_loss_distribution
    except ImportError:
        raise BadInput.because("dp-accounting-missing") from None
    return privacy_loss_distribution, common


def _distribution(pair: Pair, width: float, library: Any) -> Any:
    """How much is lost how likely, each loss rounded up to a multiple of the width."""
    plds, common = library
    up = {"pessimistic_estimate": True, "value_discretization_interval": width, "use_connect_dots": False}
    match pair:
        case Pure(epsilon):
            return plds.from_privacy_parameters(common.DifferentialPrivacyParameters(epsilon, 0.0), width)
        case OnLattice(parameter, steps):
            return plds.from_discrete_laplace_mechanism(parameter, steps, **up)
        case Normal(mu):
            return plds.from_gaussian_mechanism(1 / mu, **up)


def _power(distribution: Any, times: int) -> Any:
    """Composed with itself, by squaring."""
    powers: list[Any] = [distribution]
    while 2 ** len(powers) <= times:
        powers.append(powers[-1].compose(powers[-1]))
    return _product(power for place, power in enumerate(powers) if times >> place & 1)


def _product(distributions: Iterable[Any]) -> Any:
    return reduce(lambda one, other: one.compose(other), distributions)
