"""Registered datasets: registration, delivery, schema, catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.errors import (
    BadInput,
    Conflict,
    EngineFailure,
    Forbidden,
    PolicyError,
    PreferenceError,
    Refused,
)
from sfumato.escrow.catalogue.access import Access, not_there
from sfumato.escrow.catalogue.connection import CONNECTED, TableConnection
from sfumato.escrow.catalogue.entries import CatalogueEntry, DatasetAccess, DatasetDetails, entry
from sfumato.escrow.dataset import RegisteredDataset, Version, all_datasets, find_dataset
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.policy import AnalystAccess, Policy
from sfumato.escrow.ports import DIGEST, FITS
from sfumato.ledger.history import Record
from sfumato.model.budget import BudgetLimit
from sfumato.model.plain import from_plain
from sfumato.model.schema import Schema
from sfumato.ports import Containing, Selection
from sfumato.release.ledger import refuse_below
from sfumato.schema.read import parse_schema

TABLES = "zip"  # a ZIP file with a CSV or Parquet file for each of several tables
FORMATS = ("csv", "parquet", TABLES)


@dataclass(frozen=True)
class DatasetLedger:
    """A dataset's ledger for one person: `datasets` are those of its population whose entries they may see.

    Without `entries` they see the total alone.
    """

    record: Record = field(repr=False)
    budget: BudgetLimit
    datasets: frozenset[str]
    entries: bool


@dataclass(frozen=True)
class PublicRecord:
    """The public record of a dataset: its privacy unit and its charges."""

    name: str
    title: str
    purpose: str
    schema: Schema
    record: Record = field(repr=False)
    budget: BudgetLimit


@dataclass(frozen=True)
class DatasetFilter:
    """What a list of datasets is narrowed to. Each word of `search` is in the name, the title or the schema.

    `accessible`: those that this person may submit requests to, by an access rule; False: those that they control or
    audit.
    """

    search: str = ""
    retired: bool | None = None
    accessible: bool | None = None


ALL_DATASETS = DatasetFilter()


class Datasets(Access):
    # Registering

    def register(
        self,
        actor: Person,
        schema_text: str,
        *,
        title: str = "",
        reference: str | None = None,
        connection: TableConnection | None = None,
        population: str = "",
    ) -> RegisteredDataset:
        """A table by its schema; its data is delivered next, lies where the reference says, or is read by a connection.

        `population` names the people in it, in place of what the schema says: datasets of one count together.
        """
        if reference is not None and connection is not None:
            raise BadInput.because("data-twice")
        row = self._row(actor, schema_text, title, connection.place if connection else reference, population)
        dataset = from_plain(RegisteredDataset, row)
        if connection is not None:
            with self._connecting(actor, dataset, connection) as fits:
                self._add(actor, row, fits)
        elif reference is not None:
            self._allowed(reference)
            self._add(actor, row, self._fits(actor, dataset, self._ports.new_id(), _format(reference)))
        else:
            self._add(actor, row, None)
        self.planned(dataset, None, actor)  # its population is of record from now on
        if row["reference"] is not None:
            self._populations.tell(dataset)
        return self.of(dataset.name)

    def _add(self, actor: Person, row: Mapping[str, Any], fits: Mapping[str, Any] | None) -> None:
        dataset = from_plain(RegisteredDataset, row)
        with self._ports.transaction():
            if not self._rows.add(row):
                raise _taken(dataset)
            self.say(actor, "registered", dataset.name, {"reference": fits is not None})
            if fits is not None:
                self._deliver(actor, dataset, fits)

    def connect(self, actor: Person, name: str, connection: TableConnection | None = None) -> Version:
        """Read a table elsewhere in the state that it is in now, by another connection or by the one that is kept."""
        dataset = self._changeable(actor, name)
        if dataset.retired:
            raise Conflict.because("dataset-retired", dataset=dataset.name)
        formats = {row["format"] for row in self._versions.many(dataset=dataset.name, limit=1)}
        if not formats & CONNECTED:
            raise Conflict.because("dataset-not-connected", dataset=dataset.name)
        if connection is None:
            kept = self._ports.files.read(dataset.id, self.version(dataset).id, dataset.name)
            connection = TableConnection.from_bytes(kept)
        with self._connecting(actor, dataset, connection) as row, self._ports.transaction():
            self._rows.change({"name": dataset.name}, {"reference": connection.place})
            return self._deliver(actor, dataset, row)

    @contextmanager
    def _connecting(
        self, actor: Person, dataset: RegisteredDataset, connection: TableConnection
    ) -> Iterator[dict[str, Any]]:
        """Seal a connection as a new version, and have a worker read columns and state; an error leaves nothing."""
        connection.require_allowed(self._ports.limits.data_servers)
        version = self._ports.new_id()
        self._ports.files.keep(dataset.id, version, [connection.as_bytes])
        try:
            yield self._fits(actor, dataset, version, connection.engine)
        except BaseException:
            self._ports.files.forget(dataset.id, version)
            raise

    def drafted(self, actor: Person, schema_text: str) -> RegisteredDataset:
        """A table as it would be registered, or described anew before its data is there; nothing of it is kept."""
        dataset = from_plain(RegisteredDataset, self._row(actor, schema_text, "", None, ""))
        before = find_dataset(self._rows, dataset.name)
        if before is not None and (before.version is not None or not before.is_controlled_by(actor)):
            raise _taken(dataset)
        return dataset

    def _row(
        self, actor: Person, schema_text: str, title: str, reference: str | None, population: str
    ) -> dict[str, Any]:
        actor.require(Role.CONTROLLER, to="register data")
        schema = parse_schema(schema_text)
        name = schema.name.casefold()
        return {
            "name": name,
            "population": self._populations.checked(actor, name, population or schema.population),
            "id": self._ports.new_id(),
            "title": " ".join(title.split()) or schema.name,
            "schema_text": schema_text,
            "controllers": [actor.name],
            "created_by": actor.name,
            "created_at": self._ports.moment,
            "version": None,
            "reference": reference,
            "retired": False,
        }

    def deliver(self, actor: Person, name: str, chunks: Iterable[bytes], format: str) -> Version:
        """The data itself, encrypted as it comes; a file that does not fit the schema is forgotten again."""
        dataset = self._changeable(actor, name)
        if dataset.retired:
            raise Conflict.because("dataset-retired", dataset=dataset.name)
        if dataset.reference is not None:  # of a file, or of a table elsewhere
            raise Conflict.because("delivery-beside-reference", dataset=dataset.name)
        if format not in FORMATS:
            raise BadInput.because("delivery-format", known=list(FORMATS), format=format)
        version = self._ports.new_id()
        kept = self._ports.files.keep(dataset.id, version, chunks)
        try:
            row = self._fits(actor, dataset, version, format)
            row |= {"bytes": kept.bytes, "fingerprint": kept.fingerprint}
            with self._ports.transaction():
                delivered = self._deliver(actor, dataset, row)
        except BaseException:
            self._ports.files.forget(dataset.id, version)
            raise
        self._populations.tell(dataset)
        return delivered

    def _fits(self, actor: Person, dataset: RegisteredDataset, version: str, format: str) -> dict[str, Any]:
        if format in CONNECTED:
            job = self.job_on(FITS, dataset, version, format, actor.name)
            fits = self._ports.runner.run(f"{FITS} {version}", job, actor.name)
            seen = {"columns": fits["columns"], "fingerprint": fits["state"]}
            return {"id": version, "format": format, "bytes": 0, "digest": None} | seen
        columns = self._columns(actor, dataset, version, format)
        digest: str | None = None
        with suppress(EngineFailure):  # it guards against mistakes, and is no reason to refuse data
            job = self.job_on(DIGEST, dataset, version, format, actor.name)
            digest = self._ports.runner.run(f"digest {version}", job, actor.name)["digest"]
        return {"id": version, "format": format, "columns": columns, "bytes": 0, "fingerprint": "", "digest": digest}

    def _columns(
        self, actor: Person, dataset: RegisteredDataset, version: str, format: str
    ) -> Mapping[str, str | None]:
        """Those of a delivered file: refused where the schema has others."""
        job = self.job_on(FITS, dataset, version, format, actor.name)
        return dict(self._ports.runner.run(f"{FITS} {version}", job, actor.name)["columns"])

    def _deliver(self, actor: Person, dataset: RegisteredDataset, version: Mapping[str, Any]) -> Version:
        number = len(self._versions.many(dataset=dataset.name, limit=100_000)) + 1
        row = dict(version) | {"number": number, "dataset": dataset.name, "forgotten": False}
        row |= {"created_by": actor.name, "created_at": self._ports.moment}
        self._versions.add(row)
        self._rows.change({"name": dataset.name}, {"version": version["id"]})
        self.say(actor, "delivered", dataset.name, {"version": version["id"], "number": number})
        return from_plain(Version, row)

    def describe(self, actor: Person, name: str, schema_text: str) -> RegisteredDataset:
        """Another schema for the same table: what was changed after a look was changed after a look."""
        dataset, schema = self._changeable(actor, name), parse_schema(schema_text)
        if schema.name.casefold() != dataset.name:
            raise BadInput.because("schema-of-other-table", table=schema.name, dataset=dataset.name)
        if dataset.version is not None:
            version = self.version(dataset)
            self._columns(actor, replace(dataset, schema_text=schema_text), version.id, version.format)
        named = dataset.population
        if schema.population:
            named = self._populations.checked(actor, dataset.name, schema.population)
        with self._ports.transaction():
            self._rows.change({"name": dataset.name}, {"schema_text": schema_text, "population": named})
            self.say(actor, "described", dataset.name)
        return self._entered(actor, dataset.name)

    def populate(self, actor: Person, name: str, population: str) -> RegisteredDataset:
        """Name the people in a dataset: datasets of one population count together, and a name is not taken back."""
        dataset = self._changeable(actor, name)
        named = self._populations.checked(actor, dataset.name, population)
        if named is None:
            raise BadInput.because("population-name-missing")
        with self._ports.transaction():
            self._rows.change({"name": dataset.name}, {"population": named})
            self.say(actor, "named the population of", dataset.name, {"population": named})
        return self._entered(actor, dataset.name)

    def _entered(self, actor: Person, name: str) -> RegisteredDataset:
        """As it is kept now; what it says of its population is of record from then on."""
        dataset = self.of(name)
        self.planned(dataset, None, actor)
        return dataset

    def controllers(self, actor: Person, name: str, names: Sequence[str]) -> RegisteredDataset:
        """Who holds it: they see everything of it, and each may decide."""
        dataset, people = self._changeable(actor, name), [self._accounts.one(one) for one in names]
        if not people:
            raise BadInput.because("controllers-empty")
        for person in people:
            person.require(Role.CONTROLLER, to="hold data")
        record = self.record_of(actor, dataset)
        if record is not None and record.separated and not {person.name for person in people} - record.viewers:
            raise Conflict.because("controllers-all-viewers")
        with self._ports.transaction():
            self._rows.change({"name": dataset.name}, {"controllers": list(dict.fromkeys(p.name for p in people))})
            self.say(actor, "named the controllers of", dataset.name, {"controllers": [p.name for p in people]})
        return self.of(dataset.name)

    def retire(self, actor: Person, name: str) -> None:
        """Forget the data of every version; the record stays, and what was released stays released.

        What never had data and never had a policy is no longer there at all.
        """
        dataset = self._changeable(actor, name)
        never = not self._versions.many(dataset=dataset.name, limit=1) and self._policies.of(dataset) is None
        if never:
            with self._ports.transaction():
                self._rows.remove(name=dataset.name)
                self.say(actor, "took back", dataset.name)
            return
        for row in self._versions.many(dataset=dataset.name, forgotten=False, limit=100_000):
            self._forget(dataset, row["id"])
        with self._ports.transaction():
            self._rows.change({"name": dataset.name}, {"retired": True, "version": None})
            self.say(actor, "retired", dataset.name)

    def sweep(self) -> int:
        """Forget the data that was kept as long as its policy said."""
        return sum(map(self._sweep, all_datasets(self._rows, retired=False)))

    def _allowed(self, reference: str) -> None:
        """A file of this machine may be named only where the settings let it be."""
        path = Path(reference).resolve()
        if not any(path.is_relative_to(Path(folder).resolve()) for folder in self._ports.limits.references):
            raise Forbidden.because("reference-not-allowed")

    # Seeing

    def one(self, actor: Person, name: str) -> DatasetAccess | DatasetDetails:
        dataset = self.visible(actor, name)
        policy = self._policies.of(dataset)
        access_rule = None if policy is None else policy.policy.access_rule_for(actor)
        access: dict[str, Any] = {"access_rule": None if access_rule is None else access_rule.for_analyst()}
        access |= {"policy": None if policy is None else policy.number}
        if not self._sees_all(actor, dataset):
            return DatasetAccess(**vars(entry(dataset, in_full=False)), **access)
        if dataset.is_controlled_by(actor):
            same = self._populations.same_rows(dataset)
            access["same_rows"] = tuple(other.name if other.is_controlled_by(actor) else None for other in same)
        return DatasetDetails(**vars(entry(dataset, in_full=True)), **access)

    def open_to_requests(self, actor: Person, name: str) -> tuple[DatasetAccess | DatasetDetails, AnalystAccess]:
        """The dataset and the access to it of a person who may submit requests."""
        dataset = self.one(actor, name)
        if dataset.access_rule is not None and actor.has(Role.ANALYST):
            return dataset, dataset.access_rule
        if self.visible(actor, name).is_controlled_by(actor):
            raise Forbidden.because("ask-as-controller", dataset=dataset.name)
        raise Forbidden.because("access-rule-missing", dataset=dataset.name)

    def many(
        self,
        actor: Person,
        after: str | None = None,
        limit: int = 100,
        *,
        filter: DatasetFilter = ALL_DATASETS,
        skip: int = 0,
    ) -> list[CatalogueEntry]:
        """Those that this person may see, in order."""
        rows = self._rows.listed(self._selection(actor, filter), after=after, skip=skip, limit=limit)
        datasets = [from_plain(RegisteredDataset, row) for row in rows]
        return [entry(dataset, in_full=self._sees_all(actor, dataset)) for dataset in datasets]

    def count(self, actor: Person, filter: DatasetFilter = ALL_DATASETS) -> int:
        return sum(self._rows.counts(self._selection(actor, filter)).values())

    def _selection(self, actor: Person, filter: DatasetFilter) -> Selection:
        """Policies are sealed: which of them have an access rule for this person is read from them, not by SQL."""
        sees_all = actor.has(Role.AUDITOR) and filter.accessible is not True
        either: list[Mapping[str, object]] = []
        if actor.has(Role.ANALYST) and filter.accessible is not False and not sees_all:
            names = [n for n, p in self._policies.in_force().items() if p.policy.access_rule_for(actor) is not None]
            either.append({"name": names, "retired": False})
        if actor.has(Role.CONTROLLER) and filter.accessible is not True:
            either.append({"controllers": Containing(actor.name)})
        either = [] if sees_all else either or [{"name": []}]
        where = {} if filter.retired is None else {"retired": filter.retired}
        return Selection((where,), either, filter.search, ("name", "title", "population", "schema_text"))

    def versions(self, actor: Person, name: str) -> list[Version]:
        dataset = self.controlled(actor, name)
        return [from_plain(Version, row) for row in self._versions.many(dataset=dataset.name, limit=100_000)]

    def ledger(self, actor: Person, name: str) -> DatasetLedger:
        """What was looked at, planned and spent; an analyst sees the total."""
        dataset = self.visible(actor, name)
        ledger = self.ledger_of(actor, dataset)
        record = ledger.record
        seen = frozenset(one for one in record.together if self._sees_all_of(actor, one))
        return DatasetLedger(record, ledger.budget, seen, self._sees_all(actor, dataset))

    def state_cause(self, actor: Person, name: str, number: int, cause: str) -> DatasetLedger:
        """State that a failure of the engine had a cause outside the data: the dataset's total then exists again."""
        dataset = self.controlled(actor, name)
        self.ledger_of(actor, dataset).state_cause(number, cause)
        self.say(actor, "stated the cause of a failure of", dataset.name, {"entry": number})
        return self.ledger(actor, name)

    def public(self, name: str) -> PublicRecord:
        """The public record, if the policy in force has a public page; otherwise the dataset is not found."""
        dataset = find_dataset(self._rows, name.casefold())
        signed = None if dataset is None else self._policies_quietly(dataset)
        if dataset is None or signed is None or not signed.policy.public_page:
            raise not_there(name)
        try:
            ledger = self.planned(dataset, None, self._accounts.one(signed.author)).ledger
            record, budget = ledger.record, ledger.budget
        except (BadInput, Refused):  # a broken record is not shown
            raise not_there(name) from None
        return PublicRecord(dataset.name, dataset.title, signed.policy.purpose, dataset.schema, record, budget)

    # Policies

    def require_room(self, actor: Person, dataset: RegisteredDataset, policy: Policy) -> None:
        """Refuse a policy whose budget is below what is spent: nothing could be asked under it, nor read."""
        try:
            if (record := self.record_of(actor, dataset)) is not None:
                refuse_below(record.total, policy.budget)
        except PreferenceError as wrong:
            raise PolicyError.in_file(wrong, "budget") from None


def _taken(dataset: RegisteredDataset) -> Conflict:
    return Conflict.because("dataset-taken", dataset=dataset.schema.name)


def _format(reference: str) -> str:
    return "csv" if Path(reference).suffix.lower() in (".csv", ".tsv", ".txt") else "parquet"
