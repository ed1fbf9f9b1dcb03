"""What every test may lean on: the Adult data, databases, Hypothesis' profile. No network, no sleeping."""

from __future__ import annotations

import json
import math
import os
import resource
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TypeVar

import hypothesis
import pytest

from tests import ledgers
from tests import postgres as postgresql
from tests import spark as spark_for_tests
from tests.depth import depth
from tests.evidence import Deep, Evidence
from tests.times import Stopwatch

ROOT = Path(__file__).parent.parent
CI = os.environ.get("CI") == "true"
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)
NO_ADULT = "The Adult data is not here: put it at ../shared/data/adult.csv or name it in SFUMATO_ADULT."
NO_SPECIFICATION = "The specification is not here: golden.json is looked for in ../spec of the Adult data."

hypothesis.settings.register_profile("here", deadline=None, max_examples=depth("examples"))
hypothesis.settings.register_profile("ci", deadline=None, max_examples=depth("examples"), derandomize=True)
hypothesis.settings.load_profile("ci" if CI else "here")


@pytest.fixture(scope="session")
def adult_csv() -> Path:
    """The UCI Adult file, for tests marked `adult`. A machine may be without it, even under CI."""
    path = Path(os.environ.get("SFUMATO_ADULT", ROOT.parent / "shared/data/adult.csv"))
    if not path.is_file():
        pytest.skip(NO_ADULT)
    return path


@pytest.fixture(scope="session")
def golden_json(adult_csv: Path) -> Path:
    """The specification's own values, which lie beside the Adult data where that is at its usual place."""
    path = adult_csv.parents[1] / "spec" / "golden.json"
    if not path.is_file():
        pytest.skip(NO_SPECIFICATION)
    return path


@pytest.fixture
def ledger_path(tmp_path: Path) -> Path:
    """Where a ledger may be written; nothing is there yet."""
    return tmp_path / "test.ledger"


@pytest.fixture(scope="session")
def postgres() -> Iterator[postgresql.Server]:
    """A PostgreSQL server, the same for all tests of a process; each makes its own databases in it."""
    with postgresql.started() as server:
        yield server


@pytest.fixture(scope="session")
def spark() -> Iterator[None]:
    """A Spark in this process, the same for all its tests: it is started by the first one that opens a table."""
    with spark_for_tests.light_sessions():
        yield


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a workspace's database may be made, once on SQLite and once on PostgreSQL; nothing is there yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/escrow.db"
    server: postgresql.Server = request.getfixturevalue("postgres")
    return server.new()


@pytest.fixture(params=ledgers.KINDS)
def ledger_places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ledgers.Places]:
    """Makes places for ledgers: once in files, once on SQLite and once on PostgreSQL in a workspace's database."""
    with ledgers.places(request.param, tmp_path, lambda: request.getfixturevalue("postgres")) as new:
        yield new


@pytest.fixture
def fill_disk() -> Callable[[], None]:
    """From the call on until the test ends, no file takes one byte more."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """The limit ends with the test, before fixtures do: pytest writes the verdict in between, perhaps to a file."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)


# Under CI a component that is missing is a failure, not a skip


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _no_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _no_skip((yield))


def _no_skip(report: Report) -> Report:
    reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else ""
    allowed = any(said in reason for said in (NO_ADULT, NO_SPECIFICATION))
    if CI and report.outcome == "skipped" and reason and not allowed:
        report.outcome, report.longrepr = "failed", f"{reason} (a skip, which CI does not allow)"
    return report


# What a run writes besides its verdict: what passed, where the time went, evidence at full depth


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sfumato")
    group.addoption("--passed", type=Path, metavar="PATH", help="write the tests that passed as a JSON list")
    group.addoption("--times", type=Path, metavar="PATH", help="write the CPU seconds of each test as JSON")
    group.addoption("--evidence", type=Path, metavar="PATH", help="write depth and verdict of each deep test as JSON")
    group.addoption("--list-depths", type=Path, metavar="PATH", help="write which tests have a depth as JSON")
    group.addoption("--todo", type=Path, metavar="PATH", help="run only the tests of this JSON list")
    group.addoption("--minutes", type=float, default=math.inf, help="start no test of --todo after so many minutes")


def pytest_configure(config: pytest.Config) -> None:
    os.umask(0o022)  # the usual one: a stricter one would hide that a file is written for everyone to read
    config.addinivalue_line("markers", "depth(name, seed=None): goes as deep as tests/depths.toml says under this name")
    option, controller = config.getoption, not hasattr(config, "workerinput")
    if option("--times"):
        config.pluginmanager.register(Stopwatch(option("--times"), config))
    if option("--list-depths") or option("--todo"):
        config.pluginmanager.register(Deep(option("--list-depths"), option("--todo"), option("--minutes")))
    if option("--evidence") and controller:  # under xdist only the controller writes
        config.pluginmanager.register(Evidence(option("--evidence")))
    if option("--passed") and controller:
        config.pluginmanager.register(Passed(option("--passed")))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)  # a quick failure comes first


class Passed:
    """Lists the tests that passed, from every worker."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tests: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.tests.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.path.write_text(json.dumps(self.tests), encoding="utf-8")
