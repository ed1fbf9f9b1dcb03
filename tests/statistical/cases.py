"""Questions, and people who move each of their numbers as far as anybody may: the worst that two tables can differ in.

`grouped` and `alone` play the game of `audit` with them: through `Query.release`, and then in bulk.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import sfumato
from sfumato.auditing.guesser import Numbers, Round
from sfumato.model.release import Answer
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from tests.statistical.audit import question
from tests.statistical.bulk import draw_answer, draw_answers, more_groups

EPSILON = 1.5  # about where a doubled epsilon shows with the fewest runs
SEED = 20240229  # of the coins; the noise has none
GROUPS = 400  # in a release, each with a person of its own


@dataclass(frozen=True)
class Case:
    """A question, and a person who moves each of its numbers as far as anybody may.

    The person has a value or several, of which `max_rows` count (0: a person is a row); `instead` is what stands there
    without them, where somebody is replaced.
    """

    name: str
    figure: str
    type: str
    bounds: tuple[float, float]
    others: Numbers
    person: Numbers
    moves: Numbers  # the sensitivities, by hand
    max_rows: int = 0
    instead: Numbers = ()
    per_person: tuple[float, float] | None = None  # a person's rows are added up inside, and the sum is clipped

    @property
    def column(self) -> dict[str, Any]:
        own = {} if self.per_person is None else {"per_person": list(self.per_person)}
        return {"type": self.type, "bounds": list(self.bounds)} | own

    @property
    def stated(self) -> dict[str, Any]:
        """What the schema says of people."""
        unit = {"unit": "who", "max_rows": self.max_rows} if self.max_rows else {}
        return unit | {"relation": "replace" if self.instead else "add-remove"}

    def people(self, present: bool) -> tuple[float | Numbers, ...]:
        return (*self.others, self.person if present else self.instead)

    def truth(self, present: bool) -> Numbers:
        """The numbers without noise."""
        if self.per_person is not None:
            return self._truth_of_sums(present)
        counting = (self.person if present else self.instead)[: self.max_rows or None]
        low, high = self.bounds
        values = [max(low, min(high, v)) for v in (*self.others, *counting)]
        centred = [v - (low + high) / 2 for v in values]
        return {
            "COUNT(*)": (len(values),),
            "COUNT(DISTINCT value)": (len(set(values)),),
            "SUM(value)": (sum(values),),
            "AVG(value)": (sum(centred), len(values)),
            "REGR_R2(value, value)": (
                len(values),
                sum(centred),
                sum(c**2 for c in centred),
                sum(c**2 - (high - low) ** 2 / 8 for c in centred),
            ),
            "VAR_POP(value)": (sum(c**2 - (high - low) ** 2 / 8 for c in centred), sum(centred), len(values)),
        }[self.figure]

    def _truth_of_sums(self, present: bool) -> Numbers:
        """Of each of the others, who has one row, and of the person: within the bounds of a row, then of a person."""
        assert self.per_person is not None
        own = sum(max(self.bounds[0], min(self.bounds[1], v)) for v in self.person)
        totals = [*self.others, *([own] if present else [])]
        return (sum(max(self.per_person[0], min(self.per_person[1], total)) for total in totals),)

    def source(self, keys: str = "") -> str:
        """What stands after FROM: the table, or the total of each person, of each place."""
        if self.per_person is None:
            return "people"
        return f"(SELECT who{keys}, SUM(value) AS value FROM people GROUP BY who{keys})"

    def noise(self, rounds: list[Round], j: int) -> list[int]:
        """What was added to the true number, in steps of its grid."""
        return [round((r.numbers[j] - self.truth(r.present)[j]) / r.steps[j]) for r in rounds]

    def scale(self, j: int) -> float:
        """How wide Laplace noise has to be."""
        return len(self.moves) * self.moves[j] / EPSILON

    def sigma(self, j: int, mu: float) -> float:
        """How wide Gaussian noise has to be."""
        return math.sqrt(len(self.moves)) * self.moves[j] / mu


CASES = [
    Case("count", "COUNT(*)", "integer", (0, 1), (0, 1, 1), (1,), moves=(1,)),
    Case("sum", "SUM(value)", "integer", (-100, 20), (-30, 5, 20), (-100,), moves=(100,)),
    Case("sum of decimals", "SUM(value)", "number", (0, 0.3), (0, 0.15, 0.3), (0.3,), moves=(0.3,)),
    Case("sum of large numbers", "SUM(value)", "integer", (0, 10**12), (0, 5 * 10**11), (10**12,), moves=(10**12,)),
    Case("average", "AVG(value)", "integer", (0, 100), (20, 50, 90), (100,), moves=(50, 1)),
    Case("sum of many rows", "SUM(value)", "number", (-2, 0.5), (0.25, -1), (-7,) * 5, moves=(6,), max_rows=3),
    Case("count of many rows", "COUNT(*)", "integer", (0, 1), (0, 1, 1), (1,) * 9, moves=(4,), max_rows=4),
    Case("different values", "COUNT(DISTINCT value)", "integer", (0, 9), (7, 8, 7), (1, 2, 3), moves=(2,), max_rows=2),
    Case("variance", "VAR_POP(value)", "integer", (0, 100), (20, 50, 90), (100,), moves=(1250, 50, 1)),
    Case("pairs", "REGR_R2(value, value)", "integer", (0, 100), (20, 50, 90), (100,), moves=(1, 50, 2500, 1250)),
    Case("sum of one replaced", "SUM(value)", "integer", (-100, 100), (5, 20), (100,), moves=(200,), instead=(-100,)),
    Case("sum beyond the bounds", "SUM(value)", "integer", (0, 100), (0, 40), (10**6,), moves=(100,)),
    Case("total of a person", "SUM(value)", "number", (-2, 9), (0.25, -1), (7.5,) * 5, (6,), 1, per_person=(-6, 6)),
    Case("average at the bottom", "AVG(value)", "number", (-1, 0.5), (-0.25, 0.125), (-1,), moves=(0.75, 1)),
]
COUNT, SUM, DECIMALS, LARGE, AVERAGE, MANY_ROWS, *_ = CASES


def grouped(case: Case, runs: int, epsilon: float = EPSILON, **how: Any) -> Iterator[Round]:
    """Many people, each in a group of their own by a coin of their own: one release plays the game in every group.

    The first 400 groups are a release in full. The others are drawn in bulk, from the totals of those.
    """
    coins = random.Random(f"{SEED} {case.name}")
    present = {f"place {i}": coins.random() < 0.5 for i in range(GROUPS)}
    places = {place: case.people(there) for place, there in present.items()}
    query = question(
        f"SELECT place, {case.figure} FROM {case.source(', place')} GROUP BY place", case.column, places, **case.stated
    )
    choice = query.choose(stated_epsilon(epsilon), **how)
    release = query.release(choice, redraw=True)
    steps = _steps(release)
    yield from _rounds(present, release.answer, steps)
    more, exact = more_groups(query._bound.totals(), present, coins, runs - GROUPS)
    yield from _rounds(more, draw_answer(query._bound, choice, exact), steps)


def alone(case: Case, runs: int, epsilon: float = EPSILON, **how: Any) -> Iterator[Round]:
    """A table with the person and one without, asked again and again: a coin says which."""
    coins = random.Random(f"{SEED} {case.name} alone")
    sides = [{"here": case.people(there)} for there in (False, True)]
    tables = [
        question(f"SELECT {case.figure} FROM {case.source()}", case.column, side, **case.stated) for side in sides
    ]
    choices = [table.choose(stated_epsilon(epsilon), **how) for table in tables]
    steps = _steps(tables[0].release(choices[0]))
    answers = [draw_answers(table, choice) for table, choice in zip(tables, choices, strict=True)]
    for _ in range(runs):
        present = coins.random() < 0.5
        answer = next(answers[present])
        yield Round(present, answer.numbers[0], _figures(answer.rows[0]), steps)


def _rounds(present: Mapping[str, bool], answer: Answer, steps: Numbers) -> Iterator[Round]:
    """One play in each group of an answer."""
    for (place, *figures), numbers in zip(answer.rows, answer.numbers, strict=True):
        yield Round(present[str(place)], numbers, _figures(figures), steps)


def _figures(row: Sequence[object]) -> Numbers:
    """The figures of a row; that one is missing tells something, too."""
    return tuple(-math.inf if figure is None else cast(float, figure) for figure in row)


def _steps(release: sfumato.Release) -> Numbers:
    """The grid on the certificate, which a release with a guarantee always states."""
    assert release.certificate.grid_step is not None
    return release.certificate.grid_step
