"""Options and preferences, in the terms of each interface."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from sfumato.presentation.interface import Interface
from sfumato.presentation.wording.asking import OFFERS
from sfumato.privacy.preferences.registry import KNOWN, NAMES


class _Words(NamedTuple):
    command: str
    python: str
    web: str


_OPTIONS = {  # in Python, with a place for its value where that is an argument of a function
    "redraw": _Words("--redraw", "redraw=True", "redraw"),
    "attack_chance": _Words("--attack-chance", "sf.attack_chance({})", "attack chance"),
    "bins": _Words("--bins", "bins", "bins"),
    "bounds_from_data": _Words("--bounds-from-data", "bounds_from_data", "bounds from data"),
    "delta": _Words("--delta", "delta", "delta"),
    "each": _Words("--each", "each", "each"),
    "epsilon": _Words("--epsilon", "epsilon", "epsilon"),
    "gap": _Words("--gap", "sf.gap({})", "gap"),
    "index": _Words("--index", "index", "index"),
    "kind": _Words("--kind", "kind", "kind"),
    "larger_than_spent": _Words("--larger-than-spent", "sf.larger_than_spent()", "larger than spent"),
    "ledger": _Words("--ledger", "ledger", "ledger"),
    "like": _Words("--like", "like", "like"),
    "mechanism": _Words("--mechanism", "mechanism", "mechanism"),
    "pri": _Words("--pri", "sf.pri({})", "PRI"),
    "ratio": _Words("--ratio", "sf.ratio({})", "ratio"),
    "select_epsilon": _Words("--select-epsilon", "select_epsilon", "epsilon for selecting"),
    "variance": _Words("--variance", "sf.variance({})", "variance"),
    "within": _Words("--within", "sf.within({})", "within"),
    "worst_case": _Words("--worst-case", "worst_case=True", "the worst case"),
}


class Options:
    """An option by its name, or with a value after "=". In Python a word in small letters is a text.

    >>> for interface in Interface:
    ...     option = Options(interface)
    ...     print(option["delta"], "|", option["delta=1e-6"], "|", option["kind=free"], "|", option["gap=1.2"])
    --delta | --delta 1e-6 | --kind free | --gap 1.2
    delta | delta=1e-6 | kind='free' | sf.gap(1.2)
    delta | delta 1e-6 | kind free | gap 1.2
    delta | delta = 1e-6 | kind = "free" | gap = 1.2
    """

    def __init__(self, interface: Interface) -> None:
        self._interface = interface

    def __getitem__(self, key: str) -> str:
        name, equals, value = key.partition("=")
        if name not in _OPTIONS or self._interface is Interface.SCHEMA:
            return _options(_parts(key), self._interface)
        option: str = getattr(_OPTIONS[name], self._interface.value)
        if self._interface is not Interface.PYTHON:
            return f"{option} {value}" if equals else option
        value = repr(value) if value.isalpha() and value.islower() else value
        if "{}" in option:
            return option.format(value)
        return f"{option}={value}" if equals else option


class Preferences:
    """A preference by its name, or with its value and its options; on pages, by the words that offer it.

    >>> for interface in (Interface.COMMAND, Interface.PYTHON, Interface.SCHEMA):
    ...     print(Preferences(interface)["gap"], "|", Preferences(interface)["gap=1.2 worst_case"])
    --gap | --gap 1.2 --worst-case
    sf.gap | sf.gap(1.2, worst_case=True)
    gap | gap = 1.2 and worst_case = true
    """

    def __init__(self, interface: Interface) -> None:
        self._interface = interface

    def __getitem__(self, key: str) -> str:
        parts = _parts(key)
        name, value = parts[0]
        match self._interface:
            case Interface.WEB if name in _OFFERS:
                offer = _OFFERS[name]
                figures = [f"{_LABELS.get(name, _words(name))}: {value}" for name, value in parts if value is not None]
                return f"“{offer.words}”" + (f" ({', '.join(figures)})" if figures else "")
            case Interface.PYTHON if name != "epsilon":  # which is an argument of its own
                given = [] if value is None else [_literal(value)]
                given += [_argument(*part) for part in parts[1:] if part[0] != "together"]
                written = f"sf.{name}({', '.join(given)})" if given else f"sf.{name}"
                people = dict(parts[1:]).get("together")  # a function of its own in Python
                return written if people is None else f"sf.together({written}, {people})"
        return _options(parts, self._interface)


class NumberNames:
    """The name of a number as the domain calls it, in the terms of an interface; other words are left unchanged.

    >>> for interface in (Interface.COMMAND, Interface.PYTHON, Interface.SCHEMA):
    ...     print(
    ...         NumberNames(interface)["exposure cap"],
    ...         NumberNames(interface)["select_epsilon"],
    ...         NumberNames(interface)["A rating"],
    ...     )
    --exposure-cap --select-epsilon A rating
    sf.exposure_cap select_epsilon A rating
    exposure_cap select_epsilon A rating
    """

    def __init__(self, interface: Interface) -> None:
        self._interface = interface

    def __getitem__(self, words: str) -> str:
        name = words.replace(" ", "_")
        if name in NAMES:
            return Preferences(self._interface)[name]
        return Options(self._interface)[name] if name in KNOWN or name in _BESIDE else words


_BESIDE = ("epsilon_max", "limit", "priority")  # numbers that are not in the registry of preferences
_OFFERS = {offer.name: offer for offer in OFFERS}
_LABELS = {figure.name: figure.words for offer in OFFERS for figure in offer.figures} | {
    "expected_count": "people in the smallest group",
}
_Part = tuple[str, str | None]  # a name and its value, if it has one


def _parts(text: str) -> list[_Part]:
    """Names with values, separated by spaces, as in a shell.

    >>> _parts('gap=1.2 between="age > 60" exact')
    [('gap', '1.2'), ('between', 'age > 60'), ('exact', None)]
    """
    parts = (part.partition("=") for part in shlex.split(text))
    return [(name, value if equals else None) for name, equals, value in parts]


def _options(parts: Sequence[_Part], interface: Interface) -> str:
    """Options as they are typed; one without a value is named, of several it is switched on.

    >>> for interface in Interface:
    ...     print(_options(_parts("secret=age radius=5 exact"), interface), "|", _options([("exact", None)], interface))
    --secret age --radius 5 --exact | --exact
    secret='age', radius=5, exact=True | exact
    secret age, radius 5 and exact | exact
    secret = "age", radius = 5 and exact = true | exact
    """
    if interface is Interface.COMMAND:
        return " ".join(_flag(*part) for part in parts)
    if interface is Interface.WEB:
        return _and([_labelled(*part) for part in parts])
    if len(parts) == 1 and parts[0][1] is None:
        return parts[0][0]
    if interface is Interface.PYTHON:
        return ", ".join(_argument(*part) for part in parts)
    return _and([_line(*part) for part in parts])


def _flag(name: str, value: str | None) -> str:
    flag = f"--{name.replace('_', '-')}"
    return flag if value is None else f'{flag} "{value}"' if " " in value else f"{flag} {value}"


def _argument(name: str, value: str | None) -> str:
    return f"{name}=True" if value is None else f"{name}={_literal(value)}"


def _line(name: str, value: str | None) -> str:
    return f"{name} = true" if value is None else f"{name} = {_numbers(value) or json.dumps(value)}"


def _labelled(name: str, value: str | None) -> str:
    label = f"“{_LABELS[name]}”" if name in _LABELS else _words(name)
    return label if value is None else f"{label} {value}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _literal(value: str) -> str:
    """In Python; a word in capitals stands for what is to be put there."""
    return _numbers(value) or (value if value.isupper() else repr(value))


def _numbers(value: str) -> str:
    """A number or a list of them; nothing where it is a text.

    >>> _numbers("1e-9"), _numbers("1,10"), _numbers("age")
    ('1e-9', '[1, 10]', '')
    """
    numbers = value.split(",")
    if not all(_is_number(number) for number in numbers):
        return ""
    return value if len(numbers) == 1 else f"[{', '.join(numbers)}]"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _and(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
