"""A preference about beliefs: how sure an attacker who knows every possible world may become of one (LC)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import PurePath
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.method_comparison import Need
from sfumato.model.possible_worlds import World
from sfumato.model.release import Assumed, Assumption
from sfumato.privacy.preferences.preference import OddsPreference, Preference, Setting, exactly, number_where, plain
from sfumato.privacy.risk.belief import on_a_line
from sfumato.privacy.risk.possible_worlds import MOST_WORLDS, bound_of, countless, largest_epsilon, prior_of

_Kind = tuple[tuple[tuple[int, float], ...], float]  # what tells a world from others: its loads, and what else may
_SLACK = Fraction(1, 10**9)  # by which priors may miss 1: they are written with so many digits


@dataclass(frozen=True)
class WorldAnswers:
    """The answer of the query in each world, and how likely each is; all alike where nothing is said."""

    numbers: tuple[Fraction, ...]
    prior: tuple[Fraction, ...] | None = None

    @property
    def words(self) -> str:
        return f" in each of {len(self.numbers):,} worlds"

    @property
    def likeliest(self) -> Fraction:
        return max(self.prior) if self.prior else Fraction(1, len(self.numbers))


@dataclass(frozen=True, eq=False)
class Universe:
    """A public table of everyone who could be in the data; nothing is read of it here."""

    source: object

    @property
    def words(self) -> str:
        return f" in who is missing of {self.name}"

    @property
    def name(self) -> str:
        return PurePath(self.source).name if isinstance(self.source, str | PurePath) else "the table passed"


@dataclass(frozen=True)
class MissingPeople:
    """The worlds of a universe that was read: everyone but so many. `name` says where it was read."""

    worlds: tuple[World, ...]
    people: int
    name: str

    @property
    def words(self) -> str:
        return f" in who is missing of {self.people:,} people in {self.name}"


@dataclass(frozen=True)
class Belief(OddsPreference):
    """An attacker who knows the possible worlds believes in none of them by more than rho, whatever is released.

    `bound`: by the paper's upper bound, not by the beliefs themselves.
    """

    rho: Fraction
    worlds: WorldAnswers | Universe | MissingPeople
    missing: int = 1
    bound: bool = False
    priority: Fraction = Fraction(1)

    need = Need.WORLDS
    holds_for_groups = False  # who is missing says how many: `missing`
    unstated_name = "belief"

    @property
    def words(self) -> str:
        several = f", {self.missing} at a time" if self.missing > 1 else ""
        how = ", by the upper bound" if self.bound else ""
        return self.allowed(f"belief {float(self.rho):.4g}{self.worlds.words}{several}{how}")

    def epsilon(self, setting: Setting) -> float:
        return epsilon_of(self, setting.noise, setting.measurement)

    @property
    def assumptions(self) -> tuple[Assumed, ...]:
        worlds = self.worlds
        if not isinstance(worlds, MissingPeople):
            return (Assumed(Assumption.WORLDS_PUBLIC),)
        universe = Assumption.UNIVERSE_PUBLIC
        return (Assumed.of(universe, people=worlds.people, name=worlds.name, missing=self.missing),)

    def to_mapping(self) -> dict[str, Any]:
        if not isinstance(self.worlds, WorldAnswers) or self.worlds.prior is not None:
            return super().to_mapping()
        return plain({"belief": self.rho, "bound": self.bound}) | {"worlds": [float(n) for n in self.worlds.numbers]}

    def why(self, drawn: Mapping[Preference, str], beside: float, /) -> str:
        if not isinstance(self.worlds, MissingPeople):
            return super().why(drawn, beside)
        public = f"It assumes that {self.worlds.name} is public knowledge and was not derived from the data."
        return f"The largest epsilon that meets {self.words}. {public}"


def belief(
    rho: float, *, worlds: object = None, prior: Sequence[float] | None = None, missing: int = 1, bound: bool = False
) -> Belief:
    """No attacker's belief in any of the possible worlds rises above `rho`, whatever is released.

    `worlds`: a public table (a file, or pandas, polars, Arrow) of everyone who could be in the data, of whom one is
    missing, or `missing` of them; or the answers of the query in each world, for a query with one noisy number, with
    how likely each is as `prior`. `bound` takes the paper's upper bound, which is stricter.
    """
    number = number_where("belief", rho, "belief-out-of-range", lambda n: 0 < n < 1)
    if worlds is None:
        raise PreferenceError.because("worlds-missing")
    gone = number_where("missing", missing, "missing-not-whole", lambda n: n.denominator == 1 and n >= 1)
    worlds = worlds.tolist() if hasattr(worlds, "tolist") else worlds  # of numpy, or one column of pandas
    if isinstance(worlds, Sequence) and not isinstance(worlds, str | bytes):
        if gone > 1:
            raise PreferenceError.because("missing-with-answers")
        listed = answers(worlds, prior)
        above_prior(number, float(listed.likeliest))
        return Belief(number, listed, bound=bound)
    if prior is not None:
        raise PreferenceError.because("prior-without-answers")
    return Belief(number, Universe(worlds), int(gone), bound)


def answers(worlds: Sequence[object], prior: Sequence[object] | None = None) -> WorldAnswers:
    """The answers in each world, checked."""
    numbers = tuple(exactly("an answer in a world", one) for one in worlds)
    if len(numbers) < 2:
        raise PreferenceError.because("worlds-too-few", worlds=len(numbers))
    if prior is None:
        return WorldAnswers(numbers)
    likely = tuple(exactly("prior", one) for one in prior)
    if len(likely) != len(numbers):
        raise PreferenceError.because("priors-not-of-worlds", worlds=len(numbers), priors=len(likely))
    if any(one <= 0 for one in likely) or abs(sum(likely, Fraction(-1))) > _SLACK:
        raise PreferenceError.because("priors-not-one")
    return WorldAnswers(numbers, likely)


def above_prior(rho: Fraction, prior: float) -> None:
    """Refuse what is believed before any answer is out."""
    if float(rho) <= prior:
        raise PreferenceError.because("belief-below-prior", prior=prior, belief=float(rho))


def missing_of(everyone: Iterable[World], missing: int, name: str) -> MissingPeople:
    """The worlds in which `missing` of the people are missing; equal ones are merged, in a fixed order."""
    people = Counter[_Kind]()
    for world in everyone:
        people[world.loads, world.apart] += int(world.mass)
    kinds = sorted(people)
    if 1 < missing >= sum(people.values()):
        raise PreferenceError.because("missing-too-many", missing=missing, people=people.total(), name=name)
    if math.comb(len(kinds) + missing - 1, missing) > MOST_WORLDS and missing > 1:
        raise PreferenceError.because("missing-in-too-many-ways", missing=missing, name=name)
    worlds_by_kind = Counter[_Kind]()
    for gone in combinations_with_replacement(kinds, missing):
        ways = math.prod(math.comb(people[kind], times) for kind, times in Counter(gone).items())
        if ways:
            worlds_by_kind[_together(gone)] += ways
    worlds = tuple(World(loads, float(ways), apart=apart) for (loads, apart), ways in sorted(worlds_by_kind.items()))
    if sum(worlds_by_kind.values()) < 2:
        raise PreferenceError.because("universe-too-small", name=name)
    if countless(worlds):
        raise PreferenceError.because("universe-too-large", most=MOST_WORLDS, name=name)
    return MissingPeople(worlds, people.total(), name)


def require_pure(noise: Noise, measurement: Measurement) -> None:
    """Refuse noise under which a single answer may leave no doubt."""
    if noise.mechanism != NoiseLaw.LAPLACE or noise.delta or measurement.cells is None:
        raise PreferenceError.because("belief-with-delta")


def require_bounded(preference: Belief, noise: Noise, measurement: Measurement | None) -> Measurement:
    """Refuse noise that bounds no belief, and answers that are not those of one number: before anything is read."""
    if measurement is None:
        raise PreferenceError.because("bounds-of-schema-needed", stated=preference.words)
    require_pure(noise, measurement)
    if isinstance(preference.worlds, WorldAnswers) and (measurement.k != 1 or measurement.numbers[0].kind.is_ranked):
        raise PreferenceError.because("worlds-of-one-number")
    return measurement


def epsilon_of(preference: Belief, noise: Noise, measurement: Measurement | None) -> float:
    """The largest epsilon that keeps the belief, as the noise will be drawn."""
    drawn = require_bounded(preference, noise, measurement)
    if isinstance(preference.worlds, MissingPeople):
        worlds = preference.worlds.worlds
    else:
        assert isinstance(preference.worlds, WorldAnswers)  # a request reads the universe
        unit, prior = drawn.numbers[0].sensitivity, preference.worlds.prior
        if not unit:
            return math.inf
        numbers = [float(number) for number in preference.worlds.numbers]
        worlds = on_a_line(numbers, float(unit), None if prior is None else [float(p) for p in prior])
    above_prior(preference.rho, prior_of(worlds))
    return (bound_of if preference.bound else largest_epsilon)(worlds, float(preference.rho))


def _together(gone: Sequence[_Kind]) -> _Kind:
    if len(gone) == 1:
        return gone[0]
    loads: dict[int, float] = {}
    for own, _ in gone:
        for place, load in own:
            loads[place] = loads.get(place, 0.0) + load
    return tuple(sorted(loads.items())), sum(apart for _, apart in gone)
