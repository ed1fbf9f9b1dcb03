"""A request on synthetic rows: the shape of its answers, without certificates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.client.records import RemoteRecord, record_of
from sfumato.model.release import Answer
from sfumato.presentation.escrow.questions_view import WordedDryRun
from sfumato.presentation.release_view import cells
from sfumato.presentation.table import table


class DryRun(RemoteRecord):
    """`.answers` come from synthetic rows that follow the schema; `.facts` is the server's reply."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self.facts = record_of(WordedDryRun, facts)
        self.answers = tuple(Answer.from_dict(one) for one in facts["answers"])

    def text(self) -> str:
        both = zip(self.facts.answers, self.answers, strict=True)
        answers = (f"{facts.query}\n\n{table(*cells(answer))}" for facts, answer in both)
        return "\n\n".join([self.facts.sentence, *answers])
