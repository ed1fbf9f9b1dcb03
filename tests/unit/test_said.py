"""Preferences as they go to a server: what is said is what is read there."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import PreferenceError
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.accuracy import relative_error, within
from sfumato.privacy.preferences.belief import belief
from sfumato.privacy.preferences.disparity import attack_chance, exposure_cap, gap, ratio, variance
from sfumato.privacy.preferences.guessing_preferences import advantage, guess, sharing_risk
from sfumato.privacy.preferences.preference import Preference, epsilon, larger_than_spent, weighted
from sfumato.privacy.preferences.pri import pri
from sfumato.privacy.preferences.registry import to_mapping
from sfumato.privacy.preferences.satisfies import satisfies
from tests.property.tables import examples

shares = st.floats(0.01, 0.99)
STATED: list[st.SearchStrategy[Preference]] = [
    st.builds(epsilon, st.floats(1e-9, 1e3)),
    st.builds(gap, st.floats(1, 100), worst_case=st.booleans(), exact=st.booleans()),
    st.builds(ratio, shares, worst_case=st.booleans()),
    st.builds(lambda tau: ratio(tau, between="age > 60"), shares),
    st.builds(variance, shares, select_epsilon=shares, beta=shares, as_published=st.booleans()),
    st.builds(exposure_cap, shares),
    st.builds(exposure_cap, shares, allow=shares, select_epsilon=shares),
    st.builds(attack_chance, st.floats(0.5, 1)),
    st.builds(guess, st.floats(0.6, 1), choices=st.integers(2, 50)),
    st.builds(lambda q: guess(q, secret="age", radius=5), shares),
    st.builds(lambda q: guess(q, secret="age", prior=0.005), shares),
    st.builds(advantage, shares),
    st.builds(sharing_risk, st.sampled_from(["low", 0.7]), trust=shares, data_sensitivity=shares, choices=st.just(4)),
    st.builds(lambda rho, bound: belief(rho, worlds=[1, 2.5, 3], bound=bound), st.floats(0.4, 0.9), st.booleans()),
    st.builds(within, st.floats(0.1, 1e6), confidence=shares, each=st.booleans(), expected_count=st.floats(1, 1e6)),
    st.builds(relative_error, shares, expected=st.floats(1, 1e6), confidence=shares),
    st.builds(pri, st.floats(0, 100)),
    st.builds(lambda q: satisfies(f'quantile({q}) <= 1.1 * median("age > 60")'), shares),
]


@given(st.one_of(STATED))
def test_what_is_said_is_what_is_read(preference: Preference) -> None:
    assert registry.preferences(json.loads(json.dumps(to_mapping([preference])))) == (preference,)


@pytest.mark.depth("every preference said")
@given(st.tuples(*STATED))
@examples("every preference said")
def test_every_preference_that_has_a_name_can_be_said(one_of_each: tuple[Preference, ...]) -> None:
    assert {name for one in one_of_each for name in to_mapping([one])} >= {*registry.NAMES}


def test_several_are_said_together() -> None:
    stated = gap(1.2, worst_case=True), within(5)
    assert to_mapping(stated) == {"gap": 1.2, "worst_case": True, "within": 5.0, "confidence": 0.95}
    assert registry.preferences(to_mapping(stated)) == stated


def test_nothing_is_the_rule() -> None:
    assert to_mapping([]) == {}


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ((gap(1.2, worst_case=True), ratio(0.9)), "cannot be stated in one request"),
        ((within(5), within(6)), "cannot be stated in one request"),
        ((weighted(gap(1.2, worst_case=True), 2),), "has a priority, and in a request the queries have weights"),
        ((larger_than_spent(),), "cannot be stated in a request"),
        ((satisfies(lambda rdrs: rdrs.ratio > 0.9),), "cannot be stated in a request"),
        ((belief(0.4, worlds="universe.csv"),), "cannot be stated in a request"),
    ],
)
def test_what_a_request_cannot_carry(stated: tuple[Preference, ...], sentence: str) -> None:
    with pytest.raises(PreferenceError, match=sentence):
        to_mapping(stated)
