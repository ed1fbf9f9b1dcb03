"""Calls of functions: which nodes of the grammar they are, and what may stand in them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.functions import (
    FUNCTIONS,
    FURTHEST_DIGIT,
    FURTHEST_EXPONENT,
    LONGEST_MADE,
    Function,
    Takes,
    longest,
)
from sfumato.model.schema import Type
from sfumato.model.statement import Call, Constant, Scalar
from sfumato.privacy.key_values import is_whole
from sfumato.sql.parser.dates import Dates
from sfumato.sql.parser.regular_expression import BadPattern, steps
from sfumato.sql.parser.size import MOST_STEPS


@dataclass(frozen=True)
class Shape:
    """A node of the grammar: the function that it is, the names of its operands in order, and what else may be set."""

    name: str
    operands: tuple[str, ...]
    beside: tuple[str, ...] = ()


SHAPES: dict[type[exp.Expr], Shape] = {
    exp.Abs: Shape("ABS", ("this",)),
    exp.Sign: Shape("SIGN", ("this",)),
    exp.Round: Shape("ROUND", ("this", "decimals")),
    exp.Floor: Shape("FLOOR", ("this",)),
    exp.Ceil: Shape("CEIL", ("this",)),
    exp.Trunc: Shape("TRUNC", ("this",)),
    exp.Mod: Shape("%", ("this", "expression")),
    exp.IntDiv: Shape("//", ("this", "expression")),
    exp.Sqrt: Shape("SQRT", ("this",)),
    exp.Ln: Shape("LN", ("this",)),
    exp.Log: Shape("LOG10", ("expression",), ("this",)),
    exp.Exp: Shape("EXP", ("this",)),
    exp.Pow: Shape("POWER", ("this", "expression")),
    exp.Coalesce: Shape("COALESCE", ("this", "expressions"), ("is_nvl", "is_null")),
    exp.Nullif: Shape("NULLIF", ("this", "expression")),
    exp.Greatest: Shape("GREATEST", ("this", "expressions"), ("ignore_nulls",)),
    exp.Least: Shape("LEAST", ("this", "expressions"), ("ignore_nulls",)),
    exp.Lower: Shape("LOWER", ("this",)),
    exp.Upper: Shape("UPPER", ("this",)),
    exp.Length: Shape("LENGTH", ("this",)),
    exp.Substring: Shape("SUBSTR", ("this", "start", "length")),
    exp.Left: Shape("LEFT", ("this", "expression")),
    exp.Right: Shape("RIGHT", ("this", "expression")),
    exp.Trim: Shape("TRIM", ("this",), ("position",)),
    exp.Replace: Shape("REPLACE", ("this", "expression", "replacement")),
    exp.Concat: Shape("CONCAT", ("expressions",), ("safe", "coalesce")),
    exp.DPipe: Shape("||", ("this", "expression"), ("safe",)),
    exp.StartsWith: Shape("STARTS_WITH", ("this", "expression")),
    exp.EndsWith: Shape("ENDS_WITH", ("this", "expression")),
    exp.Contains: Shape("CONTAINS", ("this", "expression")),
    exp.RegexpLike: Shape("REGEXP_MATCHES", ("this", "expression")),
    exp.RegexpFullMatch: Shape("REGEXP_FULL_MATCH", ("this", "expression")),
}
_TRIMS = {"LEADING": "LTRIM", "TRAILING": "RTRIM"}
_LOGARITHMS = {"2": "LOG2", "10": "LOG10"}


def name_of_call(node: exp.Expr) -> str | None:
    """The function that a node calls; None: of its kind there is another one, which we do not have."""
    if isinstance(node, exp.Trim):
        return _TRIMS.get(str(node.args.get("position") or ""), "TRIM")
    if isinstance(node, exp.Log):
        return _LOGARITHMS.get(node.this.name) if node.args.get("expression") is not None else None
    if isinstance(node, exp.RegexpLike) and "start" not in node.meta:
        return None  # the operator ~
    return SHAPES[type(node)].name


def operands_of(node: exp.Expr) -> Sequence[exp.Expr]:
    """What a call is applied to, in order."""
    operands: list[exp.Expr] = []
    for name in SHAPES[type(node)].operands:
        part = node.args.get(name)
        operands += part if isinstance(part, list) else [part] if part is not None else []
    return operands


class Calls(Dates):
    """Reads calls."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._lengths: dict[int, tuple[Scalar, int]] = {}  # an id is taken while it is held

    @property
    def reads_answer(self) -> bool:
        """Whether what is read is computed from the noisy answer, and not by an engine."""
        return False

    @abstractmethod
    def scalar(self, node: exp.Expr, depth: int = 0) -> Scalar: ...

    @abstractmethod
    def require_typed(self, part: Scalar, node: exp.Expr) -> Scalar: ...

    @abstractmethod
    def require_numeric(self, part: Scalar, who: str, node: exp.Expr) -> None: ...

    @abstractmethod
    def one_type(self, parts: Sequence[Scalar], node: exp.Expr) -> Type: ...

    def call(self, node: exp.Expr, depth: int) -> Scalar:
        name, shape = name_of_call(node), SHAPES[type(node)]
        if name is None:
            self.refuse_node(node)
        self.only(node, *shape.operands, *shape.beside)
        function, nodes = FUNCTIONS[name], operands_of(node)
        if function.compute is None and self.reads_answer:
            self.refuse(f"{name} on the answer", node, hint="use LIKE, or compute with the answer.")
        if len(nodes) < function.fewest or (function.most is not None and len(nodes) > function.most):
            hint = f"write it as in {function.example}."
            raise QueryError(f"{name} has {len(nodes)} operands", where=self.place(node), hint=hint)
        parts = tuple(self.operand(part, function.place(i), function, node, depth) for i, part in enumerate(nodes))
        shared = [part for i, part in enumerate(parts) if function.place(i) in (Takes.NUMBER, Takes.SAME)]
        call = Call(name, parts, function.gives or self.one_type(shared, node))
        if call.type is Type.TEXT and (length := self.longest(call)) > LONGEST_MADE:
            what = f"A text may have {length:,} characters once {name} has made it, and the limit is {LONGEST_MADE:,}"
            raise QueryError(what, where=self.place(node), hint="shorten the text first, as in LEFT(t, 100).")
        return call

    def longest(self, part: Scalar) -> int:
        """How many characters a text has at most. A name may stand for it in many places: it is asked once."""
        if id(part) not in self._lengths:
            self._lengths[id(part)] = part, longest(part, self.longest)
        return self._lengths[id(part)][1]

    def operand(self, written: exp.Expr, takes: Takes, function: Function, node: exp.Expr, depth: int) -> Scalar:
        if takes.is_constant:
            return self.written_out(written, takes, function)
        part = self.require_typed(self.scalar(written, depth + 1), node)
        name = function.name if function.name.isidentifier() else f"'{function.name}'"
        if takes is Takes.NUMBER:
            self.require_numeric(part, name, node)
        elif takes is Takes.TEXT and part.type not in (Type.TEXT, None):
            raise QueryError(f"{name} needs a text, not {part.type}", where=self.place(node))
        elif takes is Takes.PRINTED and part.type is Type.NUMBER and is_whole(part):
            return Call("TRUNC", (part,), Type.INTEGER)
        elif takes is Takes.PRINTED and part.type in (Type.NUMBER, Type.TIMESTAMP):
            hint = "use a whole number, as in ROUND(v)."
            raise QueryError(f"{name} needs texts, not {part.type}", where=self.place(node), hint=hint)
        return part

    def written_out(self, node: exp.Expr, takes: Takes, function: Function) -> Constant:
        """What a function needs as a constant, within its limits: it is the same for every row."""
        part = self.scalar(node)
        if not isinstance(part, Constant) or not _fits(part.value, takes):
            hint = f"write it as in {function.example}."
            raise QueryError(f"{function.name} needs {takes}", where=self.place(node), hint=hint)
        if takes is Takes.PATTERN:
            self.require_short_pattern(str(part.value), node)
        return part

    def require_short_pattern(self, pattern: str, node: exp.Expr) -> None:
        """Refuse a regular expression that engines read each in another way, or that takes long."""
        try:
            work = steps(pattern)
        except BadPattern as wrong:
            raise QueryError(f"The regular expression {wrong}", where=self.place(node)) from None
        if work > MOST_STEPS:
            what = f"With its repetitions the regular expression has {work:,} characters; the limit is {MOST_STEPS:,}"
            raise QueryError(what, where=self.place(node), hint="use a shorter one.")


def _fits(value: object, takes: Takes) -> bool:
    """Whether a constant may stand where a function takes one."""
    if takes in (Takes.WORDS, Takes.SOUGHT, Takes.PATTERN):
        return isinstance(value, str) and (bool(value) or takes is not Takes.SOUGHT)
    if not isinstance(value, Fraction):
        return False
    if takes is Takes.EXPONENT:
        return abs(value) <= FURTHEST_EXPONENT
    least = {Takes.PLACE: 1, Takes.LENGTH: 0, Takes.DIGITS: -FURTHEST_DIGIT}[takes]
    most = FURTHEST_DIGIT if takes is Takes.DIGITS else LONGEST_MADE
    return value.denominator == 1 and least <= value <= most
