"""What an attacker guesses of someone's value, and what sharing an answer risks: from public facts alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class GuessAt:
    """At one epsilon. `chance` and `advantage` hold whatever else the attacker knows, and for any answer or mechanism.

    `advantage` is the normalised one, 0 where nothing was learned and 1 where everything was; `any_prior` is the most
    that any belief grows by, at any answer (none where noise has a delta); `average` is over the answers of a histogram
    of the secret itself. Risks are there where trust and sensitivity were stated.
    """

    epsilon: float
    chance: float
    advantage: float
    any_prior: float | None
    average: float | None
    risk: float | None
    risk_as_published: float | None
    noise_90: tuple[float | None, ...]
    hundred: tuple[int, int] | None  # the range of a count of 100, with 90% probability

    def as_dict(self) -> dict[str, object]:
        lists = {"noise_90": list(self.noise_90), "hundred": self.hundred and list(self.hundred)}
        return asdict(self) | lists


@dataclass(frozen=True)
class GuessView:
    """Everything that a view of guesses shows. `epsilon` is the largest that keeps the risk at or below the limit.

    `earlier_epsilon` and `earlier_delta` are the total of what the recipient holds already, which is in every chance
    and risk; noise is shown as a share of `count`. Not `feasible`: no epsilon meets the limit.
    """

    query: str
    secret: str
    blind: float
    mechanism: str
    delta: float | None
    numbers: tuple[str, ...]
    candidates: tuple[GuessAt, ...]
    trust: float | None = None
    data_sensitivity: float | None = None
    limit: float | None = None
    epsilon: float | None = None
    why: str = ""
    feasible: bool = True
    earlier_epsilon: float = 0.0
    earlier_delta: float = 0.0
    count: int | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self) | {"candidates": [row.as_dict() for row in self.candidates], "numbers": list(self.numbers)}
