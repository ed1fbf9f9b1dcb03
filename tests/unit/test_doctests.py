"""One formula, one doctest: the examples in the product's docstrings are run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import sfumato

ROOT = Path(sfumato.__file__).parent
WITH_EXAMPLES = [path for path in sorted(ROOT.rglob("*.py")) if ">>> " in path.read_text("utf-8")]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=module_name)
def test_docstrings_run(path: Path) -> None:
    ran = doctest.testmod(importlib.import_module(module_name(path)))
    assert ran.failed == 0
    assert ran.attempted > 0, "an example stands where doctest does not find it"


def test_there_are_examples_to_run() -> None:
    assert len(WITH_EXAMPLES) > 10
