"""The inbox, the risk explorer and the comparison of methods: who sees them, and what they show without a script."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from sfumato.ledger.entry import Event
from sfumato.model.risk import Source
from sfumato.presentation.wording import exploration_sentences as of_explorer
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.presentation.wording import risk_sentences as of_risk
from tests.api import STATES, Api
from tests.room import BY_WARD, COUNT, SUM

SCRIPT = "<script>alert(1)</script>"


def page(api: Api, who: str, path: str) -> httpx.Response:
    return api(who, "GET", f"https://escrow.test{path}")


def text(answer: httpx.Response) -> str:
    """What is read on it: no tags, no facts for scripts."""
    shown = re.sub(r"<script.*?</script>", " ", answer.text, flags=re.S)
    shown = re.sub(r"</?(span|strong|kbd|time)\b[^>]*>", "", shown)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def facts(answer: httpx.Response) -> Any:
    found = re.search(r'id="facts">(.*?)</script>', answer.text, re.S)
    assert found
    return json.loads(found[1])


def number(state: str) -> int:
    return STATES.index(state) + 1


def explore(api: Api, who: str, **said: Any) -> httpx.Response:
    return api(who, "POST", "/datasets/stays/explore", json={"sql": SUM, "now": 0.2} | said)


# The inbox


def test_what_waits_stands_in_the_inbox_with_what_it_would_cost(api: Api) -> None:
    shown = page(api, "alice", "/inbox")
    assert shown.status_code == 200
    said = text(shown)
    assert "Waiting 2 Returned 1 Running 2 Decided 3 All 9" in said
    assert f"{SUM} stays 0.2 ±1,151 55% Meets the policy" in said
    assert re.search(r"stays 10 [^#]*Answer withheld", said), "dan's waits for somebody who sees it"
    assert "Inbox 2 waiting" in said
    decided = text(page(api, "alice", "/inbox?tab=decided"))
    for state in ("released Guaranteed", "refused", "failed"):
        assert state in decided
    assert "1 to 3 of 3 requests" in decided


def test_newest_first(api: Api) -> None:
    oldest, newest = (
        re.findall(r"<span class=\"nr\">#(\d+)", page(api, "alice", f"/inbox{q}").text) for q in ("", "?order=newest")
    )
    assert oldest == newest[::-1] == ["1", str(number("computed"))]


def test_an_inbox_with_nothing_in_it_says_so(api: Api) -> None:
    said = text(page(api, "fay", "/inbox"))
    assert "No requests to decide" in said
    assert not re.search(r"Inbox \d", said)
    assert "planning beds" not in said, "of somebody else's dataset"
    assert "Register a table" not in said, "there is one"
    api.room.accounts.add(api.room["root"], "gus", ["controller"])
    api.secrets["gus"] = api.room.accounts.new_token(api.room["gus"], "x")[1]
    assert "Before analysts can submit requests" in text(page(api, "gus", "/inbox"))


def test_only_controllers_have_an_inbox(api: Api) -> None:
    for who in ("bob", "eve", "root"):
        assert page(api, who, "/inbox").status_code == 403


def test_what_somebody_approved_already_does_not_wait_for_them(api: Api) -> None:
    room = api.room
    room.policy({"approvals": 2})
    request = room.submit(COUNT)
    room.approve(request)
    waiting = {who: [one.submission.id for one in room.decisions.waiting(room[who])] for who in ("alice", "carol")}
    assert request.id not in waiting["alice"]
    assert request.id in waiting["carol"]


def test_a_notice_is_read_by_its_button(api: Api) -> None:
    api.room.sql("UPDATE notifications SET read_at = NULL WHERE id = 'notice-of-alice'")
    shown = page(api, "alice", "/inbox")
    assert 'data-id="notice-of-alice"' in shown.text
    assert api("alice", "POST", "/notifications/notice-of-alice/read").status_code == 204
    assert 'data-id="notice-of-alice"' not in page(api, "alice", "/inbox").text


# A request


def test_a_controller_sees_what_they_decide_from(api: Api) -> None:
    shown = page(api, "alice", "/requests/1")
    assert shown.status_code == 200
    said = text(shown)
    for sentence in (
        "From bob, Health Board",
        "As submitted epsilon 0.2 Noise, 90% ±1,151 Attack success at most 55%",
        "Meets the policy",
        "Privacy limit 55%: met An attacker who knows everyone else's record can tell whether a given person is "
        "included at most 55% of the time (a coin flip: 50%).",
        "Accuracy no limit stated Noise of the answer (90%): ±1,151.",
        "At epsilon 0.2, the person most at risk, in any data, is at 1.2 times the risk of the person least at risk.",
        "Person not included: 45%",
        "Person included: 55%",
        of_explorer.no_probability(Source.WORST_CASE),
        "This request is charged epsilon 0.2.",
        "Rule: gap 1.2, worst case.",
        "Epsilon Noise (90%) Attack success Risk gap Verdict",
        "0.2 Requested ±1,151 55% 1.2× ✓ within the limit",
        "0.5 ±460.5 63% 1.5× ✕ over the limit",
        "Refuse Return R Approve after the introduction (3 minutes) A",
    ):
        assert sentence in said
    told = facts(shown)
    assert told["binding"] == api("alice", "GET", "/requests/1/page").json()["binding"]
    assert re.search(rf'id="next" href="/requests/\w+" hidden>Next in the inbox: #{number("computed")}<', shown.text)


def test_whoever_asked_sees_their_request_and_nothing_of_the_explorer(api: Api) -> None:
    for who in ("bob", "eve"):
        shown = page(api, who, "/requests/1")
        assert shown.status_code == 200
        assert 'id="explorer"' not in shown.text
        assert "binding" not in shown.text
    for who in ("dan", "fay"):
        assert page(api, who, "/requests/1").status_code == 404


@pytest.mark.parametrize("state", STATES)
def test_every_state_has_its_page(api: Api, state: str) -> None:
    shown = page(api, "alice", f"/requests/{number(state)}")
    assert shown.status_code == 200
    assert ('id="approve"' in shown.text) == (state in ("submitted", "computed"))
    assert ('id="see-answer"' in shown.text) == (state == "computed")
    assert (f"/requests/{facts(shown)['request']}/certificate" in shown.text) == (state == "released")


def test_each_query_of_a_request_has_its_own_picture(api: Api) -> None:
    shown = page(api, "alice", f"/requests/{number('released')}?query=2")
    assert facts(shown)["sql"] == BY_WARD
    assert page(api, "alice", f"/requests/{number('released')}?query=9").status_code == 200
    assert 'id="explorer"' not in page(api, "alice", f"/requests/{number('released')}?show=answer").text


def test_what_somebody_wrote_comes_out_as_text(api: Api) -> None:
    room = api.room
    sql = f"SELECT COUNT(*) AS \"{SCRIPT}\" FROM stays WHERE ward = '{SCRIPT}'"
    request = room.requests.submit(room["bob"], "stays", SCRIPT, [{"sql": sql}])
    for path in ("/inbox", f"/requests/{request.id}", f"/datasets/stays/risk?sql={quote(sql)}"):
        shown = page(api, "alice", path)
        assert shown.status_code == 200
        assert SCRIPT not in shown.text
        assert "&lt;script&gt;alert(1)" in shown.text
    compared = page(api, "alice", f"/datasets/stays/compare?sql={quote(sql)}")
    assert SCRIPT not in compared.text


def test_after_a_look_the_page_says_what_a_decision_carries(api: Api) -> None:
    api.room.look()
    said = text(page(api, "alice", "/requests/1"))
    assert of_policy.AFTER_LOOK in said
    assert of_explorer.NOT_ALLOWED in said
    assert of_explorer.ACCEPT_NO in said
    assert "An epsilon chosen from this page keeps the guarantee" not in said


def test_a_request_that_the_policy_has_nothing_for_any_more_can_still_be_refused(api: Api) -> None:
    api.room.policy({"who": ["dan"]})
    shown = page(api, "alice", "/requests/1")
    assert shown.status_code == 200
    assert 'id="approve"' not in shown.text
    assert 'id="refuse"' in shown.text
    assert "no access rule of its policy names" in text(shown)
    assert api("alice", "POST", "/requests/1/refuse", json={"note": "no longer"}).status_code == 200


def test_the_withheld_answer_names_its_cells(api: Api) -> None:
    seen = api("alice", "POST", f"/requests/{number('computed')}/answer").json()
    assert seen["cells"] == [[""]]
    assert len(seen["true"][0]) == 1


# Exploring


@pytest.mark.parametrize("source", ["worst case", "rehearsal"])
def test_public_sources_are_free(api: Api, source: str) -> None:
    before = len(api.room.entries())
    told = explore(api, "alice", source=source)
    assert (told.status_code, told.json()["source"]) == (200, source)
    assert told.json()["points"]
    assert len(api.room.entries()) == before


@pytest.mark.parametrize("source", ["worst case", "rehearsal"])
def test_the_epsilons_to_list_are_ones_own(api: Api, source: str) -> None:
    points = explore(api, "alice", source=source, candidates=[0.3, 1.5]).json()["points"]
    listed = [point for point in points if point["listed"]]
    assert [point["epsilon"] for point in listed] == [0.2, 0.3, 1.5], "and the one in force"
    assert " to " in listed[1]["rdr_shown"]
    shown = page(api, "alice", f"/datasets/stays/risk?sql={quote(SUM)}&epsilons=0.3,+1.5")
    assert [point["epsilon"] for point in facts(shown)["found"]["points"] if point["listed"]] == [0.2, 0.3, 1.5]
    request = facts(page(api, "alice", "/requests/1?epsilons=0.3+1.5"))
    assert {0.3, 1.5} <= {point["epsilon"] for point in request["found"]["points"] if point["listed"]}
    assert 0.25 not in {point["epsilon"] for point in request["found"]["points"] if point["listed"]}
    refused = text(page(api, "alice", f"/datasets/stays/risk?sql={quote(SUM)}&epsilons=many"))
    assert "Candidates must be" in refused


def test_a_histogram_is_charged_and_no_look(api: Api) -> None:
    before = api.room.charged
    told = explore(api, "alice", source="exposure histogram", epsilon=0.5).json()
    assert api.room.charged - before == pytest.approx(0.5)
    assert told["spent"]["words"] == "No total exists for this dataset (no budget is set)."
    assert told["histogram"]["noise"] > 0
    assert [point["gap"] for point in told["points"]] == pytest.approx(
        [1 + point["epsilon"] for point in told["points"]]
    )
    assert all("stimated" in point["words"][-1] for point in told["points"])
    assert not api.room.datasets.looked(api.room["alice"], "stays")
    assert explore(api, "alice", source="exposure histogram").status_code == 422


def test_the_people_are_a_look(api: Api) -> None:
    told = explore(api, "alice", source="people").json()
    assert api.room.datasets.looked(api.room["alice"], "stays")
    assert api.room.entries(Event.LOOKED)
    assert told["cell"] == "sum(age)"
    assert all("cell" in point for point in told["points"])
    assert told["deciding"] == of_risk.DECIDING[Source.PEOPLE]


def test_only_whoever_holds_the_data_explores_it(api: Api) -> None:
    for source in ("worst case", "rehearsal", "exposure histogram", "people"):
        assert explore(api, "bob", source=source, epsilon=0.1).status_code == 403
        assert explore(api, "fay", source=source, epsilon=0.1).status_code == 404
    assert not api.room.entries(Event.LOOKED)
    for path in ("/datasets/stays/risk", f"/datasets/stays/risk?sql={quote(SUM)}", "/datasets/stays/compare"):
        assert page(api, "bob", path).status_code == 403
        assert page(api, "fay", path).status_code == 404


def test_any_query_is_explored_by_the_rule(api: Api) -> None:
    assert "Enter a query" in text(page(api, "alice", "/datasets/stays/risk"))
    shown = page(api, "alice", f"/datasets/stays/risk?sql={quote(BY_WARD)}")
    assert "Rule of the policy: gap 1.2, worst case." in text(shown)
    assert facts(shown)["now"] == 0.2
    wrong = page(api, "alice", f"/datasets/stays/risk?sql={quote('SELECT nothing FROM stays')}")
    assert "There is no column 'nothing': line 1, column 8." in text(wrong)


@pytest.mark.parametrize(
    "rule", [None, {"sharing_risk": "low", "choices": 4}, {"variance": 1e-3, "select_epsilon": 0.1}]
)
def test_without_a_rule_that_says_an_epsilon_all_is_thought(api: Api, rule: Any) -> None:
    flow = {"access_rule": [{"who": ["everyone"], "preferences": ["epsilon"]}], "sensitivity": {"dataset": "high"}}
    said = flow | ({} if rule is None else {"rule": rule, "trust": {"Health Board": "low"}})
    api.room.policies.set(api.room["alice"], "stays", said)
    shown = page(api, "alice", f"/datasets/stays/risk?sql={quote(SUM)}")
    assert shown.status_code == 200
    assert facts(shown)["now"] is None
    assert "Comparison of methods" in text(page(api, "alice", f"/datasets/stays/compare?sql={quote(SUM)}"))


# Comparison of methods


def test_methods_stand_side_by_side(api: Api) -> None:
    shown = page(api, "alice", f"/datasets/stays/compare?sql={quote(SUM)}")
    said = text(shown)
    for sentence in (
        "The preregistered rule: epsilon 0.2, guarantee dp.",
        "rule: gap 1.2, worst case up to 0.2 Guaranteed ±1,151 55% public facts",
        "attack chance 0.6 up to 0.4054",
        "variance 0.001, selected privately with epsilon 0.1 – Guaranteed (epsilon selected privately)",
    ):
        assert sentence in said
    figure = facts(shown)["figure"]
    bars, names = figure["data"][0], figure["layout"]["yaxis"]["ticktext"]
    assert (names[0], bars["text"][0]) == ("✓ rule: gap 1.2, worst case", "up to 0.2")
    assert bars["text"][1] == "up to 0.3429", "never more than it allows"
    assert all(0 < low <= low + wide for low, wide in zip(bars["base"], bars["x"], strict=True))
    assert " --" not in said, "there is no command line on a page"
    assert "`" not in said
