"""The analyst's screens over HTTP: who sees which, what stands on them without JavaScript, and as text."""

from __future__ import annotations

import csv
import html
import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from sfumato.sql.parser.vocabulary import PAIRS
from tests.api import STATES, Api
from tests.room import BOARD, BY_WARD, COUNT, SCHEMA

EVIL = "<script>alert(1)</script>"
RELEASED = STATES.index("released") + 1
COMPARED = re.compile(r'<option value="\d+ \d+ \d+"')  # a figure, by its query, row and column


def page(api: Api, who: str, path: str) -> httpx.Response:
    return api(who, "GET", f"https://escrow.test{path}")


def text(answer: httpx.Response) -> str:
    """What somebody reads: without tags, scripts and their facts."""
    seen = re.sub(r"<script.*?</script>", "", answer.text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", seen)).split())


def facts(answer: httpx.Response) -> Any:
    found = re.search(r'id="facts">(.*?)</script>', answer.text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


# The catalogue


def test_the_catalogue_shows_what_one_may_ask_and_nothing_counted(api: Api) -> None:
    listed = page(api, "bob", "/catalogue")
    assert "stays" in text(listed)
    assert "visits" not in text(listed)
    one = text(page(api, "bob", "/catalogue/stays"))
    for said in (
        "Aggregates any",
        "Use exactly this epsilon",
        "A controller must approve",
        "0 to 60",
        "a, b, c",
        "Epsilon used",
    ):
        assert said in one, said
    assert not re.search(r"\b30\b", one), "so many rows are in the data"
    assert page(api, "bob", "/catalogue/visits").status_code == 404


def test_who_may_ask_nothing_yet_is_told_whom_to_ask(api: Api) -> None:
    api.room.policy({"who": ["dan"]})
    shown = text(page(api, "bob", "/catalogue"))
    assert "Ask the controller of a dataset" in shown
    assert BOARD in shown
    assert page(api, "bob", "/datasets/stays/ask").status_code == 404


# The editor


def test_the_editor_knows_the_columns_and_the_sql_that_is_answered(api: Api) -> None:
    api.room.policy({"who": [BOARD], "aggregates": ["SUM", "COUNT"], "columns": ["ward"], "preferences": ["gap"]})
    shown = page(api, "bob", "/datasets/stays/ask")
    told = facts(shown)["vocabulary"]
    assert told["aggregates"] == ["COUNT", "COUNT_IF", "SUM", *PAIRS], "pairs are computed from counts and sums"
    assert [one["name"] for one in told["columns"]] == ["ward"]
    assert told["columns"][0]["categories"] == ["a", "b", "c"]
    assert [offer["name"] for offer in facts(shown)["offers"]] == ["gap"]
    assert "GROUP BY ward" in shown.text
    assert "Use exactly this epsilon" not in text(shown)


def test_what_came_back_is_changed_and_submitted_again(api: Api) -> None:
    returned = STATES.index("returned") + 1
    shown = page(api, "bob", f"/datasets/stays/ask?from={returned}")
    assert "take wider groups" in text(shown)
    assert facts(shown)["start"]["purpose"] == "planning beds"
    assert "SELECT SUM(age) FROM stays" in shown.text
    assert page(api, "dan", f"/datasets/stays/ask?from={returned}").status_code == 404


def test_every_example_and_offer_is_one_that_the_api_takes(api: Api) -> None:
    every = ["rule", "epsilon", "gap", "ratio", "attack_chance", "advantage", "guess", "within", "relative_error"]
    api.room.policy({"who": [BOARD], "preferences": every})
    told = facts(page(api, "bob", "/datasets/stays/ask"))
    for offer in told["offers"]:
        stated = {one["name"]: one["start"] for one in offer["figures"]} | offer["beside"]
        body = {"queries": told["start"]["queries"], "preference": stated or None}
        answer = api("bob", "POST", "/datasets/stays/estimate", json=body)
        assert answer.status_code == 200, (offer["name"], answer.text)


def test_an_estimate_says_how_exact_an_average_will_be_where_one_says_of_how_many_people(api: Api) -> None:
    body: dict[str, Any] = {"queries": [{"sql": "SELECT ward, AVG(age) AS mean FROM stays GROUP BY ward"}]}

    def said(**more: Any) -> str:
        [one] = api("bob", "POST", "/datasets/stays/estimate", json=body | more).json()["queries"]
        return str(one["averages"])

    assert "only an example" in said()
    few, many = (re.search(r"mean ±[\d.]+ to ±([\d.]+)\.", said(expected_count=people)) for people in (1000, 100_000))
    assert few is not None
    assert many is not None
    assert float(many[1]) < float(few[1]) / 50
    assert "if 1,000 are counted" in said(expected_count=1000)
    assert "anywhere within its bounds" in said(expected_count=1)
    counted = {"queries": [{"sql": COUNT}], "expected_count": 10}
    assert api("bob", "POST", "/datasets/stays/estimate", json=counted).json()["queries"][0]["averages"] is None


def test_the_estimate_of_an_average_turns_around_what_within_asks_for(api: Api) -> None:
    api.room.policy({"who": [BOARD], "preferences": ["within"]})
    stated = {"within": 2, "confidence": 0.9, "each": True, "expected_count": 1000}
    body = {"queries": [{"sql": "SELECT AVG(age) AS mean FROM stays"}], "preference": stated, "expected_count": 1000}
    [one] = api("bob", "POST", "/datasets/stays/estimate", json=body).json()["queries"]
    assert "to ±2. That count is yours." in one["averages"]


@pytest.mark.parametrize(
    ("aggregate", "stated", "hint"),
    [
        ("AVG", {"within": 2}, "fill in how many people are in the smallest group, at least."),
        ("SUM", {"within": 2, "confidence": 1}, "change the query, or choose another way to size the noise."),
        (
            "SUM",
            {"within": 0},
            "try “Maximum error of any figure from the noise” (maximum error: 5).",
        ),
    ],
)
def test_a_hint_on_the_page_of_the_editor_names_what_is_on_it(
    api: Api, aggregate: str, stated: dict[str, Any], hint: str
) -> None:
    api.room.policy({"who": [BOARD], "preferences": ["within"]})
    body = {"queries": [{"sql": f"SELECT {aggregate}(age) FROM stays"}], "preference": stated}
    answer = api("bob", "POST", "/datasets/stays/estimate", json=body)
    assert (answer.status_code, answer.json()["hint"]) == (422, hint)


# My requests, and one of them


def test_my_requests_say_who_has_each_and_what_happens_next(api: Api) -> None:
    shown = text(page(api, "bob", "/requests"))
    returned = "A controller returned it with a note"
    for said in ("a controller", "the server", returned, "Change and submit again", "Withdraw"):
        assert said in shown, said
    assert "Request 3 was refused. not for this" in shown, "a notice"
    only = text(page(api, "bob", "/requests?state=refused"))
    assert re.findall(r"#(\d+) stays", only) == ["3"]
    assert "No request is computed" in text(page(api, "bob", "/requests?state=computed")), "that one is dan's"
    assert page(api, "bob", "/requests?state=nonsense").status_code == 422


def test_who_asked_nothing_yet_is_shown_the_catalogue(api: Api) -> None:
    partner = api.room.accounts.add(api.room["root"], "gus", ["analyst"])
    _, api.secrets["gus"] = api.room.accounts.new_token(partner, "")
    shown = page(api, "gus", "/requests")
    assert "You have no requests yet" in text(shown)
    assert 'href="/catalogue"' in shown.text


@pytest.mark.parametrize("state", [state for state in STATES if state not in ("computed", "released")])
def test_a_request_says_where_it_stands_and_what_can_be_done(api: Api, state: str) -> None:
    shown = page(api, "bob", f"/requests/{STATES.index(state) + 1}")
    asked = api("bob", "GET", f"/requests/{STATES.index(state) + 1}").json()
    assert asked["next"] in text(shown)
    doing = {"submitted": "Withdraw", "approved": "Withdraw", "running": "Stop", "returned": "Change and submit again"}
    assert doing.get(state, "Submit again") in text(shown)
    assert ("<progress" in shown.text) == (state in ("approved", "running")), "nothing runs while a person decides"
    assert asked.get("note", "") in text(shown)
    assert ("Note from the controller:" in text(shown)) == (state in ("returned", "refused"))


def test_a_released_answer_with_its_ranges_its_guarantee_and_its_odds(api: Api) -> None:
    shown = page(api, "bob", f"/requests/{RELEASED}")
    answers = api("bob", "GET", f"/requests/{RELEASED}/result").json()["answers"]
    read = text(shown)
    low, high = answers[1]["intervals"][0][1]
    shown_as = [f"{figure:.0f}".replace("-", "−") for figure in (answers[1]["rows"][0][1], low, high)]
    assert re.search(r"\ba (Mostly noise )?{} {} to {}".format(*shown_as), read)
    assert "differential privacy for one row" in read
    assert "(a coin flip: 50%)" in read
    assert "Answer 2 of 2" in read
    assert len(COMPARED.findall(shown.text)) == 8, "each of four figures, twice"
    drawn = re.findall(r'<td class="c1"><svg class="chart dots".*?</svg></td>', shown.text)
    assert len(drawn) == sum(len(one["rows"]) for one in answers if len(one["rows"]) > 1), "a dot in each row"


def test_without_a_guarantee_the_size_of_the_noise_is_withheld(api: Api) -> None:
    api.room.policy({"who": [BOARD], "approve": "after the answer", "guarantees": ["none"]})
    request = api.room.submit("SELECT ward, COUNT(*), SUM(age) FROM stays GROUP BY ward")
    for _ in range(2):
        api.room.approve(request, allow_no_guarantee=True)
        api.room.go()
    shown = page(api, "bob", f"/requests/{request.number}")
    assert "Intervals: withheld" in text(shown)
    assert "No guarantee" in text(shown)
    assert "90% interval" not in text(shown)
    assert COMPARED.findall(shown.text) == []
    assert "withheld" in text(page(api, "bob", f"/requests/{request.number}/certificate"))


def test_who_sees_an_answer_and_its_certificate(api: Api) -> None:
    for path in ("", "/certificate", "/certificate.json", "/answer.csv?query=2", "/chart.svg?query=2"):
        found = {
            who: page(api, who, f"/requests/{RELEASED}{path}").status_code for who in ("bob", "alice", "dan", "fay")
        }
        assert found == {"bob": 200, "alice": 200, "dan": 404, "fay": 404}, path
        assert page(api, "eve", f"/requests/{RELEASED}{path}").status_code == (403 if path else 200), path
    auditor = text(page(api, "eve", f"/requests/{RELEASED}"))
    assert "Only the analyst who submitted the request may see its answer" in auditor
    for path in ("answer.csv?query=3", "chart.svg?query=3", "chart.svg?query=1", "chart.svg?query=2&column=1"):
        assert page(api, "bob", f"/requests/{RELEASED}/{path}").status_code == 404, path


def test_no_text_of_a_download_is_a_formula(api: Api) -> None:
    """An analyst names the columns, and a spreadsheet would compute such a name."""
    sql = 'SELECT ward AS "=ward", COUNT(*) AS "@n" FROM stays GROUP BY ward'
    request = api.room.submit(sql)
    api.room.approve(request)
    api.room.go()
    rows = list(csv.reader(StringIO(page(api, "bob", f"/requests/{request.number}/answer.csv").text)))
    assert rows[0] == ["'=ward", "'@n", "'@n_low", "'@n_high"]
    assert [row[0] for row in rows[1:]] == ["a", "b", "c"]


def test_downloads_hold_the_answer_and_the_certificate(api: Api) -> None:
    told = api("bob", "GET", f"/requests/{RELEASED}/result").json()["answers"]
    rows = list(csv.reader(StringIO(page(api, "bob", f"/requests/{RELEASED}/answer.csv?query=2").text)))
    assert rows[0] == ["ward", "count(*)", "count(*)_low", "count(*)_high"]
    assert [row[1] for row in rows[1:]] == [str(row[1]) for row in told[1]["rows"]]
    filed = page(api, "bob", f"/requests/{RELEASED}/certificate.json")
    assert "attachment" in filed.headers["Content-Disposition"]
    assert filed.json() == [one["certificate"] for one in told]
    sheet = text(page(api, "bob", f"/requests/{RELEASED}/certificate"))
    asked = api("bob", "GET", f"/requests/{RELEASED}").json()
    for who in ("bob", "alice"):
        seen = text(page(api, who, f"/requests/{RELEASED}/certificate"))
        assert f"Recipient bob, {BOARD} Purpose {asked['purpose']} Request {RELEASED}, submitted" in seen, who
    for said in (told[1]["certificate"]["query_sha256"], "NIST SP 800-226", "Not covered by the guarantee", "(2 of 2)"):
        assert said in sheet, said
    assert page(api, "bob", "/requests/1/certificate").status_code == 202, "there is none yet"


# Whatever anybody wrote is text


def test_markup_in_names_queries_purposes_and_notes_comes_out_as_text(api: Api) -> None:
    room = api.room
    schema = SCHEMA.replace('["a", "b", "c"]', f'["a", "b", "c", "{EVIL}"]') + f"# {EVIL}\n"
    room.datasets.describe(room["alice"], "stays", schema)
    room.sql("UPDATE datasets SET title = :title WHERE name = 'stays'", title=EVIL)
    sql = f'SELECT ward AS "{EVIL}", COUNT(*) AS "x{EVIL}" FROM stays WHERE ward <> \'{EVIL}y\' GROUP BY ward'
    request = room.requests.submit(room["bob"], "stays", EVIL, [{"sql": sql}])
    room.decisions.return_(room["alice"], request.id, EVIL)
    done = room.requests.submit(room["bob"], "stays", EVIL, [{"sql": sql}])
    room.approve(done, note=EVIL)
    room.go()
    assert room.state(done) == "released"
    places = ["/catalogue", "/catalogue/stays", f"/datasets/stays/ask?from={request.id}", "/requests"]
    places += [f"/requests/{one.number}" for one in (request, done)] + [f"/requests/{done.number}/certificate"]
    for path in places:
        shown = page(api, "bob", path)
        assert shown.status_code == 200
        assert EVIL not in shown.text, path
        assert EVIL in html.unescape(shown.text), path
        assert "script-src 'self'" in shown.headers["Content-Security-Policy"]


def test_no_script_of_a_page_reads_texts_as_html() -> None:
    from sfumato.server.web.assets import FOLDER

    for name in ("ask.js", "editor.js", "requests.js", "result.js", "drawing.js", "certificate.js"):
        code = Path(FOLDER / name).read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", code), name


def test_an_estimate_and_a_dry_run_are_said_in_sentences(api: Api) -> None:
    body = {"queries": [{"sql": COUNT}, {"sql": BY_WARD, "weight": 2}]}
    told = api("bob", "POST", "/datasets/stays/estimate", json=body).json()
    assert f"epsilon {told['epsilon']:.6g}" in told["sentences"][0]
    assert "Guarantee: dp." in told["sentences"][1]
    assert all(one["means"].startswith("90% noise interval: count of rows ±") for one in told["queries"])
    dry = api("bob", "POST", "/datasets/stays/dry-run", json=body).json()
    assert dry["people"] == 10_000, "the schema does not say how many there are"
    assert "used 10,000 synthetic people" in dry["sentence"]
    assert "No data was read" in dry["sentence"]


def test_a_controller_who_asks_is_sent_to_the_risk_of_a_query(api: Api) -> None:
    sent = page(api, "alice", "/datasets/stays/ask")
    assert (sent.status_code, sent.headers["Location"]) == (303, "/datasets/stays/risk")
