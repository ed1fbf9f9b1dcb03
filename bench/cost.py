"""What a verb costs in CPU time, beside the plain query on the same file."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from unittest.mock import patch

import duckdb

import sfumato as sf
from bench.question import Question
from sfumato import demo
from sfumato.adapters.storage.ledger_file import SQLiteLedger

T = TypeVar("T")


def choose(query: sf.Query) -> object:
    """An epsilon by the ratio preference."""
    return query.choose(sf.ratio(0.95))


def moments(query: sf.Query) -> object:
    """The sums over all the people that every other preference needs."""
    seen: Any = query.risk()
    return seen.influence.sum, seen.influence.sum_sq, seen.exposure.sum


def profile(query: sf.Query) -> object:
    """All that a controller can see: how the figures are spread, and who carries most."""
    seen: Any = query.risk()
    return seen.exposure.quantile(0.5), seen.exposure.histogram, seen.influence.histogram, seen.most_exposed()


def select(query: sf.Query) -> object:
    """An epsilon by a private selection, charged before any data is read."""
    return query.choose(sf.variance(1e-3, select_epsilon=0.1))


def release(query: sf.Query) -> object:
    """A noisy answer, charged and synced before it leaves."""
    return query.release(epsilon=0.5)


VERBS: Mapping[str, Callable[[sf.Query], object]] = {
    "choose": choose,
    "moments": moments,
    "profile": profile,
    "select": select,
    "release": release,
}


@dataclass(frozen=True)
class Costs:
    """Medians over the rounds, in milliseconds of CPU of all threads."""

    plain: float
    open: float
    parse: float
    verb: Mapping[str, float]
    ledger: Mapping[str, float]  # the part of a verb that its entries in the ledger take
    sync: Mapping[str, float]  # and how long these take on the wall, until they are on the disk


def cpu(work: Callable[[], T], *, collect: bool = True) -> tuple[float, T]:
    """Milliseconds of CPU, of all threads; garbage of what ran before is not charged to it."""
    if collect:
        gc.collect()
    start = time.process_time()
    result = work()
    return 1000 * (time.process_time() - start), result


def costs(file: Path, question: Question, rounds: int, verbs: Sequence[str] = tuple(VERBS)) -> Costs:
    """Rounds of the plain query and each verb in turn, on freshly opened data that was touched just before.

    They take turns so that a busy machine slows them all, and each round begins with another one.
    """
    times: dict[str, list[float]] = defaultdict(list)
    sides = ["plain", *verbs]
    for n in range(rounds + 1):
        taken = times if n else defaultdict(list)  # the first round loads libraries and is forgotten
        for side in sides[n % len(sides) :] + sides[: n % len(sides)]:
            os.utime(file)
            if side == "plain":
                taken["plain"].append(plain(file, question.sql()))
            else:
                _verb(file, question, side, taken)
    medians = {name: statistics.median(values) for name, values in times.items()}
    return Costs(
        plain=medians["plain"],
        open=medians["open"],
        parse=medians["parse"],
        verb={verb: medians[verb] for verb in verbs},
        ledger={verb: medians[f"ledger of {verb}"] for verb in verbs},
        sync={verb: medians[f"sync of {verb}"] for verb in verbs},
    )


def plain(file: Path, sql: str) -> float:
    """The user's own query without any privacy, in a connection of its own; connecting is not charged."""
    with duckdb.connect() as connection:
        connection.read_parquet(str(file)).create_view("adult")
        return cpu(lambda: connection.execute(sql).fetchall())[0]


def _verb(file: Path, question: Question, verb: str, taken: Mapping[str, list[float]]) -> None:
    schema = demo.schema()
    with TemporaryDirectory() as folder, ledger_watched() as entries:
        ledger = Path(folder) / "adult.ledger" if verb == "release" else ":memory:"
        opening, dataset = cpu(lambda: sf.open(file, schema, ledger=ledger))
        parsing, query = cpu(lambda: dataset.query(question.sql()))
        entries.clear()
        running, _ = cpu(lambda: VERBS[verb](query))
    taken["open"].append(opening)
    taken["parse"].append(parsing)
    taken[verb].append(running)
    taken[f"ledger of {verb}"].append(sum(spent for spent, _ in entries))
    taken[f"sync of {verb}"].append(sum(waited for _, waited in entries))


@contextmanager
def ledger_watched() -> Iterator[list[tuple[float, float]]]:
    """The CPU that each call of the ledger's store takes, and its time on the wall."""
    spent: list[tuple[float, float]] = []

    def watched(method: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            start, began = time.process_time(), time.perf_counter()
            try:
                return method(*arguments)
            finally:
                spent.append((1000 * (time.process_time() - start), 1000 * (time.perf_counter() - began)))

        return timed

    with (
        patch.object(SQLiteLedger, "read", watched(SQLiteLedger.read)),
        patch.object(SQLiteLedger, "append", watched(SQLiteLedger.append)),
    ):
        yield spent
