"""What a release costs as zero-concentrated privacy: from how its numbers will be drawn, before they are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sfumato.model.calibration import Calibration, Drawing, NoiseLaw
from sfumato.model.measurement import Measurement, NoisyNumber
from sfumato.privacy.accounting.zcdp import ledger_rho, rho_gaussian, rho_laplace, rho_pure


def rho_of(measurement: Measurement, calibration: Calibration, positions: Sequence[int] | None = None) -> Fraction:
    """The sum of what each number costs, in all its cells together, rounded up to whole trillionths.

    See docs/theory/odometer.md.

    Of all numbers, or of those that are drawn.
    """
    drawn = range(len(measurement.numbers)) if positions is None else positions
    costs = (ledger_rho(_rho(measurement.numbers[i], calibration.numbers[i])) for i in drawn)
    return sum(costs, Fraction(0))


def rho_delta_of(calibration: Calibration) -> Fraction:
    """The chance of what rho does not cover: that a private group of one person shows, or where truncated noise ends.

    Gaussian noise has none.
    """
    covered = calibration.threshold is None and calibration.noise.mechanism != NoiseLaw.TRUNCATED
    return Fraction(0) if covered else Fraction(str(calibration.noise.delta))


def _rho(number: NoisyNumber, drawing: Drawing) -> float:
    match drawing.law:
        case NoiseLaw.LAPLACE:
            return rho_laplace(drawing.budget, max(1, number.steps))  # what no one moves counts too
        case NoiseLaw.GAUSSIAN:
            return rho_gaussian(drawing.budget)
        case NoiseLaw.EXPONENTIAL | NoiseLaw.SPARSE_VECTOR | NoiseLaw.SPARSE_VECTOR_AS_PUBLISHED:
            return rho_pure(drawing.budget)
        case NoiseLaw.TRUNCATED:
            return rho_pure(drawing.budget)  # where it does not show
        case NoiseLaw.COMBINED:
            raise ValueError("combined noise is never drawn")
