"""What it costs to start a sandbox: CPU of a function that does nothing, over that of an interpreter that does nothing.

Loading numpy, pandas and scikit-learn is the functions' own: it costs the same outside.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.target import SANDBOX_MS, Target
from sfumato.adapters.sandbox.bubblewrap import Bubblewrap

NOTHING = "def evaluate(tables): return 0"


@dataclass(frozen=True)
class Start:
    """Medians, in milliseconds of CPU of the processes that were started."""

    sandbox: float
    python: float
    rounds: int

    @property
    def added(self) -> float:
        return self.sandbox - self.python

    @property
    def targets(self) -> Iterator[Target]:
        yield Target("a sandbox's start, beyond Python's own", self.added, most=SANDBOX_MS, unit=" ms")

    @property
    def figures(self) -> dict[str, float]:
        return {"rounds": self.rounds, "sandbox_ms": round(self.sandbox, 1), "python_ms": round(self.python, 1)}

    def lines(self) -> Iterator[str]:
        yield (
            f"A sandbox starts, scores and ends in {self.sandbox:.1f} ms of CPU, an interpreter alone in "
            f"{self.python:.1f}: medians of {self.rounds} rounds."
        )


def start(rounds: int) -> Start | None:
    """The two take turns. None: there is no sandbox here."""
    sandbox = Bubblewrap(pause=lambda _: None)
    if sandbox.missing():
        return None
    alone = [sys.executable, "-I", "-S", "-c", ""]
    taken = [
        (_cpu(lambda: sandbox.score(NOTHING, [])), _cpu(lambda: subprocess.run(alone, check=True)))
        for _ in range(rounds)
    ]
    inside, outside = (statistics.median(each) for each in zip(*taken, strict=True))
    return Start(inside, outside, rounds)


def _cpu(work: Callable[[], object]) -> float:
    before = _spent()
    work()
    return 1000 * (_spent() - before)


def _spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
