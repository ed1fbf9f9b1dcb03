"""Truncated Laplace noise as it is asked for, drawn, shown and charged; and where there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.adapters.noise.truncated import truncated
from sfumato.errors import NoMechanism, PreferenceError
from sfumato.model.choice import Noise
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.noise.truncated_laplace import (
    delta_of_each,
    delta_of_reach,
    epsilon_of_reach,
    mean_share,
    reach_of,
    steps_of_reach,
)
from sfumato.privacy.risk.membership import attack_chance

COLUMNS: dict[str, Any] = {
    "days": {"type": "integer", "bounds": [0, 5]},
    "ward": {"categories": ["a", "b"]},
    "town": {"type": "text", "keys": "private"},
}
SUM = "SELECT SUM(days) FROM stays"
HOW: dict[str, Any] = {"mechanism": "truncated", "delta": 1e-6}
NOISE = Noise("truncated", 1e-6)


def stays(days: int = 5, **stated: Any) -> sf.Dataset:
    frame = pd.DataFrame({"days": [0, 3, days], "ward": ["a", "b", "a"], "town": ["x", "y", "z"]})
    return sf.open(frame, {"name": "stays", "columns": COLUMNS} | stated, ledger=":memory:")


# What is drawn


def test_noise_stays_within_the_reach_that_the_certificate_states() -> None:
    query = stays().query(SUM)
    releases = [query.release(epsilon=1, mechanism="truncated", delta=0.1, redraw=True) for _ in range(50)]
    assert len({release.numbers for release in releases}) > 1
    for release in releases:
        [[total]], (reach,) = release.numbers, release.certificate.reach or ()
        assert abs(total - 8) <= reach
        assert reach == pytest.approx(reach_of(1, 0.1, sensitivity=5), abs=5 / 1024)
        assert release.certificate.scale == (5.0,)


def test_how_wide_it_is_grows_with_the_sensitivity() -> None:
    """The paper's formula is that of a count."""
    counted, summed = (calibrate(stays().query(sql).measurement, NOISE, 1.0, 10.0).numbers[0].furthest
                       for sql in ("SELECT COUNT(*) FROM stays", SUM))  # fmt: skip
    assert summed == pytest.approx(5 * counted, rel=1e-3)
    assert stays(relation="replace").query(SUM).release(epsilon=1, **HOW).certificate.reach == pytest.approx(
        [reach_of(1, 1e-6, 10)], rel=1e-3
    )


def test_the_numbers_of_a_mean_share_delta() -> None:
    each = delta_of_each(1e-6, 2)
    for sql in ("SELECT AVG(days) FROM stays", "SELECT ward, AVG(days) FROM stays GROUP BY ward"):
        measurement = stays().query(sql).measurement
        for drawing, number in zip(calibrate(measurement, NOISE, 1.0, 10.0).numbers, measurement.numbers, strict=True):
            assert drawing.reach == steps_of_reach(0.5, each, number.steps), "and its groups do not"


def test_what_nobody_moves_carries_no_noise() -> None:
    assert steps_of_reach(1.0, 1e-6, 0) == 0
    assert truncated([7, 8], 0, 1.0, reach=0) == [7, 8]


def test_totals_beyond_64_bits_are_brought_within() -> None:
    assert abs(truncated([2**70], 1, 1.0, reach=9)[0] - 2**62) <= 9


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1.0, 700.0, 1e6])
@pytest.mark.parametrize("delta", [5e-324, 1e-300, 1e-9, 0.49])
def test_no_epsilon_and_no_delta_is_too_much_for_the_formulas(epsilon: float, delta: float) -> None:
    reach = reach_of(epsilon, delta)
    assert 1 <= reach < math.inf
    assert steps_of_reach(epsilon, delta, 1024) >= 1024 * reach - 1
    assert 0 <= delta_of_reach(reach, epsilon) <= delta * (1 + 1e-9)


# What is shown


def test_an_attacker_is_right_as_often_as_epsilon_and_delta_say() -> None:
    at = stays().query(SUM).worst_case("truncated", 0.1).at(1.0)
    assert at.attack_chance == attack_chance(1.0, 0.1)
    own = mean_share(1.0, 0.1)
    assert (at.gap, at.ratio) == pytest.approx((1 + 1 / own, own / (1 + own)))  # its mean is less than Laplace noise's
    assert at.noise_90[0] == pytest.approx(5 * 1.6408, abs=0.01)
    assert stays().query(SUM).worst_case().at(1.0).noise_90[0] == pytest.approx(5 * math.log(10))


def test_the_odds_of_whoever_carries_less_are_less() -> None:
    less, most = (stays(days).query(SUM).risk("truncated", 0.01).at(1.0).attack_chance for days in (4, 5))
    assert less == attack_chance(0.8, 0.01)
    assert most == attack_chance(1.0, 0.01)
    nobody = stays().query("SELECT SUM(days) FROM stays WHERE days > 7").risk("truncated", 0.01)
    assert nobody.at(1.0).attack_chance == 0.5


def test_a_chance_is_met_with_its_delta() -> None:
    choice = stays().query(SUM).choose(sf.attack_chance(0.6), mechanism="truncated", delta=0.1)
    assert choice.epsilon is not None
    assert attack_chance(choice.epsilon, 0.1) == pytest.approx(0.6)


def test_the_certificate_says_what_was_drawn() -> None:
    release = stays().query("SELECT AVG(days) FROM stays").release(epsilon=1, **HOW)
    certificate = release.certificate
    assert certificate.laws == ("truncated", "truncated")
    assert certificate.reach == pytest.approx([reach_of(0.5, delta_of_each(1e-6, 2), d) for d in (2.5, 1)], rel=1e-3)
    assert "(1, 1e-06)-differential privacy" in str(certificate)
    assert f"largest noise {of_guarantee.rounded_up(certificate.reach[0])}" in str(certificate)  # type: ignore[index]
    for page in (certificate.to_html(), certificate._repr_html_()):
        assert "runcated Laplace noise" in page
        assert "the noise is never larger" in page
    assert sf.Certificate.from_dict(certificate.as_dict()) == certificate
    assert stays().query(SUM).release(epsilon=1).certificate.reach is None


def test_without_a_guarantee_the_reach_is_withheld() -> None:
    dataset = stays()
    dataset.query(SUM).risk()
    release = dataset.query(SUM).release(epsilon=1, allow_no_guarantee=True, **HOW)
    assert release.certificate.reach is None
    assert "reach" not in str(release.certificate)


def test_an_epsilon_may_be_selected_for_it() -> None:
    """Exposures add up as under Laplace noise; what it spends of delta comes with the release."""
    dataset = stays()
    choice = dataset.query(SUM).choose(sf.exposure_cap(0.5, allow=0.5, select_epsilon=1), **HOW)
    dataset.query(SUM).release(choice)
    assert dataset.ledger.total.delta == 1e-6


# What is refused

REFUSED: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "no delta": (
        lambda: stays().query(SUM).release(epsilon=1, mechanism="truncated"),
        PreferenceError, "Truncated noise needs a delta. Hint: add delta=1e-9."),
    "half of all": (
        lambda: stays().query(SUM).worst_case("truncated", 0.5),
        PreferenceError, "delta must be below 1/2 for truncated noise, not 0.5. Hint: try delta=1e-9."),
    "private keys": (
        lambda: stays().query("SELECT town, COUNT(*) FROM stays GROUP BY town").release(epsilon=1, **HOW),
        NoMechanism, "Private group keys need Laplace noise. Hint: use mechanism='laplace' with the same "
        "delta, or list the public categories."),
    "a median": (
        lambda: stays().query("SELECT MEDIAN(days) FROM stays").release(epsilon=1, **HOW),
        NoMechanism, "MEDIAN of days is selected by its rank and does not use truncated noise. Hint: use "
                     "mechanism='laplace': the selection then has the same guarantee as Laplace noise."),
    "all but flat": (
        lambda: stays().query(SUM).release(epsilon=1e-3, mechanism="truncated", delta=0.1),
        NoMechanism, "The epsilon is too small for truncated noise with this delta. Hint: choose a larger epsilon."),
    "the exact RDR": (
        lambda: stays().query(SUM).worst_case("truncated", 1e-6, exact=True),
        PreferenceError, "The exact RDR is supported for Laplace and Gaussian noise only. Hint: leave exact out, "
                         "or use mechanism='laplace'."),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_a_sentence(case: str) -> None:
    ask, error, sentence = REFUSED[case]
    with pytest.raises(error) as refused:
        ask()
    assert str(refused.value) == sentence


def test_a_refusal_charges_nothing() -> None:
    dataset = stays()
    with pytest.raises(NoMechanism):
        dataset.query("SELECT MEDIAN(days) FROM stays").release(epsilon=1, **HOW)
    assert dataset.ledger.total.releases == 0


def test_no_epsilon_is_selected_that_could_not_be_drawn() -> None:
    dataset = stays()
    with pytest.raises(NoMechanism, match="too small for truncated noise with this delta"):
        dataset.query(SUM).choose(sf.exposure_cap(0.5, allow=0.1, select_epsilon=1), mechanism="truncated", delta=0.1)
    assert dataset.ledger.total.releases == 0


def test_a_reach_within_the_sensitivity_has_no_epsilon() -> None:
    assert epsilon_of_reach(5, 1e-6, sensitivity=5) is None
    assert epsilon_of_reach(5.01, 1e-6, sensitivity=5) is not None
    assert epsilon_of_reach(math.nextafter(5, 6), 1e-6, sensitivity=5) == pytest.approx(13.12 * 5 * 2**50, rel=1e-2)
    assert delta_of_reach(2.4, 1, sensitivity=5) == 1
    assert 0.5 < delta_of_reach(4, 1, sensitivity=5) < 1


@pytest.mark.parametrize(("epsilon", "delta"), [(0.2, 0.3), (1.0, 0.05), (2.0, 1e-6), (0.01, 1e-3)])
def test_the_mean_of_truncated_noise(epsilon: float, delta: float) -> None:
    """Against its density: `x e^-x` over `e^-x` up to the reach, in scales."""
    reach = reach_of(epsilon, delta) * epsilon
    steps = 200_000
    xs = [reach * (i + 0.5) / steps for i in range(steps)]
    weights = [math.exp(-x) for x in xs]
    mean = math.fsum(x * w for x, w in zip(xs, weights, strict=True)) / math.fsum(weights)
    assert mean_share(epsilon, delta) == pytest.approx(mean, rel=1e-6)


@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.01])
def test_a_gap_is_kept_by_the_mean_that_truncated_noise_has(delta: float) -> None:
    query = stays().query(SUM)
    choice = query.choose(sf.gap(1.2, worst_case=True), mechanism="truncated", delta=delta)
    assert choice.epsilon is not None
    assert choice.epsilon < 0.2
    assert query.worst_case("truncated", delta).at(choice.epsilon).gap == pytest.approx(1.2)


def test_a_gap_that_no_truncated_noise_keeps() -> None:
    choice = stays().query(SUM).choose(sf.gap(1.2, worst_case=True), mechanism="truncated", delta=0.3)
    assert not choice.feasible


def test_what_goes_by_the_rdrs_of_laplace_noise_is_refused() -> None:
    for preference in (sf.satisfies(lambda _: True), sf.variance(0.1, select_epsilon=0.5)):
        with pytest.raises(PreferenceError, match="is supported for Laplace and Gaussian noise only"):
            stays().query(SUM).choose(preference, mechanism="truncated", delta=1e-6)
