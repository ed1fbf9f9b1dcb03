"""Tasks score any table within their range; signals say what they rest on, and charge before they read."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.api.dataset import Query
from sfumato.errors import BadInput, NoGuarantee, NoMechanism, PreferenceError
from sfumato.model.signal_score import FreeScore, Proof, covering_value, from_stored
from sfumato.presentation.wording.signals import tasks as of_tasks
from sfumato.signals.score_lattice import bits, block_lattice, difference_lattice, rounded_score
from sfumato.signals.tasks.distributions import chi_square_tail, student_tail
from sfumato.signals.tasks.models import Classifier
from sfumato.signals.tasks.registry import TASKS, task
from sfumato.signals.tasks.table import Table

PLACES = Table(
    ("place", "n", "m", "v"),
    (("a", 40, 10.0, 4.0), ("b", 30, 11.0, 9.0), ("c", 20, 12.0, 1.0), ("d", 10, 13.0, 2.0)),
    ("n", "m", "v"),
)
EVERY: list[dict[str, Any]] = [
    {"task": "above", "column": "n", "a": "a", "b": "b"},
    {"task": "above", "column": "n", "a": "a", "b": 35, "width": 20},
    {"task": "chi_square", "column": "n", "reference": {"a": 4, "b": 3, "c": 2, "d": 1}},
    {"task": "classifier", "features": ["n", "v"], "label": "m", "folds": 2},
    {"task": "formula", "expression": 'n["a"] / sum(n)', "low": 0, "high": 1},
    {"task": "histogram_distance", "column": "n", "reference": {"a": 50, "b": 50}},
    {"task": "rank_agreement", "column": "n", "reference": ["a", "b", "c", "d"]},
    {"task": "regression", "features": ["n"], "label": "m", "folds": 2},
    {"task": "top_k", "column": "n", "k": 2, "reference": ["a", "d"]},
    {"task": "trend", "column": "n", "order": ["d", "c", "b", "a"]},
    {"task": "t_test", "mean": "m", "variance": "v", "count": "n", "a": "a", "b": "d"},
]
ODD = [
    Table((), (), ()),
    Table(("n",), (), ("n",)),
    Table(("place", "n"), (("a", None), ("b", math.nan), ("c", math.inf)), ("n",)),
    Table(("place", "n", "m", "v"), (("a", 0, 0, 0), ("b", 0, 0, 0)), ("n", "m", "v")),
    Table(("place", "n", "m", "v"), (("a", -1e308, 1e308, -1), ("a", 1e308, -1e308, 0)), ("n", "m", "v")),
    Table(("n", "m", "v"), (("x", "y", "z"),), ("n", "m", "v")),
]


# Tasks


@pytest.mark.parametrize(
    ("stated", "score"),
    list(zip(EVERY, [1, 0.625, 0, None, 0.4, 0.3, 1, None, 0.5, 1, 1], strict=True)),
    ids=lambda value: value["task"] if isinstance(value, dict) else "",
)
def test_each_task_scores(stated: dict[str, Any], score: float | None) -> None:
    made = task(stated)
    found = made.score([PLACES])
    low, high = made.range
    assert low <= found <= high
    assert score is None or math.isclose(found, score), found
    assert task(json.loads(json.dumps(made.as_dict()))) == made, "JSON holds all of it"
    assert made.score([PLACES]) == found, "nothing is drawn"


@pytest.mark.parametrize("table", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("stated", EVERY, ids=lambda stated: stated["task"])
def test_odd_tables_score_within_the_range(stated: dict[str, Any], table: Table) -> None:
    made = task(stated)
    low, high = made.range
    assert low <= made.undefined <= high
    for tables in ([table], [], [PLACES, table]):
        assert low <= made.score(tables) <= high


@pytest.mark.parametrize("stated", EVERY, ids=lambda stated: stated["task"])
def test_what_has_no_meaning_is_the_stated_constant(stated: dict[str, Any]) -> None:
    made = task(stated)
    assert made.score([ODD[0]]) == made.undefined


def test_every_task_is_tried() -> None:
    assert {stated["task"] for stated in EVERY} == {*TASKS}


def test_a_classifier_learns_what_can_be_learned() -> None:
    rows = [(f"{i:02}", i, i % 7) for i in range(40)]
    table = Table(("place", "n", "noise"), tuple(rows), ("n", "noise"))
    known = {label: float(n >= 20) for label, n, _ in rows}
    for model in ("logistic", "tree"):
        assert Classifier(features=("n",), reference=known, model=model).score([table]) >= 0.95  # type: ignore[arg-type]
    assert Classifier(features=("noise",), label="n").score([table]) < 0.8
    shuffled = Table(table.columns, table.rows[::-1], table.figures)
    made = task("regression", features=["noise"], label="n")
    assert made.score([table]) == made.score([shuffled]), "the order of rows tells nothing"
    assert task("regression", features=["n"], label="n").score([table]) < 1e-9


def test_what_is_left_open_is_compared_with_the_release() -> None:
    for name in ("top_k", "rank_agreement"):
        assert task(name, column="n").against([PLACES]).score([PLACES]) == 1
    bound = task("histogram_distance", column="n").against([PLACES])
    assert bound.score([PLACES]) == 0
    assert bound.lipschitz == 1 / 200
    stated = task("top_k", column="n", reference=["d"])
    assert stated.against([PLACES]) == stated


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({"task": "guess"}, "no task 'guess'"),
        ({"task": ["top_k"]}, "no task"),
        ({"task": "top_k"}, "needs the parameter 'column'"),
        ({"task": "top_k", "column": "n", "kk": 3}, "has no parameter 'kk'"),
        ({"task": "top_k", "column": 3}, "'column' of the task top_k must be text"),
        ({"task": "top_k", "column": "n", "k": "3"}, "k of the task top_k must be a whole number from 1, not '3'"),
        ({"task": "top_k", "column": "n", "table": -1}, "table of the task top_k must be a whole number from 0"),
        ({"task": "top_k", "column": "n", "reference": 3}, "a list of names"),
        ({"task": "above", "column": "n", "width": math.nan}, "width of the task above must be at least 0"),
        ({"task": "above", "column": "n", "b": None}, "b of the task above must be"),
        ({"task": "chi_square", "column": "n", "level": 1}, "level of the task chi_square must be between 0 and 1"),
        ({"task": "chi_square", "column": "n", "reference": {"a": 0}}, "above 0"),
        ({"task": "histogram_distance", "column": "n", "reference": {"a": "x"}}, "a number for each row"),
        ({"task": "histogram_distance", "column": "n", "reference": {"a": 0}}, "not all zeros"),
        ({"task": "classifier", "features": [], "label": "m"}, "needs features"),
        ({"task": "classifier", "features": ["n"]}, "either label or reference"),
        ({"task": "classifier", "features": ["n"], "label": "m", "model": "oracle"}, "no model 'oracle'"),
        (
            {"task": "regression", "features": ["n"], "label": "m", "folds": 1},
            "folds of the task regression must be a whole number from 2 to 20",
        ),
        ({"task": "formula", "expression": "1", "low": 1, "high": 1}, "low must be below high"),
        ({"task": "formula", "expression": "1", "low": 0, "high": 1, "otherwise": 2}, "within its range"),
        ({"task": "formula", "expression": "1", "low": 0, "high": 10**400}, "low must be below high"),
        ({"task": "formula", "expression": "1", "low": -1.7e308, "high": 1.7e308}, "low must be below high"),
        ({"task": "formula", "expression": "1", "low": 2**60, "high": 2**60 + 1}, "low must be below high"),
        ({"task": "formula", "expression": "n * 1e308 * 1e308", "low": 0, "high": 1}, "too much to compute with"),
        ({"task": "above", "column": "n", "b": 10**400}, "b of the task above must be"),
        ({"task": "above", "column": "n", "width": 5e-324}, "too much to compute with"),
        ({"task": "histogram_distance", "column": "n", "reference": {"a": 10**400}}, "a number for each row"),
        ({"task": "histogram_distance", "column": "n", "reference": {"a": 5e-324}}, "too much to compute with"),
        ({"task": "histogram_distance", "column": "n", "reference": {"a": 1e308}}, "too large for the task"),
    ],
)
def test_what_is_no_task_is_refused(stated: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence) as refused:
        task(stated)
    assert refused.value.hint


# Formulas


def formula(expression: str, **stated: Any) -> sf.Task:
    return task("formula", expression=expression, **{"low": -1000, "high": 1000} | stated)


@pytest.mark.parametrize(
    ("expression", "value", "lipschitz"),
    [
        ('n["a"] - n["b"]', 10, 1),
        ('cell("n", "a") * 2 + cell("n", "a")', 120, 3),
        ('-n["a"] / 4', -10, 0.25),
        ('max(n["a"], 3 * n["b"], 7)', 90, 3),
        ('abs(n["d"] - n["a"])', 30, 1),
        ("sum(n)", 100, 1),
        ('sum(n) + 2 * n["a"]', 180, 3),
        ("sum('n') - sum(m)", 54, 1),
        ('n["a"] * n["b"] / 100', 12, None),
        ('0.5 * n["a"] / n["b"]', 2 / 3, None),
        ('n["a"] / (n["b"] - n["b"])', -1000, None),
        ('n["nowhere"]', -1000, 1),
        ("1 + 2 * 3", 7, 0),
        ('+min(1e3, n["a"])', 40, 1),
    ],
)
def test_formulas_compute_exactly(expression: str, value: float, lipschitz: float | None) -> None:
    made = formula(expression)
    assert made.score([PLACES]) == value
    assert made.lipschitz == lipschitz


def test_keys_of_a_formula_are_labels() -> None:
    table = Table(("place", "year", "n"), (("a", 2024, 3), ("b", -1, 4)), ("n",))
    assert formula('n["a", 2024] + n["b", -1]').score([table]) == 7
    assert formula("n").score([Table(("n",), ((5,),), ("n",))]) == 5


def test_a_value_beyond_all_floats_is_at_an_end_of_the_range() -> None:
    """Just below the largest float and just beyond it are one step apart, not a whole range."""
    beyond = 2**1024 - 2**970  # the first that no float is nearest to
    for sign, end in (("", 1000), ("-", -1000)):
        made = formula(f"{sign}({2**1023} + {beyond - 2**1023} - 5.5 + n)")
        scores = [made.score([Table(("n",), ((n,),), ("n",))]) for n in (5, 6)]
        assert (made.lipschitz, scores) == (1, [end, end])


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os')", "n['a'].real",
        "(lambda: 1)()", "[n for n in n]", "n['a'] ** 2", "n['a'] if 1 else 2", "'a'",
        "n[0:1]", "f'{n}'", "open('x')", "n['a'] @ n['b']", "True", "", "1;2", "n['a'] == 1", "min(1)", "abs(1, 2)",
        "max(*n)", "min(1, 2, key=n)", "x := 1", "1e999", "9" * 400, "9" * 3000, "(" * 80 + "1" + ")" * 80 + "+",
        "1 / 0", "-" * 100 + "1", "n[n]", "cell(n)", "sum(1)", "1j", "...", "await n", "cell('n', n)",
    ],
)  # fmt: skip
def test_formulas_have_nothing_else_in_them(expression: str) -> None:
    with pytest.raises(BadInput, match=r"[Ff]ormula") as refused:
        formula(expression)
    assert refused.value.hint


# Tails and channels


def test_tails_agree_with_tables() -> None:
    for freedom, at_5, at_1 in (
        (1, 3.8415, 6.6349),
        (4, 9.4877, 13.2767),
        (9, 16.9190, 21.6660),
        (100, 124.342, 135.807),
    ):
        assert math.isclose(chi_square_tail(at_5, freedom), 0.05, rel_tol=1e-4)
        assert math.isclose(chi_square_tail(at_1, freedom), 0.01, rel_tol=1e-3)
    for degrees, at_5 in ((1, 12.7062), (3, 3.18245), (7.5, 2.33267), (30, 2.04227)):
        assert math.isclose(student_tail(at_5, degrees), 0.05, rel_tol=1e-3)
    assert chi_square_tail(5000, 5000) > 0.4
    assert student_tail(1e6, 3) < 1e-12


def test_bits_of_a_score() -> None:
    assert math.isclose(bits(1.0), math.log2(101))
    assert math.isclose(bits(2.0, 1), math.log2(21))
    assert {rounded_score(score / 1000) for score in range(1001)} == {score / 100 for score in range(101)}


def test_a_difference_is_as_sensitive_as_its_task() -> None:
    bound = task("histogram_distance", column="n", reference={"a": 100})
    grid = difference_lattice(bound, {"n": Fraction(4)})
    assert 4 / 200 <= grid.most <= 4 / 200 * 1.002
    assert difference_lattice(bound, None).most == difference_lattice(bound, {"n": Fraction(10**6)}).most == 1
    assert difference_lattice(task("trend", column="n"), {"n": Fraction(1)}).most == 2
    assert block_lattice(task("trend", column="n"), 2).most == 4


@pytest.mark.parametrize("low", [0, 2**30, -(2**60), 2**60, 1e300])
def test_far_from_zero_a_grid_is_as_coarse_as_floats_are(low: float) -> None:
    """What one person moves by 1 is rounded to the next float on either side."""
    high = max(low + 2**20, math.nextafter(math.nextafter(low, math.inf), math.inf))
    made = formula(f"{int(low)} + n", low=low, high=high)
    grid, public = difference_lattice(made, {"n": Fraction(1)}), made.score([Table(("n",), ((0,),), ("n",))])
    scores = [made.score([Table(("n",), ((n,),), ("n",))]) for n in range(600)]
    steps = [grid.steps(abs(public - score)) for score in scores]
    assert max(abs(a - b) for a, b in pairwise(steps)) <= grid.sensitivity


def test_a_distance_over_many_cells_is_rounded_once() -> None:
    """A reference that was chosen so that a sum, term by term, is rounded up beyond 2**37 and down below it."""
    first, small = 2**37 - 1, 1.25 * 2**-16
    labels = [f"{place:05}" for place in range(2**16)]
    known = dict.fromkeys(labels, small) | {labels[0]: -first}
    made = task("histogram_distance", column="n", reference=known)
    tables = [Table(("k", "n"), tuple((x, there * (x == labels[0])) for x in labels), ("n",)) for there in (0, 1)]
    grid = difference_lattice(made, {"n": Fraction(1)})
    one, other = (grid.steps(abs(1 - made.score([table]))) for table in tables)
    assert abs(one - other) <= grid.sensitivity


# Signals

PEOPLE = pd.DataFrame({"place": ["a"] * 40 + ["b"] * 30 + ["c"] * 20, "pay": [*range(90)], "who": [*range(90)]})
DECLARED: dict[str, Any] = {
    "name": "people",
    "columns": {
        "place": {"type": "text", "categories": ["a", "b", "c", "d"]},
        "pay": {"type": "integer", "bounds": [0, 100]},
    },
}
COUNTS = "SELECT place, COUNT(*) AS n, AVG(pay) AS pay FROM people GROUP BY place"
DISTANCE, ORDER = task("histogram_distance", column="n"), task("top_k", column="n", k=2)


def released(sql: str = COUNTS, epsilon: float = 1.0, **how: Any) -> sf.Release:
    return sf.open(PEOPLE, DECLARED, ledger=":memory:").query(sql).release(epsilon=epsilon, **how)


def entries(release: sf.Release) -> Sequence[Any]:
    assert release._query is not None
    return release._query.context.ledger.entries


def test_a_free_signal_enters_nothing() -> None:
    release = released()
    before = len(entries(release))
    found = release.signal(ORDER)
    assert isinstance(found, FreeScore)
    assert (found.guarantee, found.cost, len(found.scores)) == ("dp", 0, 200)
    assert len(entries(release)) == before
    told = found.as_dict()
    assert json.loads(json.dumps(told)) == told
    assert told["draws"] == 200
    assert "no data is read" in str(found)
    assert "<svg" in found._repr_html_()
    assert "release: 1" in repr(found.plot())


@pytest.mark.parametrize(
    "how", [{}, {"mechanism": "gaussian", "delta": 1e-6}, {"mechanism": "truncated", "delta": 1e-6}]
)
def test_fresh_noise_is_as_wide_as_the_noise_that_was_drawn(how: dict[str, Any]) -> None:
    """A sum that is scored as it is: its draws spread as its noise range says, but for seven deviations."""
    release = released("SELECT SUM(pay) AS s FROM people", **how)
    made = task("formula", expression="s", low=-1e6, high=1e6)
    found = release.signal(made, draws=4000)
    assert isinstance(found, FreeScore)
    assert release.certificate.noise_90 is not None
    inside = sum(d <= (release.certificate.noise_90[0] or 0) for d in found.damages) / 4000
    assert abs(inside - 0.9) < 7 * math.sqrt(0.09 / 4000)
    assert found.proven
    assert math.isclose(found.bound or 0, found.damage, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("stated", "proof"),
    [
        ({"task": "above", "a": "a", "b": "b", "width": 20}, Proof.AFFINE),
        ({"task": "above", "a": "a", "b": "b"}, Proof.HALFSPACE),
        ({"task": "top_k", "k": 1}, None),
    ],
)
def test_a_free_signal_is_stored_with_its_proof(stated: dict[str, Any], proof: Proof | None) -> None:
    found = released().signal(task(stated, column="n"), draws=5)
    assert isinstance(found, FreeScore)
    assert found.proven is proof
    redraw = from_stored(json.loads(json.dumps(found.stored())), found.certificate)
    assert isinstance(redraw, FreeScore)
    assert redraw.proven is proof
    assert redraw.stored() == found.stored()


def test_each_task_has_a_sentence() -> None:
    assert of_tasks.SENTENCES.keys() == TASKS.keys()
    assert of_tasks.LIPSCHITZ.keys() <= TASKS.keys()


def test_the_damage_is_a_rank() -> None:
    assert covering_value(tuple(map(float, range(1, 201))), math.inf) == 181
    assert covering_value((1.0,) * 8, math.inf) == math.inf
    assert covering_value((*[0.0] * 8, 1.0), math.inf) == 1


def test_rows_keep_their_keys_under_order_by() -> None:
    release = released(f"{COUNTS} ORDER BY place DESC", epsilon=10.0)
    assert release.signal(task("formula", expression='n["a"]', low=0, high=100)).score > 30
    found = release.signal(task("above", column="n", a="a", b="c"), draws=20)
    assert isinstance(found, FreeScore)
    assert found.changed == 0


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        (
            "SELECT place, COUNT(*) AS n FROM people GROUP BY place HAVING COUNT(*) > 25",
            "removed rows from this answer",
        ),
        ("SELECT place, COUNT(*) AS n FROM people GROUP BY place LIMIT 2", "removed rows from this answer"),
        ("SELECT COUNT(*) AS n, MAX(pay) AS m FROM people", "selected by its rank"),
    ],
)
def test_what_fresh_noise_cannot_be_added_to_is_refused(sql: str, sentence: str) -> None:
    with pytest.raises(NoMechanism, match=sentence):
        released(sql).signal(task("formula", expression="sum(n)", low=0, high=100))


def test_private_keys_are_refused() -> None:
    stated = DECLARED | {"columns": DECLARED["columns"] | {"place": {"type": "text", "keys": "private"}}}
    release = sf.open(PEOPLE, stated, ledger=":memory:").query(COUNTS).release(epsilon=5.0, delta=1e-6)
    for kind in ("free", "noisy_difference"):
        with pytest.raises(NoMechanism, match="private group keys"):
            release.signal(DISTANCE, kind, epsilon=None if kind == "free" else 1.0)


def test_without_a_guarantee_the_noise_is_not_told() -> None:
    dataset = sf.open(PEOPLE, DECLARED, ledger=":memory:")
    query = dataset.query(COUNTS)
    release = query.release(query.choose(sf.ratio(0.95)), allow_no_guarantee=True)
    with pytest.raises(NoGuarantee, match="withheld"):
        release.signal(ORDER)


@pytest.mark.parametrize(
    ("kind", "how", "sentence"),
    [
        ("loud", {}, "no signal 'loud'"),
        ("free", {"epsilon": 1.0}, "spends no epsilon"),
        ("free", {"draws": 0}, "number of draws of a signal must be from 1 to 10,000"),
        ("noisy_difference", {}, "an epsilon of its own"),
        ("noisy_difference", {"epsilon": 11.0}, "at most 10"),
        ("noisy_difference", {"epsilon": -1.0}, "epsilon"),
        ("sample_and_aggregate", {"epsilon": 1.0, "blocks": 1}, "number of blocks must be from 2 to 10,000"),
    ],
)
def test_what_is_asked_is_checked_before_anything_is_charged(kind: str, how: dict[str, Any], sentence: str) -> None:
    release = released()
    before = len(entries(release))
    with pytest.raises((BadInput, PreferenceError), match=sentence):
        release.signal(ORDER, kind, **how)
    with pytest.raises(BadInput, match="no figure 'count'"):
        release.signal(task("top_k", column="count"), "noisy_difference", epsilon=1.0)
    with pytest.raises(BadInput, match="no table 1"):
        release.signal(task("top_k", column="n", table=1))
    assert len(entries(release)) == before


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({"task": "above", "column": "n", "a": "A", "b": "b"}, "names row 'A', which is not in the answer"),
        ({"task": "above", "column": "n", "a": "a", "b": "35"}, "names row '35', which is not in the answer"),
        ({"task": "above", "column": "n", "b": 35}, "names row '', which is not in the answer"),
        (
            {"task": "chi_square", "column": "n", "reference": {"a": 1, "x": 1}},
            "names row 'x', which is not in the answer",
        ),
        (
            {"task": "formula", "expression": 'n["x"] / sum(n)', "low": 0, "high": 1},
            "names row 'x', which is not in the answer",
        ),
        (
            {"task": "histogram_distance", "column": "n", "reference": {"x": 1}},
            "names row 'x', which is not in the answer",
        ),
        (
            {"task": "rank_agreement", "column": "n", "reference": ["b", "x"]},
            "names row 'x', which is not in the answer",
        ),
        ({"task": "regression", "features": ["n"], "reference": {"x": 1}}, "names row 'x', which is not in the answer"),
        ({"task": "top_k", "column": "n", "k": 5}, "k of the task top_k is 5, and the answer has only 4 rows"),
        ({"task": "trend", "column": "n", "order": ["a", "x"]}, "names row 'x', which is not in the answer"),
        ({"task": "trend", "column": "n"}, "needs the order of the rows"),
        (
            {"task": "t_test", "mean": "pay", "variance": "pay", "count": "n", "a": "a", "b": "x"},
            "names row 'x', which is not in the answer",
        ),
    ],
    ids=lambda value: value["task"] if isinstance(value, dict) else "",
)
def test_a_row_that_is_not_there_is_refused(stated: dict[str, Any], sentence: str) -> None:
    release = released()
    asked: list[tuple[str, dict[str, Any]]] = [("free", {}), ("sample_and_aggregate", {"epsilon": 1.0})]
    for kind, how in asked:
        before = len(entries(release))
        with pytest.raises(BadInput, match=sentence):
            release.signal(stated, kind, **how)
        assert len(entries(release)) == before


def test_rows_that_were_left_out_may_be_named() -> None:
    release = released(f"{COUNTS} HAVING n > 25")
    found = release.signal({"task": "above", "column": "n", "a": "a", "b": "d"}, "sample_and_aggregate", epsilon=1.0)
    assert found.score == 0, "d is there, and has no figure here"


def test_the_only_row_has_no_name() -> None:
    release = released("SELECT COUNT(*) AS n FROM people")
    assert release.signal({"task": "above", "column": "n", "b": 20}).score == 1
    with pytest.raises(BadInput, match=r"names row 'all', which is not in the answer.*one row, without a name"):
        release.signal({"task": "above", "column": "n", "a": "all", "b": 20})


def test_a_release_that_was_pickled_asks_its_query() -> None:
    release = released()
    assert release._query is not None
    query = Query(release._query)
    plain = sf.Release(release.answer, release.certificate)
    with pytest.raises(BadInput, match="was loaded without"):
        plain.signal(ORDER)
    assert query.signal(plain, ORDER).score == 1
    assert query.signal(plain, DISTANCE, "noisy_difference", epsilon=1.0).cost == 1


def test_a_noisy_difference_is_charged_once() -> None:
    release = released()
    found = release.signal(DISTANCE, "noisy_difference", epsilon=0.25)
    assert (found.guarantee, found.cost) == ("dp", 0.25)
    assert found.certificate.sensitivity is not None
    reference = sum(row[1] for row in release.rows)  # type: ignore[misc]
    assert math.isclose(found.certificate.sensitivity[0], 1 / (2 * reference), rel_tol=2e-3)
    redraw = release.signal(DISTANCE, "noisy_difference", epsilon=0.25)
    assert redraw == found, "asking again returns what was drawn"
    assert release.signal(DISTANCE, "noisy_difference", epsilon=0.25, redraw=True) != found
    assert [e.draft.nano_epsilon for e in entries(release) if e.draft.event == "reserved"] == [
        10**9, 250_000_000, 250_000_000
    ]  # fmt: skip


def test_a_task_without_a_constant_needs_its_range_or_blocks() -> None:
    release = released()
    with pytest.raises(NoMechanism, match="by its whole range"):
        release.signal(ORDER, "noisy_difference", epsilon=1.0)
    wide = release.signal(ORDER, "noisy_difference", epsilon=1.0, by_range=True)
    assert wide.certificate.sensitivity == (1.0,)
    ordered = released(f"{COUNTS} ORDER BY n")
    with pytest.raises(NoMechanism, match="add or remove a row through HAVING"):
        ordered.signal(DISTANCE, "noisy_difference", epsilon=1.0)


def test_blocks_are_charged_too() -> None:
    release = released()
    found = release.signal(ORDER, "sample_and_aggregate", epsilon=0.5, blocks=10)
    assert (found.guarantee, found.cost, found.certificate.sensitivity) == ("dp", 0.5, (0.1,))
    assert "10 blocks of people" in str(found)
    assert release.signal(ORDER, "sample_and_aggregate", epsilon=0.5, blocks=10) == found


def test_what_is_published_has_no_guarantee() -> None:
    release = released()
    half = task("above", column="n", a="a", b="b", width=15)
    before = len(entries(release))
    with pytest.raises(NoGuarantee, match="score of the exact answer was computed from the people"):
        release.signal(half, "as_published")
    assert len(entries(release)) == before, "nothing was charged"
    found = release.signal(half, "as_published", allow_no_guarantee=True)
    assert (found.guarantee, found.cost) == ("none", None)
    told = found.as_dict()
    assert told["exact"] == 0.83, "40 and 30: 1/2 + 10/30, rounded"
    assert told["score"] == round(told["score"], 2)
    assert math.isclose(told["bits"], math.log2(101))
    charge, look, left = entries(release)[before:]
    assert (charge.draft.event, look.draft.event, left.draft.event) == ("reserved", "looked", "released")
    assert charge.draft.nano_epsilon == 10 * 10**9
    assert "signal" not in left.draft.public, "the record may be shown to anybody"
    assert release.signal(half, "as_published", allow_no_guarantee=True) == found
    assert "No guarantee" in str(found)
    assert "noise was sized" not in str(found.certificate)


def test_after_a_look_a_signal_has_no_guarantee() -> None:
    release = released()
    assert release._query is not None
    Query(release._query).risk()
    with pytest.raises(NoGuarantee, match="stated after a look"):
        release.signal(DISTANCE, "noisy_difference", epsilon=0.25)
    found = release.signal(DISTANCE, "noisy_difference", epsilon=0.25, allow_no_guarantee=True)
    assert (found.guarantee, found.cost, found.as_dict()["noise_90"]) == ("none", None, None)
    held = release.signal(DISTANCE, "noisy_difference", epsilon=0.5, preregistered="protocol, 2 May")
    assert held.guarantee == "dp"


def test_a_release_of_other_data_is_refused() -> None:
    release, other = released(), released()
    assert other._query is not None
    with pytest.raises(PreferenceError, match="not in the ledger"):
        Query(other._query).signal(release, DISTANCE, "noisy_difference", epsilon=1.0)


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(BadInput, match="This task needs the package scikit-learn, which is not installed"):
        released().signal(task("classifier", features=["n"], label="pay"))


def test_nothing_is_learned_until_it_is_asked_for() -> None:
    import subprocess
    import sys

    code = "import sys; from sfumato.signals.tasks import registry; print('sklearn' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_each_column_counts_with_its_own_constant() -> None:
    made = task("formula", expression="(sum(m) - 12 * sum(n)) / 100", low=-10, high=10)
    assert made.slopes == pytest.approx({"m": 0.01, "n": 0.12}, rel=1e-15)
    grid = difference_lattice(made, {"m": Fraction(20), "n": Fraction(1)})
    assert math.isclose(grid.most, (20 + 12) / 100, rel_tol=2e-3)


def test_no_more_is_said_than_was_tried() -> None:
    release = released(epsilon=0.5)
    many, few = (release.signal(task("rank_agreement", column="n"), draws=draws) for draws in (199, 30))
    learned = release.signal(task("classifier", features=["n"], label="pay", folds=2), draws=199)
    assert ["On generated data" in found.text() for found in (many, few, learned)] == [True, False, False]
    assert all("no probability is proven" in " ".join(found.text().split()) for found in (many, few, learned))
    assert "no probability" not in release.signal(task("above", column="n", a="a", b="b")).text()
    bounded = release.signal(DISTANCE)
    assert isinstance(bounded, FreeScore)
    assert bounded.damage == bounded.bound
    assert "according to the Lipschitz constant" in " ".join(bounded.text().split())


def test_noise_as_wide_as_the_scale_is_owned_up_to() -> None:
    release = released()
    wide, narrow = (
        release.signal(ORDER, "sample_and_aggregate", epsilon=epsilon, blocks=10).text() for epsilon in (0.2, 5.0)
    )
    assert ["almost nothing" in said for said in (wide, narrow)] == [True, False]


def test_where_no_draw_moved_it_that_is_said() -> None:
    still = released(epsilon=10).signal(task("top_k", column="n", k=1))
    assert isinstance(still, FreeScore)
    said = " ".join(replace(still, scores=(1.0,) * 200, damages=(0.0,) * 200).text().split())
    assert "all scores are 1; no draw gave another result." in said
    assert "No draw changed the score. The actual change" in said


def test_a_decision_is_safe_or_open() -> None:
    safe = released(epsilon=10).signal(task("above", column="n", a="a", b="c"))
    assert isinstance(safe, FreeScore)
    assert "The exact answer gives the same result" in safe.text()
    assert "may give another result" in replace(safe, damages=(*[0.0] * 179, *[1.0] * 21)).text()
