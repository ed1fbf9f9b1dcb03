"""`sfumato engine check`: whether an engine finds in written rows what it must find."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any
from warnings import catch_warnings, simplefilter

from sfumato.auditing import engine_facts, engine_rows
from sfumato.composition.engines import engine_without_table, with_written_rows
from sfumato.composition.local import open_registered
from sfumato.errors import EngineFailure, QueryError, UnrecordedLookWarning
from sfumato.model.engine_check import EngineCheck, FactDifference
from sfumato.release.context import DatasetContext
from sfumato.schema.read import from_dict

FILE = "engine_facts.json"


class Checking:
    """A check of one engine, which is named, or meant by a URL."""

    def __init__(self, place: str, master: str | None = None) -> None:
        self._name, self._engine = engine_without_table(place, master)
        self._expected = expected_facts()
        self._done = 0

    def progress(self) -> float:
        return self._done / len(self._expected)

    def result(self) -> EngineCheck:
        try:
            with catch_warnings():
                simplefilter("ignore", UnrecordedLookWarning)  # the rows are no people
                differences = tuple(self._differences())
            return EngineCheck(self._engine.product, len(self._expected), differences)
        finally:
            self._engine.close()

    def _differences(self) -> Iterator[FactDifference]:
        columns, rows = engine_rows.written_columns(), engine_rows.written_rows()
        for people in engine_rows.TYPES_OF:
            schema = from_dict(engine_rows.schema_of(people))
            engine = with_written_rows(self._engine, self._name, columns, rows, schema)
            context = open_registered(engine, schema, None, who="engine check")
            for query, fact, find in engine_facts.facts_of(context, people):
                if (people, query, fact) not in self._expected:
                    continue
                expected, value, failed = self._expected[people, query, fact], None, False
                try:
                    value = find()
                except (EngineFailure, QueryError):  # it has no way to compute it, or refuses the query
                    failed = True
                tolerance = 0.0 if fact == engine_facts.TOTALS else engine_facts.TOLERANCE
                if failed or not engine_facts.agree(value, expected, tolerance):
                    yield FactDifference(people, query, fact, expected, value, failed)
                self._done += 1


def expected_facts() -> Mapping[tuple[str, str, str], Any]:
    """What every engine must find, by the kind of people, the query and the name of the fact."""
    text = files("sfumato.auditing").joinpath(FILE).read_text(encoding="utf-8")
    return {(people, query, fact): value for people, query, fact, value in json.loads(text)}


def facts_in(contexts: Mapping[str, DatasetContext]) -> str:
    """The content of the file of expected facts, found in tables of these rows."""
    lines = [
        json.dumps([people, query, fact, find()], ensure_ascii=False)
        for people, context in contexts.items()
        for query, fact, find in engine_facts.facts_of(context, people)
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"
