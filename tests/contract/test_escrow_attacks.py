"""Ways around a policy that somebody tried: what they get is a refusal, or the word that the record has."""

from __future__ import annotations

import pytest

from sfumato.errors import Forbidden, PreferenceError
from tests.room import COUNT, RULE, SCHEMA, Room

AUTOMATIC = {"approve": "automatic"}


def test_a_rule_that_the_schema_states_is_of_record_with_the_policy(room: Room) -> None:
    """Looked at, and then changed in the schema: the policy goes by the rule that it was written with."""
    room.datasets.describe(room["alice"], "stays", f"{SCHEMA}[rule]\ngap = 1.2\nworst_case = true\n")
    room.policies.set(room["alice"], "stays", {"flow": [{"who": ["bob"]} | AUTOMATIC]})
    assert room.policies.current(room["alice"], "stays").policy.rule == RULE
    room.look()
    room.datasets.describe(room["alice"], "stays", f"{SCHEMA}[rule]\nepsilon = 5\n")
    assert (room.released()["guarantee"], room.charged) == ("dp", 0.2)


def test_a_schema_adds_no_rule_to_a_policy_without_one(room: Room) -> None:
    room.policies.set(room["alice"], "stays", {"flow": [{"who": ["bob"]} | AUTOMATIC]})
    room.look()
    room.datasets.describe(room["alice"], "stays", f"{SCHEMA}[rule]\nepsilon = 5\n")
    with pytest.raises(PreferenceError, match="No preference is stated"):
        room.submit()
