"""Concrete engines, stores, mechanisms and accountants for `open` and `connect`; no other module names them."""

from __future__ import annotations

import os
import pwd
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sfumato.api.dataset import Dataset
from sfumato.composition.engines import EMBEDDED, ENGINES, duckdb_of_archive, limited, located
from sfumato.composition.engines import duckdb_of as _duckdb
from sfumato.composition.own_ledger import opening_files, own_records
from sfumato.composition.sources import files_of, tables_in, version_of
from sfumato.errors import BadInput, LedgerBroken, SfumatoError, SourceError, instead
from sfumato.ledger import failures
from sfumato.ledger.entry import Draft, Entry, verify
from sfumato.ledger.history import Record
from sfumato.ledger.population import declarations
from sfumato.model.budget import budget_of
from sfumato.model.calibration import NoiseLaw
from sfumato.model.release import Assumption
from sfumato.model.schema import Schema, Type
from sfumato.model.stored_table import RemoteTable
from sfumato.release.context import DatasetContext
from sfumato.release.ledger import digest
from sfumato.release.services import Services
from sfumato.schema.read import from_dict, load
from sfumato.sql.lowering.spelling import spell
from sfumato.version import __version__

if TYPE_CHECKING:
    from sfumato.client.client import Client
    from sfumato.escrow.catalogue.connection import TableConnection
    from sfumato.model.authorization import Authorization
    from sfumato.ports import Accountant, Engine, KnownRows, LedgerStore, Mechanism
    from sfumato.release.records import Records
    from sfumato.schema.interview import Answer

REHEARSAL_SEED = 1
_LONGEST_COHORT = 100


def open(
    source: object,
    schema: str | Path | Mapping[str, Any] | Schema,
    *,
    table: str | None = None,
    engine: str | None = None,
    master: str | None = None,
    ledger: str | Path | None = None,
    bounds_from_data: bool = False,
    version: str | None = None,
    budget: float | tuple[float, float] | str | Mapping[str, Any] | None = None,
    cohort: str | None = None,
    memory_mb: int | None = None,
) -> Dataset:
    """Open a table with its schema.

    `source` is a CSV or Parquet file, a folder of Parquet files, a pandas, polars or Arrow table, or the URL of a
    database, such as postgresql://server/clinic: then `table` is a table or view in it, by default of the schema's
    name, and `engine` says what runs the queries where the URL does not. With engine="spark" it is a path or a table's
    name that Spark reads, and `master` the address of a Spark (spark://host:7077, sc://host:15002 for Spark Connect,
    local[4]). Of a schema with several tables, it is a dictionary of files and tables by the names of the tables. The
    ledger is a file, by default NAME.ledger
    beside the schema file; ":memory:" is forgotten at exit. `version` names the data if it is not a file: the same
    query on the same version gets the same answer. `budget` is an epsilon, or a pair of epsilon and delta, for all
    releases together, or a text such as "1 per month, 12 in all"; if the schema has one too, the stricter holds.
    `cohort` names the people that the data is about, where the schema declares that no person is in two cohorts.
    `memory_mb` limits what DuckDB may use, in MiB: people are then asked about in as many passes as it
    takes, and nothing is written to a disk.
    """
    parsed, beside = _schema(schema)
    source = located(source, engine, table, parsed.name, master)
    build = limited(source.engine if isinstance(source, RemoteTable) else engine or EMBEDDED, memory_mb)
    from sfumato.adapters.storage.ledger_file import SQLiteLedger

    data_version, versions = version_of(source), {file: version_of(file) for file in files_of(source)}
    _require_cohorts(parsed, cohort)
    store, files = _store(ledger, beside, parsed), opening_files(schema, source)
    own = own_records(store, parsed, files, beside) if ledger is None else None
    known = store if isinstance(store, SQLiteLedger) and store.recorded else None  # in memory there is no other name
    data = build(source, parsed, None if known is None else _CheckedFiles(known, parsed.name))
    for file in files_of(source):
        if version_of(file) != versions[file]:
            raise SourceError(f"{Path(file).name} changed while it was being opened", hint="open it again.")
    context = DatasetContext(
        parsed,
        data,
        store,
        _services(),
        source=source,
        version=version or (digest([data_version, data.version]) if data.version else data_version),
        bounds_from_data=bounds_from_data,
        budget=budget_of(budget),
        records=own,
        known=known,
        files=files,
        cohort=cohort or "",
    )
    return Dataset(context)


def _require_cohorts(schema: Schema, cohort: str | None) -> None:
    """Refuse a cohort that would count for nothing, or that cannot be told from none."""
    if cohort is None:
        return
    if not schema.disjoint_versions:
        message = f"A cohort was named, and {schema.origin} does not declare that no person is in two cohorts"
        raise BadInput(message, hint='leave the cohort out; or, if it is true, add versions = "disjoint people".')
    if not cohort.strip() or len(cohort) > _LONGEST_COHORT:
        raise BadInput(
            f"A cohort needs a name of 1 to {_LONGEST_COHORT} characters", hint='name it by its period: "2026-03".'
        )


def engine_for_memory_file(
    fd: int, format: str, name: str, schema: Schema, *, memory_mb: int | None = None, threads: int | None = None
) -> Engine:
    """The engine of a CSV or Parquet file, or a ZIP file of several, in memory, by a descriptor that stays open.

    `name` is used in messages. The engine reads no other file and writes none.
    """
    from sfumato.adapters.engines.duckdb.memory_file import MemoryFile

    if format == "zip":
        return duckdb_of_archive(fd, name, schema, memory_mb, threads)
    return _duckdb(MemoryFile(fd, format, name, memory_mb, threads), schema)


def synthetic_engine(schema: Schema) -> Engine:
    """The engine of synthetic rows, generated from the schema."""
    from sfumato.release.risk.rehearsal import people_of

    return _rehearsal(schema, None, people_of(schema))


def engine_for_path(path: str, schema: Schema, *, memory_mb: int | None = None) -> Engine:
    """The engine of a file, or of a folder of Parquet files, that stays where it is.

    Of several tables it is a folder with a CSV or Parquet file, or a folder of these, for each.
    """
    return _duckdb(tables_in(path) if schema.tables else path, schema, memory_mb=memory_mb)


def engine_for_connection(connection: TableConnection, schema: Schema) -> Engine:
    """The engine of a registered table that stays in a database or on a cluster."""
    place = digest(["table", connection.place])
    table = RemoteTable(connection.engine, connection.url, connection.table, place)
    return ENGINES[connection.engine](table, schema, None)


def open_registered(
    engine: Engine | None,
    schema: Schema,
    ledger: LedgerStore | None,
    *,
    who: str,
    version: str = "",
    authorization: Authorization | None = None,
    present: Mapping[str, Type | None] | None = None,
    records: Records | None = None,
    assumed: tuple[Assumption, ...] | None = None,
) -> DatasetContext:
    """A registered dataset, queried by `who` under an authorization. Without an engine no data is read.

    Without a ledger, draws are forgotten. `records` are ledger entries that were read before. `assumed` are the
    assumptions of reading, if another process reads the data.
    """
    return DatasetContext(
        schema,
        engine,
        _store(":memory:", Path(), schema) if ledger is None else ledger,
        replace(_services(), who=who),
        source=None,
        version=version,
        authorization=authorization,
        present=present,
        records=records,
        assumed=assumed,
    )


def connect(
    url: str,
    token: str | None = None,
    *,
    name: str = "",
    password: str = "",
    authority: str | Path | None = None,
    insecure: bool = False,
    timeout: float | None = None,
) -> Client:
    """Connect to a server with a token (by default SFUMATO_TOKEN), or with a name and a password.

    `authority` is a file with the certificate authority of the server. Over http:// a token is sent only to this
    machine, unless `insecure` is true. `timeout` is the longest wait for a reply, in seconds.
    """
    secret = os.environ.get("SFUMATO_TOKEN", "") if token is None else token
    if not secret and not name:
        hint = "pass token=, or set SFUMATO_TOKEN; `sfumato token` creates one."
        raise BadInput("A token is needed to connect to a server", hint=hint)
    how = {} if timeout is None else {"timeout": timeout}
    client: Client = _client().connect(
        url, secret, name=name, password=password, authority=authority, insecure=insecure, **how
    )
    return client


def connect_in_process(app: object, token: str, called: str) -> Client:
    """A client of an app in this process, such as a local workspace."""
    client: Client = _client().inside(app, token, called)
    return client


def _client() -> ModuleType:
    try:
        from sfumato.client import client
    except ImportError:
        raise BadInput("httpx is not installed", hint="pip install 'sfumato[client]'.") from None
    return client


def open_without_data(
    schema: str | Path | Mapping[str, Any] | Schema,
    *,
    source: object = None,
    table: str | None = None,
    engine: str | None = None,
    master: str | None = None,
    ledger: str | Path | None = None,
    read_columns: bool = False,
    cohort: str | None = None,
) -> Dataset:
    """A dataset of which no row is read: public facts, rehearsals and plans only.

    With `read_columns` the names and the stored types of the source's columns are.
    """
    parsed, beside = _schema(schema)
    source = located(source, engine, table, parsed.name, master)
    present = _column_types(source, parsed) if read_columns else None
    store, files = _store(ledger, beside, parsed), opening_files(schema, source)
    own = own_records(store, parsed, files, beside) if ledger is None else None
    _require_cohorts(parsed, cohort)
    how: dict[str, Any] = {"source": source, "version": "", "present": present, "records": own, "files": files}
    how["cohort"] = cohort or ""
    return Dataset(DatasetContext(parsed, None, store, _services(), **how))


def _column_types(source: object, schema: Schema) -> Mapping[str, Type | None]:
    """The columns that a source has, by their stored types; a CSV is text, and needs no engine for it."""
    if isinstance(source, str | Path) and Path(source).suffix.lower() == ".csv" and Path(source).is_file():
        from sfumato.adapters.engines.duckdb.csv import CsvFile, require_columns

        path = Path(source)
        names = instead(
            SourceError(f"{path.name} cannot be read"), (OSError, ValueError), lambda: CsvFile.of(path).names
        )
        require_columns(schema, names, path.name)
        return dict.fromkeys(names, Type.TEXT)
    if isinstance(source, RemoteTable):
        return ENGINES[source.engine](source, schema, None).columns
    return _duckdb(source, schema, _Unread(), check_keys=False).columns


class _Unread:
    """Takes every file for one that was checked: its values are not read."""

    def knows(self, _: str) -> bool:
        return True

    def remember(self, _: str) -> None:
        pass


def draft_schema(
    source: object,
    name: str,
    watched: Callable[[Callable[[], float | None]], AbstractContextManager[object]] = nullcontext,
    *,
    values: bool = False,
) -> str:
    """Draft a schema for a table, or for several by their names; `watched` shows the progress of reading.

    The draft shows names and guessed types of columns. With `values` it shows values too, and records who looked.
    """
    from sfumato.composition.seen_columns import seen_columns
    from sfumato.schema.draft import draft, draft_tables

    seen = []
    for one in source.values() if isinstance(source, Mapping) else [source]:
        engine = _duckdb(one, None)
        with watched(engine.progress):
            seen.append(seen_columns(engine, values=values))
    if isinstance(source, Mapping):
        return draft_tables(name, dict(zip(map(str, source), seen, strict=True)), _looks(values))
    return draft(name, seen[0], _looks(values))


def interview_schema(
    source: object, suggested: str, answer: Answer, name: str | None = None, *, values: bool = False
) -> str:
    """Write a schema for a table from a person's answers; they see names and guessed types of columns.

    With `values` they see values too, and the schema records who looked.
    """
    from sfumato.composition.seen_columns import seen_columns
    from sfumato.presentation.wording.schema_sentences import unanswered
    from sfumato.schema.interview import InterviewAnswers, ask
    from sfumato.schema.write import write

    engine = _duckdb(source, None)
    interviewed = ask(seen_columns(engine, values=values), suggested, answer, name, looked=_looks(values))
    left = answer.unanswered if isinstance(answer, InterviewAnswers) else []
    return write(interviewed, "\n".join(["Answers to `sfumato schema ask`.", *unanswered(left)]))


def _looks(values: bool) -> str:
    """The person who sees values of the data, and when."""
    services = _services()
    return f"{services.who}, {services.now()}" if values else ""


def convert_schema(schema: str | Path) -> str:
    """A schema file in another form, such as SmartNoise's, as TOML."""
    from sfumato.schema.write import write

    return write(load(schema), f"Converted by sfumato from {Path(schema).name}.")


def records(path: str | Path) -> list[Record]:
    """The records of a ledger file, one for each dataset or population."""
    entries = _entries(path)
    declared, separate = declarations(entries), list[Record]()
    for name in dict.fromkeys(entry.draft.dataset for entry in entries):
        if all(name.casefold() not in record.together for record in separate):
            separate.append(Record(name, declared))
            separate[-1].extend(entries)
    return separate


def state_cause(path: str | Path, number: int, cause: str) -> str:
    """State in a ledger file that a failure of the engine had a cause outside the data; returns the dataset."""
    from sfumato.adapters.storage.ledger_file import SQLiteLedger

    datasets = records(path)
    record = next((r for r in datasets if any(e.number == number for e in r.entries)), datasets[0])
    services = _services()

    def add_cause(new: Sequence[Entry]) -> Sequence[Draft]:
        record.extend(new)
        return [failures.state_cause(record, number, cause, who=services.who, at=services.now())]

    SQLiteLedger(str(path)).append(record.last, add_cause, record.head)
    return record.dataset


def verify_ledger(path: str | Path) -> int:
    """Verify the chain of a ledger file; returns the number of entries."""
    return verify(_entries(path))[0]


def _entries(path: str | Path) -> Sequence[Entry]:
    from sfumato.adapters.storage.ledger_file import SQLiteLedger

    if not Path(path).is_file():
        is_folder = Path(path).is_dir()
        message = f"{path} is a folder, not a ledger" if is_folder else f"There is no ledger {path}"
        raise SourceError(message, hint="check the path.")
    entries = SQLiteLedger(str(path)).read(0)
    if not entries:
        hint = "find the ledger that was used: it has an entry before the first look or release."
        raise LedgerBroken(f"{path} has no entries: it was never used, or they were removed", hint=hint)
    return entries


@dataclass(frozen=True)
class _CheckedFiles:
    """Files of a dataset that were checked before, as its ledger has them; a ledger error is ignored."""

    known: KnownRows
    dataset: str

    def knows(self, state: str) -> bool:
        with suppress(SfumatoError):
            return self.known.knows(self.dataset, state)
        return False

    def remember(self, state: str) -> None:
        self.known.remember_later(self.dataset, state)  # to open a dataset writes nothing


def _services() -> Services:
    return Services(
        mechanism=_mechanism,
        accountant=_accountant,
        rehearsal=_rehearsal,
        who=_who(),
        now=lambda: datetime.now(UTC).isoformat(timespec="seconds"),
        salt=lambda: os.urandom(16).hex(),
        sampler=_sampler,
        software=f"sfumato {__version__}",
        notify=lambda warning: warnings.warn(warning, stacklevel=2),
    )


def _who() -> str:
    """The user of this process according to the system; environment variables could name anyone."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


@cache
def _sampler() -> str:
    from importlib.metadata import version

    return f"OpenDP {version('opendp')}, exact on a lattice"


def _mechanism(law: str, reach: int = 0) -> Mechanism:
    from sfumato.adapters.noise.gaussian import gaussian
    from sfumato.adapters.noise.laplace import laplace
    from sfumato.adapters.noise.selection import selection
    from sfumato.adapters.noise.sparse_vector import sparse_vector, sparse_vector_as_published
    from sfumato.adapters.noise.truncated import truncated

    draws: dict[NoiseLaw, Mechanism] = {
        NoiseLaw.LAPLACE: laplace,
        NoiseLaw.GAUSSIAN: gaussian,
        NoiseLaw.EXPONENTIAL: selection,
        NoiseLaw.SPARSE_VECTOR: sparse_vector,
        NoiseLaw.SPARSE_VECTOR_AS_PUBLISHED: sparse_vector_as_published,
        NoiseLaw.TRUNCATED: partial(truncated, reach=reach),
    }
    return draws[NoiseLaw(law)]


def _accountant() -> Accountant:
    from sfumato.adapters.accounting.pld import epsilon_at

    return epsilon_at


def _rehearsal(schema: Schema, like: object, rows: int) -> Engine:
    from sfumato.adapters.engines.duckdb.engine import SyntheticPopulation
    from sfumato.sql.plans.synthetic import synthetic_table, synthetic_tables

    if like is not None:
        return _duckdb(like, schema)
    if schema.tables:
        trees = synthetic_tables(schema, rows, REHEARSAL_SEED)
        return _duckdb({name: SyntheticPopulation(spell(tree, "duckdb")) for name, tree in trees.items()}, schema)
    return _duckdb(SyntheticPopulation(spell(synthetic_table(schema, rows, REHEARSAL_SEED), "duckdb")), schema)


def _schema(schema: str | Path | Mapping[str, Any] | Schema) -> tuple[Schema, Path]:
    """The schema, and the default folder of its ledger."""
    if isinstance(schema, Schema):
        return schema, Path()
    if isinstance(schema, Mapping):
        return from_dict(schema), Path()
    return load(schema), Path(schema).parent


def _store(ledger: str | Path | None, beside: Path, schema: Schema) -> Any:
    from sfumato.adapters.storage.ledger_file import SQLiteLedger

    return SQLiteLedger(str(beside / f"{schema.name}.ledger" if ledger is None else ledger))
