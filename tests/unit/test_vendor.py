"""The browser's libraries: each file has its version and licence, and suits a page with a strict content policy."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

VENDOR = Path(str(files("sfumato"))) / "server" / "static" / "vendor"
TOOLS = Path(__file__).parents[2] / "tools" / "vendor"
LICENSES = (VENDOR / "LICENSES.txt").read_text("utf-8")
PINNED: dict[str, str] = json.loads((TOOLS / "package.json").read_text("utf-8"))["dependencies"]
FILES = sorted(path.name for path in VENDOR.iterdir() if path.name != "LICENSES.txt")
TEXTS = [name for name in FILES if not name.endswith(".woff2")]
LARGEST = {"codemirror.js": 500_000, "hyparquet.min.js": 20_000, "inter.woff2": 50_000, "plotly.css": 10_000}
LICENCE = {"inter.woff2": "OFL-1.1"}

each = pytest.mark.parametrize("name", FILES)


def inside(name: str) -> dict[str, str]:
    """The packages in this file and their versions, as LICENSES.txt states them."""
    (line,) = re.findall(rf"^{re.escape(name)}: (.+)$", LICENSES, re.MULTILINE)
    return dict(package.split(" ") for package in line.split(", "))


def test_what_pages_load_is_there() -> None:
    scripts = ["codemirror.js", "hyparquet.min.js", "plotly-basic.min.js", "plotly-gl3d.min.js"]
    assert sorted([*scripts, "inter.woff2", "plotly.css"]) == FILES


@each
def test_each_file_has_its_versions_and_licences(name: str) -> None:
    assert inside(name).items() <= PINNED.items()
    for package, version in inside(name).items():
        stated = f"{package} {version} ({LICENCE.get(name, 'MIT')})"
        assert re.search(f"^{re.escape(stated)}$", LICENSES, re.MULTILINE)


def test_the_typeface_comes_with_the_text_of_its_licence() -> None:
    assert LICENSES.count("SIL OPEN FONT LICENSE Version 1.1") == 1
    assert "Copyright 2016 The Inter Project Authors" in LICENSES


def test_what_plotly_bundles_in_its_turn_is_named_for_the_version_that_is_here() -> None:
    notices = (TOOLS / "plotly-notices.txt").read_text("utf-8")
    assert LICENSES.endswith(notices)
    assert notices.startswith(f"What plotly.js {PINNED['plotly.js']} bundles")
    for name in ("plotly-basic.min.js", "plotly-gl3d.min.js"):
        assert f"v{PINNED['plotly.js']}\n" in (VENDOR / name).read_text("utf-8")[:200]


def test_versions_are_exact() -> None:
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in PINNED.values())
    assert PINNED["codemirror"].startswith("6.0."), "6.65 is a release of CodeMirror 5 under a wrong number"


@pytest.mark.parametrize("name", [*TEXTS, "LICENSES.txt"])
def test_nothing_tells_where_it_was_made(name: str) -> None:
    text = (VENDOR / name).read_text("utf-8")
    assert not re.search(r"sourceMappingURL|registry\.|node_modules/|(?<![\w.])/(tmp|home|root|work|Users)/", text)


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_is_run_as_code(name: str) -> None:
    """The one `new Function` of the 3D bundle is for browsers without `globalThis`: none of those runs our modules."""
    text = (VENDOR / name).read_text("utf-8")
    old = 'if(typeof globalThis=="object")return globalThis;try{return this||new Function("return this")()}'
    assert text.count(old) == (name == "plotly-gl3d.min.js")
    assert not re.search(r"\beval\(|\bFunction\(|\bimport\(|setTimeout\([\"'`]|new Worker\(", text.replace(old, ""))


@each
def test_a_page_loads_no_more_than_it_needs(name: str) -> None:
    assert (VENDOR / name).stat().st_size <= LARGEST.get(name, 2_000_000)


def test_modules_export_what_pages_import() -> None:
    for name in ("codemirror.js", "hyparquet.min.js"):
        entry = (TOOLS / name.replace(".min", "")).read_text("utf-8")
        asked = re.findall(r"\w+", " ".join(re.findall(r"export \{([^}]+)\}", entry)))
        (given,) = re.findall(r"export\{([^}]+)\};?\s*$", (VENDOR / name).read_text("utf-8"))
        assert sorted(asked) == sorted(part.split(" as ")[-1] for part in given.split(","))


def test_plotly_still_asks_for_the_elements_that_spare_it_inline_styles() -> None:
    """A page has both elements in its head; else each bundle adds <style> elements, which the policy refuses."""
    for name in ("plotly-basic.min.js", "plotly-gl3d.min.js"):
        text = (VENDOR / name).read_text("utf-8")
        assert '"plotly.js-style-"' in text
        assert '.matches(".no-inline-styles")' in text
        assert 'getElementById("9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53")' in text
        assert text.count('createElement("style")') == 2
