"""The preferences of each query of a request: by its weight, or by an index that splits one epsilon (DIFF)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import BadInput
from sfumato.escrow.questions.preferences import stated_preferences
from sfumato.escrow.questions.query import RequestedQuery, shares_of
from sfumato.privacy.preferences.budget_split import best_index, parts, require_index
from sfumato.privacy.preferences.preference import Preference
from sfumato.release.bound_query import BoundQuery
from sfumato.release.budget_split import is_one_number, unit_of

Terms = tuple[tuple[Preference, ...], dict[str, Any]]


def split_terms(
    queries: Sequence[BoundQuery], requested: Sequence[RequestedQuery], preference: Mapping[str, Any] | None
) -> tuple[Terms, ...]:
    """The preferences of each query, and how its noise is drawn.

    With an index the preference is that of the whole request: its epsilon is split so that noise scales are as the
    index says, in whole billionths where the epsilon is stated.
    """
    index = index_of(queries, requested)
    if index is None:
        shares = shares_of(requested)
        return tuple(stated_preferences(q, preference, share) for q, share in zip(queries, shares, strict=True))
    units = [unit_of(query) for query in queries]
    if preference and set(preference) & {"epsilon"}:
        own = parts(units, index, float(preference["epsilon"]))
        if min(own) <= 0:
            raise BadInput.because("request-part-too-small", sql=queries[own.index(min(own))].sql)
        return tuple(stated_preferences(q, {**preference, "epsilon": e}) for q, e in zip(queries, own, strict=True))
    shares = tuple(part for part in parts(units, index, 1.0))
    return tuple(stated_preferences(q, preference, share) for q, share in zip(queries, shares, strict=True))


def index_of(queries: Sequence[BoundQuery], requested: Sequence[RequestedQuery]) -> tuple[float, ...] | None:
    """The index as it is stated, or the one that makes the largest relative error of the expected answers smallest."""
    numbers = [one.index for one in requested]
    guesses = [one.expected for one in requested]
    if all(each is None for each in numbers) and (len(requested) == 1 or any(each is None for each in guesses)):
        return None
    if any(one.weight != 1 for one in requested):
        raise BadInput.because("index-and-weight")
    if all(each is not None for each in numbers):
        return require_index([each for each in numbers if each is not None], len(queries))
    if any(each is not None for each in numbers):
        raise BadInput.because("index-of-some-queries")
    if several := next((q for q in queries if not is_one_number(q)), None):
        raise BadInput.because("request-expected-of-several", sql=several.sql)
    return best_index([unit_of(q) for q in queries], [each for each in guesses if each is not None], "largest")
