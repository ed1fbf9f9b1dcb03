"""`make prove` goes on where it ended, and its page says what is older than the code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from tests import evidence
from tests.evidence import ROOT, Deep, Entry
from tests.prove import page

TASKS = [
    Entry(f"tests/statistical/test_audit.py::test_no_guesser_wins[{case}]", "audit runs", 20000, 7) for case in "ab"
]
OTHER = Entry("tests/unit/test_gaussian.py::test_noise_is_wide_enough", "gaussian grid", 100, None)
NOW, THEN = "f" * 64, "0" * 64


def ran(task: Entry, src: str = NOW, verdict: str = "passed") -> Entry:
    return replace(task, commit="1234567890abcdef", src=src, verdict=verdict)


def test_what_passed_on_this_code_at_this_depth_is_not_run_again() -> None:
    assert ran(OTHER).proves(OTHER, NOW)
    assert not ran(OTHER, THEN).proves(OTHER, NOW)
    assert not ran(OTHER, verdict="failed").proves(OTHER, NOW)
    assert not ran(replace(OTHER, depth=40)).proves(OTHER, NOW)


def test_the_file_keeps_every_entry(tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    assert evidence.load(path) == {}
    entries = [ran(OTHER), *map(ran, TASKS)]
    evidence.save(path, entries)
    assert evidence.load(path) == {entry.test: entry for entry in entries}
    assert [entry["test"] for entry in json.loads(path.read_text("utf-8"))] == sorted(entry.test for entry in entries)


def test_the_hash_is_of_names_and_contents_of_src(tmp_path: Path) -> None:
    hashes = []
    for name, text in [("a.py", "x = 1"), ("a.py", "x = 2"), ("b.py", "x = 2")]:
        for old in tmp_path.iterdir():
            old.unlink()
        (tmp_path / name).write_text(text)
        hashes.append(evidence.source_hash(tmp_path))
    assert len(set(hashes)) == 3
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "b.pyc").write_text("compiled")
    assert evidence.source_hash(tmp_path) == hashes[-1]


def test_the_page_says_what_was_tried_what_held_and_what_is_older() -> None:
    entries = [ran(TASKS[0], verdict="passed: epsilon at least 0.8"), ran(TASKS[1], THEN), ran(OTHER, verdict="failed")]
    text = page({entry.test: entry for entry in entries}, [*TASKS, OTHER], NOW)
    assert "1 of 3 tests passed at full depth on this code" in text
    assert "1 ran on older code" in text
    assert (
        "- **No guesser wins** (`tests/statistical/test_audit.py`). Tried: 2 cases, each with 20,000 audit runs" in text
    )
    assert "All passed; older than the code (commit 1234567890). Found: epsilon at least 0.8." in text
    assert f"{OTHER.test}: failed." in text
    assert "- Not run yet: 1 of `test_gaussian.py`." in page({}, [OTHER], NOW)


PLUGINS = """
from pathlib import Path
from tests.evidence import Deep, Evidence

def pytest_configure(config):
    config.addinivalue_line("markers", "depth(name, seed=None)")
    config.pluginmanager.register(Deep(None, Path("todo.json"), 9))
    config.pluginmanager.register(Evidence(Path("evidence.json")))
"""
DEEP = """
import pytest
from tests.depth import depth

@pytest.mark.depth("races", seed=3)
@pytest.mark.parametrize("case", "abc")
def test_holds(case, record_property):
    record_property("verdict", f"held {case}")

def test_reads_its_depth():
    assert depth("kills") == 200

def test_has_no_depth():
    assert False
"""


def test_a_run_writes_depth_seed_commit_and_hash_of_the_tests_that_are_listed(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(PLUGINS)
    (tmp_path / "test_deep.py").write_text(DEEP)
    todo = [f"test_deep.py::{test}" for test in ("test_holds[a]", "test_holds[b]", "test_reads_its_depth")]
    (tmp_path / "todo.json").write_text(json.dumps(todo))
    changes = {"SFUMATO_DEPTH": "prove", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={tmp_path}"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | changes, capture_output=True, text=True, check=False)
    entries = evidence.load(tmp_path / "evidence.json")
    assert list(entries) == todo, done.stdout + done.stderr
    entry, unmarked = entries[todo[0]], entries[todo[2]]
    assert (unmarked.of, unmarked.depth, unmarked.verdict) == ("kills", 200, "passed")
    assert (entry.of, entry.depth, entry.seed, entry.verdict) == ("races", 50, 3, "passed: held a")
    assert entry.src == evidence.source_hash()
    assert entry.commit


def test_no_test_is_started_after_the_time_of_a_part(tmp_path: Path) -> None:
    (tmp_path / "todo.json").write_text("[]")
    assert Deep(None, tmp_path / "todo.json", minutes=9).pytest_runtest_protocol() is None
    assert Deep(None, tmp_path / "todo.json", minutes=-1).pytest_runtest_protocol() is True
