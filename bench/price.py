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
    at: str = ""  # where it is not the number of people that the others are measured with

    @property
    def name(self) -> str:
        return f"{self.verb}{self.at}"

    @property
    def planning(self) -> float:
        """Milliseconds of writing SQL and of the engine's own planning: the verb on few people beyond the plain query.

        The ledger's entries are no planning: they are not in it, and stay in the ratios but those of a release.
        """
        return max(0.0, self.few.verb[self.verb] - self.few.ledger[self.verb] - self.few.plain)

    @property
    def ratio(self) -> float:
        """All CPU of the verb, over the plain query's."""
        return self.many.verb[self.verb] / self.many.plain

    @property
    def apart(self) -> float:
        """Milliseconds of planning that are reported separately, at most the target; the rest stays in the ratios."""
        return min(self.planning, max(0.0, PLANNING_MS - self.few.parse))

    @property
    def ratio_without_planning(self) -> float:
        """Of a release, which is all planning, noise and ledger beside the query itself, they are all apart."""
        fixed = self.planning + self.many.ledger[self.verb] if self.verb == "release" else self.apart
        return (self.many.verb[self.verb] - fixed) / self.many.plain

    @property
    def targets(self) -> Iterator[Target]:
        name = f"{self.question.name} {self.name}"
        if limit := RATIO[self.name].get(self.question.aggregate):
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
            "ledger_wall_ms": round(self.many.sync[self.verb], 2),
        }
