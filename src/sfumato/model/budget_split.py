"""One epsilon split over several queries, and what that means for each of them. Public: no data was read for it."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.model.confidential import Confidential
from sfumato.model.plain import to_plain


@dataclass(frozen=True)
class QueryShare:
    """One query's share of epsilon, and the width of its noise at that share.

    `least` is the minimum true answer: from there on the relative error is small enough. It is there where the answer
    is one noisy number, or one in each of its groups.
    """

    query: str
    index: float
    sensitivity: float  # that of a count of rows where the query is several noisy numbers, or selected
    epsilon: float
    scale: tuple[float | None, ...]  # one per noisy number; None where it is selected
    noise_90: tuple[float | None, ...]
    relative_error: float
    least: float | None = None
    expected: float | None = None
    expected_error: float | None = None  # at the confidence that is stated

    @property
    def met(self) -> bool | None:
        """Whether the answer that is expected will do: test (9) of the DIFF paper."""
        return None if self.expected is None or self.least is None else abs(self.expected) >= self.least

    def as_dict(self) -> dict[str, object]:
        named = {"minimum_true_answer" if name == "least" else name: value for name, value in to_plain(self).items()}
        return named | {"met": self.met}


@dataclass(frozen=True)
class BudgetSplit:
    """`needed` is the least epsilon that would do for every answer that is expected."""

    epsilon: float
    parts: tuple[QueryShare, ...]
    confidence: float
    aim: str | None = None  # what the index was found for; None: it was stated
    needed: float | None = None

    @property
    def index(self) -> tuple[float, ...]:
        return tuple(part.index for part in self.parts)

    def as_dict(self) -> dict[str, object]:
        return {
            "epsilon": self.epsilon,
            "confidence": self.confidence,
            "aim": self.aim,
            "epsilon_needed": self.needed,
            "queries": [part.as_dict() for part in self.parts],
        }


@dataclass(frozen=True, repr=False)
class Checked(Confidential):
    """Test (9) of one query with its true answers, one in each cell; nothing is tested where there is no minimum."""

    query: str
    least: float | None
    answers: tuple[float, ...]

    @property
    def met(self) -> tuple[bool, ...]:
        return () if self.least is None else tuple(abs(answer) >= self.least for answer in self.answers)
