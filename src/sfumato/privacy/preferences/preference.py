"""What every preference can do, an epsilon stated outright, and priorities. Numbers are exact: 1.2 is six fifths."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self, TypeVar

from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.method_comparison import Need
from sfumato.model.release import Assumed
from sfumato.model.risk import ExposureRange
from sfumato.model.schema import Schema
from sfumato.privacy.risk.rdr_distribution import RDRs

P = TypeVar("P", bound="Preference")
LEAST, MOST = Fraction(1, 10**9), 1_000_000  # epsilons: a ledger counts whole billionths


@dataclass(frozen=True)
class Interval:
    """The epsilons that meet a preference: above 0, from `low` to `high`."""

    low: float
    high: float


@dataclass(frozen=True)
class Setting:
    """What an interval is computed from. `measurement`: the noisy numbers, where the schema says what they are.

    `beside`: what a private selection for the same release costs. It tells about people too, so that odds and beliefs
    have to leave room for it.
    """

    compared: ExposureRange
    noise: Noise
    measurement: Measurement | None = None
    beside: float = 0.0

    @property
    def steps(self) -> int:
        """Steps of the relation: two where one person replaces another."""
        return 1 if self.measurement is None else self.measurement.steps


class Preference(ABC):
    """What holds of a preference unless it says otherwise: it is public, and nothing is drawn to meet it."""

    select_epsilon: float = 0.0
    priority: Fraction = Fraction(1)
    asks_candidates = False  # it is tested at each candidate epsilon, and has no interval
    asks_smallest = False  # it bounds the error of the answer: the smallest epsilon will do
    leaves_room = False  # a private selection for the same release tells about people too, and counts against it
    caution = ""  # what has to be said with an epsilon that it asked for
    outright = False  # it states an epsilon, and nothing that leads to one
    reads_everyone = False  # it needs the exposure of each person, not only the smallest and the largest
    releases_its_draw = False  # what was drawn to meet it is the answer that is released
    holds_for_groups = False  # it can be met for several people together
    bound_to_opening = False  # it holds a function, so it means nothing where the dataset is opened again
    selection_law: NoiseLaw | None = None  # of the noise that a private selection draws
    exact: bool = False  # it compares exact RDRs, not their upper bounds
    each: bool = False  # it bounds each figure by itself, not all of them together
    between: str | None = None  # a condition that splits the people it compares into two groups
    spent: Fraction | None = None  # the total that its epsilon has to exceed

    @property
    @abstractmethod
    def words(self) -> str:
        """Its name and its numbers, as sentences and records have them."""

    def interval(self, _: Setting, /) -> Interval:
        """The epsilons that meet it; what is drawn, or asked of candidates, bounds none by itself."""
        return Interval(0.0, math.inf)

    def to_mapping(self) -> dict[str, Any]:
        """The names and values that state it, as a `[rule]` has them."""
        raise PreferenceError.because("preference-not-in-request", stated=self.words)

    def scaled(self, _: Fraction, /) -> Self:
        """The same preference at `weight` times the epsilon."""
        raise PreferenceError.because("priority-of-nothing", stated=self.words)

    def resolve(self, _: Schema, /) -> Self:
        """With what the schema says about it."""
        return self

    def with_spent(self, _: Fraction, /) -> Self:
        """With what was spent so far, where it depends on that and does not know it yet."""
        return self

    def around(self, _: Sequence[Fraction], /) -> list[Self]:
        """The same preference at other thresholds, for a rehearsal: each factor times its own."""
        return [self]

    @property
    def threshold(self) -> tuple[str, float]:
        """What a selection is asked for, in words and as a number."""
        raise ValueError("nothing is selected for this preference")

    @property
    def risk_gap(self) -> float | None:
        """The largest risk gap that it allows between any two people."""
        return None

    @property
    def assumptions(self) -> tuple[Assumed, ...]:
        """What a release assumes because of it."""
        return ()

    def holds_at(self, _: RDRs, /) -> bool:
        """Whether it is met where the people's RDRs are these; for what is tested at each candidate."""
        return True

    def why(self, _: Mapping[Preference, str], beside: float, /) -> str:
        """Why its epsilon was chosen. The mapping has what was selected privately, each with what held it back."""
        also = ", with what its private selection tells" if beside and self.leaves_room else ""
        return f"The largest epsilon that meets {self.words}{also}."

    @property
    def reads_people(self) -> bool:
        """Whether it is computed from the people in the data: no guarantee."""
        return False

    @property
    def selects(self) -> bool:
        """Whether epsilon is selected privately, at a charge of `select_epsilon`."""
        return False

    @property
    def draws(self) -> bool:
        """Whether noise has a part in what comes out, so that only the record tells it."""
        return self.select_epsilon > 0

    @property
    def need(self) -> Need:
        """What has to be known for it."""
        return Need.SELECTION if self.selects else Need.PEOPLE if self.reads_people else Need.PUBLIC

    @property
    def method(self) -> tuple[object, ...]:
        """What makes it another method, and not another threshold."""
        return type(self), self.selects, self.reads_people

    @property
    def unstated_name(self) -> str:
        """The name in `registry.UNSTATED` that stands for it in a comparison where no one states it."""
        return ""

    @property
    def secret_column(self) -> str | None:
        """The column whose categories or bounds it goes by."""
        return None

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that say who is in the groups that it compares."""
        return () if self.between is None else (self.between,)

    @property
    def compared_people(self) -> str:
        """Why there is no one to compare, where that is so."""
        return "There is no one in the data"

    @property
    def equal_people(self) -> str:
        """Why every epsilon meets it, where those whom it compares are equally exposed."""
        return "all people in the data are equally exposed"

    @property
    def alike_people(self) -> str:
        """Why every epsilon meets it, where those whom it compares are not equally exposed."""
        return "even without noise, the least exposed person keeps it beside the most exposed"

    def equal_at(self, _: RDRs, /) -> str:
        """Why every candidate meets it, where all the RDRs that it compares are equal; otherwise nothing."""
        return ""

    @property
    def weighed(self) -> str:
        return "" if self.priority == 1 else f", at priority {float(self.priority):g}"

    def allowed(self, promise: str) -> str:
        """The text of a promise; with a priority, that a multiple of its epsilon is allowed."""
        return promise if self.priority == 1 else f"{float(self.priority):g} times the epsilon of {promise}"


class OddsPreference(Preference):
    """A bound on what an attacker comes to know; a priority multiplies the epsilon that meets it.

    What a private selection for the same release costs is taken off: it tells about people too.
    """

    leaves_room = True
    holds_for_groups = True

    @abstractmethod
    def epsilon(self, setting: Setting) -> float:
        """The largest epsilon that meets it, without a priority."""

    def interval(self, setting: Setting, /) -> Interval:
        top = float(self.priority) * self.epsilon(setting)
        return Interval(0.0, max(0.0, top - setting.beside))

    def scaled(self, weight: Fraction, /) -> Self:
        return replace(self, priority=weight)  # type: ignore[type-var]  # each one is a dataclass


@dataclass(frozen=True)
class Epsilon(Preference):
    """An epsilon stated outright."""

    value: float
    priority: Fraction = Fraction(1)

    outright = True
    holds_for_groups = True

    @property
    def words(self) -> str:
        return f"epsilon {self.value:g}{self.weighed}"

    def interval(self, _: Setting, /) -> Interval:
        return Interval(self.value, self.value)

    def to_mapping(self) -> dict[str, Any]:
        return {"epsilon": self.value}

    def scaled(self, weight: Fraction, /) -> Epsilon:
        return Epsilon(epsilon(float(weight * Fraction(str(self.value)))).value, weight)

    def why(self, _: Mapping[Preference, str], __: float, /) -> str:
        return "The epsilon was stated."


@dataclass(frozen=True)
class LargerThanSpent(Preference):
    """Only epsilons larger than everything spent before: the papers' own rule for several queries (RDR 5.2)."""

    spent: Fraction | None = None  # filled in where it is asked
    need = Need.SPENT

    caution = (  # see docs/theory/papers.md, RDR 5.2
        " Each release is then less private than all before it together, and nothing caps their total: a budget does."
    )

    def with_spent(self, spent: Fraction, /) -> LargerThanSpent:
        return LargerThanSpent(spent) if self.spent is None else self

    @property
    def words(self) -> str:
        so_far = "" if self.spent is None else f" ({float(self.spent):g})"
        return f"only epsilons above what was spent so far{so_far}"

    def interval(self, _: Setting, /) -> Interval:
        return Interval(math.nextafter(float(self.spent or 0), math.inf), math.inf)


def epsilon(value: float, what: str = "epsilon") -> Epsilon:
    """This epsilon, whatever it means; `what` a sentence calls it."""
    number = exactly(what, value)
    if not LEAST <= number <= MOST:
        raise PreferenceError.because(
            "epsilon-out-of-range", what=what, least=float(LEAST), most=MOST, stated=str(value)
        )
    return Epsilon(float(number))


def larger_than_spent() -> LargerThanSpent:
    """The papers' rule for several queries: only epsilons larger than all that was spent on the dataset before.

    Each release is then less private than all before it together: among the papers' candidates there are at most 13. It
    caps nothing; a budget does.
    """
    return LargerThanSpent()


def weighted(preference: P, weight: float) -> P:
    """The same preference for a query of this priority: it allows `weight` times the epsilon (RDR 5.2).

    What is stated as an epsilon, a cap, a gap or odds is scaled in the worst case; of a variance, which goes with the
    square of epsilon, tau is scaled by the square. Weights are public, and fixed with the preference.

    >>> from sfumato.privacy.preferences.disparity import gap
    >>> weighted(gap(1.2, worst_case=True), 2).words
    'gap 1.4, at priority 2, worst case'
    """
    number = number_where("priority", weight, "priority-out-of-range", lambda n: 0 < n <= 1000)
    if preference.priority != 1:
        raise PreferenceError.because("priority-twice")
    return preference.scaled(number)


def exactly(what: str, value: object) -> Fraction:
    """A finite number, exactly as written."""
    if isinstance(value, Fraction):
        return value
    try:
        if isinstance(value, bool) or not math.isfinite(float(value)):  # type: ignore[arg-type]
            raise ValueError
        return Fraction(str(value))
    except (TypeError, ValueError, OverflowError):
        raise PreferenceError.because("number-not-finite", what=what, stated=repr(value)) from None


def number_where(what: str, value: object, reason: str, holds: Callable[[Fraction], bool]) -> Fraction:
    """A finite number that meets a condition, exactly as written; refused for `reason` where it does not."""
    number = exactly(what, value)
    if not holds(number):
        raise PreferenceError.because(reason, stated=str(value))
    return number


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Names and values as JSON has them; None and False are left out.

    >>> plain({"gap": Fraction(6, 5), "exact": False, "worst_case": True})
    {'gap': 1.2, 'worst_case': True}
    """
    present = {name: value for name, value in values.items() if value is not None and value is not False}
    return {name: float(value) if isinstance(value, Fraction) else value for name, value in present.items()}
