"""Spark for tests: light sessions in this machine's processes, and a real cluster of a master and two workers."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

NOT_HERE = "Java is not here: install it with 'apt install default-jre-headless', or set JAVA_HOME."
LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:CICompilerCount=1"
"""What a Java process that lives for a minute is told: compile once, and collect in one thread."""
SMALL = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.driver.memory": "600m",
    "spark.executor.memory": "500m",
    "spark.driver.extraJavaOptions": LIGHT,
    "spark.executor.extraJavaOptions": LIGHT,
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}
"""Tables of tests are small: to compile a query would take longer than to run it."""


def require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if (shutil.which("java") if home is None else shutil.which(f"{home}/bin/java")) is None:
        pytest.skip(NOT_HERE)


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a process that starts Spark, with nothing of it in a home folder."""
    settings = {**SMALL, "spark.sql.warehouse.dir": str(folder / "warehouse"), "spark.local.dir": str(folder), **more}
    given = " ".join(f'--conf "{name}={value}"' for name, value in settings.items())
    return {"PYSPARK_SUBMIT_ARGS": f"{given} pyspark-shell", "SPARK_LOCAL_IP": "127.0.0.1"}


def _is_gone(pid: int) -> bool:
    """Whether a process has ended, and at most its number is still there."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@dataclass(frozen=True)
class Executors:
    """The processes that these workers have started."""

    workers: tuple[int, ...]

    def running(self) -> list[int]:
        children = ["pgrep", "-P", ",".join(map(str, self.workers))]
        found = subprocess.run(children, check=False, capture_output=True, text=True).stdout
        return [pid for pid in map(int, found.split()) if not _is_gone(pid)]

    def kill_first(self) -> int:
        first = self.running()[0]
        os.kill(first, signal.SIGKILL)
        return first


@dataclass(frozen=True)
class Cluster:
    """A master and the processes of its workers, which talk over the loopback."""

    url: str
    pids: tuple[str, ...]


@contextmanager
def cluster() -> Iterator[Cluster]:
    """The pip package has no scripts that start one; its classes are all there."""
    require_java()
    import pyspark

    home = Path(pyspark.__file__).parent
    with TemporaryDirectory(prefix="sfumato-") as name, ExitStack() as processes:
        folder = Path(name)
        settings = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "300m"}
        settings |= {"SPARK_DAEMON_JAVA_OPTS": LIGHT, "SPARK_WORKER_DIR": str(folder / "work")}

        def started(log: Path, *arguments: str) -> subprocess.Popen[bytes]:
            with log.open("wb") as output:
                process = subprocess.Popen(
                    ["setpriv", "--pdeathsig=KILL", str(home / "bin" / "spark-class"), *arguments],
                    stdout=output, stderr=output, env={**os.environ, **settings}, cwd=folder,
                )  # fmt: skip
            processes.callback(process.wait)
            processes.callback(process.kill)
            return process

        log, local = folder / "master", ("--host", "127.0.0.1", "--webui-port", "0")
        master = started(log, "org.apache.spark.deploy.master.Master", *local, "--port", "0")
        url = _said(master, log, re.compile(rb"Starting Spark master at (spark://\S+)"))
        workers = tuple(
            started(folder / f"worker {i}", "org.apache.spark.deploy.worker.Worker", *local, "--cores", "1",
                    "--memory", "600m", url)
            for i in range(2)
        )  # fmt: skip
        for i, worker in enumerate(workers):
            _said(worker, folder / f"worker {i}", re.compile(rb"Successfully registered with (master)"))
        yield Cluster(url, tuple(str(worker.pid) for worker in workers))


def _said(process: subprocess.Popen[bytes], log: Path, words: re.Pattern[bytes]) -> str:
    """What a process writes once it is ready."""
    while (match := words.search(log.read_bytes())) is None:
        try:
            process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(log.read_text("utf-8", "replace"))
    return match[1].decode()


@contextmanager
def light_sessions() -> Iterator[None]:
    """Whatever starts Spark in this process starts it here, in one thread; it goes with the process."""
    require_java()
    one_thread = {"spark.master": "local[1]", "spark.sql.shuffle.partitions": "1"}
    with TemporaryDirectory(prefix="sfumato-") as folder, pytest.MonkeyPatch.context() as patch:
        for name, value in environment(Path(folder), **one_thread).items():
            patch.setenv(name, value)
        yield
