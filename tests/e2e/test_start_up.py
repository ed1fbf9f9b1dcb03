"""What is loaded when, and how fast an answer that needs nothing comes."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main

import sfumato
from sfumato.cli.main import app
from tests.e2e import command

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
HEAVY = {"pyspark", "fastapi", "plotly", "pandas", "duckdb", "opendp", "sqlglot", "pyarrow", "numpy", "scipy", "httpx"}
SCHEMA = 'name = "t"\n[columns.age]\ntype = "integer"\nbounds = [0, 100]\n'
MODULES = "import sys, json; print(json.dumps(sorted(sys.modules)))"
COMMAND = """
import atexit, json, sys
from sfumato.cli.main import main

atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
main()
"""


def loaded(modules: str) -> set[str]:
    return {name.split(".")[0] for name in json.loads(modules)}


def test_the_package_runs_as_the_command_does() -> None:
    ran = subprocess.run([sys.executable, "-m", "sfumato", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("sfumato ")


def test_importing_sfumato_loads_nothing_heavy() -> None:
    script = f"import sfumato; {MODULES}"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert "sfumato" in loaded(run.stdout)
    assert not loaded(run.stdout) & (HEAVY | {"sqlalchemy", "typer", "rich"})


def test_choosing_loads_no_mechanism(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n30\n40\n", "utf-8")
    (tmp_path / "t.toml").write_text(SCHEMA, "utf-8")
    sql = "SELECT AVG(age) FROM t"
    chosen = ["choose", "t.csv", "--schema", "t.toml", "--sql", sql, "--ratio", "0.95"]
    run = subprocess.run(
        [sys.executable, "-c", COMMAND, *chosen], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.startswith("epsilon ")
    assert "duckdb" in loaded(run.stderr)
    assert not loaded(run.stderr) & {"opendp", "scipy", "sklearn", "alembic", "psycopg"}


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--help"], 0), (["release", "--help"], 0), (["--bogus"], 2), (["release", "--bogus"], 2)]
)
def test_what_needs_nothing_is_answered_at_once(arguments: list[str], code: int) -> None:
    command.sfumato("--version")  # whatever has to be compiled once
    took = []
    for _ in range(3):
        before = _cpu_of_children()
        assert command.sfumato(*arguments).code == code
        took.append(_cpu_of_children() - before)
    assert min(took) < 0.5


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


# Everything that can be named is there, and is described


def test_the_public_names() -> None:
    assert sfumato.__all__ == sorted(sfumato.__all__)
    assert dir(sfumato) == sfumato.__all__
    for name in sfumato.__all__:
        assert getattr(sfumato, name) is not None


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'sfumato' has no attribute 'epsilon'"):
        _ = sfumato.epsilon


def commands(group: Any, path: str = "sfumato") -> dict[str, dict[str, str]]:
    """Every command by its full name, with its flags and what they say about themselves."""
    found: dict[str, dict[str, str]] = {}
    for name, each in group.commands.items():
        if hasattr(each, "commands"):
            found |= commands(each, f"{path} {name}")
        else:
            options = ((flag, option) for option in each.params for flag in option.opts if flag.startswith("--"))
            found[f"{path} {name}"] = {flag: option.help or "" for flag, option in options} | {"": each.help or ""}
    return found


COMMANDS = commands(typer.main.get_command(app))
FLAGS = {name: set(said) - {""} for name, said in COMMANDS.items()}


def page() -> str:
    return (ROOT / "docs" / "commands.md").read_text("utf-8")


def test_the_commands_of_this_version() -> None:
    alone = ("demo", "worst-case", "rehearse", "sketch", "risk", "choose", "release", "compare")
    grouped = ("schema draft", "schema ask", "schema convert", "schema check", "ledger show", "ledger verify")
    assert set(COMMANDS) >= {f"sfumato {name}" for name in (*alone, *grouped)}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_flag_is_in_the_docs(name: str) -> None:
    assert f"`{name}" in page()
    assert FLAGS[name] <= set(re.findall(r"--[a-z][a-z-]*", page()))


def test_the_docs_name_no_flag_that_is_not_there() -> None:
    assert set(re.findall(r"--[a-z][a-z-]*", page())) <= set().union(*FLAGS.values()) | {"--help", "--version"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_flag_explains_itself(name: str) -> None:
    assert all(COMMANDS[name].values())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_json(name: str) -> None:
    assert "--json" in FLAGS[name]
