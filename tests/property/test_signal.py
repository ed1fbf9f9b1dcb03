"""Lipschitz constants hold, one person moves a difference by no more than is said, and is in one block only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.privacy.sensitivity import sensitivity_of_figure
from sfumato.signals.exact_answer import block_tables, exact_table
from sfumato.signals.score_lattice import difference_lattice
from sfumato.signals.tasks.registry import task
from sfumato.signals.tasks.table import Table
from tests.property.tables import examples

LABELS = ("a", "b", "c")
FIGURE = st.floats(-1e6, 1e6, allow_nan=False)
FIGURES = st.lists(FIGURE, min_size=3, max_size=3)
LIPSCHITZ = [
    task("above", column="n", a="a", b="b", width=50.0),
    task("above", column="n", a="c", b=12.5, width=3.0),
    task("histogram_distance", column="n", reference={"a": 100, "b": 50, "z": 1}),
    task("formula", expression='(n["a"] - 2 * n["b"]) / 10', low=-1e9, high=1e9),
    task("formula", expression='max(n["a"], abs(n["b"] - 7), min(sum(n), 3 * n["c"]))', low=-1e9, high=1e9),
    task("formula", expression='sum(n) + 2 * n["a"]', low=-1e9, high=1e9),
    task("formula", expression='abs(n["a"]) - n["a"] - -n["c"] / 3', low=0, high=100),
]


def table(figures: Sequence[float]) -> Table:
    return Table(("place", "n"), tuple(zip(LABELS, figures, strict=True)), ("n",))


@pytest.mark.depth("scored tables")
@pytest.mark.parametrize("made", LIPSCHITZ, ids=lambda made: made.name)
@given(one=FIGURES, moves=st.lists(st.floats(-100, 100, allow_nan=False), min_size=3, max_size=3))
@examples("scored tables")
def test_scores_move_by_no_more_than_the_constant(made: sf.Task, one: list[float], moves: list[float]) -> None:
    other = [figure + move for figure, move in zip(one, moves, strict=True)]
    moved = sum(abs(Fraction(a) - Fraction(b)) for a, b in zip(one, other, strict=True))
    assert made.lipschitz is not None
    apart = abs(made.score([table(one)]) - made.score([table(other)]))
    assert apart <= made.lipschitz * float(moved) + 1e-9 * (1 + apart)


@pytest.mark.parametrize(
    ("made", "figures", "moved"),
    [
        (LIPSCHITZ[0], (0, 0, 0), (1, 0, 0)),
        (LIPSCHITZ[1], (0, 0, 12), (0, 0, 1)),
        (LIPSCHITZ[2], (100, 50, 0), (1, 0, 0)),
        (LIPSCHITZ[3], (0, 0, 0), (0, -1, 0)),
        (LIPSCHITZ[5], (0, 0, 0), (1, 0, 0)),
        (LIPSCHITZ[6], (-9, 0, 3), (1, 0, 0)),
    ],
)
def test_no_smaller_constant_would_do(made: sf.Task, figures: tuple[float, ...], moved: tuple[float, ...]) -> None:
    other = [figure + move for figure, move in zip(figures, moved, strict=True)]
    assert made.lipschitz is not None
    assert math.isclose(abs(made.score([table(figures)]) - made.score([table(other)])), made.lipschitz)


@given(*[FIGURES] * 3)
@examples("scored tables")
def test_a_difference_moves_by_no_more_than_a_score(public: list[float], one: list[float], other: list[float]) -> None:
    """The reverse triangle: S stands, and x moves."""
    for made in LIPSCHITZ:
        g = [made.score([table(figures)]) for figures in (public, one, other)]
        rounding = 1e-12 + 1e-15 * sum(map(abs, g))
        assert abs(abs(g[0] - g[1]) - abs(g[0] - g[2])) <= abs(g[1] - g[2]) * (1 + 1e-9) + rounding


# People who leave

ROWS = st.lists(
    st.tuples(st.sampled_from(("a", "b", "c", "elsewhere", None)), st.integers(-20, 20), st.integers(0, 4)),
    min_size=1,
    max_size=10,
)
FIGURES_OF = (
    "COUNT(*)",
    "SUM(v)",
    "AVG(v)",
    "VAR_POP(v)",
    "VAR_SAMP(v)",
    "STDDEV(v)",
    "COUNT(DISTINCT v)",
    "AVG(v / 4)",
)
UNITS: tuple[dict[str, Any], ...] = ({}, {"unit": "who", "max_rows": 2}, {"unit": "who", "max_rows": 3})


def query(rows: Sequence[tuple[Any, ...]], figure: str, stated: dict[str, Any]) -> sf.Query:
    types = {"place": pa.string(), "v": pa.int64(), "who": pa.int64()}
    stored = {name: pa.array([row[i] for row in rows], type_) for i, (name, type_) in enumerate(types.items())}
    columns = {
        "place": {"type": "text", "categories": [*LABELS]},
        "v": {"type": "integer", "bounds": [-10, 14]},
        "who": {"type": "integer"},
    }
    schema = {"name": "t", "columns": columns} | stated
    sql = f"SELECT place, {figure} AS n FROM t WHERE v > -18 GROUP BY place"
    return sf.open(pa.table(stored), schema, ledger=":memory:").query(sql)


def without_each(rows: Sequence[tuple[Any, ...]], stated: dict[str, Any]) -> list[list[tuple[Any, ...]]]:
    """The table without each person, literally."""
    if "unit" not in stated:
        return [[*rows[:i], *rows[i + 1 :]] for i in range(len(rows))]
    return [[row for row in rows if row[2] != who] for who in sorted({row[2] for row in rows})]


@pytest.mark.depth("signalled tables")
@pytest.mark.parametrize("figure", FIGURES_OF)
@given(rows=ROWS, stated=st.sampled_from(UNITS))
@examples("signalled tables")
def test_one_person_moves_a_difference_by_its_sensitivity_at_most(
    figure: str, rows: list[tuple[Any, ...]], stated: dict[str, Any]
) -> None:
    asked = query(rows, figure, stated)
    measurement = asked.measurement
    [most] = [sensitivity_of_figure(c, measurement) for c in measurement.columns if c.key is None]
    public = table([3.0, -2.0, 5.0])
    with_all = exact_table(asked._bound)
    for fewer in without_each(rows, stated):
        other = exact_table(query(fewer, figure, stated)._bound)
        moved = sum(abs(with_all.figure("n")[x] - other.figure("n")[x]) for x in LABELS)
        assert moved <= float(most) * (1 + 1e-12), "D1"
        for made in LIPSCHITZ:
            grid = difference_lattice(made, {"n": most})
            h = [grid.steps(abs(made.score([public]) - made.score([seen]))) for seen in (with_all, other)]
            assert abs(h[0] - h[1]) <= grid.sensitivity, made


def test_means_move_as_far_as_is_said() -> None:
    """Their sensitivities are met: a first row at a bound, and a second one at the other."""
    for rows, fewer in (([("a", 14, 0)], []), ([("a", 14, 0), ("a", -10, 1)], [("a", 14, 0)])):
        asked, other = query(rows, "AVG(v)", {}), query(fewer, "AVG(v)", {})
        moved = abs(exact_table(asked._bound).figure("n")["a"] - exact_table(other._bound).figure("n")["a"])
        most = float(sensitivity_of_figure(asked.measurement.columns[1], asked.measurement))
        assert moved == 12 <= most <= 12 * (1 + 1e-12)


def test_means_far_from_zero_move_by_whole_floats() -> None:
    """There floats are 256 apart, which is more than half of these bounds."""
    far = 2**60
    columns = {"v": {"type": "integer", "bounds": [far - 129, far + 129]}}

    def mean_of(values: list[int]) -> sf.Query:
        stored = pa.table({"v": pa.array(values, pa.int64())})
        return sf.open(stored, {"name": "t", "columns": columns}, ledger=":memory:").query("SELECT AVG(v) AS n FROM t")

    asked, other = mean_of([far + 129]), mean_of([])
    moved = abs(exact_table(asked._bound).figure("n")[""] - exact_table(other._bound).figure("n")[""])
    assert moved == 256 <= sensitivity_of_figure(asked.measurement.columns[0], asked.measurement)


@pytest.mark.depth("signalled tables")
@given(rows=ROWS, stated=st.sampled_from(UNITS), blocks=st.integers(2, 9))
@examples("signalled tables")
def test_one_person_changes_one_block_only(rows: list[tuple[Any, ...]], stated: dict[str, Any], blocks: int) -> None:
    """Of rows that are alike too, of which some are there several times: nobody draws the others anew."""
    rows = rows + rows[:3]
    with_all = block_tables(query(rows, "COUNT(*)", stated)._bound, blocks, "key")
    for fewer in without_each(rows, stated):
        other = block_tables(query(fewer, "COUNT(*)", stated)._bound, blocks, "key")
        assert sum(a != b for a, b in zip(with_all, other, strict=True)) <= 1


@given(rows=ROWS, stated=st.sampled_from(UNITS))
@examples("signalled tables")
def test_blocks_add_up_to_the_whole(rows: list[tuple[Any, ...]], stated: dict[str, Any]) -> None:
    asked = query(rows, "SUM(v)", stated)
    blocks = [seen.figure("n") for seen in block_tables(asked._bound, 4, "key")]
    for label, whole in exact_table(asked._bound).figure("n").items():
        assert math.isclose(sum(block[label] for block in blocks) / 4, whole, abs_tol=1e-9)


def test_people_are_spread_over_the_blocks() -> None:
    """Rows that are all alike, too; and another key deals them out anew."""
    alike = query([("a", 1, 0)] * 400, "COUNT(*)", {})
    counts = [seen.figure("n")["a"] / 4 for seen in block_tables(alike._bound, 4, "key")]
    assert sum(counts) == 400
    assert all(50 < count < 150 for count in counts), counts
    assert counts != [seen.figure("n")["a"] / 4 for seen in block_tables(alike._bound, 4, "other")]
