"""The game that `RiskProfile.attack` speaks of, played through releases (docs/theory/attack.md).

Somebody who knows everybody else sees a release of the table with or without one person. All checks together fail by
chance in fewer than 1e-7 of all runs (`audit.RATE`).
"""

from __future__ import annotations

import math
from itertools import islice
from statistics import NormalDist
from typing import Any

import pytest

import sfumato as sf
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from tests.depth import depth
from tests.statistical.audit import least_rate, most_rate, question
from tests.statistical.bulk import draw_answers

EPSILON = 1.0
COUNT = "SELECT COUNT(*) FROM people WHERE value = 1"
VALUE = {"type": "integer", "bounds": [0, 1]}
GAUSSIAN: dict[str, Any] = {"mechanism": "gaussian", "delta": 0.05}

pytestmark = [pytest.mark.statistical, pytest.mark.depth("attack games")]


def drawn(query: sf.Query, runs: int, **how: Any) -> list[float]:
    choice = query.choose(stated_epsilon(EPSILON), **how)
    return [answer.numbers[0][0] for answer in islice(draw_answers(query, choice), runs)]


def tables() -> tuple[sf.Query, sf.Query]:
    """With the person, who is matched, and without."""
    return question(COUNT, VALUE, {"here": [0, 1, 1]}), question(COUNT, VALUE, {"here": [0, 1]})


@pytest.mark.parametrize("how", [{}, GAUSSIAN], ids=["laplace", "gaussian"])
def test_the_attacker_guesses_and_finds_as_often_as_is_said(how: dict[str, Any]) -> None:
    """A coin calls "in" what is nearer to 2 than to 1; 5 of 100 false alarms what noise on 1 rarely reaches."""
    runs, (present, absent) = depth("attack games"), tables()
    (scale,) = present.release(epsilon=EPSILON, **how).certificate.scale or (None,)
    assert scale is not None
    rarely = 1 + scale * (NormalDist().inv_cdf(0.95) if how else math.log(10))
    seen, others = drawn(present, runs, **how), drawn(absent, runs, **how)
    said = present.risk(**how).attack(EPSILON)
    right = sum(n > 1.5 for n in seen) + sum(n <= 1.5 for n in others)
    for found, trials, share in (
        (right, 2 * runs, said.chance),
        (sum(n > rarely for n in seen), runs, said.hits_at_5_percent),
        (sum(n > rarely for n in others), runs, 0.05),
    ):
        assert least_rate(found, trials) <= share <= most_rate(found, trials)
