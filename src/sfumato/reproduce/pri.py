"""Zhu & Castro Fernandez, "Making Differential Privacy Easier to Use ...": Figures 1, 2 and 10."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from statistics import median

from sfumato.api.dataset import Query
from sfumato.model.choice import Noise
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Range
from sfumato.presentation.figures.scale import Axis
from sfumato.privacy.risk.posthoc import loss_laplace, pri, ratio, window
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES
from sfumato.release.selection.pri import find_epsilon_from_pri
from sfumato.reproduce.data import PRI_QUERIES, Study
from sfumato.reproduce.finding import Agreement, Reproduction, Value, beside
from sfumato.reproduce.rdr import box

PAPER = "Making Differential Privacy Easier to Use for Data Controllers and Data Analysts"
PERCENTS = (5, 25, 50, 75, 95)


STUDENTS = (3.9, 3.7, 3.1, 2.1)  # the paper leaves their GPAs out: these are invented
MOVES = 4 / len(STUDENTS)  # by how much one of them moves the average, at most
ROWS = 100_000  # as the paper has them
NOTES = (
    "Find-eps-from-PRI as printed is not differentially private: the accepted output lies where the person who counts "
    "puts it (docs/theory/papers.md).",
    "Print: “smaller eps leads to more accurate output” is reversed; at p = 95 the largest PRI may be 20 times the "
    "smallest, not 95% larger; the candidate .099 is .009.",
    "Q5 is this paper's own, SUM(fnlwgt), and not that of the RDR paper.",
    "Figures 2 and 10 are of 100,000 rows, as in the paper: Adult repeated, with fnlwgt one larger in each copy; "
    "without --adult, the embedded population of that size.",
)


def figures(study: Study) -> Reproduction:
    """What Find-eps-from-PRI finds for five queries and five percentages, run again and again."""
    data = study.open_replicated(ROWS)
    epsilons = {
        (name, percent): _accepted_epsilons(data.query(sql), percent, study.runs)
        for name, sql in PRI_QUERIES.items()
        for percent in PERCENTS
    }
    pictures = [
        Figure(
            f"Figure {'2 and 10' if name == 'Q5' else '10'}: epsilon found, {name}",
            f"{study.runs} runs each of Find-eps-from-PRI",
            Axis("percentage by which PRIs may differ"),
            Axis("epsilon", scale="log"),
            tuple(box(i, f"p = {p}", epsilons[name, p]) for i, p in enumerate(PERCENTS, 1) if epsilons[name, p]),
        )
        for name in PRI_QUERIES
    ]
    medians = [
        beside(f"{name}: medians at p = 5, 25, 50, 75, 95", "", [median(epsilons[name, p] or [0.0]) for p in PERCENTS])
        for name in PRI_QUERIES
    ]
    values = (*_figure_1_values(), *_claims(epsilons, study), *medians, *_larger_is_no_more(), *_not_dp())
    return Reproduction("pri", "Figures 1, 2 and 10", PAPER, values, (_figure_1(), *pictures), study.on, NOTES)


def _accepted_epsilons(query: Query, percent: int, runs: int) -> list[float]:
    survey, mechanism = query._bound.look(Noise()), query.dataset.services.mechanism
    accepted = (find_epsilon_from_pri(survey, Fraction(percent), PAPER_CANDIDATES, mechanism) for _ in range(runs))
    return [each.epsilon for each in accepted if each is not None]


def _claims(epsilons: Mapping[tuple[str, int], list[float]], study: Study) -> list[Value]:
    """What section 6.3.2 says of Figure 10."""
    strict = {name: epsilons[name, PERCENTS[0]] for name in PRI_QUERIES}
    small = [sum(e < (1 if name == "Q5" else 0.1) for e in each) / len(each) for name, each in strict.items() if each]
    rising = [
        median(epsilons[name, low] or [0.0]) <= median(epsilons[name, high] or [0.0])
        for name in PRI_QUERIES
        for low, high in pairwise(PERCENTS)
    ]
    steps = f"{sum(rising)} of {len(rising)} steps not down"
    shares = ", ".join(f"{share:.0%}" for share in small)
    return [
        Value(
            "6.3.2: a larger p tends to find larger epsilons",
            "tends to",
            steps,
            _holds(sum(rising) > len(rising) / 2, study),
        ),
        Value(
            "6.3.2: at p = 5 most epsilons are below 0.1 (Q1 to Q4), below 1 (Q5)",
            "most",
            shares,
            _holds(all(share > 0.5 for share in small), study),
        ),
    ]


def _holds(claim: bool, study: Study) -> Agreement:
    if not study.is_the_papers:
        return Agreement.OTHER_DATA
    return Agreement.SAME if claim else Agreement.DIFFERS


def _not_dp() -> list[Value]:
    """The pair of tables that breaks Algorithm 1: no one, and one person (docs/theory/papers.md, PRI 3.2)."""
    accepts = window(Fraction(5))
    note = "so the claim of differential privacy in section 3.4 does not hold"
    return [
        beside("one person is counted: outputs that are accepted, about the middle", "", (accepts.low, accepts.high)),
        beside(
            "of the outputs without the person at epsilon 10, how many are impossible with them",
            "",
            accepts.outside(0, 0.1),
            note=note,
        ),
    ]


def _larger_is_no_more() -> list[Value]:
    """The RDR paper's section 3.2 takes a larger distance for a larger loss: an output of 85 where 100 is true."""
    without = (90.0, 98.0)
    losses = [loss_laplace([85], [100], [one], [1]) for one in without]
    return [
        beside("output 85, true 100: PRIs where it is 90 and 98 without one", "", [pri([85], [q]) for q in without]),
        beside("their losses, in size the other way round", "", losses),
    ]


def _figure_1_values() -> list[Value]:
    mean = sum(STUDENTS) / len(STUDENTS)
    return [beside("Figure 1 (a): PRIs of four invented students without noise", "", _pris(mean), digits=3)]


def _figure_1() -> Figure:
    """The smaller epsilon is, the further an output lies from the answer, and the more alike are the distances."""
    mean = sum(STUDENTS) / len(STUDENTS)
    gaps = [(epsilon, _pris(mean + MOVES / epsilon * math.log(2))) for epsilon in (0.01, 0.1, 1.0, 10.0)]
    return Figure(
        "Figure 1: PRIs of four students",
        "From the smallest PRI to the largest, at a typical output: half of all noise is larger",
        Axis("epsilon", scale="log"),
        Axis("PRI, over the smallest", "×", scale="log"),
        tuple(Range(epsilon, 1.0, 1 / ratio(min(pris), max(pris))) for epsilon, pris in gaps),
        note="The paper leaves the GPAs out; these are invented. One student moves the average by at most 1 of 4.",
    )


def _pris(output: float) -> list[float]:
    total, others = sum(STUDENTS), len(STUDENTS) - 1
    return [pri([output], [(total - gpa) / others]) for gpa in STUDENTS]
