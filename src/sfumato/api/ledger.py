"""A dataset's ledger as its holder sees it."""

from __future__ import annotations

from sfumato.errors import SfumatoError
from sfumato.presentation import ledger_view as view
from sfumato.release import ledger


class Ledger(ledger.PrivacyLedger):
    """What was looked at, planned and spent for one dataset and its population, oldest first."""

    @classmethod
    def of(cls, privacy_ledger: ledger.PrivacyLedger) -> Ledger:
        """The same ledger: whatever is entered through one is in the other."""
        printable = cls.__new__(cls)
        printable.__dict__ = privacy_ledger.__dict__
        return printable

    def show(self) -> None:
        print(self)

    def __repr__(self) -> str:
        try:
            return view.document(self.entries, self.total, self.budget).text()
        except SfumatoError as error:
            return str(error)

    def _repr_html_(self) -> str:
        return view.document(self.entries, self.total, self.budget).html()
