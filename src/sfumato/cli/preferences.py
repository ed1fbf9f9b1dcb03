"""Options that state preferences, for every command that takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from sfumato.cli.option_groups import replace_parameter
from sfumato.cli.options import option
from sfumato.errors import BadInput
from sfumato.presentation.option_help import HELP, METAVARS
from sfumato.privacy.preferences.registry import HOW, OPTIONS, OptionKind

if TYPE_CHECKING:
    from sfumato.privacy.preferences.preference import Preference

Preferences = tuple[Any, ...]  # what a command gets

_TYPES: dict[OptionKind, Any] = {
    OptionKind.NUMBER: float | None,
    OptionKind.WHOLE: int | None,
    OptionKind.FLAG: bool,
    OptionKind.TEXT: str | None,
    OptionKind.LEVEL: str | None,
    OptionKind.WORLDS: str | None,
}
_HERE = ("belief", "worlds", "missing", "bound")  # they name files on this machine


def _option(name: str, kind: OptionKind) -> tuple[Any, Any]:
    """An option for Typer, and its default."""
    flags = [f"--{name.replace('_', '-')}"] if kind is OptionKind.FLAG else []
    return Annotated[_TYPES[kind], option(HELP[name], METAVARS.get(name), *flags)], False if flags else None


_SENT = {each.name: _option(each.name, each.kind) for each in OPTIONS if each.name not in _HERE}
_OPTIONS = {each.name: _option(each.name, each.kind) for each in OPTIONS} | {
    "priority": _option("priority", OptionKind.NUMBER),
    "larger_than_spent": _option("larger_than_spent", OptionKind.FLAG),
}


def with_preferences(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options in place of its parameter `preferences`."""
    return replace_parameter(command, "preferences", _OPTIONS, preferences)


def with_names(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options that a server knows in place of its parameter `preference`, by name."""
    return replace_parameter(command, "preference", _SENT, _given_options)


class PreferenceTerms(NamedTuple):
    """Preferences, and how many are publicly expected in the smallest group, which may be stated without any."""

    preferences: tuple[Preference, ...]
    expected_count: float | None

    @property
    def looks(self) -> bool:
        """Whether a choice by these preferences reads the people in the data."""
        return any(preference.reads_people for preference in self.preferences)

    @property
    def words_without_look(self) -> tuple[list[str], list[str]] | None:
        """Words to add and to leave out, so that a choice reads no data; None where there are none."""
        from sfumato.privacy.preferences.disparity import Ratio, Variance

        looking = [preference for preference in self.preferences if preference.reads_people]
        ratios = [p for p in looking if isinstance(p, Ratio) and p.between is None]
        variances = [p for p in looking if isinstance(p, Variance)]
        if len(ratios) + len(variances) < len(looking):
            return None
        return ["--worst-case"] * bool(ratios), ["--as-published"] * bool(variances)


def with_terms(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options in place of its parameter `terms`."""
    return replace_parameter(command, "terms", _OPTIONS, _terms)


def _terms(**typed: Any) -> PreferenceTerms:
    measures = any(typed[name] is not None for name in HOW["expected_count"])
    alone = {} if measures else {"expected_count": None}
    return PreferenceTerms(preferences(**typed | alone), typed["expected_count"])


def _given_options(**typed: Any) -> dict[str, Any]:
    return {name: value for name, value in typed.items() if value is not None and value is not False}


def preferences(**typed: Any) -> tuple[Preference, ...]:
    """The preferences among the typed options, in the order of the interface."""
    from sfumato.privacy.preferences import registry
    from sfumato.privacy.preferences.preference import larger_than_spent, weighted

    given = _given_options(**typed)
    priority, larger = given.pop("priority", None), given.pop("larger_than_spent", False)
    chosen = registry.preferences(given)
    if priority is not None:
        if not chosen:
            raise BadInput("--priority needs a preference", hint="try --gap 1.2 --worst-case --priority 2.")
        chosen = tuple(weighted(preference, priority) for preference in chosen)
    return (*chosen, *([larger_than_spent()] if larger else []))
