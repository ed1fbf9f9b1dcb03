"""Beyond the papers: the attacker, Gaussian noise as it is, and what releases add up to.

See docs/theory/gaussian.md, docs/theory/attack.md and docs/theory/odometer.md.
"""

from __future__ import annotations

import pytest

from sfumato.privacy.accounting.zcdp import epsilon_of_zcdp, epsilon_of_zcdp_simple, rho_laplace
from sfumato.privacy.noise.gaussian import delta_at, mu_analytic, mu_classic
from sfumato.privacy.risk.membership import (
    attack_chance,
    attack_chance_gaussian,
    attack_chance_laplace,
    posterior_quantile_gaussian,
    roc_laplace,
)
from sfumato.privacy.risk.rdr_exact import kl

golden = pytest.mark.golden


# The attacker who knows everybody else (docs/theory/attack.md)


@pytest.mark.parametrize(
    ("loss", "chance"),
    [
        pytest.param(0.1, 0.524385287749643, marks=golden("att_0.1")),
        pytest.param(0.5, 0.6105996084642975, marks=golden("att_0.5")),
        pytest.param(1, 0.6967346701436833, marks=golden("att_1")),
        pytest.param(2, 0.8160602794142788, marks=golden("att_2")),
    ],
)
def test_an_attacker_who_starts_from_a_coin(loss: float, chance: float) -> None:
    assert attack_chance_laplace(loss, 1) == pytest.approx(chance, rel=1e-9)
    assert attack_chance_laplace(4 * loss, 0.25) == pytest.approx(chance, rel=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "chance"),
    [
        pytest.param(0.1, 0.52497918747894, marks=golden("att_cap_0.1")),
        pytest.param(0.5, 0.6224593312018546, marks=golden("att_cap_0.5")),
        pytest.param(1, 0.7310585786300049, marks=golden("att_cap_1")),
        pytest.param(2, 0.8807970779778824, marks=golden("att_cap_2")),
    ],
)
def test_no_mechanism_lets_an_attacker_be_right_more_often(epsilon: float, chance: float) -> None:
    assert attack_chance(epsilon) == pytest.approx(chance, rel=1e-9)
    assert attack_chance(epsilon) >= attack_chance_laplace(epsilon, 1)


@pytest.mark.parametrize(
    ("loss", "prior", "chance"),
    [
        pytest.param(1, 0.3, 0.7220527340555355, marks=golden("att_1_0.3")),
        pytest.param(3, 0.1, 0.933060951955471, marks=golden("att_3_0.1")),
        pytest.param(0.2, 0.3, 0.7, marks=golden("att_0.2_0.3"), id="no output changes their mind"),
    ],
)
def test_an_attacker_with_a_prior(loss: float, prior: float, chance: float) -> None:
    assert attack_chance_laplace(loss, 1, prior) == pytest.approx(chance, rel=1e-9)
    assert attack_chance_laplace(loss, 1, 1 - prior) == pytest.approx(chance, rel=1e-9)


@pytest.mark.parametrize(
    ("false_alarms", "loss", "hits"),
    [
        pytest.param(0.01, 1, 0.027182818284590453, marks=golden("tpr_0.01_1")),
        pytest.param(0.3, 1, 0.693433799023798, marks=golden("tpr_0.3_1")),
        pytest.param(0.7, 1, 0.8896361676485673, marks=golden("tpr_0.7_1")),
        pytest.param(0.1, 3, 0.8755323290803402, marks=golden("tpr_0.1_3")),
    ],
)
def test_hits_at_a_rate_of_false_alarms(false_alarms: float, loss: float, hits: float) -> None:
    assert roc_laplace(loss, false_alarms) == pytest.approx(hits, rel=1e-9)


@pytest.mark.parametrize(
    ("mu", "prior", "chance"),
    [
        pytest.param(1, 0.5, 0.6914624612740131, marks=golden("attg_1_0.5")),
        pytest.param(1, 0.2, 0.8138437731916848, marks=golden("attg_1_0.2")),
        pytest.param(2, 0.1, 0.9299393141414609, marks=golden("attg_2_0.1")),
    ],
)
def test_an_attacker_of_gaussian_noise(mu: float, prior: float, chance: float) -> None:
    assert attack_chance_gaussian(mu, 1, prior) == pytest.approx(chance, rel=1e-9)
    assert attack_chance_gaussian(2 * mu, 0.5, prior) == pytest.approx(chance, rel=1e-9)


@golden("postq")
def test_how_sure_an_attacker_of_gaussian_noise_is_in_95_of_100_releases() -> None:
    assert posterior_quantile_gaussian(1, 1, prior=0.5, share=0.95) == pytest.approx(0.8951868875901504, rel=1e-9)


# Gaussian noise (docs/theory/gaussian.md)


@pytest.mark.parametrize(
    ("epsilon", "delta", "analytic", "classic"),
    [
        pytest.param(1, 1e-5, 3.7306316348159365, 4.844805262605389, marks=golden("gauss_1_1e-05")),
        pytest.param(0.5, 1e-5, 7.031826675582481, 9.689610525210778, marks=golden("gauss_0.5_1e-05")),
        pytest.param(2, 1e-6, 2.2304762711864217, 2.649401263425237, marks=golden("gauss_2_1e-06")),
        pytest.param(10, 1e-5, 0.4998886197090088, 0.4844805262605389, marks=golden("gauss_10_1e-05")),
        pytest.param(0.1, 1e-6, 36.304690426196295, 52.988025268504735, marks=golden("gauss_0.1_1e-06")),
    ],
)
def test_the_least_sigma_and_the_classic_one(epsilon: float, delta: float, analytic: float, classic: float) -> None:
    assert 1 / mu_analytic(epsilon, delta) == pytest.approx(analytic, rel=1e-8)
    assert 1 / mu_classic(epsilon, delta) == pytest.approx(classic, rel=1e-8)


@golden("classic_fail")
def test_classic_noise_does_not_keep_its_delta_at_epsilon_10() -> None:
    assert delta_at(10, mu_classic(10, 1e-5)) / 1e-5 == pytest.approx(2.265374364793421, rel=1e-6)


# What releases add up to (docs/theory/odometer.md)


@pytest.mark.parametrize(
    ("epsilon", "rho"),
    [
        pytest.param(0.1, 0.004837418035959579, marks=golden("rho_lap_0.1")),
        pytest.param(0.5, 0.10653065971263342, marks=golden("rho_lap_0.5")),
        pytest.param(1, 0.36787944117144233, marks=golden("rho_lap_1")),
        pytest.param(2, 1.1353352832366128, marks=golden("rho_lap_2")),
        pytest.param(5, 4.006737946999086, marks=golden("rho_lap_5")),
    ],
)
def test_what_laplace_noise_costs_as_rho(epsilon: float, rho: float) -> None:
    """As continuous noise, and on so fine a grid that it is no different; on one of 1,024 steps a little more."""
    assert kl(epsilon) == pytest.approx(rho, rel=1e-9)
    assert rho_laplace(epsilon, 2**30) == pytest.approx(rho, rel=1e-9)
    assert rho <= rho_laplace(epsilon, 1024) <= rho * 1.00001


@golden("zcdp")
def test_what_a_rho_of_one_half_is_worth() -> None:
    """The specification's own figure for the tight conversion is true but not the least: 5.2215345 by its tolerance."""
    assert epsilon_of_zcdp_simple(0.5, 1e-6) == pytest.approx(5.756521769756932, rel=1e-9)
    assert epsilon_of_zcdp(0.5, 1e-6) == pytest.approx(5.2215345143857315, abs=1e-3)
    assert epsilon_of_zcdp(0.5, 1e-6) <= 5.2215345143857315


@golden("filter")
def test_many_small_releases_add_up_to_less_than_their_sum() -> None:
    """20 and 100 releases of epsilon 0.1 each, at eps^2 / 2 a release and delta 1e-6."""
    totals = [epsilon_of_zcdp_simple(many * 0.1**2 / 2, 1e-6) for many in (20, 100)]
    assert totals == pytest.approx([2.4507880004768, 5.756521769756934], rel=1e-9)
