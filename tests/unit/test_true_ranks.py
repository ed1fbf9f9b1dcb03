"""What the order of an answer is worth: where it is said, in which words, and that it is kept."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import sfumato as sf
from sfumato.model.release import Answer
from sfumato.presentation.release_view import cells, notes
from sfumato.presentation.wording.release_sentences import rank_range

SIZES = {"a": 4_000, "b": 2_000, "c": 1_990, "d": 10}


@pytest.fixture(scope="module")
def stays() -> sf.Dataset:
    frame = pd.DataFrame({"ward": [ward for ward, size in SIZES.items() for _ in range(size)]})
    frame["days"] = [ord(ward) - 90 for ward in frame["ward"]]
    columns = {"ward": {"categories": [*SIZES, "e"]}, "days": {"type": "integer", "bounds": [0, 20]}}
    return sf.open(frame, {"name": "stays", "columns": columns}, ledger=":memory:")


def test_each_row_comes_with_its_true_ranks(stays: sf.Dataset) -> None:
    release = stays.query("SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward ORDER BY n DESC LIMIT 3").release(
        epsilon=0.5
    )
    ranking = release.answer.ranking
    assert ranking is not None
    assert (ranking.by, ranking.among, ranking.ranks[0]) == ("n", 5, (1, 1))
    assert ranking.ranks[1:] in (((2, 3), (2, 3)), ((2, 2), (3, 3)))  # of 2,000 and 1,990, mostly not told apart
    ranks = [list(ranks) for ranks in ranking.ranks]
    assert json.loads(release.to_json())["ranking"] == {"by": "n", "among": 5, "ranks": ranks}
    assert Answer.from_dict(release.answer.as_dict()) == release.answer
    columns, rows = cells(release.answer)
    assert columns[-1] == "true rank"
    assert [row[-1] for row in rows] == [rank_range(each) for each in ranking.ranks]
    assert "Of the 3 groups shown, 3 are then certain" in " ".join(notes(release.answer, release.certificate))


@pytest.mark.parametrize(
    ("sql", "ranks"),
    [
        ("SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward HAVING ward <> 'e' ORDER BY n LIMIT 1", ((1, 1),)),
        ("SELECT ward FROM stays GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1", ((1, 1),)),
        ("SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward HAVING ward < 'c' ORDER BY n DESC", ((1, 1), (2, 2))),
        ("SELECT ward, AVG(days) AS n FROM stays GROUP BY ward HAVING ward < 'd' ORDER BY n DESC LIMIT 1", ((1, 1),)),
    ],
)
def test_the_order_that_was_asked_for_is_ranked(stays: sf.Dataset, sql: str, ranks: object) -> None:
    ranking = stays.query(sql).release(epsilon=5.0).answer.ranking
    assert ranking is not None
    assert ranking.ranks == ranks


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward",
        "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward ORDER BY ward LIMIT 2",
        "SELECT ward, MEDIAN(days) AS n FROM stays GROUP BY ward ORDER BY n LIMIT 2",
        "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ROLLUP(ward) ORDER BY n LIMIT 2",
        "SELECT COUNT(*) AS n FROM stays ORDER BY n",
    ],
)
def test_nothing_is_said_of_other_orders(stays: sf.Dataset, sql: str) -> None:
    assert stays.query(sql).release(epsilon=1.0).answer.ranking is None


def test_without_a_guarantee_the_noise_is_withheld_and_so_are_ranks() -> None:
    frame = pd.DataFrame({"ward": ["a", "b", None] * 50})
    dataset = sf.open(frame, {"name": "t", "columns": {"ward": {"categories": ["a", "b"]}}}, ledger=":memory:")
    query = dataset.query("SELECT ward, COUNT(*) AS n FROM t GROUP BY ward ORDER BY n")
    release = query.release(query.choose(sf.gap(1.2), epsilon_max=1), allow_no_guarantee=True)
    assert release.certificate.guarantee.value == "none"
    assert release.answer.ranking is None
