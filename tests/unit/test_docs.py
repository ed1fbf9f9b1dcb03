"""Docs run: README's session gives its printed output (noise apart), and every link and file they name is there."""

from __future__ import annotations

import doctest
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from sfumato import demo
from sfumato.composition import local
from sfumato.errors import QueryError
from sfumato.model.release import ReleaseCertificate
from sfumato.privacy.preferences.disparity import gap
from sfumato.schema.read import from_dict
from tools import functions as functions_page

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SESSIONS = [page for page in sorted((ROOT / "docs").rglob("*.md")) if ">>> " in page.read_text("utf-8")]


class UpToNoise(doctest.OutputChecker):
    """Figures of a released table may differ, and the width of their columns with them."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if "90% interval" in want:
            want, got = (re.sub(r"\d[\d,.]*", "#", text.replace("<BLANKLINE>", "")) for text in (want, got))
            want, got = (re.sub(r"[─\s]+", " ", text) for text in (want, got))
        return super().check_output(want, got, optionflags)


def run(page: Path) -> int:
    """The page as one session, from top to bottom: how many examples it has."""
    session = doctest.DocTestParser().get_doctest(page.read_text("utf-8"), {}, page.stem, None, 0)
    runner = doctest.DocTestRunner(checker=UpToNoise(), verbose=False)
    report: list[str] = []
    assert runner.run(session, out=report.append).failed == 0, "".join(report)
    return len(session.examples)


def test_the_readme_session_runs() -> None:
    assert run(ROOT / "README.md") >= 10


def test_make_demo_installs_the_server_that_the_next_line_of_the_readme_starts() -> None:
    readme, makefile = ((ROOT / name).read_text("utf-8") for name in ("README.md", "Makefile"))
    assert re.search(r"^    make demo .*\n    \.venv/bin/sfumato demo --serve ", readme, re.M)
    assert re.search(r"^demo: \.venv/\.base ", makefile, re.M)
    assert re.search(r"^\.venv/\.base:.*\n(?:\t.+\n)*\t@\$\(INSTALL\) -e '\.\[server\]'$", makefile, re.M)


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_sessions_run(page: Path) -> None:
    assert run(page) >= (10 if page == ROOT / "docs" / "belief.md" else 1)


def test_the_tutorial_on_beliefs_is_among_them() -> None:
    assert ROOT / "docs" / "belief.md" in SESSIONS


def test_every_counterexample_to_the_papers_is_run() -> None:
    page = ROOT / "docs" / "theory" / "papers.md"
    assert page in SESSIONS
    claims = page.read_text("utf-8").split("\n### ")[1:]
    assert len(claims) >= 20
    for claim in claims:
        assert ">>> " in claim, claim.partition("\n")[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_a_page_lead_to_a_heading(page: Path) -> None:
    text = page.read_text("utf-8")
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors


@pytest.mark.parametrize("page", ["start.md", "schema.md", "sql.md", "ledger.md"])
def test_schemas_in_the_docs_load(page: str) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / page).read_text("utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        assert from_dict(tomllib.loads(block)).columns


def test_the_sql_of_the_docs_is_answered_or_refused_as_they_say() -> None:
    page = (ROOT / "docs" / "sql.md").read_text("utf-8")
    [stated] = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    stays = local.open_without_data(tomllib.loads(stated), ledger=":memory:")
    answered = [sql for block in re.findall(r"```sql\n(.*?)```", page, re.DOTALL) for sql in block.split(";\n") if sql]
    assert len(answered) >= 10
    for sql in answered:
        assert stays.query(sql).worst_case().at(1.0).gap == 2, sql
    refused = re.findall(r"^\| .* \| `(.*)` \|$", page.partition("## What is refused")[2], re.MULTILINE)
    assert len(refused) >= 10
    for sql in refused:
        with pytest.raises(QueryError):
            stays.query(sql)
    commands = re.findall(r'\$ sfumato .* --sql "(.*)" .*\n(.*)\n', page)
    assert len(commands) == 2
    for sql, sentence in commands:
        with pytest.raises(QueryError, match=re.escape(sentence)):
            stays.query(sql)


def test_the_joins_of_the_docs_are_answered_on_the_clinic() -> None:
    section = (ROOT / "docs" / "sql.md").read_text("utf-8").partition("\n## Joins\n")[2].partition("\n## ")[0]
    schema = (ROOT / "src" / "sfumato" / "demo" / "clinic" / "clinic.toml").read_text("utf-8")
    clinic = local.open_without_data(tomllib.loads(schema), ledger=":memory:")
    conditions = [f"SELECT COUNT(*) FROM patients p {where}" for where in re.findall(r"`(WHERE .*)`", section)]
    statements = re.findall(r"(?:^    .*\n)+", section, re.MULTILINE) + re.findall(r"`(SELECT .*)`", section)
    assert len(conditions + statements) == 4
    for sql in conditions + statements:
        assert clinic.query(sql).worst_case().at(1.0).gap == 2, sql


def test_the_functions_of_the_docs_are_those_that_there_are() -> None:
    written = functions_page.PAGE.read_text("utf-8")
    assert functions_page.BEGIN in written
    assert written == functions_page.page(written), "run `python -m tools.functions`"


def test_theory_names_tests_that_exist() -> None:
    for page in (ROOT / "docs" / "theory").glob("*.md"):
        for test in re.findall(r"`(tests/[\w/]+\.py)`", page.read_text("utf-8")):
            assert (ROOT / test).exists(), f"{page.name}: {test}"


def test_the_certificate_of_the_docs_is_what_is_printed(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "certificate.md").read_text("utf-8")
    [shown] = re.findall(r"<!-- certificate -->\n```text\n(.*?)\n```", page, re.DOTALL)
    [sql] = re.findall(r'--sql "(.*)"', page)
    adult = local.open(*demo.write(tmp_path, name="adult.csv"))
    certificate = adult.query(sql).release(adult.query(sql).choose(gap(1.2, worst_case=True))).certificate
    differs = re.compile(r"\d{4}-\d\d-\d\dT[\d:+]+|(?<=\+00:00 by ).*|(?<=OpenDP )[\d.]+|(?<=; sfumato )[\d.]+")
    assert differs.sub("…", shown) == differs.sub("…", str(certificate))


def test_every_field_of_a_certificate_is_in_the_docs() -> None:
    page = (ROOT / "docs" / "certificate.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.*?) \|", page.partition("## Every field")[2], re.MULTILINE)
    told = re.findall(r"`(\w+)`", " ".join(rows))
    assert sorted(told) == sorted(field.name for field in fields(ReleaseCertificate))
