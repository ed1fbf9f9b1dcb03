"""What is done with the data itself, in a process that can be stopped: plain values in, plain values out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sfumato.errors import Conflict
from sfumato.escrow.ports import DIGEST, EXPLORE, FITS, POSTHOC, JobViews
from sfumato.escrow.questions.preferences import stated_preferences
from sfumato.escrow.questions.query import RequestedQuery
from sfumato.escrow.questions.request_split import split_terms
from sfumato.model.guarantee import Guarantee, weakest
from sfumato.model.release import Released
from sfumato.model.risk import Source
from sfumato.release.batch import BatchPlan
from sfumato.release.bound_query import BoundQuery, bind
from sfumato.release.choose import choose_epsilon, require_releasable
from sfumato.release.context import DatasetContext
from sfumato.release.decide import ReleaseRequest
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.pipeline import release, release_choice
from sfumato.release.request import request_of
from sfumato.release.risk.exploration import Cell, Exploration, explore, figures
from sfumato.release.risk.posthoc import PosthocAnalysis
from sfumato.release.risk.profile import people_profile, private_histogram
from sfumato.release.risk.rehearsal import rehearse
from sfumato.signals.exact_answer import block_tables, exact_table
from sfumato.signals.signal_request import signal_request
from sfumato.signals.utility_signal import make_signal

Job = Mapping[str, Any]


def performed(dataset: DatasetContext, job: Job, views: JobViews) -> dict[str, Any]:
    """Do what a job says on an opened dataset."""
    if job["verb"] == EXPLORE:
        return views.exploration(_explored(dataset, job))
    with dataset.snapshot():
        if job["verb"] == POSTHOC:
            return views.posthoc(_posthoc(dataset, job))
        return _VERBS[job["verb"]](dataset, job)


def _released(dataset: DatasetContext, job: Job) -> dict[str, Any]:
    """The answers of a request, together: charged once where every epsilon is public, else one after the other."""
    queries = [bind(dataset, one["sql"]) for one in job["queries"]]
    read = split_terms(queries, tuple(map(RequestedQuery.of, job["queries"])), job["preference"])
    requests = [request_of(query, preferences, **how) for query, (preferences, how) in zip(queries, read, strict=True)]
    terms = ReleaseTerms(job["allow_no_guarantee"], preregistered=job["preregistered"])
    left, together = _left(dataset, list(zip(queries, requests, strict=True)), terms)
    charged = [one.certificate.charged for one in (left[:1] if together else left)]
    return {
        "answers": [one.as_dict() for one in left],
        "guarantee": weakest(one.certificate.guarantee for one in left).value,
        "charged": None if None in charged else sum(one for one in charged if one is not None),
    }


def _left(
    dataset: DatasetContext, requests: Sequence[tuple[BoundQuery, ReleaseRequest]], terms: ReleaseTerms
) -> tuple[Sequence[Released], bool]:
    """The answers, and whether they were charged together. All are refused before any of them is entered."""
    if len(requests) == 1:
        [(query, request)] = requests
        return [release(query, request, terms)], False
    for query, request in requests:
        require_releasable(query, request, terms)
    choices = [choose_epsilon(query, request, terms) for query, request in requests]
    together = dataset.per_person is None  # else each is charged within the budget per person
    if together and all(choice.guarantee is Guarantee.DP and not choice.request.selecting for choice in choices):
        return BatchPlan(dataset, choices, None).release_all(preregistered=terms.preregistered), True
    return [release_choice(q, choice, terms) for (q, _), choice in zip(requests, choices, strict=True)], False


def _signalled(dataset: DatasetContext, job: Job) -> dict[str, Any]:
    """What noise did to a task, about a release that this data gave: charged first."""
    stored, how = job["release"], dict(job["how"])
    about = Released.from_dict(stored)
    asked_of = signal_request(how.pop("kind"), how.pop("epsilon"), **how)
    return {"signal": make_signal(bind(dataset, job["sql"]), about, job["task"], asked_of).as_dict()}


def _tables(dataset: DatasetContext, job: Job) -> dict[str, Any]:
    """The exact answer, whole or by blocks of people: scored in the sandbox, never shown to a person."""
    if dataset.version != job["data"]:  # written anew since the approval was checked
        raise Conflict.because("submission-changed", what="signal", then="again")
    query, blocks = bind(dataset, job["sql"]), job["blocks"]
    tables = [exact_table(query)] if blocks is None else block_tables(query, blocks, dataset.services.salt())
    return {"tables": [table.as_dict() | {"rows": [list(map(_plain, row)) for row in table.rows]} for table in tables]}


def _plain(value: object) -> object:
    """A group key may be a date, which JSON does not have."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _looked(dataset: DatasetContext, job: Job) -> dict[str, Any]:
    """The people themselves: entered as a look before anything is shown."""
    profile = people_profile(bind(dataset, job["sql"]), **job["how"])
    return dict(profile.view.as_dict())


def _answer(dataset: DatasetContext, job: Job) -> dict[str, Any]:
    """The true answers, a look: what the PRI paper's controller sees beside the noisy ones."""
    queries = [bind(dataset, one["sql"]) for one in job["queries"]]
    return {
        "answers": [[list(row) for row in query.answer()] for query in queries],
        "cells": [_cells(query) for query in queries],
    }


def _posthoc(dataset: DatasetContext, job: Job) -> PosthocAnalysis:
    """What an answer tells about each person: a look, at one that is withheld or that was released."""
    return PosthocAnalysis(bind(dataset, job["sql"]), Released.from_dict(job["release"]), job["between"])


def _cells(query: BoundQuery) -> list[str]:
    """Which cell each row of a true answer is of, where the group keys are public."""
    return [" · ".join(map(str, cell)) for cell in query.measurement.cells or ()]


def _histogram(dataset: DatasetContext, job: Job) -> dict[str, Any]:
    profile = private_histogram(bind(dataset, job["sql"]), job["epsilon"], **job["how"])
    certificate = None if profile.certificate is None else profile.certificate.as_dict()
    return dict(profile.view.as_dict()) | {"certificate": certificate}


def _explored(dataset: DatasetContext, job: Job) -> Exploration:
    """The risk of a query as a page moves through it: on invented rows, in an exposure histogram, or of the people."""
    query, how = bind(dataset, job["sql"]), job["how"]
    cells: Sequence[Cell] = ()
    match Source(job["source"]):
        case Source.EXPOSURE_HISTOGRAM:
            profile = private_histogram(query, job["epsilon"], **how)
        case Source.PEOPLE:
            profile = people_profile(query, **how)
            cells = figures(query.measurement, query.answer, composed=True)
        case _:
            profile = rehearse(query, **how)
            if profile.survey is not None:
                cells = figures(profile.measurement, profile.survey.answer, composed=True)
    terms = {name: job[name] for name in ("epsilon_max", "preference", "now", "limit", "accuracy", "candidates")}
    return explore(profile, **terms, cells=cells)


def _checked(dataset: DatasetContext, _job: Job) -> dict[str, Any]:
    return asdict(dataset.check())


def _rehearsed(dataset: DatasetContext, job: Job) -> dict[str, Any]:
    """The same query on invented rows, and what the preferences would come to there."""
    query = bind(dataset, job["sql"])
    preferences, how = stated_preferences(query, job["preference"])
    profile = rehearse(query, preferences or query.rule.preferences, expected_count=job.get("expected_count"), **how)
    solution = profile.solution
    facts = None if solution is None else {"epsilon": solution.epsilon, "why": solution.why}
    at = None if job["epsilon"] is None else profile.at(job["epsilon"]).as_dict()
    return dict(profile.view.as_dict()) | {"solution": facts, "at": at}


def _fits(dataset: DatasetContext, _job: Job) -> dict[str, Any]:
    """The columns that a delivered file has: opening it checks that the schema's are among them."""
    return {"columns": dataset.column_types()}


def _digested(dataset: DatasetContext, _job: Job) -> dict[str, Any]:
    """Which rows these are, in whatever order; it leaves the worker under a key of the vault."""
    return {"digest": dataset.engine.digest()}


_VERBS: Mapping[str, Callable[[DatasetContext, Job], dict[str, Any]]] = {
    "release": _released,
    "signal": _signalled,
    "tables": _tables,
    "risk": _looked,
    "answer": _answer,
    "exposure_histogram": _histogram,
    "check": _checked,
    "rehearse": _rehearsed,
    FITS: _fits,
    DIGEST: _digested,
}
