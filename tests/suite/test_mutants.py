"""The mutants themselves: each patch has its test, and fits the code as it is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.mutants.run import GUARDS, HERE

ROOT = Path(__file__).parents[2]


def test_each_patch_has_a_test_and_each_test_a_patch() -> None:
    assert {patch.stem for patch in HERE.glob("*.patch")} == GUARDS.keys()


@pytest.mark.skipif(shutil.which("git") is None, reason="mutants are made with `git apply`: install git")
def test_every_patch_applies_to_the_code_as_it_is(tmp_path: Path) -> None:
    """A function that gets another name shows here, and not only after all tests have run."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    stale = {}
    for patch in sorted(HERE.glob("*.patch")):
        command = ["git", "apply", "--check", str(patch)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        if done.returncode:
            stale[patch.name] = done.stderr
    assert stale == {}
