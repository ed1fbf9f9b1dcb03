"""A workspace that is not what it should be: one sentence says so and what to do, and nothing is left half done."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sfumato.errors import BadInput
from sfumato.workspace.opening import opened, served
from sfumato.workspace.settings import Settings, load
from tests.e2e.command import Ran, Typed, sfumato
from tests.e2e.served import PASSPHRASE, PASSWORD, prepared, secret_file

pytestmark = pytest.mark.e2e

SCHEMA = 'name = "t"\n[rule]\nepsilon = 0.1\n[columns.age]\ntype = "integer"\nbounds = [0, 100]\n'
FLOW = '[[flow]]\nwho = ["bob"]\napprove = "automatic"\n'
SQL = "SELECT COUNT(*) FROM t"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a dataset, its policy, and an answer that was released."""
    folder = tmp_path_factory.mktemp("template")
    prepared(folder, Settings(workers=1))
    with opened(folder / "workspace", passphrase=PASSPHRASE) as workspace:
        escrow = workspace.escrow
        alice, bob = escrow.people.one("alice"), escrow.people.one("bob")
        escrow.datasets.register(alice, SCHEMA)
        escrow.datasets.deliver(alice, "t", [b"age\n", b"30\n40\n" * 100], "csv")
        escrow.policies.set(alice, "t", {"flow": [{"who": ["bob"], "approve": "automatic"}]})
        asked = escrow.requests.submit(bob, "t", "To be checked.", [{"sql": SQL}])
    with opened(folder / "workspace", passphrase=PASSPHRASE) as workspace:
        assert workspace.escrow.requests.one(bob, asked.id)["state"] == "released", "closing waits for it"
    return folder / "workspace"


@pytest.fixture
def workspace(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "workspace"))


@pytest.fixture
def passphrase(tmp_path: Path) -> Path:
    return secret_file(tmp_path / "workspace", "passphrase", PASSPHRASE)


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def database(workspace: Path, *statements: str) -> None:
    """What somebody does who has the file and no scruples."""
    with sqlite3.connect(workspace / "escrow.db") as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def assert_refused(ran: Ran, sentence: str, code: int = 2) -> None:
    assert ran.code == code
    assert ran.out == ""
    assert ran.err.startswith(sentence), ran.err
    assert ran.err.count("\n") == 1
    assert " Hint: " in ran.err


def newer_settings(workspace: Path) -> None:
    file = workspace / "sfumato.toml"
    file.write_text(file.read_text("utf-8").replace("format = 1", "format = 2"), "utf-8")


def newer_database(workspace: Path) -> None:
    database(workspace, "UPDATE sfumato_revision SET version_num = '9999'")


def newer_vault(workspace: Path) -> None:
    file = workspace / "vault.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"version": 2}), "utf-8")


# Bad input


def test_a_wrong_passphrase(typed: Typed, workspace: Path, tmp_path: Path) -> None:
    wrong, before = secret_file(tmp_path / "workspace", "wrong", "open says me"), content(workspace)
    sentence = "That is not the passphrase of this workspace."
    assert_refused(typed("dataset", "list", "--workspace", workspace, "--passphrase-file", wrong), sentence)
    assert_refused(typed("serve", workspace, "--passphrase-file", wrong), sentence)
    assert content(workspace) == before


@pytest.mark.parametrize(
    ("made_newer", "what"),
    [
        (newer_settings, "This workspace was made by a newer sfumato"),
        (newer_database, "This workspace was made by a newer sfumato"),
        (newer_vault, "This workspace was made by a newer sfumato"),
    ],
)
def test_a_workspace_of_a_newer_version(
    typed: Typed, workspace: Path, passphrase: Path, made_newer: Callable[[Path], None], what: str
) -> None:
    made_newer(workspace)
    before = content(workspace)
    for command in (("dataset", "list", "--workspace", workspace), ("serve", workspace)):
        assert_refused(typed(*command, "--passphrase-file", passphrase), what)
    assert content(workspace) == before
    ran = typed("doctor", workspace, "--passphrase-file", passphrase)
    assert "newer sfumato" in ran.out + ran.err


def test_a_file_that_does_not_fit_its_schema(typed: Typed, workspace: Path, passphrase: Path, tmp_path: Path) -> None:
    at = ("--workspace", workspace, "--passphrase-file", passphrase, "--as", "alice")
    (schema := tmp_path / "u.toml").write_text(SCHEMA.replace('"t"', '"u"'), "utf-8")
    (unfit := tmp_path / "unfit.csv").write_text("years\n30\n", "utf-8")
    (fit := tmp_path / "fit.csv").write_text("age\n30\n", "utf-8")
    kept = content(workspace / "vault")
    assert_refused(typed("dataset", "add", "--schema", schema, unfit, *at), "Column 'age' is in ")
    assert content(workspace / "vault") == kept
    assert_refused(typed("dataset", "deliver", "t", unfit, *at), "Column 'age' is in ")
    assert content(workspace / "vault") == kept
    assert typed("dataset", "add", "--schema", schema, fit, *at).code == 0


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ("purpose = 'none'\n", "The policy names nobody: without a flow nothing goes to anybody."),
        ("[[flow]]\nwho = []\n", "The policy names nobody: a flow says whom it goes to: [[flow]] 1."),
        ('[[flow]]\nwho = ["bop"]\n', "The policy names 'bop', and there is nobody of that name: [[flow]] 1."),
    ],
)
def test_a_policy_that_names_nobody(
    typed: Typed, workspace: Path, passphrase: Path, tmp_path: Path, policy: str, sentence: str
) -> None:
    at = ("--workspace", workspace, "--passphrase-file", passphrase, "--as", "alice")
    (file := tmp_path / "policy.toml").write_text(policy, "utf-8")
    assert_refused(typed("policy", "set", "t", file, *at), sentence)
    assert typed("policy", "show", "t", *at, "--json").json["number"] == 1


def test_a_port_in_use(workspace: Path, passphrase: Path) -> None:
    before = content(workspace)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = sfumato("serve", workspace, "--port", port, "--passphrase-file", passphrase)
    assert_refused(ran, f"Port {port} of 127.0.0.1 is in use.")
    assert content(workspace) == before


def test_a_workspace_that_is_there_already(typed: Typed, workspace: Path, passphrase: Path, tmp_path: Path) -> None:
    before = content(workspace)
    secrets = ("--passphrase-file", passphrase, "--password-file", secret_file(tmp_path / "w", "password", PASSWORD))
    assert_refused(typed("init", workspace, *secrets), f"{workspace} is there already.")
    assert content(workspace) == before


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (("--database", "postgresql+psycopg://nobody@127.0.0.1:9/none"), "The database "),
        (("--database", "mysql://here"), "The database "),
        (("--admin", "ROOT/.."), "'ROOT/..' is no name for a person."),
    ],
)
def test_a_workspace_that_cannot_be_made_is_not_made(
    typed: Typed, passphrase: Path, tmp_path: Path, option: tuple[str, ...], sentence: str
) -> None:
    secrets = ("--passphrase-file", passphrase, "--password-file", secret_file(tmp_path / "w", "password", PASSWORD))
    ran = typed("init", tmp_path / "new", *secrets, *option)
    assert ran.code in (1, 2)
    assert_refused(ran, sentence, ran.code)
    assert not (tmp_path / "new").exists()


# What the doctor finds


def found(typed: Typed, workspace: Path, passphrase: Path) -> tuple[int, dict[str, str]]:
    """How it ended, and what is wrong."""
    ran = typed("doctor", workspace, "--passphrase-file", passphrase, "--json")
    return ran.code, {one["what"]: one["said"] for one in ran.json if one["good"] is False}


def test_a_healthy_workspace(typed: Typed, workspace: Path, passphrase: Path) -> None:
    before = content(workspace)
    assert found(typed, workspace, passphrase) == (0, {})
    assert content(workspace) == before


def test_a_machine_without_a_sandbox(
    typed: Typed, workspace: Path, passphrase: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is ill: what cannot be done here, and what to install, is said."""
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = typed("doctor", workspace, "--passphrase-file", passphrase, "--json")
    [said] = [one for one in ran.json if one["what"] == "sandbox"]
    assert (ran.code, said["good"]) == (0, None)
    assert "which cannot be used here" in said["said"]
    assert "apt install bubblewrap" in said["do"]


def edit_the_ledger(workspace: Path) -> None:
    database(workspace, "DROP TRIGGER ledger_no_update", "UPDATE ledger SET nano_epsilon = 0 WHERE event = 'reserved'")


def edit_the_record(workspace: Path) -> None:
    database(workspace, "DROP TRIGGER audit_no_update", "UPDATE audit SET who = 'carol' WHERE who = 'bob'")


def edit_the_policy(workspace: Path) -> None:
    database(workspace, "UPDATE policies SET author = 'carol'")


def put_another_policy(workspace: Path) -> None:
    database(workspace, "UPDATE policies SET sealed = (SELECT sealed_key FROM people WHERE name = 'alice')")


def remove_the_data(workspace: Path) -> None:
    shutil.rmtree(workspace / "vault")


def alter_the_data(workspace: Path) -> None:
    [file] = (workspace / "vault").iterdir()
    altered = bytearray(file.read_bytes())
    altered[-1] ^= 1
    file.write_bytes(altered)


def let_others_in(workspace: Path) -> None:
    workspace.chmod(0o755)


@pytest.mark.parametrize(
    ("broken", "what", "sentence"),
    [
        (edit_the_ledger, "ledger", "entry "),  # and nothing is released on top of it
        (edit_the_record, "audit log", "entry "),
        (edit_the_policy, "dataset t", "policy"),
        (put_another_policy, "dataset t", "policy"),
        (remove_the_data, "dataset t", "The data of 't' cannot be read from the vault"),
        (alter_the_data, "dataset t", "The data of 't' was altered"),
        (let_others_in, "access", "Others may look into the folder."),
    ],
)
def test_what_is_wrong_is_named(
    typed: Typed, workspace: Path, passphrase: Path, broken: Callable[[Path], None], what: str, sentence: str
) -> None:
    broken(workspace)
    code, wrong = found(typed, workspace, passphrase)
    assert code == 1
    assert set(wrong) == {what, *(["dataset t"] if what == "ledger" else [])}
    assert sentence in wrong[what]


def test_a_workspace_in_a_file_has_one_server(workspace: Path) -> None:
    settings = load(workspace)
    shared = replace(settings, database="postgresql+psycopg://sfumato@/escrow")
    with served(workspace, settings) as alone:
        assert alone
        with pytest.raises(BadInput, match="is being served already"), served(workspace, settings):
            pass
        with served(workspace, shared) as second:
            assert not second
