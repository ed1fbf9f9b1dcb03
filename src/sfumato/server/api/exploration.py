"""Questions about a dataset before anything is released: from public facts, or a controller's look."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from sfumato.escrow.questions.risk_facts import RehearsalFacts, RiskFacts
from sfumato.model.fit import Fit
from sfumato.model.plain import from_plain
from sfumato.model.risk import Source
from sfumato.presentation.escrow import questions_view
from sfumato.presentation.escrow import submission_view as view
from sfumato.presentation.escrow.questions_view import (
    WordedComparison,
    WordedDryRun,
    WordedEstimate,
    WordedGuesses,
    WordedHistogram,
)
from sfumato.server.dependencies import EscrowDep, NameInPath, Plain, ReadingUser, WorkPoolsDep, WritingUser
from sfumato.server.openapi import SENT
from sfumato.server.stated import Guesses, How, NamedPreference, table_of
from sfumato.server.texts import Body, Sql

routes = APIRouter(prefix="/datasets/{name}", tags=["questions"])
Answer = dict[str, Any]


class QuestionBody(Body):
    """One query of several that are answered together; a larger weight gets a larger share of epsilon."""

    sql: Sql
    weight: Annotated[float, Field(gt=0, le=1e9)] = 1.0


class Several(Body):
    """`preference` has the names of a schema's [rule]; null is the rule of record."""

    queries: Annotated[list[QuestionBody], Field(min_length=1, max_length=100)]
    preference: NamedPreference | None = None


class Estimated(Several):
    """`people`: how many are in the smallest group at least, if that is public knowledge."""

    people: Annotated[float, Field(ge=1, le=1e12)] | None = None


class Preferred(Body):
    sql: Sql
    preference: NamedPreference | None = None


class LookBody(Body):
    """`how`: mechanism, delta and the like."""

    sql: Sql
    how: How = How()


class Guessed(Body):
    """`how` says what is guessed, and with whom the answer is shared."""

    sql: Sql
    how: Guesses


class HistogramBody(LookBody):
    epsilon: Annotated[float, Field(gt=0, le=1e6)]


class Explored(LookBody):
    """`preference` and `now` are what is in force, and its epsilon; `epsilon` is an exposure histogram's own."""

    source: Literal["worst case", "rehearsal", "exposure histogram", "people"] = "worst case"
    epsilon: Annotated[float, Field(gt=0, le=1e6)] | None = None
    preference: NamedPreference | None = None
    now: Annotated[float, Field(gt=0, le=1e6)] | None = None


def as_asked(queries: list[QuestionBody]) -> list[dict[str, Any]]:
    return [query.model_dump() for query in queries]


# From public facts: the data is not read


@routes.post("/estimate", responses=SENT)
async def estimate(
    actor: ReadingUser, name: NameInPath, body: Estimated, escrow: EscrowDep, lanes: WorkPoolsDep
) -> Plain[WordedEstimate]:
    """What a request would cost, and what noise it would get."""
    terms = as_asked(body.queries), table_of(body.preference), body.people
    facts = await lanes.asking.run(actor.name, escrow.questions.estimate, actor, name, *terms)
    return from_plain(WordedEstimate, view.estimate(facts))


@routes.post("/dry-run", responses=SENT)
async def dry_run(
    actor: ReadingUser, name: NameInPath, body: Several, escrow: EscrowDep, lanes: WorkPoolsDep
) -> Plain[WordedDryRun]:
    """The same queries on rows that were made up from the schema."""
    terms = as_asked(body.queries), table_of(body.preference)
    return questions_view.dry_run(await lanes.asking.run(actor.name, escrow.questions.dry_run, actor, name, *terms))


@routes.post("/worst-case", responses=SENT)
async def worst_case(
    actor: ReadingUser, name: NameInPath, body: LookBody, escrow: EscrowDep, lanes: WorkPoolsDep
) -> Plain[RiskFacts]:
    """The risk from public facts alone."""
    return await lanes.asking.run(actor.name, escrow.questions.worst_case, actor, name, body.sql, body.how.table())


@routes.post("/guessing", responses=SENT)
async def guessing(
    actor: ReadingUser, name: NameInPath, body: Guessed, escrow: EscrowDep, lanes: WorkPoolsDep
) -> Plain[WordedGuesses]:
    """What a snoop guesses of somebody, and what it risks to share the answer; for controllers."""
    terms = actor, name, body.sql, body.how.table()
    return questions_view.guesses(await lanes.asking.run(actor.name, escrow.questions.guessing, *terms))


@routes.post("/rehearse", responses=SENT)
async def rehearse(
    actor: ReadingUser, name: NameInPath, body: Preferred, escrow: EscrowDep, lanes: WorkPoolsDep
) -> Plain[RehearsalFacts]:
    """The same query on a look-alike."""
    return await lanes.asking.run(
        actor.name, escrow.questions.rehearse, actor, name, body.sql, table_of(body.preference)
    )


@routes.post("/compare", responses=SENT)
async def compare(
    actor: ReadingUser, name: NameInPath, body: Preferred, escrow: EscrowDep, lanes: WorkPoolsDep
) -> Plain[WordedComparison]:
    """Every method side by side."""
    work = escrow.questions.compare
    methods = await lanes.asking.run(actor.name, work, actor, name, body.sql, table_of(body.preference))
    return questions_view.comparison(methods)


# From the data: controllers only, and on record


@routes.post("/exposure-histogram", responses=SENT)
async def exposure_histogram(
    actor: WritingUser, name: NameInPath, body: HistogramBody, escrow: EscrowDep, lanes: WorkPoolsDep
) -> Plain[WordedHistogram]:
    """A private histogram of exposures: charged, and free to decide from."""
    work = partial(escrow.questions.exposure_histogram, actor, name, body.sql, body.epsilon, body.how.table())
    return questions_view.histogram(await lanes.asking.run(actor.name, work))


@routes.post("/risk", responses=SENT)
async def risk(
    actor: WritingUser, name: NameInPath, body: LookBody, escrow: EscrowDep, lanes: WorkPoolsDep
) -> Plain[RiskFacts]:
    """The people themselves: recorded as a look."""
    return await lanes.asking.run(actor.name, escrow.questions.look, actor, name, body.sql, body.how.table())


@routes.post("/explore", responses=SENT)
async def explore(
    actor: WritingUser, name: NameInPath, body: Explored, escrow: EscrowDep, lanes: WorkPoolsDep
) -> Answer:
    """Risk as sliders move through it, with sentences. An exposure histogram is charged, the people are a look."""
    terms: Answer = {"epsilon": body.epsilon, "stated": table_of(body.preference), "now": body.now}
    work = partial(escrow.questions.explore, actor, name, body.sql, Source(body.source), body.how.table(), **terms)
    return view.explored(await lanes.asking.run(actor.name, work))


@routes.post("/check", responses=SENT)
async def check(actor: WritingUser, name: NameInPath, escrow: EscrowDep, lanes: WorkPoolsDep) -> Plain[Fit]:
    """What does not fit the schema: recorded as a look."""
    return await lanes.asking.run(actor.name, escrow.questions.check, actor, name)
