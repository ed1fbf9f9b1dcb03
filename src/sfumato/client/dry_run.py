"""A request on invented rows: the shape of its answers. Nothing is certified, since nobody was asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.client.records import RemoteRecord
from sfumato.model.release import Answer
from sfumato.presentation.release_view import cells
from sfumato.presentation.table import table


class DryRun(RemoteRecord):
    """`.answers` are made up: rows that follow the schema were asked."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self.answers = tuple(Answer.from_dict(one) for one in facts["answers"])

    def text(self) -> str:
        tables = (
            f"{one['query']}\n\n{table(*cells(answer))}"
            for one, answer in zip(self._facts["answers"], self.answers, strict=True)
        )
        return "\n\n".join([self._facts["sentence"], *tables])
