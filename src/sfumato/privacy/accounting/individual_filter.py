"""What a charge within a budget per person costs each person, in whole units (docs/theory/filter.md).

A unit is 10^-12 of epsilon or, under a budget with a delta, of rho. Totals and limits are whole numbers, so that the
same people are found to be within a budget whenever their totals are computed again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from sfumato.model.choice import Noise
from sfumato.model.person_budget import PersonBudget
from sfumato.privacy.accounting.individual import rho_of_loss
from sfumato.privacy.accounting.zcdp import PICO, epsilon_of_zcdp, ledger_rho, rho_gaussian, rho_pure
from sfumato.privacy.bisection import largest
from sfumato.privacy.noise.calibration import mu_of

_UP = 1 + 2.0**-40  # more than what floats lose


@dataclass(frozen=True)
class PersonCost:
    """What a charge costs who leaves: of the largest exposure possible `most` units, of a smaller one less.

    Pure noise costs a share of `most` as large as the exposure, Gaussian noise one as large as its square. Under a
    limit on rho, Laplace noise with this `loss` costs someone with the exposure `u` no more than
    `(loss u)^2 / 2` either.
    """

    most: int
    squared: bool = False  # the share is of the exposure's square
    loss: float | None = None  # epsilon, for Laplace noise under a limit on rho

    def as_public(self) -> dict[str, object]:
        return {"most": self.most, "squared": self.squared, "loss": self.loss}


def cost_of(budget: PersonBudget, noise: Noise, epsilon: float, steps: int) -> PersonCost:
    """The cost of sums with this noise. Who is replaced leaves and is followed by another: two `steps`.

    >>> from sfumato.model.person_budget import person_budget
    >>> cost_of(person_budget(1), Noise(), 0.6, steps=1).most
    600000000000
    """
    if not budget.delta:
        return PersonCost(math.ceil(Fraction(str(epsilon)) / steps * PICO))
    if noise.mechanism == "gaussian":
        return PersonCost(math.ceil(rho_gaussian(mu_of(epsilon, noise) / steps) * PICO), squared=True)
    return PersonCost(math.ceil(rho_of_loss(epsilon / steps, epsilon) * PICO), loss=epsilon)


def limit_of(budget: PersonBudget, steps: int) -> int:
    """The most units that one person may lose, rounded down."""
    if not budget.delta:
        return math.floor(budget.epsilon / steps * PICO)
    return math.floor(Fraction(rho_limit(float(budget.epsilon), float(budget.delta))) / steps**2 * PICO)


def rho_limit(epsilon: float, delta: float) -> float:
    """The largest rho whose epsilon at this delta is no more than this.

    >>> round(epsilon_of_zcdp(rho_limit(1.0, 1e-6), 1e-6), 9)
    1.0
    """
    return largest(lambda rho: epsilon_of_zcdp(rho, delta) <= epsilon, 0.0, max(1.0, epsilon)) / _UP


def rho_of_budget(budget: PersonBudget) -> Fraction:
    """What the whole budget per person is worth as rho, for the ledger."""
    epsilon = float(budget.epsilon)
    return ledger_rho(rho_limit(epsilon, float(budget.delta)) if budget.delta else rho_pure(epsilon))
