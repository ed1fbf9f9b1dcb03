"""Every reason that an error is raised with has its wording, and packages that gave up prose write none."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import sfumato
from sfumato import errors
from sfumato.presentation.interface import Interface
from sfumato.presentation.refusals.catalogue import FILES, Wording, all_wordings, terms, values_used, wordings
from sfumato.presentation.refusals.decisions import FUNCTIONS, TEXTS
from sfumato.presentation.refusals.sentence import sentence
from sfumato.presentation.wording.asking import OFFERS
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.registry import from_rule
from tools import errors as errors_page

SOURCES = Path(errors.__file__).parent
CONVERTED = (  # packages, folders and files of `src/sfumato` that raise reasons only
    "adapters",
    "auditing",
    "escrow",
    "ledger",
    "privacy/noise",
    "privacy/preferences",
    "privacy/risk",
    "release",
    "signals",
)
GAP = next(offer for offer in OFFERS if offer.name == "gap")
DECISIONS = "presentation/refusals/decisions.py"
SHOWS_JSON = ("task-reference-not-numbers",)  # reasons whose hint has braces in it
PASSES_ON = "privacy/preferences/preference.py"  # `number_where` is given the reason that it raises
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
                case ast.Call(func=ast.Name(id="number_where"), args=[_, _, ast.Constant(value=str(reason)), _]):
                    yield f"{file}:{node.lineno}", reason, frozenset({"stated"})
                case ast.Call(func=ast.Attribute(attr="because") | ast.Name(id="number_where")) if file != PASSES_ON:
                    pytest.fail(f"{file}:{node.lineno}: a reason is written out where it is raised")
                case ast.ClassDef(body=body) if file == "errors.py":
                    for line in body:
                        match line:
                            case ast.Assign(targets=[ast.Name(id="reason")], value=ast.Constant(value=str(reason))):
                                yield f"{file}:{line.lineno}", reason, frozenset()


RAISED = list(raised())
WORDINGS = all_wordings()


def values_of(wording: Wording) -> set[str]:
    return set().union(*map(values_used, wording.values()))


def package_of(place: str) -> str:
    return place.partition(":")[0].partition("/")[0].removesuffix(".py")


@pytest.mark.parametrize(("place", "reason", "names"), RAISED, ids=[f"{where} {why}" for where, why, _ in RAISED])
def test_a_reason_has_wording_that_uses_the_values_it_is_raised_with(
    place: str, reason: str, names: frozenset[str]
) -> None:
    """In the file of a package that raises it."""
    raising = {package_of(where) for where, why, _ in RAISED if why == reason} & {*FILES}
    assert any(reason in wordings(package) for package in raising), f"no wording of it in {package_of(place)}.toml"
    assert names == values_of(WORDINGS[reason])


def test_no_wording_is_without_a_raiser_and_none_is_there_twice() -> None:
    assert set(WORDINGS) == {reason for _, reason, _ in RAISED}
    assert len(WORDINGS) == sum(len(wordings(package)) for package in FILES)


CASES = [(reason, values) for reason in sorted(WORDINGS) for values in errors_page.cases(reason)]
KEYWORD = re.compile(
    r"(?<![\w/:?&.])[a-z_]+=(?=[\w'\"\[])"
)  # as in allow_no_guarantee=True; a key of a file has spaces
FLAG = re.compile(r"(?<![\w-])--[a-z]")
VERBS = """
add aggregate allow answer apply ask call cancel change check choose close combine compare complete convert correct
count create declare deliver describe divide draft fill find free give group inspect install join keep leave list make
name open order pass plot put raise rate read refuse register release remove rename report restore revoke round run
save say see select send set shorten sign simplify split start state stop submit test tick try type update upload use
wait write
"""  # with which a hint may begin


@pytest.mark.parametrize("interface", Interface)
@pytest.mark.parametrize(("reason", "values"), CASES, ids=[reason for reason, _ in CASES])
def test_every_reason_is_worded_in_every_interface(
    reason: str, values: Mapping[str, object], interface: Interface
) -> None:
    sentences = sentence(reason, values, interface)
    assert sentences is not None
    message, hint = sentences
    assert_one_sentence(message)
    assert says_what_to_do(hint)
    assert not hint or hint[-1] in ".?>", "a full stop, or a value"
    assert not FLAG.search(f"{message} {hint}") or interface is Interface.COMMAND, "an option of a command"
    assert not KEYWORD.search(f"{message} {hint}") or interface is Interface.PYTHON, "a keyword argument"
    assert interface is Interface.PYTHON or "sf." not in message + hint, "a function of Python"
    assert reason in SHOWS_JSON or not set("{}") & set(message + hint)
    written = {name for name, value in values.items() if isinstance(value, errors_page.Placeholder)}
    if not any(isinstance(text, Mapping) or key.endswith(interface.value) for key, text in WORDINGS[reason].items()):
        assert {name for name in written if f"<{name}>" in message + hint} == written


def assert_one_sentence(message: str) -> None:
    assert message
    assert not message.endswith("."), "the interface ends the sentence, after its place"
    assert not re.search(r"[a-z)][.?!] [A-Z]", message), "one sentence"


def says_what_to_do(hint: str) -> bool:
    """Whether it begins with a verb or is a command; a question is the usual one after a slip of the keys."""
    first = re.split(r"[\s,:]", hint, maxsplit=1)[0].lower()
    return not hint or first in VERBS.split() or hint.startswith(("did you mean ", "pip install ", "<"))


WRITTEN = [
    (message, hint) for each in errors_page.written().values() for message, hints in each for hint in hints or [""]
]


@pytest.mark.parametrize(("message", "hint"), WRITTEN, ids=[message for message, _ in WRITTEN])
def test_what_is_written_where_it_is_raised_has_the_same_form(message: str, hint: str) -> None:
    assert_one_sentence(message)
    assert says_what_to_do(hint)


def test_the_page_of_errors_is_what_the_tool_writes() -> None:
    page = errors_page.PAGE.read_text("utf-8")
    headings = re.findall(r"^#{3,4} `([\w-]+)`$", page, re.MULTILINE)
    assert {kind.code for kind in errors_page.codes()} <= {*headings}, "a code is missing: run `python -m tools.errors`"
    assert set(WORDINGS) <= {*headings}, "a reason is missing: run `python -m tools.errors`"
    assert page == errors_page.page(), "run `python -m tools.errors`"


def example(option: str, interface: Interface) -> str:
    said = sentence("option-without-preference", {"name": option, "whose": registry.HOW[option]}, interface)
    assert said is not None
    return said[1].removeprefix("try ").removesuffix(".").removesuffix(", which looks at the data")


@pytest.mark.parametrize("option", registry.HOW)
def test_what_an_option_goes_with_is_shown_by_an_example_that_works(option: str) -> None:
    assert f"--{option.replace('_', '-')}" in example(option, Interface.COMMAND)
    assert eval(example(option, Interface.PYTHON), {"sf": sfumato})
    if option not in ("as_published", "between"):  # which no rule has
        lines = re.sub(r"(, | and )(?=[a-z])", "\n", example(option, Interface.SCHEMA))
        assert from_rule(tomllib.loads(lines))


@pytest.mark.parametrize("where", CONVERTED)
def test_what_raises_reasons_writes_no_sentences(where: str) -> None:
    """An error is called with nothing, or with what is no sentence (`EngineFailure(worker_lost=True)`)."""
    found = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type)}
    kinds = {name for name, kind in found.items() if issubclass(kind, errors.SfumatoError)}
    prose = []
    for file, tree in trees(where):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if name in kinds and (node.args or {"hint", "message"} & {keyword.arg for keyword in node.keywords}):
                    prose.append(f"{file}:{node.lineno}")
    assert not prose


@pytest.mark.parametrize(
    ("interface", "hint"),
    [
        (
            Interface.COMMAND,
            "use a preference that reads no data, such as --gap 1.2 --worst-case; or allow it with "
            "--allow-no-guarantee.",
        ),
        (
            Interface.PYTHON,
            "use a preference that reads no data, such as sf.gap(1.2, worst_case=True); or allow it with "
            "allow_no_guarantee=True.",
        ),
        (
            Interface.WEB,
            f"use a preference that reads no data, such as “{GAP.words}” ({GAP.figures[0].words}: 1.2); or tick the "
            "box that allows a release without a guarantee.",
        ),
    ],
)
def test_a_way_to_a_guarantee_is_in_the_terms_of_the_interface(interface: Interface, hint: str) -> None:
    lost = {"inputs": ["preference"], "causes": ["computed from the people"], "attestable": [False]}
    assert sentence("without-guarantee", {"what": "release", "instead": "", **lost}, interface) == (
        "This release would have no guarantee, because the preference was computed from the people; nothing was drawn "
        "or charged",
        hint,
    )


@pytest.mark.parametrize(
    ("reason", "hints"),
    [
        (
            "policy-missing",
            (
                "ask its controller to set one with `sfumato policy set stays FILE`.",
                "ask its controller to set one with `set_policy('stays', FILE)`.",
                "ask its controller to set one: /datasets/stays/policy.",
            ),
        ),
        (
            "person-unknown",
            (
                "check the name in `sfumato user list`.",
                "check the name in `people()`.",
                "check the name in the list of users.",
            ),
        ),
        (
            "token-not-good",
            (
                "create another with `sfumato token`.",
                "create another with `new_token()`.",
                "create another on the page “Account”.",
            ),
        ),
        (
            "audit-head-unsigned",
            (
                "create one with `sfumato audit head`.",
                "create one with `audit_head()`.",
                "create one with “Save checkpoint”.",
            ),
        ),
    ],
)
def test_a_step_in_a_workspace_is_in_the_terms_of_the_interface(reason: str, hints: tuple[str, str, str]) -> None:
    values = {"dataset": "stays", "name": "bob"}
    for interface, hint in zip((Interface.COMMAND, Interface.PYTHON, Interface.WEB), hints, strict=True):
        sentences = sentence(reason, values, interface)
        assert sentences is not None
        assert sentences[1] == hint


KEYS = {"message", "hint"} | {f"{part}_{interface.value}" for part in ("message", "hint") for interface in Interface}


@pytest.mark.parametrize("reason", sorted(WORDINGS))
def test_a_wording_has_a_message_and_hints_and_nothing_else(reason: str) -> None:
    wording = WORDINGS[reason]
    assert "message" in wording
    assert set(wording) <= KEYS
    for text in wording.values():
        assert isinstance(text, str) or {"by", "python"} & set(text)


def test_every_step_text_and_function_is_used() -> None:
    files = [(SOURCES / "presentation" / "refusals" / f"{name}.toml").read_text("utf-8") for name in (*FILES, "terms")]
    for kind, names in (("step", terms()["step"]), ("text", terms()["text"])):
        named = set(re.findall(rf"\{{{kind}\[(\w+)", "".join(files)))
        in_functions = set(re.findall(r"step\['(\w+)'\]", (SOURCES / DECISIONS).read_text("utf-8")))
        assert set(names) - named <= in_functions, kind
        assert named <= set(names), kind
    assert set(re.findall(r'python = "(\w+)"', "".join(files[:-1]))) == set(FUNCTIONS)
    assert not set(TEXTS) & set(tomllib.loads(files[-1])["text"])


def test_each_package_has_a_file_and_each_file_is_read() -> None:
    names = {path.stem for path in (SOURCES / "presentation" / "refusals").glob("*.toml")}
    assert names == {*FILES, "terms"}
