"""Of a person with too many rows some count, and which ones is decided by that person's own rows alone."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.facts import Totals
from tests.property.tables import examples

Stay = tuple[int | None, str | None, int | None, str | None]

SUMS = (
    "SELECT COUNT(*), SUM(days), COUNT(days) FROM stays",
    "SELECT AVG(days) FROM stays WHERE note <> 'b'",
    "SELECT VAR_POP(days) FROM stays",
    "SELECT ward, COUNT(DISTINCT patient), SUM(days) FROM stays GROUP BY ward",
    "SELECT ward, COUNT(*) FROM stays WHERE days > 1 OR note IS NULL GROUP BY ward",
    "SELECT SUM(CASE WHEN note = 'a' THEN days ELSE 1 END) FROM stays",
    "WITH few AS (SELECT ward, days * 2 AS twice, note FROM stays WHERE days < 5) SELECT SUM(twice) FROM few",
)
DISTINCT = "SELECT ward, COUNT(DISTINCT days), COUNT(DISTINCT note) FROM stays GROUP BY ward"

STAYS = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3, None]),
        st.sampled_from(["north", "south", "elsewhere", None]),
        st.sampled_from([0, 1, 2, 5, 9, None]),
        st.sampled_from(["a", "b", None]),
    ),
    max_size=14,
)


def asked(stays: Sequence[Stay], max_rows: int, sql: str) -> sf.Query:
    frame = pd.DataFrame(stays, columns=["patient", "ward", "days", "note"], dtype=object)
    schema = {
        "name": "stays",
        "unit": "patient",
        "max_rows": max_rows,
        "columns": {
            "patient": {"type": "integer"},
            "ward": {"categories": ["north", "south"]},
            "days": {"type": "integer", "bounds": [0, 7]},
            "note": {"type": "text"},
        },
    }
    return sf.open(frame, schema, ledger=":memory:").query(sql)


def totals(stays: Sequence[Stay], max_rows: int, sql: str) -> Totals:
    return asked(stays, max_rows, sql)._bound.totals()


def of(patient: int, stays: Sequence[Stay]) -> list[Stay]:
    return [stay for stay in stays if stay[0] == patient]


@pytest.mark.depth("neighbour tables")
@examples("neighbour tables")
@given(stays=STAYS, max_rows=st.integers(1, 3), sql=st.sampled_from(SUMS))
def test_totals_are_the_sums_of_what_each_person_has_alone(stays: list[Stay], max_rows: int, sql: str) -> None:
    """Nobody's rows count for more or less because somebody else is there."""
    everybody = totals(stays, max_rows, sql).cells
    alone = [totals(of(patient, stays), max_rows, sql).cells for patient in (1, 2, 3)]
    for cell, found in everybody.items():
        assert found == tuple(sum(parts) for parts in zip(*(one[cell] for one in alone), strict=True))


@pytest.mark.depth("neighbour tables")
@examples("neighbour tables")
@given(data=st.data(), max_rows=st.integers(1, 3), sql=st.sampled_from([*SUMS, DISTINCT]))
def test_the_order_of_the_rows_does_not_matter(data: st.DataObject, max_rows: int, sql: str) -> None:
    stays = data.draw(STAYS)
    assert totals(stays, max_rows, sql).cells == totals(data.draw(st.permutations(stays)), max_rows, sql).cells


@pytest.mark.depth("neighbour tables")
@examples("neighbour tables")
@given(stays=STAYS, max_rows=st.integers(1, 3))
def test_as_many_rows_count_as_may(stays: list[Stay], max_rows: int) -> None:
    """Of the rows that the question keeps, not of all: a row that it leaves out takes no place."""
    kept = [stay for stay in stays if stay[0] is not None and stay[3] == "a"]
    counted = sum(min(max_rows, len(of(patient, kept))) for patient in (1, 2, 3))
    found = totals(stays, max_rows, "SELECT COUNT(*) FROM stays WHERE note = 'a'").cells[()]
    assert found == (counted * 1024,)  # steps of the grid of a count


@pytest.mark.depth("neighbour tables")
@examples("neighbour tables")
@given(data=st.data(), max_rows=st.integers(1, 3), sql=st.sampled_from([*SUMS, DISTINCT]))
def test_a_person_changes_a_number_by_at_most_its_sensitivity(data: st.DataObject, max_rows: int, sql: str) -> None:
    stays = data.draw(STAYS)
    leaving = data.draw(st.sampled_from([1, 2, 3]))
    rest = [stay for stay in stays if stay[0] != leaving]
    question = asked(stays, max_rows, sql)
    before, after = question._bound.totals().cells, totals(rest, max_rows, sql).cells
    for position, number in enumerate(question.measurement.numbers):
        moved = sum(abs(before[cell][position] - after[cell][position]) for cell in before)
        assert moved * number.step <= number.sensitivity


def test_no_content_comes_first_for_everybody() -> None:
    """Of a thousand patients with a stay in each ward, of which one counts, half count in each: all but never 400."""
    stays: list[Stay] = [(patient, ward, 1, None) for patient in range(1000) for ward in ("north", "south")]
    found = totals(stays, 1, "SELECT ward, COUNT(*) FROM stays GROUP BY ward").cells
    assert all(400 < counted / 1024 < 600 for (counted,) in found.values())
