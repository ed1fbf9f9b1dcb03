"""Who is still within a budget per person: what each person lost so far, added up by the engine.

A person is included in a charge if their total with it stays within the limit; only then the charge is added to their
total. Both are functions of the person's own rows and of public facts (docs/theory/filter.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import add

from sqlglot import exp

from sfumato.model.schema import PERSON, Schema
from sfumato.privacy.accounting.individual import lattice_cost
from sfumato.privacy.accounting.individual_filter import PersonCost
from sfumato.privacy.accounting.zcdp import PICO
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import alias, both, column, join_with, ours, select_from, sub_select, table
from sfumato.sql.builder.term import Term, call, col, term, when
from sfumato.sql.builder.values import as_whole, number
from sfumato.sql.plans.contributions import CARRIED, contributions
from sfumato.sql.plans.contributions import units as contributed
from sfumato.sql.plans.rows import PlanInput, conditions, value_read

_BEYOND, _TABLE = ours("beyond"), ours("table")
_UP = 1 + 2.0**-40


@dataclass(frozen=True)
class FilteredCharge:
    """One charge within the budget per person: its question, and what it costs whom. `text` stands for the question."""

    question: PlanInput = field(compare=False)
    cost: PersonCost
    text: str

    @property
    def one(self) -> int:
        """Units of an exposure of 1, or of its square: no one who is replaced has more than half of it."""
        steps = self.question.schema.relation.steps
        return self.cost.most * (steps**2 if self.cost.squared else steps)


@dataclass(frozen=True)
class IndividualFilter:
    """The charges before this one, in their order; this one; and the most units that one person may lose."""

    before: tuple[FilteredCharge, ...]
    now: FilteredCharge
    limit: int

    @property
    def includes_everyone(self) -> bool:
        """Whether no one's total can pass the limit, from public facts."""
        return sum(charge.cost.most for charge in (*self.before, self.now)) <= self.limit


def of_included(tree: exp.Select, individual: IndividualFilter, numbered: str) -> exp.Select:
    """The same plan, for a table without the people whose total would pass the limit."""
    if individual.includes_everyone:
        return tree
    restricted, schema = tree.copy(), individual.now.question.registered
    for read in list(restricted.find_all(exp.Table)):
        if read.name == schema.name:
            read.replace(sub_select(_within(schema, numbered), schema.name))
    called = exp.TableAlias(this=exp.to_identifier(_BEYOND, quoted=True))
    beyond = exp.CTE(this=_people_beyond(individual, numbered), alias=called, materialized=True)
    inner = restricted.args.get("with_")
    restricted.set("with_", exp.With(expressions=[beyond, *(inner.expressions if inner is not None else [])]))
    return restricted


def _within(schema: Schema, numbered: str) -> exp.Select:
    """The rows of the people who are within the limit; rows that belong to no one stay, and count nowhere."""
    unit = schema.unit.column
    source, person = (numbered, PERSON) if unit is None else (schema.name, unit)
    every = exp.Column(this=exp.Star(), table=exp.to_identifier(_TABLE, quoted=True))
    read = table(source)
    read.set("alias", exp.TableAlias(this=exp.to_identifier(_TABLE, quoted=True)))
    select = exp.Select(expressions=[every], from_=exp.From(this=read))
    same = exp.EQ(this=column(person, _TABLE), expression=column(PERSON, _BEYOND))
    select = join_with(select, table(_BEYOND), [same], "LEFT")
    select.set("where", exp.Where(this=col(PERSON, _BEYOND).missing.tree))
    return select


def _people_beyond(individual: IndividualFilter, numbered: str) -> exp.Select:
    """Those whom the charges before leave too little for this one."""
    distinct = tuple(dict.fromkeys((*individual.before, individual.now)))
    names = {charge: ours("cost", str(place)) for place, charge in enumerate(distinct)}
    sure, public, later = Counter[FilteredCharge](), 0, list[exp.Expr]()
    for charge in individual.before:
        public += charge.cost.most
        if public <= individual.limit:  # everyone was included
            sure[charge] += 1
        else:
            later.append(column(names[charge]))
    start = reduce(add, (col(names[charge]) * times for charge, times in sure.items()), term(0))
    spent = _whole(start)
    if later:
        limit = number(individual.limit)
        spent = Term(lambda: nodes.TotalWithin(this=_whole(start).tree, expressions=later, limit=limit))
    beyond = (spent + col(names[individual.now])) > individual.limit
    return select_from([column(PERSON)], _costs(names, numbered), where=[beyond.tree])


def _costs(names: Mapping[FilteredCharge, str], numbered: str) -> exp.Select:
    """One row per person who contributed to any of the charges: what each of these costs them."""
    if all(charge.question.unit is None and charge.question.statement.derived is None for charge in names):
        return _costs_of_rows(names, numbered)
    each: list[exp.Query] = [_costs_of_people(charge, names, numbered) for charge in names]
    together = each[0] if len(each) == 1 else exp.union(*each, distinct=False, copy=False)
    most = [call("MAX", col(name)).named(name) for name in names.values()]
    return select_from([column(PERSON), *most], together, by=[PERSON])


def _costs_of_people(charge: FilteredCharge, names: Mapping[FilteredCharge, str], numbered: str) -> exp.Select:
    """What one charge costs each person with a row that counts; the columns of the other charges are 0."""
    figures = [_whole(_cost(charge) if other is charge else term(0)).named(name) for other, name in names.items()]
    return select_from([column(PERSON), *figures], contributions(charge.question, charge.one, numbered))


def _costs_of_rows(names: Mapping[FilteredCharge, str], numbered: str) -> exp.Select:
    """The same where each row is a person, in one pass: values under names of their own, then what is carried."""
    read: list[exp.Expr] = []
    carried, costs = [], []
    for place, (charge, name) in enumerate(names.items()):
        q, counts = charge.question, ours("counts", str(place))
        own = {reading.name: ours("read", str(place), reading.name) for reading in q.values}
        read += [alias(value_read(reading, q), own[reading.name]) for reading in q.values]
        met = conditions(q)
        inside = exp.Case(ifs=[exp.If(this=both(*met), true=number(1))], default=number(0)) if met else number(1)
        read.append(alias(exp.Paren(this=inside), counts))
        units = Term(lambda q=q, charge=charge, own=own: _renamed(contributed(q, charge.one).tree, own))  # type: ignore[misc]
        carried.append(when((col(counts) > 0, units), otherwise=0).named(name))
        costs.append(_whole(_cost(charge, name)).named(name))
    values = select_from([column(PERSON), *read], numbered)
    return select_from([column(PERSON), *costs], select_from([column(PERSON), *carried], values))


def _renamed(tree: exp.Expr, names: Mapping[str, str]) -> exp.Expr:
    for read in tree.find_all(exp.Column):
        if read.name in names:
            read.replace(column(names[read.name]))
    return tree


def _cost(charge: FilteredCharge, carried: str = CARRIED) -> Term:
    """In whole units, from what is carried.

    Each number of each group is rounded to a whole unit: as many units are added as that may take away.
    """
    q, cost = charge.question, charge.cost
    off = len(q.measurement.numbers) * q.schema.unit.max_rows * q.measurement.drawn_levels
    share = call("LEAST", col(carried) + off, cost.most)
    if cost.loss is not None:
        share = call("LEAST", share, _of_loss(cost.loss, share.double / charge.one))
    return when((col(carried) > 0, share), otherwise=0)


def _whole(units: Term) -> Term:
    return Term(lambda: as_whole(units.tree))


def _of_loss(epsilon: float, share: Term) -> Term:
    """`(epsilon u)^2 / 2`, and a little for the lattice, in whole units: never below `KL(epsilon u)`."""
    square, plain = epsilon**2 / 2 * PICO * _UP, epsilon * lattice_cost(epsilon) * PICO * _UP
    units = share.squared * square + share * plain
    return _whole(call("FLOOR", units)) + 2
