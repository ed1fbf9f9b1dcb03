"""The analysis of a study as text."""

from __future__ import annotations

from sfumato.model.study_analysis import Analysis, ArmComparison, ArmShare
from sfumato.presentation.table import table
from sfumato.presentation.wording.numbers import number, percent

_NO_PARTICIPANTS = "No participant who passed the quiz has answered a task yet."
_TEST = (
    "p: Mann and Whitney's test that both arms choose alike, two-sided; each p holds for itself.\n"
    "Difference: Hodges and Lehmann's estimate, with its 95% interval.\n"
    "Spread: mean distance from the median; p of Brown and Forsythe's test."
)
_EFFECT = "Arm {} chose {} values than the control for {} (p {})."
_AGREED = "Arm {} agreed {} than the control on {} (p {})."
_NONE = "No difference between arm {} and the control was found for {}. This does not show that there is none."
_LEVEL = 0.05


def text(analysis: Analysis) -> str:
    """Tables of the arms, and each conclusion as a sentence."""
    if not analysis.participants:
        return _NO_PARTICIPANTS
    people = ", ".join(f"{arm} {count}" for arm, count in analysis.participants.items())
    blocks = [f"Participants who passed the quiz: {people}"]
    if analysis.comparisons:
        rows = [_row(each) for each in analysis.comparisons]
        head = ["task", "arm", "n", "median", "difference", "p", "spread", "p of spread", "seconds"]
        blocks += [table(head, [row for pair in rows for row in pair]), _TEST]
        blocks.append("\n".join(line for each in analysis.comparisons for line in _conclusions(each)))
    if analysis.by_familiarity:
        head = ["knew differential privacy", "task", "arm", "n", "median", "spread", "difference", "p", "p of spread"]
        blocks.append(table(head, [row for each in analysis.by_familiarity for row in _familiar(each)]))
    for title, shares in (("Used the indicator", analysis.used), ("Within both limits", analysis.within)):
        if shares:
            blocks.append(
                table([title.lower(), "task", "participants", "share", "95% interval"], list(map(_cells, shares)))
            )
    if analysis.sus:
        scores = [[mean.arm, str(mean.count), f"{mean.mean:.1f}", _interval(mean.interval)] for mean in analysis.sus]
        blocks.append(table(["usability (SUS, 0 to 100)", "n", "mean", "95% interval"], scores))
    return "\n\n".join(blocks)


def _row(one: ArmComparison) -> tuple[list[str], list[str]]:
    control, arm = one.control, one.arm
    first = [one.task, control.arm, str(control.count), f"{control.median:g}", "", "", f"{control.deviation:.2f}", ""]
    second = ["", arm.arm, str(arm.count), f"{arm.median:g}", f"{one.shift:g}, {_interval(one.interval)}"]
    second += [_p(one.p), f"{arm.deviation:.2f}", _p(one.p_spread)]
    return [*first, f"{control.seconds:.0f}"], [*second, f"{arm.seconds:.0f}"]


def _familiar(one: ArmComparison) -> tuple[list[str], list[str]]:
    first, second = (
        [each.arm, str(each.count), f"{each.median:g}", f"{each.deviation:.2f}"] for each in (one.control, one.arm)
    )
    difference = [f"{one.shift:g}, {_interval(one.interval)}", _p(one.p), _p(one.p_spread)]
    return ["yes" if one.knew_dp else "no", one.task, *first, "", "", ""], ["", "", *second, *difference]


def _conclusions(one: ArmComparison) -> list[str]:
    lines = []
    if one.p < _LEVEL:
        how = "smaller" if one.shift < 0 else "larger" if one.shift > 0 else "other"
        lines.append(_EFFECT.format(one.arm.arm, how, one.task, _p(one.p)))
    if one.p_spread < _LEVEL:
        how = "more" if one.arm.deviation < one.control.deviation else "less"
        lines.append(_AGREED.format(one.arm.arm, how, one.task, _p(one.p_spread)))
    return lines or [_NONE.format(one.arm.arm, one.task)]


def _cells(share: ArmShare) -> list[str]:
    low, high = share.interval
    rate = percent(share.yes / share.count)
    return [share.arm, share.task, f"{share.yes} of {share.count}", rate, f"{percent(low)} to {percent(high)}"]


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{number(ends[0])} to {number(ends[1])}"


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
