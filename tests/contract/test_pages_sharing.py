"""What sharing an answer risks: every place of every slider has the number that the formula has, and a sentence."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pytest

import sfumato
from sfumato.api.dataset import Query
from sfumato.presentation import sharing
from sfumato.privacy.risk.sharing import nearest_word, sharing_risk
from tests.api import Api
from tests.room import BOARD, BY_WARD, COUNT

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


@pytest.mark.parametrize(("sql", "falling"), [(BY_WARD, False), ("SELECT MEDIAN(age) FROM stays", True)])
def test_pictures_are_the_servers_own(sql: str, falling: bool) -> None:
    grid = sharing.grid(of(sql).guessing(choices=4, candidates=sharing.EPSILONS).view)
    drawn = sharing.figures(grid, 6, 14, 0.3, 3)
    line, here, limit, pin = drawn["curve"]["data"]
    assert line["y"] == sharing.course(grid, 14, 6)
    assert (line["x"][3], line["y"][3]) == (here["x"][0], here["y"][0])
    assert (limit["x"], limit["y"], len(pin["x"])) == ([line["x"][0], line["x"][-1]], [0.3, 0.3], 2)
    assert (drawn["curve"]["layout"]["xaxis"]["autorange"] == "reversed") is falling
    *lines, limit = drawn["trusts"]["data"]
    assert [each["y"] for each in lines] == [sharing.course(grid, 14, step) for step in (2, 6, 10, 14, 18)]
    surface, plane, *marks = drawn["space"]["data"]
    assert surface["z"][14][6] == here["y"][0]
    assert {height for row in plane["z"] for height in row} == {0.3}
    assert len(marks) == 5
    assert "#" not in json.dumps(drawn), "colours are names, which follow the page's theme"


def test_the_story_of_the_paper(api: Api) -> None:
    """Low trust, high sensitivity, at most a low risk: hardly any noise is too little, and the page says so."""
    page = api("alice", "GET", at(BY_WARD)).text
    assert "A recipient with trust 0.3 (low) gets figures from data with sensitivity 0.7 (high)." in page
    assert "a count of 100 becomes 100 to 100" in page
    assert "The sharing risk is 0.49 (medium), on a scale from 0 to 1. That is over your limit, 0.3 (low)" in page
    assert "An attacker guesses right at most 99.9999994% of the time (25% by a blind guess)." in page
    enough = api("alice", "GET", at(BY_WARD, epsilon="0.86")).text
    assert "That is within your limit, 0.3 (low)" in enough
    told = facts(enough)
    place = [point["epsilon"] for point in told["grid"]["points"]].index(0.86)
    course = sharing.course(told["grid"], 14, 6)
    assert course[place] <= 0.3 < course[place - 1], "the least noise on the scale"


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
    wrong = api("alice", "POST", "/datasets/stays/guessing", json={"sql": BY_WARD, "how": how | {"trusts": 1}})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "input")


def test_what_the_policy_says_of_partners_now(api: Api) -> None:
    assert "states no trust and no sensitivity yet" in api("alice", "GET", at(BY_WARD)).text
    api.room.policy({"who": [BOARD]}, trust={BOARD: "low"}, sensitivity={"dataset": "high"})
    assert f"Trust in {BOARD}: low. Sensitivity of the data: high." in api("alice", "GET", at(BY_WARD)).text
