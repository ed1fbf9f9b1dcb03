"""Whatever is done with a dataset, in any order and by two at once, its totals are the sums of what left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import BudgetExceeded, NoGuarantee, PreferenceError
from sfumato.ledger.entry import Event, nano
from sfumato.privacy.accounting.zcdp import ledger_rho, rho_gaussian, rho_laplace, rho_pure
from sfumato.privacy.noise.gaussian import mu_on_lattice
from tests.depth import depth

PEOPLE = pd.DataFrame({"ward": ["a", "a", "b"] * 20, "days": [3, 40, 7] * 20})
COLUMNS = {"days": {"type": "integer", "bounds": [0, 60]}, "ward": {"type": "text", "keys": "private"}}
SCHEMA: dict[str, Any] = {"name": "stays", "columns": COLUMNS}
COUNT = "SELECT COUNT(*) FROM stays WHERE days > 5"
MEDIAN = "SELECT MEDIAN(days) FROM stays"
BY_WARD = "SELECT ward, COUNT(*) FROM stays GROUP BY ward"
STEPS = 1024  # of the grid to a person
HOLDS = ("dp", "dp-selected", "none")
EPSILONS = st.sampled_from((0.1, 0.2, 1 / 3, 1e-9, 2.0))
HANDLES = st.sampled_from((0, 1))
A_LEDGER = 12  # steps


@dataclass(frozen=True)
class Charge:
    """What one release adds, from the formulas alone. Without a guarantee it is a public constant, and has no rho."""

    epsilon: float
    rho: Fraction
    delta: Fraction = Fraction(0)
    rho_delta: Fraction = Fraction(0)
    word: str = "dp"
    at_most: float | None = None  # before it was selected

    def said(self, word: str) -> Charge:
        return self if word == "dp" else replace(self, epsilon=10.0, word=word)


def laplace(epsilon: float) -> Charge:
    return Charge(epsilon, ledger_rho(rho_laplace(epsilon, STEPS)))


def gaussian(epsilon: float) -> Charge:
    rho = ledger_rho(rho_gaussian(mu_on_lattice(epsilon, 1e-6, numbers=1)))
    return Charge(epsilon, rho, Fraction(1, 10**6))


def median(epsilon: float) -> Charge:
    return Charge(epsilon, ledger_rho(rho_pure(epsilon)))


def by_ward(epsilon: float) -> Charge:
    """Where each row is a person, the count of rows says how many persons a group has."""
    return Charge(epsilon, ledger_rho(rho_laplace(epsilon, STEPS)), Fraction(1, 10**9), Fraction(1, 10**9))


VARIANCE = sf.variance(0.02, select_epsilon=0.2)
SELECTION = Charge(0.2, ledger_rho(rho_pure(0.2)), word="dp-selected")

KINDS: dict[str, tuple[str, dict[str, Any], Any]] = {
    "laplace": (COUNT, {}, laplace),
    "gaussian": (COUNT, {"mechanism": "gaussian", "delta": 1e-6}, gaussian),
    "median": (MEDIAN, {}, median),
    "private keys": (BY_WARD, {"delta": 1e-9}, by_ward),
}


class Odometer(RuleBasedStateMachine):
    """Two handles on one ledger file, and a list of what was charged."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name) / "stays.ledger"
        self.handles = [self.opened(), self.opened()]
        self.charges: list[Charge] = []
        self.left: dict[object, object] = {}
        self.looked = self.selected = False

    def opened(self, budget: Any = None, schema: dict[str, Any] = SCHEMA) -> sf.Dataset:
        return sf.open(PEOPLE, schema, ledger=self.path, version="1", budget=budget)

    def teardown(self) -> None:
        self.folder.cleanup()

    # What is released

    @rule(by=HANDLES, kind=st.sampled_from(sorted(KINDS)), epsilon=EPSILONS, redraw=st.booleans(), accept=st.booleans())
    def release(self, by: int, kind: str, epsilon: float, redraw: bool, accept: bool) -> None:
        sql, how, charge = KINDS[kind]
        if kind != "laplace":
            epsilon = max(epsilon, 0.1)  # Gaussian noise on a grid, and ranks, need more than next to nothing
        query = self.handles[by].query(sql)
        self.asks(
            (kind, epsilon),
            charge(epsilon),
            lambda: query.release(epsilon=epsilon, redraw=redraw, allow_no_guarantee=accept, **how),
            redraw,
            accept,
        )

    @rule(by=HANDLES, epsilon=EPSILONS, redraw=st.booleans(), accept=st.booleans())
    def exposure_histogram(self, by: int, epsilon: float, redraw: bool, accept: bool) -> None:
        query = self.handles[by].query(COUNT)
        self.asks(
            ("exposure_histogram", epsilon),
            laplace(epsilon),
            lambda: query.exposure_histogram(epsilon, redraw=redraw, allow_no_guarantee=accept).exposure,
            redraw,
            accept,
        )

    @rule(by=HANDLES, redraw=st.booleans())
    def select(self, by: int, redraw: bool) -> None:
        """Charged by itself, whatever comes out; what comes out charges the rest when it is released, once."""
        query, before = self.handles[by].query(COUNT), self.path.read_bytes() if self.path.exists() else b""
        try:
            chosen = query.choose(VARIANCE, redraw=redraw)
        except NoGuarantee:
            assert self.looked
            assert self.path.read_bytes() == before, "what is refused changes nothing"
            return
        if redraw or not self.selected:
            self.selected = True
            self.charges.append(SELECTION)
        if chosen.epsilon is None or not chosen.guarantee.holds:
            return
        released = query.release(chosen)
        if self.left.setdefault(("selected", chosen.epsilon), released) is released:
            self.charges.append(replace(laplace(chosen.epsilon), word="dp-selected", at_most=10.0))
        assert released == self.left["selected", chosen.epsilon], "it comes back as it was"

    @rule(by=HANDLES)
    def release_without_a_guarantee(self, by: int) -> None:
        """The paper's own algorithm: it reads the people."""
        query = self.handles[by].query(COUNT)
        self.looked = True
        self.asks(
            "ratio",
            laplace(1.0),
            lambda: query.release(query.choose(sf.ratio(0.9)), allow_no_guarantee=True),
            False,
            True,
        )

    def asks(self, request: object, charge: Charge, draw: Any, redraw: bool, accept: bool) -> None:
        before = self.path.read_bytes() if self.path.exists() else b""
        try:
            left = draw()
        except NoGuarantee:
            assert self.looked
            assert not accept
            assert self.path.read_bytes() == before, "what is refused changes nothing"
            return
        if request in self.left and not redraw:
            assert left == self.left[request], "it comes back as it was"
            return
        self.left[request] = left
        self.charges.append(charge.said(left.certificate.guarantee.value))

    # What charges nothing

    @rule(by=HANDLES)
    def look(self, by: int) -> None:
        self.handles[by].query(COUNT).risk()
        self.looked = True

    @rule(by=HANDLES, times=st.sampled_from((1.2, 1.5)))
    def choose(self, by: int, times: float) -> None:
        self.handles[by].query(COUNT).choose(sf.gap(times, worst_case=True))

    @rule(by=HANDLES)
    def reopen(self, by: int) -> None:
        self.handles[by] = self.opened()

    @precondition(lambda self: self.charges)
    @rule(over=st.sampled_from((1e-9, 0.1)))
    def exceed_the_budget(self, over: float) -> None:
        """It may be stated as what is spent, in the schema or at opening, and at opening not below that."""
        spent = sum((Fraction(nano(c.epsilon), 10**9) for c in self.charges), Fraction(0))
        before = self.path.read_bytes()
        for stopped in (self.opened(spent), self.opened(schema=SCHEMA | {"budget": spent})):
            with pytest.raises(BudgetExceeded):
                stopped.query(COUNT).release(epsilon=over, redraw=True, allow_no_guarantee=True)
        with pytest.raises(PreferenceError):
            self.opened(spent - Fraction(1, 10**9))
        assert self.path.read_bytes() == before

    # What always holds

    @invariant()
    def totals_are_the_sums_of_what_left(self) -> None:
        words = [charge.word for charge in self.charges]
        for total in (handle.ledger.total for handle in self.handles):
            assert total.releases == len(self.charges)
            assert total.nano_epsilon == sum(nano(c.epsilon) for c in self.charges)
            assert total.nano_at_most == sum(nano(c.at_most or c.epsilon) for c in self.charges)
            assert total.exact_delta == sum(c.delta for c in self.charges)
            assert total.guarantee == max(words, key=HOLDS.index, default="dp")
            if "none" in words:
                assert (total.exact_rho, total.epsilon, total.delta, total.rho, total.at_most) == (None,) * 5
                assert total.at(1e-3).by is None
            else:
                assert total.exact_rho == sum(c.rho for c in self.charges)
                assert total.rho_delta == sum(c.rho_delta for c in self.charges)

    @invariant()
    def the_chain_is_intact_and_both_read_the_same(self) -> None:
        if not self.path.exists():
            return
        one, other = (handle.ledger.entries for handle in self.handles)
        assert one == other
        if one:
            assert local.verify_ledger(self.path) == len(one)
        assert sum(entry.draft.event is Event.RELEASED for entry in one) == len(self.charges)


@pytest.mark.depth("odometer steps")
def test_an_odometer_counts_what_left() -> None:
    examples = depth("odometer steps") // A_LEDGER
    run_state_machine_as_test(Odometer, settings=settings(max_examples=examples, stateful_step_count=A_LEDGER))


def test_a_budget_of_three_tenths_admits_a_tenth_three_times(ledger_path: Path) -> None:
    dataset = sf.open(PEOPLE, SCHEMA, ledger=ledger_path, budget=0.3)
    query = dataset.query(COUNT)
    for _ in range(3):
        query.release(epsilon=0.1, redraw=True)
    with pytest.raises(BudgetExceeded):
        query.release(epsilon=0.1, redraw=True)
    with pytest.raises(BudgetExceeded):
        query.exposure_histogram(1e-9)
    assert (dataset.ledger.total.epsilon, dataset.ledger.total.releases) == (0.3, 3)
    assert dataset.ledger.total.exact_rho == 3 * laplace(0.1).rho
