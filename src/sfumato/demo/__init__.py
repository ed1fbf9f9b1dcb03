"""The embedded population: seeded, of any size, made by the engine. Nobody in it exists."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.adapters.engines.duckdb.engine import Invented
    from sfumato.api.dataset import Dataset
    from sfumato.model.schema import Schema

ROWS = 32_561
SEED = 1


def population(rows: int = ROWS, seed: int = SEED) -> Invented:
    """A census-like population with the columns and categories of UCI Adult."""
    from sfumato.adapters.engines.duckdb.engine import Invented

    return Invented(files("sfumato.demo").joinpath("population.sql").read_text("utf-8"), {"rows": rows, "seed": seed})


def schema_text() -> str:
    """The schema file of that population."""
    return files("sfumato.demo").joinpath("adult.toml").read_text("utf-8")


def schema() -> Schema:
    """The schema of that population: public facts only."""
    import tomllib

    from sfumato.schema.read import from_dict

    return from_dict(tomllib.loads(schema_text()), origin="adult.toml")


def write(folder: str | Path, rows: int = ROWS, seed: int = SEED) -> tuple[Path, Path]:
    """The population and its schema as files, `adult.parquet` and `adult.toml`."""
    from sfumato.adapters.engines.duckdb.engine import write_parquet

    data, description = Path(folder) / "adult.parquet", Path(folder) / "adult.toml"
    description.write_text(schema_text(), "utf-8")
    write_parquet(population(rows, seed), data)
    return data, description


def open(rows: int = ROWS, seed: int = SEED, *, ledger: str | Path = ":memory:") -> Dataset:
    """The population as a dataset, ready to be asked."""
    from sfumato.composition import local

    return local.open(population(rows, seed), schema(), ledger=ledger, version=f"demo-{rows}-{seed}")
