"""Every method side by side: free and blind, or after a look that is recorded; what is stated intersects."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import NoMechanism, PreferenceError, SfumatoError, SourceError
from sfumato.ledger.entry import Event
from sfumato.model.choice import Noise
from sfumato.model.method_comparison import Method, Need
from sfumato.presentation import method_comparison_view as view
from sfumato.presentation.figures.marks import Pin, Span
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import text
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import method_comparison_sentences as of_compare
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.privacy.preferences.preference import Preference, epsilon
from sfumato.privacy.preferences.preference_comparison import Grounds, intersection, panel, row
from sfumato.release.bound_query import BoundQuery

STAYS = pd.DataFrame(
    {"ward": ["a", "a", "b", "b", "c"], "days": [0, 15, 30, 60, 90], "town": ["x", "x", "x", "x", "y"]}
)
COLUMNS: dict[str, object] = {
    "ward": {"categories": ["a", "b", "c"]},
    "days": {"type": "integer", "bounds": [0, 60]},
    "town": {"type": "text", "keys": "private"},
}
SCHEMA: dict[str, Any] = {"name": "stays", "columns": COLUMNS}
COUNT, SUM, AVG = (f"SELECT {what} FROM stays WHERE days > 20" for what in ("COUNT(*)", "SUM(days)", "AVG(days)"))
BY_TOWN, MEDIAN = "SELECT town, COUNT(*) FROM stays GROUP BY town", "SELECT MEDIAN(days) FROM stays"
WORST, CLOSE = sf.gap(1.2, worst_case=True), sf.within(5)
RULE = {"gap": 1.2, "worst_case": True}


def stays(ledger: Path | str = ":memory:", **changes: object) -> sf.Dataset:
    return sf.open(STAYS, SCHEMA | changes, ledger=ledger, version="1")


def from_data() -> sf.Dataset:
    return sf.open(STAYS, SCHEMA, ledger=":memory:", version="1", bounds_from_data=True)


def rows(found: sf.Comparison) -> dict[str, Method]:
    return {method.words: method for method in found.methods}


def tops(found: sf.Comparison) -> dict[str, float | None]:
    return {method.words: method.high for method in found.methods}


def in_one_line(found: sf.Comparison) -> str:
    return " ".join(found.text().split())


def events(dataset: sf.Dataset) -> list[Event]:
    return [entry.draft.event for entry in dataset.ledger.entries]


# Every method once


def test_every_method_has_a_row_with_its_epsilons_word_and_need() -> None:
    found = rows(stays().compare(COUNT))
    told = {name: (m.low, m.high and round(m.high, 4), m.guarantee, m.need.value) for name, m in found.items()}
    assert told == {
        "gap 1.2, worst case": (0, 0.2, "dp", "public facts"),
        "ratio 0.95, exact, worst case": (0, 0.343, "dp", "public facts"),
        "attack chance 0.6": (0, 0.4055, "dp", "public facts"),
        "exposure cap 0.5": (0, 0.5, "dp", "public facts"),
        "advantage 0.2": (0, 0.4055, "dp", "public facts"),
        "guess 0.4, one of 4": (0, 0.3466, "dp", "a blind guess"),
        "sharing risk low at trust low and data sensitivity high, one of 4": (0, 0.995, "dp", "a blind guess"),
        "exposure cap 0.5, of all but 0.01 of the people, selected privately with epsilon 0.1": (
            *(None, None),
            *("dp-selected", "a selection"),
        ),
        "variance 0.001, selected privately with epsilon 0.1": (None, None, "dp-selected", "a selection"),
        "ratio 0.95, of the people in the data": (None, None, "none", "a look"),
        "ratio 0.95, exact, of the people in the data": (None, None, "none", "a look"),
        "satisfies quantile(0.9) / min <= 1.1": (None, None, "none", "a look"),
        "pri 5, Find-eps-from-PRI as published": (None, None, "none", "a look"),
        "within": (None, None, None, "an error"),
        "relative error": (None, None, None, "a public answer"),
        "ratio between two groups": (None, None, None, "two groups and a look"),
        "belief": (None, None, None, "worlds"),
    }
    assert all(method.why for method in found.values())


def test_each_row_says_what_its_epsilon_means() -> None:
    """As the worst case has it at the same epsilon: the noise of a count at 0.2 is ±11.5, a coin flip becomes 55%."""
    dataset = stays()
    for method in dataset.compare(COUNT).methods:
        if method.epsilon is None:
            assert method.at is None
        else:
            at = dataset.query(COUNT).worst_case().at(method.epsilon)
            assert method.at is not None
            assert method.at.as_dict() == at.as_dict()
    [gap] = [m.at for m in dataset.compare(COUNT).methods if m.words == "gap 1.2, worst case"]
    assert gap is not None
    assert gap.noise_90 == pytest.approx((11.51,), abs=0.01)
    assert gap.attack_chance == pytest.approx(0.55, abs=0.001)


def test_what_is_guessed_is_a_column_of_the_query_whose_values_are_listed() -> None:
    found = rows(stays().compare("SELECT ward, COUNT(*) FROM stays GROUP BY ward"))
    assert "guess 0.48 of ward, one of 3" in found
    one = {"ward": {"categories": ["a"]}}
    assert "guess 0.4, one of 4" in rows(stays(columns=one).compare("SELECT ward, COUNT(*) FROM stays GROUP BY ward"))


def test_what_is_left_to_spend_is_a_bound_too() -> None:
    dataset = sf.open(STAYS, SCHEMA, ledger=":memory:", version="1", budget=3)
    dataset.query(COUNT).release(epsilon=0.5)
    left = rows(dataset.compare(COUNT))["budget 3, of which 0.5 is spent"]
    assert (left.low, left.high, left.guarantee, left.need) == (0, 2.5, None, Need.SPENT)


def test_a_stated_method_takes_the_place_of_its_example() -> None:
    gap, between = sf.gap(1.5, worst_case=True), sf.ratio(0.9, between="days > 20")
    stated: list[Preference] = [gap, sf.guess(0.6, choices=2), sf.within(3), between]
    found = stays().compare(COUNT, stated)
    assert [m.words for m in found.methods if m.requested] == [p.words for p in stated]
    assert {"gap 1.2, worst case", "guess 0.4, one of 4", "within", "ratio between two groups"}.isdisjoint(rows(found))
    assert {"ratio 0.95, of the people in the data", "relative error"} <= set(rows(found))


@pytest.mark.parametrize(
    ("preference", "need"),
    [
        (epsilon(0.5), Need.PUBLIC),
        (sf.within(5), Need.PUBLIC),
        (sf.within(5, expected_count=100), Need.COUNT),
        (sf.relative_error(0.1, expected=2300), Need.ANSWER),
        (sf.larger_than_spent(), Need.SPENT),
        (sf.variance(1e-4, select_epsilon=1, as_published=True), Need.PEOPLE),
        (sf.exposure_cap(0.5, allow=0.01, select_epsilon=0.1), Need.SELECTION),
    ],
)
def test_what_a_preference_needs(preference: Preference, need: Need) -> None:
    assert preference.need is need


# What is stated intersects


def test_one_preference_leads_to_what_choose_chooses() -> None:
    found = stays().compare(COUNT, WORST)
    assert found.together is not None
    assert (found.together.low, found.together.high, found.together.epsilon) == (0, 0.2, 0.2)
    assert found.together.why == stays().query(COUNT).choose(WORST).why


def test_the_intersection_is_what_all_of_them_allow() -> None:
    found = stays().compare(COUNT, [sf.gap(2, worst_case=True), CLOSE, sf.exposure_cap(0.8)]).together
    assert found is not None
    assert found.interval == pytest.approx((0.5991, 0.8), abs=1e-4)
    assert (found.epsilon, found.feasible, found.conflict) == (0.8, True, ())


def test_where_only_an_error_is_stated_the_smallest_will_do() -> None:
    found = stays().compare(COUNT, CLOSE).together
    assert found is not None
    assert found.epsilon == found.low
    assert found.high == math.inf


def test_an_empty_intersection_names_the_two_in_conflict() -> None:
    found = stays().compare(COUNT, [sf.attack_chance(0.9), CLOSE, WORST])
    assert found.together is not None
    assert (found.together.feasible, found.together.epsilon, found.together.interval) == (False, None, None)
    assert found.together.conflict == (CLOSE.words, WORST.words)
    assert f"No epsilon meets both {CLOSE.words} and {WORST.words}." in in_one_line(found)
    assert {span.label: span.mark for span in view.figure(found).of(Span)} == {
        "yours: attack chance 0.9": "ok",
        f"yours: {CLOSE.words}": "over",
        f"yours: {WORST.words}": "over",
        **{name: "ok" for name, m in rows(found).items() if not m.requested and m.high is not None},
    }


def test_a_conflict_with_the_ceiling_is_told_as_choose_tells_it() -> None:
    found = stays().compare(COUNT, CLOSE, epsilon_max=0.1).together
    assert found is not None
    assert (found.feasible, found.conflict) == (False, ())
    assert found.why == stays().query(COUNT).choose(CLOSE, epsilon_max=0.1).why


def test_what_is_not_known_before_it_is_chosen_leaves_the_others() -> None:
    dataset, selected = stays(), sf.variance(1e-3, select_epsilon=0.1)
    found = dataset.compare(COUNT, [sf.exposure_cap(0.5), selected, sf.ratio(0.9)]).together
    assert found is not None
    assert (found.low, found.high, found.epsilon, found.feasible) == (0, 0.5, None, True)
    assert found.unknown == (selected.words, sf.ratio(0.9).words)
    assert events(dataset) == []
    assert "not known before the selection" in dataset.compare(COUNT, selected).text()


def test_the_rule_of_record_is_what_is_stated_where_nothing_else_is() -> None:
    rule = RULE | {"mechanism": "gaussian", "delta": 1e-9}
    found = stays(rule=rule).compare(COUNT)
    assert found.noise == Noise("gaussian", 1e-9)
    assert [m.words for m in found.methods if m.requested] == ["gap 1.2, worst case"]
    assert found.together is not None
    assert found.together.epsilon == stays(rule=rule).query(COUNT).choose().epsilon
    assert "The preregistered rule: epsilon 3.94334, guarantee dp." in in_one_line(found)
    exact = stays().query(COUNT).choose(sf.ratio(0.95, worst_case=True, exact=True), mechanism="gaussian", delta=1e-9)
    assert rows(found)["ratio 0.95, exact, worst case"].high == exact.epsilon


def test_candidates_and_a_ceiling_hold_for_every_row() -> None:
    found = rows(stays().compare(COUNT, epsilon_max=0.3))
    assert (found["attack chance 0.6"].epsilon, found["gap 1.2, worst case"].epsilon) == (0.3, 0.2)
    assert "epsilon_max, 0.3, is used" in found["attack chance 0.6"].why
    among_candidates = rows(stays().compare(COUNT, candidates=(0.15, 0.25)))
    assert among_candidates["gap 1.2, worst case"].epsilon == 0.15
    assert among_candidates["gap 1.2, worst case"].high == 0.2


def test_the_pure_form_needs_no_table() -> None:
    grounds = Grounds(Noise())
    found = [row(p, grounds) for p in (WORST, sf.attack_chance(0.6), sf.ratio(0.9))]
    both = intersection(found, grounds)
    assert both.interval is not None
    assert both.solution is not None
    assert (both.interval.high, both.solution.epsilon, both.unknown) == (0.2, 0.2, (sf.ratio(0.9),))
    assert intersection(found[2:], grounds).solution is None
    assert len({p.words for p in panel("ward", 7)}) == len(panel())


# Free, or a look


LOOKLESS: list[Sequence[Preference]] = [
    (),
    (WORST, CLOSE),
    (sf.variance(1e-3, select_epsilon=0.1),),
    (sf.ratio(0.95), sf.satisfies(lambda rdrs: rdrs.ratio > 0.5)),
    (sf.variance(1e-3, select_epsilon=1, as_published=True),),
]


@pytest.mark.parametrize("stated", LOOKLESS, ids=lambda stated: f"{len(stated)} stated")
def test_without_a_look_nothing_is_entered_and_nobody_is_read(
    stated: Sequence[Preference], ledger_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = stays(ledger_path)
    monkeypatch.setattr(BoundQuery, "survey", lambda *_: pytest.fail("somebody was read"))
    found = dataset.compare(COUNT, stated)
    assert (found.looked, events(dataset), ledger_path.exists()) == (False, [], False)
    assert all(m.high is None for m in found.methods if m.need in (Need.PEOPLE, Need.SELECTION))


def test_a_look_is_entered_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset, seen, read = stays(), list[list[Event]](), BoundQuery.survey

    def survey(self: BoundQuery, noise: Noise) -> object:
        seen.append(events(dataset))
        return read(self, noise)

    monkeypatch.setattr(BoundQuery, "survey", survey)
    dataset.compare(COUNT, look=True)
    dataset.compare(COUNT, look=True)
    assert seen[0] == [Event.OPENED, Event.LOOKED]
    assert events(dataset) == [Event.OPENED, Event.LOOKED]  # the same look is entered once, and no plan


def test_a_look_shows_what_choose_would_find() -> None:
    dataset = stays()
    found = dataset.compare(SUM, [sf.ratio(0.9), sf.ratio(0.8, between="ward = 'b'")], look=True)
    for preference in (sf.ratio(0.9), sf.ratio(0.8, between="ward = 'b'"), sf.ratio(0.95, exact=True)):
        method = rows(found)[preference.words]
        assert method.epsilon == stays().query(SUM).choose(preference).epsilon
        assert method.of_people
    assert rows(found)["satisfies quantile(0.9) / min <= 1.1"].epsilon is not None
    assert found.together is not None
    assert found.together.epsilon == min(m.epsilon for m in found.methods if m.requested and m.epsilon)


def test_selections_are_not_run_after_a_look_either() -> None:
    published = sf.variance(1e-3, select_epsilon=1, as_published=True)
    found = stays().compare(COUNT, published, look=True)
    assert rows(found)[published.words].why == "selected from the data by `choose`, and not here. It has no guarantee."
    for method in found.methods:
        if method.need is Need.SELECTION:
            assert (method.high, method.guarantee) == (None, "none")
            assert of_compare.needs(method) == "a private selection"  # which would not be charged what it says


def test_nobody_to_compare_is_told() -> None:
    nobody = sf.open(STAYS.iloc[:0], SCHEMA, ledger=":memory:", version="1")
    found = rows(nobody.compare(COUNT, look=True))["ratio 0.95, of the people in the data"]
    assert (found.high, found.epsilon) == (None, None)
    assert "There is no one in the data" in found.why


def test_without_the_data_there_is_nothing_to_look_at() -> None:
    planned = local.open_without_data(SCHEMA, ledger=":memory:")
    assert tops(planned.compare(COUNT)) == tops(stays().compare(COUNT))
    with pytest.raises(SourceError, match="opened without its data"):
        planned.compare(COUNT, look=True)
    assert events(planned) == []


# The words are those that the record gives


STORIES: dict[str, Callable[[sf.Dataset], object]] = {
    "nobody looked": lambda _: None,
    "looked": lambda dataset: dataset.query(COUNT).risk(),
    "looked by comparing": lambda dataset: dataset.compare(COUNT, look=True),
    "planned, then looked": lambda dataset: (dataset.query(COUNT).plan(sf.attack_chance(0.6)), dataset.check()),
    "planned together, then looked": lambda dataset: (dataset.query(COUNT).plan(WORST, CLOSE), dataset.check()),
}
WHOSE: dict[str, dict[str, Any]] = {"of its own": {}, "the rule": {"rule": RULE}}


@pytest.mark.parametrize("rule", WHOSE)
@pytest.mark.parametrize("story", STORIES)
def test_each_word_is_the_one_that_choose_gives_now(story: str, rule: str) -> None:
    stated = (WORST, CLOSE, sf.ratio(0.9))

    def after() -> sf.Dataset:
        dataset = stays(**WHOSE[rule])
        STORIES[story](dataset)
        return dataset

    found = after().compare(COUNT, stated)
    assert found.together is not None
    assert found.together.guarantee == "none"
    for preference in (*stated, sf.attack_chance(0.6), sf.exposure_cap(0.5)):
        assert rows(found)[preference.words].guarantee == after().query(COUNT).choose(preference).guarantee
    two = after().compare(COUNT, stated[:2]).together
    assert two is not None
    assert two.guarantee == after().query(COUNT).choose(*stated[:2]).guarantee


def test_what_is_said_to_be_fixed_beforehand_keeps_its_word() -> None:
    dataset = stays()
    dataset.check()
    assert {m.guarantee for m in dataset.compare(COUNT, WORST).methods} == {"none", None}
    attested = dataset.compare(COUNT, WORST, preregistered="protocol, page 3")
    assert rows(attested)[WORST.words].guarantee == "dp"
    assert rows(attested)["ratio 0.95, of the people in the data"].guarantee == "none"


def test_comparing_first_leaves_every_choice_open() -> None:
    dataset = stays()
    dataset.compare(COUNT, [WORST, CLOSE])
    assert dataset.query(COUNT).choose(sf.attack_chance(0.6)).guarantee == "dp"


# What does not apply says so; what is stated and wrong is refused


def test_private_keys() -> None:
    found = rows(stays().compare(BY_TOWN, delta=1e-6))
    assert found["gap 1.2, worst case"].high == 0.2
    assert "with a delta some answers may reveal everything" in found["advantage 0.2"].why
    assert "With private group keys" in found["ratio 0.95, of the people in the data"].why
    assert found["advantage 0.2"].guarantee is None
    with pytest.raises(PreferenceError, match="Private group keys need a delta"):
        stays().compare(BY_TOWN)


def test_a_median() -> None:
    found = stays().compare(MEDIAN)
    assert "There is no private selection for" in rows(found)["variance 0.001, selected privately with epsilon 0.1"].why
    assert "rank ±" in str(found)
    assert of_risk.MISSED_RANKS.split(",")[0] in in_one_line(found)
    with pytest.raises(NoMechanism, match="does not use Gaussian noise"):
        stays().compare(MEDIAN, mechanism="gaussian", delta=1e-6)


def test_a_mean_shows_its_own_interval_and_not_that_of_its_two_noisy_numbers() -> None:
    found = stays().compare(AVG, expected_count=1000)
    assert (found.expected_count and found.expected_count.count) == 1000
    assert "answer (90%) if" in in_one_line(found)
    assert "sum of (days − 30); count of days" not in in_one_line(found)


def test_with_bounds_from_the_data_nothing_carries_a_word_and_no_noise_is_promised() -> None:
    dataset = from_data()
    found = dataset.compare(SUM)
    assert {m.guarantee for m in found.methods} == {"none", None}
    assert all(m.at is None for m in found.methods)
    assert of_compare.COMPARED_FROM_DATA.split(",")[0] in in_one_line(found)
    assert events(dataset) == []
    looked = rows(dataset.compare(SUM, look=True))
    assert (
        looked["ratio 0.95, of the people in the data"].epsilon == from_data().query(SUM).choose(sf.ratio(0.95)).epsilon
    )


WRONG: list[tuple[str, Sequence[Preference], dict[str, Any]]] = [
    (MEDIAN, [CLOSE], {}),
    (AVG, [CLOSE], {}),
    (BY_TOWN, [sf.advantage(0.2)], {"delta": 1e-6}),
    (BY_TOWN, [sf.ratio(0.9)], {"delta": 1e-6}),
    (COUNT, [sf.guess(0.5, secret="nobody")], {}),
    (COUNT, [sf.guess(0.3, secret="ward")], {}),
    (COUNT, [sf.ratio(0.9, between="nobody > 3")], {}),
    (COUNT, [sf.ratio(0.9, worst_case=True, exact=True)], {"mechanism": "truncated", "delta": 1e-6}),
    (COUNT, [WORST], {"delta": 1e-6}),
    (COUNT, [WORST], {"epsilon_max": -1}),
    (COUNT, [WORST], {"candidates": "nobody's"}),
    (MEDIAN, [sf.variance(1e-3, select_epsilon=0.1)], {}),
    (COUNT, ["gap 1.2"], {}),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("sql", "stated", "how"), WRONG)
def test_what_is_stated_and_wrong_is_refused_as_choose_does(
    sql: str, stated: Sequence[Preference], how: dict[str, Any]
) -> None:
    dataset = stays()
    with pytest.raises(SfumatoError) as chosen:
        stays().query(sql).choose(*stated, **how)
    with pytest.raises(SfumatoError) as compared:
        dataset.compare(sql, stated, look=True, **how)
    assert str(compared.value) == str(chosen.value)
    assert events(dataset) == []


def test_a_function_that_fails_tells_nothing_of_the_people() -> None:
    def fails(rdrs: Any) -> bool:
        raise ValueError(f"{rdrs.max}")

    with pytest.raises(PreferenceError, match="failed with ValueError"):
        stays().compare(COUNT, sf.satisfies(fails), look=True)


# What is seen of it


def test_a_look_is_confidential() -> None:
    found = stays().compare(COUNT, sf.ratio(0.9), look=True)
    assert repr(found) == "<Comparison of 17 methods; confidential: call .show()>"
    assert "0." not in repr(found.methods[0]) + repr(found.together) + repr(found.plot())
    for secret in (found, found.methods[0], found.together):
        with pytest.raises(TypeError, match="confidential and is not pickled"):
            pickle.dumps(secret)
    assert of_guarantee.CONTROLLER_ONLY in found._html()
    assert "0." not in found._repr_html_()
    assert found.page().of_the_people


def test_what_is_stated_after_a_look_is_confidential_too() -> None:
    dataset = stays()
    assert not dataset.compare(COUNT, WORST).confidential
    dataset.check()
    assert repr(dataset.compare(COUNT, WORST)).endswith("confidential: call .show()>")
    assert not dataset.compare(COUNT).confidential  # only examples


def test_what_is_read_off_the_people_has_a_column_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    dataset = stays()
    blind = view.methods(dataset.compare(COUNT))
    assert view.CONFIDENTIAL not in blind[0]
    found = dataset.compare(COUNT, [sf.exposure_cap(0.5), sf.ratio(0.9)], look=True)
    columns, cells = view.methods(found)
    public, hidden = columns.index("epsilon"), columns.index(view.CONFIDENTIAL)
    assert [(row[0], row[public], row[hidden]) for row in cells[:4]] == [
        ("yours: exposure cap 0.5", "up to 0.5", ""),
        ("yours: ratio 0.9, of the people in the data", "", "up to 0.1111"),
        ("all of yours", "", "up to 0.1111"),
        ("gap 1.2, worst case", "up to 0.2", ""),
    ]
    found.show()
    assert "of the people" in capsys.readouterr().out


def test_the_picture_has_a_bar_for_what_is_known_and_a_pin_at_what_is_chosen() -> None:
    found = stays().compare(COUNT, [sf.gap(2, worst_case=True), CLOSE])
    figure = view.figure(found)
    known = [m.words for m in found.methods if m.high is not None]
    assert [span.label.removeprefix("yours: ") for span in figure.of(Span)] == [*known, "all of yours"]
    assert [pin.x for pin in figure.of(Pin)] == [1.0]
    assert figure.of(Span)[1].high == math.inf
    for drawn in (svg(figure), text(figure)):
        assert "all of yours" in drawn


def test_what_allows_nothing_has_no_bar() -> None:
    found = stays().compare(COUNT, [sf.ratio(1, worst_case=True), sf.attack_chance(1)])
    labels = {span.label for span in view.figure(found).of(Span)}
    assert "yours: ratio 1, worst case" not in labels
    assert "yours: attack chance 1" in labels
    assert "No epsilon meets ratio 1, worst case." in in_one_line(found)
    spent = stays().compare(COUNT, sf.larger_than_spent())
    assert "yours: only epsilons above what was spent so far (0): any" in spent.text()
    far = stays().compare(AVG, [sf.within(1e-9, expected_count=2), sf.larger_than_spent()])
    assert far.together is not None
    assert (far.together.interval, far.together.feasible) == (None, False)
    assert "yours: within 1e-09 with 95% probability" not in {span.label for span in view.figure(far).of(Span)}


def test_as_a_dict_it_is_plain_json() -> None:
    found = stays().compare(COUNT, [CLOSE, WORST])
    told = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert (told["methods"][0]["low"], told["methods"][0]["high"]) == (pytest.approx(0.5991, abs=1e-4), None)
    assert told["together"]["conflict"] == [CLOSE.words, WORST.words]
    assert (told["looked"], told["mechanism"]) == (False, "laplace")
    assert stays().compare(COUNT).as_dict()["together"] is None


def test_names_are_escaped() -> None:
    seen = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            seen.add(tag)

    nasty = sf.satisfies(lambda rdrs: rdrs.ratio > 0, "<script>alert('&')</script>")
    found = stays().compare(COUNT, nasty, look=True)
    Tags().feed(found._html() + found._repr_html_() + found.page("<script>").html)
    assert "table" in seen
    assert "script" not in seen


def test_an_epsilon_is_never_rounded_to_more_than_is_allowed() -> None:
    assert of_compare.epsilons((0, 0.405465)) == "up to 0.4054"
    assert of_compare.epsilons((0.59911, 0.7)) == "0.5992 to 0.7"
    assert of_compare.epsilons((0, 0)) == of_compare.epsilons((math.inf, math.inf)) == "no epsilon"
