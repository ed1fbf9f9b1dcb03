"""Asking what the noise cost, and deciding such a question: what pages say around a signal. Its own words are in
of_signal.
"""

from __future__ import annotations

from sfumato.model.signal_score import SignalKind

TITLES = {
    SignalKind.FREE: "Free",
    SignalKind.DIFFERENCE: "Noisy difference",
    SignalKind.BLOCKS: "Sample and aggregate",
    SignalKind.PUBLISHED: "As published",
}
PURPOSE = (
    "Is what you make of this answer poor because of the noise, or because of the data? State the task that you use it "
    "for: a signal tells what noise of this size does to its score."
)
OWN_CODE = (
    "A function evaluate(tables) that returns one number. A controller reads it first; it then runs in a sandbox "
    "without files, network and other processes. What leaves is that number, rounded and held within the range, or no "
    "score; whatever goes wrong is no score."
)
CODE_AT_FIRST = 'def evaluate(tables):\n    table = tables[0]\n    return (table["{column}"] > 100).mean()\n'
_PARAMETERS = {
    "a": "The row that is asked about.",
    "b": "What it is compared with.",
    "k": "How many of the largest.",
    "width": "At 0 the answer is yes or no. Above it is gradual: 0 at so much below, 1 at so much above.",
    "reference": "Left empty it is the answer itself, or all rows alike.",
    "order": "Left empty, rows are ordered by their names, where those are numbers.",
    "label": "What is predicted; without it, from numbers that are publicly known.",
    "above": "The upper class is above this; left empty, above the median.",
    "otherwise": "Where it has no value; left empty, the lowest.",
    "expression": "Cells, numbers, + - * /, min, max, abs and sum.",
}
_LEARNED = {"reference": "Where there is no label: what is predicted, row by row."}
NOTHING_ALLOWED = "The policy has nothing for you here any more. A controller of this dataset can add it."
CODE_NOT_ALLOWED = "The policy does not let you send code. A controller can allow it."
NOT_ALLOWED = "The policy does not let you ask for it."
BY_RANGE = (
    "Noise may be as wide as the whole scale, where it is not known how little one person moves the score (the task "
    "has no Lipschitz constant)."
)
AMOUNTS = {
    "draws": "How often fresh noise is added, and the task scored.",
    "epsilon": "Smaller: more noise.",
    "blocks": "More of them: less noise, and fewer people in each.",
}
NOBODY_INSPECTS = "Nobody has to: it is made from what you have already."
_BEFORE = "A controller {} before anybody is read, unless the policy decides by itself."
_TWICE = "A controller {} first, and then both scores, which are withheld until they are approved."
READS_CODE = "A controller reads the code before it runs. It runs on the answer that you have."
STANDS = {
    "submitted": "It waits for your decision.",
    "approved": "Approved. It waits for its turn.",
    "running": "It is being computed.",
    "computed": "Both scores are computed and withheld. You decide whether they are released.",
    "released": "It was released to whoever asked.",
    "returned": "Returned to whoever asked.",
    "refused": "Refused. Whoever asked is told.",
    "withdrawn": "Withdrawn by whoever asked.",
    "failed": "There is no signal. What was charged stays charged.",
}
BEFORE_VALUE = (
    "This is a look: you see the score of the exact answer, which is a fact about the people. It is entered in the "
    "ledger with your name, and what is decided after it, yes or no, carries no guarantee."
)
A_BIT = "A bit is what one answer, yes or no, can tell."
MARKED = "▲ marks lines that deserve a look. What is not marked is not proven harmless: read it all."
NOTHING_MARKED = "No line was marked. That proves nothing: read it all."
ALLOWED = (
    "Beside the answer, whoever asks may learn what noise of its size does to a task of theirs. A free signal is made "
    "from the answer alone."
)
CODE_ALLOWED = "They may send a function of their own. A controller reads it first, and it runs in the sandbox only."
BITS = (
    "Scores of the exact answer, as published, have no guarantee: each analyst gets so many bits of them in all, and "
    "none beyond."
)


def parameter(task: str, name: str) -> str:
    """What is stated there, or what holds where it is left empty; nothing where its name says it."""
    return (_LEARNED if task in ("classifier", "regression") else {}).get(name) or _PARAMETERS.get(name, "")


def inspected(kind: SignalKind, *, code: bool) -> str:
    """Who sees what before there is a signal."""
    what = "reads the code" if code else "sees the task and what it costs"
    if kind is SignalKind.FREE:
        return READS_CODE if code else NOBODY_INSPECTS
    return (_TWICE if kind is SignalKind.PUBLISHED else _BEFORE).format(what)
