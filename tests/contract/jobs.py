"""What the workers of the tests do, and a process that has workers and is killed."""

from __future__ import annotations

import ctypes
import os
import pickle
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb

from sfumato.adapters.workers.child import is_stopping
from sfumato.errors import EngineFailure, NoGuarantee, QueryError, SourceError

Watch = Callable[[Callable[[], float | None]], None]
CONFIDENTIAL = "Ada Lovelace earns 99"


def set_up(given: Any) -> dict[str, Any]:
    if given == "wrong":
        raise SourceError("That is not the passphrase", hint="try another.")
    if given == "slow":
        time.sleep(30)
    return {"given": given, "jobs": 0}


def work(state: dict[str, Any], job: Mapping[str, Any], watch: Watch) -> Mapping[str, Any]:
    state["jobs"] += 1
    return DO[job["do"]](state, job, watch)


def _seen(state: dict[str, Any], job: Mapping[str, Any], _: Watch) -> dict[str, Any]:
    return {"pid": os.getpid(), "jobs": state["jobs"], "given": state["given"], "job": dict(job)}


def _fail(_: object, job: Mapping[str, Any], __: Watch) -> dict[str, Any]:
    match job["how"]:
        case "query":
            raise QueryError("No such column", hint="there are others.", where="line 1, column 8")
        case "no guarantee":
            raise NoGuarantee("This would have no guarantee", hint="say so.")
        case "engine":
            raise EngineFailure
        case "bug":
            raise ValueError(CONFIDENTIAL)
        case "exit":
            sys.exit(CONFIDENTIAL)
        case "no JSON":
            return {"answer": object()}
        case "crash":
            ctypes.string_at(0)
        case "gone":
            os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError(job)


def _sleep(_: object, job: Mapping[str, Any], watch: Watch) -> dict[str, Any]:
    watch(lambda: 0.25)
    time.sleep(job["seconds"])
    return {"slept": job["seconds"]}


def _until_stopped(_: object, __: object, watch: Watch) -> dict[str, Any]:
    watch(lambda: 0.25)
    while not is_stopping():
        time.sleep(0.01)
    return {"stopped": True}


def _note(_: object, job: Mapping[str, Any], __: Watch) -> dict[str, Any]:
    with Path(job["path"]).open("a", encoding="utf-8") as file:
        file.write(job["note"])
    time.sleep(job.get("seconds", 0))
    return {}


def _repeat(_: object, __: object, watch: Watch) -> dict[str, Any]:
    """DuckDB for minutes on any machine, inside one call that no interrupt stops soon."""
    watch(lambda: 0.25)
    text = "repeat('x', 100_000_000)"
    for _turn in range(40):
        text = f"replace(replace({text}, 'x', 'y'), 'y', 'x')"
    duckdb.execute(f"SELECT sum(length({text})) FROM range(1000)").fetchall()
    return {}


def _hold(_: object, job: Mapping[str, Any], __: Watch) -> dict[str, Any]:
    """Memory, in a block or in a file that lies in memory."""
    if job["where"] == "file":
        fd = os.memfd_create("much")
        for _block in range(job["mb"]):
            os.write(fd, bytes(2**20))
        held: object = fd
    else:
        held = bytearray(job["mb"] * 2**20)
    time.sleep(job["seconds"])
    return {"held": held is not None}


def _fork(_: object, job: Mapping[str, Any], __: Watch) -> dict[str, Any]:
    child = os.fork()
    if child == 0:
        time.sleep(600)
    Path(job["path"]).write_text(str(child), "utf-8")
    if job["dies"]:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(600)
    return {}


def _spin(_: object, job: Mapping[str, Any], __: Watch) -> dict[str, Any]:
    """One call into C that for minutes neither comes back nor lets another thread of Python run."""
    Path(job["path"]).write_text(str(os.getpid()), "utf-8")
    return {"never": sum(range(10**10))}


class Bomb:
    """What touches a file when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.path),)


def _babble(state: dict[str, Any], job: Mapping[str, Any], __: Watch) -> dict[str, Any]:
    """Words on the line that no worker of ours says."""
    links = Path("/proc/self/fd").iterdir()
    line = next(int(link.name) for link in links if link.is_symlink() and "socket:" in str(link.readlink()))
    words = (
        pickle.dumps(Bomb(job["path"]))
        if job["says"] is None
        else job["says"].replace("{n}", str(state["jobs"])).encode()
    )
    os.write(line, struct.pack("!i", len(words)) + words)
    return {}


def _surroundings(*_: object) -> dict[str, Any]:
    print(CONFIDENTIAL, flush=True)
    print(CONFIDENTIAL, file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGINT)
    files = {int(link.name): str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}
    return {
        "streams": [files[fd] for fd in (0, 1, 2)],
        "sockets": sum(to.startswith("socket:") for to in files.values()),
        "files": [to for to in files.values() if to.startswith("/") and not to.startswith(("/dev/null", "/proc"))],
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "leads": os.getsid(0) == os.getpgrp() == os.getpid(),
        "told": Path("/proc/self/cmdline").read_text("utf-8") + Path("/proc/self/environ").read_text("utf-8"),
    }


DO: dict[str, Callable[[Any, Mapping[str, Any], Watch], Mapping[str, Any]]] = {
    "seen": _seen,
    "fail": _fail,
    "sleep": _sleep,
    "until stopped": _until_stopped,
    "note": _note,
    "repeat": _repeat,
    "hold": _hold,
    "fork": _fork,
    "spin": _spin,
    "babble": _babble,
    "surroundings": _surroundings,
}
