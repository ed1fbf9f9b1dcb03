"""A choice is made, not brought: what a release would not choose itself is refused, and nothing is charged."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato import demo
from sfumato.errors import NoMechanism
from sfumato.model.choice import Noise
from sfumato.privacy.noise.gaussian import mu_on_lattice

PEOPLE = pd.DataFrame({"ward": ["a", "a", "b"], "days": [3, 40, 7]})
SCHEMA: dict[str, object] = {
    "name": "stays",
    "columns": {"ward": {"categories": ["a", "b"]}, "days": {"type": "integer", "bounds": [0, 60]}},
}
SUM = "SELECT SUM(days) FROM stays"
WORST = sf.gap(1.2, worst_case=True)


def stays(ledger: Path | str = ":memory:", schema: dict[str, object] = SCHEMA, **how: object) -> sf.Dataset:
    return sf.open(PEOPLE, schema, ledger=ledger, version="1", **how)  # type: ignore[arg-type]


FORGERIES: dict[str, Callable[[sf.Choice, sf.Choice], sf.Choice]] = {
    "another epsilon": lambda public, _: replace(public, epsilon=7.3),
    "an epsilon from the people under a public name": lambda public, none: replace(none, request=public.request),
    "another mechanism": lambda public, _: replace(public, noise=Noise("gaussian", 1e-9)),
    "another ceiling": lambda public, _: replace(public, epsilon_max=99.0),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_an_altered_choice_is_refused(forge: Callable[[sf.Choice, sf.Choice], sf.Choice]) -> None:
    query = stays().query(SUM)
    public, none = query.choose(WORST), query.choose(sf.ratio(0.9))
    with pytest.raises(sf.SfumatoError, match=r"altered|another query"):
        query.release(forge(public, none), allow_no_guarantee=True)
    assert query.dataset.ledger.total.releases == 0


def test_a_choice_for_another_query_or_other_data_is_refused() -> None:
    choice = stays().query(SUM).choose(WORST)
    for query in (
        stays().query("SELECT COUNT(*) FROM stays"),
        stays(bounds_from_data=True).query(SUM),
        sf.open(PEOPLE, SCHEMA, ledger=":memory:", version="2").query(SUM),
    ):
        with pytest.raises(sf.SfumatoError, match="another query or other data"):
            query.release(choice, allow_no_guarantee=True)


@pytest.mark.parametrize("brought", [0.5, "x", None])
def test_what_is_no_preference_is_said_so(brought: object) -> None:
    query = stays().query(SUM)
    with pytest.raises(sf.SfumatoError, match="preference"):
        query.choose(brought)  # type: ignore[arg-type]


def test_asking_again_under_another_schema_is_another_question(tmp_path: Path) -> None:
    ledger = tmp_path / "stays.ledger"
    first = stays(ledger).query(SUM).release(epsilon=0.5)
    narrow = SCHEMA | {"columns": {"days": {"type": "integer", "bounds": [0, 10]}}}
    second = stays(ledger, narrow).query(SUM).release(epsilon=0.5)
    assert (first.certificate.sensitivity, second.certificate.sensitivity) == ((60.0,), (10.0,))
    assert second.certificate.dataset_total == 1.0


def test_a_stored_none_is_not_handed_out_without_being_accepted(tmp_path: Path) -> None:
    query = stays(tmp_path / "stays.ledger").query(SUM)
    choice = query.choose(sf.ratio(0.5))
    query.release(choice, allow_no_guarantee=True)
    with pytest.raises(sf.SfumatoError, match="no guarantee"):
        query.release(choice)


def test_nobody_matches_is_a_none_event_and_its_sentence_tells_nothing(tmp_path: Path) -> None:
    """That the people leave no epsilon, or every one, is itself about the people (docs/theory/words.md)."""
    said: list[str] = []
    for where in ("days > 50", "days > 1"):
        query = stays(tmp_path / f"{len(said)}.ledger").query(f"SELECT COUNT(*) FROM stays WHERE {where}")
        choice = query.choose(sf.ratio(1))
        assert choice.epsilon is None
        with pytest.raises(sf.SfumatoError) as refused:
            query.release(choice, allow_no_guarantee=True)
        said.append(str(refused.value))
        assert query.dataset.ledger.total.epsilon is None
    assert said[0] == said[1]


def test_names_that_differ_in_case_are_one_dataset(tmp_path: Path) -> None:
    ledger = tmp_path / "stays.ledger"
    stays(ledger).query(SUM).risk()
    with pytest.raises(sf.SfumatoError, match="no guarantee"):
        stays(ledger, SCHEMA | {"name": "Stays"}).query(SUM).release(epsilon=0.5)


def test_threads_get_their_own_answers() -> None:
    """One connection holds one result at a time: each thread's sum is its own, and every charge is counted."""
    wide = SCHEMA | {"columns": {f"v{i}": {"type": "integer", "bounds": [0, 10 ** (i + 1)]} for i in range(4)}}
    people = pd.DataFrame({f"v{i}": [10 ** (i + 1)] * 500 for i in range(4)})
    dataset = sf.open(people, wide, ledger=":memory:")
    queries = [dataset.query(f"SELECT SUM(v{i}) FROM stays") for i in range(4)] * 6

    def relative(query: sf.Query) -> float:
        release = query.release(epsilon=10.0, redraw=True)
        assert release.certificate.sensitivity is not None
        return release.numbers[0][0] / release.certificate.sensitivity[0]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(relative, queries))
    assert all(499 < answer < 501 for answer in answers)
    assert dataset.ledger.total.releases == len(queries)


@pytest.mark.parametrize("days", [[0, 0, 60], [36, 36, 60], [54, 57, 60]])
def test_whether_a_release_is_refused_does_not_depend_on_the_people(days: list[int]) -> None:
    """Classic noise is too narrow at epsilon_max; the people lead to 3.6, to 5.5 and to no epsilon at all."""
    query = sf.open(pd.DataFrame({"days": days, "ward": "a"}), SCHEMA, ledger=":memory:").query(SUM)
    choice = query.choose(sf.ratio(0.8), mechanism="gaussian", delta=1e-5, calibration="classic")
    with pytest.raises(NoMechanism, match="classic calibration does not meet its delta"):
        query.release(choice, allow_no_guarantee=True)
    assert query.dataset.ledger.total.releases == 0


def test_the_smallest_epsilon_and_delta_are_drawn() -> None:
    """Below that epsilon, which a ledger does not count, there is none to take the cost of a grid from."""
    tiny: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-300, "candidates": [1e-9]}
    query = stays().query(SUM)
    for preference, charged in ((sf.gap(1.2, worst_case=True), 1), (sf.gap(1.2), 2)):
        query.release(query.choose(preference, **tiny), allow_no_guarantee=True)
        assert query.dataset.ledger.total.releases == charged
    with pytest.raises(NoMechanism, match="The epsilon is too small"):
        mu_on_lattice(1e-15, 1e-300, numbers=1)


def test_an_argument_that_choose_does_not_have_is_named_in_its_own_terms() -> None:
    query = demo.open(rows=20).query("SELECT COUNT(*) FROM adult")
    with pytest.raises(TypeError, match=r"choose\(\) has no argument 'epsilon'; state an epsilon with release"):
        query.choose(epsilon=0.1)  # type: ignore[call-arg]
