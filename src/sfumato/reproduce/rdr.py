"""Zhu & Castro Fernandez, "Within-Dataset Disclosure Risk for Differential Privacy": Figures 2, 7 and 9."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from sfumato.api.dataset import Query
from sfumato.composition import local
from sfumato.errors import PreferenceError
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Box, Line, Range
from sfumato.presentation.figures.scale import Axis
from sfumato.privacy.preferences.disparity import Variance, ratio, variance
from sfumato.reproduce.data import RDR_QUERIES, ROWS, Study
from sfumato.reproduce.finding import Reproduction, beside

PAPER = "Within-Dataset Disclosure Risk for Differential Privacy"
TAUS = (0.95, 0.75, 0.5, 0.25, 0.05)
PRINTED = {  # of the authors' own plots, at each tau
    ("laplace", "Q1"): "0.05 0.3 1 3 10",
    ("laplace", "Q2"): "0.3 2 6 10 10",
    ("laplace", "Q3"): "0.05 0.3 1 3 10",
    ("laplace", "Q4"): "0.01 0.07 0.2 0.6 4",
    ("laplace", "Q5"): "0.05 0.3 1 3 10",
    ("gaussian", "Q1"): "2 5 10 10 10",
    ("gaussian", "Q2"): "5 10 10 10 10",
    ("gaussian", "Q3"): "2 5 10 10 10",
    ("gaussian", "Q4"): "0.4 1 2 5 10",
    ("gaussian", "Q5"): "2 5 10 10 10",
}
THRESHOLDS = (1e-10, 1e-8, 1e-6, 1e-4)  # in Figure 9, whose labels in print are ten times too small


@dataclass(frozen=True)
class PaperMechanism:
    """How the authors draw, or think of, the noise."""

    name: str
    label: str
    how: dict[str, Any]


LAPLACE = PaperMechanism("laplace", "Laplace mechanism", {"mechanism": "laplace"})
GAUSSIAN = PaperMechanism(
    "gaussian",
    "Gaussian mechanism",
    {"mechanism": "gaussian", "calibration": "classic", "delta": 1 / ROWS**2},
)


def figure_2(_study: Study) -> Reproduction:
    """Three patients, one of whom is ill: the RDR of each at four epsilons."""
    import pyarrow as pa

    patients = pa.table({"p": ["A", "B", "C"], "d": [0, 0, 1]})
    schema = {"name": "patients", "columns": {"d": {"type": "integer", "bounds": [0, 1]}}}
    query = local.open(patients, schema, ledger=":memory:").query("SELECT COUNT(*) FROM patients WHERE d == 1")
    risk = query.risk()
    values = [beside("RDR without noise, of A, B and C", "0 0 1", risk.people()["influence"].to_pylist())]
    bars = []
    for epsilon, rdrs, fraction in ((1.0, "1 2", "1/2"), (0.1, "10 11", "10/11"), (0.01, "100 101", "100/101")):
        at = risk.at(epsilon)
        values.append(beside(f"epsilon {epsilon:g}: least and largest RDR", rdrs, (at.rdr_min or 0, at.rdr_max or 0)))
        values.append(beside(f"epsilon {epsilon:g}: their ratio", fraction, at.ratio))
        bars.append(Range(epsilon, 1.0, at.gap))
    epsilon_of_candidates = query.choose(ratio(0.9), candidates="paper").epsilon or 0.0
    values.append(beside("section 4.1: epsilon for a ratio of 0.9, of the candidates", "0.1", epsilon_of_candidates))
    exact = query.choose(ratio(0.9)).epsilon or 0.0
    values.append(beside("the same without candidates", "", exact, note="the closed form, 1/9"))
    picture = Figure(
        "Figure 2: three patients, one of whom is ill",
        "From the person least at risk to the one most at risk",
        Axis("epsilon", scale="log"),
        Axis("gap, 1 / ratio", "×"),
        tuple(bars),
    )
    return Reproduction("fig2", "Figure 2 and section 4.1", PAPER, tuple(values), (picture,))


def figure_7(study: Study) -> Reproduction:
    """The epsilon that Algorithm 1 finds for five queries, at five thresholds, under two mechanisms."""
    data, values, pictures = study.open(), [], []
    for mechanism in (LAPLACE, GAUSSIAN):
        lines: dict[tuple[tuple[float, float], ...], str] = {}  # queries that find the same are one line
        for name, sql in RDR_QUERIES.items():
            query = data.query(sql)
            epsilons = [query.choose(ratio(tau), candidates="paper", **mechanism.how).epsilon or 0.0 for tau in TAUS]
            printed = PRINTED[mechanism.name, name]
            values.append(beside(f"{mechanism.label}, {name}", printed, epsilons, same_data=study.is_the_papers))
            points = tuple(zip(reversed(TAUS), reversed(epsilons), strict=True))
            lines[points] = f"{lines[points]}, {name}" if points in lines else name
        pictures.append(
            Figure(
                f"Figure 7: epsilon found, {mechanism.label}",
                "By the ratio of the least to the largest risk that is asked for",
                Axis("tau"),
                Axis("epsilon", scale="log"),
                tuple(Line(points, name) for points, name in lines.items()),
            )
        )
    notes = (
        f"Each row has the epsilons at tau {', '.join(f'{tau:g}' for tau in TAUS)}.",
        "Bounds, keys and sensitivities are read off the data, as the authors' code does: no guarantee.",
    )
    return Reproduction("fig7", "Figure 7", PAPER, tuple(values), tuple(pictures), study.on, notes)


def figure_9(study: Study) -> Reproduction:
    """The epsilons that Algorithm 3, as printed, finds when it is run again and again."""
    data, values, pictures = study.open(), [], []
    for mechanism in (LAPLACE, GAUSSIAN):
        for name, sql in RDR_QUERIES.items():
            query, medians, boxes = data.query(sql), [], []
            for place, tau in enumerate(THRESHOLDS, 1):
                epsilons = _selected_epsilons(
                    query, variance(tau, select_epsilon=1, as_published=True), study.runs, mechanism
                )
                if epsilons:
                    boxes.append(box(place, f"{tau:.0e}".replace("e-0", "e-"), epsilons))
                    medians.append(median(epsilons))
            values.append(beside(f"{mechanism.label}, {name}: medians", "", medians))
            if boxes:
                pictures.append(
                    Figure(
                        f"Figure 9: epsilon found, {name}, {mechanism.label}",
                        f"{study.runs} runs each",
                        Axis("tau, the threshold of the variance"),
                        Axis("epsilon", scale="log"),
                        tuple(boxes),
                    )
                )
    notes = (
        f"Medians are of {study.runs} runs each, at tau {', '.join(f'{tau:g}' for tau in THRESHOLDS)}.",
        "The labels in print are ten times too small: 1e-5 stands where the authors' code has 10e-5, which is 1e-4.",
        "The paper prints no numbers of this figure. What it says of it holds: the ranges are alike but at the largest "
        "threshold, since they are mostly noise.",
        "Algorithm 3 as printed is not differentially private (docs/theory/papers.md).",
    )
    return Reproduction("fig9", "Figure 9", PAPER, tuple(values), tuple(pictures), study.on, notes)


def _selected_epsilons(query: Query, preference: Variance, runs: int, mechanism: PaperMechanism) -> list[float]:
    """What so many runs found; a run that found nothing is left out."""
    try:
        choices = [query.choose(preference, candidates="paper", redraw=True, **mechanism.how) for _ in range(runs)]
    except PreferenceError:
        return []
    return [choice.epsilon for choice in choices if choice.epsilon is not None]


def box(place: float, label: str, values: Sequence[float]) -> Box:
    """A box plot of these values."""
    lower, middle, upper = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return Box(place, min(values), lower, middle, upper, max(values), label)
