"""Small pieces of HTML for notebooks: escaped, without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def page_part(warning: str, svg: str, note: str) -> str:
    head = f"<p><strong>{escape(warning)}</strong></p>" if warning else ""
    return f"<div>{head}{svg}<p>{escape(note)}</p></div>"


def preformatted(text: str, warning: str = "") -> str:
    head = f"<p><strong>{escape(warning)}</strong></p>" if warning else ""
    return f"<div>{head}<pre>{escape(text)}</pre></div>"


def html_table(columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
