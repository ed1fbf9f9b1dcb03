"""`--plot` and `--svg`: one picture, in the terminal and in a file."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from tests.e2e.command import Typed

pytestmark = pytest.mark.e2e

OLD = "SELECT COUNT(*) FROM adult WHERE age > 85"


@pytest.fixture(autouse=True)
def here(whole_population: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(whole_population, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


def ask(command: str, *options: str) -> list[str]:
    return [command, "adult.parquet", "--schema", "adult.toml", "--sql", OLD, *options]


@pytest.mark.parametrize(
    ("command", "kind", "title"),
    [
        (["worst-case"], "attack", "Attack success at each epsilon"),
        (["rehearse"], "exposure", "People by exposure"),
        (["exposure-histogram", "--epsilon", "0.5"], "frontier", "Risk and noise at each epsilon"),
        (["risk"], "roc", "Attack success at each rate of false alarms"),
        (["rehearse"], "rdr", "Disclosure risk (RDR) at each epsilon"),
        (["risk"], "rdr-histogram", "People by RDR at epsilon 1"),
    ],
)
def test_a_picture_is_printed_alone_and_written(typed: Typed, command: list[str], kind: str, title: str) -> None:
    shown = typed(*ask(command[0], *command[1:], "--plot", kind, "--svg", "picture.svg"))
    assert (shown.code, shown.out.split("\n")[0]) == (0, title)
    assert "epsilon   risk gap" not in shown.out, "the table is left out"
    written = Path("picture.svg")
    assert f">{title}</title>" in written.read_text("utf-8")
    assert (stat.S_IMODE(written.stat().st_mode) == 0o600) is (command == ["risk"])


def test_without_a_kind_the_file_has_the_gap_and_the_view_is_printed(typed: Typed) -> None:
    shown = typed(*ask("worst-case", "--svg", "gap.svg"))
    assert "epsilon   risk gap" in shown.out
    assert "Risk gap at each epsilon</title>" in Path("gap.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--plot", "pie"], "gap, exposure, frontier, attack, roc"),
        (["--plot", "gap", "--json"], "--plot and --json exclude each other"),
        (["--svg", "picture.png"], "--svg cannot write picture.png"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_anything_is_charged(
    typed: Typed, options: list[str], said: str
) -> None:
    shown = typed(*ask("exposure-histogram", "--epsilon", "0.5", *options))
    assert shown.code == 2
    assert said in shown.out + shown.err
    assert not Path("adult.ledger").exists()


def test_the_worst_case_says_why_it_has_no_histogram(typed: Typed) -> None:
    shown = typed(*ask("worst-case", "--plot", "exposure"))
    assert (shown.code, shown.out) == (2, "")
    assert "the same for everyone" in shown.err


def test_a_rehearsal_goes_on_without_its_picture(typed: Typed) -> None:
    shown = typed(*ask("rehearse", "--gap", "1.5", "--plot", "attack", "--svg", "a.svg"))
    [command] = [line for line in shown.out.split("\n") if "sfumato choose" in line]
    assert "--gap 1.5" in command
    assert "--plot" not in command
    assert "--svg" not in command
