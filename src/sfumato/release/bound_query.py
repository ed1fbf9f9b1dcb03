"""A statement bound to its dataset: what the pipeline hands on from step to step."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from sfumato.ledger.history import Record
from sfumato.model.calibration import Calibration, NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.facts import Totals
from sfumato.model.guarantee import Guarantee, Provenance
from sfumato.model.measurement import Measurement
from sfumato.model.risk import ExposureRange
from sfumato.model.schema import Schema
from sfumato.model.statement import Statement, calls_in
from sfumato.privacy.noise.calibration import added_numbers, furthest_of
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.private_selection import Selected
from sfumato.privacy.preferences.solver import Solution
from sfumato.privacy.sensitivity import measure
from sfumato.release.context import DatasetContext
from sfumato.release.decide import (
    EPSILON_MAX,
    CurrentRule,
    ReleaseRequest,
    Rule,
    checked_noise,
    provenances,
    solve_request,
)
from sfumato.release.ledger import digest
from sfumato.release.people.exposure_range import compared_spread, fixed_part
from sfumato.release.question import question_key, scope_key
from sfumato.release.true_answer import true_rows
from sfumato.sql.parser.parameters import Parameters
from sfumato.sql.parser.statement import parse
from sfumato.sql.plans.rows import PlanInput

if TYPE_CHECKING:
    from sfumato.release.people.survey import Survey
    from sfumato.sql.plans.individual_filter_plan import IndividualFilter


class BoundQuery:
    """Holds what was found about the people once it was looked at."""

    def __init__(self, context: DatasetContext, statement: Statement) -> None:
        self.context = context
        self.statement = statement
        self.declared = None if context.bounds_from_data else measure(statement, context.schema)
        self._surveys: dict[Noise, Survey] = {}
        self.number_keys: dict[tuple[Calibration, Guarantee], tuple[str, ...]] = {}  # as the record has them

    @property
    def sql(self) -> str:
        """The statement as it was understood."""
        return self.statement.text

    @cached_property
    def schema(self) -> Schema:
        """What is publicly known of the table that it reads."""
        return self.statement.schema(self.context.schema)

    @cached_property
    def question(self) -> str:
        """One for all statements that ask for the same noisy numbers."""
        return question_key(self.scope, self.statement, self.context.schema, self.declared)

    @cached_property
    def scope(self) -> str:
        """One for all statements about the same rows in the same groups."""
        return scope_key(self.statement, self.context.schema, self.declared)

    @property
    def measurement(self) -> Measurement:
        """The noisy numbers: from the schema alone, unless the dataset was opened with bounds from the data."""
        return self.declared if self.declared is not None else self.look(Noise()).measurement

    @property
    def public_measurement(self) -> Measurement:
        """The same from the schema, in any case."""
        return self.declared or measure(self.statement, self.context.schema)

    def furthest(self, epsilon: float, noise: Noise) -> tuple[float, ...]:
        """How far the noise of each number goes at most; infinite unless it is truncated."""
        measurement = self.public_measurement
        return tuple(furthest_of(n, measurement, noise, epsilon) for n in measurement.numbers)

    @property
    def has_private_keys(self) -> bool:
        columns = [self.schema.column(key.column.name) for key in self.statement.keys if key.column is not None]
        return not self.context.bounds_from_data and any(c is not None and c.private_keys for c in columns)

    @cached_property
    def rule(self) -> Rule:
        """What was fixed before anyone looked, for a statement like this."""
        selects = any(aggregate.kind.selects for aggregate in self.statement.aggregates)
        return self.context.rule_for(private_keys=self.has_private_keys, selects=selects)

    @property
    def fixed_part(self) -> Fraction | None:
        """The part of a contributor's exposure that is a number of its own, where that is known."""
        return fixed_part(self.statement, self.schema, self.declared)

    def noise(self, mechanism: str = "laplace", delta: float | None = None, calibration: str = "analytic") -> Noise:
        return checked_noise(mechanism, delta, calibration, private_keys=self.has_private_keys)

    def require_addable(self, noise: Noise) -> None:
        """Refuse noise that one of the numbers cannot have, where the schema says which numbers there are."""
        if noise.mechanism != NoiseLaw.LAPLACE and self.declared is not None:
            added_numbers(self.declared, noise)

    # Where what goes into a release comes from, and the epsilon that it leads to

    def provenances(self, request: ReleaseRequest, record: Record, preregistered: str) -> tuple[Provenance, ...]:
        ledger, authorization = self.context.ledger, self.context.authorization
        of_rule = "" if authorization is None else authorization.preregistered  # the policy's own, for its rule alone
        preregistered = " ".join(preregistered.split())
        standing = CurrentRule(self.rule, ledger.rule, ledger.schema, ledger.who)
        decisions = self.context.decision_provenances(record, preregistered)
        return *provenances(request, record, standing, preregistered, of_rule), *decisions

    def solution(self, request: ReleaseRequest, selected: Mapping[Preference, Selected] | None = None) -> Solution:
        def people(preference: Preference) -> ExposureRange:
            return compared_spread(preference, self.look(request.noise), request.noise)

        return solve_request(request, people, self.declared, selected, bounded=self.context.epsilon_max < EPSILON_MAX)

    # The people

    def look(self, noise: Noise) -> Survey:
        """What the people carry, after the look was entered."""
        key = digest(["risk", self.sql, self.context.version])
        self.context.ledger.look(key, f"risk of the people under {self.sql}")
        return self.survey(noise)

    def survey(self, noise: Noise) -> Survey:
        """The same for the mechanism's eyes: shown to a person it would be a look."""
        if noise not in self._surveys:
            from sfumato.release.people import observed_bounds
            from sfumato.release.people.survey import Survey

            context = self.context
            if self.declared is None:
                self._surveys[noise] = observed_bounds.survey(context.engine, self.statement, context.schema, noise)
            else:
                self._surveys[noise] = Survey(context.engine, context.schema, self.statement, self.declared, noise)
        return self._surveys[noise]

    def survey_of(self, individual: IndividualFilter) -> Survey:
        """What a release within a budget per person is about: the people whom it includes."""
        from sfumato.release.people.survey import Survey

        assert self.declared is not None
        context = self.context
        return Survey(context.engine, context.schema, self.statement, self.declared, Noise(), individual)

    def totals(self) -> Totals:
        """The exact totals, for the mechanism's eyes too."""
        return self.survey(Noise()).totals()

    def answer(self) -> tuple[tuple[object, ...], ...]:
        """The true answer, a look: one row per group, one figure per column, before HAVING, ORDER BY and LIMIT."""
        return true_rows(self.measurement, self.look(Noise()).answer())


def bind(context: DatasetContext, sql: str, parameters: Parameters = ()) -> BoundQuery:
    """Read one SELECT of aggregates; whatever cannot be answered is refused here, before any data is touched."""
    query = BoundQuery(context, parse(sql, context.schema, context.present, parameters))
    if any(name.startswith("REGEXP_") for name in calls_in(query.statement)):  # the one thing that some engines refuse
        context.require_spelled(PlanInput(context.schema, query.statement, query.public_measurement))
    return query
