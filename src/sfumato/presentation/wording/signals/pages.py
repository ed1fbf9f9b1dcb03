"""Texts of the pages on which signals are submitted and decided; `score` has the sentences of a signal itself."""

from __future__ import annotations

from sfumato.model.signal_score import SignalKind

TITLES = {
    SignalKind.FREE: "Free",
    SignalKind.DIFFERENCE: "Noisy difference",
    SignalKind.BLOCKS: "Sample and aggregate",
    SignalKind.PUBLISHED: "As published",
}
PURPOSE = (
    "If your results from this answer are poor, is the noise the cause, or the data? Choose the task that you use the "
    "answer for. A utility signal then shows what noise of this size does to the score of that task."
)
OWN_CODE = (
    "Write a function evaluate(tables) that returns one number. A controller reads it first. It then runs in a sandbox "
    "without files, network or other processes. The result is that number, rounded and limited to the range of scores; "
    "if the function fails, there is no score."
)
CODE_AT_FIRST = 'def evaluate(tables):\n    table = tables[0]\n    return (table["{column}"] > 100).mean()\n'
_PARAMETERS = {
    "a": "Row to compare.",
    "b": "Row or number to compare it with.",
    "k": "Number of largest rows.",
    "width": "At 0 the score is 0 or 1. Otherwise it rises gradually from 0 (this far below) to 1 (this far above).",
    "reference": "If empty: the released answer itself.",
    "order": "If empty: rows are ordered by their labels, which must be numbers.",
    "label": "Column to predict. If none: state public numbers as the reference.",
    "above": "Rows above this number are the upper class. If empty: rows above the median.",
    "otherwise": "Score if the expression has no value. If empty: the lowest score.",
    "expression": "Use cells, numbers, + - * /, min, max, abs and sum.",
}
_PREDICTED = "Without a label: the public number to predict, for each row."
_REFERENCES = {
    "chi_square": "If empty: all rows have the same share.",
    "classifier": _PREDICTED,
    "regression": _PREDICTED,
}
NOTHING_ALLOWED = "The policy of this dataset no longer gives you access. Ask its controller."
CODE_NOT_ALLOWED = "The policy does not allow you to submit code. A controller can allow it."
NOT_ALLOWED = "The policy does not allow this kind."
BY_RANGE = (
    "Allow noise as wide as the whole range of scores if the task has no Lipschitz constant, that is, no known limit "
    "on how much one person can change the score."
)
AMOUNTS = {
    "draws": "How often fresh noise is added and the task is scored.",
    "epsilon": "A smaller epsilon means more noise.",
    "blocks": "More blocks mean less noise, and fewer people in each block.",
}
NO_ONE_INSPECTS = "No approval is needed: the signal is computed from the answer that you already have."
_BEFORE = "A controller {} before any data is read, unless the policy approves it automatically."
_TWICE = "A controller {} first, and later decides whether to release both scores, which are withheld until then."
READS_CODE = "A controller reads the code before it runs. It runs on the answer that you already have."
RELEASE = "Release the withheld scores"
STANDS = {
    "submitted": "This signal waits for your decision.",
    "approved": "It is approved and waits in the queue.",
    "running": "It is being computed.",
    "computed": "Both scores are computed and withheld. Decide whether to release them.",
    "released": "It was released to the analyst.",
    "returned": "It was returned to the analyst.",
    "refused": "It was refused. The analyst is notified.",
    "withdrawn": "The analyst withdrew it.",
    "failed": "It failed, and there is no signal. Anything charged stays charged.",
}
BEFORE_VALUE = (
    "The score of the exact answer is a fact about the people in the data. Viewing it is a look: it is logged in the "
    "ledger with your name, and any decision after it, approval or refusal, has no privacy guarantee."
)
A_BIT = "One bit is the information in one yes-or-no answer."
MARKED = "▲ marks lines to check. Unmarked lines are not proven harmless: read all of the code."
NOTHING_MARKED = "No line is marked. This is not a proof: read all of the code."
ALLOWED = (
    "Utility signals show analysts what noise of this size does to their task. A free signal is computed from the "
    "released answer alone."
)
CODE_ALLOWED = "Analysts may submit their own function. A controller reads it first, and it runs only in the sandbox."
BITS = (
    "Scores of the exact answer (as_published) have no guarantee. Each analyst can receive at most this many bits of "
    "them in total."
)


def parameter(task: str, name: str) -> str:
    """The meaning of a parameter, or its value if it is left empty; empty if its name says it."""
    return (_REFERENCES.get(task, "") if name == "reference" else "") or _PARAMETERS.get(name, "")


def inspected(kind: SignalKind, *, code: bool) -> str:
    """Who approves a signal, and when."""
    what = "reads the code" if code else "checks the task and its cost"
    if kind is SignalKind.FREE:
        return READS_CODE if code else NO_ONE_INSPECTS
    return (_TWICE if kind is SignalKind.PUBLISHED else _BEFORE).format(what)
