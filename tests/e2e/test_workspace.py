"""A workspace that is not what it should be: one sentence says so and what to do, and nothing is left half done."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from sfumato.composition import create
from sfumato.composition.settings import WorkspaceSettings, load
from sfumato.composition.workspace import lock_for_serving, open_workspace
from sfumato.errors import BadInput
from tests.e2e.command import Ran, Typed, sfumato
from tests.e2e.served import CHEAP, PASSPHRASE, PASSWORD, prepared, secret_file

pytestmark = pytest.mark.e2e

SCHEMA = 'name = "t"\n[rule]\nepsilon = 0.1\n[columns.age]\ntype = "integer"\nbounds = [0, 100]\n'
FLOW = '[[access_rule]]\nwho = ["bob"]\napprove = "automatic"\n'
SQL = "SELECT COUNT(*) FROM t"
HELD = {"t": 100, "edited": 10, "swapped": 10, "removed": 1000, "altered": 2000}  # datasets, and how large they are


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a dataset, its policy, and an answer that was released; and datasets for others' faults."""
    folder = tmp_path_factory.mktemp("template")
    prepared(folder, WorkspaceSettings(workers=1))
    with open_workspace(folder / "workspace", passphrase=PASSPHRASE) as workspace:
        escrow = workspace.escrow
        alice, bob = escrow.accounts.one("alice"), escrow.accounts.one("bob")
        for name, rows in HELD.items():
            escrow.datasets.register(alice, SCHEMA.replace('"t"', f'"{name}"'))
            escrow.datasets.deliver(alice, name, [b"age\n", b"30\n40\n" * rows], "csv")
            escrow.policies.set(alice, name, {"access_rule": [{"who": ["bob"], "approve": "automatic"}]})
        asked = escrow.requests.submit(bob, "t", "To be checked.", [{"sql": SQL}])
    with open_workspace(folder / "workspace", passphrase=PASSPHRASE) as workspace:
        assert workspace.escrow.requests.one(bob, asked.id).submission.state == "released", "closing waits for it"
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
    with closing(sqlite3.connect(workspace / "escrow.db")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def assert_refused(ran: Ran, sentence: str, code: int = 2) -> None:
    assert ran.code == code
    assert ran.out == ""
    assert ran.err.startswith(sentence), ran.err
    assert ran.err.count("\n") == 1
    assert " Hint: " in ran.err


def newer_settings(workspace: Path) -> None:
    file = workspace / "sfumato.toml"
    file.write_text(file.read_text("utf-8").replace("format = 2", "format = 3"), "utf-8")


def newer_database(workspace: Path) -> None:
    database(workspace, "UPDATE sfumato_format SET version_num = '9999'")


def newer_vault(workspace: Path) -> None:
    file = workspace / "vault.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"version": 2}), "utf-8")


# Bad input


def test_a_wrong_passphrase(typed: Typed, workspace: Path, tmp_path: Path) -> None:
    wrong, before = secret_file(tmp_path / "workspace", "wrong", "open says me"), content(workspace)
    sentence = "This is not the passphrase of this workspace."
    assert_refused(typed("dataset", "list", "--workspace", workspace, "--passphrase-file", wrong), sentence)
    assert_refused(typed("serve", workspace, "--passphrase-file", wrong), sentence)
    assert content(workspace) == before


@pytest.mark.parametrize(
    ("made_newer", "what"),
    [
        (
            newer_settings,
            "This workspace has format 3, and this version of sfumato reads formats up to 2: sfumato.toml. ",
        ),
        (
            newer_database,
            "This workspace has format 9999, and this version of sfumato reads formats up to 2: sqlite:///",
        ),
        (newer_vault, "This workspace was created by a newer version of sfumato"),
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
    assert "newer version of sfumato" in ran.out + ran.err


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
        ("purpose = 'none'\n", "The policy has no access rule, so no analyst would have access."),
        ("[[access_rule]]\nwho = []\n", "The access rule names no user: [[access_rule]] 1."),
        (
            '[[access_rule]]\nwho = ["bop"]\n',
            "The policy names 'bop', which is neither a user nor an organisation: [[access_rule]] 1.",
        ),
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
    assert_refused(typed("init", workspace, *secrets), f"{workspace} exists and is not an empty folder.")
    assert content(workspace) == before


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (("--database", "postgresql+psycopg://nobody@127.0.0.1:9/none"), "The database "),
        (("--database", "mysql://here"), "The database "),
        (("--admin", "ROOT/.."), "'ROOT/..' is not a valid user name."),
    ],
)
def test_a_workspace_that_cannot_be_made_is_not_made(
    typed: Typed,
    passphrase: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: tuple[str, ...],
    sentence: str,
) -> None:
    monkeypatch.setattr(create, "create_workspace", partial(create.create_workspace, cost=CHEAP))
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
    assert "the sandbox is not available" in said["said"]
    assert "apt install bubblewrap" in said["do"]


def edit_the_ledger(workspace: Path) -> None:
    database(workspace, "DROP TRIGGER ledger_no_update", "UPDATE ledger SET nano_epsilon = 0 WHERE event = 'reserved'")


def edit_the_record(workspace: Path) -> None:
    database(workspace, "DROP TRIGGER audit_no_update", "UPDATE audit SET who = 'carol' WHERE who = 'bob'")


def edit_the_policy(workspace: Path) -> None:
    database(workspace, "UPDATE policies SET author = 'carol' WHERE dataset = 'edited'")


def put_another_policy(workspace: Path) -> None:
    sealed = "(SELECT sealed_key FROM people WHERE name = 'alice')"
    database(workspace, f"UPDATE policies SET sealed = {sealed} WHERE dataset = 'swapped'")


def remove_the_data(workspace: Path) -> None:
    """Of the second largest dataset."""
    sorted((workspace / "vault").iterdir(), key=lambda file: file.stat().st_size)[-2].unlink()


def alter_the_data(workspace: Path) -> None:
    """Of the largest dataset."""
    file = max((workspace / "vault").iterdir(), key=lambda file: file.stat().st_size)
    altered = bytearray(file.read_bytes())
    altered[-1] ^= 1
    file.write_bytes(altered)


def let_others_in(workspace: Path) -> None:
    workspace.chmod(0o755)


FAULTS: list[tuple[Callable[[Path], None], str, str]] = [
    (edit_the_record, "audit log", "entry "),
    (edit_the_policy, "dataset edited", "policy"),
    (put_another_policy, "dataset swapped", "policy"),
    (remove_the_data, "dataset removed", "The stored data of 'removed' cannot be read, and nothing was computed"),
    (alter_the_data, "dataset altered", "The stored data of 'altered' was altered"),
    (let_others_in, "access", "Other users can read the folder."),
]


def test_what_is_wrong_is_named_and_nothing_else(typed: Typed, workspace: Path, passphrase: Path) -> None:
    """Each fault by itself, in one visit of the doctor: the dataset that nobody touched is well."""
    for broken, _, _ in FAULTS:
        broken(workspace)
    code, wrong = found(typed, workspace, passphrase)
    assert code == 1
    assert set(wrong) == {what for _, what, _ in FAULTS}
    for _, what, sentence in FAULTS:
        assert sentence in wrong[what]


def test_nothing_is_released_on_top_of_a_ledger_that_was_edited(
    typed: Typed, workspace: Path, passphrase: Path
) -> None:
    edit_the_ledger(workspace)
    code, wrong = found(typed, workspace, passphrase)
    assert (code, set(wrong)) == (1, {"ledger", *(f"dataset {name}" for name in HELD)})
    assert "entry " in wrong["ledger"]


def test_a_workspace_in_a_file_has_one_server(workspace: Path) -> None:
    settings = load(workspace)
    shared = replace(settings, database="postgresql+psycopg://sfumato@/escrow")
    with lock_for_serving(workspace, settings) as alone:
        assert alone
        with pytest.raises(BadInput, match="Another server already serves"), lock_for_serving(workspace, settings):
            pass
        with lock_for_serving(workspace, shared) as second:
            assert not second
