"""PRI's story (4.2.1 steps 0 to 3, 6.2.4): a server, a controller and an analyst, each a process of their own."""

from __future__ import annotations

import os
import random
import signal
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from sfumato.adapters.storage.database import Database
from sfumato.client.client import connect
from sfumato.client.submissions import RemoteRequest
from sfumato.composition.settings import WorkspaceSettings
from sfumato.errors import AwaitingApproval, Gone
from sfumato.ledger.entry import NANO, Entry, Event, verify
from tests.depth import depth
from tests.e2e import census
from tests.e2e.command import PATIENCE, Typed, sfumato
from tests.e2e.people import Somebody
from tests.e2e.served import PASSWORD, PEOPLE, Served, Tokens, prepared, secret_file, until

pytestmark = pytest.mark.e2e

FAR = 250  # noise of scale 10 is further from 0 in e^-25 of all draws: one false alarm in 10^10 runs of seven numbers
POLICY = {
    "purpose": "planning of care",
    "budget": 1.0,
    "access_rule": [{"who": ["Health Board"], "preferences": ["rule", "epsilon"], "approve": "by a controller"}],
}
CONTROLLER = f"""
held = me.register("DATA", "SCHEMA", title="A census")
say(held.as_dict())
say(me.set_policy("adult", {POLICY!r}).as_dict())
asked = until(me.inbox)[0]
[notice] = me.notifications()
say([notice.as_dict(), asked.page().as_dict()])
hear()
say(asked.approve("For the report of the year.").state)
"""
ANALYST = f"""
from sfumato.errors import AwaitingApproval

queries = {list(census.QUERIES)!r}
data = me.dataset("adult")
estimate = data.estimate(queries, {{"epsilon": 0.1}})
say(estimate.as_dict())
say(data.dry_run(queries, {{"epsilon": 0.1}}).as_dict())
request = data.submit(queries, estimate, purpose="How many live here, and how?")
try:
    request.result()
except AwaitingApproval as waiting:
    say([request.id, str(waiting), request.state])
hear()
answers = request.wait({PATIENCE}).result()
say(answers.as_dict())
say([notice.as_dict()["text"] for notice in me.notifications()])
say(data.ledger.as_dict())
"""


def kinds(*ordered: str) -> list[str]:
    """The kinds of databases that a test is run on: the first of them, or both at full depth."""
    return list(ordered[: depth("kinds of databases")])


@pytest.fixture(scope="module")
def database(request: pytest.FixtureRequest) -> str:
    """As `sfumato init` is told it."""
    return "sqlite" if request.param == "sqlite" else request.getfixturevalue("postgres").new()


def near(answers: list[Mapping[str, Any]], data: Path) -> bool:
    found, true = census.counted(answers), census.truth(data)
    return all(
        one.keys() == other.keys() and all(abs(one[key] - other[key]) < FAR for key in other)
        for one, other in zip(found, true, strict=True)
    )


@pytest.mark.depth("kinds of databases")
@pytest.mark.parametrize("database", kinds("sqlite", "postgresql"), indirect=True)
def test_the_story(database: str, typed: Typed, tmp_path: Path) -> None:
    """Step 0: the platform has the data, encrypted, and who may ask what of it."""
    data, schema = census.written(tmp_path, 2000)
    (folder := tmp_path / "server").mkdir()
    with Served(folder) as served:
        tokens = first_morning(served, database)
        controller = CONTROLLER.replace("DATA", str(data)).replace("SCHEMA", str(schema))
        with Somebody(tmp_path / "alice", served.url, tokens.alice, controller) as alice:
            held = alice.said()
            assert held["version"]
            [kept] = (served.workspace / "vault").iterdir()
            assert kept.stat().st_size > data.stat().st_size
            assert data.read_bytes()[:40] not in kept.read_bytes()
            assert alice.said()["number"] == 1

            with Somebody(tmp_path / "bob", served.url, tokens.bob, ANALYST) as bob:
                ask_and_wait(served, alice, bob, typed, tokens.bob)
                told = bob.said()
                assert near(told["answers"], data)
                assert (told["charged"], told["guarantee"]) == (0.3, "dp")
                assert {answer["certificate"]["epsilon"] for answer in told["answers"]} == {0.1}
                assert {answer["certificate"]["released_by"] for answer in told["answers"]} == {"alice"}
                newest, before = bob.said()
                assert newest == "The answer to request 1 is available."
                assert before.endswith("For the report of the year.")
                spent = bob.said()
                assert (spent["spent"], spent["guarantee"]) == (0.3, "dp")
                assert "entries" not in spent
                bob.leaves()
            alice.leaves()
        with served.client(tokens.carol) as carol:
            assert carol.verify_audit().as_dict().keys() == {"ledger", "audit", "sentence"}
            verbs = [entry.as_dict()["verb"] for entry in carol.audit()]
            assert [verb for verb in verbs if verb in ("submitted", "inspected", "approved", "released")] == [
                "submitted", "inspected", "approved", "released"
            ]  # fmt: skip
        assert served.stop() == 0
        assert "Traceback" not in served.log


def ask_and_wait(served: Served, alice: Somebody, bob: Somebody, typed: Typed, token: str) -> None:
    """Steps 1 to 3: queries come, a controller inspects and approves them; the platform is stopped right then."""
    assert bob.said()["epsilon"] == 0.3
    dry = bob.said()
    assert dry["synthetic"]
    assert [len(answer["rows"]) for answer in dry["answers"]] == [1, 5, 1]
    id, sentence, state = bob.said()
    assert state == "submitted"
    assert sentence.startswith("There is no answer yet: the request awaits the decision of a controller.")
    at = ("--server", served.url, "--token-file", secret_file(served.folder, "token", token))
    told = typed("result", id, *at)
    assert (told.code, told.out, told.err.count("\n")) == (4, "", 1)

    notice, page = alice.said()
    assert notice["text"] == "bob submitted request 1 to adult. It waits for a decision."
    assert page["analyst"] == {"name": "bob", "organisation": "Health Board"}
    assert page["request"]["purpose"] == "How many live here, and how?"
    assert [query["outputs"] for query in page["facts"]["queries"]] == [1, 5, 1]
    assert (page["facts"]["epsilon"], page["facts"]["left"], page["looked"]) == (0.3, 1.0, False)
    alice.tell()
    assert alice.said() in ("approved", "running", "released")
    assert served.stop() == 0
    served.start()
    bob.tell()


def first_morning(served: Served, database: str) -> Tokens:
    """As an operator does it: the workspace is made, served, and people are let in."""
    secret = secret_file(served.folder, "password", PASSWORD)
    made = sfumato("init", served.workspace, "--admin", "root", "--password-file", secret,
                   "--passphrase-file", served.passphrase_file, "--database", database)  # fmt: skip
    assert (made.code, made.err) == (0, "")
    settings = served.workspace / "sfumato.toml"
    settings.write_text(settings.read_text("utf-8").replace("# workers = 2", "workers = 1"), "utf-8")
    served.start()
    with connect(served.url, name="root", password=PASSWORD, timeout=PATIENCE) as root:
        for name, role, organisation in PEOPLE:
            root.add_person(name, role, organisation=organisation)
        return Tokens(*(root.new_token(person=name).secret for name, *_ in PEOPLE))


# The platform is killed


class Platform:
    """A server with one worker, on a database of its own; what is asked of it is one count after the other."""

    def __init__(self, folder: Path, database: str, data: Path) -> None:
        settings = WorkspaceSettings(database=database, workers=1)
        tokens = prepared(folder, settings)
        self.data, self.served = data, Served(folder).start()
        self.alice, self.bob = self.served.client(tokens.alice), self.served.client(tokens.bob)
        self._database = Database(settings.database_url(self.served.workspace))

    def hold(self, name: str, policy: Mapping[str, Any]) -> None:
        """The data once more, under a name and a policy of a test's own."""
        self.alice.register(self.data, tomllib.loads(census.SCHEMA) | {"name": name})
        self.alice.set_policy(name, policy)

    def asked(self, name: str, epsilon: float) -> tuple[RemoteRequest, RemoteRequest]:
        """A request as the analyst and as the controller have it, whose page the controller has seen."""
        sql = census.QUERIES[0].replace("FROM adult", f"FROM {name}")
        mine = self.bob.dataset(name).submit([sql], {"epsilon": epsilon}, purpose="A test of power.")
        theirs = self.alice.request(mine.id)
        theirs.page()
        return mine, theirs

    def settled(self, request: RemoteRequest) -> str:
        return request.wait(PATIENCE, report=lambda _: None).state

    def charges(self) -> list[float]:
        return [entry.draft.nano_epsilon / NANO for entry in self._entries(Event.RESERVED)]

    def answers(self) -> list[Any]:
        return [_public(entry)["answer"]["rows"] for entry in self._entries(Event.RELEASED)]

    def _entries(self, event: Event) -> list[Entry]:
        entries = self._database.ledger().read(0)
        verify(entries)
        return [entry for entry in entries if entry.draft.event is event]

    @contextmanager
    def worker_stopped(self) -> Iterator[None]:
        """What its worker is told meanwhile is done later, or never; so it is with that of controllers."""
        workers = self.served.workers
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
        yield
        for worker in workers:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGCONT)

    def awaits_its_worker(self) -> bool:
        """Whether a thread of the server is in a system call on a socket: it reads what its worker says to a job."""
        process = Path("/proc", str(self.served.pid))
        for task in process.glob("task/*"):
            call = (task / "syscall").read_text("ascii").split()
            with suppress(OSError, IndexError, OverflowError):
                if str((process / "fd" / str(int(call[1], 16))).readlink()).startswith("socket:"):
                    return True
        return False

    def close(self) -> None:
        for one in (self.alice, self.bob, self._database):
            one.close()

    def killed(self) -> None:
        self.served.kill()
        self.served.start()


def _public(entry: Entry) -> dict[str, Any]:
    return dict(entry.draft.public)


@pytest.fixture(scope="module")
def platform(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """For tests that each hold the data under a name of their own, and ask at epsilons that no other asks at."""
    folder = tmp_path_factory.mktemp("platform")
    (folder / "server").mkdir()
    found = Platform(folder / "server", database, census.written(folder, 2000)[0])
    with found.served, closing(found):
        yield found


BY_A_CONTROLLER = {"access_rule": POLICY["access_rule"]}
ON_A_PLATFORM = pytest.mark.parametrize("database", kinds("postgresql", "sqlite"), indirect=True)


@ON_A_PLATFORM
def test_killed_while_it_runs(platform: Platform) -> None:
    """What ran has failed and what waited goes on; what was drawn is charged although nobody saw it."""
    platform.hold("running", BY_A_CONTROLLER)
    charges, answers = len(platform.charges()), len(platform.answers())
    (first, approve_first), (second, approve_second) = (platform.asked("running", e) for e in (1.1, 1.2))
    with platform.worker_stopped():
        approve_first.approve()
        approve_second.approve()
        until(lambda: first.state == "running")
        assert second.state == "approved"
        platform.killed()
    assert platform.settled(second) == "released"
    assert first.state == "failed"
    assert platform.charges()[charges:] == [1.2], "of the first nothing was drawn"
    with pytest.raises(Gone, match="stopped while it ran"):
        first.result()

    third, approve_third = platform.asked("running", 1.4)
    with platform.worker_stopped():
        approve_third.approve()
        until(lambda: third.state == "running")
        until(platform.awaits_its_worker)  # what it is to do is on its way
        os.kill(platform.served.pid, signal.SIGSTOP)
    until(lambda: platform.charges()[charges:] == [1.2, 1.4] and len(platform.answers()) == answers + 2)
    platform.killed()
    assert platform.settled(third) == "failed", "the platform did not hear the answer"
    with pytest.raises(Gone):
        third.result()

    redraw, approve_again = platform.asked("running", 1.4)
    approve_again.approve()
    assert platform.settled(redraw) == "released"
    assert platform.charges()[charges:] == [1.2, 1.4], "it was drawn and charged before"
    assert [list(row) for row in redraw.result()[0].rows] == platform.answers()[answers + 1]


@ON_A_PLATFORM
@pytest.mark.depth("escrow kills", seed=7)
def test_killed_at_any_moment(platform: Platform) -> None:
    platform.hold("killed", BY_A_CONTROLLER)
    chance = random.Random(7)
    for kill in range(depth("escrow kills")):
        epsilon = 0.01 * (kill + 1)
        request, decision = platform.asked("killed", epsilon)
        decision.approve()
        time.sleep(chance.uniform(0, 0.5))  # whatever it is doing then
        platform.killed()
        state, charged = platform.settled(request), platform.charges().count(epsilon)
        assert state in ("released", "failed")
        assert charged <= 1
        if state == "released":
            assert charged == 1
            assert [list(row) for row in request.result()[0].rows] in platform.answers()
        assert len(platform.answers()) <= len(platform.charges())


@ON_A_PLATFORM
def test_the_papers_own_order(platform: Platform) -> None:
    """Compute, withhold, look at both answers, then approve (4.2.1 steps 2 and 3): it carries no guarantee."""
    flow = {"who": ["bob"], "preferences": ["epsilon"], "approve": "after the answer", "guarantees": ["none"]}
    platform.hold("looked", {"access_rule": [flow]})
    charges, (mine, theirs) = len(platform.charges()), platform.asked("looked", 1.9)
    theirs.approve(allow_no_guarantee=True)
    until(lambda: mine.state == "computed")
    with pytest.raises(AwaitingApproval):
        mine.result()
    looked = theirs.answer().as_dict()
    [[[true]]] = looked["true"]
    assert abs(looked["answers"][0]["rows"][0][0] - true) < FAR
    theirs.approve(allow_no_guarantee=True)
    assert platform.settled(mine) == "released"
    answers = mine.result()
    assert (answers.guarantee, answers.charged) == ("none", None)
    assert answers[0].certificate.epsilon is None
    assert len(platform.charges()) == charges + 1
