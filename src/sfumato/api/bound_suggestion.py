"""Suggested contribution bounds that print themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.api.display import Printed
from sfumato.model import suggested_bounds as model

if TYPE_CHECKING:
    from sfumato.presentation.document import Document


class BoundSuggestion(Printed, model.SuggestedBounds):
    """Made by `Dataset.suggest_bounds(epsilon=0.05, for_epsilon=1.0)`."""

    __repr__ = Printed.__repr__

    def _document(self) -> Document:
        from sfumato.presentation.suggested_bounds_view import document

        return document(self)
