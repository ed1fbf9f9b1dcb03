"""One line on the terminal while something takes long."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Thread

Share = Callable[[], float | None]

AFTER = 2.0  # seconds: a shorter wait needs no line
EVERY = 0.1


def reading(progress: Share) -> AbstractContextManager[None]:
    """Show progress of an engine that reads the data."""
    return waiting(progress, "Reading the data")


@contextmanager
def waiting(progress: Share, words: str, *, after: float = AFTER) -> Iterator[None]:
    """Show the words, with a percentage where one is known, from `after` seconds on; remove them at the end.

    Only on a terminal: a program that reads standard error from a pipe gets errors and nothing else.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    done = Event()
    line = Thread(target=_show, args=(done, progress, words, after), daemon=True)
    line.start()
    try:
        yield
    finally:
        done.set()
        line.join()


def _show(done: Event, progress: Share, words: str, after: float) -> None:
    if done.wait(after):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=30), TaskProgressColumn()
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task(words, total=None)
        while not done.wait(EVERY):
            share = progress()
            if share is not None:
                bar.update(task, total=1.0, completed=share)
