"""Dataclasses as plain values and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.model.plain import LEFT_OUT, from_plain, to_plain


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Leaf:
    colour: Colour
    sizes: tuple[float | None, ...]
    ends: tuple[int, int] | None


@dataclass(frozen=True)
class Tree:
    name: str
    leaves: tuple[Leaf, ...]
    open: Mapping[str, Any]
    by_name: Mapping[str, Leaf]
    height: float | None
    note: str | None = field(default=None, metadata=LEFT_OUT)
    first: Leaf | str | None = None


leaves = st.builds(
    Leaf,
    st.sampled_from(Colour),
    st.lists(st.none() | st.floats(allow_nan=False), max_size=2).map(tuple),
    st.none() | st.tuples(st.integers(), st.integers()),
)
trees = st.builds(
    Tree,
    st.text(max_size=3),
    st.lists(leaves, max_size=2).map(tuple),
    st.dictionaries(st.text(max_size=2), st.integers() | st.lists(st.booleans(), max_size=2), max_size=2),
    st.dictionaries(st.text(max_size=2), leaves, max_size=2),
    st.none() | st.floats(allow_nan=False),
    st.none() | st.text(max_size=2),
    st.none() | st.text(max_size=2) | leaves,
)


@given(trees)
def test_what_is_written_is_read_back(tree: Tree) -> None:
    assert from_plain(Tree, json.loads(json.dumps(to_plain(tree)))) == tree


def test_what_is_none_is_there_unless_it_is_left_out() -> None:
    assert to_plain(Tree("oak", (), {}, {}, None)) == {
        "name": "oak", "leaves": [], "open": {}, "by_name": {}, "height": None, "first": None,
    }  # fmt: skip


def test_names_that_are_not_known_are_passed_over() -> None:
    assert from_plain(Leaf, {"colour": "red", "sizes": [], "ends": None, "age": 3}) == Leaf(Colour.RED, (), None)


@dataclass(frozen=True)
class Twig(Leaf):
    length: float


def test_the_first_alternative_that_fits_is_taken() -> None:
    @dataclass(frozen=True)
    class Branch:
        end: Twig | Leaf

    plain = {"colour": "red", "sizes": [], "ends": [1, 2]}
    Branch.__annotations__["end"] = Twig | Leaf
    assert from_plain(Branch, {"end": plain}).end == Leaf(Colour.RED, (), (1, 2))
    assert from_plain(Branch, {"end": plain | {"length": 2}}).end == Twig(Colour.RED, (), (1, 2), 2)


@pytest.mark.parametrize("plain", [{}, {"colour": "green", "sizes": [], "ends": None}, {"colour": "red"}])
def test_what_is_no_such_thing_is_refused(plain: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        from_plain(Leaf, plain)
