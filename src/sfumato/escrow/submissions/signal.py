"""A signal that was asked for about a release: what it is to be, and what an approval of it holds for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.escrow.submissions.code_review import fingerprint
from sfumato.escrow.submissions.lifecycle import State
from sfumato.model.signal import SignalKind
from sfumato.release.ledger import digest

HOW = ("range", "epsilon", "blocks", "draws", "by_range")


@dataclass(frozen=True)
class Signal:
    """It takes the steps of a request (`request.STEPS`); only `as_published` is withheld between two approvals.

    A task of the library, or code of the analyst's own. `bits` is what it may tell by an exact score.
    """

    id: str
    number: int
    request: str
    dataset: str
    analyst: str
    query: int
    kind: SignalKind
    task: Mapping[str, Any] | None
    code: str | None
    how: Mapping[str, Any]
    bits: float | None
    state: State
    version: str
    policy: int
    binding: str
    submitted_at: str
    decided_at: str | None = None
    decided_by: tuple[Mapping[str, Any], ...] = ()
    note: str = ""
    guarantee: str | None = None
    charged: float | None = None
    ran: bool = False

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Signal:
        known = {name: row[name] for name in cls.__dataclass_fields__}
        read = {"kind": SignalKind(row["kind"]), "state": State(row["state"]), "ran": bool(row["ran"])}
        return cls(**known | read | {"decided_by": tuple(row["decided_by"] or ())})

    @property
    def reads_people(self) -> bool:
        return self.kind is not SignalKind.FREE

    @property
    def asked(self) -> list[object]:
        """What it is to be, canonically: code by its hash."""
        code = None if self.code is None else fingerprint(self.code)
        return [self.query, self.kind.value, self.task, code, dict(self.how)]


def binding_of(
    signal: Sequence[str],
    asked: Sequence[object],
    release: str,
    data: Sequence[str],
    policy: str,
    who: Sequence[str],
) -> str:
    """What an approval is of: this signal, its code or task, kind and parameters, the release, the data under its
    schema, the policy and the recipient. Another of these needs another approval.
    """
    return digest(["signal", signal, asked, release, data, policy, who])
