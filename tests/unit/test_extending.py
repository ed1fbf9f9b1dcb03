"""What docs/extending.md says is enough: a preference, an engine and a signal task, each registered for one test."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import sfumato as sf
import sfumato.cli.preferences
import sfumato.presentation.option_help
import sfumato.server.option_bodies
from sfumato.composition import engines
from sfumato.errors import PreferenceError
from sfumato.model.schema import Schema
from sfumato.ports import Engine
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.preference import Interval, Preference, Setting, exactly, plain
from sfumato.privacy.preferences.registry import Option
from sfumato.signals.tasks import registry as tasks
from sfumato.signals.tasks.table import Table
from sfumato.signals.tasks.task import Task

SCHEMA: dict[str, Any] = {"name": "t", "columns": {"age": {"type": "integer", "bounds": [0, 100]}}}
PEOPLE = pd.DataFrame({"age": range(50)})


def query(**how: Any) -> Any:
    return sf.open(PEOPLE, SCHEMA, ledger=":memory:", **how).query("SELECT COUNT(*) AS n FROM t")


# A preference: nobody's odds change by more than a factor, `epsilon = ln(factor)`


@dataclass(frozen=True)
class OddsFactor(Preference):
    factor: Fraction

    @property
    def words(self) -> str:
        return f"odds factor {float(self.factor):g}"

    def interval(self, _: Setting, /) -> Interval:
        return Interval(0.0, math.log(self.factor))

    def to_mapping(self) -> dict[str, Any]:
        return plain({"odds_factor": self.factor})


def odds_factor(factor: float) -> OddsFactor:
    number = exactly("odds factor", factor)
    if number <= 1:
        raise PreferenceError("odds factor must be above 1", hint="try 1.5.")
    return OddsFactor(number)


@pytest.fixture
def with_odds_factor(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One option in the registry; what is made from the list is made anew, and again after."""
    modules = (sfumato.presentation.option_help, sfumato.cli.preferences, sfumato.server.option_bodies)
    option = Option("odds_factor", "Maximum factor by which the odds of a person change.", home=__name__)
    with monkeypatch.context() as registered:
        registered.setattr(registry, "OPTIONS", (*registry.OPTIONS, option))
        registered.setattr(registry, "NAMES", (*registry.NAMES, option.name))
        registered.setattr(registry, "KNOWN", registry.KNOWN | {option.name})
        registered.setattr(registry, "_IN_RULE", registry._IN_RULE | {option.name})
        for module in modules:
            importlib.reload(module)
        yield
    for module in modules:
        importlib.reload(module)


@pytest.mark.usefixtures("with_odds_factor")
def test_a_preference_is_known_to_every_interface() -> None:
    stated = odds_factor(1.5)
    assert registry.preferences({"odds_factor": 1.5}) == (stated,) == registry.from_rule({"odds_factor": 1.5})
    assert registry.to_mapping([stated]) == {"odds_factor": 1.5}
    assert query().choose(stated, sf.gap(3, worst_case=True)).epsilon == pytest.approx(math.log(1.5))
    assert "odds_factor" in sfumato.server.option_bodies.NamedPreference.model_fields
    app, taken = typer.Typer(), []

    @app.command()
    @sfumato.cli.preferences.with_preferences
    def command(preferences: Any) -> None:
        taken.append(preferences)

    assert CliRunner().invoke(app, ["--odds-factor", "1.5"]).exit_code == 0
    assert taken == [(stated,)]
    assert "Maximum factor by which the odds" in CliRunner().invoke(app, ["--help"]).stdout


def test_nothing_is_left_of_it() -> None:
    known = {*registry.KNOWN, *sfumato.presentation.option_help.HELP}
    assert "odds_factor" not in known | {*sfumato.server.option_bodies.NamedPreference.model_fields}


# An engine: DuckDB under another name


class Forwarding:
    """Hands every question on; a real one would have a database of its own."""

    def __init__(self, source: object, schema: Schema | None) -> None:
        self._engine, self.statements = engines.ENGINES["duckdb"](source, schema, None), 0

    def rows(self, sql: str) -> Any:
        self.statements += 1
        return self._engine.rows(sql)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


def test_an_engine_is_opened_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def forwarding(source: object, schema: Schema | None, _: object) -> Engine:
        opened.append(Forwarding(source, schema))
        return opened[-1]

    monkeypatch.setitem(engines.ENGINES, "forwarding", forwarding)
    assert query(engine="forwarding").risk().people_count == 50
    assert opened[0].statements > 0
    monkeypatch.undo()
    with pytest.raises(PreferenceError, match="There is no engine 'forwarding'"):
        query(engine="forwarding")


# A signal task: the share of rows whose figure is even


@dataclass(frozen=True, kw_only=True)
class EvenShare(Task):
    name: ClassVar[str] = "even_share"
    column: str

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column,)

    def _score(self, table: Table) -> float | None:
        figures = list(table.figure(self.column).values())
        return sum(round(figure) % 2 == 0 for figure in figures) / len(figures)


def test_a_task_scores_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tasks.TASKS, EvenShare.name, EvenShare)
    monkeypatch.setitem(tasks.RANGES, EvenShare.name, (0.0, 1.0))
    signal = query().release(epsilon=1.0).signal({"task": "even_share", "column": "n"})
    assert signal.score in (0.0, 1.0)
    assert signal.cost == 0
    column = tasks.TaskParameter("column", "text", required=True, default=None)
    assert tasks.TaskDescription("even_share", (column,), (0.0, 1.0)) in tasks.task_descriptions()


def test_the_page_names_files_that_are_there() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "extending.md").read_text(encoding="utf-8")
    named = [part for part in page.split("`")[1::2] if "/" in part and "NAME" not in part and " " not in part]
    homes = [root, root / "src" / "sfumato"]
    assert named
    assert [name for name in named if not any((home / name).exists() for home in homes)] == []
