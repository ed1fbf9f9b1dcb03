"""Write the table of functions in docs/sql.md, from the table that the parser, the plans and the ranges read."""

from __future__ import annotations

import sys
from pathlib import Path

from sfumato.model.functions import FUNCTIONS, Function

PAGE = Path(__file__).parents[1] / "docs" / "sql.md"
BEGIN, END = "<!-- functions -->\n", "<!-- end of functions -->\n"


def table() -> str:
    """One row for each function."""
    rows = [f"| `{_escaped(f.example)}`{_other_names(f)} | {_escaped(f.says)} |" for f in FUNCTIONS.values()]
    return "\n".join(["| function | value |", "|---|---|", *rows, ""])


def _other_names(function: Function) -> str:
    return f" (also {', '.join(f'`{name}`' for name in function.also)})" if function.also else ""


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def page(written: str) -> str:
    before, _, rest = written.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    old = PAGE.read_text("utf-8")
    PAGE.write_text(page(old), "utf-8")
    sys.stdout.write("sql.md: unchanged\n" if page(old) == old else "sql.md: updated\n")
