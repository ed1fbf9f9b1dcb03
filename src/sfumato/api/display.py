"""How something shows itself: in full where it is public; where it is about the people, when `.show()` is called."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from typing import TypeVar

from sfumato.presentation.html import preformatted

T = TypeVar("T")


class Display(ABC):
    """`withheld` is the line that stands for it until it is asked for; None where it is public."""

    @property
    @abstractmethod
    def withheld(self) -> str | None: ...

    @abstractmethod
    def text(self) -> str: ...

    def _html(self) -> str:
        return preformatted(self.text())

    def show(self) -> None:
        show(self.text(), self._html())

    def __repr__(self) -> str:
        return self.text() if self.withheld is None else self.withheld

    def _repr_html_(self) -> str:
        return self._html() if self.withheld is None else preformatted(self.withheld)


def show(text: str, html: str) -> None:
    """Print the text; in a notebook draw the HTML. What a notebook draws is kept in its file."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and hasattr(ipython.get_ipython(), "kernel"):
        ipython.display.display(ipython.display.HTML(html))
    else:
        print(text)


def as_printable(kind: type[T], value: object) -> T:
    """The same value, as a kind of it that prints itself."""
    printable = kind.__new__(kind)
    printable.__dict__.update(vars(value))
    return printable
