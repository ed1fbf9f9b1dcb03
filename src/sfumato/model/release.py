"""The only things that may leave: a noisy answer and its certificate."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from sfumato.model.guarantee import Guarantee

Row = tuple[object, ...]
Interval = tuple[float, float]


@dataclass(frozen=True)
class Certificate:
    """What can be said to the public about one release. None stands for "withheld"."""

    guarantee: Guarantee
    epsilon: float | None
    delta: float
    mechanism: str
    sensitivity: tuple[float, ...] | None
    scale: tuple[float | None, ...] | None  # one a number; None: selected by its rank
    unit: str
    relation: str
    outputs: int | None
    select_epsilon: float
    charged: float | None
    noise_90: tuple[float | None, ...] | None
    query: str
    query_sha256: str
    ledger_entry: int | None
    dataset: str
    released_at: str
    method: str
    decided_by: str
    fixed: str
    assumed: tuple[str, ...]
    dataset_total: float | None
    dataset_guarantee: Guarantee
    grid_step: tuple[float, ...] | None
    numbers: tuple[str, ...]
    post_processing: tuple[str, ...]

    def __post_init__(self) -> None:
        withheld = (self.epsilon, self.scale, self.noise_90, self.charged)
        if not self.guarantee.holds and any(field is not None for field in withheld):
            raise ValueError("a release without a guarantee withholds the size of its noise")

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON: tuples become lists, words stay words."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        words = ("guarantee", "dataset_guarantee")
        values = {f.name: stored[f.name] for f in fields(cls)}
        values = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
        return cls(**values | {name: Guarantee(values[name]) for name in words})


@dataclass(frozen=True)
class Answer:
    """The released rows, their noise ranges, and the noisy numbers they were made from."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    ranges: tuple[tuple[Interval | None, ...], ...] | None
    numbers: tuple[tuple[float, ...], ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "ranges": None if self.ranges is None else [[r and list(r) for r in row] for row in self.ranges],
            "numbers": [list(cell) for cell in self.numbers],
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        ranges = stored["ranges"]
        return cls(
            tuple(stored["columns"]),
            tuple(tuple(row) for row in stored["rows"]),
            None if ranges is None else tuple(tuple(r and (r[0], r[1]) for r in row) for row in ranges),
            tuple(tuple(cell) for cell in stored["numbers"]),
        )
