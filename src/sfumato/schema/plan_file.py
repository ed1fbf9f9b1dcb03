"""A plan file (TOML) -> RecurringPlan: which figures are released in each period, from which data."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, NoReturn

from sfumato.errors import BadInput
from sfumato.model.period import CalendarPeriod, Period

_TABLE = ("name", "schema", "data", "every", "cohort", "ledger", "interruptions", "figures")
_OWN = ("sql", "out", "intervals", "certificate")  # of a figure; its other keys are preferences, as in a [rule]
_ANSWERS, _CERTIFICATES = (".csv", ".parquet", ".json"), (".html", ".json", ".txt")
_LONGEST = 500


@dataclass(frozen=True)
class PlannedFigure:
    """One query that is released in each period; without preferences, by the rule of the schema."""

    name: str
    sql: str
    preferences: Mapping[str, object] = field(default_factory=dict)
    out: tuple[str, ...] = ()
    certificates: tuple[str, ...] = ()
    intervals: bool = False


@dataclass(frozen=True)
class RecurringPlan:
    """What a plan file states. Paths and the cohort may have {period} and its parts in braces."""

    name: str
    folder: Path
    schema: str
    data: str | Mapping[str, str]  # of several tables, by their names
    every: Period
    figures: tuple[PlannedFigure, ...]
    cohort: str = ""
    ledger: str = ""
    interruptions: str = ""

    def path(self, text: str, period: CalendarPeriod) -> Path:
        """A path of the plan in a period, from the folder of the plan file."""
        return self.folder / in_period(text, period)


def in_period(text: str, period: CalendarPeriod) -> str:
    """A text with the period and its parts in place of their names.

    >>> in_period("stays-{year}-{month}.parquet", Period.MONTH.named("2026-03"))
    'stays-2026-03.parquet'
    """
    for name, value in _parts(period).items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _parts(period: CalendarPeriod) -> Mapping[str, str]:
    first = period.first
    year, week, _ = first.isocalendar()
    parts = {"period": period.name, "year": f"{first.year:04}"}
    match period.length:
        case Period.DAY:
            parts |= {"month": f"{first.month:02}", "day": f"{first.day:02}"}
        case Period.WEEK:
            parts |= {"year": f"{year:04}", "week": f"{week:02}"}
        case Period.MONTH:
            parts |= {"month": f"{first.month:02}"}
        case Period.QUARTER:
            parts |= {"quarter": str((first.month + 2) // 3)}
        case Period.YEAR:
            pass
    return parts


def load_plan(path: str | Path) -> RecurringPlan:
    file = Path(path)
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise BadInput(f"There is no plan file {path}", hint="check the path.") from None
    except (ValueError, RecursionError) as error:
        problem = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it cannot be read"
        raise BadInput(f"{file.name} is not valid TOML: {problem}", hint="correct it.") from None
    return _PlanReader(file.name).plan(table, file.parent)


class _PlanReader:
    def __init__(self, origin: str) -> None:
        self.origin = origin

    def plan(self, table: Mapping[str, Any], folder: Path) -> RecurringPlan:
        self.only(table, _TABLE, "")
        every = table.get("every")
        if every not in list(Period):
            self.wrong(f"every must be one of {', '.join(Period)}", 'write every = "month".', "")
        figures = table.get("figures")
        if not isinstance(figures, Mapping) or not figures:
            self.wrong("The plan has no figures", "add [figures.NAME] with a line sql, and a preference.", "")
        texts = (name for name in _TABLE[:7] if name not in ("data", "every"))
        text = {name: self.text(table, name, "", required=name in _TABLE[:2]) for name in texts}
        data = self.data(table)
        own = tuple(self.figure(name, figure) for name, figure in figures.items())
        plan = RecurringPlan(
            text["name"],
            folder,
            text["schema"],
            data,
            Period(every),
            own,
            text["cohort"],
            text["ledger"],
            text["interruptions"],
        )
        files = [file for figure in own for file in (*figure.out, *figure.certificates)]
        for braced in (*([data] if isinstance(data, str) else data.values()), plan.cohort, *files):
            self.placeholders(braced, plan.every)
        if twice := next((file for file in files if files.count(file) > 1), None):
            self.wrong(f"Two outputs have the name {twice}", "name two files.", "")
        return plan

    def data(self, table: Mapping[str, Any]) -> str | Mapping[str, str]:
        """A file, or the file of each table."""
        several = table.get("data")
        if not isinstance(several, Mapping):
            return self.text(table, "data", "", required=True)
        return {name: self.text(several, name, "data", required=True) for name in several}

    def figure(self, name: str, table: Any) -> PlannedFigure:
        where = f"[figures.{name}]"
        if not isinstance(table, Mapping):
            self.wrong("A figure must be a table", f"write {where} on a line of its own.", where)
        intervals = table.get("intervals", False)
        if not isinstance(intervals, bool):
            self.wrong("intervals must be true or false", "write intervals = true.", where)
        return PlannedFigure(
            name,
            self.text(table, "sql", where, required=True),
            {key: value for key, value in table.items() if key not in _OWN},
            self.files(table, "out", _ANSWERS, where),
            self.files(table, "certificate", _CERTIFICATES, where),
            intervals,
        )

    def files(self, table: Mapping[str, Any], name: str, endings: tuple[str, ...], where: str) -> tuple[str, ...]:
        value = table.get(name, [])
        files = [value] if isinstance(value, str) else value
        if not isinstance(files, list) or not all(isinstance(f, str) and f.endswith(endings) for f in files):
            self.wrong(f"{name} must name {', '.join(endings)} files", f'write {name} = "NAME{endings[0]}".', where)
        return tuple(files)

    def placeholders(self, text: str, every: Period) -> None:
        known = _parts(CalendarPeriod(every, date(2026, 1, 1)))
        for name in re.findall(r"\{([^{}]*)\}", text):
            if name not in known:
                hint = f"use {', '.join(f'{{{part}}}' for part in known)}."
                self.wrong(f"There is no {{{name}}} in a plan for each {every}", hint, "")

    def text(self, table: Mapping[str, Any], name: str, where: str, *, required: bool = False) -> str:
        value = table.get(name, "")
        if not isinstance(value, str) or (required and not value.strip()):
            self.wrong(f"{name} must be a text", f'write {name} = "...".', where)
        if name != "sql" and len(value) > _LONGEST:
            self.wrong(f"{name} has more than {_LONGEST} characters", "shorten it.", where)
        return " ".join(value.split()) if name != "sql" else value

    def only(self, table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
        for name in table:
            if name not in known:
                self.wrong(f"'{name}' is not a key of a plan here", f"use one of {', '.join(known)}.", where)

    def wrong(self, message: str, hint: str, where: str) -> NoReturn:
        raise BadInput(message, hint=hint, where=f"{where} in {self.origin}" if where else self.origin)
