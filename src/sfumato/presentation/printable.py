"""Text that is safe to print."""

from __future__ import annotations


def plain(text: str) -> str:
    """The text without control characters: a title must not steer a terminal or break the XML."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else " " for sign in text)
