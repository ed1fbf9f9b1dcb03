"""The state of a request and its next step, for analysts and approvers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sfumato.model.guarantee import Guarantee, Provenance
from sfumato.presentation.wording.guarantee import attack

STANDS = {  # without the final full stop
    "submitted": "It waits for a controller of this dataset. You will be notified of the decision",
    "returned": "A controller returned it with a note. Change it and submit it again",
    "refused": "A controller refused it. Nothing was released",
    "withdrawn": "It was withdrawn. Nothing was released",
    "approved": "It is approved and waits in the queue",
    "running": "The answer is being computed",
    "computed": "The answer is computed and withheld. A controller decides whether to release it",
    "released": "The answer is available",
    "failed": "It failed, and there is no answer. Anything charged stays charged. You can submit it again",
}
NEXT = {state: f"{words}." for state, words in STANDS.items()}
HAS = {
    "submitted": "a controller",
    "returned": "you",
    "refused": "–",
    "withdrawn": "–",
    "approved": "the server",
    "running": "the server",
    "computed": "a controller",
    "released": "–",
    "failed": "–",
}
NOTIFICATIONS = {  # by event
    "submitted": "{who} submitted request {number} to {dataset}. It waits for a decision.",
    "decided": "Request {number} was {decided}.{note}",
    "released": "The answer to request {number} is available.",
    "computed": "The answer to request {number} is computed and withheld. Decide whether to release it.",
    "failed": "Request {number} failed. There is no answer.",
    "assigned": "{who} assigned request {number} to you.",
}
TOPICS = {"controller": ("to decide", "assigned"), "analyst": ("decided", "answered")}  # by role
TOPIC_NAMES = {
    "to decide": "A request or signal for your datasets waits for a decision",
    "assigned": "A request or signal is assigned to you",
    "decided": "Your request or signal is approved, returned or refused",
    "answered": "Your answer or signal is available, or failed",
}
STARTS = "It is approved and starts in a few seconds, unless the approval is taken back."
TABS = {"waiting": "Waiting", "returned": "Returned", "running": "Running", "decided": "Decided", "all": "All"}
STOPPED = "There will be no answer. Anything already charged stays charged."


def rehearsed(number: int, rehearsal: Mapping[str, Any]) -> str:
    """The risk gap on synthetic data at the epsilon of a query, or why it cannot be rehearsed."""
    if "error" in rehearsal:
        return f"Query {number} cannot be rehearsed: {rehearsal['error']['message']}."
    at = rehearsal["at"]
    if at is None:
        return f"Query {number} was rehearsed on synthetic data; its epsilon is not known yet."
    return (
        f"Query {number} on synthetic data, at epsilon {at['epsilon']:.6g}: the highest disclosure risk is "
        f"{at['gap']:.4g} times the lowest."
    )


def invented(people: int) -> str:
    """The rows of a dry run, and what they mean for its intervals."""
    return (
        f"This dry run used {people:,} synthetic people, generated from the schema. No data was read, and nothing was "
        "charged. The noise interval of an average is wider in groups with fewer people."
    )


def costs(epsilon: float | None, delta: float | None, word: Guarantee, left: float | None) -> str:
    """The charge of a request or signal, if it is known, and the remaining budget."""
    rest = "" if left is None else f" Remaining budget: epsilon {left:.6g}."
    if epsilon is None:
        return f"The charge is not known in advance.{rest}"
    if not word.holds:
        return f"Without a guarantee, a public constant is charged: epsilon {epsilon:.6g}.{rest}"
    return f"The charge is at most epsilon {epsilon:.6g}{f', delta {delta:g}' if delta else ''}.{rest}"


DECIDED_ALONE = "It would have no guarantee, so it is approved on its own page"


def decides_several(requests: int, different: int, epsilon: float | None, once: float | None) -> str:
    """The charge of approving several requests; `once` if one release answers identical ones."""
    if epsilon is None or once is None:
        return "The charge of at least one of these requests is not known in advance."
    if different == requests:
        return f"If you approve: at most epsilon {epsilon:.6g} in total."
    queries = "one release answers them" if different == 1 else f"{different} releases answer them"
    return (
        f"If you approve: epsilon {once:.6g} in total, because {queries}; at most epsilon {epsilon:.6g} if a released "
        "answer cannot be used again."
    )


def with_signals(queries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The signals that are submitted with the queries: what an approval of the request covers too."""
    texts = []
    for number, query in enumerate(queries, 1):
        signal = query.get("signal")
        if not signal:
            continue
        what = f"your own function:\n{signal['code']}" if signal.get("code") else f"the task {signal['task']}"
        charge = f", charged epsilon {signal['epsilon']:g}" if signal.get("epsilon") else ""
        texts.append(f"With query {number}, a signal ({signal['kind'].replace('_', ' ')}{charge}) of {what}")
    return texts


def lost(inputs: Iterable[Provenance]) -> str:
    """Why there would be no guarantee, for each input that loses it."""
    return f"There would be no guarantee: {'; '.join(dict.fromkeys(map(_lost, inputs)))}."


def _lost(one: Provenance) -> str:
    if one.what != "approval":
        return f"the {one.what} was {one.because}"
    if one.can_be_attested:
        return "the data has been looked at, and the request is decided after that look"
    return "a controller sees the answer before deciding whether to release it"


def barred(word: Guarantee, allowed: Iterable[Guarantee]) -> str:
    """That the policy does not allow the release of a request."""
    return (
        f"The policy allows releases only with guarantee {' or '.join(allowed)}. This request would have {word}, and "
        "its answer could not be released. Ask a controller before you submit it."
    )


def odds(chance: float, *, replaced: bool = False) -> str:
    """The worst case of an answer, for anyone in any data; `replaced`: compared with another person in their place."""
    return attack(chance, replaced=replaced)
