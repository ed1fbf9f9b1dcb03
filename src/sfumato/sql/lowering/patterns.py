"""Patterns for engines whose regular expressions backtrack (Java, ICU), so that no stored text makes them slow.

Such an engine tries one way after another to match a text. How many ways there are follows from the pattern and the
longest text that is read, so a pattern with too many of them is refused before any row is read.
"""

from __future__ import annotations

import re

from sfumato.model.functions import LONGEST_READ

MOST_WAYS = 10**8  # of one text
_WORD_EDGE, _NO_WORD_EDGE = r"(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))", r"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))"
_OUTSIDE = {"b": _WORD_EDGE, "B": _NO_WORD_EDGE, "s": r"[\t\n\f\r ]", "S": r"[^\t\n\f\r ]"}
_IN_CLASS = {"s": r"\t\n\f\r ", "S": r"[^\t\n\f\r ]"}
_REPEAT = re.compile(r"\{([0-9]+)(,([0-9]*))?\}")
_END = r"\z"


class TooManyWays(ValueError):
    """A regular expression that an engine which backtracks might try for ever."""


def of_like(pattern: str, *, end: str = _END) -> str:
    r"""A LIKE pattern as a regular expression that never goes back: each part is taken where it is found first.

    >>> of_like("a%b_%")
    '(?s)^a(?>.*?b.).*\\z'
    """
    first, *rest = ("".join("." if c == "_" else re.escape(c) for c in part) for part in pattern.split("%"))
    if not rest:
        return f"(?s)^{first}{end}"
    *middle, last = rest
    return f"(?s)^{first}{''.join(f'(?>.*?{part})' for part in middle if part)}.*{last}{end}"


def of_re2(pattern: str, *, whole: bool = False, ours: bool = False, end: str = _END) -> str:
    r"""A regular expression of RE2, of the kind that statements may have, as Java reads it.

    One of our own is not counted: its parts match different letters, so that there is one way at a time.

    >>> of_re2("^a.$")
    '^a[^\\n]\\z'
    """
    reader = _PatternTranslator(pattern, end)
    text, ways, _ = reader.alternatives()
    if not ours and ways * (1 if whole or reader.anchored else LONGEST_READ) > MOST_WAYS:
        raise TooManyWays
    return f"^(?:{text}){end}" if whole else text


class _PatternTranslator:
    """Reads a pattern that was checked (sql/parser/regular_expression.py): what it is in Java, its ways, and whether
    all that it matches is one character."""

    def __init__(self, pattern: str, end: str) -> None:
        self.pattern, self.place, self.end = pattern, 0, end
        self.anchored = True
        """Whether every match begins where the text does."""

    def alternatives(self) -> tuple[str, int, bool]:
        starts, parts = [self.place], [self.sequence()]
        while self.pattern.startswith("|", self.place):
            self.place += 1
            starts.append(self.place)
            parts.append(self.sequence())
        if starts[0] == 0:
            self.anchored = all(self.pattern.startswith("^", start) for start in starts)
        ways = sum(ways for _, ways, _ in parts)
        return "|".join(text for text, *_ in parts), ways, len(parts) == 1 and parts[0][2]

    def sequence(self) -> tuple[str, int, bool]:
        texts, ways, single = list[str](), 1, list[bool]()
        while self.place < len(self.pattern) and self.pattern[self.place] not in "|)":
            text, more, one = self.piece()
            texts.append(text)
            single.append(one)
            ways *= more
        return "".join(texts), ways, single == [True]

    def piece(self) -> tuple[str, int, bool]:
        text, ways, single = self.atom()
        repeat = self.repetition()
        if repeat is None:
            return text, ways, single
        written, least, most = repeat
        if most is None:
            if not single:  # it is matched by recursion, as deep as the text is long
                raise TooManyWays
            return text + written, LONGEST_READ, False
        return text + written, sum(ways**times for times in range(least, most + 1)), False

    def atom(self) -> tuple[str, int, bool]:
        letter = self.pattern[self.place]
        self.place += 1
        match letter:
            case "(":
                opening = "(?:" if self.pattern.startswith("?:", self.place) else "("
                self.place += len(opening) - 1
                text, ways, single = self.alternatives()
                self.place += 1
                return f"{opening}{text})", ways, single
            case "[":
                return self.letters(), 1, True
            case "\\":
                escaped = self.pattern[self.place]
                self.place += 1
                return _OUTSIDE.get(escaped, f"\\{escaped}"), 1, escaped not in "bB"
            case ".":
                return r"[^\n]", 1, True
            case "$":
                return self.end, 1, False
            case "^":
                return "^", 1, False
        return re.escape(letter), 1, True

    def letters(self) -> str:
        """A class: in Java `&&` and `[` mean something in it."""
        negated = self.pattern.startswith("^", self.place)
        self.place += negated
        texts = list[str]()
        while not texts or self.pattern[self.place] != "]":
            letter = self.pattern[self.place]
            self.place += 1
            if letter == "\\":
                escaped = self.pattern[self.place]
                self.place += 1
                texts.append(_IN_CLASS.get(escaped, f"\\{escaped}"))
            else:
                texts.append(r"\&" if letter == "&" else letter)
        self.place += 1
        return f"[{'^' * negated}{''.join(texts)}]"

    def repetition(self) -> tuple[str, int, int | None] | None:
        """What is written after an atom, and the fewest and the most times that it stands for."""
        letter = self.pattern[self.place : self.place + 1]
        if letter and letter in "*+?":
            least, most = (1 if letter == "+" else 0), (1 if letter == "?" else None)
            written = letter
        elif letter == "{":
            repeat = _REPEAT.match(self.pattern, self.place)
            assert repeat is not None
            least, written = int(repeat[1]), repeat[0]
            most = least if repeat[2] is None else int(repeat[3]) if repeat[3] else None
        else:
            return None
        self.place += len(written)
        lazy = "?" * self.pattern.startswith("?", self.place)
        self.place += len(lazy)
        return written + lazy, least, most
