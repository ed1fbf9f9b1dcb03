"""The risk explorer: the meaning of each position of its sliders, in numbers and sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.model.facts import Histogram
from sfumato.model.risk import RiskAt, RiskView, Source
from sfumato.presentation.figures.histogram import histogram_figure
from sfumato.presentation.figures.marks import GLYPHS, Bars, Verdict
from sfumato.presentation.figures.plotly import page_plotly
from sfumato.presentation.risk import profile as risk
from sfumato.presentation.wording import exploration_sentences as of_explorer
from sfumato.presentation.wording import exposure_histogram_sentences as of_exposure_histogram
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import method_comparison_sentences as of_compare
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.presentation.wording.numbers import number, percent_up, rounded_figure
from sfumato.privacy.preferences.sweep import SELECTING, Slider, SliderKind, SliderPosition, place, stated_value
from sfumato.privacy.risk.membership import attack_chance
from sfumato.release.risk.exploration import Exploration, PolicyInForce

BARS = 20  # at most, in a histogram of exposures
VERDICTS: Mapping[str, tuple[Verdict, str]] = {
    "ok": ("ok", "within the limit"),
    "chosen": ("chosen", "chosen"),
    "over": ("over", "over the limit"),
    "ceiling": ("over", "above epsilon_max"),
    "noisy": ("over", "too noisy"),
    "unknown": ("ok", ""),
}


def exploration(explored: Exploration) -> dict[str, Any]:
    """All that a page shows: each position of each slider, and each epsilon."""
    view, policy, replaced = explored.view, explored.policy, explored.replaced
    least, needs = _least(explored.sliders, policy), _needs(explored)
    points = [
        _judged_point(_point(at, worst, rdr, explored), policy, least, needs)
        for at, worst, rdr in zip(view.candidates, explored.worst_case, explored.rdr, strict=True)
    ]
    sliders = {slider.kind.value: _slider(slider, view.source, policy, replaced) for slider in explored.sliders}
    for slider in sliders.values():
        for stop in slider["stops"]:
            stop["rows"] = _rows(points, stop, policy)
    kind, index = place(explored.sliders, policy.preference, policy.epsilon)
    notes = (of_risk.noisy_parts(view), of_risk.missed_ranks(view), of_risk.without_delta(view))
    return {
        "source": view.source.value,
        "title": of_risk.TITLES[view.source],
        "words": of_risk.source(view),
        "deciding": of_risk.deciding(view),
        "size": risk.size(view),
        "compares": of_explorer.COMPARES[view.source],
        "no_probability": of_explorer.no_probability(view.source),
        "standing": _standing(kind, view.source, policy),
        "notes": [note for note in notes if note],
        "ceiling": policy.epsilon_max,
        "in_force": policy.epsilon,
        "start": {"kind": kind.value, "index": index},
        "cell": next((name for name, _ in explored.cells), None),
        "cells": [{"name": name, "value": value} for name, value in explored.cells],
        "heading": of_explorer.noise_heading(view.expected_count),
        "axis": of_explorer.noise_axis(view, points[0]["figure"] if points else ""),
        "needs": needs,
        "absent": of_explorer.absent(replaced),
        "points": points,
        "sliders": sliders,
        "histogram": _histogram(view, explored.histogram),
    }


def _standing(kind: SliderKind, source: Source, policy: PolicyInForce) -> str:
    """Why a rule that states no epsilon is shown at one."""
    elsewhere = (
        source in (Source.REHEARSAL, Source.PEOPLE) and kind is SliderKind.EPSILON and policy.epsilon is not None
    )
    return of_explorer.AT_ITS_EPSILON if elsewhere and "gap" in policy.preference else ""


def verdict(epsilon: float, stop: Mapping[str, Any], epsilon_max: float) -> str:
    """The verdict of a stop on an epsilon: by the stop's interval, and by epsilon_max of the policy.

    >>> stop = {"low": 0.0, "high": 0.5, "epsilon": 0.5, "selected": False}
    >>> [verdict(one, stop, 1.0) for one in (0.1, 0.5, 0.7, 2.0)]
    ['ok', 'chosen', 'over', 'ceiling']
    """
    if epsilon > epsilon_max:
        return "ceiling"
    if stop["selected"]:
        return "unknown"
    if epsilon == stop["epsilon"]:
        return "chosen"
    return "ok" if stop["low"] <= epsilon and (stop["high"] is None or epsilon <= stop["high"]) else "over"


def rows(exploration: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The table: the usual epsilons and the one in force, each with the verdict of the policy."""
    listed = [point for point in exploration["points"] if point["listed"]]
    return [point | {"verdict": verdict_mark(point["verdict"])} for point in listed]


def _rows(points: Sequence[Mapping[str, Any]], stop: Mapping[str, Any], policy: PolicyInForce) -> list[list[Any]]:
    """The rows of a stop: the usual epsilons and its own, each with its verdict."""
    places = [index for index, point in enumerate(points) if point["listed"] or point["epsilon"] == stop["epsilon"]]
    return [[index, verdict(points[index]["epsilon"], stop, policy.epsilon_max)] for index in places]


def verdict_mark(name: str) -> dict[str, str]:
    mark, words = VERDICTS[name]
    return {"name": name, "mark": mark, "glyph": GLYPHS[mark] if words else "", "words": words}


def judged(epsilon: float, policy: PolicyInForce, least: float) -> str:
    """The verdict of the policy on an epsilon: `least` is the smallest that meets the accuracy the analyst asks for.

    >>> [judged(one, PolicyInForce(1.0, {}, 0.2, limit=0.5), 0.1) for one in (0.05, 0.1, 0.5, 0.7, 2.0)]
    ['noisy', 'ok', 'ok', 'over', 'ceiling']
    """
    if epsilon > policy.epsilon_max:
        return "ceiling"
    if policy.limit is not None and epsilon > policy.limit * (1 + 1e-9):
        return "over"
    return "noisy" if epsilon < least * (1 - 1e-9) else "ok"


def _needs(explored: Exploration) -> float | None:
    """The accuracy that the analyst needs: by the preference, else as the request states it; not of a rank."""
    by_preference = stated_value(SliderKind.ERROR, explored.policy.preference)
    ranked = any(at.rank_90 is not None for at in explored.view.candidates[:1])
    return by_preference if by_preference is not None or ranked else explored.policy.accuracy


def _judged_point(point: dict[str, Any], policy: PolicyInForce, least: float, needs: float | None) -> dict[str, Any]:
    """A point with its verdict; where the accuracy is stated beside the preference, its own noise is compared."""
    verdict = judged(point["epsilon"], policy, least)
    beyond = needs is not None and (point["half"] is None or point["half"] > needs * (1 + 1e-9))
    misses = beyond and needs == policy.accuracy
    return point | {"verdict": "noisy" if verdict == "ok" and misses else verdict}


def _least(sliders: Sequence[Slider], policy: PolicyInForce) -> float:
    errors = next(slider.stops for slider in sliders if slider.kind is SliderKind.ERROR)
    needs = stated_value(SliderKind.ERROR, policy.preference)
    return next((stop.meets.low for stop in errors if stop.value == needs), 0.0)


def _point(at: RiskAt, worst: float, rdr: Sequence[float], explored: Exploration) -> dict[str, Any]:
    view, policy, replaced = explored.view, explored.policy, explored.replaced
    inside, half = of_guarantee.in_100(worst), risk.half_width(at, view.expected_count)
    noise, cell = risk.ranges(at, view.expected_count), next(iter(explored.cells), None)
    figure, first = risk.first_figure(at, view.expected_count)
    counted = None if view.expected_count is None else view.expected_count.count
    return {
        "epsilon": at.epsilon,
        "shown": number(at.epsilon, 4),
        "listed": at.epsilon in explored.listed or at.epsilon == policy.epsilon,
        "gap": None if math.isinf(at.gap) else at.gap,
        "gap_shown": of_explorer.gap(at),
        "noise": noise,
        "figure": figure,
        "first": first,
        "half": half,
        "odds": percent_up(worst),
        "chance": worst,
        "own_chance": at.attack_chance,
        "rdr": [float(f"{one:.6g}") for one in rdr[:2]],
        "rdr_shown": " to ".join(number(one, 4) for one in rdr[:2]),
        "marks": [number(one, 4) for one in rdr[2:]],
        "in": inside,
        "out": 100 - inside,
        "short": of_explorer.short(noise, worst),
        "words": list(of_explorer.point(at, view.source, noise, worst, counted=counted, replaced=replaced)),
        **({} if cell is None or half is None else {"cell": _around(cell[1], half), "cell_half": half}),
    }


def _around(value: float, half: float) -> str:
    """The noise range around a figure, to two digits of how far it reaches."""
    return rounded_figure(value, (value - half, value + half))[1]


def _slider(slider: Slider, source: Source, policy: PolicyInForce, replaced: bool) -> dict[str, Any]:
    stops = [_stop(stop, source, policy, replaced) for stop in slider.stops]
    return {"label": of_explorer.KINDS[slider.kind], "stops": stops, "why": slider.why}


def _stop(stop: SliderPosition, source: Source, policy: PolicyInForce, replaced: bool) -> dict[str, Any]:
    solution = stop.solution
    most = attack_chance(policy.epsilon_max + SELECTING, policy.delta) if solution is None else None
    limited_to = policy.epsilon_max if solution is not None and solution.unbounded else None
    return {
        "kind": stop.kind.value,
        "value": stop.value,
        "shown": _SHOWN[stop.kind].format(
            number(100 * stop.value if stop.kind is SliderKind.CHANCE else stop.value, 4)
        ),
        "words": of_explorer.stop(stop, source, replaced=replaced),
        "low": min(stop.meets.low, of_compare.FAR),
        "high": None if math.isinf(stop.meets.high) else stop.meets.high,
        "epsilon": limited_to if solution is None or limited_to is not None else solution.epsilon,
        "why": of_explorer.leads_to(stop, policy.epsilon_max),
        "rule": dict(stop.rule),
        "proposal": of_explorer.proposal(stop, source),
        "selected": solution is None,
        "most": None if most is None else of_guarantee.in_100(most),
        "bound": "" if most is None else of_explorer.whatever_is_selected(most, policy.epsilon_max),
    }


_SHOWN = {
    SliderKind.GAP: "{}×",
    SliderKind.CHANCE: "{}%",
    SliderKind.ERROR: "±{}",
    SliderKind.EPSILON: "{}",
    SliderKind.SELECTED: "{}",
}


def _evened(fine: Histogram) -> Histogram:
    """In wider bars: for whole numbers, narrow ones would leave gaps.

    >>> _evened(Histogram((0.0, 0.25, 0.5, 0.75, 1.0), (4, 0, 3, 0)))
    Histogram(edges=(0.0, 0.5, 1.0), people=(4, 3))
    """
    edges, people = fine.edges, fine.people
    for wide in (one for one in range(math.ceil(len(people) / BARS), len(people)) if len(people) % one == 0):
        bars = tuple(sum(people[i : i + wide]) for i in range(0, len(people), wide))
        inner = [i for i, count in enumerate(bars) if count]
        if not inner or bars[inner[0] : inner[-1]].count(0) <= len(bars) / 8:
            return Histogram(edges[::wide], bars)
    return fine


def _histogram(view: RiskView, people: Histogram | None) -> dict[str, Any] | None:
    """People by exposure; for a private histogram with the noise of each count, and without exposure 0."""
    exposure_histogram: ExposureHistogram | None = view.exposure_histogram
    if people is None:
        return None
    if exposure_histogram is None:
        people = _evened(people)
    title = of_risk.AT_EACH_EXPOSURE if exposure_histogram is None else of_exposure_histogram.WITH_NOISE
    noise = 0 if exposure_histogram is None else of_exposure_histogram.bin_noise(exposure_histogram)
    figure = histogram_figure(people, title)
    figure = replace(figure, marks=(Bars(people.edges, tuple(map(float, people.people)), float(noise)),))
    notes = [f"Exposure {of_risk.EXPOSURE}"]
    notes += [] if exposure_histogram is None else of_exposure_histogram.read_off(exposure_histogram)
    notes += [figure.note] if figure.note else []
    bars = {"edges": [float(f"{edge:.6g}") for edge in people.edges], "people": list(people.people)}
    return {"title": title, "notes": notes, "noise": noise, "figure": page_plotly(figure), **bars}
