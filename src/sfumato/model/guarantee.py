"""The only place that computes the three guarantees (docs/theory/deciding.md and docs/theory/words.md).

Every input of a release has a label. The guarantee is `none` if any input was confidential or was decided after a look;
else `dp-selected` if a private mechanism selected epsilon for this release; else `dp`. Guarantees only get weaker:
joining takes the weakest of dp, dp-selected and none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Guarantee(StrEnum):
    DP = "dp"
    SELECTED = "dp-selected"
    NONE = "none"

    @property
    def holds(self) -> bool:
        return self is not Guarantee.NONE


class Label(IntEnum):
    """Where an input comes from, in the order of what it leaves of a guarantee."""

    PUBLIC = 0  # declared, or planned before the first look
    DP_OUTPUT = 1  # a noisy output that was charged earlier
    SELECTION = 2  # a private selection run for this release
    CONFIDENTIAL = 3  # read off the people, or decided after looking at them


class Fixed(StrEnum):
    """When an input was fixed, as a certificate states it."""

    PLANNED = "planned"
    SEPARATED = "separated"
    ATTESTED = "attested"
    AFTER_LOOK = "after-look"


class DecidedBy(StrEnum):
    """Who decided, as a certificate states it."""

    RULE = "policy"
    BLIND = "blind"
    LOOKED = "looked"


class ChosenBy(StrEnum):
    """How the epsilon of a charge came about, as a ledger states it (docs/theory/words.md)."""

    FIXED = "fixed"  # stated outright
    PUBLIC = "data-independent"  # from a preference that reads no data
    SELECTED = Guarantee.SELECTED.value  # by a private selection, which was charged
    LOOKED = "controller-after-looking"


@dataclass(frozen=True)
class Provenance:
    """One input of a release, its label, and why it has that label."""

    what: str
    label: Label
    because: str
    fixed: Fixed = Fixed.PLANNED
    preregistered: str = ""
    can_be_attested: bool = False  # stating where it was preregistered would make it public


_WORD = {
    Label.PUBLIC: Guarantee.DP,
    Label.DP_OUTPUT: Guarantee.DP,
    Label.SELECTION: Guarantee.SELECTED,
    Label.CONFIDENTIAL: Guarantee.NONE,
}
_ORDER = (Guarantee.DP, Guarantee.SELECTED, Guarantee.NONE)


def guarantee_of(inputs: Iterable[Provenance]) -> Guarantee:
    """The guarantee of a release with these inputs."""
    return _WORD[max((i.label for i in inputs), default=Label.PUBLIC)]


def weakest(words: Iterable[Guarantee]) -> Guarantee:
    """The guarantee of several releases together: the weakest of theirs."""
    return max(words, key=_ORDER.index, default=Guarantee.DP)


def chosen_by(outcome: Guarantee, *, outright: bool) -> ChosenBy:
    """How epsilon was chosen, from the guarantee of its inputs and whether it was stated outright."""
    match outcome:
        case Guarantee.NONE:
            return ChosenBy.LOOKED
        case Guarantee.SELECTED:
            return ChosenBy.SELECTED
        case Guarantee.DP:
            return ChosenBy.FIXED if outright else ChosenBy.PUBLIC


def rule_provenance(what: str) -> Provenance:
    """Fixed by the preregistered rule, applied unchanged, whatever anyone views later."""
    return Provenance(what, Label.PUBLIC, "fixed by the preregistered rule, before anyone looked at the data")


def statement_provenance(
    what: str, *, before_first_look: bool, preregistered: str = "", replaced: bool = False, separated: bool = False
) -> Provenance:
    """Said by a person: public before the first look, confidential after it unless fixed elsewhere before.

    `replaced`: it was said before too, and then something else in its place. `separated`: by someone who had not
    viewed individual risks, where those who view them and those who decide are kept apart (docs/theory/deciding.md).
    """
    if before_first_look:
        return Provenance(what, Label.PUBLIC, "stated before anyone looked at the people")
    if preregistered:
        return Provenance(what, Label.PUBLIC, "preregistered, as a person states", Fixed.ATTESTED, preregistered)
    if separated:
        because = "stated by a person who had not viewed individual risks"
        return Provenance(what, Label.PUBLIC, because, Fixed.SEPARATED)
    because = "stated after a look at the people"
    if replaced:
        because = "stated again after a look at the people, and had been replaced by another plan before it"
    return Provenance(what, Label.CONFIDENTIAL, because, Fixed.AFTER_LOOK, can_be_attested=True)


def selection_provenance(what: str, preregistered: str = "") -> Provenance:
    """Selected by a private mechanism that was charged for this release; with what was attested for that."""
    when = Fixed.ATTESTED if preregistered else Fixed.PLANNED
    return Provenance(what, Label.SELECTION, "selected privately, and charged", when, preregistered)


def late_selection_provenance(what: str) -> Provenance:
    """Selected with what was stated after a look, or picked after it among several that were selected."""
    because = "selected, or picked among several that were, after a look at the people"
    return Provenance(what, Label.CONFIDENTIAL, because, Fixed.AFTER_LOOK)


def people_provenance(what: str) -> Provenance:
    """Read off the people themselves: the papers' own algorithms."""
    return Provenance(what, Label.CONFIDENTIAL, "computed from the people in the data", Fixed.AFTER_LOOK)


def recorded_provenance(number: int, outcome: Guarantee, when: Fixed) -> Provenance:
    """Noisy numbers that were drawn before and charged in an entry, with their guarantee."""
    label = {Guarantee.DP: Label.DP_OUTPUT, Guarantee.SELECTED: Label.SELECTION}.get(outcome, Label.CONFIDENTIAL)
    return Provenance("noisy numbers", label, f"drawn and charged before, in entry {number}", when)


def latest_fixed(inputs: Iterable[Provenance]) -> Fixed:
    """The latest moment at which one of the inputs was fixed."""
    order = list(Fixed)
    return max((i.fixed for i in inputs), key=order.index, default=Fixed.PLANNED)
