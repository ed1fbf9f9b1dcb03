"""A figure as its holder sees it: drawn in a notebook, or in a terminal when asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sfumato.model.confidential import Confidential
from sfumato.views.figure import Figure
from sfumato.views.svg import svg
from sfumato.views.terminal import text


@dataclass(frozen=True, repr=False)
class Picture(Confidential):
    """`figure` is the description; `to_svg(path)` writes it as a file."""

    figure: Figure = field(repr=False)

    def to_svg(self, path: str | Path) -> None:
        Path(path).write_text(svg(self.figure), "utf-8")

    def show(self) -> None:
        print(text(self.figure))

    def __repr__(self) -> str:
        return f"<Picture: {self.figure.title}; call .show()>"

    def _repr_svg_(self) -> str:
        return svg(self.figure)
