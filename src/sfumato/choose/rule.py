"""The `[rule]` table of a schema: preferences written down before anyone looked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from sfumato.choose.preference import (
    Preference,
    attack_chance,
    epsilon,
    exposure_cap,
    gap,
    ratio,
    variance,
)
from sfumato.errors import PreferenceError

_FLAG = re.compile(r"--([a-z-]+)( (?=\d))?")
_HOW = {
    "allow": ("exposure_cap",),
    "select_epsilon": ("variance", "exposure_cap"),
    "beta": ("variance", "exposure_cap"),
}  # what says how a preference is met, and which


def from_rule(rule: Mapping[str, object], origin: str = "the schema") -> tuple[Preference, ...]:
    """The preferences of a `[rule]` table; what is wrong in it is said with its place."""
    where = f"[rule] in {origin}"
    known = {"gap", "ratio", "worst_case", "exact", "attack_chance", "epsilon", "variance", "exposure_cap", *_HOW}
    if unknown := sorted(set(rule) - known):
        hint = f"it knows {', '.join(sorted({*known, 'mechanism', 'delta'}))}."
        raise PreferenceError(f"[rule] does not know '{unknown[0]}'", hint=hint, where=where)
    worst_case, exact = (_flag(name, rule, where) for name in ("worst_case", "exact"))
    if exact and not worst_case:
        raise PreferenceError(
            "exact in a rule goes with worst_case = true: an exact RDR of the people leaves no guarantee",
            hint="add worst_case = true, or leave exact out.",
            where=where,
        )
    makers: dict[str, Callable[[Any], Preference]] = {
        "gap": lambda value: gap(value, worst_case=worst_case, exact=exact),
        "ratio": lambda value: ratio(value, worst_case=worst_case, exact=exact),
        "attack_chance": attack_chance,
        "epsilon": epsilon,
        "variance": lambda value: variance(value, **_said(rule, "select_epsilon", "beta")),
        "exposure_cap": lambda value: exposure_cap(value, **_said(rule, "allow", *_of_selection(rule))),
    }
    _of_use(rule, where)
    try:
        preferences = tuple(make(rule[name]) for name, make in makers.items() if name in rule)
    except PreferenceError as wrong:
        raise PreferenceError(_in_toml(wrong.message), hint=_in_toml(wrong.hint), where=where) from None
    if not preferences:
        raise PreferenceError("[rule] states no preference", hint="try gap = 1.2 and worst_case = true.", where=where)
    return preferences


def _in_toml(sentence: str) -> str:
    """Flags of the command line as keys of the table.

    >>> _in_toml("with --allow, add --select-epsilon 0.1.")
    'with allow, add select_epsilon = 0.1.'
    """
    return _FLAG.sub(lambda flag: flag[1].replace("-", "_") + (" = " if flag[2] else ""), sentence)


def _said(rule: Mapping[str, object], *names: str) -> dict[str, Any]:
    return {name: rule[name] for name in names if name in rule}


def _of_selection(rule: Mapping[str, object]) -> tuple[str, ...]:
    """What an exposure cap takes of the flags that it shares with a variance."""
    return ("select_epsilon", "beta") if "allow" in rule or "variance" not in rule else ()


def _of_use(rule: Mapping[str, object], where: str) -> None:
    """Refuse what says how a preference is to be met, without that preference."""
    for name, goes_with in _HOW.items():
        if name in rule and not any(preference in rule for preference in goes_with):
            raise PreferenceError(f"{name} goes with {' or '.join(goes_with)}", where=where)


def _flag(name: str, rule: Mapping[str, object], where: str) -> bool:
    stated = rule.get(name, False)
    if not isinstance(stated, bool):
        raise PreferenceError(f"{name} must be true or false", where=where)
    return stated
