"""Evidence: how deep each test with a depth went, on which code, and what it found. A pytest plugin and its file.

`tests/prove.py` drives it. The file is written after each test, so that a run that is broken off loses nothing.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import hypothesis
import pytest

from tests import depth

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Entry:
    """A test at its full depth. Before it ran, commit, hash of src/ and verdict are empty."""

    test: str
    of: str  # the name in depths.toml
    depth: int
    seed: int | None
    commit: str = ""
    src: str = ""
    verdict: str = ""

    @property
    def passed(self) -> bool:
        return self.verdict.startswith("passed")

    def proves(self, task: Entry, src: str) -> bool:
        """Whether `task` need not run again on the code with this hash."""
        return self.passed and self.src == src and (self.test, self.depth) == (task.test, task.depth)


def load(path: Path) -> dict[str, Entry]:
    """Entries by test; none where there is no file."""
    if not path.is_file():
        return {}
    return {entry["test"]: Entry(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))}


def save(path: Path, entries: Iterable[Entry]) -> None:
    """Replace the file as a whole: a reader never sees half of it."""
    written = [asdict(entry) for entry in sorted(entries, key=lambda entry: entry.test)]
    whole = path.with_suffix(".new")
    whole.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    whole.replace(path)


def source_hash(source: Path = ROOT / "src") -> str:
    """SHA-256 of all files below src/ with their paths: the code that is tested."""
    digest = hashlib.sha256()
    for path in sorted(path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(source).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def commit() -> str:
    """The commit that was tested, with "-dirty" when code or tests were not what it says."""
    try:
        head, changes = (
            subprocess.run(
                ["git", "-C", str(ROOT), *command], capture_output=True, text=True, check=True
            ).stdout.strip()
            for command in (["rev-parse", "HEAD"], ["status", "--porcelain", "--", "src", "tests"])
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head}-dirty" if changes else head


def name_of(item: pytest.Item) -> str:
    """The id of a test, which Schemathesis gives to all operations of the API alike, made from its own name."""
    return item.nodeid if item.parent is None else f"{item.parent.nodeid}::{item.name}"


# The pytest plugins: `--list-depths` and `--todo` in each process that collects, `--evidence` in the controller


class Deep:
    """Knows which of the collected tests have a depth: lists them, or runs those that are listed, until a time."""

    def __init__(self, listing: Path | None, todo: Path | None, minutes: float) -> None:
        self.listing = listing
        self.todo = None if todo is None else set(json.loads(todo.read_text(encoding="utf-8")))
        self.end = time.monotonic() + 60 * minutes
        self._generated: dict[str, list[str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> Generator[None, object, object]:
        """Note the depths that decide how many cases a function has."""
        depth.read.clear()
        result = yield
        self._generated[metafunc.definition.nodeid] = list(depth.read)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        tasks = [task for item in items if (task := self._task(item))]
        assert len({task.test for task in tasks}) == len(tasks), "Two tests with one id would have one entry."
        if self.listing:
            self.listing.write_text(json.dumps([asdict(task) for task in tasks]), encoding="utf-8")
        if self.todo is not None:
            by_test = {task.test: task for task in tasks if task.test in self.todo}
            config.hook.pytest_deselected(items=[item for item in items if name_of(item) not in by_test])
            items[:] = [item for item in items if name_of(item) in by_test]
            for item in items:
                item.user_properties.append(("task", asdict(by_test[name_of(item)])))

    def pytest_runtest_protocol(self) -> bool | None:
        """After the end no further test is started: it is left for the next run."""
        return True if time.monotonic() > self.end else None

    def _task(self, item: pytest.Item) -> Entry | None:
        mark = item.get_closest_marker("depth")
        name = str(mark.args[0]) if mark else next(self._names(item), None)
        seed = mark.kwargs.get("seed") if mark else None
        return Entry(name_of(item), name, depth.depth(name), seed) if name else None

    def _names(self, item: pytest.Item) -> Iterator[str]:
        """Depths of a test that is not marked: those that it reads, that give its cases, and of its examples."""
        test = name_of(item).partition("[")[0]
        function = test.rpartition("::")[2]
        yield from depth.readers(item.path).get(function, [])
        yield from self._generated.get(test, [])
        is_property = hypothesis.is_hypothesis_test(getattr(item, "obj", None))
        if is_property and depth.EXAMPLES in depth.DEPTHS and function not in depth.of_their_own(item.path):
            yield depth.EXAMPLES


class Evidence:
    """Collects the reports of the tests in `todo`, from every worker, and writes each into the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries = load(path)
        self.commit, self.src = commit(), source_hash()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        properties = dict(report.user_properties)
        if "task" not in properties or (report.when != "call" and report.passed):
            return
        task = Entry(**properties["task"])  # type: ignore[arg-type]
        verdict = f"{report.outcome}: {properties['verdict']}" if "verdict" in properties else report.outcome
        self.entries[task.test] = replace(task, commit=self.commit, src=self.src, verdict=verdict)
        save(self.path, self.entries.values())
