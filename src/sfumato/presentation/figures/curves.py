"""Pictures of what an epsilon does: each from plain numbers, which somebody else worked out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Limit, Line, Pin, Points
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import pictures as of_pictures
from sfumato.presentation.wording.numbers import number

Course: TypeAlias = Sequence[tuple[float, float]]

EPSILON = Axis("epsilon", scale="log")
RIGHT = Axis("an attacker is right", "times of 100")
HUNDRED = (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)


def response_curves(worlds: Mapping[str, Course], response: float | None = None, subtitle: str = "") -> Figure:
    """How likely each answer is in each possible world, and the answer that was seen (LC Fig. 1 and 3)."""
    seen = () if response is None else (Pin(response, f"the answer {number(response)}"),)
    axes = Axis("noisy answer"), Axis("density", start=0)
    return Figure(of_pictures.WORLDS_TITLE, subtitle, *axes, (*_lines(worlds), *seen), of_pictures.WORLDS)


def belief_curves(curves: Mapping[str, Course], limit: float | None = None, subtitle: str = "") -> Figure:
    """How sure an attacker may become of who is missing, at each epsilon; a curve per domain (LC Fig. 2)."""
    limits = () if limit is None else (Limit(100 * limit, f"at most {number(100 * limit)} of 100"),)
    lines = _lines({label: [(epsilon, 100 * belief) for epsilon, belief in at] for label, at in curves.items()})
    axes = Axis("epsilon"), Axis("posterior belief at most", "of 100", ticks=HUNDRED)
    return Figure(of_pictures.BELIEF_TITLE, subtitle, *axes, (*lines, *limits), of_pictures.BELIEF)


def noise_curves(curves: Mapping[str, Course], subtitle: str = "") -> Figure:
    """The least noise so many times of 100, a curve per epsilon (DIFF Fig. 1)."""
    lines = _lines({label: [(100 * often, noise) for often, noise in at] for label, at in curves.items()})
    axes = Axis("so often", "times of 100", ticks=HUNDRED), Axis("noise at least", "in the answer's units", start=0)
    return Figure(of_pictures.NOISE_TITLE, subtitle, *axes, lines, of_pictures.NOISE_OFTEN)


def mta_curves(curves: Mapping[str, Course], subtitle: str = "", x: Axis = EPSILON) -> Figure:
    """The least true answer with a small relative error: over epsilon, or over another axis (DIFF Fig. 2)."""
    y = Axis("true answer at least", "in its own units", scale="log")
    return Figure(of_pictures.MTA_TITLE, subtitle, x, y, _lines(curves), of_pictures.MTA)


def frontier(
    points: Sequence[tuple[float, float, float]],
    y: Axis,
    *,
    noise: str = "noise range",
    unit: str = "±, 90 of 100",
    limit: Limit | None = None,
    chosen: float | None = None,
    subtitle: str = "",
    note: str = of_pictures.FRONTIER,
) -> Figure:
    """Privacy against accuracy: of each epsilon its noise range and its risk, `(epsilon, noise, risk)`."""
    marks = []
    for label, picked in (("each an epsilon", False), ("chosen", True)):
        group = [point for point in points if (point[0] == chosen) is picked]
        names = tuple(number(epsilon) for epsilon, *_ in group)
        marks += [Points(tuple((half, risk) for _, half, risk in group), label, names)] if group else []
    limits = () if limit is None else (limit,)
    return Figure(of_pictures.FRONTIER_TITLE, subtitle, Axis(noise, unit, scale="log"), y, (*marks, *limits), note)


def attack_curve(chances: Course, chosen: float | None = None, subtitle: str = "") -> Figure:
    """How often an attacker who knows everybody else is right, at each epsilon; a coin is right 50 times."""
    course = tuple((epsilon, float(of_guarantee.of_100(chance))) for epsilon, chance in chances)
    drawn = Line(course) if len(course) > 1 else Points(course)
    pins = () if chosen is None else (Pin(chosen, f"chosen: {number(chosen)}"),)
    y = Axis(RIGHT.label, RIGHT.unit, ticks=(50, 60, 70, 80, 90, 100))
    return Figure(of_pictures.ATTACK_TITLE, subtitle, EPSILON, y, (drawn, *pins), of_pictures.ATTACK)


def roc(curves: Mapping[str, Course], subtitle: str = "") -> Figure:
    """An attacker's hits at each rate of false alarms; whoever guesses blindly is on the diagonal."""
    shares = {
        label: [(100 * alarms, float(of_guarantee.of_100(hits))) for alarms, hits in at] for label, at in curves.items()
    }
    lines = _lines(shares | {"a blind guess": [(0, 0), (100, 100)]})
    alarms, hits = Axis("false alarms", "of 100 not in", ticks=HUNDRED), Axis("hits", "of 100 in", ticks=HUNDRED)
    return Figure(of_pictures.ROC_TITLE, subtitle, alarms, hits, lines, of_pictures.ROC)


def _lines(curves: Mapping[str, Course]) -> tuple[Line, ...]:
    return tuple(Line(tuple(course), label) for label, course in curves.items())
