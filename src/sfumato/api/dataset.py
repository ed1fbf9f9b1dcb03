"""A dataset that is opened, and a query of it: see its risk, choose an epsilon, release an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack, overload

from sfumato.api.display import as_printable
from sfumato.api.world_queries import WorldQueries
from sfumato.errors import BadInput, PreferenceError
from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.model.fit import Fit
from sfumato.model.guarantee import Guarantee
from sfumato.model.measurement import Measurement
from sfumato.model.schema import Schema
from sfumato.model.statement import Statement
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release.bound_query import BoundQuery, bind
from sfumato.release.context import DatasetContext
from sfumato.release.decide import candidates_of
from sfumato.release.keywords import (
    GuessingKeywords,
    HistogramKeywords,
    NoiseQuestion,
    ReleaseTerms,
    RiskKeywords,
    SearchKeywords,
    SplitKeywords,
)
from sfumato.release.services import Services
from sfumato.sql.parser.parameters import Parameters

if TYPE_CHECKING:
    from sfumato.api.batch import Batch, Split, SplitBatch
    from sfumato.api.beliefs import Beliefs
    from sfumato.api.bound_suggestion import BoundSuggestion
    from sfumato.api.choice import Choice
    from sfumato.api.data_quality import PrivateCheck
    from sfumato.api.guessing import Guessing
    from sfumato.api.individual_accounting import PersonTotals
    from sfumato.api.ledger import Ledger
    from sfumato.api.method_comparison import Comparison
    from sfumato.api.noise_profile import NoiseProfile
    from sfumato.api.posthoc import PosthocRisk
    from sfumato.api.release import Release
    from sfumato.api.risk import RiskProfile
    from sfumato.api.signal import Signalled, SignalOptions
    from sfumato.release.risk.profile import Profile
    from sfumato.signals.tasks.task import Task


class Dataset:
    """Made by `sfumato.open`. Without an engine (the data is not read) it answers from public facts only."""

    def __init__(self, context: DatasetContext) -> None:
        self._context = context

    @property
    def schema(self) -> Schema:
        return self._context.schema

    @property
    def ledger(self) -> Ledger:
        from sfumato.api.ledger import Ledger

        return Ledger.of(self._context.ledger)

    @property
    def services(self) -> Services:
        return self._context.services

    @property
    def version(self) -> str:
        """An opaque identifier of the data."""
        return self._context.version

    @property
    def bounds_from_data(self) -> bool:
        return self._context.bounds_from_data

    @property
    def rule(self) -> tuple[Preference, ...]:
        """The preregistered preferences."""
        return self._context.rule

    @overload
    def check(self) -> Fit: ...

    @overload
    def check(
        self, epsilon: float, *, preregistered: str = "", redraw: bool = False, allow_no_guarantee: bool = False
    ) -> PrivateCheck: ...

    def check(
        self,
        epsilon: float | None = None,
        *,
        preregistered: str = "",
        redraw: bool = False,
        allow_no_guarantee: bool = False,
    ) -> Fit | PrivateCheck:
        """Count values that are missing, of the wrong type, out of bounds or not listed: a look.

        With an epsilon the counts are noisy and charged, and this does not count as looking at the data. The same
        request on the same data returns the counts that were drawn, uncharged; `redraw` draws anew.
        """
        if epsilon is None:
            return self._context.check()
        from sfumato.api.data_quality import PrivateCheck
        from sfumato.release.data_quality import private_check

        terms = ReleaseTerms(allow_no_guarantee, redraw, preregistered)
        return as_printable(PrivateCheck, private_check(self._context, epsilon, terms))

    def suggest_bounds(
        self,
        epsilon: float | None = None,
        *,
        for_epsilon: float,
        known: Mapping[int, float] | None = None,
        groups: str = "",
        column: str = "",
        preregistered: str = "",
        redraw: bool = False,
        allow_no_guarantee: bool = False,
    ) -> BoundSuggestion:
        """Suggest max_rows, or max_groups for a column of `groups`, or per_person for the sum of a `column`.

        From a private histogram of what people contribute, charged `epsilon`; or from public knowledge, free: `known`
        says how many people have how many rows. `for_epsilon` is that of the releases that it is meant for.
        """
        from sfumato.api.bound_suggestion import BoundSuggestion
        from sfumato.release.contribution_histogram import private_bounds, public_bounds

        if groups and column:
            raise BadInput("Bounds of groups and of a sum exclude each other", hint="ask for one of them.")
        if known is not None:
            public = public_bounds(self.schema, known, for_epsilon, groups=groups, column=column)
            return as_printable(BoundSuggestion, public)
        if epsilon is None:
            raise BadInput("suggest_bounds needs an epsilon, or known", hint="state one of them.")
        terms = ReleaseTerms(allow_no_guarantee, redraw, preregistered)
        private = private_bounds(self._context, epsilon, for_epsilon, terms, groups=groups, column=column)
        return as_printable(BoundSuggestion, private)

    def recorded_release(self, entry: int | None = None, *, sql: str | None = None) -> Release:
        """A release that the ledger has: the last one, that of a ledger entry, or the last one of a query."""
        from sfumato.api.release import Release
        from sfumato.release.recorded_release import recorded_release

        query = None if sql is None else bind(self._context, sql)
        released = recorded_release(self._context, entry, None if query is None else query.statement.sha256)
        return Release.of(released, query or bind(self._context, released.certificate.query))

    def progress(self) -> float | None:
        """How far the engine is with what it is asked, 0 to 1, if that is known; for another thread than the asking."""
        return self._context.progress()

    def query(self, sql: str, parameters: Parameters = ()) -> Query:
        """Read one SELECT of aggregates; whatever cannot be answered is refused here, before any data is touched.

        `parameters`: values for `?` and `$1` in a list, or for `:name` and `$name` in a dictionary.
        """
        return Query(bind(self._context, sql, parameters))

    def split(
        self,
        queries: Sequence[str | Query],
        epsilon: float,
        *,
        delta: float | None = None,
        **how: Unpack[SplitKeywords],
    ) -> Split:
        """One epsilon for several queries, their noise as wide as the index says (DIFF): from public facts, free.

        Instead of an index, `expected` has a public guess of each answer; `aim` is what is then made smallest: the
        "largest" relative error, their "sum", or that of their "squares". What is shown holds at `confidence`.
        """
        from sfumato.api.batch import Split
        from sfumato.release.budget_split import split

        bound = [query._bound if isinstance(query, Query) else query for query in queries]
        return as_printable(Split, split(self._context, bound, epsilon, delta=delta, **how))

    @overload
    def batch(self, choices: Sequence[Choice], delta: float = 1e-6) -> Batch: ...

    @overload
    def batch(
        self,
        choices: Sequence[str | Query],
        delta: float | None = None,
        *,
        epsilon: float,
        preregistered: str = "",
        **how: Unpack[SplitKeywords],
    ) -> SplitBatch: ...

    def batch(
        self,
        choices: Sequence[Choice] | Sequence[str | Query],
        delta: float | None = None,
        *,
        epsilon: float | None = None,
        preregistered: str = "",
        **how: Unpack[SplitKeywords],
    ) -> Batch:
        """Releases that are fixed in advance, to be charged together.

        Choices: by tight accounting at this delta. Queries with an epsilon: that epsilon is split (see `split`),
        each part is planned, and all of it is charged once; a delta asks for tight accounting.
        """
        from sfumato.api.choice import Choice

        if isinstance(choices, str | Query | Choice):
            raise PreferenceError("A batch must be a list", hint="write [first, second], or [first] for one.")
        if epsilon is not None:
            from sfumato.api.batch import SplitBatch

            plan = self.split(choices, epsilon, delta=delta, **how)  # type: ignore[arg-type]
            return SplitBatch(self._context, plan, preregistered)
        if how or preregistered or any(isinstance(choice, str | Query) for choice in choices):
            hint = "add epsilon=0.01, which is split over the queries; choices have epsilons of their own."
            raise PreferenceError("A batch of queries needs one epsilon for all of them", hint=hint)
        from sfumato.api.batch import Batch

        return Batch(self._context, tuple(choices), 1e-6 if delta is None else delta)  # type: ignore[arg-type]

    def compare(
        self,
        sql: str,
        preferences: Preference | Sequence[Preference] = (),
        *,
        preregistered: str = "",
        look: bool = False,
        expected_count: float | None = None,
        **how: Unpack[SearchKeywords],
    ) -> Comparison:
        """Compare every method: its epsilons, guarantee, meaning and needs, and the intersection of the stated ones.

        It is free, reads no data and enters no plan. With `look` it also shows the people; that is logged first.
        """
        from sfumato.api.method_comparison import Comparison
        from sfumato.presentation.method_comparison_view import worded
        from sfumato.release.risk.method_comparison import compare_methods

        listed = tuple(preferences) if isinstance(preferences, Sequence) else (preferences,)
        terms: dict[str, Any] = {"preregistered": preregistered, "expected_count": expected_count}
        comparison = compare_methods(bind(self._context, sql), listed, dict(how), look=look, **terms)
        return as_printable(Comparison, worded(comparison))

    def per_person(self) -> PersonTotals:
        """What all releases together reveal about each person, by the ledger and their own exposure: a look."""
        from sfumato.api.individual_accounting import PersonTotals

        return PersonTotals(self._context)

    def __repr__(self) -> str:
        return f"<Dataset {self.schema.name}: {len(self.schema.columns)} columns described in {self.schema.origin}>"


class Query(WorldQueries):
    """Made by `Dataset.query`; keeps what was read about the people after a look."""

    def __init__(self, bound: BoundQuery) -> None:
        self._bound = bound

    @property
    def dataset(self) -> Dataset:
        """The dataset that it is asked of."""
        return Dataset(self._bound.context)

    @property
    def statement(self) -> Statement:
        return self._bound.statement

    @property
    def sql(self) -> str:
        """The statement as it was understood."""
        return self._bound.sql

    @property
    def measurement(self) -> Measurement:
        """The noisy numbers: from the schema alone, unless the dataset was opened with bounds from the data."""
        return self._bound.measurement

    # Three ways to see risk

    def worst_case(
        self, mechanism: str = "laplace", delta: float | None = None, **how: Unpack[RiskKeywords]
    ) -> RiskProfile:
        """Risk from public facts alone, true for any data: free. `exact` shows the exact RDR.

        `expected_count`: a public guess of how many are counted, for the 90% interval of an average or a variance;
        `together`: so many people, such as a household, whose epsilon together is shown.
        """
        from sfumato.release.risk.profile import worst_case

        return _printable_profile(worst_case(self._bound, mechanism=mechanism, delta=delta, **how))

    def guessing(self, **how: Unpack[GuessingKeywords]) -> Guessing:
        """Chance that an attacker guesses a value of one person, and the risk of sharing the answer, per epsilon: free,
        public.

        `choices`, `secret`, `radius` and `prior` say what is guessed, as of `sf.guess`; `trust`, `data_sensitivity`
        and `limit` are words from "very low" to "very high", or 0 to 1.
        """
        from sfumato.api.guessing import Guessing
        from sfumato.release.risk.guessing_risk import guessing_risk

        return as_printable(Guessing, guessing_risk(self._bound, **how))

    def noise(self, epsilon: float | Sequence[float], **how: Unpack[NoiseQuestion]) -> NoiseProfile:
        """How far the noise of each figure goes how often, and the smallest meaningful answer: free, public."""
        from sfumato.api.noise_profile import NoiseProfile
        from sfumato.release.risk.noise_plan import noise_plan

        return as_printable(NoiseProfile, noise_plan(self._bound, epsilon, **how))

    def rehearse(
        self,
        *preferences: Preference,
        like: object = None,
        rows: int | None = None,
        expected_count: float | None = None,
        **how: Unpack[SearchKeywords],
    ) -> RiskProfile:
        """The same query on synthetic rows, or on a public table (`like`): free, and no data is read."""
        from sfumato.release.risk.rehearsal import rehearse

        terms: dict[str, Any] = {"like": like, "rows": rows, "expected_count": expected_count}
        return _printable_profile(rehearse(self._bound, preferences, **terms, **how))

    def exposure_histogram(self, epsilon: float, **how: Unpack[HistogramKeywords]) -> RiskProfile:
        """A private exposure histogram, charged first: choosing by it does not count as looking at the data.

        Bounds in it are those of the worst case; what the histogram suggests is in each row's `estimate`. `mechanism`
        is the noise of the release that is thought of. The same request on the same data returns the histogram that
        was drawn, uncharged; `redraw` draws anew.
        """
        from sfumato.release.risk.profile import private_histogram

        return _printable_profile(private_histogram(self._bound, epsilon, **how))

    def risk(self, mechanism: str = "laplace", delta: float | None = None, **how: Unpack[RiskKeywords]) -> RiskProfile:
        """The people themselves: recorded as a look, before anything is shown. `exact` shows the exact RDR."""
        from sfumato.release.risk.profile import people_profile

        return _printable_profile(people_profile(self._bound, mechanism=mechanism, delta=delta, **how))

    def beliefs(
        self, epsilon: float | None = None, candidates: str | Sequence[float] | None = None, prior: float | None = None
    ) -> Beliefs:
        """How sure an attacker who knows everyone but one person becomes of who is missing (Lee & Clifton): a look.

        `prior`: how likely the attacker takes one person to be beforehand; without it, all are equally likely.
        """
        from sfumato.api.beliefs import Beliefs

        epsilons = candidates_of(candidates if epsilon is None else [*(candidates_of(candidates) or ()), epsilon])
        return Beliefs(self._bound, epsilons, prior)

    def answer(self) -> tuple[tuple[object, ...], ...]:
        """The true answer, a look: one row per group, one figure per column, before HAVING, ORDER BY and LIMIT."""
        return self._bound.answer()

    # From a preference to an epsilon

    def choose(
        self,
        *preferences: Preference,
        preregistered: str = "",
        allow_no_guarantee: bool = False,
        redraw: bool = False,
        **how: Unpack[SearchKeywords],
    ) -> Choice:
        """The largest epsilon that meets the preferences; without any, the preregistered rule applies.

        A public preference is entered in the ledger as planned; one that reads the people is a look. A private
        selection is charged first; the same request on the same data returns what was selected, uncharged, and `redraw`
        selects anew. `mechanism`, `delta` and `calibration` say how noise is drawn; no epsilon above `epsilon_max` is
        chosen, and none but the `candidates`, if there are any.
        """
        from sfumato.api.choice import Choice
        from sfumato.release.choose import choose_epsilon
        from sfumato.release.request import request_of

        if unknown := how.keys() - SearchKeywords.__annotations__.keys():
            raise TypeError(f"choose() has no argument {min(unknown)!r}; state an epsilon with release(epsilon=...)")
        request = request_of(self._bound, preferences, **how)
        terms = ReleaseTerms(allow_no_guarantee, redraw, preregistered)
        return as_printable(Choice, choose_epsilon(self._bound, request, terms))

    def preview(self, *preferences: Preference, preregistered: str = "", **how: Unpack[SearchKeywords]) -> Choice:
        """Preview `choose` from public facts: nothing is read, entered or charged.

        A preference that reads the people or draws noise has no epsilon yet.
        """
        from sfumato.api.choice import Choice
        from sfumato.release import choose
        from sfumato.release.request import request_of

        request = request_of(self._bound, preferences, **how)
        return as_printable(Choice, choose.preview(self._bound, request, preregistered))

    def plan(self, *preferences: Preference, preregistered: str = "", **how: Unpack[SearchKeywords]) -> Guarantee:
        """Enter preferences as the plan for this query without reading data; returns the guarantee they will have.

        A plan entered before the first look keeps its guarantee, whatever anyone views afterwards.
        """
        from sfumato.release.choose import enter_plan
        from sfumato.release.request import request_of

        request = request_of(self._bound, preferences, **how)
        return enter_plan(self._bound, request, preregistered)

    def require_releasable(
        self,
        *preferences: Preference,
        preregistered: str = "",
        allow_no_guarantee: bool = False,
        redraw: bool = False,
        **how: Unpack[SearchKeywords],
    ) -> bool:
        """Refuse a release without a guarantee or beyond the budget, before any data is read or anything is entered.

        An answer that was released before is returned again with its guarantee and is not refused. Returns whether it
        will be.
        """
        from sfumato.release import choose
        from sfumato.release.request import request_of

        request = request_of(self._bound, preferences, **how)
        terms = ReleaseTerms(allow_no_guarantee, redraw, preregistered)
        return choose.require_releasable(self._bound, request, terms)

    # From an epsilon to an answer

    def release(
        self,
        choice: Choice | None = None,
        *,
        epsilon: float | None = None,
        mechanism: str = "laplace",
        delta: float | None = None,
        allow_no_guarantee: bool = False,
        redraw: bool = False,
        preregistered: str = "",
    ) -> Release:
        """The noisy answer with its certificate, charged first. Without choice and epsilon the preregistered rule
        applies.

        The same request on the same data returns the answer that was released, uncharged. Noisy numbers that the ledger
        has also answer it with other names, another HAVING, ORDER BY or LIMIT; only others are drawn and charged.
        `redraw` draws all of them anew.
        """
        from sfumato.api.release import Release
        from sfumato.release.pipeline import release, release_choice
        from sfumato.release.request import request_of

        if choice is not None and epsilon is not None:
            raise PreferenceError("A release needs a choice or an epsilon, not both", hint="leave one of them out.")
        terms = ReleaseTerms(allow_no_guarantee, redraw, preregistered)
        if choice is not None:
            return Release.of(release_choice(self._bound, choice, terms), self._bound)
        preferences = () if epsilon is None else (stated_epsilon(epsilon),)
        request = request_of(self._bound, preferences, mechanism, delta)
        return Release.of(release(self._bound, request, terms), self._bound)

    def posthoc_risk(self, release: Release, between: str | None = None) -> PosthocRisk:
        """What one released answer reveals about each person: a look; `between="age > 60"` compares two groups."""
        from sfumato.api.posthoc import PosthocRisk

        return PosthocRisk(self._bound, release, between)

    def signal(
        self, release: Release, task: Task | Mapping[str, Any], kind: str = "free", **how: Unpack[SignalOptions]
    ) -> Signalled:
        """What noise did to a task, by an answer that this query gave: charged first; see `Release.signal`."""
        from sfumato.api.signal import make_printable_signal

        return make_printable_signal(self._bound, release, task, kind, **how)

    def __repr__(self) -> str:
        return f"<Query on {self.dataset.schema.name}: {self.sql}>"


def _printable_profile(profile: Profile) -> RiskProfile:
    from sfumato.api.risk import RiskProfile

    printable = as_printable(RiskProfile, profile)
    if profile.certificate is not None:
        from sfumato.api.release import Certificate

        certificate = printable.certificate = Certificate.of(profile.certificate)
        if isinstance(profile.exposure, ExposureHistogram):
            printable.exposure = replace(profile.exposure, certificate=certificate)
    return printable
