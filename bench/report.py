"""The measurements as tables for a terminal and as bench/results.json. They name no machine."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from bench.closed import Closed
from bench.contribution import Bounded
from bench.escrow import Escrow
from bench.growth import Growth, short
from bench.joins import Join
from bench.keys import ManyKeys
from bench.own_rows import OwnTotals
from bench.population import FOLDER
from bench.price import Price
from bench.sandbox import Start
from bench.speed import Speed
from bench.target import ADDED_MIB, STATED_FOR, Target
from bench.web import Web

RESULTS = Path(__file__).with_name("results.json")


@dataclass
class Report:
    """Measurements of one run, filled as they come in."""

    rows: int
    rounds: int
    prices: list[Price] = field(default_factory=list)
    added_mib: dict[tuple[str, str], float] = field(default_factory=dict)  # by question and verb
    contributions: list[Bounded] = field(default_factory=list)
    own_rows: OwnTotals | None = None
    join: Join | None = None
    growth: list[Growth] = field(default_factory=list)
    baseline_rows: int = 0
    speeds: list[Speed] = field(default_factory=list)
    keys: ManyKeys | None = None
    closed: Closed | None = None
    escrow: Escrow | None = None
    web: Web | None = None
    sandbox: Start | None = None

    @property
    def judged(self) -> bool:
        """Whether targets are judged: they are stated for many people; with fewer they are only shown."""
        return self.rows >= STATED_FOR

    @property
    def targets(self) -> Sequence[Target]:
        memory = [
            Target(f"{question} {verb}, added peak memory", mib, most=ADDED_MIB, unit=" MiB")
            for (question, verb), mib in self.added_mib.items()
        ]
        parts = (self.own_rows, self.join, self.keys, self.closed, self.escrow, self.web, self.sandbox)
        once = [each for each in parts if each is not None]
        measured: Sequence[
            Price | Bounded | OwnTotals | Join | ManyKeys | Growth | Speed | Closed | Escrow | Web | Start
        ] = (
            *self.prices,
            *self.contributions,
            *self.growth,
            *self.speeds,
            *once,
        )
        return [target for each in measured for target in each.targets] + memory

    @property
    def missed(self) -> Sequence[Target]:
        return [target for target in self.targets if not target.met] if self.judged else []

    # Tables

    def price_lines(self) -> Iterator[str]:
        yield f"CPU time over that of the plain query, {short(self.rows)} people, medians of {self.rounds} rounds:"
        yield ""
        yield "                            all   without            milliseconds of CPU time             wall time"
        yield "                  target    CPU  planning    plain   verb  open  parse  planning  ledger  its sync"
        for price in self.prices:
            limits = [t.limits for t in price.targets if not t.unit]
            yield (
                f"{price.question.name} {price.name:<13} {limits[0] if limits else '-':>7} {price.ratio:>6.2f} "
                f"{price.ratio_without_planning:>9.2f} {price.many.plain:>8.1f} {price.many.verb[price.verb]:>6.1f} "
                f"{price.many.open:>5.1f} {price.few.parse:>6.1f} {price.planning:>9.1f} "
                f"{price.many.ledger[price.verb]:>7.1f} {price.many.sync[price.verb]:>9.1f}"
            )

    def memory_lines(self) -> Iterator[str]:
        yield f"Peak memory of a verb beyond that of the plain query, MiB (target <= {ADDED_MIB:g}):"
        yield ""
        for (question, verb), mib in self.added_mib.items():
            yield f"{question} {verb:<8} {mib:>7.1f}"

    def growth_lines(self) -> Iterator[str]:
        yield "CPU time by number of people (choose: without planning); the bars are nanoseconds per person:"
        yield ""
        widest = max(each.a_person(rows) for each in self.growth for rows in each.ms)
        for each in self.growth:
            yield from each.plot(widest)
            yield "   " + ", ".join(f"{step}: {factor:.1f} times" for step, factor in each.factors.items())

    def speed_lines(self) -> Iterator[str]:
        yield f"The authors' method (a SQLite query for each distinct record), {short(self.baseline_rows)} people:"
        yield ""
        yield "                    authors' method     times faster"
        yield "   epsilon    runs     s of CPU      all   without planning   with their bounds and candidates"
        for each in self.speeds:
            yield (
                f"{each.question.name} {each.epsilon or math.nan:>7g} {each.runs:>7} {each.baseline_s:>12.2f} "
                f"{each.times:>8,.0f} {each.times_without_planning:>18,.0f} {each.times_as_published:>34,.0f}"
            )

    def verdict_lines(self) -> Iterator[str]:
        width = max(len(target.what) for target in self.targets)
        yield f"{'target':<{width}}  {'measured':>12}  target"
        for target in self.targets:
            verdict = ("met" if target.met else "MISSED") if self.judged else "not judged"
            yield f"{target.what:<{width}}  {target.measured:>12,.2f}  {target.limits:<16}  {verdict}"
        yield ""
        if not self.judged:
            yield f"The targets are stated for {short(STATED_FOR)} people and are not judged here."
        elif not self.missed:
            yield "Every target is met."

    # The file

    def write(self) -> Path:
        """Write the results; a run that is not judged does not replace one that was."""
        path = RESULTS if self.judged else FOLDER / RESULTS.name
        path.write_text(json.dumps(self.as_dict(), indent=2) + "\n", "utf-8")
        return path

    def as_dict(self) -> Mapping[str, object]:
        queries: dict[str, dict[str, dict[str, float]]] = {}
        for price in self.prices:
            mib = self.added_mib.get((price.question.name, price.name))
            memory = {} if mib is None else {"added_mib": round(mib, 1)}
            queries.setdefault(price.question.name, {})[price.name] = price.figures | memory
        return {
            "rows": self.rows,
            "rounds": self.rounds,
            "versions": {"python": platform.python_version()} | {n: version(n) for n in ("duckdb", "sfumato")},
            "queries": queries,
            "contribution": [each.figures for each in self.contributions],
            "own_rows": {} if self.own_rows is None else self.own_rows.figures,
            "join": {} if self.join is None else self.join.figures,
            "growth": [
                {"query": each.question.name, "side": each.side}
                | {step: round(factor, 2) for step, factor in each.factors.items()}
                for each in self.growth
            ],
            "keys": {} if self.keys is None else self.keys.figures,
            "closed": {} if self.closed is None else self.closed.figures,
            "escrow": {} if self.escrow is None else self.escrow.figures,
            "web": {} if self.web is None else self.web.figures,
            "sandbox": {} if self.sandbox is None else self.sandbox.figures,
            "baseline": {"rows": self.baseline_rows} | {each.question.name: each.figures for each in self.speeds},
            "targets": [
                {"what": t.what, "measured": round(t.measured, 3), "promised": t.limits}
                | ({"met": t.met} if self.judged else {})
                for t in self.targets
            ],
        }
