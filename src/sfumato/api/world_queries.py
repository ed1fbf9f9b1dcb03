"""What a query says of a public universe: the possible worlds, in each of which one person is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from sfumato.api.display import as_printable
from sfumato.release.keywords import WorldKeywords

if TYPE_CHECKING:
    from sfumato.api.printable_worlds import PrintableWorldBeliefs
    from sfumato.release.bound_query import BoundQuery


class WorldQueries:
    """The part of `Query` that is about possible worlds."""

    _bound: BoundQuery

    def world_beliefs(
        self, candidates: str | Sequence[float] | None = None, **how: Unpack[WorldKeywords]
    ) -> PrintableWorldBeliefs:
        """Prior, posterior and confidence of each possible world, where this table is a *public* universe: no look.

        `sensitivity="possible-worlds"` sizes noise by the universe, as Lee and Clifton do, and shows the beliefs after
        one noisy answer (`response`); `limit` adds the epsilons that keep to it; `names` is a column.
        """
        from sfumato.api.printable_worlds import PrintableWorldBeliefs
        from sfumato.release.universe import world_beliefs

        return as_printable(PrintableWorldBeliefs, world_beliefs(self._bound, candidates, **how))
