"""Pictures of the risk of sharing an answer: against its noise, and over trust and sensitivity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.views.curves import Course
from sfumato.views.figure import Axis, Figure, Limit, Line, Pin, Points, Surface, number
from sfumato.views.words import of_pictures

NOISE = Axis("added noise", "±, 90 of 100", start=0)
RISK = Axis("risk of sharing", "0 to 1", start=0)


def noise_against_risk(
    points: Course,
    limit: float | None = None,
    *,
    least: float | None = None,
    chosen: tuple[float, float] | None = None,
    noise: Axis = NOISE,
    subtitle: str = "",
) -> Figure:
    """More noise, less risk; `least` is the noise from which on the risk is within the limit (004 Fig. 4)."""
    pins = () if least is None else (Pin(least, f"within your limit from {number(least)} on"),)
    picked = () if chosen is None else (Points((chosen,), "chosen"),)
    marks = (Line(tuple(points)), *picked, *_limits(limit), *pins)
    return Figure(of_pictures.SHARING_TITLE, subtitle, noise, RISK, marks, of_pictures.SHARING)


def risk_by_trust(
    curves: Mapping[str, Course], limit: float | None = None, noise: Axis = NOISE, subtitle: str = ""
) -> Figure:
    """The same, with a line per level of trust."""
    lines = tuple(Line(tuple(course), label) for label, course in curves.items())
    return Figure(of_pictures.SHARING_TITLE, subtitle, noise, RISK, (*lines, *_limits(limit)), of_pictures.SHARING)


def sharing_surface(
    trusts: Sequence[float],
    sensitivities: Sequence[float],
    risks: Sequence[Sequence[float]],
    limit: float | None = None,
    subtitle: str = "",
) -> Figure:
    """The risk over trust and sensitivity, `risks[i][j]` at `sensitivities[i]` and `trusts[j]` (004 Fig. 2 and 3)."""
    surface = Surface(tuple(trusts), tuple(sensitivities), tuple(map(tuple, risks)), limit=limit)
    axes = Axis("trust in the partner", "0 to 1"), Axis("sensitivity of the data", "0 to 1")
    return Figure(of_pictures.SURFACE_TITLE, subtitle, *axes, (surface,), of_pictures.SHARING, z=RISK)


def _limits(limit: float | None) -> tuple[Limit, ...]:
    return () if limit is None else (Limit(limit, f"your limit {number(limit)}"),)
