"""HAVING, ORDER BY and LIMIT: on rows as SQL has it, and on a noisy answer, of which they read nothing else."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.model.statement import Afterwards, Order, Predicate
from sfumato.presentation.wording import release_sentences as of_release
from sfumato.privacy.preferences.preference import epsilon
from sfumato.release.postprocess import apply_having_order_limit, holds
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse, parse_condition

ANSWER = from_dict(
    {"name": "answer", "columns": {"n": {"type": "integer"}, "x": {"type": "number"}, "s": {"type": "text"},
                                   "b": {"type": "boolean"}}}
)  # fmt: skip
NAMES = ("n", "x", "s", "b")
ROWS: list[tuple[object, ...]] = [
    (3, 1.5, "Ann", True),
    (None, 2.5, "bo", False),
    (1, None, "Cy", None),
    (3, 0.5, None, True),
]


def said(text: str) -> Predicate:
    return parse_condition(text, ANSWER)


def row(*values: object) -> dict[str, object]:
    return dict(zip(NAMES, values, strict=True))


# Rows

TRUTH: dict[str, list[bool | None]] = {  # for each of the rows above
    "n > 2": [True, None, False, True],
    "n = 3": [True, None, False, True],
    "n <> 3": [False, None, True, False],
    "n <= x": [False, None, None, False],
    "NOT n > 2": [False, None, True, False],
    "n IS NULL": [False, True, False, False],
    "n IS NOT NULL": [True, False, True, True],
    "n IN (1, 2)": [False, None, True, False],
    "n NOT IN (1, 2)": [True, None, False, True],
    "n BETWEEN 2 AND 3": [True, None, False, True],
    "n > 2 AND x > 1": [True, None, False, False],
    "n > 2 OR x > 1": [True, True, None, True],
    "x > 1 AND n > 2": [True, None, False, False],
    "b": [True, False, None, True],
    "NOT b": [False, True, None, False],
    "TRUE": [True, True, True, True],
    "s LIKE 'A%'": [True, False, False, None],
    "s LIKE '_o'": [False, True, False, None],
    "s ILIKE 'B_'": [False, True, False, None],
    "s NOT LIKE '%n%'": [False, True, True, None],
    "LOWER(s) = 'cy'": [False, False, True, None],
    "UPPER(s) = 'BO'": [False, True, False, None],
    "n + x = 4.5": [True, None, None, False],
    "-n < x * 2": [True, None, None, True],
    "n / (x - 0.5) = 3": [True, None, None, None],
    "ABS(x - 2) = 0.5": [True, True, None, False],
    "COALESCE(n, 3) = 3": [True, True, False, True],
    "COALESCE(n, x) > 2": [True, True, False, True],
    "CASE WHEN b THEN n ELSE 0 END = 3": [True, False, False, True],
    "CASE WHEN n > 2 THEN x END > 1": [True, None, None, False],
    "CASE n WHEN 3 THEN TRUE ELSE b END": [True, False, None, True],
}


@pytest.mark.parametrize("text", TRUTH)
def test_a_condition_is_true_false_or_not_known(text: str) -> None:
    assert [holds(said(text), row(*values)) for values in ROWS] == TRUTH[text]


@pytest.mark.parametrize("text", ["x = 0.1", "x <= 0.1", "x >= 0.1", "x IN (0.1)", "x + 0.2 <> 0.3", "x - 0.1 = 0"])
def test_numbers_are_the_floats_that_are_written_so(text: str) -> None:
    assert holds(said(text), row(None, 0.1, None, None)) is True


@given(text=st.text("ab%_.", max_size=8), pattern=st.text("ab%_.", max_size=6))
def test_a_pattern_matches_as_its_definition_has_it(text: str, pattern: str) -> None:
    def matches(text: str, pattern: str) -> bool:
        if not pattern:
            return not text
        if pattern[0] == "%":
            return any(matches(text[i:], pattern[1:]) for i in range(len(text) + 1))
        return bool(text) and pattern[0] in ("_", text[0]) and matches(text[1:], pattern[1:])

    assert holds(said(f"s LIKE '{pattern}'"), row(None, None, text, None)) == matches(text, pattern)


def test_a_pattern_that_just_fails_ends_soon() -> None:
    """Trying again where the parts before it may lie would take longer than anyone lives."""
    assert holds(said(f"s LIKE '{'%a' * 20}b'"), row(None, None, "a" * 1000, None)) is False


def test_only_what_is_true_is_kept() -> None:
    assert apply_having_order_limit(Afterwards(said("n > 2 OR b")), NAMES, ROWS) == [0, 3]
    assert apply_having_order_limit(Afterwards(said("NOT (n > 2 OR b)")), NAMES, ROWS) == [], "nor what is not known"


ORDERS: dict[str, tuple[tuple[Order, ...], list[int]]] = {
    "none": ((), [0, 1, 2, 3]),
    "ties stay as they were": ((Order("n"),), [2, 0, 3, 1]),
    "ties stay, the other way round": ((Order("n", descending=True),), [0, 3, 2, 1]),
    "what is missing comes last": ((Order("x"),), [3, 0, 1, 2]),
    "and last, the other way round": ((Order("x", descending=True),), [1, 0, 3, 2]),
    "two": ((Order("n"), Order("x")), [2, 3, 0, 1]),
    "texts by their letters' numbers": ((Order("s"),), [0, 2, 1, 3]),
    "booleans": ((Order("b"), Order("x")), [1, 3, 0, 2]),
}


@pytest.mark.parametrize(("order", "expected"), ORDERS.values(), ids=ORDERS)
def test_rows_are_sorted(order: tuple[Order, ...], expected: list[int]) -> None:
    assert apply_having_order_limit(Afterwards(order=order), NAMES, ROWS) == expected


@pytest.mark.parametrize(("limit", "offset", "expected"), [
    (None, 0, [2, 0, 3, 1]), (2, 0, [2, 0]), (2, 1, [0, 3]), (9, 3, [1]), (0, 0, []), (None, 3, [1]), (1, 4, []),
    (None, 10**30, []), (10**30, 1, [0, 3, 1]),
])  # fmt: skip
def test_a_part_of_the_rows(limit: int | None, offset: int, expected: list[int]) -> None:
    assert (
        apply_having_order_limit(Afterwards(order=(Order("n"),), limit=limit, offset=offset), NAMES, ROWS) == expected
    )


def test_no_rows() -> None:
    assert apply_having_order_limit(Afterwards(said("n > 2"), (Order("n"),), 3, 1), NAMES, []) == []


@given(st.lists(st.tuples(st.none() | st.integers(0, 3), st.none() | st.integers(0, 3)), max_size=12), st.booleans())
def test_sorting_is_stable_and_loses_nothing(pairs: list[tuple[int | None, int | None]], descending: bool) -> None:
    found = apply_having_order_limit(Afterwards(order=(Order("a", descending),)), ("a", "b"), pairs)
    assert sorted(found) == list(range(len(pairs)))
    sign = -1 if descending else 1
    assert found == sorted(found, key=lambda i: (pairs[i][0] is None, sign * (pairs[i][0] or 0), i))


# A noisy answer, with so little noise that it is the true one

STAYS = pd.DataFrame({"ward": ["a"] * 4 + ["b"] * 2 + ["c"] * 6, "days": [1, 2, 3, 4, 30, 40, 10, 10, 10, 20, 20, 20]})
SCHEMA: dict[str, Any] = {
    "name": "stays",
    "columns": {
        "ward": {"categories": ["a", "b", "c", "d"]},
        "days": {"type": "integer", "bounds": [0, 50]},
    },
}
TRUE = {"a": (4, 2.5), "b": (2, 35.0), "c": (6, 15.0), "d": (0, 25.0)}  # of nobody the mean is the middle


def released(sql: str) -> sf.Release:
    query = sf.open(STAYS, SCHEMA, ledger=":memory:").query(sql)
    return query.release(query.choose(epsilon(1e6), epsilon_max=1e6))


WARDS = "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward"
ANSWERED = {
    "HAVING": (f"{WARDS} HAVING n > 2", ["a", "c"]),
    "HAVING an aggregate that is shown": (f"{WARDS} HAVING COUNT(*) > 2", ["a", "c"]),
    "HAVING an aggregate that is not": (f"{WARDS} HAVING SUM(days) > 50", ["b", "c"]),
    "HAVING a key": (f"{WARDS} HAVING ward <> 'a' AND n > 0", ["b", "c"]),
    "HAVING nothing": (f"{WARDS} HAVING n > 99", []),
    "HAVING with arithmetic": (f"{WARDS} HAVING SUM(days) / n > 20", ["b"]),
    "ORDER BY": (f"{WARDS} ORDER BY n", ["d", "b", "a", "c"]),
    "ORDER BY ... DESC": (f"{WARDS} ORDER BY 2 DESC", ["c", "a", "b", "d"]),
    "ORDER BY what is not shown": (f"{WARDS} ORDER BY SUM(days) DESC LIMIT 3", ["c", "b", "a"]),
    "ORDER BY a key": (f"{WARDS} ORDER BY ward DESC", ["d", "c", "b", "a"]),
    "LIMIT": (f"{WARDS} LIMIT 2", ["a", "b"]),
    "LIMIT and OFFSET": (f"{WARDS} ORDER BY n LIMIT 2 OFFSET 1", ["b", "a"]),
    "OFFSET beyond the end": (f"{WARDS} OFFSET 4", []),
    "all of it": (f"{WARDS} HAVING n > 0 ORDER BY n DESC LIMIT 1 OFFSET 1", ["a"]),
}


@pytest.mark.parametrize(("sql", "wards"), ANSWERED.values(), ids=ANSWERED)
def test_an_answer_afterwards(sql: str, wards: list[str]) -> None:
    release = released(sql)
    assert release.columns == ("ward", "n")
    assert list(release.rows) == [(ward, TRUE[ward][0]) for ward in wards]
    assert "HAVING, ORDER BY and LIMIT were applied to the noisy answer" in release.certificate.post_processing


@pytest.mark.parametrize(
    ("rest", "picked"),
    [
        ("", False),
        ("ORDER BY n", False),
        ("LIMIT 2", False),
        ("OFFSET 1", False),
        ("ORDER BY ward DESC LIMIT 2", False),
        ("HAVING ward <> 'a'", False),
        ("ORDER BY n LIMIT 2", True),
        ("ORDER BY ward, n OFFSET 1", True),
        ("HAVING n > 2", True),
        ("HAVING ward = 'a' OR n > 2", True),
    ],
)
def test_ranges_do_not_cover_being_picked(rest: str, picked: bool) -> None:
    """Of rows that were picked by noisy figures those stand out that noise helped: their ranges hold less often."""
    release = released(f"{WARDS} {rest}")
    assert (of_release.PICKED in release.certificate.post_processing) is picked
    assert (of_release.PICKED in str(release)) is picked
    assert (of_release.PICKED in str(release.certificate)) is picked


def test_a_key_that_is_not_shown_may_sort_the_answer() -> None:
    assert list(released("SELECT COUNT(*) FROM stays GROUP BY ward ORDER BY ward DESC").rows) == [
        (0,),
        (6,),
        (2,),
        (4,),
    ]


def test_ranges_stay_with_their_rows() -> None:
    release = released("SELECT ward, AVG(days) AS mean FROM stays GROUP BY ward HAVING COUNT(*) > 0 ORDER BY mean DESC")
    assert [row[0] for row in release.rows] == ["b", "c", "a"]
    for ward, mean in release.rows:
        assert mean == pytest.approx(TRUE[str(ward)][1], abs=0.01)
    assert release.certificate.noise_90 is not None
    assert len(release.certificate.noise_90) == 3


def test_what_is_drawn_for_having_alone_is_charged_for() -> None:
    """It is a noisy number like any other, and takes its share of epsilon."""
    plain, more = released(WARDS), released(f"{WARDS} HAVING SUM(days) > 50")
    assert [len(release.certificate.numbers) for release in (plain, more)] == [1, 2]


NESTED = from_dict(
    {"name": "stays", "unit": "patient", "max_rows": 2,
     "columns": {"patient": {"type": "text"}, "ward": {"categories": ["A", "B"]},
                 "days": {"type": "integer", "bounds": [0, 60]}}}
)  # fmt: skip
COUNTS = "SELECT ward AS w, COUNT(*) AS n, SUM(days) AS d FROM stays GROUP BY w"
OVER_AN_ANSWER = [
    (
        f"SELECT w, n FROM ({COUNTS}) WHERE n > 20",
        "SELECT ward AS w, COUNT(*) AS n FROM stays GROUP BY ward HAVING n > 20",
    ),
    (
        f"WITH m AS ({COUNTS} HAVING n > 5) SELECT d / n AS mean FROM m WHERE w <> 'A' ORDER BY n DESC LIMIT 1",
        "SELECT SUM(days) / COUNT(*) AS mean FROM stays GROUP BY ward HAVING COUNT(*) > 5 AND ward <> 'A' "
        "ORDER BY COUNT(*) DESC LIMIT 1",
    ),
    (f"SELECT * FROM ({COUNTS} ORDER BY d LIMIT 1)", f"{COUNTS} ORDER BY d LIMIT 1"),
    (
        "WITH long AS (SELECT * FROM stays WHERE days > 3), m AS (SELECT ward, COUNT(*) AS n FROM long GROUP BY ALL), "
        "o AS (SELECT * FROM m WHERE n > 2) SELECT n FROM o",
        "SELECT COUNT(*) AS n FROM stays WHERE days > 3 GROUP BY ward HAVING COUNT(*) > 2",
    ),
    (
        "SELECT k, n FROM (SELECT days > 7 AS k, COUNT(*) AS n FROM stays GROUP BY 1) AS m WHERE m.k",
        "SELECT days > 7 AS k, COUNT(*) AS n FROM stays GROUP BY days > 7 HAVING k",
    ),
    (
        "SELECT w, n FROM (SELECT ward AS w, COUNT(*) AS n FROM stays GROUP BY ROLLUP(w)) WHERE n > 2",
        "SELECT ward AS w, COUNT(*) AS n FROM stays GROUP BY ROLLUP(ward) HAVING n > 2",
    ),
]


def test_a_select_over_an_answer_asks_what_one_select_asks() -> None:
    for nested, flat in OVER_AN_ANSWER:
        assert parse(nested, NESTED).text == parse(flat, NESTED).text


def test_a_select_over_the_answer_reads_no_person() -> None:
    """A row for each person is not released, and what is picked of an answer first is not picked again."""
    for sql, why in [
        ("SELECT patient FROM (SELECT patient, COUNT(*) AS n FROM stays GROUP BY patient)", "neither aggregated nor"),
        ("SELECT n FROM (SELECT patient AS p, COUNT(*) AS n FROM stays GROUP BY p)", "neither aggregated nor"),
        (f"SELECT n FROM ({COUNTS} LIMIT 1) WHERE n > 2", "LIMIT inside a sub-select"),
        (f"SELECT MAX(n) FROM ({COUNTS})", "over the rows of several people"),
    ]:
        with pytest.raises(SfumatoError, match=why):
            parse(sql, NESTED)
