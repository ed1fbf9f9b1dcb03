"""One pass says how far an answer lies from the one without each person, and what it tells: as leave-one-out does."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.measurement import NumberKind
from sfumato.privacy.risk.posthoc import loss_gaussian, loss_laplace, pri, pri_gaussian, ratio
from tests.property.oracle import OracleAnswer, leave_one_out, people_of
from tests.property.questions import Question, releasable_questions
from tests.property.tables import Table, examples, tables
from tests.property.test_people import places_of_kept

CLOSE = 1e-8


@pytest.mark.depth("post-hoc risk tables")
@examples("post-hoc risk tables")
@given(data=st.data(), gaussian=st.booleans(), crowded=st.booleans())
def test_it_is_literal_leave_one_out(data: st.DataObject, gaussian: bool, crowded: bool) -> None:
    table = data.draw(tables(crowded=True) if crowded else tables(units=True))
    question = data.draw(releasable_questions(table, additive=gaussian))
    counting = table.rows
    if crowded:
        counting = tuple(
            table.rows[tag] for tag in places_of_kept(table.source("pandas", Path()), table.schema, question.sql)
        )
    assert_same(table, question, counting, gaussian)


def assert_same(table: Table, question: Question, counting: tuple[dict[str, object], ...], gaussian: bool) -> None:
    dataset = sf.open(table.source("pandas", Path()), table.schema, ledger=":memory:")
    people = people_of(table.rows, dataset.schema)
    oracle = leave_one_out(counting, dataset.schema, question.literal, table.names.columns, people)
    query = dataset.query(question.sql)
    how = {"mechanism": "gaussian", "delta": 1e-6} if gaussian else {}
    released = query.release(epsilon=1.0, **how)  # type: ignore[arg-type]
    after = released.posthoc_risk()

    numbers, cells = query.measurement.numbers, len(released.rows)
    power = 0.5 if gaussian else 1
    alike = query.measurement.one_scale or len(numbers) == 1
    how_far = "gaussian" if gaussian else "laplace"
    most = [n.sensitivity_under(how_far) if n.kind.additive else n.largest for n in numbers]
    weights = [1.0 if alike else float(n.share) ** power / float(m) for n, m in zip(numbers, most, strict=True)] * cells
    scales = [float(n.sensitivity) / (float(n.share) ** power) for n in numbers] * cells
    drawn = [value for cell in released.numbers for value in cell]
    if gaussian:
        assert released.certificate.scale is not None
        scales = [float(sigma or 0) for sigma in released.certificate.scale] * cells
    far, loss = (pri_gaussian, loss_gaussian) if gaussian else (pri, loss_laplace)

    def distance(found: OracleAnswer) -> float:
        return far(*([v * w for v, w in zip(values, weights, strict=True)] for values in (drawn, flat(found))))

    shown = [i for i, column in enumerate(c for c in query.measurement.columns if c.visible) if column.numbers]
    printed = [float(row[i] or 0) for row in released.rows for i in shown]  # type: ignore[arg-type]
    apart = [how_far_apart(printed, answers(rest), gaussian) for rest in oracle.without]

    selected = any(n.kind is NumberKind.SELECTION for n in numbers)
    pris = [distance(rest) for rest in oracle.without]
    losses = [loss(drawn, flat(oracle.everybody), flat(rest), scales) for rest in oracle.without]
    rounding = sum(float(n.step) * weights[j] for j, n in enumerate(numbers) if n.rounded) * (len(table.rows) + 1)
    within = CLOSE * max([1.0, *pris]) + rounding * cells
    in_losses = within / (scales[0] * weights[0]) * (max([1.0, *pris]) if gaussian else 1)
    found = after.people().to_pydict()
    assert found["person"] == list(oracle.people)
    assert found["pri"] == pytest.approx(pris, abs=within)
    in_printed = 1e-6 * max([1.0, *apart])
    assert found["printed"] == pytest.approx(apart, abs=in_printed)
    distance_printed = how_far_apart(printed, answers(oracle.everybody), gaussian)
    assert after.printed_distance == pytest.approx(distance_printed, abs=in_printed)
    assert after.distance == pytest.approx(distance(oracle.everybody), abs=within)
    assert after.people_count == len(people)
    if people:
        assert (after.pri.min, after.pri.max) == pytest.approx((min(pris), max(pris)), abs=within)
        assert after.ratio * max(pris) == pytest.approx(ratio(min(pris), max(pris)) * max(pris), abs=2 * within)
    if selected:
        assert (after.loss, after.bound, after.positive) == (None, None, None)
        assert found["loss"] == [None] * len(people)
        return
    assert found["loss"] == pytest.approx(losses, abs=in_losses)
    assert after.loss is not None
    if not people:
        return
    assert (after.loss.min, after.loss.max) == pytest.approx((min(losses), max(losses)), abs=in_losses)
    surely = [sum(one > in_losses for one in losses), sum(one > -in_losses for one in losses)]
    assert surely[0] <= round((after.positive or 0.0) * len(people)) <= surely[1]
    if gaussian:
        assert after.bound is None
    else:
        exposures = query.risk().people()["exposure"].to_pylist()
        assert after.bound == pytest.approx(max(exposures), abs=in_losses)
        assert max(map(abs, found["loss"])) <= (after.bound or 0.0) + CLOSE


def how_far_apart(printed: list[float], true: list[float], gaussian: bool) -> float:
    return (pri_gaussian if gaussian else pri)(printed, true)


def answers(found: OracleAnswer) -> list[float]:
    """The figures of all cells, as a query prints them; one that does not exist is 0."""
    return [float(value or 0) for cell in found.answer for value in cell]


def flat(found: OracleAnswer) -> list[float]:
    """All the numbers of all cells; one that does not exist is 0."""
    return [float(value or 0) for cell in found.numbers for value in cell]
