"""True ranks keep their word: nine times in ten all of them hold at once, and no more often than they have to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, cast

import pytest

from sfumato.model.release import Ranking
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from tests.depth import depth
from tests.statistical.audit import least_rate, most_rate, question
from tests.statistical.bulk import draw_answers

pytestmark = pytest.mark.statistical

VALUE = {"type": "integer", "bounds": [0, 10]}
SIZES = [900, *range(401, 409), 0]
PLACES = {f"place {i}": [i % 11] * size for i, size in enumerate(SIZES)}
NOISES: dict[str, dict[str, Any]] = {"laplace": {}, "gaussian": {"mechanism": "gaussian", "delta": 1e-3}}


@pytest.mark.depth("coverage runs")
@pytest.mark.parametrize("noise", NOISES)
def test_all_true_ranks_hold_at_once(noise: str) -> None:
    """Of eight groups that noise mostly cannot tell apart, a far larger one and an empty one."""
    asked = question("SELECT place, COUNT(*) AS n FROM people GROUP BY place ORDER BY n DESC LIMIT 9", VALUE, PLACES)
    choice = asked.choose(stated_epsilon(0.1), **NOISES[noise])
    runs = depth("coverage runs")
    hits = told = 0
    for answer in islice(draw_answers(asked, choice), runs):
        ranking = cast(Ranking, answer.ranking)
        assert (ranking.by, ranking.among, len(ranking.ranks)) == ("n", len(SIZES), 9)
        hits += _holds(answer.rows, ranking)
        told += ranking.ranks[0] == (1, 1) and all(best > 1 and worst < 10 for best, worst in ranking.ranks[1:])
    assert most_rate(hits, runs) >= 0.9, hits
    assert least_rate(hits, runs) <= 0.99, hits
    assert told > 0.9 * runs, "the largest group and the empty one are told apart"


@pytest.mark.depth("coverage runs")
def test_ranks_by_a_mean_hold_too() -> None:
    """By intervals that hold at once: those of means, by the law of each."""
    asked = question("SELECT place, AVG(value) AS n FROM people GROUP BY place ORDER BY n", VALUE, PLACES)
    choice, runs = asked.choose(stated_epsilon(3.0)), depth("coverage runs") // 10
    means = {place: (values[0] if values else None) for place, values in PLACES.items()}
    hits = 0
    for answer in islice(draw_answers(asked, choice), runs):
        ranking = cast(Ranking, answer.ranking)
        places = [str(row[0]) for row in answer.rows]
        hits += all(
            1 + sum(_below(means, other, place) for other in places) <= worst
            and len(places) - sum(_below(means, place, other) for other in places) >= best
            for place, (best, worst) in zip(places, ranking.ranks, strict=True)
        )
    assert most_rate(hits, runs) >= 0.9, hits


def _below(means: dict[str, int | None], one: str, other: str) -> bool:
    """Whether one mean is smaller; a group without people has none, and any place is right for it."""
    a, b = means[one], means[other]
    return a is not None and b is not None and a < b


def _holds(rows: Sequence[Sequence[object]], ranking: Ranking) -> bool:
    """Whether each row may stand at a rank that is stated: groups of one size may stand in any order."""
    for row, (best, worst) in zip(rows, ranking.ranks, strict=True):
        size = SIZES[int(str(row[0]).split()[1])]
        ahead, alike = sum(other > size for other in SIZES), sum(other == size for other in SIZES)
        if not (1 + ahead <= worst and ahead + alike >= best):
            return False
    return True
