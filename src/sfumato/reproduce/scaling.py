"""How long it takes to find an epsilon (RDR Figure 8), beside the authors' way on the same machine."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

from sfumato.api.dataset import Dataset
from sfumato.model.schema import PERSON
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Line
from sfumato.presentation.figures.scale import Axis
from sfumato.privacy.preferences.disparity import ratio, variance
from sfumato.privacy.preferences.preference import Preference
from sfumato.reproduce.data import RDR_QUERIES, Study
from sfumato.reproduce.finding import Agreement, Reproduction, Value, timed

PAPER = "Within-Dataset Disclosure Risk for Differential Privacy"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
RUNS = 3  # times that each choice is made: the band is from the fastest to the slowest
ALGORITHMS: dict[str, Preference] = {
    "Find-eps-from-RDR": ratio(0.95),
    "Find-and-release-eps-from-RDR": variance(1e-5, select_epsilon=1, as_published=True),
}
LONGEST = "Q2"  # of 1,000,000 records the longest, in the paper
PRINTED, PRINTED_SECONDS = "5 minutes, the longest", 300.0
SAMPLED = 100  # people who are left out one by one, of those that the authors leave out
LEFT_OUT_OF = 10_000  # people in the table that this is done on


def scaling(study: Study) -> Reproduction:
    """CPU seconds of one choice, from the data to epsilon, by how many people there are."""
    seconds: dict[tuple[str, str], list[list[float]]] = {}
    for rows in SIZES:
        data = study.open(rows=rows)
        data.query("SELECT COUNT(*) FROM adult").answer()  # the population is made, and read once
        for name, sql in RDR_QUERIES.items():
            for algorithm, preference in ALGORITHMS.items():
                runs = [_choosing(data, sql, preference) for _ in range(RUNS)]
                seconds.setdefault((algorithm, name), []).append(runs)
    values = [_value(algorithm, name, took[-1]) for (algorithm, name), took in seconds.items()]
    values += _authors_way(study, seconds)
    notes = (
        "The authors compute the query once more for each person who may be missing; here one pass of the engine gives "
        f"the same epsilon. Their way is timed on {SAMPLED} people of {LEFT_OUT_OF:,}, and multiplied.",
        f"Times are CPU times on this machine, the paper's are of 32 cores. Bands go from the fastest to the slowest "
        f"of {RUNS} runs; `make bench` measures against the plain query.",
    )
    on = "the embedded population of 1,000 to 1,000,000 people"
    pictures = tuple(_picture(algorithm, name, took) for (algorithm, name), took in seconds.items())
    return Reproduction("scaling", "Figure 8", PAPER, tuple(values), pictures, on, notes)


def _choosing(data: Dataset, sql: str, preference: Preference) -> float:
    query = data.query(sql)
    return _cpu(lambda: query.choose(preference, candidates="paper", redraw=preference.draws))


def _cpu(work: Callable[[], object]) -> float:
    begin = process_time()
    work()
    return max(process_time() - begin, 1e-4)


def _value(algorithm: str, name: str, runs: list[float]) -> Value:
    what = f"{algorithm}, {name}, 1,000,000 people"
    if name == LONGEST and algorithm == next(iter(ALGORITHMS)):
        return timed(what, PRINTED, PRINTED_SECONDS, median(runs))
    return Value(what, "", f"{median(runs):.2g} s", Agreement.OURS)


def _authors_way(study: Study, seconds: dict[tuple[str, str], list[list[float]]]) -> list[Value]:
    """Each query once for each of some people without them, as many times as there are people; and ours beside it."""
    values, data = [], study.open(rows=LEFT_OUT_OF)
    engine, ours = data.query("SELECT COUNT(*) FROM adult")._bound.context.engine, next(iter(ALGORITHMS))
    numbered = engine.numbered
    for name, sql in RDR_QUERIES.items():
        text = data.query(sql).sql
        took = _cpu(lambda text=text: [engine.rows(_without(text, numbered, i)) for i in range(1, SAMPLED + 1)])  # type: ignore[misc]
        theirs, mine = took * LEFT_OUT_OF / SAMPLED, median(seconds[ours, name][SIZES.index(LEFT_OUT_OF)])
        both = f"{theirs:.2g} s by leaving out each person, {mine:.2g} s here: {theirs / mine:.0f} times as long"
        values.append(Value(f"the authors' way, {name}, {LEFT_OUT_OF:,} people", "", both, Agreement.OURS))
    return values


def _without(text: str, numbered: str, person: int) -> str:
    """The query on the table without one person, as the authors write it."""
    return text.replace("FROM adult", f'FROM (SELECT * FROM "{numbered}" WHERE "{PERSON}" <> {person}) AS adult')


def _picture(algorithm: str, name: str, took: list[list[float]]) -> Figure:
    """The band from the fastest run to the slowest, and the median, by the number of people."""
    ends: dict[str, Callable[[list[float]], float]] = {"slowest": max, "median": median, "fastest": min}
    lines = tuple(
        Line(tuple((float(rows), end(runs)) for rows, runs in zip(SIZES, took, strict=True)), label)
        for label, end in ends.items()
    )
    return Figure(
        f"Figure 8: {algorithm}, {name}",
        f"CPU time of one choice: median of {RUNS}, and from the fastest to the slowest",
        Axis("people", scale="log"),
        Axis("CPU time", "s", scale="log"),
        lines,
    )
