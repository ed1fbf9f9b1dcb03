"""Methods, part 2, section 31: preferences for any n people together."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.model.choice import Noise
from sfumato.privacy.noise.calibration import mu_of
from sfumato.privacy.noise.groups import epsilon_of_group, epsilon_of_one
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.preference import epsilon as stated
from sfumato.privacy.preferences.solver import solve

golden = pytest.mark.golden
GAUSSIAN = Noise("gaussian", 1e-5)


def met(preference: Preference, noise: Noise) -> float | None:
    return solve([sf.together(preference, 4)], lambda _: pytest.fail("no data is read"), noise).epsilon


@golden("together_laplace")
def test_pure_noise_has_one_of_n_parts() -> None:
    assert met(stated(1), Noise()) == 0.25
    assert met(sf.attack_chance(0.6), Noise()) == pytest.approx(0.10136627702704105, rel=1e-9)
    assert met(sf.gap(1.2, worst_case=True), Noise()) == pytest.approx(0.05, rel=1e-9)


@golden("together_gauss")
def test_gaussian_noise_is_n_times_as_wide() -> None:
    """And not of epsilon / n, which is wider than it need be at the delta of the group's black box."""
    one = met(stated(1), GAUSSIAN)
    assert one == pytest.approx(0.22026731889935622, rel=1e-6)
    assert 1 / mu_of(one or 0, GAUSSIAN) == pytest.approx(14.92252653926379, rel=1e-6)
    assert 4 * mu_of(one or 0, GAUSSIAN) == pytest.approx(0.2680511232112938, rel=1e-6)
    assert epsilon_of_one(1, 4, GAUSSIAN) == one


@golden("together_of_given")
def test_what_noise_for_one_person_means_for_several() -> None:
    """Not n times epsilon at the same delta."""
    found = [epsilon_of_group(0.5, n, GAUSSIAN) for n in (1, 2, 4)]
    assert found == pytest.approx([0.5, 1.067299099382436, 2.3027230661920837], rel=1e-6)
    assert found[2] > 4 * 0.5
