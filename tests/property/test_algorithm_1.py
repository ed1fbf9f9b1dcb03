"""Find-epsilon-from-RDR in closed form is Algorithm 1 of the RDR paper, run literally over the people (section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.schema import Bounds, Schema, SchemaColumn
from sfumato.model.statement import AggregateKind
from tests.property.oracle import OracleAggregate, OracleFindings, OracleKey, Value, clean_rows, leave_one_out
from tests.property.questions import Question, plain_questions
from tests.property.tables import MISFITS, Table, examples, tables

CANDIDATES = [digit * Fraction(10) ** power for power in (-3, -2, -1, 0) for digit in range(1, 10)] + [Fraction(10)]
TAUS = ("0", "0.05", "0.25", "0.5", "0.75", "0.9", "0.95", "0.999", "1")
GAUSSIAN: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-6, "calibration": "classic"}
NEARLY = Fraction(1, 10**12)  # figures that floats cannot hold are off by less than this
FINITE = tuple(v for v in MISFITS if str(v) not in ("inf", "-inf", "1e400", "1e+300", "5e-324"))

Influence = Fraction | float
ComputeRDR = Callable[[Influence, Fraction], Influence]


def algorithm_1(influences: Sequence[Influence], compute_rdr: ComputeRDR, tau: Fraction) -> Fraction | None:
    """Lines 6 to 15: the first candidate, from the largest down, whose RDRs are close enough together."""
    for epsilon in sorted(CANDIDATES, reverse=True):
        rdrs = [compute_rdr(influence, epsilon) for influence in influences]
        if min(rdrs) >= tau * max(rdrs):
            return epsilon
    return None


@dataclass(frozen=True)
class Noise:
    """What COMPUTE-RDR knows of the mechanism: k noisy numbers of sensitivity D."""

    k: int
    sensitivity: Fraction

    def laplace(self, influence: Influence, epsilon: Fraction) -> Influence:
        """Lemma 3.1, exactly."""
        return influence + self.k * self.sensitivity / epsilon

    def gaussian(self, influence: Influence, epsilon: Fraction) -> float:
        """Lemma 3.2, with the sigma of the classic calibration."""
        sigma = float(self.sensitivity) * math.sqrt(2 * math.log(1.25 / GAUSSIAN["delta"])) / float(epsilon)
        return math.sqrt(influence**2 + self.k * sigma**2)


@pytest.mark.depth("oracle tables")
@examples("oracle tables")
@given(data=st.data(), tau=st.sampled_from(TAUS).map(Fraction), from_data=st.booleans(), gaussian=st.booleans())
def test_the_choice_is_algorithm_1(data: st.DataObject, tau: Fraction, from_data: bool, gaussian: bool) -> None:
    query, oracle, noise = asked(data, from_data)
    how = GAUSSIAN if gaussian else {}
    influences: Sequence[Influence]
    rdr: ComputeRDR
    if gaussian:
        influences, rdr = oracle.influences_l2() if from_data else oracle.exposures_l2(), noise.gaussian
    else:
        influences, rdr = oracle.influences() if from_data else oracle.exposures(), noise.laplace
    preference = sf.ratio(float(tau))
    assert_found(query.choose(preference, candidates="paper", **how), influences, rdr, tau)
    assert_met(query.choose(preference, **how), influences, rdr, tau)


def assert_found(choice: sf.Choice, influences: Sequence[Influence], rdr: ComputeRDR, tau: Fraction) -> None:
    """The candidate that Algorithm 1 finds: one, where floats hold the figures; else either side of a tie."""
    exact = all(isinstance(i, Fraction) and Fraction(float(i)) == i for i in influences)
    slack = 0 if exact else NEARLY
    expected = {algorithm_1(influences, rdr, tau * side) for side in (1 - slack, 1 + slack)}
    assert choice.epsilon in {None if e is None else float(e) for e in expected}
    assert choice.feasible == (choice.epsilon is not None)
    assert choice.guarantee == "none"


def assert_met(choice: sf.Choice, influences: Sequence[Influence], rdr: ComputeRDR, tau: Fraction) -> None:
    """In closed form: the ratio is met, and just above it is not."""

    def missing(epsilon: float | Fraction) -> Influence:
        """By how much the smallest RDR misses tau times the largest, relative to the largest."""
        rdrs = [rdr(influence, Fraction(epsilon)) for influence in influences]
        return tau - min(rdrs) / max(rdrs) if max(rdrs) else 0

    if choice.unbounded:
        assert min(influences) >= tau * max(influences) * (1 - NEARLY)
    elif choice.epsilon is None:
        assert missing(CANDIDATES[0]) > -NEARLY
    else:
        assert missing(choice.epsilon) <= NEARLY
        assert choice.epsilon == 10 or missing(choice.epsilon * 1.000001) > 0


# The table, the oracle's influences, and the noise that the RDRs are about


def asked(data: st.DataObject, from_data: bool) -> tuple[sf.Query, OracleFindings, Noise]:
    table = data.draw(tables(misfits=FINITE))
    assume(table.rows)  # of nobody there is no RDR
    question = data.draw(plain_questions(table))
    computed = any(isinstance(key, OracleKey) for key in question.literal.keys)
    assume(not (from_data and computed))  # the values of a computed key follow from bounds that are not from the data
    dataset = sf.open(table.source("pandas", Path()), table.schema, ledger=":memory:", bounds_from_data=from_data)
    if from_data:
        return dataset.query(question.sql), *as_the_authors_do(table, dataset.schema, question)
    oracle = leave_one_out(table.rows, dataset.schema, question.literal, table.names.columns)
    return dataset.query(question.sql), oracle, Noise(oracle.outputs, Fraction(1))  # in units of the sensitivity


def as_the_authors_do(table: Table, schema: Schema, question: Question) -> tuple[OracleFindings, Noise]:
    """Bounds and group keys as they are in the table; of an AVG, the sensitivity (max - min) / rows."""
    rows = clean_rows(table.rows, schema)
    shown = replace(schema, columns=tuple(as_shown(c, [row[c.name] for row in rows]) for c in schema.columns))
    shown_of = tuple(as_shown_of(asked, shown) for asked in question.literal.aggregates)
    literal = replace(question.literal, aggregates=shown_of, cells=None)
    oracle = leave_one_out(table.rows, shown, literal, table.names.columns)
    counted = replace(literal, aggregates=(OracleAggregate(AggregateKind.COUNT),))
    people = leave_one_out(table.rows, shown, counted, table.names.columns).answer
    cells = sum(bool(count) for (count,) in people) if literal.keys else 1
    sensitivity = Fraction(0)
    for aggregate in oracle.aggregates:
        if aggregate.bounds is None:
            sensitivity += 1
        elif aggregate.kind is AggregateKind.SUM:
            sensitivity += aggregate.bounds.reach
        else:
            sensitivity += (aggregate.bounds.upper - aggregate.bounds.lower) / len(rows)
    return oracle, Noise(max(1, cells) * len(oracle.aggregates), sensitivity)


def as_shown_of(asked: OracleAggregate, shown: Schema) -> OracleAggregate:
    return asked if asked.bounds is None else replace(asked, bounds=shown.bounds_of(asked.argument.strip('"')))


def as_shown(column: SchemaColumn, values: Sequence[Value]) -> SchemaColumn:
    """A column with the bounds, or the categories, that its values show."""
    if column.bounds is None:
        return replace(column, categories=tuple(dict.fromkeys(v for v in values if isinstance(v, str | int))))
    numbers = [Fraction(v) for v in values if v is not None] or [Fraction(0)]
    return replace(column, bounds=Bounds(min(numbers), max(numbers)))
