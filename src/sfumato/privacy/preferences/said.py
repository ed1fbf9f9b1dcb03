"""Preferences -> the names and values that state them: what goes to a server, as a `[rule]` has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.accuracy import RelativeError, Within
from sfumato.privacy.preferences.belief import Answers, Belief
from sfumato.privacy.preferences.guessing import Advantage, Guess, Secret, SharingRisk
from sfumato.privacy.preferences.preference import (
    AttackChance,
    Epsilon,
    ExposureCap,
    Preference,
    Ratio,
    Variance,
)
from sfumato.privacy.preferences.pri import Pri


def said(preferences: Iterable[Preference]) -> dict[str, Any]:
    """What states all of them at once; the inverse of `registry.preferences`.

    >>> from sfumato.privacy.preferences.preference import gap
    >>> said([gap(1.2, worst_case=True)])
    {'gap': 1.2, 'worst_case': True}
    """
    stated, found = tuple(preferences), dict[str, Any]()
    for preference in stated:
        found |= _said(preference)
    if set(registry.preferences(found)) != set(stated):
        raise PreferenceError.because("preferences-not-together", stated=[preference.words for preference in stated])
    return found


def _said(preference: Preference) -> dict[str, Any]:
    if preference.priority != 1:
        raise PreferenceError.because("priority-in-request", stated=preference.words)
    match preference:
        case Epsilon(value):
            return {"epsilon": value}
        case Ratio(tau, worst_case, gap, exact, between):
            risk = {"ratio": tau} if gap is None else {"gap": gap}
            return _plain(risk | {"worst_case": worst_case, "exact": exact, "between": between})
        case AttackChance(chance):
            return _plain({"attack_chance": chance})
        case Variance(tau, select_epsilon, beta, as_published):
            spent = {"select_epsilon": select_epsilon, "beta": beta}
            return _plain({"variance": tau, "as_published": as_published} | spent)
        case ExposureCap(cap, None):
            return _plain({"exposure_cap": cap})
        case ExposureCap(cap, allow, select_epsilon, beta):
            return _plain({"exposure_cap": cap, "allow": allow, "select_epsilon": select_epsilon, "beta": beta})
        case Guess(chance, secret):
            return _plain({"guess": chance}) | _guessed(secret)
        case Advantage(most):
            return _plain({"advantage": most})
        case SharingRisk(most, trust, sensitivity, secret, as_published):
            rated = {"trust": trust, "data_sensitivity": sensitivity, "as_published": as_published}
            return _plain({"sharing_risk": most} | rated) | _guessed(secret)
        case Belief(rho, Answers(numbers, None), _, bound):
            return _plain({"belief": rho, "bound": bound}) | {"worlds": [float(number) for number in numbers]}
        case Within(error, confidence, each, expected_count):
            return _plain({"within": error} | _error(confidence, each, expected_count))
        case RelativeError(share, expected, confidence, each, expected_count):
            return _plain({"relative_error": share, "expected": expected} | _error(confidence, each, expected_count))
        case Pri(percent):
            return _plain({"pri": percent})
    raise PreferenceError.because("preference-not-in-request", stated=preference.words)


def _guessed(secret: Secret) -> dict[str, Any]:
    prior = None if secret.choices is not None else secret.prior
    return _plain({"choices": secret.choices, "secret": secret.column, "radius": secret.radius, "prior": prior})


def _error(confidence: Fraction, each: bool, expected_count: Fraction | None) -> dict[str, Any]:
    return {"confidence": confidence, "each": each, "expected_count": expected_count}


def _plain(stated: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON has it; what was not said is left out."""
    kept = {name: value for name, value in stated.items() if value is not None and value is not False}
    return {name: float(value) if isinstance(value, Fraction) else value for name, value in kept.items()}
