"""How large a query may be once its sub-selects are written out: what a row costs follows from the query alone.

A query may compute something for one person's rows only (`CASE WHEN name = 'Ada' THEN ... END`). The limits keep what
that takes small beside the rest, so that no person decides whether a query stays within a worker's time and memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sfumato.errors import QueryError
from sfumato.model.calendar import FUNCTIONS as DATE_FUNCTIONS
from sfumato.model.functions import FUNCTIONS
from sfumato.model.statement import Arithmetic, Call, Constant, Membership, Pattern, Predicate, Scalar, parts_of
from sfumato.sql.parser.regular_expression import steps

LONGEST = 100_000  # characters of one query, as it was written and in the one spelling
LONGEST_TEXT = 1_000  # characters of one text constant
LONGEST_PATTERN = 200  # characters of one LIKE pattern: matching takes up to that many steps for each byte of a text
MOST_WILDCARDS = 20  # % in one LIKE pattern
MOST_STEPS = 1_000  # characters of one regular expression, with what it repeats
ALL_PATTERNS = 10_000  # characters of all patterns of a query
LARGEST = 5_000  # operations, columns and constants of a query
MOST_AFTERWARDS = (
    200  # the same of a HAVING or a computed column, which is computed for each row of the answer by itself
)
DEEPEST = 50  # operations inside one another
NESTED = 24  # parentheses and CASE inside one another: reading one takes up to 33 of Python's 1,000 nested calls

_OUT = "once its sub-selects are written out, and the limit is"
_SPLIT = "or ask several queries."
_NESTING = re.compile(r"""'(?:[^']|'')*+'|"(?:[^"]|"")*+"|[()]|\bCASE\b|\bEND\b""", re.IGNORECASE)
_OPENS = {"(": 1, "CASE": 1, ")": -1, "END": -1}


class Size:
    """The size of expressions. Names of sub-selects stand for whole expressions: each is measured once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Scalar | Predicate, tuple[int, int, int]]] = {}  # an id is taken while it is held

    def require_shallow(self, part: Scalar | Predicate) -> None:
        """Refuse an expression that is too deep for the functions that walk through it."""
        operations, _, depth = self._of(part)
        if depth > DEEPEST:
            what = f"The query has {depth:,} operations inside one another, and the limit is {DEEPEST}"
            raise QueryError(what, hint="simplify the query.")
        _require_few(operations)

    def require_brief(self, part: Scalar | Predicate, what: str) -> None:
        """Refuse what takes long for each row: an engine looks a list of constants up, but here it is gone through."""
        operations, _, _ = self._of(part)
        if operations <= MOST_AFTERWARDS:
            operations += sum(len(inner.members) for inner in _every(part) if isinstance(inner, Membership))
        if operations > MOST_AFTERWARDS:
            what = f"{what} has {operations:,} operations and constants, and the limit is {MOST_AFTERWARDS}"
            raise QueryError(what, hint="apply it to the answer instead.")

    def require_within(self, parts: Iterable[Scalar | Predicate]) -> None:
        """Refuse a query whose expressions are too large in all."""
        sizes = [self._of(part) for part in parts]
        _require_few(sum(operations for operations, _, _ in sizes))
        patterns = sum(characters for _, characters, _ in sizes)
        if patterns > ALL_PATTERNS:
            raise QueryError(
                f"The patterns of the query have {patterns:,} characters in all {_OUT} {ALL_PATTERNS:,}",
                hint=f"use fewer or shorter patterns, {_SPLIT}",
            )

    def _of(self, part: Scalar | Predicate) -> tuple[int, int, int]:
        """Operations, characters of patterns, and depth: each inner expression before the one around it."""
        waiting = [part]
        while waiting:
            inner = waiting[-1]
            missing = [p for p in parts_of(inner) if id(p) not in self._known]
            waiting += missing
            if not missing:
                self._known[id(waiting.pop())] = inner, self._sum(inner)
        return self._known[id(part)][1]

    def _sum(self, part: Scalar | Predicate) -> tuple[int, int, int]:
        inner = [self._known[id(p)][1] for p in parts_of(part)]
        if isinstance(part, Arithmetic) and part.operator == "/":
            inner.append(inner[1])  # a divisor is compared with 0 as well: engines write it out twice
        if isinstance(part, Call) and part.name in FUNCTIONS:
            inner += [inner[i] for i in FUNCTIONS[part.name].twice]  # so is what must lie in the domain of a function
        if isinstance(part, Call) and part.name in DATE_FUNCTIONS:
            inner += 2 * inner  # and a day or time, which must be in the years that there are
        own = len(part.pattern) if isinstance(part, Pattern) else _pattern_steps(part)
        depth = 1 + max(depth for _, _, depth in inner) if inner else 0
        return 1 + sum(many for many, _, _ in inner), own + sum(letters for _, letters, _ in inner), depth


def _pattern_steps(part: Scalar | Predicate) -> int:
    """The characters of the regular expression in a call, with what it repeats."""
    match part:
        case Call("REGEXP_MATCHES" | "REGEXP_FULL_MATCH", (_, Constant(str(pattern)))):
            return steps(pattern)
    return 0


def _every(part: Scalar | Predicate) -> Iterator[Scalar | Predicate]:
    yield part
    for inner in parts_of(part):
        yield from _every(inner)


def require_short(spelling: str) -> None:
    """Refuse a query whose one spelling is too long to be read again, as a worker reads it."""
    if len(spelling) > LONGEST:
        hint = f"use shorter texts, {_SPLIT}"
        raise QueryError(f"The query has {len(spelling):,} characters {_OUT} {LONGEST:,}", hint=hint)


def require_flat(text: str) -> None:
    """Refuse a query that is nested so deeply that whether it can be read would depend on who calls the reader."""
    depth = deepest = 0
    for token in _NESTING.finditer(text):
        depth += _OPENS.get(token[0].upper(), 0)
        deepest = max(deepest, depth)
    if deepest > NESTED:
        what = f"The query has parentheses and CASE {deepest:,} deep, and the limit is {NESTED}"
        raise QueryError(what, hint="simplify the query.")


def _require_few(operations: int) -> None:
    if operations > LARGEST:
        hint = f"use each computed column less often, {_SPLIT}"
        raise QueryError(f"The query has {operations:,} operations {_OUT} {LARGEST:,}", hint=hint)
