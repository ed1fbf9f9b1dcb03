"""Several queries by the rule of sections 5.2 and 5.3: only epsilons larger than what was spent.

See docs/theory/papers.md, RDR 5.2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise

import pandas as pd
import pytest

import sfumato as sf
from sfumato.model.choice import Noise
from sfumato.model.risk import ExposureRange
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.solver import solve
from sfumato.privacy.risk.membership import attack_chance_laplace
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES, rdr_laplace
from tests.paper.test_rdr import LONGEST, ONE_ILL, larger, next_query

NOBODY_ILL = ExposureRange(Fraction(0), Fraction(0), k=1)


def test_the_second_query_is_refused_because_the_first_took_all_that_tau_allows() -> None:
    """Algorithm 1 takes the largest epsilon; the same question again would need a larger one."""
    first = next_query(0.95, ONE_ILL).epsilon
    assert first == 0.05
    assert not next_query(0.95, ONE_ILL, first).feasible


def test_no_other_order_of_candidates_lasts_longer() -> None:
    """Every sequence that the rule allows, counted in thousandths."""
    candidates = [round(1000 * candidate) for candidate in PAPER_CANDIDATES]

    @cache
    def queries(spent: int) -> int:
        return max((1 + queries(spent + candidate) for candidate in candidates if candidate > spent), default=0)

    assert queries(0) == len(LONGEST) == 13


def test_later_queries_are_the_least_private() -> None:
    """What is spent more than doubles with each query, and nobody looks at what it adds up to."""
    totals = list(accumulate(Fraction(str(epsilon)) for epsilon in LONGEST))
    assert all(after > 2 * before for before, after in pairwise(totals))
    chances = [attack_chance_laplace(epsilon, 1) for epsilon in LONGEST]
    assert chances == sorted(chances)
    assert (chances[0], chances[-1]) == pytest.approx((0.50025, 0.99084), abs=1e-5)


@pytest.mark.parametrize(("ill", "feasible"), [(NOBODY_ILL, True), (ONE_ILL, False)], ids=["nobody ill", "one ill"])
def test_refusal_leaks(ill: ExposureRange, feasible: bool) -> None:
    """0.1 is spent. Nobody ill: answered, for certain. One ill: refused, for certain."""
    assert next_query(0.95, ill, 0.1).feasible == feasible


def test_refusal_leaks_from_a_table() -> None:
    schema = {"name": "patients", "columns": {"ill": {"type": "integer", "bounds": [0, 1]}}}
    refused = []
    for ill in ([0, 0], [0, 0, 1]):
        patients = sf.open(pd.DataFrame({"ill": ill}), schema, ledger=":memory:")
        query = patients.query("SELECT COUNT(*) FROM patients WHERE ill = 1")
        refused.append(not query.choose(sf.ratio(0.95), candidates=larger(Fraction("0.1"))).feasible)
    assert refused == [False, True]


def test_why_it_is_refused() -> None:
    """With one ill only epsilons up to 0.0526 meet 0.95: (1/eps) / (1 + 1/eps), the RDRs of Lemma 3.1."""
    met = [e for e in PAPER_CANDIDATES if rdr_laplace(0, 1, 1, e) >= 0.95 * rdr_laplace(1, 1, 1, e)]
    assert met == [e for e in PAPER_CANDIDATES if e <= 0.0526]
    largest = solve([sf.ratio(0.95)], lambda _: ONE_ILL, Noise()).epsilon
    assert largest == pytest.approx(1 / 19, rel=1e-15)


@pytest.mark.parametrize(("spent", "feasible"), [("0.04", True), ("0.1", False)])
def test_in_the_worst_case_nobody_is_asked_so_a_refusal_tells_of_nobody(spent: str, feasible: bool) -> None:
    def people(_: Preference) -> ExposureRange:
        raise AssertionError("nobody is to be read")

    solution = solve([sf.ratio(0.95, worst_case=True)], people, Noise(), candidates=larger(Fraction(spent)))
    assert solution.feasible == feasible
