"""What a person asks of the RDRs in their own words: as an expression, or as a function in Python (RDR 4.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, NoReturn

from sfumato.errors import PreferenceError, instead
from sfumato.privacy.preferences.preference import Preference, plain
from sfumato.privacy.risk.rdr_distribution import RDRs
from sfumato.privacy.risk.rdr_expression import RdrExpression

_NUMPY = (("numpy", "bool"), ("numpy", "bool_"))  # has truths of its own


@dataclass(frozen=True)
class RdrCondition(Preference):
    """A comparison of figures of the people's RDRs, asked at each candidate epsilon from the largest down."""

    text: str

    asks_candidates = True
    reads_people = True
    reads_everyone = True

    def __post_init__(self) -> None:
        _ = self.expression  # what cannot be read is refused at once

    @cached_property
    def expression(self) -> RdrExpression:
        return RdrExpression(self.text)

    @property
    def words(self) -> str:
        return f"satisfies {' '.join(self.text.split())}"

    @property
    def method(self) -> tuple[object, ...]:
        return "satisfies", self.selects, self.reads_people

    @property
    def conditions(self) -> tuple[str, ...]:
        return self.expression.conditions

    @property
    def compared_people(self) -> str:
        if not self.conditions:
            return super().compared_people
        return "There is no one in one of the groups of " + " and ".join(f"“{text}”" for text in self.conditions)

    def to_mapping(self) -> dict[str, Any]:
        return plain({"satisfies": self.text})

    def holds_at(self, rdrs: RDRs, /) -> bool:
        return self.expression.holds(rdrs)

    def equal_at(self, rdrs: RDRs, /) -> str:
        return "the RDRs that it compares are equal" if self.expression.compares_equals(rdrs) else ""


@dataclass(frozen=True)
class Satisfies(Preference):
    """A function of the people's RDRs that must hold, asked at each candidate epsilon from the largest down.

    Nothing tells whether two functions are the same, so each one stated has a number of its own: another function
    is another request. The number means nothing in another process, and so it is not pickled.
    """

    holds: Callable[[RDRs], bool] = field(repr=False, compare=False)
    name: str
    number: int = field(default_factory=count(1).__next__, init=False)

    asks_candidates = True
    reads_people = True
    reads_everyone = True
    bound_to_opening = True

    @property
    def words(self) -> str:
        return f"satisfies {self.name}"

    @property
    def method(self) -> tuple[object, ...]:
        return "satisfies", self.selects, self.reads_people

    def holds_at(self, rdrs: RDRs, /) -> bool:
        """What the function says. Of its failure only the kind is told: its message may quote the people's figures."""
        verdict: object = instead(
            lambda kind: PreferenceError.because("satisfies-failed", stated=self.words, kind=kind),
            (Exception,),
            lambda: self.holds(rdrs),
        )
        if not isinstance(verdict, bool) and (type(verdict).__module__, type(verdict).__name__) not in _NUMPY:
            raise PreferenceError.because("satisfies-undecided", stated=self.words)
        return bool(verdict)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a function of the RDRs is not pickled")


def satisfies(f: Callable[[RDRs], bool] | str, name: str | None = None) -> RdrCondition | Satisfies:
    """Whatever else may be asked of the people's RDRs: it holds at the epsilon that is chosen.

    As a text it compares epsilon, people, k, min, max, mean, median, variance, ratio, gap and quantile(p), also of a
    group: `median("age > 60")`. As a function it is given the RDRs, which have the same names.

    >>> satisfies("quantile(0.9) <= 1.1 * quantile(0.1)").words
    'satisfies quantile(0.9) <= 1.1 * quantile(0.1)'
    >>> satisfies(lambda rdrs: rdrs.quantile(0.9) <= 1.1 * rdrs.quantile(0.1), "90% of people within 1.1").words
    'satisfies 90% of people within 1.1'
    """
    if isinstance(f, str):
        return RdrCondition(f.strip())
    if not callable(f):
        raise PreferenceError.because("satisfies-without-function")
    return Satisfies(f, _name_of(f) if name is None else " ".join(str(name).split()))


def _name_of(f: Callable[[RDRs], bool]) -> str:
    name = getattr(f, "__name__", type(f).__name__)
    return "a function of the RDRs" if name == "<lambda>" else str(name)
