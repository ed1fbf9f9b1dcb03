"""Small pieces of HTML: escaped, without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sfumato.presentation.printable import plain
from sfumato.presentation.table import is_figure


def preformatted(text: str, warning: str = "") -> str:
    head = f"<p><strong>{escape(warning)}</strong></p>" if warning else ""
    return f"<div>{head}<pre>{escape(text)}</pre></div>"


def html_table(columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """Columns of numbers carry the class "number"; the first column names its row."""
    numeric = [all(is_figure(row[position]) for row in rows) for position in range(len(columns))]
    head = "".join(_cell("th", name, n, "col") for name, n in zip(columns, numeric, strict=True))
    body = "".join(f"<tr>{_row(row, numeric)}</tr>" for row in rows)
    title = f"<caption>{escape(plain(caption))}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(row: Sequence[str], numeric: Sequence[bool]) -> str:
    (first, *others), (named, *rest) = row, numeric
    cells = (_cell("td", cell, n) for cell, n in zip(others, rest, strict=True))
    return _cell("th", first, named, "row") + "".join(cells)


def _cell(tag: str, text: str, numeric: bool, scope: str = "") -> str:
    number, of = ' class="number"' if numeric else "", f' scope="{scope}"' if scope else ""
    return f"<{tag}{of}{number}>{escape(plain(text))}</{tag}>"
