"""Several released answers: printed, and written into a folder or one file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sfumato.cli import options
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.api.release import Release

_FILES = (".csv", ".parquet", ".html", ".txt", ".toml")  # a folder is not called so by intention
Out = Annotated[
    Path | None,
    options.option("Write all answers to one JSON file, or each with its certificate to a folder.", "FOLDER|FILE.json"),
]


def answer_text(release: Release, place: Path | None = None) -> str:
    """The query and its answer; `place` is the file that its certificate is written to."""
    from sfumato.presentation.release_view import document

    answer = document(release.answer, release.certificate, str(place or "--out FOLDER writes it")).text()
    return f"{release.certificate.query}\n\n{answer}"


def output_files(out: Path | None, queries: int) -> list[Path]:
    """Files to write: one, or an answer and a certificate for each query. Refused where they cannot be written."""
    if out is None:
        return []
    if out.suffix == ".json" and not out.is_dir():
        options.require_writable(out, "--out", ".json")
        return [out]
    folder = next(place for place in (out, *out.absolute().parents) if place.exists())
    if not folder.is_dir() or (out.suffix in _FILES and folder != out) or not os.access(folder, os.W_OK):
        raise BadInput(f"--out cannot write {out}", hint="name a folder, or a .json file in a folder that exists.")
    paths = [out / f"query-{i}{ending}" for i in range(1, queries + 1) for ending in (".csv", ".html")]
    for file in paths if folder == out else []:
        options.require_writable(file, "--out", ".csv", ".html")
    return paths


def write(files: Sequence[Path], released: Sequence[Release], whole: str) -> None:
    from sfumato.api.whole_file import write_text_whole

    if len(files) == 1:
        write_text_whole(files[0], f"{whole}\n")
        return
    for file in files[:1]:
        file.parent.mkdir(parents=True, exist_ok=True)
    for answer, certificate, release in zip(files[::2], files[1::2], released, strict=False):
        release.write(answer)
        release.certificate.write(certificate)


@contextmanager
def writing_answers(remedy: str, answers: str = "The answers were") -> Iterator[None]:
    """Within this, a file that cannot be written is an error that says how to get the released answers."""
    try:
        yield
    except OSError:
        raise BadInput(f"{answers} released, but a file could not be written", hint=f"{remedy}.") from None
