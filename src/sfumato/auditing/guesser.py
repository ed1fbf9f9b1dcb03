"""What a guesser shows: a lower bound of epsilon from how often someone who sees what was released is right.

The game: a coin puts one person into a table or leaves them out, and a guesser who sees what was released says
"present", "absent" or nothing. Under epsilon-dp a guess that is made is right with probability at most
e^epsilon / (1 + e^epsilon), whatever was seen, so right guesses are at most binomial. That holds run by run, and
also where many people, each by a coin of their own, are in one table (Steinke, Nasr, Jagielski, "Privacy auditing
with one training run", 2023, Theorem 5.2). A rate of right guesses bounds epsilon from below.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from operator import attrgetter
from statistics import median

from sfumato.auditing.chernoff import binomial, least_rate

Numbers = tuple[float, ...]
View = Callable[["Round"], Numbers]


@dataclass(frozen=True)
class Round:
    """One play of the game: where the coin fell, and what the release showed."""

    present: bool
    numbers: Numbers  # the noisy numbers
    figures: Numbers  # the answer that was made from them
    steps: Numbers = ()  # the lattice that each number is said to lie on


@dataclass(frozen=True)
class Corner:
    """Says "present" when every number lies beyond `high`, "absent" when every one lies beyond `low`.

    Of one number these are two thresholds. A number that the person lowers is turned around by its sign.
    """

    view: View
    signs: Numbers
    high: Numbers
    low: Numbers

    def guess(self, played: Round) -> bool | None:
        seen = _signed(self.view(played), self.signs)
        if all(s >= h for s, h in zip(seen, self.high, strict=True)):
            return True
        if all(s <= low for s, low in zip(seen, self.low, strict=True)):
            return False
        return None

    def score(self, rounds: Sequence[Round]) -> tuple[int, int]:
        """How many guesses were right, and how many were made."""
        guesses = [(self.guess(r), r.present) for r in rounds]
        return sum(guess is there for guess, there in guesses), sum(guess is not None for guess, _ in guesses)


@dataclass(frozen=True)
class OutputEvent:
    """How often a broken mechanism does what gives it away, with the person and without.

    On both `sides` where something else comes up as often without the person, and as rarely with them.
    """

    more: float
    fewer: float
    sides: int = 1


@dataclass(frozen=True)
class Claim:
    """What was claimed, and what so many runs have shown at least; how surely they would have caught a broken one."""

    claim: float
    lower_bound: float
    rounds: int
    power: float

    @property
    def holds(self) -> bool:
        return self.lower_bound <= self.claim


@dataclass(frozen=True)
class EpsilonVerdict(Claim):
    """Of an epsilon, by guesses."""

    right: int
    guesses: int


def audit(
    rounds: Sequence[Round],
    claim: float,
    rate: float,
    broken: Sequence[OutputEvent] = (),
    expected: Corner | None = None,
) -> EpsilonVerdict:
    """Choose the guesser on a quarter of the rounds, let it guess the others, and bound epsilon from below.

    The bound is above the real epsilon no more often than `rate`. `broken` is what it should catch; a guesser who is
    `expected` from the tables has to be surely outdone by one that comes from what was seen.
    """
    quarter = len(rounds) // 4
    seen, unseen = rounds[:quarter], rounds[quarter:]

    chosen = _best_guesser(seen, rate, expected)
    right, guesses = chosen.score(unseen)
    given_away = broken or (half_noise_event(claim, len(rounds[0].numbers)),)
    caught = max(power(claim, event, len(unseen), rate) for event in given_away)
    return EpsilonVerdict(claim, epsilon_lower_bound(right, guesses, rate), len(rounds), caught, right, guesses)


def epsilon_lower_bound(right: int, guesses: int, rate: float) -> float:
    """The smallest epsilon that `right` of `guesses` are believable under.

    >>> round(epsilon_lower_bound(900, 1000, 0.001), 3), epsilon_lower_bound(500, 1000, 0.001)
    (1.824, 0.0)
    """
    believed = least_rate(right, guesses, rate)
    if believed == 1:
        return math.inf
    return max(0.0, math.log(believed / (1 - believed))) if believed else 0.0


def half_noise_event(claim: float, numbers: int, used: float = 1.0) -> OutputEvent:
    """Laplace noise half as wide, or two numbers charged as one: the real epsilon is twice the claim.

    All of so many numbers lie beyond the true value with the person, or beyond that without. `used` is the share of
    their sensitivities by which the person moves them.
    """
    return OutputEvent(2.0**-numbers, math.exp(-2 * claim * used) / 2**numbers, sides=2)


def power(claim: float, broken: OutputEvent, rounds: int, rate: float) -> float:
    """The probability that a guesser who waits for this event catches it; three deviations fewer are reckoned with."""
    share = broken.sides * (broken.more + broken.fewer) / 2
    right = broken.more / (broken.more + broken.fewer)
    guesses = max(0, int(share * rounds - 3 * math.sqrt(share * (1 - share) * rounds)))
    needed = bisect_right(range(guesses + 1), claim, key=lambda n: epsilon_lower_bound(n, guesses, rate))
    expected, far = right * guesses, 10 + 10 * math.sqrt(right * (1 - right) * guesses)
    likely = range(max(needed, int(expected - far)), min(guesses, int(expected + far)) + 1)
    return min(1.0, math.fsum(binomial(n, guesses, right) for n in likely))


def _best_guesser(rounds: Sequence[Round], rate: float, expected: Corner | None) -> Corner:
    """The most promising. The best of many that are tried was lucky, too: what they show is taken at its least."""
    lucky = min(0.01, rate ** (1 / 3))

    def promise(corner: Corner) -> tuple[float, int]:
        right, guesses = corner.score(rounds)
        return epsilon_lower_bound(right, guesses, 1.0 if corner is expected else lucky), 2 * right - guesses

    return max(chain([expected] if expected else [], _corners(rounds)), key=promise)


def _corners(rounds: Sequence[Round]) -> Iterator[Corner]:
    """Guessers worth trying: on the noisy numbers and on the answer, at several levels on either side."""
    views: tuple[View, ...] = (attrgetter("numbers"), attrgetter("figures"))
    for view in views:
        present, absent = ([view(r) for r in rounds if r.present is there] for there in (True, False))
        middles = zip(*(map(median, zip(*side, strict=True)) for side in (present, absent)), strict=True)
        signs = tuple(1.0 if there >= gone else -1.0 for there, gone in middles)
        highs, lows = ([_signed(numbers, signs) for numbers in side] for side in (present, absent))
        levels = (0.4, 0.5, 0.6, 0.8, 0.95)
        nowhere = (math.inf,) * len(signs)
        high = [nowhere, *(_quantiles(highs, level) for level in levels)]
        low = [_signed(nowhere, (-1.0,) * len(signs)), *(_quantiles(lows, 1 - level) for level in levels)]
        yield from (Corner(view, signs, *sides) for sides in product(high, low))


def _signed(numbers: Numbers, signs: Numbers) -> Numbers:
    return tuple(n * sign for n, sign in zip(numbers, signs, strict=True))


def _quantiles(points: Sequence[Numbers], level: float) -> Numbers:
    """Per number, the value that a share `level` of the points lies below."""
    return tuple(sorted(values)[int(level * len(values))] for values in zip(*points, strict=True))
