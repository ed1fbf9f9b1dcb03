"""Publish statistics with differential privacy, and choose epsilon by what it does to the people in the data."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sfumato import errors as _errors
from sfumato.version import __version__ as __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.api.choice import Choice as Choice
    from sfumato.api.dataset import Dataset as Dataset
    from sfumato.api.dataset import Query as Query
    from sfumato.api.guessing import Guessing as Guessing
    from sfumato.api.histogram import ColumnHistogram as ColumnHistogram
    from sfumato.api.histogram import histogram as histogram
    from sfumato.api.ledger import Ledger as Ledger
    from sfumato.api.method_comparison import Comparison as Comparison
    from sfumato.api.release import Certificate as Certificate
    from sfumato.api.release import Release as Release
    from sfumato.api.risk import RiskProfile as RiskProfile
    from sfumato.api.universe import PossibleWorlds as PossibleWorlds
    from sfumato.api.universe import possible_worlds as possible_worlds
    from sfumato.auditing.audit import Audit as Audit
    from sfumato.auditing.audit import audit_mechanism as audit_mechanism
    from sfumato.composition.local import connect as connect
    from sfumato.composition.local import open as open
    from sfumato.errors import SamePeopleWarning as SamePeopleWarning
    from sfumato.errors import SfumatoError as SfumatoError
    from sfumato.errors import UnrecordedLookWarning as UnrecordedLookWarning
    from sfumato.privacy.preferences.accuracy import relative_error as relative_error
    from sfumato.privacy.preferences.accuracy import within as within
    from sfumato.privacy.preferences.belief import belief as belief
    from sfumato.privacy.preferences.disparity import attack_chance as attack_chance
    from sfumato.privacy.preferences.disparity import exposure_cap as exposure_cap
    from sfumato.privacy.preferences.disparity import gap as gap
    from sfumato.privacy.preferences.disparity import ratio as ratio
    from sfumato.privacy.preferences.disparity import variance as variance
    from sfumato.privacy.preferences.guessing_preferences import advantage as advantage
    from sfumato.privacy.preferences.guessing_preferences import guess as guess
    from sfumato.privacy.preferences.guessing_preferences import sharing_risk as sharing_risk
    from sfumato.privacy.preferences.preference import larger_than_spent as larger_than_spent
    from sfumato.privacy.preferences.preference import weighted as weighted
    from sfumato.privacy.preferences.pri import pri as pri
    from sfumato.privacy.preferences.satisfies import satisfies as satisfies
    from sfumato.privacy.preferences.together import together as together
    from sfumato.signals.tasks.registry import task as task
    from sfumato.signals.tasks.task import Task as Task

_HOMES = {
    "Audit": "auditing.audit",
    "Certificate": "api.release",
    "Choice": "api.choice",
    "ColumnHistogram": "api.histogram",
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
    "histogram": "api.histogram",
    "larger_than_spent": "privacy.preferences.preference",
    "open": "composition.local",
    "possible_worlds": "api.universe",
    "pri": "privacy.preferences.pri",
    "ratio": "privacy.preferences.disparity",
    "relative_error": "privacy.preferences.accuracy",
    "satisfies": "privacy.preferences.satisfies",
    "sharing_risk": "privacy.preferences.guessing_preferences",
    "task": "signals.tasks.registry",
    "together": "privacy.preferences.together",
    "variance": "privacy.preferences.disparity",
    "weighted": "privacy.preferences.preference",
    "within": "privacy.preferences.accuracy",
}

__all__ = list(_HOMES)


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
