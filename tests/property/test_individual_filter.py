"""A budget per person: the engine includes whom the rule includes, and no one loses more, over small tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.calibration import Calibration
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.person_budget import PersonBudget
from sfumato.privacy.accounting.individual import rho_of_loss
from sfumato.privacy.accounting.individual_filter import rho_limit
from sfumato.privacy.accounting.zcdp import rho_gaussian
from sfumato.privacy.noise.calibration import mu_of
from sfumato.release import draw
from sfumato.release.noise import Noisy, draw_noise, level_totals
from tests.property.questions import releasable_questions
from tests.property.tables import Table, examples, tables

Totals = Mapping[tuple[Any, ...], tuple[int, ...]]
DELTA = 1e-6
EPSILONS = st.sampled_from(("0.1", "0.25", "0.4", "0.6"))
BUDGETS = st.sampled_from(("0.61", "0.77", "1.03"))


@contextmanager
def recorded() -> Iterator[list[tuple[Totals, Calibration]]]:
    """What each release draws noise around, and how."""
    drawn: list[tuple[Totals, Calibration]] = []

    def keep(exact: Any, measurement: Measurement, calibration: Calibration, *rest: Any) -> Noisy:
        drawn.append((level_totals(dict(exact.by_cell()), measurement), calibration))
        return draw_noise(exact, measurement, calibration, *rest)

    with patch.object(draw, "draw_noise", keep):
        yield drawn


def load(one: Totals, other: Totals, measurement: Measurement, *, squared: bool) -> Fraction:
    """The exposure of whoever is the difference of these totals, or its square under Gaussian noise."""
    moved = [[abs(a - b) for a, b in zip(one[cell], other[cell], strict=True)] for cell in one]
    loads = Fraction(0)
    for number, column in zip(measurement.numbers, zip(*moved, strict=True), strict=True):
        if squared:
            loads += number.share * sum(m**2 for m in column) * number.step**2 / number.euclidean**2
        else:
            loads += number.share * sum(column) * number.step / number.sensitivity
    return loads


def cost(share: Fraction, budget: PersonBudget, how: Noise, epsilon: str, steps: int) -> float:
    """What a release costs someone, by the formulas of docs/theory/filter.md."""
    if not budget.delta:
        return float(Fraction(epsilon) * share)
    if how.mechanism == "gaussian":
        return mu_of(float(epsilon), how) ** 2 / 2 * float(share)
    loss = float(epsilon) * float(share)
    chord = rho_of_loss(float(epsilon) / steps, float(epsilon)) * float(share) * steps
    return min(chord, loss**2 / 2 + loss * (float(epsilon) / 1024) ** 2 / 6)


@pytest.mark.depth("filtered tables")
@examples("filtered tables")
@given(data=st.data(), gaussian=st.booleans(), budget=BUDGETS)
def test_the_engine_includes_whom_the_rule_includes(data: st.DataObject, gaussian: bool, budget: str) -> None:
    """Each person's cost follows from a table of their own; the totals are those of the included people, exactly."""
    table = data.draw(st.one_of(tables(units=True), tables(crowded=True)))
    table = Table(table.names, table.schema | {"budget_per_person": float(budget)}, table.rows)
    if gaussian:  # a limit on rho is smaller than the epsilon that it is stated by
        budget = f"{6 * float(budget):g}"
        stated = {"budget_per_person": float(budget), "budget_per_person_delta": DELTA}
        table = Table(table.names, table.schema | stated, table.rows)
    asked = data.draw(
        st.lists(st.tuples(releasable_questions(table, additive=True, levels=True), EPSILONS), min_size=1, max_size=4)
    )
    asked = [*asked, *asked[:2]]  # asked again, which costs again
    dataset = sf.open(table.source("pandas", Path()), table.schema, ledger=":memory:", version="1")
    per_person = dataset.schema.per_person
    assert per_person is not None
    steps, spent = dataset.schema.relation.steps, dict.fromkeys(people(table), 0.0)
    most = rho_limit(float(budget), DELTA) / steps**2 if gaussian else float(budget) / steps
    for place, (question, epsilon) in enumerate(asked):
        how = Noise("gaussian", DELTA) if gaussian and place % 2 else Noise()
        query = dataset.query(question.sql)
        if query.measurement.cells is None:
            continue
        with recorded() as drawn:
            query.release(epsilon=float(epsilon), redraw=True, mechanism=how.mechanism, delta=how.delta)
        expected: dict[Any, tuple[int, ...]] = {cell: (0,) * len(query.measurement.numbers) for cell in drawn[0][0]}
        for person, places in people(table).items():
            own = own_totals(table, places, question.sql)
            nothing = dict.fromkeys(own, (0,) * len(query.measurement.numbers))
            share = load(own, nothing, query.measurement, squared=how.mechanism == "gaussian")
            total = spent[person] + cost(share, per_person, how, epsilon, steps)
            assume(abs(total - most) > 1e-6)
            if total <= most:
                spent[person] = total
                for cell, steps_of in own.items():
                    expected[cell] = tuple(a + b for a, b in zip(expected[cell], steps_of, strict=True))
        assert drawn[0][0] == expected, (question.sql, spent)


def people(table: Table) -> dict[Any, tuple[int, ...]]:
    return {person: places for person, places in table.people().items() if person is not None}


def own_totals(table: Table, places: Sequence[int], sql: str) -> Totals:
    """The exact totals of a table that has no one else."""
    others = [place for place in range(len(table.rows)) if place not in places]
    stated = {name: value for name, value in table.schema.items() if not name.startswith("budget_per_person")}
    alone = sf.open(table.without(*others).source("pandas", Path()), stated, ledger=":memory:").query(sql)
    return level_totals(dict(alone._bound.totals().by_cell()), alone.measurement)


# What is lost, over transcripts

SCHEMA: dict[str, Any] = {
    "name": "stays",
    "unit": "who",
    "max_rows": 2,
    "columns": {
        "who": {"type": "text"},
        "days": {"type": "integer", "bounds": [0, 4]},
        "ward": {"type": "text", "categories": ["a", "b"]},
    },
}
QUERIES = (
    "SELECT COUNT(*) FROM stays",
    "SELECT SUM(days) FROM stays WHERE ward = 'a'",
    "SELECT ward, COUNT(DISTINCT who) FROM stays GROUP BY ward",
    "SELECT AVG(days) FROM stays",
)
rows = st.lists(
    st.tuples(st.sampled_from(("p", "q", "r", "s")), st.integers(0, 4), st.sampled_from("ab")), min_size=1, max_size=7
)
paths = st.lists(st.tuples(st.sampled_from(QUERIES), EPSILONS, st.booleans()), min_size=3, max_size=6)


@pytest.mark.depth("filtered tables")
@examples("filtered tables")
@given(rows=rows, path=paths, budget=BUDGETS, relation=st.sampled_from(("add-remove", "replace")), rho=st.booleans())
def test_no_one_loses_more_than_the_budget_over_a_transcript(
    rows: list[tuple[str, int, str]],
    path: list[tuple[str, str, bool]],
    budget: str,
    relation: str,
    rho: bool,
) -> None:
    """A transcript is a path of queries and any answers to them. Its probabilities with and without a person differ by
    the product of the ratios of its answers, which is largest where each answer lies beyond both totals."""
    budget = f"{6 * float(budget):g}" if rho else budget
    schema = SCHEMA | {"relation": relation, "budget_per_person": float(budget)}
    schema |= {"budget_per_person_delta": DELTA} if rho else {}
    steps = 2 if relation == "replace" else 1
    whole = transcript(rows, schema, path)
    for person in {who for who, _, _ in rows}:
        rest = transcript([row for row in rows if row[0] != person], schema, path)
        exact, lost = Fraction(0), 0.0
        for (one, drawn, measurement), (other, _, _) in zip(whole, rest, strict=True):
            squared = drawn.noise.mechanism == "gaussian"
            share = load(one, other, measurement, squared=squared)
            exact += Fraction(str(drawn.epsilon)) * share
            how = Noise("gaussian", DELTA)
            gone = mu_of(drawn.epsilon, how) ** 2 / 2 * float(share) if squared else 0.0
            lost += gone if squared else kl(drawn.epsilon * float(share))
        if rho:
            assert lost <= rho_limit(float(budget), DELTA) / steps**2 * (1 + 1e-12)
        else:
            assert exact <= Fraction(budget) / steps  # for one replaced person, twice: the budget


def transcript(
    rows: list[tuple[str, int, str]], schema: dict[str, Any], path: list[tuple[str, str, bool]]
) -> list[tuple[Totals, Calibration, Measurement]]:
    """Along one path: what each answer is drawn around."""
    table = pd.DataFrame(
        {
            "who": pd.Series([who for who, _, _ in rows], dtype="str"),
            "days": pd.Series([days for _, days, _ in rows], dtype="int64"),
            "ward": pd.Series([ward for _, _, ward in rows], dtype="str"),
        }
    )
    dataset = sf.open(table, schema, ledger=":memory:", version="1")
    found = []
    for sql, epsilon, gaussian in path:
        query = dataset.query(sql)
        how = {"mechanism": "gaussian", "delta": DELTA} if gaussian and "budget_per_person_delta" in schema else {}
        with recorded() as drawn:
            query.release(epsilon=float(epsilon), redraw=True, **how)  # type: ignore[arg-type]
        found.append((*drawn[0], query.measurement))
    return found


def kl(x: float) -> float:
    return x + math.expm1(-x)


def test_costs_are_never_below_what_is_lost() -> None:
    """Gaussian: `mu^2 / 2`; the budget as rho is worth no more than it is as epsilon."""
    assert rho_gaussian(0.8) >= 0.32
    assert sf.open(pd.DataFrame({"x": [1]}), {"name": "t", "columns": {}}, ledger=":memory:").schema.per_person is None
