"""One pass on an engine: from a statement and its measurement to facts, totals and people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.model.choice import Noise
from sfumato.model.facts import Facts, Totals
from sfumato.model.measurement import Measurement
from sfumato.model.statement import Statement
from sfumato.ports import Engine
from sfumato.sql import plan

if TYPE_CHECKING:
    import pyarrow as pa


def facts(engine: Engine, statement: Statement, measurement: Measurement, noise: Noise) -> Facts:
    rows = engine.rows(plan.facts(statement, measurement, _norm(noise)).sql(engine.dialect))
    return plan.read_facts(rows, statement, measurement, people_count(engine, statement))


def people_count(engine: Engine, statement: Statement) -> int:
    rows = engine.rows(plan.people_count(statement.table).sql(engine.dialect))
    return plan.whole(rows[0][0])


def totals(engine: Engine, statement: Statement, measurement: Measurement) -> Totals:
    rows = engine.rows(plan.totals(statement, measurement).sql(engine.dialect))
    return plan.read_totals(rows, statement, measurement)


def people(engine: Engine, statement: Statement, measurement: Measurement, noise: Noise) -> pa.Table:
    return engine.table(plan.people(statement, measurement, _norm(noise)).sql(engine.dialect))


def _norm(noise: Noise) -> str:
    """A person's changes add up as the noise sees them: L1 under Laplace, L2 under Gaussian."""
    return plan.L2 if noise.mechanism == "gaussian" else plan.L1
