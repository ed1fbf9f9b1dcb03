"""Bodies of requests: queries with their weights, and a preference by its names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.registry import to_mapping

PreferenceInput = Preference | Mapping[str, Any]
"""`sf.gap(1.2, worst_case=True)`, or the table that a `[rule]` has: {"gap": 1.2, "worst_case": True}."""


def preference_table(preferences: Sequence[PreferenceInput], how: Mapping[str, Any]) -> dict[str, Any] | None:
    """Preferences by their names, and `how` the noise is drawn; None is the preregistered rule, with its own noise."""
    names = to_mapping([one for one in preferences if not isinstance(one, Mapping)])
    for table in preferences:
        if isinstance(table, Mapping):
            if clash := sorted(name for name in table if name in names):
                raise PreferenceError(f"'{clash[0]}' is stated twice", hint="state it once.")
            names |= table
    noise = {name: value for name, value in how.items() if value is not None}
    if noise and not names:
        raise PreferenceError.because("noise-beside-rule")
    return names | noise or None


def weighted_queries(
    texts: Sequence[str],
    weights: Sequence[float] | None = None,
    index: Sequence[float] | None = None,
    expected: Sequence[float] | None = None,
    signals: Sequence[Mapping[str, Any] | None] | None = None,
) -> list[dict[str, Any]]:
    """Queries with their weights, all equal by default; or with an index of their noise, or expected answers."""
    if not texts:
        raise PreferenceError("A request needs at least one query", hint="pass a list of queries.")
    each = [1.0] * len(texts) if weights is None else list(weights)
    if len(each) != len(texts):
        sentence = f"There are {len(texts)} queries and {len(each)} weights"
        raise PreferenceError(sentence, hint="state a weight for each query, or none.")
    queries = [{"sql": text, "weight": weight} for text, weight in zip(texts, each, strict=True)]
    if signals is not None:
        if len(signals) != len(texts):
            sentence = f"There are {len(texts)} queries and {len(signals)} signals"
            raise PreferenceError(sentence, hint="state a signal or None for each query.")
        queries = [query | {"signal": dict(s)} if s else query for query, s in zip(queries, signals, strict=True)]
    for name, numbers in (("index", index), ("expected", expected)):
        if numbers is None:
            continue
        if len(numbers) != len(texts):
            sentence = f"There are {len(texts)} queries and {len(numbers)} numbers of {name}"
            raise PreferenceError(sentence, hint="state one for each query, or none.")
        queries = [query | {name: float(number)} for query, number in zip(queries, numbers, strict=True)]
    return queries
