"""A reason and its values -> message and hint, for one interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from string import Formatter, Template
from typing import Any

from sfumato.presentation.interface import Interface
from sfumato.presentation.refusals.catalogue import Text, all_wordings, terms, text_for
from sfumato.presentation.refusals.decisions import FUNCTIONS
from sfumato.presentation.refusals.options import NumberNames, Options, Preferences


def sentence(reason: str, values: Mapping[str, object], interface: Interface) -> tuple[str, str] | None:
    """Message and hint; None where the reason has no wording, or values are not those that it needs.

    Both may be so for an error that another version of sfumato told of. An `interface` among the values is the one
    whose terms it is in, whichever shows it.
    """
    wording = all_wordings().get(reason)
    if wording is None:
        return None
    try:
        spoken = Interface(values.get("interface", interface))
        words = {**values, "option": Options(spoken), "preference": Preferences(spoken), "named": NumberNames(spoken)}
        words |= {"step": _Steps(spoken), "text": _Texts(words)}
        return _write(text_for(wording, "message", spoken), words), _write(text_for(wording, "hint", spoken), words)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None


def _write(text: Text, words: Mapping[str, object]) -> str:
    match text:
        case str():
            return _FORMATTER.vformat(" ".join(text.split()), (), words)
        case {"python": name}:
            function = FUNCTIONS[name]
            return function(**{name: words[name] for name in signature(function).parameters})
        case {"by": name}:
            value = words[name]
            key = str(value) if value else "empty"
            return _write(text[key] if key in text else text["other"], words)
    raise TypeError(text)


class _Steps:
    """Something to do, in the words of an interface; a file has no steps of its own."""

    def __init__(self, interface: Interface) -> None:
        self._interface = "web" if interface is Interface.SCHEMA else interface.value

    def __getitem__(self, name: str) -> str:
        step: str = terms()["step"][name][self._interface]
        return step


class _Texts:
    """A text that several wordings share, by its path."""

    def __init__(self, words: Mapping[str, object]) -> None:
        self._words = words

    def __getitem__(self, path: str) -> str:
        text: Any = terms()["text"]
        for name in path.split("."):
            text = text[name]
        return _write(text, self._words)


class _ListFormatter(Formatter):
    """`str.format` with `$name` in brackets, and with lists that are quoted and joined."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return super().get_field(Template(field_name).substitute(kwargs), args, kwargs)

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        if isinstance(value, list | tuple):
            return [self.convert_field(item, conversion) for item in value]
        return f"“{value}”" if conversion == "q" else super().convert_field(value, conversion)

    def format_field(self, value: object, format_spec: str) -> str:
        if not isinstance(value, list | tuple):
            return str(super().format_field(value, format_spec))
        if format_spec in ("and", "or"):
            *first, last = map(str, value)
            return f" {format_spec} ".join(filter(None, [", ".join(first), last]))
        return ", ".join(format(item, format_spec) for item in value)


_FORMATTER = _ListFormatter()
