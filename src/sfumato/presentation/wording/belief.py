"""Beliefs (Lee & Clifton): how sure an attacker becomes about who is missing."""

from __future__ import annotations

from sfumato.presentation.wording.numbers import number

WHO_IS_MISSING = "Beliefs about who is missing"
BELIEVED, BELIEVED_AT_MOST, BELIEF_LIMIT = "largest belief", "upper bound", "limit at any epsilon"
WORLDS_PUBLIC = "the answers in each possible world are public, and their prior probabilities are as stated"


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
