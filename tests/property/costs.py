"""What a query takes of a machine, with one person in the data or without them: run in a process of its own.

`python -m tests.property.costs with` prints, for each query of the corpus, how it ended, the most memory that it took
beyond what was there before, in MB, and the seconds of CPU.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pandas as pd

import sfumato as sf
from sfumato.errors import QueryError

OTHERS = 2000
SCHEMA = {
    "name": "t",
    "columns": {
        "name": {"type": "text"},
        "note": {"type": "text"},
        "fine": {"type": "number", "bounds": [0, 1000], "step": 0.01},
        "coarse": {"type": "number", "bounds": [0, 1000]},
        "town": {"keys": "private"},
        "side": {"categories": ["left", "right"]},
    },
}


def quantiles(column: str, many: int) -> str:
    return ", ".join(f"QUANTILE_DISC({column}, {i / 1000})" for i in range(1, many + 1))


def only_for_ada(constant: str, otherwise: str = "''") -> str:
    return f"CASE WHEN name = 'Ada' THEN {constant} ELSE {otherwise} END"


def patterns(operand: str, many: int, length: int) -> str:
    """Each of them is compared at every character of a text, all along."""
    return " OR ".join(f"{operand} LIKE '%{'_' * (length - 5)}{i:04}'" for i in range(many))


def doubled(times: int) -> str:
    read_from = f"SELECT {only_for_ada('coarse', '1')} AS a0 FROM t"
    for i in range(times):
        read_from = f"SELECT a{i} + ABS(a{i}) AS a{i + 1} FROM ({read_from})"
    return f"SELECT COUNT(*) FROM ({read_from}) WHERE a{times} > 3"


LONG, LONGER = ("'" + "a" * length + "'" for length in (1000, 20_000))
COUNT = "SELECT COUNT(*) FROM t WHERE"
CORPUS = {
    "fine quantiles by a private key": f"SELECT town, {quantiles('fine', 254)} FROM t GROUP BY town",
    "a fine quantile by a private key": "SELECT town, MEDIAN(fine) FROM t GROUP BY town",
    "quantiles by a private key": f"SELECT town, {quantiles('coarse', 190)} FROM t GROUP BY town",
    "quantiles of many values by a private key": (
        f"SELECT town, {', '.join(f'MEDIAN(coarse + {i})' for i in range(15))} FROM t GROUP BY town"),
    "fine quantiles by a public key": f"SELECT side, {quantiles('fine', 5)} FROM t GROUP BY side",
    "a very long text": (
        f"SELECT COUNT(*) FROM (SELECT {only_for_ada(LONGER)} AS told FROM t) WHERE {patterns('told', 4, 10_000)}"),
    "a long text": f"{COUNT} {patterns(only_for_ada(LONG), 50, 200)}",
    "a long text in COALESCE": f"{COUNT} {patterns(f'COALESCE(note, {LONG})', 50, 200)}",
    "a long stored text": f"{COUNT} {patterns('note', 50, 200)}",
    "functions of a long stored text": (
        f"{COUNT} " + " AND ".join(f"LOWER(UPPER(COALESCE(note, 'B{i}'))) <> 'b'" for i in range(100))),
    "a large expression": doubled(8),
    "a larger expression": doubled(13),
}  # fmt: skip


def people(*, with_ada: bool) -> pd.DataFrame:
    """Ada lives where no one else does, and has written much."""
    rows = [(f"person {i}", "short", i / 2, i / 2, f"town {i % 4}", "left") for i in range(OTHERS)]
    ada = ("Ada", "a" * 10**6, 12.34, 12.34, "Adaville", "right")
    return pd.DataFrame([*rows, ada] if with_ada else rows, columns=[*SCHEMA["columns"]])


def peak() -> float:
    line = next(line for line in Path("/proc/self/status").read_text("ascii").splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def cost(dataset: sf.Dataset, sql: str) -> tuple[str, float, float]:
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # the peak is that from here on
    before, started = peak(), time.process_time()
    try:
        query = dataset.query(sql)
        query.release(epsilon=1, delta=1e-6 if query._bound.has_private_keys else None)
        end = "released"
    except QueryError as refusal:
        end = str(refusal)
    return end, peak() - before, time.process_time() - started


def main(which: str) -> None:
    dataset = sf.open(people(with_ada=which == "with"), SCHEMA, ledger=":memory:")
    cost(dataset, "SELECT side, MEDIAN(fine), COUNT(*) FROM t WHERE note LIKE '%a_b' GROUP BY side")  # loads everything
    print(json.dumps({name: cost(dataset, sql) for name, sql in CORPUS.items()}))


if __name__ == "__main__":
    main(sys.argv[1])
