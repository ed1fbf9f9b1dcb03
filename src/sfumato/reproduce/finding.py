"""What a paper prints beside what we compute, and the pictures that go with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.wording.numbers import number


class Agreement(StrEnum):
    """How a printed value and ours stand to each other."""

    SAME = "as printed"
    ROUNDED = "rounded"
    ERRATUM = "print wrong"
    DIFFERS = "differs"
    OTHER_DATA = "other data"  # the paper's is of Adult, ours of the embedded population
    FASTER = "faster"  # a time: the paper's is of another machine
    SLOWER = "slower"
    NOT_RUN = "not run"
    OURS = "not printed"


@dataclass(frozen=True)
class Value:
    """One value of a paper, and ours. `note` says what is wrong in print, or how they differ."""

    what: str
    printed: str
    ours: str
    verdict: Agreement
    note: str = ""


@dataclass(frozen=True)
class Reproduction:
    """The values of one figure or one paper; `on` says which data they are of."""

    name: str
    title: str
    paper: str
    values: tuple[Value, ...]
    figures: tuple[Figure, ...] = ()
    on: str = "the paper's own example"
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        values = [asdict(value) | {"verdict": value.verdict.value} for value in self.values]
        figures = [figure.title for figure in self.figures]
        return {
            "name": self.name,
            "title": self.title,
            "paper": self.paper,
            "on": self.on,
            "values": values,
            "figures": figures,
            "notes": list(self.notes),
        }


def timed(what: str, printed: str, printed_seconds: float, seconds: float) -> Value:
    """A time in print beside ours."""
    verdict = Agreement.FASTER if seconds < printed_seconds else Agreement.SLOWER
    return Value(what, printed, f"{seconds:.2g} s", verdict)


Figures = float | Sequence[float]


def beside(
    what: str,
    printed: str,
    ours: Figures,
    *,
    erratum: str = "",
    rounded: str = "",
    note: str = "",
    digits: int = 6,
    same_data: bool = True,
) -> Value:
    """A printed value beside ours: the same where ours, rounded as the print is, reads as it does.

    Numbers in print are separated by commas or blanks; fractions are read as such.
    """
    figures = [ours] if isinstance(ours, int | float) else list(ours)
    text = ", ".join(number(each, digits) for each in figures)
    if not printed:
        return Value(what, "", text, Agreement.OURS, note)
    if not same_data:
        return Value(what, printed, text, Agreement.OTHER_DATA, note)
    texts = printed.replace(",", " ").split()
    agrees = len(texts) == len(figures) and all(map(_reads_as, figures, texts))
    if agrees:
        return Value(what, printed, text, Agreement.SAME, note)
    verdict = Agreement.ERRATUM if erratum else Agreement.ROUNDED if rounded else Agreement.DIFFERS
    return Value(what, printed, text, verdict, erratum or rounded or note)


def with_place(place: str, figure: Figure) -> Figure:
    """The picture, with its place in the paper."""
    return replace(figure, title=f"{place}: {figure.title[:1].lower()}{figure.title[1:]}")


def _reads_as(ours: float, printed: str) -> bool:
    """Whether a number, rounded to as many places as the print has, is what it says.

    >>> _reads_as(0.38294, ".3829"), _reads_as(17 / 6, "17/6"), _reads_as(2.7726, "2.776")
    (True, True, False)
    """
    if "/" in printed:
        above, below = printed.split("/")
        return abs(ours - float(above) / float(below)) <= 1e-9 * max(1.0, abs(ours))
    places = len(printed.split(".")[1]) if "." in printed else 0
    return abs(ours - float(printed)) <= 0.5000001 * 10.0**-places
