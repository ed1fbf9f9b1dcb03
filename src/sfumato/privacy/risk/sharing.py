"""The risk of sharing an answer with a partner: sensitivity of the data, trust in the partner, chance of a guess.

Pankova et al., "Decision Support for Sharing Data Using Differential Privacy", sections 2.1 and 2.3;
docs/theory/guessing.md.
"""

from __future__ import annotations

from fractions import Fraction

from sfumato.privacy.risk.guessing import chance_for_normalised, normalised_advantage

LEVELS = {"very low": 0.1, "low": 0.3, "medium": 0.5, "high": 0.7, "very high": 0.9}
"""Numbers behind the five words; the paper gives none."""


FACTORS = ("ability", "benevolence", "integrity")
"""What trust in a partner consists of (Mayer, Davis and Schoorman 1995): to keep a secret, towards us, in general."""


def trust_of(ability: Fraction, benevolence: Fraction, integrity: Fraction) -> Fraction:
    """Trust from its three factors: the lowest of them, as a partner who fails in one of them loses the data.

    >>> trust_of(Fraction(9, 10), Fraction(3, 10), Fraction(1, 2))
    Fraction(3, 10)
    """
    return min(ability, benevolence, integrity)


def nearest_word(number: float) -> str:
    """The word whose number lies closest; of two, the higher.

    >>> nearest_word(0.0893), nearest_word(0.2)
    ('very low', 'low')
    """
    return min(reversed(LEVELS), key=lambda word: round(abs(LEVELS[word] - number), 12))


def sharing_risk(sensitivity: float, trust: float, chance: float, prior: float) -> float:
    """`s (1 - t) (q - p) / (1 - p)`: nothing is risked where nothing is learned.

    >>> round(sharing_risk(0.8, 0.2, 0.35466, 1 / 4), 4)
    0.0893
    """
    return sensitivity * (1 - trust) * normalised_advantage(chance, prior)


def sharing_risk_as_published(sensitivity: float, trust: float, chance: float) -> float:
    """`s (1 - t) q`, which never falls below `s (1 - t) / N`, whatever the noise.

    >>> round(sharing_risk_as_published(0.8, 0.2, 0.35466), 4)
    0.227
    """
    return sensitivity * (1 - trust) * chance


def surface(chance: float, prior: float) -> tuple[tuple[float, ...], tuple[float, ...], tuple[tuple[float, ...], ...]]:
    """Trusts, sensitivities, and for each sensitivity the risk at each trust: DPP's picture in three dimensions.

    >>> trusts, sensitivities, risks = surface(0.4, 1 / 4)
    >>> trusts[0], sensitivities[-1], round(risks[-1][0], 4)
    (0.0, 1.0, 0.2)
    """
    steps = tuple(step / 10 for step in range(11))
    return steps, steps, tuple(tuple(sharing_risk(s, t, chance, prior) for t in steps) for s in steps)


def chance_for_risk(
    risk: float, sensitivity: float, trust: float, prior: float, *, as_published: bool = False
) -> float:
    """The inverse of both: the chance of a guess at which the risk is this; 1 where it is never more."""
    stake = sensitivity * (1 - trust)
    if risk >= stake:
        return 1.0
    return risk / stake if as_published else chance_for_normalised(risk / stake, prior)
