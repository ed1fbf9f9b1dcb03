"""A private check of a table against its schema: noisy counts of values, charged before any data is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from sfumato.errors import NoMechanism, PreferenceError
from sfumato.ledger.charges import DATA_QUALITY
from sfumato.ledger.entry import Draft
from sfumato.ledger.history import Plan, Record
from sfumato.model.calibration import NoiseLaw
from sfumato.model.data_quality import DataQuality, checked_columns, possible_classes
from sfumato.model.guarantee import Guarantee, Provenance
from sfumato.model.measurement import NoisyNumber
from sfumato.model.release import PostProcessing, ReleaseCertificate
from sfumato.model.schema import Schema
from sfumato.privacy.accounting.zcdp import ledger_rho, rho_laplace
from sfumato.privacy.noise.intervals import reach
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.sensitivity import rows_by_class
from sfumato.release.bound_query import bind
from sfumato.release.certificate import LaplaceDraw, NumberTexts, certify_numbers
from sfumato.release.context import DatasetContext
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.ledger import digest
from sfumato.release.reserve import (
    ChargePurpose,
    PrivacyCost,
    Reservation,
    charge_draft,
    earlier_release,
    read_for,
    record_release,
    reserve,
)

RECORDED = NumberTexts("a private check of the data", "rows in each class of values", PostProcessing.CHECK_READ)
WHAT = "how the table fits its schema, with noise"


def private_check(context: DatasetContext, epsilon: float, terms: ReleaseTerms) -> DataQuality:
    """Reserved before the data is read, and kept before it leaves."""
    with context.snapshot():
        return _private_check(context, epsilon, terms)


def _private_check(context: DatasetContext, epsilon: float, terms: ReleaseTerms) -> DataQuality:
    spent = _affordable(context, epsilon)
    ledger, schema, number = context.ledger, context.schema, noisy_number(context.schema)
    key = digest(["data quality", spent, context.version, dict(ledger.schema)])
    reservation = reserve(
        ledger,
        earlier_release(key, terms),
        lambda record: _inputs(context, key, record, terms.preregistered),
        lambda guarantee: _charge_draft(context, key, spent, number, guarantee),
        allow_no_guarantee=terms.allow_no_guarantee,
        what=DATA_QUALITY,
    )
    if isinstance(reservation, Draft):
        stored = cast(dict[str, Any], reservation.public["data_quality"])
        return DataQuality.of(schema, tuple(stored["noisy"]), ReleaseCertificate.from_dict(stored["certificate"]))
    counts = read_for(ledger, key, reservation, WHAT, lambda: exact_counts(context))
    noisy = noisy_counts(context, counts, spent)
    quality = DataQuality.of(schema, noisy, _certificate(context, reservation, spent, number, len(noisy)))
    record_release(ledger, key, reservation, WHAT, {"data_quality": quality.stored()})
    return quality


def noisy_number(schema: Schema) -> NoisyNumber:
    return rows_by_class(schema, len(checked_columns(schema)))


def exact_counts(context: DatasetContext) -> tuple[int, ...]:
    """Rows by column and class; of people with more rows than count, the number, where they have several."""
    from sfumato.sql.plans import data_quality_plan as plan

    engine, schema = context.engine, context.schema
    plans = [plan.rows_by_class] if checked_columns(schema) else []
    plans += [] if schema.unit.column is None else [plan.people_above]
    return plan.read_counts(*(engine.rows(engine.spell(p(schema, engine.columns, engine.raw))) for p in plans))


def noisy_counts(context: DatasetContext, counts: Sequence[int], epsilon: float) -> tuple[float, ...]:
    number = noisy_number(context.schema)
    whole = [int(count / number.step) for count in counts]
    drawn = context.services.mechanism(NoiseLaw.LAPLACE)(whole, number.steps, number.part(epsilon))
    return tuple(float(count * number.step) for count in drawn)


def _affordable(context: DatasetContext, epsilon: float) -> float:
    spent = stated_epsilon(epsilon).value
    if spent > EPSILON_MAX:
        raise PreferenceError.because("epsilon-above-max", epsilon=spent, most=EPSILON_MAX)
    if context.schema.tables:
        raise NoMechanism.because("check-of-several-tables")
    if context.bounds_from_data or not context.schema.columns:
        raise NoMechanism.because("check-without-bounds", columns=len(context.schema.columns))
    context.require_data()
    return spent


def _inputs(context: DatasetContext, key: str, record: Record, preregistered: str) -> tuple[Provenance, ...]:
    """An epsilon that a person states, and the schema."""
    by = {"preregistered": " ".join(preregistered.split()), "who": context.ledger.who}
    preference = record.preference(Plan(key, key), is_rule=False, rule=context.ledger.rule, **by)
    names = [column.name for column in context.schema.columns]
    return replace(preference, what="epsilon"), record.schema(names, context.ledger.schema, **by)


def _charge_draft(context: DatasetContext, key: str, epsilon: float, number: NoisyNumber, outcome: Guarantee) -> Draft:
    schema = context.schema
    outputs = sum(len(possible_classes(column)) for column in checked_columns(schema)) + (
        schema.unit.column is not None
    )
    rho = ledger_rho(rho_laplace(number.part(epsilon), number.steps))
    cost = PrivacyCost(epsilon, rho, (float(number.sensitivity),), (number.scale(epsilon),), outputs)
    purpose = ChargePurpose(WHAT, DATA_QUALITY, RECORDED.method, NoiseLaw.LAPLACE.value)
    return charge_draft(context, key, outcome, purpose, cost, epsilon)


def _certificate(
    context: DatasetContext, reservation: Reservation, epsilon: float, number: NoisyNumber, outputs: int
) -> ReleaseCertificate:
    scale = number.scale(epsilon)
    draw = LaplaceDraw(epsilon, float(number.sensitivity), scale, float(number.step), reach(NoiseLaw.LAPLACE, scale))
    name = context.schema.name.replace('"', '""')
    certified = certify_numbers(bind(context, f'SELECT COUNT(*) FROM "{name}"'), reservation, draw, RECORDED, outputs)
    return replace(certified, query=WHAT, query_sha256=digest(WHAT))
