"""The self-test: a function that must score, and a few that must be stopped."""

from __future__ import annotations

from sfumato.ports import Columns

GOOD = """
def evaluate(tables):
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    x = tables[0][["x"]]
    return LogisticRegression().fit(x, tables[0]["y"]).score(x, tables[0]["y"])
"""
TABLE: Columns = {"x": [0.0, 1.0, 2.0, 3.0], "y": [0, 0, 1, 1]}

STOPPED = {
    "read-file": "open('/etc/passwd').read()",
    "list-processes": "import os; os.listdir('/proc/self')",
    "write-file": "open('/tmp/left', 'w').close()",
    "open-socket": "import socket; socket.socket()",
    "fork": "import os; os.fork() or os._exit(0)",
    "start-program": "import os, sys; os.posix_spawn(sys.executable, [sys.executable, '-V'], {})",
    "start-thread": "import threading; threading.Thread(target=int).start()",
    "trace": "import ctypes; assert ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0",
    "take-memory": "bytes(MEMORY * 2**20)",
}
_ALL = """
def evaluate(tables):
    done = 0
    for number, attack in enumerate({attacks!r}):
        try:
            exec(attack, {{"MEMORY": {memory_mb}}})
            done += 2 ** number
        except BaseException:
            pass
    return done
"""
ENDLESS = "def evaluate(tables):\n    while True: pass\n"


def attacks(memory_mb: int) -> str:
    """All that must be stopped, in one function; its number tells which were not."""
    return _ALL.format(attacks=list(STOPPED.values()), memory_mb=memory_mb)


def successful_attacks(number: float) -> list[str]:
    return [name for place, name in enumerate(STOPPED) if int(number) >> place & 1]
