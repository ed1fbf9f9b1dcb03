"""A schema drafted from what the columns look like; what a person must state is left to a person."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.dataset import Type
from sfumato.model.fit import Seen
from sfumato.schema.write import key, text, texts

_HEAD = """\
# Drafted by sfumato. Types are guesses; check them.
# Bounds and categories are yours to state, from the codebook and from what is possible, not from the data:
# a guarantee holds only if they would be the same without any one person. Lines that start with # show values that
# were seen; uncomment them only if they are public knowledge. Of a column whose values are not, keys = "private" lets a
# release find the groups. Of a number, step = 1 says how far apart the candidates of medians and quantiles lie.

name = {name}
unit = "row"               # one row is one person; or the column that names a person
# max_rows = 10            # then: how many rows of one person count in a query, at most
# max_groups = 3           # and in how many groups of it, at most (as many as rows where it is left out)
relation = "add-remove"    # a person may join or leave; or "replace": only stand in for another
null_values = []           # texts that mean missing, such as "?"

# [rule]                   # the preference that holds for every release, fixed before anyone looks
# gap = 1.2                # nobody at more than 1.2 times the risk of anybody else
# worst_case = true
"""


def draft(name: str, columns: Sequence[Seen]) -> str:
    """A schema file that loads as it is."""
    return _HEAD.format(name=text(name)) + "".join(_column(column) for column in columns)


def _column(seen: Seen) -> str:
    lines = ["", f"[columns.{key(seen.name)}]", f'type = "{seen.type}"']
    if seen.type.numeric:
        lines.append("# bounds = [lowest, highest]     # the lowest and highest value that is possible")
    elif seen.type is Type.TEXT and seen.values:
        lines.append(f"# categories = {texts(seen.values)}")
    return "\n".join(lines) + "\n"
