"""What there is inside a sandbox: an interpreter, three libraries and what those need. All of it is read only."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from sfumato.sandbox import runner

LIBRARIES = ("numpy", "pandas", "scikit-learn")
_RUNNER = "/runner.py"
_ALONE = (
    "--unshare-all --unshare-user --uid 65534 --gid 65534 --hostname sandbox --cap-drop ALL "
    "--as-pid-1 --new-session --die-with-parent --clearenv --chdir /"
).split()
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache")


@cache
def command(bwrap: str) -> tuple[str, ...]:
    """How the runner is started: in namespaces of its own, as nobody, with nothing of the machine but what it needs."""
    python = Path(sys.executable).resolve()
    mounts: list[str] = []
    for path in ("/lib", "/lib64"):
        if Path(path).is_symlink():
            mounts += ["--symlink", str(Path(path).readlink()), path]
        elif Path(path).exists():
            mounts += ["--ro-bind", path, path]
    for path in (*_SYSTEM, *_interpreter()):
        mounts += ["--ro-bind-try", path, path]
    mounts += ["--tmpfs", sysconfig.get_path("stdlib") + "/site-packages"]  # others' libraries are not for here
    for path in libraries():
        mounts += ["--ro-bind", str(path), f"{runner.LIBRARIES}/{path.name}"]
    mounts += ["--ro-bind", str(Path(runner.__file__)), _RUNNER, "--remount-ro", "/"]
    settings = [part for name in _ONE_THREAD for part in ("--setenv", name, "1")]
    settings += ["--setenv", "JOBLIB_MULTIPROCESSING", "0"]
    return (bwrap, *_ALONE, *mounts, *settings, str(python), "-I", "-S", "-B", "-X", "utf8", _RUNNER)


def absent() -> list[str]:
    """Libraries that are to be inside and are not installed."""
    return [name for name in LIBRARIES if not _files(name)]


def _interpreter() -> Iterator[str]:
    yield str(Path(sys.executable).resolve())
    yield sysconfig.get_path("stdlib")
    shared = sysconfig.get_config_var("INSTSONAME")
    if shared:
        yield f"{sysconfig.get_config_var('LIBDIR')}/{shared}"


def libraries() -> list[Path]:
    """Folders and files of the libraries and of all that they require, and nothing else that is installed."""
    wanted, found = list(LIBRARIES), dict[str, set[Path]]()
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = _files(name)
            wanted += _required(name)
    return sorted(set().union(*found.values()))


def _files(name: str) -> set[Path]:
    try:
        of = distribution(name)
    except PackageNotFoundError:
        return set()
    tops = {file.parts[0] for file in of.files or () if file.parts[0] not in ("..", "__pycache__")}
    return {Path(str(of.locate_file(top))) for top in tops}


def _required(name: str) -> list[str]:
    try:
        lines = distribution(name).requires or []
    except PackageNotFoundError:  # only where another system needs it
        return []
    return [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines if "extra ==" not in line]
