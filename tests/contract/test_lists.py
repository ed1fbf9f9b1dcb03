"""Lists of 1,000 requests, 200 datasets and 100 users: counts are true, and a page reads no more than it shows."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import process_time
from typing import Any
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa

from sfumato.adapters.storage.table import TableRows
from sfumato.composition.locks import VaultLocks
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.lifecycle import State
from sfumato.escrow.submissions.request_payload import Request
from sfumato.escrow.submissions.store import SubmissionFilter
from sfumato.escrow.submissions.submission import Whose
from tests.api import Api
from tests.room import COUNT, SCHEMA, SUM, Room

STATES = ("submitted", "returned", "refused", "withdrawn", "released", "failed")
REQUESTS, DATASETS, PEOPLE = 1000, 200, 100
WHEN = "2026-11-16T09:00:00+00:00"


def fill(room: Room) -> None:
    """Straight into the tables: what is listed does not depend on how it came there."""
    rows = room.ports.rows
    sample = rows("requests").one(number=1)
    person, dataset = rows("people").one(name="bob"), rows("datasets").one(name="stays")
    assert sample is not None
    assert person is not None
    assert dataset is not None
    policy = room.datasets.policy_of(room.datasets.of("stays"))
    assert policy is not None
    with room.ports.transaction():
        for number in range(len(rows("people").many()), PEOPLE):
            rows("people").add({**person, "name": f"ana{number:03}", "organisation": f"Office-{number % 7}"})
        for number in range(len(rows("datasets").many()), DATASETS):
            name = f"table{number:03}"
            text = SCHEMA.replace('"stays"', f'"{name}"')
            described = {"id": name, "title": f"Survey {number}", "schema_text": text, "created_by": "alice"}
            rows("datasets").add({**dataset, "name": name, **described})
            if number % 2:
                room.policies._kept.write(room["alice"], room.datasets.of(name), policy.policy)
        for number in range(len(rows("requests").many()) + 1, REQUESTS + 1):
            query = SUM if number % 3 else COUNT.replace("5", str(number % 50))
            other: dict[str, Any] = {
                "id": f"r{number:023}",
                "number": number,
                "purpose": f"survey wave-{'abcdefghijk'[number % 11]}",
            }
            other |= {"analyst": "bob" if number % 2 else f"ana{10 + number % 90:03}", "state": STATES[number % 6]}
            other |= {"queries": [{"sql": query, "weight": 1.0}], "idempotency": None, "decided_by": []}
            other |= {"dataset": "stays" if number % 4 else "visits", "answers": None, "owner": None}
            released = Request.from_row({**sample, **other, "answers": "sealed"})
            if released.state is State.RELEASED:
                answers = [{"certificate": {"ledger_entry": number, "recorded": None}, "rows": [[1.0]] * 50}]
                other["answers"] = room.requests._store.seal(released, answers, withheld=False)
            rows("requests").add({**sample, **other})


@pytest.fixture
def full(api: Api) -> Api:
    fill(api.room)
    return api


CPU = 0.3  # seconds that a list takes at most


@contextmanager
def reading(room: Room, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How many statements are sent, and how many rows come back to the escrow."""
    seen: Counter[str] = Counter()
    before = {name: getattr(TableRows, name) for name in ("listed", "counts", "groups", "newest")}

    def counting(name: str) -> Any:
        def read(self: TableRows, *given: Any, **named: Any) -> Any:
            result = before[name](self, *given, **named)
            seen["rows"] += len(result[0] if isinstance(result, tuple) else result)
            return result

        return read

    def count(*_event: Any) -> None:
        seen["statements"] += 1

    engine = room.database._engine()
    sa.event.listen(engine, "before_cursor_execute", count)
    with monkeypatch.context() as patch:
        for name in before:
            patch.setattr(TableRows, name, counting(name))
        yield seen
    sa.event.remove(engine, "before_cursor_execute", count)


def rows_of(room: Room) -> list[dict[str, Any]]:
    return [dict(row) for row in room.ports.rows("requests").many(limit=10_000)]


def shown(api: Api, who: str, path: str) -> str:
    answer = api(who, "GET", f"https://escrow.test{path}")
    assert answer.status_code == 200, answer.text
    return answer.text


def listed(api: Api, who: str, path: str, **filters: object) -> dict[str, Any]:
    answer: dict[str, Any] = api(who, "GET", f"{path}?{urlencode(filters)}").json()
    return answer


def total(text: str) -> int:
    found = re.search(r'data-total="(\d+)"', text)
    assert found is not None
    return int(found[1])


def test_the_first_list_after_a_start_waits_for_no_policy(full: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server verifies them in the background when it starts; from then on each is verified once for every version."""
    room, verified = full.room, Counter[str]()
    escrow, verify = Escrow(room.ports), VaultLocks.verify

    def count(*given: Any) -> bool:
        verified["one"] += 1
        return verify(*given)

    monkeypatch.setattr(VaultLocks, "verify", staticmethod(count))
    room.look(by="alice")
    escrow.datasets.prepare()
    room.go()
    assert verified["one"] > 80
    verified.clear()
    escrow.datasets.separated_from(room["alice"])
    assert not verified


def test_counts_are_true_and_searches_find_what_there_is(full: Api) -> None:
    room = full.room
    rows, alice, bob = rows_of(room), room["alice"], room["bob"]
    assert len(rows) == REQUESTS
    mine = [row for row in rows if row["dataset"] == "stays"]
    states = Counter(row["state"] for row in mine)
    assert {s.value: n for s, n in room.requests.counts(alice, whose=Whose.TO_DECIDE).items()} == states
    waiting = [row for row in mine if row["state"] in ("submitted", "computed")]
    assert room.decisions.count_waiting(alice) == len(waiting) > 80
    identical = Counter((json.dumps(row["queries"]), row["state"], str(row["preference"])) for row in waiting)
    groups, number = room.decisions.waiting_groups(alice, SubmissionFilter(), limit=REQUESTS)
    assert number == len(groups) == len(identical)
    assert sorted(group.rows for _, group in groups) == sorted(identical.values())
    text = shown(full, "alice", "/inbox")
    for tab, one in {"waiting": len(waiting), "returned": states["returned"], "all": len(mine)}.items():
        assert f'id="count-{tab}">{one:,}<' in text
    assert f'{len(waiting)}<span class="vh"> waiting</span>' in text, "in the menu"
    assert f"{len(waiting)} requests waiting" in shown(full, "alice", "/datasets/stays")
    own = [row for row in rows if row["analyst"] == "bob"]
    assert total(shown(full, "bob", "/requests")) == len(own)
    for word, true in (
        ("Wave-H survey", [r for r in own if r["purpose"].endswith("-h")]),
        ("DAYS", [r for r in own if "days" in r["queries"][0]["sql"]]),
        ("weight", []),
        ("#241", [r for r in own if r["number"] == 241]),
        ("visits released", [r for r in own if r["dataset"] == "visits" and "released" in r["purpose"]]),
    ):
        filter = SubmissionFilter(word)
        assert sum(room.requests.counts(bob, filter, Whose.OWN).values()) == len(true), word
        answer = listed(full, "bob", "/requests", search=word, limit=200)
        assert answer["total"] == len(true)
        assert [one["number"] for one in answer["items"]] == sorted((r["number"] for r in true), reverse=True)[:200]
    office = {p["name"] for p in room.ports.rows("people").many(limit=1000) if p["organisation"] == "Office-3"}
    filter = SubmissionFilter(organisation="Office-3")
    assert room.decisions.count_waiting(alice, filter) == sum(r["analyst"] in office for r in waiting) > 0
    assert listed(full, "root", "/people", search="office-3")["total"] == len(office)
    assert listed(full, "root", "/people")["total"] == PEOPLE
    assert listed(full, "alice", "/datasets")["total"] == DATASETS - 1, "one is fay's"
    assert listed(full, "alice", "/datasets", search="survey 17")["total"] == sum(
        "17" in str(n) for n in range(DATASETS)
    )
    accessible = [n for n in range(2, DATASETS) if n % 2]
    assert total(shown(full, "bob", "/catalogue")) == len(accessible) + 1
    assert listed(full, "eve", "/datasets")["total"] == DATASETS
    assert listed(full, "root", "/datasets")["total"] == 0
    the_page_of_a_request_counts_all_that_wait(full)


def the_page_of_a_request_counts_all_that_wait(full: Api) -> None:
    full.room.sql("UPDATE requests SET state = 'submitted' WHERE state IN ('refused', 'withdrawn')")
    waiting = full.room.decisions.waiting_ids(full.room["alice"])
    ids, many = [*waiting], len(waiting)
    assert many == full.room.decisions.count_waiting(full.room["alice"]) > 120
    for place in (0, 110, many - 1):
        page = shown(full, "alice", f"/requests/{ids[place]}")
        assert f'id="waiting-place">{place + 1} of {many} waiting<' in page
        for name, other in (("to-previous", place - 1), ("to-following", place + 1)):
            link = f'id="{name}" href="/requests/{ids[other]}"' if 0 <= other < many else f'id="{name}"'
            assert (link in page) is (0 <= other < many)


PAGES = {  # statements and rows of one page at most: by its length, not by what there is
    ("alice", "/inbox?search=survey"): (200, 450),
    ("alice", "/inbox?tab=decided"): (40, 320),
    ("bob", "/requests?search=survey"): (15, 60),
    ("alice", "/datasets?search=survey"): (280, 380),
    ("root", "/people?search=ana"): (10, 60),
    ("bob", "/catalogue?search=survey"): (15, 260),
}


def test_a_page_reads_as_much_as_it_shows(full: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for (who, path), (statements, rows) in PAGES.items():
        shown(full, who, path)  # policies are verified once
        with reading(full.room, monkeypatch) as seen:
            assert total(shown(full, who, path)) > 20
        assert seen["statements"] <= statements, path
        assert seen["rows"] <= rows, path


LISTS = {
    "alice": ("/inbox", "/inbox?tab=all", "/inbox?order=due", "/datasets", "/datasets/stays", "/datasets/stays/budget"),
    "bob": ("/requests", "/requests?search=survey", "/catalogue"),
    "root": ("/people", "/audit"),
    "eve": ("/datasets", "/audit", "/datasets/stays/audit"),
}


def test_every_list_takes_little_time(full: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time of the processor, the least of three: not the time on a clock, which others on the machine take too."""
    opens_each_answer_once(full, monkeypatch)
    for who, paths in LISTS.items():
        for path in paths:
            assert min(cpu_seconds(full, who, path) for _ in range(3)) < CPU, path


def opens_each_answer_once(full: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget names who has each answer, which may be large, and there may be many."""
    opened, unseal = Counter[str](), VaultLocks.unseal

    def count(*given: Any) -> bytes:
        opened["answers"] += 1
        return unseal(*given)

    monkeypatch.setattr(VaultLocks, "unseal", count)
    shown(full, "alice", "/datasets/stays/budget")
    assert opened["answers"] > 100
    opened.clear()
    shown(full, "alice", "/datasets/stays/budget")
    assert opened["answers"] < 10


def cpu_seconds(api: Api, who: str, path: str) -> float:
    began = process_time()
    shown(api, who, path)
    return process_time() - began


def test_the_noise_of_an_average_is_that_of_the_average(api: Api) -> None:
    """Not that of its sum, and with the number of rows that it is for."""
    api.room.submit("SELECT AVG(age) FROM stays")
    cells = re.findall(r'<td class="num" data-l="Noise, 90%">(.*?)</td>', shown(api, "alice", "/inbox"))
    of_average = next(cell for cell in cells if "if 1,000 counted" in cell)
    reach = [float(one) for one in re.findall(r"±([0-9.]+)", of_average)]
    assert reach
    assert all(0 < one < 5 for one in reach), of_average


def test_several_are_decided_one_by_one_after_their_total_is_shown(api: Api) -> None:
    room = api.room
    first, *more = (room.submit(SUM, by=who) for who in ("bob", "bob", "bob"))
    other = room.submit(COUNT)
    ids = [one.id for one in (first, *more, other)]
    preview = api("alice", "POST", "/requests/decision-preview", json={"ids": ids}).json()
    assert [one["id"] for one in preview["requests"]] == ids
    assert (preview["epsilon"], preview["once"]) == (0.8, 0.4)
    assert len({one["identical"] for one in preview["requests"]}) == 2
    assert "epsilon 0.4 in total" in preview["sentence"]
    assert "at most epsilon 0.8" in preview["sentence"]
    before = room.datasets.ledger(room["alice"], "stays").record.total.nano_epsilon
    for one in preview["requests"]:
        answer = api("alice", "POST", f"/requests/{one['id']}/approve", json={"binding": one["binding"], "note": "ok"})
        assert answer.status_code == 200, answer.text
        room.go()
    assert [room.state(room.requests.get(room["alice"], id)[0]) for id in ids] == ["released"] * 4
    charged = room.datasets.ledger(room["alice"], "stays").record.total.nano_epsilon - before
    assert 0 < charged <= preview["once"] * 1e9, "one release answers identical requests"
    assert api("bob", "POST", "/requests/decision-preview", json={"ids": ids}).status_code == 403


def test_notifications_settle_with_what_they_are_about(api: Api) -> None:
    room = api.room
    room.notifications.read_all(room["alice"])
    request, other = room.submit(COUNT), room.submit(SUM)
    assert [one.about for one in room.notifications.many(room["alice"], unread=True)] == [other.id, request.id]
    room.decisions.refuse(room["carol"], request.id, "no")
    assert [one.about for one in room.notifications.many(room["alice"], unread=True)] == [other.id]
    room.requests.withdraw(room["bob"], other.id)
    assert room.notifications.count(room["alice"], unread=True) == 0
    assert room.notifications.count(room["bob"], unread=True) > 0
    assert '<span class="vh"> unread</span>' in shown(api, "bob", "/catalogue")
    assert api("bob", "POST", "/notifications/read").status_code == 204
    assert room.notifications.count(room["bob"], unread=True) == 0
    assert '<span class="vh"> unread</span>' not in shown(api, "bob", "/catalogue")


def test_a_selection_is_the_same_on_every_database(room: Room) -> None:
    """What a search finds, what a person approved already, and groups: by the SQL of each database."""
    room.policy({"approvals": 2, "who": ["bob", "dan"]})
    first = room.submit("SELECT COUNT(*) FROM stays WHERE ward = 'a'")
    again = room.submit("SELECT COUNT(*) FROM stays WHERE ward = 'a'", by="dan")
    room.approve(first)
    for who, numbers in (("alice", [again.number]), ("carol", [first.number, again.number])):
        waiting = room.decisions.waiting(room[who])
        assert [one.submission.number for one in waiting] == numbers
        assert room.decisions.count_waiting(room[who]) == len(numbers)
        ((row, group),), number = room.decisions.waiting_groups(room[who], SubmissionFilter())
        assert (number, group.rows, row.number, group.last) == (1, len(numbers), numbers[0], numbers[-1])
    alike = room.requests.identical_to(room["carol"], first.id)
    assert room.decisions.count_waiting(room["carol"], SubmissionFilter(identical=alike)) == 2
    for search, many in (("WARD", 2), ("weight", 0), ("100%", 0), (f"#{first.number}", 1), ("dan stays", 1)):
        assert sum(room.requests.counts(room["eve"], replace(SubmissionFilter(), search=search)).values()) == many
    assert room.requests.listed(room["eve"], SubmissionFilter(identical={"dataset": "visits"})) == []
