"""The risk explorer: every stop of a slider is what the solver says, and every point is what the risk view says."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest

from sfumato.composition import local
from sfumato.model.risk import Source
from sfumato.presentation import exploration_view
from sfumato.presentation.wording import exploration_sentences as of_explorer
from sfumato.privacy.preferences.sweep import EPSILONS, GAPS, SliderKind
from sfumato.release.bound_query import BoundQuery, bind
from sfumato.release.risk.exploration import MARKS, explore, figures
from sfumato.release.risk.profile import Profile, people_profile, worst_case
from sfumato.release.risk.rehearsal import rehearse
from sfumato.schema.read import parse_schema
from tests.room import BY_WARD, COUNT, RULE, SCHEMA, SUM

AVERAGE = "SELECT AVG(age) FROM stays"
MEDIAN = "SELECT MEDIAN(age) FROM stays"


def shown(profile: Profile, **terms: Any) -> dict[str, Any]:
    return exploration_view.exploration(explore(profile, **terms))


def query(sql: str, schema: str = SCHEMA) -> BoundQuery:
    return bind(local.open_registered(None, parse_schema(schema), None, who="alice"), sql)


def found(sql: str = SUM, *, epsilon_max: float = 1.0, stated: Any = None, now: float | None = 0.2, **how: Any) -> Any:
    """In the worst case; what is in force is the rule, unless something else is stated."""
    profile = worst_case(query(sql), **how)
    return shown(profile, epsilon_max=epsilon_max, preference=RULE if stated is None else stated, now=now)


def on_rows(sql: str) -> BoundQuery:
    return bind(
        local.open_registered(local.synthetic_engine(parse_schema(SCHEMA)), parse_schema(SCHEMA), None, who="alice"),
        sql,
    )


def on_invented_rows(sql: str) -> Any:
    return shown(rehearse(on_rows(sql)), epsilon_max=1.0, preference=RULE, now=0.2)


def stop_of(told: Any, kind: str, value: float) -> Any:
    [stop] = [stop for stop in told["sliders"][kind]["stops"] if stop["value"] == value]
    return stop


def test_it_opens_where_the_rule_stands() -> None:
    told = found()
    assert told["start"] == {"kind": "gap", "index": GAPS.index(1.2)}
    assert stop_of(told, "gap", 1.2)["epsilon"] == told["in_force"] == 0.2
    [requested] = [row for row in exploration_view.rows(told) if row["epsilon"] == 0.2]
    assert (requested["gap_shown"], requested["verdict"]["glyph"]) == ("1.2×", "✓")


@pytest.mark.parametrize(
    ("stated", "now", "kind", "value"),
    [
        ({"gap": 1.37, "worst_case": True}, 0.37, "gap", 1.37),
        ({"attack_chance": 0.61}, 0.4473122179, "epsilon", 0.4473122179),  # not what the solver says: its epsilon
        ({"epsilon": 0.33}, 0.33, "epsilon", 0.33),
        ({"gap": 1.2, "worst_case": True, "epsilon": 0.1}, 0.1, "epsilon", 0.1),
        ({"gap": 1.2}, 0.17, "epsilon", 0.17),  # of the people: no slider of public facts
        ({}, None, "epsilon", sorted(one for one in EPSILONS if one <= 5)[10]),
    ],
)
def test_what_is_in_force_is_a_stop_of_its_own(stated: Any, now: float | None, kind: str, value: float) -> None:
    told = found(stated=stated, now=now)
    start = told["start"]
    assert start["kind"] == kind
    assert told["sliders"][kind]["stops"][start["index"]]["value"] == value


def test_each_stop_leads_to_a_point_that_is_there() -> None:
    for sql in (COUNT, SUM, BY_WARD, AVERAGE, MEDIAN):
        for told in (found(sql), on_invented_rows(sql)):
            epsilons = {point["epsilon"] for point in told["points"]}
            for slider in told["sliders"].values():
                for stop in slider["stops"]:
                    assert stop["selected"] or stop["epsilon"] in epsilons | {None}
                    assert stop["epsilon"] is None or stop["epsilon"] <= told["ceiling"] or stop["selected"]
            assert json.loads(json.dumps(told)) == told, "it goes out as JSON: nothing infinite is in it"


def test_a_point_is_what_the_risk_view_says() -> None:
    profile = worst_case(query(SUM))
    for point in found()["points"]:
        at = profile.at(point["epsilon"])
        assert point["gap"] == at.gap
        assert point["in"] / 100 >= at.attack_chance - 1e-9 > (point["in"] - 1) / 100
        assert point["in"] + point["out"] == 100


def test_a_stop_allows_what_meets_it_and_the_ceiling_goes_before() -> None:
    told = found()
    points, stop = told["points"], stop_of(told, "gap", 1.2)
    verdicts = {points[index]["epsilon"]: name for index, name in stop["rows"]}
    assert (verdicts[0.1], verdicts[0.2]) == ("ok", "chosen")
    assert verdicts[0.5] == verdicts[1.0] == "over"
    assert verdicts[2.0] == verdicts[5.0] == "ceiling"
    error = stop_of(told, "error", 1000.0)
    assert exploration_view.verdict(0.1, error, 1.0) == "over", "a small epsilon is too noisy"
    assert exploration_view.verdict(error["epsilon"], error, 1.0) == "chosen"
    assert exploration_view.verdict(0.75, error, 1.0) == "ok"


def test_the_table_has_the_verdict_of_the_policy_whatever_the_preference_is() -> None:
    wanted = {"within": 1000.0, "confidence": 0.9, "each": True}
    told = shown(worst_case(query(SUM)), epsilon_max=1.0, preference=wanted, now=0.25, limit=0.5)
    verdicts = {row["epsilon"]: row["verdict"]["name"] for row in exploration_view.rows(told)}
    assert (verdicts[0.1], verdicts[0.25], verdicts[0.5], verdicts[0.75]) == ("noisy", "ok", "ok", "over")
    assert (verdicts[2.0], told["needs"]) == ("ceiling", 1000.0)


def test_a_histogram_is_labelled_with_the_rdrs_of_each_epsilon() -> None:
    told = on_invented_rows(SUM)
    assert len(told["histogram"]["edges"]) == len(told["histogram"]["people"]) + 1
    for point in told["points"]:
        assert len(point["marks"]) == MARKS
        assert point["rdr"][1] / point["rdr"][0] == pytest.approx(point["gap"], rel=1e-4)
    assert {point["marks"] == [] for point in found()["points"]} == {True}, "the worst case has no histogram"
    [alike, *_] = on_invented_rows("SELECT COUNT(*) FROM stays")["points"]
    assert alike["words"][0].endswith(", the people of the synthetic data are at the same risk.")


def test_the_answer_to_choose_a_group_from_is_that_of_the_synthetic_rows() -> None:
    profile = rehearse(on_rows(BY_WARD))
    assert profile.survey is not None
    cells = figures(profile.measurement, profile.survey.answer)
    assert len(cells) == len(profile.measurement.cells or ())
    told = shown(profile, epsilon_max=1.0, preference=RULE, now=0.2, cells=cells)
    assert [cell["name"] for cell in told["cells"]] == [name for name, _ in cells]
    assert [point["cell_half"] for point in told["points"]] == [point["half"] for point in told["points"]]


def test_every_group_of_an_average_has_the_interval_of_the_smallest() -> None:
    """Its own noise, not that of the sum and the count behind it."""
    profile = rehearse(on_rows("SELECT ward, AVG(age) AS mean, COUNT(*) AS n FROM stays GROUP BY ward"))
    assert profile.survey is not None
    assert figures(profile.measurement, profile.survey.answer) == ()
    cells = figures(profile.measurement, profile.survey.answer, composed=True)
    told = shown(profile, epsilon_max=1.0, preference=RULE, now=0.2, cells=cells)
    assert [cell["name"].rpartition(" ")[2] for cell in told["cells"]] == ["mean"] * len(cells)
    [point] = [point for point in told["points"] if point["epsilon"] == 1.0]
    counted = re.fullmatch(r"noise \(90%\), if ([\d,]+) counted", told["heading"])
    assert counted is not None
    assert point["noise"] in point["words"][1]
    assert point["words"][1].startswith(f"90% noise interval of the answer, if {counted[1]} are counted: mean ±")
    assert point["cell_half"] == point["half"] < 100, "the bounds of the ages"


def test_beyond_the_ceiling_the_ceiling_holds() -> None:
    stop = stop_of(found(), "gap", 3.0)
    assert stop["epsilon"] == 1.0
    assert "epsilon_max of 1 applies" in stop["why"]
    assert stop_of(found(), "epsilon", 2.0)["epsilon"] is None


def test_what_a_policy_would_state() -> None:
    told = found()
    assert stop_of(told, "gap", 1.1)["rule"] == {"gap": 1.1, "worst_case": True}
    assert stop_of(told, "chance", 0.6)["rule"] == {"attack_chance": 0.6}
    assert stop_of(told, "error", 500.0)["rule"] == {"within": 500.0, "confidence": 0.9, "each": True}
    assert stop_of(told, "epsilon", 0.5)["rule"] == {"epsilon": 0.5}
    assert stop_of(told, "selected", 0.5)["rule"] == {"exposure_cap": 0.5, "allow": 0.01, "select_epsilon": 0.1}
    drawn = found(mechanism="gaussian", delta=1e-6)
    assert stop_of(drawn, "gap", 1.1)["rule"] == {
        "gap": 1.1, "worst_case": True, "mechanism": "gaussian", "delta": 1e-6,
    }  # fmt: skip


def test_from_a_look_alike_goes_the_epsilon_that_was_found() -> None:
    """A gap among people is no rule: nothing but the epsilon may be proposed from there, rounded down."""
    told = on_invented_rows(AVERAGE)
    stop = stop_of(told, "gap", 1.1)
    assert stop["rule"] == {"epsilon": float(Fraction(stop["rule"]["epsilon"]).limit_denominator(10**6))}
    assert stop["rule"]["epsilon"] <= stop["epsilon"]
    assert told["start"]["kind"] == "epsilon", "what is in force stands at its epsilon"
    assert "synthetic data" in stop["words"]
    assert any(told["histogram"]["figure"]["data"][0]["y"])


def test_what_the_people_lead_to_is_proposed_to_nobody() -> None:
    """A note goes to whoever asked: a figure in it that comes from the people would tell what a look showed."""
    looked = shown(people_profile(on_rows(AVERAGE)), epsilon_max=1.0, preference=RULE, now=0.2)
    assert {stop["proposal"] for stop in looked["sliders"]["gap"]["stops"]} == {""}
    assert stop_of(looked, "epsilon", 0.5)["proposal"], "what was moved to by hand may be"
    assert stop_of(on_invented_rows(AVERAGE), "gap", 1.1)["proposal"]


def test_where_people_are_replaced_it_is_somebody_else_whom_they_are_told_from() -> None:
    profile = worst_case(query(SUM, 'relation = "replace"\n' + SCHEMA))
    told = shown(profile, epsilon_max=1.0, preference=RULE, now=0.2)
    assert told["absent"] == "Another person in their place:"
    assert (
        "whether a given person, or another in their place, is included at most 60%"
        in stop_of(told, "chance", 0.6)["words"]
    )
    assert "epsilon times the sum of their exposure and 1/2" in stop_of(told, "selected", 0.5)["words"]
    assert found()["absent"] == "Person not included:"
    assert "n their place" not in json.dumps(found())


def test_the_worst_case_has_no_histogram() -> None:
    assert found()["histogram"] is None


def test_what_cannot_be_asked_says_why() -> None:
    assert "depends on the number of people" in found(AVERAGE)["sliders"]["error"]["why"]
    assert found(AVERAGE)["sliders"]["error"]["stops"] == []
    assert found(MEDIAN)["sliders"]["selected"]["stops"] == []


def test_a_selection_has_no_epsilon_before_it_is_drawn() -> None:
    stop = stop_of(found(), "selected", 0.5)
    assert (stop["selected"], stop["epsilon"]) == (True, None)
    assert exploration_view.verdict(0.5, stop, 1.0) == "unknown"


def test_after_a_look_a_true_figure_has_its_noise_around_it() -> None:
    profile = worst_case(query(SUM))
    told = shown(profile, epsilon_max=1.0, preference=RULE, now=0.2, cells=[("sum(age)", 1000.0)])
    [point] = [point for point in told["points"] if point["epsilon"] == 0.5]
    assert (told["cell"], point["noise"], point["cell"]) == ("sum(age)", "±460.5", "539 to 1,461")


def test_every_source_and_every_kind_has_its_words() -> None:
    assert {*of_explorer.COMPARES} == {*of_explorer.PEOPLE} == {*Source}
    assert {*of_explorer.KINDS} == {*SliderKind}


def test_words_that_are_not_said() -> None:
    told = json.dumps([found(), on_invented_rows(SUM)]).casefold()
    for word in ("privacy budget", "confidence interval", "anonymous", "safe"):
        assert word not in told
