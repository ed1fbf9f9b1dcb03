"""What privacy costs: a verb's CPU time over the plain query's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.cost import Costs
from bench.question import Question
from bench.target import PLANNING_MS, RATIO, Target


@dataclass(frozen=True)
class Price:
    """One verb of one question: `few` people show what does not grow with them, `many` are what is asked about."""

    question: Question
    verb: str
    few: Costs
    many: Costs

    @property
    def planning(self) -> float:
        """Milliseconds of writing SQL and of the engine's own planning: the verb on few people beyond the plain query.

        The ledger's entries are no planning: they are not in it, and stay in the ratios.
        """
        return max(0.0, self.few.verb[self.verb] - self.few.ledger[self.verb] - self.few.plain)

    @property
    def ratio(self) -> float:
        """All CPU of the verb, over the plain query's."""
        return self.many.verb[self.verb] / self.many.plain

    @property
    def apart(self) -> float:
        """Milliseconds of planning that may be reported apart: what goes beyond the promise stays in the ratios."""
        return min(self.planning, max(0.0, PLANNING_MS - self.few.parse))

    @property
    def ratio_without_planning(self) -> float:
        return (self.many.verb[self.verb] - self.apart) / self.many.plain

    @property
    def targets(self) -> Iterator[Target]:
        name = f"{self.question.name} {self.verb}"
        if limit := RATIO[self.verb].get(self.question.aggregate):
            yield Target(f"{name} / plain, without planning", self.ratio_without_planning, most=limit)
        if self.verb == "choose":
            yield Target(f"{name}: parse + plan", self.few.parse + self.planning, most=PLANNING_MS, unit=" ms")

    @property
    def figures(self) -> dict[str, float]:
        return {
            "ratio": round(self.ratio, 3),
            "ratio_without_planning": round(self.ratio_without_planning, 3),
            "parse_ms": round(self.few.parse, 2),
            "planning_ms": round(self.planning, 2),
            "ledger_ms": round(self.many.ledger[self.verb], 2),
        }
