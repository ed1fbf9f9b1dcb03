"""One run of tests on one copy of src/, in a fork of a process that has loaded the heavy libraries once."""

from __future__ import annotations

import compileall
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).parents[2]

# What the named tests and the code under test import. Nothing of sfumato: that comes from each copy.
LIBRARIES = (
    "_pytest.assertion.rewrite", "hypothesis.strategies", "hypothesis.stateful", "numpy", "pandas", "pyarrow.parquet",
    "pyarrow.csv", "pyarrow.dataset", "pyarrow.compute", "duckdb", "sqlglot", "sqlglot.dialects.duckdb",
    "opendp.measurements", "opendp.domains", "opendp.metrics", "opendp.measures", "sqlalchemy.orm",
    "sqlalchemy.dialects.sqlite", "sqlalchemy.dialects.postgresql", "psycopg", "alembic.command", "fastapi", "httpx",
    "jinja2", "cryptography.hazmat.primitives.ciphers.aead", "argon2", "rich.console", "typer", "jsonschema_rs",
)  # fmt: skip

# Hypothesis repeats the same examples in each run, a test that cannot run is not green, and no other plugin is loaded.
SETTINGS = {
    "CI": "true",
    "SFUMATO_DEPTH": "test",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "OPENBLAS_NUM_THREADS": "1",  # a fork takes no threads along
}


class Untested(Exception):
    """A mutant that says nothing about the tests: it could not be made, or they could not run."""


@dataclass(frozen=True)
class Outcome:
    """Node ids of the tests that passed; failed assertions and other failures, each with its message."""

    green: list[str]
    red: dict[str, str]
    broken: dict[str, str]
    seconds: float  # of CPU


class Trials:
    """Copies of src/ in a folder, each with its tests in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._running: dict[int, Path] = {}
        os.environ.update(SETTINGS)
        for library in LIBRARIES:
            importlib.import_module(library)
        loaded = [name for name in sys.modules if name.partition(".")[0] == "sfumato"]
        assert not loaded, f"These modules would be tested as they are, not as a patch leaves them: {loaded}"
        shutil.copytree(ROOT / "src", self.folder / "base", ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(self.folder / "base", quiet=1)

    def start(self, name: str, patch: Path | None, tests: Sequence[str], *, first_only: bool) -> int:
        """The process that runs the tests on a new copy, patched."""
        place = self.folder / name
        shutil.copytree(self.folder / "base", place / "src", copy_function=os.link)  # git replaces what it patches
        if patch:
            _apply(patch, place)
        sys.stdout.flush()
        if not (process := os.fork()):
            _run(place, tests, first_only=first_only)
        self._running[process] = place
        return process

    def finished(self) -> tuple[int, Outcome | Untested]:
        """Wait for the next process that ends: which one it was, and how its tests went."""
        process, _, usage = os.wait4(-1, 0)
        place = self._running.pop(process)
        log = (place / "log").read_text("utf-8", "replace")
        try:
            result = json.loads((place / "result").read_text("utf-8"))
            outcome: Outcome | Untested = Outcome(**result, seconds=usage.ru_utime + usage.ru_stime)
        except FileNotFoundError:
            outcome = Untested(f"its tests did not run:\n{log}")
        shutil.rmtree(place)
        return process, outcome


def _apply(patch: Path, place: Path) -> None:
    command = ["git", "apply", "-p1", "-C1", str(patch)]
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(place.parent)}
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(place)
        raise Untested(f"{patch.name} no longer applies to src/: write it anew ({done.stderr.strip()})")
    for line in patch.read_text("utf-8").splitlines():
        if line.startswith("+++ b/"):  # a patch within the same second and of the same length would go unnoticed
            changed = place / line.removeprefix("+++ b/")
            for stale in (changed.parent / "__pycache__").glob(f"{changed.stem}.*.pyc"):
                stale.unlink()


def _run(place: Path, tests: Sequence[str], *, first_only: bool) -> NoReturn:
    """Never returns: the process ends here, whatever happens."""
    try:
        log = os.open(place / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        source = str(place / "src")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH"))))
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(place / "hypothesis")  # no failure of one mutant for another
        sys.path.insert(0, source)
        verdicts = Verdicts()
        options = [
            "-p",
            "no:cacheprovider",
            f"--basetemp={place / 'tmp'}",
            "--tb=short",
            *(["-x"] if first_only else []),
        ]
        code = pytest.main([*tests, *options], plugins=[verdicts])
        sfumato = importlib.import_module("sfumato")
        if not str(sfumato.__file__).startswith(source):
            print(f"{sfumato.__file__} was imported, not the copy in {source}.")
        elif code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            result = {"green": verdicts.green, "red": verdicts.red, "broken": verdicts.broken}
            (place / "result").write_text(json.dumps(result), encoding="utf-8")
        sys.stdout.flush()
    finally:
        os._exit(0)


class Verdicts:
    """A pytest plugin that sorts tests into green, red by a failed assertion, and broken for any other reason."""

    def __init__(self) -> None:
        self.green: list[str] = []
        self.red: dict[str, str] = {}
        self.broken: dict[str, str] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
        report: pytest.TestReport = yield
        if report.passed:
            if report.when == "call":
                self.green.append(item.nodeid)
        elif report.failed and call.excinfo and _is_assertion(call.excinfo.value):
            self.red[item.nodeid] = call.excinfo.exconly()
        else:
            self.broken[item.nodeid] = report.longreprtext
        return report


def _is_assertion(failure: BaseException) -> bool:
    """Whether a test saw the fault, or missed an error that it asked for. Code that falls over was not seen through."""
    return isinstance(failure, AssertionError) or (
        isinstance(failure, pytest.fail.Exception) and str(failure).startswith("DID NOT RAISE")
    )
