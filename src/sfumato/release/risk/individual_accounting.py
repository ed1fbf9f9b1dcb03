"""From the ledger to what is added up for each person: which charges are their own, and which are each person's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from sfumato.errors import BadInput
from sfumato.ledger.charges import RELEASE, Charge, charges
from sfumato.ledger.entry import upward
from sfumato.model.calibration import NoiseLaw
from sfumato.model.individual_accounting import AccountingTotal
from sfumato.privacy.accounting.individual import lattice_cost, rho_of_loss
from sfumato.privacy.accounting.zcdp import rho_gaussian
from sfumato.privacy.noise.calibration import mu_of
from sfumato.privacy.sensitivity import measure
from sfumato.release.context import DatasetContext
from sfumato.release.reserve import version_of
from sfumato.sql.parser.statement import parse
from sfumato.sql.plans.individual_accounting_plan import Account, ChargeGroup, OwnCharges
from sfumato.sql.plans.rows import L1, L2, PlanInput


def account(context: DatasetContext) -> tuple[Account, AccountingTotal]:
    """The charges that are added up, and their public totals. Charges without a guarantee or for another unit are left
    out."""
    every = charges(context.ledger.entries)
    guaranteed = [charge for charge in every if charge.guarantee.holds]
    added = [charge for charge in guaranteed if charge.protected == context.ledger.protected]
    questions = [(charge, _question(context, charge)) for charge in added]
    full = [charge for charge, question in questions if question is None]
    own: dict[tuple[str, bool], tuple[PlanInput, list[Charge]]] = {}
    for charge, question in questions:
        if question is not None:
            own.setdefault((charge.what, charge.gaussian), (question, []))[1].append(charge)
    parts = tuple(_own(question, alike) for question, alike in own.values())
    rho_in_full = sum(charge.rho for charge in full)
    in_one = rho_in_full + sum(_at(part.question.norm, part.spent, 1.0)[1] for part in parts)
    rho = min(in_one, sum(charge.rho for charge in added))  # both hold for anyone; entries have each number alone
    exactly = sum((charge.epsilon for charge in added), Fraction(0))
    least_epsilon = upward(sum((charge.epsilon for charge in full), Fraction(0))) + sum(part.rest[0] for part in parts)
    least_rho = rho_in_full + sum(part.rest[1] for part in parts)
    pure = not any(charge.gaussian for charge in added)
    in_all = AccountingTotal(
        epsilon=float(sum((charge.charged for charge in added), Fraction(0))),
        delta=upward(sum((charge.delta for charge in added), Fraction(0))),
        rho=rho,
        by_exposure=len(added) - len(full),
        in_full=len(full),
        without_guarantee=len(every) - len(guaranteed),
        other_units=len(guaranteed) - len(added),
        pure=pure,
    )
    return Account(parts, (least_epsilon, least_rho), (upward(exactly), rho), pure), in_all


def _question(context: DatasetContext, charge: Charge) -> PlanInput | None:
    """The question that a charge was for, where it is a sum over people of this very data that left.

    None, and so each person's in full, also where the statement or what it reads is understood otherwise today; and of
    truncated noise, whose rho is that of anything pure.
    """
    if charge.kind != RELEASE or not charge.released or charge.mechanism == NoiseLaw.TRUNCATED:
        return None
    if charge.version != version_of(context):
        return None
    schema, now = context.schema, context.ledger.schema
    try:
        statement = parse(charge.what, schema, context.engine.columns)
        measurement = measure(statement, schema)
    except BadInput:
        return None
    as_it_was = all(charge.schema.get(name) == now.get(name) for name in ("", *statement.columns))
    if statement.text != charge.what or not as_it_was or not measurement.additive:
        return None
    return PlanInput(schema, statement, measurement, L2 if charge.gaussian else L1)


def _own(question: PlanInput, of_question: Sequence[Charge]) -> OwnCharges:
    """The charges of one question, those that are alike together."""
    budgets = Counter(_mu(charge) if charge.gaussian else upward(charge.epsilon) for charge in of_question)
    gaussian = question.norm == L2
    spent = tuple(ChargeGroup(b, times, 0.0 if gaussian else lattice_cost(b)) for b, times in budgets.items())
    return OwnCharges(question, spent, _at(question.norm, spent, question.schema.relation.at_rest))


def _at(norm: str, spent: Sequence[ChargeGroup], share: float) -> tuple[float, float]:
    """Epsilon and rho of someone with this share of the worst case."""
    if norm == L2:
        return 0.0, sum(s.times * rho_gaussian(s.budget * share) for s in spent)
    epsilon = sum(s.times * s.budget * share for s in spent)
    return epsilon, sum(s.times * rho_of_loss(s.budget * share, s.budget) for s in spent)


def _mu(charge: Charge) -> float:
    return mu_of(upward(charge.epsilon), charge.noise)
