"""What a check of an engine came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FactDifference:
    """A fact that an engine found to be another; `found` says nothing where it failed.

    `people` and `query` say what it is a fact of; without a query, of the table itself.
    """

    people: str
    query: str
    fact: str
    expected: Any
    found: Any
    failed: bool


@dataclass(frozen=True)
class EngineCheck:
    """How many facts were compared, and which differ. The rows are sfumato's own, so nothing of it is confidential."""

    engine: str
    facts: int
    differences: tuple[FactDifference, ...]

    @property
    def passed(self) -> bool:
        return not self.differences
