"""A recurring plan, run for one period: what is in the ledger is written out, the rest is released, each once."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sfumato.api.dataset import Dataset
from sfumato.api.release import Release
from sfumato.composition import local
from sfumato.errors import BadInput
from sfumato.model.period import CalendarPeriod, moment
from sfumato.privacy.preferences.registry import from_rule
from sfumato.release.bound_query import BoundQuery
from sfumato.release.choose import enter_plan
from sfumato.release.decide import ReleaseRequest
from sfumato.release.draw import stored_release
from sfumato.release.figures import RecurringFigure, require_public, stored_figure
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.pipeline import release
from sfumato.release.request import request_of
from sfumato.schema.plan_file import PlannedFigure, RecurringPlan, in_period, load_plan

_NOISE = ("mechanism", "delta")
PREVIOUS, CURRENT = "previous", "current"


@dataclass(frozen=True)
class PreparedFigure:
    """A figure of a plan with its request; `epsilon` and `delta` are what it needs, from public facts."""

    planned: PlannedFigure
    figure: RecurringFigure
    epsilon: float | None
    delta: float | None
    is_released: bool


@dataclass(frozen=True)
class FigureRun:
    """A figure that was released, or that was in the ledger, and the files that it was written to."""

    planned: PlannedFigure
    release: Release
    is_new: bool
    files: tuple[Path, ...]


class PlanRun:
    """A plan in one period. Nothing is read or entered until it is asked for."""

    def __init__(self, path: str | Path, period: str = CURRENT) -> None:
        self.path = Path(path)
        self.plan = load_plan(path)
        self.period = _period(self.plan, period)
        data, self.schema = self.plan.data, self._path(self.plan.schema)
        several = None if isinstance(data, str) else {name: str(self._path(file)) for name, file in data.items()}
        self.data = str(self._path(data)) if isinstance(data, str) else several
        ledger = self.plan.ledger
        place = ledger if ledger in ("", ":memory:") else str(self._path(ledger))
        self._dataset: Dataset | None = None
        self._how: dict[str, Any] = {"ledger": place or None}
        if self.plan.cohort:
            self._how["cohort"] = in_period(self.plan.cohort, self.period)
        self.unread = local.open_without_data(self.schema, source=self.data, **self._how)

    def figures(self) -> tuple[PreparedFigure, ...]:
        """Every figure as it will be asked, from public facts; refused here is what no run could release."""
        return tuple(self._prepare(self.unread, planned) for planned in self.plan.figures)

    def run(self, figures: tuple[PreparedFigure, ...]) -> Iterator[FigureRun]:
        """Release each figure that is not in the ledger, and write the files of all: whole, and only after that.

        All of them are planned before the first one is released, so that a later look does not change their guarantee.
        """
        with _alone(self.path):
            for prepared in figures:
                enter_plan(self._query(self.unread, prepared.planned), prepared.figure.request, "")
            for prepared in figures:
                stored = stored_figure(self.unread.ledger.record, prepared.figure.key)
                if stored is not None:
                    released = Release.of(stored_release(stored))
                else:
                    self._dataset = self._dataset or self._open()
                    released = self._release(self._dataset, prepared)
                is_new = stored is None and not released.repeated
                yield FigureRun(prepared.planned, released, is_new, self._write(prepared.planned, released))

    def progress(self) -> float | None:
        """How far the engine is with what it reads, 0 to 1, if that is known."""
        return None if self._dataset is None else self._dataset.progress()

    def _release(self, dataset: Dataset, prepared: PreparedFigure) -> Release:
        query = self._query(dataset, prepared.planned)
        terms = ReleaseTerms(figure=prepared.figure.key, interruptions=self.plan.interruptions)
        return Release.of(release(query, _request(query, prepared.planned, self.path.name), terms), query)

    def _open(self) -> Dataset:
        return local.open(self.data, self.schema, **self._how)

    def _prepare(self, dataset: Dataset, planned: PlannedFigure) -> PreparedFigure:
        query = self._query(dataset, planned)
        request = _request(query, planned, self.path.name)
        require_public(query, request)
        figure = RecurringFigure(self.plan.name, self.period.name, planned.name, request)
        is_released = stored_figure(dataset.ledger.record, figure.key) is not None
        return PreparedFigure(planned, figure, query.solution(request).epsilon, request.noise.delta, is_released)

    def _query(self, dataset: Dataset, planned: PlannedFigure) -> BoundQuery:
        return dataset.query(planned.sql)._bound

    def _write(self, planned: PlannedFigure, released: Release) -> tuple[Path, ...]:
        answers = {self._path(text): partial(released.write, intervals=planned.intervals) for text in planned.out}
        pages = {self._path(text): released.certificate.write for text in planned.certificates}
        try:
            for place, write in (answers | pages).items():
                place.parent.mkdir(parents=True, exist_ok=True)
                for part in place.parent.glob(f".{place.name}.*.part"):  # of a run that was killed
                    part.unlink(missing_ok=True)
                write(place)
        except OSError:
            hint = "run the plan again: the answer is in the ledger and costs nothing."
            raise BadInput(
                f"The figure '{planned.name}' was released, but a file could not be written", hint=hint
            ) from None
        return (*answers, *pages)

    def _path(self, text: str) -> Path:
        return self.plan.path(text, self.period)


def _request(query: BoundQuery, planned: PlannedFigure, origin: str) -> ReleaseRequest:
    """The preferences of a figure are those of a [rule]; without any, the rule of the schema applies."""
    noise = {name: value for name, value in planned.preferences.items() if name in _NOISE}
    others = {name: value for name, value in planned.preferences.items() if name not in _NOISE}
    preferences = from_rule(others, f"{origin}, figure '{planned.name}'") if others else ()
    return request_of(query, preferences, **noise)  # type: ignore[arg-type]


def _period(plan: RecurringPlan, name: str) -> CalendarPeriod:
    current = plan.every.at(moment(local._services().now()))
    if name in (CURRENT, PREVIOUS):
        return current if name == CURRENT else current.previous
    period = plan.every.named(name)
    if period is None:
        hint = f"write it as {current.name}, or use current or previous."
        raise BadInput(f"There is no {plan.every} '{name}'", hint=hint)
    return period


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One run of a plan file at a time; the system ends the lock of a run that was killed."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"{path.name} is being run already", hint="wait for that run to end.") from None
        yield
