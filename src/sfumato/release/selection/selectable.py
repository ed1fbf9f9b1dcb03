"""Whether an epsilon can be selected privately for a query: told from public facts."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

from sfumato.errors import NoMechanism, PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.schema import Schema
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.preferences.disparity import Variance
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import ReleaseRequest
from sfumato.release.selection.draw import floor


def require_selectable(query: BoundQuery, request: ReleaseRequest) -> None:
    """Refuse what no selection can be made for, or none that could be released, before anything is charged."""
    dataset = query.context
    if request.as_published:
        raise PreferenceError.because("selection-beside-published")
    if dataset.bounds_from_data:
        raise NoMechanism.because("selection-bounds-from-data")
    if query.measurement.not_additive:
        raise NoMechanism.because("selection-not-additive", columns=list(query.measurement.not_additive))
    if request.epsilon_max < request.smallest:
        raise PreferenceError.because(
            "selection-epsilon-max-too-small", smallest=request.smallest, epsilon_max=request.epsilon_max
        )
    for end in (request.smallest, request.epsilon_max):  # whatever is selected can be drawn, too
        calibrate(query.measurement, request.noise, end, request.epsilon_max)
    for preference in request.selecting:
        if isinstance(preference, Variance):
            _above_floor(preference, dataset.schema, request.noise)


def _above_floor(preference: Variance, schema: Schema, noise: Noise) -> None:
    """A variance that no selection can tell among as many people as there are known to be."""
    if not schema.people_at_least:
        return
    least = floor(preference, schema, schema.people_at_least, noise)
    if preference.tau < least:
        raise PreferenceError.because(
            "variance-below-noise",
            variance=float(preference.tau),
            select_epsilon=preference.select_epsilon,
            people=schema.people_at_least,
            smallest=_upward(least),
        )


def _upward(figure: float) -> str:
    """In two digits, rounded up."""
    exact = Decimal(figure)
    return f"{exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1), rounding=ROUND_CEILING):.1e}"
