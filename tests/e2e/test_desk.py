"""The commands of the escrow: what they ask a server, what they print, and how they exit."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer.main

import sfumato as sf
from sfumato.cli.main import app
from sfumato.composition import local
from sfumato.escrow.audit_log import AuditHead
from sfumato.escrow.identity.accounts import Token
from sfumato.escrow.identity.person import Person
from sfumato.ledger.audit_log import AuditEntry
from sfumato.presentation.escrow.audit_view import AuditVerification
from sfumato.presentation.escrow.notifications_view import WordedNotification
from tests.e2e.command import PATIENCE, Typed
from tests.examples import example
from tests.unit.server_of_tests import TOKEN, Server, problem
from tests.unit.test_client import ESTIMATE, HELD, PAGE, SCHEMA, SIGNED, SQL, asked

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SFUMATO_WORKSPACE", "SFUMATO_SERVER", "SFUMATO_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    """Reached at SFUMATO_SERVER with a token, in place of one on the network."""
    made = Server().on("GET /datasets/t", HELD)
    monkeypatch.setenv("SFUMATO_SERVER", "http://localhost:8000")
    monkeypatch.setenv("SFUMATO_TOKEN", TOKEN)
    real = httpx.Client

    def client(**how: Any) -> httpx.Client:
        return real(**how | {"transport": httpx.MockTransport(made.answer)})

    monkeypatch.setattr("sfumato.client.connection.httpx.Client", client)
    monkeypatch.setattr("sfumato.client.connection.time.sleep", made.pauses.append)
    return made


@pytest.fixture
def released(tmp_path: Path) -> dict[str, Any]:
    """A result as a server has it."""
    (tmp_path / "t.csv").write_text("age\n" + "30\n" * 50, "utf-8")
    (tmp_path / "t.toml").write_text(SCHEMA, "utf-8")
    here = sf.open(tmp_path / "t.csv", tmp_path / "t.toml", ledger=":memory:").query(SQL).release(epsilon=1.0)
    return {"answers": [here.as_dict()], "charged": 1.0, "guarantee": "dp", "least": [-math.log(1 - 0.9) / 0.1]}


def body(server: Server) -> Any:
    return list(server.bodies)[-1]


def items(*facts: Any) -> dict[str, Any]:
    return {"items": list(facts), "next": None}


# Where, and as whom


def test_somewhere_to_go_is_said_or_set(typed: Typed) -> None:
    ran = typed("inbox")
    assert (ran.code, ran.err) == (
        2,
        "No workspace and no server is given. Hint: add --workspace DIR or --server URL.\n",
    )
    assert typed("inbox", "--workspace", "w", "--server", "http://localhost").code == 2


def test_what_is_typed_goes_before_the_environment(
    typed: Typed, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SFUMATO_WORKSPACE", "w")
    server.on("GET /datasets", items(HELD))
    assert typed("dataset", "list").code == 2
    assert typed("dataset", "list", "--server", "http://localhost:9000").code == 0
    assert server.asked[0].url.port == 9000


@pytest.mark.parametrize(
    ("where", "flag"),
    [
        (("--workspace", "w"), ("--token-file", "x")),
        (("--workspace", "w"), ("--insecure",)),
        (("--server", "http://localhost"), ("--passphrase-file", "x")),
        (("--server", "http://localhost"), ("--key-file", "x")),
    ],
)
def test_what_unlocks_one_does_not_go_with_the_other(
    typed: Typed, where: tuple[str, ...], flag: tuple[str, ...]
) -> None:
    ran = typed("inbox", *where, *flag)
    assert (ran.code, f"{flag[0]} needs" in ran.err) == (2, True)


def test_a_token_comes_from_the_environment_or_a_file(typed: Typed, server: Server, tmp_path: Path) -> None:
    server.on("GET /datasets", items(HELD))
    (tmp_path / "token").write_text("another\n", "utf-8")
    assert typed("dataset", "list").code == 0
    assert typed("dataset", "list", "--token-file", tmp_path / "token").code == 0
    assert [request.headers["Authorization"] for request in server.asked] == [f"Bearer {TOKEN}", "Bearer another"]
    for name in ("none", "empty"):
        (tmp_path / "empty").write_text("\n", "utf-8")
        assert typed("dataset", "list", "--token-file", tmp_path / name).code == 2


def test_a_name_signs_in_with_a_password_and_out_again(typed: Typed, server: Server, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("long enough\n", "utf-8")
    signed = httpx.Response(201, json={"csrf": "c"}, headers={"Set-Cookie": "sfumato=s; Path=/"})
    server.on("POST /session", signed).on("DELETE /session", httpx.Response(204))
    server.on("POST /tokens", {"token": example(Token, id="1", label="laptop"), "secret": "told once"})
    ran = typed(
        "token", "--as", "ana", "--password-file", tmp_path / "password", "--label", "laptop", "--scope", "read"
    )
    assert (ran.code, ran.out, ran.err) == (0, "told once\n", "")
    assert [f"{r.method} {r.url.path}" for r in server.asked] == [
        "POST /api/v1/session",
        "POST /api/v1/tokens",
        "DELETE /api/v1/session",
    ]
    signing_in, making = server.bodies
    assert signing_in == {"name": "ana", "password": "long enough"}
    assert making == {"label": "laptop", "days": 90, "scopes": ["read"], "person": None}
    assert all("Authorization" not in request.headers for request in server.asked)


def test_no_secret_is_an_argument() -> None:
    commands: list[Any] = [typer.main.get_command(app)]
    names = set()
    while commands:
        command = commands.pop()
        commands += getattr(command, "commands", {}).values()
        names |= {flag for option in command.params for flag in option.opts}
    assert names.isdisjoint({"--password", "--passphrase", "--token"})
    assert names >= {"--password-file", "--passphrase-file", "--token-file"}


def test_no_server_is_one_sentence(typed: Typed, server: Server) -> None:
    server.on("GET /datasets", httpx.ConnectError("[Errno 111] Connection refused"))
    ran = typed("dataset", "list", "--json")
    assert ran.code == 2
    assert ran.error["message"] == "No server answers at localhost:8000"


def test_plain_text_over_a_network_is_refused(typed: Typed, server: Server) -> None:
    server.on("GET /datasets", items())
    assert typed("dataset", "list", "--server", "http://a.example").code == 2
    assert typed("dataset", "list", "--server", "http://a.example", "--insecure").code == 0


def test_httpx_is_an_extra() -> None:
    script = "import sys; sys.modules['httpx'] = None; from sfumato.cli.main import main; main()"
    arguments = ["inbox", "--server", "http://localhost", "--json"]
    ran = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=os.environ | {"SFUMATO_TOKEN": TOKEN},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ran.returncode, json.loads(ran.stderr)["error"]["hint"]) == (2, "pip install 'sfumato[client]'.")


# People, data, policies


def test_people(typed: Typed, server: Server, tmp_path: Path) -> None:
    person = example(Person, name="ana", roles=["analyst"], organisation="Uni")
    server.on("POST /people", person, status=201).on("GET /people", items(person)).on("PATCH /people/ana", person)
    (tmp_path / "new").write_text("long enough\n", "utf-8")
    password = ("--new-password-file", tmp_path / "new")
    assert typed("user", "add", "ana", "--role", "analyst", "--organisation", "Uni", *password, "--json").json == person
    said = {"name": "ana", "roles": ["analyst"], "organisation": "Uni"}
    assert body(server) == said | {"password": "long enough"}
    assert typed("user", "add", "ana", "--role", "analyst", "--no-password").code == 0
    assert body(server)["password"] is None
    assert typed("user", "add", "ana", "--no-password").code == 2
    assert typed("user", "change", "ana", "--disable").code == 0
    assert body(server) == {"disabled": True}
    assert typed("user", "change", "ana", "--enable").code == 0
    assert body(server) == {"disabled": False}
    assert typed("user", "change", "ana", "--enable", "--disable").code == 2
    assert "Uni" in typed("user", "list").out
    assert typed("user", "list", "--json").json == [person]


def test_tokens_are_listed_and_revoked(typed: Typed, server: Server) -> None:
    token = example(Token, id="k1", label="laptop", scopes=["read"], expires_at="2027-01-01")
    server.on("GET /tokens", items(token)).on("DELETE /tokens/k1", httpx.Response(204))
    assert "laptop" in typed("token", "--list").out
    assert typed("token", "--revoke", "k1", "--json").json == {"revoked": "k1"}
    assert typed("token", "--revoke", "k1", "--list").code == 2


def test_a_dataset_is_handed_over(typed: Typed, server: Server, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n30\n", "utf-8")
    (tmp_path / "t.toml").write_text(SCHEMA, "utf-8")
    server.on("POST /datasets", HELD, status=201).on("PUT /datasets/t/data", {"id": "v1"})
    server.on("PUT /datasets/t/controllers", HELD).on("DELETE /datasets/t", httpx.Response(204))
    at = ("--schema", tmp_path / "t.toml")
    assert (
        typed("dataset", "add", tmp_path / "t.csv", *at, "--title", "Ages", "--controller", "cora", "--json").json
        == HELD
    )
    assert body(server) == {"controllers": ["cora"]}
    assert typed("dataset", "deliver", "t", tmp_path / "t.csv").code == 0
    assert typed("dataset", "add", *at).code == 2
    assert typed("dataset", "add", "none.csv", *at).code == 2
    assert "Ages" in typed("dataset", "show", "t").out
    assert typed("dataset", "show", "t", "--as-schema").out == SCHEMA
    server.on("PUT /datasets/t/population", HELD)
    assert typed("dataset", "population", "t", "patients").code == 0
    assert json.loads(server.asked[-2].content) == {"population": "patients"}
    assert typed("dataset", "retire", "t").code == 0


def test_a_policy_is_shown_and_set(typed: Typed, server: Server, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('[[access_rule]]\nwho = ["ana"]\n', "utf-8")
    signed = SIGNED
    server.on("GET /datasets/t/policy", signed).on("PUT /datasets/t/policy", signed)
    server.on("GET /datasets/t/policies", items(signed))
    assert typed("policy", "set", "t", tmp_path / "p.toml", "--json").json == signed
    assert body(server) == {"access_rule": [{"who": ["ana"]}]}
    assert "ana may ask for counts." in typed("policy", "show", "t").out
    assert typed("policy", "show", "t", "--history", "--json").json == [signed]


# Requests

QUERY = ("--sql", SQL)


def test_submitting_exits_4_while_approval_is_awaited(typed: Typed, server: Server) -> None:
    server.on("POST /requests", asked(), status=201)
    ran = typed("submit", "t", *QUERY, "--sql", SQL, "--weight", 2, "--weight", 1, "--purpose", "study", "--json")
    assert (ran.code, ran.json["id"]) == (4, "r7")
    assert [query["weight"] for query in body(server)["queries"]] == [2, 1]
    assert body(server)["preference"] is None


def test_what_the_policy_approves_by_itself_does_not(typed: Typed, server: Server) -> None:
    server.on("POST /requests", asked("approved"), status=201)
    assert typed("submit", "t", *QUERY, "--purpose", "study").code == 0


def test_preferences_go_by_their_names(typed: Typed, server: Server) -> None:
    server.on("POST /requests", asked(), status=201)
    stated = ("--sharing-risk", "low", "--choices", 4, "--mechanism", "gaussian", "--delta", 1e-9)
    typed("submit", "t", *QUERY, "--purpose", "study", *stated)
    assert body(server)["preference"] == {
        "sharing_risk": "low",
        "choices": 4,
        "mechanism": "gaussian",
        "delta": 1e-9,
    }


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ((), "A request needs a purpose"),
        (("--purpose", " "), "A request needs a purpose"),
        (("--dry-run", "--wait"), "--dry-run and --wait exclude each other"),
        (("--purpose", "p", "--out", "x.json"), "need --wait"),
        (("--purpose", "p", "--wait", "--out", "x.csv"), "--out cannot write"),
        (("--purpose", "p", "--weight", "1", "--weight", "2"), "1 queries and 2 weights"),
        (("--purpose", "p", "--delta", "1e-9"), "The preregistered rule already fixes the noise"),
    ],
)
def test_what_is_no_request_is_not_sent(typed: Typed, server: Server, said: tuple[str, ...], sentence: str) -> None:
    ran = typed("submit", "t", *QUERY, *said)
    assert ran.code == 2
    assert sentence in ran.err
    assert not any(request.method == "POST" for request in server.asked)


def test_an_estimate_and_a_dry_run_ask_nothing(typed: Typed, server: Server, released: dict[str, Any]) -> None:
    shape = {name: value for name, value in released["answers"][0].items() if name != "certificate"}
    dry = {"answers": [shape | {"query": "SELECT COUNT(*) FROM t"}], "synthetic": True, "people": 1000}
    dry |= {"sentence": "A dry run on invented rows: nobody was read."}
    server.on("POST /datasets/t/estimate", ESTIMATE).on("POST /datasets/t/dry-run", dry)
    assert typed("estimate", "t", *QUERY, "--gap", 1.2, "--worst-case", "--json").json == ESTIMATE
    assert body(server)["preference"] == {"gap": 1.2, "worst_case": True}
    assert typed("submit", "t", *QUERY, "--dry-run", "--json").json == dry
    assert typed("submit", "t", *QUERY, "--dry-run").out.startswith("A dry run on invented rows")


def test_a_result_is_awaited_with_exit_4(typed: Typed, server: Server) -> None:
    server.on("GET /requests/r7", asked())
    server.on(
        "GET /requests/r7/result", {"code": "awaiting-approval", "detail": "Request 7 awaits approval"}, status=202
    )
    ran = typed("result", "r7", "--json")
    assert (ran.code, ran.error["code"]) == (4, "awaiting-approval")


def test_a_result_is_waited_for(typed: Typed, server: Server, released: dict[str, Any], tmp_path: Path) -> None:
    server.on("GET /requests/r7", asked(), asked("running"), asked("released"))
    server.on("GET /requests/r7/result", released)
    ran = typed("result", "r7", "--wait", "--json", "--out", tmp_path)
    assert (ran.code, ran.json) == (0, released)
    assert {file.name for file in tmp_path.glob("query-1.*")} == {"query-1.csv", "query-1.html"}
    assert SQL in typed("result", "r7").out


def test_submitting_may_wait_too(typed: Typed, server: Server, released: dict[str, Any], tmp_path: Path) -> None:
    server.on("POST /requests", asked(), status=201).on("GET /requests/r7", asked("released"))
    server.on("GET /requests/r7/result", released)
    out = tmp_path / "all.json"
    assert typed("submit", "t", *QUERY, "--purpose", "study", "--wait", "--out", out).code == 0
    assert json.loads(out.read_text("utf-8")) == released


def test_waiting_for_what_takes_too_long_exits_4(typed: Typed, server: Server) -> None:
    server.on("GET /requests/r7", asked())
    ran = typed("result", "r7", "--wait", "--seconds", 1e-9)
    assert (ran.code, ran.err.split(".")[0]) == (4, "Request 7 is still submitted")


@pytest.mark.parametrize(("state", "said"), [("refused", "was refused"), ("failed", "failed")])
def test_what_was_refused_exits_3(typed: Typed, server: Server, state: str, said: str) -> None:
    server.on("GET /requests/r7", asked(state, note="Ask the ministry."))
    ran = typed("result", "r7")
    assert ran.code == 3
    assert ran.err.startswith(f"Request 7 {said}: Ask the ministry. Hint: ")


def test_a_failure_names_its_reason_and_one_hint(typed: Typed, server: Server) -> None:
    server.on("GET /requests/r7", asked("failed", note="The function has no score. Hint: test it."))
    assert typed("result", "r7").err == "Request 7 failed: The function has no score. Hint: test it.\n"


def test_an_inbox(typed: Typed, server: Server) -> None:
    server.on("GET /requests", lambda r: httpx.Response(200, json=items(asked(r.url.params.get("state", "released")))))
    assert [each["state"] for each in typed("inbox", "--json").json] == ["submitted", "computed"]
    assert [each["state"] for each in typed("inbox", "--all", "--json").json] == ["released"]
    typed("inbox", "--state", "refused", "--dataset", "t")
    assert dict(server.asked[-1].url.params) == {"limit": "200", "state": "refused", "dataset": "t"}
    for more, state in (([], "computed"), (["--state", "returned"], "returned")):
        typed("inbox", "--search", "wave b", *more)
        assert dict(server.asked[-1].url.params) == {"limit": "200", "state": state, "search": "wave b"}


def test_inspecting_shows_the_page_or_where_it_stands(typed: Typed, server: Server) -> None:
    forbidden = problem(403, "forbidden", "no")
    server.on("GET /requests/r7", asked()).on("GET /requests/r7/page", PAGE, forbidden)
    assert "Total: epsilon 0.2" in typed("inspect", "r7").out
    assert "It waits for a controller of this dataset." in typed("inspect", "r7").out


def test_decisions(typed: Typed, server: Server) -> None:
    server.on("GET /requests/r7", asked()).on("GET /requests/r7/page", PAGE)
    for verb, state in (("approve", "approved"), ("return", "returned"), ("refuse", "refused")):
        server.on(f"POST /requests/r7/{verb}", asked(state))
    for verb in ("withdraw", "cancel"):
        server.on(f"POST /requests/r7/{verb}", asked("withdrawn"))
        assert typed(verb, "r7", "--json").json["state"] == "withdrawn"
    assert typed("approve", "r7", "--note", "fine").code == 0
    assert body(server) == {"binding": "seen", "note": "fine", "allow_no_guarantee": False, "preregistered": ""}
    typed("approve", "r7", "--binding", "b0", "--allow-no-guarantee", "--preregistered", "minutes of 3 May")
    assert body(server) == {
        "binding": "b0",
        "note": "",
        "allow_no_guarantee": True,
        "preregistered": "minutes of 3 May",
    }
    for verb in ("return", "refuse"):
        assert typed(verb, "r7").code == 2
        assert typed(verb, "r7", "--note", "why").code == 0
        assert body(server) == {"note": "why", "allow_no_guarantee": False}


# What happened


def test_notifications(typed: Typed, server: Server) -> None:
    server.on("GET /notifications", items(example(WordedNotification, id="n1", text="Request r7 was approved")))
    server.on("POST /notifications/n1/read", httpx.Response(204))
    assert "was approved" in typed("notifications", "--unread").out
    assert typed("notifications", "--read", "n1").out == "Notification n1 is marked as read.\n"


def test_the_record_is_verified_against_a_head_that_was_kept(typed: Typed, server: Server, tmp_path: Path) -> None:
    head = example(AuditHead, signature="s")
    entry = example(AuditEntry, number=1, who="cora", verb="approved")
    server.on("GET /audit/head", head).on("GET /audit", items(entry))
    server.on(
        "POST /audit/verify", example(AuditVerification), problem(409, "ledger-broken", "It was edited at entry 2")
    )
    file = tmp_path / "head.json"
    assert typed("audit", "head", "--out", file).code == 0
    assert typed("audit", "verify", "--head", file).code == 0
    assert body(server) == {"head": head}
    assert typed("audit", "verify").code == 3
    assert "cora" in typed("audit", "show", "--after", 0).out
    file.write_text("[]", "utf-8")
    assert typed("audit", "verify", "--head", file).code == 2
    assert typed("audit", "verify", "--head", tmp_path / "none").code == 2


def test_the_public_way_in_is_the_same(server: Server) -> None:
    server.on("GET /datasets", items(HELD))
    assert [each.name for each in sf.connect("http://localhost:8000", TOKEN).datasets()] == ["t"]
    assert sf.connect is local.connect
