"""What happens to a signal that was asked for, and what happens next; what each kind promises and costs."""

from __future__ import annotations

from sfumato.model.guarantee import Guarantee
from sfumato.presentation.wording import requests_sentences as of_request

STANDS = of_request.STANDS | {
    "returned": "It came back with a note. Change it and ask again",
    "running": "It is being computed",
    "computed": "Both scores are computed and withheld. A controller decides whether they are released",
    "released": "The signal is here",
    "failed": "There is no signal. What was charged stays charged. You may ask again",
}
NEXT = {state: f"{words}." for state, words in STANDS.items()}
NOTIFICATIONS = {  # by what happened to it
    "submitted": "{who} asks what the noise did to request {request}: signal {number} waits for a decision.",
    "decided": "Signal {number} was {decided}.{note}",
    "released": "Signal {number} is here.",
    "computed": "Signal {number} is computed and withheld: see both scores, and decide.",
    "failed": "There is no signal {number}.",
}
_TOLD = {
    "noisy_difference": "how far the score of the exact answer lies from that of the release, with noise.",
    "sample_and_aggregate": "the mean score of disjoint blocks of people, with noise; for any score.",
}
GUARANTEES = {
    "free": "As the release: it is made from what was released, and nobody is read.",
    **{kind: f"dp: {words}" for kind, words in _TOLD.items()},
    "as_published": "None: the score of the exact answer is a fact about the people, whoever inspects it.",
}
COSTS = {
    "free": "It costs nothing, and with one of the tasks here it needs nobody's approval.",
    "noisy_difference": "It is charged its own epsilon, and a controller approves it unless the policy does.",
    "sample_and_aggregate": "It is charged its own epsilon, and a controller approves it unless the policy does.",
    "as_published": (
        "It is charged like any release without a guarantee, is entered as a look, counts towards the bits that exact "
        "scores may tell whoever asks, and is inspected twice."
    ),
}
_CAME_BACK = (
    "It was made before, with the word {}. That it leaves now was decided after somebody had looked at the people: as "
    "it is here, it has the word {}."
)
_SLOWLY = (
    "On exact answers each run takes {:g} seconds, whatever a function does, so that nobody learns by waiting; each "
    "block of people is a run."
)


def following(state: str, run: int | None, of: int) -> str:
    """What happens next; of a function that runs, how far it is."""
    return NEXT[state] if run is None else f"{NEXT[state]} Run {run} of {of} at most."


def came_back(before: Guarantee, now: Guarantee) -> str:
    """Why a signal carries another word than its certificate."""
    return _CAME_BACK.format(before.value, now.value)


def slowly(seconds: float) -> str:
    """How long a function of one's own takes."""
    return _SLOWLY.format(seconds)


def carried(kind: str, *, holds: bool) -> list[str]:
    """What a signal tells, promises and costs; where a decision would leave no guarantee, none is named."""
    if kind in _TOLD and not holds:
        return [f"It tells {_TOLD[kind]}"]
    return [GUARANTEES[kind], COSTS[kind]]


def bits(bound: float, used: float, budget: float) -> str:
    """Information in an exact score, for its approver."""
    left = f"Of {budget:g} that exact scores may tell this analyst, {max(0.0, budget - used):.1f} are left."
    return f"It tells at most {bound:.1f} bits. {left}"
