"""One question in many words: other names and another order of columns, another HAVING, ORDER BY and LIMIT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.property.tables import Draw

AGGREGATES = (
    "COUNT(*)",
    "COUNT(days)",
    "SUM(days)",
    "AVG(days)",
    "AVG(cost)",
    "VAR_POP(days)",
    "COUNT(DISTINCT country)",
)
KEYS = ("ward", "urgent")
CONDITIONS = ("days > 3", "ward <> 'Surgery'", "urgent", "country LIKE 'a%'", "days > 3 AND cost < 10")
_NAMES = ("n", "total", "mean of it", "COUNT", "x1", "Station")


@dataclass(frozen=True)
class Asked:
    """What matters about a statement: which noisy numbers, of which rows, in which groups."""

    aggregates: tuple[str, ...]
    keys: tuple[str, ...] = ()
    where: str = ""

    def sql(self, *, outputs: Sequence[str] = (), by: Sequence[str] = (), afterwards: str = "") -> str:
        shown = ", ".join(outputs or (*self.keys, *self.aggregates))
        where = f" WHERE {self.where}" if self.where else ""
        group = f" GROUP BY {', '.join(by or self.keys)}" if self.keys else ""
        return f"SELECT {shown} FROM stays{where}{group}{afterwards}"


@st.composite
def questions(draw: Draw, aggregates: Sequence[str] = AGGREGATES) -> Asked:
    chosen = draw(st.lists(st.sampled_from(aggregates), min_size=1, max_size=3, unique=True))
    keys = draw(st.lists(st.sampled_from(KEYS), max_size=2, unique=True))
    return Asked(tuple(chosen), tuple(keys), draw(st.sampled_from(("", *CONDITIONS))))


@st.composite
def wordings(draw: Draw, asked: Asked) -> str:
    """The same question: every aggregate is shown, or read by HAVING or ORDER BY alone; keys are shown or not."""
    names = draw(st.permutations(_NAMES))
    hidden = draw(st.sampled_from(asked.aggregates)) if len(asked.aggregates) > 1 and draw(st.booleans()) else None
    shown = [a for a in asked.aggregates if a != hidden] + draw(
        st.lists(st.sampled_from(asked.keys or ("",)), max_size=1)
    )
    items = [part for part in draw(st.permutations(shown)) if part]
    named = [f'{part} AS "{name}"' if draw(st.booleans()) else part for part, name in zip(items, names, strict=False)]
    order = [hidden] if hidden else []
    order += draw(st.lists(st.sampled_from((*asked.aggregates, *asked.keys)), max_size=2))
    having = draw(st.sampled_from(("", *(f" HAVING {a} > 5" for a in asked.aggregates))))
    sorted_by = f" ORDER BY {', '.join(f'{part} DESC' for part in order)}" if order else ""
    limit = draw(st.sampled_from(("", " LIMIT 2", " LIMIT 1 OFFSET 1", " LIMIT 0")))
    by = draw(st.permutations(asked.keys))
    return asked.sql(outputs=named, by=by, afterwards=having + sorted_by + limit)
