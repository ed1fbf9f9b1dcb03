"""Who is missing, and how sure somebody becomes of it. Every such sentence stands here, once."""

from __future__ import annotations

from sfumato.presentation.wording.numbers import number

WHO_IS_MISSING = "Who is missing?"
BELIEVED, BELIEVED_AT_MOST, BELIEF_LIMIT = "largest belief", "its upper bound", "never more"


WORLDS_PUBLIC = "the answers in each possible world are public, and as likely beforehand as stated"


def universe_public(people: int, name: str, missing: int) -> str:
    """What a belief about who is missing takes for granted."""
    who = "one of them is" if missing == 1 else f"{missing} of them are"
    return f"the universe of {people:,} people in {name} is public; {who} missing, anybody as likely"


def who_is_missing(people: int, prior: float, *, suspected: bool = False) -> str:
    """Whose belief it is, and in what."""
    knows = f"Somebody knows all {people:,} people but for which one of them is left out of the data, and"
    if suspected:
        believes = f"suspects one of them at {number(prior, 4)}, the others alike."
        return f"{knows} {believes} After the answer they believe it at most so much, whoever they suspected."
    believes = f"believes it of each at {number(prior, 4)}."
    return f"{knows} {believes} After the answer they believe it of somebody at most so much, whatever came out."


def never_believed_more(limit: float) -> str:
    if limit >= 1:
        return "With a larger epsilon they become as good as certain."
    return f"No epsilon raises it above {number(limit, 4)}: whoever is alike in this answer is not told apart."


def believed_at_most() -> str:
    """Where a number is not simply added noise to, or there are too many people to compare."""
    return (
        "Values selected by their rank, counts of different values, and people who are too many to be compared count "
        "in full: the belief may be smaller."
    )


def identifiable(person: object, alike: int) -> str:
    """Who is told apart most easily; of several who are alike, one."""
    if not alike:
        return "–"
    who = "somebody who is not counted" if person is None else str(person)
    return who if alike == 1 else f"{who} (one of {alike:,} alike)"


def one_of(worlds: int) -> str:
    return f"Of {worlds} possible worlds, each as likely before."
