"""Guesses, sharing risk and the answer's error as preferences: what is refused, what keeps its word, what combines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import NoMechanism, PreferenceError
from sfumato.presentation.figures.marks import Line, Surface
from sfumato.privacy.noise.calibration import furthest_of
from sfumato.privacy.noise.error import epsilon_for_error_on_lattice
from sfumato.privacy.preferences.preference import epsilon
from sfumato.privacy.risk.sharing import LEVELS

SIRD = ["S", "I", "R", "D"]
COLUMNS: dict[str, Any] = {
    "state": {"type": "text", "categories": SIRD},
    "age": {"type": "integer", "bounds": [0, 99]},
    "weight": {"type": "number", "bounds": [0, 200]},
    "street": {"type": "text", "keys": "private"},
    "name": {"type": "text"},
    "alone": {"type": "text", "categories": ["x"]},
    "ill": {"type": "boolean"},
}
PEOPLE = pd.DataFrame({"state": SIRD * 25, "age": range(100), "weight": [70.0] * 100, "street": ["high"] * 100})
PEOPLE = PEOPLE.assign(name="n", alone="x", ill=True)
COUNT, BY_STATE = "SELECT COUNT(*) FROM village", "SELECT state, COUNT(*) FROM village GROUP BY state"
GAUSSIAN: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-6}


def village(ledger: Path | str = ":memory:", **stated: object) -> sf.Dataset:
    schema = {"name": "village", "columns": COLUMNS} | stated
    return sf.open(PEOPLE, schema, ledger=ledger, version="1")


def query(sql: str = BY_STATE, **stated: Any) -> sf.Query:
    return village(**stated).query(sql)


SHARED: dict[str, Any] = {"trust": "low", "data_sensitivity": "high"}


# What is refused, in a sentence

REFUSED = {
    "a word that is none of the five": (
        lambda: sf.sharing_risk("low", trust="dubious", data_sensitivity="high", choices=4),
        "trust has no level 'dubious'. Hint: use very low, low, medium, high, very high, or a number from 0 to 1.",
    ),
    "more than all trust": (
        lambda: sf.sharing_risk("low", trust=1.5, data_sensitivity="high", choices=4),
        "trust must be between 0 and 1, not 1.5. Hint: use very low, low, medium, high, very high, or a number "
        "from 0 to 1.",
    ),
    "no trust": (
        lambda: sf.sharing_risk("low", data_sensitivity="high", choices=4),
        "sf.sharing_risk needs trust. Hint: try sf.sharing_risk('low', trust='low', data_sensitivity='high', "
        "choices=4).",
    ),
    "nothing to guess": (
        lambda: sf.guess(0.4),
        "sf.guess needs to know what an attacker guesses. Hint: try choices=4, or secret=COLUMN for the "
        "categories in the schema.",
    ),
    "two secrets": (
        lambda: sf.guess(0.4, choices=4, secret="state"),
        "sf.guess needs exactly one of choices, secret and prior. Hint: try choices=4, or secret=COLUMN for the "
        "categories in the schema.",
    ),
    "one choice": (
        lambda: sf.guess(0.4, choices=1),
        "choices must be a whole number from 2, not 1. Hint: try choices=4.",
    ),
    "a choice and a half": (
        lambda: sf.guess(0.9, choices=2.5),  # type: ignore[arg-type]
        "choices must be a whole number from 2, not 2.5. Hint: try choices=4.",
    ),
    "a prior of nothing": (
        lambda: sf.guess(0.4, prior=0),
        "prior must be between 0 and 1, not 0. Hint: try prior=0.25.",
    ),
    "a prior of all": (
        lambda: sf.guess(0.4, prior=1),
        "prior must be between 0 and 1, not 1. Hint: try prior=0.25.",
    ),
    "a radius of nothing named": (
        lambda: sf.guess(0.4, choices=4, radius=5),
        "radius needs secret. Hint: try secret='age', radius=5.",
    ),
    "a radius below 0": (
        lambda: sf.guess(0.4, secret="age", radius=-1),
        "radius must be at least 0, not -1. Hint: try radius=5.",
    ),
    "a secret without a name": (
        lambda: sf.guess(0.4, secret=7),  # type: ignore[arg-type]
        "secret must be the name of a column, not 7. Hint: try secret='marital_status'.",
    ),
    "no more than blindly": (
        lambda: sf.guess(0.25, choices=4),
        "sf.guess must be above 0.25, not 0.25: a blind guess already succeeds that often. Hint: choose a larger "
        "number.",
    ),
    "a chance of nothing": (
        lambda: sf.guess(0, choices=4),
        "sf.guess must be above 0 and at most 1, not 0. Hint: try sf.guess(0.4).",
    ),
    "an advantage of more than all": (
        lambda: sf.advantage(1.5),
        "sf.advantage must be above 0 and at most 1, not 1.5. Hint: try sf.advantage(0.2): a belief of 30% then "
        "becomes at most 50%.",
    ),
    "no risk": (
        lambda: sf.sharing_risk(0, **SHARED, choices=4),
        "sf.sharing_risk must be above 0, not 0: no noise reduces the risk below that. Hint: choose a risk above 0.",
    ),
    "below the floor, as published": (
        lambda: sf.sharing_risk("very low", **SHARED, choices=4, as_published=True),
        "sf.sharing_risk must be above 0.1225, not 0.1: no noise reduces the risk below that. Hint: leave "
        "as_published out: the risk of a blind guess is then not counted.",
    ),
    "a column that is not there": (
        lambda: query().choose(sf.guess(0.4, secret="nose")),
        "The schema has no column 'nose'. Hint: name a column of the schema.",
    ),
    "a column without categories": (
        lambda: query().choose(sf.guess(0.4, secret="name")),
        "Column 'name' has no categories in the schema. Hint: add its categories to the schema, or use radius "
        "for a number, or choices.",
    ),
    "a column whose groups are private": (
        lambda: query().choose(sf.guess(0.4, secret="street")),
        "Column 'street' has no categories in the schema. Hint: add its categories to the schema, or use radius "
        "for a number, or choices.",
    ),
    "a radius without bounds": (
        lambda: query().choose(sf.guess(0.4, secret="name", radius=5)),
        "Column 'name' has no bounds, which a radius needs. Hint: add bounds = [low, high] to it.",
    ),
    "a point in a range": (
        lambda: query().choose(sf.guess(0.4, secret="weight", radius=0)),
        "A guess of 'weight' needs radius above 0. Hint: try radius=5.",
    ),
    "a radius of everything": (
        lambda: query().choose(sf.guess(0.4, secret="weight", radius=100)),
        "Every guess of 'weight' would be right, so there is nothing to protect. Hint: choose a smaller radius, "
        "or another column.",
    ),
    "one category": (
        lambda: query().choose(sf.guess(0.4, secret="alone")),
        "Every guess of 'alone' would be right, so there is nothing to protect. Hint: choose a smaller radius, "
        "or another column.",
    ),
    "no more than blindly of a column": (
        lambda: query().choose(sf.guess(0.2, secret="state")),
        "sf.guess must be above 0.25, not 0.2: a blind guess already succeeds that often. Hint: choose a larger "
        "number.",
    ),
    "an advantage with a delta": (
        lambda: query().choose(sf.advantage(0.2), **GAUSSIAN),
        "An advantage must hold for every possible answer, and with a delta some answers may reveal everything. "
        "Hint: use sf.guess, which includes delta, or mechanism='laplace'.",
    ),
    "half a partner": (
        lambda: query().guessing(choices=4, trust="low"),
        "A sharing risk needs both trust and data sensitivity. Hint: try trust='low', data_sensitivity='high'.",
    ),
    "a limit for nobody": (
        lambda: query().guessing(choices=4, limit="low"),
        "A sharing risk needs both trust and data sensitivity. Hint: try trust='low', data_sensitivity='high'.",
    ),
    "a view of nothing": (
        lambda: query().guessing(),
        "a view of guesses needs to know what an attacker guesses. Hint: try choices=4, or secret=COLUMN for the "
        "categories in the schema.",
    ),
    "private groups without a delta": (
        lambda: query("SELECT street, COUNT(*) FROM village GROUP BY street").guessing(choices=4),
        "Private group keys need a delta, which bounds the chance that a group of one person appears. Hint: add "
        "delta=1e-9.",
    ),
    # The answer's error
    "no error": (lambda: sf.within(0), "sf.within must be above 0, not 0. Hint: try sf.within(5)."),
    "always": (
        lambda: query(COUNT).choose(sf.within(5, confidence=1)),
        "Laplace noise is unbounded, so no error bound holds with 100% probability. Hint: use "
        "mechanism='truncated' with a delta, or a confidence below 1.",
    ),
    "more than always": (
        lambda: sf.within(5, confidence=1.1),
        "confidence must be above 0 and at most 1, not 1.1. Hint: try confidence=0.95; 1 means every answer, "
        "which only truncated noise can meet.",
    ),
    "always, of a mean": (
        lambda: query("SELECT AVG(age) FROM village").choose(
            sf.within(5, confidence=1, expected_count=50), mechanism="truncated", delta=1e-6
        ),
        "No error bound of avg(age) holds with 100% probability. Hint: use a confidence below 1, or ask for "
        "counts and sums.",
    ),
    "no relative error": (
        lambda: sf.relative_error(0, expected=10),
        "sf.relative_error must be above 0, not 0. Hint: try sf.relative_error(0.1).",
    ),
    "nothing expected": (
        lambda: sf.relative_error(0.1),
        "sf.relative_error needs an expected answer. Hint: add expected=2300: a public guess, not the true answer.",
    ),
    "0 expected": (
        lambda: sf.relative_error(0.1, expected=0),
        "expected must not be 0, because an error cannot be a share of 0. Hint: use sf.within.",
    ),
    "nobody expected": (
        lambda: sf.within(5, expected_count=0),
        "expected_count must be at least 1, not 0. Hint: try expected_count=1000.",
    ),
    "a median": (
        lambda: query("SELECT MEDIAN(age) AS middle FROM village").choose(sf.within(5)),
        "middle is selected by its rank, so its error cannot be bounded in advance. Hint: ask for counts, sums or "
        "means.",
    ),
    "a variance": (
        lambda: query("SELECT VAR_POP(age) AS spread FROM village").choose(sf.within(5)),
        "spread is computed from three noisy figures, so its error cannot be bounded in advance. Hint: ask for "
        "counts, sums or means.",
    ),
    "a mean of nobody knows how many": (
        lambda: query("SELECT AVG(age) AS mean FROM village").choose(sf.within(5)),
        "The error of mean depends on the number of people in its smallest group. Hint: add expected_count=1000: "
        "the least number of people in a group, from public knowledge.",
    ),
    "private groups": (
        lambda: query("SELECT street, COUNT(*) FROM village GROUP BY street").choose(sf.within(5), delta=1e-9),
        "With private group keys a group appears only if its noise is large, so its error is not bounded. Hint: "
        "list the public categories, or choose by sf.gap, sf.guess or epsilon.",
    ),
}


@pytest.mark.parametrize(("said", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_refused_in_a_sentence(said: Any, sentence: str) -> None:
    with pytest.raises(PreferenceError) as refused:
        said()
    assert f"{refused.value.message}. Hint: {refused.value.hint}" == sentence
    assert refused.value.exit_status == 2


def test_the_place_of_a_column_that_says_nothing() -> None:
    with pytest.raises(PreferenceError) as refused:
        query().choose(sf.guess(0.4, secret="NAME"))
    assert refused.value.where == "[columns.name] in the schema"


def test_gaussian_noise_on_a_rank_has_no_view_of_guesses() -> None:
    with pytest.raises(NoMechanism, match="does not use Gaussian noise"):
        query("SELECT MEDIAN(age) FROM village").guessing(choices=4, **GAUSSIAN)


# Words and numbers


def test_words_are_numbers() -> None:
    words = sf.sharing_risk("Low", trust="very-low", data_sensitivity=" very  HIGH ", choices=4)
    assert words == sf.sharing_risk(0.3, trust=0.1, data_sensitivity="0.9", choices=4)
    assert words.words == "sharing risk low at trust very low and data sensitivity very high, one of 4"


@pytest.mark.parametrize(
    ("secret", "choices", "blind"),
    [("state", None, 1 / 4), ("ill", None, 1 / 2), ("STATE", None, 1 / 4), (None, 4, 1 / 4)],
)
def test_what_is_guessed_blindly(secret: str | None, choices: int | None, blind: float) -> None:
    assert query().guessing(secret=secret, choices=choices).blind == blind


@pytest.mark.parametrize(("radius", "blind"), [(5, 0.11), (5.4, 0.11), (5.5, 0.12), (0.5, 0.02), (0, 0.01)])
def test_whole_numbers_are_counted(radius: float, blind: float) -> None:
    """A guess may lie between two of them: 5.5 is within 0.5 of both 5 and 6."""
    assert query(COUNT).guessing(secret="age", radius=radius).blind == pytest.approx(blind)


# What keeps its word


RULES: list[dict[str, Any]] = [
    {"guess": 0.4, "secret": "state"},
    {"guess": 0.4, "secret": "STATE"},
    {"guess": 0.2, "secret": "age", "radius": 5},
    {"advantage": 0.2},
    {"sharing_risk": "low", "trust": "low", "data_sensitivity": "high", "choices": 4},
    {"within": 5, "confidence": 0.9, "each": True},
    {"relative_error": 0.1, "expected": 100},
]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_stays_dp_after_a_look(rule: dict[str, Any], ledger_path: Path) -> None:
    asked = village(ledger_path, rule=rule).query(BY_STATE)
    before = asked.choose()
    asked.risk()
    release = asked.release()
    assert release.certificate.guarantee == before.guarantee == "dp"
    assert release.certificate.epsilon == before.epsilon


@pytest.mark.parametrize("name", ["state", "State"])
def test_a_secret_whose_categories_changed_after_a_look_has_no_guarantee(name: str, ledger_path: Path) -> None:
    """A count does not read the column, but its epsilon goes by how many categories that lists."""
    rule = {"guess": 0.9, "secret": name}
    village(ledger_path, rule=rule).query(COUNT).risk()
    more = COLUMNS | {"state": {"type": "text", "categories": [*SIRD, "V"]}}
    assert village(ledger_path, rule=rule).query(COUNT).choose().guarantee == "dp"
    changed = village(ledger_path, rule=rule, columns=more).query(COUNT).choose()
    assert changed.guarantee == "none"


def test_a_secret_whose_bounds_changed_after_a_look_has_no_guarantee(ledger_path: Path) -> None:
    rule = {"guess": 0.9, "secret": "age", "radius": 5}
    village(ledger_path, rule=rule).query(COUNT).risk()
    wider = COLUMNS | {"age": {"type": "integer", "bounds": [0, 120]}}
    assert village(ledger_path, rule=rule, columns=wider).query(COUNT).choose().guarantee == "none"


def test_the_same_request_comes_back_however_its_secret_is_spelled(ledger_path: Path) -> None:
    asked = village(ledger_path).query(BY_STATE)
    first, redraw = (asked.choose(sf.guess(0.4, secret=name)) for name in ("state", "STATE"))
    assert first.request.key == redraw.request.key
    assert first.request.key != asked.choose(sf.guess(0.41, secret="state")).request.key
    released = asked.release(first)
    assert asked.release(redraw).answer == released.answer
    assert asked.dataset.ledger.total.epsilon == pytest.approx(first.epsilon)


def test_a_view_of_guesses_is_free_and_no_look(ledger_path: Path) -> None:
    asked = village(ledger_path).query(BY_STATE)
    before = len(asked.dataset.ledger.entries)
    seen = asked.guessing(secret="state", **SHARED, limit="low")
    seen.text(), seen.as_dict(), seen._repr_html_(), seen.plot()
    assert len(asked.dataset.ledger.entries) == before
    assert asked.choose(epsilon(0.5)).guarantee == "dp"


# The view


def test_the_view_says_it_in_words() -> None:
    seen = query().guessing(secret="state", **SHARED, limit="low")
    said = " ".join(seen.text().split())
    assert (
        "an attacker guesses right at most 71% of the time (25% by a blind guess); a count of 100 becomes 98 to" in said
    )
    assert "the sharing risk is 0.3 (low)" in said
    assert "your limit 0.3" in said
    assert repr(seen) == seen.text()


def test_a_count_of_100_with_gaussian_noise() -> None:
    at = query(COUNT).guessing(choices=4, **GAUSSIAN).at(1.0)
    assert at.any_prior is None
    assert at.hundred is not None
    low, high = at.hundred
    assert (100 - low, high - 100) == (7, 7)  # ±6.95


def test_without_a_partner_it_is_the_chance_that_is_drawn() -> None:
    seen = query("SELECT SUM(age) FROM village").guessing(choices=4)
    assert seen.at(0.5).risk is None
    assert seen.at(0.5).hundred is None
    assert seen.plot().figure.y.label == "chance of a right guess"
    assert "sharing risk" not in seen.text().partition("\n\n")[2]
    assert seen.epsilon is None


def test_what_has_a_rank_is_drawn_over_epsilon() -> None:
    seen = query("SELECT MEDIAN(age) FROM village").guessing(choices=4, candidates=[0.5])
    assert seen.plot().figure.x.label == "epsilon"
    assert seen.at(0.5).noise_90 == (None,)


def test_a_limit_above_the_stake_is_met_by_every_epsilon() -> None:
    seen = query().guessing(choices=4, **SHARED, limit="medium")
    assert seen.epsilon is None
    assert seen.why.startswith("Every epsilon meets sharing risk medium")
    assert "Every epsilon meets" in seen.text()


@pytest.mark.parametrize(
    ("sql", "stated", "known"),
    [
        (BY_STATE, {}, True),
        (f"{BY_STATE} HAVING COUNT(*) > 5 ORDER BY 2", {}, True),
        (BY_STATE, {"relation": "replace"}, True),
        (BY_STATE, {"unit": "name", "max_rows": 1}, True),
        (BY_STATE, {"unit": "name", "max_rows": 3}, False),
        ("SELECT state, COUNT(*) FROM village WHERE age > 5 GROUP BY state", {}, False),
        ("SELECT state, COUNT(*), SUM(age) FROM village GROUP BY state", {}, False),
        ("SELECT state, COUNT(age) FROM village GROUP BY state", {}, False),
        ("SELECT state, ill, COUNT(*) FROM village GROUP BY state, ill", {}, False),
        ("SELECT ill, COUNT(*) FROM village GROUP BY ill", {}, False),
        (COUNT, {}, False),
    ],
)
def test_an_average_is_told_of_a_histogram_of_the_secret_alone(sql: str, stated: dict[str, Any], known: bool) -> None:
    asked = query(sql, **stated)
    assert (asked.guessing(secret="state").at(1.0).average is not None) == known
    assert asked.guessing(choices=4).at(1.0).average is None
    assert asked.guessing(secret="state", **GAUSSIAN).at(1.0).average is None


def test_the_surface_has_a_risk_for_every_trust_and_sensitivity() -> None:
    seen = query().guessing(secret="state")
    [surface] = seen.surface(0.5).figure.of(Surface)
    stated = query().guessing(secret="state", trust=surface.xs[3], data_sensitivity=surface.ys[8])
    assert surface.heights[8][3] == pytest.approx(stated.at(0.5).risk)
    assert (surface.heights[0], {row[-1] for row in surface.heights}) == ((0.0,) * 11, {0.0})
    with pytest.raises(PreferenceError, match="The surface needs an epsilon"):
        seen.surface()


def test_a_line_for_each_word_of_trust() -> None:
    seen = query().guessing(secret="state", trust="low", data_sensitivity="high", limit="low")
    lines = {line.label: line.points for line in seen.by_trust().figure.of(Line)}
    assert list(lines) == [f"trust {word}" for word in LEVELS]
    assert lines["trust low"] == seen.plot().figure.of(Line)[0].points
    assert all(higher[1] >= lower[1] for higher, lower in zip(lines["trust low"], lines["trust high"], strict=True))
    with pytest.raises(PreferenceError, match="Levels of trust need a partner"):
        query().guessing(secret="state").by_trust()


# The answer's error


def test_all_figures_together_or_each_by_itself() -> None:
    asked = query()
    joint, each = (asked.choose(sf.within(5, each=each)).epsilon for each in (False, True))
    assert joint == pytest.approx(epsilon_for_error_on_lattice(5 * 1024, 0.95, 1024, k=4), rel=1e-8)
    assert each == pytest.approx(epsilon_for_error_on_lattice(5 * 1024, 0.95, 1024), rel=1e-8)
    assert (joint or 0) > (each or 0)


def test_a_relative_error_is_an_error_of_what_is_expected() -> None:
    asked = query(COUNT)
    share = asked.choose(sf.relative_error(0.1, expected=-50, confidence=0.95))
    assert share.epsilon == asked.choose(sf.within(5)).epsilon
    assert share.method == "relative error 0.1 of an expected -50 with 95% probability"


@pytest.mark.parametrize("noise", [{}, GAUSSIAN], ids=str)
def test_a_count_is_rounded_before_it_is_off(noise: dict[str, Any]) -> None:
    """Noise of 0.55 makes it a whole person, which is more than 0.6: it must stay below half of one."""
    asked = query(COUNT)
    half, more, one = (asked.choose(sf.within(e), **noise, epsilon_max=1000).epsilon for e in (0.5, 0.9, 1))
    assert half == more
    assert (one or 0) < (more or 0)


def test_the_bottom_is_picked_and_candidates_round_up() -> None:
    asked = query(COUNT)
    assert asked.choose(sf.within(5), candidates=[0.1, 0.5, 0.6, 1]).epsilon == 0.6
    chosen = asked.choose(sf.within(5), candidates=[0.1, 0.5])
    assert (chosen.feasible, chosen.why) == (
        False,
        "No candidate meets within 5 with 95% probability.",
    )


def test_beside_what_protects_people_the_top_is_picked() -> None:
    asked = query(COUNT)
    alone, both = asked.choose(sf.guess(0.6, choices=4)), asked.choose(sf.within(5), sf.guess(0.6, choices=4))
    assert both.epsilon == alone.epsilon
    assert both.why == "The largest epsilon that meets guess 0.6, one of 4."
    assert asked.choose(sf.within(5), sf.guess(0.6, choices=4), candidates=[0.55, 0.6, 1]).epsilon == 0.6


def test_a_conflict_names_both() -> None:
    chosen = query(COUNT).choose(sf.within(5), sf.guess(0.3, choices=4))
    assert (chosen.epsilon, chosen.feasible) == (None, False)
    assert chosen.why == "No epsilon meets both within 5 with 95% probability and guess 0.3, one of 4."


def test_an_error_that_takes_more_than_epsilon_max() -> None:
    chosen = query("SELECT SUM(age) FROM village").choose(sf.within(5))
    assert not chosen.feasible
    assert chosen.why.startswith("No epsilon up to epsilon_max, 10, meets within 5 with 95% probability: it takes ")
    mean = query("SELECT AVG(age) FROM village").choose(sf.within(0.0001, expected_count=1))
    assert mean.why.endswith("no epsilon does.")


def test_a_priority_multiplies_the_epsilon() -> None:
    asked = query(COUNT)
    plain, twice = sf.guess(0.4, choices=4), sf.weighted(sf.guess(0.4, choices=4), 2)
    assert asked.choose(twice).epsilon == pytest.approx(2 * (asked.choose(plain).epsilon or 0))
    with pytest.raises(PreferenceError, match="cannot have a priority"):
        sf.weighted(sf.within(5), 2)


@pytest.mark.parametrize("error", [1.5, 5, 30.2])
@pytest.mark.parametrize("aggregate", ["COUNT(*)", "SUM(age)"])
def test_truncated_noise_keeps_an_error_every_time(error: float, aggregate: str) -> None:
    """The smallest epsilon that will do: at a hair less the noise reaches further than the error allows."""
    asked = query(f"SELECT {aggregate} FROM village")
    error = error if aggregate == "COUNT(*)" else 100 * error
    choice = asked.choose(sf.within(error, confidence=1), mechanism="truncated", delta=1e-3, epsilon_max=1000)
    assert choice.guarantee == "dp"
    number, noise = asked.measurement.numbers[0], choice.noise
    allowed = min(error, int(error) + 0.5) if aggregate == "COUNT(*)" else error
    assert choice.epsilon is not None
    assert furthest_of(number, asked.measurement, noise, choice.epsilon) <= allowed
    assert furthest_of(number, asked.measurement, noise, choice.epsilon * 0.999) > allowed - 2 * float(number.step)


def test_no_reach_is_as_short_as_what_one_person_moves() -> None:
    for error, feasible in ((0.9, False), (1, False), (1.4, True)):
        stated = sf.within(error, confidence=1)
        if feasible:
            assert query(COUNT).choose(stated, mechanism="truncated", delta=1e-6, epsilon_max=1000).feasible
            continue
        with pytest.raises(PreferenceError, match="always wider than what one person can change, 1"):
            query(COUNT).choose(stated, mechanism="truncated", delta=1e-6)


# What a promise is of


def test_a_priority_does_not_keep_the_promise_and_does_not_say_so() -> None:
    """Twice the epsilon of a guess of 0.4 is a guess of 0.571 (docs/theory/guessing.md: two steps)."""
    twice = query().choose(sf.weighted(sf.guess(0.4, secret="state"), 2))
    assert twice.why == "The largest epsilon that meets 2 times the epsilon of guess 0.4 of state, one of 4."
    once = query().choose(sf.guess(0.4, secret="state"))
    assert twice.epsilon == pytest.approx(2 * (once.epsilon or 0))


@pytest.mark.parametrize(
    "preference", [sf.guess(0.4, secret="state"), sf.attack_chance(0.6), sf.advantage(0.2)], ids=lambda p: p.words
)
def test_odds_leave_room_for_what_a_private_selection_tells(preference: Any) -> None:
    alone = query(COUNT).choose(preference).epsilon
    both = query(COUNT).choose(preference, sf.exposure_cap(5, allow=0.1, select_epsilon=0.1))
    assert both.epsilon == pytest.approx((alone or 0) - 0.1)
    assert both.why.endswith(", with what its private selection tells.")
    nothing = query(COUNT).choose(preference, sf.exposure_cap(5, allow=0.1, select_epsilon=1.0))
    assert not nothing.feasible
    assert nothing.why.endswith("Nothing was drawn and nothing was charged.")


@pytest.mark.parametrize("after", ["HAVING COUNT(*) > 3", "ORDER BY 2 DESC LIMIT 1", "LIMIT 3 OFFSET 1"])
def test_no_error_of_each_row_where_noise_says_which_rows_there_are(after: str) -> None:
    picked = query(f"{BY_STATE} {after}")
    with pytest.raises(PreferenceError, match="select rows by their noise"):
        picked.choose(sf.within(5, each=True))
    assert picked.choose(sf.within(5)).feasible


def test_a_secret_with_a_prior_is_the_column_and_how_often_it_is_known() -> None:
    common = query().choose(sf.guess(0.8, secret="state", prior=0.7))
    assert common.epsilon == query().choose(sf.guess(0.8, prior=0.7)).epsilon
    assert common.method == "guess 0.8 of state, blindly 0.7"


# What a partner holds already, and trust from its factors


@pytest.mark.parametrize("noise", [{}, GAUSSIAN, {"mechanism": "truncated", "delta": 1e-6}])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_what_a_partner_holds_counts_as_if_it_came_with_the_answer(noise: dict[str, Any], relation: str) -> None:
    """The limit is met by both together, and by no epsilon that is a thousandth larger."""
    asked, how = query(relation=relation), {"secret": "state", "limit": "low", **SHARED, **noise}
    seen = asked.guessing(earlier_epsilon=0.2, earlier_delta=1e-7, **how)
    assert seen.epsilon is not None
    assert seen.at(seen.epsilon).risk == pytest.approx(0.3, abs=1e-6)
    assert (seen.at(seen.epsilon).risk or 1) <= 0.3 + 1e-12 < (seen.at(seen.epsilon * 1.001).risk or 0)
    if not noise:
        both, alone = asked.guessing(earlier_epsilon=0.2, **how).at(0.3), asked.guessing(**how).at(0.5)
        assert (both.chance, both.risk, both.any_prior) == pytest.approx((alone.chance, alone.risk, alone.any_prior))
    limited = sf.sharing_risk("low", secret="state", earlier_epsilon=0.2, earlier_delta=1e-7, **SHARED)
    assert asked.choose(limited, **noise).epsilon == seen.epsilon


def test_what_a_partner_holds_may_be_too_much() -> None:
    too_much = sf.sharing_risk("low", secret="state", earlier_epsilon=2, **SHARED)
    choice = query().choose(too_much)
    assert (choice.epsilon, choice.feasible) == (None, False)
    assert "with answers of epsilon 2 held already" in choice.why
    with pytest.raises(PreferenceError, match="together"):
        query().choose(sf.together(too_much, 4))


@pytest.mark.parametrize(
    "stated", ["ability=high,benevolence=low,integrity=0.9", {"ability": "high", "benevolence": 0.3, "integrity": 0.9}]
)
def test_trust_is_the_lowest_of_its_factors(stated: Any) -> None:
    limited = sf.sharing_risk("low", secret="state", trust=stated, data_sensitivity="high")
    assert limited == sf.sharing_risk("low", secret="state", **SHARED)
    with pytest.raises(PreferenceError, match="needs ability, benevolence, integrity, not ability"):
        sf.sharing_risk("low", secret="state", trust={"ability": "high"}, data_sensitivity="high")


def test_a_count_of_ones_own() -> None:
    text = query().guessing(secret="state", count=2000, candidates=[0.1]).text()
    assert "of 2,000" in text
    assert "1.15%" in text
    with pytest.raises(PreferenceError, match="whole number of at least 1"):
        query().guessing(secret="state", count=0)
