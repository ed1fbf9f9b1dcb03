"""Help: groups and headings, an example for every command, and what to type when nothing was typed."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from sfumato import demo
from sfumato.cli.commands import GROUPS
from sfumato.cli.examples import EXAMPLES, FILES, SERVER, WORKSPACE
from sfumato.cli.local.demo_server import create_demo_workspace
from sfumato.cli.main import app
from sfumato.presentation.option_help import HEADINGS
from tests.e2e.command import Typed, sfumato

pytestmark = pytest.mark.e2e

GROUP: Any = typer.main.get_command(app)
STORY = ("policy show", "submit", "inspect", "return", "result", "signal submit", "signal inspect", "user list")
NEEDS_A_FAILURE = "ledger cause"  # the ledger of the demo has none


def commands(group: Any, path: tuple[str, ...] = ()) -> dict[str, Any]:
    """Every command by its name without `sfumato`."""
    nested = [commands(each, (*path, name)) if hasattr(each, "commands") else {" ".join((*path, name)): each}
              for name, each in group.commands.items()]  # fmt: skip
    return {name: each for part in nested for name, each in part.items()}


COMMANDS = commands(GROUP)


def test_every_command_has_an_example() -> None:
    assert {*COMMANDS} == {*EXAMPLES}
    assert len(FILES) + len(SERVER) + len(WORKSPACE) == len(EXAMPLES)
    for name, example in EXAMPLES.items():
        assert example.startswith(f"sfumato {name}")


def test_every_example_on_files_runs(tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    demo.write(tmp_path, 500, name="adult.csv")
    monkeypatch.chdir(tmp_path)
    for name, example in FILES.items():
        more = {"demo": ["--rows", "500"], "audit-mechanism": ["--runs", "100"], "reproduce": ["--runs", "2"]}
        ran = typed(*shlex.split(example)[1:], *more.get(name, ()), stdin="\n" * 200)
        assert ran.code == (2 if name == NEEDS_A_FAILURE else 0), (name, ran.err)


def test_examples_on_a_server_run_on_that_of_the_demo(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = create_demo_workspace(tmp_path / "workspace", 200, 1)
    monkeypatch.setenv("SFUMATO_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.chdir(tmp_path)
    for name in STORY:
        ran = typed(*shlex.split(SERVER[name])[1:], "--key-file", key)
        assert ran.code == (4 if name.endswith("submit") else 0), (name, ran.err)


@pytest.mark.parametrize("name", [*SERVER, *WORKSPACE])
def test_every_example_on_a_server_can_be_read(name: str) -> None:
    words = shlex.split(EXAMPLES[name])[1 + len(name.split()) :]
    assert COMMANDS[name].make_context(name, words).params


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_its_example_and_has_options_under_headings(name: str, typed: Typed) -> None:
    shown = typed(*name.split(), "--help")
    assert shown.code == 0
    assert shown.out.rstrip().endswith(EXAMPLES[name])
    headings = [line.rstrip(":") for line in shown.out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert {*headings} <= {"Arguments", "Options", *HEADINGS} | {line for line in headings if "Example" in line}
    assert headings[-2:-1] == ["Output"]


@pytest.mark.parametrize(
    "name", [name for name, command in COMMANDS.items() if any(p.required for p in command.params)]
)
def test_a_command_without_arguments_says_how_to_begin(name: str, typed: Typed) -> None:
    ran = typed(*name.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"`sfumato {name}` needs ")
    assert ran.err.endswith(f"For example:\n  {EXAMPLES[name]}\n")


def test_sfumato_alone_shows_the_groups(typed: Typed) -> None:
    shown = typed().out
    for title, group in GROUPS.items():
        part = shown.partition(f"\n{title}:\n")[2].partition("\n\n")[0]
        assert [line.split()[0] for line in part.splitlines()] == [*group]


def test_the_shell_completes_names_and_options() -> None:
    commands = sfumato(COMP_WORDS="sfumato re", COMP_CWORD="1", _SFUMATO_COMPLETE="complete_bash")
    assert commands.out.split() == ["rehearse", "release", "result", "return", "refuse", "reproduce"]
    options = sfumato(COMP_WORDS="sfumato release --ga", COMP_CWORD="2", _SFUMATO_COMPLETE="complete_bash")
    assert options.out.split() == ["--gap"]
    assert "complete -o default -F" in sfumato(_SFUMATO_COMPLETE="source_bash").out


def test_explain(typed: Typed) -> None:
    assert typed("explain", "risk", "gap").out.startswith("risk gap (also: gap, ratio)\n\nThe risk gap is the highest ")
    assert typed("explain", "gap", "--json").json["term"] == "risk gap"
    assert len(typed("explain", "--json").json) >= 40
    unknown = typed("explain", "exposre")
    assert (unknown.code, unknown.out) == (2, "")
    assert unknown.err.startswith("The glossary has no term 'exposre'. Hint: did you mean exposure")
