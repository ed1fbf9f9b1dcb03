"""Figures of the sharing risk: over noise, and over trust and sensitivity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from sfumato.model.guess_view import GuessAt, GuessView
from sfumato.presentation.figures.curves import Course
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Limit, Line, Pin, Points, Surface
from sfumato.presentation.figures.palette import SERIES
from sfumato.presentation.figures.plotly import page_plotly
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


@dataclass(frozen=True)
class SharingPoint:
    """One noise of the scale: its place, its name, and what it means in sentences."""

    epsilon: float
    across: float
    short: str
    share: str  # of the count that was stated
    noise: str
    guess: str
    guesses: str


@dataclass(frozen=True)
class LeastNoise(SharingPoint):
    """The least noise that meets a limit: the one number that curve, mark, table and sentence show."""

    risk: float
    risks: tuple[float, ...]  # for each of the stakes of a grid
    sentence: str


def least_noise(view: GuessView) -> LeastNoise | None:
    """Where the limit asks for noise; None without a limit, and where any noise meets it."""
    row = next((row for row in view.candidates if row.epsilon == view.epsilon), None)
    if row is None or row.risk is None:
        return None
    point = _point(row, view)
    sentence = of_guessing.LEAST.format(short=point.short, epsilon=number(row.epsilon))
    return LeastNoise(**asdict(point), risk=_upward(row.risk), risks=_risks(row, view), sentence=sentence)


_PRODUCTS = [[s * (STEPS - t) for t in range(STEPS + 1)] for s in range(STEPS + 1)]
_STAKES = sorted({product for row in _PRODUCTS for product in row})  # of sensitivity and lack of trust, in 400ths


def _risks(row: GuessAt, view: GuessView) -> tuple[float, ...]:
    return tuple(_upward(sharing_risk(stake / STEPS**2, 0.0, row.chance, view.blind)) for stake in _STAKES)


def grid(view: GuessView) -> dict[str, Any]:
    """All that the sliders of a page show: a noise is an index of `points`, a recipient one of `stakes`.

    The risk is `risks[stakes[sensitivity][trust]][point]`, rounded up to four digits, with sensitivity and trust in
    twentieths; its word is the last of `levels` that begins at or below it.
    """
    points = sorted((row for row in view.candidates if row.epsilon != view.epsilon), key=lambda row: -row.epsilon)
    place = {product: i for i, product in enumerate(_STAKES)}
    return {
        "query": view.query,
        "secret": view.secret,
        "blind": view.blind,
        "count": view.count,
        "across": "epsilon" if _by_rank(view) else f"noise of the {view.numbers[0]} (90%, ±)",
        "points": [asdict(_point(row, view)) for row in points],
        "stakes": [[place[product] for product in row] for row in _PRODUCTS],
        "risks": [list(risks) for risks in zip(*(_risks(row, view) for row in points), strict=True)],
        "levels": [{"word": word, "from": start, "step": round(LEVELS[word] * STEPS)} for word, start in _levels()],
        "steps": STEPS,
    }


def scale(grid: Mapping[str, Any], least: LeastNoise | None, sensitivity: int, trust: int) -> list[dict[str, Any]]:
    """The points of the grid with their risks, and among them the least noise within the limit: little noise first."""
    risks = course(grid, sensitivity, trust)
    rows = [point | {"risk": risk, "least": False} for point, risk in zip(grid["points"], risks, strict=True)]
    exact = [] if least is None else [asdict(least) | {"least": True}]
    return sorted(rows + exact, key=lambda row: -row["epsilon"])


def summary(
    rows: Sequence[Mapping[str, Any]],
    least: LeastNoise | None,
    trust: int,
    sensitivity: int,
    limit: float,
    point: int,
    otherwise: str = of_guessing.EVERY,
) -> list[str]:
    """The choice and its risk, in the sentences that a page fills in as sliders move."""
    at = rows[point]
    words = {
        "trust": _with_word(trust / STEPS),
        "sensitivity": _with_word(sensitivity / STEPS),
        "limit": f"{limit:.15g}",
        "risk": _with_word(at["risk"]),
    }
    verdict = of_guessing.WITHIN if at["risk"] <= limit else of_guessing.OVER
    last = otherwise if least is None else least.sentence
    return [of_guessing.PARTNER.format(**words), at["noise"], at["guess"], verdict.format(**words), last]


def space(grid: Mapping[str, Any], limit: float, point: int) -> dict[str, Any]:
    """The surface at one noise of the grid; a script puts in the numbers of others."""
    all_steps = range(STEPS + 1)
    heights = [[course(grid, row, column)[point] for column in all_steps] for row in all_steps]
    shares = [step / STEPS for step in all_steps]
    return _in_space(sharing_surface(shares, shares, heights, limit))


DASHES = [series.dashes for series in SERIES]
_HERE = {"color": "var(--paper)", "line": {"color": "var(--ink)", "width": 3}}


def _in_space(figure: Figure) -> dict[str, Any]:
    """A surface with its limit, threads to the place of the sliders, and a mark there."""
    drawn = page_plotly(figure)
    surface, _ = drawn["data"]
    surface |= {"opacity": 0.55, "showscale": False, "cmin": 0, "cmax": 1}
    dotted, quiet = {"color": "var(--ink)", "width": 4, "dash": "dot"}, {"hoverinfo": "skip", "showlegend": False}
    drawn["data"] += [{"type": "scatter3d", "mode": "lines", "line": dotted, **quiet} for _ in range(4)]
    drawn["data"].append({"type": "scatter3d", "mode": "markers", "marker": _HERE | {"size": 7}, **quiet})
    for axis, name in (("xaxis", "trust"), ("yaxis", "sensitivity"), ("zaxis", "risk")):  # short, for a telephone
        drawn["layout"]["scene"][axis]["title"] = {"text": name}
    drawn["layout"]["scene"]["zaxis"] |= {"range": [0, 1], "tickmode": "auto"}
    drawn["layout"]["scene"]["camera"] = {"eye": {"x": 1.6, "y": 1.8, "z": 0.9}, "center": {"x": 0, "y": 0, "z": -0.22}}
    drawn["layout"] |= {"margin": dict.fromkeys("trbl", 0), "uirevision": "kept"}
    return drawn


def course(grid: Mapping[str, Any], sensitivity: int, trust: int) -> Sequence[float]:
    """The risk at each noise, for this trust and sensitivity."""
    risks: Sequence[float] = grid["risks"][grid["stakes"][sensitivity][trust]]
    return risks


def _with_word(figure: float) -> str:
    return f"{figure:.15g} ({nearest_word(figure)})"


def _by_rank(view: GuessView) -> bool:
    return any(row.noise_90[0] is None for row in view.candidates)


def _point(row: GuessAt, view: GuessView) -> SharingPoint:
    far = row.noise_90[0]
    return SharingPoint(
        epsilon=row.epsilon,
        across=row.epsilon if _by_rank(view) or far is None else far,
        short=f"epsilon {number(row.epsilon)}" if far is None else f"±{number(far)}",
        share="" if view.count is None else of_guessing.share_of(view.count, far),
        noise=of_guarantee.sentence(of_guessing.noise_range(view.numbers, row, view.count)),
        guess=of_guarantee.sentence(of_guessing.right_guesses(row.chance, view.blind)),
        guesses=percent_up(row.chance),
    )


def _upward(risk: float) -> float:
    return math.ceil(risk * 10_000 - 1e-7) / 10_000


def _levels() -> list[tuple[str, float]]:
    """The lowest number of each word."""
    words = list(LEVELS)
    return [(words[0], 0.0)] + [(b, round((LEVELS[a] + LEVELS[b]) / 2, 6)) for a, b in pairwise(words)]


def _limits(limit: float | None) -> tuple[Limit, ...]:
    return () if limit is None else (Limit(limit, f"your limit {number(limit)}"),)
