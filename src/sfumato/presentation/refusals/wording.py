"""How the message and the hint of one reason are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Text = str | Callable[..., str]
"""A template for `str.format`, or a function whose keyword arguments are the values that it uses.

`{option[name]}` and `{step[name]}` are the words that `options` has for the interface; a function takes `option` and
`step` as arguments.
"""


class Wording(NamedTuple):
    message: Text
    hint: Text = ""
