"""Sentences of a signal: the effect of noise on a score, how sure that is, and the charge."""

from __future__ import annotations

from sfumato.model.guarantee import Guarantee
from sfumato.model.signal_score import (
    BlockMeanScore,
    FreeScore,
    NoisyDifferenceScore,
    NoisyScore,
    Proof,
    PublishedScore,
    SignalKind,
    SignalScore,
)
from sfumato.presentation.wording.guarantee import guarantee, rounded_down, rounded_up
from sfumato.presentation.wording.numbers import percent, percent_up

TITLES = {
    SignalKind.FREE: "Effect of noise on the score",
    SignalKind.DIFFERENCE: "Distance from the exact score, with noise",
    SignalKind.BLOCKS: "Mean score of blocks of people, with noise",
    SignalKind.PUBLISHED: "Scores of the release and of the exact answer",
}
FREE = (
    "The signal is computed from the release alone: no data is read, it costs nothing, and the guarantee of the "
    "release does not change."
)
WHAT_A_SPREAD_IS = (
    "This is the effect that noise of this size has on the score of this release. It does not say whether the exact "
    "answer scores better or worse."
)
_PROOFS = {
    Proof.AFFINE: "noise changes this score by the same amount for any figures",
    Proof.HALFSPACE: "this decision depends on the sign of one sum",
}
_NOT_COVERED = "This does not cover counts that were rounded or cut off at 0."
_PROVEN = f"With 90% probability, the noise changed the score by at most {{}}, because {{}}. {_NOT_COVERED}"
_BOUNDED = (
    "With 90% probability, the noise changed the score by at most {}, according to the Lipschitz constant of the task."
)
_THEN = (
    "The score of the exact answer is then between {} and {}. If both are poor, the data is the cause, not the noise."
)
_SAFE = (
    "The exact answer gives the same result. Whatever the data, this statement is wrong for at most 10% of releases, "
    f"because {{}}. {_NOT_COVERED}"
)
_OPEN = "The exact answer may give another result: noise of this size changes it too often."
_MEASURED = "No draw changed the score{}. The actual change may be larger: no probability is proven for this task."
_MET = "On generated data, the change stayed within the largest of all draws in 90% of cases."
_TRIED = {"chi_square", "formula", "rank_agreement", "top_k"}  # tasks that were tested, with _DRAWS draws
_DRAWS = 199
NO_SCORE = "This signal has no score to plot"
_DRAWN = "90% interval, noise only"
_UNTOLD = "noisy; the noise scale is withheld"
BLACK_BOX = (
    "Each block is a small part of the people, scored as if it were all of them. The mean score includes the error "
    "that this causes."
)
DROWNED = "The noise is as wide as the whole range of scores: the result says almost nothing about the exact answer."


def sentences(signal: SignalScore) -> tuple[str, ...]:
    """The result of a signal, its uncertainty and its guarantee."""
    match signal:
        case FreeScore():
            return _free(signal)
        case NoisyDifferenceScore():
            return _difference(signal)
        case BlockMeanScore():
            return _blocks(signal)
        case PublishedScore():
            return _published(signal)
    raise ValueError("not a signal")


def verdict(signal: SignalScore) -> str | None:
    """The result of a yes-or-no task, and how often fresh noise gives the same; None for other signals."""
    if not isinstance(signal, FreeScore) or not signal.decides or signal.score not in (0.0, 1.0):
        return None
    return f"{'Yes' if signal.score else 'No'}, and the same in {percent(1 - signal.changed)} of the draws"


def drawn(signal: FreeScore) -> str:
    """The task, and the number of draws."""
    return f"Task {signal.task['task']}: the release with fresh noise added, {len(signal.scores):,} draws"


def scale(signal: SignalScore) -> str:
    """The task and its range of scores."""
    return f"Task {signal.task['task']}, scores from {signal.range[0]:g} to {signal.range[1]:g}"


def placed(signal: SignalScore) -> tuple[tuple[str, ...], str]:
    """The label of each interval in a figure, and what the intervals cover."""
    whose = f"mean of {signal.blocks:,} blocks of people" if isinstance(signal, BlockMeanScore) else "exact answer"
    sides = (f"{whose}, if lower", f"{whose}, if higher") if len(signal.places) > 1 else (whose,)
    if not isinstance(signal, NoisyScore):
        return sides, ""
    return sides, _DRAWN if signal.noise_90 is not None else _UNTOLD


def _free(signal: FreeScore) -> tuple[str, ...]:
    low, high = signal.quantile(0.05), signal.quantile(0.95)
    share = "all" if min(signal.scores) == max(signal.scores) else "90% of the"
    where = f"are {low:.3g}" if low == high else f"are between {low:.3g} and {high:.3g}"
    spread = f"With fresh noise added, {share} scores {where}"
    often = f"{percent_up(signal.changed)} of the draws" if signal.changed else "no draw"
    changed = f"; {often} gave another result" if signal.decides else ""
    return score(signal), f"{spread}{changed}.", WHAT_A_SPREAD_IS, _rate(signal), FREE


def _rate(signal: FreeScore) -> str:
    """How much the noise changed the score, and how sure that is."""
    if signal.proven is None:
        return _measured(signal) if signal.bound is None else _within_damage(_BOUNDED, signal)
    if not signal.decides:
        return _within_damage(_PROVEN, signal)
    return _OPEN if signal.damage else _SAFE.format(_PROOFS[signal.proven])


def _within_damage(words: str, signal: FreeScore) -> str:
    """Rounded outwards."""
    low, high = signal.range
    lowest, highest = max(low, signal.score - signal.damage), min(high, signal.score + signal.damage)
    then = _THEN.format(rounded_down(lowest), rounded_up(highest))
    proof = "" if signal.proven is None else _PROOFS[signal.proven]
    return f"{words.format(rounded_up(signal.damage), proof)} {then}"


def _measured(signal: FreeScore) -> str:
    """For a task without a proof: the largest change of all draws, and whether that was tested."""
    tried = signal.task["task"] in _TRIED and len(signal.scores) >= _DRAWS
    sentence = _MEASURED.format(f" by more than {signal.damage:.3g}" if signal.damage else "")
    return f"{sentence} {_MET}" if tried else sentence


def _difference(signal: NoisyDifferenceScore) -> tuple[str, ...]:
    difference = f"Distance to the score of the exact answer: {signal.difference:.3g}{_within(signal.noise_90)}."
    return score(signal), difference, *_drowned(signal, signal.noise_90), *_promised(signal)


def _blocks(signal: BlockMeanScore) -> tuple[str, ...]:
    mean = f"Mean score of {signal.blocks:,} blocks of people: {signal.mean:.3g}{_within(signal.noise_90)}."
    return score(signal), mean, *_drowned(signal, signal.noise_90), BLACK_BOX, *_promised(signal)


def _published(signal: PublishedScore) -> tuple[str, ...]:
    digits = signal.decimals
    exact = "no score" if signal.exact is None else f"{signal.exact:.{digits}f}"
    both = f"Score of the release: {signal.score:.{digits}f}. Score of the exact answer: {exact}."
    return both, guarantee(signal.certificate), f"With {digits} decimals it reveals at most {signal.bits:.1f} bits."


def score(signal: SignalScore) -> str:
    low, high = signal.range
    return f"Score of the release: {signal.score:.3g} (range {low:g} to {high:g})."


def _drowned(signal: SignalScore, noise_90: float | None) -> tuple[str, ...]:
    return () if noise_90 is None or noise_90 < signal.width else (DROWNED,)


def _within(noise_90: float | None) -> str:
    return "" if noise_90 is None else f", 90% interval ±{noise_90:.2g} (noise only)"


def _promised(signal: SignalScore) -> tuple[str, ...]:
    if signal.guarantee is Guarantee.NONE or signal.cost is None:
        return (guarantee(signal.certificate),)
    return (f"Charged epsilon {signal.cost:.15g}. {guarantee(signal.certificate)}",)
