"""`sfumato demo --serve` has room for everything that can be asked."""

from __future__ import annotations

from sfumato.cli.local.demo_server import ANALYST, BOARD, CONTROLLER, POLICY
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.read import policy_of
from sfumato.model.signal_score import SignalKind
from sfumato.release.decide import EPSILON_MAX

PEOPLE = [
    Person(CONTROLLER, "", (Role.CONTROLLER,), "", ""),
    Person(ANALYST, BOARD, (Role.ANALYST,), "", ""),
]


def test_the_demo_shows_every_signal() -> None:
    policy = policy_of(POLICY, PEOPLE, [CONTROLLER], [])
    (flow,) = policy.access_rules
    assert {*flow.signals} == {*SignalKind}
    assert flow.code
    assert policy.budget.epsilon is not None
    assert policy.budget.epsilon >= EPSILON_MAX + 2, "one as published, beside answers and other signals"
