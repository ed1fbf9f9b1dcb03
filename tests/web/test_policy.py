"""Content security: a page runs and loads this server's own files and nothing that anybody wrote into it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Page

from sfumato.cli.local.demo_server import CONTROLLER
from sfumato.presentation.figures.palette import PALETTE
from sfumato.server.web import assets
from sfumato.server.web.shell import TEMPLATES
from tests.web import pages
from tests.web.browser import Visitors
from tests.web.house import House

VENDOR = assets.FOLDER / "vendor"
SCRIPTS = sorted(path for path in assets.FOLDER.rglob("*.js") if not path.is_relative_to(VENDOR))
# Whatever reads a text as markup or as a program, and styles that the policy forbids.
SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTMLUnsafe|srcdoc|document\.write|DOMParser|"
    r"\beval\b|new Function|set(?:Timeout|Interval)\(\s*[\"'`]|setAttribute\(\s*[\"'`](?:style|on)|javascript:"
)
# The server's own page, asked for again: what is escaped there stays escaped.
OWN_PAGE = {"sfumato.js": ["DOMParser"]}
# A codebook of DDI is read as XML, of which only texts are taken: no node of it is put into the page.
XML = 'new DOMParser().parseFromString(text, "application/xml")'
UNESCAPED = re.compile(r"\|\s*safe\b|Markup|autoescape|\{%\s*raw")


class Found(HTMLParser):
    """What of a page would run, style or load something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.loaded: list[str] = []
        self.headings = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        stated = {name: value or "" for name, value in attributes}
        self.headings += tag == "h1"
        self.inline += [f"{tag} {name}" for name in stated if name == "style" or name.startswith("on")]
        self.inline += [tag] if tag in ("style", "base", "iframe", "object", "embed") else []
        if tag == "script" and "src" not in stated and stated.get("type") != "application/json":
            self.inline.append(tag)
        self.inline += [value for value in stated.values() if value.strip().lower().startswith("javascript:")]
        self.loaded += [stated["src"]] if "src" in stated else []
        self.loaded += [stated["href"]] if tag == "link" else []


@pytest.mark.parametrize("path", pages.ALL)
def test_every_page(path: str, house: House) -> None:
    for view in pages.views(path, house):
        whose = f"{view.path} of {view.who}"
        said = dict(part.strip().partition(" ")[::2] for part in view.policy.split(";"))
        assert (said["default-src"], said["script-src"], said["style-src"]) == ("'none'", "'self'", "'self'"), whose
        assert said["connect-src"] == said["form-action"] == "'self'", whose
        assert said["base-uri"] == said["frame-ancestors"] == "'none'", whose
        assert "unsafe" not in view.policy, whose
        found = Found(view.html)
        assert found.inline == [], whose
        assert [one for one in found.loaded if not one.startswith(("/static/", "data:image/"))] == [], whose
        assert found.headings == 1, whose


def test_pages_that_say_what_went_wrong_have_the_same_policy(house: House) -> None:
    right, wrong = (house.get(address, CONTROLLER) for address in ("/account", '/<script src="x"></script>'))
    assert wrong.status_code == 404
    assert wrong.headers["Content-Security-Policy"] == right.headers["Content-Security-Policy"]
    assert Found(wrong.text).inline == []


@pytest.mark.parametrize("path", pages.ALL)
def test_strangers_see_what_is_public_and_are_sent_to_sign_in_by_the_rest(path: str, house: House) -> None:
    for address in pages.addresses(path, house):
        answer = house.get(address)
        if path == "/sign-in" or path.startswith("/public/"):
            assert answer.status_code in (200, 404)
        else:
            assert (answer.status_code, answer.headers["Location"][:14]) == (303, "/sign-in?next="), address


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_reads_a_text_as_anything_else(script: Path) -> None:
    text = script.read_text("utf-8")
    if script.name == "codebook.js":
        assert text.count(XML) == 1
        text = text.replace(XML, "")
    assert SINKS.findall(text) == OWN_PAGE.get(script.name, [])


@pytest.mark.parametrize("template", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
def test_no_template_takes_a_text_as_markup(template: Path) -> None:
    assert UNESCAPED.findall(template.read_text("utf-8")) == []


def test_the_browser_holds_to_it_and_we_hear_of_it(page: Page, visitors: Visitors) -> None:
    """The fixture that fails every other test here: it fails when it should."""
    page.goto("/sign-in")
    page.evaluate("""() => {
        document.body.setAttribute("style", "color: red");
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        const image = new Image();
        image.src = "https://elsewhere.test/x.png";
        setTimeout(() => { throw new Error("thrown") });
        return new Promise((tried) => image.addEventListener("error", () => setTimeout(tried)));
    }""")
    assert page.evaluate("window.ran") is None
    assert page.evaluate("getComputedStyle(document.body).color") != "rgb(255, 0, 0)"
    told = " | ".join(visitors.troubles)
    for one in ("inline style", "inline script", "elsewhere.test", "uncaught: "):
        assert one in told
    visitors.forgive("")


def test_the_colours_of_pages_are_those_of_pictures() -> None:
    sheet = (assets.FOLDER / "sfumato.css").read_text("utf-8")
    blocks = re.findall(r":root(?:[^{}]*)\{([^{}]*--paper[^{}]*)\}", sheet)
    light, *dark, printed = [dict(re.findall(r"--([\w-]+): (#\w+);", block)) for block in blocks]
    assert len(dark) == 2  # as the system says, and as one chose
    assert dark[0] == dark[1]
    assert printed == light
    assert light.keys() == dark[0].keys()
    for name, colours in PALETTE.items():
        assert (light[name], dark[0][name]) == colours
