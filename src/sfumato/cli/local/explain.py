"""`sfumato explain`: a term of the glossary."""

from __future__ import annotations

from typing import Annotated

from sfumato.cli import options
from sfumato.cli.options import argument
from sfumato.cli.output import show


def explain(
    term: Annotated[
        list[str] | None, argument("TERM", "Term, such as `risk gap`; without one, all terms are listed.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Explain a term that commands and pages use, or list all terms."""
    from sfumato.presentation.glossary import glossary

    entries = glossary()
    show(entries.term(" ".join(term)) if term else entries, as_json)
