"""Static files: kept for good by browsers, small on the way, and nothing else is among them."""

from __future__ import annotations

import re

import httpx
import pytest

from sfumato.server.web.assets import FOLDER, PLACE, Assets
from tests.served import Caller, Nouns, app_on

ASSETS = Assets()
APP = app_on(Nouns(), calls_a_minute=10**9)
FILES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file())

KINDS = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "woff2": "font/woff2",
}


def fetched(path: str, encoding: str = "identity") -> httpx.Response:
    return Caller(APP, None)("GET", f"https://escrow.test{path}", headers={"Accept-Encoding": encoding})


def on_disk(name: str) -> bytes:
    """The sheet has Plotly's with it: one sheet is one request."""
    names = [name, "vendor/plotly.css"] if name == "sfumato.css" else [name]
    return b"".join((FOLDER / each).read_bytes() for each in names)


@pytest.mark.parametrize("name", FILES)
def test_every_file_comes_to_everybody_and_is_kept_for_good(name: str) -> None:
    plain = fetched(ASSETS.url(name))
    assert plain.status_code == 200
    assert plain.content == on_disk(name)
    assert plain.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert plain.headers["X-Content-Type-Options"] == "nosniff"
    assert plain.headers["Content-Type"].partition(";")[0] == KINDS[name.rpartition(".")[2]]


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_packed_where_that_can_be_read(name: str) -> None:
    """A typeface is compressed already, and is sent as it is."""
    packed = fetched(ASSETS.url(name), "gzip, deflate, br")
    assert packed.headers.get("Content-Encoding") == (None if name.endswith(".woff2") else "gzip")
    assert packed.headers["Vary"] == "Accept-Encoding"
    assert packed.content == on_disk(name)  # httpx unpacks it
    assert int(packed.headers["Content-Length"]) <= len(packed.content) + 30
    assert "Content-Encoding" not in fetched(ASSETS.url(name)).headers


@pytest.mark.parametrize(
    "name",
    [
        "nothing.js",
        "",
        "..%2Fassets.py",
        "%2e%2e%2Fassets.py",
        "..%2F..%2Fserver%2Fassets.py",
        "..%5Cassets.py",
        "vendor%2F..%2Fsfumato.js",
        ".%2Fsfumato.js",
        "%2Fetc%2Fpasswd",
        "/etc/passwd",
        "sfumato.js%00.css",
        "sfumato.JS",
    ],
)
def test_there_is_nothing_else(name: str) -> None:
    answer = fetched(f"{PLACE}/{ASSETS.version}/{name}")
    assert answer.status_code == 404
    assert answer.headers["Cache-Control"] == "no-store"
    assert len(answer.content) < 1000


@pytest.mark.parametrize("version", ["0" * 12, "", "..%2F..", "x"])
def test_there_is_no_other_version(version: str) -> None:
    assert fetched(f"{PLACE}/{version}/sfumato.js").status_code == 404


def test_a_change_of_any_file_changes_every_address(tmp_path_factory: pytest.TempPathFactory) -> None:
    def version(**files: str) -> str:
        folder = tmp_path_factory.mktemp("static")
        for name, content in files.items():
            (folder / f"{name}.js").write_text(content)
        return Assets(folder).version

    assert version(a="1", b="2") == version(b="2", a="1")
    assert len({version(a="1", b="2"), version(a="1", b="3"), version(a="2", b="1"), version(a="12"), version()}) == 5


def test_every_property_that_the_sheet_uses_is_defined_in_it() -> None:
    """A browser takes a length that is not defined as none, and says nothing."""
    sheet = on_disk("sfumato.css").decode()
    used, defined = (set(re.findall(pattern, sheet)) for pattern in (r"var\(--([\w-]+)", r"--([\w-]+)\s*:"))
    assert used - defined == set()
