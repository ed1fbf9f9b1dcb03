"""Utility signals: what noise does to a task, each with what it rests on. They may leave."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from sfumato.errors import BadInput
from sfumato.model.guarantee import Guarantee
from sfumato.model.release import ReleaseCertificate

EXACT_SCORE = "score of the exact answer"  # as what was read off the people, where it left without noise
COVERED = 0.9  # how often the true damage is within the one that is stated, where that is proven


class SignalKind(StrEnum):
    FREE = "free"
    DIFFERENCE = "noisy_difference"
    BLOCKS = "sample_and_aggregate"
    PUBLISHED = "as_published"

    @classmethod
    def from_text(cls, word: str) -> SignalKind:
        """The kind by its stored word."""
        try:
            return cls(word)
        except ValueError:
            raise BadInput(f"There is no signal {word!r}", hint=f"use one of {', '.join(cls)}.") from None


class Proof(StrEnum):
    """Why the stated damage covers the true one, in the words of stored signals."""

    AFFINE = "noise moves this score by as much wherever the figures are"
    HALFSPACE = "this decision hangs on the sign of one sum"


@dataclass(frozen=True)
class SignalScore(ABC):
    """`task` as JSON has it, the range of its scores, and `score`: g(S), of the release itself."""

    kind: ClassVar[SignalKind]
    task: Mapping[str, Any]
    range: tuple[float, float]
    score: float
    certificate: ReleaseCertificate  # of what was charged for the signal; of a free one, of the release

    @property
    def width(self) -> float:
        return self.range[1] - self.range[0]

    @property
    def guarantee(self) -> Guarantee:
        return self.certificate.guarantee

    @property
    def cost(self) -> float | None:
        """The epsilon that was charged for it; None: withheld."""
        return self.certificate.charged

    @property
    def places(self) -> tuple[tuple[float, float], ...]:
        """The ranges in which the charged score lies; with noise, its 90% interval."""
        return ()

    @abstractmethod
    def _figures(self) -> dict[str, Any]: ...

    def as_dict(self) -> dict[str, Any]:
        head = {"kind": self.kind.value, "task": dict(self.task), "range": list(self.range), "score": self.score}
        promised = {"guarantee": self.guarantee.value, "cost": self.cost}
        return head | self._figures() | promised | {"certificate": self.certificate.as_dict()}

    def stored(self) -> dict[str, Any]:
        """All of it: `from_stored` makes the same of it again."""
        return self.as_dict()


@dataclass(frozen=True)
class FreeScore(SignalScore):
    """Scores of the release with fresh noise of the same law on top, one a draw: post-processing, and free."""

    kind: ClassVar[SignalKind] = SignalKind.FREE
    scores: tuple[float, ...]
    damages: tuple[float, ...]  # how far each draw moved the score, from the least
    decides: bool
    bound: float | None  # of the true damage, at `COVERED`, by the Lipschitz constant
    proven: Proof | None  # why `damage` covers the true one at `COVERED`: None where that was only measured

    def __post_init__(self) -> None:
        if not self.scores:
            raise ValueError("a free signal has draws")

    @property
    def cost(self) -> float:
        return 0.0

    @property
    def damage(self) -> float:
        """What is stated for the damage that was really done.

        Where its rate is proven the `ceil(p (m + 1))`-th smallest of m damages, p = 0.9, and the whole range where
        there are too few; else the bound, or without one the largest of all.
        """
        if self.proven is not None:
            return min(self.width, covering_value(self.damages, self.width))
        return min(self.width, self.damages[-1] if self.bound is None else self.bound)

    @property
    def changed(self) -> float:
        """The share of the draws in which the score was another."""
        return sum(score != self.score for score in self.scores) / len(self.scores)

    def stored(self) -> dict[str, Any]:
        drawn = {"scores": list(self.scores), "damages": list(self.damages), "decides": self.decides}
        return self.as_dict() | drawn | {"why": self.proven and self.proven.value}

    def quantile(self, p: float) -> float:
        """The smallest score that a share p of the draws do not exceed."""
        return sorted(self.scores)[max(1, math.ceil(p * len(self.scores))) - 1]

    def _figures(self) -> dict[str, Any]:
        quantiles = {f"{p:g}": self.quantile(p) for p in (0.05, 0.25, 0.5, 0.75, 0.95)}
        figures = {"draws": len(self.scores), "damage": self.damage, "changed": self.changed, "bound": self.bound}
        return figures | {"proven": self.proven is not None, "quantiles": quantiles}


def covering_value(ascending: tuple[float, ...], otherwise: float) -> float:
    """The `ceil(p (m + 1))`-th smallest of m: one more like them is above it at most `1 - p` of the time."""
    rank = math.ceil(COVERED * (len(ascending) + 1) - 1e-9)
    return ascending[rank - 1] if rank <= len(ascending) else otherwise


@dataclass(frozen=True)
class NoisyScore(SignalScore):
    """Charged, and told with noise: dp. `noisy` is as drawn."""

    noisy: float

    @property
    def noise_90(self) -> float | None:
        """The distance that the noise stays within with 90% probability; None where it is withheld."""
        return None if self.certificate.noise_90 is None else self.certificate.noise_90[0]

    def _around(self, *scores: float) -> tuple[tuple[float, float], ...]:
        """As far as the noise goes around each, within the range."""
        (low, high), noise = self.range, self.noise_90 or 0.0
        ends = ((max(low, score - noise), min(high, score + noise)) for score in scores)
        return tuple((start, end) for start, end in ends if start <= end)


@dataclass(frozen=True)
class NoisyDifferenceScore(NoisyScore):
    """`|g(S) - g(q(x))|` with noise."""

    kind: ClassVar[SignalKind] = SignalKind.DIFFERENCE

    @property
    def difference(self) -> float:
        """Within what a difference can be."""
        return max(0.0, min(self.width, self.noisy))

    @property
    def places(self) -> tuple[tuple[float, float], ...]:
        """On one side of the release's score or on the other: one place where these meet."""
        low, high = self.range
        off = min(self.difference, max(self.score - low, high - self.score))  # no score is further away
        sides = self._around(self.score - off, self.score + off)
        meet = len(sides) > 1 and sides[0][1] >= sides[1][0]
        return ((sides[0][0], sides[1][1]),) if meet else sides

    def _figures(self) -> dict[str, Any]:
        return {"noisy": self.noisy, "difference": self.difference, "noise_90": self.noise_90}


@dataclass(frozen=True)
class BlockMeanScore(NoisyScore):
    """The mean of g over so many disjoint blocks of people, with noise."""

    kind: ClassVar[SignalKind] = SignalKind.BLOCKS
    blocks: int

    @property
    def mean(self) -> float:
        """Within what a score can be."""
        return max(self.range[0], min(self.range[1], self.noisy))

    @property
    def places(self) -> tuple[tuple[float, float], ...]:
        return self._around(self.mean)

    def _figures(self) -> dict[str, Any]:
        return {"noisy": self.noisy, "mean": self.mean, "blocks": self.blocks, "noise_90": self.noise_90}


@dataclass(frozen=True)
class PublishedScore(SignalScore):
    """g(S) and g(S'), both rounded to so many decimals: no guarantee. `bits` is what g(S') tells at most.

    An analyst's own function may have no score: `exact` is None.
    """

    kind: ClassVar[SignalKind] = SignalKind.PUBLISHED
    exact: float | None
    decimals: int
    bits: float

    @property
    def places(self) -> tuple[tuple[float, float], ...]:
        return () if self.exact is None else ((self.exact, self.exact),)

    def _figures(self) -> dict[str, Any]:
        return {"exact": self.exact, "decimals": self.decimals, "bits": self.bits}


AnySignalScore = FreeScore | NoisyDifferenceScore | BlockMeanScore | PublishedScore


def from_stored(stored: Mapping[str, Any], certificate: ReleaseCertificate) -> AnySignalScore:
    """A signal that was charged, as the ledger has it; or a free one, as it was stored."""
    head = (stored["task"], tuple(stored["range"]), stored["score"], certificate)
    match stored["kind"]:
        case SignalKind.FREE:
            drawn = (tuple(stored["scores"]), tuple(stored["damages"]), stored["decides"])
            proven = None if stored["why"] is None else Proof(stored["why"])
            return FreeScore(*head, *drawn, stored["bound"], proven)
        case SignalKind.DIFFERENCE:
            return NoisyDifferenceScore(*head, stored["noisy"])
        case SignalKind.BLOCKS:
            return BlockMeanScore(*head, stored["noisy"], stored["blocks"])
    return PublishedScore(*head, stored["exact"], stored["decimals"], stored["bits"])
