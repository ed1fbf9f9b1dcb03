"""A year of monthly releases, killed and resumed: each figure is paid once, and the totals are as printed."""

from __future__ import annotations

import json
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import pytest

from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.composition import local, recurring
from sfumato.errors import Conflict, EngineFailure
from sfumato.ledger.entry import NANO, Event
from sfumato.ledger.history import Record
from sfumato.model.period import Period
from tests.depth import depth
from tests.recurring import INTERRUPTED, MONTHS, Killed, clock_at, killed_at, run_plan, write_plan

MONTH = Fraction("0.35")


def record(plan: Path) -> Record:
    return local.records(plan.parent / "stays.ledger")[0]


def charges(plan: Path) -> list[str]:
    reserved = [entry for entry in record(plan).entries if entry.draft.event is Event.RESERVED]
    return [str(entry.draft.public["figure"]) for entry in reserved]


def run_until_done(plan: Path, points: list[int]) -> list[Any]:
    """Runs that are killed at these points, and one that is not."""
    for point in points:
        try:
            with killed_at(point):
                run_plan(plan)
        except Killed:
            continue
    return run_plan(plan)


@pytest.mark.depth("killed runs")
@pytest.mark.parametrize(
    ("lines", "declared", "months", "in_all"),
    [
        ((INTERRUPTED, 'cohort = "{period}"'), 'versions = "disjoint people"', MONTHS, MONTH),
        ((INTERRUPTED,), "", MONTHS[:3], 3 * MONTH),
    ],
    ids=["a year of disjoint people", "three months of the same people"],
)
def test_each_figure_is_paid_once(
    tmp_path: Path, lines: tuple[str, ...], declared: str, months: list[str], in_all: Fraction
) -> None:
    certificate: Any = None
    plan, random = write_plan(tmp_path, *lines, declared=declared), Random(depth("killed runs"))
    for month in months:
        with clock_at(f"{month}-03T04:00:00+00:00"):
            kills = [random.randrange(1, 40) for _ in range(max(depth("killed runs") // 24, 1))]
            certificate = run_until_done(plan, kills)[-1].release.certificate
        assert (certificate.period, certificate.period_total) == (month, float(MONTH))
        folder = tmp_path / "figures" / month
        assert sorted(file.name for file in folder.iterdir()) == ["days.json", "stays.csv", "stays.txt", "wards.csv"]
    total = record(plan).total
    assert len(charges(plan)) == len(set(charges(plan))) == 3 * len(months), "each figure is charged once"
    assert Fraction(total.nano_epsilon, NANO) == in_all
    assert certificate.dataset_total == float(in_all)
    for month in months:
        period = Period.MONTH.named(month)
        assert period is not None
        assert Fraction(record(plan).spent_in(period).total.nano_epsilon, NANO) == MONTH
    disjoint = [sentence for sentence in certificate.assumed if "no person is in two of the 12 cohorts" in sentence]
    assert bool(disjoint) is bool(declared)
    answers = {file: file.read_bytes() for file in (tmp_path / "figures").rglob("*") if file.is_file()}
    with clock_at("2027-01-05T00:00:00+00:00"):
        for month in months[::5]:
            (tmp_path / f"stays-{month}.csv").unlink()  # the answers are in the ledger
            assert not any(figure.is_new for figure in run_plan(plan, month))
    assert answers == {file: file.read_bytes() for file in (tmp_path / "figures").rglob("*") if file.is_file()}
    assert len(charges(plan)) == 3 * len(months)


@pytest.mark.depth("killed points")
def test_a_run_is_killed_at_every_point(tmp_path: Path) -> None:
    """Whatever was charged then is not charged again, and every answer that a file had stays the same."""
    (tmp_path / "plan").mkdir()
    write_plan(tmp_path / "plan", INTERRUPTED)
    with clock_at("2026-01-03T00:00:00+00:00"):
        copytree(tmp_path / "plan", tmp_path / "whole")
        with killed_at(0) as passed:
            run_plan(tmp_path / "whole" / "plan.toml")
        points = range(1, passed[0] + 1)
        for point in points[:: max(len(points) // depth("killed points"), 1)]:
            plan = Path(copytree(tmp_path / "plan", tmp_path / f"{point}")) / "plan.toml"
            with pytest.raises(Killed), killed_at(point):
                run_plan(plan)
            written = {
                file: file.read_bytes() for file in (plan.parent / "figures").rglob("*.*") if file.name[0] != "."
            }
            figures = run_plan(plan)
            assert len(charges(plan)) == len(set(charges(plan))) == 3
            assert Fraction(record(plan).total.nano_epsilon, NANO) == MONTH
            assert all(file.read_bytes() == content for file, content in written.items())
            resumed = [e for e in record(plan).entries if "resumed" in e.draft.public]
            told = [a for f in figures for a in f.release.certificate.assumed if "restarts of the machine" in a]
            assert len(told) == len(resumed) <= 1


def killed_while_drawing(plan: Path) -> int:
    """A run that is killed after its first charge, before its answer is in the ledger; the number of that charge."""
    for point in range(1, 60):
        try:
            with killed_at(point):
                run_plan(plan)
        except Killed:
            entries = record(plan).entries if (plan.parent / "stays.ledger").exists() else []
            if entries and entries[-1].draft.event is Event.RESERVED:
                return entries[-1].number
    raise AssertionError


def test_an_unknown_outcome_is_neither_paid_again_nor_drawn_without_a_statement(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, budget=2)
    with clock_at("2026-01-03T00:00:00+00:00"):
        number = killed_while_drawing(plan)
        with pytest.raises(Conflict, match=f"charged in entry {number}, and its outcome is unknown") as error:
            run_plan(plan)
        assert "interruptions =" in error.value.hint
        assert len(charges(plan)) == 1
        write_plan(tmp_path, INTERRUPTED, budget=2)
        (tmp_path / "stays-2026-01.csv").write_text("ward,days\na,1\n", "utf-8")
        with pytest.raises(Conflict) as error:  # that charge was for other data
            run_plan(plan)
        assert f"restore the data and the schema that entry {number} was charged for" in error.value.hint


def test_a_draw_that_was_taken_over_is_discarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two draws under one charge would be two releases."""
    plan, stream, taken = write_plan(tmp_path, INTERRUPTED), DuckDB.stream, list[Any]()

    def overtaken(*args: object, **kwargs: object) -> object:
        if not taken:  # another machine, which does not see the lock of this one
            taken.append(True)
            taken.extend(run_plan(plan))
        return stream(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(recurring, "_alone", nullcontext)
    with clock_at("2026-01-03T00:00:00+00:00"):
        monkeypatch.setattr(DuckDB, "stream", overtaken)
        with pytest.raises(Conflict, match="Another run took over the draw"):
            run_plan(plan)
        monkeypatch.setattr(DuckDB, "stream", stream)
        again = run_plan(plan)
    assert [figure.release.rows for figure in again] == [figure.release.rows for figure in taken[1:]]
    assert len(charges(plan)) == 3
    left = [e for e in record(plan).entries if e.draft.event is Event.RELEASED]
    assert len(left) == 3


def test_a_failure_is_drawn_for_once_its_cause_is_stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, stream = write_plan(tmp_path, INTERRUPTED), DuckDB.stream

    def fail(*_args: object, **_kwargs: object) -> object:
        raise OSError("the disk is full")

    with clock_at("2026-01-03T00:00:00+00:00"):
        monkeypatch.setattr(DuckDB, "stream", fail)
        with pytest.raises(EngineFailure):
            run_plan(plan)
        monkeypatch.setattr(DuckDB, "stream", stream)
        with pytest.raises(Conflict) as error:
            run_plan(plan)
        assert "sfumato ledger cause" in error.value.hint
        [failure] = record(plan).failures
        local.state_cause(plan.parent / "stays.ledger", failure, "the disk was full")
        run_plan(plan)
    assert len(charges(plan)) == 3
    assert record(plan).total.epsilon == float(MONTH)


def test_a_look_after_the_first_run_changes_no_guarantee(tmp_path: Path) -> None:
    plan = write_plan(tmp_path)
    with clock_at("2026-01-03T00:00:00+00:00"):
        run_plan(plan)
        january = local.open(str(tmp_path / "stays-2026-01.csv"), tmp_path / "stays.toml")
        january.query("SELECT COUNT(*) FROM stays").risk()
    with clock_at("2026-02-03T00:00:00+00:00"):
        figures = run_plan(plan)
    certificates = [figure.release.certificate for figure in figures]
    assert {certificate.guarantee.value for certificate in certificates} == {"dp"}
    assert all(certificate.looked and certificate.planned_at for certificate in certificates)


def test_a_new_delivery_of_a_released_period_is_not_charged(tmp_path: Path) -> None:
    plan = write_plan(tmp_path)
    with clock_at("2026-01-03T00:00:00+00:00"):
        before = [figure.release.rows for figure in run_plan(plan)]
        data = tmp_path / "stays-2026-01.csv"
        data.write_text(data.read_text("utf-8") + "a,3\n", "utf-8")
        assert [figure.release.rows for figure in run_plan(plan)] == before
    assert len(charges(plan)) == 3
    answer = json.loads((tmp_path / "figures/2026-01/days.json").read_text("utf-8"))
    assert answer["certificate"]["period"] == "2026-01"
