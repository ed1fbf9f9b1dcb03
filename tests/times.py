"""Where the CPU seconds of a test run go: `make test-times`, which also writes the table of docs/testing.md.

`pytest --times=PATH` measures; processes that tests start count, wall time does not: it depends on what else runs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests import cpu

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "testing.md"
WRITTEN = re.compile(r"(<!-- Written by make test-times: from here -->\n).*?(<!-- to here -->)", re.DOTALL)
Counted = dict[str, tuple[int, float]]  # how often, and CPU seconds in all


@dataclass
class Times:
    """CPU seconds of one process that runs tests, or of several."""

    start: float = 0.0  # of Python and pytest, up to collection
    collection: float = 0.0
    tests: Counted = field(default_factory=dict)
    fixtures: Counted = field(default_factory=dict)
    programs: Counted = field(default_factory=dict)

    def add(self, other: Times) -> None:
        self.start += other.start
        self.collection += other.collection
        for mine, theirs in zip(self._counted, other._counted, strict=True):
            for name, (count, spent) in theirs.items():
                count_one(mine, name, spent, count)

    @property
    def _counted(self) -> list[Counted]:
        return [self.tests, self.fixtures, self.programs]


def count_one(counted: Counted, name: str, spent: float, count: int = 1) -> None:
    before, so_far = counted.get(name, (0, 0.0))
    counted[name] = before + count, so_far + spent


# The pytest plugin


class Stopwatch:
    """Measures in each process that runs tests; the controller adds up and writes."""

    def __init__(self, path: Path, config: pytest.Config) -> None:
        self.path, self.config = path, config
        self.times = Times()
        self._inner: list[float] = []  # what fixtures within the one being made took
        self._runs_tests = hasattr(config, "workerinput") or not config.getoption("numprocesses", default=None)
        if self._runs_tests:
            self._note_ended_processes()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        before = cpu.seconds()
        result = yield
        if self._runs_tests:
            self.times.start, self.times.collection = before, cpu.seconds() - before
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        before = cpu.seconds()
        result = yield
        count_one(self.times.tests, item.nodeid, cpu.seconds() - before)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        before = cpu.seconds()
        self._inner.append(0.0)
        try:
            return (yield)
        finally:
            spent = cpu.seconds() - before
            count_one(self.times.fixtures, fixturedef.argname, spent - self._inner.pop())
            if self._inner:
                self._inner[-1] += spent

    def _note_ended_processes(self) -> None:
        """The kernel tells what a process and its children took to whoever waits for it."""
        programs = self.times.programs

        def waitpid(process: int, options: int) -> tuple[int, int]:
            which = (os.P_PID, process) if process > 0 else (os.P_ALL, 0)
            first = os.waitid(*which, os.WEXITED | os.WNOWAIT | (options & os.WNOHANG))
            if first is None:
                return 0, 0
            name = _program(first.si_pid)
            ended, status, usage = os.wait4(process, options)
            if ended:
                count_one(programs, name, usage.ru_utime + usage.ru_stime)
            return ended, status

        os.waitpid = waitpid

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        if "times" in node.workeroutput:
            self.times.add(Times(**json.loads(node.workeroutput["times"])))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        written = json.dumps(vars(self.times))
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["times"] = written
        else:
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text(written, encoding="utf-8")


def _program(process: int) -> str:
    """The name of an ended process that was not waited for yet."""
    try:
        return Path(f"/proc/{process}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "unknown"


# What one start costs


def _command(*arguments: str) -> Callable[[], object]:
    return lambda: subprocess.run(arguments, check=True, capture_output=True, cwd=ROOT)


def _entered(context: Callable[[], AbstractContextManager[object]]) -> Callable[[], object]:
    def run() -> None:
        with context():
            pass

    return run


def starts() -> Iterator[tuple[str, float]]:
    """CPU seconds of one start and end of what tests start, each measured alone; what is not installed is left out."""
    from tests import postgres
    from tests.web import browser

    command = str(Path(sys.executable).with_name("sfumato"))
    for name, start in {
        "`python -c pass`": _command(sys.executable, "-c", "pass"),
        "`import pytest, hypothesis`": _command(sys.executable, "-c", "import pytest, hypothesis"),
        "`import sfumato`": _command(sys.executable, "-c", "import sfumato"),
        "`sfumato --help`": _command(command, "--help"),
        "`sfumato worst-case --help`": _command(command, "worst-case", "--help"),
        "a PostgreSQL server": _entered(postgres.started),
        "a browser": _entered(browser.started),
    }.items():
        before = cpu.seconds()
        try:
            start()
        except pytest.skip.Exception:
            continue
        yield name, cpu.seconds() - before


# The report


def folder(test: str) -> str:
    return "/".join(test.partition("::")[0].split("/")[:2])


def grouped(tests: Counted, key: Callable[[str], str]) -> Counted:
    groups: Counted = {}
    for test, (count, spent) in tests.items():
        count_one(groups, key(test), spent, count)
    return groups


def table(title: str, counted: Counted, *, most: int = 1000, least: float = 0.0, times: str = "times") -> str:
    """A Markdown table with the most expensive first."""
    lines = [f"| {title} | {times} | CPU seconds | each |", "|---|--:|--:|--:|"]
    for name, (count, spent) in sorted(counted.items(), key=lambda one: -one[1][1])[:most]:
        if spent >= least:
            lines.append(f"| {name} | {count:,} | {spent:,.1f} | {spent / count:.2f} |")
    return "\n".join(lines)


def summary(times: Times, total: float) -> str:
    """The tables of docs/testing.md."""
    folders = grouped(times.tests, folder)
    in_tests = sum(spent for _, spent in folders.values())
    other = total - in_tests - times.start - times.collection
    around = {
        "starting pytest": times.start,
        "collection": times.collection,
        "the rest: pytest's controller, endings": other,
    }
    lines = [table("folder", folders, times="tests"), ""]
    lines += ["| around the tests | CPU seconds |", "|---|--:|", *(f"| {k} | {v:,.1f} |" for k, v in around.items())]
    lines += [
        f"| all, with the tests | {total:,.1f} |",
        "",
        table("module", grouped(times.tests, _module), most=15, times="tests"),
    ]
    lines += ["", table("fixture, without those that it asks for", times.fixtures, most=12, least=0.1)]
    lines += ["", table("program that tests start, over its life", times.programs, most=8, least=0.1)]
    lines += ["", "| one start, alone | CPU seconds |", "|---|--:|", *(f"| {k} | {v:.2f} |" for k, v in starts())]
    return "\n".join(lines) + "\n"


def _module(test: str) -> str:
    return test.partition("::")[0]


def main() -> int:
    """Run the tests with pytest's arguments, or all of them, and print where the time went."""
    path = ROOT / "build" / "times.json"
    before = cpu.seconds()
    command = [sys.executable, "-m", "pytest", f"--times={path}", *(sys.argv[1:] or ["-n", "2", "--dist", "worksteal"])]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    total = cpu.seconds() - before
    times = Times(**json.loads(path.read_text("utf-8")))
    print(table("module", grouped(times.tests, _module), least=0.5, times="tests"), end="\n\n")
    print(
        table("test function", grouped(times.tests, lambda test: test.partition("[")[0]), most=60, times="tests"),
        end="\n\n",
    )
    print(table("test", times.tests, most=60), end="\n\n")
    page = summary(times, total)
    print(page)
    if not sys.argv[1:] and code == 0:
        PAGE.write_text(
            WRITTEN.sub(lambda match: match[1] + page + match[2], PAGE.read_text("utf-8")), encoding="utf-8"
        )
    return code


if __name__ == "__main__":
    sys.exit(main())
