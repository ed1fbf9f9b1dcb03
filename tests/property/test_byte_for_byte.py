"""With the noise replaced by constants, everything that leaves is the same on two neighbours, byte for byte.

So nothing but the noisy numbers tells them apart: no shape, rounding, name, charge, digest, sentence or warning.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.cli.main import main
from sfumato.composition import local
from sfumato.model.calibration import NoiseLaw
from sfumato.ports import Mechanism
from sfumato.schema.read import from_dict
from sfumato.schema.write import write
from tests.property.questions import releasable_questions
from tests.property.tables import SOURCES, Table, examples, tables

MOMENT = 1_700_000_000
PRIVATE = {
    "name": "visits",
    "columns": {
        "street": {"type": "text", "keys": "private"},
        "days": {"type": "integer", "bounds": [0, 30]},
        "note": {"type": "text"},
    },
}
HEADER, ORDINARY = "street,days,note", ["High St,3,a", "High St,30,b", "Low Rd,7,c"]
ALICE = {"on a street of their own": "Mill Ln,12,d", "unreadable": '",x,"', "beyond": "Low Rd,99999999999999999999,%"}


def constant(law: str, _reach: int = 0, /) -> Mechanism:
    """Draws the same whatever the totals are: nothing of them is left but how many there are."""

    def draw(totals: Sequence[int], _sensitivity: int, _epsilon: float, /) -> list[int]:
        return [1] if law == NoiseLaw.EXPONENTIAL else [5] * len(totals)

    return draw


@pytest.fixture(autouse=True, scope="module")
def _without_noise() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        services = replace(
            local._services(), mechanism=constant, now=lambda: "2026-11-16T09:00:00+00:00", salt=lambda: "00" * 16
        )
        patch.setattr(local, "_services", lambda: services)
        yield


def left(dataset: sf.Dataset, sql: str) -> dict[str, object]:
    """Everything that leaves: answers, certificates, the ledger with its digests, what is printed, warnings."""
    query = dataset.query(sql)
    delta = 1e-6 if query._bound.has_private_keys else None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        release = query.release(epsilon=0.5, delta=delta)
        certificate = release.certificate
        shown = [release.to_json(), repr(release), release._repr_html_(), repr(certificate), certificate.to_html()]
        if query.measurement.additive and not query._bound.has_private_keys:
            profile = query.exposure_histogram(0.1)
            shown += [repr(profile), profile._repr_html_(), repr(profile.at(0.2))]
        table = release.to_arrow(intervals=True)
    return {
        "shown": shown,
        "types": [str(field) for field in table.schema],
        "ledger": [(vars(entry.draft), entry.digest) for entry in dataset.ledger.entries],
        "printed": (repr(dataset.ledger), dataset.ledger._repr_html_(), repr(dataset)),
        "warnings": [str(one.message) for one in warned],
    }


@pytest.mark.depth("neighbours without noise")
@examples("neighbours without noise")
@given(data=st.data(), kind=st.sampled_from(SOURCES))
def test_nothing_but_the_noise_tells_neighbours_apart(data: st.DataObject, kind: str) -> None:
    table = data.draw(st.one_of(tables(most=5), tables(most=5, units=True)))
    sql = data.draw(releasable_questions(table)).sql

    def seen(table: Table) -> dict[str, object]:
        with TemporaryDirectory() as folder:
            dataset = sf.open(table.source(kind, Path(folder)), table.schema, ledger=":memory:", version="1")
            return left(dataset, sql)

    expected = seen(table)
    people: Sequence[tuple[int, ...]] = [places for who, places in table.people().items() if who is not None]
    for places in data.draw(st.permutations(people))[:2]:
        assert seen(table.without(*places)) == expected, sql
    assert seen(Table(table.names, table.schema, ())) == expected, sql


@pytest.mark.parametrize("alice", ALICE)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT street, COUNT(*), AVG(days), MEDIAN(days) FROM visits GROUP BY street",
        "SELECT COUNT(DISTINCT note), SUM(days), MAX(days) FROM visits WHERE note <> 'a'",
    ],
)
def test_a_command_prints_the_same_with_and_without_a_person(
    sql: str, alice: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Private keys included: which groups there are is told by the noisy counts alone."""
    data, schema, ledger = (tmp_path / f"visits.{ending}" for ending in ("csv", "toml", "ledger"))
    schema.write_text(write(from_dict(PRIVATE)))
    asked = ["release", data, "--schema", schema, "--ledger", ledger, "--epsilon", "0.5", "--sql", sql]
    asked += ["--delta", "1e-6"] if "GROUP BY" in sql else []
    outcomes = []
    for rows in (ORDINARY, [ORDINARY[0], ALICE[alice], *ORDINARY[1:]], []):
        data.write_text("\n".join([HEADER, *rows, ""]))
        os.utime(data, (MOMENT, MOMENT))
        ledger.unlink(missing_ok=True)
        monkeypatch.setattr("sys.argv", ["sfumato", *map(str, asked)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        outcomes.append((ended.value.code, printed.out, printed.err))
    assert outcomes[0][1]
    assert outcomes[1:] == outcomes[:1] * 2
