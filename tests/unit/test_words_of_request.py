"""A worst case is never stated better than it is."""

from __future__ import annotations

import re

import pytest

from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording.guarantee import in_100
from sfumato.privacy.risk.membership import attack_chance


@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.2, 0.75, 1.0, 3.0])
def test_odds_are_rounded_to_the_worse_side(epsilon: float) -> None:
    chance = attack_chance(epsilon)
    right, coin = map(int, re.findall(r"\d+(?=%)", of_request.odds(chance)))
    assert right == in_100(chance) >= 100 * chance
    assert coin == 50


def test_where_people_are_replaced_odds_are_against_somebody_else() -> None:
    replaced = of_request.odds(attack_chance(0.75), replaced=True)
    assert "whether a given person, or another in their place, is included at most 68% of the time" in replaced
