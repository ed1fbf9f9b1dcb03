"""`sfumato beliefs --public`: each possible world of a public universe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.command import Typed
from tests.unit.test_world_beliefs import MEAN, STUDENTS

pytestmark = pytest.mark.e2e


def test_the_command_prints_it(tmp_path: Path, typed: Typed) -> None:
    (tmp_path / "school.csv").write_text(STUDENTS, "utf-8")
    (tmp_path / "students.toml").write_text(
        'name = "students"\n[columns.absence_days]\ntype = "integer"\nbounds = [0, 10]\n', "utf-8"
    )
    files = [str(tmp_path / "school.csv"), "--schema", str(tmp_path / "students.toml"), "--sql", MEAN]
    paper = ["--public", "--sensitivity", "possible-worlds", "--limit", "0.3333333333333333", "--names", "name"]
    shown = typed("beliefs", *files, *paper, "--json")
    assert round(json.loads(shown.out)["epsilon"], 4) == 0.4317
    assert "0.3829" in typed("beliefs", *files, *paper).out
    refused = typed("beliefs", *files, "--limit", "0.5")
    assert refused.code == 2
    assert "--limit needs --public" in refused.err
