"""What a command writes into files, and the picture that it was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli import options
from sfumato.errors import BadInput
from sfumato.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.api.figure import Picture
    from sfumato.api.risk import RiskProfile


@dataclass(frozen=True)
class ViewFlags:
    """How risk is shown: as one picture, in which files."""

    plot: options.Plot = None
    svg: options.Svg = None
    html: options.Html = None

    def require_possible(self, as_json: bool) -> None:
        """Refuse files that could not be written and pictures that there are not, before anything is read."""
        from sfumato.api.risk_figures import KINDS

        options.require_writable(self.svg, "--svg", ".svg")
        if self.plot is not None and self.plot not in KINDS:
            raise BadInput(f"--plot has no picture {self.plot!r}", hint=f"there are: {', '.join(KINDS)}.")
        if self.plot is not None and as_json:
            raise BadInput("--plot draws and --json lists", hint="leave one of them out.")
        options.require_writable(self.html, "--html", ".html")

    def picture(self, profile: RiskProfile) -> Picture | None:
        return profile.plot(self.plot or "gap") if self.plot or self.svg else None


def write_file(write: Callable[[Path], None], path: Path, flag: str) -> None:
    try:
        write(path)
    except OSError:
        raise BadInput(f"{flag} could not write {path}", hint="free some room, or name another file.") from None


def write_people(people: pa.Table, file: Path) -> None:
    """One row per person as a file, for its owner's eyes only."""
    import pyarrow.parquet as pq

    from sfumato.api.whole_file import write_whole

    write_file(
        lambda path: write_whole(path, lambda part: pq.write_table(people, part), private=True), file, "--people"
    )


def page_footer() -> str:
    return f"Written {datetime.now(UTC):%Y-%m-%d %H:%M} UTC by sfumato {__version__}."
