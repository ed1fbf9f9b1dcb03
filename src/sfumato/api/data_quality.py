"""Private counts of how a table fits its schema, that print themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.api.display import Printed
from sfumato.model.data_quality import DataQuality

if TYPE_CHECKING:
    from sfumato.presentation.document import Document


class PrivateCheck(Printed, DataQuality):
    """Made by `Dataset.check(epsilon=0.05)`."""

    __repr__ = Printed.__repr__

    def _document(self) -> Document:
        from sfumato.presentation.schema_view import quality_document

        return quality_document(self)
