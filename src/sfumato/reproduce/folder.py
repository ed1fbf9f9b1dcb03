"""Reproductions in a folder: the page, the values, and each figure as SVG and for Plotly."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from sfumato.presentation.figures.plotly import plotly
from sfumato.presentation.figures.svg import svg
from sfumato.reproduce.finding import Reproduction
from sfumato.reproduce.report import html
from sfumato.version import __version__


def write(every: Sequence[Reproduction], folder: Path) -> None:
    (folder / "report.html").write_text(html(every, f"sfumato {__version__}"), "utf-8")
    (folder / "values.json").write_text(
        json.dumps([reproduction.as_dict() for reproduction in every], indent=2) + "\n", "utf-8"
    )
    for reproduction in every:
        for place, figure in enumerate(reproduction.figures, 1):
            name = f"{reproduction.name}-{place}"
            (folder / f"{name}.svg").write_text(svg(figure), "utf-8")
            (folder / f"{name}.plotly.json").write_text(json.dumps(plotly(figure)) + "\n", "utf-8")
