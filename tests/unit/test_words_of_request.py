"""What is said to be the worst is never better than it is."""

from __future__ import annotations

import re

import pytest

from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording.guarantee import in_100
from sfumato.privacy.risk.membership import attack_chance


@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.2, 0.75, 1.0, 3.0])
def test_odds_are_rounded_to_the_worse_side(epsilon: float) -> None:
    chance = attack_chance(epsilon)
    wrong, right = map(int, re.findall(r"\d+", of_request.odds(chance).removeprefix("Of 100")))
    assert right == in_100(chance) >= 100 * chance
    assert wrong == 100 - right


def test_where_people_are_replaced_odds_are_against_somebody_else() -> None:
    assert "if somebody else is in their place, 68 if they are" in of_request.odds(attack_chance(0.75), replaced=True)
