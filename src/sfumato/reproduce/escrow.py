"""What an escrow costs beside the same queries standalone (PRI 6.2 and Figure 8)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from sfumato.composition import local
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Points
from sfumato.presentation.figures.scale import Axis
from sfumato.reproduce.data import Study
from sfumato.reproduce.finding import Agreement, Reproduction, Value, timed
from sfumato.reproduce.pri import PAPER

RUNS = 10  # as the paper has them
WITHOUT, WITH, ESCROW = "standalone without DP", "standalone with DP", "escrow"
CRYPT = {  # Cryptε, which is not run here
    "encryption, one process": "665,120 s",
    "encryption, 46 cores": "22,477 s",
    "Q3": "5 orders of magnitude slower than the escrow",
}
Times = Mapping[tuple[str, str], float]


def figure_8(study: Study) -> Reproduction:
    """Seconds to encrypt four columns, and to answer three queries: as they are, with DP, and from an escrow."""
    from sfumato.reproduce.platform import QUERIES, four_columns  # needs the [server] extra, and says so

    with TemporaryDirectory() as folder:
        file = four_columns(study, Path(folder))
        encrypted, seconds = _encryption(file, Path(folder)), _queries(file, Path(folder))
    values = [
        timed("encryption, escrow", "0.015 s", 0.015, encrypted),
        *(Value(f"Cryptε, {what}", printed, "not run", Agreement.NOT_RUN) for what, printed in CRYPT.items()),
    ]
    for name in QUERIES:
        values += [_ours(f"{name}, {side}", f"{seconds[name, side]:.2g} s") for side in (WITHOUT, WITH, ESCROW)]
        overhead = _times(seconds, name)
        values.append(Value(f"{name}, {ESCROW} / {WITH}", "little overhead", overhead, Agreement.OURS))
    notes = (
        f"Medians of {RUNS} runs on this machine, on the wall, of data that is open on each side; the paper shows a"
        " picture of the averages of 10 runs.",
        "The escrow submits, approves by its policy, draws in a worker process and fetches the answer; everything is"
        " recorded and synced. `make bench` measures it from rest too, and in CPU time.",
        "The data is encrypted at rest and plain in the worker's memory; the paper's escrow also encrypts memory"
        " (AMD SEV), Cryptε computes on ciphertext.",
    )
    picture = _picture(seconds, list(QUERIES))
    return Reproduction("escrow", "Figure 8 and section 6.2", PAPER, tuple(values), (picture,), study.on, notes)


def _encryption(file: Path, folder: Path) -> float:
    from sfumato.adapters.vault.files import VaultFiles
    from sfumato.adapters.vault.master_key import MasterKey

    vault, plain = VaultFiles(folder / "vault", MasterKey(os.urandom(32))), file.read_bytes()
    return median(_seconds(lambda version: vault.keep("adult", version, [plain]), str(run)) for run in range(RUNS))


def _queries(file: Path, folder: Path) -> Times:
    """The sides take turns; the first turn starts the worker, and is forgotten."""
    from sfumato.reproduce.platform import QUERIES, Platform, epsilon_of, schema_of

    draws, took = count(), dict[tuple[str, str], list[float]]()
    dataset = local.open(file, schema_of(), ledger=folder / "adult.ledger")
    looked = local.open(file, schema_of(), ledger=":memory:")  # a look in the ledger would leave no guarantee
    with Platform(folder / "workspace", file) as platform:
        sides: dict[str, Callable[[str], object]] = {
            WITHOUT: lambda sql: looked.query(sql).answer(),
            WITH: lambda sql: dataset.query(sql).release(epsilon=epsilon_of(next(draws))),
            ESCROW: lambda sql: platform.answer("adult", sql, epsilon_of(next(draws))),
        }
        for _ in range(RUNS + 1):
            for name, query in QUERIES.items():
                for side, ask in sides.items():
                    took.setdefault((name, side), []).append(_seconds(ask, query.format(table="adult")))
    return {which: median(each[1:]) for which, each in took.items()}


def _seconds(work: Callable[..., object], *arguments: str) -> float:
    begin = perf_counter()
    work(*arguments)
    return perf_counter() - begin


def _picture(seconds: Times, names: list[str]) -> Figure:
    places = range(1, len(names) + 1)
    return Figure(
        "Figure 8: how long a query takes",
        "Medians; what is open is asked, on each side",
        Axis("query: " + ", ".join(f"{place} is {name}" for place, name in zip(places, names, strict=True))),
        Axis("time", "s", scale="log"),
        tuple(
            Points(
                tuple((place, seconds[name, side]) for place, name in zip(places, names, strict=True)),
                side,
                tuple(names),
            )
            for side in (WITHOUT, WITH, ESCROW)
        ),
    )


def _times(seconds: Times, name: str) -> str:
    escrow, standalone = seconds[name, ESCROW], seconds[name, WITH]
    return f"{escrow / standalone:.1f} times, {1000 * (escrow - standalone):.0f} ms more"


def _ours(what: str, ours: str) -> Value:
    return Value(what, "", ours, Agreement.OURS)
