"""A budget: how much may be spent on a dataset in all. It is reached exactly, never passed, and tells nothing."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import BadInput, BudgetExceeded, PreferenceError
from sfumato.ledger.entry import Draft, Event, nano
from sfumato.ledger.history import Record
from sfumato.model.budget import NO_BUDGET, BudgetLimit, budget_of
from sfumato.model.guarantee import Guarantee
from sfumato.model.schema import Schema
from sfumato.presentation.ledger_view import total_text
from sfumato.schema.read import from_dict

PEOPLE = pd.DataFrame({"ward": ["a", "a", "b"], "days": [3, 40, 7]})
SCHEMA = {"name": "stays", "columns": {"days": {"type": "integer", "bounds": [0, 60]}}}
COUNT = "SELECT COUNT(*) FROM stays WHERE days > 5"
PAPER = {"rule": {"ratio": 0.9}}  # of the people in the data: it reads them
LIMITS = st.none() | st.fractions(0, 1)


def stays(ledger: Path | str = ":memory:", budget: object = None, stated: object = ()) -> sf.Query:
    schema = SCHEMA | dict(stated)  # type: ignore[call-overload]
    return sf.open(PEOPLE, schema, ledger=ledger, version="1", budget=budget).query(COUNT)  # type: ignore[arg-type]


def spend(dataset: sf.Dataset, epsilon: float, delta: str = "0", word: str = "dp") -> None:
    """A charge as whatever draws noise makes it."""
    ledger = dataset.ledger
    what: dict[str, object] = {"what": "something", "guarantee": word}

    def decide(record: Record) -> list[Draft]:
        charge = ledger.draft(Event.RESERVED, "key", what, nano_epsilon=nano(epsilon), delta=Fraction(delta))
        return list(ledger.reserve(record, charge))

    ledger.write(decide)


# The noun


@pytest.mark.parametrize(
    ("stated", "budget"),
    [
        (None, NO_BUDGET),
        (0.3, BudgetLimit(Fraction(3, 10))),
        (3, BudgetLimit(Fraction(3))),
        (0, BudgetLimit(Fraction(0))),
        (Fraction(1, 3), BudgetLimit(Fraction(1, 3))),
        ((3, 1e-6), BudgetLimit(Fraction(3), Fraction(1, 10**6))),
        ([0.1, 0], BudgetLimit(Fraction(1, 10), Fraction(0))),
    ],
)
def test_a_budget_is_the_number_as_it_is_written(stated: object, budget: BudgetLimit) -> None:
    assert budget_of(stated) == budget


@pytest.mark.parametrize(
    "wrong", [-1, float("nan"), float("inf"), 1e7, True, "three", (1, 2), (1, -1e-9), (1, 0, 0), ()]
)
def test_what_is_no_budget(wrong: object) -> None:
    with pytest.raises(BadInput, match=r"^budget(_delta)? must be a number from 0 to [\d,]+, not ") as error:
        stays(budget=wrong)
    assert error.value.exit_status == 2


@given(LIMITS, LIMITS, LIMITS, LIMITS)
def test_of_two_budgets_the_stricter_holds(
    e1: Fraction | None, d1: Fraction | None, e2: Fraction | None, d2: Fraction | None
) -> None:
    one, other = BudgetLimit(e1, d1), BudgetLimit(e2, d2)
    both = one.strictest(other)
    assert both == other.strictest(one)
    for limit, stated in ((both.epsilon, {e1, e2} - {None}), (both.delta, {d1, d2} - {None})):
        assert limit in (stated or {None})
        assert all(limit is not None and each is not None and limit <= each for each in stated)
    assert one.strictest(NO_BUDGET) == one == BudgetLimit.from_texts(one.as_texts())


# Where it is stated


@pytest.mark.parametrize(
    ("in_the_schema", "at_opening", "holds"),
    [
        ({}, None, NO_BUDGET),
        ({"budget": 3.0, "budget_delta": 1e-6}, None, BudgetLimit(Fraction(3), Fraction(1, 10**6))),
        ({"budget": 3.0}, 1, BudgetLimit(Fraction(1))),
        ({"budget": 1}, 3, BudgetLimit(Fraction(1))),
        ({"budget": 3}, (5, 1e-6), BudgetLimit(Fraction(3), Fraction(1, 10**6))),
        ({"budget_delta": 0}, 2, BudgetLimit(Fraction(2), Fraction(0))),
    ],
)
def test_the_strictest_of_those_stated_holds(
    in_the_schema: dict[str, object], at_opening: object, holds: BudgetLimit
) -> None:
    assert stays(budget=at_opening, stated=in_the_schema).dataset.ledger.budget == holds


def test_a_budget_is_in_no_fingerprint(tmp_path: Path) -> None:
    """Raising it is not a change of bounds: what was planned before a look stays planned."""
    schemas: list[Schema] = [
        from_dict(SCHEMA | stated) for stated in ({}, {"budget": 1, "budget_delta": 0}, {"budget": 2})
    ]
    assert len({str(schema.fingerprints()) for schema in schemas}) == 1
    path = tmp_path / "stays.ledger"
    before = stays(path, budget=0.1)
    before.choose(sf.gap(1.2, worst_case=True))
    before.risk()
    assert stays(path, budget=3).release(before.choose(sf.gap(1.2, worst_case=True))).certificate.guarantee == "dp"


# What it does


def test_it_is_reached_exactly() -> None:
    """0.1 three times is 0.3, which it is not in floats."""
    query = stays(budget=0.3)
    for _ in range(3):
        query.release(epsilon=0.1, redraw=True)
    assert query.dataset.ledger.total.epsilon == 0.3
    with pytest.raises(BudgetExceeded):
        query.release(epsilon=1e-9)


@given(st.lists(st.sampled_from([1e-9, 0.1, 0.2, 0.7, 1 / 3]), max_size=12), st.sampled_from([0, 1e-9, 0.3, 1, 1 / 3]))
def test_no_charge_ever_passes_it(epsilons: list[float], budget: float) -> None:
    """A charge is refused exactly when the total with it would be above the budget."""
    dataset = local.open_without_data(SCHEMA | {"budget": budget}, ledger=":memory:")
    spent = Fraction(0)
    for epsilon in epsilons:
        fits = spent + Fraction(nano(epsilon), 10**9) <= Fraction(str(budget))
        try:
            spend(dataset, epsilon)
        except BudgetExceeded:
            assert not fits
        else:
            assert fits
            spent += Fraction(nano(epsilon), 10**9)
    assert Fraction(dataset.ledger.total.nano_epsilon, 10**9) == spent <= Fraction(str(budget))


def test_the_refusal_says_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "stays.ledger"
    query = stays(path, budget=1)
    first = query.release(epsilon=0.7)
    before = path.read_bytes()
    with pytest.raises(BudgetExceeded) as stopped:
        query.release(epsilon=0.4)
    assert str(stopped.value) == (
        "This needs epsilon 0.4, and 0.3 of the budget is left (0.7 of 1 used); nothing was drawn or charged. "
        "Hint: ask for 0.3 or less, or raise the budget where it is stated; answers that were released before "
        "are free."
    )
    assert (stopped.value.exit_status, stopped.value.code) == (3, "budget-exceeded")
    with pytest.raises(BudgetExceeded, match=r"This needs epsilon 0\.7, and 0\.3 of the budget is left"):
        query.release(epsilon=0.7, redraw=True)
    assert path.read_bytes() == before, "not even a plan is entered"
    assert query.release(epsilon=0.7) == first
    assert path.read_bytes() == before


def test_a_budget_below_what_is_spent_is_refused_where_it_is_stated(tmp_path: Path) -> None:
    path = tmp_path / "stays.ledger"
    stays(path).release(epsilon=2)
    before = path.read_bytes()
    with pytest.raises(PreferenceError) as refused:
        stays(path, budget=0.5, stated={"rule": {"epsilon": 1}})  # whose rule would be entered at opening
    assert str(refused.value) == (
        "The budget is epsilon 0.5, and 2 is already spent. "
        "Hint: state a budget of 2 or more, or none; answers that were released before are free."
    )
    assert refused.value.exit_status == 2
    assert path.read_bytes() == before, "and nothing was entered"
    spend(stays(path).dataset, 1, "1/1000000", word="none")
    with pytest.raises(PreferenceError, match="The budget is delta 1e-09, and 1e-06 is already spent"):
        stays(path, budget=(5, 1e-9))
    with pytest.raises(PreferenceError, match=r"The budget is epsilon 2\.5, and 3 is already spent"):
        stays(path, budget=2.5)
    assert stays(path, budget=(3, 1e-6)).dataset.ledger.total.nano_epsilon == nano(3), "it may be what is spent"


def test_a_budget_of_the_schema_that_was_passed_before(tmp_path: Path) -> None:
    path = tmp_path / "stays.ledger"
    released = stays(path).release(epsilon=2)
    before = path.read_bytes()
    query = stays(path, stated={"budget": 0.5})
    with pytest.raises(BudgetExceeded, match=r"0 of the budget is left \(2 of 0\.5 used\)"):
        query.release(epsilon=0.1)
    assert query.release(epsilon=2) == released, "what was released still comes back"
    assert path.read_bytes() == before


def test_nobody_is_read_for_what_would_be_refused(tmp_path: Path) -> None:
    """A release without a guarantee counts with its public charge, and its refusal is no look."""
    path = tmp_path / "stays.ledger"
    query = stays(path, budget=10, stated=PAPER)
    query.release(epsilon=1)
    before = path.read_bytes()
    with pytest.raises(
        BudgetExceeded, match="epsilon 10, the charge of a release without a guarantee, and 9 of the budget is left"
    ):
        query.release(allow_no_guarantee=True)
    assert path.read_bytes() == before
    assert not query.dataset.ledger.record.anyone_looked
    roomy = stays(path, budget=11, stated=PAPER)
    released = roomy.release(allow_no_guarantee=True)
    assert roomy.dataset.ledger.total.nano_epsilon == 11 * 10**9
    with pytest.raises(BudgetExceeded):
        roomy.release(epsilon=1e-9, allow_no_guarantee=True)
    assert roomy.release(allow_no_guarantee=True) == released


def test_a_choice_made_before_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "stays.ledger"
    choice = stays(path).choose(sf.gap(1.2, worst_case=True))
    before = path.read_bytes()
    with pytest.raises(BudgetExceeded):
        stays(path, budget=0.1).release(choice)
    assert path.read_bytes() == before


# Delta


def test_deltas_add_up_exactly() -> None:
    query = stays(budget=(1, 3e-7))
    for _ in range(3):
        spend(query.dataset, 0.1, "1/10000000")
    total = query.dataset.ledger.total
    assert (total.epsilon, total.delta, total.exact_delta) == (0.3, 3e-7, Fraction(3, 10**7))
    with pytest.raises(BudgetExceeded) as stopped:
        spend(query.dataset, 0.1, "1/1000000000")
    assert str(stopped.value).startswith("This needs delta 1e-09, and 0 of the budget is left (3e-07 of 3e-07 used); ")
    spend(query.dataset, 0.1)
    assert query.dataset.ledger.total.delta == 3e-7, "pure releases go on"
    assert "Epsilon used so far: 0.4, delta 3e-07 in 4 charges (guarantee dp)." in repr(query.dataset.ledger)
    assert "Budget: epsilon 1 (0.6 left), delta 3e-07 (0 left)." in repr(query.dataset.ledger)


def test_a_total_that_does_not_exist_has_no_delta() -> None:
    query = stays()
    spend(query.dataset, 0.1, "1/1000000")
    spend(query.dataset, 10, "1/1000000", word="none")
    total = query.dataset.ledger.total
    assert (total.epsilon, total.delta, total.guarantee) == (None, None, Guarantee.NONE)
    assert total.exact_delta == Fraction(2, 10**6)


def test_a_budget_without_delta_does_not_limit_it() -> None:
    query = stays(budget=1)
    spend(query.dataset, 0.1, "1/2")
    assert query.dataset.ledger.total.delta == 0.5


def test_each_charge_says_which_budget_it_was_made_under(tmp_path: Path) -> None:
    path = tmp_path / "stays.ledger"
    stays(path, budget=1).release(epsilon=0.1)
    stays(path).release(epsilon=0.2)
    stays(path, budget=(1 / 3, 0)).release(epsilon=0.01)
    record = stays(path).dataset.ledger.record
    charges = [e.draft.public.get("budget") for e in record.entries if e.draft.event is Event.RESERVED]
    third = str(Fraction(str(1 / 3)))
    assert charges == [{"epsilon": "1"}, None, {"epsilon": third, "delta": "0"}]
    assert record.budget == BudgetLimit(Fraction(third), Fraction(0))


def test_what_protects_different_units_does_not_add_up(ledger_path: Path) -> None:
    """Not silently. A budget counts all of it (docs/theory/odometer.md)."""
    people = pd.DataFrame({"who": [1, 1, 2], "age": [30, 40, 50]})
    columns = {"who": {"type": "integer"}, "age": {"type": "integer", "bounds": [0, 100]}}

    def release(**stated: object) -> sf.Release:
        schema = {"name": "people", "columns": columns} | stated
        dataset = sf.open(people, schema, ledger=ledger_path, budget=3)
        return dataset.query("SELECT SUM(age) FROM people").release(epsilon=1)

    assert release().certificate.dataset_total == 1
    by_person = release(unit="who", max_rows=2)
    assert (by_person.certificate.guarantee, by_person.certificate.dataset_total) == (Guarantee.DP, None)
    assert "its releases protect different privacy units" in repr(by_person.certificate)
    release(relation="replace")
    with pytest.raises(BudgetExceeded):
        release()
    (record,) = local.records(ledger_path)
    assert record.total.nano_epsilon == nano(3)
    assert "no total exists (3 charges; its releases protect different privacy units" in total_text(record.total)
