"""What privacy costs, as ratios of CPU time against the plain query in one run. Writes bench/results.json.

Both sides scan the same Parquet file; runs are interleaved and medians compared: a busy machine does not matter.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import typer

import sfumato as sf
from sfumato import demo

QUERIES = {
    "Q1": "SELECT COUNT(*) FROM adult WHERE income = '>50K' AND education_num = 13 AND age = 25",
    "Q2": "SELECT marital_status, COUNT(*) FROM adult WHERE race = 'Asian-Pac-Islander' AND age BETWEEN 30 AND 40 "
    "GROUP BY marital_status",
    "Q3": "SELECT COUNT(*) FROM adult WHERE native_country <> 'United-States' AND sex = 'Female'",
    "Q4": "SELECT AVG(hours_per_week) FROM adult WHERE workclass IN ('Federal-gov', 'Local-gov', 'State-gov')",
    "Q5": "SELECT SUM(capital_gain) FROM adult",
}
RESULTS = Path(__file__).with_name("results.json")


def cpu(work: Callable[[], object]) -> float:
    """Milliseconds of CPU, of all threads."""
    start = time.process_time()
    work()
    return 1000 * (time.process_time() - start)


def measure(data: Path, sql: str, rounds: int) -> dict[str, float]:
    """Medians of the plain query, of choosing by ratio, and of a release, each on freshly opened data."""
    times: dict[str, list[float]] = {"plain": [], "choose": [], "release": []}
    schema = demo.schema()
    for _ in range(rounds):
        plain = duckdb.connect()
        plain.read_parquet(str(data)).create_view("adult")
        times["plain"].append(cpu(lambda plain=plain: plain.execute(sql).fetchall()))  # type: ignore[misc]
        for name in ("choose", "release"):
            query = sf.open(data, schema, ledger=":memory:").query(sql)
            verbs = {
                "choose": lambda q=query: q.choose(sf.ratio(0.95)),
                "release": lambda q=query: q.release(epsilon=1.0),
            }
            times[name].append(cpu(verbs[name]))
    return {name: statistics.median(values) for name, values in times.items()}


def main(rows: int = 1_000_000, rounds: int = 7) -> None:
    """Measure Q1 to Q5 of the RDR paper on a generated population."""
    results = {}
    with TemporaryDirectory() as folder:
        typer.echo(f"Generating {rows:,} people ...")
        data, _ = demo.write(folder, rows)
        measure(data, QUERIES["Q1"], 1)  # load libraries before anything is timed
        typer.echo("       plain ms   choose/plain   release/plain")
        for name, sql in QUERIES.items():
            found = measure(data, sql, rounds)
            ratios = {verb: found[verb] / found["plain"] for verb in ("choose", "release")}
            results[name] = {"plain_ms": round(found["plain"], 2)} | {
                f"{v}_ratio": round(r, 3) for v, r in ratios.items()
            }
            typer.echo(f"{name}  {found['plain']:>9.1f}   {ratios['choose']:>12.2f}   {ratios['release']:>13.2f}")
    RESULTS.write_text(json.dumps({"rows": rows, "rounds": rounds, "queries": results}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    typer.run(main)
