"""What Gaussian noise of some width is worth as an epsilon, by the calibration that is stated."""

from __future__ import annotations

import math

from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.privacy.noise.gaussian import epsilon_analytic, epsilon_classic


def epsilon_of_mu(mu: float, noise: Noise) -> float:
    """The epsilon at which noise has this mu, sensitivity over sigma."""
    if noise.delta is None:
        raise PreferenceError.because("delta-missing", mechanism="gaussian")
    if math.isinf(mu):
        return math.inf
    calibrated = epsilon_classic if noise.calibration == "classic" else epsilon_analytic
    return calibrated(mu, noise.delta)
