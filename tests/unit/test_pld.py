"""Tight accounting: against closed forms, never below what enumeration finds, and the pairs it is given."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.adapters.accounting.pld import epsilon_at
from sfumato.errors import BadInput
from sfumato.model.choice import Noise
from sfumato.model.dominating_pairs import Normal, OnLattice, Pair, Pure
from sfumato.privacy.accounting.dominating_pairs import STEPS, pairs_of
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.noise.gaussian import epsilon_analytic
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse
from tests.property.tables import examples

Losses = list[tuple[float, float]]  # how much is lost, and how likely


def losses(pair: Pair) -> Losses:
    """Every loss of a pair with finitely many of them, literally."""
    if isinstance(pair, Pure):
        return [(pair.epsilon, 1 / (1 + math.exp(-pair.epsilon))), (-pair.epsilon, 1 / (1 + math.exp(pair.epsilon)))]
    assert isinstance(pair, OnLattice)
    a, steps, ratio = pair.parameter, pair.steps, math.exp(-pair.parameter)
    between = [(a * (steps - 2 * k), math.tanh(a / 2) * ratio**k) for k in range(1, steps)]
    return [(a * steps, 1 / (1 + ratio)), *between, (-a * steps, ratio**steps / (1 + ratio))]


def delta_of(pairs: Iterable[Pair], epsilon: float) -> float:
    """The hockey stick of all of them, by enumeration."""
    outcomes = product(*map(losses, pairs))
    lost = ((math.fsum(loss for loss, _ in each), math.prod(p for _, p in each)) for each in outcomes)
    return math.fsum(p * -math.expm1(epsilon - loss) for loss, p in lost if loss > epsilon)


# Against closed forms


@pytest.mark.parametrize("delta", [1e-6, 0.01, 0.2])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_two_pure_ones_are_the_optimal_composition(epsilon: float, delta: float) -> None:
    """Kairouz, Oh and Viswanath: `delta = p^2 (1 - e^(eps' - 2 eps))` with `p = e^eps / (1 + e^eps)`."""
    exact = 2 * epsilon + math.log1p(-delta * (1 + math.exp(-epsilon)) ** 2)
    found = epsilon_at([Pure(epsilon)] * 2, delta)
    assert exact * (1 - 1e-12) <= found <= exact + 2 * epsilon / 1000 if exact > 0 else found == 0


@pytest.mark.parametrize("many", [1, 2, 10, 64])
def test_gaussians_are_one_gaussian(many: int) -> None:
    """So many of mu are one of sqrt(n) mu, whose epsilon is known; never below it."""
    exact = epsilon_analytic(0.3 * math.sqrt(many), 1e-6)
    found = epsilon_at([Normal(0.3)] * many, 1e-6)
    assert exact <= found <= exact * 1.02


# Never below what is found by enumeration


@pytest.mark.depth("composed privacy losses")
@examples("composed privacy losses")
@given(
    parts=st.lists(
        st.one_of(
            st.floats(0.01, 3).map(Pure),
            st.builds(lambda e, n: OnLattice(e / n, n), st.floats(0.01, 3), st.integers(1, 40)),
        ),
        min_size=1,
        max_size=3,
    ),
    delta=st.floats(1e-7, 0.3),
)
def test_never_below_enumeration_and_never_above_the_sum(parts: list[Pair], delta: float) -> None:
    found = epsilon_at(parts, delta)
    assert delta_of(parts, found) <= delta
    together = sum(pair.loss for pair in parts)
    assert found <= together * (1 + 1 / 512)
    if found > together / 100:
        assert delta_of(parts, found - together / 256) > delta * (1 - 1e-3) - 1e-9  # and no looser than its steps


@given(
    epsilon=st.floats(0.05, 5),
    steps=st.integers(1, 40),
    finer=st.integers(2, 5),
    at=st.floats(0, 1),
    less=st.floats(0, 1),
)
def test_a_coarser_grid_tells_no_less(epsilon: float, steps: int, finer: int, at: float, less: float) -> None:
    """Noise on a finer grid is noise on a coarser one with more added; and whoever moves it less loses less."""
    fine, coarse = OnLattice(epsilon / (steps * finer), steps * finer), OnLattice(epsilon / steps, steps)
    moved = OnLattice(fine.parameter, 1 + int(less * (fine.steps - 1)))
    assert delta_of([moved], at * epsilon) <= delta_of([fine], at * epsilon) + 1e-13
    assert delta_of([fine], at * epsilon) <= delta_of([coarse], at * epsilon) + 1e-13
    assert delta_of([coarse], at * epsilon) <= delta_of([Pure(epsilon)], at * epsilon) + 1e-13


def test_beyond_what_floats_can_tell_there_is_no_figure() -> None:
    assert epsilon_at([Pure(0.1)] * 10, 1e-11) == math.inf


# The pairs of a release

COLUMNS = {
    "days": {"type": "integer", "bounds": [0, 20]},
    "pay": {"type": "number", "bounds": [0, 1]},
    "odd": {"type": "integer", "bounds": [0, 104729]},
    "who": {"type": "text"},
    "ward": {"categories": ["a", "b"]},
}
LAPLACE, GAUSSIAN = Noise(), Noise("gaussian", 1e-6)


def pairs(sql: str, noise: Noise = LAPLACE, **stated: object) -> tuple[Pair, ...]:
    schema = from_dict({"name": "stays", "columns": COLUMNS} | stated)
    measurement = measure(parse(sql, schema), schema)
    return pairs_of(measurement, calibrate(measurement, noise, 1.0, 10.0), schema)


PERSON = {"unit": "who", "max_rows": 3}
GROUPED = "SELECT ward, COUNT(*) FROM stays GROUP BY ward"


@pytest.mark.parametrize(
    ("sql", "stated", "kind"),
    [
        pytest.param(GROUPED, {}, OnLattice, id="a row is in one cell"),
        pytest.param(GROUPED, {"relation": "replace"}, Pure, id="replaced, it is in two"),
        pytest.param(GROUPED, PERSON, Pure, id="a person is in several"),
        pytest.param("SELECT COUNT(*) FROM stays", PERSON, OnLattice, id="there is but one cell"),
        pytest.param("SELECT COUNT(*) FROM stays", {"relation": "replace"}, OnLattice, id="one cell, replaced"),
        pytest.param("SELECT MEDIAN(days) FROM stays", {}, Pure, id="a selection"),
        pytest.param("SELECT COUNT(DISTINCT who) FROM stays", {}, OnLattice, id="no sum, and one cell"),
    ],
)
def test_noise_on_its_grid_where_one_cell_moves_and_else_pure(sql: str, stated: dict[str, Any], kind: type) -> None:
    assert [type(pair) for pair in pairs(sql, **stated)] == [kind]


def test_the_parts_of_a_mean_are_two_pairs() -> None:
    first, second = pairs("SELECT AVG(days) FROM stays")
    assert first.loss == pytest.approx(0.5)
    assert second.loss == pytest.approx(0.5)


@pytest.mark.parametrize("column", ["days", "pay", "odd"])
def test_a_fine_grid_is_taken_for_a_coarser_one(column: str) -> None:
    [pair] = pairs(f"SELECT SUM({column}) FROM stays")
    assert isinstance(pair, OnLattice)
    assert 1 <= pair.loss <= 1 + 1.1 / STEPS
    assert pair.steps <= STEPS


def test_truncated_noise_is_pure_where_it_does_not_show() -> None:
    """What it shows is a delta beside (docs/theory/batch.md)."""
    assert pairs("SELECT AVG(days) FROM stays", Noise("truncated", 1e-6)) == (Pure(0.5), Pure(0.5))


def test_gaussian_numbers_are_one_pair() -> None:
    [pair] = pairs("SELECT AVG(days), COUNT(*) FROM stays", GAUSSIAN)
    assert isinstance(pair, Normal)
    assert epsilon_analytic(pair.mu, 1e-6) == pytest.approx(1, abs=1e-6)


def test_without_the_library_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    with pytest.raises(
        BadInput, match="Tight accounting needs the package dp-accounting, which is not installed"
    ) as refused:
        epsilon_at([Pure(1.0)], 1e-6)
    assert refused.value.hint == "pip install 'sfumato[accounting]'."
