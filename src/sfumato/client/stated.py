"""What is sent with a question: queries with their weights, and a preference by its names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.registry import to_mapping

Stated = Preference | Mapping[str, Any]
"""`sf.gap(1.2, worst_case=True)`, or the same as a `[rule]` has it: {"gap": 1.2, "worst_case": True}."""


def preference(
    stated: Sequence[Stated], mechanism: str | None = None, delta: float | None = None
) -> dict[str, Any] | None:
    """By their names; None is the rule of record, which has its own noise."""
    tables = [one for one in stated if isinstance(one, Mapping)]
    names = to_mapping([one for one in stated if not isinstance(one, Mapping)])
    for table in tables:
        if clash := sorted(name for name in table if name in names):
            raise PreferenceError(f"'{clash[0]}' is stated twice", hint="state it once.")
        names |= table
    noise = {"mechanism": mechanism, "delta": delta}
    how = {name: value for name, value in noise.items() if value is not None}
    if how and not names:
        hint = "state a preference too, such as sf.gap(1.2, worst_case=True)."
        raise PreferenceError("The rule of record says how its noise is drawn", hint=hint)
    return names | how or None


def queries(texts: Sequence[str], weights: Sequence[float] | None = None) -> list[dict[str, Any]]:
    """Each with its weight; all alike where nothing is said."""
    if not texts:
        raise PreferenceError("A request has one query at least", hint="pass one, or a list.")
    each = [1.0] * len(texts) if weights is None else list(weights)
    if len(each) != len(texts):
        sentence = f"There are {len(texts)} queries and {len(each)} weights"
        raise PreferenceError(sentence, hint="state a weight for each query, or none.")
    return [{"sql": text, "weight": weight} for text, weight in zip(texts, each, strict=True)]
