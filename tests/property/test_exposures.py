"""The exposures behind a private selection, in whole units: everybody's literal one, whoever else is in the table."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.facts import Moments
from tests.property.oracle import leave_one_out, people_of
from tests.property.questions import releasable_questions
from tests.property.tables import SOURCES, Table, examples, other_rows, tables
from tests.property.test_exposure_histogram import NOISES
from tests.property.test_people import places_of_kept


@pytest.mark.depth("exposure tables")
@examples("exposure tables")
@given(data=st.data(), kind=st.sampled_from(SOURCES), gaussian=st.booleans())
def test_everybody_carries_their_literal_exposure_in_whole_units(
    data: st.DataObject, kind: str, gaussian: bool
) -> None:
    """The oracle takes each person out and adds up fractions; a person is off by what rounding does, number by number
    and row by row, and no more. What is added up is exactly what each carries in a table of their own."""
    table = data.draw(st.one_of(tables(units=True), tables(crowded=True), tables()))
    question = data.draw(releasable_questions(table, additive=True, levels=True))
    with TemporaryDirectory() as folder:
        dataset = sf.open(table.source(kind, Path(folder)), table.schema, ledger=":memory:")
        query = dataset.query(question.sql)
        found = query._bound.survey(NOISES[gaussian]).moments
    schema, rows = dataset.schema, table.rows
    if schema.unit.column is not None:
        rows = tuple(table.rows[i] for i in places_of_kept(table.source("pandas", Path()), table.schema, question.sql))
    oracle = leave_one_out(rows, schema, question.literal, table.names.columns, people_of(table.rows, schema))
    exposures = [u**2 for u in oracle.exposures_l2()] if gaussian else [float(u) for u in oracle.exposures()]
    off = 2 * len(query.measurement.numbers) * schema.unit.max_rows * query.measurement.drawn_levels
    everybody = {who: places for who, places in table.people().items() if who is not None}
    most, units = Moments.ONE // schema.relation.steps ** (2 if gaussian else 1), []
    for who, exposure in zip(sorted(everybody), exposures, strict=True):
        one = moments(alone(table, everybody[who]), question.sql, gaussian)
        assert (one.people, one.squares) == (1, one.total**2)
        assert one.total <= most
        assert abs(one.total - exposure * Moments.ONE) <= off
        assert (one.total > 0) == (exposure > 0)
        units.append(one.total)
    assert found == Moments(len(units), sum(units), sum(u**2 for u in units))


@pytest.mark.depth("exposure tables")
@examples("exposure tables")
@given(data=st.data(), gaussian=st.booleans())
def test_neighbours_differ_by_what_one_person_carries(data: st.DataObject, gaussian: bool) -> None:
    """Whoever leaves takes along exactly their units; whoever is replaced, theirs; rows of nobody are nobody's."""
    table = data.draw(st.one_of(tables(units=True), tables(crowded=True)))
    sql = data.draw(releasable_questions(table, additive=True, levels=True)).sql
    everybody = moments(table, sql, gaussian)
    for person, places in table.people().items():
        rest = moments(table.without(*places), sql, gaussian)
        left = everybody.people - rest.people, everybody.total - rest.total, everybody.squares - rest.squares
        assert left == (0, 0, 0) if person is None else left == (1, left[1], left[1] ** 2)
    names = [person for person in table.people() if person is not None]
    if table.schema.get("unit") and names:
        who = data.draw(st.sampled_from(names))
        others = table.without(*table.people()[who])
        replaced = Table(table.names, table.schema, (*others.rows, *data.draw(other_rows(table, who))))
        before, after = moments(others, sql, gaussian), moments(replaced, sql, gaussian)
        joined = after.people - before.people, after.total - before.total, after.squares - before.squares
        assert joined in {(0, 0, 0), (1, joined[1], joined[1] ** 2)}


def moments(table: Table, sql: str, gaussian: bool) -> Moments:
    dataset = sf.open(table.source("pandas", Path()), table.schema, ledger=":memory:")
    return dataset.query(sql)._bound.survey(NOISES[gaussian]).moments


def alone(table: Table, places: tuple[int, ...]) -> Table:
    return table.without(*(place for place in range(len(table.rows)) if place not in places))
