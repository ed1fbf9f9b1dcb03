"""The text of a query and the places in it: whatever is not answered is refused by its name and its place."""

from __future__ import annotations

import re
from typing import NoReturn

from sqlglot import exp

from sfumato.errors import QueryError

_CLAUSES = {
    "all": "GROUP BY ALL", "db": "A qualified table name", "distinct": "SELECT DISTINCT", "having": "HAVING",
    "into": "INTO", "joins": "JOIN", "laterals": "LATERAL", "limit": "LIMIT", "locks": "FOR UPDATE",
    "offset": "OFFSET", "order": "ORDER BY", "pivots": "PIVOT", "qualify": "QUALIFY", "sample": "SAMPLE",
    "windows": "WINDOW", "with_": "WITH", "group": "GROUP BY",
}  # fmt: skip
_NAMES: dict[type[exp.Expr], str] = {
    exp.Window: "Window functions",
    exp.Subquery: "Sub-selects inside an expression",
    exp.Select: "Sub-selects inside an expression",
    exp.Exists: "Sub-selects inside an expression",
    exp.Placeholder: "Parameters",
    exp.Parameter: "Parameters",
    exp.Star: "SELECT *",
    exp.Filter: "FILTER",
    exp.Mod: "The remainder (%)",
    exp.IntDiv: "Whole division (//)",
    exp.Pow: "A power",
    exp.DPipe: "Joining texts (||)",
    exp.Literal: "A constant",
    exp.Boolean: "A constant",
    exp.Null: "NULL by itself",
    exp.Cast: "CAST",
    exp.TryCast: "TRY_CAST",
}


class Text:
    """One query, as it was written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def only(self, node: exp.Expr, *allowed: str) -> None:
        """Refuse a node that carries anything beyond what we read."""
        for name, part in node.args.items():
            if part and name not in allowed:
                what = _CLAUSES.get(name, f"{name.strip('_').upper()} in {self.name_of(node)}")
                self.refuse(what, part[0] if isinstance(part, list) else part if isinstance(part, exp.Expr) else node)

    def refuse(self, what: str, node: object, hint: str = "") -> NoReturn:
        where = (self.place(node) if isinstance(node, exp.Expr) else "") or self.place_of_word(
            what.split(maxsplit=1)[0]
        )
        verb = "are" if what.split(" inside ", maxsplit=1)[0].endswith("s") else "is"
        raise QueryError(f"{what} {verb} not answered", hint=hint, where=where)

    def name_of(self, node: exp.Expr) -> str:
        """What a sentence calls something that is not answered: by its name in the text where it has one."""
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            return "SELECT *"
        if type(node) in _NAMES:
            return _NAMES[type(node)]
        if isinstance(node, exp.Func):
            start, end = node.meta.get("start"), node.meta.get("end")
            written = self.text[start : end + 1] if start is not None and end is not None else node.sql_name()
            return f"{written.upper()}()"
        return node.key.upper()

    def place(self, node: exp.Expr) -> str:
        """Line and column of the first character of a node that remembers where it stood."""
        starts = [n.meta["start"] for n in node.walk() if "start" in n.meta]
        if not starts:
            return ""
        return self.line_and_column(min(starts))

    def place_of_word(self, word: str) -> str:
        """The same for what remembers nothing: where its first word stands; of parameters, their sign."""
        found = re.search(r"[$?:@]" if word == "Parameters" else rf"\b{re.escape(word)}\b", self.text, re.IGNORECASE)
        return self.line_and_column(found.start()) if found else ""

    def line_and_column(self, start: int) -> str:
        before = self.text[:start]
        return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"
