"""Utility signals: what noise did to a task. A free one is made from the release alone, the others are charged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.errors import NoMechanism
from sfumato.model.guarantee import Guarantee, guarantee_of, weakest
from sfumato.model.release import Released
from sfumato.model.signal import SignalKind, SignalScore
from sfumato.release.bound_query import BoundQuery
from sfumato.release.risk.posthoc import require_released_here
from sfumato.signals.charged import charge
from sfumato.signals.exact_answer import Exact, Read
from sfumato.signals.free import free_signal, redrawn
from sfumato.signals.request import Asked, prepared
from sfumato.signals.tasks.task import Task


def signal(
    query: BoundQuery, release: Released, task: Task | Mapping[str, Any], asked: Asked, exact: Exact | None = None
) -> SignalScore:
    """The signal that is asked for, about a release that this query gave."""
    answer, measurement, statement = release.answer, query.measurement, query.statement
    if query.context.bounds_from_data:
        raise NoMechanism.because("signal-bounds-from-data")
    if asked.kind is SignalKind.FREE:
        mechanism = query.context.services.mechanism
        return free_signal(statement, measurement, answer, release.certificate, task, mechanism, asked.draws)
    charged = charge(query, answer, task, asked, exact or Read(query))
    require_released_here(query, release)
    if exact is None:
        query.context.require_data()
    match asked.kind:
        case SignalKind.DIFFERENCE:
            return charged.difference()
        case SignalKind.BLOCKS:
            return charged.block_mean()
    return charged.published()


def foreseen(query: BoundQuery, release: Released, task: Task | Mapping[str, Any], asked: Asked) -> Guarantee:
    """The word that a signal would carry, as things are now; refused from public facts where it cannot be made.

    A free one that is known to a person before it is made has the word of its release, and of their decision.
    """
    if asked.kind is SignalKind.FREE:
        prepared(task, query.measurement, release.answer)
        mechanism = query.context.services.mechanism
        redrawn(query.statement, query.measurement, release.answer, release.certificate, mechanism, 1)
        decided = query.context.decided(query.context.ledger.record, asked.attestation)
        return weakest([release.certificate.guarantee, guarantee_of(decided)])
    charged = charge(query, release.answer, task, asked, Read(query))
    return charged.foreseen()
