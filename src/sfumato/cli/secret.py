"""Passwords, passphrases and tokens: typed without echo or read from a file, never an argument, which others see."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from sfumato.errors import BadInput


def secret(file: Path | None, prompt: str, *, twice: bool = False) -> str:
    """The first line of a file, or a secret typed without echo."""
    if file is None:
        if sys.__stdin__ is None or (sys.stdin is sys.__stdin__ and not sys.__stdin__.isatty()):
            raise BadInput(f"{prompt} must be typed in a terminal, and there is none", hint="name a file that has it.")
        return str(typer.prompt(prompt, hide_input=True, confirmation_prompt=twice, err=True))
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        raise BadInput(f"The file {file} cannot be read", hint="check the path.") from None
    if not lines or not lines[0].strip():
        raise BadInput(f"{file} is empty", hint="write the secret on its first line.")
    return lines[0]
