"""Every command: what it prints, what it writes, how it ends; and what it says to what cannot be."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import typer

from sfumato import demo
from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.composition import local
from sfumato.errors import EngineFailure
from sfumato.ledger.entry import nano
from sfumato.schema.read import load
from tests.e2e.command import SFUMATO, Ran, Typed, sfumato
from tests.e2e.population import ROWS

pytestmark = pytest.mark.e2e

COUNT = "SELECT COUNT(*) FROM adult"
BY_SEX = "SELECT sex, AVG(age) AS age FROM adult WHERE hours_per_week > 40 GROUP BY sex"
BETWEEN = "--epsilon must be between 1e-09 and 1,000,000, not"


@pytest.fixture
def folder(population: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same in a folder of the test's own, which it stands in; nobody has asked anything yet."""
    shutil.copytree(population, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(command: str, *options: object, sql: str = COUNT, schema: str = "adult.toml") -> list[object]:
    return [command, "adult.parquet", "--schema", schema, "--sql", sql, *options]


# In a process of its own


def test_a_release_from_a_shell(folder: Path, typed: Typed) -> None:
    (folder / "count.sql").write_text(f"-- everybody\n{COUNT}\n", "utf-8")
    released = sfumato(*ask("release", "--json", sql="-"), stdin=COUNT)
    assert (released.code, released.err) == (0, "")
    redraw = typed(*ask("release", "--json", sql="@count.sql"))
    assert redraw == released, "asking again returns the same answer"
    assert local.records(folder / "adult.ledger")[0].total.epsilon == 0.2


def test_noise_that_stays_within_a_reach(folder: Path, typed: Typed) -> None:
    """It is truncated where that is stated, and the certificate says how far it goes at most."""
    bounded = ["--epsilon", 1, "--mechanism", "truncated", "--delta", 1e-9, "--json"]
    released = typed(*ask("release", *bounded, schema="free.toml"))
    assert (released.code, released.err) == (0, "")
    certificate, [[count]] = released.json["certificate"], released.json["rows"]
    assert (certificate["mechanism"], certificate["delta"], certificate["laws"]) == ("truncated", 1e-9, ["truncated"])
    assert certificate["reach"] == pytest.approx([20.57], abs=0.01)
    assert abs(count - ROWS) <= 21
    refused = typed(*ask("release", *bounded, sql="SELECT MEDIAN(age) FROM adult", schema="free.toml"))
    assert (refused.code, refused.error["code"]) == (3, "no-mechanism")
    assert local.records(folder / "adult.ledger")[0].total.epsilon == 1, "nothing was charged for what was refused"


def test_a_release_from_a_folder(folder: Path, typed: Typed) -> None:
    """The files of a folder are one table; the ledger beside them is none of them; its files are no look-alikes."""
    (folder / "parts").mkdir()
    shutil.move(folder / "adult.parquet", folder / "parts" / "adult.parquet")
    asked = ["parts", "--schema", "parts/adult.toml", "--sql", COUNT]
    shutil.move(folder / "adult.toml", folder / "parts" / "adult.toml")
    released = typed("release", *asked, "--json")
    assert (released.code, released.err) == (0, "")
    assert typed("release", *asked, "--json") == released, "the ledger grew, the data did not"
    people = typed("risk", *asked, "--json", "--people", "people.parquet")
    assert (people.code, pq.read_metadata("people.parquet").num_rows) == (0, ROWS)
    assert Path("people.parquet").stat().st_mode & 0o777 == 0o600, "what tells about the people is its owner's"
    assert typed("rehearse", *asked, "--like", "parts/adult.parquet").code == 2
    assert typed("schema", "draft", "parts").out.count("[columns.") == len(demo.schema().columns)


def test_errors_from_a_shell(folder: Path, typed: Typed) -> None:
    wrong = sfumato(*ask("choose", "--epsilon", "0"))
    assert wrong == Ran(2, "", f"{BETWEEN} 0.0. Hint: try --epsilon 0.5.\n")
    unknown = typed(*ask("choose", "--json", sql="SELECT COUNT(*) OVER () FROM adult"))
    assert (unknown.code, unknown.out) == (2, "")
    assert unknown.error == {
        "code": "query",
        "message": "Windows over the rows of several people are not supported",
        "hint": "use GROUP BY, with ROLLUP or SUM(COUNT(*)) OVER () for totals, or a sub-select with OVER "
        "(PARTITION BY the column of people): "
        "otherwise one person could change every row.",
        "where": "line 1, column 8",
    }
    refused = typed(*ask("release", "--ratio", "0.95", "--ledger", "free.ledger", schema="free.toml"))
    assert (refused.code, refused.out) == (3, "")
    assert refused.err.startswith("This release would have no guarantee, because ")
    assert not (folder / "free.ledger").exists()


def test_no_colour_where_none_is_wanted(folder: Path) -> None:
    ours, theirs = pty.openpty()
    command = [str(part) for part in (SFUMATO, *ask("worst-case"))]
    with subprocess.Popen(command, stdout=theirs, env=os.environ | {"NO_COLOR": "1", "TERM": "xterm-256color"}):
        os.close(theirs)
        shown = _everything(ours)
    assert b"Worst case" in shown
    assert b"\x1b" not in shown


def _everything(terminal: int) -> bytes:
    shown = b""
    try:
        while part := os.read(terminal, 65536):
            shown += part
    except OSError:  # how Linux says that the other side has gone
        pass
    os.close(terminal)
    return shown


def test_the_tour_and_what_it_says_to_do_next(tmp_path: Path, typed: Typed) -> None:
    toured = sfumato("demo", "--rows", 500, "--keep", tmp_path / "adult")
    assert (toured.code, toured.err) == (0, "")
    assert re.findall(r"^(\d+)\. ", toured.out, re.MULTILINE) == list("123456")
    assert len(toured.out.splitlines()) <= 100
    commands = re.findall(r"^\$ (sfumato (?:.*\\\n)?.*)$", toured.out, re.MULTILINE)
    assert len(commands) == 7
    assert [sum(f"sfumato {name} " in command for command in commands) for name in ("release", "risk")] == [3, 1]
    assert all(len(line) <= 81 for line in toured.out.splitlines()[:-2])
    assert "--allow-no-guarantee" in toured.out
    said = shlex.split(toured.out.strip().splitlines()[-1])
    assert said[:2] == ["sfumato", "release"]
    assert typed(*said[1:]).code == 0


# What each command prints, in words and as JSON

FIGURES = {"min", "max", "mean", "sum", "sum_sq"}
RISK = {"source", "people", "outputs", "mechanism", "sensitivity", "influence", "exposure", "candidates",
        "expected_count"}  # fmt: skip
CANDIDATE = {"epsilon", "rdr_min", "rdr_max", "ratio", "gap", "noise_90", "attack_chance", "answers"}
CHOICE = {"epsilon", "feasible", "unbounded", "method", "guarantee", "select_epsilon", "why"}
CERTIFICATE = {"epsilon", "delta", "guarantee", "mechanism", "sensitivity", "scale", "unit", "relation", "outputs",
               "select_epsilon", "charged", "noise_90", "query_sha256", "ledger_entry"}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "options", "people"),
    [("worst-case", [], None), ("rehearse", ["--rows", 300, "--gap", 1.2], 300), ("risk", ["--yes"], ROWS)],
)
@pytest.mark.usefixtures("folder")
def test_the_ways_to_see_risk(typed: Typed, command: str, options: list[object], people: int | None) -> None:
    shown = typed(*ask(command, *options, "--json", sql=BY_SEX))
    assert (shown.code, shown.err) == (0, "")
    assert set(shown.json) >= RISK
    assert (shown.json["people"], shown.json["outputs"], shown.json["mechanism"]) == (people, 4, "laplace")
    assert len(shown.json["sensitivity"]) == 2, "one for each noisy number of a cell"
    for figures in ("influence", "exposure"):
        assert set(shown.json[figures]) == FIGURES
    for candidate in shown.json["candidates"]:
        assert set(candidate) == CANDIDATE
        assert len(candidate["noise_90"]) == 2
        assert candidate["gap"] == pytest.approx(1 / candidate["ratio"])
        assert candidate["rdr_min"] is None, "no one scale for a sum and a count"
    words = typed(*ask(command, *options, sql=BY_SEX))
    assert (words.code, words.err) == (0, "")
    assert words.out.startswith("Risk gap at each epsilon\n")
    assert "answer (90%) if " in words.out


def test_a_private_histogram(folder: Path, typed: Typed) -> None:
    """Charged once, the same when it is asked for again, anew when that is said; and no look."""
    how = ["--epsilon", 0.5, "--bins", 10, "--candidates", "0.1,1"]
    shown = typed(*ask("exposure-histogram", *how, "--json", sql=BY_SEX))
    assert (shown.code, shown.err) == (0, "")
    assert set(shown.json) >= RISK
    assert (shown.json["source"], shown.json["influence"], shown.json["guarantee"]) == (
        "exposure histogram",
        None,
        "dp",
    )
    assert set(shown.json["exposure"]) == FIGURES
    assert [set(candidate) for candidate in shown.json["candidates"]] == [CANDIDATE | {"estimate"}] * 2
    assert [candidate["gap"] for candidate in shown.json["candidates"]] == pytest.approx([1.1, 2.0])
    assert abs(shown.json["people"] - ROWS) < 400
    assert len(shown.json["bins"]) == 11
    assert shown.json["ledger_entry"] == 2
    redraw = typed(*ask("exposure-histogram", *how, "--json", "--html", "view.html", sql=BY_SEX))
    assert redraw.json == shown.json
    assert "Controller only" not in (folder / "view.html").read_text("utf-8")
    spoken = " ".join(typed(*ask("exposure-histogram", *how, sql=BY_SEX)).out.split())
    for said in (
        "Private exposure histogram: noisy, charged",
        "risk gap (at most)",
        "estimated risk gap",
        "0.5-differential privacy",
        "released from adult: epsilon 0.5.",
        "±6",
    ):
        assert said in spoken
    anew = typed(*ask("exposure-histogram", *how, "--redraw", "--json", sql=BY_SEX))
    assert anew.json["bins"] != shown.json["bins"]
    assert anew.json["dataset_total"] == 1.0
    assert typed(*ask("release", "--epsilon", 0.3, "--json")).json["certificate"]["guarantee"] == "dp"


@pytest.mark.usefixtures("folder")
def test_a_histogram_that_is_refused(typed: Typed) -> None:
    median = typed(*ask("exposure-histogram", "--epsilon", 0.05, "--json", sql="SELECT MEDIAN(age) FROM adult"))
    assert (median.code, median.error["code"]) == (3, "no-mechanism")
    typed(*ask("risk"))
    after_a_look = typed(*ask("exposure-histogram", "--epsilon", 0.05))
    assert (after_a_look.code, after_a_look.out) == (3, "")
    assert "nothing was drawn or charged." in after_a_look.err
    accepted = typed(*ask("exposure-histogram", "--epsilon", 0.05, "--allow-no-guarantee", "--json")).json
    assert (accepted["guarantee"], accepted["epsilon"], accepted["charged"]) == ("none", None, None)
    attested = typed(*ask("exposure-histogram", "--epsilon", 0.07, "--preregistered", "minutes", "--json")).json
    assert (attested["guarantee"], attested["epsilon"]) == ("dp", 0.07)


@pytest.mark.parametrize("command", ["worst-case", "risk"])
@pytest.mark.usefixtures("folder")
def test_exact_figures(typed: Typed, command: str) -> None:
    sql = f"{COUNT} WHERE age > 30"
    shown = typed(*ask(command, "--exact", "--candidates", "1", "--json", sql=sql)).json["candidates"]
    assert [candidate["gap"] for candidate in shown] == pytest.approx([1.3678794411714423])
    assert "exact RDR." in typed(*ask(command, "--exact", sql=sql)).out


def test_what_is_free_leaves_no_entry_and_a_look_leaves_one(folder: Path, typed: Typed) -> None:
    for command in ("worst-case", "rehearse"):
        assert typed(*ask(command, schema="free.toml")).code == 0
    assert not (folder / "adult.ledger").exists()
    for _ in range(2):
        typed(*ask("risk", schema="free.toml"))
    [record] = local.records(folder / "adult.ledger")
    assert [entry.draft.event for entry in record.entries] == ["opened", "looked"], "the same look is entered once"


@pytest.mark.usefixtures("folder")
def test_the_free_ways_do_not_read_the_data(typed: Typed) -> None:
    shown = typed("rehearse", "nowhere.parquet", "--schema", "adult.toml", "--sql", COUNT)
    assert (shown.code, shown.err) == (0, "")
    assert typed("worst-case", "nowhere.parquet", "--schema", "adult.toml", "--sql", COUNT).code == 2


def test_the_people_themselves_in_a_file(folder: Path, typed: Typed) -> None:
    shown = typed(*ask("risk", "--people", "people.parquet", "--json", sql=f"{COUNT} WHERE age >= 60"))
    people = pq.read_table(folder / "people.parquet").to_pydict()
    assert list(people) == ["person", "influence", "exposure"]
    assert len(set(people["person"])) == ROWS, "whom the WHERE leaves out is in it"
    assert set(people["exposure"]) == {0.0, 1.0}
    assert sum(people["influence"]) == shown.json["influence"]["sum"]


@pytest.mark.parametrize(("command", "people"), [("worst-case", False), ("rehearse", False), ("risk", True)])
def test_a_view_as_a_page(folder: Path, typed: Typed, command: str, people: bool) -> None:
    (folder / "view.html").write_text("what was there before", "utf-8")
    shown = typed(*ask(command, "--html", "view.html", "--json", *(["--yes"] if people else []), sql=BY_SEX))
    assert (shown.code, shown.err) == (0, "")
    page = (folder / "view.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "hours_per_week &gt; 40" in page
    assert ("Controller only" in page) == people
    if people:
        assert (folder / "view.html").stat().st_mode & 0o777 == 0o600, "for its owner's eyes"
    assert not list(folder.glob(".*")), "nothing else is left behind"


@pytest.mark.usefixtures("folder")
def test_bounds_read_off_the_data_leave_no_exposure(typed: Typed) -> None:
    shown = typed(*ask("risk", "--bounds-from-data", "--json", sql="SELECT SUM(capital_gain) FROM adult"))
    assert shown.json["exposure"] is None
    chosen = typed(*ask("choose", "--bounds-from-data", "--epsilon", "1", "--json"))
    assert chosen.json["guarantee"] == "none"


@pytest.mark.parametrize(
    ("options", "epsilon", "word"),
    [
        ([], 0.2, "dp"),
        (["--epsilon", 0.5], 0.5, "dp"),
        (["--gap", 1.5, "--worst-case"], 0.5, "dp"),
        (["--ratio", 0.5, "--worst-case"], 1, "dp"),
        (["--ratio", 0.5, "--worst-case", "--exact"], 1.8414, "dp"),
        (["--gap", 2, "--exact"], 1.8414, "none"),
        (["--ratio", 0.5, "--worst-case", "--gap", 1.1], 0.1, "dp"),
        (["--ratio", 0.3, "--worst-case", "--candidates", "0.5,1,2,3"], 2, "dp"),
        (["--attack-chance", 0.75], 1.0986, "dp"),
        (["--attack-chance", 0.9999999], 10, "dp"),
        (["--epsilon", 15, "--epsilon-max", 15], 15, "dp"),
        (["--ratio", 0.9, "--candidates", "paper"], 0.1, "none"),
    ],
    ids=lambda case: " ".join(map(str, case)) if isinstance(case, list) else "",
)
@pytest.mark.usefixtures("folder")
def test_a_choice(typed: Typed, options: list[object], epsilon: float, word: str) -> None:
    sql = f"{COUNT} WHERE age > 30"
    chosen = typed(*ask("choose", *options, "--json", "--yes", sql=sql))
    assert (chosen.code, chosen.err) == (0, "")
    assert set(chosen.json) == CHOICE
    assert chosen.json["epsilon"] == pytest.approx(epsilon, rel=1e-4)
    assert (chosen.json["guarantee"], chosen.json["feasible"], chosen.json["unbounded"]) == (word, True, False)
    assert ("epsilon_max, 10, is used." in chosen.json["why"]) == (options == ["--attack-chance", 0.9999999])
    words = typed(*ask("choose", *options, sql=sql))
    assert words.out.startswith(f"epsilon {epsilon:g}")
    assert f"guarantee {word}" in words.out


def test_a_release(folder: Path, typed: Typed) -> None:
    released = typed(*ask("release", "--json", sql=BY_SEX))
    assert (released.code, released.err) == (0, "")
    assert set(released.json) >= {"columns", "rows", "certificate"}
    assert released.json["columns"] == ["sex", "age"]
    assert [row[0] for row in released.json["rows"]] == ["Female", "Male"]
    certificate = released.json["certificate"]
    assert set(certificate) >= CERTIFICATE
    assert (certificate["guarantee"], certificate["epsilon"], certificate["charged"]) == ("dp", 0.2, 0.2)
    assert (certificate["unit"], certificate["relation"], certificate["delta"]) == ("row", "add-remove", 0)
    assert (certificate["outputs"], certificate["select_epsilon"]) == (4, 0)
    assert certificate["sensitivity"] == [36.5, 1]
    assert certificate["scale"] == [365, 10]
    assert len(certificate["noise_90"]) == 2, "one per cell of the answer"
    assert re.fullmatch("[0-9a-f]{64}", certificate["query_sha256"])
    words = typed(*ask("release", sql=BY_SEX))
    assert "0.2-differential privacy for one row (add-remove)." in words.out
    assert certificate["query_sha256"] in typed(*ask("release", "--certificate", "-", sql=BY_SEX)).out
    [record] = local.records(folder / "adult.ledger")
    assert record.entries[certificate["ledger_entry"] - 1].draft.event == "reserved"


def test_asking_again_is_free_and_again_is_not(folder: Path, typed: Typed) -> None:
    answers = [typed(*ask("release", "--json", sql=sql)).json for sql in (COUNT, COUNT.lower())]
    assert answers[0] == answers[1]
    assert local.records(folder / "adult.ledger")[0].total.epsilon == 0.2
    anew = typed(*ask("release", "--redraw", "--json")).json
    assert anew["certificate"]["ledger_entry"] != answers[0]["certificate"]["ledger_entry"]
    assert local.records(folder / "adult.ledger")[0].total.epsilon == 0.4
    assert typed(*ask("release", "--json")).json == anew, "and is what holds from then on"
    assert "costs nothing" in typed(*ask("release")).err
    assert typed(*ask("release", "--redraw")).err == ""


def test_an_answer_and_its_certificate_in_files(folder: Path, typed: Typed) -> None:
    shown = typed(*ask("release", "--json", sql=BY_SEX)).json
    for out, certificate in (("a.csv", "c.json"), ("a.parquet", "c.txt"), ("a.json", "c.json")):
        assert typed(*ask("release", "--out", out, "--certificate", certificate, sql=BY_SEX)).code == 0
    with (folder / "a.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert [header, *([sex, float(age)] for sex, age in rows)] == [shown["columns"], *shown["rows"]]
    table = pq.read_table(folder / "a.parquet")
    assert [table.column_names, *map(list, zip(*table.to_pydict().values(), strict=True))] == [
        shown["columns"],
        *shown["rows"],
    ]
    assert json.loads((folder / "a.json").read_text("utf-8")) == shown
    assert json.loads((folder / "c.json").read_text("utf-8")) == shown["certificate"]
    assert "Guarantee:        Guaranteed: 0.2-differential privacy" in (folder / "c.txt").read_text("utf-8")


def test_a_certificate_to_print_and_ranges_in_the_file(folder: Path, typed: Typed) -> None:
    files = ("--certificate", "c.html", "--out", "a.csv", "--intervals")
    shown = typed(*ask("release", *files, "--json", sql=BY_SEX)).json
    page = (folder / "c.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert shown["certificate"]["query_sha256"] in page
    with (folder / "a.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["sex", "age", "age_low", "age_high"]
    assert [[float(low), float(high)] for *_, low, high in rows] == [intervals[1] for intervals in shown["intervals"]]


@pytest.mark.usefixtures("folder")
def test_a_selection_says_what_holds_of_its_rank(typed: Typed) -> None:
    shown = typed(*ask("release", sql="SELECT MEDIAN(age) FROM adult")).out
    assert re.search(r"^MEDIAN of age: with 90% probability its rank is within", shown, re.MULTILINE)


@pytest.mark.parametrize("flag", ["--out", "--certificate"])
def test_a_file_that_cannot_be_written_leaves_the_answer_in_the_ledger(
    folder: Path, typed: Typed, flag: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no room")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "replace", full)
        told = typed(*ask("release", flag, "a.json"))
    assert (told.code, told.out.count("differential privacy")) == (2, 1)
    assert "the answer is in the ledger: run the command again, it costs nothing." in told.err
    assert not list(folder.glob("*a.json*")), "neither the file nor a part of it"
    assert typed(*ask("release", flag, "a.json")).out == told.out
    assert (folder / "a.json").exists()


@pytest.mark.usefixtures("folder")
def test_the_ledger(typed: Typed) -> None:
    released = typed(*ask("release", "--json")).json
    typed(*ask("risk"))
    [shown] = typed("ledger", "show", "adult.ledger", "--json").json
    assert (shown["dataset"], shown["spent"], shown["guarantee"]) == ("adult", 0.2, "dp")
    events = [entry["event"] for entry in shown["entries"]]
    assert events == ["opened", "planned", "reserved", "released", "looked"]
    assert shown["entries"][released["certificate"]["ledger_entry"] - 1]["charged"] == 0.2
    words = typed("ledger", "show", "adult.ledger")
    assert (words.code, words.err) == (0, "")
    spent, concentrated = words.out.rstrip().splitlines()[-2:]
    assert spent.startswith("Epsilon used so far: 0.2")
    assert concentrated.startswith("As zero-concentrated DP: rho 0.01874. ")
    [at] = typed("ledger", "show", "adult.ledger", "--delta", 1e-6, "--json").json
    assert at["at_delta"] == {"delta": 1e-6, "epsilon": 0.2, "by": "sums"}
    assert typed("ledger", "show", "adult.ledger", "--delta", 1).code == 2
    assert typed("ledger", "verify", "adult.ledger") == Ran(0, "5 entries, chain intact.\n", "")
    assert typed("ledger", "verify", "adult.ledger", "--json").json == {"entries": 5, "intact": True}


def test_a_budget(folder: Path, typed: Typed) -> None:
    """In the schema and on the command line; what would pass it is refused, what was released comes back."""
    schema = (folder / "adult.toml").read_text("utf-8")
    (folder / "adult.toml").write_text(f"budget = 0.5\nbudget_delta = 1e-6\n{schema}", "utf-8")
    released = typed(*ask("release", "--json"))
    before = (folder / "adult.ledger").read_bytes()
    beyond: list[tuple[list[object], str]] = [
        (["--redraw", "--budget", 0.3], "0.1 of the budget is left (0.2 of 0.3 used)"),
        (["--epsilon", 0.4, "--budget", 3], "0.3 of the budget is left (0.2 of 0.5 used)"),
    ]
    for options, left in beyond:
        stopped = typed(*ask("release", *options, "--json"))
        assert (stopped.code, stopped.json["error"]) == (3, stopped.error)
        assert stopped.error["code"] == "budget-exceeded"
        assert left in stopped.error["message"]
    below = typed(*ask("release", "--json", "--budget", 0.1))
    assert (below.code, below.error["message"]) == (2, "The budget is epsilon 0.1, and 0.2 is already spent")
    assert typed(*ask("release", "--json", "--budget", 0.2)) == released
    assert (folder / "adult.ledger").read_bytes() == before
    [shown] = typed("ledger", "show", "adult.ledger", "--json").json
    assert (shown["spent"], shown["delta"], shown["budget"]) == (0.2, 0, {"epsilon": 0.5, "delta": 1e-6})
    assert {entry["delta"] for entry in shown["entries"]} == {0}
    words = typed("ledger", "show", "adult.ledger").out
    assert "Budget at the last charge: epsilon 0.5 (0.3 left), delta 1e-06 (1e-06 left)." in words


BROKEN = {
    "an edited entry": (
        "UPDATE ledger SET nano_epsilon = 0 WHERE number = 3",
        "The ledger was changed at entry 3, and nothing is released from it.",
    ),
    "a removed entry": (
        "DELETE FROM ledger WHERE number = 2",
        "The ledger was changed at entry 2, and nothing is released from it.",
    ),
    "a moved entry": (
        "UPDATE ledger SET number = 9 WHERE number = 1",
        "The ledger was changed at entry 1, and nothing is released from it.",
    ),
    "nothing in it": ("DELETE FROM ledger", "adult.ledger has no entries: it was never used, or they were removed."),
    "no ledger in it": ("DROP TABLE ledger", "adult.ledger cannot be read as a ledger."),
}


@pytest.mark.parametrize(("statement", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_broken_ledger(folder: Path, typed: Typed, statement: str, sentence: str) -> None:
    typed(*ask("release"))
    with closing(sqlite3.connect("adult.ledger")) as file, file:
        for verb in ("update", "delete"):
            file.execute(f"DROP TRIGGER ledger_no_{verb}")
        file.execute(statement)
    before = (folder / "adult.ledger").read_bytes()
    for command in (["ledger", "show", "adult.ledger"], ["ledger", "verify", "adult.ledger"]):
        told = typed(*command)
        assert (told.code, told.out) == (3, "")
        assert told.err.startswith(sentence)
        assert typed(*command, "--json").json["error"]["code"] == "ledger-broken"
    if "entry" in sentence:
        assert typed(*ask("release", "--redraw")).code == 3
    assert (folder / "adult.ledger").read_bytes() == before


def test_a_schema_from_draft_to_check(folder: Path, typed: Typed) -> None:
    drafted = typed("schema", "draft", "adult.parquet", "--name", "people")
    assert (drafted.code, drafted.err) == (0, "")
    (folder / "people.toml").write_text(drafted.out, "utf-8")
    assert typed(*ask("worst-case", sql="SELECT COUNT(*) FROM people", schema="people.toml")).code == 0
    checked = typed("schema", "check", "adult.parquet", "--schema", "adult.toml", "--json", "--yes")
    assert (checked.code, checked.err) == (0, "")
    assert checked.json["people"] == ROWS
    assert {column["name"] for column in checked.json["columns"]} >= {"age", "workclass"}
    words = typed("schema", "check", "adult.parquet", "--schema", "adult.toml")
    assert words.out.startswith("2,000 rows. This looks at the data")
    assert local.records(folder / "adult.ledger")[0].anyone_looked


def test_a_schema_by_questions_from_a_shell(folder: Path) -> None:
    """Questions are on stderr, so that what is left on stdout is the file."""
    (folder / "stays.csv").write_text("ward,days\nScutari,3\n", "utf-8")
    answers = "\n\nreplace\n\n\nSurgery, Maternity\n\n0\n-1\n0\n60\n\n"
    asked = sfumato("schema", "ask", "stays.csv", stdin=answers)
    assert asked.code == 0
    assert "Scutari" not in asked.out + asked.err
    assert asked.err.startswith("The table's name in SQL [stays]: Is each row one person (row), ")
    assert "The lower bound must be below the upper.\n" in asked.err
    assert tomllib.loads(asked.out) == {
        "name": "stays",
        "unit": "row",
        "relation": "replace",
        "null_values": [],
        "rule": {"gap": 1.2, "worst_case": True},
        "columns": {
            "ward": {"type": "text", "categories": ["Surgery", "Maternity"]},
            "days": {"type": "integer", "bounds": [0, 60]},
        },
    }
    assert asked.out.startswith("# "), "no blank of a prompt before it"


def test_a_schema_by_questions_in_a_file(folder: Path, typed: Typed) -> None:
    (folder / "stays.csv").write_text("days\n3\n", "utf-8")
    asked = typed("schema", "ask", "stays.csv", "--name", "visits", "--out", "visits.toml", stdin="\n" * 9)
    assert (asked.code, asked.out) == (0, "")
    assert load(folder / "visits.toml").name == "visits"
    redraw = typed("schema", "ask", "stays.csv", "--out", "visits.toml", stdin="\n" * 9)
    assert redraw == Ran(2, "", "visits.toml cannot be written. Hint: name a new file in a folder that exists.\n")
    as_json = typed("schema", "ask", "stays.csv", "--json", stdin="\n" * 9)
    assert as_json.json["schema"].startswith("# Answers to `sfumato schema ask`.\n\nname = ")


def test_questions_that_are_cancelled_write_nothing(
    folder: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancel(*_: object, **__: object) -> str:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise typer.Abort from None

    monkeypatch.setattr(typer, "prompt", cancel)
    (folder / "stays.csv").write_text("days\n3\n", "utf-8")
    asked = typed("schema", "ask", "stays.csv", "--out", "stays.toml", stdin="stays\n")
    assert (asked.code, asked.out) == (2, "")
    assert asked.err.splitlines()[-1] == (
        "Cancelled; nothing was written. Hint: start again; Enter takes the value in brackets."
    )
    assert not (folder / "stays.toml").exists()


def test_a_schema_of_smartnoise(folder: Path, typed: Typed) -> None:
    (folder / "meta.yaml").write_text("db:\n s:\n  adult:\n   row_privacy: True\n   age: {type: int}\n", "utf-8")
    assert typed(*ask("worst-case", schema="meta.yaml")).code == 0
    converted = typed("schema", "convert", "meta.yaml")
    assert (converted.code, converted.err) == (0, "")
    (folder / "meta.toml").write_text(converted.out, "utf-8")
    assert load(folder / "meta.toml").fingerprints() == load(folder / "meta.yaml").fingerprints()
    assert typed("schema", "convert", "meta.yaml", "--json").json["schema"] == converted.out
    missing = typed("schema", "convert", "no.yaml")
    assert missing.err.startswith("There is no schema file no.yaml. ")


@pytest.mark.parametrize("command", [(), ("schema",), ("ledger",)], ids=["sfumato", "schema", "ledger"])
def test_a_command_by_itself_explains_itself(typed: Typed, command: tuple[str, ...]) -> None:
    shown = typed(*command)
    said = shown.out + shown.err
    assert said.startswith(" ".join(["Usage: sfumato", *command]))
    assert "Hint" not in said


def test_the_version(typed: Typed) -> None:
    assert re.fullmatch(r"sfumato \d+\.\d+\.\d+\n", typed("--version").out)


@pytest.mark.usefixtures("folder")
def test_a_slow_query_prints_nothing_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    """DuckDB draws a progress bar on stdout, terminal or not, after two seconds; here after none."""
    engine = DuckDB("adult.parquet", None, lambda *_: "")
    engine.rows("SET progress_bar_time = 1")
    engine.rows("SELECT COUNT(*) FROM range(20_000_000) WHERE hash(range) % 7 = 0")
    assert capfd.readouterr() == ("", "")


# Without a guarantee


@pytest.mark.parametrize("schema", ["adult.toml", "free.toml"], ids=["a rule", "no rule"])
@pytest.mark.parametrize(
    "preference",
    [
        ["--ratio", 0.95],
        ["--gap", 1.2],
        ["--variance", 0.1, "--select-epsilon", 1, "--as-published"],
        ["--epsilon", 1, "--bounds-from-data"],
    ],
)
def test_a_release_without_a_guarantee_must_be_accepted(
    folder: Path, typed: Typed, schema: str, preference: list[object]
) -> None:
    ledger = folder / "adult.ledger"
    if schema == "adult.toml":
        typed(*ask("choose"))  # a rule is of record when the dataset is first opened
    before = ledger.read_bytes() if ledger.exists() else None
    refused = typed(*ask("release", *preference, "--json", schema=schema))
    assert refused.code == 3
    assert refused.json["error"] == refused.error, "JSON is on stdout too"
    assert refused.error["code"] == "no-guarantee"
    assert "nothing was drawn or charged" in refused.error["message"]
    remedy = "leave --bounds-from-data out" if "--bounds-from-data" in preference else "use a preference"
    assert refused.error["hint"].startswith(remedy)
    assert (ledger.read_bytes() if ledger.exists() else None) == before


def test_what_is_accepted_without_a_guarantee_withholds_its_noise(folder: Path, typed: Typed) -> None:
    sql = f"{COUNT} WHERE age > 30"
    chosen = typed(*ask("choose", "--ratio", 0.95, "--json", sql=sql)).json["epsilon"]
    released = typed(*ask("release", "--ratio", 0.95, "--allow-no-guarantee", "--json", sql=sql))
    assert released.code == 0
    certificate = released.json["certificate"]
    assert certificate["guarantee"] == "none"
    assert [certificate[name] for name in ("epsilon", "scale", "noise_90", "charged")] == [None] * 4
    shown = typed("ledger", "show", "adult.ledger", "--json")
    assert [(d["spent"], d["guarantee"]) for d in shown.json] == [(None, "none")]
    assert [e["charged"] for e in shown.json[0]["entries"] if e["event"] == "reserved"] == [10.0], "the public charge"
    words = typed(*ask("release", "--ratio", 0.95, "--allow-no-guarantee", sql=sql)).out
    assert "No guarantee: the noise was sized by looking at the data." in words
    for said in (released.out, shown.out, words, typed("ledger", "show", "adult.ledger").out):
        assert f"{chosen:.4g}" not in said


@pytest.mark.usefixtures("folder")
def test_after_a_look_an_epsilon_needs_a_witness(typed: Typed) -> None:
    typed(*ask("risk"))
    refused = typed(*ask("release", "--epsilon", 0.5))
    assert (refused.code, refused.err.partition("Hint: ")[2]) == (
        3,
        "state no preference, if the schema had its [rule] before the look; or say where it was preregistered with "
        "--preregistered TEXT; or allow it with --allow-no-guarantee.\n",
    )
    assert typed(*ask("release", "--gap", 1.5, "--worst-case")).err == refused.err, "reads nobody, but too late"
    assert typed(*ask("release")).code == 0, "the rule of record holds whatever is looked at"
    attested = typed(*ask("release", "--epsilon", 0.5, "--preregistered", "minutes of 3 May", "--json"))
    assert attested.json["certificate"]["guarantee"] == "dp"
    assert any("minutes of 3 May" in said for said in attested.json["certificate"]["assumed"])


# Infeasible, and refused by arithmetic


@pytest.mark.parametrize(
    ("preference", "why"),
    [
        (["--gap", 1, "--worst-case"], "No epsilon meets gap 1, worst case."),
        (["--attack-chance", 0.5], "No epsilon meets attack chance 0.5."),
        (
            ["--epsilon", 0.5, "--gap", 1.2, "--worst-case"],
            "No epsilon meets both epsilon 0.5 and gap 1.2, worst case.",
        ),
        (["--gap", 1.2, "--worst-case", "--candidates", "1,2"], "No candidate meets gap 1.2, worst case."),
    ],
)
def test_no_epsilon_meets_it(folder: Path, typed: Typed, preference: list[object], why: str) -> None:
    chosen = typed(*ask("choose", *preference, "--json"))
    assert chosen.code == 3
    assert (chosen.json["epsilon"], chosen.json["feasible"], chosen.json["why"]) == (None, False, why)
    released = typed(*ask("release", *preference, "--json"))
    assert released.code == 3
    assert released.json["error"] == released.error
    assert (released.error["code"], released.error["message"]) == ("infeasible", why)
    assert typed(*ask("release", *preference)) == Ran(3, "", f"{why} Hint: choose a weaker preference.\n")
    assert local.records(folder / "adult.ledger")[0].total.releases == 0


@pytest.mark.usefixtures("folder")
def test_every_epsilon_meets_it(typed: Typed) -> None:
    chosen = typed(*ask("choose", "--ratio", 0, "--worst-case", "--json"))
    assert (chosen.code, chosen.json["epsilon"], chosen.json["unbounded"]) == (0, None, True)
    released = typed(*ask("release", "--ratio", 0, "--worst-case"))
    assert (released.code, released.out) == (3, "")
    assert released.err.startswith("Every epsilon meets ratio 0, worst case. Hint: state an epsilon: --epsilon 0.5.")


@pytest.mark.usefixtures("folder")
def test_noise_that_cannot_be_drawn(typed: Typed) -> None:
    """classic calibration does not meet its delta from an epsilon of 8.8 on (docs/theory/gaussian.md)."""
    classic = ["--mechanism", "gaussian", "--delta", 1e-6, "--calibration", "classic"]
    assert typed(*ask("release", "--epsilon", 8, *classic, "--json")).code == 0
    released = typed(*ask("release", "--epsilon", 9, *classic, "--json"))
    assert (released.code, released.json["error"]["code"]) == (3, "no-mechanism")


# Bad input: one sentence, exit 2, the ledger as it was

SEE = "Hint: see `sfumato release --help`."
COIN = "Hint: try --attack-chance 0.6; a coin flip already succeeds 50% of the time."
MEANS = "Hint: try --gap 1.2 --worst-case: no person then has more than 1.2 times the risk of any other."
WILL_DO = (
    "Hint: use a CSV in UTF-8 with a header line, Parquet (a file or a folder), or a pandas, polars or Arrow table."
)
QUOTE = 'Hint: check the text before this place; put a name that is also a keyword of SQL in quotes, as in "select".'
OUT = "Hint: name a .csv, .parquet, .json file in a folder that exists."
BAD: dict[str, tuple[list[object], str]] = {
    "epsilon 0": (["--epsilon", 0], f"{BETWEEN} 0.0. Hint: try --epsilon 0.5."),
    "epsilon -1": (["--epsilon", -1], f"{BETWEEN} -1.0. Hint: try --epsilon 0.5."),
    "epsilon nan": (["--epsilon", "nan"], "--epsilon must be a finite number, not nan."),
    "epsilon inf": (["--epsilon", "inf"], "--epsilon must be a finite number, not inf."),
    "epsilon 1e999": (["--epsilon", "1e999"], "--epsilon must be a finite number, not inf."),
    "epsilon 1e-400": (["--epsilon", "1e-400"], f"{BETWEEN} 0.0. Hint: try --epsilon 0.5."),
    "epsilon 1e300": (["--epsilon", "1e300"], f"{BETWEEN} 1e+300. Hint: try --epsilon 0.5."),
    "epsilon in words": (["--epsilon", "half"], "Invalid value for '--epsilon': "),
    "epsilon max 0": (["--epsilon-max", 0], "--epsilon-max must be between 1e-09 and 1,000,000, not 0.0."),
    "gap 0.9": (["--gap", 0.9, "--worst-case"], f"--gap must be at least 1, not 0.9. {MEANS}"),
    "gap nan": (["--gap", "nan", "--worst-case"], "--gap must be a finite number, not nan."),
    "ratio 1.5": (["--ratio", 1.5], "--ratio must be between 0 and 1, not 1.5. Hint: try --ratio 0.95 --worst-case."),
    "ratio -1": (["--ratio", -1], "--ratio must be between 0 and 1, not -1.0. Hint: try --ratio 0.95 --worst-case."),
    "attack chance 0.4": (["--attack-chance", 0.4], f"--attack-chance must be between 0.5 and 1, not 0.4. {COIN}"),
    "worst case of nothing": (["--worst-case"],
                              "--worst-case needs --gap or --ratio. Hint: try --gap 1.2 --worst-case."),
    "exact of nothing": (["--exact"],
                         "--exact needs --gap or --ratio. Hint: try --gap 1.2 --worst-case --exact."),
    "between of nothing": (["--between", "age > 60"],
                           '--between needs --gap or --ratio. Hint: try --gap 1.2 --between "age > 60", which '
                           'looks at the data.'),
    "between in the worst case": (["--gap", 1.2, "--worst-case", "--between", "age > 60"],
                                  "--between compares people in the data by Lemma 3.1, so it cannot be combined with "
                                  "--worst-case or --exact. Hint: leave one of them out."),
    "between nothing": (["--gap", 1.2, "--between", ""],
                        '--between needs a condition on the people. Hint: try --between "age > 60", which looks '
                        'at the data.'),
    "an unknown mechanism": (["--mechanism", "magic"],
                             "There is no mechanism 'magic'. Hint: use laplace, gaussian or truncated."),
    "an unknown calibration": (["--mechanism", "gaussian", "--delta", 1e-9, "--calibration", "magic"],
                               "There is no calibration 'magic'. Hint: use analytic or classic."),
    "gaussian without delta": (["--mechanism", "gaussian"],
                               "Gaussian noise needs a delta. Hint: add --delta 1e-9."),
    "truncated without delta": (["--mechanism", "truncated"],
                                "Truncated noise needs a delta. Hint: add --delta 1e-9."),
    "truncated at a half": (["--mechanism", "truncated", "--delta", 0.5],
                            "--delta must be below 1/2 for truncated noise, not 0.5. Hint: try --delta 1e-9."),
    "exact truncated": (["--gap", 1.2, "--exact", "--mechanism", "truncated", "--delta", 1e-9],
                        "The exact RDR is supported for Laplace and Gaussian noise only. Hint: leave --exact "
                        "out, or use --mechanism laplace."),
    "delta 0": (["--mechanism", "gaussian", "--delta", 0],
                "--delta must be between 0 and 1, not 0.0. Hint: try --delta 1e-9."),
    "delta 1": (["--mechanism", "gaussian", "--delta", 1],
                "--delta must be between 0 and 1, not 1.0. Hint: try --delta 1e-9."),
    "delta -0.1": (["--mechanism", "gaussian", "--delta", -0.1],
                   "--delta must be between 0 and 1, not -0.1. Hint: try --delta 1e-9."),
    "delta 2": (["--mechanism", "gaussian", "--delta", 2],
                "--delta must be between 0 and 1, not 2.0. Hint: try --delta 1e-9."),
    "delta nan": (["--mechanism", "gaussian", "--delta", "nan"],
                  "--delta must be between 0 and 1, not nan. Hint: try --delta 1e-9."),
    "delta 1e-400": (["--mechanism", "gaussian", "--delta", "1e-400"],
                     "--delta must be between 0 and 1, not 0.0. Hint: try --delta 1e-9."),
    "delta in words": (["--mechanism", "gaussian", "--delta", "few"], "Invalid value for '--delta': "),
    "delta for laplace": (["--delta", 1e-9],
                          "Laplace noise has no delta. Hint: leave --delta out, or use --mechanism gaussian."),
    "no preference and no rule": (
        ["--schema", "free.toml"],
        "No preference is stated, and the schema has no [rule]. Hint: try --gap 1.2 --worst-case (no person has "
        "more than 1.2 times the risk of any other: epsilon 0.2, a count is then within ±11.5 with 90% "
        "probability), --within 5 if the answer must be accurate, or --sharing-risk low --trust low "
        "--data-sensitivity high --choices 4 if the risk depends on who gets the answer."),
    "a key of more values than cells are allowed": (
        ["--sql", "SELECT fnlwgt, COUNT(*) FROM adult GROUP BY fnlwgt"],
        "GROUP BY gives 1,500,001 cells, and the limit is 100,000. Hint: use wider bins, "),
    "private keys without a delta": (
        ["--schema", "private.toml", "--sql", "SELECT race, COUNT(*) FROM adult GROUP BY race", "--epsilon", 1],
        "Private group keys need a delta, which bounds the chance that a group of one person appears. "
        "Hint: add --delta 1e-9."),
    "a delta that nothing needs": (["--epsilon", 1, "--delta", 1e-6], "Laplace noise has no delta. "
                                   "Hint: leave --delta out, or use --mechanism gaussian."),
    "candidates of words": (["--candidates", "fine"],
                            "--candidates needs 'paper' or numbers with commas, not fine. "
                            "Hint: try --candidates 0.1,1."),
    "candidates from 0": (["--candidates", "0,1"],
                          "Candidates must be 'paper' or a list of epsilons above 0. "
                          "Hint: try --candidates paper or --candidates 0.1,1."),
    "no such schema": (["--schema", "no.toml"],
                       "There is no schema file no.toml. Hint: draft one with `sfumato schema draft DATA`."),
    "a schema that is none": (["--schema", "adult.parquet"],
                              "adult.parquet is not UTF-8 text. Hint: save it as UTF-8."),
    "no such column": (["--sql", f"{COUNT} WHERE ages > 3"],
                       "There is no column 'ages': line 1, column 34. Hint: did you mean 'age'?"),
    "a statement that is no question": (["--sql", "DROP TABLE adult"], "Only a SELECT is supported, not DROP: line 1, "
                                        f"column 1. Hint: try {COUNT}."),
    "two statements": (["--sql", f"{COUNT}; {COUNT}"],
                       "Several statements are not supported: line 1, column 36. Hint: ask them one at a time."),
    "a window function": (["--sql", "SELECT AVG(age) OVER () FROM adult"],
                          "Windows over the rows of several people are not supported: line 1, column 8. Hint: use "
                          "GROUP BY, with ROLLUP or SUM(COUNT(*)) OVER () for totals, or a sub-select with OVER "
                          "(PARTITION BY the column of "
                          "people): otherwise one person could change every row."),
    "a table function": (["--sql", "SELECT COUNT(*) FROM read_csv('/etc/passwd')"],
                         "Table functions are not supported: line 1, column 22. Hint: use adult, the name of the "
                         "table."),
    "a column called select": (["--sql", "SELECT SUM(select) FROM adult"],
                               f"The query is not valid SQL: line 1, column 12. {QUOTE}"),
    "a condition on a column called select": (["--sql", f"{COUNT} WHERE select > 3"],
                                              f"The query is not valid SQL: line 1, column 39. {QUOTE}"),
    "a query of a megabyte": (["--sql", "@megabyte.sql"],
                              "The query is longer than 100,000 characters. Hint: shorten the query."),
    "bytes that are no text": (["--sql", f"{COUNT} WHERE sex = '\udcff'"],
                               "The query is not UTF-8 text. Hint: save it as UTF-8."),
    "a condition that is none": (["--gap", 1.2, "--between", "age >"],
                                 f"The condition is not valid SQL: the condition 'age >'. {QUOTE}"),
    "no bounds": (["--schema", "unbounded.toml", "--sql", "SELECT MEDIAN(age + 1) FROM adult"],
                  "Column 'age' is summed but has no bounds. "
                  "Hint: add bounds = [lowest, highest] under [columns.age] in unbounded.toml."),
    "bounds the wrong way round": (
        ["--schema", "swapped.toml"], "The lower bound must be below the upper: [columns.age] in swapped.toml. "
        "Hint: write bounds = [lowest, highest]."),
    "bounds of no width": (
        ["--schema", "narrow.toml"], "The lower bound must be below the upper: [columns.age] in narrow.toml. "
        "Hint: write bounds = [lowest, highest]."),
    "bounds that are no numbers": (
        ["--schema", "nan.toml"], "Bounds must be finite: [columns.age] in nan.toml. "
        "Hint: state the lowest and highest value that can occur."),
    "no such query file": (["--sql", "@no.sql"], "There is no file no.sql. Hint: check the path; --sql takes "
                                                 "text, @FILE or -."),
    "a query file that is no text": (["--sql", "@adult.parquet"],
                                     "The query is not UTF-8 text. Hint: save it as UTF-8."),
    "nothing on standard input": (["--sql", "-"], f"The query is empty. Hint: try {COUNT}."),
    "a ledger in no folder": (["--ledger", "nowhere/a.ledger"], "The ledger nowhere/a.ledger cannot be written. "
                              "Hint: name another with --ledger PATH; nothing was released."),
    "an answer of no kind": (["--out", "a.xls"], f"--out cannot write a.xls. {OUT}"),
    "an answer in no folder": (["--out", "nowhere/a.csv"], f"--out cannot write nowhere/a.csv. {OUT}"),
    "an answer where a folder is": (["--out", "folder.csv"], f"--out cannot write folder.csv. {OUT}"),
    "a certificate of no kind": (["--certificate", "c.pdf"], "--certificate cannot write c.pdf. "
                                 "Hint: name a .html, .json, .txt file in a folder that exists."),
    "both in one file": (["--out", "a.json", "--certificate", "./a.json"],
                         "--out and --certificate name the same file. Hint: name two files."),
    "intervals of no file": (["--intervals"], "--intervals needs --out. Hint: try --out answer.csv --intervals."),
    "a ledger where nothing can be written": (
        ["--ledger", "/proc/a.ledger"], "The ledger /proc/a.ledger cannot be written. "
        "Hint: name another with --ledger PATH; nothing was released."),
    "a certificate in no folder": (["--certificate", "nowhere/c.txt"], "--certificate cannot write nowhere/c.txt. "
                                   "Hint: name a .html, .json, .txt file in a folder that exists."),
    "budget -1": (["--budget", -1], "--budget must be a number from 0 to 1,000,000, not -1.0. Hint: try --budget 3."),
    "budget nan": (["--budget", "nan"], "--budget must be a number from 0 to 1,000,000, not nan. Hint: try "
                                        "--budget 3."),
    "a ledger where a folder is": (["--ledger", "folder.csv"], "The ledger folder.csv cannot be written. "
                                   "Hint: name another with --ledger PATH; nothing was released."),
    "an unknown flag": (["--epsilom", 1], "No such option: --epsilom"),
}  # fmt: skip


@pytest.fixture(scope="module")
def asked(population: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which something was released, with files that are not what they seem."""
    folder = tmp_path_factory.mktemp("asked")
    shutil.copytree(population, folder, dirs_exist_ok=True)
    (folder / "folder.csv").mkdir()
    (folder / "folder.html").mkdir()
    (folder / "bytes.csv").write_bytes(bytes(range(256)) * 100)
    (folder / "text.parquet").write_text("age\n3\n", "utf-8")
    (folder / "megabyte.sql").write_text(f"{COUNT} WHERE {'age > 3 OR ' * 95_000}FALSE", "utf-8")
    for name, bounds in (("unbounded", ""), ("swapped", "[90, 17]"), ("narrow", "[5, 5]"), ("nan", "[0, nan]")):
        stated = f'name = "adult"\n[columns.age]\ntype = "integer"\n{bounds and f"bounds = {bounds}"}\n'
        (folder / f"{name}.toml").write_text(stated, "utf-8")
    (folder / "private.toml").write_text('name = "adult"\n[columns.race]\nkeys = "private"\n', "utf-8")
    local.open(folder / "adult.parquet", folder / "adult.toml").query(COUNT).release()
    return folder


@pytest.mark.parametrize(("options", "sentence"), BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence(
    asked: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, options: list[object], sentence: str
) -> None:
    _said(asked, typed, monkeypatch, ask("release", "--redraw", *options), sentence)


@pytest.mark.parametrize("options", [options for options, _ in BAD.values()], ids=BAD)
def test_bad_input_starts_no_ledger(
    asked: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, options: list[object]
) -> None:
    monkeypatch.chdir(asked)
    before = sorted(asked.iterdir())
    assert typed(*ask("release", "--ledger", "fresh.ledger", *options, schema="free.toml")).code == 2
    assert sorted(asked.iterdir()) == before


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("release", ["adult.parquet", "--out", "adult.parquet"]),
        ("release", ["adult.parquet", "--out", "../{here}/adult.parquet"]),
        ("release", ["adult.parquet", "--ledger", "record.json", "--out", "record.json"]),
        ("release", ["adult.parquet", "--ledger", "record.json", "--certificate", "record.json"]),
        ("release", [".", "--out", "answer.parquet"]),
        ("risk", ["adult.parquet", "--people", "adult.parquet"]),
    ],
    ids=lambda case: " ".join(case) if isinstance(case, list) else case,
)
def test_what_is_read_is_not_written_over(folder: Path, typed: Typed, command: str, options: list[str]) -> None:
    """Neither the table, nor its ledger; and no answer becomes a part of the table."""
    before = {file: file.read_bytes() for file in folder.iterdir()}
    placed = [option.format(here=folder.name) for option in options]
    told = typed(command, *placed, "--schema", "adult.toml", "--sql", COUNT)
    assert (told.code, told.out) == (2, "")
    assert re.match(r"--\w+ would (write over \S+, which this command reads|make \S+ a part of the table)", told.err)
    assert {file: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize("there", [False, True], ids=["new", "old"])
@pytest.mark.parametrize(("flag", "name"), [("--out", "a.csv"), ("--certificate", "c.json")])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_charged(
    folder: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, flag: str, name: str, there: bool
) -> None:
    """Neither a new one in a folder that is read-only, nor an old one that is."""
    if there:
        (folder / name).write_text("what was there before", "utf-8")
    monkeypatch.setattr("os.access", lambda _, mode: mode != os.W_OK)  # to root, nothing is read-only
    told = typed(*ask("release", "--epsilon", 1, flag, name, schema="free.toml"))
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith(f"{flag} cannot write {name}. ")
    assert not (folder / "adult.ledger").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["release", "no.csv", "--schema", "adult.toml", "--sql", COUNT],
         "There is no file no.csv. Hint: check the path."),
        (["release", "bytes.csv", "--schema", "adult.toml", "--sql", COUNT], "bytes.csv "),
        (["release", "text.parquet", "--schema", "adult.toml", "--sql", COUNT],
         f"text.parquet cannot be read as a table. {WILL_DO}"),
        (["release", "adult.parquet", "--schema", "adult.toml"], f"Missing option '--sql'. {SEE}"),
        (["release", "--schema", "adult.toml", "--sql", COUNT], "No data is named. Hint: name a file, or write"),
        (["relaese"], "No such command 'relaese'"),
        (["risk", "adult.parquet", "--schema", "adult.toml", "--sql", COUNT, "--people", "people.csv"],
         "--people cannot write people.csv. Hint: name a .parquet file in a folder that exists."),
        (["risk", "adult.parquet", "--schema", "adult.toml", "--sql", COUNT, "--html", "nowhere/a.html"],
         "--html cannot write nowhere/a.html. Hint: name a .html file in a folder that exists."),
        (["worst-case", "adult.parquet", "--schema", "adult.toml", "--sql", COUNT, "--html", "a.pdf"],
         "--html cannot write a.pdf. Hint: name a .html file in a folder that exists."),
        (["rehearse", "adult.parquet", "--schema", "adult.toml", "--sql", COUNT, "--html", "folder.html"],
         "--html cannot write folder.html. Hint: name a .html file in a folder that exists."),
        (["rehearse", "adult.parquet", "--schema", "adult.toml", "--sql", COUNT, "--rows", 0],
         "Invalid value for '--rows': "),
        (["rehearse", "adult.parquet", "--schema", "adult.toml", "--sql", COUNT, "--like", "no.csv"],
         "There is no file no.csv. Hint: check the path."),
        (["exposure-histogram", "adult.parquet", "--schema", "adult.toml", "--sql", COUNT],
         "Missing option '--epsilon'."),
        (["exposure-histogram", "adult.parquet", "--schema", "adult.toml", "--sql", COUNT, "--epsilon", 0],
         f"{BETWEEN} 0"),
        (["exposure-histogram", "adult.parquet", "--schema", "adult.toml", "--sql", COUNT, "--epsilon", 1, "--bins", 1],
         "The number of bins of an exposure histogram must be from 2 to 200, not 1. Hint: try --bins 20."),
        (["exposure-histogram", "adult.parquet", "--schema", "adult.toml", "--sql", COUNT, "--epsilon", 1,
          "--html", "a.pdf"],
         "--html cannot write a.pdf. Hint: name a .html file in a folder that exists."),
        (["schema", "draft", "no.csv"], "There is no file no.csv. Hint: check the path."),
        (["schema", "check", "adult.parquet"], "Missing option '--schema'."),
        (["ledger", "verify", "no.ledger"], "There is no ledger no.ledger. Hint: check the path."),
        (["ledger", "show", "no.ledger"], "There is no ledger no.ledger. Hint: check the path."),
        (["ledger", "verify", "folder.csv"], "folder.csv is a folder, not a ledger. Hint: check the path."),
        (["demo", "--rows", 0], "Invalid value for '--rows': "),
        (["demo", "--keep", "adult.toml"], "adult.toml cannot be written"),
    ],
    ids=lambda case: " ".join(map(str, case)) if isinstance(case, list) else "",
)  # fmt: skip
def test_bad_commands_are_one_sentence(
    asked: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, arguments: list[object], sentence: str
) -> None:
    _said(asked, typed, monkeypatch, arguments, sentence)


def _said(folder: Path, typed: Typed, patch: pytest.MonkeyPatch, arguments: list[object], sentence: str) -> None:
    """Exit 2, the sentence on stderr and nothing else anywhere, the same with --json, and the ledger as it was."""
    patch.chdir(folder)
    before = (folder / "adult.ledger").read_bytes()
    told = typed(*arguments)
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith(sentence)
    assert re.fullmatch(r".+[.?]\n", told.err), "one line"
    if arguments[0] != "demo" and arguments[1:2] != ["draft"]:
        as_json = typed(*arguments, "--json")
        assert (as_json.code, as_json.out) == (2, "")
        assert set(as_json.error) - {"reason", "values"} == {"code", "message", "hint", "where"}
        assert ("reason" in as_json.error) == ("values" in as_json.error)
        assert told.err.startswith(as_json.error["message"].removesuffix("."))
    assert (folder / "adult.ledger").read_bytes() == before


def test_a_column_may_be_called_as_sql_is_if_it_is_quoted(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("select,from\n1,a\n2,b\n", "utf-8")
    columns = '[columns.select]\ntype = "integer"\nbounds = [0, 5]\n[columns.from]\ncategories = ["a", "b"]\n'
    Path("t.toml").write_text(f'name = "order"\n{columns}', "utf-8")
    sql = 'SELECT "from", SUM("select") FROM "order" WHERE "select" > 0 GROUP BY "from" ORDER BY "from" DESC'
    released = typed("release", "t.csv", "--schema", "t.toml", "--sql", sql, "--epsilon", 1, "--json")
    assert (released.code, released.err) == (0, "")
    assert released.json["columns"] == ["from", 'sum("select")']
    assert [row[0] for row in released.json["rows"]] == ["b", "a"]


# Next to nobody

AGGREGATES = ["COUNT(*)", "COUNT(DISTINCT v)", "SUM(v)", "AVG(v)", "VAR_POP(v)", "STDDEV(v)", "MIN(v)", "MAX(v)",
              "MEDIAN(v)", "QUANTILE_DISC(v, 0.9)"]  # fmt: skip
EVERY = "Every epsilon meets ratio 0.9, of the people in the data, because all people in the data are equally exposed."
NOBODY = "There is no one in the data, so nothing can be chosen by them; the worst case needs no data."
FEW = {
    "nobody": ("", "", 3, NOBODY),
    "one person": ("3,a\n", "", 0, EVERY),
    "nobody who matches": ("3,a\n4,b\n", "WHERE v > 9", 0, EVERY),
}  # fmt: skip


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.toml").write_text(
        'name = "t"\n[columns.v]\ntype = "integer"\nbounds = [0, 5]\n[columns.g]\ncategories = ["a", "b"]\n', "utf-8"
    )
    Path("t.csv").write_text("v,g\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize(("lines", "where", "code", "why"), FEW.values(), ids=FEW)
@pytest.mark.usefixtures("few")
def test_next_to_nobody_is_no_failure(typed: Typed, lines: str, where: str, code: int, why: str) -> None:
    """Of each aggregate by itself, and of all of them in one query."""
    Path("t.csv").write_text(f"v,g\n{lines}", "utf-8")
    asked = ["t.csv", "--schema", "t.toml", "--sql"]
    together = f"SELECT {', '.join(AGGREGATES)} FROM t {where}"
    for sql in (f"SELECT COUNT(*) FROM t {where}", together):
        chosen = typed("choose", *asked, sql, "--ratio", 0.9, "--json", "--yes")
        assert (chosen.code, chosen.err) == (code, ""), sql
        assert (chosen.json["epsilon"], chosen.json["why"]) == (None, why), sql
    for sql in (*(f"SELECT {aggregate} FROM t {where}" for aggregate in AGGREGATES), f"{together} GROUP BY g"):
        shown = typed("risk", *asked, sql, "--most-exposed", "--yes")
        assert (shown.code, shown.err) == (0, ""), sql


@pytest.mark.parametrize("where", ["", "WHERE v > 9"], ids=["everybody", "nobody who matches"])
@pytest.mark.usefixtures("few")
def test_what_reads_no_data_fails_at_no_aggregate(typed: Typed, where: str) -> None:
    """Whether a value can be above its bound does not matter either."""
    for aggregate in AGGREGATES:
        for command in ("worst-case", "rehearse"):
            sql = f"SELECT {aggregate} FROM t {where}"
            shown = typed(command, "t.csv", "--schema", "t.toml", "--sql", sql)
            assert (shown.code, shown.err) == (0, ""), (command, sql)


@pytest.mark.usefixtures("folder")
def test_our_own_failure_says_nothing_about_the_data(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a value from the data: 31415")

    monkeypatch.setattr(local, "open", fail)
    failed = typed(*ask("release"))
    assert (failed.code, failed.out) == (1, "")
    assert failed.err.startswith("sfumato failed because of a bug (RuntimeError). Hint: ")
    assert "31415" not in failed.err


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C reaches Python, also where a shell runs the tests in the background and has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("swallowed", [False, True], ids=["as it comes", "made an error by the engine"])
def test_ctrl_c_says_that_a_charge_stays(
    folder: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, swallowed: bool
) -> None:
    def broken_off(*_: object) -> None:
        with suppress(KeyboardInterrupt) if swallowed else nullcontext():
            signal.raise_signal(signal.SIGINT)
        raise EngineFailure

    monkeypatch.setattr(DuckDB, "stream", broken_off)
    told = typed(*ask("release"))
    sentence = "Interrupted. Hint: check `sfumato ledger show`; what was charged stays charged.\n"
    assert told == Ran(130, "", sentence)
    assert local.records(folder / "adult.ledger")[0].total.nano_epsilon == nano(0.2)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# What one person wrote is never an error, and changes nothing for the others: errors that depend on data tell about it

LINES = {
    "a number that is none": ("x,2000-01-01,true,F,", 1, ["age"]),
    "not a number": ("nan,2000-01-01,true,F,", 1, ["age"]),
    "infinity": ("-inf,2000-01-01,true,F,", 1, ["age"]),
    "a number beyond 64 bits": (f"{'9' * 400},2000-01-01,true,F,", 1, ["age"]),
    "a date that is none": ("30,soon,true,F,", 1, ["born"]),
    "neither true nor false": ("30,2000-01-01,maybe,F,", 1, ["married"]),
    "an unlisted category": ("30,2000-01-01,true,X,", 1, []),
    "a quote in quotes": ('30,2000-01-01,true,F,"a ""b"", c"', 1, []),
    "two lines in quotes": ('30,2000-01-01,true,F,"a\nb"', 1, []),
    "a stray quote": ('30,2000-01-01,true,F,a"b', 1, []),
    "a quote that stays open": ('30,2000-01-01,true,F,"ab', 0, []),
    "too many values": ("30,2000-01-01,true,F,a,b,c", 1, []),
    "too few values": ("30", 1, []),
    "no value at all": (",,,,", 1, []),
    "an empty line": ("", 0, []),
    "a control character": ("30,2000-01-01,true,F,a\x00b", 1, []),
    "half a character": ("30,2000-01-01,true,F,\udcff", 1, []),
    "three million letters": (f"30,2000-01-01,true,F,{'x' * 3_000_000}", 1, []),
}
STAYS = """
name = "stays"
[columns.age]
type = "integer"
bounds = [0, 100]
[columns.born]
type = "date"
[columns.married]
type = "boolean"
[columns.sex]
categories = ["F", "M"]
"""


@pytest.mark.parametrize(("line", "rows", "unfit"), LINES.values(), ids=LINES)
def test_what_one_person_wrote_is_never_an_error(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, line: str, rows: int, unfit: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("stays.toml").write_text(STAYS, "utf-8")
    others = "30,2000-01-01,true,F,\n40,1990-12-31,false,M,\n" * 1500
    text = f"age,born,married,sex,note\n{others}{line}\n{others}"
    Path("stays.csv").write_text(text, "utf-8", errors="surrogateescape")
    sql = "SELECT sex, AVG(age) FROM stays WHERE born > '1980-01-01' OR NOT married GROUP BY sex"
    released = typed("release", "stays.csv", "--schema", "stays.toml", "--sql", sql, "--epsilon", 1)
    assert (released.code, released.err) == (0, "")
    checked = typed("schema", "check", "stays.csv", "--schema", "stays.toml", "--json").json
    assert checked["people"] == 6000 + rows, "nobody else's row comes or goes"
    assert [c["name"] for c in checked["columns"] if c["unfit"]] == unfit, "a value that does not fit is missing"


@pytest.mark.parametrize(
    ("type_", "fits"), [("integer", "30"), ("number", "2.5"), ("date", "2000-01-01"), ("boolean", "true")]
)
def test_a_value_that_does_not_fit_is_missing_and_its_person_is_not(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, type_: str, fits: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.toml").write_text(f'name = "t"\n[columns.v]\ntype = "{type_}"\n', "utf-8")
    Path("t.csv").write_text("v,w\n" + f"{fits},1\n" * 3000 + "x,1\n", "utf-8")
    asked = ["t.csv", "--schema", "t.toml", "--json", "--sql"]
    for sql, counted in (("SELECT COUNT(*) FROM t", 3001), ("SELECT COUNT(v) FROM t", 3000)):
        shown = typed("risk", *asked, sql).json
        assert (shown["people"], shown["influence"]["sum"]) == (3001, counted)
