"""Sections 3 and 4 in full: the closed form and its edges, the exact RDR, medians of two groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.model.choice import Noise
from sfumato.model.risk import ExposureRange
from sfumato.privacy.noise.calibration import mu_of
from sfumato.privacy.noise.gaussian import epsilon_analytic
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.solver import solve
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES, rdr_laplace, sigma_for_ratio
from sfumato.privacy.risk.rdr_exact import kl, ratio_exact, rdr_exact, rdr_gaussian_exact
from sfumato.release.people.exposure_range import spread_between
from tests.paper.test_rdr import DISEASE, PATIENTS, patients


@pytest.mark.parametrize(("tau", "epsilon"), [(0.95, 1 / 19), (0.9, 1 / 9), (0.75, 1 / 3), (0.5, 1)])
def test_the_sound_version_reads_nobody(tau: float, epsilon: float) -> None:
    """The same preference for anybody in any data is (1 - tau) / tau, whatever k is (docs/theory/gap.md)."""
    query = sf.open(PATIENTS, DISEASE, ledger=":memory:").query("SELECT COUNT(*), SUM(d), AVG(d) FROM patients")
    choice = query.choose(sf.ratio(tau, worst_case=True))
    assert choice.epsilon == pytest.approx(epsilon, rel=1e-15)
    assert choice.guarantee == "dp"


def test_more_cells_buy_a_larger_epsilon_in_the_paper_and_none_in_the_worst_case() -> None:
    """Noise on other groups hides nobody, and yet the published cap grows with k (docs/theory/gap.md)."""
    schema = {"name": "patients", "columns": {"p": {"categories": [str(i) for i in range(50)]}}}
    people = pd.DataFrame({"p": ["1", "2", "?"]})
    query = sf.open(people, schema, ledger=":memory:").query("SELECT p, COUNT(*) FROM patients GROUP BY p")
    assert query.choose(sf.ratio(0.95)).epsilon == pytest.approx(50 / 19)
    assert query.choose(sf.ratio(0.95, worst_case=True)).epsilon == pytest.approx(1 / 19)


def test_edge_cases_of_the_closed_form() -> None:
    """Nobody matches and tau 0 leave epsilon open; tau 1 leaves none when people differ (docs/theory/gap.md)."""
    assert patients().choose(sf.ratio(0)).unbounded
    assert not patients().choose(sf.ratio(1)).feasible
    everybody = sf.open(PATIENTS, DISEASE, ledger=":memory:").query("SELECT COUNT(*) FROM patients")
    assert everybody.choose(sf.ratio(1)).unbounded
    one = sf.open(PATIENTS.iloc[2:], DISEASE, ledger=":memory:").query("SELECT COUNT(*) FROM patients WHERE d == 1")
    assert one.choose(sf.ratio(1)).unbounded


@pytest.mark.parametrize("candidates", [None, "paper"])
@pytest.mark.parametrize("exact", [False, True])
def test_of_nobody_there_is_no_data_dependent_choice(candidates: str | None, exact: bool) -> None:
    """n = 0 gives no facts; the worst case needs none (docs/theory/gap.md)."""
    empty = sf.open(PATIENTS.iloc[:0], DISEASE, ledger=":memory:").query("SELECT COUNT(*) FROM patients WHERE d == 1")
    choice = empty.choose(sf.ratio(0.95, exact=exact), candidates=candidates)
    assert not choice.feasible
    assert choice.why == "There is no one in the data, so nothing can be chosen by them; the worst case needs no data."
    assert empty.choose(sf.ratio(0.5, worst_case=True)).epsilon == 1


SPREADS = {  # docs/theory/gap.md: the least and the most exposed, tau, and the epsilon: "every" will do, or "none"
    "nobody matches": (0, 0, 0.95, "every"),
    "all are alike": (0.5, 0.5, 1, "every"),
    "a ratio of 0": (0, 1, 0, "every"),
    "just as far apart as allowed": (0.375, 0.5, 0.75, "every"),
    "a ratio of 1": (0, 1, 1, "none"),
    "in between": (0.2, 0.8, 0.8, 5 / 11),
}


@pytest.mark.parametrize("mechanism", [Noise(), Noise("gaussian", 1e-6)], ids=["laplace", "gaussian"])
@pytest.mark.parametrize(("low", "high", "tau", "epsilon"), SPREADS.values(), ids=SPREADS)
def test_edge_cases_with_and_without_a_grid(
    low: float, high: float, tau: float, epsilon: float | str, mechanism: Noise
) -> None:
    compared = ExposureRange(Fraction(str(low)), Fraction(str(high)), k=1, fixed=Fraction(0))
    for exact in (False, True) if mechanism == Noise() else (False,):
        asked = [sf.ratio(tau, exact=exact)]
        free = solve(asked, lambda _: compared, mechanism)
        of_candidates = solve(asked, lambda _: compared, mechanism, candidates=PAPER_CANDIDATES)
        assert (free.unbounded, free.feasible) == (epsilon == "every", epsilon != "none")
        assert of_candidates.epsilon == {"every": 10, "none": None}.get(str(epsilon), of_candidates.epsilon)
        if mechanism == Noise() and not exact and not isinstance(epsilon, str):
            assert free.epsilon == pytest.approx(epsilon)


# The exact RDR (docs/theory/gap.md)


def test_the_exact_rdr_is_the_mean_distance_of_the_noisy_answer_from_the_answer_without_somebody() -> None:
    """Definition of RDR, added up over the density of the noise."""
    d, b, step = 3.0, 2.0, 1e-3
    noise = [step * i for i in range(-100_000, 100_000)]
    mean = sum(abs(d + z) * math.exp(-abs(z) / b) / (2 * b) * step for z in noise)
    assert mean == pytest.approx(rdr_exact(d, 1, b, 1.0), rel=1e-5)


def test_lemma_3_1_may_overstate_how_equal_people_are() -> None:
    """m = 1.8 b, M = 5.06 b: the upper bounds have ratio 0.462, the RDRs themselves 0.388 (docs/theory/gap.md)."""
    least, most = (rdr_laplace(moved, 1, 1.0, 1.0) for moved in (1.8, 5.06))
    assert least / most == pytest.approx(0.462, abs=5e-4)
    assert ratio_exact(1.8, 5.06, 1, 1.0, 1.0) == pytest.approx(0.388, abs=5e-4)


DAYS = [0, 13, 30, 47, 60, None]
STAYS = pd.DataFrame({"days": pd.array(DAYS, dtype="Int64"), "ward": ["a", "a", "b", "b", "?", "a"]})
DECLARED = {"name": "stays", "columns": {
    "days": {"type": "integer", "bounds": [0, 60]}, "ward": {"categories": ["a", "b", "c"]},
}}  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "k", "moved"),
    [
        ("SELECT COUNT(days) FROM stays", 1, lambda _, e: [e]),
        ("SELECT SUM(days) FROM stays", 1, lambda v, e: [e * v / 60]),
        ("SELECT AVG(days) FROM stays", 2, lambda v, e: [e / 2 * abs(v - 30) / 30, e / 2]),
        ("SELECT ward, AVG(days) FROM stays WHERE days < 60 GROUP BY ward", 6,
         lambda v, e: [e / 2 * abs(v - 30) / 30, e / 2] if v < 60 else []),
    ],
    ids=["count", "sum", "mean", "means by ward"],
)  # fmt: skip
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_exact_rdr_of_each_query(
    sql: str, k: int, moved: Callable[[float, float], list[float]], epsilon: float
) -> None:
    """Person by person, number by number: how far each is moved in units of its noise."""
    rdrs = [k + sum(map(kl, moved(v, epsilon) if v is not None else [])) for v in DAYS]
    query = sf.open(STAYS, DECLARED, ledger=":memory:").query(sql)
    assert query.risk().at(epsilon, exact=True).ratio == pytest.approx(min(rdrs) / max(rdrs), rel=1e-12)
    assert query.risk(exact=True).at(epsilon).gap == pytest.approx(max(rdrs) / min(rdrs), rel=1e-12)
    assert query.choose(sf.gap(max(rdrs) / min(rdrs), exact=True)).epsilon == pytest.approx(epsilon, rel=1e-6)


def test_the_exact_rdr_as_the_authors_measure_it() -> None:
    """With bounds from the data a mean is one number with noise of its own."""
    query = sf.open(STAYS, DECLARED, ledger=":memory:", bounds_from_data=True).query("SELECT AVG(days) FROM stays")
    influences = query.risk().people()["influence"].to_pylist()
    rdrs = [rdr_exact(influence, 1, 60 / len(STAYS), 2.0) for influence in influences]
    at = query.risk().at(2.0, exact=True)
    assert (at.rdr_min, at.rdr_max) == pytest.approx((min(rdrs), max(rdrs)))


@pytest.mark.parametrize(
    "sql",
    ["SELECT SUM(days), COUNT(days) FROM stays", "SELECT AVG(days), COUNT(*) FROM stays"],
)
def test_where_the_exact_rdr_is_not_known_nobody_is_looked_at(sql: str) -> None:
    stays = sf.open(STAYS, DECLARED, ledger=":memory:")
    query = stays.query(sql)
    for ask in (lambda: query.choose(sf.ratio(0.9, exact=True)), lambda: query.risk(exact=True)):
        with pytest.raises(sf.SfumatoError, match="supported for one COUNT, SUM or AVG at a time"):
            ask()
    assert not stays.ledger.entries
    assert query.choose(sf.ratio(0.5, exact=True, worst_case=True)).epsilon == pytest.approx(1.8414056604369609)


GAUSSIAN: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-6}


@pytest.mark.parametrize(("d", "k", "sigma"), [(0.0, 1, 1.0), (3.0, 1, 2.0), (1.0, 2, 0.5), (4.0, 2, 1.0)])
def test_the_exact_rdr_of_gaussian_noise_is_a_mean_distance_too(d: float, k: int, sigma: float) -> None:
    """Added up over the density, in one dimension or two."""
    step = sigma / 20
    noise = [(step * i, math.exp(-((i / 20) ** 2) / 2) / math.sqrt(2 * math.pi) / 20) for i in range(-160, 161)]
    others = noise if k == 2 else [(0.0, 1.0)]
    mean = sum(math.hypot(d + z, other) * p * q for z, p in noise for other, q in others)
    assert rdr_gaussian_exact(d, k, sigma) == pytest.approx(mean, rel=1e-3)


@pytest.mark.parametrize(
    "sql", ["SELECT SUM(days), COUNT(days) FROM stays", "SELECT ward, AVG(days) FROM stays GROUP BY ward"]
)
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_under_gaussian_noise_it_is_known_for_every_query(sql: str, epsilon: float) -> None:
    query = sf.open(STAYS, DECLARED, ledger=":memory:").query(sql)
    risk = query.risk(**GAUSSIAN)
    mu, k = mu_of(epsilon, Noise("gaussian", 1e-6)), risk.outputs
    assert k is not None
    rdrs = [rdr_gaussian_exact(mu * u, k, 1.0) for u in risk.people()["exposure"].to_pylist()]
    assert risk.at(epsilon, exact=True).ratio == pytest.approx(min(rdrs) / max(rdrs), rel=1e-9)
    assert risk.at(epsilon, exact=True).ratio < risk.at(epsilon).ratio
    gap = sf.gap(max(rdrs) / min(rdrs), exact=True)
    assert query.choose(gap, **GAUSSIAN).epsilon == pytest.approx(epsilon, rel=1e-6)


def test_lemma_3_2_overstates_how_equal_people_are_even_beside_somebody_of_no_influence() -> None:
    """docs/theory/gap.md has it as the root of the mean square: 0.9 by the lemma is a little less in truth."""
    by_lemma, exact = (patients().choose(sf.ratio(0.9, exact=e, worst_case=True), **GAUSSIAN) for e in (False, True))
    assert (by_lemma.epsilon, exact.epsilon) == pytest.approx((2.1766, 2.1347), abs=1e-4)
    assert (by_lemma.guarantee, exact.guarantee) == ("dp", "dp")
    assert patients().worst_case(**GAUSSIAN, exact=True).at(2.1347).ratio == pytest.approx(0.9, abs=1e-5)


# Subgroup medians (section 4.3)


@pytest.mark.parametrize("medians", [(0.5, 0.75), (0.75, 0.5)], ids=["old, young", "young, old"])
def test_medians_of_two_groups_meet_the_ratio_in_either_order(medians: tuple[float, float]) -> None:
    """k (1 - tau) / (tau M - m); the one-sided form of the paper asks nothing when the first group is riskier."""
    found = solve([sf.ratio(0.9, between="age > 60")], lambda _: spread_between(medians, k=2), Noise())
    assert found.epsilon == pytest.approx(2 * 0.1 / (0.9 * 0.75 - 0.5))


def test_medians_of_gaussian_noise() -> None:
    noise = Noise("gaussian", 1e-6)
    found = solve([sf.ratio(0.9, between="age > 60")], lambda _: spread_between((0.2, 0.6), k=1), noise)
    assert found.epsilon == pytest.approx(epsilon_analytic(1 / sigma_for_ratio(0.9, 0.2, 0.6, k=1), 1e-6))


def test_medians_beside_another_preference_compare_other_people() -> None:
    everybody, groups = ExposureRange(Fraction(0), Fraction(1), k=1), spread_between((0.5, 1.0), k=1)
    between, overall = sf.ratio(0.8, between="age > 60"), sf.ratio(0.8)
    compared: dict[Preference, ExposureRange] = {between: groups, overall: everybody}
    assert solve([between], compared.__getitem__, Noise()).epsilon == pytest.approx(2 / 3)
    assert solve([between, overall], compared.__getitem__, Noise()).epsilon == pytest.approx(1 / 4)


@pytest.mark.parametrize("medians", [(None, 0.5), (0.5, None), (None, None)])
def test_a_group_without_people_leaves_no_choice(medians: tuple[float | None, float | None]) -> None:
    for candidates in (None, PAPER_CANDIDATES):
        asked = [sf.gap(1.2, between="age > 60")]
        found = solve(asked, lambda _: spread_between(medians, k=1), Noise(), candidates=candidates)
        assert not found.feasible
        assert found.why == (
            "There is no one in one of the two groups that “age > 60” makes, so nothing can be chosen by them; "
            "the worst case needs no data."
        )
