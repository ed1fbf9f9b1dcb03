"""The embedded population in a folder, with the schema as it comes and without its rule."""

from __future__ import annotations

import re
from pathlib import Path

from sfumato import demo

ROWS = 2000  # of the small population
RULE = re.compile(r"\[rule\]\n(?:\w+ = .*\n)+")


def write_population(folder: Path, rows: int) -> Path:
    """Write adult.parquet, adult.toml (with its rule) and free.toml (without)."""
    _, schema = demo.write(folder, rows)
    (folder / "free.toml").write_text(RULE.sub("", schema.read_text("utf-8")), "utf-8")
    return folder
