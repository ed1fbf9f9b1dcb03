"""An epsilon, how it was chosen, and what guarantee that leaves."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.model.guarantee import Guarantee, Provenance


@dataclass(frozen=True)
class Noise:
    """How the noise is to be drawn: the mechanism, its delta, and how epsilon turns into its width."""

    mechanism: str = "laplace"
    delta: float | None = None
    calibration: str = "analytic"


@dataclass(frozen=True, repr=False, kw_only=True)
class EpsilonChoice:
    """`epsilon` is None when no epsilon meets the preference (`feasible` False) or every one does (`unbounded`)."""

    epsilon: float | None
    feasible: bool
    unbounded: bool
    method: str
    guarantee: Guarantee
    why: str
    noise: Noise
    epsilon_max: float
    provenances: tuple[Provenance, ...]
    select_epsilon: float = 0.0
    preregistered: str = ""

    def __post_init__(self) -> None:
        if (self.epsilon is None) == (self.feasible and not self.unbounded):
            raise ValueError("a choice has an epsilon exactly when it is feasible and bounded")

    @property
    def confidential(self) -> bool:
        """Whether this epsilon tells about the people in the data."""
        return not self.guarantee.holds

    def as_dict(self) -> dict[str, object]:
        return {
            "epsilon": self.epsilon,
            "feasible": self.feasible,
            "unbounded": self.unbounded,
            "method": self.method,
            "guarantee": self.guarantee.value,
            "select_epsilon": self.select_epsilon,
            "why": self.why,
        }
