"""Two depths, one list: every test with a depth runs at both, and nothing else decides how deep a test goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.depth import DEPTHS, depth, meanings, readers

TESTS = Path(__file__).parents[1]
MODULES = {path: path.read_text("utf-8") for path in sorted(TESTS.rglob("*.py"))}
READERS = {path: readers(path) for path, text in MODULES.items() if "depth" in text and path.parent.name != "suite"}
USED = {name for functions in READERS.values() for names in functions.values() for name in names}
TOOLS = (TESTS, TESTS / "suite", TESTS / "mutants")  # they choose a depth for the tests that they run


def test_each_depth_has_a_small_and_a_larger_full_value_and_says_what_it_counts() -> None:
    for name, values in DEPTHS.items():
        assert values.keys() == {"test", "prove"}, name
        assert 1 <= values["test"] < values["prove"], name
    assert meanings().keys() == DEPTHS.keys()


def test_the_list_and_the_tests_name_the_same_depths() -> None:
    assert sorted(DEPTHS) == sorted(USED)


def test_a_depth_that_is_read_outside_a_test_is_marked_on_one() -> None:
    """Evidence is kept by test: a depth that a fixture or a constant reads must belong to a test that is marked."""
    shared = {(path, name) for path, functions in READERS.items() for f, names in functions.items() for name in names
              if not f.startswith("test_") and path.name.startswith("test_")}  # fmt: skip
    in_tests = {(path, name) for path, functions in READERS.items() for f, names in functions.items() for name in names
                if f.startswith("test_")}  # fmt: skip
    marked = {(path, name) for path, name in shared if f'pytest.mark.depth("{name}"' in MODULES[path]}
    assert sorted(shared - in_tests - marked) == []


def test_only_the_list_decides_how_deep_a_test_goes() -> None:
    """With one exception: at full depth schemathesis has a phase more, which takes no number."""
    deciding = {path for path, text in MODULES.items() if "SFUMATO_DEPTH" in text and path.parent not in TOOLS}
    assert deciding <= {TESTS / "contract" / "test_openapi.py"}


@pytest.mark.parametrize("value", ["test", "prove"])
def test_one_setting_chooses_the_depth_of_every_test(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SFUMATO_DEPTH", value)
    assert {name: depth(name) for name in DEPTHS} == {name: DEPTHS[name][value] for name in DEPTHS}
