"""What runs inside, alone: it knows nothing of sfumato. It shuts itself in, runs the function and writes its number.

The number is written as eight bytes to a pipe. Nothing depends on that being done properly: the code shares this
process and may write what it likes there. The reader of the pipe rounds, and takes eight bytes or nothing.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import struct
import sys
from typing import Any

LIBRARIES = "/site"  # where numpy and the others are
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446
_LANDLOCK_VERSION = 1
_LANDLOCK_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # how many there are, by the version of Landlock; since its fifth, 16
_TCP_SINCE, _SCOPES_SINCE = 4, 6
_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 4, 38, 22, 2


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def main() -> None:
    given = json.load(sys.stdin.buffer)
    os.close(0)
    number = os.dup(1)
    os.dup2(2, 1)  # what is printed goes where errors go: nowhere
    _limit(given["memory_mb"], given["seconds"])
    _shut_files()
    _shut_calls(bytes.fromhex(given["filter"]))
    sys.path.append(LIBRARIES)
    os.write(number, struct.pack("<d", _evaluate(given["code"], given["tables"])))
    os._exit(0)


def _evaluate(code: str, tables: list[dict[str, list[Any]]]) -> float:
    frames = []
    if tables:
        import pandas as pd

        frames = [pd.DataFrame(table) for table in tables]
    module: dict[str, Any] = {"__name__": "evaluate"}
    exec(compile(code, "evaluate", "exec", dont_inherit=True), module)
    number = module["evaluate"](frames)
    import numbers

    if isinstance(number, bool) or not isinstance(number, numbers.Real):  # numpy's numbers are among them, its bool not
        raise TypeError
    return float(number)


def _limit(memory_mb: int, seconds: int) -> None:
    os.nice(10)  # others are served first
    limits = {
        resource.RLIMIT_AS: memory_mb * 2**20,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
    }
    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))
    _require(ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0))  # a program that takes dumps asks for no limit


def _shut_files() -> None:
    """Landlock, where the kernel has it: files are read and nothing else, and no socket or signal goes out.

    The same is denied by what is mounted and by the filter: this is the second lock on that door.
    """
    call = ctypes.CDLL(None, use_errno=True).syscall
    version = call(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _LANDLOCK_VERSION)
    if version < 1:
        return
    rules = _Ruleset(
        files=(1 << _FILE_RIGHTS.get(version, 16)) - 1,
        net=3 if version >= _TCP_SINCE else 0,
        scopes=3 if version >= _SCOPES_SINCE else 0,
    )
    known = 24 if version >= _SCOPES_SINCE else 16 if version >= _TCP_SINCE else 8
    ruleset = _require(call(_LANDLOCK_CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(known), 0))
    root = os.open("/", os.O_PATH)
    beneath = _Beneath(_READ_FILE | _READ_DIR, root)
    _require(call(_LANDLOCK_ADD_RULE, ruleset, _LANDLOCK_PATH_BENEATH, ctypes.byref(beneath), 0))
    _require(ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _require(call(_LANDLOCK_RESTRICT_SELF, ruleset, 0))
    os.close(root)
    os.close(ruleset)


def _shut_calls(program: bytes) -> None:
    of_c = ctypes.CDLL(None, use_errno=True)
    _require(of_c.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    filters = _Program(len(program) // 8, program)
    _require(of_c.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(filters), 0, 0))


def _require(result: int) -> int:
    """What cannot be shut is not used."""
    if result < 0:
        os._exit(1)
    return result


if __name__ == "__main__":
    try:
        main()
    finally:  # an exception is never reported
        os._exit(1)
