"""One epsilon split over several queries (DIFF): planned as parts, charged once, and what is said of each answer."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.composition.local import open_without_data
from sfumato.errors import BudgetExceeded, NoGuarantee, NoMechanism, PreferenceError
from sfumato.ledger.entry import Event
from sfumato.model.calibration import NoiseLaw
from sfumato.privacy.noise.intervals import reach
from sfumato.privacy.preferences.preference import epsilon as stated

COLUMNS = {
    "days": {"type": "integer", "bounds": [0, 20]},
    "ward": {"categories": ["a", "b"]},
    "town": {"type": "text", "keys": "private"},
}
FRAME = pd.DataFrame({"days": [0, 10, 20] * 100, "ward": ["a", "b", "a"] * 100, "town": ["x"] * 300})
LONG, ALL = "SELECT COUNT(*) FROM stays WHERE days > 15", "SELECT COUNT(*) FROM stays"
TOTAL, MEAN, MIDDLE = (f"SELECT {figure}(days) FROM stays" for figure in ("SUM", "AVG", "MEDIAN"))
BY_WARD = "SELECT ward, COUNT(*) FROM stays GROUP BY ward"
BY_TOWN = "SELECT town, COUNT(*) FROM stays GROUP BY town"
BOTH = [LONG, ALL]


def stays(ledger: object = ":memory:", budget: object = None, **more: Any) -> sf.Dataset:
    stated = {"name": "stays", "columns": COLUMNS} | more
    return sf.open(FRAME, stated, ledger=ledger, version="1", budget=budget)  # type: ignore[arg-type]


def events(dataset: sf.Dataset) -> list[str]:
    return [entry.draft.event.value for entry in dataset.ledger.entries]


def charges(dataset: sf.Dataset) -> list[tuple[float, Fraction]]:
    drafts = [entry.draft for entry in dataset.ledger.entries if entry.draft.event is Event.RESERVED]
    return [(draft.nano_epsilon / 1e9, Fraction(draft.delta)) for draft in drafts]


def epsilons(split: Any) -> list[float]:
    return [part.epsilon for part in split.parts]


# How it is split


def test_without_an_index_noise_is_as_wide_on_all_of_them() -> None:
    split = stays().split([LONG, ALL, TOTAL], 0.44)
    assert epsilons(split) == [0.02, 0.02, 0.4]
    assert [part.scale for part in split.parts] == [(50.0,)] * 3
    assert [part.sensitivity for part in split.parts] == [1, 1, 20]


def test_an_index_of_ten_is_noise_ten_times_as_wide() -> None:
    narrow, wide = stays().split([LONG, TOTAL], 0.3, index=[1, 10]).parts
    assert wide.scale[0] == 10 * narrow.scale[0]  # type: ignore[operator]
    assert (narrow.epsilon, wide.epsilon) == (0.1, 0.2)


@pytest.mark.parametrize(
    ("aim", "index"),
    [
        (None, (25, 100)),
        ("largest", (25, 100)),
        ("sum", (5, 10)),
        ("squares", (5 ** (4 / 3), 10 ** (4 / 3))),
    ],
)
def test_an_index_is_found_for_what_is_expected(aim: str | None, index: tuple[float, float]) -> None:
    split = stays().split(BOTH, 0.1, expected=[25, 100], aim=aim)
    assert split.index == pytest.approx(index)
    assert split.aim == (aim or "largest")


def test_guesses_beside_an_index_only_tell_what_to_expect() -> None:
    split = stays().split(BOTH, 2, index=[1, 3], expected=[100, 300])
    assert split.index == (1, 3)
    assert split.aim is None
    for part in split.parts:
        [half] = part.noise_90
        assert part.expected_error == pytest.approx(half / part.expected)  # type: ignore[operator]
        assert part.least == pytest.approx(half / 0.1)  # type: ignore[operator]
    assert [part.met for part in split.parts] == [True, True]
    assert split.needed == pytest.approx(2 * split.parts[0].least / 100)  # type: ignore[operator]
    less = stays().split(BOTH, split.needed * 0.99, index=[1, 3], expected=[100, 300])  # type: ignore[operator]
    assert [part.met for part in less.parts] == [False, False]


def test_each_may_have_a_relative_error_of_its_own() -> None:
    one, two = stays().split(BOTH, 1, relative_error=[0.1, 0.2], confidence=0.99).parts
    assert one.least == pytest.approx(2 * two.least)  # type: ignore[operator]
    assert one.noise_90 == two.noise_90
    assert one.least == pytest.approx(one.noise_90[0] * 2 / 0.1)  # type: ignore[operator]


def test_several_numbers_and_selections_have_a_unit_of_their_own() -> None:
    mean, middle, count = stays().split([MEAN, MIDDLE, ALL], 0.3).parts
    assert [part.epsilon for part in (mean, middle, count)] == [0.1] * 3
    assert (mean.least, middle.least) == (None, None)
    assert (len(mean.scale), middle.scale) == (2, (None,))
    assert count.least is not None


def test_of_groups_the_least_answer_is_that_of_each() -> None:
    by_ward, everybody = stays().split([BY_WARD, ALL], 1).parts
    assert by_ward.least == everybody.least


def test_people_with_several_rows_move_a_count_by_several() -> None:
    columns = COLUMNS | {"who": {"type": "integer"}}
    dataset = open_without_data({"name": "stays", "columns": columns, "unit": "who", "max_rows": 3}, ledger=":memory:")
    counted, persons = dataset.split([ALL, "SELECT COUNT(DISTINCT who) FROM stays"], 0.4).parts
    assert (counted.sensitivity, persons.sensitivity) == (3, 1)
    assert counted.scale == persons.scale == (10.0,)


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("max_rows", [1, 3, 100])
def test_a_split_follows_the_index_however_many_rows_of_a_person_count(max_rows: int, relation: str) -> None:
    """A mean has no one noise scale and is split like a count of rows, of which a person moves as many as count."""
    columns, stated = (
        COLUMNS | {"who": {"type": "integer"}},
        {"unit": "who", "max_rows": max_rows, "relation": relation},
    )
    dataset = open_without_data({"name": "stays", "columns": columns} | stated, ledger=":memory:")
    assert epsilons(dataset.split([ALL, MEAN], 1, index=[1, 1])) == [0.5, 0.5]
    assert epsilons(dataset.split([MEAN, ALL, MIDDLE], 0.7, index=[1, 2, 4])) == [0.4, 0.2, 0.1]
    assert epsilons(dataset.split([TOTAL, MEAN], 1)) == epsilons(stays().split([TOTAL, MEAN], 1))


def test_a_split_is_free_and_reads_nothing() -> None:
    dataset = open_without_data({"name": "stays", "columns": COLUMNS}, ledger=":memory:")
    assert epsilons(dataset.split(BOTH, 0.01, index=[1, 10])) == [0.009090909, 0.000909091]
    assert events(dataset) == []


def test_queries_may_be_made_before() -> None:
    dataset = stays()
    assert dataset.split([dataset.query(LONG), ALL], 1) == dataset.split(BOTH, 1)


# One charge


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1 / 3, 1.0])
def test_the_charge_is_epsilon_and_no_delta(epsilon: float) -> None:
    dataset = stays()
    batch = dataset.batch([LONG, ALL, TOTAL], epsilon=epsilon, index=[1, 3, 7])
    released = batch.release()
    whole = int(epsilon * 10**9) / 10**9
    assert (batch.epsilon, batch.delta, batch.is_tight) == (whole, 0.0, False)
    assert charges(dataset) == [(whole, Fraction(0))]
    assert [r.certificate.epsilon for r in released] == epsilons(batch.split)
    assert sum(Fraction(str(r.certificate.epsilon)) for r in released) == Fraction(str(whole))
    assert {(r.certificate.charged, r.certificate.batch) for r in released} == {(whole, 3)}


def test_the_noise_that_is_shown_is_the_noise_that_is_drawn() -> None:
    dataset = stays()
    batch = dataset.batch([LONG, MEAN], epsilon=1, index=[1, 2])
    for part, release in zip(batch.split.parts, batch.release(), strict=True):
        assert part.scale == release.certificate.scale
    assert batch.split.parts[0].noise_90 == (reach(NoiseLaw.LAPLACE, batch.split.parts[0].scale[0] or 0.0),)


def test_each_part_is_planned_and_the_whole_is_in_the_charge() -> None:
    dataset = stays()
    dataset.batch(BOTH, epsilon=0.01, index=[1, 10]).release()
    assert events(dataset) == ["opened", "planned", "planned", "reserved", "released", "released", "released"]
    planned_, reserved = dataset.ledger.entries[1].draft, dataset.ledger.entries[3].draft
    assert planned_.public["what"] == f"epsilon 0.00909091 for {LONG}"
    assert reserved.public["method"] == "epsilon 0.01 split by the index 1 : 10"
    assert (reserved.public["chosen_by"], reserved.public["kind"]) == ("fixed", "batch")


def test_the_same_comes_back_for_nothing() -> None:
    dataset = stays()
    first = dataset.batch(BOTH, epsilon=0.5, index=[1, 2]).release()
    assert [r.rows for r in dataset.batch(BOTH, epsilon=0.5, index=[2, 4]).release()] == [r.rows for r in first]
    assert len(charges(dataset)) == 1, "the same parts are the same batch"
    dataset.batch(BOTH, epsilon=0.5, index=[1, 2]).release(redraw=True)
    dataset.batch(BOTH, epsilon=0.5, index=[1, 3]).release()
    assert len(charges(dataset)) == 3


def test_the_budget_holds_for_all_of_it() -> None:
    dataset = stays(budget=0.5)
    with pytest.raises(BudgetExceeded):
        dataset.batch(BOTH, epsilon=0.500000001).release()
    assert charges(dataset) == []
    dataset.batch(BOTH, epsilon=0.5).release()
    assert charges(dataset) == [(0.5, Fraction(0))]


def test_tight_accounting_is_asked_for_with_a_delta() -> None:
    dataset = stays()
    many = [f"SELECT COUNT(*) FROM stays WHERE days > {i}" for i in range(20)]
    batch = dataset.batch(many, 1e-6, epsilon=1.0)
    batch.release()
    assert batch.is_tight
    assert batch.epsilon < 0.9
    assert charges(dataset) == [(batch.epsilon, Fraction(1, 10**6))]
    assert batch.text().endswith("One by one: epsilon 1.")


def test_of_gaussian_noise_the_deltas_add_up_to_no_more_than_is_stated() -> None:
    dataset = stays()
    batch = dataset.batch([LONG, ALL, TOTAL], 1e-9, epsilon=0.6, mechanism="gaussian")
    batch.release()
    [(epsilon, delta)] = charges(dataset)
    assert epsilon == 0.6
    assert Fraction(1, 10**9) - Fraction(1, 10**23) < delta <= Fraction(1, 10**9)
    assert batch.split.needed is None


def test_a_delta_goes_to_what_needs_one() -> None:
    dataset = stays()
    batch = dataset.batch([BY_TOWN, ALL], 1e-6, epsilon=0.6)
    assert [r.certificate.delta for r in batch.release()] == [1e-6, 0]
    assert charges(dataset) == [(0.6, Fraction(1, 10**6))]
    with pytest.raises(PreferenceError, match="Private group keys need a delta"):
        dataset.batch([BY_TOWN, ALL], epsilon=0.6)


# The word comes from the record


def test_after_a_look_an_index_carries_no_guarantee() -> None:
    dataset = stays()
    dataset.query(MEAN).risk()
    before = events(dataset)
    for how in ({"index": [1, 10]}, {"expected": [100, 300]}, {}):
        with pytest.raises(
            NoGuarantee, match="would have no guarantee, because the preference was stated after a look"
        ) as no:
            dataset.batch(BOTH, epsilon=0.01, **how)  # type: ignore[call-overload]
        assert "accept" not in no.value.hint
    assert events(dataset) == before, "nothing was entered"
    batch = dataset.batch(BOTH, epsilon=0.01, index=[1, 10], preregistered="minutes of 3 May")
    [release, _] = batch.release()
    assert release.certificate.guarantee == "dp"
    assert any("minutes of 3 May" in said for said in release.certificate.assumed)


def test_what_was_planned_before_a_look_is_released_after_it_as_it_was_planned() -> None:
    dataset = stays()
    batch = dataset.batch(BOTH, epsilon=0.01, index=[1, 10])
    dataset.query(MEAN).risk()
    assert [r.certificate.guarantee for r in batch.release()] == ["dp", "dp"]
    assert len(dataset.batch(BOTH, epsilon=0.01, index=[1, 10]).release()) == 2
    with pytest.raises(NoGuarantee):
        dataset.batch(BOTH, epsilon=0.01, index=[1, 11])


def test_one_that_was_stated_after_a_look_makes_all_of_them_none() -> None:
    """All scales depend on all numbers of an index (docs/theory/split.md)."""
    dataset = stays()
    dataset.batch(BOTH, epsilon=0.2, index=[1, 1])
    dataset.query(MEAN).risk()
    assert epsilons(dataset.split([*BOTH, BY_WARD], 0.3)) == [0.1] * 3, "two of them as they were planned"
    with pytest.raises(NoGuarantee):
        dataset.batch([*BOTH, BY_WARD], epsilon=0.3)
    assert charges(dataset) == []


# Test (9) with the true answers


def test_the_true_answers_are_a_look() -> None:
    dataset = stays()
    batch = dataset.batch([LONG, BY_WARD, MEAN], epsilon=6, index=[1, 1, 1], relative_error=0.1)
    check = batch.check()
    assert events(dataset).count("looked") == 2, "of a mean nothing is tested"
    long, by_ward, mean = check.queries
    assert (long.answers, long.met) == ((100.0,), (True,))
    assert (by_ward.answers, by_ward.met) == ((200.0, 100.0), (True, True))
    assert (mean.answers, mean.met) == ((), ())
    assert [r.certificate.guarantee for r in batch.release()] == ["dp"] * 3, "it was planned before"


@pytest.mark.parametrize(("epsilon", "met"), [(0.4, (False,)), (0.5, (True,))])
def test_an_answer_will_do_from_the_least_on(epsilon: float, met: tuple[bool]) -> None:
    """100 people; at epsilon 0.46 and a relative error of 0.05, the least answer is 100."""
    [checked] = stays().batch([LONG], epsilon=epsilon, relative_error=0.05).check().queries
    assert checked.met == met


def test_what_is_found_is_confidential(capsys: pytest.CaptureFixture[str]) -> None:
    check = stays().batch([LONG, BY_WARD], epsilon=0.3).check()
    for hidden in (repr(check), repr(check.queries), str(vars(check))):
        assert "100" not in hidden
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(check)
    check.show()
    said = capsys.readouterr().out
    assert said.startswith("Controller only: facts about the people in the data.")
    assert "100 to 200" in said
    assert "1 of 2" in said
    assert "Controller only" in check._html()
    assert "100" not in check._repr_html_()


# What is said


def test_a_split_says_what_it_means(capsys: pytest.CaptureFixture[str]) -> None:
    dataset = stays()
    split = dataset.split(BOTH, 0.01, index=[1, 10], expected=[3000, 30000])
    split.show()
    said = capsys.readouterr().out
    assert said.startswith("Epsilon 0.01 split by the index 1 : 10.\n")
    for figure in ("0.009090909", "0.000909091", "110", "1,100", "±253.3", "±2,533", "2,533", "25,329", "yes", LONG):
        assert figure in said
    assert "off by at most 0.1 of itself" in " ".join(said.split())
    assert "epsilon 0.008443 or more is enough" in " ".join(said.split())
    assert repr(split) == said.strip()
    assert "<table>" in split._repr_html_()
    batch = dataset.batch(BOTH, epsilon=0.01, index=[1, 10])
    assert repr(batch).endswith("2 releases, charged together: epsilon 0.01.")
    assert "charged together" in batch._repr_html_()


def test_a_split_says_what_an_index_was_found_for() -> None:
    split = stays().split(BOTH, 0.01, expected=[3000, 30000], aim="sum")
    assert split.text().startswith(
        "Epsilon 0.01 split by the index 54.7723 : 173.205, which makes the sum of the relative errors smallest for "
        "answers of 3,000 and 30,000.\n"
    )


def test_a_split_says_where_there_is_no_least_answer() -> None:
    said = " ".join(stays().split([MEAN, ALL], 1, relative_error=[0.1, 0.2]).text().split())
    assert "A query with several noisy numbers, or with a value selected by rank, has no single noise scale" in said
    assert "off by at most its relative error" in said
    assert "off by" not in stays().split([MEAN], 1).text()


def test_as_json() -> None:
    batch = stays().batch([LONG, MIDDLE], epsilon=0.5)
    told = json.loads(json.dumps(batch.as_dict()))
    assert (told["epsilon"], told["delta"], told["split"]["epsilon_needed"]) == (0.5, 0.0, None)
    assert told["queries"] == [LONG, MIDDLE]
    one, two = told["split"]["queries"]
    assert (one["query"], one["epsilon"], one["scale"], one["met"]) == (LONG, 0.25, [4.0], None)
    assert (two["minimum_true_answer"], two["noise_90"]) == (None, [None])


# Refused, with a remedy


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"index": [1, 0]}, "index needs numbers above 0, not 0"),
        ({"index": [-2, 1]}, "index needs numbers above 0, not -2"),
        ({"index": [1, float("inf")]}, "The index needs finite numbers"),
        ({"index": [1, float("nan")]}, "The index needs finite numbers"),
        ({"index": [1, True]}, "The index needs finite numbers"),
        ({"index": [1, "many"]}, "The index needs finite numbers"),
        ({"index": 3}, "The index needs finite numbers"),
        ({"index": [1]}, "The index needs one number for each of 2 queries, not 1"),
        ({"index": [1, 2, 3]}, "The index needs one number for each of 2 queries, not 3"),
        ({"index": [1, 2], "aim": "sum"}, "An index is either stated or computed for an aim, not both"),
        ({"expected": [100, 0]}, "An answer with the expected value 0 has no relative error"),
        ({"expected": [100]}, "The expected answer needs one number for each of 2 queries, not 1"),
        ({"expected": [100, float("inf")]}, "The expected answer needs finite numbers"),
        ({"expected": [1, 2], "aim": "best"}, "There is no aim “best”"),
        ({"aim": "sum"}, "The aim “sum” needs a public guess of each answer"),
        ({"relative_error": 0}, "relative_error must be above 0, not 0"),
        ({"relative_error": [0.1]}, "The relative error needs one number for each of 2 queries, not 1"),
        ({"relative_error": "0.1"}, "The relative error needs finite numbers"),
        ({"confidence": 1}, "confidence must be between 0 and 1, not 1"),
        ({"confidence": None}, "The confidence needs finite numbers"),
        ({"index": [1, 1e12]}, f"Less than a billionth of the epsilon is left for this query: {ALL}"),
        ({"epsilon": 50}, f"The epsilon of this query would exceed the maximum of 10: {LONG}"),
        ({"epsilon": 0}, "epsilon must be between"),
        ({"mechanism": "gaussian"}, "Gaussian noise needs a delta"),
        ({"mechanism": "none"}, "There is no mechanism 'none'"),
        ({"delta": 2}, "delta must be between 0 and 1, not 2"),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(how: dict[str, Any], said: str) -> None:
    dataset = stays()
    with pytest.raises(PreferenceError) as no:
        dataset.batch(BOTH, **{"epsilon": 1} | how)
    assert no.value.message.startswith(said)
    assert no.value.hint
    assert events(dataset) == []


@pytest.mark.parametrize("query", [MEAN, MIDDLE, "SELECT COUNT(*), SUM(days) FROM stays"])
def test_a_guess_is_for_one_noisy_number(query: str) -> None:
    with pytest.raises(PreferenceError, match="An expected answer needs a query with one noisy figure"):
        stays().split([ALL, query], 1, expected=[300, 10])


def test_a_batch_of_queries_has_an_epsilon_and_a_query_at_least() -> None:
    dataset = stays()
    for queries, how in ((BOTH, {}), ([dataset.query(ALL)], {}), ([], {"index": [1]})):
        with pytest.raises(PreferenceError, match="A batch of queries needs one epsilon"):
            dataset.batch(queries, **how)  # type: ignore[call-overload]
    with pytest.raises(PreferenceError, match="The batch has no query"):
        dataset.batch([], epsilon=1)
    with pytest.raises(PreferenceError, match="An epsilon is split over queries, and this is not a query"):
        dataset.batch([dataset.query(ALL).choose(stated(0.1))], epsilon=1)  # type: ignore[list-item]
    with pytest.raises(PreferenceError, match="belongs to another dataset"):
        dataset.batch([stays().query(ALL)], epsilon=1)
    with pytest.raises(PreferenceError, match="contains the same choice twice"):
        dataset.batch([ALL, ALL], epsilon=1)


def test_with_bounds_from_the_data_nobody_is_read_before_it_is_refused() -> None:
    dataset = sf.open(FRAME, {"name": "stays", "columns": COLUMNS}, ledger=":memory:", bounds_from_data=True)
    with pytest.raises(NoGuarantee, match="depend on the people"):
        dataset.split([TOTAL], 1)
    assert events(dataset) == []


def test_a_selection_carries_no_gaussian_noise() -> None:
    with pytest.raises(NoMechanism):
        stays().split([MIDDLE, ALL], 1, mechanism="gaussian", delta=1e-6)


@pytest.mark.parametrize("numbers", [(1, 4), np.array([1, 4]), [np.float32(1), Fraction(4)]])
def test_numbers_of_any_kind(numbers: Sequence[float]) -> None:
    assert epsilons(stays().split(BOTH, 1, index=numbers)) == [0.8, 0.2]
    assert stays().split(BOTH, 1, relative_error=np.float64(0.5)).parts[0].relative_error == 0.5
