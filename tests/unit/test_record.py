"""`sfumato.model.record.dataclass` does what the standard library's does."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from sfumato.model.record import dataclass

BOTH = pytest.mark.parametrize("make", [dataclass, dataclasses.dataclass])


def classes(make: Callable[..., Any]) -> tuple[Any, ...]:
    @make(frozen=True)
    class Pair:
        left: int
        right: str = dataclasses.field(default="", compare=False)
        hidden: int = dataclasses.field(default=0, repr=False)

    @make(frozen=True)
    class Child(Pair):
        more: tuple[int, ...] = ()

    own = {"__annotations__": {"value": float}, "__eq__": lambda _self, _other: True}
    equal = make(frozen=True, repr=False)(type("Own", (), own))

    @make(frozen=True)
    class Nothing:
        pass

    return Pair, Child, equal, Nothing


@BOTH
def test_objects_are_equal_hashed_and_shown_by_their_fields(make: Callable[..., Any]) -> None:
    pair, child, own, nothing = classes(make)
    assert pair(1, "a") == pair(1, "b") != pair(2, "a")
    assert pair(1, hidden=1) != pair(1, hidden=2)
    assert hash(pair(1, "a")) == hash(pair(1, "b")) == hash((1, 0))
    assert repr(pair(1, "a")) == "classes.<locals>.Pair(left=1, right='a')"
    assert pair(1) != child(1)
    assert pair(1) != 1
    assert hash(child(1, more=(2,))) == hash((1, 0, (2,)))
    assert own(1.0) == own(2.0)
    assert hash(own(1.0)) == hash((1.0,))
    assert repr(own(1.0)).startswith("<")
    assert (nothing(), hash(nothing())) == (nothing(), hash(()))


@BOTH
def test_an_object_is_frozen_and_can_be_replaced(make: Callable[..., Any]) -> None:
    pair, *_ = classes(make)
    with pytest.raises(dataclasses.FrozenInstanceError):
        pair(1).left = 2
    assert dataclasses.replace(pair(1), left=2) == pair(2)
