"""How far an output lies from the true answer, and by which scale that is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from sfumato.errors import NoMechanism
from sfumato.model.facts import Cell, Totals
from sfumato.model.measurement import Measurement
from sfumato.privacy.risk.posthoc import pri, pri_gaussian
from sfumato.sql.plans import posthoc_plan as plan
from sfumato.sql.plans.rows import L1, L2

Exact = float | Fraction
Truth = Mapping[Cell, Sequence[Exact]]
"""The true numbers of each cell."""


def require_one_level(measurement: Measurement) -> None:
    """Refuse figures that are estimates from the noisy numbers of several levels: from public facts."""
    if measurement.levels is not None:
        raise NoMechanism.because("levels-without-distance")


def truth_of(totals: Totals, measurement: Measurement) -> Truth:
    """The true numbers that noise was added to."""
    steps = [n.step for n in measurement.numbers]
    return {
        cell: tuple(total * step for total, step in zip(cell_totals, steps, strict=True))
        for cell, cell_totals in totals.cells.items()
    }


def residuals_of(truth: Truth, cells: Sequence[Cell], numbers: Sequence[Sequence[Exact]]) -> plan.Residuals:
    """How far each number that was drawn lies from the true one."""
    return {
        cell: tuple(float(Fraction(noisy) - Fraction(true)) for noisy, true in zip(drawn, truth[cell], strict=True))
        for cell, drawn in zip(cells, numbers, strict=True)
    }


def weights_of(measurement: Measurement, norm: str = L1) -> tuple[float, ...]:
    """Distances on the answer's own scale where all numbers share one, else as shares of what anyone could move."""
    if has_own_scale(measurement):
        return (1.0,) * len(measurement.numbers)
    power = 0.5 if norm == L2 else 1
    additive = [n.euclidean if norm == L2 else n.sensitivity for n in measurement.numbers]
    most = [d if n.kind.additive else n.largest for d, n in zip(additive, measurement.numbers, strict=True)]
    return tuple(float(n.share) ** power / float(m) for n, m in zip(measurement.numbers, most, strict=True))


def has_own_scale(measurement: Measurement) -> bool:
    return measurement.one_scale or len(measurement.numbers) == 1


def distance_of(residuals: plan.Residuals, weights: Sequence[float], norm: str = L1) -> float:
    """How far the output lies from the true answer."""
    every = [r * weight for cell in residuals.values() for r, weight in zip(cell, weights, strict=True)]
    return (pri_gaussian if norm == L2 else pri)(every, [0.0] * len(every))
