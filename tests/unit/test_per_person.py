"""What each person carries: which charges are their own, which are everybody's, and what is said of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.api.individual_accounting import PersonTotals
from sfumato.composition.local import open_without_data
from sfumato.errors import EngineFailure, SourceError
from sfumato.ledger.entry import Event
from sfumato.presentation.html import preformatted
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.privacy.accounting.individual import rho_of_loss
from sfumato.privacy.accounting.zcdp import rho_pure

DAYS = {"type": "integer", "bounds": [0, 20]}
COLUMNS = {"days": DAYS, "who": {"type": "text"}, "ward": {"categories": ["a", "b"]}}
SUM, MOST = "SELECT SUM(days) FROM stays", "SELECT MAX(days) FROM stays"
COUNT = "SELECT COUNT(*) FROM stays WHERE days > 5"


def stays(ledger: object = ":memory:", version: str = "1", **stated: Any) -> sf.Dataset:
    frame = pd.DataFrame({"days": [0, 10, 20], "who": ["Al", "Al", "Bo"], "ward": ["a", "b", "a"]})
    schema = {"name": "stays", "columns": COLUMNS} | stated
    return sf.open(frame, schema, ledger=ledger, version=version)  # type: ignore[arg-type]


def epsilons(dataset: sf.Dataset) -> list[float]:
    found: list[float] = dataset.per_person().people().to_pydict()["epsilon"]
    return found


def fails(_engine: object, _sql: str) -> object:
    raise EngineFailure


# Which charges are whose


def test_charges_add_up_by_exposure() -> None:
    dataset = stays()
    dataset.query(SUM).release(epsilon=0.5)
    dataset.query(SUM).release(epsilon=0.5, redraw=True)
    dataset.query(COUNT).release(epsilon=0.25)
    totals = dataset.per_person()
    assert epsilons(dataset) == pytest.approx([0.0, 0.75, 1.25], abs=1e-12)
    assert epsilons(dataset)[0] == 0
    assert totals.in_all.epsilon == 1.25
    assert (totals.epsilon.min, totals.epsilon.max) == (0, 1.25)  # type: ignore[union-attr]
    assert totals.epsilon.quantile(0.5) == pytest.approx(0.75)  # type: ignore[union-attr]
    assert totals.rho.max == pytest.approx(2 * rho_of_loss(0.5, 0.5) + rho_of_loss(0.25, 0.25))


def test_what_comes_back_uncharged_is_counted_once() -> None:
    dataset = stays()
    for _ in range(3):
        dataset.query(SUM).release(epsilon=0.5)
    assert epsilons(dataset)[-1] == 0.5


def test_a_rule_of_record_releases_too() -> None:
    dataset = stays(rule={"gap": 1.5, "worst_case": True})
    dataset.query(SUM).release()
    dataset.query(SUM).release(redraw=True)
    assert epsilons(dataset) == pytest.approx([0, 0.5, 1], abs=1e-12)


def test_people_are_persons_where_they_are() -> None:
    dataset = stays(unit="who", max_rows=2)
    dataset.query(SUM).release(epsilon=0.5)
    found = dataset.per_person().people().to_pydict()
    assert found["person"] == ["Al", "Bo"]
    assert found["epsilon"] == pytest.approx([0.125, 0.25], abs=1e-12)


def test_replaced_by_anybody_costs_what_anybody_carries_too() -> None:
    dataset = stays(relation="replace")
    dataset.query(SUM).release(epsilon=0.5)
    assert epsilons(dataset) == pytest.approx([0.25, 0.375, 0.5], abs=1e-12)


def test_without_a_release_nobody_carries_anything() -> None:
    totals = stays().per_person()
    assert totals.people().to_pydict() == {"person": [1, 2, 3], "epsilon": [0.0] * 3, "rho": [0.0] * 3}
    assert "All 3 people at 0" in totals.text()


def test_nobody_is_there() -> None:
    empty = pd.DataFrame({"days": pd.Series([], dtype="int64"), "who": pd.Series([], dtype=str)})
    dataset = sf.open(empty, {"name": "stays", "columns": {"days": DAYS}}, ledger=":memory:")
    dataset.query(SUM).release(epsilon=0.5)
    assert dataset.per_person().people_count == 0
    assert "The table is empty." in dataset.per_person().text()


FULL: dict[str, Callable[[sf.Dataset], object]] = {
    "no sum over people": lambda d: d.query(MOST).release(epsilon=0.5),
    "one aggregate of two is none": lambda d: d.query("SELECT COUNT(DISTINCT who), SUM(days) FROM stays").release(
        epsilon=0.5
    ),
    "an exposure histogram": lambda d: d.query(SUM).exposure_histogram(0.5),
}


@pytest.mark.parametrize("charge", FULL.values(), ids=FULL)
def test_in_full_for_everybody(charge: Callable[[sf.Dataset], object]) -> None:
    dataset = stays()
    charge(dataset)
    totals = dataset.per_person()
    assert epsilons(dataset) == [0.5] * 3
    assert (totals.in_all.by_exposure, totals.in_all.in_full) == (0, 1)
    assert 0 < totals.rho.min == totals.rho.max <= rho_pure(0.5) * (1 + 1e-9)
    assert of_ledger.IN_FULL in " ".join(totals.text().split())


OTHERWISE: dict[str, dict[str, Any]] = {
    "of another version": {"version": "2"},
    "under other bounds": {"columns": COLUMNS | {"days": DAYS | {"bounds": [0, 40]}}},
    "without the column": {"columns": {name: c for name, c in COLUMNS.items() if name != "days"}},
}


@pytest.mark.parametrize("stated", OTHERWISE.values(), ids=OTHERWISE)
def test_in_full_where_the_data_or_the_schema_is_another(stated: dict[str, Any], ledger_path: Path) -> None:
    stays(ledger_path).query(SUM).release(epsilon=0.5)
    assert epsilons(stays(ledger_path, **stated)) == [0.5] * 3
    assert epsilons(stays(ledger_path))[0] == 0  # and as it was, it is as it was


def test_a_column_that_is_not_read_may_change(ledger_path: Path) -> None:
    stays(ledger_path).query(SUM).release(epsilon=0.5)
    other = COLUMNS | {"ward": {"categories": ["a", "b", "c"]}}
    assert epsilons(stays(ledger_path, columns=other))[0] == 0


def test_what_was_charged_and_never_left_is_spent_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = stays()
    with monkeypatch.context() as broken:
        broken.setattr(type(dataset._context.engine), "stream", fails)
        with pytest.raises(EngineFailure):
            dataset.query(SUM).release(epsilon=0.5)
    assert epsilons(dataset) == [0.5] * 3


def test_private_keys_cost_everybody_their_delta() -> None:
    dataset = stays(columns=COLUMNS | {"ward": {"type": "text", "keys": "private"}})
    dataset.query("SELECT ward, COUNT(*) FROM stays WHERE days > 5 GROUP BY ward").release(epsilon=0.5, delta=1e-6)
    totals = dataset.per_person()
    assert epsilons(dataset) == [0.0, 0.5, 0.5]
    assert totals.in_all.delta == 1e-6
    said = " ".join(totals.text().split())
    assert "times as likely as without them, except with probability 1e-06." in said
    assert "odds" not in said


def test_truncated_noise_costs_everybody_all_of_it() -> None:
    dataset = stays()
    dataset.query(SUM).release(epsilon=0.5, mechanism="truncated", delta=1e-6)
    totals = dataset.per_person()
    found = totals.people().to_pydict()
    assert (found["epsilon"], totals.in_all.delta, totals.in_all.in_full) == ([0.5] * 3, 1e-6, 1)
    assert found["rho"] == pytest.approx([rho_pure(0.5)] * 3)
    assert "except with probability 1e-06" in " ".join(totals.text().split())


def test_with_gaussian_noise_there_is_no_epsilon() -> None:
    dataset = stays()
    dataset.query(SUM).release(epsilon=0.5, mechanism="gaussian", delta=1e-6)
    dataset.query(MOST).release(epsilon=0.5)
    totals = dataset.per_person()
    found = totals.people().to_pydict()
    assert found["epsilon"] == [None] * 3
    assert totals.epsilon is None
    least, half, most = (rho - rho_pure(0.5) for rho in found["rho"])
    assert least == pytest.approx(0, abs=1e-12)
    assert half == pytest.approx(most / 4)
    assert most == pytest.approx(0.5 * (1 / 8.057617) ** 2, rel=1e-5)  # sigma of (0.5, 1e-6)
    assert "there is no epsilon for each person" in " ".join(totals.text().split())


# What is not in it


def test_without_a_guarantee_it_is_left_out_and_said() -> None:
    dataset = stays()
    dataset.query(SUM).release(epsilon=0.5)
    dataset.query(SUM).risk()
    dataset.query(COUNT).release(epsilon=0.25, allow_no_guarantee=True)
    totals = dataset.per_person()
    assert totals.in_all.without_guarantee == 1
    assert totals.in_all.epsilon == epsilons(dataset)[-1] == 0.5
    assert "Not included: 1 without a guarantee." in " ".join(totals.text().split())


def test_what_protects_other_units_is_left_out_and_said(ledger_path: Path) -> None:
    stays(ledger_path).query(SUM).release(epsilon=0.5)
    people = stays(ledger_path, unit="who", max_rows=2)
    people.query(SUM).release(epsilon=0.25)
    totals = people.per_person()
    assert totals.in_all.other_units == 1
    assert totals.in_all.epsilon == 0.25
    assert "Not included: 1 for another privacy unit" in " ".join(totals.text().split())


# A look


def test_it_is_entered_as_a_look_before_anybody_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = stays()
    dataset.query(SUM).release(epsilon=0.5)
    with monkeypatch.context() as broken:
        broken.setattr(type(dataset._context.engine), "rows", fails)
        with pytest.raises(EngineFailure):
            dataset.per_person()
    assert dataset.ledger.record.anyone_looked
    dataset.per_person()
    assert [e.draft.event for e in dataset.ledger.entries].count(Event.LOOKED) == 1


def test_without_the_data_nothing_is_entered() -> None:
    dataset = open_without_data({"name": "stays", "columns": COLUMNS}, ledger=":memory:")
    with pytest.raises(SourceError, match="opened without its data"):
        dataset.per_person()
    assert not dataset.ledger.entries


def test_the_version_in_the_ledger_tells_nothing() -> None:
    dataset = stays(version="the ward's table of May")
    dataset.query(SUM).release(epsilon=0.5)
    assert "May" not in str([entry.draft.public for entry in dataset.ledger.entries])


# What is seen


def test_a_repr_has_the_public_part_only() -> None:
    dataset = stays()
    dataset.query(SUM).release(epsilon=0.5)
    totals = dataset.per_person()
    assert repr(totals) == (
        "<PersonTotals. Worst case, for anyone in any data: epsilon 0.5, rho 0.1065. "
        "What is each person's is confidential: call .show()>"
    )
    with pytest.raises(TypeError, match="confidential"):
        pickle.dumps(totals)
    assert of_guarantee.CONTROLLER_ONLY in totals._html()
    assert totals._repr_html_() == preformatted(repr(totals))
    assert isinstance(totals, PersonTotals)


def test_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    dataset = stays()
    dataset.query(SUM).release(epsilon=0.5)
    dataset.per_person().show()
    said = " ".join(capsys.readouterr().out.split())
    assert of_guarantee.CONTROLLER_ONLY in said
    assert of_ledger.NO_FILTER in said
    assert "everything released so far changes the odds that this person is" in said
    assert "1 person at 0 · 1 at 0.25 · 1 at 0.5" in said
    assert "1 charge by each person's own exposure, 0 in full." in said


def test_many_are_drawn_as_bars() -> None:
    frame = pd.DataFrame({"days": range(21)})
    dataset = sf.open(frame, {"name": "stays", "columns": {"days": DAYS}}, ledger=":memory:", version="1")
    dataset.query(SUM).release(epsilon=0.5)
    shown = dataset.per_person().text()
    assert shown.count("█") > 20
    assert "people, for each epsilon" in shown
