"""Publish statistics with differential privacy, and choose epsilon by what it does to the people in the data."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sfumato.version import __version__ as __version__

if TYPE_CHECKING:
    from sfumato.audit.mechanism import Audit, audit_mechanism
    from sfumato.choose.accuracy import relative_error, within
    from sfumato.choose.belief import belief
    from sfumato.choose.guesses import advantage, guess, sharing_risk
    from sfumato.choose.preference import (
        attack_chance,
        exposure_cap,
        gap,
        larger_than_spent,
        ratio,
        satisfies,
        variance,
        weighted,
    )
    from sfumato.choose.pri import pri
    from sfumato.errors import SamePeopleWarning, SfumatoError, UnrecordedLookWarning
    from sfumato.session.choice import Choice
    from sfumato.session.dataset import Dataset
    from sfumato.session.guessing import Guessing
    from sfumato.session.ledger import Ledger
    from sfumato.session.profile import RiskProfile
    from sfumato.session.query import Query
    from sfumato.session.release import Certificate, Release
    from sfumato.session.side_by_side import Comparison
    from sfumato.session.universe import PossibleWorlds, possible_worlds
    from sfumato.signal.library import task
    from sfumato.signal.task import Task
    from sfumato.wiring import connect, open

_HOMES = {
    "Audit": "audit.mechanism",
    "Certificate": "session.release",
    "Choice": "session.choice",
    "Comparison": "session.side_by_side",
    "Dataset": "session.dataset",
    "Guessing": "session.guessing",
    "Ledger": "session.ledger",
    "PossibleWorlds": "session.universe",
    "Query": "session.query",
    "Release": "session.release",
    "RiskProfile": "session.profile",
    "SamePeopleWarning": "errors",
    "SfumatoError": "errors",
    "Task": "signal.task",
    "UnrecordedLookWarning": "errors",
    "advantage": "choose.guesses",
    "attack_chance": "choose.preference",
    "audit_mechanism": "audit.mechanism",
    "belief": "choose.belief",
    "connect": "wiring",
    "exposure_cap": "choose.preference",
    "gap": "choose.preference",
    "guess": "choose.guesses",
    "larger_than_spent": "choose.preference",
    "open": "wiring",
    "possible_worlds": "session.universe",
    "pri": "choose.pri",
    "ratio": "choose.preference",
    "relative_error": "choose.accuracy",
    "satisfies": "choose.preference",
    "sharing_risk": "choose.guesses",
    "task": "signal.library",
    "variance": "choose.preference",
    "weighted": "choose.preference",
    "within": "choose.accuracy",
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
