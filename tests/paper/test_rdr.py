"""Within-Dataset Disclosure Risk for Differential Privacy (Zhu & Castro Fernandez): its figures, tables and claims.

Every value here is one of the specification's; `rdr/` beside this file goes further into the same paper.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.adapters.noise.sparse_vector import PUBLISHED_SPLIT
from sfumato.model.choice import Noise
from sfumato.model.facts import Bin, Distribution
from sfumato.model.risk import ExposureRange
from sfumato.privacy.accounting.zcdp import rho_laplace
from sfumato.privacy.noise.intervals import sum_tail
from sfumato.privacy.preferences.solver import Solution, solve
from sfumato.privacy.risk.membership import attack_chance_laplace
from sfumato.privacy.risk.rdr import (
    PAPER_CANDIDATES,
    epsilon_for_ratio,
    rdr_gaussian,
    rdr_laplace,
    sigma_for_ratio,
)
from sfumato.privacy.risk.rdr_distribution import rdrs_at
from sfumato.privacy.risk.rdr_exact import rdr_exact, rdr_gaussian_exact
from sfumato.privacy.risk.rdr_variance import epsilon_for_variance
from sfumato.privacy.sensitivity import sensitivity_of_variance
from sfumato.release.people.exposure_range import compared_spread

golden = pytest.mark.golden

PATIENTS = pd.DataFrame({"p": ["A", "B", "C"], "d": [0, 0, 1]})
DISEASE = {"name": "patients", "columns": {"d": {"type": "integer", "bounds": [0, 1]}}}


def patients(table: pd.DataFrame = PATIENTS) -> sf.Query:
    return sf.open(table, DISEASE, ledger=":memory:").query("SELECT COUNT(*) FROM patients WHERE d == 1")


# Figure 2 and section 4.1: three patients, of whom C alone has the disease


@pytest.mark.parametrize(
    ("epsilon", "rdrs", "ratio"),
    [
        pytest.param(1, (1, 1, 2), 1 / 2, marks=golden("rdr_fig2_eps1")),
        pytest.param(0.1, (10, 10, 11), 0.9090909090909091, marks=golden("rdr_fig2_eps0.1")),
        pytest.param(0.01, (100, 100, 101), 0.9900990099009901, marks=golden("rdr_fig2_eps0.01")),
    ],
)
def test_figure_2_rdr_of_each_patient(epsilon: float, rdrs: tuple[float, ...], ratio: float) -> None:
    risk = patients().risk()
    influences = risk.people()["influence"].to_pylist()
    assert influences == [0, 0, 1]
    assert [rdr_laplace(pis, 1, 1, epsilon) for pis in influences] == pytest.approx(rdrs, rel=1e-9)
    at = risk.at(epsilon)
    assert (at.rdr_min, at.rdr_max) == pytest.approx((rdrs[0], rdrs[-1]), rel=1e-9)
    assert (at.ratio, 1 / at.gap) == pytest.approx((ratio, ratio), rel=1e-9)


@golden("rdr_fig2_inf")
def test_figure_2_without_noise() -> None:
    rdrs = [rdr_laplace(pis, 1, 1, math.inf) for pis in (0, 0, 1)]
    assert rdrs == [0, 0, 1]
    assert min(rdrs) / max(rdrs) == 0


@golden("rdr_fig2_tau09")
def test_section_4_1_tau_of_nine_tenths() -> None:
    """The largest epsilon is 1/9; of the paper's candidates, which it prints, it is 0.1."""
    assert patients().choose(sf.ratio(0.9)).epsilon == pytest.approx(0.11111111111111108, rel=1e-9)
    assert patients().choose(sf.ratio(0.9), candidates="paper").epsilon == 0.1


@golden("rdr_grid37")
def test_section_6_2_has_37_candidates() -> None:
    assert (
        pytest.approx(
            (
                *(0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.007, 0.008, 0.009),
                *(0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09),
                *(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
                *(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
            ),
            rel=1e-15,
        )
        == PAPER_CANDIDATES
    )


# Figure 7: five queries on the Adult data, with bounds from the data and the classic Gaussian as the authors have it

ADULT = {"name": "adult", "null_values": ["?"], "columns": {
    "age": {"type": "integer"}, "education_num": {"type": "integer"},
    "hours_per_week": {"type": "integer"}, "capital_gain": {"type": "integer"},
}}  # fmt: skip
QUERIES = {
    "Q1": "SELECT COUNT(*) FROM adult WHERE income=='>50K' AND education_num==13 AND age==25",
    "Q2": "SELECT marital_status, COUNT(*) FROM adult WHERE race=='Asian-Pac-Islander' AND 30<=age<=40"
    " GROUP BY marital_status",
    "Q3": "SELECT COUNT(*) FROM adult WHERE native_country!='United-States' AND sex =='Female'",
    "Q4": "SELECT AVG(hours_per_week) FROM adult WHERE workclass in ('Federal-gov', 'Local-gov', 'State-gov')",
    "Q5": "SELECT SUM(capital_gain) FROM adult",
}
PEOPLE = 32_561
DELTA = 1 / PEOPLE**2
Q4_LARGEST, Q4_CLAIMED = 0.013450996864243127, 0.0030097355732317805
FACTS = {  # the smallest and the largest influence, how many noisy numbers, the sensitivity of the authors' code
    "Q1": (0, 1, 1, 1),
    "Q2": (0, 1, 6, 1),
    "Q3": (0, 1, 1, 1),
    "Q4": (0, Q4_LARGEST, 1, Q4_CLAIMED),
    "Q5": (0, 99_999, 1, 99_999),
}
LAPLACE = {  # tau: the largest epsilons, and those that are printed, the largest candidates below them
    0.95: ((0.052631578947368474, 0.31578947368421084, 0.052631578947368474, 0.0117766093496272, 0.052631578947368474),
           (0.05, 0.3, 0.05, 0.01, 0.05)),
    0.75: ((0.3333333333333333, 2.0, 0.3333333333333333, 0.07458519254763887, 0.3333333333333333),
           (0.3, 2, 0.3, 0.07, 0.3)),
    0.5: ((1.0, 6.0, 1.0, 0.2237555776429166, 1.0), (1, 6, 1, 0.2, 1)),
    0.25: ((3.0, 18.0, 3.0, 0.6712667329287497, 3.0), (3, 10, 3, 0.6, 3)),
    0.05: ((18.999999999999996, 113.99999999999999, 18.999999999999996, 4.251355975215414, 18.999999999999996),
           (10, 10, 10, 4, 10)),
}  # fmt: skip
GAUSSIAN = {  # tau: sigma, the epsilon that the classic formula calls it, the one that it is, and what is printed
    0.95: ((3.042434922296655, 1.2420688558751654, 3.042434922296655, 0.040923782599476086, 304240.4497947432),
           (2.1303641762868537, 5.218305198207382, 2.1303641762868537, 0.4766808668548412, 2.1303641762868537),
           (1.8658662696646606, 4.874632756667313, 1.8658662696646606, 0.389406349531672, 1.8658662696646662),
           (2, 5, 2, 0.4, 2)),
    0.75: ((1.1338934190276817, 0.4629100498862757, 1.1338934190276817, 0.015251996823727264, 113388.20800934914),
           (5.716140739843768, 14.001628110552357, 5.716140739843768, 1.2790183731319509, 5.716140739843768),
           (5.385385415156745, 14.833717008622788, 5.385385415156745, 1.0906189609326573, 5.385385415156747),
           (5, 10, 5, 1, 5)),
    0.5: ((0.5773502691896257, 0.23570226039551584, 0.5773502691896257, 0.007765936660439581, 57734.44956869339),
          (11.226277552866405, 27.498651715383293, 11.226277552866405, 2.5119422186213307, 11.226277552866405),
          (11.474514055699396, 33.86536557073968, 11.474514055699396, 2.2217793651817734, 11.474514055699395),
          (10, 10, 10, 2, 10)),
    0.25: ((0.2581988897471611, 0.10540925533894598, 0.2581988897471611, 0.003473032456340121, 25819.630775826365),
           (25.10271974248927, 61.488854525188245, 25.10271974248927, 5.616873556388933, 25.10271974248927),
           (30.16393415451746, 101.21650763779486, 30.16393415451746, 5.283001773949426, 30.163934154517452),
           (10, 10, 10, 5, 10)),
    0.05: ((0.05006261743217589, 0.020437977982832197, 0.05006261743217589, 0.0006733921100960012, 5006.211680600157),
           (129.4677485835795, 317.1299221767092, 129.4677485835795, 28.969130870446723, 129.4677485835795),
           (318.6218134062345, 1489.9850957674066, 318.6218134062345, 36.205678941232826, 318.6218134062344),
           (10, 10, 10, 10, 10)),
}  # fmt: skip


def people(query: str) -> ExposureRange:
    low, high, k, sensitivity = FACTS[query]
    return ExposureRange(Fraction(low), Fraction(high), k, Fraction(sensitivity), published=True)


def found(query: str, tau: float, noise: Noise, candidates: Sequence[float] | None = None) -> float | None:
    return solve(
        [sf.ratio(tau)],
        lambda _: people(query),
        noise,
        candidates=candidates,
        epsilon_max=1e6 if candidates is None else 10,
    ).epsilon


@pytest.mark.parametrize("tau", [pytest.param(tau, marks=golden(f"rdr_adult_lap_tau{tau}")) for tau in LAPLACE])
def test_figure_7_laplace(tau: float) -> None:
    exact, printed = LAPLACE[tau]
    assert [found(query, tau, Noise()) for query in FACTS] == pytest.approx(exact, rel=1e-9)
    assert [found(query, tau, Noise(), PAPER_CANDIDATES) for query in FACTS] == list(printed)


@pytest.mark.parametrize("tau", [pytest.param(tau, marks=golden(f"rdr_adult_gau_tau{tau}")) for tau in GAUSSIAN])
def test_figure_7_gaussian(tau: float) -> None:
    sigmas, classic, analytic, printed = GAUSSIAN[tau]
    as_published, sound = Noise("gaussian", DELTA, "classic"), Noise("gaussian", DELTA)
    assert [sigma_for_ratio(tau, low, high, k) for low, high, k, _ in FACTS.values()] == pytest.approx(sigmas, rel=1e-9)
    assert [found(query, tau, as_published) for query in FACTS] == pytest.approx(classic, rel=1e-9)
    assert [found(query, tau, as_published, PAPER_CANDIDATES) for query in FACTS] == list(printed)
    assert [found(query, tau, sound) for query in FACTS] == pytest.approx(analytic, rel=1e-9)


@golden("adult_facts")
@pytest.mark.adult
def test_figure_7_facts_of_the_adult_data(adult_csv: Path) -> None:
    """As the authors read it: 32,561 rows, where the text says 48,842, and "?" is a country like any other."""
    adult = sf.open(adult_csv, ADULT | {"null_values": []}, ledger=":memory:", bounds_from_data=True)
    queries = {name: adult.query(sql) for name, sql in QUERIES.items()}
    for name, query in queries.items():
        spread = compared_spread(sf.ratio(0.95), query._bound.look(Noise()), Noise())
        seen = (float(spread.low), float(spread.high), spread.k, float(spread.sensitivity))
        assert seen == pytest.approx(FACTS[name], rel=1e-9)
    assert queries["Q1"].risk().people_count == PEOPLE
    assert queries["Q1"].answer() == ((19,),)
    keys = [key for (key,) in queries["Q2"].measurement.public_cells]
    assert dict(zip(keys, (many for (many,) in queries["Q2"].answer()), strict=True)) == {
        "Married-civ-spouse": 191, "Married-spouse-absent": 10, "Never-married": 89,
        "Divorced": 30, "Separated": 11, "Widowed": 3,
    }  # fmt: skip
    assert queries["Q3"].answer() == ((1089,),)
    assert queries["Q4"].answer()[0][0] == pytest.approx(40.4881636405424, rel=1e-9)
    assert adult.query(QUERIES["Q4"].replace("AVG(hours_per_week)", "COUNT(*)")).answer() == ((4351,),)


@pytest.mark.adult
@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_figure_7_cell_by_cell_from_the_data(adult_csv: Path, mechanism: str) -> None:
    """All 50 epsilons."""
    adult = sf.open(adult_csv, ADULT, ledger=":memory:", bounds_from_data=True)
    delta = DELTA if mechanism == "gaussian" else None
    figures = {tau: (LAPLACE if mechanism == "laplace" else GAUSSIAN)[tau][-1] for tau in LAPLACE}
    for place, (name, sql) in enumerate(QUERIES.items()):
        query = adult.query(sql)
        for tau, printed in figures.items():
            choice = query.choose(
                sf.ratio(tau), candidates="paper", mechanism=mechanism, calibration="classic", delta=delta
            )
            assert choice.epsilon == printed[place], (name, tau)


@pytest.mark.adult
def test_figure_7_before_rounding_from_the_data(adult_csv: Path) -> None:
    adult = sf.open(adult_csv, ADULT, ledger=":memory:", bounds_from_data=True)
    for sql, epsilon in zip(QUERIES.values(), LAPLACE[0.95][0], strict=True):
        assert adult.query(sql).choose(sf.ratio(0.95)).epsilon == pytest.approx(epsilon, rel=1e-9)


# Section 4.2, Algorithm 1: edges of its closed form, and its claim to be private


@pytest.mark.parametrize(
    ("low", "high", "sensitivity", "tau", "epsilon"),
    [
        pytest.param(0, 0, 1, "0.95", None, marks=golden("rdr_edge_0_0_0.95"), id="nobody matches"),
        pytest.param(2, 2, 1, "1", None, marks=golden("rdr_edge_2_2_1.0"), id="all are alike"),
        pytest.param(0, 1, 1, "1", 0.0, marks=golden("rdr_edge_0_1_1.0"), id="a ratio of 1"),
        pytest.param(0, 1, 1, "0", None, marks=golden("rdr_edge_0_1_0.0"), id="a ratio of 0"),
        pytest.param(3, 4, 1, "0.75", None, marks=golden("rdr_edge_3_4_0.75"), id="just as far apart as allowed"),
        pytest.param(2, 8, 10, "0.8", 0.4545454545454544, marks=golden("rdr_edge_2_8_0.8"), id="in between"),
    ],
)
def test_section_4_2_edges_of_the_closed_form(
    low: int, high: int, sensitivity: int, tau: str, epsilon: float | None
) -> None:
    """None: every epsilon will do. 0: none will."""
    largest = epsilon_for_ratio(Fraction(tau), Fraction(low), Fraction(high), 1, Fraction(sensitivity))
    assert largest == (None if epsilon is None else pytest.approx(epsilon, rel=1e-9))


@golden("find_eps_not_dp")
def test_section_4_2_algorithm_1_is_not_private() -> None:
    """Nobody ill: epsilon 10, noise of scale 0.1. One ill: 0.05, and 20. How far the answer lies tells which it was."""
    nobody, one = (
        q.choose(sf.ratio(0.95), candidates="paper").epsilon for q in (patients(PATIENTS.iloc[:2]), patients())
    )
    assert nobody == 10
    assert one == 0.05
    assert patients().choose(sf.ratio(0.95)).guarantee == "none"
    narrow, wide = 1 / nobody, 1 / one
    beyond = [math.exp(-5 / narrow), (math.exp(-4 / wide) + math.exp(-6 / wide)) / 2]
    assert math.log(beyond[1] / beyond[0]) == pytest.approx(49.75128219756636, abs=1e-3)
    step = 1 / 1000
    outputs = [step * i for i in range(-400_000, 400_001)]
    density = [(math.exp(-abs(o - 1) / wide) / (2 * wide), math.exp(-abs(o) / narrow) / (2 * narrow)) for o in outputs]
    delta = sum(max(0.0, with_one - math.exp(10) * without) for with_one, without in density) * step
    assert delta == pytest.approx(0.9225, abs=1e-3)


# Section 3: the RDR as it is defined, a mean distance, of which Lemmas 3.1 and 3.2 are upper bounds


@pytest.mark.parametrize(
    ("figure", "k", "sensitivity", "fixed", "rdr"),
    [
        pytest.param(0, 1, 1, 0, 1.0, marks=golden("rdr_exact_0_1")),
        pytest.param(1, 1, 1, 0, 1.3678794411714423, marks=golden("rdr_exact_1_1")),
        pytest.param(3, 1, 2, 0, 3.44626032029686, marks=golden("rdr_exact_3_2")),
        pytest.param(4, 3, 2, 1, 7.659321639722126, marks=golden("rdr_exact_k3")),
    ],
)
def test_section_3_exact_rdr(figure: float, k: int, sensitivity: float, fixed: float, rdr: float) -> None:
    """|d| + b e^(-|d|/b) for each number; the last has three of them, moved by 1, 3 and 0."""
    assert rdr_exact(figure, k, sensitivity, 1.0, fixed) == pytest.approx(rdr, rel=1e-12)


FAR = 2.29128784747792


@golden("rdr_gau_exact")
def test_section_3_exact_rdr_of_gaussian_noise() -> None:
    assert rdr_gaussian_exact(FAR, k=3, sigma=1.5) == pytest.approx(3.231468619764229, rel=1e-12)


@golden("rdr_gau_rms")
def test_lemma_3_2_is_the_root_of_the_mean_square() -> None:
    assert rdr_gaussian(FAR, k=3, sigma=1.5) == pytest.approx(3.4641016151377544, rel=1e-12)


@golden("rdr_geom")
def test_section_3_exact_rdr_of_noise_on_whole_numbers() -> None:
    """It is what rho is, in scales of the noise, more than the mean size of the noise itself: RDR = b rho + E|Z|."""
    moved, epsilon = 2, 1.0
    law = [(z, math.exp(-epsilon * abs(z)) * math.tanh(epsilon / 2)) for z in range(-60, 61)]
    size = sum(abs(z) * p for z, p in law)
    assert size == pytest.approx(1 / math.sinh(epsilon), rel=1e-12)
    rdr = rho_laplace(epsilon * moved, steps=moved) / epsilon + size
    assert rdr == pytest.approx(2.115159245896437, rel=1e-9)
    assert rdr == pytest.approx(sum(abs(moved + z) * p for z, p in law), rel=1e-12)


@pytest.mark.parametrize(
    ("tau", "epsilon", "chance"),
    [
        pytest.param(0.95, 0.3429771567807679, 0.579, marks=golden("rdr_exact_eps_0.95")),
        pytest.param(0.9, 0.5115389605824604, 0.613, marks=golden("rdr_exact_eps_0.9")),
        pytest.param(0.75, 0.9444335213957137, 0.688, marks=golden("rdr_exact_eps_0.75")),
        pytest.param(0.5, 1.8414056604369609, 0.801, marks=golden("rdr_exact_eps_0.5")),
    ],
)
def test_section_4_1_by_the_exact_rdr(tau: float, epsilon: float, chance: float) -> None:
    """tau 0.95 allows 0.343 to one person, and the attacker is right 57.9 times of 100."""
    of_the_people = patients().choose(sf.ratio(tau, exact=True))
    worst_case = patients().choose(sf.ratio(tau, exact=True, worst_case=True))
    assert of_the_people.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert worst_case.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert (of_the_people.guarantee, worst_case.guarantee) == ("none", "dp")
    at = patients().risk().at(epsilon, exact=True)
    assert at.ratio == pytest.approx(tau, rel=1e-12)
    assert at.attack_chance == pytest.approx(chance, abs=5e-4)
    assert patients().worst_case().at(epsilon, exact=True).gap == pytest.approx(1 / tau, rel=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "reversed_"),
    [
        pytest.param(1, 0.3032653298563167, marks=golden("rdr_reversal_1")),
        pytest.param(0.1, 0.475614712250357, marks=golden("rdr_reversal_0.1")),
        pytest.param(0.01, 0.49750623959634116, marks=golden("rdr_reversal_0.01")),
    ],
)
def test_section_3_2_the_order_of_losses_is_reversed(epsilon: float, reversed_: float) -> None:
    """Patient C's loss is above that of A and B, unless the output lies nearer to the answer without C: then the
    attacker is wrong about C, too."""
    assert 1 - attack_chance_laplace(epsilon, 1) == pytest.approx(reversed_, rel=1e-9)


# Section 5.1: Find-and-release-epsilon-from-RDR by a variance, its split and sensitivity, and the repair


@golden("var_eps")
def test_section_5_1_what_tau_allows_on_q1() -> None:
    share = 19 / PEOPLE
    assert epsilon_for_variance(1e-4, share * (1 - share)) == pytest.approx(0.7067580764574686, rel=1e-9)


def svt_split(epsilon: float) -> tuple[float, float]:
    """1 : 2^(2/3), as section 5.1 recommends."""
    return epsilon * PUBLISHED_SPLIT, epsilon - epsilon * PUBLISHED_SPLIT


@golden("svt_split")
def test_section_5_1_the_budget_is_split_as_recommended() -> None:
    assert svt_split(1) == pytest.approx((0.3864882095643094, 0.6135117904356906), rel=1e-12)


def variance_as_published(influences: Sequence[float], epsilon: float, k: int = 1) -> float:
    """Lines 10 to 15: of RDRs divided by the largest of them; influences in units of the sensitivity."""
    figures = Distribution(tuple(Bin(figure, figure, many) for figure, many in sorted(Counter(influences).items())))
    spread = ExposureRange(Fraction(min(influences)), Fraction(max(influences)), k, published=True, figures=figures)
    return rdrs_at(epsilon, spread, Noise()).normalised_variance


@golden("svt_false_sensitivity")
def test_section_5_1_a_thousand_people_are_told_from_a_thousand_of_whom_one_has_changed() -> None:
    """Algorithm 3's first step with epsilon_svt = 1 and tau midway: a loss of 19.1 where 1 is claimed."""
    n, candidate = 1000, 10.0
    x = [0.3946] * 500 + [0.0] * 500
    var_x, var_y = (variance_as_published(table, candidate) for table in (x, [*x[:-1], 1.0]))
    assert (var_x, var_y) == pytest.approx((0.15912775893111025, 0.032670818181818176), rel=1e-9)
    assert abs(var_x - var_y) > 126 * (claimed := 0.001)
    assert claimed == 1 / n
    of_threshold, of_query = svt_split(1.0)
    passes_x = sum_tail((var_x - var_y) / 2, 1 / n / of_threshold, 2 / n / of_query) / 2
    assert math.log((1 - passes_x) / passes_x) == pytest.approx(19.0988, abs=1e-4)


@golden("thmA")
def test_section_5_1_repaired_sensitivity() -> None:
    """Theorem A of the repair: (n - 1) / n^2; `rdr/test_find_and_release.py` has it over all small tables."""
    moved = [float(sensitivity_of_variance(n)) for n in (2, 3, 4, 5, 6)]
    assert moved == pytest.approx([0.25, 0.2222222222222222, 0.1875, 0.16, 0.1388888888888889], rel=1e-9)


@golden("repaired_w")
def test_section_5_1_repaired_query_shrinks_deviations_by_w() -> None:
    """Risks as shares of the largest there could be deviate by w = eps / (k + eps) of what the exposures do."""
    exposures = [0.0, 0.0, 0.25, 1.0]
    mean = sum(exposures) / 4
    variance = sum((u - mean) ** 2 for u in exposures) / 4
    assert math.sqrt(variance_as_published(exposures, 1.0) / variance) == pytest.approx(0.5, rel=1e-9)


@golden("repaired_eps")
def test_section_5_1_repaired_epsilon() -> None:
    assert epsilon_for_variance(0.007275, 0.0291) == pytest.approx(1.0, rel=1e-9)


# Sections 5.2 and 5.3: several queries, each with an epsilon larger than all before it together

ONE_ILL = ExposureRange(Fraction(0), Fraction(1), k=1)
LONGEST = [0.001, 0.002, 0.004, 0.008, 0.02, 0.04, 0.08, 0.2, 0.4, 0.8, 2, 4, 8]


def larger(spent: Fraction) -> list[float]:
    """The candidates that are left: those larger than the sum of all before."""
    return [candidate for candidate in PAPER_CANDIDATES if Fraction(str(candidate)) > spent]


def next_query(tau: float, patients: ExposureRange, spent: float = 0) -> Solution:
    """How many patients are ill? The largest candidate that is left and meets tau, or a refusal."""
    return solve([sf.ratio(tau)], lambda _: patients, Noise(), candidates=larger(Fraction(str(spent))))


@golden("truncation_rule")
def test_section_5_3_at_most_thirteen_queries_are_ever_answered() -> None:
    """Each tau so strict that the smallest candidate left is the largest that meets it: then they last longest."""
    answered: list[float] = []
    spent = Fraction(0)
    while left := larger(spent):
        solution = next_query(1 / (1 + left[0] * 1.0001), ONE_ILL, float(spent))
        assert solution.epsilon is not None
        answered.append(solution.epsilon)
        spent += Fraction(str(solution.epsilon))
    assert answered == LONGEST
    assert float(spent) == 15.555
