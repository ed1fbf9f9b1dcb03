"""What a dataset is opened with, as its ledger states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sfumato.model.budget import Stop
from sfumato.model.schema import STOP


@dataclass(frozen=True)
class Opening:
    """Fingerprints of the schema and of the rule, or of the policy; the population, and the stop of the dataset's own.

    `separation`: whoever views individual risks decides nothing. Entries of older ledgers state no stop: it is then as
    it is stated next.
    """

    schema: Mapping[str, str] = field(default_factory=dict)
    rule: str = ""
    population: str = ""
    stop: Stop | None = None
    separation: bool = False

    @classmethod
    def of(cls, public: Mapping[str, Any]) -> Opening:
        """From what an entry says."""
        stop = Stop.from_texts(public["stop"]) if "stop" in public else None
        named, separation = str(public.get("population", "")), bool(public.get("separation", False))
        return cls(dict(public["schema"]), str(public["rule"]), named, stop, separation)

    def as_public(self) -> dict[str, object]:
        said: dict[str, object] = {"schema": dict(self.schema), "rule": self.rule}
        said |= {} if self.stop is None else {"stop": self.stop.as_texts()}
        said |= {"population": self.population} if self.population else {}
        return said | ({"separation": True} if self.separation else {})

    def is_as(self, stated: Opening, *, stop: bool) -> bool:
        """Whether it says the same as another; with `stop` false, whatever the stops are."""
        if self.stop is None or not stop:
            stated = replace(stated, stop=self.stop)
        return self == stated if stop else self._without_stop == stated._without_stop

    @property
    def _without_stop(self) -> Opening:
        return replace(self, schema={name: said for name, said in self.schema.items() if name != STOP})
