"""Table 1 of the PRI paper: deployment models of differential privacy, and the error of a count under each."""

from __future__ import annotations

import math

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Line
from sfumato.presentation.figures.scale import Axis
from sfumato.reproduce.data import Study
from sfumato.reproduce.finding import Agreement, Reproduction, Value, beside
from sfumato.reproduce.pri import PAPER

EPSILON = 1.0
PEOPLE = (1_000, 10_000, 100_000, 1_000_000)
TABLE_1 = (  # model, trustworthy, what is assumed, whether data is encrypted, error
    ("central", "no", "nothing more", "no", "O(1)"),
    ("local", "yes", "individuals add noise correctly", "does not collect raw data", "O(sqrt n)"),
    ("shuffler", "yes", "the shuffler is trusted", "does not collect raw data", "near O(1)"),
    ("cryptography", "yes", "its implementation is trusted", "yes", "O(1)"),
    ("escrow", "yes", "SEV and the escrow are trusted", "yes", "O(1)"),
)
MEMORY = (
    "the paper's escrow encrypts memory by AMD SEV; sfumato's keeps data encrypted at rest and plain in a worker's "
    "memory, so the operator of the machine is trusted too, unless it runs in a confidential VM"
)
NOTES = (
    f"Errors are standard deviations of a count at epsilon {EPSILON:g}: Laplace noise of scale 1/epsilon in the "
    "central and escrow models, randomised response of each person in the local model. The shuffler and "
    "cryptography are not run here.",
)


def central_error(epsilon: float) -> float:
    """Standard deviation of Laplace noise of scale 1/epsilon.

    >>> round(central_error(1.0), 4)
    1.4142
    """
    return math.sqrt(2) / epsilon


def local_error(people: int, epsilon: float) -> float:
    """That of a count of n randomised responses: `sqrt(n e^eps) / (e^eps - 1)`.

    >>> round(local_error(10_000, 1.0), 2)
    95.95
    """
    return math.sqrt(people * math.exp(epsilon)) / math.expm1(epsilon)


def table_1(_study: Study) -> Reproduction:
    """The five models side by side, and what their error grows with."""
    values = [
        Value(f"{model}: trustworthy; assumes; encrypted; error", "; ".join(printed), ours, how, note)
        for (model, *printed), (ours, how, note) in zip(TABLE_1, _ours(), strict=True)
    ]
    values += [
        beside(f"count of {n:,}, local model: error at epsilon {EPSILON:g}", "", local_error(n, EPSILON))
        for n in PEOPLE
    ]
    lines = (
        Line(tuple((n, central_error(EPSILON)) for n in PEOPLE), "central, escrow"),
        Line(tuple((n, local_error(n, EPSILON)) for n in PEOPLE), "local"),
    )
    picture = Figure(
        "Table 1: error of a count by deployment model",
        f"Standard deviation at epsilon {EPSILON:g}",
        Axis("people", scale="log"),
        Axis("error", "people", scale="log"),
        lines,
    )
    return Reproduction("models", "Table 1", PAPER, tuple(values), (picture,), "the formulas of each model", NOTES)


def _ours() -> list[tuple[str, Agreement, str]]:
    """What is known of each here, and whether it is as in print."""
    central, grows = f"error {central_error(EPSILON):.3g} for any n", local_error(10**6, 1) / local_error(10**4, 1)
    return [
        (central, Agreement.SAME, ""),
        (f"error {grows:.0f} times as large for 100 times the people", Agreement.SAME, ""),
        ("not run", Agreement.NOT_RUN, ""),
        ("not run", Agreement.NOT_RUN, ""),
        (f"{central}; encrypted at rest", Agreement.DIFFERS, MEMORY),
    ]
