"""Post-hoc risk as it is typed: of a release in the ledger, a look that asks first in a terminal."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sfumato.composition import local
from sfumato.ledger.entry import Event
from sfumato.presentation.wording.guarantee import LOOK
from tests.e2e.command import Typed

pytestmark = pytest.mark.e2e
TABLE = ["adult.parquet", "--schema", "free.toml"]
AVG, COUNT = "SELECT AVG(age) FROM adult", "SELECT COUNT(*) FROM adult WHERE age > 40"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def folder(population: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(population, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def looks(folder: Path) -> int:
    records = local.records(folder / "adult.ledger")
    return sum(entry.draft.event is Event.LOOKED for record in records for entry in record.entries)


def test_of_the_last_release_or_of_one_that_is_named(
    folder: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = typed("posthoc-risk", *TABLE, "--json")
    assert (nothing.code, nothing.error["code"]) == (2, "preference")
    first = typed("release", *TABLE, "--sql", AVG, "--epsilon", 0.5, "--json").json
    typed("release", *TABLE, "--sql", COUNT, "--epsilon", 0.25, "--json")
    with monkeypatch.context() as at_terminal:
        at_terminal.setattr(io, "StringIO", Terminal)
        cancelled = typed("posthoc-risk", *TABLE, stdin="n\n")
    assert (cancelled.code, cancelled.out, looks(folder)) == (2, "", 0)
    assert "Cancelled; nothing was read or logged" in cancelled.err
    last = typed("posthoc-risk", *TABLE, "--between", "age > 60", "--json")
    assert (last.code, last.err.splitlines()[0], looks(folder)) == (0, LOOK, 1)
    assert (last.json["query"], last.json["epsilon"]) == (COUNT, 0.25)
    assert last.json["printed_between"][0] is not None
    entry = first["certificate"]["ledger_entry"]
    named = typed("posthoc-risk", *TABLE, "--entry", entry, "--people", "people.parquet", "--svg", "loss.svg")
    assert f"Query: {AVG}" in named.out
    assert "The answer as printed is" in named.out
    assert "as shares of the sensitivity" in named.out
    assert pq.read_table("people.parquet").column_names == ["person", "printed", "pri", "loss"]
    assert (folder / "loss.svg").stat().st_mode & 0o077 == 0, "it is about the people"
    by_query = typed("posthoc-risk", *TABLE, "--sql", AVG, "--json").json
    assert by_query["printed_distance"] < by_query["distance"], "a mean is not measured as a sum"
    wrong = typed("posthoc-risk", *TABLE, "--entry", 99, "--json")
    assert (wrong.code, "entry 99" in wrong.error["message"]) == (2, True)
