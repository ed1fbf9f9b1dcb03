"""The page of possible worlds: public arithmetic for controllers, of which nothing is read or entered."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

from tests.api import Api

PAGE = "https://escrow.test/datasets/stays/beliefs"


def shown(api: Api, **asked: object) -> str:
    """The words of the page."""
    page = api("alice", "GET", f"{PAGE}?{urlencode(asked)}")
    assert page.status_code == 200, page.text
    return " ".join(unescape(re.sub("<[^>]*>", " ", page.text)).split())


def test_it_begins_with_the_students_of_the_paper(api: Api) -> None:
    """Section 4.4 and Table 3 of Lee and Clifton."""
    page = shown(api, limit=0.333333)
    assert "Terry 2 0.2500 0.6825 0.4325" in page
    assert "Epsilon 2, after the noisy answer 2" in page
    assert "epsilon 0.3829 by the paper's upper bound, epsilon 0.4317 exactly" in page
    assert "0.5 2 0.3477 0.2303 0.2172 0.2048" in page
    assert "Terry 2 0.2500 0.6180 0.3680" in shown(api, response="2.2013")


def test_a_universe_of_ones_own_and_its_median(api: Api) -> None:
    page = shown(api, universe="a, 1\nb, 2\nc, 3\nd, 10", answer="median", limit=0.333333, epsilon=1)
    assert "epsilon 1.6219 by the paper's upper bound, epsilon 2.7726 exactly" in page


def test_what_cannot_be_read_is_said_beside_the_form(api: Api) -> None:
    assert "'many' is not a number" in shown(api, universe="a, many\nb, 2\nc, 3")
    assert "from 3 to 200 people" in shown(api, universe="a, 1")
    assert "not supported for possible worlds" in shown(api, answer="mode")
    assert (
        "<script>alert"
        not in api("alice", "GET", f"{PAGE}?{urlencode({'universe': '<script>alert(1)</script>'})}").text
    )


def test_who_sees_it_and_that_nothing_is_read(api: Api) -> None:
    entries, done = api.room.entries(), len(api.room.runner.done)
    seen = {who: api(who, "GET", PAGE).status_code for who in ("alice", "carol", "eve", "bob")}
    assert seen == {"alice": 200, "carol": 200, "eve": 403, "bob": 403}
    assert (api.room.entries(), len(api.room.runner.done)) == (entries, done)
