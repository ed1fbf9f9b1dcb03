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

_SELECTING = "--variance or --exposure-cap with --allow"
_COMPARING = "--gap or --ratio"
_GUESSING = "--guess or --sharing-risk"
_MEASURING = "--within or --relative-error"
HOW = {  # what says how a preference is met: of which, in words, and how that is typed
    "worst_case": (("gap", "ratio"), _COMPARING, "--gap 1.2 --worst-case"),
    "exact": (("gap", "ratio"), _COMPARING, "--gap 1.2 --worst-case --exact"),
    "between": (("gap", "ratio"), _COMPARING, '--gap 1.2 --between "age > 60"'),
    "as_published": (
        ("variance", "sharing_risk"),
        "--variance or --sharing-risk",
        "--variance 1e-4 --select-epsilon 1 --as-published",
    ),
    "allow": (("exposure_cap",), "--exposure-cap", "--exposure-cap 0.5 --allow 0.01 --select-epsilon 0.1"),
    "select_epsilon": (("variance", "allow"), _SELECTING, "--variance 1e-4 --select-epsilon 0.1"),
    "beta": (("variance", "allow"), _SELECTING, "--variance 1e-4 --select-epsilon 0.1 --beta 0.05"),
    "choices": (("guess", "sharing_risk"), _GUESSING, "--guess 0.4 --choices 4"),
    "secret": (("guess", "sharing_risk"), _GUESSING, "--guess 0.4 --secret marital_status"),
    "radius": (("secret",), "--secret", "--guess 0.4 --secret age --radius 5"),
    "prior": (("guess", "sharing_risk"), _GUESSING, "--guess 0.4 --prior 0.25"),
    "trust": (
        ("sharing_risk",),
        "--sharing-risk",
        "--sharing-risk low --trust low --data-sensitivity high --choices 4",
    ),
    "data_sensitivity": (
        ("sharing_risk",),
        "--sharing-risk",
        "--sharing-risk low --trust low --data-sensitivity high --choices 4",
    ),
    "worlds": (("belief",), "--belief", "--belief 0.333 --worlds universe.csv"),
    "missing": (("belief",), "--belief", "--belief 0.333 --worlds universe.csv --missing 2"),
    "bound": (("belief",), "--belief", "--belief 0.333 --worlds universe.csv --bound"),
    "confidence": (("within", "relative_error"), _MEASURING, "--within 5 --confidence 0.95"),
    "each": (("within", "relative_error"), _MEASURING, "--within 5 --each"),
    "expected_count": (("within", "relative_error"), _MEASURING, "--within 5 --expected-count 1000"),
    "expected": (("relative_error",), "--relative-error", "--relative-error 0.1 --expected 2300"),
}
_SECRET = ("choices", "secret", "radius", "prior")
_ERROR = ("confidence", "each", "expected_count")


def preferences(said: Mapping[str, Any]) -> tuple[Preference, ...]:
    """The preferences among all that was said, in the order of the interface; what was not said is not in it."""
    for name, (whose, goes_with, example) in HOW.items():
        if name in said and not any(one in said for one in whose):
            raise PreferenceError(f"--{name.replace('_', '-')} goes with {goes_with}", hint=f"try {example}.")
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
