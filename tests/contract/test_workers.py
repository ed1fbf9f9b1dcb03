"""What workers must do: answer, pass refusals on, say nothing else, and end when they should, whatever they do."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sfumato.adapters.workers.pool import Workers
from sfumato.errors import Cancelled, EngineFailure, NoGuarantee, QueryError, SourceError
from tests.contract import jobs

SECRET = "a secret of 32 bytes"
PATIENCE = 120.0  # seconds, on a machine that does much else; what has to be stopped would go on for longer


def pool(given: object = SECRET, **limits: Any) -> closing[Workers]:
    return closing(Workers(jobs.work, jobs.set_up, given, **limits))


def until(happens: Callable[[], object]) -> None:
    begun = time.monotonic()
    while not happens():
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.01)


@pytest.fixture(scope="module")
def two() -> Iterator[Workers]:
    with pool() as workers:
        for i in range(2):
            workers.run(f"warm {i}", {"do": "seen"})
        yield workers


@pytest.fixture
def background() -> Iterator[Callable[..., Future[Mapping[str, Any]]]]:
    with ThreadPoolExecutor(12) as threads:
        yield threads.submit


Background = Callable[..., "Future[Mapping[str, Any]]"]


def lives(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return False


# Answers


def test_a_job_is_answered_by_a_process_that_was_set_up_once(two: Workers) -> None:
    job = {"do": "seen", "numbers": [0.1, 1e300, -0.0], "nothing": None, "text": "\N{WHITE SMILING FACE}"}
    answers = [two.run("it", job) for _ in range(4)]
    assert all(answer["job"] == job and answer["given"] == SECRET for answer in answers)
    assert {answer["pid"] for answer in answers}.isdisjoint({os.getpid()})
    assert max(answer["jobs"] for answer in answers) > 1


def test_what_it_is_given_is_neither_on_a_command_line_nor_in_the_environment(two: Workers) -> None:
    assert SECRET not in two.run("it", {"do": "surroundings"})["told"]


def test_a_worker_is_alone(two: Workers, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, pool(size=1) as fresh:
        listening.set_inheritable(True)
        for workers in (two, fresh):
            found = workers.run("it", {"do": "surroundings"})
            assert found["streams"] == ["/dev/null"] * 3
            assert found["sockets"] == 1  # its line to us
            assert found["files"] == []
            assert found["core"] == [0, 0]
            assert found["leads"]
    assert capfd.readouterr() == ("", "")


# Errors


def test_refusals_cross(two: Workers) -> None:
    with pytest.raises(QueryError) as bad:
        two.run("it", {"do": "fail", "how": "query"})
    assert str(bad.value) == "No such column: line 1, column 8. Hint: there are others."
    with pytest.raises(NoGuarantee, match=r"^This would have no guarantee\. Hint: say so\.$"):
        two.run("it", {"do": "fail", "how": "no guarantee"})


def test_a_worker_that_refused_works_on(two: Workers) -> None:
    before = {two.run("it", {"do": "seen"})["pid"] for _ in range(2)}
    for how in ("query", "no guarantee", "engine"):
        with pytest.raises((QueryError, NoGuarantee, EngineFailure)):
            two.run("it", {"do": "fail", "how": how})
    assert {two.run("it", {"do": "seen"})["pid"] for _ in range(2)} == before


@pytest.mark.parametrize("how", ["engine", "bug", "exit", "no JSON", "crash", "gone"])
def test_whatever_else_is_one_constant_sentence(two: Workers, how: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(EngineFailure) as failure:
        two.run("it", {"do": "fail", "how": how})
    assert str(failure.value) == str(EngineFailure())
    assert failure.value.__context__ is None
    assert two.run("it", {"do": "seen"})["given"] == SECRET
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "says",
    [
        None,
        "",
        "[",
        "{}",
        "7",
        '["ready", {n}, null]',
        '["answer", {n}, [1]]',
        '["answer", {n}]',
        '["answer", 0, {}]',
        '["share", {n}, "Ada"]',
        '["error", {n}, {"code": "Exception", "message": "Ada", "hint": "", "where": ""}]',
        '["error", {n}, {"code": "refused", "message": ["Ada"], "hint": "", "where": ""}]',
        "[" * 100_000,
    ],
)
def test_what_no_worker_of_ours_would_say_is_not_believed(two: Workers, says: str | None, tmp_path: Path) -> None:
    """Least of all a pickle: to read it would be to run it."""
    with pytest.raises(EngineFailure):
        two.run("it", {"do": "babble", "says": says, "path": str(tmp_path / "run")})
    assert not (tmp_path / "run").exists()
    for _ in range(2):
        assert two.run("it", {"do": "seen"})["given"] == SECRET


def test_a_bomb_of_the_test_above_goes_off(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(jobs.Bomb(str(tmp_path / "run"))))
    assert (tmp_path / "run").exists()


def test_a_worker_that_cannot_be_started_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr("sfumato.adapters.workers.pool.Process", no_memory)
        workers = Workers(jobs.work, jobs.set_up, SECRET, size=1)
        with pytest.raises(EngineFailure):
            workers.run("it", {"do": "seen"})
    with closing(workers):
        assert workers.run("it", {"do": "seen"})["given"] == SECRET


def test_a_worker_that_cannot_be_set_up_says_why() -> None:
    with pool("wrong", size=1) as workers:
        for _ in range(2):
            with pytest.raises(SourceError, match=r"^That is not the passphrase\. Hint: try another\.$"):
                workers.run("it", {"do": "seen"})


# Limits


def test_a_job_that_takes_too_long_is_killed_and_others_are_served(two: Workers, background: Background) -> None:
    ready = [background(two.run, f"ready {i}", {"do": "sleep", "seconds": 0.1}) for i in range(2)]
    for each in ready:  # a worker that took the place of a killed one takes a while to start
        each.result(PATIENCE)
    begun, ended, served = time.monotonic(), [], 0
    stuck = background(two.run, "stuck", {"do": "repeat"}, seconds=3)
    stuck.add_done_callback(lambda _: ended.append(time.monotonic()))
    while not stuck.done():
        two.run("other", {"do": "seen"})
        served += not stuck.done()
    with pytest.raises(EngineFailure):
        stuck.result()
    until(lambda: ended)
    assert ended[0] - begun >= 3
    assert served
    assert two.run("it", {"do": "seen"})["given"] == SECRET


@pytest.mark.parametrize("where", ["block", "file"])
def test_a_job_that_takes_too_much_memory_is_killed(where: str) -> None:
    with pool(size=1, memory_mb=600) as workers:
        before = workers.run("it", {"do": "hold", "where": where, "mb": 50, "seconds": 0.2})
        with pytest.raises(EngineFailure):
            workers.run("it", {"do": "hold", "where": where, "mb": 700, "seconds": 60})
        assert before == workers.run("it", {"do": "hold", "where": where, "mb": 50, "seconds": 0.2})


def test_setting_up_has_its_time_too() -> None:
    with pool("slow", size=1, seconds=2) as workers, pytest.raises(EngineFailure):
        workers.run("it", {"do": "seen"}, seconds=600)


def test_memory_that_one_job_left_is_not_held_against_the_next() -> None:
    with pool(size=1, memory_mb=600) as workers:
        first = workers.run("it", {"do": "seen"})["pid"]
        workers.run("it", {"do": "hold", "where": "file", "mb": 400, "seconds": 0})
        assert workers.run("it", {"do": "hold", "where": "file", "mb": 400, "seconds": 0.2}) == {"held": True}
        assert workers.run("it", {"do": "seen"})["pid"] != first


def test_what_a_job_started_ends_with_it(two: Workers, background: Background, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    running = background(two.run, "it", {"do": "fork", "path": str(note), "dies": False})
    until(lambda: note.exists() and note.read_text("utf-8"))
    assert two.cancel("it")
    with pytest.raises(Cancelled):
        running.result(PATIENCE)
    until(lambda: not lives(int(note.read_text("utf-8"))))


def test_what_a_job_started_ends_in_time_even_if_the_worker_is_gone_before(two: Workers, tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(EngineFailure):
        two.run("it", {"do": "fork", "path": str(tmp_path / "pid"), "dies": True}, seconds=2)
    assert time.monotonic() - begun < PATIENCE
    until(lambda: not lives(int((tmp_path / "pid").read_text("utf-8"))))


# Cancelling, waiting, progress


def test_a_job_is_cancelled_while_it_runs(two: Workers, background: Background) -> None:
    running = background(two.run, "mine", {"do": "repeat"})
    until(lambda: two.progress("mine"))  # it is inside DuckDB
    assert two.cancel("mine")
    with pytest.raises(Cancelled, match="This was cancelled and nothing was released"):
        running.result(PATIENCE)
    assert not two.cancel("mine")
    assert two.run("it", {"do": "seen"})["given"] == SECRET


def test_a_job_is_cancelled_while_it_waits(two: Workers, background: Background, tmp_path: Path) -> None:
    busy = [background(two.run, f"busy {i}", {"do": "sleep", "seconds": 600}) for i in range(2)]
    until(lambda: all(two.progress(f"busy {i}") for i in range(2)))
    note = tmp_path / "note"
    waiting = background(two.run, "waits", {"do": "note", "path": str(note), "note": "ran"})
    until(lambda: two.cancel("waits"))
    with pytest.raises(Cancelled):
        waiting.result(PATIENCE)
    for i, job in enumerate(busy):
        two.cancel(f"busy {i}")
        with pytest.raises(Cancelled):
            job.result(PATIENCE)
    two.run("it", {"do": "seen"})
    assert not note.exists()


def test_jobs_are_taken_in_the_order_in_which_they_came(background: Background, tmp_path: Path) -> None:
    note = tmp_path / "note"
    with pool(size=1) as workers:
        first = background(workers.run, "first", {"do": "sleep", "seconds": 600})
        others: list[Future[Mapping[str, Any]]] = []
        for letter in "abcdefgh":
            until(lambda: len(workers._jobs) == 1 + len(others))
            job = {"do": "note", "path": str(note), "note": letter}
            others.append(background(workers.run, letter, job))
        until(lambda: len(workers._jobs) == 9)
        workers.cancel("first")
        for other in others:
            other.result(PATIENCE)
        assert isinstance(first.exception(), Cancelled)
    assert note.read_text("utf-8") == "abcdefgh"


def test_progress_is_told_while_a_job_runs(two: Workers, background: Background) -> None:
    assert two.progress("it") is None
    running = background(two.run, "it", {"do": "sleep", "seconds": 600})
    until(lambda: two.progress("it") == 0.25)
    assert two.cancel("it")
    with pytest.raises(Cancelled):
        running.result(PATIENCE)
    assert two.progress("it") is None


# The end


def test_closing_cancels_what_runs_and_what_waits_and_leaves_no_process(background: Background) -> None:
    with pool(size=1) as workers:
        pid = workers.run("it", {"do": "seen"})["pid"]
        running = [background(workers.run, f"job {i}", {"do": "sleep", "seconds": 600}) for i in range(3)]
        until(lambda: any(workers.progress(f"job {i}") for i in range(3)))
    for job in running:
        with pytest.raises(Cancelled):
            job.result(PATIENCE)
    assert not lives(pid)
    with pytest.raises(Cancelled):
        workers.run("it", {"do": "seen"})
    workers.close()


def test_an_idle_worker_that_was_killed_is_replaced(two: Workers) -> None:
    pid = two.run("it", {"do": "seen"})["pid"]
    os.kill(pid, signal.SIGKILL)
    until(lambda: not lives(pid))
    assert all(two.run("it", {"do": "seen"})["pid"] != pid for _ in range(3))


@pytest.mark.parametrize("do", ["spin", "seen"], ids=["busy", "idle"])
def test_workers_end_with_the_process_that_started_them(do: str, tmp_path: Path) -> None:
    """Killed, it cannot tell them; and the busy one does not even run Python any more."""
    note = tmp_path / "pid"
    program = f"""
import json, os, sys, time
from pathlib import Path
from sfumato.adapters.workers.pool import Workers
from tests.contract import jobs
if __name__ == "__main__":
    workers = Workers(jobs.work, jobs.set_up, None, size=1)
    found = workers.run("it", {json.dumps({"do": do, "path": str(note)})})
    Path({str(note)!r}).write_text(str(found["pid"]), "utf-8")
    time.sleep(600)
"""
    script = tmp_path / "program.py"
    script.write_text(program, "utf-8")
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), str(root / "src")])
    with subprocess.Popen([sys.executable, script], env={**os.environ, "PYTHONPATH": paths}) as parent:
        until(lambda: note.exists() and note.read_text("utf-8"))
        worker = int(note.read_text("utf-8"))
        assert lives(worker)
        parent.kill()
        until(lambda: not lives(worker))
