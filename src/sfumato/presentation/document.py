"""A page that stands alone: no scripts, nothing fetched, light and dark, readable on a telephone and on paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.palette import PALETTE
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.html import html_table
from sfumato.presentation.printable import plain

NARROW = 360  # a figure's width where the page is narrow: drawn for it, not shrunk to it
STYLE = """
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:1.5rem 1.25rem 3rem}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0 .75rem}
h2{font-size:1.2rem;line-height:1.3;margin:2.5rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--grid)}
p,ul,dl,pre,figure,.table{margin:.75rem 0}
ul{padding-left:1.25rem}
li{margin:.35rem 0}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.35rem 1.25rem}
dt{font-weight:600}
dd{margin:0}
pre{padding:.75rem 1rem;border:1px solid var(--grid);border-radius:.35rem;white-space:pre-wrap;overflow-wrap:anywhere}
code{font:.9rem/1.5 ui-monospace,monospace}
.banner{margin:0 0 1rem;padding:.6rem 1rem;border:2px solid var(--over);border-radius:.35rem;font-weight:600}
.lead{font-size:1.05rem}
.soft,caption{color:var(--soft)}
.break{overflow-wrap:anywhere}
.framed{margin:1.25rem 0 1.5rem;padding:.25rem 0 .25rem 1.25rem;border-left:.3rem solid}
.framed p{margin:.5rem 0;color:var(--ink)}
.framed .word{font-weight:600}
.well,.well .word{border-color:var(--chosen);color:var(--chosen)}
.ill,.ill .word{border-color:var(--over);color:var(--over)}
.framed .lead{font-size:1.35rem;line-height:1.4}
dl.asked{display:block}
dl.asked dd{margin:0 0 .9rem}
figure svg{display:block}
figure svg+svg{display:none}
.table{overflow-x:auto}
.table:focus-visible{outline:2px solid var(--chosen);outline-offset:2px}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:0 0 .4rem}
th,td{padding:.3rem .9rem .3rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid)}
th{font-weight:600}
tbody th{font-weight:400}
.number{white-space:nowrap}
tbody th:not(.number){min-width:9rem}
.number{text-align:right}
footer{margin-top:2.5rem;padding-top:.75rem;border-top:1px solid var(--grid);font-size:.85rem;color:var(--soft)}
@media screen and (max-width:40rem){
main{padding:1rem 1rem 2rem}
h1{font-size:1.4rem}
dl{display:block}
dd{margin:0 0 .6rem}
figure svg{display:none}
figure svg+svg{display:block;width:100%}
}
@media print{
html{font-size:10pt}
main{max-width:none;padding:0}
h2{break-after:avoid}
figure,tr,.banner,.framed,dl.asked dd{break-inside:avoid}
dl.asked dt{break-after:avoid}
.table{overflow:visible}
}
"""


def page(title: str, parts: Iterable[str], *, banner: str = "", footer: str = "") -> str:
    """The whole page; the banner stands above everything else."""
    warning = f'<p class="banner" role="note">{_text(banner)}</p>' if banner else ""
    ending = f"<footer>{_text(footer)}</footer>" if footer else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="robots" content="noindex">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{_text(title)}</title>\n<style>{_colours()}{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"{warning}<h1>{_text(title)}</h1>\n" + "\n".join(parts) + f"\n{ending}</main>\n</body>\n</html>\n"
    )


def section(heading: str, *parts: str) -> str:
    return f"<section>\n<h2>{_text(heading)}</h2>\n" + "\n".join(filter(None, parts)) + "\n</section>"


def paragraph(words: str, kind: str = "") -> str:
    start = f'<p class="{kind}">' if kind else "<p>"
    return f"{start}{_text(words)}</p>" if words else ""


def items(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_text(sentence)}</li>" for sentence in sentences) + "</ul>"


def framed(word: str, lead: str, *more: str, well: bool) -> str:
    """What has to be read, if nothing else is; the word stands above it, and its colour says whether all is well."""
    sentences = f"{paragraph(word, 'word')}{paragraph(lead, 'lead')}{''.join(map(paragraph, more))}"
    return f'<div class="framed {"well" if well else "ill"}">{sentences}</div>'


def definitions(pairs: Iterable[tuple[str, str]], kind: str = "") -> str:
    start = f'<dl class="{kind}">' if kind else "<dl>"
    return start + "".join(f"<dt>{_text(term)}</dt><dd>{_text(meaning)}</dd>" for term, meaning in pairs) + "</dl>"


def code(text: str) -> str:
    lines = (plain(line) for line in text.splitlines())
    return "<pre><code>" + escape("\n".join(lines)) + "</code></pre>"


def drawing(figure: Figure) -> str:
    """The figure twice, for a wide page and for a narrow one; of the two one is shown and read out."""
    return f"<figure>{svg(figure, 720)}{svg(figure, NARROW)}</figure>"


def scrolled(columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """A table that scrolls by itself where the page is too narrow, by keyboard too."""
    name = f' role="region" aria-label="{escape(plain(caption))}" tabindex="0"'
    return f'<div class="table"{name}>{html_table(columns, rows, caption)}</div>'


def _text(words: str) -> str:
    return escape(plain(words))


def _colours() -> str:
    """The figures' own colours, so that paper is the same paper."""
    light, dark = (";".join(f"--{name}:{both[i]}" for name, both in PALETTE.items()) for i in (0, 1))
    schemes = f":root{{color-scheme:light dark;{light}}}"
    return f"{schemes}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
