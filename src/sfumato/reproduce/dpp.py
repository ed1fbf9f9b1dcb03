"""Pankova et al., "Decision Support for Sharing Data Using Differential Privacy": three situations, Figures 1 to 4."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Line, Pin
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.sharing import noise_against_risk, sharing_surface
from sfumato.privacy.noise.error import noise_quantile
from sfumato.privacy.noise.truncated_laplace import delta_of_reach, epsilon_of_reach, reach_of
from sfumato.privacy.preferences.guessing_preferences import level
from sfumato.privacy.risk.guessing import average_chance, epsilon_for_guess, exponent_of, guess_chance
from sfumato.privacy.risk.sharing import (
    LEVELS,
    chance_for_risk,
    nearest_word,
    sharing_risk,
    sharing_risk_as_published,
    surface,
)
from sfumato.reproduce.data import Study
from sfumato.reproduce.finding import Agreement, Reproduction, Value, beside, with_place

PAPER = "Decision Support for Sharing Data Using Differential Privacy"
STATES = 4  # susceptible, infected, recovered, deceased
BLIND = 1 / STATES
DELTA = 2.0**-40
COUNT = 100  # in Figure 3, where 10% of it is 10
MISS = 0.1
NOTES = (
    "Print: the reach of truncated noise has “eps - 1” where e^eps - 1 stands in the equation below it, and leaves the "
    "sensitivity out; m in (4) and (6) may be 2 for a histogram, of which another value moves two bars.",
    "Figure 3 is called “very low” in the text and “Low” below the figure. With truncated noise at the paper's own "
    "delta 10% of noise on 100 leaves the chance of a guess above 90%; the print is reached with noise that stays "
    "within 10% nine times of ten.",
    "The paper gives no numbers behind its five words, and none of the second and third situation: both are ours.",
    "The risk is counted from what a guess gains, so that it is 0 where nothing is learned; as published it never "
    "falls below that of a blind guess.",
)


@dataclass(frozen=True)
class Situation:
    """Whom an officer shares counts with, and what may be risked."""

    name: str
    trust: str
    sensitivity: str
    limit: str

    @property
    def stake(self) -> tuple[float, float]:
        return float(level("data sensitivity", self.sensitivity)), float(level("trust", self.trust))


SITUATIONS = (
    Situation("epidemic", "low", "high", "low"),
    Situation("genetic predictors", "medium", "very high", "very low"),
    Situation("disaster evacuation", "high", "medium", "very low"),
)


def situations(_study: Study) -> Reproduction:
    """How much noise each partner's answer needs, and what that leaves to be guessed."""
    values = [*_epidemic(), *(value for each in SITUATIONS for value in _noise_for(each)), *_mechanism()]
    pictures = (
        _figure_1(),
        _surface("Figure 2, no noise", 1.0),
        _surface("Figure 3, noise of 10%", _chance(_epsilon_of_10())),
        _figure_4(),
    )
    title = "Three situations, Figures 1 to 4"
    return Reproduction("dpp", title, PAPER, tuple(values), pictures, "the paper's own example", NOTES)


def _chance(epsilon: float) -> float:
    """Chance of a guess from a histogram with Laplace(1/eps) on each bar, where people are added or removed."""
    return guess_chance(exponent_of(epsilon, steps=1), BLIND)


def _epsilon_of_10() -> float:
    return -math.log(MISS) / (COUNT / 10)


def _risk(situation: Situation, chance: float) -> float:
    return sharing_risk(*situation.stake, chance, BLIND)


def _epidemic() -> list[Value]:
    """Sections 2.1 and 3: low trust, highly sensitive, at most a low risk."""
    epidemic = SITUATIONS[0]
    bounded = epsilon_of_reach(COUNT / 10, DELTA) or 0.0
    without, with_10 = _risk(epidemic, 1.0), _risk(epidemic, _chance(_epsilon_of_10()))
    return [
        beside(
            "2.1: the risk of a blind guess, sensitivity 1, no trust", "0.25", sharing_risk_as_published(1, 0, BLIND)
        ),
        _risk_in_words("Figure 2: epidemic, no noise", "medium", without),
        _risk_in_words("Figure 3: epidemic, 9 of 10 answers within 10% of 100", "very low", with_10),
        beside("the chance of a guess there", "", _chance(_epsilon_of_10())),
        beside("the chance of a guess with noise that never passes 10%", "", _chance(bounded)),
    ]


def _noise_for(situation: Situation) -> list[Value]:
    risk = float(level("sharing risk", situation.limit))
    chance = chance_for_risk(risk, *situation.stake, BLIND)
    epsilon = epsilon_for_guess(chance, BLIND, steps=1)
    what = f"{situation.name}: epsilon, chance of a guess, noise 9 of 10 times"
    note = f"trust {situation.trust}, sensitivity {situation.sensitivity}, risk {situation.limit}"
    return [beside(what, "", (epsilon, chance, noise_quantile(1, epsilon, MISS)), digits=3, note=note)]


def _mechanism() -> list[Value]:
    """Section 2.2.1: noise that never goes further than a reach."""
    return [
        beside("2.2.1: reach of truncated noise, epsilon 1, delta 2^-40", "", reach_of(1, DELTA)),
        beside(
            "its delta, not 1e-6, where 5 rows a person are taken for 1",
            "",
            delta_of_reach(reach_of(1, 1e-6), 1, 5),
        ),
        beside("(4): chance with m = 4 as printed, and with 2, at epsilon 0.5", "", [_bars(4, 0.5), _bars(2, 0.5)]),
        beside(
            "2.2.1: average chance of a guess, epsilon 0.5, 1 and 2",
            "",
            [average_chance(e, STATES) for e in (0.5, 1, 2)],
        ),
    ]


def _bars(bars: int, epsilon: float) -> float:
    return guess_chance(bars * epsilon, BLIND)


def _risk_in_words(what: str, printed: str, risk: float) -> Value:
    """A risk in words, and its number."""
    word = nearest_word(risk)
    verdict = Agreement.SAME if word == printed else Agreement.DIFFERS
    return Value(what, printed, f"{word} ({risk:.2f})", verdict)


def _figure_1() -> Figure:
    """Truncated noise at a delta that can be seen."""
    epsilon, delta = 1.0, 0.01
    reach = reach_of(epsilon, delta)
    inside = -math.expm1(-epsilon * reach)
    xs = [reach * i / 100 for i in range(-100, 101)]
    curve = tuple((x, epsilon / 2 * math.exp(-epsilon * abs(x)) / inside) for x in xs)
    moved = tuple((x + 1, density) for x, density in curve)
    return Figure(
        "Figure 1: truncated Laplace noise",
        f"Epsilon 1, delta 0.01: it never goes beyond {reach:.2f}, and moved by one it shows at the end",
        Axis("noise"),
        Axis("density", start=0),
        (Line(curve, "noise"), Line(moved, "moved by 1"), Pin(-reach, "−A"), Pin(reach, "A")),
    )


def _surface(place: str, chance: float) -> Figure:
    subtitle = f"A guess is right {100 * chance:.0f}% of the time; without the release, 25%."
    return with_place(place, sharing_surface(*surface(chance, BLIND), LEVELS["low"], subtitle))


def _figure_4() -> Figure:
    """Noise against risk for the epidemic, with what is tolerated."""
    epidemic, limit = SITUATIONS[0], LEVELS["low"]
    curve = [(0.5 * i, _risk(epidemic, _chance(-math.log(MISS) / (0.5 * i)))) for i in range(1, 61)]
    least = noise_quantile(1, epsilon_for_guess(chance_for_risk(limit, *epidemic.stake, BLIND), BLIND, steps=1), MISS)
    subtitle = "Low trust, high sensitivity; noise on a count."
    return with_place("Figure 4", noise_against_risk(curve, limit, least=least, subtitle=subtitle))
