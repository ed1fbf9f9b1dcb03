"""An analyst's own function, as an approver reads it: by its syntax, lines that deserve attention are marked."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from sfumato.errors import BadInput
from sfumato.escrow.submissions.lifecycle import require_readable

LONGEST = 20_000  # characters of a function
_EXPECTED = {"numpy", "pandas", "sklearn", "math", "statistics"}
_REACHING = {
    "open", "exec", "eval", "compile", "getattr", "setattr", "delattr", "vars", "globals", "locals", "dir", "input",
    "breakpoint", "__import__", "memoryview",
}  # fmt: skip
_ROWS = {"iterrows", "itertuples", "iloc", "loc", "iat", "at", "items", "to_dict", "tolist", "values", "item", "take"}
_PACKING = {"ord", "chr", "hash", "hex", "bin", "oct", "from_bytes", "to_bytes", "pack", "unpack", "encode", "format"}
_PACKING_OPERATORS = (ast.Pow, ast.LShift, ast.RShift, ast.BitOr, ast.BitXor)
_FILES = (
    "read_",
    "to_csv",
    "to_parquet",
    "to_pickle",
    "to_json",
    "to_feather",
    "tofile",
    "fromfile",
    "savez",
    "memmap",
)
_NOW = {"now", "today", "utcnow"}
_LARGEST, _LONGEST_TEXT, _MANY = 10**6, 200, 50


class Reason(StrEnum):
    """Why a line deserves attention; those with a name come with it."""

    NOT_PYTHON = "not python"
    NO_FUNCTION = "no function"
    FAILS = "fails"
    WAITS = "waits"
    CLOCK = "clock"
    ENDLESS = "endless"
    PICKS = "picks"
    PACKS = "packs"
    LARGE = "large"
    RANDOM = "random"
    INSIDE = "inside"
    FILES = "files"
    IMPORTS = "imports"  # name
    CALLS = "calls"  # name


@dataclass(frozen=True, order=True)
class Mark:
    line: int
    reason: Reason
    name: str = ""


_NAMES = {
    **dict.fromkeys(_REACHING, Reason.CALLS),
    **dict.fromkeys(_PACKING, Reason.PACKS),
    **dict.fromkeys(("exit", "quit"), Reason.FAILS),
}
_ATTRIBUTES = {
    **dict.fromkeys(_ROWS, Reason.PICKS),
    **dict.fromkeys(_PACKING, Reason.PACKS),
    **dict.fromkeys(_NOW, Reason.CLOCK),
    **dict.fromkeys(("eval", "query", "system", "popen"), Reason.CALLS),
    "sleep": Reason.WAITS,
    "random": Reason.RANDOM,
}


def checked(code: str) -> str:
    """A function that can be kept and shown as it is."""
    if not code.strip() or len(code) > LONGEST:
        raise BadInput.because("function-length", longest=LONGEST)
    for line in code.replace("\t", " ").split("\n"):
        require_readable(line.removesuffix("\r"), "code")
    return code


def require_function(code: str) -> None:
    """Refuse what would have no score on any table, by its text alone, before a person has to read it."""
    for mark in marks(code):
        if mark.reason is Reason.NOT_PYTHON:
            raise BadInput.because("function-not-python", where=f"line {mark.line}")
        if mark.reason is Reason.NO_FUNCTION:
            raise BadInput.because("function-missing", where=f"line {mark.line}")


def fingerprint(code: str) -> str:
    return sha256(code.encode()).hexdigest()


def marks(code: str) -> list[Mark]:
    """What deserves attention, line by line. That nothing is marked means nothing: the sandbox is what holds."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
        marked = [*_missing(tree), *(mark for node in ast.walk(tree) for mark in _marks(node))]
    except SyntaxError as wrong:
        marked = [Mark(wrong.lineno or 1, Reason.NOT_PYTHON)]
    except (ValueError, RecursionError, MemoryError):
        marked = [Mark(1, Reason.NOT_PYTHON)]
    return sorted(set(marked))


def _missing(tree: ast.Module) -> Iterator[Mark]:
    if not any(isinstance(node, ast.FunctionDef) and node.name == "evaluate" for node in tree.body):
        yield Mark(1, Reason.NO_FUNCTION)


def _marks(node: ast.AST) -> Iterator[Mark]:
    at = getattr(node, "lineno", 1)
    match node:
        case ast.Import():
            names = [alias.name for alias in node.names]
            yield from (Mark(at, Reason.IMPORTS, name) for name in names if name.partition(".")[0] not in _EXPECTED)
        case ast.ImportFrom():
            name = node.module or "."
            if node.level or name.partition(".")[0] not in _EXPECTED:
                yield Mark(at, Reason.IMPORTS, name)
        case ast.Name():
            yield from _named(node.id, _reason_of_name(node.id), at)
        case ast.Attribute():
            yield from _named(node.attr, _reason_of_attribute(node.attr), at)
        case ast.While():
            yield Mark(at, Reason.ENDLESS)
        case ast.BinOp() if isinstance(node.op, _PACKING_OPERATORS):
            yield Mark(at, Reason.PACKS)
        case ast.Try() | ast.Raise() | ast.Assert():
            yield Mark(at, Reason.FAILS)
        case ast.For() | ast.comprehension() if not _is_counted(node.iter):
            yield Mark(getattr(node, "lineno", node.target.lineno), Reason.PICKS)
        case ast.Constant(value=str(text)) if text in _NOW:
            yield Mark(at, Reason.CLOCK)
        case ast.Constant() if _is_large(node.value):
            yield Mark(at, Reason.LARGE)
        case ast.List() | ast.Tuple() | ast.Set() if len(node.elts) > _MANY:
            yield Mark(at, Reason.LARGE)
        case ast.Dict() if len(node.keys) > _MANY:
            yield Mark(at, Reason.LARGE)


def _named(name: str, reason: Reason | None, at: int) -> Iterator[Mark]:
    if reason is not None:
        yield Mark(at, reason, name if reason is Reason.CALLS else "")


def _reason_of_name(name: str) -> Reason | None:
    return _NAMES.get(name) or (Reason.INSIDE if name.startswith("__") else None)


def _reason_of_attribute(name: str) -> Reason | None:
    if name.startswith("_"):
        return Reason.INSIDE
    return _ATTRIBUTES.get(name) or (Reason.FILES if name.startswith(_FILES) else None)


def _is_counted(over: ast.expr) -> bool:
    """Whether a loop goes over a range of numbers that are written here, or over a list that is."""
    if isinstance(over, ast.List | ast.Tuple):
        return True
    is_range = isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "range"
    return is_range and all(isinstance(end, ast.Constant) for end in over.args)  # type: ignore[attr-defined]


def _is_large(value: object) -> bool:
    if isinstance(value, str | bytes):
        return len(value) > _LONGEST_TEXT
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > _LARGEST
