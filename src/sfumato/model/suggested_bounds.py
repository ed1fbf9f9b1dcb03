"""Bounds on what one person contributes, with what each choice costs. They may leave."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sfumato.model.release import ReleaseCertificate


@dataclass(frozen=True)
class CandidateBound:
    """One choice: the noise that it takes, and what it leaves out, as far as the histogram says."""

    bound: int
    noise_90: float  # of a count, with 90% probability, at the epsilon of the release
    people_above: float
    left_out: float  # what the people above have beyond it, at most


@dataclass(frozen=True)
class SuggestedBounds:
    """What to state in the schema, and the choices beside it."""

    statement: str  # as the schema file has it
    bound: int
    for_epsilon: float
    candidates: tuple[CandidateBound, ...]
    certificate: ReleaseCertificate | None = None  # None: from public knowledge

    def as_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"statement": self.statement, "bound": self.bound, "for_epsilon": self.for_epsilon}
        facts |= {"candidates": [asdict(candidate) for candidate in self.candidates]}
        return facts | {"certificate": None if self.certificate is None else self.certificate.as_dict()}
