"""A statement bound to a dataset: see its risk, choose an epsilon, release an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sfumato.errors import PreferenceError
from sfumato.ledger.history import Record
from sfumato.model.choice import Noise
from sfumato.model.exposure_histogram import BINS
from sfumato.model.facts import Reach, Totals
from sfumato.model.guarantee import Guarantee, Provenance
from sfumato.model.measurement import Measurement
from sfumato.model.risk import WORST_CASE, Source, Spread
from sfumato.model.statement import Statement
from sfumato.privacy.noise.calibration import furthest_of
from sfumato.privacy.preferences.guessing import secret_of
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.preferences.solver import Solution
from sfumato.privacy.sensitivity import measure
from sfumato.release import observed_bounds
from sfumato.release.decide import (
    EPSILON_MAX,
    Request,
    Rule,
    Standing,
    checked_noise,
    grid_of,
    provenances,
    solved,
)
from sfumato.release.exposure_range import anybody, compared, estimated, fixed_part, require_exact, spread
from sfumato.release.ledger import digest
from sfumato.release.question import question_key, scope_key
from sfumato.release.survey import Survey

if TYPE_CHECKING:
    from sfumato.api.choice import Choice
    from sfumato.api.dataset import Dataset
    from sfumato.api.guessing import Guessing
    from sfumato.api.missing import Beliefs
    from sfumato.api.release import Release
    from sfumato.api.risk import RiskProfile
    from sfumato.api.signal import Signalled
    from sfumato.model.calibration import Calibration
    from sfumato.release.posthoc import Aftermath
    from sfumato.release.select import Outcome
    from sfumato.signals.tasks.task import Task


class Query:
    """Made by `Dataset.query`; holds what was found about the people once it was looked at."""

    def __init__(self, dataset: Dataset, statement: Statement) -> None:
        self.dataset = dataset
        self.statement = statement
        self._declared = None if dataset.bounds_from_data else measure(statement, dataset.schema)
        self._surveys: dict[Noise, Survey] = {}
        self.number_keys: dict[tuple[Calibration, Guarantee], tuple[str, ...]] = {}  # as the record has them

    @property
    def sql(self) -> str:
        """The statement as it was understood."""
        return self.statement.text

    @cached_property
    def question(self) -> str:
        """One for all statements that ask for the same noisy numbers."""
        return question_key(self.scope, self.statement, self.dataset.schema, self._declared)

    @cached_property
    def scope(self) -> str:
        """One for all statements about the same rows in the same groups."""
        return scope_key(self.statement, self.dataset.schema, self._declared)

    # Three ways to see risk

    def worst_case(
        self,
        mechanism: str = "laplace",
        delta: float | None = None,
        candidates: str | Sequence[float] | None = None,
        calibration: str = "analytic",
        exact: bool = False,
    ) -> RiskProfile:
        """Risk from public facts alone, true for any data: free. `exact` shows the exact RDR."""
        from sfumato.api.risk import RiskProfile

        noise = self._noise(mechanism, delta, calibration)
        if exact:
            require_exact(noise, WORST_CASE.fixed)
        measurement = self._public()
        return RiskProfile(
            Source.WORST_CASE,
            self.sql,
            measurement,
            noise,
            WORST_CASE,
            reach=(Reach(0.0, measurement.largest_influence), Reach(0.0, 1.0)),
            candidates=grid_of(candidates),
            exact=exact,
        )

    def guessing(
        self,
        *,
        choices: int | None = None,
        secret: str | None = None,
        radius: float | None = None,
        prior: float | None = None,
        trust: float | str | None = None,
        data_sensitivity: float | str | None = None,
        limit: float | str | None = None,
        mechanism: str = "laplace",
        delta: float | None = None,
        candidates: str | Sequence[float] | None = None,
        calibration: str = "analytic",
    ) -> Guessing:
        """How often somebody's value is guessed right, and what sharing the answer risks, per epsilon: free, public.

        `choices`, `secret`, `radius` and `prior` say what is guessed, as of `sf.guess`; `trust`, `data_sensitivity`
        and `limit` are words from "very low" to "very high", or 0 to 1.
        """
        from sfumato.api.guessing import Guessing, partner_of
        from sfumato.release.request import require_delta

        noise = self._noise(mechanism, delta, calibration)
        require_delta(self, noise)
        if self.dataset.bounds_from_data:
            hint = "leave bounds_from_data out."
            raise PreferenceError("A view of guesses goes by the bounds of the schema", hint=hint)
        guessed = secret_of("a view of guesses", choices, secret, radius, prior)
        partner = partner_of(trust, data_sensitivity, limit)
        return Guessing(self.statement, self.dataset.schema, self._public(), noise, guessed, partner, candidates)

    def rehearse(
        self,
        *preferences: Preference,
        like: object = None,
        rows: int | None = None,
        mechanism: str = "laplace",
        delta: float | None = None,
        calibration: str = "analytic",
        grid: str | Sequence[float] | None = None,
        epsilon_max: float = EPSILON_MAX,
    ) -> RiskProfile:
        """The same query on a look-alike (`like`: a public table; otherwise invented rows): free, nobody is read."""
        from sfumato.release.rehearsal import rehearsed
        from sfumato.release.request import request_of

        noise = self._noise(mechanism, delta, calibration)
        asked = None
        if preferences:
            asked = request_of(self, preferences, mechanism, delta, calibration, grid, epsilon_max)
        return rehearsed(self, preferences, asked, noise, like=like, rows=rows)

    def sketch(
        self,
        epsilon: float,
        *,
        bins: int = BINS,
        mechanism: str = "laplace",
        delta: float | None = None,
        candidates: str | Sequence[float] | None = None,
        calibration: str = "analytic",
        accept_none: bool = False,
        again: bool = False,
        fixed_beforehand: str = "",
    ) -> RiskProfile:
        """A private histogram of exposures, charged first: what is decided from it rests on no look.

        Bounds in it are those of the worst case; what the histogram suggests is in each row's `estimate`. `mechanism`
        is the noise of the release that is thought of. The same request on the same data returns the sketch that was
        drawn, uncharged; `again` draws anew.
        """
        from sfumato.api.risk import RiskProfile
        from sfumato.release.exposure_histogram import sketch

        noise = self._noise(mechanism, delta, calibration)
        shown = grid_of(candidates)
        drawn = sketch(self, noise, epsilon, bins, accept_none=accept_none, again=again, attestation=fixed_beforehand)
        measurement, relation = self._public(), self.dataset.schema.relation
        return RiskProfile(
            Source.SKETCH,
            self.sql,
            measurement,
            noise,
            anybody(relation),
            estimate=estimated(drawn, measurement, relation),
            sketch=drawn,
            candidates=shown,
        )

    def risk(
        self,
        mechanism: str = "laplace",
        delta: float | None = None,
        candidates: str | Sequence[float] | None = None,
        calibration: str = "analytic",
        exact: bool = False,
    ) -> RiskProfile:
        """The people themselves: recorded as a look, before anything is shown. `exact` shows the exact RDR."""
        from sfumato.api.risk import RiskProfile

        noise = self._noise(mechanism, delta, calibration)
        if exact:
            require_exact(noise, self._fixed)
        survey = self._look(noise)
        return RiskProfile(
            Source.PEOPLE,
            self.sql,
            survey.measurement,
            noise,
            spread(survey, noise, sums=True),
            survey=survey,
            candidates=grid_of(candidates),
            exact=exact,
        )

    def missing(
        self,
        epsilon: float | None = None,
        candidates: str | Sequence[float] | None = None,
        prior: float | None = None,
    ) -> Beliefs:
        """Who is missing? How sure somebody becomes who knows the table but for that (001): a look.

        `prior`: they suspect one person beforehand at so much, whoever it is; else all alike.
        """
        from sfumato.api.missing import Beliefs

        shown = grid_of(candidates if epsilon is None else [*(grid_of(candidates) or ()), epsilon])
        return Beliefs(self, shown, prior)

    def answer(self) -> tuple[tuple[object, ...], ...]:
        """The true answer, a look: one row per cell, one figure per aggregate, before HAVING, ORDER BY and LIMIT."""
        return self._look(Noise()).answer()

    # From a preference to an epsilon

    def choose(
        self,
        *preferences: Preference,
        mechanism: str = "laplace",
        delta: float | None = None,
        calibration: str = "analytic",
        grid: str | Sequence[float] | None = None,
        epsilon_max: float = EPSILON_MAX,
        fixed_beforehand: str = "",
        accept_none: bool = False,
        again: bool = False,
    ) -> Choice:
        """The largest epsilon that meets the preferences; without any, the rule of record is applied.

        A public preference is entered in the ledger as planned; one that reads the people is a look. A private
        selection is charged first; the same request on the same data returns what was selected, uncharged, and `again`
        selects anew.
        """
        from sfumato.release import choose as plan
        from sfumato.release.request import request_of

        asked = request_of(self, preferences, mechanism, delta, calibration, grid, epsilon_max)
        return plan.chosen(self, asked, fixed_beforehand, accept_none=accept_none, again=again)

    def foreseen(
        self,
        *preferences: Preference,
        mechanism: str = "laplace",
        delta: float | None = None,
        calibration: str = "analytic",
        grid: str | Sequence[float] | None = None,
        epsilon_max: float = EPSILON_MAX,
        fixed_beforehand: str = "",
    ) -> Choice:
        """What `choose` would come to, by public facts: nothing is read, entered or charged.

        What is read off the people or drawn has no epsilon yet.
        """
        from sfumato.release import choose as plan
        from sfumato.release.request import request_of

        asked = request_of(self, preferences, mechanism, delta, calibration, grid, epsilon_max)
        return plan.foreseen(self, asked, fixed_beforehand)

    def plan(
        self,
        *preferences: Preference,
        mechanism: str = "laplace",
        delta: float | None = None,
        calibration: str = "analytic",
        grid: str | Sequence[float] | None = None,
        epsilon_max: float = EPSILON_MAX,
        fixed_beforehand: str = "",
    ) -> Guarantee:
        """Enter preferences as the plan for this query, without reading anybody; returns the word they will carry.

        What is planned before the first look keeps its word, whoever looks afterwards.
        """
        from sfumato.release import choose as plan
        from sfumato.release.request import request_of

        asked = request_of(self, preferences, mechanism, delta, calibration, grid, epsilon_max)
        return plan.planned(self, asked, fixed_beforehand)

    def require_releasable(
        self,
        *preferences: Preference,
        mechanism: str = "laplace",
        delta: float | None = None,
        calibration: str = "analytic",
        grid: str | Sequence[float] | None = None,
        epsilon_max: float = EPSILON_MAX,
        fixed_beforehand: str = "",
        accept_none: bool = False,
        again: bool = False,
    ) -> bool:
        """Refuse what would carry no guarantee or pass the stop, before anybody is read or anything is entered.

        What was released before comes back with the word it had: that is not refused. Whether it will is returned.
        """
        from sfumato.release import choose as plan
        from sfumato.release.request import request_of

        asked = request_of(self, preferences, mechanism, delta, calibration, grid, epsilon_max)
        return plan.releasable(self, asked, fixed_beforehand, accept_none=accept_none, again=again)

    # From an epsilon to an answer

    def release(
        self,
        choice: Choice | None = None,
        *,
        epsilon: float | None = None,
        mechanism: str = "laplace",
        delta: float | None = None,
        accept_none: bool = False,
        again: bool = False,
        fixed_beforehand: str = "",
    ) -> Release:
        """The noisy answer with its certificate, charged first. Without choice and epsilon the rule of record holds.

        The same request on the same data returns the answer that was released, uncharged. Noisy numbers that the ledger
        has also answer it with other names, another HAVING, ORDER BY or LIMIT; only others are drawn and charged.
        `again` draws all of them anew.
        """
        from sfumato.release.draw import draw
        from sfumato.release.request import require_made_here

        if choice is not None and epsilon is not None:
            raise PreferenceError("A release takes a choice or an epsilon, not both", hint="leave one of them out.")
        if choice is None:
            preferences = () if epsilon is None else (stated_epsilon(epsilon),)
            how: dict[str, Any] = {"mechanism": mechanism, "delta": delta, "fixed_beforehand": fixed_beforehand}
            how |= {"accept_none": accept_none, "again": again}
            self.require_releasable(*preferences, **how)
            choice = self.choose(*preferences, **how)
        require_made_here(self, choice)
        released = draw(self, choice, accept_none=accept_none, again=again, attestation=fixed_beforehand)
        return replace(released, _query=self)

    def aftermath(self, release: Release, between: str | None = None) -> Aftermath:
        """What an answer that this query gave says about each person: a look.

        `between="age > 60"` also compares the median PRIs of two groups.
        """
        from sfumato.release.posthoc import Aftermath

        return Aftermath(self, release, between)

    def signal(
        self,
        release: Release,
        task: Task | Mapping[str, Any],
        kind: str = "free",
        *,
        epsilon: float | None = None,
        draws: int | None = None,
        blocks: int | None = None,
        by_range: bool = False,
        accept_none: bool = False,
        again: bool = False,
        fixed_beforehand: str = "",
    ) -> Signalled:
        """What noise did to a task, by an answer that this query gave; see `Release.signal`.

        What is charged is entered first. The same request on the same data returns the signal that was drawn,
        uncharged; `again` draws anew.
        """
        from sfumato.signals.request import asked_for
        from sfumato.signals.signal import signal

        how: dict[str, Any] = {"by_range": by_range, "accept_none": accept_none, "again": again}
        how |= {"draws": draws} if draws is not None else {}
        how |= {"blocks": blocks} if blocks is not None else {}
        return signal(self, release, task, asked_for(kind, epsilon, attestation=fixed_beforehand, **how))

    # What the verbs above lean on

    @property
    def measurement(self) -> Measurement:
        """The noisy numbers: from the schema alone, unless the dataset was opened with bounds from the data."""
        if self._declared is not None:
            return self._declared
        return self._look(Noise()).measurement

    def furthest(self, epsilon: float, noise: Noise) -> tuple[float, ...]:
        """How far the noise of each number goes at most; infinite unless it is truncated."""
        return tuple(furthest_of(n, self._public(), noise, epsilon) for n in self._public().numbers)

    @property
    def has_private_keys(self) -> bool:
        columns = [self.dataset.schema.column(key.name) for key in self.statement.keys]
        return not self.dataset.bounds_from_data and any(c is not None and c.private_keys for c in columns)

    def _totals(self) -> Totals:
        """The exact totals, for the mechanism's eyes: shown to a person they would be a look."""
        return self._survey(Noise()).totals()

    def _people_by_bin(self, noise: Noise, bins: int) -> tuple[int, ...]:
        """How many people are how exposed, for the mechanism's eyes too."""
        return self._survey(noise).people_by_bin(bins)

    def provenances(self, choice: Choice, record: Record, attestation: str) -> tuple[Provenance, ...]:
        from sfumato.release import select

        return select.provenances(self, choice, record, attestation or choice.attestation)

    def is_rule(self, choice: Choice) -> bool:
        return choice.asked.applies(self.rule)

    def _provenances(self, asked: Request, record: Record, attestation: str) -> tuple[Provenance, ...]:
        ledger, mandate = self.dataset.ledger, self.dataset.mandate
        of_rule = "" if mandate is None else mandate.attestation  # the policy's own, for its rule alone
        attestation = " ".join(attestation.split())
        standing = Standing(self.rule, ledger.rule, ledger.schema, ledger.who)
        return *provenances(asked, record, standing, attestation, of_rule), *self.dataset.decided(record, attestation)

    @cached_property
    def rule(self) -> Rule:
        """What was fixed before anyone looked, for a statement like this."""
        selects = any(aggregate.kind.selects for aggregate in self.statement.aggregates)
        return self.dataset.rule_for(private_keys=self.has_private_keys, selects=selects)

    def _noise(self, mechanism: str, delta: float | None, calibration: str) -> Noise:
        return checked_noise(mechanism, delta, calibration, private_keys=self.has_private_keys)

    def _solved(self, asked: Request, drawn: Outcome | None = None) -> Solution:
        def people(preference: Preference) -> Spread:
            return compared(preference, self._look(asked.noise), asked.noise)

        selected = None if drawn is None else drawn.selected
        return solved(asked, people, self._declared, selected, bounded=self.dataset.ceiling < EPSILON_MAX)

    @property
    def _fixed(self) -> Fraction | None:
        return fixed_part(self.statement, self.dataset.schema, self._declared)

    def _look(self, noise: Noise) -> Survey:
        """What the people carry, after the look was entered."""
        key = digest(["risk", self.sql, self.dataset.version])
        self.dataset.ledger.look(key, f"risk of the people under {self.sql}")
        return self._survey(noise)

    def _survey(self, noise: Noise) -> Survey:
        if noise not in self._surveys:
            dataset = self.dataset
            if self._declared is None:
                self._surveys[noise] = observed_bounds.survey(dataset._engine, self.statement, dataset.schema, noise)
            else:
                self._surveys[noise] = Survey(dataset._engine, dataset.schema, self.statement, self._declared, noise)
        return self._surveys[noise]

    def _public(self) -> Measurement:
        return self._declared or measure(self.statement, self.dataset.schema)

    def __repr__(self) -> str:
        return f"<Query on {self.dataset.schema.name}: {self.sql}>"
