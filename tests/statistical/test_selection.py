"""Values selected by their rank, from outside: no guesser beats epsilon, candidates come up as often as they should."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import pytest

from sfumato.auditing.guesser import Numbers, Round
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from tests.depth import depth
from tests.statistical.audit import audit, least_rate, most_rate, question, said
from tests.statistical.bulk import draw_answer, draw_answers, more_groups
from tests.statistical.cases import SEED

pytestmark = pytest.mark.statistical

EPSILON = 2.0

Record = Callable[[str, object], None]


@dataclass(frozen=True)
class Ranked:
    """A question about a rank, and a person who moves the scores of its candidates against each other.

    `scores` are those of the candidates from the lowest up, by hand: without the person and with them, in units of what
    one person moves at most.
    """

    name: str
    figure: str
    bounds: tuple[int, int]
    others: Numbers
    person: Numbers
    scores: tuple[Numbers, Numbers]
    max_rows: int = 0

    @property
    def stated(self) -> dict[str, Any]:
        return {"unit": "who", "max_rows": self.max_rows} if self.max_rows else {}

    def people(self, present: bool) -> tuple[float | Numbers, ...]:
        return (*self.others, self.person if present else ())

    def probabilities(self, present: bool) -> list[float]:
        """Of each candidate, where the best one wins by exponential noise of scale 2 / epsilon."""
        return noisy_max([score * EPSILON / 2 for score in self.scores[present]])


# A minimum and a maximum leave ceil((2 / 2) ln(5 / 0.05)) = 5 persons beyond them.
RANKED = [
    Ranked("median", "MEDIAN(value)", (0, 4), (0, 4, 4), (2,), ((-1, -1, -1, -1, 0), (-2, -2, 0, 0, 0))),
    Ranked(
        "median of several rows", "MEDIAN(value)", (0, 4), (0, 0, 4, 4, 4, 4), (2, 2, 2),
        ((-1, -1, -1, -1, 0), (-2, -2, 0, 0, 0)), max_rows=2,
    ),
    Ranked(
        "third quarter", "QUANTILE_DISC(value, 0.75)", (0, 4), (0, 0, 4), (2,),
        ((-1 / 3, -1 / 3, -1 / 3, -1 / 3, 0), (-4 / 3, -4 / 3, 0, 0, 0)),
    ),
    Ranked(
        "maximum", "MAX(value)", (0, 4), (2, 4, 4, 4, 4), (4,), ((0, 0, 0, -1, -1), (-1, -1, 0, 0, 0))
    ),
    Ranked(
        "minimum of many rows", "MIN(value)", (0, 4), (2, 0, 0, 0, 0), (0,) * 9,
        ((-1, -1, 0, 0, 0), (0, 0, 0, -1, -1)), max_rows=4,
    ),
]  # fmt: skip


def noisy_max(scores: Sequence[float]) -> list[float]:
    """How often each score, with exponential noise of scale 1, is the largest: `P(i)` by Simpson's rule.

    `P(i) = int e^-x prod_j P(s_j + X_j < s_i + x) dx`, whose inner probability is 0 below s_j - s_i.
    """

    def share(i: int) -> float:
        start = max(0.0, max(scores) - scores[i])
        steps, end = 4000, start + 40.0
        h = (end - start) / steps

        def density(x: float) -> float:
            others = (1 - math.exp(-max(0.0, x + scores[i] - s)) for j, s in enumerate(scores) if j != i)
            return math.exp(-x) * math.prod(others)

        inner = math.fsum((4 if n % 2 else 2) * density(start + n * h) for n in range(1, steps))
        return h / 3 * (density(start) + inner + density(end))

    return [share(i) for i in range(len(scores))]


def grouped(case: Ranked, runs: int, groups: int = 200) -> Iterator[Round]:
    """Many people, each in a group of their own by a coin of their own: a release in full, and others in bulk."""
    coins = random.Random(f"{SEED} {case.name}")
    column = {"type": "integer", "bounds": list(case.bounds)}
    present = {f"place {i}": coins.random() < 0.5 for i in range(groups)}
    places = {place: case.people(there) for place, there in present.items()}
    asked = question(f"SELECT place, {case.figure} FROM people GROUP BY place", column, places, **case.stated)
    choice = asked.choose(stated_epsilon(_epsilon(case)))
    more, exact = more_groups(asked._bound.totals(), present, coins, runs - groups)
    present |= more
    for answer in (asked.release(choice).answer, draw_answer(asked._bound, choice, exact)):
        for (place, *figures), numbers in zip(answer.rows, answer.numbers, strict=True):
            yield Round(present[str(place)], numbers, cast(Numbers, tuple(figures)))


def _epsilon(case: Ranked) -> float:
    """An extreme of somebody with rows in several groups is charged for each of them; here they are all in one."""
    return EPSILON * case.max_rows if case.figure.startswith(("MIN", "MAX")) and case.max_rows else EPSILON


def test_noisy_max_by_hand() -> None:
    """Of two, the worse wins half of e^-difference of the time; of equals, each as often."""
    assert noisy_max([0, -1]) == pytest.approx([1 - math.exp(-1) / 2, math.exp(-1) / 2], abs=1e-6)
    assert noisy_max([3, 3, 3]) == pytest.approx([1 / 3] * 3, abs=1e-6)


@pytest.mark.depth("selection runs", seed=SEED)
@pytest.mark.parametrize("case", RANKED, ids=lambda case: case.name)
def test_no_guesser_beats_epsilon(case: Ranked, record_property: Record) -> None:
    rounds = list(grouped(case, 2 * depth("selection runs")))
    verdict = audit(rounds, EPSILON)  # all that a person in one group costs there, whatever is charged for several
    print(said(verdict))
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict
    for present in (False, True):
        seen = Counter(round(r.numbers[0]) for r in rounds if r.present is present)
        for candidate, expected in enumerate(case.probabilities(present)):
            often, of = seen[candidate], seen.total()
            within = least_rate(often, of) - 1e-6 <= expected <= most_rate(often, of) + 1e-6
            assert within, f"{candidate} came up {often} times of {of}, not {expected:.4f} of them"


@pytest.mark.parametrize("case", RANKED, ids=lambda case: case.name)
def test_the_depth_is_enough(case: Ranked) -> None:
    """Were the noise half as wide, some candidate would come up so often, or so rarely, that it is seen.

    But for three standard deviations; nine tenths of half of the runs are surely on either side.
    """
    side = int(0.9 * depth("selection runs"))

    def seen(present: bool) -> bool:
        doubled = noisy_max([score * EPSILON for score in case.scores[present]])
        for broken, sound in zip(doubled, case.probabilities(present), strict=True):
            off = 3 * math.sqrt(broken * (1 - broken) * side)
            if (
                least_rate(int(broken * side - off), side) > sound
                or most_rate(math.ceil(broken * side + off), side) < sound
            ):
                return True
        return False

    assert seen(False) or seen(True)


@pytest.mark.depth("coverage runs")
@pytest.mark.parametrize(("figure", "rank"), [("MEDIAN(value)", 0.5), ("QUANTILE_CONT(value, 0.9)", 0.9)])
def test_ranks_lie_as_near_as_they_say(figure: str, rank: float) -> None:
    """At most r further off than the best candidate, 90 times of 100: of a thousand people at a thousand values."""
    values, groups = list(range(1000)), 10
    asked = question(
        f"SELECT place, {figure} FROM people GROUP BY place",
        {"type": "integer", "bounds": [0, 999]},
        {f"place {i}": values for i in range(groups)},
    )
    hits = runs = 0
    reach = 2 * max(rank, 1 - rank) / 0.1 * math.log(10 * 1000)
    drawn = draw_answers(asked, asked.choose(stated_epsilon(0.1)))
    for answer in islice(drawn, math.ceil(depth("coverage runs") / groups / 5)):
        for row in answer.rows:
            runs += 1
            hits += abs(cast(float, row[1]) - rank * 1000) <= reach + 1
    assert most_rate(hits, runs) >= 0.9, f"{hits} of {runs}"
