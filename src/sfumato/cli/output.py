"""What a command prints and writes into files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from sfumato.cli import options
from sfumato.errors import BadInput
from sfumato.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.api.figure import Picture
    from sfumato.api.risk import RiskProfile


class Shown(Protocol):
    """Something that prints as text and as JSON."""

    def text(self) -> str: ...

    def as_dict(self) -> dict[str, Any]: ...


class ShownList(Protocol):
    def text(self) -> str: ...

    def as_list(self) -> list[dict[str, Any]]: ...


@dataclass(frozen=True)
class Confirmation:
    """A sentence, and the same as JSON."""

    sentence: str
    values: Mapping[str, Any]

    def text(self) -> str:
        return self.sentence

    def as_dict(self) -> dict[str, Any]:
        return dict(self.values)


def show(what: Shown | ShownList, as_json: bool) -> None:
    """Print it as text, or as JSON."""
    if not as_json:
        typer.echo(what.text())
    else:
        typer.echo(json.dumps(what.as_dict() if hasattr(what, "as_dict") else what.as_list(), indent=2))


def show_text(text: str, name: str, as_json: bool) -> None:
    """Print a file's text as it is, or as a JSON string under this name."""
    typer.echo(json.dumps({name: text}) if as_json else text, nl=as_json)


@dataclass(frozen=True)
class ViewFlags:
    """How risk is shown: as text or one picture, and in which files."""

    plot: options.Plot = None
    svg: options.Svg = None
    html: options.Html = None

    def require_possible(self, as_json: bool) -> None:
        """Refuse files that cannot be written and unknown pictures, before anything is read."""
        options.require_writable(self.svg, "--svg", ".svg")
        if self.plot is not None:
            _require_plot(self.plot)
        if self.plot is not None and as_json:
            raise BadInput("--plot and --json exclude each other", hint="leave one of them out.")
        options.require_writable(self.html, "--html", ".html")

    def picture(self, profile: RiskProfile) -> Picture | None:
        return profile.plot(self.plot or "gap") if self.plot or self.svg else None


def _require_plot(name: str) -> None:
    from sfumato.api.risk_figures import KINDS

    if name not in KINDS:
        raise BadInput(f"--plot has no plot {name!r}", hint=f"use one of {', '.join(KINDS)}.")


def write_file(write: Callable[[Path], None], path: Path, flag: str) -> None:
    try:
        write(path)
    except OSError:
        raise BadInput(f"{flag} could not write {path}", hint="free some space, or name another file.") from None


def write_people(people: pa.Table | None, file: Path | None) -> None:
    """Write one row per person into a file that only its owner can read."""
    if people is None or file is None:
        return
    import pyarrow.parquet as pq

    from sfumato.api.whole_file import write_whole

    write_file(
        lambda path: write_whole(path, lambda part: pq.write_table(people, part), private=True), file, "--people"
    )


def page_footer() -> str:
    return f"Written {datetime.now(UTC):%Y-%m-%d %H:%M} UTC by sfumato {__version__}."
