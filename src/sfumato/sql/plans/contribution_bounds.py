"""Which groups and which rows of a person count, where a person has more than may: by digests of their own rows.

The order of a person's rows is that of MD5 over the dataset's name, the person, the text of all columns that the
statement reads, and the copy number among the person's rows of equal text. So every row has the same chance, and no
row of anyone else is read (docs/theory/rows.md). Groups are put in order by the dataset's name, the person and the
keys. Most people have no more than may count: these are only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sfumato.model.schema import PERSON, Type
from sfumato.model.statement import ColumnRef, Scalar
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import (
    alias,
    column,
    join_with,
    ours,
    same_columns,
    scalar,
    select_from,
    sub_select,
    table,
    with_tables,
)
from sfumato.sql.builder.term import col, row_count
from sfumato.sql.builder.values import function, value
from sfumato.sql.plans.clean import try_cast

Select = Callable[[Sequence[exp.Expr]], exp.Select]
"""Builds `SELECT parts` of the rows that a statement keeps; parts read the columns of the table."""

_COPY, _DIGEST, _RANK, _MANY = ours("copy"), ours("digest"), ours("rank"), ours("many")
_KEPT, _CROWDED, _DROPPED = ours("kept"), ours("crowded"), ours("dropped")
_WHOSE = ours("whose")
_COLON, _NOTHING = ":", "-"


@dataclass(frozen=True)
class Contribution:
    """The bounds on what one person contributes to a statement."""

    dataset: str  # its name: the public key of the digests
    person: ColumnRef
    read: tuple[ColumnRef, ...]  # every other column that the statement reads
    max_rows: int
    keys: tuple[Scalar, ...] = ()
    max_groups: int | None = None  # None: no one can have more groups than may count

    def bounded(self, kept: Select, parts: Callable[[], list[exp.Expr]]) -> exp.Select:
        """The parts of the rows that count. One of the parts is the person."""
        names = [part.alias_or_name for part in parts()]
        tables: list[tuple[str, exp.Select, bool | None]] = []
        if self.max_groups is not None:
            tables.append((_DROPPED, self._dropped(kept, self.max_groups), True))
            kept = self._in_few_groups(kept)
        tables.append((_CROWDED, self._crowded(kept), True))
        within = _matching(kept(parts()), names, _CROWDED, [PERSON], "ANTI")
        beyond = kept([*parts(), *_aliases(self.read, self._own)])
        beyond = _matching(beyond, [*names, *(own.name for own in self._own)], _CROWDED, [PERSON], "SEMI")
        first = select_from(map(column, names), self._ranked(beyond), where=[(col(_RANK) <= self.max_rows).tree])
        union = exp.union(within, first, distinct=False, copy=False)
        return with_tables(select_from(map(column, names), union), tables)

    @property
    def _own(self) -> tuple[ColumnRef, ...]:
        """The columns that are read, under names of our own."""
        return _column_refs("read", self.read)

    # Groups

    def _dropped(self, kept: Select, most: int) -> exp.Select:
        """The groups of a person beyond the first so many, by digest of the person and the keys."""
        groups = [ColumnRef(_WHOSE, self.person.type), *_column_refs("group", self.keys)]
        names = [group.name for group in groups]
        each = select_from(map(column, names), kept(_aliases((self.person, *self.keys), groups)), by=names)
        counted = select_from([exp.Star(), alias(_over(row_count().tree, [column(_WHOSE)]), _MANY)], each)
        order = [self._digest(groups), *map(column, names)]
        rank = alias(_over(function("ROW_NUMBER"), [column(_WHOSE)], order), _RANK)
        ranked = select_from([exp.Star(), rank], counted, where=[(col(_MANY) > most).tree])
        return select_from(map(column, names), ranked, where=[(col(_RANK) > most).tree])

    def _in_few_groups(self, kept: Select) -> Select:
        """The rows that a statement keeps, in groups that count."""
        groups = [ColumnRef(_WHOSE, self.person.type), *_column_refs("group", self.keys)]
        names = [group.name for group in groups]

        def still_kept(parts: Sequence[exp.Expr]) -> exp.Select:
            rows = kept([*parts, *_aliases((self.person, *self.keys), groups)])
            return _matching(rows, [part.alias_or_name for part in parts], _DROPPED, names, "ANTI")

        return still_kept

    # Rows

    def _crowded(self, kept: Select) -> exp.Select:
        """People with more rows than may count."""
        person = kept([alias(column(self.person.name), PERSON)])
        counted = select_from([column(PERSON), row_count().named(_MANY)], person, by=[PERSON])
        return select_from([column(PERSON)], counted, where=[(col(_MANY) > self.max_rows).tree])

    def _ranked(self, rows: exp.Select) -> exp.Select:
        """Their rows with the rank of each among those of its person.

        Rows that agree in all that is read share their content, and are numbered among each other. Only an attack on
        MD5 makes two digests of a person equal: content and copy number decide then.
        """
        number = function("ROW_NUMBER")
        copies = select_from([exp.Star(), alias(_over(number, [column(PERSON), *self._content]), _COPY)], rows)
        fields = [ColumnRef(PERSON, self.person.type), *self._own, ColumnRef(_COPY, Type.INTEGER)]
        digests = select_from([exp.Star(), alias(self._digest(fields), _DIGEST)], copies)
        order = [column(_DIGEST), *self._content, column(_COPY)]
        return select_from([exp.Star(), alias(_over(number.copy(), [column(PERSON)], order), _RANK)], digests)

    @property
    def _content(self) -> list[exp.Expr]:
        """What tells rows apart: their texts, and whether a value is there at all."""
        return [tree for own in self._own for tree in _sort_keys(own)]

    def _digest(self, fields: Sequence[ColumnRef]) -> exp.Expr:
        return digest([value(public_field(self.dataset)), *(piece for ref in fields for piece in field(text(ref)))])


# Digests over canonical text


def text(read: ColumnRef) -> exp.Expr:
    """A value in one spelling, in every engine and however wide it is stored: decimal, bits of a double, ISO date."""
    tree: exp.Expr = column(read.name)
    if read.type is Type.NUMBER:
        tree = nodes.FloatBits(this=try_cast(tree, Type.NUMBER))
    return tree if read.type is Type.TEXT else try_cast(tree, Type.TEXT)


def _sort_keys(read: ColumnRef) -> list[exp.Expr]:
    """A value itself, where values are equal exactly if their texts are: not so zeros of either sign."""
    if read.type in (Type.INTEGER, Type.TEXT, Type.BOOLEAN, Type.DATE, Type.TIMESTAMP):
        return [column(read.name)]
    return [text(read), col(read.name).there.tree]


def field(tree: exp.Expr) -> list[exp.Expr]:
    """The pieces of a text with its length in bytes before it, so that no two lists of fields read the same.

    NULL is a dash: a digest passes over the two pieces that are NULL then.
    """
    missing = exp.Is(this=tree, expression=exp.Null())
    between = exp.Case(ifs=[exp.If(this=missing, true=value(_NOTHING))], default=value(_COLON))
    return [try_cast(nodes.Bytes(this=tree.copy()), Type.TEXT), between, tree.copy()]


def public_field(value: str) -> str:
    """The same of a text that is known.

    >>> public_field("stays"), public_field("Ü")
    ('5:stays', '2:Ü')
    """
    return f"{len(value.encode())}{_COLON}{value}"


def digest(pieces: Sequence[exp.Expr]) -> exp.Expr:
    """MD5 of the pieces one after the other."""
    return nodes.Digest(expressions=list(pieces))


def _over(tree: exp.Expr, by: Sequence[exp.Expr], order: Sequence[exp.Expr] = ()) -> exp.Expr:
    """A function over all rows that agree in these, in an order."""
    ordered = [exp.Ordered(this=part, nulls_first=False) for part in order]
    return exp.Window(this=tree, partition_by=list(by), order=exp.Order(expressions=ordered) if ordered else None)


def _column_refs(what: str, columns: Sequence[Scalar]) -> tuple[ColumnRef, ...]:
    return tuple(ColumnRef(ours(what, str(i)), ref.type) for i, ref in enumerate(columns))


def _aliases(values: Sequence[Scalar], names: Sequence[ColumnRef]) -> list[exp.Expr]:
    return [alias(scalar(part), own.name) for part, own in zip(values, names, strict=True)]


def _matching(rows: exp.Select, names: Sequence[str], others: str, by: Sequence[str], kind: str) -> exp.Select:
    """Those of the rows that agree in these columns with one of the others (SEMI), or with none of them (ANTI)."""
    select = exp.Select(
        expressions=[column(name, _KEPT) for name in names], from_=exp.From(this=sub_select(rows, _KEPT))
    )
    return join_with(select, table(others), same_columns(by, _KEPT, others), kind)
