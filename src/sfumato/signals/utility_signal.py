"""Utility signals: what noise did to a task. A free one is made from the release alone, the others are charged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.errors import NoMechanism
from sfumato.model.guarantee import Guarantee, guarantee_of, weakest
from sfumato.model.release import Released
from sfumato.model.signal_score import SignalKind, SignalScore
from sfumato.release.bound_query import BoundQuery
from sfumato.release.risk.posthoc import require_released_here
from sfumato.signals.charged import charged_signal
from sfumato.signals.exact_answer import AnswerFromData, ExactAnswer
from sfumato.signals.free import free_signal, redraw
from sfumato.signals.signal_request import SignalRequest, prepare_task
from sfumato.signals.tasks.task import Task


def make_signal(
    query: BoundQuery,
    release: Released,
    task: Task | Mapping[str, Any],
    request: SignalRequest,
    exact: ExactAnswer | None = None,
) -> SignalScore:
    """The signal that is asked for, about a release that this query gave."""
    answer, measurement, statement = release.answer, query.measurement, query.statement
    if query.context.bounds_from_data:
        raise NoMechanism.because("signal-bounds-from-data")
    if request.kind is SignalKind.FREE:
        mechanism = query.context.services.mechanism
        return free_signal(statement, measurement, answer, release.certificate, task, mechanism, request.draws)
    charged = charged_signal(query, answer, task, request, exact or AnswerFromData(query))
    require_released_here(query, release)
    if exact is None:
        query.context.require_data()
    match request.kind:
        case SignalKind.DIFFERENCE:
            return charged.difference()
        case SignalKind.BLOCKS:
            return charged.block_mean()
    return charged.published()


def preview_guarantee(
    query: BoundQuery, release: Released, task: Task | Mapping[str, Any], request: SignalRequest
) -> Guarantee:
    """The word that a signal would carry, as things are now; refused from public facts where it cannot be made.

    A free one that is known to a person before it is made has the word of its release, and of their decision.
    """
    if request.kind is SignalKind.FREE:
        prepare_task(task, query.measurement, release.answer)
        mechanism = query.context.services.mechanism
        redraw(query.statement, query.measurement, release.answer, release.certificate, mechanism, 1)
        decision = query.context.decision_provenances(query.context.ledger.record, request.preregistered)
        return weakest([release.certificate.guarantee, guarantee_of(decision)])
    charged = charged_signal(query, release.answer, task, request, AnswerFromData(query))
    return charged.preview_guarantee()
