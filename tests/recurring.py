"""A plan of monthly figures, a clock that a test sets, and places at which a run is killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.adapters.storage.ledger_file import SQLiteLedger
from sfumato.composition import local
from sfumato.composition.recurring import PlanRun
from sfumato.release.ledger import PrivacyLedger

SCHEMA = """
name = "stays"
{declared}
budget = {{ epsilon = {budget}, per = "month" }}

[columns.ward]
type = "text"
categories = ["a", "b"]

[columns.days]
type = "integer"
bounds = [0, 60]
"""
PLAN = """
name = "monthly"
schema = "stays.toml"
data = "stays-{year}-{month}.csv"
every = "month"
%s

[figures.stays]
sql = "SELECT COUNT(*) FROM stays"
epsilon = 0.1
out = "figures/{period}/stays.csv"
certificate = "figures/{period}/stays.txt"

[figures.days]
sql = "SELECT AVG(days) FROM stays"
gap = 1.2
worst_case = true
out = ["figures/{period}/days.json"]

[figures.wards]
sql = "SELECT ward, COUNT(*) FROM stays GROUP BY ward"
epsilon = 0.05
intervals = true
out = "figures/{period}/wards.csv"
"""
EPSILONS = {"stays": 0.1, "days": 0.2 - 1e-9, "wards": 0.05}
MONTHS = [f"2026-{month:02}" for month in range(1, 13)]
INTERRUPTED = 'interruptions = "restarts of the machine"'


def write_plan(folder: Path, *lines: str, declared: str = "", budget: float = 0.35) -> Path:
    (folder / "stays.toml").write_text(SCHEMA.format(declared=declared, budget=budget), "utf-8")
    (folder / "plan.toml").write_text(PLAN % "\n".join(lines), "utf-8")
    for place, month in enumerate(MONTHS):
        rows = "".join(f"{'ab'[row % 2]},{(row * 7 + place) % 60}\n" for row in range(40 + place))
        (folder / f"stays-{month}.csv").write_text(f"ward,days\n{rows}", "utf-8")
    return folder / "plan.toml"


@contextmanager
def clock_at(moment: str) -> Iterator[None]:
    services = local._services
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "_services", lambda: replace(services(), now=lambda: moment))
        yield


def run_plan(plan: Path, period: str = "current") -> list[Any]:
    running = PlanRun(plan, period)
    return list(running.run(running.figures()))


class Killed(BaseException):
    """The process ends here; nothing that handles an exception runs because of it."""


@contextmanager
def killed_at(point: int) -> Iterator[list[int]]:
    """Every place at which a run reads or writes has a number; at this one the run ends. Yields how many there were."""
    passed = [0]

    def step() -> None:
        passed[0] += 1
        if passed[0] == point:
            raise Killed

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            step()
            result = real(*args, **kwargs)
            step()
            return result

        return call

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (SQLiteLedger, "append"),  # before and after each transaction
            (PrivacyLedger, "reserve"),  # inside it
            (DuckDB, "stream"),
            (Path, "replace"),  # of each file that is written
            (Path, "mkdir"),
        ):
            patch.setattr(owner, name, watched(getattr(owner, name)))
        yield passed
