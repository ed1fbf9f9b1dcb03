"""How long it takes to find an epsilon, against the two papers' own times (RDR Figure 8, PRI Figure 9)."""

from __future__ import annotations

from time import process_time

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Line
from sfumato.presentation.figures.scale import Axis
from sfumato.privacy.preferences.disparity import ratio, variance
from sfumato.privacy.preferences.preference import Preference
from sfumato.reproduce.data import RDR_QUERIES, Study
from sfumato.reproduce.finding import Agreement, Reproduction, Value

PAPER = "Within-Dataset Disclosure Risk for Differential Privacy; Making Differential Privacy Easier to Use"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
ALGORITHMS: dict[str, Preference] = {
    "Find-eps-from-RDR": ratio(0.95),
    "Find-and-release-eps-from-RDR": variance(1e-5, select_epsilon=1, as_published=True),
}
SAID = {  # of 1,000,000 records, in words
    "Q2": "5 minutes (RDR paper), the longest; at most a few (PRI paper)",
    "Q5": "more than an hour (PRI paper, its own Q5)",
}


def scaling(study: Study) -> Reproduction:
    """CPU seconds of one choice, from the data to epsilon, by how many people there are."""
    seconds: dict[tuple[str, str], list[float]] = {}
    for rows in SIZES:
        data = study.open(rows=rows)
        data.query("SELECT COUNT(*) FROM adult").answer()  # the population is made, and read once
        for name, sql in RDR_QUERIES.items():
            for algorithm, preference in ALGORITHMS.items():
                query, begin = data.query(sql), process_time()
                query.choose(preference, candidates="paper")
                seconds.setdefault((algorithm, name), []).append(max(process_time() - begin, 1e-4))
    pictures = [
        Figure(
            f"Figure 8: {algorithm}",
            "CPU time of one choice; in the papers, on 32 cores, it took up to minutes",
            Axis("people", scale="log"),
            Axis("CPU time", "s", scale="log"),
            tuple(
                Line(tuple(zip(SIZES, took, strict=True)), name)
                for (which, name), took in seconds.items()
                if which == algorithm
            ),
        )
        for algorithm in ALGORITHMS
    ]
    values = [
        Value(
            f"{algorithm}, {name}, 1,000,000 people",
            SAID.get(name, "minutes at most"),
            f"{took[-1]:.2g} s",
            Agreement.OURS,
        )
        for (algorithm, name), took in seconds.items()
    ]
    notes = (
        "The papers compute the query once per person; here one pass of the engine gives the same epsilon.",
        "Times are of this machine and of one run; `make bench` measures against the plain query.",
    )
    on = "the embedded population of 1,000 to 1,000,000 people"
    where = "Figure 8, and Figure 9 of the PRI paper"
    return Reproduction("scaling", where, PAPER, tuple(values), tuple(pictures), on, notes)
