"""Write docs/errors.md: every error of sfumato, from the catalogue of wordings and from the source."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from sfumato import errors
from sfumato.errors import SfumatoError, SfumatoWarning
from sfumato.presentation.interface import Interface
from sfumato.presentation.refusals.catalogue import Text, all_wordings, terms, values_used
from sfumato.presentation.refusals.sentence import sentence

PAGE = Path(__file__).parents[1] / "docs" / "errors.md"
SOURCES = Path(errors.__file__).parent
HEAD = """# Errors

Read this page if a command, a function or a page of sfumato answered with an error, or if your program has to react to
one. You will be able to find the error by its code or its words, see what to do about it, and tell apart what you can
correct from what was refused.

Search this page for a few words of the message. Words in angle brackets stand for names and numbers of your case. An
error never contains a value from the data.

## In a terminal

An error is one sentence, its place if there is one, and a hint, on standard error:

    Column '<column>' has no bounds: line 1, column 12. Hint: <what to do>

The exit status tells what kind of error it is:

| exit status | meaning | what to do |
|---|---|---|
| 0 | done | |
| 1 | sfumato, its database or its engine failed | report it if it is a bug; what was charged stays charged |
| 2 | something in the input is wrong | correct it and try again; nothing was released |
| 3 | refused by a guarantee, a policy or a budget, or infeasible | ask for something else, or ask the controller |
| 4 | another person has to decide first | try again later |
| 130 | interrupted with Ctrl-C | check the ledger; what was charged stays charged |

## In JSON

With `--json` an error is an object on standard error. If it was refused (exit status 3 or 4), it is on standard output,
too:

    {"error": {"code": "budget-exceeded", "message": "...", "hint": "...", "where": "..."}}

`code` is one of the codes below. Use it in programs, not the sentences. `where` is the place, such as
`line 1, column 12` of a query or `[rule] in adult.toml`, or empty.

A server answers with `application/problem+json` (RFC 9457): `detail` is the message, beside `code`, `hint`, `where`,
and `reason` with `values`, from which a client makes its own sentences.

## In Python

Every error is an `sf.SfumatoError` with `code`, `message`, `hint`, `where` and `reason`. Its class is in
`sfumato.errors`: `except BadInput` catches everything that you can correct, `except Refused` everything that was
refused.

An error speaks in the terms of the interface that shows it: flags in a terminal, keyword arguments in Python, labels on
a page, keys in a schema or a policy. Below, the words of a terminal come first; `Python:` and `Pages:` follow where
theirs are different.

<!-- written by tools/errors.py -->
"""
WITHOUT_REASON = "These are written where they are raised, and are the same in every interface:"
TAIL = """
## Not listed

These messages are put together from parts that only a run knows, and follow the same form:

- options and arguments that the command line cannot read (`see sfumato COMMAND --help`);
- errors of a server about a body that does not have the expected fields;
- reasons why no epsilon meets a preference: the message says which preference, and why;
- what a server of another version answers: its own sentences are shown.
"""


class Placeholder(str):
    """A value in angle brackets, however it is formatted."""

    def __format__(self, _spec: str) -> str:
        return str(self)

    def __getitem__(self, _key: object) -> Placeholder:
        return self

    def __repr__(self) -> str:
        return Placeholder(f"'{self}'")


SAMPLES: Mapping[tuple[str, str], object] = {  # values that a wording does more with than to write them out
    ("budget-exceeded", "guarantee"): "dp",
    ("budget-exceeded", "left"): 0.25,
    ("budget-exceeded", "parallel"): [],
    ("figure-outcome-unknown", "why"): "unstated",
    ("budget-table", "known"): ["epsilon", "delta", "per", "in_all"],
    ("budget-table", "unknown"): "",
    ("budget-period", "periods"): ["day", "week", "month", "quarter", "year"],
    ("period-budget-exceeded", "guarantee"): "dp",
    ("period-budget-exceeded", "left"): 0.25,
    ("period-budget-exceeded", "parallel"): [],
    ("epsilon-out-of-range", "what"): "epsilon",
    ("ledger-format", "format"): 9,
    ("ledger-format", "reads"): 1,
    ("option-without-preference", "name"): "select_epsilon",
    ("option-without-preference", "whose"): ["variance", "allow"],
    ("preferences-not-together", "stated"): ["<preference>", "<preference>"],
    ("role-missing", "roles"): ["admin", "controller"],
    ("sandbox-attacks-succeeded", "attacks"): ["fork", "trace"],
    ("secret-not-one", "stated"): 2,
    ("sharing-risk-below-floor", "floor"): 0.1,
    ("task-row-unknown", "count"): 30,
    ("task-row-unknown", "rows"): ["<row>", "<row>"],
    ("without-guarantee", "attestable"): [False],
    ("without-guarantee", "causes"): ["computed from the people"],
    ("without-guarantee", "inputs"): ["preference"],
    ("without-guarantee", "instead"): "",
    ("without-guarantee", "what"): "release",
    ("workspace-format", "format"): 9,
    ("workspace-format", "reads"): 1,
}


def cases(reason: str) -> Iterator[dict[str, object]]:
    """Values of a reason: for each case that a text of it distinguishes."""
    wording = all_wordings()[reason]
    names = sorted(set().union(*map(values_used, wording.values())))
    values = {name: SAMPLES.get((reason, name), Placeholder(f"<{name}>")) for name in names}
    keys: dict[str, list[object]] = defaultdict(list)
    for text in wording.values():
        for name, key in _own_keys(text):
            if key == "empty":
                keys[name].append(type(values[name])())
            else:
                keys[name].append(values[name] if key == "other" else int(key) if key.isdigit() else key)
        keys |= {name: shared for name, shared in _shared_keys(text) if (reason, name) not in SAMPLES}
    for chosen in product(*(dict.fromkeys(map(_Same, each)) for each in keys.values())):
        yield {**values, **{name: same.value for name, same in zip(keys, chosen, strict=True)}}


@dataclass(frozen=True)
class _Same:
    """A value that equals another if both are written the same."""

    value: object = field(compare=False)
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", repr(self.value))


def _own_keys(text: Text) -> Iterator[tuple[str, str]]:
    """The value that a text chooses by, with each of its keys."""
    if not isinstance(text, str) and "by" in text:
        yield from ((text["by"], key) for key in text if key != "by")


def _shared_keys(text: Text) -> Iterator[tuple[str, list[object]]]:
    """Values that choose a shared text, with all keys of its table."""
    for template in [text] if isinstance(text, str) else text.values():
        for path in re.findall(r"\{text\[([^]]*)\]", template):
            table: object = terms()["text"]
            for part in path.split("."):
                assert isinstance(table, Mapping)
                if part.startswith("$"):
                    yield part[1:], list(table)
                table = table[next(iter(table)) if part.startswith("$") else part]


# Reasons


def raised() -> dict[str, type[Exception]]:
    """Reasons with the class of the error that each is raised with."""
    kinds = {}
    for tree in _trees().values():
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=kind), attr="because"), args=[ast.Constant(value=str(reason))]
                ):
                    kinds[reason] = getattr(errors, kind)
                case ast.Call(func=ast.Name(id="number_where"), args=[_, _, ast.Constant(value=str(reason)), _]):
                    kinds[reason] = errors.PreferenceError
    own = {kind.reason: kind for kind in codes() if kind.reason}
    return kinds | own


def codes() -> list[type[SfumatoError]]:
    """Every class of errors, by exit status."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SfumatoError)]
    return sorted(kinds, key=lambda kind: kind.exit_status)


def _entry(reason: str) -> str:
    """Each message once, with the hints that it may have."""
    blocks: dict[str, dict[str, None]] = defaultdict(dict)
    for values in cases(reason):
        command, *others = [_rendered(reason, values, interface) for interface in _SHOWN]
        lines = _wrap(f"Hint: {command[1]}") if command[1] else []
        for label, own in zip(("Python", "Pages"), others, strict=True):
            lines += _different(label, command, own)
        blocks["\n".join(_wrap(f"{command[0]}."))]["\n".join(lines)] = None
    texts = ("\n".join(filter(None, [message, *hints])) for message, hints in blocks.items())
    return f"\n#### `{reason}`\n\n```text\n" + "\n\n".join(texts) + "\n```\n"


_SHOWN = (Interface.COMMAND, Interface.PYTHON, Interface.WEB)


def _rendered(reason: str, values: Mapping[str, object], interface: Interface) -> tuple[str, str]:
    sentences = sentence(reason, values, interface)
    assert sentences is not None, (reason, values)
    return sentences


def _different(label: str, command: tuple[str, str], own: tuple[str, str]) -> list[str]:
    message, hint = own
    if own == command:
        return []
    return _wrap(
        f"{label}: {hint}" if message == command[0] else f"{label}: {message}.{' Hint: ' if hint else ''}{hint}"
    )


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, 110, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


# Messages that are written where they are raised


@dataclass(frozen=True)
class _Scope:
    """A function, and what its parameters are at one of its calls."""

    tree: ast.AST
    function: ast.AST | None
    arguments: Mapping[str, tuple[ast.expr, _Scope]] = field(default_factory=dict)


def written() -> dict[type[SfumatoError], list[tuple[str, tuple[str, ...]]]]:
    """Messages with their hints, by the class that they are raised with, in the order of the source."""
    kinds = {kind.__name__: kind for kind in codes()}
    messages: dict[type[SfumatoError], dict[tuple[str, tuple[str, ...]], None]] = defaultdict(dict)
    for path, tree in _trees().items():
        if path.name == "errors.py":
            continue
        for function, call in _calls(tree):
            name = call.func.id if isinstance(call.func, ast.Name) else ""
            if name not in kinds or not call.args:
                continue
            hint = next((keyword.value for keyword in call.keywords if keyword.arg == "hint"), None)
            for scope in _scopes(path, tree, function, [call.args[0], hint]):
                hints = tuple(_texts(hint, scope)) if hint is not None else ()
                for message in _texts(call.args[0], scope):
                    messages[kinds[name]][message.removesuffix("."), hints] = None
    return {kind: list(each) for kind, each in messages.items()}


def _calls(tree: ast.AST, function: ast.AST | None = None) -> Iterator[tuple[ast.AST | None, ast.Call]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call):
            yield function, node
        yield from _calls(node, node if isinstance(node, ast.FunctionDef) else function)


def _scopes(path: Path, tree: ast.AST, function: ast.AST | None, parts: Iterable[ast.expr | None]) -> list[_Scope]:
    """One scope; where a message is a parameter, one for each call of the function in the same package."""
    if not isinstance(function, ast.FunctionDef):
        return [_Scope(tree, function)]
    names = [argument.arg for argument in function.args.args + function.args.kwonlyargs]
    used = {node.id for part in parts if part is not None for node in ast.walk(part) if isinstance(node, ast.Name)}
    if not used & {*names} or not any(isinstance(part, ast.Name) and part.id in names for part in parts):
        return [_Scope(tree, function)]
    positional = [name for name in names if name != "self"]
    scopes = []
    for other, calling in _trees().items():
        if other.parent != path.parent:
            continue
        for caller, call in _calls(calling):
            called = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            if called != function.name:
                continue
            outer = _Scope(calling, caller)
            given = dict(zip(positional, call.args, strict=False))
            given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
            scopes.append(_Scope(tree, function, {name: (value, outer) for name, value in given.items()}))
    return scopes


def _texts(expression: ast.expr | None, scope: _Scope, depth: int = 0) -> list[str]:
    """What an expression may be, with names of values in angle brackets; nothing where that is not in the source."""
    match expression:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            each = [_texts(part, scope, depth) or ["<…>"] for part in parts]
            return ["".join(chosen) for chosen in product(*each)][:12]
        case ast.FormattedValue(value=value):
            fixed = _texts(value, scope, depth + 1) if isinstance(value, ast.Name | ast.IfExp) else []
            if fixed and all(len(text) < 4 for text in fixed):
                return ["/".join(filter(None, fixed))]
            return fixed if fixed and len(fixed) <= 4 else [f"<{_label(value)}>"]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = [_texts(side, scope, depth) or [f"<{_label(side)}>"] for side in (left, right)]
            return ["".join(chosen) for chosen in product(*sides)]
        case ast.IfExp(body=body, orelse=other):
            return _texts(body, scope, depth) + _texts(other, scope, depth)
        case ast.BoolOp(values=values):
            return [text for value in values for text in _texts(value, scope, depth)]
        case ast.Name(id=name) if name in scope.arguments:
            value, outer = scope.arguments[name]
            return _texts(value, outer, depth + 1)
        case ast.Name(id=name) if depth < 4:
            return _texts(_assigned(name, expression.lineno, scope), scope, depth + 1)
    return []


def _assigned(name: str, line: int, scope: _Scope) -> ast.expr | None:
    """What a name was last set to before a line of its function, or in the module."""
    for body in (ast.walk(scope.function) if scope.function else (), ast.iter_child_nodes(scope.tree)):
        assigned = [node for node in body if isinstance(node, ast.Assign) and node.lineno < line]
        named = [node for node in assigned if [getattr(target, "id", "") for target in node.targets] == [name]]
        if named:
            return max(named, key=lambda node: node.lineno).value
    return None


def _label(expression: ast.AST) -> str:
    """The last name in an expression that says what it is."""
    words = re.findall(r"[A-Za-z_]+", ast.unparse(expression))
    plain = [word.strip("_").lower() for word in words if word not in {"len", "join", "str", "repr", "sum", "self"}]
    return next((word.replace("_", " ") for word in reversed(plain) if len(word) > 1), "value")


def _trees() -> dict[Path, ast.Module]:
    if not _TREES:
        _TREES.update({path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCES.rglob("*.py"))})
    return _TREES


_TREES: dict[Path, ast.Module] = {}


# The page


def page() -> str:
    reasons, literal = raised(), written()
    parts = [HEAD]
    for status in sorted({kind.exit_status for kind in codes()}):
        parts.append(f"\n## Exit status {status}\n")
        for kind in codes():
            if kind.exit_status == status:
                parts.append(_section(kind, [reason for reason in sorted(reasons) if reasons[reason] is kind], literal))
    parts.append("\n## Warnings\n\nA warning is shown, and the work goes on.\n")
    parts += [_entry(reason) for reason in sorted(reasons) if issubclass(reasons[reason], SfumatoWarning)]
    return "".join([*parts, TAIL])


def _section(
    kind: type[SfumatoError],
    reasons: list[str],
    literal: Mapping[type[SfumatoError], list[tuple[str, tuple[str, ...]]]],
) -> str:
    about = (kind.__doc__ or "").partition("\n")[0]
    text = f"\n### `{kind.code}`\n\n{about} In Python: `{kind.__name__}`.\n"
    text += "".join(map(_entry, reasons))
    if kind in literal:
        blocks = ["\n".join(_wrap(f"{message}.")) + _hints(hints) for message, hints in literal[kind]]
        text += f"\n{WITHOUT_REASON}\n\n```text\n" + "\n\n".join(dict.fromkeys(blocks)) + "\n```\n"
    return text


def _hints(hints: Iterable[str]) -> str:
    return "".join(f"\n{line}" for hint in hints for line in _wrap(f"Hint: {hint}"))


def main() -> None:
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name}: {'unchanged' if page() == before else 'updated'}", file=sys.stderr)


if __name__ == "__main__":
    main()
