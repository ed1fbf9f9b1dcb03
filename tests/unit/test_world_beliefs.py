"""Prior, posterior and confidence of every possible world of a public universe, from a file of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.errors import PreferenceError
from tests.paper.test_lee_clifton import PRINTED_3

STUDENTS = "name,school_year,absence_days\nChris,1,1\nKelly,2,2\nPat,3,3\nTerry,4,10\n"  # Table 1 of the paper
SCHEMA: dict[str, Any] = {
    "name": "students",
    "columns": {
        "name": {"type": "text"},
        "school_year": {"type": "integer", "bounds": [1, 4]},
        "absence_days": {"type": "integer", "bounds": [0, 10]},
    },
}
MEAN, MEDIAN = "SELECT AVG(absence_days) FROM students", "SELECT MEDIAN(absence_days) FROM students"


@pytest.fixture
def universe(tmp_path: Path) -> sf.Dataset:
    file = tmp_path / "school.csv"
    file.write_text(STUDENTS, "utf-8")
    return sf.open(file, SCHEMA, ledger=":memory:")


def test_the_epsilons_of_the_paper_come_out_of_its_table_1(universe: sf.Dataset) -> None:
    """Equations 9 and 18, and the exact epsilons that the paper's search does not reach."""
    mean = universe.query(MEAN).world_beliefs(sensitivity="possible-worlds", limit=1 / 3)
    assert (round(mean.bound or 0, 4), round(mean.exact or 0, 4)) == (0.3829, 0.4317)
    assert mean.sensitivity == pytest.approx(17 / 6)
    assert "epsilon 0.3829 by the paper's upper bound, epsilon 0.4317 exactly" in " ".join(str(mean).split())
    assert "As published" in str(mean)
    median = universe.query(MEDIAN).world_beliefs(sensitivity="possible-worlds", limit=1 / 3)
    assert (round(median.bound or 0, 4), round(median.exact or 0, 4)) == (1.6219, 2.7726)


def test_table_3_comes_out_of_table_1(universe: sf.Dataset) -> None:
    """Each epsilon in a row, each missing student in a column; the response is the answer without Terry."""
    table = universe.query(MEAN).world_beliefs(list(PRINTED_3), sensitivity="possible-worlds", names="name")
    for one in table.candidates:
        assert one.response == 2.0
        assert [world.missing for world in one.worlds] == ["Terry", "Pat", "Kelly", "Chris"]
        assert [world.posterior for world in one.worlds] == pytest.approx(PRINTED_3[one.epsilon], abs=6e-5)
        assert [world.confidence for world in one.worlds] == pytest.approx(
            [world.posterior - 0.25 for world in one.worlds]
        )
    assert "0.6825" in str(table)


def test_one_epsilon_shows_prior_posterior_and_confidence(universe: sf.Dataset) -> None:
    """The example of section 4.4: at the response 2.2013 Terry is believed missing at 0.6180."""
    one = universe.query(MEAN).world_beliefs([2], sensitivity="possible-worlds", response=2.2013, names="name")
    lines = str(one).splitlines()
    assert any(line.split() == ["Terry", "2", "0.2500", "0.6180", "0.3680"] for line in lines)
    assert ["missing", "answer", "prior", "posterior", "confidence"] in [line.split() for line in lines]


def test_by_default_noise_is_that_of_a_release(universe: sf.Dataset) -> None:
    """And then the order of mean and median turns: the median is selected by rank, and needs the smaller epsilon."""
    found = {}
    for name, sql in (("mean", MEAN), ("median", MEDIAN)):
        table = universe.query(sql).world_beliefs([0.5], limit=1 / 3, names="name")
        found[name] = table.exact or 0
        assert table.sensitivity is None
        assert found[name] == pytest.approx(chosen(universe, sql), rel=1e-6)
    published = {"mean": 0.4317, "median": 2.7726}
    assert (found["mean"] > found["median"], published["mean"] > published["median"]) == (True, False)
    (one,) = universe.query(MEAN).world_beliefs([0.5]).candidates
    assert max(world.posterior for world in one.worlds) <= 1 / 3
    assert all(world.prior == 0.25 and world.confidence > 0 for world in one.worlds)


def chosen(universe: sf.Dataset, sql: str) -> float:
    """What a release of data about three of them would choose."""
    import pandas as pd

    school = pd.DataFrame(
        {"name": ["Chris", "Kelly", "Pat", "Terry"], "school_year": [1, 2, 3, 4], "absence_days": [1, 2, 3, 10]}
    )
    data = sf.open(school.iloc[:3], SCHEMA, ledger=":memory:")
    return data.query(sql).choose(sf.belief(1 / 3, worlds=school)).epsilon or 0.0


def test_nothing_is_entered(universe: sf.Dataset) -> None:
    universe.query(MEAN).world_beliefs([1])
    universe.query(MEAN).world_beliefs([1], sensitivity="possible-worlds")
    assert not universe.ledger.entries


@pytest.mark.parametrize(
    ("sql", "how", "message"),
    [
        ("SELECT COUNT(*) FROM students", {"sensitivity": "possible-worlds"}, "mean, a median or a sum"),
        (MEAN, {"sensitivity": "schools"}, "'schools'"),
        (MEAN, {"names": "nickname"}, "'nickname'"),
        (MEAN, {"response": 2.0}, "possible-worlds"),
        (
            "SELECT AVG(absence_days) FROM students WHERE school_year < 2",
            {"sensitivity": "possible-worlds"},
            "from 3 to",
        ),
    ],
)
def test_what_cannot_be_shown_is_refused(universe: sf.Dataset, sql: str, how: dict[str, Any], message: str) -> None:
    with pytest.raises(PreferenceError, match=message):
        universe.query(sql).world_beliefs([1], **how)
