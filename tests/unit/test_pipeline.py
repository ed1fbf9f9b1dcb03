"""What happens between solving for an epsilon and charging it is seen by the transaction that charges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import BudgetExceeded, Conflict, NoGuarantee
from sfumato.ledger.entry import Event, nano
from sfumato.model.guarantee import Guarantee
from sfumato.release.bound_query import BoundQuery

ROWS = pa.table({"days": [1, 4, 9, 2]})
SCHEMA: dict[str, Any] = {"name": "stays", "columns": {"days": {"type": "integer", "bounds": [0, 20]}}}
SUM = "SELECT SUM(days) FROM stays"
COUNT = "SELECT COUNT(*) FROM stays"

Meanwhile = Callable[[Callable[[], object]], None]


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., sf.Dataset]:
    return lambda **how: sf.open(ROWS, SCHEMA, ledger=tmp_path / "stays.ledger", version="1", **how)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Let something happen once, right after the next epsilon was solved for."""

    def arrange(happens: Callable[[], object]) -> None:
        solved = BoundQuery.solution

        def then(self: BoundQuery, *asked: Any) -> object:
            found = solved(self, *asked)
            monkeypatch.setattr(BoundQuery, "solution", solved)
            happens()
            return found

        monkeypatch.setattr(BoundQuery, "solution", then)

    return arrange


def events(dataset: sf.Dataset) -> list[Event]:
    return [entry.draft.event for entry in dataset.ledger.entries]


def test_a_look_in_between_is_seen(opened: Callable[..., sf.Dataset], meanwhile: Meanwhile) -> None:
    dataset, elsewhere = opened(), opened()
    meanwhile(lambda: elsewhere.query(COUNT).risk())
    with pytest.raises(NoGuarantee):
        dataset.query(SUM).release(epsilon=0.5)
    assert events(dataset) == [Event.OPENED, Event.LOOKED], "neither a plan nor a charge"
    meanwhile(lambda: elsewhere.query(SUM).risk())
    released = dataset.query(SUM).release(epsilon=0.5, allow_no_guarantee=True)
    assert released.certificate.guarantee is Guarantee.NONE


def test_a_look_in_between_changes_nothing_that_was_planned(
    opened: Callable[..., sf.Dataset], meanwhile: Meanwhile
) -> None:
    dataset, elsewhere = opened(), opened()
    query = dataset.query(SUM)
    query.plan(sf.gap(1.2, worst_case=True))
    choice = query.choose(sf.gap(1.2, worst_case=True))
    meanwhile(lambda: elsewhere.query(COUNT).risk())
    assert query.release(choice).certificate.guarantee is Guarantee.DP
    assert Event.LOOKED in events(dataset)


def test_a_spend_in_between_is_seen(opened: Callable[..., sf.Dataset], meanwhile: Meanwhile) -> None:
    dataset, elsewhere = opened(budget=1.0), opened(budget=1.0)
    meanwhile(lambda: elsewhere.query(COUNT).release(epsilon=0.8))
    with pytest.raises(BudgetExceeded):
        dataset.query(SUM).release(epsilon=0.5)
    assert dataset.ledger.total.nano_epsilon == nano(0.8)
    assert events(dataset).count(Event.PLANNED) == 1, "of the other release alone"


def test_an_epsilon_above_what_was_spent_is_chosen_anew_after_a_spend(
    opened: Callable[..., sf.Dataset], meanwhile: Meanwhile
) -> None:
    dataset, elsewhere = opened(), opened()
    meanwhile(lambda: elsewhere.query(COUNT).release(epsilon=0.8))
    query = dataset.query(SUM)
    choice = query.choose(sf.larger_than_spent(), sf.gap(1.2, worst_case=True))
    with pytest.raises(Conflict, match="More was spent"):
        query.release(choice)
    assert dataset.ledger.total.nano_epsilon == nano(0.8)


def test_one_release_enters_its_plan_with_its_charge(opened: Callable[..., sf.Dataset]) -> None:
    dataset = opened()
    dataset.query(SUM).release(epsilon=0.5)
    assert events(dataset) == [Event.OPENED, Event.PLANNED, Event.RESERVED, Event.RELEASED]
