"""The picture that a command was asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli import options
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.api.figure import Picture
    from sfumato.api.risk import RiskProfile


class Drawn:
    """Of which kind, and into which file: `--plot` and `--svg`."""

    def __init__(self, kind: str | None, svg: Path | None, as_json: bool) -> None:
        from sfumato.api.risk_figures import KINDS

        options.writable(svg, "--svg", ".svg")
        if kind is not None and kind not in KINDS:
            raise BadInput(f"--plot has no picture {kind!r}", hint=f"there are: {', '.join(KINDS)}.")
        if kind is not None and as_json:
            raise BadInput("--plot draws and --json lists", hint="leave one of them out.")
        self.kind, self.svg = kind, svg

    def of(self, profile: RiskProfile) -> Picture | None:
        return profile.plot(self.kind or "gap") if self.kind or self.svg else None


def filed(write: Callable[[Path], None], path: Path, flag: str) -> None:
    try:
        write(path)
    except OSError:
        raise BadInput(f"{flag} could not write {path}", hint="free some room, or name another file.") from None
