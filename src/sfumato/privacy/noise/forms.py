"""Computed columns as ratios of weighted sums of noisy numbers, each number once (docs/theory/computed.md)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.model.functions import is_partial
from sfumato.model.measurement import Assembly, Measurement, NoisyNumber, NumberKind
from sfumato.model.statement import Arithmetic, Call, Case, ColumnRef, Constant, Scalar, SumOverGroups, parts_of

Ends = tuple[float, float]
ALL: Ends = (-math.inf, math.inf)
NOT_NEGATIVE: Ends = (0.0, math.inf)


@dataclass(frozen=True)
class WeightedSum:
    """`constant + sum_j w_j N_j`; numbers by their position, none with weight 0."""

    constant: Fraction = Fraction(0)
    weights: tuple[tuple[int, Fraction], ...] = ()

    def times(self, factor: Fraction) -> WeightedSum:
        return WeightedSum(self.constant * factor, tuple((i, w * factor) for i, w in self.weights if factor))

    def plus(self, other: WeightedSum) -> WeightedSum:
        weights = dict(self.weights)
        for i, weight in other.weights:
            weights[i] = weights.get(i, Fraction(0)) + weight
        return WeightedSum(self.constant + other.constant, tuple(sorted((i, w) for i, w in weights.items() if w)))

    def value(self, cell: Sequence[float]) -> float:
        return float(self.constant) + math.fsum(float(w) * cell[i] for i, w in self.weights)

    def multiple_of(self, other: WeightedSum) -> Fraction | None:
        """How many times another sum it is, where it is that."""
        first = other.weights[0][1] if other.weights else other.constant
        own = dict(self.weights).get(other.weights[0][0], Fraction(0)) if other.weights else self.constant
        if not first:
            return None
        return own / first if other.times(own / first) == self else None


ONE = WeightedSum(Fraction(1))


@dataclass(frozen=True)
class SumRatio:
    """One weighted sum over another; over 1 it is the sum itself."""

    top: WeightedSum
    bottom: WeightedSum = ONE

    @property
    def constant(self) -> Fraction | None:
        """Its value, where no noise is in it."""
        return self.top.constant if self.is_sum and not self.top.weights else None

    @property
    def is_sum(self) -> bool:
        return self.bottom == ONE

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(i for i, _ in (*self.top.weights, *self.bottom.weights))

    @classmethod
    def of(cls, top: WeightedSum, bottom: WeightedSum) -> SumRatio | None:
        """In lowest terms; nothing where it is divided by 0."""
        if not bottom.weights:
            return cls(top.times(1 / bottom.constant)) if bottom.constant else None
        multiple = top.multiple_of(bottom)
        if multiple is not None:
            return cls(WeightedSum(multiple))
        lead = bottom.weights[0][1]
        return cls(top.times(1 / lead), bottom.times(1 / lead))

    def plus(self, other: SumRatio) -> SumRatio | None:
        if self.bottom == other.bottom:
            return SumRatio.of(self.top.plus(other.top), self.bottom)
        if other.constant is not None:
            return SumRatio.of(self.top.plus(self.bottom.times(other.constant)), self.bottom)
        return other.plus(self) if self.constant is not None else None

    def times(self, factor: Fraction) -> SumRatio | None:
        return SumRatio.of(self.top.times(factor), self.bottom)

    def over(self, other: SumRatio) -> SumRatio | None:
        if self.bottom == other.bottom:
            return SumRatio.of(self.top, other.top)
        if self.constant is not None:
            return SumRatio.of(other.bottom.times(self.constant), other.top)
        if other.is_sum and other.constant:
            return self.times(1 / other.constant)
        return None


class Forms:
    """Reads the columns of an answer, and expressions of them, as ratios of weighted sums."""

    def __init__(self, measurement: Measurement, *, with_others: bool = False) -> None:
        """`with_others`: of n numbers, those from the n-th on are the sums of the same numbers of the other groups."""
        self.measurement = measurement
        self.columns = {column.name: column for column in measurement.columns}
        self.with_others = with_others
        self.alike: dict[tuple[str, ...], Counter[tuple[object, ...]]] = {}  # how many groups have the same keys

    def form(self, part: Scalar, keys: Mapping[str, object]) -> SumRatio | None:
        """The expression as one ratio, each noisy number in it once; None where it is none."""
        match part:
            case ColumnRef(name):
                return self.column(self.columns[name], keys)
            case Constant(Fraction() as number):
                return SumRatio(WeightedSum(number))
            case Arithmetic(operator, left, right):
                divisor = without_nullif(right) if operator == "/" else right
                one, other = self.form(left, keys), self.form(divisor, keys)
                return None if one is None or other is None else _combined(operator, one, other)
            case SumOverGroups(ColumnRef(name), within):
                return self.over_groups(self.columns[name], [ref.name for ref in within], keys)
        return None

    def over_groups(self, column: Assembly, within: Sequence[str], keys: Mapping[str, object]) -> SumRatio | None:
        """The group's own number and the sum of the others', whose noises are independent."""
        own = self.column(column, {})
        if own is None or not own.is_sum or not self.with_others:
            return None
        if self.is_alone(tuple(within), keys):
            return own
        many = len(self.measurement.numbers)
        return own.plus(SumRatio(WeightedSum(weights=tuple((many + i, weight) for i, weight in own.top.weights))))

    def is_alone(self, within: tuple[str, ...], keys: Mapping[str, object]) -> bool:
        """Whether no other group has the same values of these keys; not where they are not known."""
        if not within:
            return len(self.measurement.public_cells) == 1
        if within not in self.alike:
            positions = [self.columns[name].key or 0 for name in within]
            cells = self.measurement.public_cells
            self.alike[within] = Counter(tuple(cell[position] for position in positions) for cell in cells)
        return self.alike[within].get(tuple(keys.get(name) for name in within), 0) == 1

    def column(self, column: Assembly, keys: Mapping[str, object]) -> SumRatio | None:
        if column.computed is not None:
            return self.form(column.computed, keys)
        if column.is_public:
            key = keys.get(column.name)
            if isinstance(key, bool) or not isinstance(key, int | float):
                return None
            return SumRatio(WeightedSum(Fraction(key)))
        first = self.measurement.numbers[column.numbers[0]]
        if first.kind.is_ranked or first.kind is NumberKind.SQUARES:
            return None
        total = WeightedSum(weights=((column.numbers[0], Fraction(1)),))
        if len(column.numbers) == 1:
            return SumRatio(total)
        counted = WeightedSum(weights=((column.numbers[1], Fraction(1)),))
        return SumRatio.of(total.plus(counted.times(first.centre)), counted)

    def limits(self, ratio: SumRatio) -> Ends:
        """Where the true value lies, from public facts: a share of a count is between 0 and 1."""
        if ratio.is_sum:
            return self._sum_limits(ratio.top)
        inside = self._share_limits(ratio)
        if inside is not None:
            return inside
        top, bottom = self._sum_limits(ratio.top), self.true_limits(ratio.bottom)
        if bottom[0] < 0:
            return ALL
        return (0.0 if top[0] >= 0 else -math.inf, 0.0 if top[1] <= 0 else math.inf)

    def number(self, position: int) -> NoisyNumber:
        return self.measurement.numbers[position % len(self.measurement.numbers)]

    def true_limits(self, total: WeightedSum) -> Ends:
        """The same of a sum, with sums of values that are never below 0 (which are printed as they are drawn)."""
        return self._limits(total, self._true_limits)

    def _sum_limits(self, total: WeightedSum) -> Ends:
        return self._limits(total, lambda number: NOT_NEGATIVE if number.kind.counts else ALL)

    def _limits(self, total: WeightedSum, of: Callable[[NoisyNumber], Ends]) -> Ends:
        low = high = float(total.constant)
        for i, weight in total.weights:
            ends = [float(weight) * end for end in of(self.number(i))]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def _true_limits(self, number: NoisyNumber) -> Ends:
        if number.kind.counts:
            return NOT_NEGATIVE
        is_sum = number.kind is NumberKind.SUM and number.bounds is not None
        return NOT_NEGATIVE if is_sum and number.bounds.lower >= 0 else ALL  # type: ignore[union-attr]

    def _share_limits(self, ratio: SumRatio) -> Ends | None:
        """The limits of a ratio of two sums over the same rows: those of one row's parts.

        Over all groups it is a mean of the ratio in the group and that in the others, if the whole is never below 0.
        """
        (whole, scale), *others = ratio.bottom.weights
        many = len(self.measurement.numbers)
        if ratio.bottom.constant or ratio.top.constant or whole >= many:
            return None
        if others and (others != [(whole + many, scale)] or self._true_limits(self.number(whole)) != NOT_NEGATIVE):
            return None
        lows, highs = [0.0, 0.0], [0.0, 0.0]  # in the group, and in the others
        for i, weight in ratio.top.weights:
            inside = _share(self.number(i), self.number(whole))
            if inside is None or (i >= many and not others):
                return None
            ends = [float(weight / scale) * end for end in inside]
            lows[i // many] += min(ends)
            highs[i // many] += max(ends)
        return (min(lows), max(highs)) if others else (lows[0], highs[0])


@dataclass(frozen=True)
class Share:
    """A computed column that is a ratio over one count, between public limits; the count by its position."""

    ratio: SumRatio
    divisor: int
    limits: Ends
    numbers: tuple[NoisyNumber, ...]

    def slack(self, total: WeightedSum) -> float:
        """How far lattices and the rounding of counts take a sum, beside its noise."""
        return math.fsum(
            abs(float(w)) * (float(self.numbers[i].step) + 0.5 * self.numbers[i].kind.counts) for i, w in total.weights
        )


def computed_sum(column: Assembly, measurement: Measurement) -> WeightedSum | None:
    """A computed column as a weighted sum of noisy numbers, where it is one whatever the group."""
    form = None if column.computed is None else Forms(measurement).form(column.computed, {})
    return form.top if form is not None and form.is_sum and form.top.weights else None


def computed_share(column: Assembly, measurement: Measurement) -> Share | None:
    """The same as a share of a count, where it is one."""
    forms = Forms(measurement)
    form = None if column.computed is None else forms.form(column.computed, {})
    if form is None or form.is_sum or len(form.bottom.weights) != 1 or form.bottom.constant:
        return None
    ((divisor, _),), limits = form.bottom.weights, forms.limits(form)
    counts = measurement.numbers[divisor].kind.counts
    return Share(form, divisor, limits, measurement.numbers) if counts and all(map(math.isfinite, limits)) else None


def without_nullif(divisor: Scalar) -> Scalar:
    """What is divided by, without a guard against 0: a division by 0 is missing anyway."""
    match divisor:
        case Call("NULLIF", (inner, Constant(Fraction() as zero))) if zero == 0:
            return inner
    return divisor


def _combined(operator: str, one: SumRatio, other: SumRatio) -> SumRatio | None:
    if operator == "/":
        return one.over(other)
    if operator == "*":
        factor, scaled = (one.constant, other) if one.constant is not None else (other.constant, one)
        return None if factor is None else scaled.times(factor)
    signed = other if operator == "+" else other.times(Fraction(-1))
    return None if signed is None else one.plus(signed)


def _share(part: NoisyNumber, whole: NoisyNumber) -> Ends | None:
    """Between which multiples of a whole a part of it lies, row by row: `l h <= g <= u h`, so also of their sums."""
    if part == whole:
        return 1.0, 1.0
    if any(number.argument is not None and _divides(number.argument) for number in (part, whole)):
        return None  # what is missing may differ once values are clamped
    counted, every = part.kind.counts, whole.kind is NumberKind.COUNT
    is_within = _has(part.argument, whole.argument)
    if every and counted and part.kind is not NumberKind.PERSONS and is_within:
        return 0.0, 1.0
    if every and part.kind is NumberKind.PERSONS and whole.argument is None:
        return 0.0, 1.0
    if every and part.kind in (NumberKind.SUM, NumberKind.CENTRED_SUM) and is_within and part.bounds is not None:
        low, high = float(part.bounds.lower - part.centre), float(part.bounds.upper - part.centre)
        return (low, high) if part.argument == whole.argument else (min(low, 0.0), max(high, 0.0))
    both = part.kind is NumberKind.SUM and whole.kind is NumberKind.SUM and whole.bounds is not None
    if both and whole.bounds.lower >= 0 and _selects(part.argument, whole.argument):  # type: ignore[union-attr]
        return 0.0, 1.0
    return None


def _has(part: Scalar | None, whole: Scalar | None) -> bool:
    """Whether a row that has a value of the one has one of the other."""
    if whole is None or part == whole:
        return True
    return isinstance(part, Case) and all(result == whole or _is_missing(result) for result in _results(part))


def _selects(part: Scalar | None, whole: Scalar | None) -> bool:
    """Whether the one is the other, or 0, or missing."""
    if not isinstance(part, Case):
        return part == whole
    return all(r == whole or _is_missing(r) or r == Constant(Fraction(0), r.type) for r in _results(part))  # type: ignore[arg-type]


def _results(case: Case) -> tuple[Scalar, ...]:
    return (*(result for _, result in case.branches), case.otherwise)


def _is_missing(part: Scalar) -> bool:
    return isinstance(part, Constant) and part.value is None


def _divides(part: object) -> bool:
    """Whether it may be missing where what it reads is there."""
    if isinstance(part, Arithmetic) and part.operator == "/":
        return True
    if isinstance(part, Call) and is_partial(part.name):
        return True
    return any(map(_divides, parts_of(part)))  # type: ignore[arg-type]
