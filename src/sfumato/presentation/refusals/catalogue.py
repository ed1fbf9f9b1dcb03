"""The messages and hints of all errors, as data: one TOML file for each package that raises them.

    [dataset-retired]                      # the reason, as it is raised
    message = "'{dataset}' was retired"    # a template for `str.format`, with the values of the error
    hint = "register another dataset."
    hint_web = "..."                       # for one interface, where it differs: command, python, web or schema

A text is a template, or a table that chooses a template by a value (`by`): the value itself is the key, "empty" stands
for 0, an empty text and an empty list, and "other" for everything else. `{ python = "name" }` names a function of
`decisions`. The fields that a template may use beside the values of its error:

    {option[name=value]}       an option, in the terms of the interface
    {preference[name=value]}   a preference, in the terms of the interface
    {named[$what]}             a number that the domain names in words, in the terms of the interface
    {step[name]}               something to do, from `terms.toml`
    {text[name]}               a text that several share, from `terms.toml` or `decisions.TEXTS`

In brackets, `$name` stands for a value. Lists are joined with commas; with `{names:and}` and `{names:or}` the last one
is joined with that word; `!r` and `!q` quote each of their values.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from inspect import signature
from string import Formatter, Template
from typing import Any

from sfumato.presentation.interface import Interface
from sfumato.presentation.refusals import decisions

FILES = (
    "adapters",
    "auditing",
    "client",
    "composition",
    "errors",
    "escrow",
    "ledger",
    "model",
    "privacy",
    "release",
    "signals",
    "study",
)
WORDS = ("named", "option", "preference", "step", "text")
Text = str | Mapping[str, str]
Wording = Mapping[str, Text]


@cache
def wordings(package: str) -> Mapping[str, Wording]:
    """What a package raises: reason -> its texts."""
    return _read(package)


@cache
def all_wordings() -> Mapping[str, Wording]:
    return {reason: wording for package in FILES for reason, wording in wordings(package).items()}


@cache
def terms() -> Mapping[str, Any]:
    """Steps by name and interface, and texts that several wordings share."""
    table = _read("terms")
    return {"step": table["step"], "text": {**table["text"], **decisions.TEXTS}}


def text_for(wording: Wording, part: str, interface: Interface) -> Text:
    """The message or the hint of a wording, for one interface."""
    return wording.get(f"{part}_{interface.value}", wording.get(part, ""))


def values_used(text: Text) -> set[str]:
    """The values of an error that a text uses."""
    match text:
        case str():
            return _fields(text)
        case {"python": name}:
            return set(signature(decisions.FUNCTIONS[name]).parameters) - set(WORDS)
        case {"by": name}:
            return {name}.union(*(_fields(template) for key, template in text.items() if key != "by"))
    raise TypeError(text)


def _fields(template: str) -> set[str]:
    fields = [field for _, field, _, _ in Formatter().parse(template) if field is not None]
    inside = (name for field in fields for name in Template(field).get_identifiers())
    return {field.partition("[")[0] for field in fields}.union(inside) - set(WORDS)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text("utf-8"))
