"""Contribution bounds from a private histogram, or from public knowledge."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.privacy.contribution_choice import compared_bounds, least_bound

PEOPLE = {1: 900, 5: 80, 50: 20}
STAYS: dict[str, Any] = {
    "name": "stays",
    "unit": "patient",
    "max_rows": 5,
    "columns": {
        "patient": {"type": "integer"},
        "ward": {"type": "text", "categories": ["A", "B", "C"]},
        "cost": {"type": "number", "bounds": [-1, 6]},
    },
}


@pytest.mark.golden("suggest_max_rows")
@pytest.mark.parametrize(("epsilon", "bound"), [(1, 50), (0.05, 5), (0.01, 1)])
def test_noise_and_what_is_left_out_are_smallest_together(epsilon: float, bound: int) -> None:
    assert least_bound(PEOPLE, epsilon) == bound
    costs = {c.bound: 2**0.5 * c.bound / epsilon + c.left_out for c in compared_bounds(PEOPLE, epsilon)}
    assert min(costs, key=lambda m: costs[m]) == bound


def stays() -> sf.Dataset:
    people = [n for n, many in PEOPLE.items() for _ in range(many)]
    rows = [{"patient": i, "ward": "AB"[k % 2], "cost": float(k % 7)} for i, n in enumerate(people) for k in range(n)]
    return sf.open(pd.DataFrame(rows), STAYS, ledger=":memory:")


@pytest.mark.parametrize(
    ("how", "statement"),
    [({}, "max_rows = 5"), ({"groups": "ward"}, "max_groups = 2"), ({"column": "cost"}, "per_person = [-2, 12]")],
)
def test_a_private_histogram_is_charged_like_any_release(how: dict[str, str], statement: str) -> None:
    dataset = stays()
    suggested = dataset.suggest_bounds(5.0, for_epsilon=0.05, **how)  # type: ignore[arg-type]
    assert suggested.statement == statement
    assert suggested.certificate is not None
    assert suggested.certificate.guarantee.value == "dp"
    assert dataset.ledger.total.epsilon == 5.0
    assert dataset.suggest_bounds(5.0, for_epsilon=1.0, **how).certificate is not None  # type: ignore[arg-type]
    assert dataset.ledger.total.epsilon == 5.0  # the same histogram, read for another epsilon
    assert str(suggested.as_dict()["statement"]) in repr(suggested)


def test_public_knowledge_is_free() -> None:
    dataset = stays()
    assert dataset.suggest_bounds(known=PEOPLE, for_epsilon=0.05).bound == 5
    assert dataset.ledger.total.epsilon == 0


def test_it_needs_people_with_several_rows_and_one_source() -> None:
    schema = {"name": "t", "columns": {"v": {"type": "integer", "bounds": [0, 1]}}}
    with pytest.raises(SfumatoError, match="each row of t is a person of its own"):
        sf.open(pd.DataFrame({"v": [1]}), schema, ledger=":memory:").suggest_bounds(1.0, for_epsilon=1.0)
    with pytest.raises(SfumatoError, match="needs an epsilon, or known"):
        stays().suggest_bounds(for_epsilon=1.0)
