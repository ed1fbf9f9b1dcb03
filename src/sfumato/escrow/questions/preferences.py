"""From what a request states to what a session is asked: preferences by name, and how they are met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.preference import Preference, weighted
from sfumato.release.bound_query import BoundQuery

HOW = ("mechanism", "delta", "calibration", "candidates", "epsilon_max")
_LOCAL = ("worlds",)  # a file is the client's: what it holds is stated


def stated_preferences(
    query: BoundQuery, preference: Mapping[str, Any] | None, share: float = 1.0
) -> tuple[tuple[Preference, ...], dict[str, Any]]:
    """The preferences of a query and how its noise is drawn; of nothing stated and a whole share, the rule's."""
    if not preference:
        if share == 1:
            return (), {}
        rule = query.rule
        how: dict[str, Any] = {"mechanism": rule.noise.mechanism, "delta": rule.noise.delta}
        return tuple(weighted(one, share) for one in rule.preferences), how
    how = {name: preference[name] for name in HOW if name in preference}
    named = {
        name: value
        for name, value in preference.items()
        if name not in HOW and value is not None and value is not False
    }
    for name, value in named.items():
        if name not in registry.KNOWN:
            raise PreferenceError.because("request-preference-unknown", name=name, known=list(registry.NAMES))
        if name in _LOCAL and not isinstance(value, list):
            raise PreferenceError.because("worlds-not-listed")
    preferences = registry.preferences(named)
    return preferences if share == 1 else tuple(weighted(one, share) for one in preferences), how
