"""The keyword arguments that several verbs have in common, each stated once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict


@dataclass(frozen=True)
class ReleaseTerms:
    """What a person states beside a request.

    `allow_no_guarantee`: go on where there is no guarantee. `redraw`: draw and charge again what the ledger has.
    `preregistered`: where the request was written down before anyone looked at the data. `figure`: the figure of a
    recurring plan that it is released as. `interruptions`: why its runs are interrupted, in the words of the plan; a
    charge for it whose outcome is unknown is then drawn for.
    """

    allow_no_guarantee: bool = False
    redraw: bool = False
    preregistered: str = ""
    figure: str = ""
    interruptions: str = ""


class NoiseKeywords(TypedDict, total=False):
    """How noise is drawn."""

    mechanism: str
    delta: float | None
    calibration: str


class SearchKeywords(NoiseKeywords, total=False):
    """How noise is drawn, and among which epsilons one is looked for."""

    candidates: str | Sequence[float] | None
    epsilon_max: float


class RiskKeywords(TypedDict, total=False):
    """At which epsilons risk is shown, of noise of which calibration, and whether by the exact RDR.

    `expected_count` is a public guess of how many are counted in the smallest group; `together` so many people, whose
    epsilon together is shown.
    """

    candidates: str | Sequence[float] | None
    calibration: str
    exact: bool
    expected_count: float | None
    together: int | None


class HistogramKeywords(NoiseKeywords, total=False):
    """How a private exposure histogram is drawn; `mechanism` is the noise of the release that is thought of."""

    bins: int
    candidates: str | Sequence[float] | None
    allow_no_guarantee: bool
    redraw: bool
    preregistered: str


class NoiseQuestion(NoiseKeywords, total=False):
    """What is asked of the noise: see `Query.noise`."""

    probabilities: Sequence[float]
    expected: float | None
    expected_count: float | None
    within: float | None
    relative_error: float
    confidence: float


class GuessingKeywords(NoiseKeywords, total=False):
    """What is guessed (as of `sf.guess`), and who gets the answer: words from "very low" to "very high", or 0 to 1.

    `earlier_epsilon` and `earlier_delta` are the total of what they hold already; noise is shown as a share of `count`.
    """

    choices: int | None
    secret: str | None
    radius: float | None
    prior: float | None
    trust: float | str | Mapping[str, float | str] | None
    data_sensitivity: float | str | None
    limit: float | str | None
    earlier_epsilon: float | None
    earlier_delta: float | None
    count: int | None
    candidates: str | Sequence[float] | None


class WorldKeywords(TypedDict, total=False):
    """How noise is sized, which noisy answer is out, a limit on belief, and the column that names people."""

    sensitivity: str
    response: float | None
    limit: float | None
    names: str | None


class SplitKeywords(TypedDict, total=False):
    """By what an epsilon is split over queries, and what is shown of their errors."""

    index: Sequence[float] | None
    expected: Sequence[float] | None
    aim: str | None
    relative_error: float | Sequence[float]
    confidence: float
    mechanism: str
