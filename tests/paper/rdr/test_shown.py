"""What a controller sees of RDRs: Figure 2 and the study's table, from `risk` and its pictures."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.presentation.figures.marks import Bars, Range
from sfumato.privacy.noise.calibration import mu_of
from sfumato.release.risk.people_rdr import ends

ROWS = pd.DataFrame({"ward": ["a", "b", "a", "b", "b", "a"], "pay": [0, 3, 7, 7, 10, 2], "ill": [1, 0, 0, 1, 1, 1]})
SCHEMA = {
    "name": "staff",
    "columns": {
        "ward": {"type": "text", "categories": ["a", "b"]},
        "pay": {"type": "integer", "bounds": [0, 10]},
        "ill": {"type": "integer", "bounds": [0, 1]},
    },
}
QUERIES = (  # with what one person changes at most, and the answer of some rows
    ("SELECT COUNT(*) FROM staff WHERE ill = 1", 1, lambda rows: [sum(rows.ill)]),
    ("SELECT SUM(pay) FROM staff", 10, lambda rows: [sum(rows.pay)]),
    (
        "SELECT ward, SUM(pay) FROM staff WHERE ill = 1 GROUP BY ward",
        10,
        lambda rows: [sum(rows.pay[(rows.ward == ward) & (rows.ill == 1)]) for ward in "ab"],
    ),
)


def patients() -> sf.Query:
    declared: dict[str, Any] = {"name": "patients", "columns": {"d": {"type": "integer", "bounds": [0, 1]}}}
    table = sf.open(pd.DataFrame({"d": [0, 0, 1]}), declared, ledger=":memory:")
    return table.query("SELECT COUNT(*) FROM patients WHERE d = 1")


def test_figure_2_is_printed() -> None:
    shown = patients().risk(candidates=[1, 0.1, 0.01]).text()
    rows = [line.split() for line in shown.splitlines()]
    assert ["no", "noise", "0", "1", "0", "1"] in rows, "RDRs without noise, their ratio, and the raw output"
    assert ["0.1", "10", "11", "0.9091", "−23", "to", "25"] in rows, "RDRs, their ratio, and the possible outputs"
    assert ["person", "no", "noise", "0.01", "0.1", "1"] in rows
    assert [["1", "0", "100", "10", "1"] in rows, ["3", "1", "101", "11", "2"] in rows] == [True, True]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("noise", [{}, {"mechanism": "gaussian", "delta": 1e-6}])
@pytest.mark.parametrize(("sql", "sensitivity", "answer"), QUERIES)
def test_the_rdr_of_each_person_is_that_of_the_table_without_them(
    sql: str, sensitivity: float, answer: Any, noise: dict[str, Any], exact: bool
) -> None:
    """Against literal leave-one-out: the lemma itself, and the mean distance of noise and move where it is exact."""
    profile = sf.open(ROWS, SCHEMA, ledger=":memory:").query(sql).risk(exact=exact, **noise)
    whole, epsilons = answer(ROWS), (0.3, 2.0)
    people = profile.people(epsilons).to_pylist()
    for epsilon in epsilons:
        moved = [[w - o for w, o in zip(whole, answer(ROWS.drop(i)), strict=True)] for i in ROWS.index]
        sigma = sensitivity / mu_of(epsilon, profile.noise) if noise else sensitivity / epsilon
        expected = [_rdr(move, sigma, gaussian=bool(noise), exact=exact) for move in moved]
        assert [row[f"rdr_{epsilon:g}"] for row in people] == pytest.approx(expected, rel=1e-6)
        assert ends(profile, epsilon) == pytest.approx((min(expected), max(expected)), rel=1e-6)
        drawn = profile.rdr_histogram(epsilon).figure
        [bars] = drawn.of(Bars)
        assert sum(bars.heights) == len(people)
        for low, high, height in bars.standing:
            tolerance = 1e-6 * high
            assert sum(low - tolerance <= one <= high + tolerance for one in expected) >= height


def _rdr(move: list[float], scale: float, *, gaussian: bool, exact: bool) -> float:
    k = len(move)
    if not gaussian and not exact:
        return sum(map(abs, move)) + k * scale
    if not gaussian:
        return sum(scale * math.exp(-abs(m) / scale) + abs(m) for m in move)  # E|m + Z| of each number
    if not exact:
        return math.sqrt(sum(m * m for m in move) + k * scale**2)
    return _mean_distance(math.hypot(*move), k, scale)


def _mean_distance(far: float, k: int, sigma: float) -> float:
    """E|d + sigma Z|: by quadrature of the folded normal for one number, of Rice's law for two."""
    if k == 1:
        z = far / sigma
        return sigma * math.sqrt(2 / math.pi) * math.exp(-z * z / 2) + far * math.erf(z / math.sqrt(2))
    steps, width = 4000, (far + 12 * sigma) / 4000
    from math import cos, exp, pi

    def bessel(x: float) -> float:  # e^-x I_0(x)
        return sum(exp(x * (cos(pi * (i + 0.5) / 200) - 1)) for i in range(200)) / 200

    radii = [(i + 0.5) * width for i in range(steps)]
    density = [r / sigma**2 * exp(-((r - far) ** 2) / (2 * sigma**2)) * bessel(r * far / sigma**2) for r in radii]
    return sum(r * p for r, p in zip(radii, density, strict=True)) * width


def test_a_box_for_each_epsilon() -> None:
    figure = patients().risk(candidates=[1, 0.1]).plot("rdr").figure
    assert [(box.x, box.low, box.high) for box in figure.of(Range)] == [(0.1, 10, 11), (1, 1, 2)]


def test_the_possible_outputs_of_each_group() -> None:
    query = sf.open(ROWS, SCHEMA, ledger=":memory:").query("SELECT ward, COUNT(*) FROM staff GROUP BY ward")
    shown = query.risk(candidates=[1.0]).text()
    assert "a · count(*) (90%)   b · count(*) (90%)" in shown
    assert any(line.split() == ["no", "noise", "1", "1", "1", "3", "3"] for line in shown.splitlines())


def test_a_mean_has_rdrs_in_units_and_no_outputs() -> None:
    query = sf.open(ROWS, SCHEMA, ledger=":memory:").query("SELECT AVG(pay) FROM staff")
    profile = query.risk(candidates=[1.0])
    assert "The unit is the most that one person can change" in profile.text()
    assert "possible outputs" not in profile.text()
    row = profile.at(1.0)
    low, high = ends(profile, 1.0)
    assert low / high == pytest.approx(row.ratio)


def test_a_median_has_none() -> None:
    query = sf.open(ROWS, SCHEMA, ledger=":memory:").query("SELECT MEDIAN(pay) FROM staff")
    assert "lowest RDR" not in query.risk(candidates=[1.0]).text()


def test_the_worst_case_has_no_one_to_count() -> None:
    with pytest.raises(sf.errors.BadInput, match="it has no histogram of RDRs"):
        patients().worst_case().plot("rdr-histogram")
    with pytest.raises(ValueError, match="lists no people"):
        patients().worst_case().people([1.0])


def test_a_rehearsal_shows_the_candidates_that_are_stated() -> None:
    rows = patients().rehearse(sf.gap(1.2), candidates=[0.25, 0.5], rows=50).candidates
    assert {row.epsilon for row in rows} >= {0.25, 0.5}
    assert 0.01 not in {row.epsilon for row in rows}
