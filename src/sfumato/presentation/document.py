"""A view as blocks, and its three renderings: text for terminals, HTML for notebooks, and a page that stands alone.

The page has no scripts and fetches nothing; it is light or dark, and readable on a telephone and on paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from textwrap import fill
from typing import Literal, TypeAlias

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.palette import PALETTE
from sfumato.presentation.figures.terminal import WIDTH, paragraph
from sfumato.presentation.figures.terminal import text as figure_text
from sfumato.presentation.printable import plain
from sfumato.presentation.table import sideways, table
from sfumato.presentation.wording import guarantee as of_guarantee

NARROW, WIDE = 360, 720  # widths of a figure on a page: it is drawn for both, not shrunk
WIDEST = 200  # characters in a line of a table; wider ones are wrapped


class Medium(Flag):
    """Where a document is rendered."""

    TEXT = auto()
    NOTEBOOK = auto()
    PAGE = auto()


@dataclass(frozen=True)
class Heading:
    """The title of what follows, up to the next heading."""

    text: str


@dataclass(frozen=True)
class Prose:
    """A paragraph; an empty one is left out. A warning stands above the title of a page."""

    text: str
    style: Literal["", "lead", "soft", "soft break", "warning"] = ""


@dataclass(frozen=True)
class Items:
    """Sentences as a list."""

    sentences: Sequence[str]


@dataclass(frozen=True)
class CodeLines:
    """A query or another text whose lines stay as they are, and a line about it."""

    text: str
    about: str = ""


@dataclass(frozen=True)
class FactRows:
    """Labels with their values; the labels may be questions, which stand above their answers."""

    rows: Sequence[tuple[str, str]]
    questions: bool = False
    wrapped: bool = False  # in text


@dataclass(frozen=True)
class Cells:
    """A table. In text it has no caption, and lies on its side where that takes fewer lines, if asked to."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    lying: bool = False
    widest: int = WIDEST


@dataclass(frozen=True)
class Callout:
    """The most important facts: a word, a sentence and more about it."""

    word: str
    lead: str
    sentences: Sequence[str]
    good: bool


@dataclass(frozen=True)
class SvgPictures:
    """Pictures that are SVG already, drawn only where they are shown; a terminal leaves them out."""

    draw: Callable[[], Iterable[str]]


@dataclass(frozen=True)
class Only:
    """Blocks that some renderings have and others leave out."""

    media: Medium
    blocks: tuple[Block, ...]


CONTROLLER_ONLY = Prose(of_guarantee.CONTROLLER_ONLY, "warning")
A_LOOK = Prose(f"{of_guarantee.CONTROLLER_ONLY} {of_guarantee.LOOK}", "warning")
Block: TypeAlias = Heading | Prose | Items | CodeLines | FactRows | Cells | Callout | Figure | SvgPictures | Only


def in_text(*blocks: Block) -> Only:
    return Only(Medium.TEXT, blocks)


def in_html(*blocks: Block) -> Only:
    return Only(Medium.NOTEBOOK | Medium.PAGE, blocks)


def on_page(*blocks: Block) -> Only:
    return Only(Medium.PAGE, blocks)


def beside_pages(*blocks: Block) -> Only:
    return Only(Medium.TEXT | Medium.NOTEBOOK, blocks)


@dataclass(frozen=True)
class Document:
    """A view of something, whose title stands on a page."""

    title: str
    blocks: tuple[Block, ...]

    def text(self, *, width: int = WIDTH, colour: bool = False) -> str:
        """Lines for a terminal; code, facts and tables may be wider than `width`."""
        parts: list[str] = []
        heading = ""
        for block in _of_medium(self.blocks, Medium.TEXT):
            if isinstance(block, Heading):
                heading = f"{paragraph(block.text, width)}\n"
            elif lines := _lines(block, width, colour):
                parts.append(heading + lines)
                heading = ""
        return "\n\n".join(parts)

    def html(self, *, level: int = 2) -> str:
        """For a notebook or within another page, whose style it takes; `level` is that of its headings."""
        return f"<div>{_markup(_of_medium(self.blocks, Medium.NOTEBOOK), level, on_page=False)}</div>"

    def page(self, footer: str = "") -> str:
        """The page that stands alone."""
        blocks = list(_of_medium(self.blocks, Medium.PAGE))
        warnings = [block for block in blocks if isinstance(block, Prose) and block.style == "warning"]
        banner = "".join(f'<p class="banner" role="note">{_escaped(block.text)}</p>' for block in warnings)
        ending = f"<footer>{_escaped(footer)}</footer>" if footer else ""
        body = _markup((block for block in blocks if block not in warnings), 2, on_page=True)
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="robots" content="noindex">\n'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            f"<title>{_escaped(self.title)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n<main>\n"
            f"{banner}<h1>{_escaped(self.title)}</h1>\n{body}\n{ending}</main>\n</body>\n</html>\n"
        )


def _of_medium(blocks: Iterable[Block], medium: Medium) -> Iterator[Block]:
    """The blocks of one rendering."""
    for block in blocks:
        if not isinstance(block, Only):
            yield block
        elif medium in block.media:
            yield from _of_medium(block.blocks, medium)


def _lines(block: Block, width: int, colour: bool) -> str:
    match block:
        case Prose(words):
            return paragraph(words, width)
        case Items(sentences):
            return "\n".join(_hanging("- ", sentence, width) for sentence in sentences)
        case CodeLines(words, about):
            return "\n".join([*map(plain, words.splitlines()), *([plain(about)] if about else [])])
        case FactRows(rows, wrapped=wrapped):
            indent = max((len(label) for label, _ in rows), default=0) + 3
            pairs = ((f"{plain(label) + ':':<{indent}}", value) for label, value in rows)
            return "\n".join(_hanging(*pair, width) if wrapped else pair[0] + plain(pair[1]) for pair in pairs)
        case Cells(columns, rows):
            return sideways(columns, rows) if block.lying else table(columns, rows, block.widest)
        case Callout(word, lead, sentences):
            return "\n\n".join(paragraph(words, width) for words in (word, lead, *sentences))
        case Figure():
            return figure_text(block, width, colour)
    return ""


def _hanging(start: str, words: str, width: int) -> str:
    """With a flag in one piece."""
    indent = " " * len(start)
    return fill(plain(words), width, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False)


def _markup(blocks: Iterable[Block], level: int, *, on_page: bool) -> str:
    """A section for each heading."""
    parts, end = [], ""
    for block in blocks:
        if isinstance(block, Heading):
            parts.append(f"{end}<section>\n<h{level}>{_escaped(block.text)}</h{level}>")
            end = "</section>\n"
        else:
            parts.append(_element(block, on_page))
    return "\n".join([part for part in parts if part]) + f"\n{end}".rstrip()


def _element(block: Block, on_page: bool) -> str:
    from sfumato.presentation.figures.svg import svg
    from sfumato.presentation.html import html_table

    match block:
        case Prose(words, style):
            kind = f' class="{style}"' if style and style != "warning" else ""
            inner = f"<strong>{_escaped(words)}</strong>" if style == "warning" else _escaped(words)
            return f"<p{kind}>{inner}</p>" if words else ""
        case Items(sentences):
            listed = "".join(f"<li>{_escaped(sentence)}</li>" for sentence in sentences)
            return f"<ul>{listed}</ul>" if listed else ""
        case CodeLines(words, about):
            lines = "\n".join(map(_escaped, words.splitlines()))
            return f"<pre><code>{lines}</code></pre>{_element(Prose(about, 'soft'), on_page)}"
        case FactRows(rows, questions):
            pairs = "".join(f"<dt>{_escaped(label)}</dt><dd>{_escaped(value)}</dd>" for label, value in rows)
            return f'<dl class="{"asked" if questions else "facts"}">{pairs}</dl>'
        case Cells(columns, rows, caption):
            # It scrolls by itself where the page is too narrow, by keyboard too.
            region = f' role="region" aria-label="{_escaped(caption)}" tabindex="0"' if caption else ""
            return f'<div class="table"{region}>{html_table(columns, rows, caption)}</div>'
        case Callout(word, lead, sentences, good):
            more = "".join(f"<p>{_escaped(words)}</p>" for words in sentences)
            lead = f'<p><strong>{_escaped(word)}</strong></p><p class="lead">{_escaped(lead)}</p>'
            return f'<div class="notice{"" if good else " ill"}">{lead}{more}</div>'
        case SvgPictures(draw):
            return "\n".join(f"<figure>{picture}</figure>" for picture in draw())
        case Figure():  # on a page twice, of which one is shown and read out
            return f"<figure>{svg(block, WIDE)}{svg(block, NARROW)}</figure>" if on_page else svg(block)
    return ""


def _escaped(words: str) -> str:
    from html import escape

    return escape(plain(words))


def _style() -> str:
    """The style of a page, in the figures' own colours."""
    from importlib.resources import files

    light, dark = (";".join(f"--{name}:{both[i]}" for name, both in PALETTE.items()) for i in (0, 1))
    schemes = f":root{{color-scheme:light dark;{light}}}"
    dark_scheme = f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return f"{schemes}{dark_scheme}{files('sfumato.presentation').joinpath('page.css').read_text('utf-8')}"
