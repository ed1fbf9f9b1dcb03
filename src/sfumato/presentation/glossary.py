"""The glossary: each term in one or two sentences, for `sfumato explain`, tooltips and docs/glossary.md."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from sfumato.errors import BadInput


@dataclass(frozen=True)
class GlossaryTerm:
    """An entry of the glossary."""

    name: str
    means: str
    page: str
    also: tuple[str, ...] = ()
    see: tuple[str, ...] = ()

    def text(self) -> str:
        also = f" (also: {', '.join(self.also)})" if self.also else ""
        return f"{self.name}{also}\n\n{self.means}\n\nSee also: {', '.join(self.see)}\nRead more: docs/{self.page}"

    def as_dict(self) -> dict[str, Any]:
        return {"term": self.name, "meaning": self.means, "also": [*self.also], "see": [*self.see], "page": self.page}


@dataclass(frozen=True)
class Glossary:
    """All terms, in alphabetical order."""

    terms: tuple[GlossaryTerm, ...]

    def term(self, name: str) -> GlossaryTerm:
        """The entry of a term or of another name for it; a near miss is suggested in the error."""
        by_name = self._names()
        if entry := by_name.get(_key(name)):
            return entry
        from difflib import get_close_matches

        near = dict.fromkeys(by_name[key].name for key in get_close_matches(_key(name), by_name, n=3))
        hint = f"did you mean {' or '.join(near)}?" if near else "run `sfumato explain` for a list of all terms."
        raise BadInput(f"The glossary has no term '{name}'", hint=hint)

    def text(self) -> str:
        from sfumato.presentation.table import table

        return table(["term", "also"], [[term.name, ", ".join(term.also)] for term in self.terms])

    def as_list(self) -> list[dict[str, Any]]:
        return [term.as_dict() for term in self.terms]

    def _names(self) -> Mapping[str, GlossaryTerm]:
        return {_key(name): term for term in self.terms for name in (term.name, *term.also)}


@cache
def glossary() -> Glossary:
    """The glossary of this version.

    >>> glossary().term("Risk-Gap").means
    'The risk gap is the highest disclosure risk over the lowest. It is not a probability.'
    """
    entries = tomllib.loads(files("sfumato.presentation").joinpath("glossary.toml").read_text("utf-8"))
    terms = (
        GlossaryTerm(name, entry["means"], entry["page"], tuple(entry.get("also", ())), tuple(entry["see"]))
        for name, entry in entries.items()
    )
    return Glossary(tuple(sorted(terms, key=lambda term: _key(term.name))))


def _key(name: str) -> str:
    """A name however it is written: case, hyphens and a leading -- do not matter."""
    return name.strip().lower().lstrip("-").replace("-", " ").replace("_", " ")
