"""What happens to a request, and what happens next: for analysts and approvers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sfumato.model.guarantee import Guarantee, Provenance
from sfumato.presentation.wording.guarantee import in_100

STANDS = {  # without the full stop that ends it
    "submitted": "A controller of this dataset has it. You are told when it is decided",
    "returned": "It came back with a note. Change it and submit it again",
    "refused": "It was refused. Nothing left",
    "withdrawn": "It was withdrawn. Nothing left",
    "approved": "It is approved and waits for its turn",
    "running": "The answer is being computed",
    "computed": "The answer is computed and withheld. A controller decides whether it is released",
    "released": "The answer is here",
    "failed": "There is no answer. What was charged stays charged. You may submit it again",
}
NEXT = {state: f"{words}." for state, words in STANDS.items()}
HAS = {
    "submitted": "a controller",
    "returned": "you",
    "refused": "nobody any more",
    "withdrawn": "nobody any more",
    "approved": "the platform",
    "running": "the platform",
    "computed": "a controller",
    "released": "you",
    "failed": "nobody any more",
}
NOTIFICATIONS = {  # by what happened to it
    "submitted": "{who} asks {dataset}: request {number} waits for a decision.",
    "decided": "Request {number} was {decided}.{note}",
    "released": "The answer to request {number} is here.",
    "computed": "The answer to request {number} is computed and withheld: see it, and decide.",
    "failed": "Request {number} came to no answer.",
}
STOPPED = "Stop what is being computed? What was charged stays charged, and there will be no answer."


def rehearsed(number: int, rehearsal: Mapping[str, Any]) -> str:
    """The gap between people on invented rows, at the epsilon that is asked for; or why there are no such rows."""
    if "error" in rehearsal:
        return f"Query {number} cannot be rehearsed: {rehearsal['error']['message']}."
    at = rehearsal["at"]
    if at is None:
        return f"Query {number} was rehearsed on invented rows; its epsilon is not known yet."
    return (
        f"Query {number} on invented rows, at epsilon {at['epsilon']:.6g}: the person most at risk is at "
        f"{at['gap']:.4g} times the risk of the one least at risk."
    )


def invented(people: int) -> str:
    """What a dry run ran on, and what that says about the ranges that it shows."""
    return (
        f"A dry run on {people:,} invented people who follow the schema: nobody was read, and nothing was charged. "
        "The noise range of an average goes by how many people are in its group: it is wider where fewer are."
    )


def costs(epsilon: float | None, delta: float | None, word: Guarantee, left: float | None) -> str:
    """What a request would be charged, as far as that is known, and what is left of the budget."""
    rest = "" if left is None else f" {left:.6g} is left of the budget."
    if epsilon is None:
        return f"What it costs is not known beforehand.{rest}"
    if not word.holds:
        return f"Without a guarantee a public constant is charged: epsilon {epsilon:.6g}.{rest}"
    return f"It would be charged epsilon {epsilon:.6g}{f', delta {delta:g}' if delta else ''} at most.{rest}"


def lost(inputs: Iterable[Provenance]) -> str:
    """Why there would be no guarantee: of each input that loses it."""
    return f"There would be no guarantee: {'; '.join(dict.fromkeys(map(_lost, inputs)))}."


def _lost(one: Provenance) -> str:
    if one.what != "approval":
        return f"the {one.what} was {one.because}"
    if one.can_be_attested:
        return "somebody has looked at the people, and whoever decides about this decides after that"
    return "whoever decides about this sees the answer first"


def barred(word: Guarantee, allowed: Iterable[Guarantee]) -> str:
    """What would be submitted in vain, as things are."""
    return (
        f"The policy lets nothing leave with the word {word}, only with {' or '.join(allowed)}: as things are, this "
        "would stay here. Ask a controller before you submit it."
    )


def odds(chance: float, *, replaced: bool = False) -> str:
    """The worst case of an answer, for anybody in any data; `replaced`: against somebody else in their place.

    What is said to be the worst is rounded to the worse side.
    """
    right = in_100(chance)
    absent = "somebody else is in their place" if replaced else "they are not"
    return (
        f"Of 100 possible answers, {100 - right} would suggest that a person is in the data if {absent}, "
        f"{right} if they are: at worst, for anybody."
    )
