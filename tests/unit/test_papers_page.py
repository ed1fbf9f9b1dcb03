"""docs/papers.md names only what is there: commands, calls in Python, pages, and tests that execute each row."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import typer.main

import sfumato as sf
from sfumato.api.dataset import Dataset, Query
from sfumato.api.release import Release
from sfumato.api.risk import RiskProfile
from sfumato.cli.main import app
from sfumato.server.web import routes

ROOT = Path(__file__).parents[2]
OBJECTS = {"sf": sf, "Dataset": Dataset, "Query": Query, "Release": Release, "RiskProfile": RiskProfile}
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split("|"))
    for line in (ROOT / "docs" / "papers.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| item |")
]


@cache
def commands() -> set[str]:
    group = typer.main.get_command(app)

    def names(parent: object, path: tuple[str, ...]) -> set[str]:
        nested = getattr(parent, "commands", {})
        return {" ".join(path)}.union(*(names(nested[name], (*path, name)) for name in nested))

    return names(group, ("sfumato",))


@cache
def functions(path: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@cache
def pages() -> set[str]:
    return {route.path for router in routes.ALL for route in router.routes if hasattr(route, "path")}


def test_the_page_has_a_row_for_each_paper() -> None:
    assert len(ROWS) > 90
    assert all(len(row) == 3 for row in ROWS)


ITEMS: dict[str, dict[str, int | list[str]]] = {  # numbered in each paper
    "RDR": {"Definition": 6, "Lemma": ["3.1", "3.2"], "Algorithm": 3, "Figure": 9},
    "PRI": {"Definition": 4, "Algorithm": 1, "Figure": 10, "Table": 1},
    "LC": {"Definition": 5, "Figure": 3, "Table": 4},
    "DIFF": {"Definition": 2, "Theorem": 1, "Example": 3, "Figure": 2},
    "DPP": {"Definition": ["2.1", "2.2", "2.3", "2.4", "2.5"], "Figure": 4, "Table": 1},
}


def numbers_in(items: str, kind: str) -> set[str]:
    """The numbers of one kind of item that a text names: "Figures 2 and 3", "Definition 2.1", "Tables 1 to 4"."""
    numbers: set[str] = set()
    for listed in re.findall(rf"{kind}s? (\d[\d.]*(?:(?:, | and | to )\d[\d.]*)*)", items):
        first, *others = re.split(r", | and ", listed)
        for one in (first, *others):
            low, _, high = one.partition(" to ")
            numbers |= {str(n) for n in range(int(low), int(high) + 1)} if high else {low.rstrip(".")}
    return numbers


@pytest.mark.parametrize("paper", ITEMS)
def test_no_numbered_item_of_a_paper_is_missing(paper: str) -> None:
    page = (ROOT / "docs" / "papers.md").read_text("utf-8")
    section = page.partition(f"## {paper}:")[2].partition("\n## ")[0]
    items = "\n".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| "))
    for kind, numbers in ITEMS[paper].items():
        wanted = set(numbers) if isinstance(numbers, list) else {str(n) for n in range(1, numbers + 1)}
        assert wanted <= numbers_in(items, kind), f"{kind} of {paper}"


@pytest.mark.parametrize("kind", ["commands", "calls", "pages", "tests"])
def test_all_that_it_names_is_there(kind: str) -> None:
    missing = []
    for item, ways, test in ROWS:
        named = re.findall(r"`([^`]+)`", ways)
        if kind == "commands":
            stated = [name for name in named if name.startswith("sfumato ")]
            missing += [item] if not stated else [name for name in stated if name not in commands()]
        elif kind == "pages":
            missing += [name for name in named if name.startswith("/") and name not in pages()]
        elif kind == "calls":
            calls = [name.split(".") for name in named if name[0] != "/" and not name.startswith("sfumato ")]
            missing += [name for name, verb in calls if not hasattr(OBJECTS[name], verb)]
        else:
            path, function = test.strip("`").split("::")
            missing += [] if function in functions(path) else [test]
    assert not missing
