"""No person decides what a query takes: neighbours end alike, and take about as much memory and time."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.property.costs import CORPUS

ROOT = Path(__file__).parents[2]
MEMORY, FACTOR, SECONDS = 32, 2, 1  # MB that a person may take more; times the CPU of the others, and seconds beside it


@cache
def costs(which: str) -> dict[str, tuple[str, float, float]]:
    command = [sys.executable, "-m", "tests.property.costs", which]
    told: dict[str, tuple[str, float, float]] = json.loads(subprocess.check_output(command, text=True, cwd=ROOT))
    return told


@pytest.mark.parametrize("name", CORPUS)
def test_no_person_decides_how_a_query_ends_and_what_it_takes(name: str) -> None:
    """Time is that of the CPU, and each is held against its neighbour: a slow machine is slow for both."""
    (end, memory, seconds), (other_end, other_memory, other_seconds) = (
        costs(which)[name] for which in ("with", "without")
    )
    assert end == other_end
    assert memory <= other_memory + MEMORY
    assert seconds <= FACTOR * other_seconds + SECONDS
