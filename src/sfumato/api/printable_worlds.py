"""Beliefs about each possible world of a public universe, as they are shown: public, and not a look."""

from __future__ import annotations

from sfumato.api.display import DocumentDisplay
from sfumato.model.world_beliefs import WorldBeliefs
from sfumato.presentation.document import Document
from sfumato.presentation.worlds_view import document


class PrintableWorldBeliefs(DocumentDisplay, WorldBeliefs):
    """Made by `Query.world_beliefs`. `.candidates` has the worlds at each epsilon: prior, posterior and confidence."""

    def _document(self) -> Document:
        return document(self)
