"""Lee & Clifton, "How Much Is Enough? Choosing epsilon for Differential Privacy": its examples, figure by figure.

Four students, of whom one is on probation and not in the data. Typos of the print are named where they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest

from sfumato.privacy.risk.belief import (
    average_success,
    disclosure_risk,
    epsilon_bound,
    epsilon_for_belief,
    global_sensitivity,
    laplace_density,
    local_sensitivity,
    mean,
    median,
    one_missing,
    posterior,
    risk_bound,
    tail_ratio,
)
from sfumato.privacy.risk.guessing import guess_chance

ABSENCE, YEAR = (1, 2, 3, 10), (1, 2, 3, 4)
RHO = 1 / 3
Answer = Callable[[Sequence[float]], float]


def worlds(universe: Sequence[float], answer: Answer = mean) -> list[float]:
    return [answer(world) for world in one_missing(universe)]


def width(answers: Sequence[float]) -> float:
    return max(answers) - min(answers)


DF_ABSENCE, DF_YEAR, DF_MEDIAN = 17 / 6, 5 / 6, 4.0


# Section 4: the mean of absence days, and of school years


@pytest.mark.golden("lc_df_absence")
def test_the_sensitivity_of_mean_absence_days() -> None:
    assert global_sensitivity(ABSENCE, mean) == pytest.approx(17 / 6, abs=1e-9)


@pytest.mark.golden("lc_df_year")
def test_the_sensitivity_of_mean_school_year() -> None:
    assert global_sensitivity(YEAR, mean) == pytest.approx(5 / 6, abs=1e-9)


@pytest.mark.golden("lc_tail_ratio")
def test_the_ratio_of_tails_of_section_4_1() -> None:
    """With Terry or without: within e^2, as differential privacy has it."""
    ratio = tail_ratio(3.1677, mean(ABSENCE), mean(ABSENCE[:3]), DF_ABSENCE / 2)
    assert ratio == pytest.approx(3.2932522072775674, abs=1e-9)
    assert ratio == pytest.approx(3.2933, abs=5e-5)
    assert ratio <= math.exp(2)


@pytest.mark.golden("lc_densities")
def test_the_densities_of_section_4_4() -> None:
    """The first is printed 0.3602 above the line and 0.3062 below it; it is the second."""
    found = [laplace_density(2.2013, answer, DF_ABSENCE / 2) for answer in worlds(ABSENCE)]
    exact = [0.30619044771435755, 0.07836181054401879, 0.06193234506562608, 0.04894750821477221]
    assert found == pytest.approx(exact, abs=1e-9)
    assert found == pytest.approx([0.3062, 0.0784, 0.0619, 0.0489], abs=5e-5)


@pytest.mark.golden("lc_beta")
def test_the_posterior_of_section_4_4() -> None:
    found = posterior(worlds(ABSENCE), DF_ABSENCE / 2, 2.2013)[0]
    assert found == pytest.approx(0.6180270527143531, abs=1e-9)
    assert found == pytest.approx(0.618, abs=5e-5)


@pytest.mark.golden("lc_beta_year")
def test_the_posterior_of_school_years() -> None:
    """As printed for the first world; but the second is believed more, so that the best guess is wrong."""
    found = posterior(worlds(YEAR), DF_YEAR / 2, 2.2013)
    exact = [0.3389991045371215, 0.40030928702570306, 0.17987055726576281, 0.08082105117141258]
    assert found == pytest.approx(exact, abs=1e-9)
    assert found[0] == pytest.approx(0.339, abs=5e-5)
    assert max(found) == found[1]


# Tables 2 and 3: the posterior at each epsilon

TABLE_3 = {
    5: [0.9705479865403851, 0.01580322112200907, 0.008775629403010658, 0.004873162934595123],
    2: [0.6825186289151615, 0.13146373028768246, 0.10390082938700813, 0.08211681141014796],
    1: [0.45957738435780177, 0.2016992901807385, 0.17931263864548466, 0.159410686815975],
    0.5: [0.3476971459619019, 0.23034245233292247, 0.2171837121943843, 0.20477668951079145],
    0.1: [0.2680495876219025, 0.2468594263826717, 0.24397221473601033, 0.24111877125941547],
    0.01: [0.2517687679246944, 0.2497038921707601, 0.2494102956235681, 0.24911704428097736],
}
PRINTED_3 = {
    5: [0.9705, 0.0158, 0.0088, 0.0049],
    2: [0.6825, 0.1315, 0.1039, 0.0821],
    1: [0.4596, 0.2017, 0.1793, 0.1594],
    0.5: [0.3477, 0.2303, 0.2172, 0.2048],
    0.1: [0.2680, 0.2469, 0.2440, 0.2411],
    0.01: [0.2518, 0.2497, 0.2494, 0.2491],
}


@pytest.mark.golden(*(f"lc_table3_{epsilon}" for epsilon in TABLE_3))
@pytest.mark.parametrize("epsilon", TABLE_3, ids=lambda epsilon: f"lc_table3_{epsilon}")
def test_table_3(epsilon: float) -> None:
    """At the answer of the first world itself: what the first world is believed is the risk of disclosure."""
    found = posterior(worlds(ABSENCE), DF_ABSENCE / epsilon, 2)
    assert found == pytest.approx(TABLE_3[epsilon], abs=1e-9)
    assert found == pytest.approx(PRINTED_3[epsilon], abs=6e-5)
    assert disclosure_risk(worlds(ABSENCE), DF_ABSENCE / epsilon) == pytest.approx(found[0], abs=1e-12)


TABLE_2 = {  # at which output, and what follows; means are rounded as the authors must have
    5: (2.0, [0.9705074540204945, 0.015895791319410463, 0.008723795241014883, 0.004872959419079852]),
    2: (2.394, [0.5520430943215687, 0.18589007872417543, 0.14622631502029135, 0.11584051193396452]),
    1: (2.0, [0.4595651595020893, 0.20193135154276018, 0.17909704249719072, 0.15940644645795987]),
    0.5: (2.0, [0.34769442773467507, 0.23047618592143865, 0.21705429773658028, 0.20477508860730603]),
    0.1: (5.0, [0.23276272260308403, 0.2527131044732263, 0.2557639300706704, 0.2587602428530193]),
    0.01: (5.0, [0.2482393626184915, 0.2502891831460158, 0.25058971044610784, 0.250881743789385]),
}
PRINTED_2 = {
    5: [0.9705, 0.0159, 0.0087, 0.0049],
    2: [0.5519, 0.1859, 0.1463, 0.1159],
    1: [0.4596, 0.2019, 0.1791, 0.1594],
    0.5: [0.3477, 0.2305, 0.2171, 0.2048],
    0.1: [0.2328, 0.2527, 0.2558, 0.2588],
    0.01: [0.2482, 0.2503, 0.2506, 0.2509],
}


@pytest.mark.golden(*(f"lc_table2_{epsilon}" for epsilon in TABLE_2))
@pytest.mark.parametrize("epsilon", TABLE_2, ids=lambda epsilon: f"lc_table2_{epsilon}")
def test_table_2(epsilon: float) -> None:
    """Its middle rows come out only of means that are rounded to 4.33 and 4.67."""
    output, exact = TABLE_2[epsilon]
    found = posterior([2, 4.33, 4.67, 5], DF_ABSENCE / epsilon, output)
    assert found == pytest.approx(exact, abs=1e-9)
    assert found == pytest.approx(PRINTED_2[epsilon], abs=1.5e-4)


# Section 5: the upper bound, and what is really allowed


@pytest.mark.golden("lc_dv")
def test_how_far_the_worlds_lie_apart() -> None:
    found = [width(worlds(ABSENCE)), width(worlds(YEAR)), width(worlds(ABSENCE, median))]
    assert found == pytest.approx([3, 1, 1], abs=1e-9)


BOUNDS = {
    "lc_eps_absence": (worlds(ABSENCE), DF_ABSENCE, 0.3829392687688218, 0.3829),
    "lc_eps_year": (worlds(YEAR), DF_YEAR, 0.33788759009013686, 0.3379),
    "lc_eps_median": (worlds(ABSENCE, median), DF_MEDIAN, 1.6218604324326569, 1.6219),
}


@pytest.mark.golden(*BOUNDS)
@pytest.mark.parametrize(("answers", "sensitivity", "exact", "printed"), BOUNDS.values(), ids=BOUNDS)
def test_the_upper_bound_of_equations_9_and_18(
    answers: list[float], sensitivity: float, exact: float, printed: float
) -> None:
    found = epsilon_bound(4, RHO, sensitivity, width(answers))
    assert found == pytest.approx(exact, abs=1e-9)
    assert found == pytest.approx(printed, abs=5e-5)
    assert risk_bound(1 / 4, found, sensitivity, width(answers)) == pytest.approx(RHO, abs=1e-12)


EXACT = {
    "lc_eps_absence_exact": (worlds(ABSENCE), DF_ABSENCE, RHO, 0.43172011956720124),
    "lc_eps_year_exact": (worlds(YEAR), DF_YEAR, RHO, 0.5251496872695117),
    "lc_eps_median_exact": (worlds(ABSENCE, median), DF_MEDIAN, RHO, 2.7725887222397807),
    "lc_eps_median_half": (worlds(ABSENCE, median), DF_MEDIAN, 1 / 2, math.inf),
}


@pytest.mark.golden(*EXACT)
@pytest.mark.parametrize(("answers", "sensitivity", "rho", "exact"), EXACT.values(), ids=EXACT)
def test_the_exact_epsilon(answers: list[float], sensitivity: float, rho: float, exact: float) -> None:
    """The paper prints 2.776 for 4 ln 2; and its search from 0 up to the bound finds none of these."""
    found = epsilon_for_belief(answers, sensitivity, rho)
    assert found == pytest.approx(exact, abs=1e-9)
    assert found > epsilon_bound(4, RHO, sensitivity, width(answers))


@pytest.mark.golden("lc_0.3292")
def test_the_risk_of_equation_12() -> None:
    found = disclosure_risk(worlds(YEAR), DF_YEAR / 0.5)
    assert found == pytest.approx(0.3291788293012836, abs=1e-9)
    assert found == pytest.approx(0.3292, abs=5e-5)


@pytest.mark.golden("lc_prior")
def test_the_bound_does_not_hold_for_a_prior_that_is_not_uniform() -> None:
    """Somebody who is 0.7 sure of the first world is more than 1/3 sure afterwards: the bound of their prior holds."""
    prior, epsilon = [0.7, 0.1, 0.1, 0.1], 0.3829
    bound = guess_chance(epsilon * 3 / DF_ABSENCE, 0.7)
    assert bound == pytest.approx(0.777770591253424, abs=1e-9)
    assert risk_bound(0.7, epsilon, DF_ABSENCE, 3) == bound
    believed = posterior(worlds(ABSENCE), DF_ABSENCE / epsilon, 2, prior)[0]
    assert believed == pytest.approx(0.7698, abs=5e-5)
    assert RHO < believed == pytest.approx(disclosure_risk(worlds(ABSENCE), DF_ABSENCE / epsilon, prior))
    assert believed <= bound


@pytest.mark.golden("dpp_avg_1d")
def test_how_often_the_best_guess_is_right_on_average() -> None:
    assert average_success(worlds(ABSENCE), DF_ABSENCE / 2) == pytest.approx(0.44577513485072345, abs=1e-9)


# Section 6: the median


@pytest.mark.golden("lc_table4")
def test_table_4() -> None:
    found = [local_sensitivity(world, median) for world in one_missing(ABSENCE)]
    assert found == pytest.approx([0.5, 4, 3.5, 3.5], abs=1e-9)
    assert global_sensitivity(ABSENCE, median) == DF_MEDIAN
