"""How long Find-eps-from-PRI takes inside an escrow (PRI 6.3.1 and Figure 9), with its own queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from sfumato import demo
from sfumato.errors import SfumatoError
from sfumato.model.guarantee import Guarantee
from sfumato.model.schema import Schema
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Line
from sfumato.presentation.figures.scale import Axis
from sfumato.reproduce.data import PRI_QUERIES, Study
from sfumato.reproduce.finding import Agreement, Reproduction, Value, timed
from sfumato.reproduce.pri import PAPER

if TYPE_CHECKING:
    from sfumato.reproduce.platform import Platform

SIZES = (1_000, 10_000, 100_000, 1_000_000)
RUNS = 3  # the paper has 10
PERCENT = 50  # p, as in the paper
PRINTED = dict.fromkeys(("Q1", "Q2", "Q3", "Q4"), ("less than a few minutes", 180.0)) | {
    "Q5": ("more than an hour", 3600.0)
}
POLICY = {
    "access_rule": [
        {"who": ["analyst"], "approve": "by a controller", "guarantees": [Guarantee.NONE.value], "preferences": ["pri"]}
    ]
}
Times = Mapping[tuple[str, int], tuple[float | None, ...]]  # None: no output passed


def figure_9(study: Study) -> Reproduction:
    """Seconds from the submission of a request to its answer, by the number of people."""
    took = dict[tuple[str, int], tuple[float | None, ...]]()
    for rows in SIZES:
        with TemporaryDirectory() as folder:
            took |= _times(study, rows, Path(folder))
    return Reproduction(
        "escrow-finding",
        "Figure 9 and section 6.3.1",
        PAPER,
        (*_values(took), _success(took)),
        (_picture(took),),
        study.on,
        (
            f"Times on the wall, of {RUNS} runs: an analyst submits, a controller approves, a worker runs Algorithm 1 "
            f"with p = {PERCENT} over the 37 candidates, and the analyst fetches the answer. All of it is recorded.",
            "The paper computes the query once more for each distinct record; here one pass of the engine measures the "
            "PRIs of all people at ten candidates (docs/performance.md).",
            "The answers have no guarantee: the algorithm is not differentially private (docs/theory/papers.md).",
        ),
    )


def _times(study: Study, rows: int, folder: Path) -> Times:
    """The first answer starts the worker and reads the data; it is asked for before any is timed."""
    from sfumato.reproduce import platform  # needs the [server] extra, and says so

    file, whole = study.write_replicated(rows, folder), replace(demo.schema(), rule=None)
    took = dict[tuple[str, int], tuple[float | None, ...]]()

    def described(name: str) -> Schema:
        return replace(whole, name=name)

    with platform.Platform(folder / "workspace", file, policy=POLICY, described=described) as escrow:
        _seconds(escrow, "SELECT COUNT(*) FROM adult", 0)
        for name, sql in PRI_QUERIES.items():
            took[name, rows] = tuple(_seconds(escrow, sql, run) for run in range(RUNS))
    return took


def _seconds(platform: Platform, sql: str, run: int) -> float | None:
    """A percentage that is a little smaller each time: the same request would get the same answer again."""
    begin = perf_counter()
    try:
        platform.find("adult", sql, {"pri": PERCENT - run / 1e9})
    except SfumatoError:
        return None
    return perf_counter() - begin


def _values(took: Times) -> list[Value]:
    values = []
    for (name, rows), each in took.items():
        seconds = [one for one in each if one is not None]
        what = f"{name}, {rows:,} people"
        if not seconds:
            values.append(Value(what, "", "no output passed", Agreement.OURS))
        elif rows == SIZES[-1]:
            values.append(timed(what, *PRINTED[name], median(seconds)))
        else:
            values.append(Value(what, "", f"{median(seconds):.2g} s", Agreement.OURS))
    return values


def _success(took: Times) -> Value:
    runs = [one is not None for each in took.values() for one in each]
    agreement = Agreement.SAME if all(runs) else Agreement.DIFFERS
    return Value("6.3.1: runs that found an epsilon", "all", f"{sum(runs)} of {len(runs)}", agreement)


def _picture(took: Times) -> Figure:
    lines = []
    for name in PRI_QUERIES:
        each = {rows: [one for one in took[name, rows] if one is not None] for rows in SIZES}
        points = tuple((float(rows), median(seconds)) for rows, seconds in each.items() if seconds)
        lines += [Line(points, name)] if len(points) > 1 else []
    return Figure(
        "Figure 9: how long it takes to find epsilon in the escrow",
        f"Medians of {RUNS} runs, from the submission to the answer",
        Axis("people", scale="log"),
        Axis("time", "s", scale="log"),
        tuple(lines),
    )
