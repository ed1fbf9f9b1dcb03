"""What is done with the data itself, in a process that can be stopped: plain values in, plain values out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sfumato.api.dataset import Dataset
from sfumato.api.query import Query
from sfumato.api.release import Certificate, Release
from sfumato.errors import Conflict
from sfumato.escrow.submissions.asking import asked
from sfumato.model.guarantee import Guarantee, join
from sfumato.model.release import Answer
from sfumato.model.risk import Source
from sfumato.presentation import schema as fit_view
from sfumato.presentation.wording import signalling as of_signalling
from sfumato.release.batch import Batch
from sfumato.release.exploration import explored, first_figure
from sfumato.signals.exact_answer import block_tables, exact_table

Job = Mapping[str, Any]
DIGEST = "digest"


def performed(dataset: Dataset, job: Job) -> dict[str, Any]:
    """Do what a job says on an opened dataset."""
    return _VERBS[job["verb"]](dataset, job)


def _released(dataset: Dataset, job: Job) -> dict[str, Any]:
    """The answers of a request, together: charged once where every epsilon is public, else one after the other."""
    queries = [dataset.query(one["sql"]) for one in job["queries"]]
    stated = [asked(q, job["preference"], share) for q, share in zip(queries, job["shares"], strict=True)]
    accept: dict[str, Any] = {"accept_none": job["accept_none"], "fixed_beforehand": job["fixed_beforehand"]}
    for query, (preferences, how) in zip(queries, stated, strict=True):
        query.require_releasable(*preferences, **how, **accept)
    choices = [q.choose(*preferences, **how, **accept) for q, (preferences, how) in zip(queries, stated, strict=True)]
    if len(choices) > 1 and all(c.guarantee is Guarantee.DP and not c.asked.selecting for c in choices):
        together = Batch(dataset, choices, None)
        left: Sequence[Release] = together.release(fixed_beforehand=job["fixed_beforehand"])
        charged: list[float | None] = [left[0].certificate.charged]
    else:
        left = [q.release(choice, **accept) for q, choice in zip(queries, choices, strict=True)]
        charged = [release.certificate.charged for release in left]
    return {
        "answers": [release.as_dict() for release in left],
        "guarantee": join(release.certificate.guarantee for release in left).value,
        "charged": None if None in charged else sum(one for one in charged if one is not None),
    }


def _signalled(dataset: Dataset, job: Job) -> dict[str, Any]:
    """What noise did to a task, about a release that this data gave: charged first."""
    told, how = job["release"], dict(job["how"])
    release = Release(Answer.from_dict(told), Certificate.from_dict(told["certificate"]))
    return {"signal": dataset.query(job["sql"]).signal(release, job["task"], how.pop("kind"), **how).as_dict()}


def _tables(dataset: Dataset, job: Job) -> dict[str, Any]:
    """The exact answer, whole or by blocks of people: for a function that scores it elsewhere, for nobody's eyes."""
    if dataset.version != job["data"]:  # written anew since the approval was checked
        raise Conflict(of_signalling.CHANGED, hint="ask again.")
    query, blocks = dataset.query(job["sql"]), job["blocks"]
    found = [exact_table(query)] if blocks is None else block_tables(query, blocks, dataset.services.salt())
    return {"tables": [table.as_dict() | {"rows": [list(map(_plain, row)) for row in table.rows]} for table in found]}


def _plain(value: object) -> object:
    """A group key may be a date, which JSON does not have."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _looked(dataset: Dataset, job: Job) -> dict[str, Any]:
    """The people themselves: entered as a look before anything is shown."""
    profile = dataset.query(job["sql"]).risk(**job["how"])
    return dict(profile.view.as_dict())


def _answer(dataset: Dataset, job: Job) -> dict[str, Any]:
    """The true answers, a look: what 003's controller sees beside the noisy ones."""
    queries = [dataset.query(one["sql"]) for one in job["queries"]]
    return {
        "answers": [[list(row) for row in query.answer()] for query in queries],
        "cells": [_cells(query) for query in queries],
    }


def _cells(query: Query) -> list[str]:
    """Which cell each row of a true answer is of, where the group keys are public."""
    return [" · ".join(map(str, cell)) for cell in query.measurement.cells or ()]


def _sketched(dataset: Dataset, job: Job) -> dict[str, Any]:
    profile = dataset.query(job["sql"]).sketch(job["epsilon"], **job["how"])
    certificate = None if profile.certificate is None else profile.certificate.as_dict()
    return dict(profile.view.as_dict()) | {"certificate": certificate}


def _explored(dataset: Dataset, job: Job) -> dict[str, Any]:
    """The risk of a query as a page moves through it: on invented rows, in a private sketch, or of the people."""
    query, how, cell = dataset.query(job["sql"]), job["how"], None
    match Source(job["source"]):
        case Source.SKETCH:
            profile = query.sketch(job["epsilon"], **how)
        case Source.PEOPLE:
            profile = query.risk(**how)
            cell = first_figure(query)
        case _:
            profile = query.rehearse(**how)
    return explored(profile, ceiling=job["ceiling"], stated=job["stated"], now=job["now"], cell=cell)


def _checked(dataset: Dataset, _job: Job) -> dict[str, Any]:
    return fit_view.as_dict(dataset.check())


def _rehearsed(dataset: Dataset, job: Job) -> dict[str, Any]:
    """The same query on invented rows, and what the preferences would come to there."""
    query = dataset.query(job["sql"])
    preferences, how = asked(query, job["preference"])
    profile = query.rehearse(*(preferences or query.rule.preferences), **how)
    solution = profile.solution
    found = None if solution is None else {"epsilon": solution.epsilon, "why": solution.why}
    at = None if job["epsilon"] is None else profile.at(job["epsilon"]).as_dict()
    return dict(profile.view.as_dict()) | {"solution": found, "at": at}


def _fits(dataset: Dataset, _job: Job) -> dict[str, Any]:
    """The columns that a delivered file has: opening it checks that the schema's are among them."""
    return {"columns": dataset.column_types()}


def _digested(dataset: Dataset, _job: Job) -> dict[str, Any]:
    """Which rows these are, in whatever order; it leaves the worker under a key of the vault."""
    return {"digest": dataset.row_digest()}


_VERBS: Mapping[str, Callable[[Dataset, Job], dict[str, Any]]] = {
    "release": _released,
    "signal": _signalled,
    "tables": _tables,
    "risk": _looked,
    "answer": _answer,
    "sketch": _sketched,
    "check": _checked,
    "rehearse": _rehearsed,
    "fits": _fits,
    DIGEST: _digested,
    "explore": _explored,
}
