"""The options that state preferences, once for every command that takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sfumato.cli import options
from sfumato.cli.option_groups import expanded
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.privacy.preferences.preference import Preference

Stated = tuple[Any, ...]  # the preferences that a command is handed

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "epsilon": (options.Epsilon, None),
    "gap": (options.Gap, None),
    "ratio": (options.Ratio, None),
    "worst_case": (options.WorstCase, False),
    "exact": (options.Exact, False),
    "between": (options.Between, None),
    "attack_chance": (options.AttackChance, None),
    "variance": (options.Variance, None),
    "exposure_cap": (options.ExposureCap, None),
    "allow": (options.Allow, None),
    "select_epsilon": (options.SelectEpsilon, None),
    "beta": (options.Beta, None),
    "as_published": (options.AsPublished, False),
    "pri": (options.Pri, None),
    "guess": (options.Guess, None),
    "choices": (options.Choices, None),
    "secret": (options.Secret, None),
    "radius": (options.Radius, None),
    "prior": (options.Prior, None),
    "advantage": (options.Advantage, None),
    "sharing_risk": (options.SharingRisk, None),
    "trust": (options.Trust, None),
    "data_sensitivity": (options.DataSensitivity, None),
    "belief": (options.Belief, None),
    "worlds": (options.Worlds, None),
    "missing": (options.Missing, None),
    "bound": (options.Bound, False),
    "within": (options.Within, None),
    "relative_error": (options.RelativeError, None),
    "expected": (options.Expected, None),
    "confidence": (options.Confidence, None),
    "each": (options.Each, False),
    "expected_count": (options.ExpectedCount, None),
    "priority": (options.Priority, None),
    "larger_than_spent": (options.LargerThanSpent, False),
}


_HERE = ("belief", "worlds", "missing", "bound", "priority", "larger_than_spent")  # files, weights and what was spent
_SENT = {name: option for name, option in _OPTIONS.items() if name not in _HERE}


def with_preferences(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options where its parameter `preferences` stands; it is handed what they state."""
    return expanded(command, "preferences", _OPTIONS, preferences)


def with_names(command: Callable[..., None]) -> Callable[..., None]:
    """The same where a server reads them: at `preference` the command is handed their names and values."""
    return expanded(command, "preference", _SENT, _said)


def _said(typed: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in typed.items() if value is not None and value is not False}


def preferences(typed: Mapping[str, Any]) -> tuple[Preference, ...]:
    """The preferences among all that was typed, in the order of the interface."""
    from sfumato.privacy.preferences import named
    from sfumato.privacy.preferences.preference import larger_than_spent, weighted

    said = _said(typed)
    priority, larger = said.pop("priority", None), said.pop("larger_than_spent", False)
    stated = named.preferences(said)
    if priority is not None:
        if not stated:
            raise BadInput("--priority goes with a preference", hint="try --gap 1.2 --worst-case --priority 2.")
        stated = tuple(weighted(one, priority) for one in stated)
    return (*stated, *([larger_than_spent()] if larger else []))
