"""Secrets are a type: their values stay out of repr, logs and pickles."""

from __future__ import annotations

from typing import NoReturn


class Confidential:
    """Facts about the people in a table. Shown only where a person asks to look."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: confidential>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} is confidential and is not pickled")
