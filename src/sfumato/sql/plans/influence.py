"""By how much an aggregate moves when a person leaves: one formula per aggregate (docs/theory/influence.md).

`own` are the person's own parts in a cell, `all_people` those of all people in it. Without its last row a mean, a
variance, an extreme or a quantile counts as 0.
"""

from __future__ import annotations

from fractions import Fraction

from sfumato.model.schema import Bounds, Type
from sfumato.model.statement import AggregateKind
from sfumato.sql.builder import nodes
from sfumato.sql.builder.term import Term, call, col, term, when
from sfumato.sql.builder.values import as_whole, number
from sfumato.sql.plans.rows import Reading

PARTS = ("n", "s", "q", "z", "zz", "lo", "hi")
"""Count, sum, squares about the public middle, sum and squares in whole units (exact), smallest, largest."""

FINE_UNITS = 2**32  # to half the width of the bounds

_NEEDED = {
    AggregateKind.COUNT: ["n"],
    AggregateKind.SUM: ["n", "s"],
    AggregateKind.AVG: ["n", "s"],
    AggregateKind.MIN: ["lo"],
    AggregateKind.MAX: ["hi"],
}
_SPREADS = ["n", "s", "q", "z", "zz"]

Parts = dict[str, Term]


def needed(kind: AggregateKind) -> list[str]:
    """The parts from which an aggregate is computed."""
    return _SPREADS if kind.spreads else _NEEDED.get(kind, [])


# One's own parts


def of_one(reading: Reading, value: Term, *, always: bool) -> Parts:
    """The parts of a single row; `always`: the value is never missing."""
    if reading.counted:
        return {"n": when((value, 1), otherwise=0)}
    if always:
        return {"n": term(1), "lo": value, "hi": value, **_summands(reading, value)}
    sums = {part: tree.or_else(0) for part, tree in _summands(reading, value).items()}
    return {"n": when((value.there, 1), otherwise=0), "lo": value, "hi": value, **sums}


def of_several(reading: Reading, value: Term) -> Parts:
    """The parts of all rows of a person."""
    if reading.counted:
        return {"n": value.count_true()}
    sums = {part: _total(part, tree).or_else(0) for part, tree in _summands(reading, value).items()}
    return {"n": value.count(), "lo": call("MIN", value), "hi": call("MAX", value), **sums}


def together(part: str, own: Term, people: Term) -> Term:
    """A part of everyone: a sum, or the two best."""
    if part in ("lo", "hi"):
        return own.within(nodes.TwoSmallest if part == "lo" else nodes.TwoLargest)
    return _total(part, people * own)


def _total(part: str, own: Term) -> Term:
    return own.exact_total() if part in ("z", "zz") else own.total()


def added_up(name: str) -> Term:
    """The sum of a part that is stored under a name that ends with the part's."""
    return _total(name.rsplit(maxsplit=1)[-1], col(name))


def _summands(reading: Reading, value: Term) -> Parts:
    """In whole units sums are exact: nothing is lost when large ones are subtracted."""
    if reading.bounds is None:
        return {"s": value}
    off = value.double - reading.bounds.middle
    units = value - round(reading.bounds.middle) if _unit(reading) == 1 else (off / _unit(reading)).rounded
    z = Term(lambda: as_whole(units.tree, "INT128"))
    return {"s": value, "q": off.squared, "z": z, "zz": z.squared}


def _unit(reading: Reading) -> Fraction:
    """1 where values are whole and not too far apart: 2**31 squares of 2**32 units still add up within 128 bits."""
    bounds = reading.bounds or Bounds(Fraction(0), Fraction(1))
    whole = reading.argument.type is Type.INTEGER and bounds.half_width <= FINE_UNITS
    return Fraction(1) if whole else bounds.half_width / FINE_UNITS


# Means and variances


def mean_moves(own: Parts, all_people: Parts) -> Term:
    """`(s_u - n_u mean) / (m - n_u)`: the mean of all less that of the others."""
    n, m = own["n"], all_people["n"]
    mean = all_people["s"].double / m
    moved = (own["s"].double - n * mean) / (m - n)
    return when((n.equals(0), 0), (n.equals(m), mean), otherwise=moved)


def spread(reading: Reading, all_people: Parts, kind: AggregateKind) -> Term:
    """A variance, or its root."""
    m, unit = all_people["n"], float(_unit(reading))
    variance = _squares(m, all_people["z"], all_people["zz"]) / (m - kind.lost)
    return variance.root * unit if kind.is_root else variance * unit**2


def spread_moves(reading: Reading, own: Parts, all_people: Parts, kind: AggregateKind) -> Term:
    """`SS - SS_rest = f + e^2 / (m - n_u)`: e and f are one's own sums of (v - mean) and (v - mean)^2.

    With V = SS / (m - d), the change `V - V_rest = ((m - d)(SS - SS_rest) - n_u SS) / ((m - d)(m - n_u - d))` keeps its
    digits where V is much larger; that of the root is the same over the sum of the two roots.
    """
    n, z, zz = own["n"], own["z"], own["zz"]
    m, all_z, all_zz = all_people["n"], all_people["z"], all_people["zz"]
    others, unit = m - n, float(_unit(reading))
    squares, rest = _squares(m, all_z, all_zz), _squares(others, all_z - z, all_zz - zz)
    e = (m * z - n * all_z).double / m
    f = _squares(n, z, zz) + e.squared / n
    left = f + e.squared / others
    free, rest_free = m - kind.lost, others - kind.lost
    before = squares / free
    moved = (free * left - n * squares) / (free * rest_free)
    if kind.is_root:
        roots = before.root + (rest / rest_free).root
        moved, last = (moved / call("NULLIF", roots, 0)).or_else(0) * unit, before.root * unit
    else:
        moved, last = moved * unit**2, before * unit**2
    return when((n.equals(0), 0), (free <= 0, 0), (rest_free > 0, moved), otherwise=last)


def _squares(n: Term, z: Term, zz: Term) -> Term:
    """`SS = sum (v - mean)^2 = (n sum v^2 - (sum v)^2) / n` in units: the numerator is exact."""
    return (n * zz - z.squared).double / n


# Extremes


def extreme(all_people: Parts, part: str) -> Term:
    return _best(all_people[part], 1)


def _best(two: Term, place: int) -> Term:
    return Term(lambda: nodes.At(this=two.tree, expression=number(place)))


def extreme_moves(own: Parts, all_people: Parts, part: str, people: Term) -> Term:
    """From the extreme of all to that of the others: only who alone holds it moves it; a tie moves nothing."""
    best, second = (_best(all_people[part], place).double for place in (1, 2))
    moved = (best - second).or_else(best)
    return when((own[part].double.equals(best).both(people.equals(1)), moved), otherwise=0)


def parts_of(name: str, of: str | None = None) -> Parts:
    """The parts under their names in a table."""
    return {part: col(f"{name} {part}", of) for part in PARTS}
