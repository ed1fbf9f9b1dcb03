"""The only things that may be published: a noisy answer and its certificate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Self

from sfumato.model.guarantee import DecidedBy, Fixed, Guarantee, weakest
from sfumato.model.schema import Type

_FIXED, _DECIDED_BY = ([one.value for one in words] for words in (Fixed, DecidedBy))  # from the strongest on
BOUNDS_SOURCES = ("codebook", "separated", "attested", "data")  # from the strongest on too
WITHHELD = "withheld: chosen by looking at the data"  # in a method, in place of what a record does not tell
Row = tuple[object, ...]
Interval = tuple[float, float]


class Assumption(StrEnum):
    """What a release assumes. Some have values, which `Assumed` carries."""

    CLOSED_QUOTES = "closed-quotes"  # of a CSV file
    RUNS_APART = "runs-apart"  # of an analyst's own function
    SCHEMA_PUBLIC = "schema-public"
    BOUNDS_FROM_DATA = "bounds-from-data"
    LOOKED_LINE_KEPT = "looked-line-kept"
    COUNTED_APART = "counted-apart"  # population
    WORLDS_PUBLIC = "worlds-public"
    UNIVERSE_PUBLIC = "universe-public"  # people, name, missing
    GUESS_ALIKE = "guess-alike"  # column, choices
    GUESS_KNOWN = "guess-known"  # column, known
    COHORTS_DISJOINT = "cohorts-disjoint"  # cohorts
    ONE_VALUE_EACH = "one-value-each"  # unit, column
    REPLACED_ALIKE = "replaced-alike"  # unit, column
    KEY_UNIQUE = "key-unique"  # table, column
    INTERRUPTED = "interrupted"  # entry, cause
    ROWS_COUNTED = "rows-counted"  # unit, rows, groups
    DECLARED = "declared"  # said, by
    VIEWERS_SILENT = "viewers-silent"  # viewers
    ROWS_CHOSEN_BLINDLY = "rows-chosen-blindly"
    ASKED_BLINDLY = "asked-blindly"


class PostProcessing(StrEnum):
    """What was done to the noisy numbers before they became an answer."""

    COUNTS_ROUNDED = "counts-rounded"
    MEANS_DIVIDED = "means-divided"
    VARIANCES_COMPOSED = "variances-composed"
    QUANTILES_READ = "quantiles-read"
    COMPUTED = "computed"
    TOTALS_SUMMED = "totals-summed"
    TOTALS_FITTED = "totals-fitted"
    TOTALS_ROUNDED = "totals-rounded"  # counts and their totals, one by one
    THRESHOLDED = "thresholded"  # at the certificate's threshold
    APPLIED_AFTERWARDS = "applied-afterwards"
    ROWS_PICKED = "rows-picked"
    HISTOGRAM_READ = "histogram-read"
    CHECK_READ = "check-read"


@dataclass(frozen=True)
class Assumed:
    """An assumption with its values."""

    code: Assumption
    values: tuple[tuple[str, str | int | float | None], ...] = ()

    @classmethod
    def of(cls, code: Assumption, **values: str | int | float | None) -> Self:
        return cls(code, tuple(values.items()))

    def as_json(self) -> str | dict[str, Any]:
        return {"code": self.code.value, **dict(self.values)} if self.values else self.code.value

    @classmethod
    def from_json(cls, stored: str | dict[str, Any]) -> Self | str:
        """What was stored by an earlier version, as a sentence, stays one."""
        if isinstance(stored, str):
            return cls(Assumption(stored)) if stored in list(Assumption) else stored
        return cls.of(Assumption(stored["code"]), **{name: value for name, value in stored.items() if name != "code"})


@dataclass(frozen=True)
class ReleaseCertificate:
    """What can be said to the public about one release. None stands for "withheld".

    What is assumed and what was done afterwards are codes here and in the record; `presentation.certificate.worded`
    has them as sentences, and earlier versions stored these.
    """

    guarantee: Guarantee
    epsilon: float | None
    delta: float
    mechanism: str
    sensitivity: tuple[float, ...] | None
    scale: tuple[float | None, ...] | None  # one a number; None: selected by its rank
    unit: str
    relation: str
    outputs: int | None
    select_epsilon: float | None
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
    assumed: tuple[Assumed | str, ...]
    dataset_total: float | None
    dataset_guarantee: Guarantee
    grid_step: tuple[float, ...] | None
    numbers: tuple[str, ...]
    post_processing: tuple[str, ...]
    at_most: float | None = None  # where epsilon was selected privately: what it could have cost, with the selection
    dataset_delta: float | None = None
    budget: str | None = None  # the most that the dataset may spend in all, at the time
    calibration: str | None = None  # of Gaussian noise
    shares: tuple[float, ...] | None = None  # parts of epsilon, or of rho where the noise is Gaussian
    laws: tuple[str, ...] | None = None
    rank_90: tuple[float | None, ...] | None = None  # None: no selection
    threshold: float | None = None  # noisy persons that a private group must have
    max_rows: int | None = None
    max_groups: int | None = None  # None: as many as rows
    bounds_source: str | None = None
    why: str | None = None
    planned_at: str | None = None
    looked: bool | None = None  # whether someone had, before this release
    released_by: str | None = None
    sampler: str | None = None
    software: str | None = None
    engine: str | None = None  # what computed the exact totals, with its version
    batch: int | None = None  # so many releases were charged together, this one among them
    batch_delta: float | None = None
    lost: tuple[str, ...] | None = None  # what was read off the people or stated after a look, without a guarantee
    reach: tuple[float, ...] | None = None  # the furthest that truncated noise can go, one a number
    population: str | None = None  # whose total it is, where the dataset is counted together with others
    period: str | None = None  # the calendar period of this release, where a budget is stated for periods
    period_total: float | None = None  # of everything released in it
    period_delta: float | None = None
    cohort: str | None = None  # of the data, where its cohorts are declared to have no person in common
    together: int | None = None  # people for whom a preference had to hold together
    together_epsilon: float | None = None  # of any so many people together, under the same delta
    per_person: float | None = None  # the budget per person: the answer is about the people who are within it
    per_person_delta: float | None = None
    recorded: tuple[int, ...] | None = None  # the entries that noisy numbers of this answer were charged in before

    def __post_init__(self) -> None:
        sizes = (self.epsilon, self.charged, self.scale, self.grid_step, self.noise_90, self.rank_90, self.reach)
        withheld = (*sizes, self.threshold, self.why, self.together_epsilon)
        if not self.guarantee.holds and any(field is not None for field in withheld):
            raise ValueError("a release without a guarantee withholds the size of its noise")

    @property
    def promised(self) -> float | None:
        """The epsilon of this release by itself: what was charged, or its own where that is for more, or for less."""
        if self.recorded is None or self.epsilon is None:
            return self.charged if self.batch is None and self.per_person is None else self.epsilon
        return self.epsilon + (self.select_epsilon or 0.0)

    @property
    def is_free(self) -> bool:
        """Whether all its noisy numbers were charged before."""
        return self.recorded is not None and self.charged == 0

    def weakened(self, sources: Iterable[ReleaseCertificate]) -> Self:
        """With nothing stated more strongly than by the releases that its noisy numbers come from."""
        every: tuple[ReleaseCertificate, ...] = (self, *sources)
        assumed = dict.fromkeys(assumption for c in every for assumption in c.assumed)
        return replace(
            self,
            guarantee=weakest(c.guarantee for c in every),
            fixed=max((c.fixed for c in every), key=_FIXED.index),
            decided_by=max((c.decided_by for c in every), key=_DECIDED_BY.index),
            bounds_source=max((c.bounds_source or BOUNDS_SOURCES[0] for c in every), key=BOUNDS_SOURCES.index),
            assumed=tuple(assumed),
        )

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON: tuples become lists, words stay words."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        plain = {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
        return plain | {"assumed": [one.as_json() if isinstance(one, Assumed) else one for one in self.assumed]}

    @property
    def figures(self) -> dict[str, Any]:
        """The same without what may be in codes or in sentences."""
        return {name: v for name, v in self.as_dict().items() if name not in ("assumed", "post_processing")}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        words = ("guarantee", "dataset_guarantee")
        # Certificates of earlier versions have none of these.
        later = (
            *("period", "period_total", "period_delta", "cohort", "together", "together_epsilon"),
            *("per_person", "per_person_delta", "engine"),
        )
        values = {f.name: stored[f.name] for f in fields(cls) if f.name in stored or f.name not in later}
        values = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
        assumed = tuple(map(Assumed.from_json, values["assumed"]))
        return cls(**values | {name: Guarantee(values[name]) for name in words} | {"assumed": assumed})


@dataclass(frozen=True)
class Ranking:
    """Between which true ranks each row lies, by the column that it is ordered by: of all rows, with 90% at once.

    Rank 1 comes first in the order that was asked for, among so many groups. See docs/theory/true-ranks.md.
    """

    by: str
    among: int
    ranks: tuple[tuple[int, int], ...]

    def first(self, many: int) -> int:
        """How many of the rows are among the true first so many."""
        return sum(worst <= many for _, worst in self.ranks)

    def as_dict(self) -> dict[str, Any]:
        return {"by": self.by, "among": self.among, "ranks": [list(ranks) for ranks in self.ranks]}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        return cls(stored["by"], stored["among"], tuple((best, worst) for best, worst in stored["ranks"]))


@dataclass(frozen=True)
class Answer:
    """The released rows, their noise intervals, and the noisy numbers they were made from.

    `types` and `ranged` are the columns': what their values are, and whether noise intervals go with them. `behind` has
    the noisy count behind each mean and each variance, None for other figures; answers of earlier versions have none.
    `rolled_up` says which keys stand for all their values in a row, where there are several levels; they have no value.
    `ranking` is there where the rows are ordered by a noisy figure.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    intervals: tuple[tuple[Interval | None, ...], ...] | None
    numbers: tuple[tuple[float, ...], ...]
    types: tuple[Type | None, ...]
    ranged: tuple[bool, ...]
    behind: tuple[tuple[int | None, ...], ...] = ()
    rolled_up: tuple[tuple[bool, ...], ...] = ()
    ranking: Ranking | None = None

    def is_rolled_up(self, row: int, column: int) -> bool:
        """Whether a key stands for all its values here."""
        return bool(self.rolled_up) and self.rolled_up[row][column]

    def as_dict(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            "rows": [[v.isoformat() if isinstance(v, date) else v for v in row] for row in self.rows],
            "intervals": None if self.intervals is None else [[r and list(r) for r in row] for row in self.intervals],
            "numbers": [list(cell) for cell in self.numbers],
            "types": [type_ and type_.value for type_ in self.types],
            "ranged": list(self.ranged),
            "behind": [list(row) for row in self.behind],
            **({"rolled_up": [list(row) for row in self.rolled_up]} if self.rolled_up else {}),
            **({} if self.ranking is None else {"ranking": self.ranking.as_dict()}),
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        intervals = stored["intervals"]
        types = tuple(type_ and Type(type_) for type_ in stored["types"])
        return cls(
            tuple(stored["columns"]),
            tuple(tuple(map(read_cell_value, row, types)) for row in stored["rows"]),
            None if intervals is None else tuple(tuple(r and (r[0], r[1]) for r in row) for row in intervals),
            tuple(tuple(cell) for cell in stored["numbers"]),
            types,
            tuple(stored["ranged"]),
            tuple(map(tuple, stored.get("behind", ()))),
            tuple(map(tuple, stored.get("rolled_up", ()))),
            Ranking.from_dict(stored["ranking"]) if stored.get("ranking") else None,
        )


@dataclass(frozen=True, repr=False)
class Released:
    """A published answer and its certificate."""

    answer: Answer
    certificate: ReleaseCertificate
    repeated: bool = field(default=False, compare=False)  # answered from the record: nothing was charged

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.answer.rows

    @property
    def numbers(self) -> tuple[tuple[float, ...], ...]:
        return self.answer.numbers

    def as_dict(self) -> dict[str, Any]:
        return self.answer.as_dict() | {"certificate": self.certificate.as_dict()}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        return cls(Answer.from_dict(stored), ReleaseCertificate.from_dict(stored["certificate"]))


def read_cell_value(value: Any, type_: Type | None) -> Any:
    """A value as a record has it, days and times in ISO 8601."""
    if value is None or type_ not in (Type.DATE, Type.TIMESTAMP):
        return value
    return date.fromisoformat(value) if type_ is Type.DATE else datetime.fromisoformat(value)
