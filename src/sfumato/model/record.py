"""`dataclass` as the standard library has it, at half the time: what compares and shows facts is the same for all.

The standard library compiles these methods anew for each class, which for the hundred and fifty classes of a release
takes longer than the release itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True, **options):
        """A frozen class compares, hashes and shows itself by the methods below, unless it has its own."""
        if cls is None:
            return partial(dataclass, frozen=frozen, eq=eq, repr=repr, **options)
        if not (frozen and eq):
            return dataclasses.dataclass(cls, frozen=frozen, eq=eq, repr=repr, **options)
        own = {name for name, method in vars(cls).items() if method is not None}  # with __eq__, __hash__ is None
        made = dataclasses.dataclass(cls, frozen=True, eq=False, repr=False, **options)
        for name, method in (("__eq__", _is_equal), ("__hash__", _hash), ("__repr__", _shown)):
            if name not in own and (repr or method is not _shown):
                setattr(made, name, method)
        return made


def _is_equal(self: Any, other: object) -> bool:
    return bool(_values(self) == _values(other)) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _shown(self: Any) -> str:
    told = [f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr]
    return f"{self.__class__.__qualname__}({', '.join(told)})"


def _values(self: Any) -> tuple[Any, ...]:
    """What of an object is compared."""
    cls: Any = self.__class__
    return tuple(get(self) for get in _getters(cls))


@cache
def _getters(cls: Any) -> tuple[Callable[[Any], Any], ...]:
    return tuple(attrgetter(field.name) for field in dataclasses.fields(cls) if field.compare)
