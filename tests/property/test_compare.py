"""What `compare` says that preferences come to together is what `choose` chooses by them."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.privacy.preferences.preference import Epsilon, Preference, epsilon
from tests.depth import depth

PEOPLE = pd.DataFrame({"ward": ["a", "a", "b"], "days": [3, 40, 7]})
SCHEMA = {
    "name": "stays",
    "columns": {"ward": {"categories": ["a", "b", "c"]}, "days": {"type": "integer", "bounds": [0, 60]}},
}
QUERIES = ["SELECT COUNT(*) FROM stays", "SELECT ward, SUM(days) FROM stays GROUP BY ward"]
NOISE = [{}, {"mechanism": "gaussian", "delta": 1e-6}]

taus = st.floats(0.3, 0.99)
errors = st.builds(sf.within, st.floats(0.5, 500), confidence=st.floats(0.5, 0.99))
bounded = st.one_of(
    st.builds(lambda tau: sf.ratio(tau, worst_case=True), taus),
    st.builds(sf.attack_chance, st.floats(0.51, 0.99)),
    st.builds(sf.exposure_cap, st.floats(0.01, 20)),
    st.builds(lambda chance: sf.guess(chance, choices=4), st.floats(0.26, 0.99)),
    st.builds(epsilon, st.floats(0.01, 20)),
)
of_people = st.builds(sf.ratio, taus)
candidate_lists = st.none() | st.lists(st.floats(0.01, 15), min_size=1, max_size=5).map(tuple)


@settings(max_examples=depth("compared preferences"))
@pytest.mark.depth("compared preferences")
@given(
    stated=st.lists(bounded | errors | of_people, min_size=1, max_size=4),
    sql=st.sampled_from(QUERIES),
    noise=st.sampled_from(NOISE),
    candidates=candidate_lists,
    epsilon_max=st.floats(0.1, 20),
)
def test_the_intersection_is_what_choose_chooses_by(
    stated: list[Preference],
    sql: str,
    noise: dict[str, object],
    candidates: tuple[float, ...] | None,
    epsilon_max: float,
) -> None:
    how = {**noise, "candidates": candidates, "epsilon_max": epsilon_max}
    assume(all(not isinstance(p, Epsilon) or p.value <= epsilon_max for p in stated))  # else it is refused
    compared, chosen = (sf.open(PEOPLE, SCHEMA, ledger=":memory:", version="1") for _ in range(2))
    together = compared.compare(sql, stated, look=True, **how).together  # type: ignore[arg-type]
    choice = chosen.query(sql).choose(*stated, **how)  # type: ignore[arg-type]
    assert together is not None
    assert (together.epsilon, together.feasible, together.unbounded) == (
        *(choice.epsilon, choice.feasible),
        choice.unbounded,
    )
    assert together.why == choice.why
    for name in together.conflict:
        assert name in choice.why
    if together.epsilon is not None:
        assert together.interval is not None
        low, high = together.interval
        assert min(low, epsilon_max) <= together.epsilon <= high
        if candidates is None:  # the top, or where only an error bounds it the bottom
            assert together.epsilon == (low if math.isinf(high) else min(high, epsilon_max))
    elif together.conflict:
        assert together.interval is None
        assert len(together.conflict) == 2
