"""Requests and signals for analysts and controllers: plain JSON, with sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sfumato.errors import SfumatoError
from sfumato.escrow.questions.exploration import RequestEstimate
from sfumato.escrow.questions.facts import QueryFacts, RequestFacts
from sfumato.escrow.questions.risk_facts import RehearsalFacts
from sfumato.escrow.submissions.code_review import Mark, Reason
from sfumato.escrow.submissions.payload import ApprovalFacts
from sfumato.escrow.submissions.request_payload import (
    AnswersBesideTrue,
    ReleasedAnswers,
    Request,
    RequestApprovalFacts,
)
from sfumato.escrow.submissions.requests import DecisionPreviews, OnePreview
from sfumato.escrow.submissions.scoring import SignalResult
from sfumato.escrow.submissions.signal_payload import Signal, SignalApprovalFacts, SignalCharge
from sfumato.escrow.submissions.signals import TaskLibrary
from sfumato.escrow.submissions.visibility import VisibleSubmission
from sfumato.model.plain import to_plain
from sfumato.model.signal_score import SignalKind
from sfumato.presentation.certificate import worded_json
from sfumato.presentation.escrow import policy_view
from sfumato.presentation.noise_view import meaningful_answer
from sfumato.presentation.signal_view import picture
from sfumato.presentation.wording import choosing as of_choosing
from sfumato.presentation.wording import code as of_code
from sfumato.presentation.wording import exploration_sentences as of_explorer
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import noise_sentences as of_noise
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording import sandbox as of_sandbox
from sfumato.presentation.wording.guarantee import MEANINGS
from sfumato.presentation.wording.signals import requests_sentences as of_signalling
from sfumato.presentation.wording.signals import score as of_signal
from sfumato.presentation.wording.signals import tasks as of_tasks

Facts = Mapping[str, Any]
_MARKS = {
    Reason.NOT_PYTHON: of_code.NOT_PYTHON,
    Reason.NO_FUNCTION: of_code.NO_FUNCTION,
    Reason.FAILS: of_code.FAILS,
    Reason.WAITS: of_code.WAITS,
    Reason.CLOCK: of_code.CLOCK,
    Reason.ENDLESS: of_code.ENDLESS,
    Reason.PICKS: of_code.PICKS,
    Reason.PACKS: of_code.PACKS,
    Reason.LARGE: of_code.LARGE,
    Reason.RANDOM: of_code.RANDOM,
    Reason.INSIDE: of_code.INSIDE,
    Reason.FILES: of_code.FILES,
}
_NAMED = {Reason.IMPORTS: of_code.imports, Reason.CALLS: of_code.calls}


# Requests


def request(visible: VisibleSubmission[Request]) -> dict[str, Any]:
    """A request with its next step."""
    return _fields(visible, _following(visible, of_request.NEXT[visible.standing.state]))


def request_page(page: RequestApprovalFacts) -> dict[str, Any]:
    """The approver's page of a request."""
    return {
        "request": request(page.submission),
        "facts": facts(page.facts),
        "guarantee_before_approval": page.guarantee_before_approval.value,
        "approve": page.access.approve.value,
        "rehearsal": None if page.rehearsal is None else [_rehearsal(one) for one in page.rehearsal],
        **_on_deciding(page),
    }


def decision_preview(previews: DecisionPreviews) -> dict[str, Any]:
    """The cost of a decision on several requests."""
    different = len({one.identical for one in previews.each})
    return {
        "requests": [_previewed(one) for one in previews.each],
        "epsilon": previews.epsilon,
        "once": previews.once,
        "sentence": of_request.decides_several(len(previews.each), different, previews.epsilon, previews.once),
    }


def _previewed(one: OnePreview) -> dict[str, Any]:
    brief, alone = one.brief, None if one.problem is None else one.problem.message
    if brief is not None and not brief.guarantee.holds:
        alone = of_request.DECIDED_ALONE
    return {
        "id": one.request.id,
        "number": one.request.number,
        "identical": one.identical,
        "binding": one.binding,
        "epsilon": None if brief is None else brief.epsilon,
        "guarantee": None if brief is None else brief.guarantee.value,
        "problem": alone,
    }


def worded_answers(result: ReleasedAnswers | AnswersBesideTrue) -> dict[str, Any]:
    """Answers with their certificates in sentences."""
    answers = [worded_json(released.as_dict()) for released in result.answers]
    worded = {name: to_plain(value) for name, value in vars(result).items()} | {"answers": answers}
    if isinstance(result, ReleasedAnswers):
        worded["least"] = [meaningful_answer(released.certificate) for released in result.answers]
    return worded


def _following(visible: VisibleSubmission[Any], otherwise: str) -> str:
    """The next step; an approval that can still be taken back has not started."""
    return of_request.STARTS if visible.submission.starts_at is not None else otherwise


def _fields(visible: VisibleSubmission[Any], following: str) -> dict[str, Any]:
    """The fields of a submission that a person may see, with its next step in words."""
    every = visible.submission.as_dict() | {"progress": visible.progress, "result": visible.result, "next": following}
    return {name: every[name] for name in visible.fields}


def _rehearsal(rehearsal: RehearsalFacts | SfumatoError) -> dict[str, Any]:
    facts: dict[str, Any] = rehearsal.as_dict() if isinstance(rehearsal, SfumatoError) else to_plain(rehearsal)
    return facts


def facts(estimated: RequestFacts) -> dict[str, Any]:
    """The cost and the guarantee of a request."""
    word = estimated.guarantee
    return {
        "queries": [_query(one) for one in estimated.queries],
        "epsilon": estimated.epsilon,
        "delta": estimated.delta,
        "guarantee": word.value,
        "spent": estimated.total.epsilon,
        "dataset_guarantee": estimated.total.guarantee.value,
        "budget": of_guarantee.budget(estimated.budget),
        "left": estimated.left,
        "sentences": [
            *([] if word.holds else [of_request.lost(estimated.lost)]),
            of_request.costs(estimated.epsilon, estimated.delta, word, estimated.left),
            f"Guarantee: {word.value}. {MEANINGS[word]}",
        ],
    }


def estimate(estimated: RequestEstimate) -> dict[str, Any]:
    """The cost and the guarantee of a request, and why the policy would not release it."""
    word, allowed = estimated.facts.guarantee, estimated.allowed or ()
    return {**facts(estimated.facts), "barred": of_request.barred(word, allowed) if estimated.barred else None}


def explored(exploration: Facts) -> dict[str, Any]:
    """Risk for each position of the sliders; after an exposure histogram, also what the dataset has used."""
    if "spent" not in exploration:
        return dict(exploration)
    spent = exploration["spent"]
    words = of_explorer.spent(spent.epsilon, of_guarantee.budget(spent.budget), spent.left)
    return {**exploration, "spent": {"epsilon": spent.epsilon, "words": words}}


def _query(one: QueryFacts) -> dict[str, Any]:
    at, noise = one.worst_case, one.noise
    return {
        "sql": one.sql,
        "weight": one.weight,
        "outputs": one.outputs,
        "numbers": list(one.numbers),
        "columns": list(one.columns),
        "mechanism": noise.mechanism,
        "delta": noise.delta,
        "calibration": noise.calibration,
        "epsilon": one.epsilon,
        "feasible": one.feasible,
        "method": one.method,
        "why": of_guarantee.WITHHELD if one.why is None else one.why,
        "guarantee": one.guarantee.value,
        "select_epsilon": one.select_epsilon,
        "worst_case": None if at is None else at.as_dict(),
        "means": None if at is None else of_choosing.noise(at, one.numbers, one.furthest),
        "expected_count": to_plain(one.expected_count),
        "averages": None if at is None else of_choosing.expected(at, one.expected_count) or None,
        "odds": None if at is None else of_request.odds(at.attack_chance, replaced=one.replaced),
        "expected": []
        if at is None
        else [
            {
                "column": a.column,
                "count": a.count,
                "interval": of_choosing.interval(a),
                "half": a.half_width,
                "at_most": a.at_most,
            }
            for a in at.answers
        ],
        **_meaningful(one),
    }


def _meaningful(one: QueryFacts) -> dict[str, Any]:
    """The smallest meaningful answer of a query with one figure, and whether the expected answer is as large."""
    noise = one.column_noise[0] if len(one.column_noise) == 1 else None
    least = None if noise is None else noise.least
    return {
        "index": one.index,
        "guess": one.guess,
        "scale": None if noise is None else noise.scale,
        "least": least,
        "large_enough": None if noise is None else noise.is_met,
        "meaningful": None if least is None else of_noise.meaningful(least, one.guess),
    }


def _on_deciding(page: ApprovalFacts[Any]) -> dict[str, Any]:
    """The analyst, the approvals, earlier looks and the policy."""
    access = page.access
    return {
        "binding": page.binding,
        "analyst": {"name": page.analyst.name, "organisation": page.analyst.organisation},
        "approvals": {"needed": access.approvals, "given": list(page.approved_by)},
        "guarantees": [guarantee.value for guarantee in access.guarantees],
        "looked": page.looked,
        "warning": None if page.warning is None else policy_view.earlier_look(page.warning),
        "policy": policy_view.sentences(page.policy),
    }


# Signals


def signal(visible: VisibleSubmission[Signal]) -> dict[str, Any]:
    """A signal with its next step and its result."""
    stands = visible.standing
    facts = _fields(visible, _following(visible, of_signalling.following(stands.state, stands.run, stands.of)))
    return facts if visible.result is None else {**facts, "result": signal_result(visible.result)}


def signal_result(result: SignalResult) -> dict[str, Any]:
    """A released signal with its sentences."""
    score, now = result.score, result.guarantee
    came_back = [] if now is score.guarantee else [of_signalling.came_back(score.guarantee, now)]
    sentences = {"title": of_signal.TITLES[score.kind], "sentences": [*of_signal.sentences(score), *came_back]}
    return {**worded_json(result.stored()), **sentences, "verdict": of_signal.verdict(score), "picture": picture(score)}


def signal_page(page: SignalApprovalFacts) -> dict[str, Any]:
    """The approver's page of a signal."""
    submitted, about = page.submission.submission, page.request
    used, budget = page.bits_used, page.access.signal_bits
    return {
        "signal": signal(page.submission),
        "request": {"id": about.id, "number": about.number, "purpose": about.purpose},
        "sql": page.sql,
        "code": submitted.code,
        "marks": marks(page.marks),
        "sandbox": None if page.sandbox is None else page.sandbox.hint,
        "guarantee": page.guarantee.value,
        "epsilon": page.epsilon,
        "sentences": of_signalling.carried(submitted.kind, holds=page.guarantee.holds),
        "charge": None if page.charge is None else _charge(page.charge),
        "bits": None
        if submitted.bits is None
        else {
            "told": submitted.bits,
            "used": used,
            "budget": budget,
            "sentence": of_signalling.bits(submitted.bits, used, budget),
        },
        **_on_deciding(page),
    }


def marks(marked: Iterable[Mark]) -> list[dict[str, Any]]:
    """The lines of code to check, each with the reason."""
    reasons = {
        (one.line, _NAMED[one.reason](one.name) if one.reason in _NAMED else _MARKS[one.reason]) for one in marked
    }
    return [{"line": line, "why": why} for line, why in sorted(reasons)]


def library(tasks: TaskLibrary) -> dict[str, Any]:
    """The tasks, the kinds of signals, and whether analysts' own functions can run."""
    sentences, missing = of_signalling, tasks.missing
    return {
        "tasks": [of_tasks.worded(to_plain(task)) for task in tasks.tasks],
        "kinds": [
            {"kind": k.value, "guarantee": sentences.GUARANTEES[k], "cost": sentences.COSTS[k]} for k in SignalKind
        ],
        "code": {
            "ready": missing is None,
            "sentence": of_sandbox.READY if missing is None else missing.hint,
            "padding": sentences.slowly(tasks.seconds),
            "seconds": tasks.seconds,
        },
    }


def _charge(charge: SignalCharge) -> str:
    return of_request.costs(charge.epsilon, None, charge.guarantee, charge.left)
