"""`sfumato engine check`: engines that are right pass, one that is wrong does not, and what is wrong is said."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.auditing import engine_check, engine_rows
from sfumato.auditing.engine_facts import agree
from sfumato.model.schema import Type
from tests.e2e.command import Typed
from tests.engines import clinic

ARROW = {Type.INTEGER: pa.int64(), Type.NUMBER: pa.float64(), Type.TEXT: pa.string(), Type.BOOLEAN: pa.bool_(),
         Type.DATE: pa.date32()}  # fmt: skip
TYPED_TEXTS = ("a row a person", engine_rows.TYPED, "totals")


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with clinic() as here:
        yield here.url


def written() -> pa.Table:
    """The rows as a table in memory, which DuckDB reads as any other."""
    columns, values = engine_rows.written_columns(), zip(*engine_rows.written_rows(), strict=True)
    return pa.table({n: pa.array(v, ARROW[columns[n]]) for n, v in zip(columns, values, strict=True)})


def test_the_expected_facts_are_those_of_a_table_of_the_same_rows() -> None:
    """By DuckDB, which agrees with the oracle on random tables (tests/property/test_oracle.py)."""
    opened = {p: sf.open(written(), engine_rows.schema_of(p), ledger=":memory:") for p in engine_rows.TYPES_OF}
    found = json.loads(engine_check.facts_in({people: dataset._context for people, dataset in opened.items()}))
    expected = engine_check.expected_facts()
    assert {(people, query, fact) for people, query, fact, _ in found} == expected.keys()
    assert [key for *key, value in found if not agree(value, expected[tuple(key)])] == []


def test_postgresql_passes(postgres: str, typed: Typed) -> None:
    ran = typed("engine", "check", postgres, "--json")
    assert (ran.code, ran.err) == (0, ""), ran.out
    assert ran.json["engine"].startswith("PostgreSQL 1")
    assert (ran.json["passed"], ran.json["differences"]) == (True, [])
    assert ran.json["facts"] == len(engine_check.expected_facts())


def test_an_engine_that_finds_something_else_does_not_pass(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    right = engine_check.expected_facts()
    few: dict[Any, Any] = {TYPED_TEXTS: right[TYPED_TEXTS]}
    monkeypatch.setattr(engine_check, "expected_facts", lambda: few)
    assert typed("engine", "check", "duckdb").code == 0
    few[TYPED_TEXTS] = [[[[], [0, 0, 0]]], []]
    ran = typed("engine", "check", "duckdb")
    assert (ran.code, ran.err) == (3, "")
    said = " ".join(ran.out.split())
    assert "Different: 1 " in said
    assert f"Query: {engine_rows.TYPED} (a row a person) Fact: totals: " in said
    assert "Result: not passed" in said


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("mysql://server/clinic", "There is no engine of this name, or for this kind of URL"),
        ("oracle", "There is no engine of this name, or for this kind of URL"),
        ("postgresql://reader:hidden@127.0.0.1:1/clinic", "The database server does not answer"),
        ("sc://127.0.0.1:1", "No Spark answers at sc://127.0.0.1:1"),
    ],
)
def test_what_cannot_be_checked_is_said_in_a_sentence(place: str, message: str, typed: Typed) -> None:
    ran = typed("engine", "check", place)
    assert (ran.code, ran.out) == (2, "")
    assert " ".join(ran.err.split()).startswith(f"{message}. Hint: ")
    assert "hidden" not in ran.err


def test_a_missing_package_is_said(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sfumato.adapters.engines.postgres.engine", None)
    ran = typed("engine", "check", "postgres")
    assert ran.code == 2
    assert "pip install 'sfumato[postgres]'" in ran.err


def test_the_certificate_names_the_engine(postgres: str) -> None:
    schema = {"name": "pg_am", "columns": {"amtype": {"type": "text"}}}
    embedded = sf.open(pa.table({"amtype": ["i"]}), schema, ledger=":memory:")
    remote = sf.open(postgres, schema, table="pg_catalog.pg_am", ledger=":memory:")
    for dataset, product in ((embedded, "DuckDB "), (remote, "PostgreSQL ")):
        certificate = dataset.query("SELECT COUNT(*) FROM pg_am").release(epsilon=1.0).certificate
        assert certificate.engine is not None
        assert certificate.engine.startswith(product)
        assert f"; {certificate.engine}; sfumato " in str(certificate)
