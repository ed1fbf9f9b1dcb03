"""A chain: each line has a digest of what it says, of its number and of the line before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from sfumato.errors import LedgerBroken

GENESIS = "0" * 64
Line: TypeAlias = tuple[int, Mapping[str, object], str, str]  # its number, what it says, the digest before, its own


def digest(number: int, content: Mapping[str, object], previous: str) -> str:
    # `default` is for what a broken file may hold in place of a text: it has another digest, and so is named.
    text = json.dumps([number, content, previous], sort_keys=True, ensure_ascii=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def follow(
    lines: Iterable[Line], number: int, previous: str, changed: Callable[[int], LedgerBroken]
) -> tuple[int, str]:
    """Follow the chain from one line on; a break is named. Returns where it ends."""
    for own, content, before, sealed in lines:
        whole = own == number + 1 and before == previous
        if not whole or sealed != digest(own, content, before):
            raise changed(number + 1)
        number, previous = own, sealed
    return number, previous
