"""The policy's page: what holds, what held before, and a draft that is read back before it is signed."""

from __future__ import annotations

import json
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from sfumato.escrow.policy.presets import presets
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.presentation.wording import rule as of_rule
from tests.api import Api
from tests.room import BOARD, COUNT

WEB = (Path(__file__).parents[2] / "docs" / "web.md").read_text("utf-8")


def page(api: Api, who: str, path: str = "/datasets/stays/policy") -> httpx.Response:
    return api(who, "GET", f"https://escrow.test{path}")


def facts(answer: httpx.Response) -> dict[str, Any]:
    text = answer.text.partition('id="facts">')[2].partition("</script>")[0]
    found: dict[str, Any] = json.loads(unescape(text))
    return found


@pytest.mark.parametrize(
    ("who", "status"), [("alice", 200), ("carol", 200), ("eve", 200), ("bob", 403), ("fay", 404), ("root", 404)]
)
def test_who_sees_it(api: Api, who: str, status: int) -> None:
    answer = page(api, who)
    assert answer.status_code == status
    assert ('id="policy"' in answer.text) == (who in ("alice", "carol"))


def test_what_holds_stands_there_in_sentences_with_every_version(api: Api) -> None:
    api.room.policy({"who": ["bob"]}, budget=70, purpose="beds")
    text = page(api, "alice").text
    current = api("alice", "GET", "/datasets/stays/policy").json()
    assert 'Version 2, signed by alice, <time datetime="2026-11-16' in text
    for sentence in current["sentences"]:
        assert f"<li>{escape(sentence, quote=False)}</li>" in text
    assert 'data-number="1">Restore' in text
    assert 'data-number="2">' not in text


def test_without_a_policy_it_says_so(api: Api) -> None:
    assert f"{of_policy.NO_POLICY}. Write one below." in page(api, "fay", "/datasets/visits/policy").text


def test_a_version_is_put_back_as_it_is_shown(api: Api) -> None:
    """Also with a budget that cannot be written exactly as a decimal."""
    for budget in (30.5, "70/3"):
        api.room.policy({"who": ["bob"]}, budget=budget, budget_delta=1e-6)
        before = api("alice", "GET", "/datasets/stays/policies").json()["items"][-1]
        api.room.policy({"who": [BOARD]})
        put = api(
            "alice", "PUT", "/datasets/stays/policy", json=facts(page(api, "alice"))["versions"][str(before["number"])]
        )
        assert put.status_code == 200
        assert put.json()["policy"] == before["policy"]


@pytest.mark.parametrize("budget", ["", "x", "1/0", "-1", "1e3", "٣", "1000001"])
def test_a_budget_that_is_no_number_is_refused(api: Api, budget: str) -> None:
    body = {"policy": {"access_rule": [{"who": ["bob"]}], "budget": budget}}
    assert api("alice", "POST", "/datasets/stays/check-policy", json=body).status_code == 422


def test_a_rule_comes_along_in_the_address(api: Api) -> None:
    rule = {"gap": 1.5, "worst_case": True}
    answer = page(api, "alice", f"/datasets/stays/policy?rule={quote(json.dumps(rule))}")
    assert facts(answer)["rule"] == rule
    assert "The form below contains this rule: gap 1.5, worst case." in answer.text
    for unread in ("{", "[1]", "{}", '{"gap": NaN}', '{"gap": "\\u0000"}', "[" * 2000):
        answer = page(api, "alice", f"/datasets/stays/policy?rule={quote(unread)}")
        assert (answer.status_code, facts(answer)["rule"]) == (200, None)
        assert "The rule in the address of this page cannot be read." in answer.text


def test_markup_in_a_rule_or_a_purpose_comes_out_as_text(api: Api) -> None:
    api.room.policy({"who": ["bob"]}, purpose="</script><b>beds")
    answer = page(api, "alice", f"/datasets/stays/policy?rule={quote(json.dumps({'</script><b>': '<b>'}))}")
    assert answer.status_code == 200
    assert "<b>" not in answer.text
    assert "&lt;/script&gt;&lt;b&gt;beds" in answer.text


def test_after_a_look_it_says_what_signing_means(api: Api) -> None:
    assert of_rule.AFTER_LOOK not in page(api, "alice").text
    api.room.look()
    text = page(api, "alice").text
    assert text.count(of_rule.AFTER_LOOK) == text.count(of_policy.AFTER_LOOK) == 2  # also where it is signed


def test_what_is_said_of_a_policy_after_a_look_is_so(api: Api) -> None:
    """In force ever since it keeps its word; another does, and one that is put back, if it says where it was fixed."""
    room = api.room

    def word(**said: Any) -> str:
        room.policy({"who": ["bob"], "approve": "automatic"}, allow_no_guarantee=True, **said)
        return str(room.questions.estimate(room["bob"], "stays", [{"sql": COUNT}], None).facts.guarantee)

    assert word(budget=100) == "dp"
    room.look()
    assert word(budget=100) == "dp"
    assert word(budget=100, rule={"gap": 1.3, "worst_case": True}) == "none"
    assert word(budget=100, rule={"gap": 1.3, "worst_case": True}, preregistered="minutes of 3 May") == "dp"
    assert word(budget=100) == "none"
    assert word(budget=100, preregistered="minutes of 3 May") == "dp"


def test_a_policy_that_was_edited_can_be_written_anew(api: Api) -> None:
    api.room.sql("UPDATE policies SET signature = 'AAAA' WHERE dataset = 'stays'")
    text = page(api, "alice").text
    assert "it was edited in the database" in text
    assert 'id="policy"' in text


# Presets


@pytest.mark.parametrize("controllers", [1, 2])
def test_a_preset_is_a_policy_that_docs_web_describes(api: Api, controllers: int) -> None:
    table = [line.split("|")[1:5] for line in WEB.splitlines() if line.startswith("| ") and line.count("|") == 5]
    rows = {name.strip(): [value.strip() for value in values] for name, *values in table}
    for column, (name, preset) in enumerate(presets(controllers).items()):
        access = {"who": [BOARD], **preset["access_rule"][0]}
        body = {"policy": {**preset, "budget": 100, "access_rule": [access]}}
        answer = api("alice", "POST", "/datasets/stays/check-policy", json=body)
        assert answer.status_code == 200, name
        assert rows["attack success of one release"][column] == f"{preset['rule']['attack_chance']:.0%}"
        assert float(rows["`epsilon_max`"][column]) == preset["epsilon_max"]
        assert rows["approval"][column] == access["approve"]
        assert rows["utility signals"][column] == ", ".join(f"`{kind}`" for kind in access["signals"])
        if controllers == 2:
            assert rows["approvals"][column] == str(access["approvals"])
    assert set(rows["preferences of analysts"]) == {"the rule only"}
    assert set(rows["own code"]) == {"no"}


def test_the_form_offers_presets_columns_and_aggregates(api: Api) -> None:
    text = page(api, "alice").text
    for field in ('name="preset" value="strict"', 'name="columns" value="ward"', 'name="aggregates" value="SUM"'):
        assert field in text
    assert "Two controllers approve each request." in text
    assert 'name="preset"' not in page(api, "eve").text


# Drafts


def test_a_draft_is_read_back_and_not_signed(api: Api) -> None:
    text = 'budget = 30\n[rule]\ngap = 1.2\nworst_case = true\n[[access_rule]]\nwho = ["everyone"]\n'
    told = api("alice", "POST", "/datasets/stays/check-policy", json={"policy_text": text}).json()
    assert "Budget of all releases together: epsilon 30." in told["sentences"]
    redraw = api("alice", "POST", "/datasets/stays/check-policy", json={"policy": told["policy"]}).json()
    assert redraw == told
    assert len(api("alice", "GET", "/datasets/stays/policies").json()["items"]) == 1
    for wrong in ("[", "a = " + "9" * 5000, "a = " + "[" * 5000):
        answer = api("alice", "POST", "/datasets/stays/check-policy", json={"policy_text": wrong})
        assert (answer.status_code, answer.json()["code"]) == (422, "policy")
    for body in ({}, {"policy_text": text, "policy": {}}):
        assert api("alice", "POST", "/datasets/stays/check-policy", json=body).status_code == 422


def test_a_budget_below_what_is_spent_is_refused_before_anything_is_signed(api: Api) -> None:
    """Else nothing could be asked of the dataset any more, nor its ledger read."""
    policy = {"access_rule": [{"who": ["bob"]}], "budget": 0.001}
    for method, path, body in (("POST", "check-policy", {"policy": policy}), ("PUT", "policy", policy)):
        answer = api("alice", method, f"/datasets/stays/{path}", json=body)
        assert (answer.status_code, answer.json()["where"]) == (422, "budget")
        assert "is already spent" in answer.json()["detail"]
        assert answer.json()["reason"] == "budget-passed-before"
    assert len(api("alice", "GET", "/datasets/stays/policies").json()["items"]) == 1
    assert api("alice", "GET", "/datasets/stays/ledger").status_code == 200
