"""One release takes each step once, and passes through few modules."""

from __future__ import annotations

import pytest

from tools.trace import STEPS, Trace, traced

LIMITS = {
    "release": {
        "modules": (63, 62),
        "changes": (360, 200),
        "parse": (1, 1),
        "solve": (3, 1),
        "calibrate": (8, 1),
        "provenance": (7, 1),
        "ledger": (3, 3),
    },
    "submit": {"parse": (1, 1), "solve": (1, 1), "estimate": (1, 1)},
    "inspect": {"parse": (2, 1), "solve": (2, 1), "estimate": (2, 1)},
}
EACH = [(verb, name) for verb, limits in LIMITS.items() for name in limits]


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    return traced()


@pytest.mark.parametrize(("verb", "name"), EACH, ids=[" ".join(one) for one in EACH])
def test_a_verb_calls_no_more_than_its_limit(traces: dict[str, Trace], verb: str, name: str) -> None:
    """`LIMITS` has what is allowed now, and the goal. At least once: a renamed step is renamed in `STEPS` too."""
    limit, goal = LIMITS[verb][name]
    trace = traces[verb]
    assert goal <= limit
    assert 1 <= trace.counts[name] <= limit, sorted(trace.modules) if name == "modules" else trace.packages


def test_every_step_has_a_limit_somewhere() -> None:
    assert {name for limits in LIMITS.values() for name in limits} >= {*STEPS}
