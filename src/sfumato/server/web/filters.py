"""How numbers, times and names are written on pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from sfumato.model.guarantee import Guarantee
from sfumato.presentation.glossary import glossary
from sfumato.presentation.wording.guarantee import LABELS
from sfumato.presentation.wording.numbers import number, percent_up


def moment(text: str | None) -> str:
    """A time to the minute, in UTC. Where scripts run, the page says how long ago it was (sfumato.js)."""
    time = Markup('<time datetime="{}">{} UTC</time>')
    return "" if not text else time.format(text, text[:16].replace("T", " "))


def figure(value: object) -> str:
    """A number with as many digits as matter; anything else as it is."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def exact(value: object) -> str:
    """A number that a person stated, with the digits that it was stated with."""
    return f"{value:,.15g}" if isinstance(value, int | float) else figure(value)


def comma_list(names: Any) -> str:
    return ", ".join(str(name) for name in names or ())


def parameter_text(value: object) -> str:
    """A parameter of a task as a person stated it; names with numbers as pairs."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {exact(number)}" for name, number in value.items())
    return comma_list(value) if isinstance(value, list | tuple) else exact(value)


def task_words(task: Mapping[str, Any] | None) -> str:
    """A task in one line, with what was stated; without one it is code."""
    if task is None:
        return "own code"
    given = [(name, value) for name, value in task.items() if name not in ("task", "table")]
    parts = [
        f"{name} {parameter_text(value)}".replace("_", " ", 1)
        for name, value in given
        if value not in (None, "", [], {})
    ]
    return str(task["task"]).replace("_", " ") + (f" ({', '.join(parts)})" if parts else "")


def term(name: str, text: str = "") -> Markup:
    """A term of the glossary, or `text` for it, with its meaning as a tooltip that the keyboard reaches too."""
    abbreviation = Markup('<abbr class="term" tabindex="0" title="{}">{}</abbr>')
    return abbreviation.format(meaning(name), text or name)


def meaning(name: str) -> str:
    return glossary().term(name).means


def guarantee_label(code: str | None) -> str:
    """The guarantee for people; empty where an event has none."""
    return "" if code is None else LABELS[Guarantee(code)]


FILTERS: Mapping[str, Callable[..., str]] = {
    "moment": moment,
    "percent": percent_up,
    "figure": figure,
    "exact": exact,
    "guarantee": guarantee_label,
    "short": number,
    "listed": comma_list,
    "stated": parameter_text,
    "task_words": task_words,
}
