"""A schema drafted from what the columns look like; what a person must state is left to a person."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from sfumato.model.dataset import Type
from sfumato.model.fit import Seen

_HEAD = """\
# Drafted by sfumato. Types are guesses; check them.
# Bounds and categories are yours to state, from the codebook and from what is possible, not from the data:
# a guarantee holds only if they would be the same without any one person. Lines that start with # show values that
# were seen; uncomment them only if they are public knowledge.

name = {name}
unit = "row"               # one row is one person
relation = "add-remove"
null_values = []           # texts that mean missing, such as "?"

# [rule]                   # the preference that holds for every release, fixed before anyone looks
# gap = 1.2                # nobody at more than 1.2 times the risk of anybody else
# worst_case = true
"""


def draft(name: str, columns: Sequence[Seen]) -> str:
    """A schema file that loads as it is."""
    return _HEAD.format(name=_text(name)) + "".join(_column(column) for column in columns)


def _column(seen: Seen) -> str:
    lines = ["", f"[columns.{_key(seen.name)}]", f'type = "{seen.type}"']
    if seen.type.numeric:
        lines.append("# bounds = [lowest, highest]     # the lowest and highest value that is possible")
    elif seen.type is Type.TEXT and seen.values:
        lines.append(f"# categories = [{', '.join(map(_text, seen.values))}]")
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(text: str) -> str:
    """A text as TOML writes it: as JSON does, but for one control character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
