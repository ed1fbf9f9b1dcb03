"""What a guess at someone's value comes to under a query, per epsilon, and what sharing it risks. No data is read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.guess_view import GuessAt, GuessView
from sfumato.model.measurement import Measurement, NumberKind
from sfumato.model.risk import WORST_CASE
from sfumato.model.schema import Schema
from sfumato.model.statement import Statement
from sfumato.privacy.noise.calibration import added_numbers
from sfumato.privacy.preferences.guessing_preferences import (
    NOTHING_EARLIER,
    EarlierAnswers,
    Secret,
    SharingRisk,
    earlier_answers,
    known,
    level,
    secret_of,
)
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.preferences.preference import number_where
from sfumato.privacy.preferences.solver import Solution, solve
from sfumato.privacy.risk import sharing
from sfumato.privacy.risk.guessing import (
    average_chance_on_lattice,
    delta_of,
    exponent_of,
    guess_chance,
    joint_exponent,
    largest_advantage,
    normalised_advantage,
)
from sfumato.privacy.risk.profile import CANDIDATES, risk_at
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import candidates_of
from sfumato.release.keywords import NoiseKeywords
from sfumato.release.request import require_delta


@dataclass(frozen=True)
class SharingTerms:
    """Who gets the answer, what harm a right guess does there, and how much risk is tolerable."""

    trust: Fraction
    sensitivity: Fraction
    limit: Fraction | None


class GuessingRisk:
    """Public, free, and no look. `epsilon` is what the limit allows, None without one."""

    def __init__(
        self,
        statement: Statement,
        schema: Schema,
        measurement: Measurement,
        noise: Noise,
        secret: Secret,
        terms: SharingTerms | None,
        candidates: str | Sequence[float] | None,
        earlier: EarlierAnswers = NOTHING_EARLIER,
        count: int | None = None,
    ) -> None:
        if noise.mechanism != NoiseLaw.LAPLACE:
            added_numbers(measurement, noise)
        self._query, self._measurement, self._noise = statement.text, measurement, noise
        self._secret, self.terms, self._earlier, self._count = known(secret, schema), terms, earlier, count
        self._bars = None if earlier != NOTHING_EARLIER else _bars(statement, schema, measurement, noise, self._secret)
        self._solution: Solution | None = None
        if terms is not None and terms.limit is not None:
            preference = SharingRisk(terms.limit, terms.trust, terms.sensitivity, self._secret, earlier=earlier)
            preferences = (preference.resolve(schema),)
            self._solution = solve(preferences, lambda _: WORST_CASE, noise, measurement=measurement)
        chosen = () if self.epsilon is None else (self.epsilon,)
        self._candidates = tuple(sorted({*(candidates_of(candidates) or CANDIDATES), *chosen}))

    @property
    def blind(self) -> float:
        """How often a guess is right before the answer is out."""
        return float(self._secret.known)

    @property
    def epsilon(self) -> float | None:
        return None if self._solution is None else self._solution.epsilon

    @property
    def why(self) -> str:
        return "" if self._solution is None else self._solution.why

    @property
    def candidates(self) -> tuple[GuessAt, ...]:
        return tuple(map(self.at, self._candidates))

    def at(self, epsilon: float) -> GuessAt:
        """What this epsilon would mean: the chance of a right guess, what it gains, what it risks, and the noise."""
        epsilon = stated_epsilon(epsilon).value
        steps, before = self._measurement.steps, float(self._earlier.epsilon)
        delta = (self._noise.delta or 0.0) + float(self._earlier.delta)
        parts = [*(number.part(epsilon) for number in self._measurement.numbers), before]
        exponent = joint_exponent([exponent_of(part, steps) for part in parts], [1.0] * len(parts))
        chance = guess_chance(exponent, self.blind, delta_of(epsilon + before, delta, steps))
        terms = self.terms
        stake = None if terms is None else (float(terms.sensitivity), float(terms.trust))
        noise_90 = risk_at(epsilon, WORST_CASE, self._measurement, self._noise).noise_90
        return GuessAt(
            epsilon=epsilon,
            chance=chance,
            advantage=normalised_advantage(chance, self.blind),
            any_prior=None if delta else largest_advantage(exponent),
            average=None if self._bars is None else self._average(epsilon, self._bars),
            risk=None if stake is None else sharing.sharing_risk(*stake, chance, self.blind),
            risk_as_published=None if stake is None else sharing.sharing_risk_as_published(*stake, chance),
            noise_90=noise_90,
            hundred=_hundred(self._measurement, noise_90),
        )

    @property
    def view(self) -> GuessView:
        terms = self.terms
        limit = None if terms is None else terms.limit
        return GuessView(
            query=self._query,
            secret=self._secret.name,
            blind=self.blind,
            mechanism=self._noise.mechanism,
            delta=self._noise.delta,
            numbers=tuple(number.words for number in self._measurement.numbers),
            candidates=self.candidates,
            trust=None if terms is None else float(terms.trust),
            data_sensitivity=None if terms is None else float(terms.sensitivity),
            limit=None if limit is None else float(limit),
            epsilon=self.epsilon,
            why=self.why,
            feasible=self._solution is None or self._solution.feasible,
            earlier_epsilon=float(self._earlier.epsilon),
            earlier_delta=float(self._earlier.delta),
            count=self._count,
        )

    def as_dict(self) -> dict[str, object]:
        return self.view.as_dict()

    def _average(self, epsilon: float, bars: int) -> float:
        [number] = self._measurement.numbers
        return average_chance_on_lattice(1 / number.scale(epsilon), bars, int(1 / number.step))


def guessing_risk(
    query: BoundQuery,
    *,
    choices: int | None = None,
    secret: str | None = None,
    radius: float | None = None,
    prior: float | None = None,
    trust: float | str | Mapping[str, float | str] | None = None,
    data_sensitivity: float | str | None = None,
    limit: float | str | None = None,
    earlier_epsilon: float | None = None,
    earlier_delta: float | None = None,
    count: int | None = None,
    candidates: str | Sequence[float] | None = None,
    **how: Unpack[NoiseKeywords],
) -> GuessingRisk:
    """How often someone's value is guessed right, and what sharing the answer risks, per epsilon: free, public.

    `choices`, `secret`, `radius` and `prior` say what is guessed, as of `sf.guess`; `trust`, `data_sensitivity`
    and `limit` are words from "very low" to "very high", or 0 to 1. `earlier_epsilon` and `earlier_delta` are the total
    of answers that the partner holds already, which then count too; noise is shown as a share of `count`.
    """
    noise = query.noise(**how)
    require_delta(query, noise)
    if query.context.bounds_from_data:
        raise PreferenceError.because("guesses-bounds-from-data")
    guessed = secret_of("a view of guesses", choices, secret, radius, prior)
    terms = sharing_terms(trust, data_sensitivity, limit)
    measurement, schema = query.public_measurement, query.context.schema
    if count is not None:
        number_where("count", count, "count-not-whole", lambda n: n.denominator == 1 and n >= 1)
    already = earlier_answers(earlier_epsilon, earlier_delta)
    return GuessingRisk(query.statement, schema, measurement, noise, guessed, terms, candidates, already, count)


def _hundred(measurement: Measurement, noise_90: Sequence[float | None]) -> tuple[int, int] | None:
    """What a count of 100 becomes: off by k at most, once rounded, where noise stays below k + 1/2.

    Noise on a lattice goes no further than half a step beyond what it does between (docs/theory/guessing.md).
    """
    number, far = measurement.numbers[0], noise_90[0]
    if len(measurement.numbers) > 1 or not number.kind.counts or far is None:
        return None
    off = max(0, math.ceil(far + float(number.step) / 2 - 0.5))
    return max(0, 100 - off), 100 + off


def sharing_terms(trust: object, data_sensitivity: object, limit: object) -> SharingTerms | None:
    """In words or numbers; nothing where nothing is said."""
    if trust is None and data_sensitivity is None and limit is None:
        return None
    if trust is None or data_sensitivity is None:
        raise PreferenceError.because("sharing-risk-needs-both")
    tolerable = None if limit is None else level("limit", limit)
    return SharingTerms(level("trust", trust), level("data sensitivity", data_sensitivity), tolerable)


def _bars(statement: Statement, schema: Schema, measurement: Measurement, noise: Noise, secret: Secret) -> int | None:
    """How many bars, where the answer is a histogram of the secret itself with Laplace noise; nothing elsewhere.

    Everyone is in one bar then. Whatever is left out or rounded of it afterwards tells no more.
    """
    number = measurement.numbers[0]
    plain = len(measurement.numbers) == 1 and number.kind is NumberKind.COUNT and number.argument is None
    of_secret = [key.column and key.column.name for key in statement.keys] == [secret.column] and secret.radius is None
    whole = statement.where is None and statement.derived is None
    alone = whole and schema.unit.max_rows == 1 and noise == Noise()
    return secret.choices if plain and of_secret and alone else None
