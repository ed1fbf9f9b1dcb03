"""Sessions of Spark: found or started, quiet, and set so that every query means what it says."""

from __future__ import annotations

import logging
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from threading import RLock
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

from sfumato.adapters.engines.spark.java import require_java
from sfumato.adapters.engines.spark.spark_errors import failures
from sfumato.errors import BadInput, SourceError, instead

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

PINNED = {
    "spark.sql.ansi.enabled": "true",  # what does not fit is an error, or NULL where we say so; never another number
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.manageParserCaches": "true",  # else what it remembers of long queries fills the driver's memory
    "spark.sql.parser.parserDfaCacheFlushThreshold": "10000",
    "spark.sql.variable.substitute": "false",  # a text of a query such as ${env:HOME} stays a text
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
}
"""What the meaning of our SQL depends on."""
_OWN = {
    "spark.app.name": "sfumato",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
}
"""How Spark is started here. Its pages and its log would show constants of queries."""
_LOGGERS = (
    "SQLQueryContextLogger", "DataFrameQueryContextLogger",  # failures
    "py4j", "py4j.clientserver", "py4j.java_gateway",  # answers, at the level DEBUG
)  # fmt: skip
_OLDEST = (4, 2)  # the first with the smallest and largest values of a group, MIN_BY(x, y, 2)
_PATIENCE = 5.0  # seconds in which a master has to take a connection
_RETRIES = 5  # about 20 seconds, after which a lost server is one
_lock = RLock()


def open_session(master: str | None) -> SparkSession:
    """A session whose settings and views are no one else's.

    `master` is the address of a cluster (spark://host:port, local[4]) or of Spark Connect (sc://host:port); without
    one, Spark's own configuration decides.
    """
    if find_spec("pyspark") is None:
        raise BadInput.because("engine-extra-missing", engine="spark", package="pyspark")
    with _lock, catch_warnings():
        simplefilter("ignore")  # what it thinks of the versions of other packages
        with suppress(ImportError):
            import_module("pyspark.testing.utils")  # it says so once
        _silence()
        require_reachable(master)
        is_connect = master is not None and master.startswith("sc://")
        session = _connected(master or "") if is_connect else _own_session(master)
        if tuple(map(int, session.version.split(".")[:2])) < _OLDEST:
            raise SourceError.because("spark-too-old", version=session.version, oldest=".".join(map(str, _OLDEST)))
        for name, value in PINNED.items():
            session.conf.set(name, value)
        return session


def _silence() -> None:
    """pyspark writes failures, values included, to stderr through loggers of Python, whatever Spark's own level is.

    py4j writes all that goes to and fro.
    """
    from pyspark.logger import PySparkLogger

    for name in _LOGGERS:
        logger = PySparkLogger.getLogger(name)  # another kind of logger would fail at what pyspark logs
        logger.disabled = True
        if _nothing not in logger.filters:  # another library may enable every logger
            logger.addFilter(_nothing)


def _nothing(_: logging.LogRecord) -> bool:
    return False


def require_reachable(master: str | None) -> None:
    """Refuse an address where no one takes a connection: Spark itself tries for a minute, and says so in a page."""
    scheme, _, rest = (master or "").partition("://")
    if scheme not in ("spark", "sc") or not rest:
        return
    default = 7077 if scheme == "spark" else 15002
    places = rest.partition("/")[0].split(",")
    if not any(_answers(place, default) for place in places):
        raise SourceError.because("spark-unreachable", master=f"{scheme}://{','.join(places)}")


def _answers(place: str, default: int) -> bool:
    host, _, port = place.rpartition(":") if ":" in place else (place, "", "")
    try:
        socket.create_connection((host.strip("[]"), int(port or default)), timeout=_PATIENCE).close()
    except (OSError, ValueError):
        return False
    return True


def _connected(address: str) -> SparkSession:
    from pyspark.sql import SparkSession

    unreachable = SourceError.because("spark-unreachable", master=address.partition("/;")[0])
    try:
        session = instead(unreachable, failures(), lambda: SparkSession.builder.remote(address).create())
        from pyspark.sql.connect.client.retries import DefaultPolicy

        session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])
        return session
    except ImportError:
        raise BadInput.because("engine-extra-missing", engine="spark", package="pyspark[connect]") from None


def _own_session(master: str | None) -> SparkSession:
    """Of the Spark that runs in this process, or of one that is started now."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running = SparkContext._active_spark_context
    if running is not None and master is not None and running.master != master:
        raise SourceError.because("spark-runs", master=master, running=running.master)
    if running is None:
        require_java()
        failed = SourceError.because("spark-not-started", master=master or "")
        with ThreadPoolExecutor(1) as thread:  # in the main one pyspark would take Ctrl-C for itself
            running = instead(failed, failures(), lambda: thread.submit(_started, master).result())
    lost = SourceError.because("spark-not-started", master=running.master)
    return instead(lost, failures(), lambda: SparkSession(running).newSession())


def _started(master: str | None) -> SparkContext:
    """What the Java process prints goes nowhere: it would quote rows."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    conf = SparkConf().setAll(list(_OWN.items()))
    if master is not None:
        conf.setMaster(master)
    nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    gateway = SparkContext._gateway or launch_gateway(conf, nowhere)
    return SparkContext(conf=conf, gateway=gateway)
