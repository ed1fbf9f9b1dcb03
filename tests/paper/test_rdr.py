"""Within-Dataset Disclosure Risk for Differential Privacy (Zhu & Castro Fernandez): its examples and tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.choose.preference import Preference
from sfumato.choose.solve import solve
from sfumato.model.choice import Noise
from sfumato.model.risk import Spread
from sfumato.risk.exact import kl, ratio_exact, rdr_exact
from sfumato.risk.gaussian import epsilon_analytic, epsilon_classic, mu_analytic
from sfumato.risk.rdr import PAPER_GRID, rdr_laplace, sigma_for_ratio
from sfumato.session.compare import spread_between

PATIENTS = pd.DataFrame({"p": ["A", "B", "C"], "d": [0, 0, 1]})
DISEASE = {"name": "patients", "columns": {"d": {"type": "integer", "bounds": [0, 1]}}}

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
TAUS = (0.95, 0.75, 0.5, 0.25, 0.05)
FIGURE_7: dict[str, dict[str, tuple[float, ...]]] = {
    "laplace": {
        "Q1": (0.05, 0.3, 1, 3, 10), "Q2": (0.3, 2, 6, 10, 10), "Q3": (0.05, 0.3, 1, 3, 10),
        "Q4": (0.01, 0.07, 0.2, 0.6, 4), "Q5": (0.05, 0.3, 1, 3, 10),
    },
    "gaussian": {
        "Q1": (2, 5, 10, 10, 10), "Q2": (5, 10, 10, 10, 10), "Q3": (2, 5, 10, 10, 10),
        "Q4": (0.4, 1, 2, 5, 10), "Q5": (2, 5, 10, 10, 10),
    },
}  # fmt: skip
EXACT = {  # the epsilons before they are rounded down to the grid, at tau 0.95
    "Q1": 0.052631578947368474,
    "Q2": 0.31578947368421084,
    "Q3": 0.052631578947368474,
    "Q4": 0.0117766093496272,
    "Q5": 0.052631578947368474,
}


def patients() -> sf.Query:
    return sf.open(PATIENTS, DISEASE, ledger=":memory:").query("SELECT COUNT(*) FROM patients WHERE d == 1")


def test_figure_2_rdr_of_each_patient() -> None:
    """Patient C alone has the disease: RDR 1, 1, 2 at epsilon 1; 10, 10, 11 at 0.1; 100, 100, 101 at 0.01."""
    risk = patients().risk()
    assert risk.people()["influence"].to_pylist() == [0, 0, 1]
    for epsilon, low, high in ((1, 1, 2), (0.1, 10, 11), (0.01, 100, 101)):
        at = risk.at(epsilon)
        assert (at.rdr_min, at.rdr_max) == pytest.approx((low, high))
        assert at.ratio == pytest.approx(low / high)
        assert at.gap == pytest.approx(high / low)


def test_section_4_1_tau_of_nine_tenths() -> None:
    """The largest epsilon is 1/9; of the paper's candidates it is 0.1."""
    assert patients().choose(sf.ratio(0.9)).epsilon == pytest.approx(1 / 9, rel=1e-15)
    assert patients().choose(sf.ratio(0.9), grid="paper").epsilon == 0.1


def test_section_6_2_has_37_candidates() -> None:
    assert len(PAPER_GRID) == 37
    assert PAPER_GRID[0] == 0.001
    assert PAPER_GRID[-1] == 10
    assert sorted(PAPER_GRID) == list(PAPER_GRID)
    assert {0.009, 0.06, 0.3, 7.0} < set(PAPER_GRID)


@pytest.mark.adult
@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_figure_7_cell_by_cell(adult_csv: Path, mechanism: str) -> None:
    """All 50 epsilons, with bounds from the data and the classic Gaussian, as the authors' code has them."""
    adult = sf.open(adult_csv, ADULT, ledger=":memory:", bounds_from_data=True)
    delta = 1 / 32561**2 if mechanism == "gaussian" else None
    for name, sql in QUERIES.items():
        query = adult.query(sql)
        for tau, printed in zip(TAUS, FIGURE_7[mechanism][name], strict=True):
            choice = query.choose(sf.ratio(tau), grid="paper", mechanism=mechanism, calibration="classic", delta=delta)
            assert choice.epsilon == printed, (name, tau)


@pytest.mark.adult
def test_figure_7_before_rounding(adult_csv: Path) -> None:
    adult = sf.open(adult_csv, ADULT, ledger=":memory:", bounds_from_data=True)
    for name, sql in QUERIES.items():
        assert adult.query(sql).choose(sf.ratio(0.95)).epsilon == pytest.approx(EXACT[name], rel=1e-9)


def test_section_3_3_gaussian_sigma_and_what_the_classic_formula_says() -> None:
    """tau = 0.95 needs sigma 3.0424; that is epsilon 1.866, and not 2.130 as the classic formula has it."""
    sigma = sigma_for_ratio(0.95, 0, 1, k=1)
    delta = 1 / 32561**2
    assert sigma == pytest.approx(3.042434922296655, rel=1e-12)
    assert epsilon_classic(1 / sigma, delta) == pytest.approx(2.1303641762868537, rel=1e-9)
    assert epsilon_analytic(1 / sigma, delta) == pytest.approx(1.8658662696646606, rel=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "delta", "sigma"),
    [(1, 1e-5, 3.730632), (0.5, 1e-5, 7.031827), (2, 1e-6, 2.230476), (10, 1e-5, 0.499889), (0.1, 1e-6, 36.304690)],
)
def test_analytic_gaussian(epsilon: float, delta: float, sigma: float) -> None:
    assert 1 / mu_analytic(epsilon, delta) == pytest.approx(sigma, abs=1e-6)


@pytest.mark.parametrize(("tau", "epsilon"), [(0.95, 1 / 19), (0.9, 1 / 9), (0.75, 1 / 3), (0.5, 1)])
def test_the_sound_version_reads_nobody(tau: float, epsilon: float) -> None:
    """Methods 2.4: the same preference for anybody in any data is (1 - tau) / tau, whatever k is."""
    query = sf.open(PATIENTS, DISEASE, ledger=":memory:").query("SELECT COUNT(*), SUM(d), AVG(d) FROM patients")
    choice = query.choose(sf.ratio(tau, worst_case=True))
    assert choice.epsilon == pytest.approx(epsilon, rel=1e-15)
    assert choice.guarantee == "dp"


def test_more_cells_buy_a_larger_epsilon_in_the_paper_and_none_in_the_worst_case() -> None:
    """Methods 2.3: noise on other groups hides nobody, and yet the published cap grows with k."""
    schema = {"name": "patients", "columns": {"p": {"categories": [str(i) for i in range(50)]}}}
    people = pd.DataFrame({"p": ["1", "2", "?"]})
    query = sf.open(people, schema, ledger=":memory:").query("SELECT p, COUNT(*) FROM patients GROUP BY p")
    assert query.choose(sf.ratio(0.95)).epsilon == pytest.approx(50 / 19)
    assert query.choose(sf.ratio(0.95, worst_case=True)).epsilon == pytest.approx(1 / 19)


def test_algorithm_1_is_not_private() -> None:
    """Methods 2.5c: nobody ill, any epsilon will do; one ill, epsilon 0.05. The width of the noise tells them apart."""
    nobody = sf.open(PATIENTS.iloc[:2], DISEASE, ledger=":memory:").query("SELECT COUNT(*) FROM patients WHERE d == 1")
    assert nobody.choose(sf.ratio(0.95), grid="paper").epsilon == 10
    assert patients().choose(sf.ratio(0.95), grid="paper").epsilon == 0.05
    assert patients().choose(sf.ratio(0.95)).guarantee == "none"


def test_edge_cases_of_the_closed_form() -> None:
    """Methods 2.2: nobody matches and tau 0 leave epsilon open; tau 1 leaves none when people differ."""
    assert patients().choose(sf.ratio(0)).unbounded
    assert not patients().choose(sf.ratio(1)).feasible
    everybody = sf.open(PATIENTS, DISEASE, ledger=":memory:").query("SELECT COUNT(*) FROM patients")
    assert everybody.choose(sf.ratio(1)).unbounded
    one = sf.open(PATIENTS.iloc[2:], DISEASE, ledger=":memory:").query("SELECT COUNT(*) FROM patients WHERE d == 1")
    assert one.choose(sf.ratio(1)).unbounded


@pytest.mark.parametrize("grid", [None, "paper"])
@pytest.mark.parametrize("exact", [False, True])
def test_of_nobody_there_is_no_data_dependent_choice(grid: str | None, exact: bool) -> None:
    """Methods 1: n = 0 gives no facts; the worst case needs none."""
    empty = sf.open(PATIENTS.iloc[:0], DISEASE, ledger=":memory:").query("SELECT COUNT(*) FROM patients WHERE d == 1")
    choice = empty.choose(sf.ratio(0.95, exact=exact), grid=grid)
    assert not choice.feasible
    assert choice.why == "There is nobody in the data, so there is no data-dependent choice: use --worst-case."
    assert empty.choose(sf.ratio(0.5, worst_case=True)).epsilon == 1


SPREADS = {  # methods 2.2: the least and the most exposed, tau, and the epsilon: "every" will do, or "none"
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
    compared = Spread(Fraction(str(low)), Fraction(str(high)), k=1, fixed=Fraction(0))
    for exact in (False, True) if mechanism == Noise() else (False,):
        asked = [sf.ratio(tau, exact=exact)]
        free = solve(asked, lambda _: compared, mechanism)
        gridded = solve(asked, lambda _: compared, mechanism, grid=PAPER_GRID)
        assert (free.unbounded, free.feasible) == (epsilon == "every", epsilon != "none")
        assert gridded.epsilon == {"every": 10, "none": None}.get(str(epsilon), gridded.epsilon)
        if mechanism == Noise() and not exact and not isinstance(epsilon, str):
            assert free.epsilon == pytest.approx(epsilon)


# The exact RDR (methods 2.1 to 2.4)


@pytest.mark.parametrize(
    ("figure", "k", "sensitivity", "fixed", "rdr"),
    [
        (0, 1, 1, 0, 1),
        (1, 1, 1, 0, 1.3678794411714423),
        (3, 1, 2, 0, 3.44626032029686),
        (4, 3, 2, 1, 7.659321639722126),
    ],
)
def test_the_exact_rdr(figure: float, k: int, sensitivity: float, fixed: float, rdr: float) -> None:
    """|d| + b e^(-|d|/b) for each number; the last has three of them, moved by 1, 3 and 0."""
    assert rdr_exact(figure, k, sensitivity, 1.0, fixed) == pytest.approx(rdr, rel=1e-14)


def test_the_exact_rdr_is_the_mean_distance_of_the_noisy_answer_from_the_answer_without_somebody() -> None:
    """Definition of RDR, added up over the density of the noise."""
    d, b, step = 3.0, 2.0, 1e-3
    noise = [step * i for i in range(-100_000, 100_000)]
    mean = sum(abs(d + z) * math.exp(-abs(z) / b) / (2 * b) * step for z in noise)
    assert mean == pytest.approx(rdr_exact(d, 1, b, 1.0), rel=1e-5)


@pytest.mark.parametrize(
    ("tau", "epsilon", "chance"),
    [
        (0.95, 0.3429771567807679, 0.579),
        (0.9, 0.5115389605824604, 0.613),
        (0.75, 0.9444335213957137, 0.688),
        (0.5, 1.8414056604369609, 0.801),
    ],
)
def test_what_tau_allows_by_the_exact_rdr(tau: float, epsilon: float, chance: float) -> None:
    """Methods 2.3: tau 0.95 allows 0.343 to one person, and the attacker is right 57.9 times of 100."""
    of_the_people = patients().choose(sf.ratio(tau, exact=True))
    worst_case = patients().choose(sf.ratio(tau, exact=True, worst_case=True))
    assert of_the_people.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert worst_case.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert (of_the_people.guarantee, worst_case.guarantee) == ("none", "dp")
    at = patients().risk().at(epsilon, exact=True)
    assert at.ratio == pytest.approx(tau, rel=1e-12)
    assert at.attack_chance == pytest.approx(chance, abs=5e-4)
    assert patients().worst_case().at(epsilon, exact=True).gap == pytest.approx(1 / tau, rel=1e-12)


def test_lemma_3_1_may_overstate_how_equal_people_are() -> None:
    """Methods 2.3: m = 1.8 b, M = 5.06 b: the upper bounds have ratio 0.462, the RDRs themselves 0.388."""
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
        with pytest.raises(sf.SfumatoError, match="known for one COUNT, SUM or AVG at a time"):
            ask()
    assert not stays.ledger.entries
    assert query.choose(sf.ratio(0.5, exact=True, worst_case=True)).epsilon == pytest.approx(1.8414056604369609)


def test_the_exact_rdr_is_that_of_laplace_noise() -> None:
    gaussian: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-6}
    for ask in (
        lambda: patients().choose(sf.ratio(0.9, exact=True), **gaussian),
        lambda: patients().choose(sf.ratio(0.9, exact=True, worst_case=True), **gaussian),
        lambda: patients().worst_case(exact=True, **gaussian),
        lambda: patients().risk(**gaussian).at(1.0, exact=True),
    ):
        with pytest.raises(sf.SfumatoError, match="The exact RDR is that of Laplace noise"):
            ask()


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
    everybody, groups = Spread(Fraction(0), Fraction(1), k=1), spread_between((0.5, 1.0), k=1)
    between, overall = sf.ratio(0.8, between="age > 60"), sf.ratio(0.8)
    compared: dict[Preference, Spread] = {between: groups, overall: everybody}
    assert solve([between], compared.__getitem__, Noise()).epsilon == pytest.approx(2 / 3)
    assert solve([between, overall], compared.__getitem__, Noise()).epsilon == pytest.approx(1 / 4)


@pytest.mark.parametrize("medians", [(None, 0.5), (0.5, None), (None, None)])
def test_a_group_without_people_leaves_no_choice(medians: tuple[float | None, float | None]) -> None:
    for grid in (None, PAPER_GRID):
        asked = [sf.gap(1.2, between="age > 60")]
        found = solve(asked, lambda _: spread_between(medians, k=1), Noise(), grid=grid)
        assert not found.feasible
        assert found.why == (
            "There is nobody in one of the two groups that “age > 60” makes, so there is no data-dependent choice: "
            "use --worst-case."
        )
