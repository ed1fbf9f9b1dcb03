"""Sub-selects over each person's own rows: what they mean, what is known of them, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import QueryError, SfumatoError
from sfumato.model.own_rows import OwnGroups
from sfumato.model.statement import Statement
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.schema.write import write
from sfumato.sql.parser.statement import parse

STAYS: dict[str, Any] = {
    "name": "stays",
    "unit": "patient",
    "max_rows": 2,
    "columns": {
        "patient": {"type": "text"},
        "ward": {"type": "text", "categories": ["A", "B"]},
        "cost": {"type": "number", "bounds": [0, 500]},
        "days": {"type": "integer", "bounds": [1, 30], "per_person": [0, 90]},
        "day": {"type": "date"},
        "code": {"type": "integer"},
    },
}
TOTALS = "SELECT AVG(total) FROM (SELECT patient, SUM(days) AS total FROM stays GROUP BY patient)"


def read(sql: str, **stated: Any) -> Statement:
    return parse(sql, from_dict(STAYS | stated))


@pytest.mark.golden("per_person_avg")
def test_a_person_s_total_is_clipped_once_and_all_rows_count() -> None:
    rows = [("a", 100), ("a", 250), ("b", 900), ("c", 5000), ("c", 6000), ("d", None)]
    cost = {"type": "integer", "bounds": [0, 10_000], "per_person": [0, 2000]}
    schema = {"name": "stays", "unit": "who", "max_rows": 1, "columns": {"who": {"type": "text"}, "cost": cost}}
    dataset = sf.open(pd.DataFrame(rows, columns=["who", "cost"]), schema, ledger=":memory:")
    inner = "SELECT who, SUM(cost) AS total FROM stays WHERE cost IS NOT NULL GROUP BY who"
    query = dataset.query(f"SELECT AVG(total) FROM ({inner})")
    assert [n.sensitivity for n in query.measurement.numbers] == [1000, 1]
    totals = query._bound.totals().cells[()]
    assert [t * n.step for t, n in zip(totals, query.measurement.numbers, strict=True)] == [250, 3]
    assert query.risk().people().to_pydict() == {
        "person": ["a", "b", "c", "d"],
        "influence": [pytest.approx(abs(v)) for v in (1100 / 3, 275 / 3, 1375 / 3, 0)],
        "exposure": [pytest.approx(u) for u in (0.825, 0.55, 1.0, 0.0)],
    }


@pytest.mark.golden("per_person_float")
def test_a_person_s_sum_does_not_depend_on_the_order_of_the_rows() -> None:
    """In floats ten times 0.1 is 1 or nothing after 1e16 was added: who else is there decides the order."""
    assert sum([0.1] * 10) == 0.9999999999999999
    assert sum([1e16, *[0.1] * 10]) - 1e16 == 0.0
    terms = [1e16, *[0.1] * 10, -1e16]
    schema = {
        "name": "t",
        "unit": "who",
        "max_rows": 1,
        "columns": {"who": {"type": "text"}, "v": {"type": "number", "bounds": [-1e16, 1e16], "per_person": [-9, 9]}},
    }
    sums = set()
    for order in (terms, terms[::-1], [*terms[6:], *terms[:6]]):
        table = pd.DataFrame({"who": ["a"] * len(order), "v": order})
        query = sf.open(table, schema, ledger=":memory:").query(
            "SELECT SUM(s) FROM (SELECT who, SUM(v) AS s FROM t GROUP BY who)"
        )
        sums.add(query.answer()[0][0])
    assert len(sums) == 1


@pytest.mark.parametrize(
    ("sql", "bounds"),
    [
        ("SELECT patient, SUM(days) AS v FROM stays GROUP BY patient", (0, 90)),
        ("SELECT patient, AVG(cost) AS v FROM stays GROUP BY patient", (0, 500)),
        ("SELECT patient, MIN(days) AS v FROM stays GROUP BY patient", (1, 30)),
        ("SELECT patient, MAX(days) - MIN(days) AS v FROM stays GROUP BY patient", (-29, 29)),
        ("SELECT patient, COUNT(DISTINCT ward) AS v FROM stays GROUP BY patient", (0, 2)),
        ("SELECT patient, CASE WHEN COUNT(*) > 3 THEN 1 ELSE 0 END AS v FROM stays GROUP BY patient", (0, 1)),
        ("SELECT patient, LEAST(SUM(cost), 900) AS v FROM stays GROUP BY patient", (0, 900)),
        ("SELECT patient, GREATEST(-5, LEAST(SUM(cost - 9), 5)) AS v FROM stays GROUP BY patient", (-5, 5)),
        ("SELECT LEAST(n, 7) AS v FROM (SELECT patient, COUNT(*) AS n FROM stays GROUP BY patient)", (1, 7)),
        ("SELECT patient, FIRST(days ORDER BY day) AS v FROM stays GROUP BY patient", (1, 30)),
        ("SELECT days - LAG(days) OVER (PARTITION BY patient ORDER BY day) AS v FROM stays", (-29, 29)),
        ("SELECT SUM(days) OVER (PARTITION BY patient) AS v FROM stays", (0, 90)),
    ],
)
def test_the_range_of_a_figure_follows_or_is_stated(sql: str, bounds: tuple[int, int]) -> None:
    schema = from_dict(STAYS)
    (number,) = measure(parse(f"SELECT SUM(v) FROM ({sql})", schema), schema).numbers
    assert number.bounds is not None
    assert [number.bounds.lower, number.bounds.upper] == [*map(Fraction, bounds)]
    rows = (
        2 if "OVER" in sql else 1
    )  # of the rows of the table `max_rows` count; of a person's own figures there is one
    assert number.sensitivity == rows * number.bounds.reach


def test_the_schema_may_state_how_many_rows_a_person_counts() -> None:
    sql = "SELECT SUM(n), SUM(c) FROM (SELECT patient, COUNT(*) AS n, SUM(cost) AS c FROM stays GROUP BY patient)"
    with pytest.raises(QueryError, match="rows_per_person"):
        measure(read(sql), from_dict(STAYS))
    schema = from_dict(STAYS | {"rows_per_person": 8})
    assert [n.sensitivity for n in measure(parse(sql, schema), schema).numbers] == [8, 4000]
    assert from_dict(STAYS | {"rows_per_person": 8}).fingerprints()[""] != from_dict(STAYS).fingerprints()[""]


def test_what_is_stated_of_a_person_is_written_and_read_again(tmp_path: Any) -> None:
    from sfumato.schema.read import load

    path = tmp_path / "stays.toml"
    path.write_text(write(from_dict(STAYS | {"rows_per_person": 8})), encoding="utf-8")
    again = load(path)
    assert again.rows_per_person == 8
    assert again.columns[3].per_person is not None
    assert [again.columns[3].per_person.lower, again.columns[3].per_person.upper] == [Fraction(0), Fraction(90)]


def test_several_groups_of_a_person_count_within_the_bounds_of_the_unit() -> None:
    sql = "SELECT ward, COUNT(*), COUNT(DISTINCT patient) FROM (SELECT DISTINCT patient, ward FROM stays) GROUP BY ward"
    schema = from_dict(STAYS | {"max_rows": 5, "max_groups": 1})
    counted, persons = measure(parse(sql, schema), schema).numbers
    assert [counted.sensitivity, persons.sensitivity] == [Fraction(5), Fraction(1)]


def test_no_row_of_a_person_is_left_out_inside() -> None:
    """`max_rows` is 2; a patient with five stays has a total over all of them."""
    rows = [{"patient": "a", "days": 10, "ward": "A", "cost": 1.0, "day": None, "code": 1}] * 5
    dataset = sf.open(pd.DataFrame(rows), STAYS, ledger=":memory:")
    assert dataset.query(TOTALS).answer() == ((50.0,),)
    assert dataset.query("SELECT SUM(days) FROM stays").answer() == ((20,),)


def test_a_statement_over_own_rows_is_read_back_as_it_was_understood() -> None:
    for sql in (
        TOTALS,
        "SELECT w, COUNT(*) FROM (SELECT patient, LAST(ward ORDER BY day DESC) AS w FROM stays WHERE cost > 3 "
        "GROUP BY 1 HAVING MIN(cost) < 9 OR w = 'A') GROUP BY w",
        "WITH f AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day DESC) AS n FROM stays) "
        "SELECT ward, COUNT(*) FROM f WHERE n = 1 GROUP BY ward",
        "SELECT COUNT(*) FROM stays AS s WHERE NOT EXISTS (SELECT 1 FROM stays t "
        "WHERE t.patient = s.patient AND t.code = 3) AND s.patient IN (SELECT patient FROM stays "
        "GROUP BY patient HAVING SUM(days) > 3)",
        "SELECT AVG(m) FROM (SELECT patient, MAX(s) AS m FROM (SELECT patient, ward, SUM(days) AS s FROM stays "
        "GROUP BY patient, ward) GROUP BY patient)",
    ):
        statement = read(sql)
        assert read(statement.text) == statement


def test_every_column_that_a_sub_select_reads_is_a_column_of_the_statement() -> None:
    assert read(TOTALS).columns == ("days", "patient")
    sql = "SELECT COUNT(*) FROM stays WHERE patient IN (SELECT patient FROM stays WHERE code = 3)"
    assert read(sql).columns == ("code", "patient")
    assert isinstance(read(TOTALS).derived, OwnGroups)


REFUSED = {
    "a sum without bounds": (
        "SELECT AVG(s) FROM (SELECT patient, SUM(cost) AS s FROM stays GROUP BY patient)",
        "The range of s does not follow: a person may have any number of rows. Hint: use a range in the query, as in "
        "GREATEST(0, LEAST(s, 100)), or state per_person = [lowest, highest] under [columns.cost] in the schema.",
    ),
    "a sum of a column without bounds": (
        "SELECT AVG(s) FROM (SELECT patient, SUM(code) AS s FROM stays GROUP BY patient)",
        "Column 'code' is summed but has no bounds. Hint: add bounds = [lowest, highest] under [columns.code] in "
        "the schema.",
    ),
    "groups across people": (
        "SELECT COUNT(*) FROM (SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward)",
        "A sub-select with GROUP BY over the rows of several people is not supported: one row of it would mix them: "
        "line 1, column 70. Hint: add patient to it: then each row is about one patient.",
    ),
    "different values across people": (
        "SELECT COUNT(*) FROM (SELECT DISTINCT ward FROM stays)",
        "A sub-select with DISTINCT over the rows of several people is not supported: one row of it would mix them: "
        "line 1, column 39. Hint: add patient to it: then each row is about one patient.",
    ),
    "a window across people": (
        "SELECT COUNT(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY day) AS n FROM stays)",
        "A window over the rows of several people is not supported: one person would change the figures of all "
        "others: line 1, column 30. Hint: write PARTITION BY patient in it: then it reads the rows of one patient.",
    ),
    "a window with a frame": (
        "SELECT SUM(n) FROM (SELECT SUM(days) OVER (PARTITION BY patient ORDER BY day ROWS BETWEEN 1 PRECEDING AND "
        "CURRENT ROW) AS n FROM stays)",
        "A window with a frame is not supported: line 1, column 28. Hint: leave the frame out: a window with ORDER "
        "BY reads up to the current row.",
    ),
    "a place without an order": (
        "SELECT COUNT(n) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY patient) AS n FROM stays)",
        "ROW_NUMBER without an order is not supported: line 1, column 30. Hint: add ORDER BY: ROW_NUMBER() OVER "
        "(PARTITION BY patient ORDER BY d).",
    ),
    "rows of other people": (
        "SELECT COUNT(*) FROM stays s WHERE EXISTS (SELECT 1 FROM stays t WHERE t.ward = s.ward)",
        "EXISTS over the rows of other people is not supported: line 1, column 51. Hint: name the inner table, as in "
        "FROM stays AS own, and add own.patient = stays.patient to its WHERE.",
    ),
    "another row of one's own": (
        "SELECT COUNT(*) FROM stays s WHERE EXISTS (SELECT 1 FROM stays t WHERE t.patient = s.patient AND "
        "t.days > s.days)",
        "EXISTS that compares more than the person with the row outside is not supported: line 1, column 107. Hint: "
        "compare with a window in a sub-select, such as MAX(v) OVER (PARTITION BY patient).",
    ),
    "a value of other people": (
        "SELECT COUNT(*) FROM stays WHERE ward IN (SELECT ward FROM stays)",
        "IN with a sub-select over the rows of other people is not supported: line 1, column 34. Hint: compare "
        "patient, as in patient IN (SELECT patient FROM ...), or list the values.",
    ),
    "a column that is no key": (
        "SELECT SUM(d) FROM (SELECT patient, days AS d FROM stays GROUP BY patient)",
        "Column 'days' is neither aggregated nor in GROUP BY: line 1, column 37. Hint: add it to the GROUP BY, or "
        "aggregate it, as in MAX(days).",
    ),
    "groups by a number of rows without bounds": (
        "SELECT n, COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM stays GROUP BY patient) GROUP BY n",
        "The values of the group key n do not follow: a person may have any number of rows. Hint: group by LEAST(n, "
        "10), or by CASE WHEN ... THEN 'a' END.",
    ),
    "bins of a sum without bounds": (
        "SELECT FLOOR(s / 10), COUNT(*) FROM (SELECT patient, SUM(cost) AS s FROM stays GROUP BY patient) GROUP BY 1",
        "The values of the group key FLOOR((s / 10)) do not follow from the schema. Hint: give s a range, as in "
        "GREATEST(0, LEAST(s, 100)).",
    ),
    "a variance": (
        "SELECT SUM(v) FROM (SELECT patient, VARIANCE(days) AS v FROM stays GROUP BY patient)",
        "VARIANCE() of a person's own rows is not supported: line 1, column 37. Hint: use COUNT, SUM, AVG, "
        "MIN, MAX, FIRST(v ORDER BY d), LAST, ARG_MIN and ARG_MAX.",
    ),
    "an order inside": (
        "SELECT COUNT(*) FROM (SELECT patient FROM stays GROUP BY patient ORDER BY patient LIMIT 3)",
        "ORDER BY inside a sub-select is not supported: line 1, column 75. Hint: use a sub-select that works row by "
        "row.",
    ),
}


@pytest.mark.parametrize(("sql", "sentence"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_with_what_to_write_instead(sql: str, sentence: str) -> None:
    schema = from_dict(STAYS)
    with pytest.raises(SfumatoError) as error:
        measure(parse(sql, schema), schema)
    assert str(error.value) == sentence


def test_exposure_is_that_of_one_row_however_many_a_person_has() -> None:
    rows = [("a", 10), ("a", 20), ("a", 30), ("b", 30)]
    table = pd.DataFrame([{"patient": p, "days": d, "ward": "A", "cost": 1.0, "day": None, "code": 1} for p, d in rows])
    query = sf.open(table, STAYS, ledger=":memory:").query(TOTALS.replace("AVG", "SUM"))
    exposures = query.risk().people().to_pydict()["exposure"]
    assert [Fraction(u).limit_denominator(99) for u in exposures] == [Fraction(60, 90), Fraction(30, 90)]


def test_rows_of_equal_order_are_told_apart_by_all_that_is_read_of_them() -> None:
    """Two stays on one day: which of them is the first does not depend on their place in the file."""
    stays = [{"patient": "a", "days": d, "ward": w, "cost": 1.0, "day": "2026-01-01", "code": 1} for d, w in
             ((3, "B"), (3, "A"), (1, "B"), (9, "A"), (2, "B"))]  # fmt: skip
    sql = (
        "SELECT ward, SUM(days) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day) AS n, "
        "LAG(days) OVER (PARTITION BY patient ORDER BY day) AS l FROM stays) WHERE n = 2 OR l = 3 GROUP BY ward"
    )
    answers = set()
    for turn in range(len(stays)):
        table = pd.DataFrame([*stays[turn:], *stays[:turn]])
        answers.add(sf.open(table, STAYS | {"max_rows": 9}, ledger=":memory:").query(sql).answer())
    assert len(answers) == 1


def test_a_clipped_figure_may_be_a_group_key() -> None:
    inner = "SELECT patient, COUNT(*) AS n, SUM(days) AS total FROM stays GROUP BY patient"
    schema = from_dict(STAYS)
    for key, cells in (("LEAST(n, 3)", [1, 2, 3]), ("FLOOR(total / 30)", [0, 1, 2, 3])):
        cells_of = measure(parse(f"SELECT {key} AS k, COUNT(*) FROM ({inner}) GROUP BY k", schema), schema).public_cells
        assert [cell for (cell,) in cells_of] == cells
    for key in ("n", "FLOOR(n / 2)", "LEAST(n, n + 1)"):
        with pytest.raises(SfumatoError):
            measure(parse(f"SELECT {key} AS k, COUNT(*) FROM ({inner}) GROUP BY k", schema), schema)


def test_answers_are_grouped_by_what_a_case_says_of_a_person() -> None:
    rows = [("a", 10), ("a", 20), ("a", 30), ("b", 30)]
    table = pd.DataFrame([{"patient": p, "days": d, "ward": "A", "cost": 1.0, "day": None, "code": 1} for p, d in rows])
    sql = (
        "SELECT kind, COUNT(*) FROM (SELECT patient, CASE WHEN COUNT(*) > 2 THEN 'often' ELSE 'rare' END AS kind "
        "FROM stays GROUP BY patient) GROUP BY kind"
    )
    query = sf.open(table, STAYS, ledger=":memory:").query(sql)
    assert query.measurement.public_cells == (("often",), ("rare",))
    assert query.answer() == ((1,), (1,))


def test_no_row_lies_above_the_mean_of_itself() -> None:
    """A mean in steps is a hair beside the value that it is the mean of: `cost > m` was then true of single rows."""
    rows = [("a", 5245.09), ("b", 0.1), ("b", 0.1), ("b", 0.1), ("c", 1.0), ("c", 3.0)]
    columns = {"patient": {"type": "text"}, "cost": {"type": "number", "bounds": [0, 10_000]}}
    stays = pd.DataFrame(rows, columns=["patient", "cost"])
    dataset = sf.open(stays, STAYS | {"columns": columns}, ledger=":memory:")
    inner = "SELECT cost, AVG(cost) OVER (PARTITION BY patient) AS m FROM stays"
    assert dataset.query(f"SELECT COUNT(*) FROM ({inner}) WHERE cost > m").answer() == ((1,),)
    inner = "SELECT patient, SUM(cost) AS total, MAX(cost) AS largest FROM stays GROUP BY patient"
    assert dataset.query(f"SELECT COUNT(*) FROM ({inner}) WHERE total <> largest").answer() == ((2,),)
