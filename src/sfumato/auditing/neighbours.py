"""Two tables that differ in one person who moves an answer as far as anyone may: the worst case, made up.

By hand, aggregate by aggregate: what the person moves each noisy number by, and what anyone may move it by. A rank is
about candidates of whom most become worse by all that one person can do while the others become better by as much.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import attrgetter
from statistics import NormalDist

from sfumato.auditing.guesser import Corner, Numbers, OutputEvent, half_noise_event
from sfumato.model.calibration import NoiseLaw
from sfumato.model.schema import Relation
from sfumato.privacy.noise.gaussian import mu_analytic
from sfumato.privacy.noise.rank_selection import target
from sfumato.privacy.noise.truncated_laplace import delta_of_each, reach_of
from sfumato.privacy.risk.rdr_variance import slack_of_cap

Row = tuple[float, str]  # a value and a place
HERE, THERE = "here", "there"  # the public places
RARE, COMMON = "rare", "common"  # the places that no one knows of
_CELLS = 400  # that the law of truncated noise is added up in


@dataclass(frozen=True)
class Setup:
    """What is audited."""

    mechanism: str
    aggregate: str
    epsilon: float
    delta: float | None = None
    relation: Relation = Relation.ADD_REMOVE

    @property
    def replaced(self) -> bool:
        return self.relation is Relation.REPLACE


@dataclass(frozen=True)
class NeighbourPair:
    """The others, who stay; the rows of the person with whom, and those that stand there without them.

    `weights` say how much each noisy number tells about the person, and `guesser` is who knows that. `broken` is what
    gives a mechanism away that has half the noise it should have, or that keeps no promise at all.
    """

    sql: str
    bounds: tuple[int, int]
    others: tuple[Row, ...]
    person: tuple[Row, ...]
    instead: tuple[Row, ...]
    broken: tuple[OutputEvent, ...]
    weights: Numbers = (1.0,)
    guesser: Corner | None = None
    max_rows: int = 1
    private_keys: bool = False
    threshold: float = 0.0  # the largest variance, or fraction of people, at which an epsilon is selected

    def tables(self) -> tuple[list[tuple[int, Row]], list[tuple[int, Row]]]:
        """Without the person and with them: who has which row."""
        others = [(who, row) for who, row in enumerate(self.others, 1)]
        return others + [(0, row) for row in self.instead], others + [(0, row) for row in self.person]

    @property
    def words(self) -> str:
        """What the two tables differ in."""
        instead = f"with that person {self._at(self.instead)}" if self.instead else "without that person"
        return f"a table with a person {self._at(self.person)}, and the same table {instead}"

    def _at(self, rows: Sequence[Row]) -> str:
        if "place" not in self.sql:
            return f"at {rows[0][0]:g}"
        places = Counter(place for _, place in rows)
        where = " and ".join(f"{'twice ' if n > 1 else ''}in “{place}”" for place, n in places.items())
        beside = sum(place in places for _, place in self.others)
        return f"{where}, beside {beside:,} others," if self.private_keys else where


# Counts and sums: noise that is added


@dataclass(frozen=True)
class AdditiveCase:
    """A figure of noisy numbers, which are `numbers` with a person at `value`, who moves them as far as anyone may.

    Where people are replaced each person may move them by twice as much, and one in place of another at `instead` moves
    them by `replaced`.
    """

    figure: str
    bounds: tuple[int, int]
    others: Numbers
    value: float
    numbers: Numbers
    limits: Numbers
    instead: float
    replaced: Numbers


ADDED: Mapping[str, AdditiveCase] = {
    "count": AdditiveCase("COUNT(*) FROM people WHERE value = 1", (0, 1), (0, 1, 1), 1, (3,), (1,), 0, (1,)),
    "sum": AdditiveCase("SUM(value) FROM people", (-100, 100), (-30, 5, 20), 100, (95,), (100,), -100, (200,)),
    "avg": AdditiveCase("AVG(value) FROM people", (0, 100), (20, 50, 90), 100, (60, 4), (50, 1), 0, (100, 0)),
    "var": AdditiveCase(
        "VAR_POP(value) FROM people", (0, 100), (20, 50, 90), 100, (0, 60, 4), (1250, 50, 1), 50, (2500, 50, 0)
    ),
    "distinct": AdditiveCase("COUNT(DISTINCT value) FROM people", (0, 9), (7, 8, 7), 1, (3,), (1,), 7, (1,)),
}


def additive_pairs(setup: Setup) -> tuple[NeighbourPair, ...]:
    """One person at the end of the bounds: with them, and without or at the other end."""
    case = ADDED[setup.aggregate]
    limits = tuple(limit * (2 if setup.replaced else 1) for limit in case.limits)
    moves = case.replaced if setup.replaced else case.limits
    return (
        NeighbourPair(
            f"SELECT {case.figure}",
            case.bounds,
            tuple((value, HERE) for value in case.others),
            ((case.value, HERE),),
            ((case.instead, HERE),) if setup.replaced else (),
            _half_noise_events(setup, moves, limits, len(limits)),
            _weights(moves, limits),
            _informed_guesser(case.numbers, moves),
        ),
    )


def grouped_pairs(setup: Setup) -> tuple[NeighbourPair, ...]:
    """A count by groups, of a person with two rows: for Laplace noise in different groups, for other in the same.

    That is where the numbers move furthest in the norm that counts, or where truncated noise shows most often.
    """
    apart = ((1, HERE), (1, THERE))
    together = ((1, HERE), (1, HERE))
    person, moves = (apart, (1.0, 1.0)) if setup.mechanism == NoiseLaw.LAPLACE else (together, (2.0, 0.0))
    limits: Numbers = (2.0, 2.0)
    instead: tuple[Row, ...] = ()
    if setup.replaced:
        person, instead, moves, limits = together, ((1, THERE), (1, THERE)), (2.0, -2.0), (4.0, 4.0)
    sql = "SELECT place, COUNT(*) FROM people GROUP BY place"
    others = ((1, HERE), (1, HERE), (1, THERE))
    broken = _half_noise_events(setup, moves, limits, 1)
    present = tuple(sum(place == at for _, place in (*others, *person)) for at in (HERE, THERE))
    guesser = _informed_guesser(present, moves)
    return (NeighbourPair(sql, (0, 1), others, person, instead, broken, _weights(moves, limits), guesser, max_rows=2),)


def _half_noise_events(setup: Setup, moves: Numbers, limits: Numbers, numbers: int) -> tuple[OutputEvent, ...]:
    """Noise half as wide as so many numbers need that share what there is to spend."""
    used = [abs(move) / limit for move, limit in zip(moves, limits, strict=True)]
    if setup.mechanism == NoiseLaw.LAPLACE:
        return (half_noise_event(setup.epsilon, len(moves), math.fsum(used) / numbers),)
    if setup.mechanism == NoiseLaw.TRUNCATED:
        return _truncated_noise_events(setup, [share for share in used if share], numbers)
    normal, mu = NormalDist(), mu_analytic(setup.epsilon, setup.delta or 0.0)
    apart = 2 * mu * math.hypot(*used) / math.sqrt(numbers)
    return tuple(OutputEvent(normal.cdf(apart - level / 20), normal.cdf(-level / 20)) for level in range(-20, 60))


def _truncated_noise_events(setup: Setup, used: Sequence[float], numbers: int) -> tuple[OutputEvent, ...]:
    """The same of truncated noise, all of which is half as wide: its law, as the numbers are added up, cell by cell."""
    scale, delta = numbers / setup.epsilon / 2, delta_of_each(setup.delta or 0.0, numbers)
    reach, apart = reach_of(setup.epsilon / numbers, delta) / 2, math.fsum(share**2 for share in used)
    cells = int(_CELLS * apart / (reach * math.fsum(used)))  # as many as the person moves the sum by
    width = apart / cells if cells else reach * math.fsum(used) / _CELLS
    law = [1.0]
    for share in used:
        law = _convolution(law, _cells(share * scale, share * reach, width))
    beyond = [min(1.0, p) for p in accumulate(reversed(law))][::-1]
    levels = range(0, len(beyond), max(1, len(beyond) // 80))
    return tuple(OutputEvent(1.0 if level < cells else beyond[level - cells], beyond[level]) for level in levels)


def _cells(scale: float, reach: float, width: float) -> list[float]:
    """How much of truncated noise lies in each cell of this width, from one end to the other."""
    last, inside = math.ceil(reach / width), -math.expm1(-reach / scale)
    ends = [-math.expm1(-min(reach, (cell + 0.5) * width) / scale) / inside for cell in range(last + 1)]
    side = [(b - a) / 2 for a, b in pairwise(ends)]
    return [*reversed(side), ends[0], *side]


def _convolution(one: Sequence[float], other: Sequence[float]) -> list[float]:
    sums = [0.0] * (len(one) + len(other) - 1)
    for i, p in enumerate(one):
        for j, q in enumerate(other):
            sums[i + j] += p * q
    return sums


def _weights(moves: Numbers, limits: Numbers) -> Numbers:
    """The direction in which the person moves the numbers, each by how much noise it carries."""
    return tuple(move / limit**2 for move, limit in zip(moves, limits, strict=True))


def _informed_guesser(present: Numbers, moves: Numbers) -> Corner:
    """Says "present" beyond the numbers with the person, "absent" beyond those without."""
    signs = tuple(-1.0 if move < 0 else 1.0 for move in moves)
    high = tuple(n * sign for n, sign in zip(present, signs, strict=True))
    return Corner(attrgetter("numbers"), signs, high, tuple(h - abs(m) for h, m in zip(high, moves, strict=True)))


# Ranks: a candidate that is selected


@dataclass(frozen=True)
class RankCase:
    """A figure, where most candidates lie below an edge and a few beyond it; someone comes to lie at the far end.

    `without` and `present` are the scores of those below and of those beyond, in units of what one person may move them
    by; at the edge itself it is 0.
    """

    figure: str
    others: Numbers
    without: tuple[float, float]
    present: tuple[float, float]


EDGE, END = 70, 100
RANKS: Mapping[tuple[str, bool], RankCase] = {
    ("median", False): RankCase("MEDIAN(value)", (0, EDGE), (0, -2), (-1, -1)),
    ("median", True): RankCase("MEDIAN(value)", (EDGE,), (0, -1), (-1, 0)),
    ("quantile", False): RankCase("QUANTILE_DISC(value, 0.75)", (0, 0, 0, EDGE), (0, -4 / 3), (-1, -1 / 3)),
    ("quantile", True): RankCase("QUANTILE_DISC(value, 0.75)", (0, 0, EDGE), (0, -2 / 3), (-2 / 3, 0)),
    ("max", False): RankCase("MAX(value)", (EDGE,), (0, -1), (-1, 0)),
    ("max", True): RankCase("MAX(value)", (EDGE,), (0, -1 / 2), (-1 / 2, 0)),
}


def rank_pairs(setup: Setup) -> tuple[NeighbourPair, ...]:
    """A minimum is a maximum seen from the other end. Either leaves `target` people beyond it: they stand there."""
    lowest = setup.aggregate == "min"
    case = RANKS["max" if lowest else setup.aggregate, setup.replaced]
    extreme = case.figure == "MAX(value)"
    beyond = target(Fraction(2 if setup.replaced else 1), END + 1, setup.epsilon) - 1 if extreme else 0

    def at(value: float) -> Row:
        return (END - value if lowest else value, HERE)

    return (
        NeighbourPair(
            f"SELECT {'MIN(value)' if lowest else case.figure} FROM people",
            (0, END),
            tuple(at(value) for value in (*case.others, *(END,) * beyond)),
            (at(END),),
            (at(0),) if setup.replaced else (),
            (OutputEvent(_beyond_edge(case.present, setup.epsilon), _beyond_edge(case.without, setup.epsilon)),),
            guesser=Corner(attrgetter("figures"), (1.0,), (1.0,), (-1.0,)),
        ),
    )


def _beyond_edge(scores: tuple[float, float], epsilon: float) -> float:
    """How often a candidate beyond the edge is selected, with noise half as wide: scores are worth a whole epsilon."""
    below, beyond = (score * epsilon for score in scores)
    return noisy_max([(EDGE, below), (1, 0.0), (END - EDGE, beyond)], 2)


def noisy_max(groups: Sequence[tuple[int, float]], wins: int) -> float:
    """How often one of a group of equal scores, each with exponential noise of scale 1, is the largest of all.

    `P = n int e^-x prod_j P(s_j + X_j < s + x) dx` by Simpson's rule, whose inner probability is 0 below s_j - s.

    >>> round(noisy_max([(1, 0.0), (1, -1.0)], 1), 6) == round(math.exp(-1) / 2, 6)
    True
    """
    many, score = groups[wins]
    start, steps = max(0.0, max(s for _, s in groups) - score), 2000
    h = 40.0 / steps

    def density(x: float) -> float:
        others = ((n - (j == wins), x + score - s) for j, (n, s) in enumerate(groups))
        return many * math.exp(-x) * math.prod((1 - math.exp(-max(0.0, ahead))) ** n for n, ahead in others if n)

    inner = math.fsum((4 if n % 2 else 2) * density(start + n * h) for n in range(1, steps))
    return h / 3 * (density(start) + inner + density(start + 40.0))


# Groups that no one knows of


def private_group_pairs(setup: Setup) -> tuple[NeighbourPair, ...]:
    """Someone alone in a group, which shows with probability delta at most; and one of many, whose count has noise."""
    epsilon, delta = setup.epsilon, setup.delta or 0.0
    many = 10 + math.ceil(4 / epsilon * math.log(1 / delta))
    used = 0.5 if setup.replaced else 1.0
    sql = "SELECT place, COUNT(*) FROM people GROUP BY place"
    others = ((1, COMMON),) * many
    alone = NeighbourPair(
        sql, (0, 1), others, ((1, RARE),), ((1, COMMON),) if setup.replaced else (), broken=(), private_keys=True
    )
    among_many = NeighbourPair(
        sql,
        (0, 1),
        ((1, RARE),) * many,
        ((1, RARE),),
        ((1, COMMON),) if setup.replaced else (),
        tuple(OutputEvent(_laplace(level / 10 - 2 * epsilon * used), _laplace(level / 10)) for level in range(-20, 60)),
        private_keys=True,
    )
    return alone, among_many


def _laplace(x: float) -> float:
    """P(X > x) of Laplace noise of scale 1."""
    return math.exp(-x) / 2 if x > 0 else 1 - math.exp(x) / 2


# An epsilon that is selected

COUNTED = "SELECT COUNT(*) FROM people WHERE value = 1"
SUMMED = "SELECT SUM(value) FROM people"


def count_selection_pairs(setup: Setup) -> tuple[NeighbourPair, ...]:
    """No one is exposed, and someone comes who is, in full: the variance moves as far as it may.

    See docs/theory/variance.md.

    What is asked for is about what noise alone makes of it, so that every level of the noisy variance shows.
    """
    epsilon, people = setup.epsilon, 100 + math.ceil(300 / setup.epsilon)
    scale = 1 / 4 / epsilon if setup.replaced else 1.1 / epsilon
    spent = epsilon / (1 + epsilon)
    threshold = max(0.5, 1.1 * spent**2) * scale * math.log(20) / people
    used = 1 if setup.replaced else 1 / 1.1
    return (_selection_pair(COUNTED, (0, 1), ((0, people),), setup, used, threshold),)


def sum_selection_pairs(setup: Setup) -> tuple[NeighbourPair, ...]:
    """Half of the people at 0.395 of the bound, the others at 0, one of whom comes to lie at it.

    See docs/theory/papers.md, RDR 5.1.
    """
    threshold = 0.005 if setup.replaced else 0.02
    return (_selection_pair(SUMMED, (0, 10_000), ((3946, 500), (0, 499)), setup, 0.6, threshold),)


def cap_selection_pairs(setup: Setup) -> tuple[NeighbourPair, ...]:
    """Half of the people may lie above the cap; no one does, and of so few it stops at once every other time.

    One more person moves every level by all they may, in the same direction: that shows a quarter of epsilon.
    """
    people = math.ceil(2 * slack_of_cap(1.0 if setup.replaced else 0.5, setup.epsilon, 0.05))
    return (_selection_pair(COUNTED, (0, 1), ((0, people),), setup, 0.25, 0.5),)


def _selection_pair(
    sql: str, bounds: tuple[int, int], others: Sequence[tuple[int, int]], setup: Setup, used: float, threshold: float
) -> NeighbourPair:
    """The person uses so much of what is claimed; an epsilon below some level gives away noise half as wide."""
    crowd = tuple((value, HERE) for value, times in others for _ in range(times))
    broken = (OutputEvent(0.5, math.exp(-2 * setup.epsilon * used) / 2),)
    return NeighbourPair(sql, bounds, crowd, ((bounds[1], HERE),), _at_the_bottom(setup), broken, threshold=threshold)


def _at_the_bottom(setup: Setup) -> tuple[Row, ...]:
    return ((0, HERE),) if setup.replaced else ()


# What keeps no promise


def published_sparse_vector_pairs(setup: Setup) -> tuple[NeighbourPair, ...]:
    """Algorithm 3 on the same sum: the new person is the largest, by which all are divided.

    Of 1,000 people the candidate 10 is then selected in all but `e^(-19.1 epsilon) / 2` of all runs, and without them
    in no more than that (docs/theory/papers.md, RDR 5.1).
    """
    crowd = ((3946, HERE),) * 500 + ((0, HERE),) * 499
    rarely = math.exp(-19.1 * setup.epsilon) / 2
    broken = (OutputEvent(1 - rarely, rarely, sides=2),)
    return (
        NeighbourPair(SUMMED, (0, 10_000), crowd, ((10_000, HERE),), _at_the_bottom(setup), broken, threshold=0.07),
    )


def published_algorithm_1_pairs(setup: Setup) -> tuple[NeighbourPair, ...]:
    """Find-epsilon-from-RDR: no one matches, all risks are alike and epsilon is 10; someone does, and it is 0.05.

    Noise of scale 20 lies beyond 5 on one side in `e^(-4/20) / 2` of all runs, noise of scale 0.1 in 1e-22 of them.
    """
    broken = (OutputEvent(math.exp(-4 / 20) / 2, math.exp(-5 / 0.1) / 2),)
    return (NeighbourPair(COUNTED, (0, 1), ((0, HERE),) * 3, ((1, HERE),), _at_the_bottom(setup), broken),)
