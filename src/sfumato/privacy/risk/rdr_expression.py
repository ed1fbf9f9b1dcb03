"""A comparison of figures of the RDRs, as text: read by an allow-list, never run as code."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from sfumato.errors import PreferenceError
from sfumato.privacy.risk.rdr_distribution import RDRs

LONGEST, DEEPEST = 2000, 40
_CLOSE = 1e-12  # relative: figures that differ by less are equal, so that no rounding decides
_RISKS = ("min", "max", "mean", "median")  # RDRs themselves
_OF_GROUPS = (*_RISKS, "variance", "ratio", "gap", "people")
_OF_ALL = (*_OF_GROUPS, "epsilon", "k")
_COMPUTE: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARE: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: lambda a, b: a < b and not _alike(a, b),
    ast.LtE: lambda a, b: a <= b or _alike(a, b),
    ast.Gt: lambda a, b: a > b and not _alike(a, b),
    ast.GtE: lambda a, b: a >= b or _alike(a, b),
}
Figure = Callable[[RDRs], float]
Verdict = Callable[[RDRs], bool]


@dataclass(frozen=True)
class RdrExpression:
    """Figures of the RDRs (`min`, `max`, `mean`, `median`, `variance`, `quantile(p)`, ...), compared.

    `median("age > 60")` is that of the people who meet the condition. A figure that does not exist, such as a quotient
    by 0, meets no comparison.

    >>> RdrExpression('quantile(0.9, "age > 60") <= 1.1 * median and people >= 10').conditions
    ('age > 60',)
    """

    text: str

    def __post_init__(self) -> None:
        if not 0 < len(self.text) <= LONGEST:
            raise PreferenceError.because("satisfies-length", longest=LONGEST)
        try:
            tree = ast.parse(self.text.strip(), mode="eval").body
            _verdict(tree, DEEPEST)  # read here, so that what cannot be read is refused at once
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise PreferenceError.because("satisfies-unreadable") from None

    @cached_property
    def _tree(self) -> ast.expr:
        return ast.parse(self.text.strip(), mode="eval").body

    @cached_property
    def _holds(self) -> Verdict:
        return _verdict(self._tree, DEEPEST)

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """The groups that it names, each once."""
        return tuple(dict.fromkeys(group for _, group in _figures(self._tree) if group is not None))

    def holds(self, rdrs: RDRs) -> bool:
        return self._holds(rdrs)

    def compares_equals(self, rdrs: RDRs) -> bool:
        """Whether the RDRs that it compares, two or more, are all equal: no noise makes a difference then."""
        risks = [node for node, _ in _figures(self._tree) if _name(node) in (*_RISKS, "quantile")]
        values = [_figure(node, DEEPEST)(rdrs) for node in risks]
        return len(values) > 1 and all(_alike(value, values[0]) for value in values)


def _alike(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_CLOSE)


def _verdict(node: ast.expr, deep: int) -> Verdict:
    if deep <= 0:
        raise PreferenceError.because("satisfies-depth", deepest=DEEPEST)
    match node:
        case ast.BoolOp(op=ast.And() | ast.Or() as joined, values=parts):
            verdicts = [_verdict(part, deep - 1) for part in parts]
            every = all if isinstance(joined, ast.And) else any
            return lambda rdrs: every(verdict(rdrs) for verdict in verdicts)
        case ast.Compare(left=first, ops=signs, comparators=others) if all(type(sign) in _COMPARE for sign in signs):
            figures = [_figure(part, deep - 1) for part in (first, *others)]
            compare = [_COMPARE[type(sign)] for sign in signs]

            def compared(rdrs: RDRs) -> bool:
                values = [figure(rdrs) for figure in figures]
                return all(sign(*pair) for sign, pair in zip(compare, pairwise(values), strict=True))

            return compared
    raise PreferenceError.because("satisfies-without-comparison", place=_place(node))


def _figure(node: ast.expr, deep: int) -> Figure:
    if deep <= 0:
        raise PreferenceError.because("satisfies-depth", deepest=DEEPEST)
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool) and _finite(number):
            return lambda _: float(number)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            negated = _figure(inner, deep - 1)
            return lambda rdrs: -negated(rdrs)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _COMPUTE:
            compute, one, other = _COMPUTE[type(sign)], _figure(left, deep - 1), _figure(right, deep - 1)
            return lambda rdrs: _defined(lambda: compute(one(rdrs), other(rdrs)))
        case ast.Name(id=name) if name in _OF_ALL:
            return lambda rdrs: float(getattr(rdrs, name))
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(group))], keywords=[]) if name in _OF_GROUPS:
            return lambda rdrs: float(getattr(rdrs.group(group), name))
        case ast.Call(func=ast.Name(id="quantile"), args=[ast.Constant(value=int() | float() as p)], keywords=[]):
            share = _share(p, node)
            return lambda rdrs: rdrs.quantile(share)
        case ast.Call(
            func=ast.Name(id="quantile"),
            args=[ast.Constant(value=int() | float() as p), ast.Constant(value=str(group))],
            keywords=[],
        ):
            share = _share(p, node)
            return lambda rdrs: rdrs.group(group).quantile(share)
        case ast.Call(func=ast.Name(id="sqrt" | "abs" as name), args=[inner], keywords=[]):
            taken, of = (math.sqrt if name == "sqrt" else abs), _figure(inner, deep - 1)
            return lambda rdrs: _defined(lambda: taken(of(rdrs)))
    raise PreferenceError.because("satisfies-not-a-figure", place=_place(node), known=[*_OF_ALL, "quantile(0.9)"])


def _figures(node: ast.AST) -> Iterator[tuple[ast.expr, str | None]]:
    """Every figure of the RDRs in it, with the condition of its group."""
    if isinstance(node, ast.Name):
        yield node, None
        return
    if isinstance(node, ast.Call):
        texts = [part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        if texts or _name(node) == "quantile":
            yield node, texts[0] if texts else None
            return
    for inner in node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node):
        yield from _figures(inner)


def _name(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.id if isinstance(called, ast.Name) else ""


def _share(p: float, node: ast.expr) -> float:
    if isinstance(p, bool) or not 0 <= p <= 1:
        raise PreferenceError.because("satisfies-quantile", place=_place(node))
    return float(p)


def _finite(number: float) -> bool:
    try:
        return math.isfinite(float(number))
    except OverflowError:
        return False


def _defined(compute: Callable[[], float]) -> float:
    """The value, or NaN where there is none: that meets no comparison."""
    try:
        return compute()
    except (ArithmeticError, ValueError):
        return math.nan


def _place(node: ast.expr) -> str:
    return f"column {node.col_offset + 1}"
