"""Errors with a reason: what they carry, how they are worded, and how they come out of another process."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys

import pytest

from sfumato import errors
from sfumato.adapters.workers import protocol
from sfumato.client.problems import problem
from sfumato.errors import (
    BadInput,
    EngineFailure,
    LedgerUnwritable,
    PolicyError,
    PreferenceError,
    QueryError,
    SfumatoError,
    SourceError,
    rebuild_error,
)
from sfumato.presentation.interface import Interface, speaking
from sfumato.privacy.preferences.registry import from_rule

BUSY = "The ledger x.ledger cannot be written. Hint: name another with {}; nothing was released."


def unwritable() -> LedgerUnwritable:
    return LedgerUnwritable.because("ledger-file-unwritable", path="x.ledger")


@pytest.mark.parametrize(
    ("interface", "option"),
    [(Interface.COMMAND, "--ledger PATH"), (Interface.PYTHON, "ledger=PATH"), (Interface.WEB, "ledger PATH")],
)
def test_a_hint_is_in_the_terms_of_the_interface_that_shows_it(interface: Interface, option: str) -> None:
    with speaking(interface):
        assert str(unwritable()) == BUSY.format(option)


RULE = (
    "worst_case needs gap or ratio: [rule] in t.toml. Hint: try gap = 1.2 and worst_case = true.",
    'sharing_risk needs trust: [rule] in t.toml. Hint: try sharing_risk = "low", trust = "low", '
    'data_sensitivity = "high" and choices = 4.',
    "belief needs the possible worlds: [rule] in t.toml. Hint: list the answers in each world, such as worlds "
    "= [2, 3, 3].",
    "bound needs belief: [rule] in t.toml. Hint: try belief = 0.5, worlds = [2, 3, 3] and bound = true.",
)


def in_a_rule() -> list[SfumatoError]:
    found: list[SfumatoError] = []
    for stated in (
        {"epsilon": 1, "worst_case": True},
        {"sharing_risk": "low"},
        {"belief": 0.4},
        {"epsilon": 1, "bound": True},
    ):
        with pytest.raises(PreferenceError) as error:
            from_rule(stated, "t.toml")
        found.append(error.value)
    return found


@pytest.mark.parametrize("interface", Interface)
def test_what_is_wrong_in_a_rule_is_in_terms_of_the_rule_whatever_shows_it(interface: Interface) -> None:
    with speaking(interface):
        assert tuple(map(str, in_a_rule())) == RULE


def test_it_is_so_behind_a_worker_and_a_client_too() -> None:
    for error, sentence in zip(in_a_rule(), RULE, strict=True):
        told = error.as_dict()["error"]
        said = json.loads(json.dumps({**told, "detail": told["message"]}))
        for heard in (
            protocol.error_from(json.loads(json.dumps(protocol.error_content(error)))),
            problem(422, said, "host"),
        ):
            with speaking(Interface.COMMAND):
                assert str(heard) == sentence


def test_an_error_of_a_rule_keeps_its_reason_as_an_error_of_a_policy() -> None:
    error = PolicyError.in_file(PreferenceError.because("rule-without-preference"), "[rule]")
    assert (error.code, error.reason, error.where) == ("policy", "rule-without-preference", "[rule]")
    assert str(error) == "[rule] states no preference: [rule]. Hint: try gap = 1.2 and worst_case = true."


def test_in_python_it_is_pythons() -> None:
    assert str(unwritable()) == BUSY.format("ledger=PATH")


def test_an_error_with_a_reason_has_the_attributes_of_one_with_sentences() -> None:
    values = {"format": 3, "reads": 2}
    error = BadInput.because("workspace-format", where="sqlite:///w", **values)
    assert (error.reason, error.values, error.where) == ("workspace-format", values, "sqlite:///w")
    assert error.message == "This workspace has format 3, and this version of sfumato reads formats up to 2"
    assert str(error).startswith(f"{error.message}: sqlite:///w. Hint: install a newer version of sfumato")
    assert error.as_values() == {
        "code": "input",
        "message": error.message,
        "hint": error.hint,
        "where": "sqlite:///w",
        "reason": "workspace-format",
        "values": values,
    }


def test_an_error_with_sentences_is_as_it_was_written() -> None:
    error = QueryError("No such column", hint="there are others.", where="line 1")
    assert (error.reason, error.values) == ("", {})
    said = {"code": "query", "message": "No such column", "hint": "there are others.", "where": "line 1"}
    assert error.as_dict() == {"error": said}


@pytest.mark.parametrize(
    "error",
    [
        unwritable(),
        BadInput.because("workspace-format", where="here", format=2, reads=1),
        QueryError("No such column", hint="there are others.", where="line 1"),
        EngineFailure(worker_lost=True),
        errors.Cancelled(),
    ],
)
@pytest.mark.parametrize("copied", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))], ids=["copy", "pickle"])
def test_a_copy_says_the_same(error: SfumatoError, copied: object) -> None:
    made = copied(error)  # type: ignore[operator]
    assert type(made) is type(error)
    assert (str(made), made.as_dict(), vars(made)) == (str(error), error.as_dict(), vars(error))


def test_every_failure_of_the_engine_is_the_same() -> None:
    assert EngineFailure().as_dict() == EngineFailure(worker_lost=True).as_dict()


def test_a_worker_tells_the_reason_and_its_values() -> None:
    told = json.loads(json.dumps(protocol.error_content(unwritable())))
    heard = protocol.error_from(told)
    with speaking(Interface.COMMAND):
        assert str(heard) == BUSY.format("--ledger PATH")
    assert isinstance(heard, LedgerUnwritable)


def test_a_server_tells_the_reason_and_a_client_words_it() -> None:
    said = {"code": "source", "detail": "on a page", "reason": "source-changed", "values": {"source": "t.csv"}}
    error = problem(422, said, "host")
    assert isinstance(error, SourceError)
    assert str(error) == "t.csv changed after it was opened. Hint: open it again."


@pytest.mark.parametrize(
    ("reason", "values"),
    [
        ("", {}),
        ("of a newer version", {"x": 1}),
        ("source-changed", {}),
        ("source-changed", None),
        ("source-changed", {"source": {"a": 1}}),
        ("source-changed", {"source": [[1]]}),
        ("value-unreadable", {"column": "c", "source": "s", "kind": "smell"}),
        ("sandbox-attacks-succeeded", {"attacks": 3}),
    ],
)
def test_of_a_reason_that_is_not_known_here_the_sentences_are_kept(reason: str, values: object) -> None:
    error = rebuild_error("source", "As it was said", "do this.", reason=reason, values=values)
    assert str(error) == "As it was said. Hint: do this."


def test_a_reason_without_wording_is_better_than_nothing() -> None:
    assert str(BadInput.because("nobody-worded-this")) == "nobody-worded-this."


def test_the_wording_is_loaded_when_an_error_is_shown() -> None:
    script = """
import sys
import sfumato
import sfumato.cli.main
from sfumato.errors import EngineFailure

def loaded():
    return any(name.startswith("sfumato.presentation.refusals") for name in sys.modules)

error = EngineFailure()
before = loaded()
str(error)
print(before, loaded())
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=600)
    assert run.stdout == "False True\n"
