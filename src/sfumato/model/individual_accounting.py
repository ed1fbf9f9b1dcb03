"""What everything released adds up to, for anyone and for each person by their own exposure."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class AccountingTotal:
    """The public part: what holds for anyone, and how many charges are in it. `epsilon` is with `delta`."""

    epsilon: float
    delta: float
    rho: float
    by_exposure: int  # charges that count by each person's own exposure
    in_full: int  # charges that count in full for everyone
    without_guarantee: int  # releases that are not in it
    other_units: int  # charges that are not in it either: they protect another unit, or under another relation
    pure: bool  # no Gaussian noise took part

    def as_dict(self) -> dict[str, object]:
        return asdict(self)
