"""A figure as a Plotly dict, for notebooks and pages: plain data, made without Plotly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import escape
from textwrap import wrap
from typing import Any, TypeAlias

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import GLYPHS, Bars, Box, Dots, Limit, Line, Pin, Points, Range, Span, Surface
from sfumato.presentation.figures.palette import PALETTE, SERIES
from sfumato.presentation.figures.scale import BENDS, Axis, Scale
from sfumato.presentation.printable import plain

Part: TypeAlias = dict[str, Any]

DOTS_A_ROW = 20
HATCH = {"ok": "", "chosen": "", "over": "/"}


def plotly(figure: Figure, dark: bool = False) -> Part:
    """The figure as `data` and `layout`; give it to `plotly.graph_objects.Figure`, or to `Plotly.newPlot`."""
    return _drawn(figure, lambda name: PALETTE[name][dark])


def page_plotly(figure: Figure) -> Part:
    """For a page of the server, which has title and notes of its own.

    Colours are names of the palette, as in a style sheet: the script that places the figure replaces them. Limits and
    pins have their names beside them; there is a legend where lines have names.
    """
    drawn = _drawn(replace(figure, title="", subtitle="", note=""), lambda name: f"var(--{name})")
    layout = drawn["layout"]
    named = any(line.label for line in figure.of(Line))
    layout |= {"showlegend": named, "bargap": 0.35, "margin": {"t": 28, "r": 76, "b": 44, "l": 56}}
    if figure.z is None:
        layout["xaxis"] |= STILL
        layout["yaxis"] |= STILL
    if figure.has(Pin, Range) and not figure.of(Span):  # room for what stands above them
        low, high = layout["yaxis"]["range"]
        layout["yaxis"]["range"] = [low, low + 1.25 * (high - low)]
    for trace in drawn["data"]:
        if trace.get("mode") == "lines" and trace["name"] and "showlegend" not in trace:
            trace.update(NAMED | _beside(figure, trace))
    return drawn


def _beside(figure: Figure, rule: Part) -> Part:
    """The name of a limit at its right end, or of a pin above it, on the side that has room."""
    start, end = rule["x"][0], rule["x"][-1]
    if start != end:
        return {"text": ["", f" {rule['name']}"], "textposition": "middle right"}
    place = figure.across.at(start)
    side = "left" if place > 2 / 3 else "right" if place < 1 / 3 else "center"
    return {"text": [rule["name"], ""] if figure.of(Span) else ["", rule["name"]], "textposition": f"top {side}"}


def _drawn(figure: Figure, paint: Paint) -> Part:
    traces = [trace for draw in DRAWN for trace in draw(figure, paint)]
    return {"data": traces, "layout": _layout(figure, paint)}


LINE = 76  # letters
FROM_AFAR = {"x": 2.0, "y": 2.0, "z": 1.3}  # so that the names of the axes are in the picture

STILL = {"fixedrange": True, "automargin": True}
NAMED = {"mode": "lines+text", "cliponaxis": False, "hoverinfo": "skip", "showlegend": False}
Paint: TypeAlias = Callable[[str], str]


def _layout(figure: Figure, paint: Paint) -> Part:
    title = {"text": shown_text(figure.title), "subtitle": {"text": _folded(figure.subtitle)}}
    layout: Part = {
        "title": title,
        "paper_bgcolor": paint("paper"),
        "plot_bgcolor": paint("paper"),
        "font": {"color": paint("ink"), "family": "system-ui, sans-serif"},
        "showlegend": any(mark.label for mark in figure.marks if isinstance(mark, Line | Points | Limit | Pin)),
        "margin": {"t": 90, "b": 100},
    }
    if figure.note:
        place = {"x": 0, "y": -0.3, "xref": "paper", "yref": "paper", "xanchor": "left", "align": "left"}
        layout["annotations"] = [{"text": _folded(figure.note), "showarrow": False, **place}]
    if figure.of(Dots):
        return layout | {"xaxis": {"visible": False}, "yaxis": {"visible": False, "scaleanchor": "x"}}
    if figure.z is not None:
        axes = ((figure.x, figure.across), (figure.y, figure.up), (figure.z, figure.deep))
        names = ("xaxis", "yaxis", "zaxis")
        scene = {name: _axis(*both, paint) for name, both in zip(names, axes, strict=True)}
        return layout | {"scene": scene | {"camera": {"eye": FROM_AFAR}}}
    return layout | {"xaxis": _across(figure, paint), "yaxis": _up(figure, paint)}


def _across(figure: Figure, paint: Paint) -> Part:
    if figure.of(Range):
        return _columns(figure.x, figure.candidates, paint)
    if figure.of(Box):
        return _columns(figure.x, [name for name, _ in figure.boxes], paint)
    return _axis(figure.x, figure.across, paint)


def _up(figure: Figure, paint: Paint) -> Part:
    if not figure.of(Span):
        return _axis(figure.y, figure.up, paint)
    labels = [f"{GLYPHS[span.mark]} {span.label}" for span in figure.of(Span)]
    return _columns(figure.y, labels, paint) | {"autorange": "reversed", "automargin": True}


def _columns(axis: Axis, names: Sequence[str], paint: Paint) -> Part:
    """An axis of names, evenly spaced."""
    ticks = {"tickvals": list(range(len(names))), "ticktext": [shown_text(name) for name in names]}
    return {"title": {"text": shown_text(axis.name)}, "type": "linear", "gridcolor": paint("grid"), **ticks}


def _axis(axis: Axis, scale: Scale, paint: Paint) -> Part:
    """A numeric axis with the ticks of the other renderers, and a little room above."""
    bend = math.log10 if axis.scale == "log" else BENDS[axis.scale]
    low, high = bend(scale.low), bend(scale.high)
    return {
        "title": {"text": shown_text(axis.name)},
        "type": "log" if axis.scale == "log" else "linear",
        "range": [low, high + (high - low) / 20],
        "tickvals": [_at(axis, tick) for tick in scale.ticks],
        "ticktext": [scale.say(tick) for tick in scale.ticks],
        "gridcolor": paint("grid"),
        "zeroline": False,
    }


def _at(axis: Axis, value: float) -> float:
    """Where Plotly puts a value: it knows log, but no scale of counts."""
    return BENDS["counts"](value) if axis.scale == "counts" else value


def _ranges(figure: Figure, paint: Paint) -> Iterator[Part]:
    marks, y = figure.of(Range), figure.y
    if marks:
        yield {
            "type": "bar",
            "x": list(range(len(marks))),
            "base": [_at(y, mark.low) for mark in marks],
            "y": [_at(y, mark.high) - _at(y, mark.low) for mark in marks],
            "customdata": [[mark.low, mark.high] for mark in marks],
            "text": [shown_text(f"{figure.up.say(mark.high)} {figure.verdict(mark)}".rstrip()) for mark in marks],
            "textposition": "outside",
            "constraintext": "inside",  # all names in one size, however narrow a bar is
            "hovertemplate": "%{customdata[0]} to %{customdata[1]}<extra></extra>",
            "marker": _bars_of([mark.mark for mark in marks], paint),
            "showlegend": False,
        }


def _bars_of(verdicts: Sequence[str], paint: Paint) -> Part:
    """The look of bars: those that are over are hatched."""
    pattern = {"shape": [HATCH[verdict] for verdict in verdicts], "bgcolor": paint("paper")}
    return {"color": [paint(verdict) for verdict in verdicts], "pattern": pattern}


def _boxes(figure: Figure, paint: Paint) -> Iterator[Part]:
    if boxes := [box for _, box in figure.boxes]:
        five = zip(*([_at(figure.y, number) for number in box.five] for box in boxes), strict=True)
        names = ("lowerfence", "q1", "median", "q3", "upperfence")
        numbers = {name: list(each) for name, each in zip(names, five, strict=True)}
        look = {"line": {"color": paint("chosen")}, "fillcolor": paint("paper"), "showlegend": False}
        yield {"type": "box", "x": list(range(len(boxes))), **numbers, **look}


def _histograms(figure: Figure, paint: Paint) -> Iterator[Part]:
    for bars in figure.of(Bars):
        ends = [(_at(figure.x, left), _at(figure.x, right)) for left, right, _ in bars.bins]
        yield {
            "type": "bar",
            "x": [(left + right) / 2 for left, right in ends],
            "width": [right - left for left, right in ends],
            "y": [_at(figure.y, height) for height in bars.heights],
            "customdata": [list(each) for each in bars.bins],
            "hovertemplate": "%{customdata[0]:.3~g} to %{customdata[1]:.3~g}: %{customdata[2]:,}<extra></extra>",
            "marker": {"color": paint("chosen"), "line": {"color": paint("paper"), "width": 1}},
            "showlegend": False,
            **({"error_y": _whiskers(figure, bars, paint)} if bars.noise else {}),
        }


def _whiskers(figure: Figure, bars: Bars, paint: Paint) -> Part:
    """How far the truth may be from each bar."""
    ups = [_at(figure.y, height + bars.noise) - _at(figure.y, height) for height in bars.heights]
    downs = [_at(figure.y, height) - _at(figure.y, max(0.0, height - bars.noise)) for height in bars.heights]
    return {"type": "data", "array": ups, "arrayminus": downs, "symmetric": False, "color": paint("ink")}


def _series(figure: Figure, paint: Paint) -> Iterator[Part]:
    for mark, index in figure.series:
        look, name = SERIES[index], shown_text(mark.label)
        trace = {
            "type": "scatter",
            "x": [_at(figure.x, x) for x, _ in mark.points],
            "y": [_at(figure.y, y) for _, y in mark.points],
            "name": name,
            "showlegend": bool(name),
            "cliponaxis": False,
        }
        if isinstance(mark, Line):
            yield trace | {
                "mode": "lines",
                "line": {"color": paint(look.colour), "dash": _dash(look.dashes), "width": 2},
            }
        else:
            marker = {"color": paint(look.colour), "symbol": look.shape, "size": 10}
            named = (
                {"text": [shown_text(each) for each in mark.names], "textposition": "top right"} if mark.names else {}
            )
            yield trace | {"mode": "markers+text" if named else "markers", "marker": marker, **named}


def _dash(dashes: str) -> str:
    return "solid" if dashes == "1 0" else ",".join(f"{length}px" for length in dashes.split())


def _limits(figure: Figure, paint: Paint) -> Iterator[Part]:
    """Each limit and each pin as a line from edge to edge, named."""
    last = max(len(figure.of(Range)), len(figure.of(Box)), len(figure.of(Span))) - 0.5
    for limit in figure.of(Limit):
        scale = figure.across
        across = [-0.5, last] if figure.has(Range, Box) else [_at(figure.x, end) for end in (scale.low, scale.high)]
        yield _rule(across, [_at(figure.y, limit.y)] * 2, limit.label, "solid", paint)
    for pin in figure.of(Pin):
        up = [-0.5, last] if figure.of(Span) else [_at(figure.y, end) for end in (figure.up.low, figure.up.high)]
        yield _rule([_at(figure.x, pin.x)] * 2, up, pin.label, "5px,3px", paint)


def _rule(x: Sequence[float], y: Sequence[float], label: str, dash: str, paint: Paint) -> Part:
    line = {"color": paint("ink"), "width": 1.5, "dash": dash}
    return {"type": "scatter", "mode": "lines", "x": list(x), "y": list(y), "name": shown_text(label), "line": line}


def _spans(figure: Figure, paint: Paint) -> Iterator[Part]:
    if spans := figure.of(Span):
        low, high = figure.across.low, figure.across.high
        starts = [max(span.low, low) if figure.x.scale == "log" else span.low for span in spans]
        thin = 1.01 if figure.x.scale == "log" else 1.0  # a single place is still seen
        ends = [
            max(min(span.high, high), start * thin + (0 if thin > 1 else (high - low) / 200))
            for start, span in zip(starts, spans, strict=True)
        ]
        intervals = [figure.interval(span) for span in spans]
        yield {
            "type": "bar",
            "orientation": "h",
            "y": list(range(len(spans))),
            "base": [_at(figure.x, start) for start in starts],
            "x": [_at(figure.x, end) - _at(figure.x, start) for start, end in zip(starts, ends, strict=True)],
            "customdata": [[span.low, *(span.ends[1:] or (None,)), shown_text(span.note)] for span in spans],
            "text": [
                f"{words} ▶" if span.high == math.inf else words for words, span in zip(intervals, spans, strict=True)
            ],
            "hovertemplate": "%{text}<br>%{customdata[2]}<extra></extra>",
            "marker": _bars_of([span.mark for span in spans], paint),
            "width": 0.5,
            "showlegend": False,
        }


def _surfaces(figure: Figure, paint: Paint) -> Iterator[Part]:
    """The surface, and the limit as a plane that lets it shine through."""
    for surface in figure.of(Surface):
        axis = figure.z or figure.y
        plane = {"x": [_at(figure.x, x) for x in surface.xs], "y": [_at(figure.y, y) for y in surface.ys]}
        yield {
            "type": "surface",
            **plane,
            "z": [[_at(axis, height) for height in row] for row in surface.heights],
            "name": shown_text(surface.label),
            "colorscale": [[0, paint("grid")], [1, paint("chosen")]],
            "colorbar": {"title": {"text": shown_text(axis.name)}},
            "opacity": 0.9,
        }
        for limit in surface.limits:
            heights = [[_at(axis, limit)] * len(surface.xs) for _ in surface.ys]
            colours = {"colorscale": [[0, paint("over")], [1, paint("over")]], "showscale": False, "opacity": 0.35}
            yield {"type": "surface", **plane, "z": heights, "name": f"limit {figure.deep.say(limit)}", **colours}


def _dots(figure: Figure, paint: Paint) -> Iterator[Part]:
    """Rows of twenty, one array below the other: discs for the filled, rings for the others."""
    top, quiet = 0, {"hoverinfo": "skip", "showlegend": False}
    for array in figure.of(Dots):
        places = [divmod(index, DOTS_A_ROW) for index in range(array.total)]
        rings = ["circle" if index < array.filled else "circle-open" for index in range(array.total)]
        yield {
            "type": "scatter",
            "mode": "markers",
            "x": [column for _, column in places],
            "y": [-top - row - 1 for row, _ in places],
            "marker": {"color": paint("chosen"), "symbol": rings, "size": 10},
            **quiet,
        }
        words = {"text": [shown_text(array.words)], "textposition": "middle right"}
        yield {"type": "scatter", "mode": "text", "x": [0], "y": [-top], **words, **quiet}
        top += math.ceil(array.total / DOTS_A_ROW) + 2


DRAWN = (_ranges, _boxes, _histograms, _series, _spans, _limits, _surfaces, _dots)


def _folded(text: str) -> str:
    """The same in lines: Plotly folds none."""
    return "<br>".join(map(shown_text, wrap(plain(text), LINE)))


def shown_text(text: str) -> str:
    """The text as Plotly shows it: it would read tags."""
    return escape(plain(text), quote=False)
