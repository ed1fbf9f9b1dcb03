"""Truncated noise from outside: within its reach, by its law, and no event is likelier than (epsilon, delta) allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sfumato.adapters.noise.truncated import truncated
from sfumato.auditing.guesser import OutputEvent, Round
from sfumato.auditing.neighbours import Setup, additive_pairs
from sfumato.composition import local
from sfumato.ports import Mechanism
from sfumato.privacy.noise.truncated_laplace import delta_of_each, delta_of_reach, reach_of, steps_of_reach
from tests.depth import depth
from tests.statistical.audit import audit_delta, laplace, misfit, said
from tests.statistical.cases import CASES, SEED, Case, grouped

pytestmark = pytest.mark.statistical

EPSILON, DELTA = 1.5, 0.1
HOW: dict[str, Any] = {"mechanism": "truncated", "epsilon": EPSILON, "delta": DELTA}
AUDITED = [
    case for case in CASES if case.name in {"count", "sum", "average", "sum of many rows", "sum of one replaced"}
]

Record = Callable[[str, object], None]


def within(reach: int) -> Callable[[int, float], float]:
    """P(X <= k) of Laplace noise of so many steps, given that it lies within the reach."""

    def below(k: int, scale: float) -> float:
        outside = laplace(-reach - 1, scale)
        return min(1.0, max(0.0, (laplace(k, scale) - outside) / (1 - 2 * outside)))

    return below


def projected(case: Case, rounds: Sequence[Round]) -> list[tuple[bool, float]]:
    """What a guesser who knows the person makes of the numbers, each in units of what anybody moves it by."""
    moved = [b - a for a, b in zip(case.truth(False), case.truth(True), strict=True)]
    weights = [math.copysign(1 / limit, m) for m, limit in zip(moved, case.moves, strict=True)]
    return [(r.present, sum(w * x for w, x in zip(weights, r.numbers, strict=True))) for r in rounds]


@pytest.mark.depth("truncated runs", seed=SEED)
@pytest.mark.parametrize("case", AUDITED, ids=lambda case: case.name)
def test_no_event_is_likelier_than_delta_allows(case: Case, record_property: Record) -> None:
    rounds = list(grouped(case, 2 * depth("truncated runs"), **HOW))
    halved = additive_pairs(Setup("truncated", "count", EPSILON, DELTA))[0].broken if len(case.moves) == 1 else ()
    verdict = audit_delta(projected(case, rounds), EPSILON, DELTA, halved)
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict
    assert verdict.power > 0.99 or not halved, verdict
    each, numbers = delta_of_each(DELTA, len(case.moves)), len(case.moves)
    for j, move in enumerate(case.moves):
        steps = round(move / rounds[0].steps[j])
        furthest = steps_of_reach(EPSILON / numbers, each, steps)
        noise = case.noise(rounds, j)
        assert max(map(abs, noise)) <= furthest
        wrong = misfit(noise, numbers * steps / EPSILON, within(furthest))
        assert not wrong, wrong


# The published formula without its sensitivity: a delta of 0.06 instead of 1e-6

FIVE = Case("sum of up to 5", "SUM(value)", "integer", (0, 5), (0, 2, 5), (5,), moves=(5,))
TINY: dict[str, Any] = {"mechanism": "truncated", "epsilon": 1.0, "delta": 1e-6}
SHOWS = OutputEvent(delta_of_reach(reach_of(1, 1e-6), 1, sensitivity=5), 0.0)


@pytest.mark.depth("truncated runs", seed=SEED)
@pytest.mark.parametrize("forgotten", [False, True], ids=["as it is", "sensitivity forgotten"])
def test_a_reach_that_forgets_the_sensitivity_is_caught(forgotten: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = local._mechanism

    def mechanism(law: str, reach: int = 0) -> Mechanism:
        return honest(law, reach // 5 if forgotten else reach)

    monkeypatch.setattr(local, "_mechanism", mechanism)
    often = 4 if forgotten else 1  # with fewer rounds another event may look better at first
    seen = projected(FIVE, list(grouped(FIVE, 2 * often * depth("truncated runs"), **TINY)))
    verdict = audit_delta(seen, 1.0, 1e-6, [SHOWS])
    assert verdict.power > 0.99, verdict
    assert verdict.holds is not forgotten, verdict


def test_noise_that_is_not_drawn_again_is_not_of_this_law() -> None:
    """Laplace noise that is brought to its reach instead of drawn again piles up there."""
    steps, furthest = 1024, steps_of_reach(EPSILON, DELTA, 1024)
    right = truncated([0] * 20_000, steps, EPSILON, reach=furthest)
    assert not misfit(right, steps / EPSILON, within(furthest))
    clamped = [max(-furthest, min(furthest, k)) for k in truncated([0] * 20_000, steps, EPSILON, reach=2**40)]
    assert misfit(clamped, steps / EPSILON, within(furthest))
