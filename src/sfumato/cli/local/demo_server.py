"""`sfumato demo --serve`: a web app with two users and a request to approve."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sfumato import demo

if TYPE_CHECKING:
    from sfumato.composition.workspace import Workspace
    from sfumato.server.settings import Guest

HOST = "127.0.0.1"  # the passwords are public, so no other machine may connect
PASSWORD = "no one lives here"
CONTROLLER, ANALYST, BOARD = "clara", "arthur", "Health Board"
POLICY = {
    "purpose": "planning of work and care",
    "rule": {"gap": 1.2, "worst_case": True},
    "epsilon_max": 1.0,
    "budget": 15.0,  # room for one signal as published, which is charged 10
    "introduction": False,  # visitors may decide at once; every page links to it
    "public_page": True,
    "trust": {BOARD: "low"},
    "sensitivity": {"dataset": "high"},
    "access_rule": [
        {
            "who": [BOARD],
            "preferences": ["rule", "epsilon", "gap", "within"],
            "approve": "by a controller",
            "signals": ["free", "noisy_difference", "sample_and_aggregate", "as_published"],
            "code": True,
        }
    ],
}
ANSWERED = ("SELECT sex, COUNT(*) AS people FROM adult GROUP BY sex", "how many women and men there are")
WAITING = (
    "SELECT marital_status, SUM(hours_per_week) AS hours FROM adult GROUP BY marital_status",
    "hours worked by marital status, for the regional health board",
)


def serve_demo(port: int, rows: int, seed: int, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C, then delete everything."""
    from sfumato.composition.workspace import open_workspace
    from sfumato.server.app import create_app
    from sfumato.server.run import bind_socket, serve
    from sfumato.server.settings import ServerSettings

    with TemporaryDirectory(prefix="sfumato-demo-") as folder, bind_socket(HOST, port) as taken:
        place = Path(folder) / "workspace"
        say(f"Generating {rows:,} people and a first answer …")
        key = create_demo_workspace(place, rows, seed)
        with open_workspace(place, key_file=key) as workspace:
            guests = demo_guests(workspace)
            url = f"http://{HOST}:{taken.getsockname()[1]}"
            say(f"Open {url}")
            say("All data is generated. Sign in with one click on the page, or as:")
            for guest in guests:
                say(f"  {guest.role:<10} {guest.name:<8} password: {guest.password}")
            say("Press Ctrl-C to stop; everything is deleted then.")
            serve(create_app(workspace.escrow, ServerSettings(guests=guests)), taken, stop=workspace.stop)


def create_demo_workspace(place: Path, rows: int, seed: int) -> Path:
    """A workspace of the embedded population, with users, a policy, a released answer and a request to approve."""
    from sfumato.composition.create import create_workspace
    from sfumato.composition.workspace import open_workspace

    key = place.parent / "key"
    key.write_bytes(os.urandom(32))
    key.chmod(0o600)
    data, schema = demo.write(place.parent, rows, seed)
    create_workspace(place, admin=CONTROLLER, password=PASSWORD, key_file=key)
    with open_workspace(place, key_file=key) as workspace:
        escrow = workspace.escrow
        clara = escrow.accounts.one(CONTROLLER)
        arthur = escrow.accounts.add(clara, ANALYST, ["analyst"], organisation=BOARD, password=PASSWORD)
        escrow.datasets.register(clara, schema.read_text(encoding="utf-8"), title="Generated census data")
        with data.open("rb") as rows_of_it:
            escrow.datasets.deliver(clara, "adult", iter(lambda: rows_of_it.read(1 << 20), b""), "parquet")
        escrow.policies.set(clara, "adult", POLICY)
        sql, purpose = ANSWERED
        answered = escrow.requests.submit(arthur, "adult", purpose, [{"sql": sql}], None)
        binding = escrow.requests.approval.inspect(clara, answered.id, rehearse=False).binding
        escrow.requests.approval.approve(clara, answered.id, binding, note="For the yearly report.", at_once=True)
        sql, purpose = WAITING
        escrow.requests.submit(arthur, "adult", purpose, [{"sql": sql}], None)
    return key


def demo_guests(workspace: Workspace) -> tuple[Guest, ...]:
    """Users who sign in with one click: the controller begins at the request, the analyst at the editor."""
    from sfumato.server.settings import Guest

    escrow = workspace.escrow
    (waiting,) = escrow.requests.many(escrow.accounts.one(CONTROLLER), state="submitted")
    return (
        Guest(CONTROLLER, PASSWORD, "controller", f"/requests/{waiting.submission.id}"),
        Guest(ANALYST, PASSWORD, "analyst", "/datasets/adult/ask"),
    )
