"""What each person carries of everything released: one pass per statement, added up by person in the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from sqlglot import exp

from sfumato.model.facts import Distribution, Summary
from sfumato.model.schema import PERSON, Schema
from sfumato.sql.builder.ast import alias, column, join_with, order_by, ours, same_columns, select_from, sub_select
from sfumato.sql.builder.term import Term, call, col, row_count, term, when
from sfumato.sql.builder.values import cast, double
from sfumato.sql.plans.contributions import CARRIED, contributions
from sfumato.sql.plans.exposure_summary import Rows, all_people, bins_of, moments_of, read_bins, summary_of, whole
from sfumato.sql.plans.rows import L1, L2, PlanInput

EPSILON, RHO = "epsilon", "rho"
_ONE = 2**48  # units to an exposure of 1, or to its square: few enough for a float to hold each
_SMALL = 1e-4  # below it the terms of KL(x) all but cancel, and x^2/2 is above it
_ALL_PEOPLE, _ADDED, _SHARE = ours("all_people"), ours("added"), ours("share")


@dataclass(frozen=True)
class ChargeGroup:
    """Equal charges of a statement: the epsilon, or the mu of Gaussian noise, and how often it was charged."""

    budget: float
    times: int
    more: float = 0.0  # rho for each unit of loss, for the lattice of Laplace noise


@dataclass(frozen=True)
class OwnCharges:
    """What is charged to each by their own exposure: the charges of one statement under one kind of noise."""

    question: PlanInput
    spent: tuple[ChargeGroup, ...]
    rest: tuple[float, float]  # epsilon and rho of a person who contributes nothing


@dataclass(frozen=True)
class Account:
    """Everything that is added up. `least` is each person's whatever they carry, and no one exceeds `most`."""

    own: tuple[OwnCharges, ...]
    least: tuple[float, float]  # epsilon and rho
    most: tuple[float, float]
    pure: bool  # without Gaussian noise: then there is an epsilon


def totals_in_order(account: Account, schema: Schema, numbered: str) -> exp.Select:
    """The totals, in the order of the people."""
    return order_by(totals(account, schema, numbered), "person")


def totals(account: Account, schema: Schema, numbered: str) -> exp.Select:
    """One row per person, those whom no WHERE kept included: person, epsilon, rho."""
    everyone = sub_select(all_people(schema, numbered), _ALL_PEOPLE)
    figures = [
        _total(name, least, most, added=bool(account.own), there=account.pure or name == RHO).named(name)
        for name, least, most in zip((EPSILON, RHO), account.least, account.most, strict=True)
    ]
    parts = [alias(column(PERSON, _ALL_PEOPLE), "person"), *figures]
    select = exp.Select(expressions=parts, from_=exp.From(this=everyone))
    if not account.own:
        return select
    each: list[exp.Query] = [_contributions(own, numbered) for own in account.own]
    together = each[0] if len(each) == 1 else exp.union(*each, distinct=False, copy=False)
    sums = [col(name).total().named(name) for name in (EPSILON, RHO)]
    added = select_from([column(PERSON), *sums], together, by=[PERSON])
    return join_with(select, sub_select(added, _ADDED), same_columns([PERSON], _ALL_PEOPLE, _ADDED), "LEFT")


def _total(name: str, least: float, most: float, *, added: bool, there: bool) -> Term:
    if not there:
        return Term(lambda: cast(exp.Null(), "DOUBLE"))
    own = col(name, _ADDED).or_else(term(0).double) if added else term(0).double
    return Term(lambda: double(call("LEAST", own + least, most).tree))


def _contributions(own: OwnCharges, numbered: str) -> exp.Select:
    """What a statement adds for each person with a row that counts, beyond what it adds for everyone."""
    q, replaced = own.question, own.question.schema.relation.at_rest
    units = contributions(q, _ONE, numbered)
    # units by which all that was rounded may be off
    off = len(q.measurement.numbers) * q.schema.unit.max_rows * q.measurement.drawn_levels
    steps = q.schema.relation.steps
    gaussian = q.norm == L2
    most = _ONE // steps**2 if gaussian else _ONE // steps
    share = when((col(CARRIED) > 0, call("LEAST", col(CARRIED) + off, most).double / _ONE), otherwise=term(0).double)
    share = share.root + replaced if gaussian else share + replaced
    shares = select_from([column(PERSON), share.named(_SHARE)], units)
    sums = [_sum(own.spent, formula) - rest for formula, rest in zip(_FORMULAS[q.norm], own.rest, strict=True)]
    figures = zip((EPSILON, RHO), sums, strict=True)
    return select_from([column(PERSON), *(figure.double.named(name) for name, figure in figures)], shares)


def _sum(spent: Sequence[ChargeGroup], formula: Callable[[ChargeGroup], Term]) -> Term:
    return reduce(add, (formula(s) * s.times for s in spent))


def _kl(x: Term) -> Term:
    """`KL(x) = x + e^-x - 1`, never below it."""
    return when((x < _SMALL, x.squared / 2), otherwise=x + call("EXP", term(0) - x) - 1 + 1e-15)


_FORMULAS: dict[str, tuple[Callable[[ChargeGroup], Term], Callable[[ChargeGroup], Term]]] = {
    L1: (lambda s: col(_SHARE) * s.budget, lambda s: _kl(col(_SHARE) * s.budget) + col(_SHARE) * (s.budget * s.more)),
    L2: (lambda _: term(0).double, lambda s: col(_SHARE).squared * (s.budget**2 / 2)),
}
"""Epsilon and rho of a share, under each kind of noise."""


# Everyone, summarised


def summary(account: Account, schema: Schema, numbered: str) -> exp.Select:
    """People, then smallest, largest, sum and sum of squares of epsilon and of rho."""
    figures = [moment for name in (EPSILON, RHO) for moment in moments_of(col(name))]
    return select_from([row_count().tree, *figures], totals(account, schema, numbered))


def read_summary(records: Rows, account: Account) -> tuple[Summary | None, Summary]:
    """Of epsilon, where there is one, and of rho."""
    count, *figures = records[0]
    people = whole(count)
    return summary_of(people, figures[:4]) if account.pure else None, summary_of(people, figures[4:])


def bins(account: Account, schema: Schema, numbered: str, figure: str, summary: Summary) -> exp.Select:
    """How many people lie where between the smallest and the largest total."""
    return bins_of(totals(account, schema, numbered), figure, summary.min, summary.max, row_count().tree)


def read_distribution(records: Rows) -> Distribution:
    return read_bins(records, sum(whole(row[-1]) for row in records))
