"""What signals and their tasks refuse."""

from __future__ import annotations

from sfumato.presentation.refusals.wording import Wording

_CELLS = 'cells are people["Bern"] or cell("COUNT(*)", "Bern"); beside them numbers, + - * /, min, max, abs and sum.'
_WHOLE_RANGE = "{step[widen_to_range]}."


def _rows(rows: list[str], count: int) -> str:
    if set(rows) == {""}:
        return "the answer has one row, which has no name: leave it out."
    more = f", and {count - len(rows):,} more" if count > len(rows) else ""
    return f"its rows are: {', '.join(map(repr, rows))}{more}."


_FORMULAS = {
    "formula-range": Wording("formula takes a range from low to high", "state low=0, high=1."),
    "formula-otherwise": Wording("formula takes an otherwise within its range", "leave it out."),
    "formula-length": Wording("A formula is a text of at most {longest:,} characters", _CELLS),
    "formula-unreadable": Wording("A formula could not be read", _CELLS),
    "formula-depth": Wording("A formula goes at most {deepest} operations deep", "write it in fewer parts."),
    "formula-divides-by-zero": Wording("A formula divides by 0", _CELLS),
    "formula-not-answered": Wording("A formula has something in it that is not answered", _CELLS),
}
_TASKS = {
    "task-unknown": Wording("There is no task {task}", "there are: {tasks}."),
    "task-parameter-unknown": Wording("The task {task} has no {parameter!r}", "it takes: {known}."),
    "task-parameter-missing": Wording("The task {task} needs {parameter!r}", "it takes: {known}."),
    "task-parameter-not-text": Wording("The task {task} takes a text as {parameter!r}", "write it in quotes."),
    "task-table-place": Wording("The task {task} reads a table by its place, from 0", "leave table out."),
    "task-row-unknown": Wording("{task} has no row {row!r} to read", _rows),
    "task-too-steep": Wording("{task} moves further than can be computed with", "ask in other units."),
    "task-names-not-listed": Wording("A task takes a list of names here", 'write ["one", "other"].'),
    "task-reference-not-numbers": Wording(
        "A reference has a number for each label", 'write {{"here": 12, "there": 30}}.'
    ),
    "task-reference-not-positive": Wording("{task} takes a reference above 0", "leave rows out."),
    "task-reference-zero": Wording(
        "{task} takes a reference that is not 0 throughout", "leave it out: the release itself."
    ),
    "task-reference-too-large": Wording("{task} takes a smaller reference", "ask in other units."),
    "task-width": Wording("{task} takes a width of 0 or more, not {width}", "leave it out."),
    "task-compared-with": Wording("{task} takes the label of a row or a number as b", "try 100."),
    "task-level": Wording("{task} takes a level between 0 and 1, not {level}", "try 0.05."),
    "task-features-missing": Wording("{task} needs features", 'state features=["people"].'),
    "task-predicts-one-thing": Wording(
        "{task} predicts one thing", "state the column as label, or known numbers as reference."
    ),
    "task-folds": Wording("{task} takes 2 to 20 folds, not {folds}", "try 5."),
    "task-model-unknown": Wording("{task} knows no model {model}", "there are: {models}."),
    "task-k": Wording("{task} takes a whole number of 1 or more as k, not {k}", "try 3."),
    "task-k-too-large": Wording("{task} takes a k of at most {rows} here, not {k}", "the answer has no more rows."),
    "task-order-missing": Wording(
        "{task} needs an order of rows whose names are no numbers", 'state order=["first", "next"].'
    ),
    "task-package-missing": Wording("{package} is not installed", "pip install 'sfumato[signal]'."),
    "own-code-range": Wording(
        "{task} has a range from low to high, with at most {decimals} decimals", "state range = [0, 1]."
    ),
}
_SIGNALS = {
    "signal-bounds-from-data": Wording(
        "With bounds from the data there is no signal that could be kept apart from the people",
        "open the data with the bounds of its schema.",
    ),
    "signal-noise-withheld": Wording(
        "This release carries no guarantee, and how wide its noise is stays withheld: there is nothing to draw fresh "
        "noise by",
        "release with a guarantee first.",
    ),
    "signal-rows-left-out": Wording(
        "HAVING or LIMIT left rows out, and fresh noise cannot be added to what is not there",
        "ask without HAVING, LIMIT and OFFSET.",
    ),
    "signal-selected-value": Wording(
        "A value that is selected by its rank carries no noise that could be added again, so there is no signal",
        "ask for what is counted or added up in a query of its own.",
    ),
    "signal-figure-missing": Wording(
        "The answer has no figure {figure!r}", "its figures are: {figures}; it is table 0."
    ),
    "signal-table-missing": Wording("There is no table {table}", "its figures are: {figures}; it is table 0."),
    "signal-draws": Wording("A signal has 1 to {most:,} draws, not {draws}", "try {usual}."),
    "signal-blocks": Wording("People are put into {fewest} to {most:,} blocks, not {blocks}", "try {usual}."),
    "signal-spends-nothing": Wording("A signal {kind!r} spends no epsilon", "leave it out."),
    "signal-epsilon-missing": Wording(
        "A signal {kind!r} spends an epsilon of its own", "state one, such as {option[epsilon=0.5]}."
    ),
    "signal-epsilon-too-large": Wording(
        "A signal spends an epsilon of at most {most:g}, not {epsilon:g}", "try {option[epsilon=0.5]}."
    ),
    "signal-rows-move-by-jumps": Wording(
        "HAVING, ORDER BY or LIMIT move rows by jumps, so that one person may move a score by its whole range",
        _WHOLE_RANGE,
    ),
    "signal-not-lipschitz": Wording(
        "{task} has no Lipschitz constant here: one person may move its score by the whole range", _WHOLE_RANGE
    ),
}
WORDINGS = {**_FORMULAS, **_TASKS, **_SIGNALS}
