"""Gaussian releases from outside: no event is likelier than (epsilon, delta) allow, and the noise is as declared.

A large delta is claimed, so that what a delta allows is seen in a few thousand runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import pytest

from sfumato.auditing.guesser import OutputEvent, Round
from sfumato.privacy.noise.gaussian import delta_at, mu_analytic
from tests.depth import depth
from tests.statistical.audit import audit_delta, gaussian, misfit, question, said
from tests.statistical.cases import CASES, COUNT, SEED, Case, alone, grouped

pytestmark = pytest.mark.statistical

EPSILON, DELTA = 1.0, 0.1
HOW: dict[str, Any] = {"mechanism": "gaussian", "epsilon": EPSILON, "delta": DELTA}
MU = mu_analytic(EPSILON, DELTA)

Record = Callable[[str, object], None]


def projected(case: Case, rounds: Sequence[Round]) -> list[tuple[bool, float]]:
    """What a guesser who knows the person makes of the noisy numbers: the direction in which the person moves them."""
    moved = [b - a for a, b in zip(case.truth(False), case.truth(True), strict=True)]
    weights = [m / case.sigma(j, MU) ** 2 for j, m in enumerate(moved)]
    return [(r.present, sum(w * x for w, x in zip(weights, r.numbers, strict=True))) for r in rounds]


def halved() -> list[OutputEvent]:
    """How often noise half as wide lies beyond a level, with the person and without, level by level."""
    normal = NormalDist()
    return [OutputEvent(normal.cdf(2 * MU - level / 20), normal.cdf(-level / 20)) for level in range(-20, 60)]


def audited(case: Case, rounds: Sequence[Round]) -> str:
    verdict = audit_delta(projected(case, rounds), EPSILON, DELTA, halved())
    print(said(verdict))
    assert verdict.holds, verdict
    assert verdict.power > 0.99, verdict
    for j in range(len(case.moves)):
        wrong = misfit(case.noise(list(rounds), j), case.sigma(j, MU) / rounds[0].steps[j], gaussian)
        assert not wrong, wrong
    return said(verdict)


@pytest.mark.depth("delta runs", seed=SEED)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_event_is_likelier_than_delta_allows(case: Case, record_property: Record) -> None:
    record_property("verdict", audited(case, list(grouped(case, 2 * depth("delta runs"), **HOW))))


@pytest.mark.slow
@pytest.mark.depth("delta runs", seed=SEED)
def test_no_event_is_likelier_by_asking_again(record_property: Record) -> None:
    record_property("verdict", audited(COUNT, list(alone(COUNT, 2 * depth("delta runs"), **HOW))))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_grid_is_as_fine_as_the_theorem_asks(case: Case) -> None:
    """2**26 steps to a sigma: on bare integers the analytic sigma exceeds its delta (docs/theory/gaussian.md)."""
    asked = question(
        f"SELECT {case.figure} FROM {case.source()}", case.column, {"here": case.people(True)}, **case.stated
    )
    certificate = asked.release(redraw=True, **HOW).certificate
    sigmas = [case.sigma(j, MU) for j in range(len(case.moves))]
    assert certificate.scale == pytest.approx(sigmas, rel=1e-8)
    assert all(step <= sigma / 2**26 for sigma, step in zip(sigmas, certificate.grid_step or (), strict=True))


def test_the_audit_sees_noise_that_is_too_narrow() -> None:
    assert delta_at(EPSILON, MU) == pytest.approx(DELTA)
    normal = NormalDist(0, 1)
    noise = iter(normal.samples(2 * depth("delta runs"), seed=SEED))
    sides = [i % 2 == 0 for i in range(2 * depth("delta runs"))]
    drawn = [(there, float(there) * MU, next(noise)) for there in sides]
    assert audit_delta([(there, x + z) for there, x, z in drawn], EPSILON, DELTA, halved()).holds
    assert not audit_delta([(there, 2 * x + z) for there, x, z in drawn], EPSILON, DELTA, halved()).holds
