"""Who sees what: kinds of study, arms, the steps of a participant, and the random assignment to links."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

T = TypeVar("T")


class Kind(StrEnum):
    """Which paper's tasks: RDR section 6.1, PRI section 6.1, or the sharing risk, section 4."""

    RDR = "rdr"
    PRI = "pri"
    SHARING = "sharing"


class Arm(StrEnum):
    """What a participant sees beside the noise: nothing, the indicator as a range, or as a histogram."""

    CONTROL = "control"
    TREATMENT = "treatment"
    HISTOGRAM = "histogram"


CONSENT, TUTORIAL, QUIZ, USED, SUS, END = "consent", "tutorial", "quiz", "used", "sus", "end"
DEFAULT_ARMS = (Arm.CONTROL, Arm.TREATMENT)


@dataclass(frozen=True)
class StudyAnswer:
    """What a participant answered to a step, and the seconds from its first display to the answer."""

    step: str
    values: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True)
class Participant:
    """A link, with the arm and the order of tasks that it was assigned; nothing is known about the person."""

    number: int
    link: str
    arm: Arm
    order: tuple[str, ...]
    answers: tuple[StudyAnswer, ...] = field(default=())

    def answer(self, step: str) -> Mapping[str, Any]:
        """What was answered to this step; empty if nothing was."""
        return next((answer.values for answer in self.answers if answer.step == step), {})


def steps(kind: Kind, participant: Participant) -> tuple[str, ...]:
    """The pages of a participant, in order. Who fails the quiz has no tasks, as in the papers."""
    questions: tuple[str, ...] = (*participant.order,)
    if participant.arm is not Arm.CONTROL:
        questions += (USED,)
    if kind is Kind.SHARING:
        questions += (SUS,)
    if participant.answer(QUIZ).get("passed") is False:
        questions = ()
    return (CONSENT, TUTORIAL, QUIZ, *questions, END)


def next_step(kind: Kind, participant: Participant) -> str:
    """The first page without an answer."""
    answered = {answer.step for answer in participant.answers}
    return next(step for step in steps(kind, participant) if step not in answered)


def assign(count: int, arms: Sequence[Arm], tasks: Sequence[str]) -> list[Participant]:
    """Participants with random links, arms and orders of tasks; the sizes of the arms differ by one at most."""
    balanced = shuffled([arms[number % len(arms)] for number in range(count)])
    return [
        Participant(number, os.urandom(16).hex(), arm, tuple(shuffled(tasks)))
        for number, arm in enumerate(balanced, start=1)
    ]


def shuffled(items: Sequence[T]) -> list[T]:
    """The items in a random order."""
    keys = [os.urandom(16) for _ in items]
    return [item for _, item in sorted(zip(keys, items, strict=True), key=lambda pair: pair[0])]
