"""`sfumato dataset add --url`: a table of a real PostgreSQL, read by a worker of a workspace, from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.composition.create import create_workspace
from sfumato.composition.settings import WorkspaceSettings
from tests.e2e.command import Typed
from tests.e2e.served import CHEAP
from tests.engines import Clinic, clinic

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

PASSPHRASE, PASSWORD = "a passphrase of tests", "four words put together"
SCHEMA = 'name = "beds"\n[columns.days]\ntype = "integer"\nbounds = [0, 60]\n'
POLICY = '[rule]\ngap = 1.2\nworst_case = true\n[[access_rule]]\nwho = ["ana"]\napprove = "automatic"\n'
COUNT = "SELECT COUNT(*) FROM beds WHERE days > 5"


@pytest.fixture(scope="module")
def here() -> Iterator[Clinic]:
    with clinic() as made:
        made.ask_for_password("keeper", PASSWORD)
        yield made


def test_a_table_is_added_changed_and_connected_again(
    typed: Typed, here: Clinic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SFUMATO_SERVER", "SFUMATO_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    table = here.store(pa.table({"days": pa.array([i % 60 for i in range(1000)], pa.int64())}))
    with here.owner() as owner:
        owner.execute(f"GRANT SELECT ON {table} TO keeper".encode())
    settings = WorkspaceSettings(workers=1, undo_seconds=0, data_servers=(here.folder,))
    at = tmp_path / "w"
    create_workspace(at, admin="cora", password=PASSWORD, passphrase=PASSPHRASE, settings=settings, cost=CHEAP)
    for name, text in {"pass": PASSPHRASE, "word": PASSWORD, "s.toml": SCHEMA, "p.toml": POLICY}.items():
        (tmp_path / name).write_text(f"{text}\n", "utf-8")
    end = ("--workspace", at, "--passphrase-file", tmp_path / "pass")
    add = ("dataset", "add", "--schema", tmp_path / "s.toml", "--url-password-file", tmp_path / "word", *end)
    url = f"postgresql://keeper@/postgres?host={here.folder}"

    for wrong, sentence in (
        (("--url", url.replace("keeper", "keeper:xyzzy"), "--table", table), "The URL has a password in it"),
        (("--url", url), "--url needs one table"),
        (("--url", "postgresql://keeper@10.0.0.1/x", "--table", table), "may not read from the server"),
        (("--url", url, "--table", "clinic.absent"), "no table clinic.absent"),
    ):
        ran = typed(*add, *wrong)
        assert (ran.code in (2, 3), sentence in ran.err, "xyzzy" in ran.err) == (True, True, False), ran.err

    assert typed("user", "add", "ana", "--role", "analyst", "--no-password", *end).code == 0
    added = typed(*add, "--url", url, "--table", table)
    assert (added.code, "keeper" in added.out) == (0, False), added.err
    assert typed("policy", "set", "beds", tmp_path / "p.toml", *end).code == 0
    submit = ("submit", "beds", "--sql", COUNT, "--purpose", "planning", "--as", "ana", *end)
    assert typed(*submit).code == 0
    first = typed("result", "1", "--wait", "--as", "ana", "--json", *end)
    assert abs(first.json["answers"][0]["rows"][0][0] - 901) < 200  # noise of scale 5

    with here.owner() as owner:
        owner.execute(f"INSERT INTO {table} VALUES (7)".encode())
    typed(*submit)
    changed = typed("result", "2", "--wait", "--as", "ana", *end)
    assert "changed after it was registered" in changed.out + changed.err
    assert typed("dataset", "connect", "beds", *end).code == 0
    typed(*submit)
    assert typed("result", "3", "--wait", "--as", "ana", "--json", *end).json["guarantee"] == "dp"
