"""What the charges of a dataset add up to: as epsilon, as epsilon and delta, and as zero-concentrated privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from sfumato.errors import PreferenceError
from sfumato.ledger.entry import NANO, Draft, Entry, nano, upward
from sfumato.model.guarantee import Guarantee, weakest
from sfumato.privacy.accounting.zcdp import epsilon_of_zcdp


class By(StrEnum):
    """Which of the sums says the least."""

    SUMS = "sums"  # of epsilons and of deltas
    ZCDP = "zcdp"  # of rhos


@dataclass(frozen=True)
class AtDelta:
    """The smallest epsilon that everything released has at a delta, and by which sum; infinite by none of them."""

    delta: Fraction
    epsilon: float = math.inf
    by: By | None = None


@dataclass(frozen=True)
class Total:
    """What everything released so far adds up to; `nano_epsilon` and `exact_delta` count what was charged."""

    nano_epsilon: int = 0
    guarantee: Guarantee = Guarantee.DP
    releases: int = 0
    exact_delta: Fraction = Fraction(0)
    protected: frozenset[str] = frozenset()  # whom the releases protect: unit and relation
    exact_rho: Fraction | None = Fraction(0)  # None: one of them has none that may be told, or none at all
    rho_delta: Fraction = Fraction(0)  # the chance of what rho does not cover, such as thresholds of private keys
    nano_at_most: int = 0  # what would have been charged at most, whatever epsilons had been selected privately

    def and_then(self, reserved: Entry) -> Total:
        """The total with one more charge."""
        return self.plus(charged_total(reserved.draft))

    def plus(self, other: Total) -> Total:
        """Both together: epsilons, deltas and rhos add, words only get weaker."""
        return Total(
            self.nano_epsilon + other.nano_epsilon,
            weakest((self.guarantee, other.guarantee)),
            self.releases + other.releases,
            self.exact_delta + other.exact_delta,
            self.protected | other.protected,
            None if self.exact_rho is None or other.exact_rho is None else self.exact_rho + other.exact_rho,
            self.rho_delta + other.rho_delta,
            self.nano_at_most + other.nano_at_most,
        )

    def without_guarantee(self) -> Total:
        """The total after something that was decided by looking, and drew nothing."""
        return replace(self, guarantee=Guarantee.NONE)

    @property
    def exists(self) -> bool:
        """Not after a release without a guarantee; and what protects different units does not add up.

        See docs/theory/odometer.md.
        """
        return self.guarantee.holds and len(self.protected) <= 1

    @property
    def epsilon(self) -> float | None:
        """The total, while there is one."""
        return self.nano_epsilon / NANO if self.exists else None

    @property
    def delta(self) -> float | None:
        """The same of the deltas, rounded up."""
        return upward(self.exact_delta) if self.exists else None

    @property
    def rho(self) -> float | None:
        """The same of the rhos, rounded up; they hold for a plan or a limit (docs/theory/odometer.md)."""
        return upward(self.exact_rho) if self.exists and self.exact_rho is not None else None

    @property
    def at_most(self) -> float | None:
        """What epsilon could have come to, whatever had been selected privately."""
        return self.nano_at_most / NANO if self.exists else None

    def at(self, delta: object) -> AtDelta:
        """The smallest epsilon of all that at this delta: by the sums of epsilon and delta, or by that of rho."""
        wanted = _delta(delta)
        bounds: list[AtDelta] = [AtDelta(wanted)]
        if self.epsilon is not None and self.exact_delta <= wanted:
            bounds.append(AtDelta(wanted, self.epsilon, By.SUMS))
        if self.rho is not None and self.rho_delta <= wanted:
            left = float((wanted - self.rho_delta) * (1 - Fraction(1, 2**50)))  # rounded down, however it is rounded
            bounds.append(AtDelta(wanted, epsilon_of_zcdp(self.rho, left), By.ZCDP))
        return min(bounds, key=lambda at: at.epsilon)


def charged_total(draft: Draft) -> Total:
    """What one charge comes to by itself."""
    return Total(
        draft.nano_epsilon,
        Guarantee(str(draft.public["guarantee"])),
        1,
        Fraction(draft.delta),
        frozenset({str(draft.public["protected"])}),
        _rho(draft),
        Fraction(str(draft.public.get("rho_delta", draft.delta))),
        max(draft.nano_epsilon, nano(draft.public.get("at_most", 0))),  # type: ignore[arg-type]
    )


def _rho(draft: Draft) -> Fraction | None:
    """As it was entered; without a guarantee there is none."""
    holds, rho = Guarantee(str(draft.public["guarantee"])).holds, draft.public.get("rho")
    return Fraction(str(rho)) if holds and rho is not None else None


def _delta(delta: object) -> Fraction:
    if isinstance(delta, int | float | Fraction) and not isinstance(delta, bool) and 0 <= delta < 1:
        return Fraction(str(delta))
    raise PreferenceError.because("delta-of-total", stated=repr(delta))
