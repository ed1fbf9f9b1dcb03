"""Write the list of packages in CONTRIBUTING.md: the contracts of pyproject.toml, and each package's first line."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- packages: written by tools/packages.py -->", "<!-- end of packages -->"


def page() -> str:
    """The lines between the two marks."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    levels = [(len(layers) - above, layer.split("|")) for above, layer in enumerate(layers)]
    rows = [f"| {level} | `{name.strip()}` | {_said(name.strip())} |" for level, names in levels for name in names]
    others = [f"- {contract['name']}." for contract in contracts if contract["id"] != "layers"]
    head = ["| level | package | what it is |", "|---|---|---|"]
    return "\n".join(["", *head, *rows, "", "`lint-imports` enforces more:", "", *others, ""])


def _said(name: str) -> str:
    """The first line of a package or module."""
    folder = ROOT / "src" / "sfumato" / name
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    found = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return found.splitlines()[0]


def written(text: str) -> str:
    """A page with the list in it as it is now."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{page()}\n{END}{rest.split(END)[1]}"


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(written(text), encoding="utf-8")
    print(f"{PAGE.name}: {'as it was' if written(text) == text else 'written anew'}", file=sys.stderr)


if __name__ == "__main__":
    main()
