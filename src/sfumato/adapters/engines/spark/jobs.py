"""Queries as jobs that can be cancelled, and that say how far they are."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sfumato.adapters.engines.spark.spark_errors import failures

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

T = TypeVar("T")

_numbers = count(1)
_ABOUT = "sfumato"  # what a cluster's pages say of a job: no text of a query


class Jobs:
    """The jobs of one session, one after the other. One that is no longer waited for is cancelled.

    They run in a thread of their own: Java knows a job's group by the thread, and the one that waits can be
    interrupted.
    """

    def __init__(self, session: SparkSession) -> None:
        self._session, self._thread = session, ThreadPoolExecutor(1, "sfumato-spark")
        self._context = cast("SparkContext | None", getattr(session, "_sc", None))  # none through Spark Connect
        self._group = ""
        self._share: float | None = None
        if self._context is None:
            session.registerProgressHandler(cast("Any", self._note))

    def run(self, work: Callable[[], T]) -> T:
        self._group = f"sfumato-{next(_numbers)}"
        try:
            return self._thread.submit(self._in_group, self._group, work).result()
        except BaseException:
            self.cancel()
            raise
        finally:
            self._group, self._share = "", None

    def _in_group(self, group: str, work: Callable[[], T]) -> T:
        if self._context is not None:
            self._context.setJobGroup(group, _ABOUT, interruptOnCancel=True)
        return work()

    def cancel(self) -> None:
        with suppress(*failures()):
            if self._context is None:
                self._session.interruptAll()
            elif self._group:
                self._context.cancelJobGroup(self._group)

    def close(self) -> None:
        self.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def progress(self) -> float | None:
        """The share of the tasks that are done, of the stages that are known by now."""
        if self._context is None or not self._group:
            return self._share
        tracker, tasks, done = self._context.statusTracker(), 0, 0
        with suppress(*failures()):
            for job in tracker.getJobIdsForGroup(self._group):
                known = tracker.getJobInfo(job)
                for stage in [] if known is None else known.stageIds:
                    info = tracker.getStageInfo(stage)
                    if info is not None:
                        tasks, done = tasks + info.numTasks, done + info.numCompletedTasks
        return done / tasks if tasks else None

    def _note(self, *, stages: Any = None, **_: object) -> None:
        """What Spark Connect says of its own accord."""
        tasks = sum(stage.num_tasks for stage in stages or [])
        self._share = sum(stage.num_completed_tasks for stage in stages) / tasks if tasks else None
