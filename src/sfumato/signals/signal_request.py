"""What a signal is to be: its kind, and a task that can be scored on the answer. Refused from public facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import BadInput, NoMechanism, PreferenceError
from sfumato.model.measurement import Assembly, Measurement
from sfumato.model.release import Answer
from sfumato.model.signal_score import SignalKind
from sfumato.privacy.noise.forms import computed_sum
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.risk.posthoc import require_public_keys
from sfumato.signals.tasks.registry import task as task_of
from sfumato.signals.tasks.table import Table
from sfumato.signals.tasks.task import Task, is_whole

DRAWS, MOST_DRAWS = 200, 10_000
BLOCKS, FEWEST_BLOCKS, MOST_BLOCKS = 50, 2, 10_000


@dataclass(frozen=True)
class SignalRequest:
    """What a signal is to be, beside its task."""

    kind: SignalKind
    epsilon: float | None = None
    draws: int = DRAWS
    blocks: int = BLOCKS
    by_range: bool = False
    allow_no_guarantee: bool = False
    redraw: bool = False
    preregistered: str = ""


def signal_request(kind: str, epsilon: float | None, **how: Any) -> SignalRequest:
    """The kind by its word, and an epsilon where there is something to charge."""
    wanted = SignalKind.from_text(kind)
    if wanted not in (SignalKind.DIFFERENCE, SignalKind.BLOCKS):
        if epsilon is not None:
            raise PreferenceError.because("signal-spends-nothing", kind=wanted.value)
        return SignalRequest(wanted, **how)
    if epsilon is None:
        raise PreferenceError.because("signal-epsilon-missing", kind=wanted.value)
    spent = stated_epsilon(epsilon).value
    if spent > EPSILON_MAX:
        raise PreferenceError.because("signal-epsilon-too-large", most=EPSILON_MAX, epsilon=spent)
    return SignalRequest(wanted, spent, **how)


def prepare_task(task: Task | Mapping[str, Any], measurement: Measurement, answer: Answer) -> Task:
    """A task that can be scored on this answer: refused from public facts, before anything is drawn or charged.

    What it compares with, where that was left open, is the release itself.
    """
    prepared = task if isinstance(task, Task) else task_of(task)
    if prepared.missing is not None:
        raise BadInput.because("task-package-missing", package=prepared.missing)
    require_public_keys(measurement)
    if any(number.kind.is_ranked for number in measurement.numbers):
        raise NoMechanism.because("signal-selected-value")
    table = table_of(answer, measurement)
    strange = [name for name in prepared.reads if name not in table.figures]
    if strange:
        raise BadInput.because("signal-figure-missing", figure=strange[0], figures=list(table.figures))
    if prepared.table:
        raise BadInput.because("signal-table-missing", table=prepared.table, figures=list(table.figures))
    if len(table.rows) == len(measurement.public_cells):  # HAVING and LIMIT leave rows out that there are
        prepared.require_rows(table.labels)
    return prepared.against([table])


def table_of(answer: Answer, measurement: Measurement) -> Table:
    """An answer as tasks read it: groups and figures that are there in every answer, whatever the data."""
    columns = [c for c in measurement.columns if c.visible]
    kept = [i for i, column in enumerate(columns) if _is_always_there(column, measurement)]
    figures = tuple(columns[i].name for i in kept if not columns[i].is_public)
    rows = tuple(tuple(row[i] for i in kept) for row in answer.rows)
    return Table(tuple(answer.columns[i] for i in kept), rows, figures)


def _is_always_there(column: Assembly, measurement: Measurement) -> bool:
    """A computed column may be missing in some data, unless it is a sum of noisy numbers."""
    return column.computed is None or computed_sum(column, measurement) is not None


def require_blocks(blocks: int) -> None:
    if not is_whole(blocks) or not FEWEST_BLOCKS <= blocks <= MOST_BLOCKS:
        raise PreferenceError.because(
            "signal-blocks", fewest=FEWEST_BLOCKS, most=MOST_BLOCKS, blocks=str(blocks), usual=BLOCKS
        )
