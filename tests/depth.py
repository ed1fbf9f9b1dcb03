"""A depth is one number in one file: how often a test draws, kills or compares."""

from __future__ import annotations

import ast
import os
import re
import tomllib
from functools import cache
from pathlib import Path

_LIST = Path(__file__).with_name("depths.toml")
DEPTHS: dict[str, dict[str, int]] = tomllib.loads(_LIST.read_text(encoding="utf-8"))
READERS = {"depth", "examples"}  # functions, and the marker, whose first argument is a name of the list
EXAMPLES = "examples"  # the depth of a Hypothesis test that states no other, where the profile has one

read: list[str] = []  # names in the order in which they were asked for


def depth(name: str) -> int:
    """How deep to go for `name`: as `make test` does, or with SFUMATO_DEPTH=prove as `make prove` does."""
    read.append(name)
    return int(DEPTHS[name][os.environ.get("SFUMATO_DEPTH", "test")])


def meanings() -> dict[str, str]:
    """What is counted under each name: the comment beside it in the list."""
    return dict(re.findall(r'^\["(.+)"\] # (.+)$', _LIST.read_text(encoding="utf-8"), re.MULTILINE))


@cache
def readers(module: Path) -> dict[str, list[str]]:
    """Names of the list by the function of a module that reads them, in its body or a decorator; "" for the module."""
    found: dict[str, list[str]] = {"": []}
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        function = node.name if isinstance(node, ast.FunctionDef) else ""
        names = (name for part in ast.walk(node) if (name := _name(part)) is not None)
        found.setdefault(function, []).extend(names)
    return {function: list(dict.fromkeys(names)) for function, names in found.items() if names}


@cache
def of_their_own(module: Path) -> set[str]:
    """Functions of a module that state themselves how many examples Hypothesis tries."""
    functions = [
        node for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)
    ]
    return {
        function.name
        for function in functions
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call) and any(word.arg == "max_examples" for word in decorator.keywords)
    }


def _name(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id=reader) | ast.Attribute(attr=reader), args=[ast.Constant(value=str(name)), *_]):
            return name if reader in READERS else None
    return None
