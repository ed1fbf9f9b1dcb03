"""A file that changes under an open dataset is reported before anything is charged: two data sets are never mixed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.composition import engines
from sfumato.errors import SourceError
from sfumato.model.choice import Noise

SCHEMA: dict[str, Any] = {
    "name": "stays",
    "columns": {"days": {"type": "integer", "bounds": [0, 60]}, "ward": {"categories": ["a", "b"]}},
}
SQL = "SELECT COUNT(*), SUM(days) FROM stays WHERE ward = 'a'"
SENTENCE = "stays.parquet changed after it was opened. Hint: open it again."


def write(path: Path, people: int) -> Path:
    pq.write_table(
        pa.table({"days": [i % 60 for i in range(people)], "ward": ["ab"[i % 2] for i in range(people)]}), path
    )
    return path


def moved_over(path: Path) -> None:
    write(path.with_name(".other"), 3).replace(path)


def written_over(path: Path) -> None:
    path.write_bytes(write(path.with_name(".other"), 3).read_bytes())


def written_over_with_its_times(path: Path) -> None:
    """And with its size: only the system's own time of change tells."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"1")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def removed(path: Path) -> None:
    path.unlink()


CHANGES = [moved_over, written_over, written_over_with_its_times, removed]
Change = Callable[[Path], None]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("is_folder", [False, True])
def test_it_is_reported_before_anything_is_charged(change: Change, is_folder: bool, tmp_path: Path) -> None:
    path = write(tmp_path / "stays.parquet", 1000)
    source = tmp_path if is_folder else path
    dataset = sf.open(source, SCHEMA, ledger=":memory:")
    query = dataset.query(SQL)
    query.release(epsilon=0.5)
    query.exposure_histogram(0.1)
    choices = [query.choose(sf.gap(gap, worst_case=True)) for gap in (1.1, 1.2)]
    entered = len(dataset.ledger.entries)
    change(path)
    for ask in (
        lambda: query.release(choices[0]),
        lambda: query.release(choices[0], redraw=True),
        lambda: dataset.query("SELECT COUNT(*) FROM stays").exposure_histogram(0.1),
        lambda: query.choose(sf.variance(1e-3, select_epsilon=0.1)),
        lambda: dataset.batch(choices).release(),
    ):
        with pytest.raises(SourceError) as refused:
            ask()
        assert str(refused.value) == SENTENCE.replace(path.name, source.name)
    assert [entry.draft.event for entry in dataset.ledger.entries[entered:]] == []
    if change is not removed:
        sf.open(source, SCHEMA, ledger=":memory:").query(SQL).release(epsilon=0.5)


def test_no_count_of_one_file_is_held_against_another(tmp_path: Path) -> None:
    """How many people there are is counted once: of another file it would be wrong."""
    path = write(tmp_path / "stays.parquet", 1000)
    query = sf.open(path, SCHEMA, ledger=":memory:").query(SQL)
    assert sum(query._bound.survey(Noise()).people_by_bin(4)) == 1000
    moved_over(path)
    with pytest.raises(SourceError, match="changed after it was opened"):
        query._bound.survey(Noise()).people_by_bin(5)


@pytest.mark.parametrize("change", CHANGES)
def test_it_is_reported_when_it_changes_while_it_is_read(
    change: Change, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read then may be of either, or of both: it is thrown away."""
    path = write(tmp_path / "stays.parquet", 1000)
    dataset = sf.open(path, SCHEMA, ledger=":memory:")
    cleaned = DuckDB._clean_connection

    def slowly(self: DuckDB) -> Any:
        change(path)
        return cleaned(self)

    monkeypatch.setattr(DuckDB, "_clean_connection", slowly)
    with pytest.raises(SourceError, match=r"^stays\.parquet changed while it was being read, and nothing was released"):
        dataset.query(SQL).release(epsilon=0.5)
    released = [entry for entry in dataset.ledger.entries if entry.draft.event == "released"]
    assert released == []


def test_a_csv_file_is_read_once(tmp_path: Path) -> None:
    """Until then it may not change; afterwards what was read stays what is asked."""
    path = tmp_path / "stays.csv"
    path.write_text("days,ward\n" + "1,a\n" * 50, "utf-8")
    early = sf.open(path, SCHEMA, ledger=":memory:").query(SQL)
    late = sf.open(path, SCHEMA, ledger=":memory:")
    assert late.query(SQL)._bound.totals() is not None
    path.write_text("days,ward\n" + "1,a\n" * 90, "utf-8")
    with pytest.raises(SourceError, match=r"^stays\.csv changed after it was opened"):
        early.release(epsilon=0.5)
    assert early.dataset.ledger.total.nano_epsilon == 0
    (totals,) = late.query("SELECT COUNT(*) FROM stays")._bound.totals().cells.values()
    assert totals[0] * late.query("SELECT COUNT(*) FROM stays").measurement.numbers[0].step == 50
    with pytest.raises(SourceError, match="changed after it was opened"):
        late.check()


def test_an_arrow_dataset_is_read_at_opening(tmp_path: Path) -> None:
    path = write(tmp_path / "stays.parquet", 1000)
    dataset = sf.open(ds.dataset(path), SCHEMA, ledger=":memory:")
    path.unlink()
    assert dataset.check().people == 1000


def test_a_file_that_changes_while_it_is_opened_has_no_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "stays.parquet", 1000)
    open_engine = engines.duckdb

    def slowly(*arguments: Any) -> DuckDB:
        engine = open_engine(*arguments)
        moved_over(path)
        return engine

    monkeypatch.setitem(engines.ENGINES, "duckdb", slowly)
    with pytest.raises(
        SourceError, match=r"^stays\.parquet changed while it was being opened\. Hint: open it again\.$"
    ):
        sf.open(path, SCHEMA, ledger=":memory:")
