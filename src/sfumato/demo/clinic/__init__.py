"""A generated clinic in four tables: patients, their visits, prescriptions, and a public list of drugs."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.adapters.engines.duckdb.engine import SyntheticPopulation

PEOPLE = 5_000
SEED = 1
TABLES = ("patients", "visits", "prescriptions", "drugs")
_DESCRIPTIONS = ("clinic.toml", "clinic-monthly.toml")


def population(table: str, people: int = PEOPLE, seed: int = SEED) -> SyntheticPopulation:
    """The rows of one table: of people, or of the public table, which is always the same."""
    from sfumato.adapters.engines.duckdb.engine import SyntheticPopulation

    text = files("sfumato.demo.clinic").joinpath(f"{table}.sql").read_text("utf-8")
    return SyntheticPopulation(text, {} if table == "drugs" else {"rows": people, "seed": seed})


def write(folder: str | Path, people: int = PEOPLE, seed: int = SEED) -> tuple[Path, ...]:
    """Write the tables as CSV, their schema `clinic.toml`, and the plan `clinic-monthly.toml`."""
    from sfumato.adapters.engines.duckdb.engine import write_population

    paths = []
    for table in TABLES:
        paths.append(Path(folder) / f"{table}.csv")
        write_population(population(table, people, seed), paths[-1])
    for name in _DESCRIPTIONS:
        paths.append(Path(folder) / name)
        paths[-1].write_text(files("sfumato.demo.clinic").joinpath(name).read_text("utf-8"), "utf-8")
    return tuple(paths)
