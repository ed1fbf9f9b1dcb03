"""Histograms of a numeric column: the query, the picture, the charge, and what is refused."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.api.histogram import write_query
from sfumato.errors import QueryError
from sfumato.schema.read import from_dict
from sfumato.sql.parser.histogram_query import histogram_query
from sfumato.sql.parser.statement import parse

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "bounds": [0, 99]},
    "cost": {"type": "number", "bounds": [-1, 1], "unit": "EUR"},
    "sex": {"categories": ["f", "m"]},
    "open": {"type": "integer"},
}
SCHEMA = {"name": "stays", "columns": COLUMNS}


@pytest.fixture
def stays() -> sf.Dataset:
    frame = pd.DataFrame({"age": [*range(100)] * 30, "cost": [0.05 * (i % 40) - 0.99 for i in range(3_000)]})
    frame["sex"] = ["f" if i % 3 else "m" for i in range(3_000)]
    return sf.open(frame.assign(open=1), SCHEMA, ledger=":memory:")


@pytest.mark.parametrize(
    ("how", "text"),
    [
        (("age", 10), "FLOOR(age / 10) * 10 AS age_from, COUNT(*) AS count FROM stays GROUP BY FLOOR(age / 10) * 10"),
        (("age", 99), "age AS age_from, COUNT(*) AS count FROM stays GROUP BY age"),
        (
            ("cost", 20),
            "FLOOR(cost / 0.1e0) * 0.1e0 AS cost_from, COUNT(*) AS count FROM stays GROUP BY FLOOR(cost / 0.1e0)",
        ),
        (("cost", 2), "FLOOR(cost) AS cost_from, COUNT(*) AS count FROM stays GROUP BY FLOOR(cost)"),
    ],
)
def test_the_query_has_round_bins(how: tuple[str, int], text: str) -> None:
    schema = from_dict(SCHEMA)
    query = histogram_query(schema, *how)
    assert parse(query.text, schema).text.split(" ORDER BY ")[0] == f"SELECT {text}"
    assert query.edges[0] <= COLUMNS[how[0]]["bounds"][0]
    assert query.edges[-1] > COLUMNS[how[0]]["bounds"][1]


def test_of_several_tables_it_reads_the_one_that_the_column_names() -> None:
    who = {"id": {"type": "integer"}}
    people, stays = ({"person": "id", "columns": columns} for columns in (who, who | COLUMNS))
    unit = {"table": "people", "column": "id", "max_rows": 2}
    schema = from_dict({"name": "clinic", "unit": unit, "tables": {"people": people, "stays": stays}})
    query = histogram_query(schema, "stays.cost", 2, ["stays.sex"])
    text = (
        "sex, FLOOR(cost) AS cost_from, COUNT(*) AS count FROM stays GROUP BY sex, FLOOR(cost) ORDER BY sex, cost_from"
    )
    assert query.text.upper() == f"SELECT {text}".upper()
    assert (query.column, query.by, query.unit) == ("cost", ("sex",), "EUR")
    for name, hint in (
        ("cost", "name it with its table, as in visits.cost"),
        ("stays.sex", "FROM stays"),
        ("stays.open", "[tables.stays.columns.open]"),
    ):
        with pytest.raises(QueryError) as refused:
            histogram_query(schema, name)
        assert hint in refused.value.hint


def test_one_call_draws_charges_and_shows_it(stays: sf.Dataset) -> None:
    histogram = sf.histogram(stays, "age", epsilon=1.0, bins=10)
    assert (histogram.certificate.charged, histogram.certificate.guarantee.value) == (1.0, "dp")
    assert stays.ledger.total.epsilon == 1.0
    heights = [row[1] for row in histogram.release.rows]
    assert heights == [pytest.approx(300, abs=40)] * 10
    assert histogram.edges == tuple(range(0, 110, 10))
    (picture,) = histogram.plot()
    (bars,) = picture.figure.marks
    assert getattr(bars, "heights", ()) == tuple(heights)
    assert "Histogram of age" in repr(histogram)
    assert "90–100" in repr(histogram)
    assert "<svg" in histogram._repr_html_()
    again = stays.query(histogram.sql).release(epsilon=1.0)
    assert (again.rows, again.repeated) == (histogram.release.rows, True)


def test_groups_have_a_picture_each_and_a_condition_holds_for_all(stays: sf.Dataset) -> None:
    histogram = sf.histogram(stays, "cost", sf.gap(1.5, worst_case=True), bins=4, by="sex", where="age < 50")
    assert [picture.figure.subtitle for picture in histogram.plot()] == ["sex = f", "sex = m"]
    assert histogram.plot()[0].figure.x.name == "cost (EUR)"
    assert histogram.certificate.epsilon == pytest.approx(0.5)
    counts = pd.DataFrame(histogram.release.rows).groupby(0)[2].sum()
    assert counts["f"] == pytest.approx(1_000, abs=60)
    assert counts["m"] == pytest.approx(500, abs=60)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"column": "sex"}, "needs numbers"),
        ({"column": "open"}, "has no bounds"),
        ({"column": "weight"}, "no column 'weight'"),
        ({"column": "age", "by": "ward"}, "no column 'ward'"),
        ({"column": "age", "bins": 0}, "1 to 1,000 bins"),
        ({"column": "age", "where": "age < 5 GROUP BY sex"}, "The condition is not valid SQL"),
        ({"column": "age", "where": "COUNT(*) > 5"}, "An aggregate in this place"),
        ({"column": "age", "where": "age <"}, "The condition is not valid SQL"),
    ],
)
def test_what_has_no_public_bins_is_refused(stays: sf.Dataset, how: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        stays.query(write_query(stays, **how).text)
    assert not stays.ledger.entries
