"""`make test`: all tests, then the mutants, then whether both stayed within the limit of CPU seconds."""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent

# Tests and mutants together: about 16 minutes on two free cores. 240 of them are for PostgreSQL and Spark, which start
# servers. If you add an expensive test, make another one cheaper: `make test-times` shows where the seconds go.
LIMIT = 1930.0

# CPU seconds of `sample` on the machine on which the limit was set (docs/testing.md), with both of its cores busy.
REFERENCE = 0.0131
BETWEEN = 5.0  # seconds between two samples


def sample() -> float:
    """CPU seconds of a fixed piece of work: they grow as those of the tests do on a machine that is slow or busy."""
    before = time.process_time()
    table: dict[int, int] = {}
    for number in range(100_000):
        table[number % 997] = table.get(number % 997, 0) + number * number % 7
    return time.process_time() - before


def run(command: list[str], samples: list[float]) -> tuple[int, float]:
    """Exit code of a command, and its CPU seconds with those of all processes that it waited for."""
    before = _ended()
    with subprocess.Popen([sys.executable, "-m", *command], cwd=ROOT) as process:
        while True:
            samples.append(sample())
            try:
                return process.wait(BETWEEN), _ended() - before
            except subprocess.TimeoutExpired:
                continue


def _ended() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def judgement(tests: float, mutants: float, work: float) -> tuple[bool, str]:
    """Whether the seconds are within the limit, and a sentence, where `work` is the mean of the samples.

    A slow or busy machine may take as much more as the same work takes there; a fast one is not asked for less.
    """
    total = tests + mutants
    comparable = total / max(1.0, work / REFERENCE)
    sentence = (
        f"CPU seconds: {tests:,.0f} for the tests and {mutants:,.0f} for the mutants, {total:,.0f} in all. A sample of "
        f"work took {1000 * work:.1f} ms, and {1000 * REFERENCE:.1f} ms on the reference machine, where this makes "
        f"{comparable:,.0f}. The limit is {LIMIT:,.0f}."
    )
    if comparable <= LIMIT:
        return True, sentence
    return False, f"{sentence} `make test-times` shows where they are spent; docs/testing.md says how to save some."


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test")
    parser.add_argument("--busy", type=int, default=0, help="endless loops to run beside the tests")
    options = parser.parse_args()
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    samples: list[float] = []
    try:
        with TemporaryDirectory(prefix="sfumato-") as folder:
            passed = Path(folder) / "passed.json"
            code, tests = run(["pytest", "-n", "2", "--dist", "worksteal", f"--passed={passed}"], samples)
            if code:
                return code
            code, mutants = run(["tests.mutants.run", f"--green={passed}"], samples)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    within, sentence = judgement(tests, mutants, statistics.fmean(samples))
    print(sentence, file=sys.stdout if within else sys.stderr)
    return code or (0 if within else 1)


if __name__ == "__main__":
    sys.exit(main())
