"""Preferences by name: what a command line and a `[rule]` have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.privacy.preferences.accuracy import relative_error, within
from sfumato.privacy.preferences.belief import belief
from sfumato.privacy.preferences.guessing import advantage, guess, sharing_risk
from sfumato.privacy.preferences.preference import (
    Preference,
    attack_chance,
    epsilon,
    exposure_cap,
    gap,
    ratio,
    variance,
)
from sfumato.privacy.preferences.pri import pri

HOW = {  # what says how a preference is met -> one of these goes with it
    "worst_case": ("gap", "ratio"),
    "exact": ("gap", "ratio"),
    "between": ("gap", "ratio"),
    "as_published": ("variance", "sharing_risk"),
    "allow": ("exposure_cap",),
    "select_epsilon": ("variance", "allow"),
    "beta": ("variance", "allow"),
    "choices": ("guess", "sharing_risk"),
    "secret": ("guess", "sharing_risk"),
    "radius": ("secret",),
    "prior": ("guess", "sharing_risk"),
    "trust": ("sharing_risk",),
    "data_sensitivity": ("sharing_risk",),
    "worlds": ("belief",),
    "missing": ("belief",),
    "bound": ("belief",),
    "confidence": ("within", "relative_error"),
    "each": ("within", "relative_error"),
    "expected_count": ("within", "relative_error"),
    "expected": ("relative_error",),
}
_SECRET = ("choices", "secret", "radius", "prior")
_ERROR = ("confidence", "each", "expected_count")


def preferences(said: Mapping[str, Any]) -> tuple[Preference, ...]:
    """The preferences among all that was said, in the order of the interface; what was not said is not in it."""
    for name, whose in HOW.items():
        if name in said and not any(one in said for one in whose):
            raise PreferenceError.because("option-without-preference", name=name, whose=whose)
    return tuple(make(said[name]) for name, make in _makers(said).items() if name in said)


def _makers(said: Mapping[str, Any]) -> dict[str, Callable[[Any], Preference]]:
    """How each is made from its value and from what else was said."""

    def of(*names: str) -> dict[str, Any]:
        return {name: said[name] for name in names if name in said}

    selected = of("select_epsilon", "beta")
    capped = of("allow") | (selected if said.get("allow") or "variance" not in said else {})
    return {
        "epsilon": epsilon,
        "gap": lambda times: gap(times, **of("worst_case", "exact", "between")),
        "ratio": lambda tau: ratio(tau, **of("worst_case", "exact", "between")),
        "variance": lambda tau: variance(tau, **of("as_published"), **selected),
        "exposure_cap": lambda cap: exposure_cap(cap, **capped),
        "attack_chance": attack_chance,
        "pri": pri,
        "guess": lambda chance: guess(chance, **of(*_SECRET)),
        "advantage": advantage,
        "sharing_risk": lambda most: sharing_risk(most, **of("trust", "data_sensitivity", "as_published", *_SECRET)),
        "belief": lambda rho: belief(rho, **of("worlds", "missing", "bound")),
        "within": lambda error: within(error, **of(*_ERROR)),
        "relative_error": lambda share: relative_error(share, **of("expected", *_ERROR)),
    }


NAMES = tuple(_makers({}))
