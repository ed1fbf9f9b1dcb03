"""Every preference by its name: the options that state it, the kind and the help of each, and where it may be stated.

Command line, `[rule]`, JSON bodies, policy form, client and the table in docs/commands.md are made from this list. It
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
    `together` has neither: it changes all that are stated beside it.

    `needs`: one of these has to be stated as well; those of `of` where nothing else is said. `metavar`: what stands for
    the value in help, where its kind does not say enough.
    """

    name: str
    help: str
    kind: OptionKind = OptionKind.NUMBER
    of: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    in_rule: bool = True  # what is computed from the people is no rule
    home: str = ""
    metavar: str | None = None


_LEVELS = "very low, low, medium, high, very high, or a number from 0 to 1"
_COMPARING = ("gap", "ratio")
_GUESSING = ("guess", "sharing_risk")
_MEASURING = ("within", "relative_error")
_SELECTING: dict[str, Any] = {"of": ("variance", "exposure_cap"), "needs": ("variance", "allow")}
OPTIONS = (
    Option("epsilon", "Use exactly this epsilon.", home=".preference", metavar="E"),
    Option("gap", "Maximum risk gap: the highest disclosure risk over the lowest.", home=".disparity"),
    Option("ratio", "Minimum of the lowest disclosure risk over the highest, as in the RDR paper.", home=".disparity"),
    Option(
        "worst_case",
        "Meet --gap or --ratio in every possible dataset, from public facts only.",
        OptionKind.FLAG,
        _COMPARING,
    ),
    Option("exact", "Use the exact RDR, not its upper bound.", OptionKind.FLAG, _COMPARING),
    Option(
        "between",
        "Compare two medians in --gap or --ratio: people who meet this condition, and all others.",
        OptionKind.TEXT,
        _COMPARING,
        in_rule=False,
        metavar="CONDITION",
    ),
    Option(
        "variance",
        "Maximum variance of the disclosure risks, each as a share of the largest possible risk.",
        home=".disparity",
    ),
    Option(
        "satisfies",
        "Comparison of figures of the RDRs, such as 'quantile(0.99) / min <= 1.1'; no guarantee.",
        OptionKind.TEXT,
        in_rule=False,
        home=".satisfies",
        metavar="COMPARISON",
    ),
    Option("exposure_cap", "Maximum of epsilon times exposure, for every person.", home=".disparity"),
    Option("allow", "Share of people allowed above --exposure-cap.", of=("exposure_cap",), metavar="SHARE"),
    Option(
        "select_epsilon",
        "Epsilon to spend on selecting epsilon privately; charged in addition to the release.",
        **_SELECTING,
        metavar="E",
    ),
    Option(
        "beta", "Maximum probability that a private selection misses its preference; 0.05 by default.", **_SELECTING
    ),
    Option(
        "as_published",
        "Use the paper's version: Algorithm 3 for --variance (no guarantee), the floor for --sharing-risk.",
        OptionKind.FLAG,
        ("variance", "sharing_risk"),
        in_rule=False,
    ),
    Option("attack_chance", "Maximum success rate of a membership attack, such as 0.6.", home=".disparity"),
    Option(
        "pri",
        "Use Find-eps-from-PRI as published, with all PRIs within P percent; no guarantee.",
        in_rule=False,
        home=".pri",
        metavar="P",
    ),
    Option(
        "guess", "Maximum chance to guess a person's value; needs --choices or --secret.", home=".guessing_preferences"
    ),
    Option("choices", "Number of values that an attacker chooses from.", OptionKind.WHOLE, _GUESSING, metavar="N"),
    Option(
        "secret",
        "Column whose value an attacker guesses; the schema lists its categories.",
        OptionKind.TEXT,
        _GUESSING,
        metavar="COLUMN",
    ),
    Option(
        "radius",
        "Largest distance at which a guess of a number in --secret counts as correct.",
        of=_GUESSING,
        needs=("secret",),
    ),
    Option("prior", "Chance of a correct guess before the answer is published.", of=_GUESSING),
    Option(
        "advantage",
        "Maximum increase of an attacker's belief about a person, for any answer.",
        home=".guessing_preferences",
    ),
    Option(
        "sharing_risk",
        f"Maximum risk of sharing the answer: {_LEVELS}.",
        OptionKind.LEVEL,
        home=".guessing_preferences",
        metavar="RISK",
    ),
    Option(
        "trust",
        "Trust in the recipient of the answer, for --sharing-risk; or ability=LEVEL,benevolence=LEVEL,integrity=LEVEL.",
        OptionKind.LEVEL,
        ("sharing_risk",),
        metavar="LEVEL",
    ),
    Option(
        "data_sensitivity",
        "Harm that a correct guess does, for --sharing-risk.",
        OptionKind.LEVEL,
        ("sharing_risk",),
        metavar="LEVEL",
    ),
    Option(
        "earlier_epsilon",
        "Total epsilon of the answers that the recipient holds already, for --sharing-risk.",
        of=("sharing_risk",),
        in_rule=False,
        metavar="E",
    ),
    Option(
        "earlier_delta",
        "Total delta of the answers of --earlier-epsilon.",
        of=("sharing_risk",),
        needs=("earlier_epsilon",),
        in_rule=False,
        metavar="D",
    ),
    Option("belief", "Maximum belief of an attacker in any of the possible --worlds.", home=".belief", metavar="RHO"),
    Option(
        "worlds",
        "Public table of everyone who could be in the data, or a file with the answer in each world.",
        OptionKind.WORLDS,
        ("belief",),
        metavar="FILE",
    ),
    Option(
        "missing",
        "Number of people in --worlds who are not in the data; 1 by default.",
        OptionKind.WHOLE,
        ("belief",),
        metavar="N",
    ),
    Option("bound", "Use the paper's upper bound for --belief, which is stricter.", OptionKind.FLAG, ("belief",)),
    Option(
        "together",
        "Meet the preference for any N people together, such as a household; no private selection.",
        OptionKind.WHOLE,
        needs=(*("epsilon", "gap", "ratio", "exposure_cap", "attack_chance"), "guess", "advantage", "sharing_risk"),
        metavar="N",
    ),
    Option("within", "Maximum error of any figure.", home=".accuracy", metavar="ERROR"),
    Option(
        "relative_error", "Maximum error of any figure, as a share of --expected.", home=".accuracy", metavar="SHARE"
    ),
    Option(
        "expected",
        "Public estimate of the (smallest) answer, for --relative-error.",
        of=("relative_error",),
        metavar="ANSWER",
    ),
    Option("confidence", "Probability that --within (0.95 by default) or --relative-error (0.9) holds.", of=_MEASURING),
    Option(
        "each",
        "Apply --within or --relative-error to each figure separately, not to all figures together.",
        OptionKind.FLAG,
        _MEASURING,
    ),
    Option(
        "expected_count",
        "Public guess of the size of the smallest group; --within and the interval of an average depend on it.",
        of=_MEASURING,
        metavar="N",
    ),
)
NAMES = tuple(option.name for option in OPTIONS if not option.of and option.name != "together")  # of preferences
# What says how one is met -> what it goes with.
HOW = {option.name: option.needs or option.of for option in OPTIONS if option.name not in NAMES}
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
        {"satisfies": "quantile(0.9) / min <= 1.1"},
        {"pri": 5},
    )


def preferences(values: Mapping[str, Any]) -> tuple[Preference, ...]:
    """The preferences that names and values state, in the order of the list; what is not stated is not in it."""
    for name, whose in HOW.items():
        if name in values and not any(other in values for other in whose):
            raise PreferenceError.because("option-without-preference", name=name, whose=whose)
    chosen = tuple(_preference(name, values) for name in NAMES if name in values)
    return tuple(_together(preference, values["together"]) for preference in chosen) if "together" in values else chosen


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


def _together(preference: Preference, people: int) -> Preference:
    """What bounds the error of the answer stays as it is."""
    from sfumato.privacy.preferences.together import together

    return preference if preference.asks_smallest else together(preference, people)


def _preference(name: str, values: Mapping[str, Any]) -> Preference:
    taken = [option.name for option in OPTIONS if name in option.of and option.name in values]
    if name == "exposure_cap" and not values.get("allow") and "variance" in values:
        taken = [option for option in taken if option == "allow"]  # the rest is the variance's
    home = next(option.home for option in OPTIONS if option.name == name)
    create = getattr(import_module(home, __package__), name)
    preference: Preference = create(values[name], **{option: values[option] for option in taken})
    return preference
