"""Write docs/glossary.md from src/sfumato/presentation/glossary.toml."""

from __future__ import annotations

import sys
from pathlib import Path

from sfumato.presentation.glossary import GlossaryTerm, glossary

PAGE = Path(__file__).parents[1] / "docs" / "glossary.md"
HEAD = """# Glossary

Read this page if a word in an output, an error or another page is new to you. `sfumato explain TERM` prints the same
entries, and web pages show them as tooltips.

<!-- written by tools/glossary.py from src/sfumato/presentation/glossary.toml -->
"""


def page() -> str:
    return HEAD + "".join(map(_entry, glossary().terms))


def _entry(term: GlossaryTerm) -> str:
    also = f"Also called: {', '.join(term.also)}. " if term.also else ""
    see = ", ".join(f"[{name}](#{_anchor(name)})" for name in term.see)
    return f"\n## {term.name}\n\n{term.means}\n\n{also}See also: {see}. Read more: [{term.page}]({term.page}).\n"


def _anchor(name: str) -> str:
    return "".join(c for c in name.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def main() -> None:
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name}: {'as it was' if page() == before else 'written anew'}", file=sys.stderr)


if __name__ == "__main__":
    main()
