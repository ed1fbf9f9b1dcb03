"""Every reason that an error is raised with has its wording, and packages that gave up prose write none."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from inspect import signature
from pathlib import Path
from string import Formatter

import pytest

from sfumato import errors
from sfumato.presentation.interface import Interface
from sfumato.presentation.refusals.sentence import PACKAGES, WORDS, sentence
from sfumato.presentation.refusals.wording import Text, Wording

SOURCES = Path(errors.__file__).parent
CONVERTED = ("adapters", "ledger")  # packages, folders and files of `src/sfumato` that raise reasons only
SAMPLES: Mapping[tuple[str, str], object] = {  # values that a wording does more with than to write them out
    ("value-unreadable", "kind"): "text",
    ("sandbox-attacks-succeeded", "attacks"): ["fork", "trace"],
    ("no-open-failure", "failures"): [3, 7],
}
Raised = tuple[str, str, frozenset[str]]  # the place, the reason and the names of its values


def trees(*under: str) -> Iterator[tuple[str, ast.AST]]:
    for start in under or ("",):
        path = SOURCES / start
        assert path.exists(), start
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            yield str(file.relative_to(SOURCES)), ast.parse(file.read_text("utf-8"))


def raised() -> Iterator[Raised]:
    for file, tree in trees():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(attr="because"), args=[ast.Constant(value=str(reason))]):
                    names = {keyword.arg or "**" for keyword in node.keywords} - {"where"}
                    yield f"{file}:{node.lineno}", reason, frozenset(names)
                case ast.Call(func=ast.Attribute(attr="because")):
                    pytest.fail(f"{file}:{node.lineno}: a reason is written out where it is raised")
                case ast.ClassDef(body=body) if file == "errors.py":
                    for line in body:
                        match line:
                            case ast.Assign(targets=[ast.Name(id="reason")], value=ast.Constant(value=str(reason))):
                                yield f"{file}:{line.lineno}", reason, frozenset()


RAISED = list(raised())
WORDINGS = {reason: wording for wordings in PACKAGES.values() for reason, wording in wordings.items()}


def used(text: Text) -> set[str]:
    if not isinstance(text, str):
        return set(signature(text).parameters) - set(WORDS)
    fields = {field for _, field, _, _ in Formatter().parse(text) if field is not None}
    return {field.partition("[")[0] for field in fields} - set(WORDS)


def values_of(wording: Wording) -> set[str]:
    return used(wording.message) | used(wording.hint)


@pytest.mark.parametrize(("place", "reason", "names"), RAISED, ids=[f"{where} {why}" for where, why, _ in RAISED])
def test_a_reason_has_wording_that_uses_the_values_it_is_raised_with(
    place: str, reason: str, names: frozenset[str]
) -> None:
    package = place.partition(":")[0].partition("/")[0].removesuffix(".py")
    assert reason in PACKAGES.get(package, {}), f"presentation/refusals/{package}.py does not word it"
    assert names == values_of(WORDINGS[reason])


def test_no_wording_is_without_a_raiser_and_none_is_there_twice() -> None:
    assert set(WORDINGS) == {reason for _, reason, _ in RAISED}
    assert len(WORDINGS) == sum(map(len, PACKAGES.values()))


@pytest.mark.parametrize("interface", Interface)
@pytest.mark.parametrize("reason", sorted(WORDINGS))
def test_every_reason_is_worded_in_every_interface(reason: str, interface: Interface) -> None:
    values = {name: SAMPLES.get((reason, name), f"<{name}>") for name in values_of(WORDINGS[reason])}
    said = sentence(reason, values, interface)
    assert said is not None
    message, hint = said
    assert message
    assert not message.endswith("."), "what shows it ends the sentence, after its place"
    assert not hint or hint[-1] in ".?"
    assert not set("{}") & set(message + hint)
    assert all(value in message + hint for value in values.values() if isinstance(value, str) and value[0] == "<")


@pytest.mark.parametrize("where", CONVERTED)
def test_what_raises_reasons_writes_no_sentences(where: str) -> None:
    """An error is called with nothing, or with what is no sentence (`EngineFailure(worker_lost=True)`)."""
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    prose = []
    for file, tree in trees(where):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if name in kinds and (node.args or {"hint", "message"} & {keyword.arg for keyword in node.keywords}):
                    prose.append(f"{file}:{node.lineno}")
    assert not prose
