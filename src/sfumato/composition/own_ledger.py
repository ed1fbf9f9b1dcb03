"""The ledger beside a schema file: it belongs to one table, whatever other schema files call theirs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sfumato.errors import BadInput, SfumatoError
from sfumato.ledger.history import Record
from sfumato.ledger.population import declaration
from sfumato.model.schema import Schema
from sfumato.model.stored_table import RemoteTable
from sfumato.ports import LedgerStore
from sfumato.release.ledger import digest
from sfumato.release.records import Records
from sfumato.schema.read import load


def opening_files(schema: object, source: object) -> dict[str, object]:
    """The schema file by its name, and the place of the source, opaquely: for the entry of the opening."""
    sources = list(source.values()) if isinstance(source, Mapping) else [source]
    places = [_place(one) for one in sources if isinstance(one, str | Path | RemoteTable)]
    if not isinstance(schema, str | Path) or not places or len(places) < len(sources):
        return {}
    return {"file": Path(schema).name, "source": digest(["source", *sorted(places)])}


def _place(source: str | Path | RemoteTable) -> str:
    return source.place if isinstance(source, RemoteTable) else str(Path(source).resolve())


def own_records(store: LedgerStore, schema: Schema, files: Mapping[str, object], beside: Path) -> Records:
    """What the ledger beside a schema file says; refused if another schema file of another table writes to it.

    A table is another where both files differ, and the other schema file is still there and states the same name.
    """
    declared = [declaration(schema.name, schema.population)] if schema.population else []
    record, records = Record(schema.name, declared), Records()
    record.extend(store.read(0))
    records.keep(record)
    opened = [e.draft.public for e in record.entries if e.draft.dataset.casefold() == schema.name.casefold()]
    before = [public for public in opened if "file" in public]
    if files and before and all(files[name] not in [public[name] for public in before] for name in files):
        other = str(before[-1]["file"])
        if _name_in(beside / other) == schema.name.casefold():
            message = f"{schema.name}.ledger is the ledger of {other}, and {schema.origin} describes another table"
            hint = "rename one of the tables, or name the ledger to use: ledger='FILE' (--ledger FILE)."
            raise BadInput(message, hint=hint)
    return records


def _name_in(path: Path) -> str | None:
    """The name of the table that a schema file describes, if it is there."""
    with suppress(SfumatoError):
        return load(path).name.casefold()
    return None
