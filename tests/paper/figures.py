"""Numbers as they are written in source, in code and in text."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path

MANY = 6  # digits from which on a number is taken for a value
_WRITTEN = re.compile(r"(?<![\w.])\d[\d_]*(?:\.[\d_]+)?(?:[eE][-+]?\d+)?(?![\w])|(?<![\w.])\.\d+(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Written:
    """A number and the line it stands in."""

    number: Decimal
    line: int

    @property
    def digits(self) -> int:
        """How many of its digits say something: without zeros at either end."""
        return len(self.number.normalize().as_tuple().digits)

    def agrees(self, other: Decimal) -> bool:
        """Whether one is the other, as far as both are written; nothing that is written with few digits does."""
        digits = min(self.digits, len(other.normalize().as_tuple().digits))
        rounded = Context(prec=digits, rounding=ROUND_HALF_EVEN)
        return digits >= MANY and rounded.plus(self.number) == rounded.plus(abs(other))


def written(path: Path) -> Iterator[Written]:
    """All numbers of a Python file: those of its code, and those in its docstrings and other texts."""
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type != tokenize.NAME:
                for found in _WRITTEN.finditer(token.string):
                    line = token.start[0] + token.string.count("\n", 0, found.start())
                    yield Written(Decimal(found[0].replace("_", "")), line)
