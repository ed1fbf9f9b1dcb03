"""How values print themselves: in full where they are public, on `.show()` where they are about the people."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from sfumato.presentation.document import Document

T = TypeVar("T")


class Display(ABC):
    """Prints a text; `withheld` is the line shown before `.show()` is called, None where the value is public."""

    @property
    def withheld(self) -> str | None:
        return None

    @abstractmethod
    def text(self) -> str: ...

    def _html(self) -> str:
        return _preformatted(self.text())

    def show(self) -> None:
        show(self.text(), self._html())

    def __repr__(self) -> str:
        return self.text() if self.withheld is None else self.withheld

    def _repr_html_(self) -> str:
        return self._html() if self.withheld is None else _preformatted(self.withheld)


class DocumentDisplay(Display):
    """Prints a document."""

    @abstractmethod
    def _document(self) -> Document: ...

    def text(self, *, colour: bool = False) -> str:
        return self._document().text(colour=colour)

    def _html(self) -> str:
        return self._document().html()


class Printed(DocumentDisplay):
    """A public value: `.show()` prints its text, in a notebook too."""

    def show(self) -> None:
        print(self.text())


def show(text: str, html: str) -> None:
    """Print the text; in a notebook draw the HTML, which the notebook keeps in its file."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and hasattr(ipython.get_ipython(), "kernel"):
        ipython.display.display(ipython.display.HTML(html))
    else:
        print(text)


def _preformatted(text: str) -> str:
    from sfumato.presentation.html import preformatted

    return preformatted(text)


def as_printable(kind: type[T], value: object) -> T:
    """The same value as an instance of a class that prints itself."""
    printable = kind.__new__(kind)
    printable.__dict__.update(vars(value))
    return printable
