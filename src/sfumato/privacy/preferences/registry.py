"""Every preference by its name: what states it, what goes with it, of which kind each value is, and where it may stand.

Command line, `[rule]`, JSON bodies, policy form, client and the table in docs/extending.md are made from this list. It
loads no preference before one is stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato.errors import PreferenceError
from sfumato.model.method_comparison import Need

if TYPE_CHECKING:
    from sfumato.privacy.preferences.preference import Preference


class OptionKind(Enum):
    """What is stated for an option."""

    NUMBER = "a number"
    WHOLE = "a whole number"
    FLAG = "true or false"
    TEXT = "a text"
    LEVEL = "a number, or a word from very low to very high"
    WORLDS = "a file, or the answers in each world"


@dataclass(frozen=True)
class Option:
    """One name. `of`: the preferences that take it, none where it states one itself: `home` is then the module of that.

    `needs`: one of these has to be stated as well; those of `of` where nothing else is said.
    """

    name: str
    kind: OptionKind = OptionKind.NUMBER
    of: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    in_rule: bool = True  # what is computed from the people is no rule
    home: str = ""


_COMPARING = ("gap", "ratio")
_GUESSING = ("guess", "sharing_risk")
_MEASURING = ("within", "relative_error")
_SELECTING: dict[str, Any] = {"of": ("variance", "exposure_cap"), "needs": ("variance", "allow")}
OPTIONS = (
    Option("epsilon", home=".preference"),
    Option("gap", home=".disparity"),
    Option("ratio", home=".disparity"),
    Option("worst_case", OptionKind.FLAG, _COMPARING),
    Option("exact", OptionKind.FLAG, _COMPARING),
    Option("between", OptionKind.TEXT, _COMPARING, in_rule=False),
    Option("variance", home=".disparity"),
    Option("exposure_cap", home=".disparity"),
    Option("allow", of=("exposure_cap",)),
    Option("select_epsilon", **_SELECTING),
    Option("beta", **_SELECTING),
    Option("as_published", OptionKind.FLAG, ("variance", "sharing_risk"), in_rule=False),
    Option("attack_chance", home=".disparity"),
    Option("pri", in_rule=False, home=".pri"),
    Option("guess", home=".guessing_preferences"),
    Option("choices", OptionKind.WHOLE, _GUESSING),
    Option("secret", OptionKind.TEXT, _GUESSING),
    Option("radius", of=_GUESSING, needs=("secret",)),
    Option("prior", of=_GUESSING),
    Option("advantage", home=".guessing_preferences"),
    Option("sharing_risk", OptionKind.LEVEL, home=".guessing_preferences"),
    Option("trust", OptionKind.LEVEL, ("sharing_risk",)),
    Option("data_sensitivity", OptionKind.LEVEL, ("sharing_risk",)),
    Option("belief", home=".belief"),
    Option("worlds", OptionKind.WORLDS, ("belief",)),
    Option("missing", OptionKind.WHOLE, ("belief",)),
    Option("bound", OptionKind.FLAG, ("belief",)),
    Option("within", home=".accuracy"),
    Option("relative_error", home=".accuracy"),
    Option("expected", of=("relative_error",)),
    Option("confidence", of=_MEASURING),
    Option("each", OptionKind.FLAG, _MEASURING),
    Option("expected_count", of=_MEASURING),
)
NAMES = tuple(option.name for option in OPTIONS if not option.of)  # of preferences
# What says how one is met -> what it goes with.
HOW = {option.name: option.needs or option.of for option in OPTIONS if option.of}
KNOWN = frozenset(option.name for option in OPTIONS)
_IN_RULE = {option.name for option in OPTIONS if option.in_rule}
_FLAGS = {option.name for option in OPTIONS if option.kind is OptionKind.FLAG}
UNSTATED: tuple[tuple[str, Need, Mapping[str, Any] | None], ...] = (
    ("within", Need.ERROR, {"within": 5, "expected_count": 100}),
    ("relative error", Need.ANSWER, {"relative_error": 0.1, "expected": 100, "expected_count": 100}),
    ("ratio between two groups", Need.GROUPS, {"ratio": 0.9}),
    ("belief", Need.WORLDS, None),
)
"""Methods of which there is no example: they need something that only the person who compares can state.

With one that is tried, so that nothing is advised that would be refused.
"""


def examples(secret: Mapping[str, Any], values: int) -> tuple[Mapping[str, Any], ...]:
    """Every method once, at an example of its threshold. `secret`: what is guessed, one of so many values."""
    return (
        {"gap": 1.2, "worst_case": True},
        {"ratio": 0.95, "worst_case": True, "exact": True},
        {"attack_chance": 0.6},
        {"exposure_cap": 0.5},
        {"advantage": 0.2},
        {"guess": round(1 / values + 0.15, 2), **secret},
        {"sharing_risk": "low", "trust": "low", "data_sensitivity": "high", **secret},
        {"exposure_cap": 0.5, "allow": 0.01, "select_epsilon": 0.1},
        {"variance": 1e-3, "select_epsilon": 0.1},
        {"ratio": 0.95},
        {"ratio": 0.95, "exact": True},
        {"pri": 5},
    )


def preferences(values: Mapping[str, Any]) -> tuple[Preference, ...]:
    """The preferences that names and values state, in the order of the list; what is not stated is not in it."""
    for name, whose in HOW.items():
        if name in values and not any(other in values for other in whose):
            raise PreferenceError.because("option-without-preference", name=name, whose=whose)
    return tuple(_preference(name, values) for name in NAMES if name in values)


def to_mapping(preferences_: Iterable[Preference]) -> dict[str, Any]:
    """The names and values that state all of them at once; the inverse of `preferences`.

    >>> to_mapping(preferences({"gap": 1.2, "worst_case": True}))
    {'gap': 1.2, 'worst_case': True}
    """
    listed, values = tuple(preferences_), dict[str, Any]()
    for preference in listed:
        if preference.priority != 1:
            raise PreferenceError.because("priority-in-request", stated=preference.words)
        values |= preference.to_mapping()
    if set(preferences(values)) != set(listed):
        raise PreferenceError.because("preferences-not-together", stated=[preference.words for preference in listed])
    return values


def from_rule(rule: Mapping[str, object], origin: str = "the schema") -> tuple[Preference, ...]:
    """The preferences of a `[rule]` table; what is wrong in it is said with its place and in its terms."""
    try:
        return _from_rule(rule)
    except PreferenceError as wrong:
        raise PreferenceError.in_file(wrong, f"[rule] in {origin}") from None


def _from_rule(rule: Mapping[str, object]) -> tuple[Preference, ...]:
    if unknown := sorted(set(rule) - _IN_RULE):
        known = [name for name in NAMES if name in _IN_RULE]
        raise PreferenceError.because("rule-key-unknown", key=unknown[0], known=known)
    if not any(name in rule for name in NAMES):
        raise PreferenceError.because("rule-without-preference")
    values = {name: value for name, value in rule.items() if name not in _FLAGS or _flag(name, value)}
    if "exact" in values and "worst_case" not in values:
        raise PreferenceError.because("rule-exact-of-people")
    if "worlds" in values and not isinstance(values["worlds"], list):
        raise PreferenceError.because("rule-worlds-not-listed")
    return preferences(values)


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise PreferenceError.because("rule-flag-not-boolean", name=name)
    return value


def _preference(name: str, values: Mapping[str, Any]) -> Preference:
    taken = [option.name for option in OPTIONS if name in option.of and option.name in values]
    if name == "exposure_cap" and not values.get("allow") and "variance" in values:
        taken = [option for option in taken if option == "allow"]  # the rest is the variance's
    home = next(option.home for option in OPTIONS if option.name == name)
    create = getattr(import_module(home, __package__), name)
    preference: Preference = create(values[name], **{option: values[option] for option in taken})
    return preference
