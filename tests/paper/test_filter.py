"""Methods, part 2, section 30: a budget per person."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.model.choice import Noise
from sfumato.model.person_budget import PersonBudget
from sfumato.privacy.accounting.individual_filter import cost_of, limit_of
from sfumato.privacy.accounting.zcdp import epsilon_of_zcdp
from sfumato.privacy.noise.gaussian import epsilon_analytic
from tests.property.test_individual_filter import recorded

golden = pytest.mark.golden
EPSILONS = (0.6, 0.5, 0.6)
PEOPLE = {"a": (1, 2, 3), "b": (1, 3), "c": (2, 3)}  # the queries in which each of them counts
OUTPUTS = range(-26, 29)


def totals(people: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """What the three counts are drawn around, by the product."""
    rows = [(who, q) for who, own in people.items() for q in own]
    table = pd.DataFrame({"who": [who for who, _ in rows], "q": pd.Series([q for _, q in rows], dtype="int64")})
    columns: dict[str, Any] = {"who": {"type": "text"}, "q": {"type": "integer", "bounds": [1, 3]}}
    schema = {"name": "t", "unit": "who", "max_rows": 3, "columns": columns, "budget_per_person": 1.2}
    dataset, found = sf.open(table, schema, ledger=":memory:", version="1"), []
    for q, epsilon in enumerate(EPSILONS, 1):
        query = dataset.query(f"SELECT COUNT(DISTINCT who) FROM t WHERE q = {q}")
        with recorded() as drawn:
            query.release(epsilon=epsilon)
        (cell,) = drawn[0][0].values()
        found.append(int(cell[0] * query.measurement.numbers[0].step))
    return tuple(found)


def largest_log_ratio(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Over all 55^3 transcripts of whole numbers, one after the other."""
    losses = [[e * (abs(o - b) - abs(o - a)) for o in OUTPUTS] for e, a, b in zip(EPSILONS, one, other, strict=True)]
    return max(abs(math.fsum(transcript)) for transcript in product(*losses))


@golden("filter_loss")
def test_the_most_that_anyone_loses_over_all_transcripts() -> None:
    """Person a is left out of the third count, in which they could lose 1.7 in all; b is exactly within the budget."""
    whole = totals(PEOPLE)
    assert whole == (2, 2, 2)
    lost = {}
    for person in PEOPLE:
        rest = totals({who: own for who, own in PEOPLE.items() if who != person})
        lost[person] = largest_log_ratio(whole, rest)
    assert lost == pytest.approx({"a": 1.1, "b": 1.2, "c": 1.1}, abs=1e-6)
    assert max(lost.values()) == pytest.approx(1.2, abs=1e-6)


@golden("filter_rho")
def test_a_limit_on_rho() -> None:
    """Gaussian noise of mu 0.8: rho 0.32 at exposure 1, and a quarter of it at exposure 1/2; the limit is 0.5."""
    epsilon, limit = epsilon_analytic(0.8, 1e-5), epsilon_of_zcdp(0.5, 1e-6) * (1 + 1e-9)
    schema: dict[str, Any] = {"name": "t", "columns": {"x": {"type": "integer", "bounds": [0, 2]}}}
    schema |= {"budget_per_person": limit, "budget_per_person_delta": 1e-6}
    dataset, included = sf.open(pd.DataFrame({"x": [2, 1]}), schema, ledger=":memory:", version="1"), []
    for _ in range(3):
        query = dataset.query("SELECT SUM(x) FROM t")
        with recorded() as drawn:
            query.release(epsilon=epsilon, mechanism="gaussian", delta=1e-5, redraw=True)
        total = int(drawn[0][0][()][0] * query.measurement.numbers[0].step)
        included.append([total >= 2, total % 2 == 1])
    assert included == [[True, True], [False, True], [False, True]]
    one = cost_of(PersonBudget(Fraction(limit), Fraction("1e-6")), Noise("gaussian", 1e-5), epsilon, 1)
    assert one.squared
    assert one.most == pytest.approx(0.32e12, rel=1e-9)
    assert 3 * one.most // 4 == pytest.approx(0.24e12, rel=1e-9)


def test_costs_and_limits_in_whole_units() -> None:
    """A cost is rounded up and a limit down; replacing is two steps, of which each has half the budget."""
    pure = PersonBudget(Fraction("1.2"))
    assert (limit_of(pure, 1), limit_of(pure, 2)) == (1_200_000_000_000, 600_000_000_000)
    assert cost_of(pure, Noise(), 0.6, 2).most == 300_000_000_000
    rho = PersonBudget(Fraction(3), Fraction("1e-6"))
    assert limit_of(rho, 1) == pytest.approx(0.18507e12, rel=1e-4)
    assert limit_of(rho, 2) == pytest.approx(limit_of(rho, 1) / 4, abs=1)
    gaussian = cost_of(rho, Noise("gaussian", 1e-5), 1.0, 1)
    assert gaussian.squared
    assert gaussian.most == pytest.approx(0.0359266e12, rel=1e-4)
