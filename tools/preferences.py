"""Write the table of options in docs/commands.md: the registry of preferences, and each option's line of help."""

from __future__ import annotations

import sys
from pathlib import Path

from sfumato.presentation.option_help import HELP
from sfumato.privacy.preferences.registry import OPTIONS, Option

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
BEGIN, END = "<!-- options: written by tools/preferences.py -->", "<!-- end of options -->"


def table() -> str:
    """One row an option, in the order of the registry."""
    head = ["| option | value | goes with | in a `[rule]` | meaning |", "|---|---|---|---|---|"]
    return "\n".join(["", *head, *map(_row, OPTIONS), ""])


def _row(option: Option) -> str:
    flag, whose = _flag(option.name), ", ".join(map(_flag, option.needs or option.of))
    return f"| {flag} | {option.kind.value} | {whose} | {'yes' if option.in_rule else 'no'} | {HELP[option.name]} |"


def _flag(name: str) -> str:
    return f"`--{name.replace('_', '-')}`"


def updated(text: str) -> str:
    """A page with the table in it as it is now."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(updated(text), encoding="utf-8")
    print(f"{PAGE.name}: {'as it was' if updated(text) == text else 'written anew'}", file=sys.stderr)


if __name__ == "__main__":
    main()
