"""Results of a private selection that was tried many times on synthetic data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class SelectionTrials:
    """Results for one threshold: the selected epsilons, and how often none was selected.

    >>> SelectionTrials("variance 0.0001", (0.5, 0.6, 0.6, 0.7), nothing=1)
    <SelectionTrials of variance 0.0001: epsilon 0.6, 90% from 0.5 to 0.7; none selected in 1 of 5>
    """

    threshold: str
    epsilons: tuple[float, ...]
    nothing: int = 0
    requested: bool = False  # the threshold that was asked for, among others around it
    private: bool = True  # or as published, whatever the threshold
    value: float = 0.0  # of the threshold

    def quantile(self, p: float) -> float | None:
        """The smallest that at least a share `p` of those selected do not exceed."""
        ascending = sorted(self.epsilons)
        return ascending[min(len(ascending) - 1, int(p * len(ascending)))] if ascending else None

    def __repr__(self) -> str:
        low, middle, high = (self.quantile(p) for p in (0.05, 0.5, 0.95))
        selected = f"epsilon {middle:g}, 90% from {low:g} to {high:g}; " if self.epsilons else ""
        none = f"none selected in {self.nothing} of {len(self.epsilons) + self.nothing}"
        return f"<SelectionTrials of {self.threshold}: {selected}{none}>"

    def as_dict(self) -> dict[str, object]:
        named = {f"epsilon_{int(100 * p)}": self.quantile(p) for p in (0.05, 0.5, 0.95)}
        tries = len(self.epsilons) + self.nothing
        return {"threshold": self.threshold, **named, "tries": tries, "nothing": self.nothing}
