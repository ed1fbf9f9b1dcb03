"""What a black-box audit of a mechanism was about, and what it has shown."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class AuditFinding:
    """On one pair of tables: the epsilon that is shown at least, and how often a broken mechanism would be caught."""

    query: str
    tables: str  # what they differ in
    shown: float
    power: float
    enough: int | None  # runs a side that catch it with 90% probability, if any number does
    counted: str


@dataclass(frozen=True)
class MechanismAudit:
    """A lower bound of epsilon, above the real one no more often than 1 - confidence."""

    mechanism: str
    aggregate: str
    relation: str
    claim: float
    delta: float
    confidence: float
    runs: int  # a side, on each pair
    against: str  # what `power` is about
    findings: tuple[AuditFinding, ...]

    @property
    def lower_bound(self) -> float:
        """Lower bound of epsilon."""
        return max(finding.shown for finding in self.findings)

    @property
    def power(self) -> float:
        """About how often such an audit catches what it is held against."""
        return max(finding.power for finding in self.findings)

    @property
    def enough(self) -> int | None:
        return min((finding.enough for finding in self.findings if finding.enough), default=None)

    @property
    def holds(self) -> bool:
        """Whether the claim is not contradicted; that is no proof."""
        return self.lower_bound <= self.claim

    def as_dict(self) -> dict[str, Any]:
        values = asdict(self)
        findings = list(values.pop("findings"))
        return values | {"shown": self.lower_bound, "power": self.power, "holds": self.holds, "findings": findings}
