"""A signal that was charged for, as a picture: where on the scale the score lies, beside that of the release."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.api.signal import BlockMean, NoisyDifference, Published
from sfumato.errors import BadInput
from sfumato.signals.tasks.registry import task

PEOPLE = pd.DataFrame({"place": ["a"] * 40 + ["b"] * 30})
DECLARED = {"name": "people", "columns": {"place": {"type": "text", "categories": ["a", "b"]}}}
HALF = task("above", column="n", a="a", b="b", width=20)
PARTS = st.integers(0, 200).map(lambda whole: whole / 200)


@pytest.fixture(scope="module")
def release() -> sf.Release:
    sql = "SELECT place, COUNT(*) AS n FROM people GROUP BY place"
    return sf.open(PEOPLE, DECLARED, ledger=":memory:").query(sql).release(epsilon=1.0)


@pytest.fixture(scope="module")
def difference(release: sf.Release) -> NoisyDifference:
    found = release.signal(HALF, "noisy_difference", epsilon=1.0)
    assert isinstance(found, NoisyDifference)
    return found


@pytest.fixture(scope="module")
def blocks(release: sf.Release) -> BlockMean:
    found = release.signal(HALF, "sample_and_aggregate", epsilon=1.0, blocks=4)
    assert isinstance(found, BlockMean)
    return found


@pytest.fixture(scope="module")
def published(release: sf.Release) -> Published:
    found = release.signal(HALF, "as_published", allow_no_guarantee=True)
    assert isinstance(found, Published)
    return found


@given(score=PARTS, exact=PARTS, drawn=st.floats(-1, 1), noise=PARTS)
def test_the_exact_score_is_there_whenever_noise_went_no_further(
    difference: NoisyDifference, score: float, exact: float, drawn: float, noise: float
) -> None:
    certificate = replace(difference.certificate, noise_90=(noise,))
    told = replace(difference, score=score, noisy=abs(score - exact) + drawn * noise, certificate=certificate)
    assert 1 <= len(told.places) <= 2
    assert any(low - 1e-9 <= exact <= high + 1e-9 for low, high in told.places)
    assert all(0 <= low <= high <= 1 for low, high in told.places)


def test_on_one_side_or_on_the_other(difference: NoisyDifference) -> None:
    certificate = replace(difference.certificate, noise_90=(0.05,))
    told = replace(difference, score=0.5, noisy=0.2, certificate=certificate)
    assert [tuple(round(end, 6) for end in place) for place in told.places] == [(0.25, 0.35), (0.65, 0.75)]
    assert "exact answer, if lower: 0.25 to 0.35" in repr(told.plot())
    assert [tuple(round(end, 6) for end in place) for place in replace(told, score=0.9).places] == [(0.65, 0.75)]
    assert [tuple(round(end, 6) for end in place) for place in replace(told, noisy=0.04).places] == [(0.41, 0.59)]


def test_a_mean_of_blocks_with_its_noise(blocks: BlockMean) -> None:
    certificate = replace(blocks.certificate, noise_90=(0.25,))
    told = replace(blocks, noisy=0.5, certificate=certificate)
    assert told.places == ((0.25, 0.75),)
    assert "mean of 4 blocks of people: 0.25 to 0.75" in str(told)
    assert "<svg" in told._repr_html_()


def test_where_the_noise_is_withheld_there_is_no_width(blocks: BlockMean) -> None:
    told = replace(blocks, noisy=0.5, certificate=replace(blocks.certificate, noise_90=None))
    assert told.places == ((0.5, 0.5),)
    assert "the noise scale is withheld" in str(told).replace("\n", " ")
    assert "90% interval" not in str(told)


def test_both_scores_as_published(published: Published) -> None:
    assert published.places == ((0.75, 0.75),)
    assert "exact answer: 0.75" in repr(published.plot())


def test_no_score_is_not_drawn(published: Published) -> None:
    told = replace(published, exact=None)
    assert "Score of the exact answer: no score" in str(told)
    with pytest.raises(BadInput, match="no score to plot"):
        told.plot()
