"""Work of a worker process: it has the keys, opens the data and keeps it in memory."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from sfumato.adapters.storage.database import Database
from sfumato.adapters.vault.files import VaultFiles
from sfumato.adapters.vault.master_key import MasterKey
from sfumato.adapters.workers.child import is_stopping
from sfumato.composition import local, sources
from sfumato.composition.locks import VaultLocks
from sfumato.composition.stopping import StoppableLedger
from sfumato.errors import Conflict, Forbidden, SchemaError, SourceError
from sfumato.escrow.catalogue.connection import CONNECTED, TableConnection
from sfumato.escrow.jobs import performed
from sfumato.escrow.ports import DIGEST, FITS, JobViews
from sfumato.model.authorization import Authorization
from sfumato.model.budget import BudgetLimit
from sfumato.model.person_budget import PersonBudget
from sfumato.model.schema import Schema
from sfumato.ports import Engine, LedgerStore
from sfumato.presentation.exploration_view import exploration
from sfumato.presentation.posthoc_view import posthoc_page
from sfumato.release.ledger import digest
from sfumato.release.records import Records
from sfumato.schema.read import parse_schema

T = TypeVar("T")
MOST_OPEN = 4  # datasets that one worker keeps in memory
SYNTHETIC = "synthetic"
PING = "ping"


@dataclass(frozen=True)
class WorkerStart:
    """What a worker receives when it starts, over a pipe only."""

    database: str = field(repr=False)
    vault: str
    master: bytes = field(repr=False)
    memory_mb: int
    encrypted: bool = True
    data_servers: tuple[str, ...] = ()


@dataclass
class WorkerState:
    """State of a worker: ledger, vault, and its open engines, the most recently used last."""

    ledger: LedgerStore
    files: VaultFiles
    memory_mb: int
    data_servers: tuple[str, ...] = ()
    records: Records = field(default_factory=Records)
    engines: OrderedDict[tuple[str, ...], tuple[Engine, int | None]] = field(default_factory=OrderedDict)


def set_up(given: WorkerStart) -> WorkerState:
    master = MasterKey(given.master)
    files = VaultFiles(Path(given.vault), master, encrypted=given.encrypted)
    ledger = StoppableLedger(Database(given.database, VaultLocks(master)).ledger(), is_stopping)
    return WorkerState(ledger, files, given.memory_mb, given.data_servers)


def work(
    opened: WorkerState, job: Mapping[str, Any], watch: Callable[[Callable[[], float | None]], None]
) -> dict[str, Any]:
    """Open the dataset of a job, and perform the job."""
    if job["verb"] == PING:
        return {}
    parsed_schema = _schema(job["schema"], job["name"])
    schema = replace(parsed_schema, rule=job.get("rule"), population=job["population"])
    version = _version(job)
    engine = _of_elsewhere(job, lambda: _engine(opened, job, parsed_schema, version))
    watch(engine.progress)
    is_synthetic = job["format"] == SYNTHETIC
    schema = replace(schema, looked="") if is_synthetic else schema  # synthetic rows are not the data
    dataset = local.open_registered(
        engine,
        schema,
        None if is_synthetic else opened.ledger,
        who=job["who"],
        version=version,
        authorization=None if is_synthetic else _authorization(job["authorization"]),
        records=None if is_synthetic else opened.records,
    )
    answer = _of_elsewhere(job, lambda: performed(dataset, job, JobViews(exploration, posthoc_page)))
    if job["verb"] == FITS and job["format"] in CONNECTED:
        return answer | {"state": _state(opened, job, engine)}
    return answer | {"digest": opened.files.keyed(answer["digest"])} if job["verb"] == DIGEST else answer


def _engine(opened: WorkerState, job: Mapping[str, Any], schema: Schema, version: str) -> Engine:
    """The engine of a version under its schema, opened once; beyond MOST_OPEN the least recently used is closed.

    A referenced file may change at any time and is then opened again.
    """
    key = (job["dataset"], job["version"], version, job["schema"])
    if key in opened.engines:
        opened.engines.move_to_end(key)
        if _is_unchanged(opened.engines[key][0]):
            return opened.engines[key][0]
        _close(*opened.engines.pop(key))
    while len(opened.engines) >= MOST_OPEN:
        _, (gone, descriptor) = opened.engines.popitem(last=False)
        _close(gone, descriptor)
    engine = _open_engine(opened, job, schema)
    if job["format"] in CONNECTED and version and _state(opened, job, engine[0]) != version:
        _close(*engine)
        raise SourceError.because("source-changed", source=job["name"])
    if _version(job) != version:
        _close(*engine)
        raise SourceError(f"The data of {job['name']} changed while it was being opened", hint="try again.")
    opened.engines[key] = engine
    return engine[0]


def _is_unchanged(engine: Engine) -> bool:
    try:
        engine.require_unchanged()
    except SourceError:
        return False
    return True


def _open_engine(opened: WorkerState, job: Mapping[str, Any], schema: Schema) -> tuple[Engine, int | None]:
    if job["format"] == SYNTHETIC:
        return local.synthetic_engine(schema), None
    if job["format"] in CONNECTED:
        connection = _connection(opened, job)
        connection.require_allowed(opened.data_servers)
        return local.engine_for_connection(connection, schema), None
    if job["reference"] is not None:
        return local.engine_for_path(job["reference"], schema, memory_mb=opened.memory_mb), None
    descriptor = opened.files.opened(job["dataset"], job["version"], job["name"])
    try:
        engine = local.engine_for_memory_file(
            descriptor, job["format"], job["name"], schema, memory_mb=opened.memory_mb
        )
    except BaseException:
        os.close(descriptor)
        raise
    return engine, descriptor


def _connection(opened: WorkerState, job: Mapping[str, Any]) -> TableConnection:
    return TableConnection.from_bytes(opened.files.read(job["dataset"], job["version"], job["name"]))


def _state(opened: WorkerState, job: Mapping[str, Any], engine: Engine) -> str:
    """Which table it is, in which state, under a key of the vault: counters of rows could be guessed from a digest.

    Where a controller names the version of the data, its state is that.
    """
    connection = _connection(opened, job)
    state = ["named", connection.version] if connection.version else ["found", engine.version]
    return opened.files.keyed(digest([connection.place, *state]))


def _of_elsewhere(job: Mapping[str, Any], work: Callable[[], T]) -> T:
    """Do what needs a table elsewhere. Should it be gone or changed, analysts are told that, and not where it is.

    Who registers it is told what is wrong.
    """
    if job["format"] not in CONNECTED or job["verb"] == FITS:
        return work()
    try:
        return work()
    except (SourceError, SchemaError, Forbidden) as error:
        changed = error.reason in ("source-changed", "source-changed-meanwhile")
    if changed:
        raise Conflict.because("connected-table-changed", dataset=job["name"])
    raise Conflict.because("connected-table-unreachable", dataset=job["name"])


def _version(job: Mapping[str, Any]) -> str:
    """The version of the data; for a referenced file, also the time of its last change; for a table its state."""
    if job["format"] in CONNECTED:
        return str(job["state"])
    return (
        job["version"] if job["reference"] is None else f"{job['version']} {sources.source_version(job['reference'])}"
    )


def _close(engine: Engine, descriptor: int | None) -> None:
    engine.close()
    if descriptor is not None:
        os.close(descriptor)


@lru_cache(MOST_OPEN)
def _schema(text: str, name: str) -> Schema:
    return parse_schema(text, f"the schema of {name}")


def _authorization(stored: Mapping[str, Any] | None) -> Authorization | None:
    if stored is None:
        return None
    budget, per_person = BudgetLimit.from_texts(stored["budget"]), PersonBudget.from_texts(stored["per_person"])
    return Authorization(**dict(stored) | {"budget": budget, "per_person": per_person})
