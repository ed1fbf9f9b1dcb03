"""How the message and the hint of one reason are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sfumato.presentation.interface import Interface

Text = str | Callable[..., str]
"""A template for `str.format`, or a function whose keyword arguments are the values that it uses.

`{option[name]}`, `{preference[name=value]}` and `{step[name]}` are the words that `options` has for the interface; a
function takes `option`, `preference` and `step` as arguments.
"""


class Wording(NamedTuple):
    """`instead`: the hint of an interface that has another way, or another place, than the rest."""

    message: Text
    hint: Text = ""
    instead: Mapping[Interface, Text] = {}
