"""A utility signal as its holder sees it: printed in full, because it may leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypedDict, Unpack

from sfumato.api.display import Printed
from sfumato.api.figure import Picture
from sfumato.model import signal_score as model
from sfumato.model.release import Released
from sfumato.presentation import signal_view as view
from sfumato.presentation.certificate import worded
from sfumato.presentation.document import Document
from sfumato.release.bound_query import BoundQuery
from sfumato.signals.signal_request import signal_request
from sfumato.signals.tasks.task import Task
from sfumato.signals.utility_signal import make_signal


class _PrintableSignal(Printed, model.SignalScore):
    def _document(self) -> Document:
        return view.document(self)

    def plot(self) -> Picture:
        """Of a free one the histogram of scores; of others where the exact score lies, beside that of the release."""
        return Picture(view.figure(self), of_the_people=False)


@dataclass(frozen=True, repr=False)
class FreeSignal(_PrintableSignal, model.FreeScore):
    """What noise of the same size does to the score."""


@dataclass(frozen=True, repr=False)
class NoisyDifference(_PrintableSignal, model.NoisyDifferenceScore):
    """How far the score of the exact answer is from that of the release, with noise."""


@dataclass(frozen=True, repr=False)
class BlockMean(_PrintableSignal, model.BlockMeanScore):
    """The mean score over disjoint blocks of people, with noise."""


@dataclass(frozen=True, repr=False)
class Published(_PrintableSignal, model.PublishedScore):
    """Both scores, rounded, without a guarantee."""


Signalled = FreeSignal | NoisyDifference | BlockMean | Published
_KINDS: dict[model.SignalKind, type[Signalled]] = {
    kind.kind: kind for kind in (FreeSignal, NoisyDifference, BlockMean, Published)
}


class SignalOptions(TypedDict, total=False):
    """What a signal may cost, and how it is made."""

    epsilon: float | None
    draws: int | None
    blocks: int | None
    by_range: bool
    allow_no_guarantee: bool
    redraw: bool
    preregistered: str


def make_printable_signal(
    query: BoundQuery, release: Released, task: Task | Mapping[str, Any], kind: str, **how: Unpack[SignalOptions]
) -> Signalled:
    """The signal that is asked for; of draws and blocks that are not stated, as many as are usual."""
    options: dict[str, Any] = {name: value for name, value in how.items() if value is not None}
    epsilon = options.pop("epsilon", None)
    return printable_signal(make_signal(query, release, task, signal_request(kind, epsilon, **options)))


def printable_signal(signal: model.SignalScore) -> Signalled:
    values: dict[str, Any] = {field.name: getattr(signal, field.name) for field in fields(signal)}
    return _KINDS[signal.kind](**values | {"certificate": worded(signal.certificate)})
