"""One line of the record, sealed to the line before it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from sfumato.errors import LedgerBroken
from sfumato.ledger import hash_chain
from sfumato.ledger.hash_chain import GENESIS

NANO = 10**9


class Event(StrEnum):
    OPENED = "opened"  # the schema and the rule, as they stood
    LOOKED = "looked"  # confidential facts were shown to someone
    PLANNED = "planned"  # a preference was stated for a statement
    DECIDED = "decided"  # a request was approved, returned or refused
    RESERVED = "reserved"  # epsilon is spent from here on, whatever happens next
    RELEASED = "released"  # the answer, as it left
    FAILED = "failed"  # the engine failed, which is an exact fact about the data
    CAUSE = "cause"  # a controller stated a cause outside the data for a failure


@dataclass(frozen=True)
class Draft:
    """What is to be written; `public` may be shown to anyone, `confidential` to no one but the program."""

    event: Event
    dataset: str
    who: str
    at: str
    key: str = field(default="", repr=False)  # a hash of a request, by which a guessed epsilon could be verified
    nano_epsilon: int = 0
    delta: str = "0"  # exactly, as a fraction
    public: Mapping[str, object] = field(default_factory=dict)
    confidential: Mapping[str, object] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Entry:
    """`stored` is the draft as it is kept where its confidential part is encrypted: the chain is over that.

    So the chain can be followed without a key.
    """

    number: int
    draft: Draft
    previous: str = field(repr=False)
    digest: str = field(repr=False)
    stored: Draft | None = field(default=None, repr=False)


def seal(number: int, draft: Draft, previous: str, stored: Draft | None = None) -> Entry:
    return Entry(number, draft, previous, hash_chain.digest(number, vars(stored or draft), previous), stored)


def verify(entries: Iterable[Entry], number: int = 0, previous: str = GENESIS) -> tuple[int, str]:
    """Follow the chain from one entry on; a break is named. Returns where it ends."""
    lines = ((entry.number, vars(entry.stored or entry.draft), entry.previous, entry.digest) for entry in entries)
    return hash_chain.follow(lines, number, previous, changed_entry)


def changed_entry(number: int) -> LedgerBroken:
    return LedgerBroken.because("ledger-changed", entry=number)


def nano(epsilon: float) -> int:
    """Epsilon in whole billionths, rounded up: 0.1 three times is 0.3.

    >>> nano(0.1) * 3 == nano(0.3)
    True
    """
    return math.ceil(Fraction(str(epsilon)) * NANO)


def upward(exact: Fraction) -> float:
    """A number as a float that does not read as less: what is shown of a delta is never below it.

    >>> upward(Fraction(1, 10**6)), upward(Fraction(2, 3)) > Fraction(2, 3)
    (1e-06, True)
    """
    nearest = float(exact)
    return nearest if Fraction(str(nearest)) >= exact else math.nextafter(nearest, math.inf)
