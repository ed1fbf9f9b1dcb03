"""What the exported answers of a study show: each arm against the control, task by task.

Mann and Whitney's test is the papers' (RDR section 6.1.3). It compares levels; that people agree more with each other
is a smaller spread, which Brown and Forsythe's test compares.
"""

from __future__ import annotations

import csv
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.errors import BadInput
from sfumato.model.study_analysis import Analysis, ArmComparison, ArmMean, ArmShare, ArmSummary
from sfumato.study.design import Arm
from sfumato.study.export import COLUMNS

CONFIDENCE = 0.95
FEWEST = 2  # answers of an arm that are compared


Row = Mapping[str, str]


def analyse(path: Path) -> Analysis:
    """Analyse an exported file."""
    rows = [row for row in _read(path) if row["passed_quiz"] == "True" and row["task"]]
    arms = [arm.value for arm in Arm if any(row["arm"] == arm for row in rows)]
    tasks = sorted({row["task"] for row in rows})
    people = {arm: _one_each(rows, arm) for arm in arms}
    comparisons = _comparisons(rows, tasks, arms)
    known = sorted({row["knew_dp"] for row in rows}, reverse=True)
    familiar = [
        replace(each, knew_dp=knew)
        for knew in ((True, False) if known == ["True", "False"] else ())
        for each in _comparisons([row for row in rows if row["knew_dp"] == str(knew)], tasks, arms)
    ]
    used = [
        share
        for arm in arms
        if (share := _share(arm, "", [row["used_indicator"] for row in people[arm] if row["used_indicator"]]))
    ]
    within = [
        share
        for task in tasks
        for arm in arms
        if (share := _share(arm, task, [_both(row) for row in _of(rows, task, arm) if row["within_risk"]]))
    ]
    sus = [_mean(arm, scores) for arm in arms if (scores := [float(row["sus"]) for row in people[arm] if row["sus"]])]
    counts = {arm: len(people[arm]) for arm in arms}
    return Analysis(counts, tuple(comparisons), tuple(used), tuple(within), tuple(sus), tuple(familiar))


def _comparisons(rows: Sequence[Row], tasks: Sequence[str], arms: Sequence[str]) -> list[ArmComparison]:
    return [
        _compare(task, control, treated)
        for task in tasks
        for arm in arms
        if arm != Arm.CONTROL
        and len(control := _of(rows, task, Arm.CONTROL)) >= FEWEST
        and len(treated := _of(rows, task, arm)) >= FEWEST
    ]


def _read(path: Path) -> list[Row]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise BadInput.because("study-not-exported", path=str(path))
            return list(reader)
    except (OSError, UnicodeError, csv.Error):
        raise BadInput.because("study-not-exported", path=str(path)) from None


def _of(rows: Sequence[Row], task: str, arm: str) -> list[Row]:
    return [row for row in rows if row["task"] == task and row["arm"] == arm]


def _one_each(rows: Sequence[Row], arm: str) -> list[Row]:
    return list({row["participant"]: row for row in rows if row["arm"] == arm}.values())


def _both(row: Row) -> str:
    return str(row["within_risk"] == row["within_noise"] == "True")


def _compare(task: str, control: Sequence[Row], treated: Sequence[Row]) -> ArmComparison:
    from scipy import stats

    before, after = ([float(row["value"]) for row in rows] for rows in (control, treated))
    test = stats.mannwhitneyu(after, before, alternative="two-sided")
    spread = stats.levene(after, before, center="median")
    p_spread = 1.0 if math.isnan(spread.pvalue) else float(spread.pvalue)  # all values alike
    shift, interval = hodges_lehmann(after, before)
    summaries = _summary(treated), _summary(control)
    return ArmComparison(task, *summaries, float(test.statistic), float(test.pvalue), shift, interval, p_spread)


def _summary(rows: Sequence[Row]) -> ArmSummary:
    values = [float(row["value"]) for row in rows]
    median = statistics.median(values)
    deviation = statistics.fmean(abs(value - median) for value in values)
    return ArmSummary(
        rows[0]["arm"], len(values), median, deviation, statistics.median(float(row["seconds"]) for row in rows)
    )


def hodges_lehmann(first: Sequence[float], second: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """The median of all differences between two samples, and the interval that inverts Mann and Whitney's test.

    Hollander & Wolfe (1999), section 4.3, with the normal approximation.

    >>> hodges_lehmann([2.0] * 20, [1.0] * 20)
    (1.0, (1.0, 1.0))
    """
    differences = sorted(a - b for a in first for b in second)
    m, n = len(first), len(second)
    z = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    least = max(0, math.floor(m * n / 2 - z * math.sqrt(m * n * (m + n + 1) / 12)))
    return statistics.median(differences), (differences[least], differences[-1 - least])


def _share(arm: str, task: str, answers: Sequence[str]) -> ArmShare | None:
    """Wilson (1927)."""
    if not answers:
        return None
    yes, count = sum(answer == "True" for answer in answers), len(answers)
    z = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    middle = (yes + z * z / 2) / (count + z * z)
    half = z / (count + z * z) * math.sqrt(yes * (count - yes) / count + z * z / 4)
    return ArmShare(arm, task, yes, count, (max(0.0, middle - half), min(1.0, middle + half)))


def _mean(arm: str, scores: Sequence[float]) -> ArmMean:
    from scipy import stats

    mean, count = statistics.fmean(scores), len(scores)
    if count < FEWEST:
        return ArmMean(arm, count, mean, None)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1)) * statistics.stdev(scores) / math.sqrt(count)
    return ArmMean(arm, count, mean, (mean - half, mean + half))
