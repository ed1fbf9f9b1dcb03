"""Every preference by its name: what states it, what goes with it, of which kind each value is, and where it may stand.

Command line, `[rule]`, JSON bodies and client are made from this list. It loads no preference before one is stated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato.errors import PreferenceError

if TYPE_CHECKING:
    from sfumato.privacy.preferences.preference import Preference


class Kind(Enum):
    """What is stated for an option."""

    NUMBER = "a number"
    WHOLE = "a whole number"
    FLAG = "true or false"
    TEXT = "a text"
    LEVEL = "a number, or a word from very low to very high"
    WORLDS = "a file, or the answers in each world"


@dataclass(frozen=True)
class Option:
    """One name. `of`: the preferences that take it, none where it states one itself.

    `needs`: one of these has to be stated as well; those of `of` where nothing else is said.
    """

    name: str
    kind: Kind = Kind.NUMBER
    of: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    in_rule: bool = True  # what is computed from the people is no rule

    @property
    def goes_with(self) -> tuple[str, ...]:
        return self.needs or self.of


_COMPARING = ("gap", "ratio")
_GUESSING = ("guess", "sharing_risk")
_MEASURING = ("within", "relative_error")
_SELECTING: dict[str, Any] = {"of": ("variance", "exposure_cap"), "needs": ("variance", "allow")}
OPTIONS = (
    Option("epsilon"),
    Option("gap"),
    Option("ratio"),
    Option("worst_case", Kind.FLAG, _COMPARING),
    Option("exact", Kind.FLAG, _COMPARING),
    Option("between", Kind.TEXT, _COMPARING, in_rule=False),
    Option("variance"),
    Option("exposure_cap"),
    Option("allow", of=("exposure_cap",)),
    Option("select_epsilon", **_SELECTING),
    Option("beta", **_SELECTING),
    Option("as_published", Kind.FLAG, ("variance", "sharing_risk"), in_rule=False),
    Option("attack_chance"),
    Option("pri", in_rule=False),
    Option("guess"),
    Option("choices", Kind.WHOLE, _GUESSING),
    Option("secret", Kind.TEXT, _GUESSING),
    Option("radius", of=_GUESSING, needs=("secret",)),
    Option("prior", of=_GUESSING),
    Option("advantage"),
    Option("sharing_risk", Kind.LEVEL),
    Option("trust", Kind.LEVEL, ("sharing_risk",)),
    Option("data_sensitivity", Kind.LEVEL, ("sharing_risk",)),
    Option("belief"),
    Option("worlds", Kind.WORLDS, ("belief",)),
    Option("missing", Kind.WHOLE, ("belief",)),
    Option("bound", Kind.FLAG, ("belief",)),
    Option("within"),
    Option("relative_error"),
    Option("expected", of=("relative_error",)),
    Option("confidence", of=_MEASURING),
    Option("each", Kind.FLAG, _MEASURING),
    Option("expected_count", of=_MEASURING),
)
NAMES = tuple(option.name for option in OPTIONS if not option.of)  # of preferences
HOW = {
    option.name: option.goes_with for option in OPTIONS if option.of
}  # what says how one is met -> what it goes with
KNOWN = frozenset(option.name for option in OPTIONS)
_MODULES = {
    "accuracy": ("within", "relative_error"),
    "belief": ("belief",),
    "guessing": ("guess", "advantage", "sharing_risk"),
    "preference": ("epsilon", "gap", "ratio", "variance", "exposure_cap", "attack_chance"),
    "pri": ("pri",),
}


def preferences(stated: Mapping[str, Any]) -> tuple[Preference, ...]:
    """The preferences among all that is stated, in the order of the list; what is not stated is not in it."""
    for name, whose in HOW.items():
        if name in stated and not any(one in stated for one in whose):
            raise PreferenceError.because("option-without-preference", name=name, whose=whose)
    return tuple(_made(name, stated) for name in NAMES if name in stated)


def _made(name: str, stated: Mapping[str, Any]) -> Preference:
    taken = [option.name for option in OPTIONS if name in option.of and option.name in stated]
    if name == "exposure_cap" and not stated.get("allow") and "variance" in stated:
        taken = [one for one in taken if one == "allow"]  # the rest is the variance's
    make = getattr(import_module(f"sfumato.privacy.preferences.{_homes()[name]}"), name)
    made: Preference = make(stated[name], **{one: stated[one] for one in taken})
    return made


@cache
def _homes() -> Mapping[str, str]:
    return {name: module for module, names in _MODULES.items() for name in names}
