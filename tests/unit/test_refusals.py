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
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.registry import from_rule

SOURCES = Path(errors.__file__).parent
CONVERTED = (  # packages, folders and files of `src/sfumato` that raise reasons only
    "adapters",
    "escrow",
    "ledger",
    "privacy/noise",
    "privacy/preferences",
    "privacy/risk",
    "release",
    "signals",
)
SAMPLES: Mapping[tuple[str, str], object] = {  # values that a wording does more with than to write them out
    ("value-unreadable", "kind"): "text",
    ("sandbox-attacks-succeeded", "attacks"): ["fork", "trace"],
    ("no-open-failure", "failures"): [3, 7],
    ("formula-length", "longest"): 2000,
    ("same-rows", "others"): ["stays", "bills"],
    ("signal-blocks", "most"): 10_000,
    ("signal-draws", "most"): 10_000,
    ("signal-epsilon-too-large", "epsilon"): 20.0,
    ("signal-epsilon-too-large", "most"): 10.0,
    ("selection-epsilon-max-too-small", "epsilon_max"): 0.001,
    ("selection-epsilon-max-too-small", "smallest"): 0.01,
    ("exposure-histogram-epsilon-too-large", "epsilon"): 20.0,
    ("exposure-histogram-epsilon-too-large", "most"): 10.0,
    ("split-part-too-large", "most"): 10.0,
    ("budget-passed-before", "spent"): 2.0,
    ("budget-passed-before", "budget"): 1.0,
    ("budget-exceeded", "charge"): 0.5,
    ("budget-exceeded", "guarantee"): "none",
    ("budget-exceeded", "left"): 0.25,
    ("budget-exceeded", "spent"): 0.75,
    ("budget-exceeded", "budget"): 1.0,
    ("task-row-unknown", "count"): 30,
    ("task-row-unknown", "rows"): ["here", "there"],
    ("variance-below-noise", "people"): 1000,
    ("variance-below-noise", "select_epsilon"): 0.1,
    ("variance-below-noise", "variance"): 1e-6,
    ("without-guarantee", "attestable"): [True, False],
    ("without-guarantee", "causes"): ["stated after a look", "read off the people"],
    ("without-guarantee", "inputs"): ["preference", "bounds"],
    ("without-guarantee", "instead"): "as-planned",
    ("role-missing", "roles"): ["admin", "controller"],
    ("token-days", "days"): 400.0,
    ("delivery-format", "known"): ["csv", "parquet"],
    ("aggregate-not-allowed", "allowed"): ["COUNT", "SUM"],
    ("column-not-allowed", "allowed"): ["age", "ward"],
    ("preference-not-allowed", "allowed"): ["rule", "gap"],
    ("rule-not-allowed", "allowed"): ["gap"],
    ("signal-not-allowed", "allowed"): [],
    ("policy-key-unknown", "known"): ["purpose", "rule"],
    ("result-awaited", "state"): "running",
    **{
        (reason, "what"): "signal"
        for reason in (
            *("result-awaited", "submission-changed", "no-result", "no-longer-automatic", "no-withheld-result"),
            "result-of-others",
        )
    },
    ("request-beyond-budget", "epsilon"): 0.5,
    ("request-beyond-budget", "left"): 0.25,
    ("submission-changed", "then"): "again",
    ("no-result", "state"): "refused",
    ("no-result", "note"): "Not this one.",
    ("signal-beyond-bits", "told"): 6.7,
    ("signal-beyond-bits", "used"): 0.0,
    ("signal-beyond-bits", "budget"): 5,
    ("signal-beyond-budget", "epsilon"): 0.5,
    ("signal-beyond-budget", "left"): 0.25,
    ("approval-guarantee-not-allowed", "allowed"): ["dp", "dp-selected"],
    ("function-length", "longest"): 20_000,
    ("purpose-length", "longest"): 2000,
    ("request-guarantee-not-allowed", "allowed"): ["dp", "dp-selected"],
    ("request-sql-length", "letters"): 200_000,
    ("request-sql-length", "longest"): 100_000,
    ("signal-epsilon-above-policy", "most"): 0.4,
    ("step-not-possible", "act"): "approve",
    ("trust-stated", "names"): ["trust", "data_sensitivity"],
    ("weight-out-of-range", "weight"): 2000.0,
    ("belief-below-prior", "belief"): 0.2,
    ("belief-below-prior", "prior"): 0.25,
    ("epsilon-above-max", "epsilon"): 50.0,
    ("epsilon-above-max", "most"): 10.0,
    ("epsilon-out-of-range", "least"): 1e-9,
    ("epsilon-out-of-range", "most"): 1_000_000,
    ("epsilon-out-of-range", "what"): "exposure cap",
    ("error-unbounded-beforehand", "numbers"): 3,
    ("guess-below-blind", "blind"): 0.25,
    ("guess-below-blind", "chance"): 0.2,
    ("index-not-positive", "number"): -1.0,
    ("missing-too-many", "people"): 10,
    ("noise-without-end", "mechanism"): "laplace",
    ("option-without-preference", "name"): "select_epsilon",
    ("option-without-preference", "whose"): ["variance", "allow"],
    ("preferences-not-together", "stated"): ["epsilon 1", "gap 1.2"],
    ("rank-without-noise", "mechanism"): "gaussian",
    ("delta-missing", "mechanism"): "truncated",
    ("noise-needs-delta", "mechanism"): "gaussian",
    ("epsilon-too-small-for-truncated", "beside"): "grid",
    ("secret-not-one", "stated"): 0,
    ("select-epsilon-out-of-range", "least"): 1e-9,
    ("sharing-risk-below-floor", "floor"): 0.1,
    ("sharing-risk-below-floor", "risk"): 0.05,
    ("split-confidence-out-of-range", "number"): 2.0,
    ("split-relative-error-not-positive", "number"): -0.1,
    ("truncated-noise-reaches-further", "moved"): 1.0,
    ("universe-too-large", "most"): 100_000,
}
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


@pytest.mark.parametrize(("place", "reason", "names"), RAISED, ids=[f"{where} {why}" for where, why, _ in RAISED])
def test_a_reason_has_wording_that_uses_the_values_it_is_raised_with(
    place: str, reason: str, names: frozenset[str]
) -> None:
    package = place.partition(":")[0].partition("/")[0].removesuffix(".py")
    assert package in FILES, f"no file of {package} in presentation/refusals"
    assert reason in wordings(package), f"no wording of it in presentation/refusals/{package}.toml"
    assert names == values_of(WORDINGS[reason])


def test_no_wording_is_without_a_raiser_and_none_is_there_twice() -> None:
    assert set(WORDINGS) == {reason for _, reason, _ in RAISED}
    assert len(WORDINGS) == sum(len(wordings(package)) for package in FILES)


def cases(reason: str) -> Iterator[dict[str, object]]:
    """Values of a reason: one sample of all, and one for each case that a text of it distinguishes."""
    wording = WORDINGS[reason]
    values = {name: SAMPLES.get((reason, name), f"<{name}>") for name in values_of(wording)}
    yield values
    for text in wording.values():
        if isinstance(text, str) or "python" in text:
            continue
        name = text["by"]
        for key in set(text) - {"by", "other"}:
            yield {**values, name: type(values[name])() if key == "empty" else int(key) if key.isdigit() else key}


CASES = [(reason, values) for reason in sorted(WORDINGS) for values in cases(reason)]


@pytest.mark.parametrize("interface", Interface)
@pytest.mark.parametrize(("reason", "values"), CASES, ids=[reason for reason, _ in CASES])
def test_every_reason_is_worded_in_every_interface(
    reason: str, values: Mapping[str, object], interface: Interface
) -> None:
    sentences = sentence(reason, values, interface)
    assert sentences is not None
    message, hint = sentences
    assert message
    assert not message.endswith("."), "what shows it ends the sentence, after its place"
    assert not hint or hint[-1] in ".?"
    assert interface is Interface.COMMAND or " --" not in f" {message} {hint}", "an option of a command"
    assert interface is Interface.PYTHON or "sf." not in message + hint, "a function of Python"
    assert reason in SHOWS_JSON or not set("{}") & set(message + hint)
    written = {name for name, value in values.items() if isinstance(value, str) and value[:1] == "<"}
    if not any(isinstance(text, Mapping) or key.endswith(interface.value) for key, text in WORDINGS[reason].items()):
        assert {name for name in written if f"<{name}>" in message + hint} == written


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
            "use a preference that reads nobody, such as --gap 1.2 --worst-case; or accept it with "
            "--allow-no-guarantee.",
        ),
        (
            Interface.PYTHON,
            "use a preference that reads nobody, such as sf.gap(1.2, worst_case=True); or accept it with "
            "allow_no_guarantee=True.",
        ),
        (
            Interface.WEB,
            "use a preference that reads nobody, such as “Maximum risk gap, in the worst case” (risk gap: 1.2); or "
            "accept that what leaves carries no guarantee.",
        ),
    ],
)
def test_a_way_to_a_guarantee_is_in_the_terms_of_the_interface(interface: Interface, hint: str) -> None:
    lost = {"inputs": ["preference"], "causes": ["computed from the people"], "attestable": [False]}
    assert sentence("without-guarantee", {"what": "release", "instead": "", **lost}, interface) == (
        "This release would carry no guarantee: the preference was computed from the people. Nothing was drawn and "
        "nothing was charged",
        hint,
    )


@pytest.mark.parametrize(
    ("reason", "hints"),
    [
        (
            "policy-missing",
            (
                "a controller writes one with `sfumato policy set stays FILE`.",
                "a controller writes one with `set_policy('stays', FILE)`.",
                "a controller writes one: /datasets/stays/policy.",
            ),
        ),
        (
            "person-unknown",
            (
                "`sfumato user list` tells who there is.",
                "`people()` tells who there is.",
                "the list of people tells who there is.",
            ),
        ),
        (
            "token-not-good",
            (
                "make another with `sfumato token`.",
                "make another with `new_token()`.",
                "make another on the page “Account”.",
            ),
        ),
        (
            "audit-head-unsigned",
            (
                "make one with `sfumato audit head`.",
                "make one with `audit_head()`.",
                "make one with “Keep the head”.",
            ),
        ),
    ],
)
def test_a_step_in_a_workspace_is_in_the_terms_of_the_interface(reason: str, hints: tuple[str, str, str]) -> None:
    values = {"dataset": "stays", "name": "bob"}
    for interface, hint in zip((Interface.COMMAND, Interface.PYTHON, Interface.WEB), hints, strict=True):
        said = sentence(reason, values, interface)
        assert said is not None
        assert said[1] == hint


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
