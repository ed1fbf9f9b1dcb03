"""What sharing an answer risks: every place of every slider has the number that the formula has, and a sentence."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pytest

import sfumato
from sfumato.api.dataset import Query
from sfumato.presentation import sharing
from sfumato.privacy.risk.sharing import nearest_word, sharing_risk
from tests.api import Api
from tests.room import BOARD, BY_WARD, COUNT, SUM

HOST = "https://escrow.test"
PAGE = f"{HOST}/datasets/stays/sharing"


def at(sql: str, **more: str) -> str:
    return f"{PAGE}?{'&'.join(f'{name}={quote(said)}' for name, said in {'sql': sql, **more}.items())}"


def facts(page: str) -> Any:
    return json.loads(page.partition('id="facts">')[2].partition("</script>")[0])


def of(sql: str) -> Query:
    columns = {"age": {"type": "integer", "bounds": [0, 100]}, "ward": {"categories": ["a", "b", "c"]}}
    table = pa.table({"age": [1], "ward": ["a"]})
    return sfumato.open(table, {"name": "stays", "columns": columns}, ledger=":memory:").query(sql)


@pytest.mark.parametrize(
    "sql", [COUNT.replace("days", "age"), BY_WARD, "SELECT AVG(age) FROM stays", "SELECT MEDIAN(age) FROM stays"]
)
def test_every_place_of_the_sliders(sql: str) -> None:
    view = of(sql).guessing(choices=4, candidates=sharing.EPSILONS).view
    grid = sharing.grid(view)
    rows = sorted(view.candidates, key=lambda row: -row.epsilon)
    assert [point["epsilon"] for point in grid["points"]] == [row.epsilon for row in rows]
    for sensitivity in range(21):
        for trust in range(21):
            course = sharing.course(grid, sensitivity, trust)
            exact = [sharing_risk(sensitivity / 20, trust / 20, row.chance, view.blind) for row in rows]
            assert all(-1e-9 <= shown - risk < 1.0001e-4 for shown, risk in zip(course, exact, strict=True))


def test_words_begin_where_they_are_nearest() -> None:
    levels = sharing.grid(of(BY_WARD).guessing(choices=4).view)["levels"]
    for hundredth in range(101):
        word = [level["word"] for level in levels if level["from"] <= hundredth / 100][-1]
        assert word == nearest_word(hundredth / 100)


@pytest.mark.parametrize("sql", [BY_WARD, "SELECT MEDIAN(age) FROM stays"])
def test_the_least_noise_is_one_number_wherever_it_is_shown(sql: str) -> None:
    """The mark, the curve, the table, the surface and the sentence have it from one place."""
    terms: dict[str, Any] = {"trust": 0.3, "data_sensitivity": 0.7, "limit": 0.3}
    seen = of(sql).guessing(choices=4, candidates=sharing.EPSILONS, **terms)
    grid, least = sharing.grid(seen.view), sharing.least_noise(seen.view)
    assert least is not None
    assert (least.epsilon, least.risk) == (seen.epsilon, 0.3)
    rows = sharing.scale(grid, least, 14, 6)
    place = [row["least"] for row in rows].index(True)
    assert [row["epsilon"] for row in rows] == sorted((row["epsilon"] for row in rows), reverse=True)
    assert rows[place - 1]["risk"] > 0.3 >= rows[place]["risk"], "with less noise it is over"
    assert least.risks[grid["stakes"][14][6]] == 0.3
    sentences = sharing.summary(rows, least, 6, 14, 0.3, place)
    assert f"least noise that meets your limit: {least.short} (epsilon {seen.epsilon:.3g})" in sentences[-1]
    assert "The sharing risk is 0.3 (low) on a scale from 0 to 1: within your limit of 0.3." in sentences


def test_any_noise_meets_a_limit_that_is_never_reached() -> None:
    seen = of(BY_WARD).guessing(choices=4, candidates=sharing.EPSILONS, trust=0.3, data_sensitivity=0.7, limit=0.5)
    assert sharing.least_noise(seen.view) is None
    rows = sharing.scale(sharing.grid(seen.view), None, 14, 6)
    assert "within your limit at any noise" in sharing.summary(rows, None, 6, 14, 0.5, 0)[-1]


def test_the_surface_is_the_servers_own() -> None:
    grid = sharing.grid(of(BY_WARD).guessing(choices=4, candidates=sharing.EPSILONS).view)
    drawn = sharing.space(grid, 0.3, 3)
    surface, plane, *marks = drawn["data"]
    assert surface["z"][14][6] == sharing.course(grid, 14, 6)[3]
    assert {height for row in plane["z"] for height in row} == {0.3}
    assert len(marks) == 5
    assert "#" not in json.dumps(drawn), "colours are names, which follow the page's theme"


def test_the_story_of_the_paper(api: Api) -> None:
    """Low trust, high sensitivity, at most a low risk: hardly any noise is too little, and the page says so."""
    page = api("alice", "GET", at(BY_WARD)).text
    assert "A recipient with trust 0.3 (low) gets figures from data with sensitivity 0.7 (high)." in page
    assert "a count of 100 becomes 100 to 100" in page
    assert "The sharing risk is 0.49 (medium) on a scale from 0 to 1: over your limit of 0.3." in page
    assert "An attacker guesses right at most 99.9999994% of the time (25% by a blind guess)." in page
    least = facts(page)["least"]
    assert least["sentence"] in page
    enough = api("alice", "GET", at(BY_WARD, epsilon=str(least["epsilon"]))).text
    assert "The sharing risk is 0.3 (low) on a scale from 0 to 1: within your limit of 0.3." in enough
    larger = min(one["epsilon"] for one in facts(page)["grid"]["points"] if one["epsilon"] > least["epsilon"])
    over = api("alice", "GET", at(BY_WARD, epsilon=str(larger))).text
    assert re.search(r"risk is 0\.3\d+ \(low\) on a scale from 0 to 1: over your limit of 0\.3\.", over)


def test_what_is_guessed_is_a_column_of_the_schema(api: Api) -> None:
    page = api("alice", "GET", at(BY_WARD, secret="ward")).text
    assert "(33.3% by a blind guess)" in page
    assert quote(json.dumps({"sharing_risk": 0.3, "secret": "ward"})) in page


def test_who_sees_it(api: Api) -> None:
    assert {who: api(who, "GET", at(COUNT)).status_code for who in ("alice", "carol", "eve", "bob", "fay", "root")} == {
        "alice": 200, "carol": 200, "eve": 403, "bob": 403, "fay": 404, "root": 404,
    }  # fmt: skip
    body = {"sql": COUNT, "how": {"choices": 4}}
    assert api("bob", "POST", "/datasets/stays/guessing", json=body).status_code == 403


def test_nobody_is_read_and_nothing_is_entered(api: Api) -> None:
    entries, done = api.room.entries(), len(api.room.runner.done)
    api("alice", "GET", at(BY_WARD))
    assert (api.room.entries(), len(api.room.runner.done)) == (entries, done)


def test_a_query_that_is_none_stays_where_it_was_typed(api: Api) -> None:
    page = api("alice", "GET", at("SELECT <script> FROM stays")).text
    assert 'class="problem"' in page
    assert "&lt;script&gt; FROM stays</textarea>" in page
    assert "SELECT <script>" not in page
    assert 'class="problem"' in api("alice", "GET", at(COUNT, choices="many")).text
    assert "No data was read" in api("alice", "GET", PAGE).text


def test_exactly_what_a_rule_would_take(api: Api) -> None:
    how = {"choices": 4, "trust": 0.3, "data_sensitivity": 0.7, "limit": 0.3}
    found = api("alice", "POST", "/datasets/stays/guessing", json={"sql": BY_WARD, "how": how}).json()
    place = [row["epsilon"] for row in found["candidates"]].index(found["epsilon"])
    assert found["candidates"][place]["risk"] == pytest.approx(0.3, abs=1e-6)
    assert "the sharing risk is 0.3 (low)" in found["sentences"][place]
    assert found["least"]["epsilon"] == found["epsilon"]
    assert found["least"] == facts(api("alice", "GET", at(BY_WARD)).text)["least"], "the page shows the same"
    wrong = api("alice", "POST", "/datasets/stays/guessing", json={"sql": BY_WARD, "how": how | {"trusts": 1}})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "input")


def test_what_the_policy_says_of_partners_now(api: Api) -> None:
    assert "states no trust and no sensitivity yet" in api("alice", "GET", at(BY_WARD)).text
    api.room.policy({"who": [BOARD]}, trust={BOARD: "low"}, sensitivity={"dataset": "high"})
    assert f"Trust in {BOARD}: low. Sensitivity of the data: high." in api("alice", "GET", at(BY_WARD)).text


def shared(api: Api, recipient: str, **how: Any) -> Any:
    terms = {"choices": 4, "trust": 0.3, "data_sensitivity": 0.7, "limit": 0.3, "candidates": [0.5]} | how
    return api("alice", "POST", "/datasets/stays/guessing", json={"sql": COUNT, "how": terms, "recipient": recipient})


def test_the_risk_of_everything_that_one_recipient_holds(api: Api) -> None:
    """What bob and his organisation have counts together, charged or not; what dan alone has does not."""
    room, who = api.room, ("bob", BOARD, "dan", "fay")
    room.policy({"who": ["everyone"], "approve": "automatic", "preferences": ["epsilon"], "guarantees": ["dp"]})
    before = {recipient: shared(api, recipient).json()["earlier_epsilon"] for recipient in who}
    room.released(SUM, by="bob", preference={"epsilon": 0.1})
    room.released(SUM, by="dan", preference={"epsilon": 0.1})  # the same answer: it is not charged again
    room.released(BY_WARD, by="dan", preference={"epsilon": 0.15})
    held = {recipient: shared(api, recipient).json()["earlier_epsilon"] for recipient in who}
    more = {recipient: round(held[recipient] - before[recipient], 9) for recipient in who}
    assert more == {"bob": 0.1, BOARD: 0.1, "dan": 0.25, "fay": 0}
    seen, together = shared(api, "dan").json(), shared(api, "", candidates=[0.5 + held["dan"]]).json()
    [risk] = [row["risk"] for row in seen["candidates"] if row["epsilon"] == 0.5]
    assert risk == pytest.approx(together["candidates"][0]["risk"])
    assert seen["epsilon"] == pytest.approx(max(0, together["epsilon"] - held["dan"]), abs=1e-8)
    page = api("alice", "GET", at(COUNT, recipient="dan")).text
    assert f"The recipient holds answers of epsilon {held['dan']:.9g} already: chances and risks include them." in page
    assert all(f">{one}</option>" in page for one in ("bob", BOARD)), page
    rule = re.search(r'id="rule" href="[^"]*rule=([^"]*)"', page)
    assert rule is not None
    assert "earlier" not in rule[1]
    too_much = api("alice", "GET", at(COUNT, recipient="dan", limit="0.05")).text
    assert "No noise meets your limit: what the recipient holds already has a higher risk." in too_much
    body = {"sql": COUNT, "how": {"choices": 4}, "recipient": "dan"}
    assert api("bob", "POST", "/datasets/stays/guessing", json=body).status_code == 403


def test_what_has_no_guarantee_has_no_total(api: Api) -> None:
    api.room.policy({"guarantees": ["dp", "none"]})
    api.room.released(COUNT, by="bob")
    api.room.look()
    api.room.released(SUM, by="dan", allow_no_guarantee=True)
    assert shared(api, "bob").status_code == 200
    problem = shared(api, "dan")
    sentence = "There is no total of what dan holds: one of the answers has no guarantee"
    assert problem.status_code == 422
    assert sentence in problem.text
    assert sentence in api("alice", "GET", at(COUNT, recipient="dan")).text


def test_noise_as_a_share_of_a_count_and_noise_of_any_kind(api: Api) -> None:
    page = api("alice", "GET", at(COUNT, count="2000")).text
    points = facts(page)["grid"]["points"]
    of_2000 = [(point["epsilon"], point["share"]) for point in points if point["epsilon"] == 0.1]
    assert of_2000 == [(0.1, "1.15%")]
    assert "Of a count of 2,000" in page
    assert re.search(r"a count of 2,000 becomes [\d,]+ to [\d,]+", page)
    truncated = facts(api("alice", "GET", at(COUNT, mechanism="truncated")).text)
    assert truncated["how"] == {"choices": 4, "mechanism": "truncated", "delta": 2**-40}
    assert truncated["guessed"] == {"choices": 4}, "noise is no part of the rule"
    assert 'class="problem"' in api("alice", "GET", at(COUNT, mechanism="gaussian", delta="much")).text
