"""Peak memory of people with several rows under a limit of memory, where their table takes a multiple of it.

`python bench/parts.py --times 10` prints, for a table of people of about that many times the limit, how far a query
lifts the peak of a process of its own (VmHWM), how many passes it takes, and its CPU time beside that of one pass.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import typer

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # a file that is run finds only what lies beside it
A_PERSON = 55  # bytes of the table of people, for each
SCHEMA = {
    "name": "stays",
    "unit": "who",
    "max_rows": 2,
    "columns": {"who": {"type": "integer"}, "days": {"type": "integer", "bounds": [0, 60]}},
}
SQL = "SELECT COUNT(*), SUM(days) FROM stays"


def main(
    memory_mb: int = typer.Option(64, min=64, help="The limit, in MiB."),
    times: int = typer.Option(10, min=1, help="How many times the limit the table of people takes, about."),
    file: Path | None = typer.Option(None, hidden=True),
    limited: bool = typer.Option(True, hidden=True),
) -> None:
    """Measure in processes of their own: with the limit, and without it."""
    if file is not None:
        typer.echo(_measured(file, memory_mb if limited else None))
        return
    people = times * memory_mb * 2**20 // A_PERSON
    with tempfile.TemporaryDirectory() as folder:
        few, many = (Path(folder) / f"{n}.parquet" for n in ("few", "many"))
        for path, n in ((few, 1000), (many, people)):
            duckdb.sql(f"COPY (SELECT i AS who, i % 60 AS days FROM range({n}) t(i)) TO '{path}' (FORMAT parquet)")
        typer.echo(f"{people:,} people; MiB of the peak above that of 1,000 people, passes, seconds of CPU")
        for how in ("--limited", "--no-limited"):
            runs = []
            for path in (few, many):
                command = [sys.executable, __file__, "--memory-mb", str(memory_mb), "--file", str(path), how]
                runs.append(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=folder).stdout)
            (at_rest, *_), (peak, passes, seconds, answer) = (run.split(maxsplit=3) for run in runs)
            limit = f"{memory_mb} MiB" if how == "--limited" else "none"
            typer.echo(
                f"limit {limit:>8}: {float(peak) - float(at_rest):8.0f} {passes:>4} {seconds:>8}  {answer.strip()}"
            )


def _measured(file: Path, memory_mb: int | None) -> str:
    import sfumato as sf

    dataset = sf.open(file, SCHEMA, ledger=":memory:", memory_mb=memory_mb)
    query = dataset.query(SQL)
    before = resource.getrusage(resource.RUSAGE_SELF)
    answer = query._bound.totals()
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    status = Path("/proc/self/status").read_text("ascii")
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return f"{peak / 1024:.1f} {dataset._context.engine.parts} {seconds:.2f} {answer.cells}"


if __name__ == "__main__":
    typer.run(main)
