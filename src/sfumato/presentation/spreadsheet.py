"""Tables for spreadsheets: CSV in which no text is taken for a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO

FORMULA = (*"=+-@\t\r\n", *"\uff1d\uff0b\uff0d\uff20")  # what may begin a formula; the last four in full width


def write_csv(file: TextIO, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A header and rows. A text that would be computed has an apostrophe before it; numbers stay as they are."""
    writer = csv.writer(file)
    writer.writerow(map(cell, columns))
    writer.writerows(map(cell, row) for row in rows)


def cell(value: object) -> object:
    """
    >>> cell("=1+1"), cell("a=b"), cell(-5)
    ("'=1+1", 'a=b', -5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
