"""A user study: arms and orders are balanced, each step is answered once, and the analysis finds what is there."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from sfumato.errors import BadInput
from sfumato.presentation import study_view
from sfumato.study import design
from sfumato.study.analysis import analyse
from sfumato.study.design import Arm, Kind
from sfumato.study.export import COLUMNS, rows
from sfumato.study.file import StudyFile
from sfumato.study.tasks import EPSILONS, QUERIES, StudyTask, make
from tests.memory import in_memory

SPREAD = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)
ALIKE = (1.5, 2.0, 1.5, 2.0, 1.5, 2.0, 1.5, 2.0, 1.5, 1.0)


@pytest.fixture
def folder() -> Iterator[Path]:
    """In memory where it can be: each answer is synced to the disk."""
    with TemporaryDirectory(prefix="sfumato-", dir=in_memory()) as name:
        yield Path(name)


@pytest.fixture(scope="module")
def rdr() -> tuple[StudyTask, ...]:
    return make(Kind.RDR, 400)


def answered(
    folder: Path, tasks: tuple[StudyTask, ...], values: dict[Arm, tuple[float, ...]], every: int | None = None
) -> Path:
    """An export of a study in which each arm chose these values; of `every` so many participants one knew the field."""
    people = design.assign(6 * len(SPREAD), design.DEFAULT_ARMS, [task.name for task in tasks])
    study = StudyFile.create(folder, Kind.RDR, tasks, people)
    counted: Counter[Arm] = Counter()
    for participant in people:
        chosen = values[participant.arm]
        value = chosen[counted[participant.arm] % len(chosen)]
        knew = every is not None and counted[participant.arm] % every == 0
        counted[participant.arm] += 1
        answers: list[tuple[str, dict[str, Any]]] = [
            (design.CONSENT, {"knew_dp": knew}), (design.TUTORIAL, {}), (design.QUIZ, {"passed": True}),
            *((name, {"value": value}) for name in participant.order), (design.USED, {"used": True}),
        ]  # fmt: skip
        for step, given in answers:
            now = study.one(participant.link)
            assert now is not None
            study.display(now, step, 100.0)
            study.answer(now, step, given, 107.5)
    path = folder / "answers.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows(study))
    return path


def test_arms_are_balanced_links_differ_and_orders_vary() -> None:
    people = design.assign(61, tuple(Arm), ["a", "b"])
    counts = Counter(each.arm for each in people)
    assert max(counts.values()) - min(counts.values()) == 1
    assert len({each.link for each in people}) == 61
    assert all(len(each.link) == 32 for each in people)
    assert {each.order for each in people} == {("a", "b"), ("b", "a")}  # false with probability 2 ** -60


def test_a_constructed_effect_is_found(folder: Path, rdr: tuple[StudyTask, ...]) -> None:
    analysis = analyse(answered(folder, rdr, {Arm.CONTROL: SPREAD, Arm.TREATMENT: ALIKE}))
    assert dict(analysis.participants) == {"control": 30, "treatment": 30}
    assert {each.task for each in analysis.comparisons} == {*QUERIES}
    for each in analysis.comparisons:
        assert each.p < 0.005
        assert each.p_spread < 0.005
        assert each.interval[0] <= each.shift == -1.0 <= each.interval[1] < 0
        assert (each.arm.deviation, each.control.deviation) == (0.25, 1.25)
        assert each.arm.seconds == 7.5
    (used,) = analysis.used
    assert (used.yes, used.count) == (30, 30)
    assert used.interval[0] == pytest.approx(0.8865, abs=1e-4)  # Wilson
    text = study_view.text(analysis)
    assert "Arm treatment chose smaller values than the control for young-and-rich" in text
    assert "Arm treatment agreed more than the control on young-and-rich" in text


def test_those_who_knew_and_those_who_did_not_are_compared_apart(folder: Path, rdr: tuple[StudyTask, ...]) -> None:
    """The indicator has an effect on those who knew differential privacy, and on no one else."""
    treatment = tuple(value for pair in zip(ALIKE, SPREAD, strict=True) for value in pair)
    control = tuple(value for value in SPREAD for _ in range(2))
    analysis = analyse(answered(folder, rdr, {Arm.CONTROL: control, Arm.TREATMENT: treatment}, every=2))
    assert [(each.knew_dp, each.arm.count) for each in analysis.by_familiarity] == [(True, 15)] * 2 + [(False, 15)] * 2
    for each in analysis.by_familiarity:
        assert (each.p_spread < 0.01) == each.knew_dp
        assert (each.shift < 0) == each.knew_dp
    assert "knew differential privacy" in study_view.text(analysis)


def test_where_both_arms_choose_alike_no_effect_is_found(folder: Path, rdr: tuple[StudyTask, ...]) -> None:
    analysis = analyse(answered(folder, rdr, {Arm.CONTROL: SPREAD, Arm.TREATMENT: SPREAD}))
    for each in analysis.comparisons:
        assert each.p > 0.9
        assert each.p_spread > 0.9
        assert each.interval[0] < 0 == each.shift < each.interval[1]
    assert "was found for young-and-rich. This does not show that there is none." in study_view.text(analysis)


def test_an_answer_counts_once_and_only_where_it_is_due(folder: Path, rdr: tuple[StudyTask, ...]) -> None:
    study = StudyFile.create(folder, Kind.RDR, rdr, design.assign(2, design.DEFAULT_ARMS, ["young-and-rich"]))
    first, second = study.participants()
    study.answer(first, "young-and-rich", {"value": 1.0}, 0.0)
    study.answer(first, design.CONSENT, {"knew_dp": True}, 0.0)
    study.answer(first, design.CONSENT, {"knew_dp": False}, 0.0)
    now = study.one(first.link)
    assert now is not None
    assert [(answer.step, answer.values) for answer in now.answers] == [(design.CONSENT, {"knew_dp": True})]
    assert study.one(second.link) == second
    assert study.one("0" * 32) is None
    assert [row["participant"] for row in rows(study)] == [1]


def test_who_fails_the_quiz_has_no_tasks() -> None:
    (one,) = design.assign(1, (Arm.TREATMENT,), ["a"])
    failed = design.StudyAnswer(design.QUIZ, {"passed": False}, 1.0)
    out = design.Participant(1, one.link, one.arm, one.order, (failed,))
    assert design.steps(Kind.RDR, one) == ("consent", "tutorial", "quiz", "a", "used", "end")
    assert design.steps(Kind.RDR, out) == ("consent", "tutorial", "quiz", "end")


def test_what_is_shown_follows_from_the_population(rdr: tuple[StudyTask, ...]) -> None:
    for task in rdr:
        assert tuple(option.value for option in task.options) == EPSILONS
        for option in task.options:
            assert option.high == pytest.approx(option.low + 1)  # a count: those who count and those who do not
            assert option.low * option.value == pytest.approx(len(task.figures))  # expected noise of all figures
            assert sum(people for *_, people in option.bins) == 400
    for task in make(Kind.PRI, 50):
        assert all(0 <= option.high - option.low <= len(task.figures) for option in task.options)
    for task in make(Kind.SHARING, 50):
        risks = [option.risk for option in task.options]
        assert risks == sorted(risks, reverse=True)
        assert any(option.risk <= task.limit and option.value <= task.most_noise for option in task.options)
        assert StudyTask.from_dict(task.as_dict()) == task


def test_a_file_that_is_no_export_is_refused(folder: Path) -> None:
    path = folder / "answers.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(BadInput):
        analyse(path)
    with pytest.raises(BadInput):
        StudyFile(folder)
