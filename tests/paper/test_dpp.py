"""Differential privacy policies (004): noise that goes no further than a bound, and what its delta is shared by."""

from __future__ import annotations

import pytest

from sfumato.risk.truncated import delta_of_each, delta_of_reach, epsilon_of_reach, reach_of

NEGLIGIBLE = 2.0**-40  # "it is fine to take delta = 2^-40"

REACHES = {
    "trunc_1_9.09e-13": (1, NEGLIGIBLE, 27.574064896451844),
    "trunc_0.5_9.09e-13": (0.5, NEGLIGIBLE, 53.19997582454697),
    "trunc_0.1_9.09e-13": (0.1, NEGLIGIBLE, 247.8057158081107),
    "trunc_2_1e-06": (2, 1e-6, 7.488475116285353),
    "trunc_1_1e-05": (1, 1e-5, 11.361114778489599),
    "trunc_1_0.01": (1, 0.01, 4.464920175891208),
}


@pytest.mark.golden(*REACHES)
@pytest.mark.parametrize(("epsilon", "delta", "reach"), REACHES.values(), ids=REACHES)
def test_the_reach_of_truncated_noise_and_back(epsilon: float, delta: float, reach: float) -> None:
    """Section 2.2.1, where "eps - 1" is printed for e^eps - 1; the equation below it is right."""
    assert reach_of(epsilon, delta) == pytest.approx(reach, rel=1e-9)
    assert epsilon_of_reach(reach, delta) == pytest.approx(epsilon, rel=1e-9)
    assert delta_of_reach(reach, epsilon) == pytest.approx(delta, rel=1e-9)


@pytest.mark.golden("trunc_edge")
def test_a_reach_that_is_too_short_or_long_enough_for_anything() -> None:
    assert epsilon_of_reach(0.9, 0.01) is None
    assert epsilon_of_reach(60, 0.01) == 0
    assert epsilon_of_reach(1.5, 0.01) == pytest.approx(7.82326124140993, rel=1e-9)


@pytest.mark.golden("trunc_D5")
def test_where_the_sensitivity_is_forgotten_delta_is_another() -> None:
    """The paper's formula is that of sensitivity 1 (methods 8)."""
    assert reach_of(1, 1e-6, sensitivity=5) == pytest.approx(68.31844697984992, rel=1e-9)
    assert delta_of_reach(68.31844697984992, 1, sensitivity=5) == pytest.approx(1e-6, rel=1e-9)
    assert delta_of_reach(reach_of(1, 1e-6), 1, sensitivity=5) == pytest.approx(0.0598, abs=5e-5)


@pytest.mark.golden("dpp_delta_split")
@pytest.mark.parametrize(("numbers", "each"), [(4, 2.273736754433096e-13), (2, 4.547473508865675e-13)])
def test_what_several_numbers_share_of_delta(numbers: int, each: float) -> None:
    """Equation (6)."""
    assert delta_of_each(NEGLIGIBLE, numbers) == pytest.approx(each, rel=1e-9)
