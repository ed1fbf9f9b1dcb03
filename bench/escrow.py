"""What an escrow costs over a standalone release: Q1 to Q3 of the escrow paper (PRI 6.2.4), epsilon 0.1.

The four columns of 32,561 people lie in a CSV file. Standalone: it is opened, asked and released, with a ledger on
disk. Escrow: an analyst submits, the policy approves, a worker draws, the answer is fetched; nothing of it is left out,
and everything is synced as it is in use. Both are measured twice: from rest, where the standalone side opens the plain
file and the worker decrypts and opens the encrypted one; and on data that both have open.

CPU is that of this process and of the worker, and is what is judged: other programs on the machine hardly change it.
What a person waits is reported beside it.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from cryptography.fernet import Fernet

import sfumato as sf
from bench.target import ESCROW, Target
from sfumato.adapters.vault.files import VaultFiles
from sfumato.adapters.vault.master_key import MasterKey
from sfumato.composition.worker import MOST_OPEN
from sfumato.reproduce.data import Study
from sfumato.reproduce.platform import QUERIES, Platform, epsilon_of, four_columns, schema_of

TABLES = tuple(f"adult{n}" for n in range(MOST_OPEN + 1))
"""Asked in turn: a worker keeps one fewer open, so that each time the next one has to be opened."""
SIDES = ("plain", "standalone from rest", "standalone", "escrow from rest", "escrow")
RATIOS = {"from_rest": "escrow / standalone, from rest", "open": "escrow / standalone, on open data"}
ENCRYPTED = ("vault", "plain copy", "Fernet")


@dataclass(frozen=True)
class Spent:
    """Milliseconds: of CPU of all processes, and on the wall."""

    cpu: float
    wall: float


@dataclass(frozen=True)
class Asked:
    """Medians of one question, by side."""

    name: str
    spent: Mapping[str, Spent]

    @property
    def ratios(self) -> dict[str, float]:
        """Escrow over standalone."""
        rest, open_ = ((self.spent[f"escrow{how}"], self.spent[f"standalone{how}"]) for how in (" from rest", ""))
        return {
            "from_rest": rest[0].cpu / rest[1].cpu,
            "from_rest_wall": rest[0].wall / rest[1].wall,
            "open": open_[0].cpu / open_[1].cpu,
            "open_wall": open_[0].wall / open_[1].wall,
        }

    @property
    def figures(self) -> dict[str, object]:
        spent = {side: {"cpu_ms": round(s.cpu, 1), "wall_ms": round(s.wall, 1)} for side, s in self.spent.items()}
        return {**spent, **{name: round(ratio, 2) for name, ratio in self.ratios.items()}}


@dataclass(frozen=True)
class Escrow:
    """What was measured: the questions, and the file's encryption in milliseconds on the wall."""

    asked: tuple[Asked, ...]
    encryption: Mapping[str, float]
    bytes: int
    rounds: int

    @property
    def targets(self) -> Iterator[Target]:
        """Of the three questions together."""
        escrow, standalone = (
            sum(each.spent[f"{side} from rest"].cpu for each in self.asked) for side in ("escrow", "standalone")
        )
        yield Target("escrow / standalone release, from rest", escrow / standalone, most=ESCROW)

    @property
    def figures(self) -> dict[str, object]:
        return {
            "rounds": self.rounds,
            "queries": {each.name: each.figures for each in self.asked},
            "encryption": {"bytes": self.bytes} | {f"{how}_ms": round(ms, 2) for how, ms in self.encryption.items()},
        }

    def lines(self) -> Iterator[str]:
        yield f"An escrow over a standalone release, four columns of 32,561 people, medians of {self.rounds} rounds:"
        yield ""
        yield f"{'ms of CPU (on the wall)':<34}" + "".join(f"{each.name:>18}" for each in self.asked)
        for side in SIDES:
            spent = (each.spent[side] for each in self.asked)
            yield f"{side:<34}" + "".join(f"{f'{s.cpu:.1f} ({s.wall:.1f})':>18}" for s in spent)
        for name, said in RATIOS.items():
            ratios = (f"{each.ratios[name]:.2f} ({each.ratios[f'{name}_wall']:.2f})" for each in self.asked)
            yield f"{said:<34}" + "".join(f"{ratio:>18}" for ratio in ratios)
        yield ""
        told = ", ".join(f"{how} {ms:.1f} ms" for how, ms in self.encryption.items())
        yield f"The file of {self.bytes / 1000:,.0f} kB, written and synced: {told} (the paper: 15 ms)."


def escrow(rounds: int) -> Escrow:
    """Rounds of all sides in turn; the first starts the worker, loads libraries and is forgotten."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        file = four_columns(Study(), folder)
        with Platform(folder / "workspace", file, TABLES) as platform:
            runs = _Runs(file, folder, platform)
            for n in range(rounds + 1):
                for name in QUERIES:
                    runs.turn(name, first=n % len(SIDES), forgotten=n == 0)
        return Escrow(runs.asked, _encryption(file, folder, rounds), file.stat().st_size, rounds)


class _Runs:
    def __init__(self, file: Path, folder: Path, platform: Platform) -> None:
        self._file, self._folder, self._platform = file, folder, platform
        self._draws, self._tables = count(), cycle(TABLES)
        self._opened: list[sf.Dataset] = []
        self._taken: dict[tuple[str, str], list[Spent]] = defaultdict(list)

    def turn(self, name: str, *, first: int, forgotten: bool) -> None:
        """Each side once, beginning with another one each time; what is open was opened just before."""
        table = next(self._tables)
        sql = QUERIES[name].format(table=table)
        blocks = (self._plain, self._standalone, self._escrow)
        for at in range(len(blocks)):
            for side, spent in blocks[(first + at) % len(blocks)](table, sql).items():
                if not forgotten:
                    self._taken[name, side].append(spent)

    @property
    def asked(self) -> tuple[Asked, ...]:
        return tuple(Asked(name, {side: _median(self._taken[name, side]) for side in SIDES}) for name in QUERIES)

    def _plain(self, table: str, sql: str) -> dict[str, Spent]:
        with duckdb.connect() as connection:
            return {"plain": _timed(lambda: _query(connection, self._file, table, sql))}

    def _standalone(self, table: str, sql: str) -> dict[str, Spent]:
        ledger = self._folder / f"{next(self._draws)}.ledger"
        rest = _timed(lambda: self._open(table, ledger).query(sql).release(epsilon=self._epsilon()))
        redraw = _timed(lambda: self._opened[0].query(sql).release(epsilon=self._epsilon()))
        return {"standalone from rest": rest, "standalone": redraw}

    def _open(self, table: str, ledger: Path) -> sf.Dataset:
        """As a worker does, it closes what was open before."""
        while self._opened:
            self._opened.pop()._context.engine.close()
        self._opened.append(sf.open(self._file, schema_of(table), ledger=ledger))
        return self._opened[0]

    def _escrow(self, table: str, sql: str) -> dict[str, Spent]:
        def ask() -> object:
            return self._platform.answer(table, sql, self._epsilon())

        return {"escrow from rest": _timed(ask), "escrow": _timed(ask)}

    def _epsilon(self) -> float:
        return epsilon_of(next(self._draws))


def _query(connection: duckdb.DuckDBPyConnection, file: Path, table: str, sql: str) -> object:
    connection.read_csv(str(file)).create_view(table)
    return connection.execute(sql).fetchall()


def _encryption(file: Path, folder: Path, rounds: int) -> dict[str, float]:
    """Keeping the file in the vault, against the same without encryption, and against PRI's way of doing it."""
    plain, master = file.read_bytes(), MasterKey(os.urandom(32))
    vaults = {how: VaultFiles(folder / how, master, encrypted=how == "vault") for how in ("vault", "plain copy")}
    fernet = Fernet(Fernet.generate_key())
    keep: dict[str, Callable[[str], object]] = {
        "vault": lambda version: vaults["vault"].keep("adult", version, [plain]),
        "plain copy": lambda version: vaults["plain copy"].keep("adult", version, [plain]),
        "Fernet": lambda version: vaults["plain copy"].keep("Fernet", version, [fernet.encrypt(plain)]),
    }
    taken: dict[str, list[float]] = defaultdict(list)
    for n in range(rounds + 1):
        for how in ENCRYPTED:
            taken[how].append(_timed(partial(keep[how], str(n))).wall)
    return {how: statistics.median(each[1:]) for how, each in taken.items()}


def _timed(work: Callable[[], object]) -> Spent:
    gc.collect()
    cpu, wall = _cpu(), time.perf_counter()
    work()
    return Spent(1000 * (_cpu() - cpu), 1000 * (time.perf_counter() - wall))


def _cpu() -> float:
    """Seconds of CPU of this process and of those that it started, whose clocks the kernel names by their ids."""
    started = (child.pid for child in multiprocessing.active_children())
    return time.process_time() + sum(time.clock_gettime((~pid << 3) | 2) for pid in started if pid)


def _median(taken: list[Spent]) -> Spent:
    return Spent(statistics.median(s.cpu for s in taken), statistics.median(s.wall for s in taken))
