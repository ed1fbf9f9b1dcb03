"""Totals are sums of what each row adds by itself, in whole steps: no order, no neighbour and no size changes that.

The noise is drawn around these totals, so that the sensitivity claimed is the sensitivity had (docs/theory/noise.md).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.measurement import NoisyNumber, NumberKind
from sfumato.model.schema import Bounds, Type
from sfumato.model.statement import AggregateKind, ColumnRef
from sfumato.sql.builder.term import Term
from sfumato.sql.builder.values import cast, value
from sfumato.sql.lowering.spelling import spell
from sfumato.sql.plans.influence import FINE_UNITS, spread
from sfumato.sql.plans.rows import Reading
from tests.property.tables import examples

NAN, INF = float("nan"), float("inf")
WHOLES = (2**53 + 1, 2**53 - 1, -(2**53) - 1, 2**62 - 1, 2**62 + 1, 2**63 - 1, -(2**63), 0, 1, -1, 2**31 + 1, None)
REALS = (0.1, 1 / 3, 1e-17, -1e-17, 5e-324, -0.0, 0.0, 2.0**53 + 2, -(2.0**60), 1e12, 1e12 + 1 / 3, 1e12 - 0.001,
         1e300, -1e300, 1.7e308, INF, -INF, NAN, None)  # fmt: skip
BOUNDS: dict[str, tuple[tuple[float, float], ...]] = {
    "integer": ((0, 1), (-1, 2**31), (-(2**31), 2**31), (2**53, 2**53 + 8), (1 - 2**62, 2**62 - 1), (-3, 2**40)),
    "number": ((0, 1e12), (-1e12, 1e12), (0, 0.3), (-1e-17, 1e-17), (1e12, 1e12 + 1), (-1e49, 1e48), (-7.3, -1 / 3)),
}
KINDS = ("csv", "parquet", "pandas", "arrow", "objects")
FIGURES = "COUNT(*), COUNT(v), SUM(v), AVG(v), VAR_POP(v), SUM(ABS(v)), SUM(CASE WHEN v > 0 THEN v ELSE -1 END)"
STORED = {"integer": pa.int64(), "number": pa.float64()}


def opened(values: Sequence[Any], type_: str, bounds: tuple[float, float], kind: str, folder: Path) -> sf.Dataset:
    """A table with a row for each value, numbered."""
    rows = list(range(len(values)))
    stored = pa.table({"row": pa.array(rows, pa.int64()), "v": pa.array(values, STORED[type_], from_pandas=False)})
    source: object = stored
    if kind == "csv":
        source = folder / "t.csv"
        with source.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("row", "v"), *zip(rows, values, strict=True)])
    elif kind == "parquet":
        source = folder / "t.parquet"
        pyarrow.parquet.write_table(stored, source)
    elif kind == "pandas":
        source = stored.to_pandas(types_mapper=pd.ArrowDtype)
    elif kind == "objects":
        source = pd.DataFrame({"row": rows, "v": pd.Series(values, dtype=object)})
    columns = {"row": {"type": "integer", "categories": rows}, "v": {"type": type_, "bounds": list(bounds)}}
    return sf.open(source, {"name": "t", "columns": columns}, ledger=":memory:")


def exactly(n: NoisyNumber, own: Any) -> Fraction:
    """What a row adds to a number, in steps, by arithmetic without rounding."""
    if own is None or math.isnan(own):
        return Fraction(n.kind is NumberKind.COUNT and n.argument is None) / n.step
    if n.kind is NumberKind.COUNT:
        return 1 / n.step
    assert n.bounds is not None
    inside = n.bounds.upper if own == INF else n.bounds.lower if own == -INF else Fraction(own)
    off = min(max(inside, n.bounds.lower), n.bounds.upper) - n.centre
    return (off**2 - n.offset if n.kind is NumberKind.SQUARES else off) / n.step


@pytest.mark.depth("exact sums")
@examples("exact sums")
@given(data=st.data(), kind=st.sampled_from(KINDS), type_=st.sampled_from(sorted(BOUNDS)))
def test_a_total_is_the_sum_of_what_each_row_adds_by_itself(data: st.DataObject, kind: str, type_: str) -> None:
    """Whatever stands beside it, in whatever order; and nobody adds more than a sensitivity."""
    bounds = data.draw(st.sampled_from(BOUNDS[type_]))
    pool = (*(WHOLES if type_ == "integer" else REALS), *bounds)
    values = data.draw(st.lists(st.sampled_from(pool), min_size=1, max_size=40))
    mixed = data.draw(st.permutations(values))
    with TemporaryDirectory() as folder:
        dataset = opened(values, type_, bounds, kind, Path(folder))
        query = dataset.query(f"SELECT {FIGURES} FROM t")
        totals = query._bound.totals().cells[()]
        alone = dataset.query(f"SELECT row, {FIGURES} FROM t GROUP BY row")._bound.totals().cells.values()
        moved = opened(mixed, type_, bounds, kind, Path(folder)).query(query.sql)
        assert moved._bound.totals().cells[()] == totals, "the order does not matter"
    assert tuple(map(sum, zip(*alone, strict=True))) == totals
    for n, added in zip(query.measurement.numbers, zip(*alone, strict=True), strict=True):
        assert max(map(abs, added)) <= n.steps, n
        if isinstance(n.argument, ColumnRef | None):
            off = [abs(steps - exactly(n, v)) for steps, v in zip(added, values, strict=True)]
            assert max(off) <= n.rounded, n


@pytest.mark.parametrize("kind", KINDS)
def test_sums_beyond_64_bits(kind: str, tmp_path: Path) -> None:
    """Forty values near 2**62 are far beyond what 64 bits hold; the mean is made of them, exactly."""
    top = 2**62 - 1
    values = [top - i for i in range(40)]
    query = opened(values, "integer", (top - 1000, top), kind, tmp_path).query("SELECT AVG(v) FROM t")
    centred, _ = query.measurement.numbers
    assert query._bound.totals().cells[()][0] * centred.step == sum(values) - 40 * centred.centre


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sql", ["SELECT SUM(v) FROM t", "SELECT AVG(v) FROM t", "SELECT VAR_POP(v) FROM t"])
def test_small_differences_of_large_numbers_are_kept(sql: str, kind: str, tmp_path: Path) -> None:
    """Doubles know no odd number beyond 2**53; whole numbers do."""
    values = [2**53 + i for i in (1, 2, 3, 3)]
    query = opened(values, "integer", (2**53, 2**53 + 4), kind, tmp_path).query(sql)
    for n, total in zip(query.measurement.numbers, query._bound.totals().cells[()], strict=True):
        exact = sum((exactly(n, v) for v in values), Fraction(0))
        assert abs(total - exact) <= (4 if n.kind is NumberKind.SUM else 0), n


@pytest.mark.parametrize("text", ["9" * 400, "1e400", "-1e400", "0x10", "\uff11\uff12", "1e", "--1", "+", ".", "1,5"])
def test_texts_that_are_no_number_add_nothing_or_a_bound(text: str, tmp_path: Path) -> None:
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("w", "x"), ("7", "0.25"), (text, text)])
    columns = {"w": {"type": "integer", "bounds": [-9, 9]}, "x": {"type": "number", "bounds": [-9, 9]}}
    dataset = sf.open(tmp_path / "t.csv", {"name": "t", "columns": columns}, ledger=":memory:")
    query = dataset.query("SELECT COUNT(w), SUM(w), COUNT(x), SUM(x) FROM t")
    pairs = zip(query._bound.totals().cells[()], query.measurement.numbers, strict=True)
    w, sum_w, x, sum_x = (round(float(total * n.step), 2) for total, n in pairs)
    assert (w, sum_w) == (1, 7)
    assert (x, sum_x) in ((1, 0.25), (2, 9.25), (2, -8.75))


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_whole_numbers_without_a_sign_are_subtracted_from(width: int) -> None:
    """From those below the middle of the bounds too."""
    table = pa.table({"v": pa.array([3, 7, 0, 2**width - 1], getattr(pa, f"uint{width}")())})
    schema = {"name": "t", "columns": {"v": {"type": "integer", "bounds": [0, 10]}}}
    signed = sf.open(pa.table({"v": [3, 7, 0, 99 if width < 64 else None]}), schema, ledger=":memory:")
    for figure in ("SUM(v)", "AVG(v)", "VAR_POP(v)", "STDDEV(v)", "SUM(CASE WHEN v > 3 THEN v ELSE 1 END)"):
        sql = f"SELECT {figure} FROM t"
        one, other = (dataset.query(sql) for dataset in (sf.open(table, schema, ledger=":memory:"), signed))
        assert one._bound.totals() == other._bound.totals()
        assert one.risk().people() == other.risk().people()


def test_variances_of_two_billion_people_add_up() -> None:
    """At the bounds, which is as far as squares go: n sum z^2 - (sum z)^2 stays within 128 bits."""
    people, furthest = 2**31 - 1, FINE_UNITS
    bounds = Bounds(Fraction(0), Fraction(1))
    totals = {"n": people, "z": furthest, "zz": people * furthest**2}
    parts = {name: Term(partial(cast, value(str(total)), "INT128")) for name, total in totals.items()}
    formula = spread(Reading("v", ColumnRef("v", Type.NUMBER), bounds), parts, AggregateKind.VAR_POP)
    with duckdb.connect() as engine:
        [(variance,)] = engine.execute(f"SELECT {spell(formula.tree, 'duckdb')}").fetchall()
    assert variance == pytest.approx(0.25, rel=1e-9)
