"""A table that is held in trust: its schema, its ledger, and the questions asked of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from sfumato.api.choice import Choice
from sfumato.api.query import Query
from sfumato.errors import BadInput, EngineFailure, PreferenceError, SourceError
from sfumato.ledger.history import Record
from sfumato.model.authorization import Mandate
from sfumato.model.budget import NO_STOP, Stop
from sfumato.model.fit import Fit
from sfumato.model.guarantee import Provenance, computed_from_people
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import Predicate
from sfumato.ports import Engine, KnownRows, LedgerStore
from sfumato.privacy.preferences.guessing import resolved
from sfumato.privacy.preferences.preference import Preference
from sfumato.release.decide import EPSILON_MAX, Rule, rule_of
from sfumato.release.ledger import Ledger, digest
from sfumato.release.recognition import Recognition
from sfumato.release.records import Records
from sfumato.release.services import Services
from sfumato.sql.parser.statement import condition, parse

if TYPE_CHECKING:
    from sfumato.api.individual_accounting import PersonTotals
    from sfumato.release.batch import Batch
    from sfumato.release.budget_split import Split, SplitBatch
    from sfumato.release.method_comparison import Comparison


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
        stop: Stop = NO_STOP,
        mandate: Mandate | None = None,
        present: Mapping[str, Type | None] | None = None,
        records: Records | None = None,
        assumed: tuple[str, ...] | None = None,
        known: KnownRows | None = None,
    ) -> None:
        self.schema = schema
        self.services = services
        self.version = version
        self.bounds_from_data = bounds_from_data
        self.opening = services.salt()
        self.ceiling = math.inf if mandate is None or mandate.epsilon_max is None else mandate.epsilon_max
        self.rule = self.rule_for(private_keys=True).preferences
        self._opened = engine
        self._assumed = assumed  # of data that somebody else reads
        self._present = present if engine is None else engine.columns  # the columns that the data has, where known
        self._source = source
        self.mandate = mandate
        policy, agreed = ("", NO_STOP) if mandate is None else (mandate.policy, mandate.stop)
        apart = mandate is not None and mandate.separation
        how: dict[str, Any] = {"separation": apart, "version": version}
        self.ledger = Ledger(store, schema, services, stop.strictest(agreed), policy, records, **how)
        if engine is not None and known is not None:
            self.ledger.recognition = Recognition(schema.name, engine, known, services.notify)

    def query(self, sql: str) -> Query:
        """Read one SELECT of aggregates; whatever cannot be answered is refused here, before any data is touched."""
        return Query(self, parse(sql, self.schema, self._present))

    def condition(self, text: str) -> Predicate:
        """Read a condition on one row, as in a WHERE: it says who belongs to a group."""
        return condition(text, self.schema, self._present)

    def check(self) -> Fit:
        """What of the table is missing, unfit, clamped or unlisted: a look."""
        from sfumato.sql.plans import inspect

        self.ledger.look(digest(["check", self.version]), "how the table fits its schema")
        engine = self._engine
        rows = engine.rows(inspect.fit(self.schema, engine.columns, engine.raw).sql(engine.dialect))
        return inspect.read_fit(rows, self.schema)

    def split(
        self,
        queries: Sequence[str | Query],
        epsilon: float,
        *,
        index: Sequence[float] | None = None,
        expected: Sequence[float] | None = None,
        aim: str | None = None,
        relative_error: float | Sequence[float] = 0.1,
        confidence: float = 0.9,
        mechanism: str = "laplace",
        delta: float | None = None,
    ) -> Split:
        """One epsilon for several queries, their noise as wide as the index says (DIFF): from public facts, free.

        Instead of an index, `expected` has a public guess of each answer; `aim` is what is then made smallest: the
        "largest" relative error, their "sum", or that of their "squares". What is shown holds at `confidence`.
        """
        from sfumato.release.budget_split import split

        return split(
            self,
            queries,
            epsilon,
            index=index,
            expected=expected,
            aim=aim,
            relative_error=relative_error,
            confidence=confidence,
            mechanism=mechanism,
            delta=delta,
        )

    @overload
    def batch(self, choices: Sequence[Choice], delta: float = 1e-6) -> Batch: ...

    @overload
    def batch(
        self,
        choices: Sequence[str | Query],
        delta: float | None = None,
        *,
        epsilon: float,
        index: Sequence[float] | None = None,
        expected: Sequence[float] | None = None,
        aim: str | None = None,
        relative_error: float | Sequence[float] = 0.1,
        confidence: float = 0.9,
        mechanism: str = "laplace",
        fixed_beforehand: str = "",
    ) -> SplitBatch: ...

    def batch(
        self,
        choices: Sequence[Choice] | Sequence[str | Query],
        delta: float | None = None,
        *,
        epsilon: float | None = None,
        fixed_beforehand: str = "",
        **how: Any,
    ) -> Batch:
        """Releases that are fixed in advance, to be charged together.

        Choices: by tight accounting at this delta. Queries with an epsilon: that epsilon is split (see `split`),
        each part is planned, and all of it is charged once; a delta asks for tight accounting.
        """
        if isinstance(choices, str | Query | Choice):
            raise PreferenceError("A batch takes a list", hint="write [first, second], of one too.")
        if epsilon is not None:
            from sfumato.release.budget_split import SplitBatch

            made = self.split(choices, epsilon, delta=delta, **how)  # type: ignore[arg-type]
            return SplitBatch(self, made, fixed_beforehand)
        if how or fixed_beforehand or any(isinstance(choice, str | Query) for choice in choices):
            hint = "state epsilon=0.01, which is split over the queries; a choice has its own."
            raise PreferenceError("A batch of queries needs an epsilon for all of them", hint=hint)
        from sfumato.release.batch import Batch

        return Batch(self, tuple(choices), 1e-6 if delta is None else delta)  # type: ignore[arg-type]

    def compare(
        self,
        sql: str,
        preferences: Preference | Sequence[Preference] = (),
        *,
        mechanism: str = "laplace",
        delta: float | None = None,
        calibration: str = "analytic",
        grid: str | Sequence[float] | None = None,
        epsilon_max: float = EPSILON_MAX,
        fixed_beforehand: str = "",
        look: bool = False,
    ) -> Comparison:
        """Every method side by side: its epsilons, its word, what it means and needs; the stated ones intersect.

        It is free, reads nobody and plans nothing. With `look` it shows the people too, and that is recorded first.
        """
        from sfumato.release.method_comparison import side_by_side

        stated = tuple(preferences) if isinstance(preferences, Sequence) else (preferences,)
        how: dict[str, object] = {"mechanism": mechanism, "delta": delta, "calibration": calibration}
        how |= {"grid": grid, "epsilon_max": epsilon_max}
        return side_by_side(self.query(sql), stated, how, look=look, attestation=fixed_beforehand)

    def per_person(self) -> PersonTotals:
        """What everything released tells about each person, by the ledger and their own exposure: a look."""
        from sfumato.api.individual_accounting import PersonTotals

        return PersonTotals(self)

    def rule_for(self, *, private_keys: bool, selects: bool = False) -> Rule:
        """The rule of record, for statements with private keys, with values selected by their rank, or neither."""
        rule = rule_of(self.schema.rule, self.schema.origin, private_keys=private_keys, selects=selects)
        preferences = tuple(resolved(p, self.schema) for p in rule.preferences)
        return replace(rule, preferences=preferences, epsilon_max=min(EPSILON_MAX, self.ceiling))

    def decided(self, record: Record, attestation: str) -> tuple[Provenance, ...]:
        """Where the decision to answer comes from, where there is one to be made (methods 16)."""
        mandate = self.mandate
        if mandate is None:
            return ()
        if mandate.after_the_answer:
            return (computed_from_people("approval"),)
        by_policy = record.policy(mandate.policy, mandate.attestation)
        if mandate.by_policy:
            return (by_policy,)
        decided = record.decision(mandate.decision, attestation)
        return (by_policy, *decided) if record.separated else decided  # whoever wrote it decided who decides

    def row_digest(self) -> str:
        """The same for the same rows in whatever order. It is confidential, and never kept without a key."""
        return self._engine.digest()

    def require_data(self) -> None:
        """Refuse to go on without the data that was opened, before anything is charged."""
        self._engine.require_unchanged()

    def column_types(self) -> dict[str, str | None]:
        """The columns that the data has, by their stored types."""
        return {name: type_ and type_.value for name, type_ in self._engine.columns.items()}

    @property
    def assumed(self) -> tuple[str, ...]:
        """What every release from this data takes for granted, beside its schema."""
        if self._assumed is not None:
            return self._assumed
        return (self._engine.assumed,) if self._engine.assumed else ()

    def is_the_data(self, source: object) -> bool:
        """Whether a source has anything of this table: a file of it, by whatever path, or the same object."""
        if isinstance(source, str | Path) and isinstance(self._source, str | Path):
            return not _files(source).isdisjoint(_files(self._source))
        return source is self._source

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
        is_file = isinstance(self._source, str | Path)
        return self.services.rehearsal(self.schema, self._source, 0) if is_file else None

    def progress(self) -> float | None:
        """How far the engine is with what it is asked, 0 to 1, if that is known; for another thread than the asking."""
        return None if self._opened is None else self._opened.progress()

    @property
    def _engine(self) -> Engine:
        if self._opened is None:
            raise SourceError("This dataset was opened without its data", hint="open it with the data to go on.")
        return self._opened

    def __repr__(self) -> str:
        return f"<Dataset {self.schema.name}: {len(self.schema.columns)} columns described in {self.schema.origin}>"


def _files(path: str | Path) -> set[object]:
    """A file, or a folder and the files in it, each as the place where it really lies; it may lie in several."""
    found = Path(path).resolve()
    every = [found, *(file.resolve() for file in found.rglob("*"))]
    return {*every, *((file.stat().st_dev, file.stat().st_ino) for file in every if file.exists())}
