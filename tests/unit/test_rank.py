"""The scores of what is selected by its rank, against ranks that are counted one by one."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.risk.rank import scores, target

SHARED = {"MEDIAN(v)": ([5] * 2000 + [90] * 1000, 5), "QUANTILE_DISC(v, 0.9)": ([5] * 2000 + [90] * 1000, 90)}


def asked(figure: str, values: list[int], highest: int = 100, step: int = 1) -> sf.Query:
    schema = {"name": "t", "columns": {"v": {"type": "integer", "bounds": [0, highest], "step": step}}}
    people = pd.DataFrame({"v": pd.Series(values, dtype="int64")})
    return sf.open(people, schema, ledger=":memory:").query(f"SELECT {figure} FROM t")


@pytest.mark.parametrize(
    "figure", ["MEDIAN(v)", "QUANTILE_CONT(v, 0.9)", "QUANTILE_DISC(v, 0.123)", "MIN(v)", "MAX(v)"]
)
@given(values=st.lists(st.integers(0, 11), max_size=30))
def test_a_score_is_how_far_a_candidate_stands_from_the_rank(figure: str, values: list[int]) -> None:
    """Candidates are 0, 3, 6 and 9: with ties, and with values between them and beyond the last."""
    query = asked(figure, values, highest=11, step=3)
    number = query.measurement.numbers[0]
    found = scores(number, query._totals().counts[0].get((), [0] * 9), epsilon=4.0)
    q = number.selects.at if number.selects else None
    rank = Fraction(target(Fraction(1), 4, 4.0)) if q is None else q * len(values)
    for y, score in zip((0, 3, 6, 9), found, strict=True):
        before, at = sum(v > y if figure == "MAX(v)" else v < y for v in values), sum(v == y for v in values)
        missed = min(abs(rank - before), abs(rank - before - at)) if not before <= rank <= before + at else 0
        assert -score * number.step == missed


@pytest.mark.parametrize("figure", SHARED)
def test_a_value_that_many_share_is_found(figure: str) -> None:
    """The next best candidate misses the rank by hundreds of people."""
    values, expected = SHARED[figure]
    assert asked(figure, values).release(epsilon=1).rows == ((expected,),)


def test_a_maximum_that_many_share_is_found() -> None:
    """All candidates beyond it miss by 16 people: one of them comes out 2 times of 100 at most."""
    query = asked("MAX(v)", [50] * 1000)
    found = [query.release(epsilon=1, again=True).rows[0][0] for _ in range(20)]
    assert found.count(50) >= 10  # false alarms: below 1e-13
