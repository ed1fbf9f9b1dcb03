"""The Java that Spark runs on here; through Spark Connect there is none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from sfumato.errors import SourceError

OLDEST = 17
_VERSION = re.compile(r'version "(?:1\.)?([0-9]+)')
_PATIENCE = 60  # seconds that a machine may take to say which Java it has


def require_java() -> None:
    """Refuse to start Spark without a Java that it runs on: what it says itself fills a screen."""
    program = _program()
    if program is None:
        raise SourceError.because("java-missing", oldest=OLDEST)
    try:
        output = subprocess.run(
            [program, "-version"], capture_output=True, text=True, errors="replace", timeout=_PATIENCE, check=False
        ).stderr
    except (OSError, subprocess.SubprocessError):
        output = ""
    version = _VERSION.search(output)
    if version is None:
        raise SourceError.because("java-missing", oldest=OLDEST)
    if int(version[1]) < OLDEST:
        raise SourceError.because("java-too-old", oldest=OLDEST, version=int(version[1]))


def _program() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else shutil.which("java")
