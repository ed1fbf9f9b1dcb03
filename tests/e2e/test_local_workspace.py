"""The commands on a workspace of this machine: from a file to an answer, with nobody on the network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.composition.create import create_workspace
from sfumato.composition.local_access import UNLOCKER
from sfumato.composition.settings import WorkspaceSettings
from tests.e2e.command import Ran, Typed
from tests.e2e.served import CHEAP

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

PASSPHRASE, PASSWORD = "a passphrase of tests", "four words put together"
SCHEMA = 'name = "t"\n[columns.age]\ntype = "integer"\nbounds = [0, 100]\n'
POLICY = '[rule]\ngap = 1.2\nworst_case = true\n[[access_rule]]\nwho = ["ana"]\n'
COUNT = "SELECT COUNT(*) FROM t WHERE age > 60"


@pytest.fixture
def at(tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """The commands on a new workspace, whose passphrase lies in a file."""
    for name in ("SFUMATO_SERVER", "SFUMATO_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    one = WorkspaceSettings(workers=1, undo_seconds=0)
    create_workspace(tmp_path / "w", admin="cora", password=PASSWORD, passphrase=PASSPHRASE, settings=one, cost=CHEAP)
    monkeypatch.setenv("SFUMATO_WORKSPACE", str(tmp_path / "w"))
    (tmp_path / "passphrase").write_text(f"{PASSPHRASE}\n", "utf-8")

    def run(*arguments: object, stdin: str = "") -> Ran:
        return typed(*arguments, "--passphrase-file", tmp_path / "passphrase", stdin=stdin)

    return run


def test_from_a_file_to_an_answer(at: Typed, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n" + "".join(f"{20 + i % 60}\n" for i in range(1000)), "utf-8")
    (tmp_path / "t.toml").write_text(SCHEMA, "utf-8")
    (tmp_path / "p.toml").write_text(POLICY, "utf-8")
    assert at("user", "add", "ana", "--role", "analyst", "--no-password").code == 0
    assert at("dataset", "add", tmp_path / "t.csv", "--schema", tmp_path / "t.toml", "--title", "Ages").code == 0
    assert at("dataset", "list", "--as", "ana", "--json").json == []  # no policy, no flow
    assert "ana may request" in at("policy", "set", "t", tmp_path / "p.toml").out
    assert at("estimate", "t", "--sql", COUNT, "--as", "ana", "--json").json["epsilon"] == 0.2

    queries = ("--sql", COUNT, "--weight", 2, "--sql", "SELECT SUM(age) FROM t", "--weight", 1)
    submitted = at("submit", "t", *queries, "--purpose", "a study", "--as", "ana", "--json")
    assert (submitted.code, submitted.json["state"]) == (4, "submitted")
    id = submitted.json["id"]
    assert [request["id"] for request in at("inbox", "--json").json] == [id]
    assert "Total: epsilon 0.3" in at("inspect", id).out
    assert "Total:" not in at("inspect", id, "--as", "ana").out
    assert at("result", id, "--as", "ana").code == 4
    assert at("approve", id, "--as", "ana").code == 3
    assert at("approve", id, "--binding", "another").code == 3
    assert at("approve", id, "--note", "fine").code == 0
    result = at("result", "1", "--as", "ana", "--json")
    assert (result.code, result.json["guarantee"], result.json["charged"]) == (0, "dp", 0.3)
    assert abs(result.json["answers"][0]["rows"][0][0] - 300) < 200  # noise of scale 5: off by 200 once in e^40 runs
    assert "is available" in at("notifications", "--as", "ana").out

    head = tmp_path / "head.json"
    assert at("audit", "head", "--out", head).code == 0
    assert at("audit", "verify", "--head", head).code == 0
    told = json.loads(head.read_text("utf-8"))
    head.write_text(json.dumps(told | {"at": "2020-01-01"}), "utf-8")
    assert at("audit", "verify", "--head", head).code == 2


def test_whoever_acts_from_here_is_on_record_and_leaves_no_token(at: Typed) -> None:
    at("user", "add", "ana", "--role", "analyst", "--no-password")
    at("inbox", "--as", "ana")
    assert at("token", "--list", "--json").json == []
    acts = [
        (entry["who"], entry["about"]) for entry in at("audit", "show", "--json").json if entry["verb"] == "acts as"
    ]
    assert acts == [(UNLOCKER, name) for name in ("cora", "ana", "cora", "cora")]


def test_whoever_is_kept_out_is_kept_out_here_too(at: Typed) -> None:
    at("user", "add", "ana", "--role", "analyst", "--no-password")
    at("user", "change", "ana", "--disable")
    assert at("inbox", "--as", "ana").code == 3


def test_a_wrong_passphrase_and_a_wrong_name(at: Typed, typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "wrong").write_text("another passphrase\n", "utf-8")
    wrong = typed("inbox", "--passphrase-file", tmp_path / "wrong")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)
    assert "another" not in wrong.err
    nobody = at("inbox", "--as", "nobody")
    assert (nobody.code, nobody.err.split(".")[0]) == (2, "There is no user 'nobody'")
    elsewhere = at("inbox", "--workspace", tmp_path)
    assert (elsewhere.code, elsewhere.err.split(".")[0]) == (2, f"{tmp_path} is not a workspace")
