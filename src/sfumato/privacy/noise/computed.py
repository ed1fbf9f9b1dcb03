"""Computed columns of a noisy answer: what is possible, and their noise intervals (docs/theory/computed.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sfumato.model.calibration import Drawing
from sfumato.model.functions import FUNCTIONS, NoRange
from sfumato.model.measurement import Assembly, Measurement
from sfumato.model.possible_cells import COMPARE
from sfumato.model.release import Interval
from sfumato.model.schema import Bounds, Type
from sfumato.model.statement import (
    All,
    AnyOf,
    Arithmetic,
    Call,
    Case,
    ColumnRef,
    Compare,
    Condition,
    Constant,
    Membership,
    Missing,
    Not,
    PairStatistic,
    Predicate,
    Scalar,
    Truth,
)
from sfumato.privacy.noise.figures import composed_range, number_reach
from sfumato.privacy.noise.forms import ALL, Forms, SumRatio, without_nullif
from sfumato.privacy.noise.intervals import COVERAGE
from sfumato.privacy.noise.pairs import pair_limits, pair_range
from sfumato.privacy.noise.ratio import NoisySum, ratio_range
from sfumato.privacy.noise.sums import reach_of_sum

Keys = Mapping[str, object]
Verdicts = frozenset[bool | None]
_ALWAYS_THERE = ("CEIL", "FLOOR", "GREATEST", "LEAST", "ROUND", "SIGN", "TRUNC")  # wherever their operands are
_ANY: Verdicts = frozenset((True, False, None))


@dataclass(frozen=True)
class NumberRange:
    """Numbers from `low` to `high`; `missing`: or none at all."""

    low: float
    high: float
    missing: bool = False


@dataclass(frozen=True)
class NoiseFreeValue:
    """A value that has no noise and is no number: a text, a truth, a date, or nothing."""

    value: object


Extent = NumberRange | NoiseFreeValue | None  # None: it may be anything
Atom = SumRatio | Assembly | PairStatistic  # what gets an interval by one rule: a ratio of sums, a variance, ...
Ends = Callable[[Atom], NumberRange | None]


class ComputedColumns:
    """The computed columns of one measurement."""

    def __init__(self, measurement: Measurement) -> None:
        self.measurement = measurement
        self.forms = Forms(measurement, with_others=True)

    def limits(self, expression: Scalar, keys: Keys) -> Interval:
        """Where the true value lies, from public facts."""
        extent = _Reading(self.forms, keys, self._public).value(expression)
        return (extent.low, extent.high) if isinstance(extent, NumberRange) else ALL

    def guarded(self, expression: Scalar) -> Scalar:
        """The same, with no value where a divisor that is above 0 in truth is not above 0 as it is drawn."""
        match expression:
            case Arithmetic(operator, left, right):
                left, right = self.guarded(left), self.guarded(right)
                if operator == "/" and self._is_positive(expression.right):
                    above = Compare(">", right, Constant(Fraction(0), Type.INTEGER))
                    right = Case(((above, right),), Constant(None, Type.NUMBER), Type.NUMBER)
                return replace(expression, left=left, right=right)
            case Call(_, arguments):
                return replace(expression, arguments=tuple(map(self.guarded, arguments)))
            case Case(branches, otherwise):
                results = tuple((met, self.guarded(result)) for met, result in branches)
                return replace(expression, branches=results, otherwise=self.guarded(otherwise))
        return expression

    def interval(
        self,
        expression: Scalar,
        keys: Keys,
        cell: Sequence[float],
        drawn: Sequence[Drawing],
        figure: object,
        miss: float = 1 - COVERAGE,
    ) -> Interval | None:
        """Where the true value lies but for a share `miss` of the time; None where nothing honest can be said.

        Every number that it depends on is within its own interval at once, each of these missing less often: by the
        law of independent noises where no two share a number, otherwise by adding up. Where a sum over all groups is
        read, `cell` and `drawn` go on with those of all other groups (`drawings_with_others`).
        """
        if isinstance(figure, bool) or not isinstance(figure, int | float):
            return None
        atoms = self.atoms(expression, keys)
        if not atoms:
            return None
        each = each_miss(miss, [self._numbers(atom) for atom in atoms])

        def ends(atom: Atom) -> NumberRange | None:
            return self._noisy(atom, cell, drawn, each)

        extent = _Reading(self.forms, keys, ends).value(expression)
        if not isinstance(extent, NumberRange):
            return None
        lowest, highest = self.limits(expression, keys)
        low, high = (min(highest, max(lowest, end)) for end in (extent.low, extent.high))
        low, high = min(low, figure), max(high, figure)
        return (low, high) if math.isfinite(low) and math.isfinite(high) else None

    def atoms(self, expression: Scalar, keys: Keys) -> list[Atom]:
        """What gets an interval of its own, as large as possible; each once."""
        atoms: dict[Atom, None] = {}

        def record(atom: Atom) -> None:
            atoms[atom] = None

        _Reading(self.forms, keys, record).value(expression)
        return list(atoms)

    def has_interval(self, column: Assembly) -> bool:
        """Whether its figures are numbers with noise, and no value that goes by its rank is in them."""
        if column.type is None or not column.type.numeric:
            return False
        numbers = [self.measurement.numbers[i] for i in self.measurement.behind(column)]
        return bool(numbers) and not any(number.kind.is_ranked for number in numbers)

    def _is_positive(self, divisor: Scalar) -> bool:
        form = self.forms.form(without_nullif(divisor), {})
        return form is not None and form.is_sum and bool(form.top.weights) and self.forms.true_limits(form.top)[0] >= 0

    def _numbers(self, atom: Atom) -> frozenset[int]:
        if isinstance(atom, PairStatistic):
            return frozenset(self.forms.columns[total.name].numbers[0] for total in atom.totals)
        return frozenset(atom.numbers)

    def _public(self, atom: Atom) -> NumberRange | None:
        if isinstance(atom, Assembly):
            return NumberRange(0.0, math.inf)
        if isinstance(atom, PairStatistic):
            return NumberRange(*pair_limits(atom), missing=True)
        return NumberRange(*self.forms.limits(atom), missing=not atom.is_sum)

    def _noisy(self, atom: Atom, cell: Sequence[float], drawn: Sequence[Drawing], miss: float) -> NumberRange | None:
        if isinstance(atom, Assembly):
            first, values = self.measurement.numbers[atom.numbers[0]], [cell[i] for i in atom.numbers]
            return NumberRange(*composed_range(atom, first, values, [drawn[i] for i in atom.numbers], miss))
        if isinstance(atom, PairStatistic):
            positions = [self.forms.columns[total.name].numbers[0] for total in atom.totals]
            each = each_miss(miss, [frozenset((i,)) for i in set(positions)])
            reaches = [number_reach(drawn[i], each) or 0.0 for i in positions]
            spans = [(cell[i] - far, cell[i] + far) for i, far in zip(positions, reaches, strict=True)]
            inside = pair_range(atom, spans)
            return None if inside is None else NumberRange(*inside, missing=True)
        numbers, limits = sorted(atom.numbers), self.forms.limits(atom)
        law = drawn[numbers[0]].law
        top, bottom = (
            NoisySum(total.value(cell), tuple(float(weights.get(i, 0)) * (drawn[i].scale or 0.0) for i in numbers))
            for total, weights in ((each, dict(each.weights)) for each in (atom.top, atom.bottom))
        )
        if not atom.is_sum:
            inside = ratio_range(top, bottom, law, limits, miss)
            far = reach_of_sum(law, list(map(abs, bottom.spread)), miss)
            return None if inside is None else NumberRange(*inside, missing=abs(bottom.value) <= far)
        furthest = [abs(float(weight)) * drawn[i].furthest for i, weight in atom.top.weights]
        half = reach_of_sum(law, list(map(abs, top.spread)), miss, furthest)
        middle = min(limits[1], max(limits[0], top.value))
        return NumberRange(max(limits[0], middle - half), min(limits[1], middle + half))


class _Reading:
    """The extent of an expression, where each atom in it has one."""

    def __init__(self, forms: Forms, keys: Keys, ends: Callable[[Atom], NumberRange | None]) -> None:
        self.forms = forms
        self.keys = keys
        self.ends = ends

    def value(self, part: Scalar) -> Extent:
        form = self.forms.form(part, self.keys)
        if form is not None:
            constant = form.constant
            return self.ends(form) if constant is None else NumberRange(float(constant), float(constant))
        match part:
            case ColumnRef(name):
                return self.column(self.forms.columns[name])
            case PairStatistic():
                return self.ends(part)
            case Constant(value):
                return NoiseFreeValue(value)
            case Arithmetic(operator, left, right):
                return _arithmetic(operator, self.value(left), self.value(right))
            case Call("COALESCE", parts):
                return self.first_present(parts)
            case Call(name, parts):
                return _called(name, parts, [self.value(inner) for inner in parts])
            case Case(branches, otherwise):
                return self.chosen(branches, otherwise)
            case Condition(met):
                verdicts = self.verdicts(met)
                return NoiseFreeValue(next(iter(verdicts))) if len(verdicts) == 1 else None
        return None

    def column(self, column: Assembly) -> Extent:
        if column.computed is not None:
            return self.value(column.computed)
        if column.is_public:
            return NoiseFreeValue(self.keys[column.name]) if column.name in self.keys else None
        return self.ends(column) if len(column.numbers) > 1 else None

    def first_present(self, parts: Sequence[Scalar]) -> Extent:
        possible: list[Extent] = []
        for part in parts:
            extent = self.value(part)
            if isinstance(extent, NoiseFreeValue) and extent.value is None:
                continue
            possible.append(extent)
            if extent is not None and not (isinstance(extent, NumberRange) and extent.missing):
                break
        else:
            return _hull([*possible, NoiseFreeValue(None)])
        present = [replace(e, missing=False) if isinstance(e, NumberRange) else e for e in possible]
        return _hull(present)

    def chosen(self, branches: Sequence[tuple[Predicate, Scalar]], otherwise: Scalar) -> Extent:
        """The hull of the branches that can be reached."""
        reachable: list[Extent] = []
        for condition, result in branches:
            verdicts = self.verdicts(condition)
            if True in verdicts:
                reachable.append(self.value(result))
            if verdicts == {True}:
                return _hull(reachable)
        return _hull([*reachable, self.value(otherwise)])

    def verdicts(self, condition: Predicate) -> Verdicts:
        match condition:
            case Compare(operator, left, right):
                return _compared(operator, self.value(left), self.value(right))
            case Membership(operand, members):
                own = self.value(operand)
                return _either([_compared("=", own, self.value(member)) for member in members])
            case Missing(operand):
                return _is_missing(self.value(operand))
            case Truth(operand):
                truth = self.value(operand)
                return frozenset((truth.value,)) if isinstance(truth, NoiseFreeValue) else _ANY  # type: ignore[arg-type]
            case Not(part):
                return frozenset(None if v is None else not v for v in self.verdicts(part))
            case All(parts):
                negated = [frozenset(None if v is None else not v for v in self.verdicts(part)) for part in parts]
                return frozenset(None if v is None else not v for v in _either(negated))
            case AnyOf(parts):
                return _either([self.verdicts(part) for part in parts])
        return _ANY


def each_miss(miss: float, numbers: Sequence[frozenset[int]]) -> float:
    """How often each of several intervals may miss, so that all of them hold but for `miss`."""
    apart = sum(map(len, numbers)) == len(frozenset().union(*numbers))
    return 1 - (1 - miss) ** (1 / len(numbers)) if apart else miss / len(numbers)


def _hull(extents: Sequence[Extent]) -> Extent:
    """Numbers that may be missing, if one of them may; of anything else, one value."""
    if len({*extents}) == 1:
        return extents[0]
    spans = [e for e in extents if isinstance(e, NumberRange)]
    nothing = [e for e in extents if isinstance(e, NoiseFreeValue) and e.value is None]
    if not spans or len(spans) + len(nothing) < len(extents):
        return None
    missing = bool(nothing) or any(span.missing for span in spans)
    return NumberRange(min(span.low for span in spans), max(span.high for span in spans), missing)


def _arithmetic(operator: str, left: Extent, right: Extent) -> Extent:
    if any(isinstance(side, NoiseFreeValue) and side.value is None for side in (left, right)):
        return NoiseFreeValue(None)
    if not isinstance(left, NumberRange) or not isinstance(right, NumberRange):
        return None
    missing = left.missing or right.missing
    if operator == "/":
        missing = missing or right.low <= 0 <= right.high
        if right.low == right.high == 0:
            return NoiseFreeValue(None)
        if right.low < 0 < right.high or 0 in (right.low, right.high):
            return _over_zero(left, right, missing)
    pairs = [(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    ends = [_ends(operator, a, b) for a, b in pairs]
    if operator == "-":
        ends = [left.low - right.high, left.high - right.low]
    elif operator == "+":
        ends = [left.low + right.low, left.high + right.high]
    return None if any(map(math.isnan, ends)) else NumberRange(min(ends), max(ends), missing)


def _ends(operator: str, a: float, b: float) -> float:
    if operator == "*":
        return 0.0 if 0 in (a, b) else a * b
    if operator == "/":
        return 0.0 if math.isinf(b) else a / b
    return 0.0


def _over_zero(left: NumberRange, right: NumberRange, missing: bool) -> NumberRange:
    """Divided by what may be next to 0: without an end, on the sides that the signs leave."""
    if right.low < 0 < right.high:
        return NumberRange(-math.inf, math.inf, missing)
    up = right.low == 0
    low, high = (left.low, left.high) if up else (-left.high, -left.low)
    furthest = right.high if up else -right.low
    return NumberRange(
        -math.inf if low < 0 else low / furthest if not math.isinf(furthest) else 0.0,
        math.inf if high > 0 else high / furthest if not math.isinf(furthest) else 0.0,
        missing,
    )


def _called(name: str, parts: Sequence[Scalar], extents: Sequence[Extent]) -> Extent:
    """The extent of a function of the table: its range over those of its operands, if they have ends."""
    spans = [extent for extent in extents if isinstance(extent, NumberRange)]
    if len(spans) < len(parts):
        return None
    if name in ("GREATEST", "LEAST") and not any(span.missing for span in spans):
        chosen = max if name == "GREATEST" else min
        return NumberRange(chosen(span.low for span in spans), chosen(span.high for span in spans))
    if name == "ABS":
        return _absolute(spans[0])
    rule = FUNCTIONS[name].range if name in FUNCTIONS else None
    if rule is None or not all(math.isfinite(end) for span in spans for end in (span.low, span.high)):
        return None
    of = {id(part): Bounds(Fraction(span.low), Fraction(span.high)) for part, span in zip(parts, spans, strict=True)}
    try:
        inside = rule(parts, lambda part: of[id(part)])
    except NoRange:
        return None
    missing = name not in _ALWAYS_THERE or any(span.missing for span in spans)
    return NumberRange(float(inside.lower), float(inside.upper), missing)


def _absolute(inner: NumberRange) -> NumberRange:
    ends = abs(inner.low), abs(inner.high)
    return NumberRange(0.0 if inner.low <= 0 <= inner.high else min(ends), max(ends), inner.missing)


def _is_missing(extent: Extent) -> Verdicts:
    if extent is None:
        return frozenset((True, False))
    if isinstance(extent, NoiseFreeValue):
        return frozenset((extent.value is None,))
    return frozenset((True, False)) if extent.missing else frozenset((False,))


def _compared(operator: str, left: Extent, right: Extent) -> Verdicts:
    if any(isinstance(side, NoiseFreeValue) and side.value is None for side in (left, right)):
        return frozenset((None,))
    if isinstance(left, NoiseFreeValue) and isinstance(right, NoiseFreeValue):
        return frozenset((COMPARE[operator](left.value, right.value),))
    if not isinstance(left, NumberRange) or not isinstance(right, NumberRange):
        return _ANY
    verdicts: set[bool | None] = {None} if left.missing or right.missing else set()
    return frozenset(verdicts | _order(operator, left, right))


def _order(operator: str, left: NumberRange, right: NumberRange) -> set[bool]:
    """Which verdicts a comparison of two numbers may have."""
    can_equal = left.low <= right.high and right.low <= left.high
    is_equal = left.low == left.high == right.low == right.high
    below, above = left.low < right.high, left.high > right.low
    possible = {
        "=": (can_equal, not is_equal),
        "<>": (not is_equal, can_equal),
        "<": (below, left.high >= right.low),
        "<=": (left.low <= right.high, above),
        ">": (above, left.low <= right.high),
        ">=": (left.high >= right.low, below),
    }[operator]
    return {verdict for verdict, can_be in zip((True, False), possible, strict=True) if can_be}


def _either(parts: Sequence[Verdicts]) -> Verdicts:
    """The verdicts that OR may have: true where one is, else not known where one is not, else false."""
    possible: Verdicts = frozenset((False,))
    for part in parts:
        possible = frozenset(
            True if True in (a, b) else None if None in (a, b) else False for a in possible for b in part
        )
    return possible
