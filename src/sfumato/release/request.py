"""A request in canonical form, refused where it is not possible, before any data is read."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sfumato.errors import PreferenceError
from sfumato.ledger.entry import NANO
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.privacy.preferences.belief import Belief
from sfumato.privacy.preferences.preference import Epsilon, Preference
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.preferences.solver import Solution
from sfumato.privacy.preferences.together import most_together, require_people
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import EPSILON_MAX, ReleaseRequest, SolvedRequest, candidates_of
from sfumato.release.people.exposure_range import require_comparable
from sfumato.release.possible_worlds import read_worlds
from sfumato.release.selection import select
from sfumato.release.selection.pri import require_findable
from sfumato.release.selection.selectable import require_selectable


def request_of(
    query: BoundQuery,
    preferences: Sequence[Preference] = (),
    mechanism: str = "laplace",
    delta: float | None = None,
    calibration: str = "analytic",
    candidates: str | Sequence[float] | None = None,
    epsilon_max: float = EPSILON_MAX,
) -> ReleaseRequest:
    """The request; without preferences and noise, those of the preregistered rule."""
    noise = query.noise(mechanism, delta, calibration)
    if not preferences and noise == Noise():
        noise = query.rule.noise
    require_delta(query, noise)
    if noise.mechanism == NoiseLaw.TRUNCATED:
        query.require_addable(noise)
    request = _request(query, preferences, noise, candidates, epsilon_max)
    if any(p.releases_its_draw for p in request.preferences):
        require_findable(query, request)
    if request.selecting:
        require_selectable(query, request)
    return request


def require_delta(query: BoundQuery, noise: Noise) -> None:
    if query.has_private_keys and noise.delta is None:
        raise PreferenceError.because("private-keys-need-delta")


def _request(
    query: BoundQuery,
    preferences: Sequence[Preference],
    noise: Noise,
    candidates: str | Sequence[float] | None,
    epsilon_max: float,
) -> ReleaseRequest:
    if not all(isinstance(p, Preference) for p in preferences):
        raise PreferenceError.because("not-a-preference")
    chosen = tuple(dict.fromkeys(preferences)) or query.rule.preferences  # said twice it is no more than once
    if not chosen:
        raise PreferenceError.because("preference-missing")
    for p in chosen:
        require_comparable(p, noise, query.statement, query.schema, query.declared)
        for condition in p.conditions:
            query.context.condition(condition)
    chosen = tuple(_complete(query, p, noise) for p in chosen)
    epsilon_max = min(stated_epsilon(epsilon_max, "epsilon_max").value, query.context.epsilon_max)
    for p in preferences:
        if isinstance(p, Epsilon) and p.value > epsilon_max:
            raise PreferenceError.because("epsilon-above-max", epsilon=p.value, most=epsilon_max)
    _require_for_groups(query, chosen, noise)
    version, from_data = query.context.version, query.context.bounds_from_data
    opening = query.context.opening if any(p.bound_to_opening for p in chosen) else ""
    return ReleaseRequest(
        query.statement,
        chosen,
        noise,
        candidates_of(candidates),
        epsilon_max,
        from_data,
        version,
        query.question,
        opening,
    )


def _require_for_groups(query: BoundQuery, preferences: Sequence[Preference], noise: Noise) -> None:
    """Refuse preferences for several people together where no proof covers what is drawn, from public facts."""
    people = most_together(preferences)
    if people is not None and any(p.draws for p in preferences):
        raise PreferenceError.because("together-with-selection")
    require_group(query, people, noise)


def require_group(query: BoundQuery, people: int | None, noise: Noise) -> None:
    """Refuse to say what noise means for so many people together where no proof covers it."""
    if people is None:
        return
    require_people(people)
    if noise.mechanism == NoiseLaw.TRUNCATED or noise.calibration == "classic":
        word = noise.mechanism if noise.mechanism == NoiseLaw.TRUNCATED else noise.calibration
        raise PreferenceError.because("together-with-noise", noise=word)
    if query.has_private_keys:
        raise PreferenceError.because("together-with-private-keys")


def _complete(query: BoundQuery, preference: Preference, noise: Noise) -> Preference:
    """With what it leaves to the schema, to the ledger or to a file."""
    if isinstance(preference, Belief):
        return read_worlds(query, preference, noise)
    spent = Fraction(query.context.ledger.known.total.nano_epsilon, NANO)
    return preference.with_spent(spent).resolve(query.context.schema)


def require_own_choice(query: BoundQuery, choice: object) -> None:
    """Refuse a choice that this query would not make itself: for another query, for other data, or altered."""
    if not isinstance(choice, SolvedRequest):
        raise PreferenceError.because("not-a-choice")
    own = choice.request
    request = _request(query, own.preferences, own.noise, own.candidates, own.epsilon_max)
    if request != own or choice.noise != own.noise or choice.epsilon_max != own.epsilon_max:
        raise PreferenceError.because("choice-of-other-query")
    outcomes = select.earlier_outcomes(query, request, query.context.ledger.record) if request.draws else [None]
    solution = Solution(choice.epsilon, choice.feasible, choice.unbounded, choice.why)
    solutions = (query.solution(request, None if outcome is None else outcome.selected) for outcome in outcomes)
    same_terms = (choice.method, choice.select_epsilon) == (request.method, request.select_epsilon)
    if not same_terms or all(other != solution for other in solutions):
        raise PreferenceError.because("choice-altered")
