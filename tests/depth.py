"""A depth is one number in one file: how often a test draws, kills or compares."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

_DEPTHS = tomllib.loads(Path(__file__).with_name("depths.toml").read_text(encoding="utf-8"))


def depth(name: str) -> int:
    """How deep to go for `name`: as `make test` does, or with SFUMATO_DEPTH=prove as `make prove` does."""
    return int(_DEPTHS[name][os.environ.get("SFUMATO_DEPTH", "test")])
