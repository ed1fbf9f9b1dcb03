"""The whole numbers that noise is drawn around."""

from __future__ import annotations

from collections.abc import Sequence

FURTHEST = 2**62  # totals are clamped to it, which brings neighbours only closer together


def within(totals: Sequence[int]) -> list[int]:
    return [max(-FURTHEST, min(FURTHEST, total)) for total in totals]
