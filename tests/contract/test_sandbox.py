"""Analysts' own functions: what scores, what is stopped, and what of it anybody can tell from outside."""

from __future__ import annotations

import ctypes
import errno
import json
import math
import os
import resource
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from pathlib import Path
from string import Template
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.adapters.sandbox import bubblewrap, filesystem, runner, self_test
from sfumato.adapters.sandbox.bubblewrap import Bubblewrap
from sfumato.adapters.sandbox.limits import SandboxLimits
from sfumato.errors import BadInput, Refused, SandboxMissing
from sfumato.ports import Columns, Sandbox
from tests.hostile import AMOUNTS, ATTACKS, FILES, OUTCOMES, PLAIN, batched, in_turn, outcomes, written

T = TypeVar("T")
NOT_HERE = "bubblewrap is not here: install it with 'apt install bubblewrap'."
ALLOW_ALL = struct.pack("<HBBI", 6, 0, 0, 0x7FFF0000)
"""A filter that lets every call through."""
QUICK = "def evaluate(tables): return 1"
WIDE = SandboxLimits(seconds=300, low=-1e6, high=1e6, decimals=3)
TABLE: Columns = {
    "age": [30, 40, 50, 60],
    "pay": [1.5, 2.5, 3.5, None],
    "city": ["A", "B", "A", "B"],
    "rich": [0, 0, 1, 1],
}


class Clock:
    """The machine's own, but a pause takes no time. It keeps what it said, and how long the pauses were."""

    def __init__(self) -> None:
        self.said: list[float] = []
        self.pauses: list[float] = []

    def now(self) -> float:
        self.said.append(time.monotonic() + sum(self.pauses))
        return self.said[-1]

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)


def hint(missing: SandboxMissing | None) -> str:
    assert missing is not None
    return missing.hint


def ready(limits: SandboxLimits, clock: Clock | None = None) -> Bubblewrap:
    """A sandbox that needs no test any more and does not keep anybody waiting."""
    clock = clock or Clock()
    made = Bubblewrap(limits, clock=clock.now, pause=clock.pause)
    made._verdict.append(None)
    return made


@pytest.fixture(scope="module")
def tested() -> Bubblewrap:
    """The sandbox as it comes: tested by itself, once."""
    if shutil.which("bwrap") is None:
        pytest.skip(NOT_HERE)
    made = Bubblewrap(pause=lambda _: None)
    assert made.missing() is None
    return made


@pytest.fixture
def wide(tested: Bubblewrap) -> Bubblewrap:
    """One that lets whole numbers out, so that the tests see why something was stopped."""
    return ready(WIDE)


@pytest.fixture
def exact(tested: Bubblewrap) -> Bubblewrap:
    """One that lets any whole number out: what became of many attacks."""
    return ready(replace(WIDE, low=0, high=2**53, decimals=0))


@pytest.fixture(scope="module")
def attacks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The hostile functions, with places that are really there: a key file, servers that listen, this process."""
    folder = tmp_path_factory.mktemp("workspace")
    key = folder / "key"
    key.write_text("secret", "ascii")
    with ExitStack() as open_:
        tcp = open_.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = open_.enter_context(socket.socket(type=socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        unix = open_.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind(f"\0sfumato-{os.getpid()}")
        unix.listen(50)
        places = {"key": key, "folder": folder, "parent": os.getpid(), "unix": f"sfumato-{os.getpid()}"}
        places |= {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1]}
        yield {name: written(Template(attack).substitute(places)) for name, (attack, _) in ATTACKS.items()}
    for left in Path("/tmp").glob(f"sfumato-{os.getpid()}*"):
        left.rmdir() if left.is_dir() and not left.is_symlink() else left.unlink()


@pytest.fixture(scope="module")
def outside(attacks: dict[str, str]) -> dict[str, str]:
    """What becomes of them in plain processes."""
    path = [str(Path(runner.__file__).parents[2]), sysconfig.get_path("purelib")]
    environment = {"SFUMATO_SECRET": "x", "PYTHONPATH": os.pathsep.join(path), "HOME": "/"}
    ran = subprocess.run(
        [sys.executable, "-c", PLAIN],
        input=json.dumps([attacks, [name for name, (_, stopped) in ATTACKS.items() if stopped == "killed"]]),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    killed = -signal.SIGKILL
    return {name: "ran on" if it == killed else OUTCOMES[it] for name, it in json.loads(ran.stdout).items()}


# What scores


def test_a_function_over_tables_scores(tested: Bubblewrap) -> None:
    sandbox: Sandbox = tested
    code = "def evaluate(tables):\n    return (tables[0].pay / tables[1].pay.max()).mean() / len(tables)"
    assert sandbox.score(code, [TABLE, TABLE]) == round((1.5 + 2.5 + 3.5) / 3 / 3.5 / 2, 2)


def test_columns_arrive_as_they_were_released(wide: Bubblewrap) -> None:
    code = """
def evaluate(tables):
    assert list(tables[0].columns) == ["age", "pay", "city", "rich"]
    assert tables[0].age.dtype == "int64" and tables[0].pay.isna().tolist() == [False, False, False, True]
    assert tables[0].city.tolist() == ["A", "B", "A", "B"] and tables[1].empty
    assert tables[2].day[0] == "2024-05-17" and tables[2].n.sum() == 3
    return tables[0].age.sum()
"""
    no_plain_numbers: Columns = {"n": list(np.array([1, 2])), "day": [date(2024, 5, 17), None]}
    assert wide.score(code, [TABLE, {}, no_plain_numbers]) == 180


def test_scikit_learn_is_inside(tested: Bubblewrap) -> None:
    code = """
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
import numpy as np, pandas as pd, scipy.stats

def evaluate(tables):
    table = pd.concat(tables * 5)
    model = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=5, random_state=0))
    print(np.linalg.inv(np.eye(50)), scipy.stats.ttest_ind([1, 2], [3, 5]))
    return cross_val_score(model, table[["age"]], table["rich"], cv=2).mean()
"""
    assert tested.score(code, [TABLE]) == 1.0


NUMBERS = {
    "0.123456789": 0.12,
    "-1e308": 0.0,
    "__import__('fractions').Fraction(1, 3)": 0.33,
    "__import__('numpy').float32(0.25)": 0.25,
    "__import__('numpy').int64(1)": 1.0,
    "type('F', (float,), {'__float__': lambda self: 0.987654321})(0.5)": 0.99,
}


def test_a_number_of_any_kind_leaves_rounded(tested: Bubblewrap) -> None:
    for expression, score in NUMBERS.items():
        assert tested.score(f"def evaluate(tables): return {expression}", []) == score, expression


def test_a_number_is_rounded_and_within_its_range() -> None:
    for number, score in {0.123456789: 0.12, 1.0: 1.0, 1e308: 1.0, -1e308: 0.0, -0.001: 0.0}.items():
        found = SandboxLimits().score(number)
        assert found == score
        assert math.copysign(1, found) == 1  # there is no negative zero


def test_runs_at_the_same_time_do_not_meet(tested: Bubblewrap) -> None:
    codes = [f"def evaluate(tables): return {n / 10}" for n in range(3)]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda code: tested.score(code, []), codes)) == [n / 10 for n in range(3)]


AT_A_LIBRARY = """
import ctypes, mmap, numpy, os, time
library = open(os.__file__, "rb")
page = mmap.mmap(library.fileno(), 4096, prot=mmap.PROT_READ)
at = ctypes.c_void_p(numpy.frombuffer(page, "u1").ctypes.data)
here = ctypes.c_uint32(int.from_bytes(page[:4], "little"))

def futex(what, number):
    patience = (ctypes.c_long * 2)(4, 0)
    call = 202 if os.uname().machine == "x86_64" else 98
    return ctypes.CDLL(None).syscall(call, at, what, number, patience if what == 0 else None, None, 0)
"""
WAITS = AT_A_LIBRARY + "def evaluate(tables): return int(futex(0, here) == 0)"
WAKES = (
    AT_A_LIBRARY
    + """
def evaluate(tables):
    for _ in range(80):
        if futex(1, 1) > 0: return 1
        time.sleep(0.05)
    return 0
"""
)


def test_runs_at_the_same_time_cannot_wake_each_other(tested: Bubblewrap) -> None:
    """Files that two of them map are the same pages: nothing may be waited for there."""
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda code: tested.score(code, []), [WAITS, WAKES])) == [0, 0]


# What is stopped


def test_there_are_many_attacks() -> None:
    assert len(ATTACKS) >= 25


def tried(sandbox: Bubblewrap, attacks: dict[str, str], names: Collection[str]) -> dict[str, str]:
    """What becomes of these attacks inside, where many of them share a start."""
    found: dict[str, str] = {}
    for together in batched([*names]):
        number = sandbox.score(in_turn([attacks[name] for name in together]), [])
        assert number is not None, f"One of these ended the process: {together}"
        found |= zip(together, outcomes(number, len(together)), strict=True)
    return found


def test_an_attack_works_outside_and_is_stopped_inside(
    exact: Bubblewrap, attacks: dict[str, str], outside: dict[str, str]
) -> None:
    expected = {name: stopped for name, (_, stopped) in ATTACKS.items() if stopped != "killed"}
    assert {name: outside[name] for name in expected} == dict.fromkeys(expected, "succeeded")
    assert tried(exact, attacks, expected) == expected


@pytest.mark.parametrize("name", [name for name, (_, stopped) in AMOUNTS.items() if stopped == "killed"])
def test_what_never_ends_is_killed(
    tested: Bubblewrap, attacks: dict[str, str], outside: dict[str, str], name: str
) -> None:
    assert outside[name] == "ran on"
    assert ready(SandboxLimits(seconds=1, low=0, high=100)).score(attacks[name], []) is None


STILL_SHUT = [*FILES.keys() - {"leaves shared memory"}, "connects by TCP", "connects to an abstract socket"]


def test_even_without_the_filter_there_are_no_files_and_no_servers(
    exact: Bubblewrap, attacks: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Namespaces, mounts and limits are the lock behind it; shared memory and sockets are then the sandbox's own."""
    monkeypatch.setattr(bubblewrap, "filter_program", lambda: ALLOW_ALL)
    assert "succeeded" not in tried(exact, attacks, sorted(STILL_SHUT)).values()


def test_memory_is_taken_up_to_the_limit_only(tested: Bubblewrap) -> None:
    grow = "def evaluate(tables):\n    kept = []\n    while True: kept.append(b'x' * 2**20)"
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert ready(SandboxLimits(seconds=10, memory_mb=200)).score(grow, []) is None
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(start, 250 * 2**10)


def test_it_limits_all_that_it_may_take(wide: Bubblewrap) -> None:
    """Of the seconds it may compute for nine tenths, and a little: who waits kills it before."""
    code = """
import resource as r

def evaluate(tables):
    none = ("FSIZE", "NPROC", "CORE", "MEMLOCK")
    limits = {"AS": 2048 * 2**20, "CPU": 271, "NOFILE": 64} | dict.fromkeys(none, 0)
    return sum(r.getrlimit(getattr(r, "RLIMIT_" + name)) != (most, most) for name, most in limits.items())
"""
    assert wide.score(code, []) == 0


AMOUNTS_UNFILTERED = {
    "files": ("import os\n    kept = [open(os.__file__) for _ in range(65)]", errno.EMFILE),
    "bytes of a file": ("import os\n    os.write(os.memfd_create('x'), b'x')", errno.EFBIG),
    "memory that stays": (
        "import mmap\n    mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x2000)",
        errno.EPERM,
    ),
}


def test_even_without_the_filter_there_is_not_more(exact: Bubblewrap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "filter_program", lambda: ALLOW_ALL)
    codes = []
    for attack, _ in AMOUNTS_UNFILTERED.values():
        code = f"def attack():\n    {attack}\n    return 0\ndef evaluate(tables):\n    try: return attack()\n"
        codes.append(f"{code}    except OSError as e: return e.errno")
    number = exact.score(in_turn(codes, base=256), [])
    assert number == int.from_bytes(refused for _, refused in AMOUNTS_UNFILTERED.values())


def test_who_computes_for_too_long_is_ended_even_if_nobody_waits(
    tested: Bubblewrap, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel counts, too: here the server would wait for minutes, and two seconds may be computed."""
    monkeypatch.setattr(bubblewrap, "WORKING", 0.01)
    patient = ready(SandboxLimits(seconds=20))
    monkeypatch.setattr(patient, "_read", lambda answer, until: Bubblewrap._read(patient, answer, until + 200))
    assert _cpu(lambda: patient.score("def evaluate(tables):\n    while True: pass", [])) < 10


def test_a_crash_leaves_no_dump(wide: Bubblewrap, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table is in the memory that would be dumped. A program that takes dumps does not ask how long they may be."""
    monkeypatch.setattr(bubblewrap, "filter_program", lambda: ALLOW_ALL)
    get_dumpable = 3
    code = f"import ctypes\ndef evaluate(tables): return ctypes.CDLL(None).prctl({get_dumpable}, 0, 0, 0, 0)"
    assert wide.score(code, []) == 0


def test_there_is_nothing_inside_but_what_is_needed(wide: Bubblewrap) -> None:
    """The folders that lead to the interpreter are empty but for it."""
    code = """
import os, sys

def evaluate(tables):
    top = {"lib", "lib64", "usr", "etc", "site", "runner.py", sys.executable.split("/")[1]}
    assert set(os.listdir("/")) <= top, os.listdir("/")
    assert set(os.listdir("/etc")) <= {"ld.so.cache"}
    assert not {"sfumato", "duckdb", "cryptography", "opendp"} & set(os.listdir("/site"))
    assert set(os.environ) <= {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "JOBLIB_MULTIPROCESSING",
                               "PWD", "LC_CTYPE"}
    assert os.uname().nodename == "sandbox" and os.getuid() == 65534 and os.getpid() == 1
    return 1
"""
    assert wide.score(code, []) == 1


# What leaves


EVERY_FILE = """
import os, struct
def leak(what):
    for fd in range(64):
        try: os.write(fd, what)
        except OSError: pass
"""
LEAVING = {
    "a second number": EVERY_FILE + "leak(bytes(8))\ndef evaluate(tables): return 0.5",
    "a long text": EVERY_FILE + "leak(b'x' * 10**6)\ndef evaluate(tables): return 0.5",
    "seven bytes": EVERY_FILE + "def evaluate(tables): leak(bytes(7)), os._exit(0)",
    "bytes after its number": EVERY_FILE
    + "def evaluate(tables): leak(struct.pack('<d', 0.5)), leak(b'x'), os._exit(0)",
    "a text by the runner's frame": "import os, sys\ndef evaluate(tables):\n"
    "    os.write(sys._getframe(2).f_locals['number'], b'secret')\n    return 0.5",
}
UNROUNDED = {
    "by the pipe": EVERY_FILE + "def evaluate(tables): leak(struct.pack('<d', 0.123456789)), os._exit(0)",
    "by builtins": "import builtins, numbers\nbuiltins.float = lambda _: 0.123456789\ndef evaluate(tables): return 0.5",
    "by the runner's names": "import numbers, sys\ndef evaluate(tables):\n"
    "    sys._getframe(1).f_globals['float'] = lambda _: 0.123456789\n    return 0.5",
}


@pytest.mark.parametrize("code", LEAVING.values(), ids=LEAVING)
def test_whoever_writes_more_than_a_number_gets_no_score(tested: Bubblewrap, code: str) -> None:
    assert tested.score(code, []) is None


@pytest.mark.parametrize("code", UNROUNDED.values(), ids=UNROUNDED)
def test_a_number_is_rounded_by_whoever_reads_it(tested: Bubblewrap, code: str) -> None:
    """The runner shares its process with the code, which can make it write anything: nothing is rounded there."""
    assert tested.score(code, []) == 0.12


def test_nothing_that_is_printed_goes_anywhere(tested: Bubblewrap, capfd: pytest.CaptureFixture[str]) -> None:
    loud = "import os, sys\nprint('secret' * 10**6)\nprint('secret', file=sys.stderr)\nos.write(2, b'secret')\n"
    assert tested.score(f"{loud}def evaluate(tables): return 0.5", []) == 0.5
    assert tested.score(f"{loud}def evaluate(tables): raise ValueError('secret')", []) is None
    assert capfd.readouterr() == ("", "")


NO_SCORE = {
    "an exception": "def evaluate(tables): return 1 / 0",
    "a base exception": "def evaluate(tables): raise BaseException('secret')",
    "an interrupt": "def evaluate(tables): raise KeyboardInterrupt",
    "an exit": "import sys\ndef evaluate(tables): sys.exit(0)",
    "an exit with a text": "import sys\ndef evaluate(tables): sys.exit('secret')",
    "a hard exit": "import os\ndef evaluate(tables): os._exit(0)",
    "a hard exit with a code": "import os\ndef evaluate(tables): os._exit(42)",
    "an abort": "import os\ndef evaluate(tables): os.abort()",
    "a crash": "import ctypes\ndef evaluate(tables): ctypes.string_at(0)",
    "a deep recursion": "import sys\nsys.setrecursionlimit(10**9)\ndef evaluate(tables): return evaluate(tables)",
    "too much memory": "def evaluate(tables): return len(bytearray(10**11))",
    "not a number": "def evaluate(tables): return float('nan')",
    "a text": "def evaluate(tables): return '0.5'",
    "a last word": "import atexit\natexit.register(print, 'secret')\ndef evaluate(tables): raise SystemExit",
    "a deletion": "class D:\n    def __del__(self): raise OSError\ndef evaluate(tables): return D()",
    "no function": "x = 1",
    "no Python": "def evaluate(tables) return 0.5",
    "half a character": "def evaluate(tables): return 0.5 # \ud800",
    "deep brackets": "def evaluate(tables): return " + "(" * 10**5 + ")" * 10**5,
    "a long sleep": "import time\ndef evaluate(tables): time.sleep(600)",
}
LONG = ("a deep recursion", "a long sleep")  # these end when the seconds do
NO_NUMBER = {
    "infinity": "def evaluate(tables): return float('inf')",
    "minus infinity": "def evaluate(tables): return -float('inf')",
    "a number beyond floats": "def evaluate(tables): return 10**400",
    "a complex number": "def evaluate(tables): return 1j",
    "a truth": "def evaluate(tables): return True",
    "numpy's truth": "import numpy\ndef evaluate(tables): return numpy.bool_(True)",
    "nothing": "def evaluate(tables): pass",
    "a list": "def evaluate(tables): return [0.5]",
    "something that pretends": "class F:\n    def __float__(self): return 0.5\ndef evaluate(tables): return F()",
    "a float that fails": "class F(float):\n    def __float__(self): raise OSError\ndef evaluate(tables): return F(1)",
    "another function": "def evaluate(): return 0.5",
    "a null byte": "def evaluate(tables): return 0.5\0",
}


def test_all_failures_are_the_same_and_take_the_same_time(tested: Bubblewrap) -> None:
    """By the clock that the sandbox goes by: each answer comes when the seconds are over, to the microsecond."""
    said = set()
    for name, code in {**NO_SCORE, "a score": "def evaluate(tables): return 0.5"}.items():
        clock, seconds = Clock(), 2 if name in LONG else 300
        score = ready(SandboxLimits(seconds=seconds), clock).score(code, [])
        assert len(clock.pauses) == 1, name
        assert clock.said[-1] + clock.pauses[0] - clock.said[0] == pytest.approx(seconds, abs=1e-6), name
        said.add((name == "a score", json.dumps(score)))
    assert said == {(False, "null"), (True, "0.5")}


@pytest.mark.parametrize("code", NO_NUMBER.values(), ids=NO_NUMBER)
def test_what_is_no_number_is_raised_or_no_score(code: str) -> None:
    """What the runner makes of it; that whatever it raises is no score, and late, is shown above."""
    try:
        number = runner._evaluate(code, [])
    except (ArithmeticError, OSError, SyntaxError, TypeError, ValueError):
        return
    assert SandboxLimits().score(number) is None


def test_the_seconds_really_pass(tested: Bubblewrap) -> None:
    """On the machine's clock: other programs may make it later, never sooner."""
    sandbox = Bubblewrap(SandboxLimits(seconds=0.8))
    sandbox._verdict.append(None)
    for code in ("def evaluate(tables): return 0.5", "x", "import time\ndef evaluate(tables): time.sleep(600)"):
        start = time.monotonic()
        sandbox.score(code, [])
        assert time.monotonic() - start >= 0.8


def test_of_public_tables_the_answer_comes_when_it_is_there(tested: Bubblewrap) -> None:
    """Only where that is asked for: otherwise it is late."""
    for code, score in {"def evaluate(tables): return 0.5": 0.5, "x": None}.items():
        clock = Clock()
        sandbox = ready(SandboxLimits(seconds=300), clock)
        assert sandbox.score(code, [], padded=False) == score
        assert clock.pauses == []
        assert sandbox.score(code, []) == score
        assert len(clock.pauses) == 1


# What stays


def test_nothing_of_a_run_reaches_the_next(wide: Bubblewrap) -> None:
    leave = """
import builtins, contextlib, json, os, tempfile
json.left = builtins.left = 1
os.environ["LEFT"] = "1"
for path in ("/left", "/tmp/left", "/dev/shm/left", "/site/left", os.path.expanduser("~/left")):
    with contextlib.suppress(OSError):
        open(path, "w").write("left")

def evaluate(tables):
    tables[0].loc[0, "age"] = 99
    return 1
"""
    look = """
import builtins, json, os

def evaluate(tables):
    found = hasattr(json, "left") + hasattr(builtins, "left") + ("LEFT" in os.environ)
    found += sum("left" in names for _, _, names in os.walk("/")) + (tables[0].age[0] == 99)
    return int(found)
"""
    table = {"age": [1, 2]}
    assert wide.score(leave, [table]) == 1
    assert wide.score(look, [table]) == 0
    assert table == {"age": [1, 2]}


def test_no_process_is_left(tested: Bubblewrap) -> None:
    sandbox = ready(SandboxLimits(seconds=4))
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(sandbox.score, "import time\ndef evaluate(tables): time.sleep(10**6)", [])
        inner = eventually(lambda: descendants(os.getpid(), "/runner.py"))
        assert running.result() is None
    eventually(lambda: not any(map(is_alive, inner)))


def test_a_function_dies_with_the_server(tested: Bubblewrap) -> None:
    code = """
from sfumato.adapters.sandbox.bubblewrap import Bubblewrap
sandbox = Bubblewrap()
sandbox._verdict.append(None)
sandbox.score("import time\\ndef evaluate(tables): time.sleep(10**6)", [])
"""
    environment = os.environ | {"PYTHONPATH": str(Path(runner.__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as server:
        inner = eventually(lambda: descendants(server.pid, "/runner.py"))
        server.kill()
    eventually(lambda: not any(map(is_alive, inner)))


def eventually(found: Callable[[], T]) -> T:
    """What is found once it is there. Who waits for so long waits in vain, on any machine."""
    until = time.monotonic() + 600
    while not (it := found()):
        assert time.monotonic() < until
        time.sleep(0.01)
    return it


def is_alive(pid: int) -> bool:
    """A dead one that nobody has asked for yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def descendants(pid: int, running: str) -> list[int]:
    """Those below a process that have become what they are to run, past bubblewrap."""
    parents = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(process.name)] = int((process / "stat").read_text("ascii").rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    found, below = [], [pid]
    while below:
        below = [child for child, parent in parents.items() if parent in below]
        found += below
    return [child for child in found if Path(f"/proc/{child}/exe").exists() and _runs(child, running)]


def _runs(pid: int, what: str) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[-2:] == [what.encode(), b""] and not words[0].endswith(b"bwrap")


# Where it is missing, or does not do what it says


PLAINLY = """#!{python}
import subprocess, sys
site = "import sys; sys.path.append({site!r}); sys.argv = ['']; __name__ = '__main__'; exec(open({runner!r}).read())"
environment = {{"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}}
sys.exit(subprocess.run([sys.executable, "-I", "-S", "-c", site], env=environment).returncode)
"""
"""A bubblewrap that only starts what it should lock up."""


def fake(folder: Path, text: str) -> None:
    program = folder / "bwrap"
    program.write_text(text, "utf-8")
    program.chmod(stat.S_IRWXU)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that all programs are looked for in; none is there."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_without_bubblewrap_nothing_runs(programs: Path) -> None:
    sandbox = Bubblewrap()
    assert hint(sandbox.missing()) == (
        "install bubblewrap: apt install bubblewrap libseccomp2 && pip install 'sfumato[signal]'."
    )
    with pytest.raises(SandboxMissing) as refused:
        sandbox.score("def evaluate(tables): return 0.5", [])
    assert isinstance(refused.value, Refused)
    assert (refused.value.code, refused.value.exit_status) == ("sandbox_unavailable", 3)
    assert refused.value.hint == hint(sandbox.missing())


def test_without_its_libraries_nothing_runs(tested: Bubblewrap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem, "LIBRARIES", ("numpy", "no-such-library"))
    assert hint(Bubblewrap().missing()) == f"install no-such-library: {bubblewrap.INSTALL}."
    monkeypatch.setattr(bubblewrap, "find_spec", lambda _: None)
    assert hint(Bubblewrap().missing()) == f"install no-such-library and pyseccomp: {bubblewrap.INSTALL}."


@pytest.mark.parametrize("wrong", [RuntimeError, OSError, AttributeError, ImportError])
def test_without_libseccomp_nothing_runs(
    tested: Bubblewrap, monkeypatch: pytest.MonkeyPatch, wrong: type[Exception]
) -> None:
    """It is not there, cannot be loaded, or is too old."""

    def filter_program() -> bytes:
        raise wrong

    monkeypatch.setattr(bubblewrap, "filter_program", filter_program)
    sandbox = Bubblewrap()
    assert hint(sandbox.missing()) == f"install libseccomp: {bubblewrap.INSTALL}."
    with pytest.raises(SandboxMissing):
        sandbox.score("def evaluate(tables): return 0.5", [])


def test_where_namespaces_are_forbidden_nothing_runs(tested: Bubblewrap) -> None:
    """Really: in a namespace that may have none below it."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not here: install it with 'apt install util-linux'.")
    code = "from sfumato.adapters.sandbox.bubblewrap import Bubblewrap; print(Bubblewrap().missing().hint)"
    forbidden = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" -c "$1"'
    environment = os.environ | {"PYTHONPATH": str(Path(runner.__file__).parents[2])}
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", forbidden, sys.executable, code]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "allow user namespaces" in said


def test_without_namespaces_nothing_runs(programs: Path) -> None:
    fake(programs, "#!/bin/sh\nexit 1\n")
    said = hint(Bubblewrap().missing())
    assert "allow user namespaces" in said


def test_a_bubblewrap_that_locks_nothing_up_is_not_used(
    tested: Bubblewrap, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_test, "GOOD", QUICK)
    for library in filesystem.libraries():
        (programs / library.name).symlink_to(library)
    fake(programs, PLAINLY.format(python=sys.executable, site=str(programs), runner=runner.__file__))
    sandbox = Bubblewrap()
    assert hint(sandbox.missing()) == (
        "update bubblewrap and libseccomp; in the self-test, a function in the sandbox could read a file of the "
        "machine, list processes."
    )
    with pytest.raises(SandboxMissing):
        sandbox.score("def evaluate(tables): return 0.5", [])


def test_a_filter_that_lets_everything_through_is_noticed(tested: Bubblewrap, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is mounted and the limits still stop files and memory, and Landlock programs."""
    monkeypatch.setattr(self_test, "GOOD", QUICK)
    monkeypatch.setattr(bubblewrap, "filter_program", lambda: ALLOW_ALL)
    said = hint(Bubblewrap().missing())
    assert said.startswith(
        "update bubblewrap and libseccomp; in the self-test, a function in the sandbox could open a socket, "
    )
    assert "file" not in said
    assert "memory" not in said
    assert ("starts a program" in said) == (not has_landlock())


def has_landlock() -> bool:
    return int(ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)) >= 1


def test_a_function_without_end_is_noticed(tested: Bubblewrap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_test, "GOOD", QUICK)
    monkeypatch.setattr(self_test, "ENDLESS", QUICK)
    assert (
        hint(Bubblewrap().missing())
        == "update bubblewrap and libseccomp; in the self-test, a function in the sandbox was not stopped in time."
    )


def test_what_was_installed_meanwhile_is_found_a_minute_later(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    sandbox = Bubblewrap(clock=lambda: clock[0])
    monkeypatch.setattr(Bubblewrap, "_unsafe", lambda _: None)
    missing = sandbox.missing()
    fake(programs, "#!/bin/sh\nexit 1\n")
    clock[0] = 59
    assert sandbox.missing() == missing
    assert missing is not None
    clock[0] = 60
    assert sandbox.missing() is None


def test_it_is_tested_once(tested: Bubblewrap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bubblewrap, "_unsafe", lambda _: pytest.fail("tested again"))
    assert tested.missing() is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: SandboxLimits(seconds=0),
        lambda: SandboxLimits(seconds=math.inf),
        lambda: SandboxLimits(memory_mb=0),
        lambda: SandboxLimits(decimals=-1),
        lambda: SandboxLimits(low=1),
        lambda: SandboxLimits(high=math.inf),
        lambda: SandboxLimits(low=math.nan),
    ],
)
def test_limits_limit(wrong: Callable[[], SandboxLimits]) -> None:
    with pytest.raises(BadInput):
        wrong()


@given(st.floats(), st.integers(0, 4), st.floats(-10, 0), st.floats(0.1, 10))
def test_a_score_is_one_of_few(number: float, decimals: int, low: float, high: float) -> None:
    score = SandboxLimits(decimals=decimals, low=low, high=high).score(number)
    if score is None:
        assert not math.isfinite(number)
    else:
        assert score in (low, high) or (low < score < high and score == round(score, decimals))
        assert (score, math.copysign(1, score)) != (0, -1)


# What it costs


def test_a_start_costs_little(tested: Bubblewrap) -> None:
    """A loose bound, against the same interpreter outside; `make bench` has the figure."""
    least = min(_cpu(lambda: tested.score("def evaluate(tables): return 1", [])) for _ in range(3))
    alone = min(_cpu(lambda: subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True)) for _ in range(3))
    assert 0 < least - alone < 0.3


def _cpu(work: Callable[[], object]) -> float:
    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    work()
    return spent() - before
