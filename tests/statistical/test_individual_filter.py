"""A session within a budget per person, from outside: no guesser who sees all its answers beats the budget."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pandas as pd
import pytest

import sfumato as sf
from sfumato.auditing.guesser import Round
from sfumato.model.calibration import Calibration
from sfumato.model.facts import Totals
from sfumato.release.noise import draw_noise
from tests.depth import depth
from tests.property.test_individual_filter import recorded
from tests.statistical.audit import audit, said
from tests.statistical.cases import SEED

pytestmark = pytest.mark.statistical
EACH, RELEASES = 1.5, 2  # without the filter a person would lose twice the budget


def session(people: int) -> list[tuple[sf.Query, Calibration, Totals]]:
    """The releases of one session, as they were drawn: the last person counts in all of them."""
    schema = {"name": "people", "budget_per_person": 1.5, "columns": {"value": {"type": "integer", "bounds": [0, 1]}}}
    table = pd.DataFrame({"value": pd.Series([0] * 3 + [1] * (people - 3), dtype="int64")})
    dataset, drawn_from = sf.open(table, schema, ledger=":memory:", version="1"), []
    for _ in range(RELEASES):
        query = dataset.query("SELECT COUNT(*) FROM people WHERE value = 1")
        with recorded() as drawn:
            query.release(epsilon=EACH, redraw=True)
        ((totals, calibration),) = drawn
        drawn_from.append((query, calibration, Totals(dict(totals), {})))
    return drawn_from


@pytest.mark.depth("audit runs", seed=SEED)
def test_no_guesser_beats_the_budget_per_person(record_property: Callable[[str, object], None]) -> None:
    """Where the person is left out, an answer is noise alone: all of them and their sums are held up to the budget."""
    sides = [session(people) for people in (3, 4)]
    coins, rounds = random.Random(f"{SEED} budget per person"), []
    for _ in range(4 * RELEASES * depth("audit runs")):
        present = coins.random() < 0.5
        answers = []
        for query, calibration, totals in sides[present]:
            mechanism = query.dataset.services.mechanism
            ((number,),) = draw_noise(totals, query.measurement, calibration, mechanism).numbers
            assert isinstance(number, Fraction)
            answers.append(float(number))
        rounds.append(Round(present, tuple(answers), (answers[0], sum(answers))))
    verdict = audit(rounds, 1.5)
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict
