"""The state of a signal and its next step; the guarantee and the charge of each kind."""

from __future__ import annotations

from sfumato.model.guarantee import Guarantee
from sfumato.presentation.wording import requests_sentences as of_request

STANDS = of_request.STANDS | {
    "returned": "A controller returned it with a note. Change it and submit it again",
    "running": "It is being computed",
    "computed": "Both scores are computed and withheld. A controller decides whether to release them",
    "released": "The signal is available",
    "failed": "It failed, and there is no signal. Anything charged stays charged. You can submit it again",
}
NEXT = {state: f"{words}." for state, words in STANDS.items()}
NOTIFICATIONS = {  # by event
    "submitted": "{who} submitted signal {number} about request {request}. It waits for a decision.",
    "decided": "Signal {number} was {decided}.{note}",
    "released": "Signal {number} is available.",
    "computed": "Signal {number} is computed and withheld. Decide whether to release both scores.",
    "failed": "Signal {number} failed. There is no score.",
    "assigned": "{who} assigned signal {number} to you.",
}
_TOLD = {
    "noisy_difference": "the distance between the scores of the exact answer and of the release, with noise.",
    "sample_and_aggregate": "the mean score of disjoint blocks of people, with noise. This works for any score.",
}
GUARANTEES = {
    "free": "The guarantee of the release holds: the signal is computed from the released answer, and no data is read.",
    **{kind: f"Guarantee dp: the signal shows {words}" for kind, words in _TOLD.items()},
    "as_published": (
        "No guarantee: the score of the exact answer is a fact about the people in the data. Approval does not "
        "change that."
    ),
}
COSTS = {
    "free": "It costs nothing. With a task of the list it needs no approval.",
    **dict.fromkeys(
        _TOLD, "It is charged its own epsilon. A controller approves it, unless the policy approves it automatically."
    ),
    "as_published": (
        "It is charged like a release without a guarantee, and logged as a look. It counts towards the bits of exact "
        "scores that the analyst may receive. A controller checks it twice: before it runs, and before both scores are "
        "released."
    ),
}
_CAME_BACK = (
    "This signal was computed earlier, with guarantee {}. The decision to release it now was made after a look at "
    "the data, so its guarantee here is {}."
)
_SLOWLY = (
    "On exact answers each run takes {:g} seconds, whatever the function does, so that its running time reveals "
    "nothing. Each block of people is one run."
)


def following(state: str, run: int | None, of: int) -> str:
    """The next step; for a function that runs, its progress."""
    return NEXT[state] if run is None else f"{NEXT[state]} Run {run} of at most {of}."


def came_back(before: Guarantee, now: Guarantee) -> str:
    """Why a signal has another guarantee than its certificate."""
    return _CAME_BACK.format(before.value, now.value)


def slowly(seconds: float) -> str:
    """The running time of an analyst's own function."""
    return _SLOWLY.format(seconds)


def carried(kind: str, *, holds: bool) -> list[str]:
    """What a signal shows, guarantees and costs; no guarantee is named if the decision would lose it."""
    if kind in _TOLD and not holds:
        return [f"The signal shows {_TOLD[kind]}"]
    return [GUARANTEES[kind], COSTS[kind]]


def bits(bound: float, used: float, budget: float) -> str:
    """Information in an exact score, for its approver."""
    left = f"This analyst has {max(0.0, budget - used):.1f} of {budget:g} bits of exact scores left."
    return f"The exact score reveals at most {bound:.1f} bits. {left}"
