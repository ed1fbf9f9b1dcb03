"""Within-Dataset Disclosure Risk for Differential Privacy (Zhu & Castro Fernandez): its examples and tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.risk.gaussian import epsilon_analytic, epsilon_classic, mu_analytic
from sfumato.risk.rdr import PAPER_GRID, sigma_for_ratio

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
    empty = sf.open(PATIENTS.iloc[:0], DISEASE, ledger=":memory:").query("SELECT COUNT(*) FROM patients WHERE d == 1")
    assert empty.choose(sf.ratio(0.95)).unbounded
