"""A table that is held in trust: its schema, its ledger, and the questions asked of it."""

from __future__ import annotations

from pathlib import Path

from sfumato.choose.preference import Preference, from_rule
from sfumato.errors import SourceError
from sfumato.model.dataset import Schema
from sfumato.model.fit import Fit
from sfumato.ports import Engine, LedgerStore
from sfumato.session.ledger import Ledger, digest
from sfumato.session.query import Query
from sfumato.session.services import Services
from sfumato.sql import inspect
from sfumato.sql.parse import parse


class Dataset:
    """Made by `sfumato.open`. Without an engine (the data is not read) it answers from public facts only."""

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
    ) -> None:
        self.schema = schema
        self.services = services
        self.version = version
        self.bounds_from_data = bounds_from_data
        self.opening = services.salt()
        self.rule: tuple[Preference, ...] = () if schema.rule is None else from_rule(schema.rule, schema.origin)
        self._opened = engine
        self._source = source
        self.ledger = Ledger(store, schema, services)

    def query(self, sql: str) -> Query:
        """Read one SELECT of aggregates; whatever cannot be answered is refused here, before any data is touched."""
        present = None if self._opened is None else self._opened.columns
        return Query(self, parse(sql, self.schema, present))

    def check(self) -> Fit:
        """What of the table is missing, unfit, clamped or unlisted: a look."""
        self.ledger.look(digest(["check", self.version]), "how the table fits its schema")
        engine = self._engine
        rows = engine.rows(inspect.fit(self.schema, engine.columns, engine.raw).sql(engine.dialect))
        return inspect.read_fit(rows, self.schema)

    def require_data(self) -> None:
        """Refuse to go on without the data, before anything is charged."""
        assert self._engine is not None

    @property
    def assumed(self) -> tuple[str, ...]:
        """What every release from this data takes for granted, beside its schema."""
        return (self._engine.assumed,) if self._engine.assumed else ()

    def is_the_data(self, source: object) -> bool:
        """Whether a source is this very table: the same file, by whatever path, or the same object."""
        if isinstance(source, str | Path) and isinstance(self._source, str | Path):
            return Path(source).resolve() == Path(self._source).resolve()
        return source is self._source

    @property
    def _engine(self) -> Engine:
        if self._opened is None:
            raise SourceError("This dataset was opened without its data", hint="open it with the data to go on.")
        return self._opened

    def __repr__(self) -> str:
        return f"<Dataset {self.schema.name}: {len(self.schema.columns)} columns described in {self.schema.origin}>"
