"""One formula, one doctest: the examples in the product's docstrings are run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import sfumato

MODULES = [m.name for m in pkgutil.walk_packages(sfumato.__path__, "sfumato.") if not m.name.endswith("__main__")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples_to_run() -> None:
    attempted = sum(doctest.testmod(importlib.import_module(name)).attempted for name in MODULES)
    assert attempted > 10
