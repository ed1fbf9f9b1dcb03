"""What noise did to a task, what that rests on, and what it cost. Every such sentence stands here, once."""

from __future__ import annotations

import math

from sfumato.model.guarantee import Guarantee
from sfumato.model.signal_score import (
    BlockMeanScore,
    FreeScore,
    NoisyDifferenceScore,
    NoisyScore,
    PublishedScore,
    SignalKind,
    SignalScore,
)
from sfumato.presentation.wording.guarantee import guarantee, rounded_down, rounded_up

TITLES = {
    SignalKind.FREE: "What noise of this size does to the score",
    SignalKind.DIFFERENCE: "How far the score is off, with noise",
    SignalKind.BLOCKS: "The score of the exact data, by blocks of people, with noise",
    SignalKind.PUBLISHED: "The score of the release beside that of the exact answer",
}
FREE = "Made from the release alone: nobody is read, it costs nothing, and what the release promises stays as it is."
WHAT_A_SPREAD_IS = (
    "It is the damage that noise of this size does to the score of this release. Whether the exact answer scores "
    "better or worse it does not tell."
)
_PROVEN = (
    "90 times of 100 the damage that was really done is within {}: {}, but for counts that were rounded or cut off at "
    "0."
)
_BOUNDED = "90 times of 100 the damage that was really done is within {}, by the Lipschitz constant of the task."
_THEN = "Then the exact answer scores from {} to {}: what is poor at both ends comes from the data, not from the noise."
_SAFE = (
    "The exact answer comes to the same. Whatever the data, at most 10 of 100 releases have this said wrongly: {}, but "
    "for counts that were rounded or cut off at 0."
)
_OPEN = "The exact answer may come to another: noise of this size turns it too often."
_MEASURED = "No draw moved it{}. The damage that was really done may be larger: for this task no rate is proven."
_MET = "On generated data it was within the largest of all draws 90 times of 100."
_TRIED = {"chi_square", "formula", "rank_agreement", "top_k"}  # tasks, with so many draws
_DRAWS = 199
NO_SCORE = "There is no score to draw"
_DRAWN = "there 90 times of 100 (noise alone)"
_UNTOLD = "as it was drawn: how wide the noise is stays withheld"
BLACK_BOX = (
    "Each block is a small part of the people, taken as if all were like them: what the score loses by that is in it "
    "too."
)
DROWNED = "The noise is as wide as the whole scale: this tells next to nothing about the exact answer."


def sentences(signal: SignalScore) -> tuple[str, ...]:
    """What there is to say of it, sentence by sentence."""
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


def drawn(signal: FreeScore) -> str:
    """What the draws are of."""
    return f"Task {signal.task['task']}: the release with fresh noise on top, {len(signal.scores):,} draws"


def scale(signal: SignalScore) -> str:
    """What a score that was charged for is drawn on."""
    return f"Task {signal.task['task']}, on a scale from {signal.range[0]:g} to {signal.range[1]:g}"


def placed(signal: SignalScore) -> tuple[tuple[str, ...], str]:
    """Whose score is drawn, place by place, and how often it is there."""
    whose = f"mean of {signal.blocks:,} blocks of people" if isinstance(signal, BlockMeanScore) else "the exact answer"
    sides = (f"{whose}, if it is below", f"{whose}, if it is above") if len(signal.places) > 1 else (whose,)
    if not isinstance(signal, NoisyScore):
        return sides, ""
    return sides, _DRAWN if signal.noise_90 is not None else _UNTOLD


def _free(signal: FreeScore) -> tuple[str, ...]:
    low, high = signal.quantile(0.05), signal.quantile(0.95)
    where = f"are {low:.3g}" if low == high else f"lie from {low:.3g} to {high:.3g}"
    spread = f"With fresh noise on top, 90 of 100 scores {where}"
    changed = f"; {math.ceil(100 * signal.changed - 1e-9)} of 100 came to another answer" if signal.decides else ""
    return score(signal), f"{spread}{changed}.", WHAT_A_SPREAD_IS, _rate(signal), FREE


def _rate(signal: FreeScore) -> str:
    """How far the damage that was really done is known."""
    if signal.proven is None:
        return _measured(signal) if signal.bound is None else _within_damage(_BOUNDED, signal)
    if not signal.decides:
        return _within_damage(_PROVEN, signal)
    return _OPEN if signal.damage else _SAFE.format(signal.proven)


def _within_damage(words: str, signal: FreeScore) -> str:
    """Rounded outwards."""
    low, high = signal.range
    lowest, highest = max(low, signal.score - signal.damage), min(high, signal.score + signal.damage)
    then = _THEN.format(rounded_down(lowest), rounded_up(highest))
    return f"{words.format(rounded_up(signal.damage), signal.proven)} {then}"


def _measured(signal: FreeScore) -> str:
    """What is known of a task for which nothing is proven: that it was tried, if it was, with as many draws."""
    tried = signal.task["task"] in _TRIED and len(signal.scores) >= _DRAWS
    sentence = _MEASURED.format(f" by more than {signal.damage:.3g}" if signal.damage else "")
    return f"{sentence} {_MET}" if tried else sentence


def _difference(signal: NoisyDifferenceScore) -> tuple[str, ...]:
    difference = f"That of the exact answer lies {signal.difference:.3g} away{_within(signal.noise_90)}."
    return score(signal), difference, *_drowned(signal, signal.noise_90), *_promised(signal)


def _blocks(signal: BlockMeanScore) -> tuple[str, ...]:
    mean = f"The mean score of {signal.blocks:,} blocks of people is {signal.mean:.3g}{_within(signal.noise_90)}."
    return score(signal), mean, *_drowned(signal, signal.noise_90), BLACK_BOX, *_promised(signal)


def _published(signal: PublishedScore) -> tuple[str, ...]:
    digits = signal.decimals
    exact = "no_score" if signal.exact is None else f"{signal.exact:.{digits}f}"
    both = f"Score of the release: {signal.score:.{digits}f}. Score of the exact answer: {exact}."
    return both, guarantee(signal.certificate), f"Rounded to {digits} decimals it tells at most {signal.bits:.1f} bits."


def score(signal: SignalScore) -> str:
    low, high = signal.range
    return f"Score of the release: {signal.score:.3g}, on a scale from {low:g} to {high:g}."


def _drowned(signal: SignalScore, noise_90: float | None) -> tuple[str, ...]:
    return () if noise_90 is None or noise_90 < signal.width else (DROWNED,)


def _within(noise_90: float | None) -> str:
    return "" if noise_90 is None else f", within ±{noise_90:.2g} of that 90 times of 100 (noise alone)"


def _promised(signal: SignalScore) -> tuple[str, ...]:
    if signal.guarantee is Guarantee.NONE or signal.cost is None:
        return (guarantee(signal.certificate),)
    return (f"It cost epsilon {signal.cost:.15g}: {guarantee(signal.certificate)}",)
