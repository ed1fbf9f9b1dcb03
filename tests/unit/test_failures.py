"""A failure of the engine is charged, told in one constant sentence, and entered as an event without a guarantee."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

import sfumato as sf
from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.cli.main import main
from sfumato.errors import BadInput, EngineFailure
from sfumato.ledger.entry import Event

SCHEMA = {"name": "stays", "columns": {"days": {"type": "integer", "bounds": [0, 60]}}}
SQL = "SELECT SUM(days) FROM stays"
MARKER = "person 31415"


def opened(ledger: Path | str = ":memory:") -> sf.Dataset:
    import pyarrow as pa

    return sf.open(pa.table({"days": [1, 2, 3]}), SCHEMA, ledger=ledger, version="1")


def break_engine(patch: pytest.MonkeyPatch) -> None:
    """Whatever is read fails, and quotes a value."""

    def fail(*_: object) -> NoReturn:
        raise RuntimeError(MARKER)

    for name in ("rows", "stream"):
        patch.setattr(DuckDB, name, fail)


def charges(dataset: sf.Dataset) -> dict[str, Callable[[], object]]:
    """Everything that is charged before it reads the data."""
    query, task = dataset.query(SQL), sf.task("formula", expression='cell("sum(days)") / 100', low=0, high=10)
    released = dataset.query(SQL).release(epsilon=0.1)
    two = [query.choose(sf.gap(1.2, worst_case=True)), query.choose(sf.gap(1.3, worst_case=True))]
    return {
        "a release": lambda: query.release(epsilon=0.5),
        "a batch": dataset.batch(two).release,
        "a private histogram": lambda: query.exposure_histogram(0.05),
        "a private selection": lambda: query.choose(sf.variance(1e-4, select_epsilon=0.1)),
        "a signal": lambda: query.signal(released, task, "noisy_difference", epsilon=0.1),
    }


@pytest.mark.parametrize("what", charges(opened()))
def test_a_failure_after_a_charge_leaves_no_total(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = opened()
    ask = charges(dataset)[what]
    before = dataset.ledger.total.nano_epsilon
    break_engine(monkeypatch)
    with pytest.raises(EngineFailure) as failure:
        ask()
    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None
    *_, reserved, failed = dataset.ledger.entries
    assert (reserved.draft.event, failed.draft.event) == (Event.RESERVED, Event.FAILED)
    assert failed.draft.public["reserved"] == reserved.number
    assert dataset.ledger.total.nano_epsilon > before
    assert (dataset.ledger.total.guarantee, dataset.ledger.total.epsilon) == ("none", None)
    assert MARKER not in repr(dataset.ledger)


def test_a_release_after_a_failure_keeps_its_own_guarantee(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = opened()
    with monkeypatch.context() as patch:
        break_engine(patch)
        with pytest.raises(EngineFailure):
            dataset.query(SQL).release(epsilon=0.5)
    redraw = dataset.query(SQL).release(epsilon=0.5)
    assert redraw.certificate.guarantee == "dp"
    assert dataset.ledger.total.nano_epsilon == 10**9, "an unknown outcome is drawn and charged anew"


def test_a_stated_cause_outside_the_data_restores_the_total(
    ledger_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = opened(ledger_path)
    with monkeypatch.context() as patch:
        break_engine(patch)
        with pytest.raises(EngineFailure):
            dataset.query(SQL).release(epsilon=0.5)
    failed = dataset.ledger.entries[-1].number
    for number, cause in ((failed - 1, "the disk was full"), (failed, " "), (failed, "x" * 501)):
        with pytest.raises(BadInput):
            dataset.ledger.state_cause(number, cause)
    assert dataset.ledger.total.epsilon is None
    monkeypatch.setattr("sys.argv", ["sfumato", "ledger", "cause", str(ledger_path), str(failed), "the disk was full"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert capsys.readouterr().out == f"Entry {failed} of stays has a stated cause outside the data.\n"
    assert dataset.ledger.total.epsilon == 0.5
    assert "the disk was full" in repr(dataset.ledger)
    with pytest.raises(BadInput, match="not a failure that still needs a cause"):
        dataset.ledger.state_cause(failed, "twice")
