"""From a calibration to the pairs that dominate it, number by number (docs/theory/batch.md)."""

from __future__ import annotations

import math

from sfumato.model.calibration import Calibration, Drawing, NoiseLaw
from sfumato.model.dominating_pairs import Normal, OnLattice, Pair, Pure
from sfumato.model.measurement import Measurement, NoisyNumber
from sfumato.model.schema import Relation, Schema

STEPS = 4096  # a finer lattice is taken for a coarser one of about so many steps, which tells no less
_UP = 1 + 2**-40


def pairs_of(measurement: Measurement, calibration: Calibration, schema: Schema) -> tuple[Pair, ...]:
    """All Gaussian numbers together are one pair; others have one each. What thresholds and truncation show is not."""
    if calibration.noise.mechanism == NoiseLaw.GAUSSIAN:
        return (Normal(math.hypot(*(drawing.budget for drawing in calibration.numbers)) * _UP),)
    alone = in_one_cell(measurement, schema)
    drawn = zip(measurement.numbers, calibration.numbers, strict=True)
    return tuple(_pair(number, drawing, alone) for number, drawing in drawn)


def in_one_cell(measurement: Measurement, schema: Schema) -> bool:
    """Whether one person moves each number in one cell only: there is one, or a row comes or goes with its cell.

    With several levels it is one cell of each.
    """
    if measurement.drawn_levels > 1:
        return False
    single = measurement.cells is not None and len(measurement.cells) == 1
    return single or (schema.unit.column is None and schema.relation is Relation.ADD_REMOVE)


def _pair(number: NoisyNumber, drawing: Drawing, alone: bool) -> Pair:
    if drawing.law is not NoiseLaw.LAPLACE or not alone:
        return Pure(drawing.budget)
    together = math.ceil(number.steps / STEPS)
    return OnLattice(drawing.budget * together / number.steps * _UP, math.ceil(number.steps / together))
