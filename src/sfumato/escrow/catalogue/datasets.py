"""What is held in trust: registered, delivered, described, listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
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
from sfumato.escrow.dataset import Held, Version
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.policy import Policy
from sfumato.escrow.ports import DIGEST
from sfumato.ledger.history import Record
from sfumato.model.budget import BudgetLimit
from sfumato.model.schema import Schema
from sfumato.release.ledger import refuse_below
from sfumato.schema.read import parse_schema

FORMATS = ("csv", "parquet")


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
    """What everybody may know of a dataset: whom its schema protects, and what was charged."""

    name: str
    title: str
    purpose: str
    schema: Schema
    record: Record = field(repr=False)
    budget: BudgetLimit


class Datasets(Access):
    # Registering

    def register(
        self,
        actor: Person,
        schema_text: str,
        *,
        title: str = "",
        reference: str | None = None,
        population: str = "",
    ) -> Held:
        """A table by its schema; its data is delivered next, or lies where the reference says.

        `population` names the people in it, in place of what the schema says: datasets of one count together.
        """
        row = self._row(actor, schema_text, title, reference, population)
        if reference is not None:
            self._allowed(reference)
        held = Held.of(row)
        fits = None if reference is None else self._fits(actor, held, self._outside.new_id(), _format(reference))
        with self._outside.transaction():
            if not self._rows.add(row):
                raise _taken(held)
            self.say(actor, "registered", held.name, {"reference": reference is not None})
            if fits is not None:
                self._deliver(actor, held, fits)
        self.planned(held, None, actor)  # its population is of record from now on
        if fits is not None:
            self._populations.tell(held)
        return self._held(held.name)

    def drafted(self, actor: Person, schema_text: str) -> Held:
        """A table as it would be registered, or described anew before its data is there; nothing of it is kept."""
        held = Held.of(self._row(actor, schema_text, "", None, ""))
        before = self._rows.one(name=held.name)
        if before is not None and (before["version"] is not None or not Held.of(before).is_controlled_by(actor)):
            raise _taken(held)
        return held

    def _row(
        self, actor: Person, schema_text: str, title: str, reference: str | None, population: str
    ) -> dict[str, Any]:
        actor.require(Role.CONTROLLER, to="register data")
        schema = parse_schema(schema_text)
        name = schema.name.casefold()
        return {
            "name": name,
            "population": self._populations.checked(actor, name, population or schema.population),
            "id": self._outside.new_id(),
            "title": " ".join(title.split()) or schema.name,
            "schema_text": schema_text,
            "controllers": [actor.name],
            "created_by": actor.name,
            "created_at": self._outside.moment,
            "version": None,
            "reference": reference,
            "retired": False,
        }

    def deliver(self, actor: Person, name: str, chunks: Iterable[bytes], format: str) -> Version:
        """The data itself, encrypted as it comes; a file that does not fit the schema is forgotten again."""
        held = self._changeable(actor, name)
        if held.retired:
            raise Conflict.because("dataset-retired", dataset=held.name)
        if held.reference is not None:
            raise Conflict.because("delivery-beside-reference", dataset=held.name)
        if format not in FORMATS:
            raise BadInput.because("delivery-format", known=list(FORMATS), format=format)
        version = self._outside.new_id()
        kept = self._outside.files.keep(held.id, version, chunks)
        try:
            made = self._fits(actor, held, version, format) | {"bytes": kept.bytes, "fingerprint": kept.fingerprint}
            with self._outside.transaction():
                delivered = self._deliver(actor, held, made)
        except BaseException:
            self._outside.files.forget(held.id, version)
            raise
        self._populations.tell(held)
        return delivered

    def _fits(self, actor: Person, held: Held, version: str, format: str) -> dict[str, Any]:
        columns = self._columns(actor, held, version, format)
        digest: str | None = None
        with suppress(EngineFailure):  # it guards against mistakes, and is no reason to refuse data
            job = self.job_on(DIGEST, held, version, format, actor.name)
            digest = self._outside.runner.run(f"digest {version}", job)["digest"]
        return {"id": version, "format": format, "columns": columns, "bytes": 0, "fingerprint": "", "digest": digest}

    def _columns(self, actor: Person, held: Held, version: str, format: str) -> Mapping[str, str | None]:
        """Those of a delivered file: refused where the schema has others."""
        job = self.job_on("fits", held, version, format, actor.name)
        found: Mapping[str, str | None] = self._outside.runner.run(f"fits {version}", job)["columns"]
        return found

    def _deliver(self, actor: Person, held: Held, made: Mapping[str, Any]) -> Version:
        number = len(self._versions.many(dataset=held.name, limit=100_000)) + 1
        told = {"number": number, "dataset": held.name, "created_by": actor.name, "created_at": self._outside.moment}
        row = dict(made) | told | {"forgotten": False}
        self._versions.add(row)
        self._rows.change({"name": held.name}, {"version": made["id"]})
        self.say(actor, "delivered", held.name, {"version": made["id"], "number": number})
        return Version.of(row)

    def describe(self, actor: Person, name: str, schema_text: str) -> Held:
        """Another schema for the same table: what was changed after a look was changed after a look."""
        held, schema = self._changeable(actor, name), parse_schema(schema_text)
        if schema.name.casefold() != held.name:
            raise BadInput.because("schema-of-other-table", table=schema.name, dataset=held.name)
        if held.version is not None:
            version = self.version(held)
            self._columns(actor, replace(held, schema_text=schema_text), version.id, version.format)
        named = held.population
        if schema.population:
            named = self._populations.checked(actor, held.name, schema.population)
        with self._outside.transaction():
            self._rows.change({"name": held.name}, {"schema_text": schema_text, "population": named})
            self.say(actor, "described", held.name)
        return self._entered(actor, held.name)

    def populate(self, actor: Person, name: str, population: str) -> Held:
        """Name the people in a dataset: datasets of one population count together, and a name is not taken back."""
        held = self._changeable(actor, name)
        named = self._populations.checked(actor, held.name, population)
        if named is None:
            raise BadInput.because("population-name-missing")
        with self._outside.transaction():
            self._rows.change({"name": held.name}, {"population": named})
            self.say(actor, "named the population of", held.name, {"population": named})
        return self._entered(actor, held.name)

    def _entered(self, actor: Person, name: str) -> Held:
        """As it is kept now; what it says of its population is of record from then on."""
        held = self._held(name)
        self.planned(held, None, actor)
        return held

    def controllers(self, actor: Person, name: str, names: Sequence[str]) -> Held:
        """Who holds it: they see everything of it, and each may decide."""
        held, found = self._changeable(actor, name), [self._people.one(one) for one in names]
        if not found:
            raise BadInput.because("controllers-empty")
        for person in found:
            person.require(Role.CONTROLLER, to="hold data")
        record = self.record_of(actor, held)
        if record is not None and record.separated and not {person.name for person in found} - record.viewers:
            raise Conflict.because("controllers-all-viewers")
        with self._outside.transaction():
            self._rows.change({"name": held.name}, {"controllers": list(dict.fromkeys(p.name for p in found))})
            self.say(actor, "named the controllers of", held.name, {"controllers": [p.name for p in found]})
        return self._held(held.name)

    def retire(self, actor: Person, name: str) -> None:
        """Forget the data of every version; the record stays, and what was released stays released.

        What never had data and never had a policy is no longer there at all.
        """
        held = self._changeable(actor, name)
        never = not self._versions.many(dataset=held.name, limit=1) and self._policies.of(held) is None
        if never:
            with self._outside.transaction():
                self._rows.remove(name=held.name)
                self.say(actor, "took back", held.name)
            return
        for row in self._versions.many(dataset=held.name, forgotten=False, limit=100_000):
            self._forget(held, row["id"])
        with self._outside.transaction():
            self._rows.change({"name": held.name}, {"retired": True, "version": None})
            self.say(actor, "retired", held.name)

    def sweep(self) -> int:
        """Forget the data that was kept as long as its policy said."""
        return sum(self._sweep(Held.of(row)) for row in self._rows.many(limit=100_000, retired=False))

    def _allowed(self, reference: str) -> None:
        """A file of this machine may be named only where the settings let it be."""
        path = Path(reference).resolve()
        if not any(path.is_relative_to(Path(folder).resolve()) for folder in self._outside.limits.references):
            raise Forbidden.because("reference-not-allowed")

    # Seeing

    def one(self, actor: Person, name: str) -> dict[str, object]:
        held = self.visible(actor, name)
        shown = held.as_dict(to_controller=self._sees_all(actor, held))
        if held.is_controlled_by(actor):
            same = self._populations.same_rows(held)
            shown |= {"same_rows": [other.name if other.is_controlled_by(actor) else None for other in same]}
        policy = self._policies.of(held)
        flow = None if policy is None else policy.policy.flow_for(actor)
        allowed = None if flow is None else flow.for_partner()
        return shown | {"flow": allowed, "policy": None if policy is None else policy.number}

    def many(self, actor: Person, after: str | None = None, limit: int = 100) -> list[dict[str, object]]:
        """Those that this person may see, in order."""
        shown: list[dict[str, object]] = []
        while len(shown) < limit:
            rows = self._rows.many(after=after, limit=limit)
            found = [Held.of(row) for row in rows]
            shown += [h.as_dict(to_controller=self._sees_all(actor, h)) for h in found if self._may_see(actor, h)]
            if len(rows) < limit:
                break
            after = rows[-1]["name"]
        return shown[:limit]

    def versions(self, actor: Person, name: str) -> list[Version]:
        held = self.controlled(actor, name)
        return [Version.of(row) for row in self._versions.many(dataset=held.name, limit=100_000)]

    def ledger(self, actor: Person, name: str) -> DatasetLedger:
        """What was looked at, planned and spent; an analyst sees the total."""
        held = self.visible(actor, name)
        ledger = self.ledger_of(actor, held)
        record = ledger.record
        seen = frozenset(one for one in record.together if self._sees_all_of(actor, one))
        return DatasetLedger(record, ledger.budget, seen, self._sees_all(actor, held))

    def state_cause(self, actor: Person, name: str, number: int, cause: str) -> DatasetLedger:
        """State that a failure of the engine had a cause outside the data: the dataset's total then exists again."""
        held = self.controlled(actor, name)
        self.ledger_of(actor, held).state_cause(number, cause)
        self.say(actor, "stated the cause of a failure of", held.name, {"entry": number})
        return self.ledger(actor, name)

    def public(self, name: str) -> PublicRecord:
        """What everybody may know, if the policy in force says so; else it is not there, whoever asks."""
        row = self._rows.one(name=name.casefold())
        held = None if row is None else Held.of(row)
        signed = None if held is None else self._policies_quietly(held)
        if held is None or signed is None or not signed.policy.public_page:
            raise not_there(name)
        try:
            ledger = self.planned(held, None, self._people.one(signed.author)).ledger
            record, budget = ledger.record, ledger.budget
        except (BadInput, Refused):  # a record that cannot be relied on is shown to nobody
            raise not_there(name) from None
        return PublicRecord(held.name, held.title, signed.policy.purpose, held.schema, record, budget)

    # Policies

    def enter_policy(self, held: Held, author: Person) -> None:
        """A policy is of record from the moment it is written."""
        self.planned(held, None, author)

    def require_room(self, actor: Person, held: Held, policy: Policy) -> None:
        """Refuse a policy whose budget is below what is spent: nothing could be asked under it, nor read."""
        record = self.record_of(actor, held)
        if record is None:
            return
        try:
            refuse_below(record.total, policy.budget)
        except PreferenceError as wrong:
            raise PolicyError.in_file(wrong, "budget") from None


def _taken(held: Held) -> Conflict:
    return Conflict.because("dataset-taken", dataset=held.schema.name)


def _format(reference: str) -> str:
    return "csv" if Path(reference).suffix.lower() in (".csv", ".tsv", ".txt") else "parquet"
