"""A signal that was asked for about a release: where it stands, and what noise did."""

from __future__ import annotations

from pathlib import Path

from sfumato.api.release import Certificate
from sfumato.api.signal import Signalled, printable_signal
from sfumato.client.on_its_way import OnItsWay
from sfumato.client.records import RemoteRecord
from sfumato.client.remote_risk import ConfidentialRecord
from sfumato.errors import BadInput
from sfumato.model.signal import from_stored
from sfumato.presentation.escrow import signals as signalling
from sfumato.presentation.wording.signals import requests_sentences as of_signalling

SIGNALS = signalling.SIGNALS


class SignalPage(RemoteRecord):
    """The task, or the code with its marks, for whoever decides. `.binding` is what an approval holds for."""

    @property
    def binding(self) -> str:
        return str(self._facts["binding"])

    def text(self) -> str:
        return signalling.page(self._facts)


class Tasks(RemoteRecord):
    """What may be asked about the noise of a release, and whether code of one's own can run there."""

    def text(self) -> str:
        return signalling.library(self._facts)


class Signal(OnItsWay):
    """Made by `Request.signal` or `Answers.signal`; a free one of a task is released already."""

    path, called, words = "signals", "Signal", of_signalling.NEXT

    @property
    def kind(self) -> str:
        return str(self._facts["kind"])

    def result(self) -> Signalled:
        """What noise did, as `release.signal` has it; before it is released, `AwaitingApproval` is raised."""
        told = self._connection.get("signals", self.id, "result")
        return printable_signal(from_stored(told, Certificate.from_dict(told["certificate"])))

    # For those who decide

    def page(self) -> SignalPage:
        """What an approver needs, on one page."""
        page = SignalPage(self._connection.get("signals", self.id, "page"))
        self._seen = page.binding
        return page

    def value(self) -> ConfidentialRecord:
        """Both scores of a signal `as_published`, while it is withheld: a look, recorded."""
        told = self._connection.post("signals", self.id, "value")
        return ConfidentialRecord(told, signalling.value(told))

    def text(self) -> str:
        return signalling.signal(self._facts)

    def _bound(self) -> str:
        return self.page().binding


def source_of(code: str | Path | None) -> str | None:
    """A function as text, or from a file."""
    if not isinstance(code, Path):
        return code
    try:
        return code.read_text("utf-8")
    except (OSError, UnicodeError):
        raise BadInput(f"There is no code in {code}", hint="name a file with def evaluate(tables): ...") from None
