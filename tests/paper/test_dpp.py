"""Pankova et al., "Decision Support for Sharing Data Using Differential Privacy", by its own examples.

See docs/theory/guessing.md and docs/theory/truncated.md.
"""

from __future__ import annotations

import math

import pandas as pd
import pytest

import sfumato as sf
from sfumato.privacy.noise.error import noise_quantile
from sfumato.privacy.noise.truncated_laplace import delta_of_each, delta_of_reach, epsilon_of_reach, reach_of
from sfumato.privacy.risk.guessing import average_chance, guess_chance, joint_exponent, largest_advantage
from sfumato.privacy.risk.sharing import LEVELS, nearest_word, sharing_risk, sharing_risk_as_published

SIRD = ["S", "I", "R", "D"]
VILLAGE = pd.DataFrame({"state": SIRD * 25})
COUNTS = "SELECT state, COUNT(*) AS people FROM village GROUP BY state"


def village(relation: str = "add-remove") -> sf.Query:
    """Disease states of a village, counted: susceptible, infected, recovered, deceased."""
    columns = {"state": {"type": "text", "categories": SIRD}}
    schema = {"name": "village", "relation": relation, "columns": columns}
    return sf.open(VILLAGE, schema, ledger=":memory:").query(COUNTS)


# Guesses: how often Alice's disease state is guessed right (Sec. 2.1)

GUESSED = {  # epsilon of each bar: by (4) with m = 4, by the two bars that Alice moves, and of all bars together
    0.1: (0.3321199730756749, 0.2893357559401649, 0.26921434944631023),
    0.5: (0.7112345942275939, 0.4753668864186717, 0.35466124439244334),
    1: (0.9479149938275157, 0.7112345942275939, 0.4753668864186717),
    2: (0.9989946239146035, 0.9479149938275157, 0.7112345942275939),
}


@pytest.mark.parametrize("epsilon", [pytest.param(e, marks=pytest.mark.golden(f"dpp_post_{e}")) for e in GUESSED])
def test_alices_state_from_four_counts(epsilon: float) -> None:
    """All four bars is a bound; two is the truth, as she leaves one and enters another; a joint epsilon is one."""
    moves: list[list[float]] = [[1, 1, 1, 1], [1, 1, 0, 0], [0.5, 0.5, 0, 0]]
    for moved, chance in zip(moves, GUESSED[epsilon], strict=True):
        assert guess_chance(joint_exponent([epsilon] * 4, moved), 1 / 4) == pytest.approx(chance, rel=1e-9)


@pytest.mark.parametrize("epsilon", GUESSED)
def test_the_factor_is_the_relations(epsilon: float) -> None:
    """Where people are added or removed, noise of 1/epsilon hides one bar, and Alice moves two; replaced, both."""
    _, two_bars, joint = GUESSED[epsilon]
    assert village().guessing(secret="state").at(epsilon).chance == pytest.approx(two_bars, rel=1e-9)
    assert village("replace").guessing(secret="state").at(epsilon).chance == pytest.approx(joint, rel=1e-9)


AVERAGE = {0.5: 0.3713251796528946, 1: 0.501346684401488, 2: 0.7226746405067797}


@pytest.mark.parametrize("epsilon", [pytest.param(e, marks=pytest.mark.golden(f"dpp_avg_{e}")) for e in AVERAGE])
def test_on_average_she_is_guessed_less_often(epsilon: float) -> None:
    """Sec. 2.2.1: over the answers, not at the worst of them. On the grid that noise is drawn on, a hair more."""
    assert average_chance(epsilon, 4) == pytest.approx(AVERAGE[epsilon], rel=1e-9)
    drawn = village().guessing(secret="state").at(epsilon)
    assert drawn.average is not None
    assert AVERAGE[epsilon] < drawn.average < AVERAGE[epsilon] + 1e-6 < drawn.chance


def test_on_average_too_the_factor_is_the_relations() -> None:
    """Replaced, she moves two bars under noise that is twice as wide: half of epsilon a bar."""
    added, replaced = village().guessing(secret="state").at(1), village("replace").guessing(secret="state").at(2)
    assert added.average == replaced.average
    assert added.chance == replaced.chance


# Advantage (Definition 2.4), for any prior

ADVANTAGES = {
    0.1: 0.024994792968420686,
    0.5: 0.1243530017715962,
    1: 0.24491866240370913,
    2: 0.46211715726000974,
    4: 0.7615941559557649,
}


@pytest.mark.parametrize("epsilon", [pytest.param(e, marks=pytest.mark.golden(f"adv_{e}")) for e in ADVANTAGES])
def test_the_largest_advantage(epsilon: float) -> None:
    assert largest_advantage(epsilon) == pytest.approx(ADVANTAGES[epsilon], rel=1e-9)
    assert village("replace").guessing(secret="state").at(epsilon).any_prior == pytest.approx(ADVANTAGES[epsilon])


# Risk (Sec. 2.1 and 2.3)


@pytest.mark.golden("dpp_floor")
def test_the_risk_has_a_floor_as_published_and_none_as_an_advantage() -> None:
    """Sec. 2.1: sensitivity 1, trust 0, four states: never below 0.25, whatever the noise."""
    nothing = guess_chance(0.0, 1 / 4)
    assert sharing_risk_as_published(1, 0, nothing) == pytest.approx(0.25, rel=1e-9)
    assert sharing_risk(1, 0, nothing, 1 / 4) == 0
    at = village().guessing(secret="state", trust=0, data_sensitivity=1).at(1e-9)
    assert at.risk_as_published == pytest.approx(0.25)
    assert at.risk == pytest.approx(0, abs=1e-8)


@pytest.mark.golden("dpp_risk")
def test_the_risk_of_section_2_3() -> None:
    at = village("replace").guessing(secret="state", trust=0.2, data_sensitivity=0.8).at(0.5)
    assert at.risk_as_published == pytest.approx(0.2269831964111638, rel=1e-9)
    assert at.risk == pytest.approx(0.8 * 0.8 * (at.chance - 0.25) / 0.75, rel=1e-12)


# Noise (Sec. 2.2.1)


@pytest.mark.golden("dpp_A90")
def test_the_90_percent_noise_range() -> None:
    assert noise_quantile(1, 0.1, 1 - 0.9) == pytest.approx(23.025850929940457, rel=1e-9)
    assert village().guessing(secret="state").at(0.1).noise_90 == pytest.approx((23.025850929940457,), rel=1e-9)


# The three situations of Sec. 3 and 4. The paper gives words for the first alone, and numbers for none.


def test_the_epidemic_of_section_3() -> None:
    """Low trust, high sensitivity: without noise the risk is medium. 10% noise is ±10 on a count of 100.

    Then the text calls it very low and the caption of Figure 3 low: two bars, and (4) with all four, come out so.
    """
    trust, sensitivity = LEVELS["low"], LEVELS["high"]
    assert nearest_word(sharing_risk_as_published(sensitivity, trust, 1.0)) == "medium"
    epsilon = -math.log(1 - 0.9) / 10
    said = [
        nearest_word(sharing_risk_as_published(sensitivity, trust, guess_chance(bars * epsilon, 1 / 4)))
        for bars in (2, 4)
    ]
    assert said == ["very low", "low"]


@pytest.mark.parametrize(
    ("trust", "sensitivity", "limit", "tolerable"),
    [
        pytest.param("low", "high", "low", 10, id="epidemic: low trust, high sensitivity, 5-10% noise"),
        pytest.param("medium", "very high", "very low", 10, id="genetic predictors"),
        pytest.param("high", "medium", "very low", 5, id="disaster evacuation"),
    ],
)
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_the_officer_finds_a_noise_that_is_tolerable(
    relation: str, trust: str, sensitivity: str, limit: str, tolerable: float
) -> None:
    """A risk no more than the limit and noise on a count of 100 no more than is tolerable: both at one epsilon."""
    query = village(relation)
    stated = {"trust": trust, "data_sensitivity": sensitivity, "secret": "state"}
    seen = query.guessing(**stated, limit=limit)  # type: ignore[arg-type]
    chosen = query.choose(sf.sharing_risk(limit, **stated))  # type: ignore[arg-type]
    assert seen.epsilon == chosen.epsilon
    assert chosen.guarantee == "dp"
    [at] = [row for row in seen.candidates if row.epsilon == chosen.epsilon]
    [noise] = at.noise_90
    assert at.risk is not None
    assert noise is not None
    assert at.risk == pytest.approx(LEVELS[limit])
    assert noise <= tolerable


# Truncated noise (Sec. 2.2.1)

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
    """The paper's formula is that of sensitivity 1 (docs/theory/guessing.md and docs/theory/truncated.md)."""
    assert reach_of(1, 1e-6, sensitivity=5) == pytest.approx(68.31844697984992, rel=1e-9)
    assert delta_of_reach(68.31844697984992, 1, sensitivity=5) == pytest.approx(1e-6, rel=1e-9)
    assert delta_of_reach(reach_of(1, 1e-6), 1, sensitivity=5) == pytest.approx(0.0598, abs=5e-5)


@pytest.mark.golden("dpp_delta_split")
@pytest.mark.parametrize(("numbers", "each"), [(4, 2.273736754433096e-13), (2, 4.547473508865675e-13)])
def test_what_several_numbers_share_of_delta(numbers: int, each: float) -> None:
    """Equation (6)."""
    assert delta_of_each(NEGLIGIBLE, numbers) == pytest.approx(each, rel=1e-9)
