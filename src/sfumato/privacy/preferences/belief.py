"""A preference about beliefs: what somebody who knows every possible world may come to think of them (001)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import PurePath

from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement, NumberKind
from sfumato.model.possible_worlds import World
from sfumato.privacy.preferences.stated import Stated, exactly
from sfumato.privacy.risk.belief import on_a_line
from sfumato.privacy.risk.possible_worlds import MOST_WORLDS, bound_of, countless, largest_epsilon, prior_of

_WORLDS = "try --worlds universe.csv, a public table of everybody who could be in the data."
_Kind = tuple[tuple[tuple[int, float], ...], float]  # what tells a world from others: its loads, and what else may
_SLACK = Fraction(1, 10**9)  # by which priors may miss 1: they are written with so many digits


@dataclass(frozen=True)
class Answers:
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
    """A public table of everybody who could be in the data; nothing is read of it here."""

    source: object

    @property
    def words(self) -> str:
        return f" in who is missing of {self.name}"

    @property
    def name(self) -> str:
        return PurePath(self.source).name if isinstance(self.source, str | PurePath) else "the table passed"


@dataclass(frozen=True)
class Missing:
    """The worlds of a universe that was read: everybody but so many. `name` says where it was read."""

    worlds: tuple[World, ...]
    people: int
    name: str

    @property
    def words(self) -> str:
        return f" in who is missing of {self.people:,} people in {self.name}"


@dataclass(frozen=True)
class Belief(Stated):
    """Whoever knows the possible worlds believes in none of them by more than rho, whatever comes out.

    `bound`: by the paper's upper bound, not by the beliefs themselves.
    """

    rho: Fraction
    worlds: Answers | Universe | Missing
    missing: int = 1
    bound: bool = False
    priority: Fraction = Fraction(1)

    @property
    def words(self) -> str:
        several = f", {self.missing} at a time" if self.missing > 1 else ""
        how = ", by the upper bound" if self.bound else ""
        return self.allowed(f"belief {float(self.rho):.4g}{self.worlds.words}{several}{how}")


def belief(
    rho: float,
    *,
    worlds: object = None,
    prior: Sequence[float] | None = None,
    missing: int = 1,
    bound: bool = False,
) -> Belief:
    """Nobody's belief in any of the possible worlds rises above `rho`, whatever comes out.

    `worlds`: a public table (a file, or pandas, polars, Arrow) of everybody who could be in the data, of whom one is
    missing, or `missing` of them; or the answers of the query in each world, for a query with one noisy number, with
    how likely each is as `prior`. `bound` takes the paper's upper bound, which is stricter.
    """
    number = exactly("belief", rho)
    if not 0 < number < 1:
        raise PreferenceError(f"belief must lie between 0 and 1, not {rho}", hint="try --belief 0.333.")
    if worlds is None:
        raise PreferenceError("belief needs the possible worlds", hint=_WORLDS)
    gone = exactly("missing", missing)
    if gone.denominator != 1 or gone < 1:
        raise PreferenceError(f"missing must be a whole number from 1 on, not {missing}", hint="try --missing 1.")
    worlds = worlds.tolist() if hasattr(worlds, "tolist") else worlds  # of numpy, or one column of pandas
    if isinstance(worlds, Sequence) and not isinstance(worlds, str | bytes):
        if gone > 1:
            raise PreferenceError("missing goes with a universe, not with answers", hint=_WORLDS)
        listed = answers(worlds, prior)
        above_prior(number, float(listed.likeliest))
        return Belief(number, listed, bound=bound)
    if prior is not None:
        raise PreferenceError("prior goes with the answers in each world", hint="leave it out: all are as likely.")
    return Belief(number, Universe(worlds), int(gone), bound)


def answers(worlds: Sequence[object], prior: Sequence[object] | None = None) -> Answers:
    """The answers in each world, checked."""
    numbers = tuple(exactly("an answer in a world", one) for one in worlds)
    if len(numbers) < 2:
        raise PreferenceError(f"A belief is about two worlds or more, not {len(numbers)}", hint=_WORLDS)
    if prior is None:
        return Answers(numbers)
    likely = tuple(exactly("prior", one) for one in prior)
    if len(likely) != len(numbers):
        said = f"There are {len(numbers)} worlds and {len(likely)} priors"
        raise PreferenceError(said, hint="state how likely each world is.")
    if any(one <= 0 for one in likely) or abs(sum(likely, Fraction(-1))) > _SLACK:
        raise PreferenceError("The priors of the worlds must lie above 0 and add up to 1", hint="try 0.5,0.25,0.25.")
    return Answers(numbers, likely)


def above_prior(rho: Fraction, prior: float) -> None:
    """Refuse what is believed before any answer is out."""
    if float(rho) <= prior:
        raise PreferenceError(
            f"belief must lie above {prior:.4g}, not {float(rho):.4g}: so much is believed before any answer",
            hint="ask for more than that.",
        )


def missing_of(everybody: Iterable[World], missing: int, name: str) -> Missing:
    """The worlds in which so many of them are missing; alike ones together, in one order whoever read them."""
    people = Counter[_Kind]()
    for world in everybody:
        people[world.loads, world.apart] += int(world.mass)
    kinds = sorted(people)
    if 1 < missing >= sum(people.values()):
        raise PreferenceError(
            f"{missing} of {sum(people.values()):,} people in {name} cannot be missing",
            hint="leave --missing out, for one.",
        )
    if math.comb(len(kinds) + missing - 1, missing) > MOST_WORLDS and missing > 1:
        raise PreferenceError(
            f"There are too many ways for {missing} of {name} to be missing", hint="leave --missing out, for one."
        )
    found = Counter[_Kind]()
    for gone in combinations_with_replacement(kinds, missing):
        ways = math.prod(math.comb(people[kind], times) for kind, times in Counter(gone).items())
        if ways:
            found[_together(gone)] += ways
    worlds = tuple(World(loads, float(ways), apart=apart) for (loads, apart), ways in sorted(found.items()))
    if sum(found.values()) < 2:
        raise PreferenceError(
            f"There are fewer than two worlds in {name}", hint="a universe is everybody who could be."
        )
    if countless(worlds):
        raise PreferenceError(
            f"There are more than {MOST_WORLDS:,} worlds in {name} to be compared one by one",
            hint="ask for one aggregate at a time, or of a smaller universe.",
        )
    return Missing(worlds, people.total(), name)


def require_pure(noise: Noise, measurement: Measurement) -> None:
    """Refuse noise under which a single answer may leave no doubt."""
    if noise.mechanism != "laplace" or noise.delta or measurement.cells is None:
        raise PreferenceError(
            "Noise with a delta has answers that leave one world only, so it bounds no belief",
            hint="use --mechanism laplace, and list the public categories of what is grouped by.",
        )


def require_bounded(stated: Belief, noise: Noise, measurement: Measurement | None) -> Measurement:
    """Refuse noise that bounds no belief, and answers that are not those of one number: before anything is read."""
    if measurement is None:
        hint = "leave --bounds-from-data out."
        raise PreferenceError(f"“{stated.words}” goes by the bounds of the schema", hint=hint)
    require_pure(noise, measurement)
    if isinstance(stated.worlds, Answers) and (
        measurement.k != 1 or measurement.numbers[0].kind is NumberKind.SELECTION
    ):
        raise PreferenceError(
            "Answers in each world go with a query of one noisy number, such as a COUNT or a SUM",
            hint="pass the universe as a table: --worlds universe.csv.",
        )
    return measurement


def epsilon_of(stated: Belief, noise: Noise, measurement: Measurement | None) -> float:
    """The largest epsilon that keeps the belief, as the noise will be drawn."""
    drawn = require_bounded(stated, noise, measurement)
    if isinstance(stated.worlds, Missing):
        worlds = stated.worlds.worlds
    else:
        assert isinstance(stated.worlds, Answers)  # a request reads the universe
        unit, prior = drawn.numbers[0].sensitivity, stated.worlds.prior
        if not unit:
            return math.inf
        numbers = [float(number) for number in stated.worlds.numbers]
        worlds = on_a_line(numbers, float(unit), None if prior is None else [float(p) for p in prior])
    above_prior(stated.rho, prior_of(worlds))
    return (bound_of if stated.bound else largest_epsilon)(worlds, float(stated.rho))


def _together(gone: Sequence[_Kind]) -> _Kind:
    if len(gone) == 1:
        return gone[0]
    loads: dict[int, float] = {}
    for own, _ in gone:
        for place, load in own:
            loads[place] = loads.get(place, 0.0) + load
    return tuple(sorted(loads.items())), sum(apart for _, apart in gone)
