"""A table that is held in trust: its schema, its ledger, and the questions asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from sfumato.api.choice import Choice
from sfumato.api.display import printed
from sfumato.api.ledger import Ledger
from sfumato.api.query import Query
from sfumato.errors import PreferenceError
from sfumato.model.fit import Fit
from sfumato.model.schema import Schema
from sfumato.privacy.preferences.preference import Preference
from sfumato.release.bound_query import bind
from sfumato.release.context import DatasetContext
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.services import Services

if TYPE_CHECKING:
    from sfumato.api.batch import Batch, Split, SplitBatch
    from sfumato.api.individual_accounting import PersonTotals
    from sfumato.api.method_comparison import Comparison


class Dataset:
    """Made by `sfumato.open`. Without an engine (the data is not read) it answers from public facts only."""

    def __init__(self, context: DatasetContext) -> None:
        self._context = context

    @property
    def schema(self) -> Schema:
        return self._context.schema

    @property
    def ledger(self) -> Ledger:
        return Ledger.of(self._context.ledger)

    @property
    def services(self) -> Services:
        return self._context.services

    @property
    def version(self) -> str:
        """Which data this is, opaquely."""
        return self._context.version

    @property
    def bounds_from_data(self) -> bool:
        return self._context.bounds_from_data

    @property
    def rule(self) -> tuple[Preference, ...]:
        """What was fixed before anyone looked."""
        return self._context.rule

    def query(self, sql: str) -> Query:
        """Read one SELECT of aggregates; whatever cannot be answered is refused here, before any data is touched."""
        return Query(self, bind(self._context, sql))

    def check(self) -> Fit:
        """What of the table is missing, unfit, clamped or unlisted: a look."""
        return self._context.check()

    def progress(self) -> float | None:
        """How far the engine is with what it is asked, 0 to 1, if that is known; for another thread than the asking."""
        return self._context.progress()

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
        from sfumato.api.batch import Split
        from sfumato.release.budget_split import split

        found = split(
            self._context,
            [query._bound if isinstance(query, Query) else query for query in queries],
            epsilon,
            index=index,
            expected=expected,
            aim=aim,
            relative_error=relative_error,
            confidence=confidence,
            mechanism=mechanism,
            delta=delta,
        )
        return printed(Split, found)

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
            from sfumato.api.batch import SplitBatch

            made = self.split(choices, epsilon, delta=delta, **how)  # type: ignore[arg-type]
            return SplitBatch(self, made, fixed_beforehand)
        if how or fixed_beforehand or any(isinstance(choice, str | Query) for choice in choices):
            hint = "state epsilon=0.01, which is split over the queries; a choice has its own."
            raise PreferenceError("A batch of queries needs an epsilon for all of them", hint=hint)
        from sfumato.api.batch import Batch

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
        from sfumato.api.method_comparison import Comparison
        from sfumato.release.method_comparison import side_by_side

        stated = tuple(preferences) if isinstance(preferences, Sequence) else (preferences,)
        how: dict[str, object] = {"mechanism": mechanism, "delta": delta, "calibration": calibration}
        how |= {"grid": grid, "epsilon_max": epsilon_max}
        found = side_by_side(bind(self._context, sql), stated, how, look=look, attestation=fixed_beforehand)
        return printed(Comparison, found)

    def per_person(self) -> PersonTotals:
        """What everything released tells about each person, by the ledger and their own exposure: a look."""
        from sfumato.api.individual_accounting import PersonTotals

        return PersonTotals(self._context)

    def __repr__(self) -> str:
        return f"<Dataset {self.schema.name}: {len(self.schema.columns)} columns described in {self.schema.origin}>"
