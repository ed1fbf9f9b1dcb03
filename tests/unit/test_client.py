"""The client's verbs: what they ask a server, and what they show of its answers."""

from __future__ import annotations

import io
import math
import pickle
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.api.release import Release
from sfumato.client.asgi import InProcess
from sfumato.client.remote_dataset import RemoteDataset
from sfumato.client.submissions import RemoteRequest
from sfumato.composition import local as wiring
from sfumato.errors import (
    AwaitingApproval,
    BadInput,
    Conflict,
    Forbidden,
    PreferenceError,
    QueryError,
    Refused,
    SchemaError,
    SourceError,
)
from sfumato.escrow.audit_log import AuditHead
from sfumato.escrow.catalogue.entries import FullEntry
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy_file import PolicyFile
from sfumato.escrow.questions.risk_facts import CandidateRisk
from sfumato.model.plain import to_plain
from sfumato.presentation.escrow.audit_view import AuditVerification
from sfumato.presentation.escrow.notifications_view import WordedNotification
from tests.examples import example
from tests.unit.server_of_tests import Server, problem

SCHEMA = """# A remark that stays.
name = "t"
[columns.age]
type = "integer"
bounds = [0, 100]
[rule]
gap = 1.2
worst_case = true
"""
HELD = example(FullEntry, name="t", title="Ages", schema=SCHEMA, controllers=["cora"], version="v1")
SQL = "SELECT COUNT(*) FROM t"


@pytest.fixture
def local(tmp_path: Path) -> sf.Dataset:
    """The same table here: what a server would say of it."""
    (tmp_path / "t.toml").write_text(SCHEMA, "utf-8")
    (tmp_path / "t.csv").write_text("age\n" + "30\n" * 50, "utf-8")
    return sf.open(tmp_path / "t.csv", tmp_path / "t.toml", ledger=":memory:")


def asked(state: str = "submitted", **more: Any) -> dict[str, Any]:
    queries = [{"sql": SQL, "weight": 1.0}]
    facts = {"id": "r7", "number": 7, "dataset": "t", "analyst": "ana", "purpose": "study", "queries": queries}
    return facts | {"state": state, "binding": "b1", "note": ""} | more


def served() -> Server:
    return Server().on("GET /datasets/t", HELD).on("POST /requests", asked(), status=201)


def held(server: Server) -> RemoteDataset:
    return server.client().dataset("t")


def body(server: Server) -> Any:
    return list(server.bodies)[-1]


FORESEEN = {
    "sql": SQL,
    "weight": 2.0,
    "outputs": 1,
    "numbers": ["count of rows"],
    "columns": [],
    "mechanism": "laplace",
    "delta": None,
    "calibration": "analytic",
    "epsilon": 0.2,
    "feasible": True,
    "method": "gap 1.2, worst case",
    "why": "The largest epsilon that meets gap 1.2, worst case.",
    "guarantee": "dp",
    "select_epsilon": 0.0,
    "worst_case": example(CandidateRisk, epsilon=0.2, noise_90=[11.5129]),
    "means": None,
    "expected_count": None,
    "averages": None,
    "odds": "Of 100 possible answers, 45 would suggest this.",
}
ESTIMATE = {
    "queries": [FORESEEN],
    "epsilon": 0.2,
    "delta": 0.0,
    "guarantee": "dp",
    "spent": 0.3,
    "dataset_guarantee": "dp",
    "budget": "epsilon 3",
    "left": 2.7,
    "sentences": [],
    "barred": None,
}
PAGE = {
    "request": asked(submitted_at="2026-01-01"),
    "binding": "seen",
    "analyst": {"name": "ana", "organisation": "Uni"},
    "facts": ESTIMATE,
    "approve": "by a controller",
    "approvals": {"needed": 2, "given": ["cora"]},
    "guarantees": ["dp"],
    "looked": True,
    "warning": "Somebody looked.",
    "policy": ["ana may ask for counts."],
    "rehearse": [SQL],
}
SIGNED = {
    "dataset": "t",
    "number": 1,
    "author": "cora",
    "at": "2026-01-01",
    "policy": example(PolicyFile),
    "sentences": ["ana may ask for counts.", "Nobody else."],
}

# Questions


def test_a_dataset_tells_what_it_is() -> None:
    found = held(served())
    assert found.schema.column("age") is not None
    assert (found.title, found.controllers, found.version) == ("Ages", ("cora",), "v1")
    assert "cora" in repr(found)


def test_a_query_that_cannot_be_answered_is_not_sent() -> None:
    server = served()
    with pytest.raises(QueryError):
        held(server).query("SELECT age FROM t")
    assert len(server.asked) == 1


def test_the_worst_case_is_the_same_picture_as_here(local: sf.Dataset) -> None:
    here = local.query(SQL).worst_case()
    server = served().on("POST /datasets/t/worst-case", here.view.as_dict())
    there = held(server).query(SQL).worst_case()
    assert repr(there) == repr(here)
    assert there.at(1.0).gap == here.at(1.0).gap
    assert (there.outputs, there.source, there.people_count) == (1, "worst case", None)
    assert body(server)["sql"] == SQL
    assert body(server)["how"]["mechanism"] == "laplace"
    with pytest.raises(PreferenceError, match=r"epsilon 0\.3 is not among the candidates"):
        there.at(0.3)


def test_a_rehearsal_is_asked_with_its_preference(local: sf.Dataset) -> None:
    here = local.query(SQL).rehearse(sf.gap(1.5, worst_case=True))
    assert here.solution is not None
    solution = {"epsilon": here.solution.epsilon, "why": here.solution.why}
    server = served().on("POST /datasets/t/rehearse", here.view.as_dict() | {"solution": solution, "at": None})
    there = held(server).query(SQL).rehearse(sf.gap(1.5, worst_case=True))
    assert body(server) == {"sql": SQL, "preference": {"gap": 1.5, "worst_case": True}}
    assert to_plain(there.solution) == solution
    assert repr(there).splitlines()[-1] == repr(here).splitlines()[-1]


def test_methods_are_compared_in_a_table(local: sf.Dataset) -> None:
    server = served().on("POST /datasets/t/compare", local.compare(SQL, sf.gap(1.5, worst_case=True)).as_dict())
    shown = repr(held(server).compare(SQL, sf.gap(1.5, worst_case=True)))
    assert shown.startswith(SQL)
    assert "gap 1.5, worst case" in shown


def test_the_people_are_out_of_sight(local: sf.Dataset) -> None:
    server = served().on("POST /datasets/t/risk", local.query(SQL).risk().view.as_dict())
    risk = held(server).query(SQL).risk()
    assert repr(risk) == "<Individual risks (confidential): call .show()>"
    assert risk.people_count == 50
    with pytest.raises(TypeError, match="confidential"):
        pickle.dumps(risk)
    assert "50 people" in risk.text()


def test_an_exposure_histogram_comes_with_its_counts(local: sf.Dataset) -> None:
    here = local.query(SQL).exposure_histogram(5)
    server = served().on("POST /datasets/t/exposure-histogram", here.view.as_dict())
    there = held(server).query(SQL).exposure_histogram(5)
    assert repr(there) == repr(here)
    assert body(server)["epsilon"] == 5


def test_a_check_is_a_look() -> None:
    fit = {"people": 50, "columns": [{"name": "age", "missing": 37, "unfit": 0, "clamped": 0, "unlisted": 0}]}
    server = served().on("POST /datasets/t/check", fit)
    found = held(server).check()
    assert "37" not in repr(found)
    assert found.as_dict() == fit
    assert "37" in found.text()


def test_an_estimate_is_submitted_as_it_was_made() -> None:
    server = served().on("POST /datasets/t/estimate", ESTIMATE)
    query = held(server).query(SQL)
    estimate = query.choose(sf.gap(1.2, worst_case=True), mechanism="gaussian", delta=1e-9)
    assert (estimate.epsilon, estimate.guarantee) == (0.2, "dp")
    assert "1 noisy number: count of rows; laplace noise, epsilon 0.2, 90% interval ±11.5129" in repr(estimate)
    total = "Total: epsilon 0.2, delta 0; guarantee dp; used so far: epsilon 0.3. Budget: epsilon 3, 2.7 remaining."
    assert total in " ".join(repr(estimate).split())
    stated = {"gap": 1.2, "worst_case": True, "mechanism": "gaussian", "delta": 1e-9}
    assert body(server) == {"queries": [{"sql": SQL, "weight": 1.0}], "preference": stated}
    query.submit(estimate, purpose="study", weight=2)
    queries = [{"sql": SQL, "weight": 2}]
    assert body(server) == {"dataset": "t", "purpose": "study", "queries": queries, "preference": stated}


# Requests


def test_several_queries_are_one_request() -> None:
    server = served()
    dataset = held(server)
    queries = dataset.query(SQL), dataset.query("SELECT SUM(age) FROM t")
    request = dataset.submit(queries, weights=[2, 1], purpose="study")
    assert [each["weight"] for each in body(server)["queries"]] == [2, 1]
    assert body(server)["preference"] is None
    assert len(server.asked[-1].headers["Idempotency-Key"]) == 32
    assert request.id == "r7"


def test_the_names_of_a_rule_are_a_preference_too() -> None:
    server = served()
    held(server).submit([SQL], {"sharing_risk": "low", "choices": 4}, purpose="study")
    assert body(server)["preference"] == {"sharing_risk": "low", "choices": 4}


@pytest.mark.parametrize(
    ("queries", "stated", "how", "sentence"),
    [
        (SQL, (), {}, "takes a list"),
        ([], (), {}, "at least one query"),
        ([SQL], (), {"weights": [1, 2]}, "1 queries and 2 weights"),
        ([SQL], (), {"mechanism": "gaussian"}, "The preregistered rule already fixes the noise"),
        ([SQL], (sf.gap(1.2), {"gap": 1.3}), {}, "'gap' is stated twice"),
    ],
)
def test_what_is_no_request_is_not_sent(queries: Any, stated: Any, how: Any, sentence: str) -> None:
    server = served()
    with pytest.raises(PreferenceError, match=sentence):
        held(server).submit(queries, *stated, purpose="study", **how)
    assert len(server.asked) == 1


def test_a_request_tells_where_it_stands_and_what_happens_next() -> None:
    server = served().on("GET /requests/r7", asked(), asked("running"), asked("released"))
    request = held(server).submit([SQL], purpose="study")
    assert "state: submitted" in repr(request)
    assert "next: It waits for a controller of this dataset." in repr(request)
    assert [request.state, request.state, request.state, request.state] == [
        "submitted",
        "running",
        "released",
        "released",
    ]
    assert len(server.asked) == 5  # what is settled is not asked again


def test_waiting_tells_each_change_once(capsys: pytest.CaptureFixture[str]) -> None:
    server = served().on("GET /requests/r7", asked(), asked(), asked("running"), asked("released"))
    request = held(server).submit([SQL], purpose="study").wait()
    assert request.state == "released"
    assert server.pauses == pytest.approx([0.1, 0.15, 0.1])
    assert [line.split(".")[0] for line in capsys.readouterr().err.splitlines()] == [
        "Request 7 is submitted",
        "Request 7 is running",
    ]


def test_waiting_ends_when_it_was_said_to() -> None:
    server = served().on("GET /requests/r7", asked())
    with pytest.raises(AwaitingApproval, match="Request 7 is still submitted"):
        held(server).submit([SQL], purpose="study").wait(seconds=1e-9, report=lambda _: None)


def test_a_release_is_the_same_release_as_here(local: sf.Dataset) -> None:
    here = local.query(SQL).release(epsilon=1.0)
    result = {"answers": [here.as_dict()], "charged": 1.0, "guarantee": "dp", "least": [-math.log(1 - 0.9) / 0.1]}
    server = served().on("GET /requests/r7", asked("released")).on("GET /requests/r7/result", result)
    there = held(server).query(SQL).release(purpose="study")
    assert isinstance(there, Release)
    assert there == here
    answers = RemoteRequest(server.connection(), asked()).result()
    assert (answers.charged, answers.guarantee, answers.as_dict()) == (1.0, "dp", result)


def test_a_release_that_nobody_waits_for() -> None:
    server = served().on("GET /requests/r7", asked())
    with pytest.raises(AwaitingApproval, match="Request 7 awaits approval"):
        held(server).query(SQL).release(purpose="study", wait=False)


def test_a_release_that_is_refused_says_why() -> None:
    server = served().on("GET /requests/r7", asked("refused", note="Ask the ministry."))
    with pytest.raises(Refused, match=r"Request 7 was refused\. Hint: Ask the ministry\."):
        held(server).query(SQL).release(purpose="study")


def test_a_signal_of_no_kind_is_not_sent() -> None:
    with pytest.raises(BadInput, match=r"no signal 'noisy'\. Hint: use one of free, noisy_difference"):
        RemoteRequest(Server().connection(), asked("released")).signal({"task": "top_k", "column": "n"}, "noisy")


def test_a_range_has_numbers() -> None:
    with pytest.raises(BadInput, match="two numbers, not 'ab'"):
        RemoteRequest(Server().connection(), asked("released")).signal(code="def evaluate(tables): ...", range="ab")  # type: ignore[arg-type]


# Those who decide


def test_an_approval_holds_for_the_page_that_was_seen() -> None:
    server = Server().on("GET /requests/r7/page", PAGE, PAGE | {"binding": "later"})
    server.on("POST /requests/r7/approve", asked("approved"))
    request = RemoteRequest(server.connection(), asked())
    shown = repr(request.page())
    for said in (
        "Analyst: ana, Uni. Purpose: study",
        "(weight 2)",
        "2 needed, given by cora",
        "Somebody looked.",
        "binding: seen",
    ):
        assert said in shown
    assert request.approve("fine")._state == "approved"
    assert body(server) == {"binding": "seen", "note": "fine", "allow_no_guarantee": False, "preregistered": ""}


def test_an_approval_without_a_look_at_the_page_fetches_it() -> None:
    server = (
        Server()
        .on("GET /requests/r7/page", PAGE | {"binding": "now"})
        .on("POST /requests/r7/approve", asked("approved"))
    )
    RemoteRequest(server.connection(), asked()).approve()
    assert body(server)["binding"] == "now"


@pytest.mark.parametrize(
    ("verb", "path", "arguments"),
    [
        ("return_", "return", ["why"]),
        ("refuse", "refuse", ["why"]),
        ("withdraw", "withdraw", []),
        ("cancel", "cancel", []),
    ],
)
def test_the_other_decisions(verb: str, path: str, arguments: list[str]) -> None:
    server = Server().on(f"POST /requests/r7/{path}", asked("returned"))
    assert getattr(RemoteRequest(server.connection(), asked()), verb)(*arguments).state == "returned"
    said = {"note": "why", "allow_no_guarantee": False} if arguments else {}
    assert body(server) == (said or ({"allow_no_guarantee": False} if verb == "cancel" else {}))


def test_an_inbox_has_what_waits_for_a_decision() -> None:
    lists = {"submitted": [asked()], "computed": [asked("computed", id="r8")]}
    server = Server().on(
        "GET /requests",
        lambda request: httpx.Response(200, json={"items": lists[request.url.params["state"]], "next": None}),
    )
    inbox = server.client().inbox()
    assert [request.id for request in inbox] == ["r7", "r8"]
    assert "analyst" in repr(inbox)
    assert "study" in inbox._repr_html_()
    assert (
        repr(Server().on("GET /requests", {"items": [], "next": None}).client().inbox())
        == "No request waits for a decision."
    )


def test_a_withheld_answer_is_seen_by_asking_for_it(local: sf.Dataset) -> None:
    told = {"answers": [local.query(SQL).release(epsilon=1.0).as_dict()], "true": [[[50]]]}
    server = Server().on("POST /requests/r7/answer", told)
    found = RemoteRequest(server.connection(), asked("computed")).answer()
    assert repr(found) == "<Result of a look (confidential): call .show()>"
    assert found.text().endswith("True answer:\n  50")


def test_a_request_is_asked_for_by_the_number_that_notices_have() -> None:
    assert Server().on("GET /requests/7", asked()).client().request(7).id == "r7"


# Data on its way


TABLE = pa.table({"age": [30, 40]})


@pytest.mark.parametrize("table", [TABLE, TABLE.to_pandas(), pl.from_arrow(TABLE)], ids=["arrow", "pandas", "polars"])
def test_a_table_becomes_parquet_in_memory(table: Any) -> None:
    server = served().on("POST /datasets", HELD | {"version": None}).on("PUT /datasets/t/data", {"id": "v1"})
    found = server.client().register(table, {"name": "t", "columns": {"age": {"type": "integer"}}}, title="Ages")
    assert found.version == "v1"
    sent = server.asked[1]
    assert sent.headers["Content-Type"] == "application/vnd.apache.parquet"
    assert pq.read_table(io.BytesIO(sent.content)).to_pydict() == {"age": [30, 40]}


def test_a_file_is_streamed_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(SCHEMA, "utf-8")
    (tmp_path / "t.csv").write_bytes(b"age\n" + b"30\n" * 500_000)
    server = served().on("POST /datasets", HELD).on("PUT /datasets/t/data", {"id": "v1"})
    server.client().register(tmp_path / "t.csv", tmp_path / "t.toml")
    assert next(server.bodies) == {"schema_text": SCHEMA, "title": "", "reference": None}
    sent = server.asked[1]
    assert (sent.headers["Content-Type"], sent.headers["Transfer-Encoding"]) == ("text/csv", "chunked")
    assert sent.content == (tmp_path / "t.csv").read_bytes()


def test_what_is_wrong_is_said_before_anything_is_sent(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(SCHEMA, "utf-8")
    (tmp_path / "bad.toml").write_text("name =", "utf-8")
    (tmp_path / "t.csv").write_text("age\n", "utf-8")
    (tmp_path / "t.xlsx").write_text("", "utf-8")
    server = Server()
    register = server.client().register
    for source, schema, kind in [
        ("none.csv", "t.toml", SourceError),
        ("t.xlsx", "t.toml", SourceError),
        (".", "t.toml", SourceError),
        ("t.csv", "none.toml", SchemaError),
        ("t.csv", "bad.toml", SchemaError),
    ]:
        with pytest.raises(kind):
            register(tmp_path / source, tmp_path / schema)
    for thing in (42, [1, 2]):
        with pytest.raises(SourceError, match="is not a table"):
            register(thing, tmp_path / "t.toml")
    with pytest.raises(SourceError, match="cannot be written as Parquet") as unfit:
        register(pd.DataFrame({"age": [30, "a value of somebody"]}, dtype=object), tmp_path / "t.toml")
    assert unfit.value.__context__ is None
    with pytest.raises(BadInput, match="a source, a reference or a connection"):
        register(None, tmp_path / "t.toml")
    assert server.asked == []


def test_what_broke_off_before_its_data_was_there_can_be_done_again() -> None:
    server = Server().on("POST /datasets", problem(409, "conflict", "There is already a dataset 't'"))
    server.on("GET /datasets/t", HELD | {"version": None}).on("PUT /datasets/t/schema", HELD)
    server.on("PUT /datasets/t/data", {"id": "v1"})
    server.client().register(TABLE, {"name": "t", "columns": {"age": {"type": "integer"}}})
    assert server.asked[-2].url.path.endswith("/data")


def test_what_is_there_already_is_not_replaced() -> None:
    server = served().on("POST /datasets", problem(409, "conflict", "There is already a dataset 't'"))
    with pytest.raises(Conflict):
        server.client().register(TABLE, {"name": "t", "columns": {"age": {"type": "integer"}}})
    assert [request.method for request in server.asked] == ["POST", "GET"]


def test_a_policy_comes_from_a_file_or_from_python(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('purpose = "study"\n[[access_rule]]\nwho = ["ana"]\n', "utf-8")
    server = served().on("PUT /datasets/t/policy", SIGNED)
    for policy in (tmp_path / "p.toml", {"purpose": "study", "access_rule": [{"who": ["ana"]}]}):
        signed = server.client().set_policy("t", policy)
        assert body(server) == {"purpose": "study", "access_rule": [{"who": ["ana"]}]}
        assert "  ana may ask for counts." in repr(signed)
    (tmp_path / "bad.toml").write_text("purpose", "utf-8")
    for name, kind in (("bad.toml", SchemaError), ("none.toml", BadInput)):
        with pytest.raises(kind):
            server.client().set_policy("t", tmp_path / name)


# The rest


def test_people_notices_and_the_record() -> None:
    person = example(Person, name="ana", roles=["analyst"], organisation="Uni")
    notice = example(WordedNotification, id="n1", text="Request r7 was approved", about="r7")
    head, verified = example(AuditHead), example(AuditVerification)
    server = Server().on("GET /people", {"items": [person], "next": None}).on("PATCH /people/ana", person)
    server.on("GET /notifications", {"items": [notice], "next": None}).on(
        "POST /notifications/n1/read", httpx.Response(204)
    )
    server.on("GET /audit/head", head).on("POST /audit/verify", verified)
    client = server.client()
    assert "Uni" in repr(client.people())
    client.change_person("ana", roles="auditor", disabled=False)
    assert body(server) == {"roles": ["auditor"], "disabled": False}
    assert "was approved" in repr(client.notifications(unread=True))
    assert server.asked[-1].url.params["unread"] == "true"
    client.read_notification("n1")
    assert client.verify_audit(client.audit_head().as_dict()).as_dict() == verified
    assert body(server) == {"head": head}


def test_an_app_of_this_process_is_asked_as_a_server_is() -> None:
    received: list[bytes] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            received.append(message.get("body", b""))
            more = message.get("more_body", False)
        status = 200 if dict(scope["headers"]).get(b"authorization") == b"Bearer t" else 401
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": f'{{"path": "{scope["path"]}"}}'.encode()})

    with wiring.connect_in_process(app, "t", "the workspace w") as client:
        connection = client._connection
        assert connection.get("datasets", "t") == {"path": "/api/v1/datasets/t"}
        received.clear()
        connection.stream("datasets", "t", "data", content=lambda: [b"a", b"b"], kind="text/csv")
        assert [chunk for chunk in received if chunk] == [b"a", b"b"]
        assert repr(connection) == "<Connection to the workspace w>"
    with wiring.connect_in_process(app, "wrong", "w") as client, pytest.raises(Refused):
        client.me.as_dict()


def test_an_app_that_fails_is_a_server_that_fails() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise ValueError("a value of somebody")

    with InProcess(app) as transport:
        answer = transport.handle_request(httpx.Request("GET", "http://localhost/"))
    assert (answer.status_code, answer.content) == (500, b"")


def test_who_may_not_look_is_told_so() -> None:
    server = served().on("POST /datasets/t/risk", problem(403, "forbidden", "Only a controller may look"))
    with pytest.raises(Forbidden):
        held(server).query(SQL).risk()


def test_a_search_is_sent_to_the_server() -> None:
    empty: dict[str, Any] = {"items": [], "next": None}
    server = Server().on("GET /requests", empty).on("GET /signals", empty)
    client = server.client()
    client.requests(search="wave b", state="released")
    assert dict(server.asked[-1].url.params) == {"limit": "200", "search": "wave b", "state": "released"}
    client.signals(search="median", waiting=True)
    assert dict(server.asked[-1].url.params) == {"limit": "200", "search": "median", "waiting": "true"}
    client.inbox()
    assert "search" not in server.asked[-1].url.params
