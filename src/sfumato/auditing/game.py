"""The membership game on the product's own path: synthetic tables, a fair coin, and a release from one of them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sfumato.auditing.guesser import Numbers, Round
from sfumato.auditing.neighbours import (
    ADDED,
    EDGE,
    END,
    HERE,
    RARE,
    THERE,
    NeighbourPair,
    Row,
    Setup,
    additive_pairs,
    cap_selection_pairs,
    count_selection_pairs,
    grouped_pairs,
    private_group_pairs,
    published_algorithm_1_pairs,
    published_sparse_vector_pairs,
    rank_pairs,
    sum_selection_pairs,
)
from sfumato.composition import local
from sfumato.privacy.preferences.disparity import exposure_cap, ratio, variance
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release.decide import EPSILON_MAX

if TYPE_CHECKING:
    from sfumato.api.dataset import Query
    from sfumato.api.release import Release

FRESH = 1000  # releases after which a table gets a new ledger: one in memory keeps every answer

DrawOutcome = tuple[Numbers, Numbers]  # the noisy numbers, and the answer that was made from them
Draw = Callable[[], DrawOutcome]


@dataclass(frozen=True)
class AuditedMechanism:
    """What can be audited: of which aggregates, on which neighbours, and what one draw of it shows."""

    neighbours: Mapping[str, Callable[[Setup], tuple[NeighbourPair, ...]]]
    drawing: Callable[[Query, Setup, NeighbourPair], Draw]
    takes_delta: bool = False
    broken: str = "noise half as wide"


def rounds(pair: NeighbourPair, setup: Setup, mechanism: AuditedMechanism, runs: int) -> Iterator[Round]:
    """So many plays: a coin says which of the two tables is asked."""
    tables: list[Draw] = []
    for run, coin in enumerate(_coins(runs)):
        if run % FRESH == 0:
            tables = [mechanism.drawing(query_of(pair, setup, rows), setup, pair) for rows in pair.tables()]
        numbers, figures = tables[coin]()
        yield Round(coin, numbers, figures)


def _coins(runs: int) -> Iterator[bool]:
    """Fair coins of the system's own: no one can repeat them."""
    tossed = os.urandom((runs + 7) // 8)
    return (bool(tossed[run // 8] >> run % 8 & 1) for run in range(runs))


def query_of(pair: NeighbourPair, setup: Setup, rows: list[tuple[int, Row]]) -> Query:
    """The question of a pair, about a table of its own whose ledger is forgotten."""
    import pyarrow as pa

    table = pa.table(
        {
            "who": pa.array([who for who, _ in rows], pa.int64()),
            "value": pa.array([value for _, (value, _) in rows], pa.int64()),
            "place": pa.array([place for _, (_, place) in rows], pa.string()),
        }
    )
    place: dict[str, Any] = {"keys": "private"} if pair.private_keys else {"categories": [HERE, THERE]}
    schema = {
        "name": "people",
        "relation": setup.relation.value,
        "columns": {
            "who": {"type": "integer"},
            "value": {"type": "integer", "bounds": list(pair.bounds)},
            "place": {"type": "text"} | place,
        },
    }
    people = {"unit": "who", "max_rows": pair.max_rows} if pair.max_rows > 1 else {}
    return local.open(table, schema | people, ledger=":memory:").query(pair.sql)


# What one draw shows


def _draw_release(query: Query, setup: Setup, _: NeighbourPair) -> Draw:
    """A release at the epsilon that is claimed."""
    noise = setup.mechanism if setup.mechanism in ("gaussian", "truncated") else "laplace"
    epsilon_max = max(EPSILON_MAX, setup.epsilon)
    choice = query.choose(stated_epsilon(setup.epsilon), mechanism=noise, delta=setup.delta, epsilon_max=epsilon_max)
    return lambda: _numbers(query.release(choice, redraw=True))


def _draw_rank(query: Query, setup: Setup, pair: NeighbourPair) -> Draw:
    """A candidate, and whether it lies beyond the edge; of a minimum that is the other way around."""
    draw = _draw_release(query, setup, pair)

    def beyond() -> DrawOutcome:
        (selected,), _ = draw()
        edge = END - EDGE if setup.aggregate == "min" else EDGE
        return (selected,), (float(selected > edge),)

    return beyond


def _draw_private_group(query: Query, setup: Setup, _: NeighbourPair) -> Draw:
    """The count of the one private group that is watched, if it shows."""

    choice = query.choose(stated_epsilon(setup.epsilon), delta=setup.delta, epsilon_max=max(EPSILON_MAX, setup.epsilon))

    def draw() -> DrawOutcome:
        release = query.release(choice, redraw=True)
        groups = {row[0]: numbers for row, numbers in zip(release.rows, release.numbers, strict=True)}
        seen = (groups[RARE][0] if RARE in groups else float("-inf"),)
        return seen, seen

    return draw


def _draw_algorithm_1(query: Query, _setup: Setup, _pair: NeighbourPair) -> Draw:
    """Find-epsilon-from-RDR with the paper's candidates: whatever is claimed, the people size the noise."""
    choice = query.choose(ratio(0.95), candidates="paper")
    return lambda: _numbers(query.release(choice, redraw=True, allow_no_guarantee=True))


def _draw_selected_epsilon(query: Query, setup: Setup, pair: NeighbourPair) -> Draw:
    """The epsilon that is selected; 0 where there is none."""
    published = setup.mechanism == "algorithm-3"
    preference = (
        exposure_cap(1.0, allow=pair.threshold, select_epsilon=setup.epsilon)
        if setup.mechanism == "selection-cap"
        else variance(pair.threshold, select_epsilon=setup.epsilon, as_published=published)
    )

    def draw() -> DrawOutcome:
        seen = (query.choose(preference, redraw=True, allow_no_guarantee=published).epsilon or 0.0,)
        return seen, seen

    return draw


def _numbers(release: Release) -> DrawOutcome:
    """All of a release: every number of every cell, and every figure."""
    figures = [figure for row in release.rows for figure in row if not isinstance(figure, str)]
    there = tuple(-math.inf if figure is None else figure for figure in figures)  # that one is missing tells, too
    return tuple(n for cell in release.numbers for n in cell), cast(Numbers, there)


_ADDITIVE = {**dict.fromkeys(ADDED, additive_pairs), "group-by": grouped_pairs}
_RANKS = dict.fromkeys(("min", "max", "median", "quantile"), rank_pairs)
_AS_PUBLISHED = "the mechanism as published"

MECHANISMS: Mapping[str, AuditedMechanism] = {
    "laplace": AuditedMechanism(_ADDITIVE, _draw_release),
    "gaussian": AuditedMechanism(_ADDITIVE, _draw_release, takes_delta=True),
    "truncated": AuditedMechanism(_ADDITIVE, _draw_release, takes_delta=True),
    "exponential": AuditedMechanism(_RANKS, _draw_rank),
    "threshold": AuditedMechanism({"group-by": private_group_pairs}, _draw_private_group, takes_delta=True),
    "selection-variance": AuditedMechanism(
        {"count": count_selection_pairs, "sum": sum_selection_pairs}, _draw_selected_epsilon
    ),
    "selection-cap": AuditedMechanism({"count": cap_selection_pairs}, _draw_selected_epsilon),
    "algorithm-1": AuditedMechanism({"count": published_algorithm_1_pairs}, _draw_algorithm_1, broken=_AS_PUBLISHED),
    "algorithm-3": AuditedMechanism(
        {"sum": published_sparse_vector_pairs}, _draw_selected_epsilon, broken=_AS_PUBLISHED
    ),
}
