"""Which rows of a person count, where a person has more than may: decided by a digest of their own rows.

The order of a person's rows is that of MD5 over the dataset's name, the person, the text of all columns that the
statement reads, and the copy number among the person's rows of equal text. So every row has the same chance, and no
row of anybody else is read (docs/theory/rows.md). Most people have no more rows than may count: these are only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sfumato.model.dataset import PERSON, Type
from sfumato.model.statement import ColumnRef
from sfumato.sql.clean import try_cast
from sfumato.sql.term import col, rows_counted
from sfumato.sql.tree import alias, column, function, joined, ours, selected, sub_select, table, value, with_tables

Select = Callable[[Sequence[exp.Expr]], exp.Select]
"""Builds `SELECT parts` of the rows that a statement keeps; parts read the columns of the table."""

_COPY, _RANK, _MANY = ours("copy"), ours("rank"), ours("many")
_KEPT, _CROWDED = ours("kept"), ours("crowded")
_COLON, _NOTHING = ":", "-"


@dataclass(frozen=True)
class Contribution:
    """The bounds on what one person contributes to a statement."""

    dataset: str  # its name: the public key of the digests
    person: ColumnRef
    read: tuple[ColumnRef, ...]  # every other column that the statement reads
    max_rows: int

    def bounded(self, kept: Select, parts: Callable[[], list[exp.Expr]]) -> exp.Select:
        """The parts of the rows that count. One of the parts is the person."""
        names = [part.alias_or_name for part in parts()]
        within = _matching(kept(parts()), names, _CROWDED, "ANTI")
        read = [alias(column(ref.name), own.name) for ref, own in zip(self.read, self._own, strict=True)]
        beyond = _matching(kept([*parts(), *read]), [*names, *(own.name for own in self._own)], _CROWDED, "SEMI")
        first = selected(map(column, names), self._ranked(beyond), where=[(col(_RANK) <= self.max_rows).tree])
        union = exp.union(within, first, distinct=False, copy=False)
        return with_tables(selected(map(column, names), union), [(_CROWDED, self._crowded(kept), True)])

    @property
    def _own(self) -> tuple[ColumnRef, ...]:
        """The columns that are read, under names of our own."""
        return tuple(ColumnRef(ours("read", str(i)), ref.type) for i, ref in enumerate(self.read))

    def _crowded(self, kept: Select) -> exp.Select:
        """Whoever has more rows than may count."""
        person = kept([alias(column(self.person.name), PERSON)])
        counted = selected([column(PERSON), rows_counted().named(_MANY)], person, by=[PERSON])
        return selected([column(PERSON)], counted, where=[(col(_MANY) > self.max_rows).tree])

    def _ranked(self, rows: exp.Select) -> exp.Select:
        """Their rows with the rank of each among those of its person.

        Rows that agree in all that is read share their content, and are numbered among each other. Only an attack on
        MD5 makes two digests of a person equal: content and copy number decide then.
        """
        copy = ColumnRef(_COPY, Type.INTEGER)
        copies = selected([exp.Star(), alias(_row_number([column(PERSON), *self._content]), _COPY)], rows)
        order = [self._digest(copy), *self._content, column(_COPY)]
        return selected([exp.Star(), alias(_row_number([column(PERSON)], order), _RANK)], copies)

    @property
    def _content(self) -> list[exp.Expr]:
        """What tells rows apart, to the last bit: zeros of either sign are equal numbers, but not equal texts."""
        return [text(own) if own.type is Type.NUMBER else column(own.name) for own in self._own]

    def _digest(self, copy: ColumnRef) -> exp.Expr:
        fields = [ColumnRef(PERSON, self.person.type), *self._own, copy]
        return digest([value(public_field(self.dataset)), *(piece for ref in fields for piece in field(text(ref)))])


# Digests over canonical text


def text(read: ColumnRef) -> exp.Expr:
    """A value in one spelling, however wide it is stored: decimal, shortest decimal of a double, ISO date."""
    tree: exp.Expr = column(read.name)
    if read.type is Type.NUMBER:
        tree = try_cast(tree, Type.NUMBER)
    return tree if read.type is Type.TEXT else try_cast(tree, Type.TEXT)


def field(tree: exp.Expr) -> list[exp.Expr]:
    """The pieces of a text with its length in bytes before it, so that no two lists of fields read the same.

    NULL is a dash: `CONCAT` passes over the two pieces that are NULL then.
    """
    missing = exp.Is(this=tree, expression=exp.Null())
    between = exp.Case(ifs=[exp.If(this=missing, true=value(_NOTHING))], default=value(_COLON))
    return [try_cast(function("STRLEN", tree.copy()), Type.TEXT), between, tree.copy()]


def public_field(stated: str) -> str:
    """The same of a text that is known.

    >>> public_field("stays"), public_field("Ü")
    ('5:stays', '2:Ü')
    """
    return f"{len(stated.encode())}{_COLON}{stated}"


def digest(pieces: Sequence[exp.Expr]) -> exp.Expr:
    """MD5 of the pieces one after the other."""
    return function("MD5", exp.Anonymous(this="CONCAT", expressions=list(pieces)))


def _row_number(by: Sequence[exp.Expr], order: Sequence[exp.Expr] = ()) -> exp.Expr:
    ordered = [exp.Ordered(this=part, nulls_first=False) for part in order]
    return exp.Window(
        this=function("ROW_NUMBER"),
        partition_by=list(by),
        order=exp.Order(expressions=ordered) if ordered else None,
    )


def _matching(rows: exp.Select, names: Sequence[str], others: str, kind: str) -> exp.Select:
    """Those of the rows whose person is among the others (SEMI), or is not (ANTI)."""
    select = exp.Select(
        expressions=[column(name, _KEPT) for name in names], from_=exp.From(this=sub_select(rows, _KEPT))
    )
    same = exp.EQ(this=column(PERSON, _KEPT), expression=column(PERSON, others))
    return joined(select, table(others), [same], kind)
