"""Questions about a dataset before a release: from public facts, or a controller's look."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter
from pydantic import Field

from sfumato.escrow.questions.risk_facts import RehearsalFacts, RiskFacts
from sfumato.model.fit import Fit
from sfumato.model.plain import from_plain
from sfumato.model.risk import Source
from sfumato.presentation import noise_view
from sfumato.presentation.escrow import questions_view
from sfumato.presentation.escrow import submission_view as view
from sfumato.presentation.escrow.questions_view import (
    WordedComparison,
    WordedDryRun,
    WordedEstimate,
    WordedGuesses,
    WordedHistogram,
)
from sfumato.presentation.noise_view import WordedNoise
from sfumato.server.dependencies import EscrowDep, NameInPath, Plain, ReadingPool, WritingPool
from sfumato.server.openapi import SENT
from sfumato.server.option_bodies import Guesses, How, PreferenceChoice
from sfumato.server.texts import Body, Sql, Table, Text

routes = APIRouter(prefix="/datasets/{name}", tags=["questions"])


class QuestionBody(Body):
    """One query of a request; a larger weight gets a larger share of epsilon.

    With an `index`, or with an `expected` answer for each query, one epsilon is split so that the noise of each query
    is as wide as its index says (DIFF); without an index it is found from the expected answers. `signal` is a utility
    signal that is submitted with it: kind, task or code, range, epsilon, blocks, draws and by_range.
    """

    sql: Sql
    weight: Annotated[float, Field(gt=0, le=1e9)] = 1.0
    index: Annotated[float, Field(gt=0, le=1e12)] | None = None
    expected: Annotated[float, Field(ge=-1e15, le=1e15)] | None = None
    signal: Table | None = None


class Several(PreferenceChoice):
    """Queries of one request, and the preference that they share."""

    queries: Annotated[list[QuestionBody], Field(min_length=1, max_length=100)]

    @property
    def question(self) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        return [query.model_dump() for query in self.queries], self.terms


ExpectedCount: TypeAlias = Annotated[float, Field(ge=1, le=1e12)] | None


class Estimated(Several):
    """`expected_count`: how many are in the smallest group, if that is public knowledge."""

    expected_count: ExpectedCount = None


class Preferred(PreferenceChoice):
    """`expected_count`: how many are in the smallest group, if that is public knowledge."""

    sql: Sql
    expected_count: ExpectedCount = None


class LookBody(Body):
    """`how`: mechanism, delta and the like."""

    sql: Sql
    how: How = How()


class Guessed(Body):
    """`how`: what an attacker guesses, and the recipient of the answer.

    With `recipient`, an analyst or an organisation, the risk includes everything that they hold already.
    """

    sql: Sql
    how: Guesses
    recipient: Annotated[Text, Field(max_length=200)] = ""


class NoiseBody(Body):
    """At which epsilons and probabilities, and which error is little; guesses are public knowledge."""

    sql: Sql
    epsilon: Annotated[list[Annotated[float, Field(gt=0, le=1e6)]], Field(min_length=1, max_length=20)]
    probabilities: Annotated[tuple[float, ...], Field(min_length=1, max_length=20)] = (0.5, 0.3, 0.1)
    expected: float | None = None
    expected_count: ExpectedCount = None
    within: float | None = None
    relative_error: float = 0.1
    confidence: float = 0.9
    mechanism: Literal["laplace", "gaussian", "truncated"] = "laplace"
    delta: float | None = None

    def how(self) -> dict[str, Any]:
        return self.model_dump(exclude={"sql", "epsilon"})


class HistogramBody(LookBody):
    epsilon: Annotated[float, Field(gt=0, le=1e6)]


class Explored(LookBody, PreferenceChoice):
    """`preference` is in force and `now` its epsilon, `limit` the largest epsilon by the policy's rule.

    `accuracy` is the error that the analyst states. `epsilon` is that of an exposure histogram, `candidates` are the
    epsilons to list.
    """

    source: Literal["worst case", "rehearsal", "exposure histogram", "people"] = "worst case"
    epsilon: Annotated[float, Field(gt=0, le=1e6)] | None = None
    now: Annotated[float, Field(gt=0, le=1e6)] | None = None
    limit: Annotated[float, Field(gt=0, le=1e6)] | None = None
    accuracy: Annotated[float, Field(gt=0)] | None = None
    candidates: Annotated[list[Annotated[float, Field(gt=0, le=1e6)]], Field(max_length=40)] | None = None


# From public facts: the data is not read


@routes.post("/estimate", responses=SENT)
async def estimate(pool: ReadingPool, name: NameInPath, body: Estimated, escrow: EscrowDep) -> Plain[WordedEstimate]:
    """Estimate the cost of a request, and its noise."""
    facts = await pool.run(escrow.questions.estimate, name, *body.question, body.expected_count)
    return from_plain(WordedEstimate, view.estimate(facts))


@routes.post("/dry-run", responses=SENT)
async def dry_run(pool: ReadingPool, name: NameInPath, body: Several, escrow: EscrowDep) -> Plain[WordedDryRun]:
    """Answer the queries from synthetic rows that follow the schema."""
    return questions_view.dry_run(await pool.run(escrow.questions.dry_run, name, *body.question))


@routes.post("/worst-case", responses=SENT)
async def worst_case(pool: ReadingPool, name: NameInPath, body: LookBody, escrow: EscrowDep) -> Plain[RiskFacts]:
    """Worst-case risk, from public facts only."""
    return await pool.run(escrow.questions.worst_case, name, body.sql, body.how.table())


@routes.post("/noise", responses=SENT)
async def noise(pool: ReadingPool, name: NameInPath, body: NoiseBody, escrow: EscrowDep) -> Plain[WordedNoise]:
    """How far the noise of an answer goes how often, and the smallest meaningful answer."""
    return noise_view.worded((await pool.run(escrow.questions.noise, name, body.sql, body.epsilon, body.how())).view)


@routes.post("/guessing", responses=SENT)
async def guessing(pool: ReadingPool, name: NameInPath, body: Guessed, escrow: EscrowDep) -> Plain[WordedGuesses]:
    """Guessing risk and sharing risk of an answer; for controllers."""
    terms = name, body.sql, body.how.table(), body.recipient
    return questions_view.guesses(await pool.run(escrow.requests.guessing, *terms))


@routes.post("/rehearse", responses=SENT)
async def rehearse(pool: ReadingPool, name: NameInPath, body: Preferred, escrow: EscrowDep) -> Plain[RehearsalFacts]:
    """Risk of the query on synthetic rows."""
    return await pool.run(escrow.questions.rehearse, name, body.sql, body.terms, body.expected_count)


@routes.post("/compare", responses=SENT)
async def compare(pool: ReadingPool, name: NameInPath, body: Preferred, escrow: EscrowDep) -> Plain[WordedComparison]:
    """Compare every method."""
    facts = await pool.run(escrow.questions.compare, name, body.sql, body.terms, body.expected_count)
    return questions_view.comparison(facts)


# From the data: controllers only, and logged


@routes.post("/exposure-histogram", responses=SENT)
async def exposure_histogram(
    pool: WritingPool, name: NameInPath, body: HistogramBody, escrow: EscrowDep
) -> Plain[WordedHistogram]:
    """Private exposure histogram: noisy, charged; it does not count as looking at the data."""
    terms = body.sql, body.epsilon, body.how.table()
    return questions_view.histogram(await pool.run(escrow.questions.exposure_histogram, name, *terms))


@routes.post("/risk", responses=SENT)
async def risk(pool: WritingPool, name: NameInPath, body: LookBody, escrow: EscrowDep) -> Plain[RiskFacts]:
    """Risk of the people in the data: logged as a look."""
    return await pool.run(escrow.questions.look, name, body.sql, body.how.table())


@routes.post("/explore", responses=SENT)
async def explore(pool: WritingPool, name: NameInPath, body: Explored, escrow: EscrowDep) -> dict[str, Any]:
    """Risk for the explorer's sliders, with sentences. An exposure histogram is charged; the people are a look."""
    question = name, body.sql, Source(body.source), body.how.table()
    terms: dict[str, Any] = {"epsilon": body.epsilon, "preference": body.terms, "now": body.now, "limit": body.limit}
    terms |= {"accuracy": body.accuracy, "candidates": body.candidates}
    return view.explored(await pool.run(escrow.questions.explore, *question, **terms))


@routes.post("/check", responses=SENT)
async def check(pool: WritingPool, name: NameInPath, escrow: EscrowDep) -> Plain[Fit]:
    """How the data fits the schema: logged as a look."""
    return await pool.run(escrow.questions.check, name)
