"""The nodes that a plan may be made of: a closed list. Each engine lowers our own nodes to what it runs.

A printer of SQL is trusted with the shared nodes alone, whose meaning every engine shares. Whatever engines spell in
different ways, or spell alike and compute differently, is a node of our own; it has no spelling until it is lowered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from sqlglot import exp


class Own(exp.Expression):
    """A node of our own."""


# Values


class Typed(Own):
    """A value as another type; NULL where it does not fit. Engines cast what does not fit each in another way.

    `source` is the type that it has, where that is known; without it, it is a number.
    """

    arg_types: ClassVar = {"this": True, "to": True, "source": False}


class Operand(Own):
    """A computed float that is computed with: engines whose floats overflow with an error have it missing beyond 1e150.

    Nearer to 0 than 1e-150 it is 0 there.
    """

    arg_types: ClassVar = {"this": True}


class Stored(Own):
    """A column as it lies in a table of the engine, of which `stored` names the type there, as a value of ours.

    It is of one of the types of a schema, or NULL where none of them holds it; of a type that nothing is compared with
    it is a text.
    """

    arg_types: ClassVar = {"this": True, "stored": True}


class FloatBits(Own):
    """The 64 bits of a float (IEEE 754) as a whole number with a sign: one for each float, in every engine."""

    arg_types: ClassVar = {"this": True}


class IsNaN(Own):
    """Whether a float is no number."""

    arg_types: ClassVar = {"this": True}


class WholeQuotient(Own):
    """How often one whole number goes into another, cut off towards zero, exactly: not through floats."""

    arg_types: ClassVar = {"this": True, "expression": True}


class Remainder(Own):
    """What is left of that: it has the sign of the first number. Of floats alike."""

    arg_types: ClassVar = {"this": True, "expression": True}


class CutOff(Own):
    """A float without what follows its point."""

    arg_types: ClassVar = {"this": True}


class Logarithm(Own):
    """The logarithm of what is above 0: the natural one, or to a base."""

    arg_types: ClassVar = {"this": True, "base": False}


class At(Own):
    """The element of a list at a position, counted from 1; NULL beyond its end."""

    arg_types: ClassVar = {"this": True, "expression": True}


class Lowered(Own):
    """A text in small letters."""

    arg_types: ClassVar = {"this": True}


class Uppered(Own):
    """A text in capitals."""

    arg_types: ClassVar = {"this": True}


class Bytes(Own):
    """The length of a text in bytes of UTF-8."""

    arg_types: ClassVar = {"this": True}


class Letters(Own):
    """How many characters (code points) a text has."""

    arg_types: ClassVar = {"this": True}


class Excerpt(Own):
    """So many characters of a text, or all the rest, from a character on; the first is 1."""

    arg_types: ClassVar = {"this": True, "start": True, "length": False}


class LastLetters(Own):
    """The last so many characters of a text."""

    arg_types: ClassVar = {"this": True, "length": True}


class Trimmed(Own):
    """A text without the blanks (U+0020, nothing else) before it or after it."""

    arg_types: ClassVar = {"this": True, "before": False, "after": False}


class Joined(Own):
    """Texts one after the other; what is NULL is passed over."""

    arg_types: ClassVar = {"expressions": True}


class Linked(Own):
    """Two texts one after the other; NULL where one is."""

    arg_types: ClassVar = {"this": True, "expression": True}


class Starts(Own):
    """Whether a text begins with another."""

    arg_types: ClassVar = {"this": True, "expression": True}


class Ends(Own):
    """Whether a text ends with another."""

    arg_types: ClassVar = {"this": True, "expression": True}


class Contains(Own):
    """Whether another text occurs in a text."""

    arg_types: ClassVar = {"this": True, "expression": True}


class Found(Own):
    """Whether a part of a text matches a regular expression (RE2); a point matches anything but the end of a line."""

    arg_types: ClassVar = {"this": True, "expression": True}


class FoundWhole(Own):
    """Whether all of a text matches a regular expression (RE2)."""

    arg_types: ClassVar = {"this": True, "expression": True}


class Matches(Own):
    """Whether a text is like a pattern, in which % stands for any text and _ for a character, and nothing escapes."""

    arg_types: ClassVar = {"this": True, "expression": True, "ignore_case": False}


class Extracted(Own):
    """The first part of a text that matches a regular expression (RE2); an empty text where none does."""

    arg_types: ClassVar = {"this": True, "expression": True}


class Rewritten(Own):
    """A text with another one in place of the first match of a regular expression (RE2), or of every one."""

    arg_types: ClassVar = {"this": True, "expression": True, "replacement": True, "every": False}


class Replaced(Own):
    """A text with another one in place of each occurrence of a third."""

    arg_types: ClassVar = {"this": True, "expression": True, "replacement": True}


class Digest(Own):
    """MD5, in hexadecimal letters, of texts one after the other; what is NULL is passed over."""

    arg_types: ClassVar = {"expressions": True}


class DigestNumber(Own):
    """The whole number that the first 15 letters of such a digest spell: at least 0, and below 2**60."""

    arg_types: ClassVar = {"expressions": True}


class RowHash(Own):
    """A whole number of 64 bits, at least 0, that follows from some values. Not the same in every engine.

    Only for what comes to the same however it falls: which people are asked about together, and invented rows.
    """

    arg_types: ClassVar = {"expressions": True}


# Days and times, in UTC and of the years 1 to 9999; units are names such as "month"


class DatePart(Own):
    """A part of a day or time, as a whole number: its year, the day of the week (Sunday is 0), ..."""

    arg_types: ClassVar = {"this": True, "unit": True}


class StartOfUnit(Own):
    """The first day or time of the unit that it is in; a week begins on Monday."""

    arg_types: ClassVar = {"this": True, "unit": True, "to": True}


class UnitsBetween(Own):
    """How many times a new unit begins on the way from the first day or time to the second."""

    arg_types: ClassVar = {"this": True, "expression": True, "unit": True}


class Later(Own):
    """So many units later, at most the last day of a shorter month; it may lie outside the years 1 to 9999."""

    arg_types: ClassVar = {"this": True, "by": True, "unit": True, "to": True}


# Aggregates


class ExactSum(Own):
    """The sum of whole numbers: it never wraps, and goes through no float."""

    arg_types: ClassVar = {"this": True}


class CountTrue(Own):
    """How many rows meet a condition."""

    arg_types: ClassVar = {"this": True}


class AnyTrue(Own):
    """Whether any row meets a condition; NULL where there is none."""

    arg_types: ClassVar = {"this": True}


class TotalWithin(Own):
    """A whole number and, one after the other, each of the others with which the total stays within a limit."""

    arg_types: ClassVar = {"this": True, "expressions": True, "limit": True}


class TwoSmallest(Own):
    """The list of the two smallest values, or of the one that there is."""

    arg_types: ClassVar = {"this": True}


class TwoLargest(Own):
    """The list of the two largest values, or of the one that there is."""

    arg_types: ClassVar = {"this": True}


class MiddleValue(Own):
    """The median: with two middle values, their mean."""

    arg_types: ClassVar = {"this": True}


class LowerMiddle(Own):
    """The median: with two middle values, the smaller one."""

    arg_types: ClassVar = {"this": True}


class FirstOf(Own):
    """The value of the row where another one is smallest; of several such rows, the smallest value.

    Rows in which one of the two is missing are passed over.
    """

    arg_types: ClassVar = {"this": True, "by": True}


class LastOf(Own):
    """The same where it is largest; of several such rows, the largest value."""

    arg_types: ClassVar = {"this": True, "by": True}


class SortedRows(Own):
    """The list of what several columns have in all the rows, in order."""

    arg_types: ClassVar = {"expressions": True}


# Tables


class Counted(Own):
    """A table of the whole numbers from 0 up to one number, without it, in its column `range`."""

    arg_types: ClassVar = {"this": True}


OWN = frozenset(
    {
        Typed, Operand, IsNaN, WholeQuotient, Remainder, CutOff, Logarithm, FloatBits, Stored,
        At, Letters, Excerpt, LastLetters, Trimmed, Joined, Linked, Starts, Ends, Contains, Found, FoundWhole, Lowered,
        Uppered, Bytes, Matches, Extracted, Rewritten, Replaced, Digest, DigestNumber, RowHash,
        DatePart, StartOfUnit, UnitsBetween, Later,
        ExactSum, CountTrue, AnyTrue, TwoSmallest, TwoLargest, MiddleValue, LowerMiddle, FirstOf, LastOf, SortedRows,
        Counted,
    }
)  # fmt: skip
SHARED = frozenset(
    {
        # names, constants and types
        exp.Alias, exp.Boolean, exp.Column, exp.DataType, exp.Identifier, exp.Literal, exp.Null, exp.Star, exp.Table,
        exp.TableAlias,
        # clauses
        exp.CTE, exp.From, exp.Group, exp.Join, exp.Limit, exp.Order, exp.Ordered, exp.Select, exp.Subquery,
        exp.Distinct, exp.Tuple, exp.Union, exp.Values, exp.Where, exp.With, exp.Window,
        # conditions; a CAST is of a constant, of NULL, or to the same type or a wider one
        exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between,
        exp.Case, exp.If, exp.Cast, exp.Coalesce, exp.Nullif, exp.Paren,
        # numbers; a divisor is never 0, and no list is empty
        exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.Abs, exp.Ceil, exp.Floor, exp.Sign, exp.Sqrt, exp.Exp,
        exp.Pow, exp.Greatest, exp.Least, exp.Array,
        # aggregates; a SUM is of floats, or of counts
        exp.Count, exp.Sum, exp.Min, exp.Max, exp.Lag, exp.Lead, exp.RowNumber, exp.Rank, exp.DenseRank,
    }
)  # fmt: skip


def unlisted(tree: exp.Expr) -> Iterator[str]:
    """The nodes of a tree that are not on the list."""
    for node in tree.walk():
        if type(node) not in OWN and type(node) not in SHARED:
            yield type(node).__name__
