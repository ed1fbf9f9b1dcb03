"""One release takes each step once, and passes through few modules."""

from __future__ import annotations

import pytest

from tools.trace import STEPS, Trace, traced

LIMITS = {
    "release": {"modules": 88, "changes": 200, "parse": 1, "solve": 1, "calibrate": 1, "provenance": 1, "ledger": 3},
    "submit": {"parse": 1, "solve": 1, "estimate": 1},
    "inspect": {"parse": 1, "solve": 1, "estimate": 1},
}
EACH = [(verb, name) for verb, limits in LIMITS.items() for name in limits]


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    return traced()


@pytest.mark.parametrize(("verb", "name"), EACH, ids=[" ".join(one) for one in EACH])
def test_a_verb_calls_no_more_than_its_limit(traces: dict[str, Trace], verb: str, name: str) -> None:
    """At least once: a renamed step is renamed in `STEPS` too."""
    trace = traces[verb]
    assert 1 <= trace.counts[name] <= LIMITS[verb][name], sorted(trace.modules) if name == "modules" else trace.packages


def test_every_step_has_a_limit_somewhere() -> None:
    assert {name for limits in LIMITS.values() for name in limits} >= {*STEPS}
