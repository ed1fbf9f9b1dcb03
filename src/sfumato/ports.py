"""Every seam on one page: what the rooms above need from engines, mechanisms and stores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from sfumato.ledger.entry import Draft, Entry
from sfumato.model.dataset import Type
from sfumato.model.pairs import Pair

if TYPE_CHECKING:
    import pyarrow as pa


class Engine(Protocol):
    """Runs the SQL that we wrote on the clean table it holds. What it returns is confidential.

    The clean table is named as the schema says. Where the schema has texts that mean missing, each text column `x` also
    stands in it as `RAW_TEXT + x`: equal to `x` where `x` is there; where it is missing, NULL or a text that means so.
    Comparisons of that reach the source's own filters. These names are in `model.dataset`.
    """

    @property
    def dialect(self) -> str: ...

    @property
    def assumed(self) -> str:
        """What reading the table takes for granted, for the certificate; nothing is the empty text."""

    @property
    def raw(self) -> str:
        """The name under which the table stands as it was delivered, before it was cleaned."""

    @property
    def columns(self) -> Mapping[str, Type | None]:
        """The columns that the data has, by their stored types; None: a type that nothing is compared with."""

    @property
    def numbered(self) -> str:
        """The name under which the clean table stands with the place of each row, from 1, in the column `PERSON`."""

    def rows(self, sql: str) -> Sequence[tuple[Any, ...]]: ...

    def table(self, sql: str) -> pa.Table: ...

    def progress(self) -> float | None:
        """How far the running query is, 0 to 1, if that is known; asked from another thread."""


class Mechanism(Protocol):
    """Draws. `totals` are whole steps of a grid, which one person moves by `sensitivity` steps in all.

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
        """Show what is new to `decide` and add what it returns, in one transaction; synced when this returns them."""
