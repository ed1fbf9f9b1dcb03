"""Whether time grows as the people do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from bench.question import Question
from bench.target import Target, growth

WIDTH = 40


@dataclass(frozen=True)
class Growth:
    """Milliseconds of CPU by number of people, of the plain query or of choosing (without planning)."""

    question: Question
    side: str
    ms: Mapping[int, float]

    @property
    def factors(self) -> dict[str, float]:
        """From each size to the next, how many times the time."""
        return {
            f"{short(few)} to {short(many)}": self.ms[many] / self.ms[few] for few, many in pairwise(sorted(self.ms))
        }

    @property
    def targets(self) -> Iterator[Target]:
        if self.side != "choose":
            return
        for few, many in pairwise(sorted(self.ms)):
            what = f"{self.question.name} choose, {short(few)} to {short(many)} people"
            yield growth(what, self.ms[many] / self.ms[few], many / few)

    def plot(self, widest: float) -> Iterator[str]:
        """A bar a size, as long as the nanoseconds for one person: where growth is linear the bars are the same."""
        for rows, ms in sorted(self.ms.items()):
            each = self.a_person(rows)
            bar = "█" * max(1, round(WIDTH * each / widest))
            yield f"{self.question.name} {self.side:<6} {short(rows):>5}  {ms:>9.1f} ms  {each:>6.2f} ns  {bar}"

    def a_person(self, rows: int) -> float:
        """Nanoseconds."""
        return 1e6 * self.ms[rows] / rows


def short(rows: int) -> str:
    """A number of people in few signs.

    >>> short(10_000_000), short(100_000), short(250)
    ('10M', '100k', '250')
    """
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if rows >= size and rows % size == 0:
            return f"{rows // size}{letter}"
    return str(rows)
