"""Regular expressions that every engine reads alike: what is allowed in them, and how much work they are.

They are matched in time by their length and that of the text (RE2). What a pattern repeats counts as often as it may be
repeated.
"""

from __future__ import annotations

import re

MOST_REPEATED = 100
_CLASS_ESCAPES, _OTHER_ESCAPES = "dDwWsS", "bB"
_SPECIAL = "\\.^$|()[]{}*+?"
_REPEAT = re.compile(r"\{([0-9]{1,4})(,([0-9]{0,4}))?\}")


class BadPattern(ValueError):
    """What is wrong with a regular expression."""


def steps(pattern: str) -> int:
    """How many characters a regular expression has once its repetitions are written out.

    >>> steps("^A[0-9]{3}(x|yz)*$")
    10
    """
    reader = _Reader(pattern)
    count = reader.alternatives()
    if reader.place < len(pattern):
        raise BadPattern("has a ) too many")
    return count


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern, self.place = pattern, 0

    def alternatives(self) -> int:
        count = self.sequence()
        while self.taken("|"):
            count += 1 + self.sequence()
        return count

    def sequence(self) -> int:
        count = 0
        while self.place < len(self.pattern) and self.pattern[self.place] not in "|)":
            count += self.piece()
        return count

    def piece(self) -> int:
        if self.taken("^") or self.taken("$") or self.escape_of(_OTHER_ESCAPES):
            self.require_no_repetition()
            return 1
        count = self.atom()
        return count * self.repetition()

    def atom(self) -> int:
        if self.taken("("):
            if self.taken("?") and not self.taken(":"):
                raise BadPattern("has a group that begins with (?, of which only (?: ...) is supported")
            count = self.alternatives()
            if not self.taken(")"):
                raise BadPattern("has a ( that is not closed")
            return max(count, 1)
        if self.taken("["):
            return self.letters()
        if self.taken("\\"):
            self.escaped()
            return 1
        letter = self.pattern[self.place]
        if letter in _SPECIAL and letter != ".":
            raise BadPattern(f"has a {letter} with nothing before it: for the sign itself write \\{letter}")
        self.place += 1
        return 1

    def letters(self) -> int:
        """A class such as [a-z0-9_]."""
        self.taken("^")
        first = True
        while first or not self.taken("]"):
            letter = self.letter_of_class()
            if self.pattern.startswith("-", self.place) and not self.pattern.startswith("-]", self.place):
                self.place += 1
                last = self.letter_of_class()
                if not letter or last < letter:
                    raise BadPattern("has a range in [ ] that does not go from one letter to a later one")
            first = False
        return 1

    def letter_of_class(self) -> str:
        """One letter; nothing where it is a class of its own, such as \\d."""
        letter = self.pattern[self.place : self.place + 1]
        if not letter:
            raise BadPattern("has a [ that is not closed")
        if letter == "\\":
            self.place += 1
            return self.escaped()
        if letter in "[]^":
            raise BadPattern(f"has a {letter} inside [ ]: write \\{letter}")
        self.place += 1
        return letter

    def escaped(self) -> str:
        letter = self.pattern[self.place : self.place + 1]
        if not letter or (letter.isalnum() and letter not in _CLASS_ESCAPES) or not letter.isascii() or letter < " ":
            raise BadPattern(f"has \\{letter}, which is not supported")
        self.place += 1
        return "" if letter in _CLASS_ESCAPES else letter

    def escape_of(self, letters: str) -> bool:
        is_next = self.pattern[self.place] == "\\" and self.pattern[self.place + 1 : self.place + 2] in (*letters,)
        self.place += 2 * is_next
        return is_next

    def repetition(self) -> int:
        """How often what stands before it is written out."""
        times = 1
        if self.taken("*") or self.taken("+") or self.taken("?"):
            self.taken("?")
        elif self.pattern[self.place : self.place + 1] == "{":
            repeat = _REPEAT.match(self.pattern, self.place)
            if repeat is None:
                raise BadPattern("has a { that is no repetition: for the sign itself write \\{")
            least, most = int(repeat[1]), int(repeat[3] or repeat[1])
            if max(least, most) > MOST_REPEATED or most < least:
                raise BadPattern(f"has a repetition beyond {MOST_REPEATED} times, or of fewer than it begins with")
            times = max(most, 1)
            self.place = repeat.end()
            self.taken("?")
        self.require_no_repetition()
        return times

    def require_no_repetition(self) -> None:
        if self.pattern[self.place : self.place + 1] in ("*", "+", "?", "{"):
            raise BadPattern("has a repetition of a repetition, or of a place: put what is repeated in ( )")

    def taken(self, letter: str) -> bool:
        is_next = self.pattern.startswith(letter, self.place)
        self.place += len(letter) * is_next
        return is_next
