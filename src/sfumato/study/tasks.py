"""What the participants of a study are shown: computed once, on the embedded population, when the study is made."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sfumato import demo
from sfumato.errors import UnrecordedLookWarning
from sfumato.model.facts import Histogram
from sfumato.privacy.risk.guessing import exponent_of, guess_chance
from sfumato.privacy.risk.sharing import LEVELS, sharing_risk
from sfumato.release.risk.people_rdr import exact_figures, rdr_histogram
from sfumato.study.design import Kind

if TYPE_CHECKING:
    from sfumato.api.dataset import Dataset

EPSILONS = tuple(step / 2 for step in range(1, 11))
PERCENTAGES = (0, 1, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 50)
HUNDRED = 100  # the count of which a percentage of noise is taken
QUERIES = {
    "young-and-rich": "SELECT COUNT(*) AS people FROM adult WHERE income = '>50K' AND age < 40",
    "educated-by-race": (
        "SELECT race, COUNT(*) AS people FROM adult WHERE education_num >= 14 AND income = '<=50K' GROUP BY race"
    ),
}


@dataclass(frozen=True)
class SliderOption:
    """One value of a slider: an epsilon, or a percentage of noise.

    `noise` is the largest error of any figure with 90% probability. `low` and `high` are the ends of the indicator that
    the treatment sees, and `bins` its histogram, as (from, to, people). A percentage has the chance of a guess and the
    risk of sharing in their place.
    """

    value: float
    noise: float
    low: float = 0.0
    high: float = 0.0
    bins: tuple[tuple[float, float, float], ...] = ()
    chance: float = 0.0
    risk: float = 0.0


@dataclass(frozen=True)
class StudyTask:
    """One question of a study. `figures` are the names and true figures of an answer.

    A task about sharing has what its situation states: trust, sensitivity, choices, and the two limits.
    """

    name: str
    sql: str
    figures: tuple[tuple[str, float], ...]
    options: tuple[SliderOption, ...]
    trust: str = ""
    sensitivity: str = ""
    choices: int = 0
    most_risk: str = ""
    most_noise: float = 0.0

    @property
    def limit(self) -> float:
        """The number behind the word of the largest risk."""
        return LEVELS[self.most_risk]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> StudyTask:
        options = tuple(SliderOption(**{**each, "bins": tuple(map(tuple, each["bins"]))}) for each in kept["options"])
        figures = tuple((str(name), float(value)) for name, value in kept["figures"])
        return cls(**{**kept, "options": options, "figures": figures})


SITUATIONS = (
    StudyTask("epidemic", "", (), (), "low", "high", 4, "low", 10),
    StudyTask("genes", "", (), (), "medium", "very high", 2, "low", 15),
    StudyTask("evacuation", "", (), (), "very low", "medium", 6, "low", 5),
)
"""The three examples of the focus groups; the paper words the first one only, whose limits these are."""


def make(kind: Kind, rows: int) -> tuple[StudyTask, ...]:
    """The tasks of a kind of study, with what they show."""
    if kind is Kind.SHARING:
        return tuple(_shared(situation) for situation in SITUATIONS)
    dataset = demo.open(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrecordedLookWarning)  # no one in the population is a real person
        return tuple(_of_query(dataset, kind, name, sql) for name, sql in QUERIES.items())


def _of_query(dataset: Dataset, kind: Kind, name: str, sql: str) -> StudyTask:
    query = dataset.query(sql)
    profile = query.risk(candidates=EPSILONS)
    figures = tuple((figure.name.removesuffix(" · people"), figure.value) for figure in exact_figures(profile))
    options = []
    for epsilon in EPSILONS:
        at = profile.at(epsilon)
        if kind is Kind.RDR:
            low, high, bars = float(at.rdr_min or 0), float(at.rdr_max or 0), rdr_histogram(profile, epsilon)
        else:
            pri = query.release(epsilon=epsilon, allow_no_guarantee=True).posthoc_risk().pri
            low, high, bars = float(pri.min), float(pri.max), pri.histogram
        options.append(SliderOption(epsilon, float(at.noise_90[0] or 0), low, high, _bins(bars)))
    return StudyTask(name, sql, figures, tuple(options))


def _bins(bars: Histogram | None) -> tuple[tuple[float, float, float], ...]:
    return () if bars is None else tuple(zip(bars.edges, bars.edges[1:], map(float, bars.people), strict=False))


def _shared(task: StudyTask) -> StudyTask:
    """Each percentage of noise as an epsilon of counts by a secret, of which another value moves two."""
    prior = 1 / task.choices
    options = []
    for percent in PERCENTAGES:
        epsilon = math.log(10) / percent if percent else math.inf  # 90% of Laplace noise: ln 10 / epsilon
        chance = guess_chance(exponent_of(epsilon, steps=1), prior)
        risk = sharing_risk(LEVELS[task.sensitivity], LEVELS[task.trust], chance, prior)
        options.append(SliderOption(percent, percent * HUNDRED / 100, chance=chance, risk=risk))
    return StudyTask(**{**vars(task), "options": tuple(options)})
