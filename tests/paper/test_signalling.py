"""PRI, Examples 1/3 to 3/3: counties, a classifier on DP aggregates and on raw ones, and all four signals of it.

The paper's numbers (68% and 80%) are an illustration without data: a census by county is made up here, in which
education and housing prices tell the income level of a county, and noise hides it.
"""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import NoGuarantee
from sfumato.model.signal_score import BlockMeanScore, FreeScore, NoisyDifferenceScore, PublishedScore

COUNTIES = [f"county {i:02}" for i in range(40)]
SQL = "SELECT county, COUNT(*) AS people, SUM(school) AS school, SUM(price) AS price FROM census GROUP BY county"
DECLARED: dict[str, Any] = {
    "name": "census",
    "columns": {
        "county": {"type": "text", "categories": COUNTIES},
        "school": {"type": "integer", "bounds": [0, 20]},
        "price": {"type": "integer", "bounds": [0, 1000]},
    },
}
LEVELS = {county: float(i % 2) for i, county in enumerate(COUNTIES)}  # of income, known to the public
CLASSIFIER = sf.task("classifier", features=["people", "school", "price"], reference=LEVELS, model="tree")


@pytest.fixture(scope="module")
def query() -> sf.Query:
    """In rich counties people went to school for longer and live in dearer houses; all counties are as large."""
    made = random.Random(3)
    rows = [
        (county, round(made.gauss(11 + 2 * LEVELS[county], 3)), round(made.gauss(300 + 60 * LEVELS[county], 120)))
        for county in COUNTIES
        for _ in range(60)
    ]
    columns = dict(zip(("county", "school", "price"), zip(*rows, strict=True), strict=True))
    census = pa.table({name: pa.array(values) for name, values in columns.items()})
    return sf.open(census, DECLARED, ledger=":memory:").query(SQL)


@pytest.fixture(scope="module")
def release(query: sf.Query) -> sf.Release:
    """Example 1/3: the aggregates are released; the analyst scores them, and wonders what the noise did."""
    return query.release(epsilon=0.15)


def test_example_1_the_score_alone_does_not_tell(release: sf.Release) -> None:
    found = release.signal(CLASSIFIER, draws=20)
    assert isinstance(found, FreeScore)
    assert 0 <= found.score <= 1
    assert found.cost == 0
    assert len(set(found.scores)) > 1, "noise of this size moves the score"


def test_example_2_both_scores_tell_what_noise_cost(release: sf.Release) -> None:
    with pytest.raises(NoGuarantee):
        release.signal(CLASSIFIER, "as_published")
    found = release.signal(CLASSIFIER, "as_published", allow_no_guarantee=True, redraw=True)
    assert isinstance(found, PublishedScore)
    assert found.guarantee == "none"
    assert found.exact is not None
    assert found.exact >= 0.8, "the paper's g(S'): trained on raw aggregates"
    assert found.score < found.exact, "the paper's g(S): trained on DP aggregates"


def test_example_3_without_breaking_anybody_s_privacy(query: sf.Query) -> None:
    """The same question by the sound signals, on a ledger of its own: nobody had looked."""
    dataset = query.dataset
    fresh = sf.open(dataset._context._source, DECLARED, ledger=":memory:").query(SQL)
    release = fresh.release(epsilon=0.15)
    blocks = release.signal(CLASSIFIER, "sample_and_aggregate", epsilon=2.0, blocks=8)
    assert isinstance(blocks, BlockMeanScore)
    assert (blocks.guarantee, blocks.cost) == ("dp", 2.0)
    assert blocks.certificate.sensitivity == (1 / 8,)
    schooled = sf.task("formula", expression="(sum(school) - 12 * sum(people)) / 12000", low=-1, high=1)
    apart = release.signal(schooled, "noisy_difference", epsilon=0.5)
    assert isinstance(apart, NoisyDifferenceScore)
    assert (apart.guarantee, apart.cost) == ("dp", 0.5)
    assert apart.noise_90 is not None
    assert apart.noise_90 < 0.05
    spent = [e.draft.nano_epsilon for e in fresh.dataset.ledger.entries if e.draft.event == "reserved"]
    assert sum(spent) == 2_650_000_000


def test_the_free_signal_answers_the_same_question(query: sf.Query) -> None:
    """Wide noise costs the classifier much, narrow noise little: seen from the releases alone."""
    damages = []
    for epsilon in (0.05, 10.0):
        fresh = sf.open(query.dataset._context._source, DECLARED, ledger=":memory:").query(SQL)
        found = fresh.release(epsilon=epsilon).signal(CLASSIFIER, draws=20)
        assert isinstance(found, FreeScore)
        damages.append(sum(found.damages) / 20)
    assert damages[0] > damages[1]
