"""`make test` fails when tests and mutants take too many CPU seconds, and not because a machine is slow or busy."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import cpu
from tests.run import LIMIT, REFERENCE, judgement, run


@pytest.mark.parametrize(
    ("tests", "mutants", "slowness", "within"),
    [
        (LIMIT - 100, 100, 1.0, True),
        (LIMIT - 100, 101, 1.0, False),
        (2 * LIMIT, 0, 2.0, True),  # a machine that is half as fast
        (2 * LIMIT, 0, 1.9, False),
        (LIMIT, 0, 0.5, True),  # a fast machine is not asked for more
    ],
)
def test_the_limit_is_in_seconds_of_the_reference_machine(
    tests: float, mutants: float, slowness: float, within: bool
) -> None:
    verdict, sentence = judgement(tests, mutants, slowness * REFERENCE)
    assert verdict is within
    assert f"{tests + mutants:,.0f} in all" in sentence
    assert ("make test-times" in sentence) is not within


def test_the_seconds_of_a_command_are_those_of_its_children_too() -> None:
    """Two processes, one within the other, each with a tenth of a CPU second."""
    spin = "import time\nwhile time.process_time() < 0.1: pass\n"
    nested = f"import subprocess, sys\n{spin}subprocess.run([sys.executable, '-c', {spin!r}], check=True)"
    samples: list[float] = []
    before = cpu.seconds()
    code, spent = run(["timeit", "-n1", "-r1", nested], samples)
    assert code == 0
    assert spent >= 0.2
    assert cpu.seconds() - before >= spent
    assert samples


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Only /proc shows what a running process took.")
def test_processes_that_still_run_count() -> None:
    spin = "import time\nwhile time.process_time() < 0.2: pass\nprint(flush=True)\ninput()"
    before = cpu.seconds()
    with subprocess.Popen([sys.executable, "-c", spin], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        running = cpu.seconds()
        process.communicate(b"\n")
    assert running - before >= 0.15
