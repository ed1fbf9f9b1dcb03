"""The pages of a study, in words and figures ready to be placed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sfumato.presentation.wording import study as of_study
from sfumato.presentation.wording.numbers import number, percent, percent_up
from sfumato.presentation.wording.study import quiz
from sfumato.privacy.risk.sharing import LEVELS

__all__ = ["quiz", "task_page", "texts"]


class ShownOption(Protocol):
    """One value of a slider."""

    @property
    def value(self) -> float: ...
    @property
    def noise(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def bins(self) -> Sequence[tuple[float, float, float]]: ...
    @property
    def chance(self) -> float: ...
    @property
    def risk(self) -> float: ...


class ShownTask(Protocol):
    """A task of a study."""

    @property
    def name(self) -> str: ...
    @property
    def figures(self) -> Sequence[tuple[str, float]]: ...
    @property
    def options(self) -> Sequence[ShownOption]: ...
    @property
    def trust(self) -> str: ...
    @property
    def sensitivity(self) -> str: ...
    @property
    def choices(self) -> int: ...
    @property
    def most_risk(self) -> str: ...
    @property
    def most_noise(self) -> float: ...


@dataclass(frozen=True)
class Bar:
    """A rectangle in a strip of 100 by 20."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class OptionRow:
    """A row of the table: what the slider says there, its cells, and the picture of the indicator."""

    label: str
    cells: tuple[str, ...]
    picture: tuple[Bar, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class TaskPage:
    """A page with a table and a slider. `indicator` has a heading and an explanation; the control has none."""

    name: str
    text: str
    facts: tuple[str, ...]
    goal: str
    slider: str
    columns: tuple[str, ...]
    rows: tuple[OptionRow, ...]
    indicator: tuple[str, str] | None
    curve: tuple[str, float] | None = None  # points of a polyline in 300 by 100, and the height of the limit


def task_page(kind: str, task: ShownTask, arm: str) -> TaskPage:
    """A task as the participants of an arm see it."""
    indicator = None if arm == "control" else of_study.INDICATORS[kind]
    if of_study.is_sharing(kind):
        return _sharing(task, indicator)
    top = max(option.high for option in task.options)
    rows = []
    for option in task.options:
        ranges = tuple(_around(value, option.noise) for _, value in task.figures)
        picture, words = _indicator(option, arm, top) if indicator else ((), "")
        rows.append(OptionRow(f"epsilon {option.value:g}", (f"{option.value:g}", *ranges), picture, words))
    one = len(task.figures) == 1
    names = [("Possible answers (90%)" if one else f"{name} (90%)") for name, _ in task.figures]
    answers = [f"{value:,.0f}" if one else f"{name} {value:,.0f}" for name, value in task.figures]
    facts = (f"True answer: {', '.join(answers)}",)
    text = of_study.QUERIES[task.name]
    return TaskPage(task.name, text, facts, of_study.GOAL, "Epsilon", ("Epsilon", *names), tuple(rows), indicator)


def _indicator(option: ShownOption, arm: str, top: float) -> tuple[tuple[Bar, ...], str]:
    words = f"{number(option.low)} to {number(option.high)}"
    if arm != "histogram" or not option.bins:
        left = 100 * option.low / top
        return (Bar(left, 4, max(1.0, 100 * option.high / top - left), 12),), words
    most = max(people for *_, people in option.bins)
    bars = []
    for low, high, people in option.bins:
        height = 20 * people / most
        if people:
            start, end = max(0.0, low), max(0.0, high)
            bars.append(
                Bar(100 * start / top, 20 - max(1.0, height), max(1.0, 100 * (end - start) / top), max(1.0, height))
            )
    return tuple(bars), words


def _around(value: float, noise: float) -> str:
    return f"{value - noise:,.1f} to {value + noise:,.1f}"


def _sharing(task: ShownTask, indicator: tuple[str, str] | None) -> TaskPage:
    facts = (
        f"Trust in the partner: {task.trust}. Sensitivity of the data: {task.sensitivity}.",
        f"You tolerate a risk of at most {LEVELS[task.most_risk]:g} ({task.most_risk}), "
        f"and at most {task.most_noise:g}% noise.",
        f"Without the counts, a guess about one person is right with {percent(1 / task.choices)} probability.",
    )
    columns = ("Noise", "A count of 100 is shared as (90%)", "Chance of a right guess", "Risk")
    rows = tuple(
        OptionRow(
            f"{option.value:g}% noise",
            (
                f"{option.value:g}%",
                _around(100, option.noise),
                percent_up(option.chance, 1),
                number(option.risk, 2),
            ),
        )
        for option in task.options
    )
    curve = None
    if indicator:
        most = max(option.value for option in task.options)
        points = [(300 * option.value / most, 100 - 100 * option.risk) for option in task.options]
        curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in points), 100 - 100 * LEVELS[task.most_risk]
    text = of_study.SITUATIONS[task.name]
    return TaskPage(task.name, text, facts, of_study.SHARING_GOAL, "Noise", columns, rows, indicator, curve)


def texts(kind: str, step: str, *, passed: bool) -> dict[str, Any]:
    """The words of a page without a table."""
    end = of_study.END if passed else of_study.FAILED
    every: dict[str, dict[str, Any]] = {
        "consent": {"title": "A study about privacy", "sentences": of_study.CONSENT, "question": of_study.KNEW},
        "tutorial": {"title": "Differential privacy in short", "sentences": of_study.tutorial(kind)},
        "quiz": {"title": "Three questions", "questions": quiz(kind)},
        "used": {"title": "One question about the tasks", "question": of_study.USED[kind]},
        "sus": {"title": "The tool that you used", "statements": of_study.SUS},
        "end": {"title": "End of the study", "sentences": (end,)},
    }
    return every[step]
