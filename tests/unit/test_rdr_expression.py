"""Comparisons of figures of the RDRs as text: what they say, what they refuse, and where they are stated."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import PreferenceError, QueryError
from sfumato.model.facts import Bin, Distribution
from sfumato.privacy.risk.rdr_distribution import RDRs
from sfumato.privacy.risk.rdr_expression import RdrExpression
from tests.property.tables import examples

FIGURES: dict[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "mean": statistics.fmean,
    "median": statistics.median,
    "variance": statistics.pvariance,
    "ratio": lambda rdrs: min(rdrs) / max(rdrs),
    "gap": lambda rdrs: max(rdrs) / min(rdrs),
    "people": len,
}
SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<=": lambda a, b: a <= b + 1e-9 * abs(b),
    ">=": lambda a, b: a >= b - 1e-9 * abs(b),
    "<": lambda a, b: a < b - 1e-9 * abs(b),
    ">": lambda a, b: a > b + 1e-9 * abs(b),
}
STAYS = pd.DataFrame({"days": [0, 15, 30, 60, 60], "age": [20, 30, 61, 70, 80]})
SCHEMA = {
    "name": "stays",
    "columns": {
        "days": {"type": "integer", "bounds": [0, 60]},
        "age": {"type": "integer", "bounds": [0, 120]},
    },
}
SUM = "SELECT SUM(days) FROM stays"
people = st.lists(st.floats(0, 100), min_size=1, max_size=9)


def each(figures: list[float]) -> Distribution:
    return Distribution(tuple(Bin(figure, figure, 1) for figure in sorted(figures)))


def stays() -> sf.Query:
    return sf.open(STAYS, SCHEMA, ledger=":memory:").query(SUM)


@pytest.mark.depth("figures of the RDRs")
@examples("figures of the RDRs")
@given(people, people, st.sampled_from(sorted(FIGURES)), st.sampled_from(sorted(SIGNS)), st.floats(0.1, 10))
def test_it_says_what_the_list_of_all_rdrs_says(
    everyone: list[float], group: list[float], name: str, sign: str, times: float
) -> None:
    rdrs = RDRs(1.0, 1, each(everyone), lambda exposure: exposure + 20, {"age > 60": each(group)})
    of_all, of_group = ([figure + 20 for figure in figures] for figures in (everyone, group))
    value = times * FIGURES[name](of_all)
    found = RdrExpression(f'{name}("age > 60") {sign} {times!r} * {name}').holds(rdrs)
    if abs(FIGURES[name](of_group) - value) > 1e-6 * (1 + abs(value)):
        assert found == SIGNS[sign](FIGURES[name](of_group), value)


def test_the_ratio_as_an_expression_is_algorithm_1() -> None:
    for tau in (0.95, 0.5, 0.05):
        choice = stays().choose(sf.satisfies(f"ratio >= {tau}"))
        assert choice.epsilon == stays().choose(sf.ratio(tau), candidates="paper").epsilon
        assert choice.guarantee == "none"


def test_medians_of_two_groups_as_an_expression_are_those_of_between() -> None:
    """Days 30, 60, 60 of those above 60, and 0, 15 of the others: (60 eps + 60) / (7.5 eps + 60) <= 1.5."""
    asked = 'median("age > 60") / median("not age > 60") <= 1.5'
    ratio = sf.ratio(1 / 1.5, between="age > 60")
    assert stays().choose(sf.satisfies(asked)).epsilon == stays().choose(ratio, candidates="paper").epsilon
    for query in (sf.satisfies(asked), ratio):
        assert stays().choose(query, candidates=(0.5, 0.6, 0.7)).epsilon == 0.6


def test_what_meets_every_epsilon_says_why() -> None:
    equal = stays().choose(sf.satisfies('median("age > 60") / median("age > 65") <= 1.1'))
    assert (equal.epsilon, equal.why.partition(". ")[2]) == (
        10,
        "It is the largest of all, because the RDRs that it compares are equal.",
    )
    assert (
        stays()
        .choose(sf.ratio(0.1, between="age > 60"))
        .why.endswith("because even without noise, the two medians keep it.")
    )
    middle = pd.DataFrame({"days": [60, 0, 60, 0], "age": [70, 70, 20, 20]})
    same = sf.open(middle, SCHEMA, ledger=":memory:").query(SUM).choose(sf.ratio(0.9, between="age > 60"))
    assert same.why.endswith("because the two medians are equal.")


def test_a_group_of_no_one_chooses_nothing() -> None:
    choice = stays().choose(sf.satisfies('max("age > 100") <= 2 * min'))
    assert (choice.feasible, "There is no one in one of the groups of “age > 100”" in choice.why) == (False, True)


@pytest.mark.parametrize("text", ["1 / 0 <= 1", "0 * (1 / 0) >= 0", "sqrt(0 - 1) <= 5", "min < 1 / 0 or max > 1 / 0"])
def test_a_figure_that_does_not_exist_meets_nothing(text: str) -> None:
    assert stays().choose(sf.satisfies(text)).why == f"No candidate meets satisfies {text}."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at most 2000 characters"),
        ("1" * 2001, "at most 2000 characters"),
        ("min <", "cannot be read"),
        ("\0", "cannot be read"),
        ("min", "compares nothing at column 1"),
        ("min == 1", "compares nothing at column 1"),
        ("not min <= 1", "compares nothing at column 1"),
        ("1 <= True", "not a figure of the RDRs at column 6"),
        ("foo <= 1", "not a figure of the RDRs at column 1"),
        ("epsilon('age > 60') <= 1", "not a figure of the RDRs"),
        ("min.real <= 1", "not a figure of the RDRs"),
        ("__import__('os').system('true') <= 1", "not a figure of the RDRs"),
        ("(lambda: 1)() <= 1", "not a figure of the RDRs"),
        ("[min][0] <= 1", "not a figure of the RDRs"),
        ("min ** 2 <= 1", "not a figure of the RDRs"),
        ("quantile(2) <= 1", "not between 0 and 1"),
        (f"{'-' * 50}min <= 1", "nested more than 40 deep"),
    ],
)
def test_what_is_not_a_comparison_is_refused(text: str, said: str) -> None:
    with pytest.raises(PreferenceError, match=said):
        sf.satisfies(text)


def test_the_condition_of_a_group_is_read_before_the_data() -> None:
    query = stays()
    with pytest.raises(QueryError, match="There is no column 'ward'"):
        query.choose(sf.satisfies("median(\"ward = 'B'\") <= 2 * median"))
    assert not query.dataset.ledger.entries
