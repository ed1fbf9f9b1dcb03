"""Histogram trees: their shape, the fit of their nodes, quantiles and intervals, and when they are drawn."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import QueryError, SchemaError, SfumatoError
from sfumato.model.histogram_tree import HistogramTree, tree_for
from sfumato.model.measurement import NumberKind
from sfumato.model.statement import AggregateKind
from sfumato.privacy.noise.histogram_tree import NoisyDistribution, consistent_leaves, prefix_variances
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

COLUMNS: dict[str, Any] = {
    "days": {"type": "integer", "bounds": [0, 99]},
    "pay": {"type": "number", "bounds": [0, 500]},
    "ward": {"categories": ["a", "b"]},
    "open": {"type": "integer"},
}
SCHEMA = {"name": "stays", "columns": COLUMNS}
FIVE = "QUANTILE_CONT(days, 0.1), QUANTILE_CONT(days, 0.25), MEDIAN(days), QUANTILE_DISC(days, 0.75)"
shapes = st.tuples(st.integers(2, 4), st.integers(1, 3)).map(lambda shape: HistogramTree(*shape))


def numbers(sql: str) -> list[tuple[NumberKind, Fraction]]:
    schema = from_dict(SCHEMA)
    return [(number.kind, number.sensitivity) for number in measure(parse(sql, schema), schema).numbers]


@pytest.mark.parametrize("bins", [2, 10, 64, 100, 101, 1_000, 1_001, 99_999])
def test_no_other_shape_with_enough_leaves_has_less_noise(bins: int) -> None:
    tree = tree_for(bins)
    assert tree.leaves >= bins
    every = [(f, h) for h in range(1, 18) for f in range(2, 400) if f**h >= bins]
    assert (tree.branching - 1) * tree.height**3 <= min((f - 1) * h**3 for f, h in every)


@given(tree=shapes, seed=st.integers(0, 2**32))
def test_the_fit_is_that_of_the_pseudo_inverse(tree: HistogramTree, seed: int) -> None:
    """And so are the variances of the sums of the first leaves, which intervals are made of."""
    rng = random.Random(seed)
    noisy = [rng.gauss(0, 3) for _ in range(tree.nodes)]
    member = np.array([tree.counts({leaf: 1}) for leaf in range(tree.leaves)]).T
    inverse = np.linalg.inv(member.T @ member)
    expected = inverse @ member.T @ np.array(noisy)
    assert consistent_leaves(tree, noisy) == pytest.approx(expected.tolist(), abs=1e-9)
    upto = np.tril(np.ones((tree.leaves + 1, tree.leaves)), -1)
    variances = np.diag(upto @ inverse @ upto.T)
    assert prefix_variances(tree) == pytest.approx(variances.tolist(), abs=1e-9)


@given(
    values=st.lists(st.integers(0, 99), min_size=1, max_size=60),
    at=st.sampled_from(["0.1", "0.25", "0.5", "0.9"]).map(Fraction),
)
def test_without_noise_a_quantile_is_the_true_one(values: list[int], at: Fraction) -> None:
    schema = from_dict(SCHEMA)
    (number,) = measure(parse(f"SELECT APPROX_QUANTILE(days, {float(at)}) FROM stays", schema), schema).numbers
    nodes = number.tree.counts({value: values.count(value) for value in values})
    distribution = NoisyDistribution(number, consistent_leaves(number.tree, nodes))
    ordered = sorted(values)
    close = at * len(values) % 1 == 0  # floats of the fit may fall short of a whole rank
    true = ordered[-(-at.numerator * len(values) // at.denominator) - 1]
    found = distribution.quantile(at, AggregateKind.QUANTILE_DISC)
    assert found == true or (close and found == next(v for v in ordered if v > true))


@pytest.mark.parametrize(
    ("sql", "drawn"),
    [
        (f"SELECT {FIVE} FROM stays", [(NumberKind.SELECTION, Fraction(9, 10))]),
        (f"SELECT {FIVE}, QUANTILE_CONT(days, 0.9) FROM stays", [(NumberKind.HISTOGRAM, Fraction(2))]),
        (f"SELECT {FIVE}, QUANTILE_CONT(days, 0.10) AS again FROM stays", [(NumberKind.SELECTION, Fraction(9, 10))]),
        ("SELECT APPROX_QUANTILE(pay, 0.5) FROM stays", [(NumberKind.HISTOGRAM, Fraction(3))]),
        (
            "SELECT APPROX_QUANTILE(pay, 0.5), MEDIAN(pay), MEDIAN(days) FROM stays",
            [(NumberKind.HISTOGRAM, Fraction(3)), (NumberKind.SELECTION, Fraction(1, 2))],
        ),
        ("SELECT APPROX_QUANTILE(pay, 1) FROM stays", [(NumberKind.SELECTION, Fraction(1))]),
    ],
)
def test_five_quantiles_or_an_interval_of_values_take_one_histogram(
    sql: str, drawn: list[tuple[Any, Fraction]]
) -> None:
    found = numbers(sql)
    assert found[0] == drawn[0]
    assert [kind for kind, _ in found if kind is NumberKind.HISTOGRAM] == [
        kind for kind, _ in drawn if kind is NumberKind.HISTOGRAM
    ]
    assert len(drawn) == 1 or found == drawn


def test_a_histogram_needs_bounds_and_has_a_limit() -> None:
    with pytest.raises(SchemaError, match="no bounds"):
        numbers("SELECT APPROX_QUANTILE(open, 0.5) FROM stays")
    many = from_dict({"name": "t", "columns": {"v": COLUMNS["pay"], "k": {"type": "integer", "categories": "1..1001"}}})
    with pytest.raises(QueryError, match="1,001,000 bins"):
        measure(parse("SELECT k, APPROX_QUANTILE(v, 0.5) FROM t GROUP BY k", many), many)
    with pytest.raises(QueryError, match="histogram of days"):
        numbers("SELECT ward, APPROX_QUANTILE(days, 0.5) FROM stays GROUP BY ROLLUP(ward)")


@pytest.fixture(scope="module")
def stays() -> sf.Dataset:
    frame = pd.DataFrame({"days": [i % 50 for i in range(4_000)], "pay": [i % 500 + 0.5 for i in range(4_000)]})
    frame["open"] = 1
    frame["ward"] = ["a" if i % 4 else "b" for i in range(4_000)]
    return sf.open(frame, SCHEMA, ledger=":memory:")


@pytest.mark.parametrize(
    "noise", [{}, {"mechanism": "gaussian", "delta": 1e-6}, {"mechanism": "truncated", "delta": 0.01}]
)
def test_quantiles_come_with_intervals_of_values(stays: sf.Dataset, noise: dict[str, Any]) -> None:
    release = stays.query(
        "SELECT ward, APPROX_QUANTILE(days, 0.5) AS half, APPROX_QUANTILE(days, 0.9) AS most, COUNT(*) AS n, "
        "most - half AS apart FROM stays GROUP BY ward"
    ).release(epsilon=2.0, **noise)
    for row, intervals in zip(cast(Any, release.rows), cast(Any, release.intervals), strict=True):
        assert row[1] == pytest.approx(24, abs=4)
        assert row[4] == row[2] - row[1]
        for figure, interval in zip(row[1:3], intervals[1:3], strict=True):
            assert interval[0] <= figure <= interval[1]
        assert intervals[0] is None
        assert intervals[4] is None
    assert any("noisy histogram" in step for step in release.certificate.post_processing)
    assert release.certificate.outputs == 2 * (110 + 1)


def test_another_quantile_of_a_recorded_histogram_is_free(stays: sf.Dataset) -> None:
    first = stays.query("SELECT APPROX_QUANTILE(pay, 0.5) FROM stays").release(epsilon=0.5)
    other = stays.query("SELECT APPROX_QUANTILE(pay, 0.25), APPROX_QUANTILE(pay, 0.5) FROM stays").release(epsilon=0.5)
    assert (first.certificate.charged, other.certificate.charged) == (0.5, 0.0)
    assert other.rows[0][1] == first.rows[0][0]


def test_what_a_tree_has_no_meaning_for_is_refused(stays: sf.Dataset) -> None:
    query = stays.query("SELECT APPROX_QUANTILE(days, 0.5) AS half FROM stays")
    release = query.release(epsilon=1.0)
    with pytest.raises(SfumatoError, match="tree of counts"):
        query.posthoc_risk(release)
    with pytest.raises(SfumatoError, match="not a sum"):
        query.choose(sf.pri(5))
    with pytest.raises(SfumatoError, match="cannot be bounded in advance"):
        query.choose(sf.within(5))
