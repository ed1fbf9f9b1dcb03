"""What a hostile analyst's function tries: each of it works in a plain process, and is stopped in a sandbox.

`$key`, `$folder`, `$parent`, `$tcp`, `$udp` and `$unix` are places that the test has made; `$SECRET` is in its
environment. `call` is a function of the C library that raises what it says went wrong.
"""

from __future__ import annotations

OUTCOMES = (
    *("succeeded", "EPERM", "ENOENT", "ENOMEM", "MemoryError", "ImportError", "RuntimeError", "KeyError", "gaierror"),
    *("ValueError", "another"),
)
"""What became of an attack, by its number; no score at all means that it was killed."""

EVALUATE = f"""
import errno

def call(name, *arguments):
    import ctypes, os
    result = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result

def outcome():
    try:
        attack()
        return "succeeded"
    except OSError as e:
        return errno.errorcode.get(e.errno, type(e).__name__)
    except BaseException as e:
        return "ImportError" if isinstance(e, ImportError) else type(e).__name__

def evaluate(tables):
    outcomes, found = {OUTCOMES!r}, outcome()
    return outcomes.index(found if found in outcomes else "another")
"""

FILES = {
    "reads the users": ("open('/etc/passwd').read()", "ENOENT"),
    "reads the key file": ("open('$key').read()", "ENOENT"),
    "lists the workspace": ("import os; os.listdir('$folder')", "ENOENT"),
    "reads the server's environment": ("open('/proc/$parent/environ', 'rb').read()", "ENOENT"),
    "reads its own environment": ("open('/proc/self/environ', 'rb').read()", "ENOENT"),
    "finds a secret in its environment": ("import os; os.environ['SFUMATO_SECRET']", "KeyError"),
    "reads its own memory": ("open('/proc/self/mem', 'rb')", "ENOENT"),
    "lists open files": ("import os; os.listdir('/proc/self/fd')", "ENOENT"),
    "looks at the machine": ("import os; os.listdir('/sys')", "ENOENT"),
    "imports the platform": ("import sfumato", "ImportError"),
    "imports the engine": ("import duckdb", "ImportError"),
    "writes a file": ("open('/tmp/sfumato-$parent', 'w').close()", "EPERM"),
    "fills the disk": ("open('/tmp/sfumato-$parent', 'wb').write(bytes(10**6))", "EPERM"),
    "fills a file in memory": ("import os; os.write(os.memfd_create('x'), bytes(10**6))", "EPERM"),
    "writes into a library": (
        "import importlib.util as u; open(u.find_spec('threadpoolctl').origin, 'r+b').close()",
        "EPERM",
    ),
    "leaves a symbolic link": ("import os; os.symlink('/etc/passwd', '/tmp/sfumato-$parent-link')", "EPERM"),
    "leaves a folder": ("import os; os.mkdir('/tmp/sfumato-$parent-folder')", "EPERM"),
    "opens the key file to everybody": ("import os; os.chmod('$key', 0o600)", "EPERM"),
    "opens a file by the C library": ("call('open', b'$key', 2)", "EPERM"),
    "opens a file by a newer call": (
        "import ctypes; call('syscall', 437, -100, b'$key', (ctypes.c_uint64 * 3)(), ctypes.c_size_t(24))",
        "EPERM",
    ),
    "leaves shared memory": ("call('shmctl', call('shmget', 0, 4096, 0o600), 0, None)", "EPERM"),
}
NETWORK = {
    "connects by TCP": ("import socket; socket.create_connection(('127.0.0.1', $tcp))", "EPERM"),
    "sends by UDP": ("import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', $udp))", "EPERM"),
    "connects to an abstract socket": (
        r"import socket; socket.socket(socket.AF_UNIX).connect('\0$unix')",
        "EPERM",
    ),
    "listens": ("import socket; socket.create_server(('127.0.0.1', 0))", "EPERM"),
    "makes a pair of sockets": ("import socket; socket.socketpair()", "EPERM"),
    "asks for a name": ("import socket; socket.getaddrinfo('localhost', 80)", "gaierror"),
    "speaks to the kernel": ("import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)", "EPERM"),
}
PROCESSES = {
    "forks": ("import os; os.fork() or os._exit(0)", "EPERM"),
    "forks by the C library": ("import os; call('fork') or os._exit(0)", "EPERM"),
    "runs a program": ("import subprocess, sys; subprocess.run([sys.executable, '-V'], check=True)", "EPERM"),
    "spawns a program": ("import os, sys; os.posix_spawn(sys.executable, [sys.executable, '-V'], {})", "EPERM"),
    "becomes another program": ("import os, sys; os.execv(sys.executable, [sys.executable, '-V'])", "EPERM"),
    "starts a thread": ("import threading; threading.Thread(target=int).start()", "RuntimeError"),
    "is traced": ("call('ptrace', 0, 0, 0, 0)", "EPERM"),
    "reads memory of a process": (
        "import ctypes, os; b = ctypes.create_string_buffer(8)\n"
        "v = (ctypes.c_void_p * 2)(ctypes.addressof(b), 8); call('process_vm_readv', os.getpid(), v, 1, v, 1, 0)",
        "EPERM",
    ),
    "signals the server": ("import os; os.kill($parent, 0)", "EPERM"),
    "signals itself": ("import os; os.kill(os.getpid(), 0)", "EPERM"),
    "makes namespaces": ("call('unshare', 0x10000000)", "EPERM"),
    "sets its limits": (
        "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, r.getrlimit(r.RLIMIT_NOFILE))",
        "ValueError",
    ),
    "renames itself": ("call('prctl', 15, b'x', 0, 0, 0)", "EPERM"),
    "wakes who waits at a library": (
        "import ctypes, mmap, numpy, os; f = open(os.__file__, 'rb')\n"
        "page = numpy.frombuffer(mmap.mmap(f.fileno(), 4096, prot=1), 'u1'); at = ctypes.c_void_p(page.ctypes.data)\n"
        "call('syscall', 202 if os.uname().machine == 'x86_64' else 98, at, 1, 1, None, None, 0)",
        "EPERM",
    ),
    "counts what was not yet in memory": (
        "import resource; resource.getrusage(resource.RUSAGE_SELF).ru_majflt",
        "EPERM",
    ),
    "throws a library out of memory": (
        "import mmap, os; f = open(os.__file__, 'rb'); mmap.mmap(f.fileno(), 4096, prot=1).madvise(21)",
        "EPERM",
    ),
}
AMOUNTS = {
    "takes memory": ("bytes(3 * 2**30)", "MemoryError"),
    "maps memory": ("import mmap; mmap.mmap(-1, 3 * 2**30)", "ENOMEM"),
    "never ends": ("while True: pass", "killed"),
    "sleeps": ("import time; time.sleep(600)", "killed"),
    "waits for ever in C": ("10 ** 10 ** 10", "killed"),
}
ATTACKS = {**FILES, **NETWORK, **PROCESSES, **AMOUNTS}


def written(attack: str) -> str:
    """The code of a function that tries it."""
    body = "\n".join(f"    {line}" for line in attack.splitlines())
    return f"def attack():\n{body}\n{EVALUATE}"


IN_TURN = """
def evaluate(tables):
    number = 0
    for code in {codes!r}:
        module = {{}}
        exec(code, module)
        number = number * {base} + module["evaluate"](tables)
    return number
"""


def in_turn(codes: list[str], base: int = len(OUTCOMES)) -> str:
    """One function that runs these one after the other; their numbers are the digits of its own."""
    return IN_TURN.format(codes=codes, base=base)


def batched(names: list[str]) -> list[list[str]]:
    """As many together as one float has digits for: 11 ** 15 is below 2 ** 53."""
    return [names[i : i + 15] for i in range(0, len(names), 15)]


def outcomes(number: float, count: int) -> list[str]:
    """What became of each, of the number of all of them."""
    digits = [int(number) // len(OUTCOMES) ** place % len(OUTCOMES) for place in reversed(range(count))]
    return [OUTCOMES[digit] for digit in digits]


PLAIN = """
import json, os, select, signal, sys

outcomes = {}
attacks, endless = json.load(sys.stdin)
for name, code in attacks.items():
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        module = {}
        exec(code, module)
        os._exit(module["evaluate"]([]))
    if not select.select([os.pidfd_open(child)], [], [], 0.2 if name in endless else None)[0]:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    outcomes[name] = status
print(json.dumps(outcomes))
"""
"""The same functions in plain processes, each in one of its own; of those that have no end it counts -9."""
