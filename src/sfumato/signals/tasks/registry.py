"""The tasks that there are, by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from sfumato.errors import BadInput
from sfumato.signals.tasks.decisions import Above, ChiSquare, TTest
from sfumato.signals.tasks.distance import HistogramDistance
from sfumato.signals.tasks.formula import Formula
from sfumato.signals.tasks.models import Classifier, Regression
from sfumato.signals.tasks.ranking import RankAgreement, TopK, Trend
from sfumato.signals.tasks.task import Task

_KINDS: tuple[type[Task], ...] = (
    Above, ChiSquare, Classifier, Formula, HistogramDistance, RankAgreement, Regression, TopK, Trend, TTest,
)  # fmt: skip
RANGES: dict[str, tuple[float, float] | None] = {
    **{kind.name: (0.0, 1.0) for kind in _KINDS},
    **{kind.name: (-1.0, 1.0) for kind in (RankAgreement, Trend)},
    Formula.name: None,  # as it states
}
TASKS: dict[str, type[Task]] = {kind.name: kind for kind in _KINDS}


_KINDS_OF_PARAMETERS = {
    "str": "text",
    "str | float": "text or number",
    "float": "number",
    "float | None": "number",
    "int": "whole number",
    "tuple[str, ...]": "list of names",
    "Reference": "numbers by label",
}


@dataclass(frozen=True)
class TaskParameter:
    name: str
    kind: str
    required: bool
    default: str | float | tuple[str, ...] | None


@dataclass(frozen=True)
class TaskDescription:
    """A task, its parameters with their kinds, and the range of its scores; None where a task states its own."""

    name: str
    parameters: tuple[TaskParameter, ...]
    range: tuple[float, float] | None


def task_descriptions() -> tuple[TaskDescription, ...]:
    return tuple(TaskDescription(name, tuple(_parameters(kind)), RANGES[name]) for name, kind in TASKS.items())


def _parameters(kind: type[Task]) -> Iterator[TaskParameter]:
    for field in fields(kind):
        if field.name != "table":
            default = None if field.default is MISSING else field.default
            yield TaskParameter(field.name, _KINDS_OF_PARAMETERS[str(field.type)], field.default is MISSING, default)


def task(name: str | Mapping[str, Any], **parameters: Any) -> Task:
    """A task by its name and parameters, or as JSON has both.

    >>> task("top_k", column="people", k=2) == task({"task": "top_k", "column": "people", "k": 2})
    True
    >>> task("top_k", column="people", k=2).as_dict()
    {'task': 'top_k', 'table': 0, 'column': 'people', 'k': 2, 'reference': []}
    """
    arguments = {**name, **parameters} if isinstance(name, Mapping) else {"task": name, **parameters}
    called = arguments.pop("task", None)
    kind = TASKS.get(called) if isinstance(called, str) else None
    if called is None:
        raise BadInput.because("task-unnamed", tasks=list(TASKS))
    if kind is None:
        raise BadInput.because("task-unknown", task=repr(called), tasks=list(TASKS))
    known = {field.name: field for field in fields(kind)}
    strange = sorted(map(str, arguments.keys() - known.keys()))
    needed = [name for name, field in known.items() if field.default is MISSING and name not in arguments]
    if strange:
        raise BadInput.because("task-parameter-unknown", task=called, parameter=strange[0], known=list(known))
    if needed:
        raise BadInput.because("task-parameter-missing", task=called, parameter=needed[0], known=list(known))
    place = arguments.get("table", 0)
    if not isinstance(place, int) or isinstance(place, bool) or place < 0:
        raise BadInput.because("task-table-place", task=called)
    texts = [
        name for name, field in known.items() if field.type == "str" and not isinstance(arguments.get(name, ""), str)
    ]
    if texts:
        raise BadInput.because("task-parameter-not-text", task=called, parameter=texts[0])
    return kind(**arguments)
