"""What an attacker believes of each possible world of a public universe, before an answer and after it."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class WorldBelief:
    """One world: who is missing, how many people are alike, and its exact answer where that is one number."""

    missing: str
    alike: int
    answer: float | None
    prior: float
    posterior: float

    @property
    def confidence(self) -> float:
        """What the answer adds: posterior minus prior."""
        return self.posterior - self.prior


@dataclass(frozen=True)
class BeliefsAtEpsilon:
    """Every world at one epsilon: at one noisy answer, or at whichever answer is worst for each."""

    epsilon: float
    response: float | None
    worlds: tuple[WorldBelief, ...]


@dataclass(frozen=True)
class WorldBeliefs:
    """`sensitivity` is that of the possible worlds, which the noise of the paper is sized by; else that of the schema.

    With a limit on belief: the epsilon by the paper's bound, and the largest that meets it exactly.
    """

    candidates: tuple[BeliefsAtEpsilon, ...]
    sensitivity: float | None = None
    limit: float | None = None
    bound: float | None = None
    exact: float | None = None

    def as_dict(self) -> dict[str, object]:
        limits = {"belief": self.limit, "epsilon_bound": self.bound, "epsilon": self.exact}
        at = [
            {
                "epsilon": one.epsilon,
                "response": one.response,
                "worlds": [asdict(world) | {"confidence": world.confidence} for world in one.worlds],
            }
            for one in self.candidates
        ]
        sized = "schema" if self.sensitivity is None else "possible-worlds"
        return {"sized_by": sized, "sensitivity": self.sensitivity, **limits, "candidates": at}
