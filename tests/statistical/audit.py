"""What a black box shows: a lower bound of the epsilon it really has, and how its noise is distributed.

The game: a coin puts one person into a table or leaves them out, and a guesser who sees what was released says
"present", "absent" or nothing. Under epsilon-dp whoever says something is right with probability at most
e^epsilon / (1 + e^epsilon), whatever was seen, so right guesses are at most binomial. That holds run by run, and
also where many people, each by a coin of their own, are in one table (Steinke, Nasr, Jagielski, "Privacy auditing
with one training run", 2023, Theorem 5.2). A rate of right guesses bounds epsilon from below.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter
from statistics import median
from typing import Any

import pyarrow as pa

import sfumato

RATE = 2e-9  # the false-alarm rate of one check; the suite makes fewer than 400, so that all of them stay below 8e-7

Numbers = tuple[float, ...]
View = Callable[["Round"], Numbers]


@dataclass(frozen=True)
class Round:
    """One play of the game: where the coin fell, and what the release showed."""

    present: bool
    numbers: Numbers  # the noisy numbers
    figures: Numbers  # the answer that was made from them
    steps: Numbers = ()  # the grid that each number is said to lie on


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
        seen = _turned(self.view(played), self.signs)
        if all(s >= h for s, h in zip(seen, self.high, strict=True)):
            return True
        if all(s <= low for s, low in zip(seen, self.low, strict=True)):
            return False
        return None

    def score(self, rounds: Sequence[Round]) -> tuple[int, int]:
        """How many guesses were right, and how many were made."""
        guesses = [(self.guess(r), r.present) for r in rounds]
        return sum(said is there for said, there in guesses), sum(said is not None for said, _ in guesses)


@dataclass(frozen=True)
class Claim:
    """What was claimed, and what so many runs have shown at least; how surely they would have caught a broken one."""

    claim: float
    shown: float
    rounds: int
    power: float

    @property
    def holds(self) -> bool:
        return self.shown <= self.claim


@dataclass(frozen=True)
class Verdict(Claim):
    """Of an epsilon, by guesses."""

    right: int
    guesses: int

    def __str__(self) -> str:
        return (
            f"claimed epsilon {self.claim:g}, shown at least {self.shown:.3f} by {self.right} right of {self.guesses} "
            f"guesses in {self.rounds} runs; false alarms {RATE:g}, power against noise half as wide {self.power:.5f}"
        )


def audit(rounds: Sequence[Round], claim: float) -> Verdict:
    """Choose the guesser on a quarter of the rounds, let it guess the others, and bound epsilon from below."""
    quarter = len(rounds) // 4
    seen, unseen = rounds[:quarter], rounds[quarter:]
    chosen = max(_corners(seen), key=lambda corner: shown(*corner.score(seen)))
    right, guesses = chosen.score(unseen)
    caught = power(claim, len(rounds[0].numbers), len(unseen))
    return Verdict(claim, shown(right, guesses), len(rounds), caught, right, guesses)


def shown(right: int, guesses: int) -> float:
    """The smallest epsilon that `right` of `guesses` are believable under, by Chernoff's bound at the rate above."""
    believed = least_rate(right, guesses)
    return max(0.0, math.log(believed / (1 - believed))) if believed else 0.0


def least_rate(right: int, trials: int) -> float:
    """The smallest p under which it is believable that `right` of `trials` come out: `trials KL <= ln 1/rate`."""
    return _edge(0.0, right / trials, right, trials) if trials else 0.0


def most_rate(right: int, trials: int) -> float:
    """The largest p under which that is believable."""
    return _edge(1.0, right / trials, right, trials) if trials else 1.0


def power(claim: float, numbers: int, rounds: int) -> float:
    """The probability to catch noise half as wide, or two numbers charged as one: the real epsilon is twice the claim.

    The best guesser then speaks beyond the true value with the person, and beyond that without: in
    `(1 + e^(-2 claim)) / 2^numbers` of the rounds. Three standard deviations fewer are reckoned with.
    """
    share = (1 + math.exp(-2 * claim)) / 2**numbers
    right = 1 / (1 + math.exp(-2 * claim))
    guesses = int(share * rounds - 3 * math.sqrt(share * (1 - share) * rounds))
    needed = bisect_right(range(guesses + 1), claim, key=lambda n: shown(n, guesses))
    return math.fsum(_binomial(n, guesses, right) for n in range(needed, guesses + 1))


def _corners(rounds: Sequence[Round]) -> Iterator[Corner]:
    """Guessers worth trying: on the noisy numbers and on the answer, at several levels on either side."""
    views: tuple[View, ...] = (attrgetter("numbers"), attrgetter("figures"))
    for view in views:
        present, absent = ([view(r) for r in rounds if r.present is there] for there in (True, False))
        middles = zip(*(map(median, zip(*side, strict=True)) for side in (present, absent)), strict=True)
        signs = tuple(1.0 if there >= gone else -1.0 for there, gone in middles)
        highs, lows = ([_turned(numbers, signs) for numbers in side] for side in (present, absent))
        levels = (0.4, 0.5, 0.6, 0.8, 0.95)
        nowhere = (math.inf,) * len(signs)
        high = [nowhere, *(_quantiles(highs, level) for level in levels)]
        low = [_turned(nowhere, (-1.0,) * len(signs)), *(_quantiles(lows, 1 - level) for level in levels)]
        yield from (Corner(view, signs, *sides) for sides in product(high, low))


# (epsilon, delta): of no event is P(E | present) above e^epsilon P(E | absent) + delta, nor the other way around


@dataclass(frozen=True)
class DeltaVerdict(Claim):
    """Of a delta, at an epsilon, by how often something comes out."""

    epsilon: float

    def __str__(self) -> str:
        return (
            f"claimed ({self.epsilon:g}, {self.claim:g}), shown at least delta {self.shown:.4f} in {self.rounds} runs; "
            f"false alarms {RATE:g}, power against what it is held up to {self.power:.5f}"
        )


def audit_delta(
    seen: Sequence[tuple[bool, float]], epsilon: float, delta: float, broken: Sequence[tuple[float, float]]
) -> DeltaVerdict:
    """Choose a level on a quarter of what was seen, and bound delta from below by how often the others lie beyond it.

    `broken`: level by level, how often a broken mechanism would lie beyond it with the person and without.
    """
    quarter = len(seen) // 4
    first, rest = seen[:quarter], seen[quarter:]
    levels = sorted({x for _, x in first})[:: max(1, quarter // 200)]
    above, level = max(
        ((above, level) for level in levels for above in (True, False)),
        key=lambda at: _excess(*_beyond(first, *at), epsilon, sure=False),
    )
    found = _excess(*_beyond(rest, above, level), epsilon)
    caught = _power(epsilon, delta, broken, len(rest) // 2)
    return DeltaVerdict(delta, max(0.0, found), len(seen), caught, epsilon)


def _power(epsilon: float, delta: float, broken: Sequence[tuple[float, float]], side: int) -> float:
    """At least how often it is caught: unless one of two counts is three standard deviations off."""

    def off(rate: float, by: int) -> tuple[int, int]:
        return max(0, min(side, int(rate * side + by * math.sqrt(rate * (1 - rate) * side)))), side

    excess = max(_excess(off(more, -3), off(fewer, 3), epsilon) for more, fewer in broken)
    return 0.997 if excess > delta else 0.0


def _beyond(seen: Sequence[tuple[bool, float]], above: bool, level: float) -> tuple[tuple[int, int], tuple[int, int]]:
    """How often a figure lies beyond a level, and of how many: on the likelier side first."""
    sides = [[(x >= level) is above for present, x in seen if present is there] for there in (above, not above)]
    return (sum(sides[0]), len(sides[0])), (sum(sides[1]), len(sides[1]))


def _excess(more: tuple[int, int], fewer: tuple[int, int], epsilon: float, *, sure: bool = True) -> float:
    """`P(E) - e^epsilon P'(E)`, at least; or, where it need not be sure, as it was observed."""
    if not sure:
        return more[0] / max(1, more[1]) - math.exp(epsilon) * fewer[0] / max(1, fewer[1])
    return least_rate(*more) - math.exp(epsilon) * most_rate(*fewer)


# What is asked


def question(
    sql: str, value: Mapping[str, Any], places: Mapping[str, Sequence[float | Numbers]], **stated: object
) -> sfumato.Query:
    """A statement about a table of people, each with a place and a value or several, whose ledger is forgotten.

    Who it is stands in a column of its own; `stated` is what else the schema says.
    """
    people = [(place, own) for place, values in places.items() for own in values]
    rows = [
        (who, place, one)
        for who, (place, own) in enumerate(people)
        for one in (own if isinstance(own, tuple) else (own,))
    ]
    types = {"who": pa.int64(), "place": pa.string(), "value": _STORED[value["type"]]}
    table = pa.table({name: pa.array([row[i] for row in rows], type_) for i, (name, type_) in enumerate(types.items())})
    columns = {"who": {"type": "integer"}, "place": {"type": "text", "categories": list(places)}, "value": dict(value)}
    return sfumato.open(table, {"name": "people", "columns": columns} | stated, ledger=":memory:").query(sql)


_STORED = {"integer": pa.int64(), "number": pa.float64()}


# How noise on a grid is distributed: X in steps, P(X = k) proportional to e^(-|k| / b)


def laplace(k: int, scale: float) -> float:
    """P(X <= k) of Laplace noise."""
    left = math.exp(-abs(k if k < 0 else k + 1) / scale) / (1 + math.exp(-1 / scale))
    return left if k < 0 else 1 - left


def gaussian(k: int, scale: float) -> float:
    """P(X <= k) of Gaussian noise on a grid that is fine beside it."""
    return math.erfc(-(k + 0.5) / scale / math.sqrt(2)) / 2


def misfit(noise: Sequence[int], scale: float, below: Callable[[int, float], float] = laplace) -> str:
    """What tells that noise, in steps of its grid, is not of this law and scale, each at the rate above; "" if nothing.

    The distance between the distributions is held against the bound of Dvoretzky, Kiefer, Wolfowitz and Massart;
    the furthest noise on either side against how far so many draws must and may reach.
    """
    n, far = len(noise), distance(noise, scale, below)
    allowed = math.sqrt(math.log(2 / RATE) / (2 * n))
    if far > allowed:
        return f"{n} draws are {far:.4f} away from noise of scale {scale:g} steps; chance allows {allowed:.4f}"
    for furthest in (max(noise), max(-k for k in noise)):
        beyond = below(-furthest - 1, scale)
        if n * math.log1p(-beyond) < math.log(RATE):
            return f"none of {n} draws lies beyond {furthest / scale:.2f} scales: noise is cut off"
        if n * below(-furthest, scale) < RATE:
            return f"one of {n} draws lies {furthest / scale:.2f} scales away: noise has too long a tail"
    return ""


def distance(noise: Sequence[int], scale: float, below: Callable[[int, float], float] = laplace) -> float:
    """Kolmogorov's: the largest difference between the share of draws up to a point and its probability."""
    furthest, up_to = 0.0, 0
    for k, times in sorted(Counter(noise).items()):
        before, up_to = up_to, up_to + times
        furthest = max(furthest, up_to / len(noise) - below(k, scale), below(k - 1, scale) - before / len(noise))
    return furthest


def _edge(end: float, rate: float, right: int, trials: int) -> float:
    """The p between the observed rate and `end` that is just believable, by bisection."""
    believed, doubted = rate, end
    for _ in range(60):
        p = (believed + doubted) / 2
        believed, doubted = (p, doubted) if _doubt(right, trials, p) <= math.log(1 / RATE) else (believed, p)
    return doubted


def _doubt(right: int, trials: int, p: float) -> float:
    """`trials KL(right / trials, p)`: by Chernoff, `right` or worse has a probability of at most e^-doubt."""
    parts = ((right, p), (trials - right, 1 - p))
    return math.fsum(count * math.log(count / trials / q) for count, q in parts if count)


def _binomial(n: int, trials: int, p: float) -> float:
    choose = math.lgamma(trials + 1) - math.lgamma(n + 1) - math.lgamma(trials - n + 1)
    return math.exp(choose + n * math.log(p) + (trials - n) * math.log(1 - p))


def _turned(numbers: Numbers, signs: Numbers) -> Numbers:
    return tuple(n * sign for n, sign in zip(numbers, signs, strict=True))


def _quantiles(points: Sequence[Numbers], level: float) -> Numbers:
    """Per number, the value that a share `level` of the points lies below."""
    return tuple(sorted(values)[int(level * len(values))] for values in zip(*points, strict=True))
