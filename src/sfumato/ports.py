"""Every seam on one page: what the packages above need from engines, noise and storage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from sfumato.errors import SandboxMissing
from sfumato.ledger.audit_log import AuditEntry
from sfumato.ledger.entry import Draft, Entry
from sfumato.model.dominating_pairs import Pair
from sfumato.model.release import Assumption
from sfumato.model.schema import Type

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.sql.plans.exposure_summary import Tree

Row: TypeAlias = Mapping[str, Any]
Columns: TypeAlias = Mapping[str, Sequence[Any]]


class Engine(Protocol):
    """Runs the SQL that we wrote on the clean table it holds. What it returns is confidential.

    The clean table is named as the schema says. Where the schema has texts that mean missing, each text column `x` also
    stands in it as `RAW_TEXT + x`: equal to `x` where `x` is there; where it is missing, NULL or a text that means so.
    Comparisons of that reach the source's own filters. These names are in `model.schema`.
    """

    @property
    def product(self) -> str:
        """The name and version of the program that computes, for the certificate."""

    @property
    def version(self) -> str:
        """An opaque name of the state that a table is in, never of its content; empty where files tell of it.

        Another one where it was found changed. It may be the same for a change of the last seconds.
        """

    def spell(self, tree: Tree) -> str:
        """A plan as SQL that this engine runs: nothing has to be created for it, and nothing is."""

    def snapshot(self) -> AbstractContextManager[object]:
        """What is asked within sees the same rows of a table that others may write to; it may be entered again.

        It begins by `require_unchanged`.
        """

    @property
    def assumed(self) -> Assumption | None:
        """What reading the table assumes, for the certificate."""

    @property
    def tables(self) -> Mapping[str, Engine]:
        """The engine of each table by its name, where there are several; they may be asked about their own only."""

    @property
    def raw(self) -> str:
        """The name under which the table stands as it was delivered, before it was cleaned."""

    @property
    def columns(self) -> Mapping[str, Type | None]:
        """The columns that the data has, by their stored types; None: a type that nothing is compared with."""

    @property
    def numbered(self) -> str:
        """The name under which the clean table stands with the place of each row, from 1, in the column `PERSON`.

        Where rows have no place of their own, it is that in the order of their whole content.
        """

    @property
    def parts(self) -> int:
        """In how many parts of the people a question about people with several rows is asked, to fit in memory.

        It follows from public sizes. 1: the engine takes them all at once.
        """

    def note_pass(self, begun: float, share: float) -> None:
        """What is asked next is one pass of several: it begins at `begun`, of 0 to 1, and is so much of all of them."""

    def require_unchanged(self) -> None:
        """Refuse to go on with files or a table that are not what they were when they were opened, or not there.

        Each pass over them does so too, before and after: what was read of two states is never put together.
        """

    def rows(self, sql: str) -> Sequence[tuple[Any, ...]]: ...

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The same rows, of which few are held at a time; nothing else is asked of the engine before the last one."""

    def table(self, sql: str) -> pa.Table: ...

    def digest(self) -> str:
        """The same for the same rows in whatever order, and for hardly any others; never kept without a key.

        An engine that has none fails, and rows are then not compared with those of other datasets.
        """

    def progress(self) -> float | None:
        """How far the running query is, 0 to 1, if that is known; asked from another thread."""

    def close(self) -> None:
        """Forget what it holds in memory."""


class Mechanism(Protocol):
    """Draws. `totals` are whole steps of a lattice, which one person moves by `sensitivity` steps in all.

    They come back with noise; or they are scores, and where the best one stands comes back. The budget is an epsilon,
    or a mu of Gaussian noise.
    """

    def __call__(self, totals: Sequence[int], sensitivity: int, budget: float, /) -> Sequence[int]: ...


class Mechanisms(Protocol):
    """Finds what draws by a law; of truncated noise, with how many steps it goes at most."""

    def __call__(self, law: str, reach: int = 0, /) -> Mechanism: ...


class Accountant(Protocol):
    """Composes. An epsilon at which all the pairs together are (epsilon, delta)-dp, never below the least; or infinity.

    Only for what was fixed in advance: which pairs there are may not depend on what was drawn.
    """

    def __call__(self, pairs: Sequence[Pair], delta: float, /) -> float: ...


class Seals(Protocol):
    """Encrypts small texts. `about` says what a text is and whose: it opens under the same words only."""

    def seal(self, plain: bytes, about: str) -> str: ...

    def unseal(self, sealed: str, about: str) -> bytes: ...


class LedgerStore(Protocol):
    """Keeps entries for ever, in order."""

    @property
    def recorded(self) -> bool:
        """Whether what is kept outlives this process."""

    def read(self, after: int, head: str | None = None) -> Sequence[Entry]:
        """The entries beyond number `after`; with `head`, the digest it had, a store that has another is refused."""

    def append(
        self, after: int, decide: Callable[[Sequence[Entry]], Sequence[Draft]], head: str | None = None
    ) -> Sequence[Entry]:
        """Show what is new to `decide` and add what it returns, in one transaction; synced when this returns them.

        Where others came first it may be asked again: it is shown each entry once.
        """


class KnownRows(Protocol):
    """Remembers which rows were opened under which name, by keyed digests, for the holder of the data only."""

    def others(self, dataset: str, digest: str) -> Sequence[str]:
        """The other datasets that were opened with the same rows."""

    def knows(self, dataset: str, digest: str) -> bool:
        """Whether this was remembered of the dataset."""

    def remember(self, dataset: str, digest: str) -> None: ...

    def remember_later(self, dataset: str, digest: str) -> None:
        """Remember it together with the next one: nothing is written now."""


class CheckedFiles(Protocol):
    """Remembers the states of files in which every value can be read."""

    def knows(self, state: str, /) -> bool: ...

    def remember(self, state: str, /) -> None: ...


@dataclass(frozen=True)
class Containing:
    """A list of texts, stored in a column, that has this text."""

    text: str


@dataclass(frozen=True)
class Other:
    """Any value but these."""

    than: Sequence[str]


@dataclass(frozen=True)
class Among:
    """Any value that a column of another table has in its rows that match."""

    table: str
    column: str
    where: Mapping[str, object]


@dataclass(frozen=True)
class Lacking:
    """A list of objects, stored in a column: none has these values and, under the same names, those of the row."""

    values: Mapping[str, str]
    of_row: Sequence[str]


@dataclass(frozen=True)
class Selection:
    """Rows of a list: each of `every` holds, and one of `either`; each word of `search` is in one of `within`.

    A name in `within` is of a column, or of a column that holds a list of objects and a field of these, as in
    `queries.sql`. A column of whole numbers has a word that is this number.
    """

    every: Sequence[Mapping[str, object]] = ()
    either: Sequence[Mapping[str, object]] = ()
    search: str = ""
    within: Sequence[str] = ()


@dataclass(frozen=True)
class RowGroup:
    """Rows that are alike: the numbers of the first and the last, and how many there are of how many people.

    `due` is the earliest of them, and `assigned_to` whom all of them are assigned to.
    """

    first: int
    last: int
    rows: int
    people: int
    person: str  # the first of them by name
    due: str | None = None
    assigned_to: str | None = None


class Rows(Protocol):
    """One table of the escrow. Where it counts, a row that comes without a number gets the next one.

    What is looked for is equal to each value that is named; a list means any of its values, and None a row without one.
    Where a column holds lists or objects itself, it is equal to what is named as a whole.
    """

    def add(self, row: Row) -> bool:
        """False, and nothing is added: its key, or what must be unique in it, is taken."""

    def one(self, **where: object) -> Row | None: ...

    def many(
        self, *, after: str | int | None = None, limit: int = 100, newest_first: bool = False, **where: object
    ) -> Sequence[Row]:
        """In the table's own order, from beyond the row that stands at `after`."""

    def listed(
        self,
        selection: Selection,
        *,
        after: str | int | None = None,
        skip: int = 0,
        limit: int = 100,
        newest_first: bool = False,
        by: str = "",
        columns: Sequence[str] = (),
    ) -> Sequence[Row]:
        """Some of a selection, in the table's own order; of each row the columns that are named, or all.

        `by` is a column that they are listed by first; rows without a value come last.
        """

    def counts(self, selection: Selection, *by: str) -> dict[tuple[Any, ...], int]:
        """How many rows a selection has, for each combination of values in these columns."""

    def groups(
        self,
        selection: Selection,
        by: Sequence[str],
        *,
        skip: int = 0,
        limit: int = 100,
        newest_first: bool = False,
        due_first: bool = False,
    ) -> tuple[Sequence[RowGroup], int]:
        """Some groups of rows that are equal in these columns, by their first row, and how many groups there are.

        `due_first`: by their earliest due date first.
        """

    def newest(self, by: str) -> Sequence[Row]:
        """The last row of each value of a column."""

    def change(self, where: Row, to: Row) -> int:
        """How many rows were changed: 0 where someone else was first."""

    def remove(self, **where: object) -> int:
        """How many rows were removed."""


class AuditStore(Protocol):
    """Keeps who did what, for ever, in order; part of the transaction that it is called in."""

    def append(self, at: str, who: str, verb: str, about: str, details: Row) -> int:
        """The number of the entry."""

    def read(
        self,
        after: int = 0,
        limit: int | None = None,
        *,
        newest_first: bool = False,
        who: str | None = None,
        about: str | None = None,
    ) -> Sequence[AuditEntry]:
        """From behind an entry on; newest first, back from before it or from the end."""

    def newest(self, verb: str, about: str) -> AuditEntry | None:
        """The last time that this was done to it."""

    def newest_of_each(self, verb: str, about: Sequence[str] | None = None) -> Sequence[AuditEntry]:
        """The last time that this was done, to each thing or to each of these."""


class Sandbox(Protocol):
    """Runs an analyst's own function, `def evaluate(tables): ...` over pandas tables, where it can do no harm."""

    def missing(self) -> SandboxMissing | None:
        """What has to be installed, or why it may not be used; None: it is ready, and was tested."""

    def score(self, code: str, tables: Sequence[Columns], *, padded: bool = True) -> float | None:
        """One number of `evaluate(tables)`, rounded, after a time that does not depend on it; None is no_score.

        Of public tables, `padded=False`, it comes when it is there.
        """
