"""Which definitions use which, read off the source: what the product itself reaches, and what a test reaches directly.

Scopes of one module are taken together, and a class with all its methods, so that a little more is reached than is
called; what nothing names is not reached.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

Place = tuple[str, str]
"""A module and a name at its top."""

WHOLE = "<module>"  # what runs when a module is imported


@dataclass(frozen=True)
class Module:
    """Its definitions by name, and what its imports are called in it: a place, or a whole module."""

    definitions: Mapping[str, tuple[ast.stmt, ...]]
    imports: Mapping[str, Place]


class Sources:
    """All modules of some files."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self.modules = {name: _module(ast.parse(path.read_text("utf-8"))) for name, path in files.items()}

    def uses(self, place: Place) -> set[Place]:
        """What a definition names, in its own module or another; also outside of these files."""
        name, wanted = place
        module = self.modules[name]
        found: set[Place] = set()
        for statement in module.definitions.get(wanted, ()):
            for node in ast.walk(statement):
                found |= set(self._named(node, name, module))
        return found

    def _named(self, node: ast.AST, name: str, module: Module) -> Iterator[Place]:
        if isinstance(node, ast.Name):
            if node.id in module.definitions:
                yield name, node.id
            if node.id in module.imports:
                yield self._resolved(module.imports[node.id])
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in module.imports:
            home, of = module.imports[node.value.id]
            yield f"{home}.{of}" if of else home, node.attr

    def _resolved(self, place: Place) -> Place:
        whole = ".".join(filter(None, place))
        return (whole, WHOLE) if whole in self.modules else place

    def reached(self, roots: Iterable[Place], within: Iterable[str] | None = None) -> set[Place]:
        """Everything that the roots lead to; what lies in modules other than `within` leads no further."""
        inside = set(self.modules if within is None else within)
        seen: set[Place] = set()
        waiting = list(roots)
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            if place[0] in inside:
                waiting += self.uses(place) | {(place[0], WHOLE)}
        return seen


def _module(tree: ast.Module) -> Module:
    definitions: dict[str, tuple[ast.stmt, ...]] = {}
    for statement in tree.body:
        for name in _names(statement):
            definitions[name] = (*definitions.get(name, ()), statement)
    imports: dict[str, Place] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            imports |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            imports |= {alias.asname or alias.name.partition(".")[0]: (alias.name, "") for alias in node.names}
    return Module(definitions, imports)


def _names(statement: ast.stmt) -> list[str]:
    """What a statement at the top of a module defines; others run with the module."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)] or [WHOLE]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Import() | ast.ImportFrom():
            return []
        case _:
            return [WHOLE]
