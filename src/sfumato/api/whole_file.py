"""A file that appears whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def write_whole(place: Path, write: Callable[[Path], object], *, private: bool) -> None:
    """Write beside the place and move the file there, so that no reader sees half of it.

    What tells about the people is `private`: for its owner's eyes only, on disk too.
    """
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)  # of a process of this number that was killed, as the only one of a container
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666))
    try:
        write(part)
        part.replace(place)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def write_text_whole(place: Path, text: str, *, private: bool = False) -> None:
    write_whole(place, lambda part: part.write_text(text, "utf-8"), private=private)
