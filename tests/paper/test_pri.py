"""The PRI paper (Zhu, Castro Fernandez: Making Differential Privacy Easier to Use ...), section by section.

Where outputs are drawn, all checks together fail by chance in fewer than 1e-8 of all runs (`audit.RATE`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import cast

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.ports import Mechanism
from sfumato.privacy.risk.posthoc import Window, is_accepted, loss_gaussian, loss_laplace, pri, ratio, window
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES
from sfumato.release.selection.pri import find_epsilon_from_pri
from tests.depth import depth
from tests.statistical.audit import least_rate

FIVE = Fraction(5)
ONE_OF_TEN, NOBODY = [1] + [0] * 9, [0] * 10


def counted(ill: Sequence[int]) -> sf.Query:
    declared = {"name": "patients", "columns": {"ill": {"type": "integer", "bounds": [0, 1]}}}
    patients = sf.open(pd.DataFrame({"ill": ill}), declared, ledger=":memory:")
    return patients.query("SELECT COUNT(*) FROM patients WHERE ill = 1")


# Section 2.2: PRI and privacy loss

NUMBERS = st.floats(-1000, 1000)


@given(st.lists(NUMBERS, min_size=1, max_size=4), st.data())
def test_the_claim_a_larger_pri_is_a_larger_signed_loss(output: list[float], data: st.DataObject) -> None:
    same = st.lists(NUMBERS, min_size=len(output), max_size=len(output))
    answer, without_i, without_j = (data.draw(same) for _ in range(3))
    b = [2.0] * len(output)
    larger = pri(output, without_i) - pri(output, without_j)
    losses = [loss_laplace(output, answer, without, b) for without in (without_i, without_j)]
    assert losses[0] - losses[1] == pytest.approx(larger / 2, abs=1e-9)
    assert losses[0] == pytest.approx((pri(output, without_i) - pri(output, answer)) / 2, abs=1e-9)


@pytest.mark.golden("rdr_claim_counterexample")
def test_the_rdr_papers_claim_about_the_size_of_the_loss_is_false() -> None:
    """Without i the answer is 90, without j 98: i has the smaller RDR of the output 85, and the larger loss."""
    rdrs = [pri([85], [without]) for without in (90, 98)]
    losses = [loss_laplace([85], [100], [without], [1]) for without in (90, 98)]
    assert rdrs == [5, 13]
    assert losses == [-10, -2]
    assert [abs(loss) for loss in losses] == [10, 2]


@given(NUMBERS, NUMBERS, NUMBERS, st.floats(0.5, 100))
def test_the_loss_of_gaussian_noise_is_the_ratio_of_its_densities(r: float, here: float, q: float, s: float) -> None:
    """`(||o - q(x_-i)||^2 - ||o - q(x)||^2) / 2 sigma^2`."""
    logs = [-((r - centre) ** 2) / (2 * s * s) for centre in (here, q)]
    assert loss_gaussian([r], [here], [q], [s]) == pytest.approx(logs[0] - logs[1], rel=1e-9, abs=1e-6)


# Section 3.1, Figure 1: four students and their average grade


def test_figure_1_the_further_the_output_the_more_alike_the_pris() -> None:
    without = [3.1, 3.3, 3.4, 3.6]
    ratios = [
        ratio(min(pris), max(pris))
        for output in (3.35, 4.0, 6.0, 60.0)
        for pris in [[pri([output], [q]) for q in without]]
    ]
    assert ratios == sorted(ratios)
    assert ratios[0] == pytest.approx(0.2)
    assert ratios[-1] > 0.99


# Section 3.2: Find-eps-from-PRI


@pytest.mark.golden("pri_not_dp")
def test_one_person_is_counted_and_only_these_outputs_are_accepted() -> None:
    found = window(FIVE)
    assert (found.low, found.high) == pytest.approx((0.48717948717948717, 0.5128205128205129), abs=1e-9)
    assert (found.below, found.above) == pytest.approx((-19, 20), abs=1e-9)
    assert found.outside(0, 0.1) == pytest.approx(0.999133792271748, abs=1e-9)


@given(st.integers(1, 99), st.floats(-200, 200))
def test_the_window_is_the_test_of_line_13(percent: int, r: float) -> None:
    found, pris = window(Fraction(percent)), [pri([r], [without]) for without in (0, 1)]
    near = min(abs(r - end) for end in (found.below, found.low, found.high, found.above)) < 1e-9
    inside = r <= found.below or found.low <= r <= found.high or r >= found.above
    assert near or inside == is_accepted(min(pris), max(pris), Fraction(percent))


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.depth("pri runs")
def test_algorithm_1_is_not_private(record_property: Callable[[str, object], None]) -> None:
    """Nobody ill: nearly every output lies outside the window. One person ill: none does. That is delta."""
    outside = {ill: sum(not within(r, window(FIVE)) for r in accepted_outputs(ill)) for ill in (0, 1)}
    shown = least_rate(outside[0], depth("pri runs"))
    record_property("verdict", f"shown at least delta {shown:.4f} in {depth('pri runs')} runs a side")
    assert outside[1] == 0
    assert shown > 0.8


def accepted_outputs(ill: int) -> list[float]:
    query = counted(ONE_OF_TEN if ill else NOBODY)
    survey, mechanism = query._bound.look(Noise()), query.dataset.services.mechanism
    found = [find_epsilon_from_pri(survey, FIVE, PAPER_CANDIDATES, mechanism) for _ in range(depth("pri runs"))]
    return [float(cast(Fraction, one.output.numbers[0][0])) for one in found if one is not None]


def within(r: float, found: Window) -> bool:
    return r <= found.below or found.low <= r <= found.high or r >= found.above


def test_candidates_are_tried_from_the_largest_down_and_that_very_output_is_released() -> None:
    """Noise of 30 and more hides one person of ten to 5 in 100; of 1 it does not."""
    query = counted(ONE_OF_TEN)
    survey = query._bound.look(Noise())
    steps = int(1 / query.measurement.numbers[0].step)
    asked: list[float] = []

    def mechanism(law: str, reach: int = 0, /) -> Mechanism:
        assert law == NoiseLaw.LAPLACE

        def draw(totals: Sequence[int], _sensitivity: int, epsilon: float, /) -> Sequence[int]:
            asked.append(epsilon)
            return [total + round(steps * (30 if epsilon <= 0.5 else 1)) for total in totals]

        return draw

    found = find_epsilon_from_pri(survey, FIVE, (0.1, 0.5, 1, 10), mechanism)
    assert asked == sorted(asked, reverse=True)
    assert found is not None
    assert (found.epsilon, found.output.numbers) == (0.5, ((Fraction(31),),))
    assert find_epsilon_from_pri(survey, FIVE, (1, 10), mechanism) is None
    assert find_epsilon_from_pri(survey, FIVE, (), mechanism) is None


def test_where_nobody_is_counted_the_first_output_leaves() -> None:
    assert counted(NOBODY).choose(sf.pri(5)).epsilon == 10
    assert counted(NOBODY).choose(sf.pri(0), candidates=(0.1, 2)).epsilon == 2


@pytest.mark.parametrize(("percent", "times"), [(5, Fraction(20, 19)), (50, 2), (95, 20)])
def test_p_95_allows_20_times_and_not_95_in_100_more(percent: int, times: Fraction) -> None:
    assert is_accepted(1.0, float(times) * (1 - 1e-12), Fraction(percent))
    assert not is_accepted(1.0, float(times) * (1 + 1e-9), Fraction(percent))


def test_releasing_epsilon_by_noisy_max_over_the_ratio_is_useless() -> None:
    """One person moves the ratio from 1 to 0, all that it has: then noise picks among the 37 nearly as if blind."""
    assert [ratio(min(pris), max(pris)) for pris in ([0.0, 0.0], [0.0, 1.0])] == [1, 0]
    best, others = math.exp(1 / 2), len(PAPER_CANDIDATES) - 1  # at epsilon 1, where all others fail the test altogether
    assert best / (best + others) < 0.044


# Section 3.3: only candidates above what was spent


def test_only_candidates_above_what_was_spent_are_tried() -> None:
    query = counted(ONE_OF_TEN)
    query.release(epsilon=9)
    assert query.choose(sf.pri(100), sf.larger_than_spent()).epsilon == 10
    query.dataset.query("SELECT COUNT(*) FROM patients").release(epsilon=9, allow_no_guarantee=True)
    assert not query.choose(sf.pri(100), sf.larger_than_spent()).feasible


# Section 3.5: subsets


def test_section_3_5_medians_of_two_groups() -> None:
    """Those over 60 have 10, the others 0 to 4: their medians are compared."""
    people = pd.DataFrame({"age": [70, 80, 65, 20, 30, 40], "pay": [10, 10, 10, 0, 2, 4]})
    bounds = {"age": [0, 120], "pay": [0, 10]}
    schema = {"name": "t", "columns": {name: {"type": "integer", "bounds": b} for name, b in bounds.items()}}
    released = sf.open(people, schema, ledger=":memory:").query("SELECT SUM(pay) FROM t").release(epsilon=1)
    after = released.posthoc_risk(between="age > 60")
    r, total = released.numbers[0][0], 36
    over_60, others = abs(r - (total - 10)), sorted(abs(r - (total - pay)) for pay in (0, 2, 4))[1]
    assert after.between == pytest.approx((over_60, others))
    assert after.between_ratio == pytest.approx(min(over_60, others) / max(over_60, others))


# Section 6.3.1: the 37 candidates, of which ".099" is printed for .009


def test_the_candidates_are_37_and_none_is_099() -> None:
    assert len(PAPER_CANDIDATES) == len(set(PAPER_CANDIDATES)) == 37
    assert 0.009 in PAPER_CANDIDATES
    assert 0.099 not in PAPER_CANDIDATES
