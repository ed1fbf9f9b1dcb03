"""What is written from the code is as the code is, and what the code cites is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sfumato.presentation.figures.svg import svg
from tools import images, packages, preferences

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CITED = re.compile(r"docs/(?:theory/)?[\w-]+\.md(?:#[\w-]+)?")
FOLDERS = ("src", "tests", "bench", "tools")


def test_the_list_of_packages_is_that_of_the_contracts() -> None:
    text = packages.PAGE.read_text(encoding="utf-8")
    assert packages.written(text) == text, "run `python -m tools.packages`"


def test_the_table_of_options_is_that_of_the_registry() -> None:
    text = preferences.PAGE.read_text(encoding="utf-8")
    assert preferences.updated(text) == text, "run `python -m tools.preferences`"


@pytest.mark.parametrize("name", sorted(path.name for path in images.FOLDER.iterdir()))
def test_the_pictures_are_those_of_the_code(name: str) -> None:
    assert svg(images.IMAGES[name]()) == (images.FOLDER / name).read_text("utf-8"), "run `python -m tools.images`"


def _cited() -> dict[str, list[str]]:
    """Every page that a comment, docstring or message names, with the files that name it."""
    found: dict[str, list[str]] = {}
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            for reference in CITED.findall(file.read_text(encoding="utf-8")):
                found.setdefault(reference, []).append(str(file.relative_to(ROOT)))
    return found


def _headings(page: Path) -> set[str]:
    """The anchors of a page, as Markdown viewers make them of its headings."""
    lines = page.read_text(encoding="utf-8").splitlines()
    titles = [line.lstrip("#").strip().lower() for line in lines if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("reference", sorted(_cited()))
def test_every_page_that_is_cited_is_there(reference: str) -> None:
    path, _, anchor = reference.partition("#")
    page, files = ROOT / path, _cited()[reference]
    assert page.is_file(), files
    assert not anchor or anchor in _headings(page), files


def test_nothing_is_cited_that_is_not_in_the_repository() -> None:
    """The theory is in docs/theory; a section of another document cannot be looked up."""
    elsewhere = re.compile(r"\b[Mm]ethods(?:-2)? \d")
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")]
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    citing = [str(f.relative_to(ROOT)) for f in (*files, *pages) if elsewhere.search(f.read_text(encoding="utf-8"))]
    assert citing == []


def test_the_sentences_that_readers_quoted_still_stand() -> None:
    page = (DOCS / "reading-test.md").read_text("utf-8")
    quotes = re.findall(r'"([^"]+)"', page.partition("### Now\n")[2].partition("### Before\n")[0])
    texts = [" ".join(path.read_text("utf-8").split()) for path in (ROOT / "README.md", DOCS / "start.md")]
    assert len(quotes) >= 10
    assert [quote for quote in quotes if not any(quote in text for text in texts)] == []
