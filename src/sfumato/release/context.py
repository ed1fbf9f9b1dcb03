"""What a release is made from beside its query: the data, what is stated about it, and its ledger."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.errors import BadInput, EngineFailure, SourceError
from sfumato.ledger.history import Record
from sfumato.model.authorization import Authorization
from sfumato.model.budget import NO_BUDGET, BudgetLimit
from sfumato.model.fit import Fit, together
from sfumato.model.guarantee import Provenance, people_provenance
from sfumato.model.release import Assumption
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import Predicate
from sfumato.model.stored_table import RemoteTable
from sfumato.ports import Engine, KnownRows, LedgerStore
from sfumato.release.decide import EPSILON_MAX, Rule, rule_of
from sfumato.release.ledger import PrivacyLedger, digest
from sfumato.release.recognition import Recognition
from sfumato.release.records import Records
from sfumato.release.services import Services
from sfumato.sql.parser.statement import parse_condition
from sfumato.sql.plans.rows import PlanInput
from sfumato.sql.plans.totals import totals


class DatasetContext:
    """Without an engine (the data is not read) it answers from public facts only."""

    def __init__(
        self,
        schema: Schema,
        engine: Engine | None,
        store: LedgerStore,
        services: Services,
        *,
        source: object,
        version: str,
        bounds_from_data: bool = False,
        budget: BudgetLimit = NO_BUDGET,
        authorization: Authorization | None = None,
        present: Mapping[str, Type | None] | None = None,
        records: Records | None = None,
        assumed: tuple[Assumption, ...] | None = None,
        known: KnownRows | None = None,
        files: Mapping[str, object] | None = None,
        cohort: str = "",
    ) -> None:
        self.schema = schema
        self.services = services
        self.version = version
        self.bounds_from_data = bounds_from_data
        self.opening = services.salt()
        self.epsilon_max = (
            math.inf if authorization is None or authorization.epsilon_max is None else authorization.epsilon_max
        )
        self.rule = self.rule_for(private_keys=True).preferences
        self.present = present if engine is None else engine.columns  # the columns that the data has, where known
        self._opened = engine
        self._assumed = assumed  # of data that someone else reads
        self._source = source
        self.authorization = authorization
        policy, agreed = ("", NO_BUDGET) if authorization is None else (authorization.policy, authorization.budget)
        apart = authorization is not None and authorization.separation
        own = None if authorization is None else authorization.per_person
        self.per_person = own if schema.per_person is None else schema.per_person.strictest(own)
        how: dict[str, Any] = {"separation": apart, "version": version, "cohort": cohort, "files": files}
        how["per_person"] = self.per_person
        self.ledger = PrivacyLedger(store, schema, services, budget.strictest(agreed), policy, records, **how)
        if engine is not None and known is not None:
            self.ledger.recognition = Recognition(schema.name, engine, known, services.notify)

    def condition(self, text: str) -> Predicate:
        """Read a condition on one row, as in a WHERE: it says who belongs to a group."""
        return parse_condition(text, self.schema, self.present)

    def check(self) -> Fit:
        """What of the table is missing, unfit, clamped or unlisted: a look."""
        from sfumato.sql.plans import inspect

        self.ledger.look(digest(["check", self.version]), "how the table fits its schema")
        fits = {}
        for table, engine in self.single_tables():
            rows = engine.rows(engine.spell(inspect.fit(table, engine.columns, engine.raw)))
            fits[table.name] = inspect.read_fit(rows, table)
        return together(fits) if self.schema.tables else fits[self.schema.name]

    def single_tables(self) -> list[tuple[Schema, Engine]]:
        """Each table by itself, with its own part of the schema."""
        if not self.schema.tables:
            return [(self.schema, self.engine)]
        return [(self.schema.of_table(table), self.engine.tables[table.name]) for table in self.schema.tables]

    def rule_for(self, *, private_keys: bool, selects: bool = False) -> Rule:
        """The preregistered rule, for statements with private keys, with values selected by their rank, or neither."""
        rule = rule_of(self.schema.rule, self.schema.origin, private_keys=private_keys, selects=selects)
        preferences = tuple(p.resolve(self.schema) for p in rule.preferences)
        return replace(rule, preferences=preferences, epsilon_max=min(EPSILON_MAX, self.epsilon_max))

    def decision_provenances(self, record: Record, preregistered: str) -> tuple[Provenance, ...]:
        """Where the decision to answer comes from, where there is one to be made (docs/theory/deciding.md)."""
        authorization = self.authorization
        if authorization is None:
            return ()
        if authorization.after_the_answer:
            return (people_provenance("approval"),)
        by_policy = record.policy(authorization.policy, authorization.preregistered)
        if authorization.by_policy:
            return (by_policy,)
        decision = record.decision(authorization.decision, preregistered)
        return (by_policy, *decision) if record.separated else decision  # its author decided who decides

    def require_data(self) -> None:
        """Refuse to go on without the data that was opened, before anything is charged."""
        self.engine.require_unchanged()

    def require_spelled(self, question: PlanInput) -> None:
        """Refuse a query for which the engine has no words, before anything is charged."""
        if self._opened is not None:
            self._opened.spell(totals(question))

    def snapshot(self) -> AbstractContextManager[object]:
        """What is read within is of the same rows."""
        return nullcontext() if self._opened is None else self._opened.snapshot()

    def column_types(self) -> dict[str, str | None]:
        """The columns that the data has, by their stored types."""
        return {name: type_ and type_.value for name, type_ in self.engine.columns.items()}

    @property
    def engine_product(self) -> str | None:
        """The engine that reads the data, with its version; None where another process reads it."""
        return None if self._opened is None else self._opened.product

    @property
    def assumed(self) -> tuple[Assumption, ...]:
        """What every release from this data assumes, beside its schema."""
        if self._assumed is not None:
            return self._assumed
        return () if self.engine.assumed is None else (self.engine.assumed,)

    def is_the_data(self, source: object) -> bool:
        """Whether a source has anything of this table: a file of it, by whatever path, or the same object.

        Public tables are the same everywhere and do not count.
        """
        return any(_is_same(one, own) for one in self._private(source) for own in self._private(self._source))

    def _private(self, source: object) -> list[object]:
        """The sources of private tables."""
        if not isinstance(source, Mapping):
            return [source]
        tables = {name: self.schema.table(str(name)) for name in source}
        return [source[name] for name, table in tables.items() if table is None or not table.public]

    def is_copied(self, other: Engine) -> bool:
        """Whether a table that was passed as a public one has the very rows of this one, in whatever order.

        It is a guard against mistakes and shows nothing. What cannot be compared is taken to be another table.
        """
        with suppress(BadInput, EngineFailure):
            own = self._opened or self._read_beside()
            return own is not None and own.digest() == other.digest()
        return False

    def _read_beside(self) -> Engine | None:
        """The data of a dataset that was opened without it, if it lies in a file."""
        is_file = all(isinstance(source, str | Path) for source in self._private(self._source))
        return self.services.rehearsal(self.schema, self._source, 0) if is_file else None

    def progress(self) -> float | None:
        """How far the engine is with what it is asked, 0 to 1, if that is known; for another thread than the asking."""
        return None if self._opened is None else self._opened.progress()

    @property
    def engine(self) -> Engine:
        if self._opened is None:
            raise SourceError.because("opened-without-data")
        return self._opened


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, str | Path) and isinstance(other, str | Path):
        return not _files(one).isdisjoint(_files(other))
    return one is other or (isinstance(one, RemoteTable) and one == other)


def _files(path: str | Path) -> set[object]:
    """A file, or a folder and the files in it, each as the place where it really lies; it may lie in several."""
    place = Path(path).resolve()
    every = [place, *(file.resolve() for file in place.rglob("*"))]
    return {*every, *((file.stat().st_dev, file.stat().st_ino) for file in every if file.exists())}
