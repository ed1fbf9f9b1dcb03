"""Publish statistics with differential privacy, and choose epsilon by what it does to the people in the data."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sfumato import errors as _errors
from sfumato.version import __version__ as __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.api.choice import Choice
    from sfumato.api.dataset import Dataset, Query
    from sfumato.api.guessing import Guessing
    from sfumato.api.ledger import Ledger
    from sfumato.api.method_comparison import Comparison
    from sfumato.api.release import Certificate, Release
    from sfumato.api.risk import RiskProfile
    from sfumato.api.universe import PossibleWorlds, possible_worlds
    from sfumato.auditing.audit import Audit, audit_mechanism
    from sfumato.composition.local import connect, open
    from sfumato.errors import SamePeopleWarning, SfumatoError, UnrecordedLookWarning
    from sfumato.privacy.preferences.accuracy import relative_error, within
    from sfumato.privacy.preferences.belief import belief
    from sfumato.privacy.preferences.disparity import attack_chance, exposure_cap, gap, ratio, satisfies, variance
    from sfumato.privacy.preferences.guessing_preferences import advantage, guess, sharing_risk
    from sfumato.privacy.preferences.preference import larger_than_spent, weighted
    from sfumato.privacy.preferences.pri import pri
    from sfumato.signals.tasks.registry import task
    from sfumato.signals.tasks.task import Task

_HOMES = {
    "Audit": "auditing.audit",
    "Certificate": "api.release",
    "Choice": "api.choice",
    "Comparison": "api.method_comparison",
    "Dataset": "api.dataset",
    "Guessing": "api.guessing",
    "Ledger": "api.ledger",
    "PossibleWorlds": "api.universe",
    "Query": "api.dataset",
    "Release": "api.release",
    "RiskProfile": "api.risk",
    "SamePeopleWarning": "errors",
    "SfumatoError": "errors",
    "Task": "signals.tasks.task",
    "UnrecordedLookWarning": "errors",
    "advantage": "privacy.preferences.guessing_preferences",
    "attack_chance": "privacy.preferences.disparity",
    "audit_mechanism": "auditing.audit",
    "belief": "privacy.preferences.belief",
    "connect": "composition.local",
    "exposure_cap": "privacy.preferences.disparity",
    "gap": "privacy.preferences.disparity",
    "guess": "privacy.preferences.guessing_preferences",
    "larger_than_spent": "privacy.preferences.preference",
    "open": "composition.local",
    "possible_worlds": "api.universe",
    "pri": "privacy.preferences.pri",
    "ratio": "privacy.preferences.disparity",
    "relative_error": "privacy.preferences.accuracy",
    "satisfies": "privacy.preferences.disparity",
    "sharing_risk": "privacy.preferences.guessing_preferences",
    "task": "signals.tasks.registry",
    "variance": "privacy.preferences.disparity",
    "weighted": "privacy.preferences.preference",
    "within": "privacy.preferences.accuracy",
}

__all__ = [
    "Audit",
    "Certificate",
    "Choice",
    "Comparison",
    "Dataset",
    "Guessing",
    "Ledger",
    "PossibleWorlds",
    "Query",
    "Release",
    "RiskProfile",
    "SamePeopleWarning",
    "SfumatoError",
    "Task",
    "UnrecordedLookWarning",
    "advantage",
    "attack_chance",
    "audit_mechanism",
    "belief",
    "connect",
    "exposure_cap",
    "gap",
    "guess",
    "larger_than_spent",
    "open",
    "possible_worlds",
    "pri",
    "ratio",
    "relative_error",
    "satisfies",
    "sharing_risk",
    "task",
    "variance",
    "weighted",
    "within",
]


def __getattr__(name: str) -> object:
    """Names are loaded when they are used: `import sfumato` loads no engine."""
    if name in _HOMES:
        return getattr(import_module(f"sfumato.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'sfumato' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__


def _render(reason: str, values: Mapping[str, object]) -> tuple[str, str] | None:
    """The sentences of an error, which are loaded when one is shown."""
    from sfumato.presentation.interface import current_interface
    from sfumato.presentation.refusals.sentence import sentence

    return sentence(reason, values, current_interface())


_errors.render = _render
