"""The `[rule]` table of a schema: preferences written down before anyone looked."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.errors import PreferenceError
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.preference import Preference

_KNOWN = {option.name for option in registry.OPTIONS if option.in_rule}
_FLAGS = {option.name for option in registry.OPTIONS if option.kind is registry.Kind.FLAG}


def from_rule(rule: Mapping[str, object], origin: str = "the schema") -> tuple[Preference, ...]:
    """The preferences of a `[rule]` table; what is wrong in it is said with its place and in its terms."""
    try:
        return _preferences(rule)
    except PreferenceError as wrong:
        raise PreferenceError.in_file(wrong, f"[rule] in {origin}") from None


def _preferences(rule: Mapping[str, object]) -> tuple[Preference, ...]:
    if unknown := sorted(set(rule) - _KNOWN):
        known = [name for name in registry.NAMES if name in _KNOWN]
        raise PreferenceError.because("rule-key-unknown", key=unknown[0], known=known)
    if not any(name in rule for name in registry.NAMES):
        raise PreferenceError.because("rule-without-preference")
    said = {name: value for name, value in rule.items() if name not in _FLAGS or _flag(name, value)}
    if "exact" in said and "worst_case" not in said:
        raise PreferenceError.because("rule-exact-of-people")
    if "worlds" in said and not isinstance(said["worlds"], list):
        raise PreferenceError.because("rule-worlds-not-listed")
    return registry.preferences(said)


def _flag(name: str, stated: object) -> bool:
    if not isinstance(stated, bool):
        raise PreferenceError.because("rule-flag-not-boolean", name=name)
    return stated
