"""The answers of a study as a table: one row for each answered task."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.study.design import CONSENT, END, QUIZ, SUS, USED, Kind, next_step
from sfumato.study.file import StudyFile

COLUMNS = (
    "participant", "arm", "task", "position", "value", "seconds", "knew_dp", "passed_quiz", "used_indicator",
    "sus", "finished", "within_risk", "within_noise",
)  # fmt: skip
SUS_ITEMS = 10


def rows(study: StudyFile) -> Iterator[dict[str, Any]]:
    """One row for each answered task; one without a task for a participant who began and answered none."""
    for participant in study.participants():
        if not participant.answers:
            continue
        common = {
            "participant": participant.number,
            "arm": participant.arm.value,
            "knew_dp": participant.answer(CONSENT).get("knew_dp"),
            "passed_quiz": participant.answer(QUIZ).get("passed"),
            "used_indicator": participant.answer(USED).get("used"),
            "sus": sus_score(participant.answer(SUS).get("items")),
            "finished": next_step(study.kind, participant) == END,
        }
        answered = [answer for answer in participant.answers if answer.step in study.tasks]
        for position, answer in enumerate(answered, start=1):
            task = study.tasks[answer.step]
            option = next(each for each in task.options if each.value == answer.values["value"])
            limits: dict[str, Any] = {}
            if study.kind is Kind.SHARING:
                limits = {"within_risk": option.risk <= task.limit, "within_noise": option.value <= task.most_noise}
            chosen = {"task": task.name, "position": position, "value": option.value, "seconds": answer.seconds}
            yield dict.fromkeys(COLUMNS) | common | chosen | limits
        if not answered:
            yield dict.fromkeys(COLUMNS) | common


def sus_score(items: list[int] | None) -> float | None:
    """System usability scale (Brooke 1996): odd items count from 1 up, even ones from 5 down; times 2.5.

    >>> sus_score([5, 1] * 5), sus_score([3] * 10)
    (100.0, 50.0)
    """
    if items is None or len(items) != SUS_ITEMS:
        return None
    return 2.5 * sum(item - 1 if index % 2 == 0 else 5 - item for index, item in enumerate(items))
