"""Utility signals on pages, over HTTP: who sees which, what stands on them without JavaScript, and as text."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from sfumato.presentation.wording.signals import pages as of_signal_pages
from sfumato.server.web.assets import FOLDER
from sfumato.signals.tasks.registry import TASKS
from tests.api import STATES, Api
from tests.contract.test_pages_analyst import facts, page, text
from tests.room import BOARD

RELEASED = str(STATES.index("released") + 1)
BY_WARD, COUNTS = 2, "count(*)"  # its second query, and the figure of that
ABOVE = {"task": "above", "column": COUNTS, "a": "a", "b": "b"}
EVIL = "<script>alert(1)</script>"
CODE = f"import os\n\n\ndef evaluate(tables):\n    return 1  # {EVIL}\n"
EVERY = ["free", "noisy_difference", "sample_and_aggregate", "as_published"]


@pytest.fixture
def allowed(api: Api) -> Api:
    """Under a policy that lets bob ask for all of them."""
    api.room.policy({"who": [BOARD], "preferences": ["rule", "epsilon"], "signals": EVERY, "code": True})
    return api


def ask(api: Api, kind: str = "free", **said: Any) -> dict[str, Any]:
    body = {"query": BY_WARD, "kind": kind} | ({} if "code" in said else {"task": ABOVE}) | said
    answer = api("bob", "POST", f"/requests/{RELEASED}/signals", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


# Whoever asked


def test_below_an_answer_of_ones_own_stands_what_may_be_asked_about_its_noise(allowed: Api) -> None:
    shown = page(allowed, "bob", f"/requests/{RELEASED}")
    said = text(shown)
    none_yet = "You have not submitted a signal yet"
    for sentence in ("Utility signals", of_signal_pages.PURPOSE, "It costs nothing", none_yet):
        assert sentence in said, sentence
    told = facts(shown)["signalling"]
    assert [one["labels"] for one in told["tables"]] == [[""], ["a", "b", "c"]]
    assert told["tables"][1]["figures"] == [COUNTS]
    for who, path in (("alice", f"/requests/{RELEASED}?show=answer"), ("eve", f"/requests/{RELEASED}")):
        assert "Utility signals" not in page(allowed, who, path).text
    assert facts(page(allowed, "bob", "/requests/1"))["signalling"] is None, "nothing was released"


def test_every_task_has_a_field_for_each_parameter(allowed: Api) -> None:
    """The script knows these kinds of fields, and no others."""
    script = (FOLDER / "signals.js").read_text("utf-8")
    known = {*re.findall(r'^  "?([a-z ]+)"?: \(one, id', script, re.MULTILINE)}
    told = facts(page(allowed, "bob", f"/requests/{RELEASED}"))["signalling"]["tasks"]
    assert len(told) == len(TASKS)
    assert {one["kind"] for task in told for one in task["parameters"]} == known - {"text"}
    for task in told:
        for one in task["parameters"]:
            if one["kind"] == "choice":
                assert one["default"] in one["choices"]


def test_what_the_policy_does_not_have_cannot_be_chosen_and_says_so(api: Api) -> None:
    shown = page(api, "bob", f"/requests/{RELEASED}")
    assert [one["kind"] for one in facts(shown)["signalling"]["kinds"] if one["allowed"]] == ["free"]
    assert len(re.findall(r'name="kind"[^>]* disabled', shown.text)) == 3
    assert of_signal_pages.NOT_ALLOWED in text(shown)
    assert of_signal_pages.CODE_NOT_ALLOWED in text(shown)
    api.room.policy({"who": ["dan"]})
    assert of_signal_pages.NOTHING_ALLOWED in text(page(api, "bob", f"/requests/{RELEASED}"))


def test_a_free_signal_is_read_without_javascript_and_drawn_with_it(allowed: Api) -> None:
    made = ask(allowed)
    drawn = made["result"]["picture"]
    assert len(drawn["edges"]) == len(drawn["counts"]) + 1
    assert sum(drawn["counts"]) == made["result"]["draws"]
    assert drawn["at"] == made["result"]["score"]
    shown = page(allowed, "bob", f"/requests/{RELEASED}")
    assert "released #1 Free: above (" in text(shown)
    assert f"column {COUNTS}" in text(shown)
    for sentence in made["result"]["sentences"]:
        assert sentence in text(shown)
    assert facts(shown)["signalling"]["signals"] == [made]


def test_what_waits_or_is_withheld_says_no_score(allowed: Api) -> None:
    made = ask(allowed, "as_published")
    computed(allowed, made["id"])
    shown = page(allowed, "bob", f"/requests/{RELEASED}")
    assert "computed #1 As published" in text(shown)
    assert "result" not in facts(shown)["signalling"]["signals"][0]


# Whoever decides


def computed(api: Api, id: str) -> dict[str, Any]:
    """Approved once: the scores are computed and withheld."""
    binding = facts(page(api, "alice", f"/signals/{id}"))["binding"]
    answer = api("alice", "POST", f"/signals/{id}/approve", json={"binding": binding, "allow_no_guarantee": True})
    assert answer.status_code == 200, answer.text
    api.room.go()
    found: dict[str, Any] = api("alice", "GET", f"/signals/{id}").json()
    assert found["state"] == "computed"
    return found


def test_what_waits_is_in_the_inbox_with_a_count_of_its_own(allowed: Api) -> None:
    before = re.search(r"Inbox (\d+) waiting", text(page(allowed, "alice", "/inbox")))
    assert "to decide <span" not in page(allowed, "alice", "/inbox").text
    ask(allowed, "as_published")
    ask(allowed, code=CODE, range=[0, 1])
    said = text(page(allowed, "alice", "/inbox"))
    now = re.search(r"Inbox (\d+) waiting", said)
    assert before is not None
    assert now is not None
    assert int(now[1]) == int(before[1]) + 2
    for one in ("Utility signals to decide 2", "As published: above", "Free: own code", "Own code, to be read"):
        assert one in said, one
    assert "Utility signals" not in page(allowed, "fay", "/inbox").text, "of another dataset"


def test_code_is_shown_line_by_line_with_its_marks_and_as_text(allowed: Api) -> None:
    made = ask(allowed, "as_published", code=CODE, range=[0, 1])
    shown = page(allowed, "alice", f"/signals/{made['id']}")
    assert EVIL not in shown.text
    assert EVIL in html.unescape(shown.text)
    said = text(shown)
    assert "1 ▲ marked import os This imports os" in said
    assert "3 4 def evaluate" in said, "these are not marked"
    for one in (BOARD, "No guarantee: the score of the exact answer", "bits", "0 to 1", of_signal_pages.MARKED):
        assert one in said, one
    assert 'id="allow-no-guarantee" required' in shown.text
    assert facts(shown)["binding"] == made_binding(allowed, made["id"])


def test_a_task_is_said_with_what_was_stated_and_what_was_left_open(allowed: Api) -> None:
    made = ask(allowed, "noisy_difference", task={"task": "histogram_distance", "column": COUNTS}, epsilon=0.2)
    said = text(page(allowed, "alice", f"/signals/{made['id']}"))
    for one in ("Total variation distance", f"column {COUNTS}", "reference If empty: the released answer itself"):
        assert one in said, one
    assert "Guarantee dp: the signal shows the distance" in said


def test_after_a_look_no_page_calls_a_signal_dp(allowed: Api) -> None:
    allowed.room.look()
    made = ask(allowed, "noisy_difference", task={"task": "histogram_distance", "column": COUNTS}, epsilon=0.2)
    said = text(page(allowed, "alice", f"/signals/{made['id']}"))
    assert "The signal shows the distance between the scores of the exact answer" in said
    for one in ("dp:", "Guarantee dp", "charged its own epsilon"):
        assert one not in said, one


def test_no_sign_in_the_code_moves_a_mark_to_another_line(allowed: Api) -> None:
    made = ask(allowed, code="# one\u2028# two\nimport os\ndef evaluate(tables): ...\n", range=[0, 1])
    assert "2 ▲ marked import os" in text(page(allowed, "alice", f"/signals/{made['id']}"))


def made_binding(api: Api, id: str) -> str:
    return str(api("alice", "GET", f"/signals/{id}/page").json()["binding"])


def test_a_page_says_that_to_see_the_value_is_a_look_before_it_is_one(allowed: Api) -> None:
    made = ask(allowed, "as_published")
    assert "View both scores" not in page(allowed, "alice", f"/signals/{made['id']}").text
    computed(allowed, made["id"])
    shown = page(allowed, "alice", f"/signals/{made['id']}")
    assert of_signal_pages.BEFORE_VALUE in text(shown)
    assert "Release the withheld scores" in text(shown)
    exact = allowed("alice", "POST", f"/signals/{made['id']}/value").json()["exact"]
    body = {"binding": facts(shown)["binding"], "allow_no_guarantee": True}
    assert allowed("alice", "POST", f"/signals/{made['id']}/approve", json=body).json()["state"] == "released"
    assert f"Score of the exact answer: {exact:.2f}" in text(page(allowed, "bob", f"/requests/{RELEASED}"))


def test_what_cannot_be_approved_any_more_can_still_be_refused(allowed: Api) -> None:
    made = ask(allowed, "as_published")
    allowed.room.policy({"who": ["dan"]})
    shown = page(allowed, "alice", f"/signals/{made['id']}")
    assert shown.status_code == 200
    assert "This signal cannot be approved" in text(shown)
    assert 'id="refuse"' in shown.text
    assert 'id="approve"' not in shown.text


def test_others_are_sent_to_the_answer_or_find_nothing(allowed: Api) -> None:
    id = ask(allowed, "as_published")["id"]
    for who in ("bob", "eve"):
        answer = page(allowed, who, f"/signals/{id}")
        assert answer.status_code == 303
        assert answer.headers["Location"].endswith(f"#signal-{id}")
    for who in ("dan", "fay"):
        assert page(allowed, who, f"/signals/{id}").status_code == 404


# What is allowed


def test_a_policy_says_which_signals_in_its_form_and_in_the_catalogue(allowed: Api) -> None:
    form = page(allowed, "alice", "/datasets/stays/policy").text
    assert re.findall(r'name="signals" value="(\w+)"', form) == EVERY
    for field in ('name="code"', 'name="signal_bits"'):
        assert field in form
    said = text(page(allowed, "bob", "/catalogue/stays"))
    for one in ("Free: The guarantee of the release holds", "As published: No guarantee", "in a sandbox"):
        assert one in said, one
    allowed.room.policy({"who": [BOARD], "signals": []})
    assert "The policy allows none." in text(page(allowed, "bob", "/catalogue/stays"))
