"""Rows as a table in plain text."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from sfumato.views.figure import plain


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int = 200) -> str:
    """Columns of numbers to the right, others to the left; no colour, no trailing spaces."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for position, name in enumerate(columns):
        cells = [row[position] for row in rows]
        drawn.add_column(Text(plain(name)), justify="right" if cells and all(map(is_figure, cells)) else "left")
    for row in rows:
        drawn.add_row(*(Text(plain(cell)) for cell in row))
    console = Console(file=StringIO(), width=width, no_color=True, force_terminal=False)
    console.print(drawn)
    out = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in out.rstrip().splitlines())


def is_figure(cell: str) -> bool:
    """Whether a cell reads as a number, and stands to the right."""
    return not cell or cell.lstrip("±−-–")[:1].isdigit()
