"""`sfumato run` as it is typed, and processes of it that are killed."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from fractions import Fraction
from pathlib import Path

import pytest

from sfumato.composition import local
from sfumato.ledger.entry import NANO, Event
from tests.depth import depth
from tests.e2e.command import Typed
from tests.e2e.forks import forks
from tests.recurring import INTERRUPTED, MONTHS, write_plan

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
JOB = f"""
sys.path.insert(0, {str(ROOT)!r})
import random, time
from pathlib import Path
from tests.recurring import clock_at, run_plan
from sfumato.adapters.storage.ledger_file import SQLiteLedger
from sfumato.adapters.engines.duckdb.engine import DuckDB

def main(plan, month, slow):
    def slowly(real):
        def call(*arguments, **named):
            time.sleep(slow)
            result = real(*arguments, **named)
            time.sleep(slow)
            return result
        return call

    SQLiteLedger.append, DuckDB.stream = slowly(SQLiteLedger.append), slowly(DuckDB.stream)
    say(str(os.getpid()))
    with clock_at(month + "-02T00:00:00+00:00"):
        run_plan(Path(plan))
    say("done")
"""


@pytest.mark.depth("killed processes of a plan")
def test_a_process_that_is_killed_is_resumed_by_the_next(tmp_path: Path) -> None:
    plan, months = write_plan(tmp_path, INTERRUPTED), MONTHS[: max(depth("killed processes of a plan") // 2, 1)]
    moments = random.Random(depth("killed processes of a plan"))
    with forks(JOB) as running:
        for month in months:
            for _ in range(2):
                running.start(str(plan), month, 0.02)
                process = int(running.line())
                time.sleep(moments.uniform(0.05, 0.6))
                os.kill(process, signal.SIGKILL)
                running.ended()
            running.start(str(plan), month, 0)
            lines, codes = running.ended()
            assert (lines[-1], codes) == ("done", [0])
    [record] = local.records(tmp_path / "stays.ledger")
    charged = [str(e.draft.public["figure"]) for e in record.entries if e.draft.event is Event.RESERVED]
    assert len(charged) == len(set(charged)) == 3 * len(months)
    assert Fraction(record.total.nano_epsilon, NANO) == len(months) * Fraction("0.35")


def test_a_plan_is_run_as_it_is_typed(tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    write_plan(tmp_path, 'cohort = "{period}"', declared='versions = "disjoint people"')
    monkeypatch.chdir(tmp_path)
    asked = typed("run", "plan.toml", "--period", "2026-03", "--dry-run")
    assert asked.code == 0
    assert "Figures of 2026-03. No data was read and nothing was charged." in asked.out
    assert (
        "To be charged at most: epsilon 0.35. Budget: epsilon 0.35 per month; 0.35 is left now, which is enough."
        in (asked.out)
    )
    assert json.loads(typed("run", "plan.toml", "--period", "2026-03", "--dry-run", "--json").out)["needed"] == 0.35
    ran = typed("run", "plan.toml", "--period", "2026-03")
    assert (ran.code, ran.err) == (0, "")
    first, *_, last = ran.out.splitlines()
    files = "figures/2026-03/stays.csv, figures/2026-03/stays.txt"
    assert first == f"2026-03  stays  released, epsilon 0.1 charged: {files}"
    assert last.startswith("3 figures, 3 of them new: epsilon 0.35 charged. Budget of 20")
    again = typed("run", "plan.toml", "--period", "2026-03", "--json")
    assert (again.json["charged"], [figure["new"] for figure in again.json["figures"]]) == (0, [False] * 3)
    certificate = Path("figures/2026-03/stays.txt").read_text("utf-8")
    assert "Cohort:           2026-03" in certificate
    refused = typed(
        "run", "plan.toml", "--period", "2026-04"
    )  # the same people may not be in it: the budget is per person
    assert refused.code == 0
    shown = typed("ledger", "show", "stays.ledger")
    assert "Epsilon used so far: 0.35 in 6 charges" in shown.out
    assert "are counted in parallel" in shown.out


def test_a_budget_that_is_used_up_ends_a_run_with_3(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_plan(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert typed("run", "plan.toml", "--period", "2026-01").code == 0
    refused = typed("run", "plan.toml", "--period", "2026-02")
    assert refused.code == 3
    assert "of the budget of this month is left (0.35 of 0.35 used in" in refused.err
    dry = typed("run", "plan.toml", "--period", "2026-02", "--dry-run")
    assert "0 is left now, which is not enough." in dry.out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("every = 'fortnight'", "every must be one of day, week, month, quarter, year"),
        ("data = 'stays-{week}.csv'", "There is no {week} in a plan for each month"),
        ("data = { stays = 'stays-{week}.csv' }", "There is no {week} in a plan for each month"),
        ("data = { stays = 3 }", "stays must be a text"),
        ("sql = 'SELECT 1'", "'sql' is not a key of a plan here"),
        (
            "[figures.stays]\nsql = 'SELECT COUNT(*) FROM stays'\nout = 'stays.xlsx'",
            "out must name .csv, .parquet, .json",
        ),
        ("[figures.stays]\nepsilon = 1", "sql must be a text"),
        ("[figures.stays]\nsql = 'SELECT COUNT(*) FROM stays'\nratio = 0.9", "A plan needs epsilons from public facts"),
        ("[figures.stays]\nsql = 'SELECT COUNT(*) FROM stays'\nepsilom = 1", "figure 'stays'"),
        ("", "The plan has no figures"),
        ("name = 3", "name must be a text"),
        ("= 3", "is not valid TOML"),
    ],
)
def test_what_is_wrong_with_a_plan(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    write_plan(tmp_path)
    monkeypatch.chdir(tmp_path)
    key = line.partition(" ")[0]
    whole = {"name": "'n'", "schema": "'stays.toml'", "data": "'stays-{month}.csv'", "every": "'month'"}
    head = "".join(f"{name} = {value}\n" for name, value in whole.items() if name != key)
    figures = (
        "" if not line or line.startswith("[") else "\n[figures.x]\nsql = 'SELECT COUNT(*) FROM stays'\nepsilon = 1\n"
    )
    Path("plan.toml").write_text(f"{head}{line}\n{figures}", "utf-8")
    wrong = typed("run", "plan.toml", "--dry-run")
    assert wrong.code == 2
    assert message in wrong.err
    assert not Path("stays.ledger").exists()
