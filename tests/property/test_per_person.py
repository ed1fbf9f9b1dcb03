"""What each person carries of everything released: the sum of what the oracle says of each release, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.choice import Noise
from sfumato.privacy.accounting.individual import rho_of_loss
from sfumato.privacy.noise.calibration import mu_of
from sfumato.privacy.risk.rdr_exact import kl
from tests.property.oracle import leave_one_out, people_of
from tests.property.questions import Question, plain_questions, releasable_questions
from tests.property.tables import SOURCES, Table, examples, tables
from tests.property.test_people import loads_of_leaving, places_of_kept

EPSILONS = st.sampled_from(("0.1", "0.25", "1", "3"))
DELTA = 1e-6
ADDED = {"relation": "add-remove"}
ROUNDED = 2**-20  # exposures are of rows rounded to the grid of the noise


@pytest.mark.depth("carried tables")
@examples("carried tables")
@given(data=st.data(), kind=st.sampled_from(SOURCES), gaussian=st.booleans())
def test_everybody_carries_the_sum_of_what_the_oracle_says(data: st.DataObject, kind: str, gaussian: bool) -> None:
    """The oracle takes each person out of each question; whoever is left out of all of them is there all the same."""
    table = data.draw(st.one_of(tables(units=True), tables(crowded=True)))
    asked = st.one_of(plain_questions(table), releasable_questions(table, additive=True, levels=True))
    asked_for = data.draw(st.lists(st.tuples(asked, EPSILONS), min_size=1, max_size=3))
    with TemporaryDirectory() as folder:
        dataset = sf.open(table.source(kind, Path(folder)), table.schema, ledger=":memory:", version="1")
        for place, (question, epsilon) in enumerate(asked_for):
            how = {"mechanism": "gaussian", "delta": DELTA} if gaussian and place == 0 else {}
            dataset.query(question.sql).release(epsilon=float(epsilon), redraw=True, **how)  # type: ignore[arg-type]
        found = dataset.per_person()
        carried = found.people().to_pydict()
    assert found.in_all.by_exposure == len(asked_for)
    at_rest = Fraction(1, 2) if table.schema.get("relation") == "replace" else Fraction(0)
    shares = [exposures(dataset, table, q, l2=gaussian and not place) for place, (q, _) in enumerate(asked_for)]
    for person in range(len(carried["person"])):
        own = [float(each[person] + at_rest) for each in shares]
        losses = [float(epsilon) * share for (_, epsilon), share in zip(asked_for, own, strict=True)]
        within = ROUNDED * sum(float(epsilon) for _, epsilon in asked_for)
        rhos = [kl(loss) for loss in losses]
        if gaussian:
            mu = mu_of(float(asked_for[0][1]), Noise("gaussian", DELTA))
            rhos[0] = mu**2 * own[0] ** 2 / 2
            assert carried["epsilon"][person] is None
        else:
            assert carried["epsilon"][person] == pytest.approx(sum(losses), abs=within)
            assert carried["epsilon"][person] <= found.in_all.epsilon
        assert carried["rho"][person] == pytest.approx(min(sum(rhos), found.in_all.rho), abs=10 * within)
        assert carried["rho"][person] <= found.in_all.rho


@pytest.mark.depth("carried tables")
@examples("carried tables")
@given(data=st.data())
def test_nobody_carries_less_than_what_was_drawn_loses_with_them(data: st.DataObject) -> None:
    """In fractions: by how much the exact totals move, in steps of the grid, over the scales of the noise."""
    table = data.draw(st.one_of(tables(crowded=True), tables(units=True)))
    asked = data.draw(st.lists(releasable_questions(table, additive=True), min_size=1, max_size=2))
    dataset = sf.open(table.source("pandas", Path()), table.schema | ADDED, ledger=":memory:", version="1")
    queries = [dataset.query(question.sql) for question in asked]
    for query in queries:
        query.release(epsilon=0.5, redraw=True)
    carried = dict(zip(sorted(people(table)), dataset.per_person().people().to_pydict()["epsilon"], strict=True))
    for person, places in people(table).items():
        rest = sf.open(table.without(*places).source("pandas", Path()), table.schema | ADDED, ledger=":memory:")
        losses = [loads_of_leaving(query, rest.query(query.sql), len(places))[0] / 2 for query in queries]
        assert sum(losses) <= Fraction(carried[person]) <= sum(losses) + Fraction(1, 10**12)


def people(table: Table) -> dict[Any, tuple[int, ...]]:
    return {person: places for person, places in table.people().items() if person is not None}


def exposures(dataset: sf.Dataset, table: Table, question: Question, *, l2: bool) -> list[Fraction]:
    """Each person's own, by taking them out."""
    rows, people = table.rows, people_of(table.rows, dataset.schema)
    if dataset.schema.unit.column is not None:
        tags = places_of_kept(table.source("pandas", Path()), table.schema, question.sql)
        rows = tuple(table.rows[tag] for tag in tags)
    oracle = leave_one_out(rows, dataset.schema, question.literal, table.names.columns, people)
    return [Fraction(u) for u in oracle.exposures_l2()] if l2 else oracle.exposures()


@pytest.mark.depth("carried tables")
@examples("carried tables")
@given(data=st.data())
def test_a_statement_is_read_back_as_it_was_understood(data: st.DataObject) -> None:
    """What the ledger keeps of a statement is all of it."""
    table = data.draw(tables(units=True))
    dataset = sf.open(table.source("pandas", Path()), table.schema, ledger=":memory:")
    statement = dataset.query(data.draw(releasable_questions(table)).sql).statement
    assert dataset.query(statement.text).statement == statement


@given(epsilon=st.floats(0.001, 10), steps=st.integers(1, 1024), alpha=st.floats(1.0001, 200))
def test_rho_of_noise_on_a_grid_is_its_divergence_at_most(epsilon: float, steps: int, alpha: float) -> None:
    """Renyi's divergence of noise on a grid of D / 1024 from itself moved by so many steps, exactly, over alpha."""
    a = epsilon / 1024
    divergence = renyi(a, steps, alpha)
    assert divergence / alpha <= rho_of_loss(a * steps, epsilon) * (1 + 1e-9) + 1e-14 / (alpha - 1)


def renyi(a: float, steps: int, alpha: float) -> float:
    """`ln(sum_k P(k)^alpha Q(k)^(1 - alpha)) / (alpha - 1)`: the two tails in closed form, the rest one by one."""
    ratio, losses = math.exp(-a), [a * (steps - 2 * k) for k in range(1, steps)]
    logs = [
        (alpha - 1) * a * steps - math.log1p(ratio),
        -alpha * a * steps - math.log1p(ratio),
        *(math.log(math.tanh(a / 2)) - a * k + (alpha - 1) * loss for k, loss in enumerate(losses, 1)),
    ]
    most = max(logs)
    return (most + math.log(math.fsum(math.exp(each - most) for each in logs))) / (alpha - 1)
