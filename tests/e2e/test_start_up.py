"""What is loaded when, and how fast an answer that needs nothing comes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import typer.main

import sfumato
from sfumato.cli.commands import COMMANDS as LISTED
from sfumato.cli.main import app

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
ADULT_SCHEMA = ROOT / "src" / "sfumato" / "demo" / "adult.toml"
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
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=600)
    assert "sfumato" in loaded(run.stdout)
    assert not loaded(run.stdout) & (HEAVY | {"sqlalchemy", "typer", "rich"})


def test_choosing_loads_no_mechanism(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n30\n40\n", "utf-8")
    (tmp_path / "t.toml").write_text(SCHEMA, "utf-8")
    sql = "SELECT AVG(age) FROM t"
    chosen = ["choose", "t.csv", "--schema", "t.toml", "--sql", sql, "--ratio", "0.95", "--yes"]
    run = subprocess.run(
        [sys.executable, "-c", COMMAND, *chosen], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=600
    )
    assert run.stdout.startswith("epsilon ")
    assert "duckdb" in loaded(run.stderr)
    assert not loaded(run.stderr) & {"opendp", "scipy", "sklearn", "alembic", "psycopg"}


def test_what_needs_no_people_loads_neither_pydantic_nor_sqlalchemy_nor_rich(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(SCHEMA, "utf-8")
    (tmp_path / "t.csv").write_text("age\n", "utf-8")
    arguments = ["worst-case", "t.csv", "--schema", "t.toml", "--sql", "SELECT AVG(age) FROM t"]
    run = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    assert "sqlglot" in loaded(run.stderr)
    assert not loaded(run.stderr) & (HEAVY - {"sqlglot"} | {"pydantic", "sqlalchemy"})
    assert "rich.console" not in json.loads(run.stderr)


# CPU of a command as a ratio to that of `python -c pass`: how fast or busy the machine is cancels out


FEWEST, ROUNDS = 5, 30
QUERY = "SELECT sex, COUNT(*) AS people, AVG(age) AS mean_age FROM adult GROUP BY sex"


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """As a user has it: modules are compiled once and kept."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _cpu(arguments: list[str], code: int, folder: Path, environment: dict[str, str]) -> float:
    """Seconds of CPU, in user and system mode, of a Python process."""
    child = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == code
    return float(used.ru_utime + used.ru_stime)


def _ratio(arguments: list[str], code: int, folder: Path, environment: dict[str, str], most: float) -> float:
    """Of the medians over some rounds, in which the two take turns; a first one compiles what is not compiled yet.

    Other programs make both take more. The least of each would not do: a short process is now and then left alone, a
    long one never. Rounds go on until the ratio is small enough, and at least a few were taken, or `ROUNDS` were not
    enough.
    """
    command = ["-m", "sfumato", *arguments]
    _cpu(command, code, folder, environment)
    bare, ours = list[float](), list[float]()
    while len(ours) < FEWEST or (_of_medians(ours, bare) > most and len(ours) < ROUNDS):
        bare.append(_cpu(["-c", "pass"], 0, folder, environment))
        ours.append(_cpu(command, code, folder, environment))
    return _of_medians(ours, bare)


def _of_medians(ours: Sequence[float], bare: Sequence[float]) -> float:
    return median(ours) / median(bare)


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--help"], 0), (["release", "--help"], 0), (["--bogus"], 2), (["release", "--bogus"], 2)]
)
def test_help_and_a_wrong_flag_take_the_cpu_of_12_empty_programs_at_most(
    arguments: list[str], code: int, tmp_path: Path, environment: dict[str, str]
) -> None:
    assert _ratio(arguments, code, tmp_path, environment, 12) <= 12


@pytest.mark.adult
@pytest.mark.parametrize(("more", "most"), [(["worst-case"], 30), (["release", "--epsilon=1", "--redraw"], 60)])
def test_a_command_on_adult_takes_the_cpu_of_so_many_empty_programs_at_most(
    more: list[str], most: float, tmp_path: Path, adult_csv: Path, environment: dict[str, str]
) -> None:
    named = [str(adult_csv), "--schema", str(ADULT_SCHEMA), "--sql", QUERY, "--ledger", str(tmp_path / "adult.ledger")]
    assert _ratio([more[0], *named, *more[1:]], 0, tmp_path, environment, most) <= most


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


def test_help_says_of_each_command_what_the_command_says_of_itself() -> None:
    group: Any = typer.main.get_command(app)
    assert {name: group.commands[name].get_short_help_str() for name in group.commands} == {
        name: help_text for name, (_, help_text) in LISTED.items()
    }


# Values that are plain are read without pydantic, and as Typer reads them


TYPED = ["", "0", "-3", "0.5", "1e-6", "1_000", " 7", "nan", "inf", "x", "ä", "\udcff", "9" * 30, "٣", "1.", ".5", "+1"]


@pytest.mark.parametrize("value", TYPED)
def test_a_plain_value_is_read_as_typer_reads_it(value: str) -> None:
    group: Any = typer.main.get_command(app)
    options = {option.name: option for option in group.commands["release"].params}
    for name in ("data", "sql", "epsilon", "choices", "out", "redraw"):  # text, text, number, whole number, path, flag
        option = options[name]
        assert _outcome(option.process_value, value) == _outcome(option.process_value.args[1], value)


@pytest.mark.parametrize("values", [None, (), ("a=1",), ("a=1", "b=2"), ("ä=1", ""), ("a=\udcff",)])
def test_an_option_that_is_repeated_is_read_as_typer_reads_it(values: tuple[str, ...] | None) -> None:
    group: Any = typer.main.get_command(app)
    [option] = [one for one in group.commands["release"].params if one.name == "parameter"]
    assert _outcome(option.process_value, values) == _outcome(option.process_value.args[1], values)


def _outcome(process: Any, value: object) -> object:
    try:
        return repr(process(None, value))
    except typer.BadParameter as wrong:
        return type(wrong), wrong.message


def page() -> str:
    return (ROOT / "docs" / "commands.md").read_text("utf-8")


def test_the_commands_of_this_version() -> None:
    alone = ("demo", "worst-case", "rehearse", "exposure-histogram", "risk", "choose", "release", "compare")
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
