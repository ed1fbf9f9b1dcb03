"""One epsilon split over several queries: the share, the noise and the minimum answer of each."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.model.budget_split import BudgetSplit, Checked, QueryShare
from sfumato.presentation.document import A_LOOK, Cells, CodeLines, Document, Prose, in_text
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import split as of_split
from sfumato.presentation.wording.numbers import number

_DIGITS = 4


def document(split: BudgetSplit) -> Document:
    lead = of_guarantee.sentence(of_split.split_by(split))
    return Document("", (in_text(CodeLines(lead)), Cells(*_rows(split), caption=lead), *map(Prose, _notes(split))))


def checked_document(checked: Sequence[Checked]) -> Document:
    columns = ["answer at least", "true answer", "large enough", "query"]
    rows = [[_least(each.least), _answers(each.answers), _met(each), each.query] for each in checked]
    return Document("", (A_LOOK, Prose(of_split.TESTED), Cells(columns, rows)))


def _rows(split: BudgetSplit) -> tuple[list[str], list[list[str]]]:
    expects = any(part.expected is not None for part in split.parts)
    differ = len({part.relative_error for part in split.parts}) > 1
    columns = [
        "index",
        "epsilon",
        "noise scale",
        "noise (90%)",
        *(["error limit"] if differ else []),
        "answer at least",
    ]
    columns += [*(["expected", "relative error", "large enough"] if expects else []), "query"]
    return columns, [_row(part, expects=expects, differ=differ) for part in split.parts]


def _row(part: QueryShare, *, expects: bool, differ: bool) -> list[str]:
    guessed = [_figure(part.expected), _figure(part.expected_error), {True: "yes", False: "no", None: "–"}[part.met]]
    return [
        number(part.index, _DIGITS),
        f"{part.epsilon:.9g}",
        ", ".join(map(_figure, part.scale)),
        ", ".join("–" if half is None else f"±{number(half, _DIGITS)}" for half in part.noise_90),
        *([f"{part.relative_error:g}"] if differ else []),
        _least(part.least),
        *(guessed if expects else []),
        part.query,
    ]


def _notes(split: BudgetSplit) -> list[str]:
    own = any(part.least is None for part in split.parts)
    notes = [
        of_split.least_answer(split) if any(part.least is not None for part in split.parts) else "",
        of_split.OWN_UNIT if own else "",
        of_split.split_needed(split),
    ]
    return [note for note in notes if note]


def _figure(value: float | None) -> str:
    return "–" if value is None else number(value, _DIGITS)


def _least(least: float | None) -> str:
    """Rounded up, so that an answer of this size is large enough."""
    if least is None:
        return "–"
    return of_guarantee.rounded_up(least) if least < 1000 else f"{math.ceil(least):,}"


def _answers(answers: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(number(end, 6) for end in (min(answers), max(answers)))) if answers else "–"


def _met(checked: Checked) -> str:
    if not checked.met:
        return "–"
    return (
        f"{sum(checked.met):,} of {len(checked.met):,}" if len(checked.met) > 1 else "yes" if checked.met[0] else "no"
    )
