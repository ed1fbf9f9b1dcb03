"""A schema drafted from what the columns look like; what a person must state is left to a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.model.fit import Seen
from sfumato.model.schema import Type
from sfumato.schema.write import key, text, texts

_HEAD = """\
# Drafted by sfumato from the names of the columns and from guesses of their types and formats.
# Confirm each guess.
# Bounds and categories are yours to state, from the codebook and from what is possible, not from the data: a guarantee
# holds only if they would be the same without any one person. If the values of a column are not public, state
# keys = "private" there, and a release finds the groups. For a number, step = 1 states the distance between the
# candidates of medians and quantiles.
{seen}
name = {name}
{looked}unit = "row"               # each row is one person; or the column that identifies a person
# max_rows = 10            # with a unit column: the most rows of one person that count in a query
# max_groups = 3           # with a unit column: the most groups in which one person counts (default: max_rows)
relation = "add-remove"    # a person may join or leave; or "replace": a person may only be replaced by another
{missing}

# [rule]                   # the preregistered rule for every release, fixed before anyone looks at the data
# gap = 1.2                # no one at more than 1.2 times the risk of anyone else
# worst_case = true
"""
_CATEGORIES = '# categories = ["one", "two"]    # the values that are public knowledge'
_SEEN = """\
# Commented categories are values of the data: you have looked at it. Uncomment them only if they are public knowledge.
# Keep the line `looked`: the look is entered in the ledger when the dataset is first opened, so what this file states
# counts as stated after a look. If it was fixed before, say where with --preregistered; or start from a draft without
# --values.
"""


_TIMES = {Type.DATE: "[2020-01-01, 2029-12-31]", Type.TIMESTAMP: "[2020-01-01T00:00:00, 2029-12-31T23:59:59]"}


def draft(name: str, columns: Sequence[Seen], looked: str = "") -> str:
    """A schema file that loads as it is; `looked` says who is shown values of the data, and when."""
    seen, line = (_SEEN, f"looked = {text(looked)}\n") if looked else ("", "")
    words = missing_texts(columns)
    remark = "# a guess: confirm that they mean missing" if words else '# texts that mean missing, such as "?"'
    missing = f"null_values = {texts(words)}".ljust(26) + f" {remark}"
    head = _HEAD.format(name=text(name), seen=seen, looked=line, missing=missing)
    return head + "".join(_column(column) for column in columns)


_TABLES = """\
# Drafted by sfumato from the names of the columns and from guesses of their types and formats.
# Confirm each guess. Bounds and categories are yours to state, from what is possible, not from the data.
# Say below each table whose its rows are: the file is read once every table has one of the three.
{seen}
name = {name}
{looked}relation = "add-remove"    # a person may join or leave; or "replace": a person may only be replaced by another
{missing}

[unit]
{table} # a guess: everyone is in this table
{column} # a guess: the column that names them
# max_rows = 10            # the most rows of one person that count in a query, after its joins
"""
_WHOSE = """
[tables.{table}]
# person = "COLUMN"        # the column that names the person of each row
# parent = {{ column = "COLUMN", table = "TABLE", key = "COLUMN", unique = "enforced" }}   # or: of its parent's row
# public = true            # or: no row is about a person
"""


def draft_tables(name: str, tables: Mapping[str, Sequence[Seen]], looked: str = "") -> str:
    """A schema file of several tables; it loads once a person has said whose the rows of each are."""
    seen, line = (_SEEN, f"looked = {text(looked)}\n") if looked else ("", "")
    words = missing_texts([column for columns in tables.values() for column in columns])
    remark = "# a guess: confirm that they mean missing" if words else '# texts that mean missing, such as "?"'
    first = next(iter(tables))
    head = _TABLES.format(
        name=text(name),
        seen=seen,
        looked=line,
        missing=f"null_values = {texts(words)}".ljust(26) + f" {remark}",
        table=f"table = {text(first)}".ljust(26),
        column=f"column = {text(tables[first][0].name if tables[first] else 'COLUMN')}".ljust(26),
    )
    blocks = (
        _WHOSE.format(table=key(table)) + "".join(_column(column, f"tables.{key(table)}.columns") for column in columns)
        for table, columns in tables.items()
    )
    return head + "".join(blocks)


def missing_texts(columns: Sequence[Seen]) -> list[str]:
    """The usual texts for a missing value that the columns have."""
    return list(dict.fromkeys(word for column in columns for word in column.missing))


def _column(seen: Seen, section: str = "columns") -> str:
    lines = ["", f"[{section}.{key(seen.name)}]", f'type = "{seen.type}"'.ljust(26) + " # a guess: confirm it"]
    if seen.format is not None:
        lines.append(f"format = {text(seen.format)}".ljust(26) + " # a guess: how its values are written")
    if seen.type.numeric:
        lines.append("# bounds = [lowest, highest]     # the lowest and highest value that is possible")
    elif seen.type.temporal:
        lines.append(f"# bounds = {_TIMES[seen.type]}     # the first and last {seen.type} that is possible")
    elif seen.type is Type.TEXT:
        lines.append(f"# categories = {texts(seen.values)}" if seen.values else _CATEGORIES)
    return "\n".join(lines) + "\n"
