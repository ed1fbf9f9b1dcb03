"""A figure as its holder sees it: drawn in a notebook, or in a terminal when asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.api.display import show
from sfumato.api.whole_file import write_text_whole
from sfumato.model.confidential import Confidential
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.plotly import plotly
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import text


@dataclass(frozen=True, repr=False)
class Picture(Confidential):
    """`figure` is the description; `to_svg(path)` writes it as a file, `to_plotly()` gives it as a dict."""

    figure: Figure = field(repr=False)
    of_the_people: bool = True

    def to_svg(self, path: str | Path) -> None:
        """Of the people themselves it is for its owner's eyes only, on disk too."""
        write_text_whole(Path(path), svg(self.figure), private=self.of_the_people)

    def to_plotly(self, dark: bool = False) -> dict[str, Any]:
        """For `plotly.graph_objects.Figure(…)` or `Plotly.newPlot`: made without Plotly, and as confidential."""
        return plotly(self.figure, dark)

    def show(self) -> None:
        show(text(self.figure), svg(self.figure))

    def __repr__(self) -> str:
        if not self.of_the_people:
            return text(self.figure)
        return f"<Picture: {self.figure.title}; call .show()>"

    def _repr_svg_(self) -> str | None:
        """None of the people: a notebook then prints the line above."""
        return None if self.of_the_people else svg(self.figure)

    def _repr_mimebundle_(self, **_wanted: object) -> dict[str, Any]:
        """Beside the SVG, for a notebook that knows Plotly."""
        return {} if self.of_the_people else {"application/vnd.plotly.v1+json": self.to_plotly()}
