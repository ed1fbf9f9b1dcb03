"""A document in its three renderings: the same words in each, escaped, without control characters."""

from __future__ import annotations

import pytest

from sfumato.presentation.document import (
    Block,
    Callout,
    Cells,
    CodeLines,
    Document,
    FactRows,
    Heading,
    Items,
    Prose,
    beside_pages,
    in_html,
    in_text,
    on_page,
)
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Line
from sfumato.presentation.figures.scale import Axis

NASTY = "<b>\x1b[31m&"
BLOCKS: dict[str, Block] = {
    "prose": Prose(NASTY),
    "warning": Prose(NASTY, "warning"),
    "items": Items([NASTY]),
    "code": CodeLines(NASTY, NASTY),
    "facts": FactRows([(NASTY, NASTY)]),
    "questions": FactRows([(NASTY, NASTY)], questions=True),
    "wrapped": FactRows([("label", NASTY)], wrapped=True),
    "table": Cells([NASTY], [[NASTY]], NASTY),
    "lying": Cells([NASTY, "b"], [[NASTY, "1"]], lying=True),
    "callout": Callout(NASTY, NASTY, [NASTY], good=False),
    "figure": Figure(NASTY, NASTY, Axis("x"), Axis("y"), (Line(((0, 1), (1, 2)), NASTY),), NASTY),
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_nothing_steers_a_terminal_or_breaks_out_of_a_page(block: Block) -> None:
    document = Document(NASTY, (Heading(NASTY), block))
    text, html, page = document.text(), document.html(), document.page(NASTY)
    assert "<b>" in text
    for rendering in (text, html, page):
        assert "\x1b" not in rendering
    for rendering in (html, page):
        assert "<b>" not in rendering
        assert "&lt;b&gt;" in rendering


def test_each_rendering_has_its_own_blocks() -> None:
    blocks = (in_text(Prose("one")), in_html(Prose("two")), on_page(Prose("three")), beside_pages(Prose("four")))
    document = Document("title", blocks)
    seen = [
        {word for word in ("one", "two", "three", "four") if word in rendering}
        for rendering in (document.text(), document.html(), document.page().partition("<body>")[2])
    ]
    assert seen == [{"one", "four"}, {"two", "four"}, {"two", "three"}]


def test_words_are_wrapped_and_what_is_empty_is_left_out() -> None:
    document = Document("", (Heading("Head"), Prose("word " * 30), Prose(""), Items([]), CodeLines("x" * 90)))
    head, *lines = document.text(width=40).splitlines()
    assert head == "Head"
    assert max(len(line) for line in lines[:-1]) <= 40
    assert lines[-2:] == ["", "x" * 90], "code stays as it is"
    assert "<ul>" not in document.html()
    assert "<p></p>" not in document.html()


def test_a_heading_opens_a_section_that_the_next_one_closes() -> None:
    html = Document("", (Prose("before"), Heading("a"), Prose("b"), Heading("c"), Prose("d"))).html(level=3)
    assert html.count("<section>") == html.count("</section>") == html.count("<h3>") == 2
    assert html.index("before") < html.index("<section>") < html.index("</section>") < html.index("<h3>c</h3>")


def test_a_warning_stands_above_the_title_of_a_page() -> None:
    document = Document("Title", (Prose("first"), Prose("Controller only.", "warning")))
    page = document.page("Footer")
    assert page.index("Controller only.") < page.index("<h1>") < page.index("first") < page.index("Footer")
    assert "<strong>Controller only.</strong>" in document.html()
