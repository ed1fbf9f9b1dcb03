"""Rows as a table in plain text."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from rich.cells import cell_len

from sfumato.presentation.printable import plain


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int = 200) -> str:
    """Columns of numbers to the right, others to the left; no colour, no trailing spaces."""
    lines = [[plain(cell) for cell in line] for line in (columns, *rows)]
    to_the_right = [bool(rows) and all(map(is_figure, cells[1:])) for cells in zip(*lines, strict=True)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    space = sum(widths) + 3 * len(widths) - 3
    if not 0 < space <= width or not all(map(_is_plain, [cell for line in lines for cell in line])):
        return laid_out(lines, to_the_right, width)
    head, *body = (
        "   ".join(
            cell.rjust(wide) if right else cell.ljust(wide)
            for cell, wide, right in zip(line, widths, to_the_right, strict=True)
        ).rstrip()
        for line in lines
    )
    return "\n".join([head, "─" * space, *body]).rstrip()


def sideways(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int = 80) -> str:
    """The table on its side, which takes fewer lines, unless its lines would not fit."""
    first, *others = ([name, *cells] for name, *cells in zip(columns, *rows, strict=True))
    lying = table(first, others)
    return lying if max(map(len, lying.splitlines())) <= width else table(columns, rows)


def _is_plain(cell: str) -> bool:
    """Whether each sign takes one place, so that nothing has to be laid out."""
    return cell.isprintable() and cell == cell.strip() and cell_len(cell) == len(cell)


def laid_out(lines: Sequence[Sequence[str]], to_the_right: Sequence[bool], width: int) -> str:
    """By Rich, which wraps what is too wide; loading it takes longer than most commands do."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, right in zip(lines[0], to_the_right, strict=True):
        drawn.add_column(Text(name), justify="right" if right else "left")
    for row in lines[1:]:
        drawn.add_row(*map(Text, row))
    console = Console(file=StringIO(), width=width, no_color=True, force_terminal=False)
    console.print(drawn)
    out = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in out.rstrip().splitlines())


def is_figure(cell: str) -> bool:
    """Whether a cell reads as a number, and stands to the right."""
    return not cell or cell.lstrip("±−-–")[:1].isdigit()
