"""A public universe of values of which one is missing, as Lee & Clifton have it: what its noisy answer tells."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sfumato.api.figure import Picture
from sfumato.errors import PreferenceError
from sfumato.presentation.figures.curves import belief_curves, response_curves
from sfumato.presentation.wording import belief as of_belief
from sfumato.privacy.risk.belief import (
    average_success,
    disclosure_risk,
    epsilon_bound,
    epsilon_for_belief,
    global_sensitivity,
    laplace_density,
    mean,
    median,
    one_missing,
    posterior,
    risk_bound,
    tail_ratio,
)

Answer = Callable[[Sequence[float]], float]

ANSWERS: dict[str, Answer] = {"mean": mean, "median": median}
EPSILONS = tuple(0.05 * i for i in range(1, 101))  # of a picture
FURTHER = 4.0  # scales of noise beyond the answers that a picture shows


class PossibleWorlds:
    """Made by `sf.possible_worlds`. Noise has the scale `sensitivity / epsilon`, sized by the universe itself.

    Everything here is public arithmetic: no table is read. For a table under a schema, where noise is sized by the
    bounds, there is `sf.belief(rho, worlds=...)`.
    """

    def __init__(self, universe: Sequence[float], answer: str | Answer = "mean") -> None:
        self.universe = _values(universe)
        self.answer = _answer(answer)
        self.worlds = tuple(one_missing(self.universe))
        self.answers = [self.answer(world) for world in self.worlds]
        self.sensitivity = global_sensitivity(self.universe, self.answer)
        self.width = max(self.answers) - min(self.answers)

    def posterior(self, output: float, epsilon: float, prior: Sequence[float] | None = None) -> list[float]:
        """How much each world is believed once this noisy answer is out."""
        return posterior(self.answers, self._scale(epsilon), output, self._prior(prior))

    def risk(self, epsilon: float, prior: Sequence[float] | None = None) -> float:
        """The largest belief in any world, at whatever output: exactly."""
        return disclosure_risk(self.answers, self._scale(epsilon), self._prior(prior))

    def bound(self, epsilon: float) -> float:
        """The paper's upper bound on it (equation 5)."""
        return risk_bound(1 / len(self.worlds), epsilon, self.sensitivity, self.width) if self.width else self.least

    def average(self, epsilon: float) -> float:
        """How often the best guess at the world is right, on average over what is drawn."""
        return average_success(self.answers, self._scale(epsilon))

    def epsilon(self, rho: float, prior: Sequence[float] | None = None, *, bound: bool = False) -> float:
        """The largest epsilon at which no world is believed more than rho; by the paper's `bound` it is less.

        Infinite where so many worlds have one answer that none is ever believed more.
        """
        before = max(self._prior(prior) or [1 / len(self.worlds)])
        if not before < rho < 1:
            raise PreferenceError(
                f"rho must be above {before:.4g} and below 1, not {rho}: that much is believed before any answer",
                hint="choose a larger number.",
            )
        if self.width == 0:
            return math.inf
        if bound:
            return epsilon_bound(len(self.worlds), rho, self.sensitivity, self.width, before)
        return epsilon_for_belief(self.answers, self.sensitivity, rho, self._prior(prior))

    def times_as_often(self, output: float, epsilon: float, world: int = 0) -> float:
        """How many times as often each person's noisy answer lies above an output as that of one world does."""
        whole = self.answer(self.universe)
        return tail_ratio(output, whole, self.answers[world], self._scale(epsilon))

    def plot(self, rho: float | None = None) -> Picture:
        """The risk and its bound at each epsilon."""
        curves = {"bound": [(e, self.bound(e)) for e in EPSILONS], "exact": [(e, self.risk(e)) for e in EPSILONS]}
        return Picture(belief_curves(curves, rho, of_belief.one_of(len(self.worlds))), of_the_people=False)

    def responses(self, epsilon: float, output: float | None = None) -> Picture:
        """How likely each noisy answer is in each world."""
        scale, names = self._scale(epsilon), dict[float, str]()
        for place, one in enumerate(self.answers, 1):
            names[one] = f"{names[one]} and {place}" if one in names else f"world {place}"
        low, high = min(self.answers) - FURTHER * scale, max(self.answers) + FURTHER * scale
        xs = sorted({low + (high - low) * i / 200 for i in range(201)} | set(names))
        curves = {name: [(x, laplace_density(x, one, scale)) for x in xs] for one, name in names.items()}
        return Picture(response_curves(curves, output, f"Epsilon {epsilon:g}."), of_the_people=False)

    @property
    def least(self) -> float:
        """What a world is believed where the answer tells nothing."""
        return 1 / len(self.worlds)

    def __repr__(self) -> str:
        return f"<PossibleWorlds: {len(self.worlds)}, in each of which one of {len(self.universe)} is missing>"

    def _scale(self, epsilon: float) -> float:
        if not 0 < epsilon < math.inf:
            raise PreferenceError(f"epsilon must be above 0, not {epsilon}", hint="try 0.5.")
        return (self.sensitivity or 1.0) / epsilon

    def _prior(self, probabilities: Sequence[float] | None) -> list[float] | None:
        if probabilities is None:
            return None
        prior = [float(p) for p in probabilities]
        if len(prior) != len(self.worlds) or min(prior) < 0 or not math.isclose(math.fsum(prior), 1, abs_tol=1e-9):
            hint = "state one for each world."
            raise PreferenceError(f"A prior needs {len(self.worlds)} probabilities that add up to 1", hint=hint)
        return prior


def possible_worlds(universe: Sequence[float], answer: str | Answer = "mean") -> PossibleWorlds:
    """The worlds in which one of a public universe is missing, and what a noisy "mean" or "median" tells of which.

    `answer` may also be a function of the values. This is Lee & Clifton's own setting: noise is sized by the universe.

    >>> students = possible_worlds([1, 2, 3, 10])
    >>> round(students.sensitivity, 4), round(students.epsilon(1 / 3, bound=True), 4), round(students.epsilon(1 / 3), 4)
    (2.8333, 0.3829, 0.4317)
    """
    return PossibleWorlds(universe, answer)


def _values(universe: Sequence[float]) -> tuple[float, ...]:
    try:
        values = tuple(float(value) for value in universe)
    except (TypeError, ValueError):
        values = (math.nan,)
    if len(values) < 3 or not all(map(math.isfinite, values)):
        raise PreferenceError("A universe needs at least three finite numbers", hint="try [1, 2, 3, 10].")
    return values


def _answer(answer: str | Answer) -> Answer:
    if callable(answer):
        return answer
    if answer not in ANSWERS:
        raise PreferenceError(f"There is no answer '{answer}'", hint=f"use {', '.join(ANSWERS)}, or a function.")
    return ANSWERS[answer]
