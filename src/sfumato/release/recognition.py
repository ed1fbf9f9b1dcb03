"""Whether the rows of a dataset were opened under another name before; only the holder of the data is told."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

from sfumato.errors import SamePeopleWarning, SfumatoError
from sfumato.ports import Engine, KnownRows


class Recognition:
    """Compares the rows with those of other datasets in the ledger, once, before the first look or draw.

    It merges nothing and refuses nothing: either would be an exact fact about the data. Whatever goes wrong in it is
    no reason to fail.
    """

    def __init__(self, dataset: str, engine: Engine, known: KnownRows, notify: Callable[[Warning], None]) -> None:
        self._dataset, self._engine, self._known, self._notify = dataset, engine, known, notify
        self._digest: str | None = None
        self._done = False

    @contextmanager
    def around(self, together: Collection[str]) -> Iterator[None]:
        """Tell before what is done inside, which is entered in the ledger, and remember the rows after it.

        `together` are the datasets that are counted with this one already.
        """
        if self._done:
            yield
            return
        self._done = True
        others: Collection[str] = ()
        with suppress(SfumatoError):
            self._digest = self._engine.digest()
            others = self._known.others(self._dataset, self._digest)
        if apart := [name for name in others if name not in together]:
            self._notify(SamePeopleWarning.because("same-rows", dataset=self._dataset, others=apart))
        yield
        with suppress(SfumatoError):
            if self._digest is not None:
                self._known.remember(self._dataset, self._digest)
