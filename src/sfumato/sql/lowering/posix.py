"""Regular expressions that every engine reads alike (RE2), as PostgreSQL writes them.

They were checked when the query was parsed (`sql/parser/regular_expression.py`): they have no other escapes or groups.
A point is anything but the end of a line, and classes are of the letters of ASCII.
"""

from __future__ import annotations

_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}
_OTHERS = {  # the same turned round, as ranges: a class inside a class cannot be turned round
    "D": r"\u0001-/:-\U0010FFFF",
    "W": r"\u0001-/:-@\[-\^`\{-\U0010FFFF",
    "S": r"\u0001-\b\u000B\u000E-\u001F!-\U0010FFFF",
}
_PLACES = {"b": r"\y", "B": r"\Y"}


def pattern(written: str) -> str:
    r"""The same pattern for PostgreSQL.

    >>> pattern(r"^A\d+.[\w-]\b")
    '^A[0-9]+[^\\n][0-9A-Za-z_-]\\y'
    """
    pieces, place, within = [], 0, False
    while place < len(written):
        letter = written[place]
        place += 1
        if letter == "\\":
            escaped = written[place]
            place += 1
            inner = _CLASSES.get(escaped) or _OTHERS.get(escaped)
            if inner is not None:
                pieces.append(inner if within else f"[{inner}]")
            else:
                pieces.append(_PLACES.get(escaped, f"\\{escaped}"))
        elif letter == "." and not within:
            pieces.append(r"[^\n]")
        else:
            within = letter == "[" or (within and letter != "]")
            pieces.append(letter)
    return "".join(pieces)
