"""Names and phrases: what code calls things, and what people are not to read.

Numbers under LEFT are what is left from before these rules. They only go down: a test also fails when there is less
left than its number says, and the number has to be lowered then.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "sfumato"
MODULES = {path: path.read_text("utf-8") for path in sorted(SRC.rglob("*.py"))}
BANNED_NAMES = {"said", "told", "found", "held", "made", "shown", "asked", "stated"}
REPLACED = {  # parts of names that the glossary has another word for
    *("flow", "flows", "mandate", "attestation", "foreseen", "lookalike", "snoop", "asker", "docket", "sketch"),
    *("aftermath", "notice", "partner", "invented", "notices"),
}
LONGEST_MODULE = 500
MOST_FOLDERS = 3


def listed(name: str) -> list[str]:
    """The lines of a list beside this file."""
    lines = (Path(__file__).parent / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


PHRASES = [re.compile(line, re.IGNORECASE) for line in listed("banned_phrases.txt")]
BEFORE = listed("before_phrases.txt")

PLACEHOLDER = re.compile(
    r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|\{[\w.,:\[\]]*\}"
)  # of templates, scripts, f-strings and catalogues

NAMES_LEFT: dict[str, int] = {}
CLASSES_LEFT: set[str] = set()
FILES_LEFT: set[str] = set()
COMMENTS_LEFT: dict[str, int] = {}
TEXTS_LEFT: dict[str, int] = {}


def test_no_function_parameter_or_local_is_named_by_a_participle() -> None:
    assert_left(NAMES_LEFT, ((path, name) for path, text in MODULES.items() for name in banned_names(text)))


def test_names_are_those_of_the_glossary() -> None:
    modules = {path: text for path, text in MODULES.items() if "wording" not in path.parts}
    assert [f"{path.relative_to(SRC)}: {name}" for path, text in modules.items() for name in replaced_names(text)] == []


def test_a_class_name_has_one_meaning() -> None:
    classes = Counter(name for text in MODULES.values() for name in class_names(text))
    assert {name for name, places in classes.items() if places > 1} == CLASSES_LEFT


def test_a_file_name_is_in_few_folders() -> None:
    files = Counter(path.name for path in MODULES if path.name != "__init__.py")
    assert {name for name, folders in files.items() if folders > MOST_FOLDERS} == FILES_LEFT


def test_modules_are_short() -> None:
    assert [path for path, text in MODULES.items() if len(text.splitlines()) > LONGEST_MODULE] == []


def test_no_comment_or_docstring_has_a_banned_phrase() -> None:
    assert_left(COMMENTS_LEFT, phrases((path, text) for path, source in MODULES.items() for text in notes(source)))


def test_nothing_that_people_read_has_a_banned_phrase() -> None:
    sentences = ((path, text) for path, source in MODULES.items() for text in strings(source))
    assert_left(TEXTS_LEFT, phrases([*sentences, *pages()]))


def assert_left(left: Mapping[str, int], places: Iterable[tuple[Path, str]]) -> None:
    """As many in each package or folder as are left there, no more and no fewer."""
    by_part = defaultdict(list)
    for path, what in places:
        by_part[part_of(path)].append(f"{path.relative_to(ROOT)}: {what}")
    more = {part: each for part, each in by_part.items() if len(each) > left.get(part, 0)}
    assert not more, "new ones among these: " + "\n".join(line for each in more.values() for line in each)
    counts = {part: len(each) for part, each in by_part.items()}
    assert counts == {part: number for part, number in left.items() if number}, f"lower the numbers to {counts}"


def part_of(path: Path) -> str:
    """The package of a module; the folder of a template, a script or a document."""
    parts = path.relative_to(SRC if path.is_relative_to(SRC) else ROOT).parts
    if path.suffix == ".py":
        return parts[0].removesuffix(".py")
    return "/".join(parts[:-1][:2]) or parts[0]


# Code


def banned_names(source: str) -> Iterator[str]:
    """Functions, parameters and locals with a banned name; fields of a class are not among them."""
    tree = ast.parse(source)
    fields = {id(target) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for target in field_names(node)}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.arg(arg=name):
                pass
            case ast.Name(id=name, ctx=ast.Store()) if id(node) not in fields:
                pass
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                pass
            case ast.alias(asname=str(name)):
                pass
            case _:
                continue
        if name.lstrip("_") in BANNED_NAMES:
            yield f"{name} in line {node.lineno}"


def replaced_names(source: str) -> Iterator[str]:
    """Functions, classes, parameters and variables with a part that the glossary has another word for."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                pass
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                pass
            case _:
                continue
        if REPLACED & {
            *re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("look_alike", "lookalike").split("_")
        }:
            yield f"{name} in line {node.lineno}"


def field_names(node: ast.ClassDef) -> Iterator[ast.expr]:
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign):
            yield statement.target
        elif isinstance(statement, ast.Assign):
            yield from statement.targets


def class_names(source: str) -> list[str]:
    return [node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]


@cache
def constants(source: str) -> tuple[list[str], list[str]]:
    """The docstrings of a module, and its other strings."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = {id(node.body[0].value) for node in ast.walk(tree)
             if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)}  # fmt: skip
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    parts |= {id(node.format_spec) for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)}
    texts = [(id(node) in first, text) for node in ast.walk(tree)
             if id(node) not in parts and (text := text_of(node)) is not None]  # fmt: skip
    return [text for is_first, text in texts if is_first], [text for is_first, text in texts if not is_first]


def text_of(node: ast.AST) -> str | None:
    """The text of a string; in an f-string every value is written as `{}`."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) or "{}" for part in parts)
        case _:
            return None


def docstrings(source: str) -> list[str]:
    return constants(source)[0]


def strings(source: str) -> list[str]:
    return constants(source)[1]


def notes(source: str) -> list[str]:
    """Docstrings and comments."""
    return docstrings(source) + comments(source)


def comments(source: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT]


# Text


def phrases(texts: Iterable[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
    return ((path, phrase) for path, text in texts for phrase in banned_phrases(text))


def banned_phrases(text: str) -> list[str]:
    """Banned phrases of a text, paragraph by paragraph, wherever its lines break; a placeholder is a number."""
    filled = PLACEHOLDER.sub("1", text)
    paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", filled)]
    return [match[0] for paragraph in paragraphs for phrase in PHRASES for match in phrase.finditer(paragraph)]


def pages() -> Iterator[tuple[Path, str]]:
    """Templates, scripts, catalogues and documents. The changelog quotes old texts; a program writes the evidence."""
    scripts = [path for path in (SRC / "server" / "static").rglob("*.js") if "vendor" not in path.parts]
    documents = [path for path in (ROOT / "docs").rglob("*.md") if path.name != "evidence.md"]
    templates = [*(SRC / "server" / "templates").rglob("*.html")]
    for path in sorted([*templates, *scripts, *documents, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]):
        yield path, path.read_text("utf-8").partition("### Before\n")[0]  # where the reading test quotes the old text
    for path in sorted((ROOT / "docs" / "images").glob("*.svg")):
        yield path, re.sub(r"<[^>]*>", "\n\n", path.read_text("utf-8"))
    for path in sorted(SRC.rglob("*.toml")):
        yield from ((path, text) for text in sentences(path.read_text("utf-8")))


def sentences(catalogue: str) -> Iterator[str]:
    """Comments and texts of a catalogue of errors, terms or words."""
    yield from re.findall(r"^# ?(.*)$", catalogue, re.MULTILINE)
    values: list[object] = [tomllib.loads(catalogue)]
    while values:
        match values.pop():
            case str(text):
                yield text
            case dict(table):
                values += table.values()
            case list(array):
                values += array


# These tests themselves


PLANTED = """
class Kept:
    held: int  # a field has the name that its JSON has

    def _asked(self, told):
        for found in told:
            with open(found) as shown:
                pass
        return [made for said, (made, _) in told]
"""


def test_a_planted_name_is_seen() -> None:
    names = [line.split()[0] for line in banned_names(PLANTED)]
    assert sorted(names) == ["_asked", "found", "made", "said", "shown", "told"]
    assert class_names(PLANTED) == ["Kept"]
    planted = "class FlowTable:\n    by_partner: int\n\ndef a_look_alike(mandate, overflow):\n    workflow = 1\n"
    assert [line.split()[0] for line in replaced_names(planted)] == [
        "FlowTable",
        "a_look_alike",
        "by_partner",
        "mandate",
    ]


def test_a_planted_phrase_is_seen() -> None:
    source = '"""A snoop\nguesses."""\nlimit = 1  # Whoever asks\nhelp = "right 55 times\\nof 100"\n'
    assert [banned_phrases(text) for text in docstrings(source)] == [["snoop"]]
    assert [banned_phrases(text) for text in comments(source)] == [["Whoever"]]
    assert [banned_phrases(text) for text in strings(source)] == [["times of 100"]]
    assert banned_phrases("An attacker is right\n\nat most 55% of the time.") == []


def test_a_catalogue_is_read_text_by_text() -> None:
    catalogue = '# A snoop\n[reason]\nmessage = "Whoever asks"\nhints = [{web = "right {rate} of 100"}]\n'
    assert sorted(phrase for text in sentences(catalogue) for phrase in banned_phrases(text)) == [
        "1 of 100",
        "Whoever",
        "snoop",
    ]


def test_a_value_does_not_hide_a_phrase() -> None:
    source = 'text = f"right {100 * rate:.0f} of 100 times"\n'
    assert strings(source) == ["right {} of 100 times"]
    assert banned_phrases("right {} of 100 times") == ["1 of 100"]
    assert banned_phrases("right ${share.toFixed(0)} of 100 times") == ["1 of 100"]
    assert banned_phrases("right {{ share | rounded }} of 100 times") == ["1 of 100"]


@pytest.mark.parametrize("sentence", BEFORE)
def test_a_sentence_as_it_used_to_be_is_seen(sentence: str) -> None:
    assert banned_phrases(sentence)


def test_numbers_that_are_left_only_go_down() -> None:
    planted = [(SRC / "cli" / "main.py", "found in line 1"), (SRC / "cli" / "main.py", "told in line 2")]
    assert_left({"cli": 2}, planted)
    with pytest.raises(AssertionError, match="new ones among these"):
        assert_left({"cli": 1}, planted)
    with pytest.raises(AssertionError, match="lower the numbers to"):
        assert_left({"cli": 3}, planted)
