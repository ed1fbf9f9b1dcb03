"""`sfumato reproduce`: what the papers print beside ours, as text, as JSON and as a page."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from sfumato.reproduce import escrow_finding, scaling
from sfumato.reproduce.data import PRI_QUERIES, RDR_QUERIES
from tests.e2e.command import Typed

pytestmark = pytest.mark.e2e

SIDES = ("standalone without DP", "standalone with DP", "escrow")
EXAMPLES = ("fig2", "lee-clifton", "diff", "dpp")  # on the papers' own examples: no data is read


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_printed_value_is_ours_or_has_its_erratum(typed: Typed, name: str) -> None:
    (found,) = typed("reproduce", name, "--json").json
    assert found["values"]
    assert {value["verdict"] for value in found["values"]} <= {
        "as printed",
        "rounded",
        "print wrong",
        "not printed",
    }
    assert all(value["note"] for value in found["values"] if value["verdict"] == "print wrong")


def test_the_students_of_lee_and_clifton(typed: Typed) -> None:
    ran = typed("reproduce", "lee-clifton")
    assert ran.code == 0
    assert re.search(r"\(9\): epsilon by the bound, absence days +0\.3829 +0\.382939 +as printed", ran.out)
    assert re.search(r"\(21\): exact epsilon, median +2\.776 +2\.77259 +print wrong", ran.out)


@pytest.mark.adult
def test_figure_7_on_adult(typed: Typed, adult_csv: Path) -> None:
    (found,) = typed("reproduce", "fig7", "--adult", str(adult_csv), "--json").json
    assert [value["verdict"] for value in found["values"]] == ["as printed"] * 10


def test_without_adult_it_says_so_and_compares_nothing(typed: Typed) -> None:
    (found,) = typed("reproduce", "fig7", "--json").json
    assert "embedded population" in found["on"]
    assert {value["verdict"] for value in found["values"]} == {"other data"}


def test_what_is_drawn_is_drawn_as_often_as_is_said(typed: Typed) -> None:
    (fig9,) = typed("reproduce", "fig9", "--runs", "3", "--json").json
    assert len(fig9["figures"]) == 10
    (pri,) = typed("reproduce", "pri", "--runs", "2", "--json").json
    assert [title for title in pri["figures"] if "Q5" in title] == ["Figure 2 and 10: epsilon found, Q5"]


def test_times_stand_beside_the_authors_way(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SIZES", (100, 200)), ("RUNS", 2), ("SAMPLED", 2), ("LEFT_OUT_OF", 100)):
        monkeypatch.setattr(scaling, name, value)
    (found,) = typed("reproduce", "scaling", "--json").json
    times = [value for value in found["values"] if value["what"].startswith("Find-")]
    assert len(times) == 2 * len(RDR_QUERIES)
    assert {value["verdict"] for value in found["values"]} <= {"faster", "slower", "not printed"}
    assert any(value["verdict"] in ("faster", "slower") for value in found["values"])


def test_deployment_models_side_by_side(typed: Typed) -> None:
    """The error of a count grows with the root of the people in the local model alone."""
    (found,) = typed("reproduce", "models", "--json").json
    verdicts = [value["verdict"] for value in found["values"][:5]]
    assert verdicts == ["as printed", "as printed", "not run", "not run", "differs"]
    assert "error 10 times as large for 100 times the people" in found["values"][1]["ours"]
    assert "confidential VM" in found["values"][4]["note"]


def test_an_escrow_beside_standalone_queries(typed: Typed) -> None:
    (found,) = typed("reproduce", "escrow", "--json").json
    values = {value["what"]: value for value in found["values"]}
    encrypting = values["encryption, escrow"]
    assert encrypting["printed"] == "0.015 s"
    assert encrypting["verdict"] == ("faster" if float(encrypting["ours"].split()[0]) < 0.015 else "slower")
    assert values["Cryptε, Q3"]["verdict"] == "not run"
    assert values["Cryptε, encryption, one process"]["ours"] == "not run"
    for name in ("Q1", "Q2", "Q3"):
        took = [values[f"{name}, {side}"]["ours"] for side in SIDES]
        assert all(float(said.removesuffix(" s")) > 0 for said in took)
        ratio = values[f"{name}, escrow / standalone with DP"]["ours"]
        assert re.fullmatch(r"[0-9.]+ times, -?[0-9]+ ms more", ratio)
    assert found["figures"] == ["Figure 8: how long a query takes"]


def test_the_algorithm_of_the_pri_paper_runs_inside_the_escrow(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SIZES", (500, 1000)), ("RUNS", 1), ("PRI_QUERIES", {"Q5": PRI_QUERIES["Q5"]})):
        monkeypatch.setattr(escrow_finding, name, value)
    (found,) = typed("reproduce", "escrow-finding", "--json").json
    verdicts = {value["what"]: value["verdict"] for value in found["values"]}
    assert verdicts == {
        "Q5, 500 people": "not printed",
        "Q5, 1,000 people": "faster",
        "6.3.1: runs that found an epsilon": "as printed",
    }
    assert found["figures"] == ["Figure 9: how long it takes to find epsilon in the escrow"]


def test_without_the_server_extra_it_says_what_to_install() -> None:
    without = "import sys; sys.modules['cryptography'] = None; from sfumato.cli.main import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", without, "reproduce", "escrow"], capture_output=True, text=True, check=False
    )
    sentence = (
        "An encrypted workspace needs the packages cryptography and argon2, which are not installed. "
        "Hint: pip install 'sfumato[server]'."
    )
    assert (ran.returncode, ran.stderr.strip()) == (2, sentence)


def test_the_report_has_every_figure(typed: Typed, tmp_path: Path) -> None:
    out = tmp_path / "reproduced"
    ran = typed("reproduce", "diff", "--out", str(out))
    assert ran.code == 0
    page = (out / "report.html").read_text("utf-8")
    assert "Example 3: minimum true answers" in page
    assert not re.search(r"(src|href)=", page)
    for name in ("diff-1", "diff-2"):
        assert ET.parse(out / f"{name}.svg").getroot().tag.endswith("svg")
        assert set(json.loads((out / f"{name}.plotly.json").read_text("utf-8"))) >= {"data", "layout"}
    assert json.loads((out / "values.json").read_text("utf-8"))[0]["name"] == "diff"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            ["fig3"],
            "There is no reproduction 'fig3'. "
            "Hint: use fig2, fig7, fig9, lee-clifton, diff, dpp, pri, models, escrow, escrow-finding, scaling or all.",
        ),
        (
            ["fig7", "--adult", "nowhere.csv"],
            "There is no file nowhere.csv. Hint: name the CSV file of UCI Adult with --adult.",
        ),
    ],
)
def test_bad_input_is_one_sentence(typed: Typed, said: list[str], sentence: str) -> None:
    ran = typed("reproduce", *said)
    assert (ran.code, ran.err.strip()) == (2, sentence)
