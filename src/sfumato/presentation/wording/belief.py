"""Beliefs (Lee & Clifton): how sure an attacker becomes about who is missing."""

from __future__ import annotations

import math

from sfumato.presentation.wording.numbers import number

WHO_IS_MISSING = "Beliefs about who is missing"
BELIEVED, BELIEVED_AT_MOST, BELIEF_LIMIT = "largest belief", "upper bound", "limit at any epsilon"
WORLDS_PUBLIC = "the answers in each possible world are public, and their prior probabilities are as stated"

WORLDS = "Beliefs about each possible world"
PUBLIC_UNIVERSE = (
    "The table is declared a public universe: everyone who could be in the data. In each possible world one of them is "
    "missing. No confidential data is read, and nothing is charged."
)


def universe_public(people: int, name: str, missing: int) -> str:
    """What a belief about who is missing assumes."""
    who = "one of them is" if missing == 1 else f"{missing} of them are"
    return f"the universe of {people:,} people in {name} is public; {who} missing, each equally likely"


def who_is_missing(people: int, prior: float, *, suspected: bool = False) -> str:
    """Whose belief it is, and in what."""
    knows = f"An attacker knows all {people:,} people, but not which one of them is left out of the data"
    if suspected:
        believes = f"suspects one of them at {number(prior, 4)}, and the others equally"
        after = "the belief in that suspicion is at most the figure shown, whichever person is suspected"
        return f"{knows}, and {believes}. After the answer, {after}."
    after = "the belief about any person is at most the figure shown, whatever the answer is"
    return f"{knows}. The prior belief is {number(prior, 4)} for each. After the answer, {after}."


def never_believed_more(limit: float) -> str:
    if limit >= 1:
        return "With a larger epsilon the attacker becomes almost certain."
    return f"No epsilon raises the belief above {number(limit, 4)}: some people affect this answer in the same way."


def believed_at_most() -> str:
    """Where a number is not an additive-noise number, or there are too many people to compare."""
    return (
        "Values selected by rank, distinct counts, and tables with too many people to compare are counted at their "
        "worst case: the belief may be smaller."
    )


def identifiable(person: object, alike: int) -> str:
    """The most identifiable person; of several who are alike, one."""
    if not alike:
        return "–"
    who = "a person who is not counted" if person is None else str(person)
    return who if alike == 1 else f"{who} (one of {alike:,} alike)"


def one_of(worlds: int) -> str:
    return f"There are {worlds} possible worlds, each equally likely before the answer."


def sized_by(sensitivity: float | None) -> str:
    """What the noise is sized by: the bounds of the schema, or the possible worlds as in the paper."""
    if sensitivity is None:
        return (
            "Noise is sized by the bounds of the schema, as in a release. Each posterior is the largest that any "
            "answer leads to, so they do not add up to 1. Confidence is posterior minus prior."
        )
    return (
        f"As published: noise is sized by the possible worlds themselves, with sensitivity {number(sensitivity, 4)}, "
        "and no release of sfumato has this noise. Confidence is posterior minus prior."
    )


def at_epsilon(epsilon: float, response: float | None) -> str:
    """The caption of a table of worlds.

    >>> at_epsilon(2, 2.2013), at_epsilon(0.5, None)
    ('Epsilon 2, after the noisy answer 2.2013', 'Epsilon 0.5, whatever the noisy answer is')
    """
    after = "whatever the noisy answer is" if response is None else f"after the noisy answer {response:.6g}"
    return f"Epsilon {epsilon:g}, {after}"


def epsilons_of(limit: float, bound: float | None, exact: float | None) -> str:
    """The largest epsilons that keep every belief within a limit, by the paper's bound and exactly."""
    if exact is None or exact == math.inf:
        return f"No epsilon raises a belief above {number(limit, 4)}."
    by_bound = "" if bound is None else f"epsilon {bound:.4f} by the paper's upper bound, "
    return f"Belief at most {number(limit, 4)}: {by_bound}epsilon {exact:.4f} exactly."
