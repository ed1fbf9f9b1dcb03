"""Free signals: the release with fresh noise on top, from public facts and what was released."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from sfumato.errors import NoGuarantee, NoMechanism, PreferenceError
from sfumato.model import signal_score as model
from sfumato.model.calibration import Drawing, NoiseLaw
from sfumato.model.facts import Cell
from sfumato.model.measurement import Measurement
from sfumato.model.release import Answer, ReleaseCertificate
from sfumato.model.statement import Statement
from sfumato.ports import Mechanisms
from sfumato.release import answer as assemble
from sfumato.release.noise import Noisy
from sfumato.release.risk.posthoc import places_of_keys
from sfumato.signals.signal_request import DRAWS, MOST_DRAWS, prepare_task, table_of
from sfumato.signals.tasks.table import Table
from sfumato.signals.tasks.task import Task, is_whole


def free_signal(
    statement: Statement,
    measurement: Measurement,
    answer: Answer,
    certificate: ReleaseCertificate,
    task: Task | Mapping[str, Any],
    mechanism: Mechanisms,
    draws: int = DRAWS,
) -> model.FreeScore:
    """Scores of the answer with fresh noise of the same law: from public facts and what was released, and free."""
    prepared = prepare_task(task, measurement, answer)
    return score_draws(prepared, redraw(statement, measurement, answer, certificate, mechanism, draws))


@dataclass(frozen=True)
class Redrawn:
    """A release with fresh noise on top, draw by draw; `moved` is by how much that moved each number of every cell."""

    measurement: Measurement
    certificate: ReleaseCertificate
    table: Table
    tables: tuple[Table, ...]
    moved: tuple[tuple[tuple[Fraction, ...], ...], ...]  # by number, then draw, then cell


def redraw(
    statement: Statement,
    measurement: Measurement,
    answer: Answer,
    certificate: ReleaseCertificate,
    mechanism: Mechanisms,
    draws: int = DRAWS,
) -> Redrawn:
    """The answer with fresh noise by the laws and scales of its certificate, put together as releases are."""
    if not is_whole(draws) or not 1 <= draws <= MOST_DRAWS:
        raise PreferenceError.because("signal-draws", most=MOST_DRAWS, draws=str(draws), usual=DRAWS)
    if not certificate.guarantee.holds or certificate.epsilon is None:
        raise NoGuarantee.because("signal-noise-withheld")
    if statement.afterwards.picks:
        raise NoMechanism.because("signal-rows-left-out")
    drawings, cells = _drawings(certificate, measurement), _cells(statement, measurement, answer)
    based = [_noise_base(numbers, measurement) for numbers in answer.numbers]
    fresh = [
        _fresh_noise(based, place, measurement, drawing, mechanism, draws) for place, drawing in enumerate(drawings)
    ]
    tables = []
    for draw in range(draws):
        numbers = tuple(zip(*(number[draw] for number in fresh), strict=True))
        seen = assemble.answer(measurement, Noisy(cells, numbers), None, statement.afterwards)
        tables.append(table_of(seen, measurement))
    moved = tuple(
        tuple(tuple(noisy - cell[place] for noisy, cell in zip(draw, based, strict=True)) for draw in number)
        for place, number in enumerate(fresh)
    )
    return Redrawn(measurement, certificate, table_of(answer, measurement), tuple(tables), moved)


def score_draws(task: Task, fresh: Redrawn) -> model.FreeScore:
    """What fresh noise does to a task that was prepared for this answer."""
    measurement, score = fresh.measurement, task.score([fresh.table])
    scores = tuple(task.score([table]) for table in fresh.tables)
    damages = (abs(other - score) for other in scores)
    if task.affine:  # beyond the ends of the range too: they would hide how far it went
        here = task.beyond([fresh.table])
        damages = (abs(task.beyond([table]) - here) for table in fresh.tables)
    read = [c for c in measurement.columns if c.visible and c.name in task.reads]
    plain = all(len(c.numbers) == 1 for c in read)
    bound = _bound(task, fresh, {c.name: c.numbers[0] for c in read}) if plain else None
    head, proven = (task.as_dict(), task.range, score, fresh.certificate), _proof(task) if plain else None
    return model.FreeScore(*head, scores, tuple(sorted(damages)), task.decides, bound, proven)


def _proof(task: Task) -> model.Proof | None:
    """Why the true damage is within the stated one as often as is said; None where that is not proven."""
    if task.affine:
        return model.Proof.AFFINE
    return model.Proof.HALFSPACE if task.halfspace else None


def _cells(statement: Statement, measurement: Measurement, answer: Answer) -> tuple[Cell, ...]:
    """Which cell each row of the answer is about."""
    places = places_of_keys(statement)
    if places is None:
        return measurement.public_cells
    return tuple(cast(Cell, tuple(row[place] for place in places)) for row in answer.rows)


def _drawings(certificate: ReleaseCertificate, measurement: Measurement) -> list[Drawing]:
    """How each number was drawn, as the certificate tells it."""
    c = certificate
    assert c.epsilon is not None
    assert c.laws is not None
    assert c.scale is not None
    assert c.grid_step is not None
    drawings = []
    for place, number in enumerate(measurement.numbers):
        law, scale, certified_step = NoiseLaw(c.laws[place]), cast(float, c.scale[place]), Fraction(c.grid_step[place])
        finer = max(
            1, round(number.step / certified_step)
        )  # the certificate tells a float: the lattice itself divides the number's
        step = number.step / finer
        furthest = None if c.reach is None else round(Fraction(c.reach[place]) / step)
        budget = float(number.euclidean) / scale if law is NoiseLaw.GAUSSIAN else number.part(c.epsilon)
        drawings.append(Drawing(law, budget, step, scale, reach=furthest))
    return drawings


def _noise_base(numbers: Sequence[float], measurement: Measurement) -> tuple[Fraction, ...]:
    """What fresh noise is added to: counts as they were rounded, so that it is rounded as the noise in them was."""
    kinds = [n.kind for n in measurement.numbers]
    return tuple(Fraction(round(v)) if kind.counts else Fraction(v) for v, kind in zip(numbers, kinds, strict=True))


def _fresh_noise(
    based: Sequence[tuple[Fraction, ...]],
    place: int,
    measurement: Measurement,
    drawing: Drawing,
    mechanism: Mechanisms,
    draws: int,
) -> list[list[Fraction]]:
    """One number of every cell with fresh noise, draw by draw: all of them drawn at once."""
    number = measurement.numbers[place]
    most = int(number.sensitivity_under(drawing.law) / drawing.step)
    exact = [round(cell[place] / drawing.step) for cell in based]
    by = mechanism(drawing.law) if drawing.reach is None else mechanism(drawing.law, drawing.reach)
    noisy = by(exact * draws, most, drawing.budget)
    return [[drawing.step * s for s in noisy[at : at + len(exact)]] for at in range(0, len(noisy), len(exact))]


def _bound(task: Task, fresh: Redrawn, read: Mapping[str, int]) -> float | None:
    """`min(R, sum L_c |noise_c|_1)` at the stated rate: what noise moves a column by moves the score L_c times."""
    if task.slopes is None:
        return None
    sizes = []
    for draw in range(len(fresh.tables)):
        size = 0.0
        for column, steep in task.slopes.items():
            number = read[column]
            rounding = (
                Fraction(len(fresh.table.rows), 2) if fresh.measurement.numbers[number].kind.counts else Fraction(0)
            )
            size += steep * float(sum(map(abs, fresh.moved[number][draw]), rounding))
        sizes.append(size)
    return min(task.span, model.covering_value(tuple(sorted(sizes)), math.inf))
