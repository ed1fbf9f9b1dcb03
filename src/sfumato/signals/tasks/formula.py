"""A formula over the cells of an answer: a few signs of arithmetic, by an allow-list."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from sfumato.errors import BadInput
from sfumato.signals.tasks.table import Table, label
from sfumato.signals.tasks.task import Task, is_number

LONGEST, DEEPEST = 2000, 40
_FURTHEST = Fraction(sys.float_info.max)
_COMPUTE: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}
_EVERY = None  # the key of all rows of a column together, as sum has them

Cell = tuple[str, str | None]
Figures = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class FormulaPart:
    """One part of a formula: its value, its cells, and by how much each moves it at most (None: there is no such)."""

    value: Callable[[Figures], Fraction]
    slopes: Mapping[Cell, Fraction] | None
    constant: Fraction | None = None
    affine: bool = True
    cells: frozenset[Cell] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Formula(Task):
    """The value of an expression over cells, clamped to a stated range. `people["Bern"]` is a cell of column people.

    Without GROUP BY, `people` alone is its only cell. `cell("COUNT(*)", "Bern")` names a column that is no plain word,
    and `sum(people)` adds up all of its rows. It is computed in fractions. Sums, differences, multiples, min, max and
    abs have a Lipschitz constant; a product or a quotient of cells has none.

    >>> table = Table(("place", "n"), (("here", 30), ("there", 20)), ("n",))
    >>> share = Formula(expression='n["here"] / sum(n)', low=0, high=1)
    >>> share.score([table]), share.lipschitz
    (0.6, None)
    >>> Formula(expression='abs(2 * n["here"] - n["there"]) / 100', low=0, high=1).lipschitz
    0.02
    """

    name: ClassVar[str] = "formula"
    expression: str
    low: float
    high: float
    otherwise: float | None = None  # where it has no value; left out: low

    def __post_init__(self) -> None:
        ends = [end for end in (self.low, self.high, self.otherwise) if end is not None]
        if not all(map(is_number, ends)) or not 0 < self.span < math.inf:
            raise BadInput.because("formula-range")
        if self.otherwise is not None and not self.low <= self.otherwise <= self.high:
            raise BadInput.because("formula-otherwise")
        self.require_slopes()  # read here, so that what cannot be read is refused at once

    @property
    def range(self) -> tuple[float, float]:
        return float(self.low), float(self.high)

    @property
    def undefined(self) -> float:
        return float(self.low if self.otherwise is None else self.otherwise)

    @cached_property
    def _part(self) -> FormulaPart:
        return _read(self.expression)

    @property
    def reads(self) -> tuple[str, ...]:
        return tuple(sorted({column for column, _ in self._part.cells}))

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(sorted(key for _, key in self._part.cells if key is not _EVERY))

    @property
    def slopes(self) -> Mapping[str, float] | None:
        cell_slopes = self._part.slopes
        if cell_slopes is None:
            return None
        every = {column: slope for (column, key), slope in cell_slopes.items() if key is _EVERY}
        most = dict(every)
        for (column, key), slope in cell_slopes.items():
            if key is not _EVERY:
                most[column] = max(most.get(column, Fraction(0)), slope + every.get(column, 0))
        return {column: _up(slope) for column, slope in most.items()}

    @property
    def affine(self) -> bool:
        return self._part.affine

    def _score(self, table: Table) -> float | None:
        value = self._part.value({name: table.figure(name) for name in self.reads})
        return float(max(-_FURTHEST, min(_FURTHEST, value)))  # held there: one step further is not without a value


def _up(exact: Fraction) -> float:
    if exact > _FURTHEST:
        return math.inf
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def _read(text: object) -> FormulaPart:
    if not isinstance(text, str) or len(text) > LONGEST:
        raise BadInput.because("formula-length", longest=LONGEST)
    try:
        return _part(ast.parse(text.strip(), mode="eval").body, DEEPEST)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadInput.because("formula-unreadable") from None


def _part(node: ast.expr, deep: int) -> FormulaPart:
    if deep <= 0:
        raise BadInput.because("formula-depth", deepest=DEEPEST)
    match node:
        case ast.Constant(value=bool()):
            raise _refusal(node)
        case ast.Constant(value=int() | float() as number) if is_number(number):
            return _constant(Fraction(str(number)))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _combination(ast.Mult(), _constant(Fraction(-1)), _part(inner, deep - 1), node)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _part(inner, deep - 1)
        case ast.BinOp(left=left, op=operator, right=right):
            return _combination(operator, _part(left, deep - 1), _part(right, deep - 1), node)
        case ast.Name(id=column):
            return _cell(column, "")
        case ast.Subscript(value=ast.Name(id=column), slice=key):
            return _cell(column, _key(key))
        case ast.Call(func=ast.Name(id="cell"), args=[ast.Constant(value=str(column)), *keys], keywords=[]):
            return _cell(column, label(_text(key) for key in keys))
        case ast.Call(func=ast.Name(id="sum"), args=[ast.Name(id=column)], keywords=[]):
            return _every(column)
        case ast.Call(func=ast.Name(id="sum"), args=[ast.Constant(value=str(column))], keywords=[]):
            return _every(column)
        case ast.Call(func=ast.Name(id="abs"), args=[inner], keywords=[]):
            return _largest(abs_of, [_part(inner, deep - 1)])
        case ast.Call(func=ast.Name(id="min" | "max" as called), args=[_, _, *_] as parts, keywords=[]):
            return _largest(min if called == "min" else max, [_part(part, deep - 1) for part in parts])
    raise _refusal(node)


def abs_of(value: Fraction) -> Fraction:
    return abs(value)


def _constant(number: Fraction) -> FormulaPart:
    return FormulaPart(lambda _: number, {}, number)


def _cell(column: str, key: str) -> FormulaPart:
    at: Cell = (column, key)
    return FormulaPart(lambda figures: Fraction(figures[column][key]), {at: Fraction(1)}, cells=frozenset({at}))


def _every(column: str) -> FormulaPart:
    at: Cell = (column, _EVERY)
    return FormulaPart(
        lambda figures: sum(map(Fraction, figures[column].values()), Fraction(0)),
        {at: Fraction(1)},
        cells=frozenset({at}),
    )


def _combination(operator: ast.operator, left: FormulaPart, right: FormulaPart, node: ast.expr) -> FormulaPart:
    compute = _COMPUTE.get(type(operator))
    if compute is None:
        raise _refusal(node)
    if left.constant is not None and right.constant is not None:
        if isinstance(operator, ast.Div) and right.constant == 0:
            raise BadInput.because("formula-divides-by-zero")
        return _constant(compute(left.constant, right.constant))
    slopes = _slopes(operator, left, right)
    affine, cells = slopes is not None and left.affine and right.affine, left.cells | right.cells
    return FormulaPart(lambda figures: compute(left.value(figures), right.value(figures)), slopes, None, affine, cells)


def _slopes(operator: ast.operator, left: FormulaPart, right: FormulaPart) -> Mapping[Cell, Fraction] | None:
    """By how much each cell moves a sum, a multiple or a quotient by a constant at most."""
    if left.slopes is None or right.slopes is None:
        return None
    if isinstance(operator, ast.Add | ast.Sub):
        both = {*left.slopes, *right.slopes}
        return {cell: left.slopes.get(cell, Fraction(0)) + right.slopes.get(cell, Fraction(0)) for cell in both}
    if right.constant is not None and (isinstance(operator, ast.Mult) or right.constant):
        factor = abs(right.constant if isinstance(operator, ast.Mult) else 1 / right.constant)
        return {cell: slope * factor for cell, slope in left.slopes.items()}
    if isinstance(operator, ast.Mult) and left.constant is not None:
        return {cell: slope * abs(left.constant) for cell, slope in right.slopes.items()}
    return None


def _largest(compute: Callable[..., Fraction], parts: list[FormulaPart]) -> FormulaPart:
    """Min, max or abs of the parts: it moves by no more than the part that moves most."""
    slopes: dict[Cell, Fraction] | None = {}
    for part in parts:
        if part.slopes is None or slopes is None:
            slopes = None
            continue
        slopes |= {cell: max(slope, slopes.get(cell, slope)) for cell, slope in part.slopes.items()}
    cells = frozenset[Cell]().union(*(part.cells for part in parts))
    return FormulaPart(lambda figures: compute(*(part.value(figures) for part in parts)), slopes, None, False, cells)


def _key(node: ast.expr) -> str:
    return label(map(_text, node.elts)) if isinstance(node, ast.Tuple) else _text(node)


def _text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str() | int() as key):
            return str(key)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as key)):
            return str(-key)
    raise _refusal(node)


def _refusal(node: ast.expr) -> BadInput:
    return BadInput.because("formula-not-answered", where=f"column {node.col_offset + 1}")
