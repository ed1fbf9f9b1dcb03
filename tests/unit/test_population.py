"""Datasets about the same people count together: looks, plans, charges and budgets (docs/theory/deciding.md)."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.adapters.engines.duckdb import digest
from sfumato.composition import local
from sfumato.errors import BudgetExceeded, EngineFailure, NoGuarantee, PreferenceError, SchemaError, SourceError
from sfumato.ledger.entry import Event
from sfumato.ledger.population import counted_together
from sfumato.schema.read import from_dict, parse_schema
from sfumato.schema.write import write

ROWS = [(3, "a"), (40, "b"), (7, "b"), (3, "a")]
CSV = "days,ward\n" + "".join(f"{days},{ward}\n" for days, ward in ROWS)
PEOPLE = pd.DataFrame(ROWS, columns=["days", "ward"])


def schema(name: str, **changes: Any) -> dict[str, Any]:
    return {"name": name, "columns": {"days": {"type": "integer", "bounds": [0, 60]}}} | changes


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "all.ledger"


def opened(ledger: Path, name: str, source: object = None, **changes: Any) -> sf.Dataset:
    own = pd.DataFrame({"days": [*name.encode()], "ward": "a"})  # rows that no other dataset has
    return sf.open(own if source is None else source, schema(name, **changes), ledger=ledger, version="1")


def released(dataset: sf.Dataset, epsilon: float = 0.5, **how: Any) -> sf.Release:
    return dataset.query(f"SELECT SUM(days) FROM {dataset.schema.name}").release(epsilon=epsilon, **how)


def looked(dataset: sf.Dataset) -> None:
    dataset.query(f"SELECT SUM(days) FROM {dataset.schema.name}").risk()


# One population


def test_a_look_under_one_name_ends_the_guarantee_under_the_other(ledger: Path) -> None:
    bills = opened(ledger, "bills", population="patients")
    looked(opened(ledger, "stays", population="patients"))
    with pytest.raises(NoGuarantee):
        released(bills)
    assert released(opened(ledger, "crops")).certificate.guarantee == "dp", "other people"


def test_charges_of_one_population_add_up_and_the_certificate_says_whose_total_it_is(ledger: Path) -> None:
    released(opened(ledger, "stays", population="patients"), 0.2)
    found = released(opened(ledger, "bills", population="Patients"), 0.1).certificate
    assert found.dataset_total == pytest.approx(0.3)
    assert found.population == "patients"
    assert "Used so far by everything released about population patients: epsilon 0.3" in repr(found)
    assert "the people of population patients are in no dataset outside it" in found.assumed
    alone = released(opened(ledger, "crops"), 0.1).certificate
    assert (alone.dataset_total, alone.population) == (0.1, None)
    assert "the people in this dataset are in no other dataset that is counted separately" in alone.assumed


def test_the_strictest_budget_of_a_population_holds_for_all_of_it(ledger: Path) -> None:
    opened(ledger, "stays", population="patients", budget=0.5)
    bills = opened(ledger, "bills", population="patients", budget=3)
    released(bills, 0.4)
    with pytest.raises(BudgetExceeded, match=r"0\.1 of the budget is left \(0\.4 of 0\.5 used\)"):
        released(bills, 0.2)
    released(opened(ledger, "stays", population="patients", budget=1), 0.1)  # raised where it is stated
    assert released(bills, 0.2).certificate.budget == "epsilon 1"


def test_a_plan_made_before_any_look_at_the_population_keeps_its_guarantee(ledger: Path) -> None:
    bills = opened(ledger, "bills", population="patients")
    query, planned = bills.query("SELECT COUNT(*) FROM bills"), sf.gap(1.2, worst_case=True)
    query.plan(planned)
    looked(opened(ledger, "stays", population="patients"))
    assert query.release(query.choose(planned)).certificate.guarantee == "dp"


def test_a_schema_first_opened_after_a_look_at_its_population_was_stated_after_that_look(ledger: Path) -> None:
    looked(opened(ledger, "stays", population="patients"))
    late = opened(ledger, "bills", population="patients", rule={"epsilon": 0.5})
    found = late.query("SELECT SUM(days) FROM bills").release(allow_no_guarantee=True).certificate
    assert (found.guarantee, found.lost) == ("none", ("preference", "schema"))


def test_a_population_that_is_declared_later_counts_what_was_before(ledger: Path) -> None:
    stays, bills = opened(ledger, "stays"), opened(ledger, "bills")
    released(stays, 0.2)
    looked(bills)
    assert stays.ledger.total.epsilon == 0.2
    opened(ledger, "bills", population="stays")  # a dataset is in the population of its own name
    assert (stays.ledger.record.population, stays.ledger.record.anyone_looked) == ("stays", True)
    with pytest.raises(NoGuarantee):
        released(stays, 0.1)


def test_a_declaration_is_not_taken_back(ledger: Path) -> None:
    looked(opened(ledger, "stays", population="patients"))
    opened(ledger, "bills", population="patients")
    for changed in ({}, {"population": "somebody else"}):
        with pytest.raises(NoGuarantee):
            released(opened(ledger, "bills", **changed))


def test_what_is_declared_while_somebody_writes_counts_for_what_is_written(ledger: Path) -> None:
    """In one process after the other: the record is read anew before anything is decided by it."""
    stays, bills = opened(ledger, "stays"), opened(ledger, "bills")
    released(stays, 0.2)
    released(bills, 0.1)
    looked(opened(ledger, "bills", population="stays"))
    entries = len(stays.ledger.known.entries)
    with pytest.raises(NoGuarantee):  # stays has not read the ledger since
        stays.query("SELECT COUNT(*) FROM stays").release(epsilon=0.3)
    assert len(stays.ledger.known.entries) > entries
    assert stays.ledger.total.nano_epsilon == 300_000_000


def test_a_ledger_shows_a_population_as_one(ledger: Path) -> None:
    released(opened(ledger, "stays", population="patients"), 0.2)
    released(opened(ledger, "bills", population="patients"), 0.1)
    released(opened(ledger, "crops"), 0.4)
    patients, crops = local.records(ledger)
    assert [record.total.epsilon for record in (patients, crops)] == [pytest.approx(0.3), 0.4]
    assert (patients.population, crops.population) == ("patients", None)


def test_what_shares_a_dataset_is_one_population() -> None:
    declared = [("a", "p"), ("b", "p"), ("b", "q"), ("c", "q"), ("d", "r")]
    assert counted_together("A", declared) == {"a", "b", "c", "p", "q"}
    assert counted_together("d", declared) == {"d", "r"}


def test_a_population_stands_in_the_schema_file() -> None:
    read = from_dict(schema("stays", population=" the  patients "))
    assert read.population == "the patients"
    assert parse_schema(write(read)) == read.__class__(**vars(read))
    with pytest.raises(SchemaError, match="population must be a name of at most 200 characters"):
        from_dict(schema("stays", population=["patients"]))


# The same rows under another name


@pytest.fixture
def told() -> Iterator[list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


def files(folder: Path) -> list[object]:
    """One table in several forms, its rows in several orders."""
    (folder / "first.csv").write_text(CSV)
    (folder / "second.csv").write_text("ward;days\n" + "".join(f"{ward};{days}\n" for days, ward in reversed(ROWS)))
    PEOPLE.to_parquet(folder / "third.parquet")
    backwards, floats = pd.DataFrame(ROWS[::-1], columns=[*PEOPLE]), PEOPLE.astype({"days": "float64"})
    return [folder / "first.csv", folder / "second.csv", folder / "third.parquet", backwards, floats]


@pytest.mark.parametrize("form", range(1, 5))
def test_whoever_holds_the_data_is_told_of_the_same_rows_under_another_name(
    tmp_path: Path, ledger: Path, told: list[Any], form: int
) -> None:
    made = files(tmp_path)
    looked(opened(ledger, "stays", made[0]))
    other = opened(ledger, "bills", made[form])
    assert not told, "opening reads no row"
    assert released(other).certificate.guarantee == "dp", "nothing is merged or refused by itself"
    [warning] = told
    assert warning.category is sf.SamePeopleWarning
    assert str(warning.message) == (
        "The data of 'bills' has the same rows as 'stays' in this ledger, and they are counted separately. Write "
        'population = "stays" in the schema of bills if they are about the same people: looks, plans and charges then '
        "count together."
    )
    released(other, 0.1)
    assert len(told) == 1, "once"


def test_nobody_is_told_where_the_population_is_declared_or_the_rows_differ(
    tmp_path: Path, ledger: Path, told: list[Any]
) -> None:
    made = files(tmp_path)
    looked(opened(ledger, "stays", made[0]))
    looked(opened(ledger, "bills", made[1], population="stays"))
    looked(opened(ledger, "crops", PEOPLE.assign(days=[3, 40, 8, 3])))
    looked(opened(ledger, "stays", made[0]))
    assert not told


def test_what_comes_back_for_nothing_reads_nobody(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    released(opened(ledger, "stays", PEOPLE))
    monkeypatch.setattr(digest, "of_rows", lambda *_: pytest.fail("a row was read"))
    released(opened(ledger, "stays", PEOPLE))


def test_a_digest_that_fails_fails_nothing(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise EngineFailure

    monkeypatch.setattr(digest, "of_rows", fail)
    assert released(opened(ledger, "stays", PEOPLE)).certificate.guarantee == "dp"


def test_no_entry_of_the_ledger_holds_a_digest(ledger: Path) -> None:
    dataset = opened(ledger, "stays", PEOPLE)
    released(dataset)
    assert all(not entry.draft.confidential for entry in dataset.ledger.entries)
    [event, *_] = dataset.ledger.entries
    assert event.draft.event is Event.OPENED


def test_the_same_rows_have_another_digest_in_another_ledger(tmp_path: Path) -> None:
    kept = []
    for name in ("one.ledger", "two.ledger"):
        released(opened(tmp_path / name, "stays", PEOPLE))
        with closing(sqlite3.connect(tmp_path / name)) as file:
            kept.append(file.execute("SELECT dataset, digest FROM known_rows").fetchall())
    [(one, digest_of_one)], [(two, digest_of_two)] = kept
    assert (one, two) == ("stays", "stays")
    assert digest_of_one != digest_of_two


def test_a_large_file_is_told_by_its_bytes(
    tmp_path: Path, ledger: Path, told: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "MOST_VALUES", 4)
    monkeypatch.setattr(digest, "of_rows", lambda *_: pytest.fail("a row was read"))
    for name in ("one", "two"):
        PEOPLE.to_parquet(tmp_path / f"{name}.parquet")
    looked(opened(ledger, "stays", tmp_path / "one.parquet"))
    looked(opened(ledger, "bills", tmp_path / "two.parquet"))
    assert [warning.category for warning in told] == [sf.SamePeopleWarning]


# A copy that is passed as a public table


@pytest.mark.parametrize("form", range(1, 5))
def test_a_copy_of_the_data_is_no_public_table(tmp_path: Path, ledger: Path, form: int) -> None:
    made = files(tmp_path)
    for dataset in (
        opened(ledger, "stays", made[0]),
        local.open_without_data(schema("stays"), source=made[0], ledger=ledger),
    ):
        query = dataset.query("SELECT SUM(days) FROM stays")
        with pytest.raises(
            SourceError,
            match="A rehearsal needs a public stand-in, and this has the same rows as the confidential data",
        ):
            query.rehearse(like=made[form])
        with pytest.raises(PreferenceError, match="The universe has the same rows as the confidential data"):
            query.choose(sf.belief(0.9, worlds=made[form]))
        assert not dataset.ledger.entries, "nothing was shown"


def test_another_table_is_one_to_rehearse_with(tmp_path: Path, ledger: Path) -> None:
    made = files(tmp_path)
    public = pd.DataFrame({"days": [1, 2, 50], "ward": ["a", "b", "b"]})
    query = opened(ledger, "stays", made[0]).query("SELECT SUM(days) FROM stays")
    assert query.rehearse(like=public).people_count == 3
    assert query.choose(sf.belief(0.9, worlds=pd.concat([PEOPLE, public]))).epsilon is not None
    absent = local.open_without_data(schema("stays"), source=tmp_path / "absent.csv", ledger=ledger)
    assert absent.query("SELECT SUM(days) FROM stays").rehearse(like=made[0]).people_count == 4, "nothing to compare"
