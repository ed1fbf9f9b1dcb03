"""Noise before it is drawn: quantiles at any probability, relative errors and the smallest meaningful answer."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.presentation import noise_view
from sfumato.privacy.noise.expected_interval import mean_error
from sfumato.privacy.noise.noise_quantiles import smallest_count

STAYS = pd.DataFrame({"days": [2, 30, 4], "ward": ["a", "b", "a"]})
SCHEMA = {
    "name": "stays",
    "columns": {
        "days": {"type": "integer", "bounds": [0, 100]},
        "ward": {"categories": ["a", "b"]},
    },
}
COUNT = "SELECT COUNT(*) FROM stays"


def noise(sql: str, epsilon: Any, **how: Any) -> Any:
    return sf.open(STAYS, SCHEMA, ledger=":memory:").query(sql).noise(epsilon, **how)


def test_figures_and_example_1_of_the_diff_paper() -> None:
    profile = noise(COUNT, 0.01, expected=3000)
    [column] = profile.columns
    assert [tail.noise for tail in column.tails] == pytest.approx([69.31, 120.40, 230.26], abs=0.005)
    assert column.least == pytest.approx(2302.59, abs=0.005)
    assert column.tails[2].relative_error == pytest.approx(230.2585 / 3000)
    assert column.is_met is True
    by_probability = dict(profile.noise_curves()["epsilon 0.01"])
    assert by_probability[0.5] == pytest.approx(69.31, abs=0.005)
    by_epsilon = dict(profile.least_curves()["probability 0.1"])
    assert by_epsilon[0.001] == pytest.approx(23025.85, abs=0.01)
    by_error = profile.least_by_error()["probability 0.1"]
    assert by_error[0] == (0.01, pytest.approx(23025.85, abs=0.01))


def test_the_smallest_count_of_an_average() -> None:
    scales = (100.0, 2.0)  # of a sum in [0, 100] about its middle, and a count, at half of epsilon 1 each
    assert [smallest_count(a, scales, 50, NoiseLaw.LAPLACE, 0.1) for a in (1, 5)] == [331, 69]
    for error in (1, 5):
        count = smallest_count(error, scales, 50, NoiseLaw.LAPLACE, 0.1)
        errors = [mean_error(n, scales, 50, NoiseLaw.LAPLACE) or math.inf for n in (count, count - 1)]
        assert errors[0] <= error < errors[1]
    [column] = noise("SELECT AVG(days) FROM stays", 1, within=1, expected_count=1000).columns
    assert (column.least_count, column.is_met, column.least) == (331, True, None)
    assert column.tails[2].noise == pytest.approx(0.33, abs=0.01)
    [relative] = noise("SELECT AVG(days) FROM stays", 1, expected=50).columns
    assert relative.least_count == 69, "10% of 50 is 5"
    assert relative.tails[0].noise is None, "how many are averaged is not known"


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, 10 * math.log(10)),
        ({"mechanism": "gaussian", "delta": 1e-6}, None),
        ({"mechanism": "truncated", "delta": 1e-6}, None),
    ],
)
def test_any_law_and_any_probability(how: dict[str, Any], expected: float | None) -> None:
    [column] = noise(COUNT, 0.1, probabilities=[0.9, 0.1, 0.001], **how).columns
    tails = [tail.noise for tail in column.tails]
    assert tails == sorted(tails)
    assert column.law == how.get("mechanism", "laplace")
    if expected is not None:
        assert tails[1] == pytest.approx(expected)


def test_sums_of_noises_ranks_and_what_has_no_closed_form() -> None:
    sql = "SELECT MEDIAN(days) AS m, SUM(days) + COUNT(*) AS s, VAR_POP(days) AS v FROM stays"
    ranked, added, spread = noise(sql, 1).columns
    assert ranked.tails[0].rank < ranked.tails[2].rank
    assert added.scale is None
    assert added.tails[2].noise > added.tails[0].noise > 0
    assert [tail.noise for tail in spread.tails] == [None] * 3
    text = " ".join(noise(sql, 1).text().split())
    assert "A value that is selected by its rank has no noise of its own" in text


def test_it_reads_nothing_and_is_no_look() -> None:
    dataset = sf.open(STAYS, SCHEMA, ledger=":memory:")
    profile = dataset.query("SELECT ward, COUNT(*) FROM stays GROUP BY ward").noise([0.1, 1], expected=500)
    assert [column.epsilon for column in profile.columns] == [0.1, 1]
    assert not dataset.ledger.record.anyone_looked
    assert dataset.ledger.total.epsilon == 0
    other = sf.open(STAYS[:1], SCHEMA, ledger=":memory:").query("SELECT ward, COUNT(*) FROM stays GROUP BY ward")
    assert other.noise([0.1, 1], expected=500).as_dict() == profile.as_dict(), "the same for any data"
    assert "epsilon 0.1" in str(profile.plot().figure)
    assert noise_view.figure(profile, "least-by-error") is not None
    with pytest.raises(PreferenceError, match="There is no plot"):
        profile.plot("risk")
    with pytest.raises(PreferenceError, match="no noise to draw"):
        noise("SELECT AVG(days) FROM stays", 1).plot()


@pytest.mark.parametrize(
    "how",
    [{"probabilities": [1.0]}, {"confidence": 0}, {"relative_error": 0}, {"within": -1}, {"expected": 0}],
)
def test_what_is_no_question(how: dict[str, Any]) -> None:
    with pytest.raises(PreferenceError):
        noise(COUNT, 0.1, **how)
    with pytest.raises(PreferenceError):
        noise(COUNT, [])
