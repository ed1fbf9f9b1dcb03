"""Figures of the sharing risk: over noise, and over trust and sensitivity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from sfumato.model.guess_view import GuessAt, GuessView
from sfumato.presentation.figures.curves import Course
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Limit, Line, Pin, Points, Surface
from sfumato.presentation.figures.plotly import page_plotly, shown_text
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import guessing_sentences as of_guessing
from sfumato.presentation.wording import pictures as of_pictures
from sfumato.presentation.wording.numbers import number, percent_up
from sfumato.privacy.risk.sharing import LEVELS, nearest_word, sharing_risk

NOISE = Axis("noise", "90%, ±", start=0)
RISK = Axis("sharing risk", "0 to 1", start=0)


def noise_against_risk(
    points: Course,
    limit: float | None = None,
    *,
    least: float | None = None,
    chosen: tuple[float, float] | None = None,
    noise: Axis = NOISE,
    subtitle: str = "",
) -> Figure:
    """Sharing risk over noise; `least` is the noise from which the risk is within the limit (DPP Fig. 4)."""
    pins = () if least is None else (Pin(least, f"within your limit from {number(least)}"),)
    picked = () if chosen is None else (Points((chosen,), "chosen"),)
    marks = (Line(tuple(points)), *picked, *_limits(limit), *pins)
    return Figure(of_pictures.SHARING_TITLE, subtitle, noise, RISK, marks, of_pictures.SHARING)


def risk_by_trust(
    curves: Mapping[str, Course], limit: float | None = None, noise: Axis = NOISE, subtitle: str = ""
) -> Figure:
    """The same, with a line for each level of trust."""
    lines = tuple(Line(tuple(course), label) for label, course in curves.items())
    return Figure(of_pictures.SHARING_TITLE, subtitle, noise, RISK, (*lines, *_limits(limit)), of_pictures.SHARING)


def sharing_surface(
    trusts: Sequence[float],
    sensitivities: Sequence[float],
    risks: Sequence[Sequence[float]],
    limit: float | None = None,
    subtitle: str = "",
) -> Figure:
    """The risk over trust and sensitivity, `risks[i][j]` at `sensitivities[i]` and `trusts[j]` (DPP Fig. 2 and 3)."""
    surface = Surface(tuple(trusts), tuple(sensitivities), tuple(map(tuple, risks)), limit=limit)
    axes = Axis("trust in the recipient", "0 to 1"), Axis("sensitivity of the data", "0 to 1")
    return Figure(of_pictures.SURFACE_TITLE, subtitle, *axes, (surface,), of_pictures.SHARING, z=RISK)


EPSILONS = tuple(float(f"{10 ** (1 - step / 15):.2g}") for step in range(46))
"""From 10 to 0.01, in steps of a sixth: little noise first."""
STEPS = 20  # of trust and of sensitivity, from 0 to 1


def grid(view: GuessView) -> dict[str, Any]:
    """All that the sliders of a page show: a noise is an index of `points`, a recipient one of `stakes`.

    The risk is `risks[stakes[sensitivity][trust]][point]`, rounded up to four digits, with sensitivity and trust in
    twentieths; its word is the last of `levels` that begins at or below it.
    """
    points = sorted(view.candidates, key=lambda row: -row.epsilon)
    products = [[s * (STEPS - t) for t in range(STEPS + 1)] for s in range(STEPS + 1)]
    known = sorted({product for row in products for product in row})
    at_stake = [product / STEPS**2 for product in known]
    place = {product: i for i, product in enumerate(known)}
    by_rank = any(row.noise_90[0] is None for row in points)
    return {
        "query": view.query,
        "secret": view.secret,
        "blind": view.blind,
        "across": "epsilon" if by_rank else f"noise of the {view.numbers[0]} (90%, ±)",
        "points": [_point(row, view, by_rank) for row in points],
        "stakes": [[place[product] for product in row] for row in products],
        "risks": [[_upward(sharing_risk(stake, 0.0, row.chance, view.blind)) for row in points] for stake in at_stake],
        "levels": [{"word": word, "from": start, "step": round(LEVELS[word] * STEPS)} for word, start in _levels()],
        "steps": STEPS,
    }


def summary(grid: Mapping[str, Any], trust: int, sensitivity: int, limit: float, point: int) -> list[str]:
    """The choice and its risk, in the sentences that a page fills in as sliders move."""
    risk = course(grid, sensitivity, trust)[point]
    words = {
        "trust": _with_word(trust / STEPS),
        "sensitivity": _with_word(sensitivity / STEPS),
        "limit": _with_word(limit),
        "risk": _with_word(risk),
    }
    at = grid["points"][point]
    verdict = of_guessing.WITHIN if risk <= limit else of_guessing.OVER
    return [of_guessing.PARTNER.format(**words), at["noise"], at["guess"], verdict.format(**words)]


def figures(grid: Mapping[str, Any], trust: int, sensitivity: int, limit: float, point: int) -> dict[str, Any]:
    """The pictures where sliders stand like this; a script puts in the numbers of other positions.

    Noise is on a log scale from little to much: where it is told by epsilon, from large to small.
    """
    points, all_steps = grid["points"], range(STEPS + 1)
    noise, places = Axis(grid["across"], scale="log"), [each["across"] for each in points]
    risks = course(grid, sensitivity, trust)
    by_trust = {f"trust {each['word']}": course(grid, sensitivity, each["step"]) for each in grid["levels"]}
    curves = {label: tuple(zip(places, each, strict=True)) for label, each in by_trust.items()}
    here = (places[point], risks[point])
    curve = noise_against_risk(tuple(zip(places, risks, strict=True)), limit, least=places[0], chosen=here, noise=noise)
    drawn = {"curve": _sliding(curve), "trusts": _sliding(risk_by_trust(curves, limit, noise))}
    line, marker, *_ = drawn["curve"]["data"]
    line |= {"text": [shown_text(each["guess"]) for each in points], "hovertemplate": _HOVER}
    marker |= {"marker": _HERE | {"size": 14}, "hoverinfo": "skip"}
    heights = [[course(grid, row, column)[point] for column in all_steps] for row in all_steps]
    shares = [step / STEPS for step in all_steps]
    return drawn | {"space": _in_space(sharing_surface(shares, shares, heights, limit))}


_HERE = {"color": "var(--paper)", "line": {"color": "var(--ink)", "width": 3}}
_HOVER = "%{x:.3~g}: risk %{y:.3~g}<br>%{text}<extra></extra>"


def _sliding(figure: Figure) -> dict[str, Any]:
    """A figure whose axes follow what a script puts in."""
    drawn = page_plotly(figure)
    layout, first = drawn["layout"], drawn["data"][0]["x"]
    falling = first[0] > first[-1]
    fixed = ("range", "tickvals", "ticktext")
    x, y = ({key: value for key, value in layout[axis].items() if key not in fixed} for axis in ("xaxis", "yaxis"))
    layout["xaxis"] = x | {"dtick": 1, "autorange": "reversed" if falling else True}
    layout["yaxis"] = y | {"rangemode": "tozero"}
    layout |= {"margin": layout["margin"] | {"r": 100}, "legend": {"orientation": "h", "y": 1.12}}
    limit = next(trace for trace in drawn["data"] if trace["name"] == shown_text(figure.of(Limit)[0].label))
    limit["x"] = [first[0], first[-1]]
    return drawn


def _in_space(figure: Figure) -> dict[str, Any]:
    """A surface with its limit, threads to the place of the sliders, and a mark there."""
    drawn = page_plotly(figure)
    surface, _ = drawn["data"]
    surface |= {"opacity": 0.55, "showscale": False, "cmin": 0, "cmax": 1}
    dotted, quiet = {"color": "var(--ink)", "width": 4, "dash": "dot"}, {"hoverinfo": "skip", "showlegend": False}
    drawn["data"] += [{"type": "scatter3d", "mode": "lines", "line": dotted, **quiet} for _ in range(4)]
    drawn["data"].append({"type": "scatter3d", "mode": "markers", "marker": _HERE | {"size": 7}, **quiet})
    drawn["layout"]["scene"]["zaxis"] |= {"range": [0, 1], "tickmode": "auto"}
    drawn["layout"]["scene"]["camera"] = {"eye": {"x": 1.6, "y": 1.8, "z": 0.8}, "center": {"x": 0, "y": 0, "z": -0.15}}
    drawn["layout"] |= {"margin": dict.fromkeys("trbl", 0), "uirevision": "kept"}
    return drawn


def course(grid: Mapping[str, Any], sensitivity: int, trust: int) -> Sequence[float]:
    """The risk at each noise, for this trust and sensitivity."""
    risks: Sequence[float] = grid["risks"][grid["stakes"][sensitivity][trust]]
    return risks


def _with_word(figure: float) -> str:
    return f"{figure:.15g} ({nearest_word(figure)})"


def _point(row: GuessAt, view: GuessView, by_rank: bool) -> dict[str, object]:
    far = row.noise_90[0]
    return {
        "epsilon": row.epsilon,
        "across": row.epsilon if by_rank or far is None else far,
        "short": f"epsilon {number(row.epsilon)}" if far is None else f"±{number(far)}",
        "noise": of_guarantee.sentence(of_guessing.noise_range(view.numbers, row)),
        "guess": of_guarantee.sentence(of_guessing.right_guesses(row.chance, view.blind)),
        "guesses": percent_up(row.chance),
    }


def _upward(risk: float) -> float:
    return math.ceil(risk * 10_000 - 1e-7) / 10_000


def _levels() -> list[tuple[str, float]]:
    """The lowest number of each word."""
    words = list(LEVELS)
    return [(words[0], 0.0)] + [(b, round((LEVELS[a] + LEVELS[b]) / 2, 6)) for a, b in pairwise(words)]


def _limits(limit: float | None) -> tuple[Limit, ...]:
    return () if limit is None else (Limit(limit, f"your limit {number(limit)}"),)
