"""Whether an epsilon can be selected privately for a query: told from public facts."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

from sfumato.errors import NoMechanism, PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.schema import Schema
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.preferences.preference import Variance
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import Request
from sfumato.release.selection_draw import floor


def require_selectable(query: BoundQuery, asked: Request) -> None:
    """Refuse what no selection can be made for, or none that could be released, before anything is charged."""
    dataset = query.context
    if asked.as_published:
        raise PreferenceError(
            "Algorithm 3 as published leaves no guarantee, so nothing is selected privately beside it",
            hint="leave one of the two out.",
        )
    if dataset.bounds_from_data:
        raise NoMechanism(
            "With bounds from the data nobody's exposure is their own, so nothing is selected privately",
            hint="open the data with the bounds of its schema.",
        )
    if query.measurement.not_additive:
        raise NoMechanism(
            f"There is no private selection for {', '.join(query.measurement.not_additive)}: that is no sum over "
            "people, and everybody counts as exposed in full",
            hint="use --gap 1.2 --worst-case, which reads nobody.",
        )
    if asked.epsilon_max < asked.smallest:
        raise PreferenceError(
            f"No epsilon is selected below {asked.smallest:g}, and epsilon_max is {asked.epsilon_max:g}",
            hint="state a larger epsilon_max, or a grid with smaller epsilons.",
        )
    for end in (asked.smallest, asked.epsilon_max):  # whatever is selected can be drawn, too
        calibrate(query.measurement, asked.noise, end, asked.epsilon_max)
    for preference in asked.selecting:
        if isinstance(preference, Variance):
            _above_floor(preference, dataset.schema, asked.noise)


def _above_floor(preference: Variance, schema: Schema, noise: Noise) -> None:
    """A variance that no selection can tell among as many people as there are known to be."""
    if not schema.people_at_least:
        return
    least = floor(preference, schema, schema.people_at_least, noise)
    if preference.tau < least:
        works = _upward(least)
        raise PreferenceError(
            f"variance {float(preference.tau):g} is below the noise of a selection with epsilon "
            f"{preference.select_epsilon:g} among {schema.people_at_least:,} people: were they all alike, what "
            "is selected would still be less than what that costs, more often than not",
            hint=f"the smallest that works is --variance {works}; or spend more with --select-epsilon.",
        )


def _upward(figure: float) -> str:
    """In two digits, rounded up."""
    exact = Decimal(figure)
    return f"{exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1), rounding=ROUND_CEILING):.1e}"
