"""A table in plain text: written without Rich where nothing has to be laid out, and as Rich would write it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.presentation.printable import plain
from sfumato.presentation.table import is_figure, laid_out, table

cells = st.text("ab 1.5−–±äΩ漢\n\t\u0301", max_size=8)
tables = st.integers(1, 4).flatmap(
    lambda n: st.tuples(
        st.lists(cells, min_size=n, max_size=n), st.lists(st.lists(cells, min_size=n, max_size=n), max_size=4)
    )
)


@given(tables, st.sampled_from([20, 200]))
def test_a_table_is_the_one_that_rich_lays_out(made: tuple[list[str], list[list[str]]], width: int) -> None:
    columns, rows = made
    lines = [[plain(cell) for cell in line] for line in (columns, *rows)]
    right = [bool(rows) and all(map(is_figure, cells[1:])) for cells in zip(*lines, strict=True)]
    assert table(columns, rows, width) == laid_out(lines, right, width)
