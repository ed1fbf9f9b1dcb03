"""What there is inside a sandbox: an interpreter, three libraries and what those need. All of it is read only."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from sfumato.adapters.sandbox import runner

LIBRARIES = ("numpy", "pandas", "scikit-learn")
_RUNNER = "/runner.py"
_ALONE = (
    *("--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"),
    *("--cap-drop", "ALL", "--as-pid-1", "--new-session", "--die-with-parent", "--clearenv", "--chdir", "/"),
)
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_NO_PROCESSES = {"JOBLIB_MULTIPROCESSING": "0"}


@cache
def command(bwrap: str) -> tuple[str, ...]:
    """How the runner is started: in its own namespaces, as an unprivileged user, with only the files it needs."""
    mounts = [part for path in ("/lib", "/lib64") for part in _as_it_is(path)]
    for path in (*_system(), *_interpreter()):
        mounts += ["--ro-bind-try", path, path]
    others = sysconfig.get_path("stdlib") + "/site-packages"
    if Path(others).is_dir():  # hidden: packages installed there for all users are not for the sandbox
        mounts += ["--tmpfs", others, "--remount-ro", others]
    for library in libraries():
        mounts += ["--ro-bind", str(library), f"{runner.LIBRARIES}/{library.name}"]
    mounts += ["--ro-bind", str(Path(runner.__file__)), _RUNNER, "--remount-ro", "/"]
    settings = [part for name, value in (_ONE_THREAD | _NO_PROCESSES).items() for part in ("--setenv", name, value)]
    return (bwrap, *_ALONE, *mounts, *settings, _python(), "-I", "-S", "-B", "-X", "utf8", _RUNNER)


def absent() -> list[str]:
    """Libraries that are to be inside and are not installed."""
    return [name for name in LIBRARIES if not _files(name)]


def _as_it_is(path: str) -> list[str]:
    """On most systems these lead to the folders in /usr."""
    if Path(path).is_symlink():
        return ["--symlink", str(Path(path).readlink()), path]
    return ["--ro-bind-try", path, path]


def _system() -> Iterator[str]:
    """Shared libraries, how they are found, and time zones. Debian keeps the libraries apart from all else."""
    debian = f"/usr/lib/{sysconfig.get_config_var('MULTIARCH')}"
    yield debian if Path(debian).is_dir() else "/usr/lib"
    yield from ("/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")


def _interpreter() -> Iterator[str]:
    yield _python()
    yield sysconfig.get_path("stdlib")
    shared = sysconfig.get_config_var("INSTSONAME")
    if shared:
        yield f"{sysconfig.get_config_var('LIBDIR')}/{shared}"


def _python() -> str:
    return str(Path(sys.executable).resolve())


def libraries() -> list[Path]:
    """Folders and files of the libraries and of all that they require, and nothing else that is installed."""
    wanted, folders = list(LIBRARIES), dict[str, set[Path]]()
    while wanted:
        name = wanted.pop()
        if name not in folders:
            folders[name] = _files(name)
            wanted += _requirements(name)
    return sorted(set().union(*folders.values()))


def _files(name: str) -> set[Path]:
    try:
        of = distribution(name)
    except PackageNotFoundError:
        return set()
    tops = {file.parts[0] for file in of.files or () if file.parts[0] not in ("..", "__pycache__")}
    return {Path(str(of.locate_file(top))) for top in tops}


def _requirements(name: str) -> list[str]:
    try:
        lines = distribution(name).requires or []
    except PackageNotFoundError:  # only where another system needs it
        return []
    return [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines if "extra ==" not in line]
