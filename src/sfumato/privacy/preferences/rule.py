"""The `[rule]` table of a schema: preferences written down before anyone looked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sfumato.errors import PreferenceError
from sfumato.privacy.preferences import named
from sfumato.privacy.preferences.preference import Preference

_FLAG = re.compile(r"--([a-z-]+)( (?=\d))?")
_FLAGS = ("worst_case", "exact", "each", "bound")
_PEOPLE = ("pri", "between", "as_published")  # no rule is computed from the people
_KNOWN = {*named.NAMES, *named.HOW} - {*_PEOPLE}


def from_rule(rule: Mapping[str, object], origin: str = "the schema") -> tuple[Preference, ...]:
    """The preferences of a `[rule]` table; what is wrong in it is said with its place."""
    where = f"[rule] in {origin}"
    if unknown := sorted(set(rule) - _KNOWN):
        hint = f"it knows {', '.join(n for n in named.NAMES if n in _KNOWN)}, what goes with them, mechanism and delta."
        raise PreferenceError(f"[rule] does not know '{unknown[0]}'", hint=hint, where=where)
    if not any(name in rule for name in named.NAMES):
        raise PreferenceError("[rule] states no preference", hint="try gap = 1.2 and worst_case = true.", where=where)
    said = {name: value for name, value in rule.items() if name not in _FLAGS or _flag(name, value, where)}
    if "exact" in said and "worst_case" not in said:
        raise PreferenceError(
            "exact in a rule goes with worst_case = true: an exact RDR of the people leaves no guarantee",
            hint="add worst_case = true, or leave exact out.",
            where=where,
        )
    if "worlds" in said and not isinstance(said["worlds"], list):
        hint = "list the answers in each world, such as worlds = [2, 3, 3]."
        raise PreferenceError("worlds in a rule are listed: a file may change after the rule", hint=hint, where=where)
    try:
        return named.preferences(said)
    except PreferenceError as wrong:
        raise PreferenceError(_in_toml(wrong.message), hint=_in_toml(wrong.hint), where=where) from None


def _in_toml(sentence: str) -> str:
    """Flags of the command line as keys of the table.

    >>> _in_toml("with --allow, add --select-epsilon 0.1.")
    'with allow, add select_epsilon = 0.1.'
    """
    return _FLAG.sub(lambda flag: flag[1].replace("-", "_") + (" = " if flag[2] else ""), sentence)


def _flag(name: str, stated: object, where: str) -> bool:
    if not isinstance(stated, bool):
        raise PreferenceError(f"{name} must be true or false", where=where)
    return stated
