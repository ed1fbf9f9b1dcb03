"""The private exposure histogram: its bins, what it charges and refuses, what it says, and that it is no look."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.api import risk_report
from sfumato.errors import BadInput, EngineFailure, NoGuarantee, NoMechanism, PreferenceError, SfumatoError
from sfumato.ledger.entry import Event, nano
from sfumato.model.choice import Noise
from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.model.guarantee import Guarantee
from sfumato.model.release import ReleaseCertificate
from sfumato.model.risk import Source
from sfumato.presentation.risk.profile import candidates, estimates
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.privacy.noise.intervals import one_sided_reach
from sfumato.release.people.survey import Survey

LAPLACE, GAUSSIAN = Noise(), Noise("gaussian", 1e-6)
PAY = {"type": "number", "bounds": [0, 100]}
DAYS = {"type": "integer", "bounds": [0, 20]}
SUM = "SELECT SUM(days) FROM stays"


def stays(
    days: Any, ledger: object = ":memory:", version: str = "1", column: object = DAYS, **stated: Any
) -> sf.Dataset:
    columns = {"days": column, "who": {"type": "text"}, "ward": {"categories": ["a", "b"]}}
    frame = days if isinstance(days, pd.DataFrame) else pd.DataFrame({"days": days, "who": "x", "ward": "a"})
    return sf.open(frame, {"name": "stays", "columns": columns} | stated, ledger=ledger, version=version)  # type: ignore[arg-type]


def counts(dataset: sf.Dataset, sql: str, bins: int = 4, noise: Noise = LAPLACE) -> tuple[int, ...]:
    return dataset.query(sql)._bound.survey(noise).people_by_bin(bins)


# Bins


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        pytest.param("SELECT COUNT(*) FROM stays WHERE days > 10", (4, 0, 0, 0, 4), id="matched or not"),
        pytest.param(SUM, (1, 2, 1, 1, 3), id="an edge belongs to the bin below it"),
        pytest.param("SELECT AVG(days) FROM stays", (0, 0, 0, 3, 5), id="of a mean half is the count"),
        pytest.param("SELECT SUM(days), COUNT(*) FROM stays WHERE days < 6", (5, 0, 1, 2, 0), id="two numbers"),
        pytest.param("SELECT ward, SUM(days) FROM stays GROUP BY ward", (1, 2, 1, 1, 3), id="in groups"),
    ],
)
def test_everybody_is_in_the_bin_of_their_exposure(sql: str, expected: tuple[int, ...]) -> None:
    """Of 20 days, eight people stayed 0, 1, 5, 6, 11, 16, 20, and 90, which is as good as 20."""
    dataset = stays([0, 1, 5, 6, 11, 16, 20, 90])
    assert counts(dataset, sql) == expected
    assert sum(counts(dataset, sql, 200)) == 8


def test_no_exposure_is_too_small_to_be_one() -> None:
    """Bin 0 is for those whom the query does not depend on, and nobody else."""
    huge = {"type": "integer", "bounds": [0, 2**31]}
    assert counts(stays([0, 1, 2**31], column=huge), SUM) == (1, 1, 0, 0, 1)
    assert counts(stays([1], column=huge, unit="who", max_rows=10**6), SUM) == (0, 1, 0, 0, 0)


def test_every_edge_is_met_exactly() -> None:
    """An exposure of i / bins is in bin i, whatever floats make of it."""
    for bins in (2, 3, 7, 20, 49, 200):
        dataset = stays(range(bins + 1), column={"type": "integer", "bounds": [0, bins]})
        assert counts(dataset, SUM, bins) == (1,) * (bins + 1)
        assert counts(dataset, SUM, bins, GAUSSIAN) == (1,) * (bins + 1)


def test_under_gaussian_noise_exposures_are_distances() -> None:
    """A SUM at its bound and a COUNT: together all of it; the count alone the root of one half."""
    dataset = stays([0, 20])
    assert counts(dataset, "SELECT SUM(days), COUNT(*) FROM stays", 10) == (0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
    assert counts(dataset, "SELECT SUM(days), COUNT(*) FROM stays", 10, GAUSSIAN) == (0,) * 8 + (1, 0, 1)


def test_replaced_people_carry_half() -> None:
    assert counts(stays([0, 10, 20], relation="replace"), SUM) == (1, 1, 1, 0, 0)


def test_rows_are_added_up_in_whole_steps_as_for_a_release() -> None:
    """35 of 100 are 367,002 of 2**20 steps, a little more than 0.35; a sum of floats would depend on their order."""
    rows = pd.DataFrame({"days": [35.0] * 3, "who": "Al", "ward": "a"})
    assert 367_002 / 2**20 > 0.35
    assert counts(stays(rows, column=PAY), SUM, 20)[7:9] == (0, 3)
    assert counts(stays(rows, column=PAY, unit="who", max_rows=3), SUM, 20)[7:9] == (0, 1)


def test_people_are_in_cells_of_their_own() -> None:
    """Two rows of one person: in two groups both are carried, in one they add up to nothing."""
    rows = pd.DataFrame({"days": [20, -20, 20, 5], "who": ["Al", "Al", "Bo", "Bo"], "ward": ["a", "b", "a", "a"]})
    dataset = stays(rows, column={"type": "integer", "bounds": [-20, 20]}, unit="who", max_rows=2)
    assert counts(dataset, "SELECT ward, SUM(days) FROM stays GROUP BY ward") == (0, 0, 0, 1, 1)
    assert counts(dataset, SUM) == (1, 0, 0, 1, 0)


def test_private_keys_do_not_make_an_exposure_anybody_elses() -> None:
    columns = {"days": DAYS, "who": {"keys": "private", "type": "text"}, "ward": {"categories": ["a"]}}
    sql = "SELECT who, COUNT(*) FROM stays WHERE days > 3 GROUP BY who"
    assert counts(stays([1, 4, 5], columns=columns), sql) == (1, 0, 0, 0, 2)
    assert stays([1, 4, 5], columns=columns).query(sql).exposure_histogram(1.0).outputs is None


def test_of_private_keys_an_attacker_has_their_delta_too() -> None:
    """(e + 0.1) / (1 + e) at epsilon 1; with Laplace noise a delta is that of the threshold of the release."""
    columns = {"ward": {"type": "text", "keys": "private"}}
    query = stays([1, 2, 3], columns=columns).query("SELECT ward, COUNT(*) FROM stays GROUP BY ward")
    assert query.exposure_histogram(1.0, delta=0.1).at(1.0).attack_chance == pytest.approx(
        (math.e + 0.1) / (1 + math.e)
    )


# What it charges


def test_a_histogram_is_charged_then_drawn_then_kept(ledger_path: Path) -> None:
    dataset = stays(range(9), ledger_path)
    profile = dataset.query(SUM).exposure_histogram(0.05)
    opened, reserved, released = dataset.ledger.entries
    assert [e.draft.event for e in (opened, reserved, released)] == [Event.OPENED, Event.RESERVED, Event.RELEASED]
    assert reserved.draft.nano_epsilon == 50_000_000
    assert dataset.ledger.total.epsilon == 0.05
    assert not dataset.ledger.record.anyone_looked
    certificate = profile.certificate
    assert certificate is not None
    assert (certificate.guarantee, certificate.epsilon, certificate.charged) == (Guarantee.DP, 0.05, 0.05)
    assert (certificate.sensitivity, certificate.scale, certificate.outputs) == ((1.0,), (20.0,), 21)
    assert certificate.ledger_entry == reserved.number
    assert certificate.dataset_total == 0.05


def test_whoever_is_replaced_is_in_two_bins() -> None:
    certificate = stays(range(9), relation="replace").query(SUM).exposure_histogram(0.5).certificate
    assert certificate is not None
    assert (certificate.sensitivity, certificate.scale) == ((2.0,), (4.0,))
    assert "(replace)" in of_guarantee.guarantee(certificate)


def test_the_charge_comes_before_anybody_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = stays(range(9))
    query = dataset.query(SUM)

    def fails(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Survey, "people_by_bin", fails)
    with pytest.raises(EngineFailure):
        query.exposure_histogram(0.05)
    assert [e.draft.event for e in dataset.ledger.entries] == [Event.OPENED, Event.RESERVED, Event.FAILED]
    monkeypatch.undo()
    query.exposure_histogram(0.05)
    assert dataset.ledger.total.nano_epsilon == nano(0.1), "a retry draws and charges anew"


@pytest.mark.parametrize(
    ("more", "charged"),
    [
        ({}, False),
        ({"candidates": (0.1, 1.0)}, False),
        ({"preregistered": "minutes"}, False),
        ({"redraw": True}, True),
        ({"bins": 19}, True),
        ({"epsilon": 0.06}, True),
        ({"mechanism": "gaussian", "delta": 1e-6}, True),
    ],
    ids=str,
)
def test_asking_again(more: dict[str, Any], charged: bool) -> None:
    query = stays(range(9)).query(SUM)
    first = query.exposure_histogram(0.05).exposure
    redraw = query.exposure_histogram(**({"epsilon": 0.05} | more)).exposure
    assert (redraw != first) is charged
    assert query.dataset.ledger.total.releases == 1 + charged


def test_the_kind_of_noise_counts_and_not_its_delta() -> None:
    query = stays(range(9)).query(SUM)
    wide, narrow = (query.exposure_histogram(0.05, mechanism="gaussian", delta=delta) for delta in (1e-9, 1e-3))
    assert wide.exposure == narrow.exposure
    assert wide.at(1.0).noise_90 > narrow.at(1.0).noise_90


def test_other_data_and_another_schema_are_another_histogram(ledger_path: Path) -> None:
    stays(range(9), ledger_path).query(SUM).exposure_histogram(0.05)
    assert stays(range(9), ledger_path).query(SUM).exposure_histogram(0.05).certificate is not None
    dataset = stays(range(9), ledger_path, version="2")
    assert dataset.ledger.total.releases == 1
    dataset.query(SUM).exposure_histogram(0.05)
    wider = stays(range(9), ledger_path, column={"type": "integer", "bounds": [0, 30]})
    wider.query(SUM).exposure_histogram(0.05)
    assert wider.ledger.total.releases == 3


# What it refuses: nothing is entered


@pytest.mark.parametrize(
    ("refused", "kind", "sentence"),
    [
        (lambda q: q.exposure_histogram(0), PreferenceError, "epsilon must be between 1e-09 and 1,000,000, not 0"),
        (lambda q: q.exposure_histogram(-1.0), PreferenceError,
         "epsilon must be between 1e-09 and 1,000,000, not -1.0"),
        (lambda q: q.exposure_histogram(math.nan), PreferenceError, "epsilon must be a finite number, not nan"),
        (lambda q: q.exposure_histogram(math.inf), PreferenceError, "epsilon must be a finite number, not inf"),
        (lambda q: q.exposure_histogram(11), PreferenceError,
         "The epsilon of an exposure histogram must be at most 10, not 11"),
        (lambda q: q.exposure_histogram(1, bins=1), PreferenceError,
         "The number of bins of an exposure histogram must be from 2 to 200, not 1"),
        (lambda q: q.exposure_histogram(1, bins=201), PreferenceError,
         "The number of bins of an exposure histogram must be from 2 to 200, not 201"),
        (lambda q: q.exposure_histogram(1, bins=2.5), PreferenceError,
         "The number of bins of an exposure histogram must be from 2 to 200, not 2.5"),
        (lambda q: q.exposure_histogram(1, bins=True), PreferenceError,
         "The number of bins of an exposure histogram must be from 2 to 200, not True"),
        (lambda q: q.exposure_histogram(1, mechanism="gaussian"), PreferenceError, "Gaussian noise needs a delta"),
        (lambda q: q.exposure_histogram(1, candidates="all"), PreferenceError,
         "Candidates must be 'paper' or a list of epsilons above 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    refused: Callable[[sf.Query], object], kind: type[SfumatoError], sentence: str
) -> None:
    query = stays(range(9)).query(SUM)
    with pytest.raises(kind) as told:
        refused(query)
    assert str(told.value).startswith(f"{sentence}.")
    assert not query.dataset.ledger.entries


@pytest.mark.parametrize("epsilon", [0, -1.0, math.nan, math.inf, 1e-12, "much"])
def test_an_epsilon_is_refused_as_by_a_release(epsilon: Any) -> None:
    query = stays(range(9)).query(SUM)
    with pytest.raises(PreferenceError) as by_release:
        query.release(epsilon=epsilon)
    with pytest.raises(PreferenceError) as by_histogram:
        query.exposure_histogram(epsilon)
    assert str(by_histogram.value) == str(by_release.value)


@pytest.mark.parametrize(
    "figure", ["MIN(days)", "MAX(days)", "MEDIAN(days)", "QUANTILE_CONT(days, 0.9)", "COUNT(DISTINCT days)"]
)
def test_there_is_no_histogram_of_what_is_no_sum_over_people(figure: str) -> None:
    for sql in (f"SELECT {figure} FROM stays", f"SELECT COUNT(*), {figure} AS other FROM stays"):
        query = stays(range(9)).query(sql)
        with pytest.raises(NoMechanism, match=r"each exposure depends on other people.*worst_case"):
            query.exposure_histogram(0.05)
        assert not query.dataset.ledger.entries


def test_there_is_no_histogram_with_bounds_from_the_data() -> None:
    frame = pd.DataFrame({"days": range(9)})
    dataset = sf.open(frame, {"name": "stays", "columns": {}}, ledger=":memory:", bounds_from_data=True)
    with pytest.raises(NoMechanism, match="Bounds from the data"):
        dataset.query("SELECT COUNT(*) FROM stays").exposure_histogram(0.05)
    assert not dataset.ledger.entries


# The three words


def test_after_a_look_it_carries_no_guarantee() -> None:
    dataset = stays(range(9))
    query = dataset.query(SUM)
    query.risk()
    before = dataset.ledger.entries
    with pytest.raises(NoGuarantee) as told:
        query.exposure_histogram(0.05)
    assert (
        "This exposure histogram would have no guarantee, because the epsilon was stated after a look at the people"
        in str(told.value)
    )
    assert "--worst-case" not in str(told.value)
    assert dataset.ledger.entries == before

    profile = query.exposure_histogram(0.0123456, allow_no_guarantee=True)
    certificate, exposure_histogram = profile.certificate, profile.exposure
    assert certificate is not None
    assert isinstance(exposure_histogram, ExposureHistogram)
    withheld = (
        certificate.epsilon,
        certificate.scale,
        certificate.noise_90,
        certificate.charged,
        exposure_histogram.reach,
    )
    assert (certificate.guarantee, *withheld) == (Guarantee.NONE, *([None] * 5))
    assert (exposure_histogram.min, exposure_histogram.max, any(exposure_histogram.seen)) == (0.0, 1.0, False), (
        "what is seen would tell the noise"
    )
    reserved, released = dataset.ledger.entries[-2:]
    assert reserved.draft.nano_epsilon == 10 * 10**9, "a public constant"
    assert dataset.ledger.total.epsilon is None
    for public in (reserved.draft.public, released.draft.public, profile.view.as_dict(), profile.text()):
        assert "0.0123456" not in str(public)
    assert reserved.draft.confidential["epsilon"] == 0.0123456
    assert of_guarantee.NO_GUARANTEE in " ".join(profile.text().split())
    assert "is no look" not in profile.text()
    assert "carries the guarantee" not in risk_report.page(profile).html
    with pytest.raises(NoGuarantee):
        query.exposure_histogram(0.0123456)


def test_it_may_have_been_fixed_beforehand() -> None:
    query = stays(range(9)).query(SUM)
    query.risk()
    certificate = query.exposure_histogram(0.05, preregistered="minutes of May").certificate
    assert certificate is not None
    assert certificate.guarantee is Guarantee.DP
    assert any("minutes of May" in str(said) for said in certificate.assumed)
    assert query.exposure_histogram(0.05).certificate == certificate, "what was drawn comes back with the word it had"


def test_a_planned_release_plans_no_histogram() -> None:
    """A plan for an epsilon is a plan for an answer; an exposure histogram after a look is a decision of its own."""
    query = stays(range(9), rule={"epsilon": 0.05}).query(SUM)
    query.choose()
    query.risk()
    with pytest.raises(NoGuarantee):
        query.exposure_histogram(0.05)


def test_what_is_decided_after_a_histogram_keeps_its_word() -> None:
    query = stays(range(9)).query(SUM)
    query.exposure_histogram(0.05)
    assert query.choose(sf.gap(1.3, worst_case=True)).guarantee is Guarantee.DP
    assert query.release(epsilon=0.7).certificate.guarantee is Guarantee.DP
    another = query.dataset.query("SELECT COUNT(*) FROM stays").exposure_histogram(0.1).certificate
    assert another is not None
    assert another.guarantee is Guarantee.DP
    assert query.dataset.ledger.total.epsilon == pytest.approx(0.85)


def test_a_histogram_displaces_no_plan() -> None:
    query = stays(range(9)).query(SUM)
    planned = query.choose(sf.gap(1.3, worst_case=True))
    query.exposure_histogram(0.05)
    query.risk()
    assert query.release(planned).certificate.guarantee is Guarantee.DP


# What it shows


@cache
def certified() -> ReleaseCertificate:
    certificate = stays(range(9)).query(SUM).exposure_histogram(1.0).certificate
    assert certificate is not None
    return certificate


def histogram_of(*noisy: float, reach: float | None = 10.0) -> ExposureHistogram:
    return ExposureHistogram(noisy, reach, certified())


def test_the_least_and_the_most_exposed_are_at_the_far_edges_of_what_is_seen() -> None:
    assert (histogram_of(3, 11, 9, 12, 2).min, histogram_of(3, 11, 9, 12, 2).max) == (0.0, 0.75)
    assert (histogram_of(3, 9, 9, 12, 2).min, histogram_of(3, 9, 9, 12, 2).max) == (0.5, 0.75)
    assert (histogram_of(50, 9, 9, 9, 2).min, histogram_of(50, 9, 9, 9, 2).max) == (0.0, 0.0)
    assert (histogram_of(3, 9, 9, 9, 90).min, histogram_of(3, 9, 9, 9, 90).max) == (0.75, 1.0)
    assert (histogram_of(3, 9, 9, 9, 2).min, histogram_of(3, 9, 9, 9, 2).max) == (0.0, 1.0), "the worst case"
    assert histogram_of(10.4, 10.6, 0, 0, 0).seen == (False, True, False, False, False), "as it is shown: rounded"


def test_figures_are_made_from_the_noisy_counts() -> None:
    exposure_histogram = histogram_of(100.25, -20, 40, 0, 8)
    assert exposure_histogram.people == 128
    assert exposure_histogram.histogram.people == (100, 0, 40, 0, 8)
    assert exposure_histogram.histogram.edges == (0.0, 0.0, 0.25, 0.5, 0.75, 1.0)
    assert exposure_histogram.sum == -20 * 0.125 + 40 * 0.375 + 8 * 0.875
    assert exposure_histogram.sum_sq == -20 * 0.125**2 + 40 * 0.375**2 + 8 * 0.875**2
    assert exposure_histogram.mean == exposure_histogram.sum / 128
    assert [exposure_histogram.quantile(p) for p in (0, 0.5, 0.68, 0.95, 1)] == pytest.approx(
        [0, 0, 0.25, 0.25 + 0.25, 1], abs=0.26
    )
    nobody = histogram_of(-5, -5, -5)
    assert (nobody.people, nobody.sum, nobody.sum_sq, nobody.mean, nobody.quantile(0.5)) == (0, 0, 0, 0, 0)


def test_noise_alone_is_rarely_seen() -> None:
    """A reach holds for all bins at once: the more of them, the further."""
    few, many = (stays([]).query(SUM).exposure_histogram(0.05, bins=bins).exposure for bins in (2, 200))
    assert isinstance(few, ExposureHistogram)
    assert isinstance(many, ExposureHistogram)
    assert few.reach == pytest.approx(20 * math.log(30) + 0.5, abs=0.01)
    assert many.reach == pytest.approx(20 * math.log(2010) + 0.5, abs=0.01)


def test_a_histogram_is_public_and_shows_itself() -> None:
    profile = stays([0] * 4000 + [20] * 3000).query(SUM).exposure_histogram(1.0)
    assert (profile.source, profile.source.value) == (Source.EXPOSURE_HISTOGRAM, "exposure histogram")
    assert profile.influence is None
    assert repr(profile) == profile.text()
    assert abs((profile.people_count or 0) - 7000) < 500
    assert (profile.at(1.0).gap, profile.at(1.0).noise_90) == (2.0, profile.at(1.0).noise_90)
    assert len(profile.candidates) == 10
    assert "Controller only" not in profile._repr_html_() + risk_report.page(profile).html
    assert profile._repr_html_().count("<svg") == 2
    assert profile.plot().figure.title == "Risk gap at each epsilon"
    assert pickle.loads(pickle.dumps(profile.exposure)) == profile.exposure
    for said in (
        "what the histogram suggests is an estimate",
        "Bounds on the risk of each person are those of the worst case",
        "Used so far by everything released from stays",
    ):
        assert said in " ".join(profile.text().split())
    for asked in (profile.people, profile.most_exposed):
        with pytest.raises(ValueError, match="an exposure histogram lists no people"):
            asked()
    with pytest.raises(PreferenceError):
        profile.at(1.0, exact=True)


def noiseless(dataset: sf.Dataset) -> sf.Dataset:
    """As if every noise came out as 0."""
    dataset._context.services = replace(
        dataset.services, mechanism=lambda _law, _reach=0: lambda counts, *_: list(counts)
    )
    return dataset


def test_bounds_are_the_worst_case_and_the_histogram_gives_an_estimate() -> None:
    """Four hundred people at 0.4, and one person at 1 whom no bin of a noisy histogram tells from noise."""
    profile = noiseless(stays([8] * 400 + [0] * 400 + [20])).query(SUM).exposure_histogram(1.0)
    at = profile.at(1.0)
    assert (at.gap, at.ratio, at.attack_chance) == pytest.approx((2.0, 0.5, 0.6967346701436833), abs=1e-9)
    assert at.estimate is not None
    assert (at.estimate.gap, at.estimate.attack_chance) == pytest.approx((1.4, 0.5906346234610091), abs=1e-9)
    assert profile.attack(1.0).chance == at.attack_chance
    told = {row["epsilon"]: row for row in json.loads(json.dumps(profile.view.as_dict()))["candidates"]}
    estimate = {"gap": pytest.approx(1.4), "ratio": pytest.approx(1 / 1.4), "attack_chance": at.estimate.attack_chance}
    assert told[1.0]["estimate"] == estimate
    for shown in (profile.text(), risk_report.page(profile).html):
        for column in ("risk gap (at most)", "attack success", "estimated risk gap", "estimated attack success"):
            assert column in shown
    columns, rows = candidates(profile.view)
    [row] = [row for row in rows if row[0] == "1"]
    assert dict(zip(columns, row, strict=True)) == {
        "epsilon": "1",
        "risk gap (at most)": "2×",
        "noise (90%)": "±46.05",
        "attack success": "69.7%",
    }
    assert ["1", "1.4×", "59.1%"] in estimates(profile.view)[1]


def test_where_no_bin_is_seen_there_is_no_estimate() -> None:
    profile = noiseless(stays([8] * 3)).query(SUM).exposure_histogram(1.0)
    assert profile.at(1.0).estimate is None
    assert (profile.at(1.0).gap, profile.at(1.0).attack_chance) == pytest.approx((2.0, 0.6967346701436833))
    assert estimates(profile.view)[1] == []
    assert "estimated risk gap" not in profile.text()
    assert "estimate" not in profile.view.as_dict()["candidates"][0]  # type: ignore[index]


def test_how_many_people_are_above_an_exposure() -> None:
    """The noisy counts above it, and what the noise in their sum exceeds 10% of the time."""
    exposure_histogram = (
        noiseless(stays([20] * 30 + [14] * 2 + [2])).query(SUM).exposure_histogram(0.1, bins=10).exposure
    )
    assert isinstance(exposure_histogram, ExposureHistogram)
    golden = {1: 16.094379124341003, 2: 23.97275987280871, 5: 39.313823203074485, 10: 56.400822514412894}
    assert {n: exposure_histogram.sum_noise[n - 1] for n in golden} == pytest.approx(golden, abs=0.01)
    assert [exposure_histogram.people_above(y) for y in (0.9, 0.8, 0.5, 0.0)] == [46, 53, 71, 89]
    assert exposure_histogram.people_above(1.0) == 0
    assert exposure_histogram.people_above(0.55) == exposure_histogram.people_above(0.5), "the edge below: never fewer"
    assert replace(exposure_histogram, noisy=(-500.0,) * 11).people_above(0.5) == 0
    with pytest.raises(BadInput, match="exposure must be a number from 0 to 1, not "):
        exposure_histogram.people_above(1.5)
    assert replace(exposure_histogram, sum_noise=()).people_above(0.5) is None, "the noise is withheld"
    redraw = stays([]).query(SUM)
    assert redraw.exposure_histogram(0.1).exposure == redraw.exposure_histogram(0.1).exposure, (
        "what was drawn comes back with the same bounds"
    )


@pytest.mark.parametrize("eps_view", [0.05, 0.1, 1.0])
def test_no_private_view_can_say_that_nobody_is_above(eps_view: float) -> None:
    """Why bounds are the worst case: what is said 90% of the time where it is true is said where it is false too.

    Here it is said when the count of the last bin is below the 90% quantile of its noise.
    """
    quantile = one_sided_reach(1 / eps_view, 1, 0)
    nobody, somebody = (1 - math.exp(-(quantile - people) * eps_view) / 2 for people in (0, 1))
    golden = {0.05: 0.8561064820506427, 0.1: 0.8143536762323635, 1.0: 0.33109149705429813}
    assert nobody == pytest.approx(0.9)
    assert somebody >= golden[eps_view] == pytest.approx(0.9 * math.exp(-eps_view))


def test_the_page_has_every_bin_and_its_certificate() -> None:
    profile = stays(range(9)).query(SUM).exposure_histogram(1.0, bins=5)
    html = risk_report.page(profile, "Written today.").html
    for said in ("0.8–1", "±3", "stands out", "1-differential privacy", "lattice step", "Written today."):
        assert said in html
    assert "influence" not in html.lower()


def test_the_json_of_a_histogram() -> None:
    found = json.loads(json.dumps(stays(range(9)).query(SUM).exposure_histogram(0.5, bins=4).view.as_dict()))
    assert (found["source"], found["influence"], found["outputs"]) == ("exposure histogram", None, 1)
    assert set(found["exposure"]) == {"min", "max", "mean", "sum", "sum_sq"}
    assert (found["epsilon"], found["guarantee"], found["charged"], found["ledger_entry"]) == (0.5, "dp", 0.5, None)
    assert [(b["low"], b["high"]) for b in found["bins"]] == [(0, 0), (0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1)]
    assert found["bin_noise_90"] == pytest.approx(2 * math.log(10))
    assert {type(b["noisy"]) for b in found["bins"]} == {float}


def test_what_is_stored_comes_back_as_it_was() -> None:
    exposure_histogram = histogram_of(100.25, -20, 40)
    stored = json.loads(json.dumps(exposure_histogram.stored()))
    assert ExposureHistogram.from_stored(stored, exposure_histogram.certificate) == exposure_histogram
    assert replace(exposure_histogram, reach=None).stored()["reach"] is None
