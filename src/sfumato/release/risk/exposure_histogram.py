"""A private exposure histogram: noisy counts of people over public bins, charged before any data is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from sfumato.errors import NoMechanism, PreferenceError
from sfumato.ledger.charges import EXPOSURE_HISTOGRAM
from sfumato.ledger.entry import Draft
from sfumato.ledger.history import Plan, Record
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.exposure_histogram import BINS, ExposureHistogram
from sfumato.model.guarantee import Guarantee, Provenance
from sfumato.model.release import PostProcessing, ReleaseCertificate
from sfumato.privacy.accounting.zcdp import ledger_rho, rho_laplace
from sfumato.privacy.noise.intervals import joint_reach, one_sided_reach, reach
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.sensitivity import people_by_exposure
from sfumato.release.bound_query import BoundQuery
from sfumato.release.certificate import LaplaceDraw, NumberTexts, certify_numbers
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.ledger import digest
from sfumato.release.reserve import (
    ChargePurpose,
    PrivacyCost,
    Reservation,
    answer_key,
    charge_draft,
    earlier_release,
    read_for,
    record_release,
    reserve,
)

RECORDED = NumberTexts("a private exposure histogram", "people in each bin of exposure", PostProcessing.HISTOGRAM_READ)
FEWEST, MOST = 2, 200


def exposure_histogram(
    query: BoundQuery, noise: Noise, epsilon: float, bins: int, terms: ReleaseTerms
) -> ExposureHistogram:
    """Reserved before the data is read, and kept before it leaves."""
    with query.context.snapshot():
        return _exposure_histogram(query, noise, epsilon, bins, terms)


def _exposure_histogram(
    query: BoundQuery, noise: Noise, epsilon: float, bins: int, terms: ReleaseTerms
) -> ExposureHistogram:
    spent = _affordable(epsilon)
    _countable(bins)
    _require_additive(query)
    ledger, key = query.context.ledger, answer_key(query, _request_key(query, noise, spent, bins))
    reservation = reserve(
        ledger,
        earlier_release(key, terms),
        lambda record: _inputs(query, key, record, terms.preregistered),
        lambda guarantee: _charge_draft(query, key, spent, bins, guarantee),
        allow_no_guarantee=terms.allow_no_guarantee,
        what=EXPOSURE_HISTOGRAM,
        instead="worst-case",
    )
    if isinstance(reservation, Draft):
        stored = cast(dict[str, Any], reservation.public["exposure_histogram"])
        certificate = ReleaseCertificate.from_dict(stored["certificate"])
        return ExposureHistogram.from_stored(stored, certificate, _sum_noise(query, certificate, bins))
    number = people_by_exposure(query.context.schema)
    counts = read_for(ledger, key, reservation, _what(query), lambda: query.survey(noise).people_by_bin(bins))
    noisy = noisy_counts(query, counts, spent)
    furthest = joint_reach(number.scale(spent), len(noisy), float(number.step)) + 0.5  # counts are shown rounded
    certificate = _certificate(query, reservation, spent, bins)
    bound = furthest if reservation.guarantee.holds else None
    histogram = ExposureHistogram(noisy, bound, certificate, _sum_noise(query, certificate, bins))
    record_release(ledger, key, reservation, _what(query), {"exposure_histogram": histogram.stored()})
    return histogram


def noisy_counts(query: BoundQuery, counts: Sequence[int], epsilon: float) -> tuple[float, ...]:
    """People in each bin, with noise."""
    number = people_by_exposure(query.context.schema)
    people = [int(count / number.step) for count in counts]
    drawn = query.context.services.mechanism(NoiseLaw.LAPLACE)(people, number.steps, number.part(epsilon))
    return tuple(float(count * number.step) for count in drawn)


def _sum_noise(query: BoundQuery, certificate: ReleaseCertificate, bins: int) -> tuple[float, ...]:
    """For each number of bins that are added up: what their noise exceeds at most 10% of the time."""
    if certificate.epsilon is None:
        return ()
    number = people_by_exposure(query.context.schema)
    scale, step = number.scale(certificate.epsilon), float(number.step)
    return tuple(one_sided_reach(scale, numbers, step) for numbers in range(1, bins + 1))


def _affordable(epsilon: float) -> float:
    spent = stated_epsilon(epsilon).value
    if spent > EPSILON_MAX:
        raise PreferenceError.because("exposure-histogram-epsilon-too-large", most=EPSILON_MAX, epsilon=spent)
    return spent


def _countable(bins: object) -> None:
    if not isinstance(bins, int) or isinstance(bins, bool) or not FEWEST <= bins <= MOST:
        raise PreferenceError.because("exposure-histogram-bins", fewest=FEWEST, most=MOST, bins=str(bins), usual=BINS)


def _require_additive(query: BoundQuery) -> None:
    """Refuse exposures that are not each person's own, from public facts, before anything is charged."""
    dataset = query.context
    if dataset.bounds_from_data:
        raise NoMechanism.because("exposure-histogram-bounds-from-data")
    if query.measurement.not_additive:
        raise NoMechanism.because("exposure-histogram-not-additive", columns=list(query.measurement.not_additive))
    dataset.require_data()


def _request_key(query: BoundQuery, noise: Noise, epsilon: float, bins: int) -> str:
    """What is asked for; of the noise of a later release only its kind is in the exposures."""
    return digest(["exposure_histogram", query.question, noise.mechanism, epsilon, bins])


def _inputs(query: BoundQuery, key: str, record: Record, preregistered: str) -> tuple[Provenance, ...]:
    """An epsilon that a person states, and the schema. No rule and no plan foresees an exposure histogram."""
    statement, ledger, preregistered_text = query.statement, query.context.ledger, " ".join(preregistered.split())
    by = {"preregistered": preregistered_text, "who": ledger.who}
    preference = record.preference(Plan(key, query.question), is_rule=False, rule=ledger.rule, **by)
    return replace(preference, what="epsilon"), record.schema(statement.columns, ledger.schema, **by)


def _charge_draft(query: BoundQuery, key: str, epsilon: float, bins: int, outcome: Guarantee) -> Draft:
    """The charge: epsilon, or a public constant where the epsilon would tell about the data."""
    number = people_by_exposure(query.context.schema)
    rho = ledger_rho(rho_laplace(number.part(epsilon), number.steps))
    cost = PrivacyCost(epsilon, rho, (float(number.sensitivity),), (number.scale(epsilon),), bins + 1)
    purpose = ChargePurpose(_what(query), EXPOSURE_HISTOGRAM, RECORDED.method, NoiseLaw.LAPLACE.value)
    return charge_draft(query.context, key, outcome, purpose, cost, epsilon)


def _what(query: BoundQuery) -> str:
    return f"exposure histogram under {query.sql}"


def _certificate(query: BoundQuery, reservation: Reservation, epsilon: float, bins: int) -> ReleaseCertificate:
    number = people_by_exposure(query.context.schema)
    scale, step = number.scale(epsilon), float(number.step)
    draw = LaplaceDraw(epsilon, float(number.sensitivity), scale, step, reach(NoiseLaw.LAPLACE, scale))
    return certify_numbers(query, reservation, draw, RECORDED, bins + 1)
