"""Questions about people, asked of as many of them at a time as the engine has memory for."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from sfumato.errors import OutOfMemory
from sfumato.ports import Engine
from sfumato.sql.plans.exposure_summary import Rows, Tree
from sfumato.sql.plans.people_parts import Merging, PeoplePart, Row, of_part
from sfumato.sql.plans.rows import PlanInput

FINEST = 2**12  # parts; where one of so many is too large, a few people have most of the rows


@dataclass
class _PartsRead:
    """What was read so far, and of whom nothing was read yet."""

    left: deque[PeoplePart]
    merged: dict[Row, list[object]] = field(default_factory=dict)


class Passes:
    """Goes on where it stopped: what was read before an interrupt or a failure is not read again."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._readings: dict[str, _PartsRead] = {}

    def rows(self, tree: Tree, question: PlanInput, merging: Merging) -> Rows:
        """The rows that the plan gives for everyone, read in as many passes as it takes."""
        engine, plain = self._engine, self._engine.spell(tree)
        first = engine.parts
        reading = self._readings.setdefault(plain, _PartsRead(deque(PeoplePart(i, first) for i in range(first))))
        try:
            while reading.left:
                self._read_part(reading, tree, question, merging)
        finally:
            engine.note_pass(0, 1)
        return merging.rows(self._readings.pop(plain).merged)

    def _read_part(self, reading: _PartsRead, tree: Tree, question: PlanInput, merging: Merging) -> None:
        """Read the next part, or find that it is too large: then the ones after it are as well, most likely."""
        part, engine = reading.left[0], self._engine
        engine.note_pass(1 - sum(1 / other.of for other in reading.left), 1 / part.of)
        try:
            rows = engine.rows(engine.spell(of_part(tree, question, part)))
        except OutOfMemory:
            if part.of >= FINEST:
                raise
            reading.left = deque(half for other in reading.left for half in other.halves)
        else:
            merging.add(reading.merged, rows)
            reading.left.popleft()
