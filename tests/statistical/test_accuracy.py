"""What is promised of errors is kept by the noise that is drawn: of one answer, of several at once, and under DIFF."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

import pytest

from sfumato.privacy.noise.error import each_confidence, epsilon_for_error_on_lattice, noise_quantile, sigma_for_error
from sfumato.privacy.noise.gaussian import epsilon_analytic
from sfumato.privacy.preferences.budget_split import scales
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from tests.depth import depth
from tests.statistical.audit import least_rate, most_rate, question
from tests.statistical.bulk import draw_answers

pytestmark = [pytest.mark.statistical, pytest.mark.depth("errors")]

VALUE = {"type": "integer", "bounds": [0, 8]}
SUMS = "SELECT place, SUM(value) FROM people GROUP BY place"
COUNTS = "SELECT place, COUNT(*) FROM people GROUP BY place"
SETS = 50  # of so many answers each, in one release
CONFIDENCE = 0.9


@pytest.mark.parametrize("k", [1, 6])
@pytest.mark.parametrize("law", ["laplace", "laplace on its grid", "gaussian"])
def test_so_many_answers_are_all_within_the_error_as_often_as_is_said(law: str, k: int) -> None:
    """A share of 0.9 is believable, and no other far from it: 1,500 sets tell it from 0.79 but in 1 of 1e8 cases."""
    error, sensitivity = 20.0, 8
    asked = question(SUMS, VALUE, {f"{i}": [1, 2] for i in range(SETS * k)})
    steps = asked.measurement.numbers[0].steps
    sigma = sigma_for_error(error, CONFIDENCE, k)
    found = {
        "laplace": noise_quantile(sensitivity, error, 1 - each_confidence(CONFIDENCE, k)),
        "laplace on its grid": epsilon_for_error_on_lattice(int(error / sensitivity * steps), CONFIDENCE, steps, k),
        "gaussian": epsilon_analytic(sensitivity / sigma, 1e-3),
    }
    how: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-3} if law == "gaussian" else {}
    hits, runs = 0, math.ceil(depth("errors") / SETS)
    choice = asked.choose(stated_epsilon(found[law]), **how)
    for answer in islice(draw_answers(asked, choice), runs):
        off = [abs(cell[0] - 3) for cell in answer.numbers]
        hits += sum(max(off[i : i + k]) <= error for i in range(0, SETS * k, k))
    assert most_rate(hits, runs * SETS) >= CONFIDENCE, f"{hits} of {runs * SETS} sets are within the error"
    assert least_rate(hits, runs * SETS) <= CONFIDENCE, (
        f"{hits} of {runs * SETS} sets are: epsilon is larger than needed"
    )


def test_an_answer_as_large_as_it_must_be_is_as_near_as_is_said() -> None:
    """Both queries of a batch have answers just at their minimum: a tenth of them may be off by more than a half."""
    index, epsilon, error = [1, 3], 2.0, 0.5
    least = [math.log(10) * scale / error for scale in scales([1, 8], index, epsilon)]
    places = {f"{i}": [8] * math.ceil(least[0]) for i in range(SETS)}
    dataset = question(COUNTS, VALUE, places).dataset
    batch = dataset.batch([COUNTS, SUMS], epsilon=epsilon, index=index, relative_error=error, confidence=CONFIDENCE)
    assert [part.least for part in batch.split.parts] == pytest.approx(least, rel=1e-6)
    true = [math.ceil(least[0]), 8 * math.ceil(least[0])]
    assert true[1] >= least[1]
    hits, runs = [0, 0], math.ceil(depth("errors") / SETS)
    for _ in range(runs):
        for i, release in enumerate(batch.release(redraw=True)):
            noise = [abs(cell[0] - true[i]) for cell in release.numbers]
            hits[i] += sum(off <= error * least[i] for off in noise)
    for hit in hits:
        assert most_rate(hit, runs * SETS) >= CONFIDENCE, f"{hit} of {runs * SETS} answers are that near"
        assert least_rate(hit, runs * SETS) <= CONFIDENCE, f"{hit} of {runs * SETS} are: noise is narrower than said"
