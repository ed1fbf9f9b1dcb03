"""What one release tells an attacker, as `RiskProfile.attack` says it."""

from __future__ import annotations

import pickle
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.api.attack import Attack
from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.privacy.noise.calibration import mu_of
from sfumato.privacy.risk.membership import (
    attack_chance,
    attack_chance_gaussian,
    posterior_quantile_gaussian,
    roc_gaussian,
)

PEOPLE = pd.DataFrame({"ill": [0, 0, 1], "days": [0, 20, 60], "ward": ["a", "b", "c"]})
SCHEMA: dict[str, Any] = {
    "name": "stays",
    "columns": {
        "ill": {"type": "integer", "bounds": [0, 1]},
        "days": {"type": "integer", "bounds": [0, 60]},
        "ward": {"keys": "private", "type": "text"},
    },
}
COUNT = "SELECT COUNT(*) FROM stays WHERE ill = 1"
GAUSSIAN: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-6}


def asked(sql: str = COUNT, **stated: object) -> sf.Query:
    return sf.open(PEOPLE, SCHEMA | stated, ledger=":memory:").query(sql)


def figures(found: Attack) -> tuple[float, float, float, float]:
    return found.chance, found.posterior, found.hits_at_1_percent, found.hits_at_5_percent


@pytest.mark.parametrize("chance", [0.52, 0.55, 0.6])
def test_a_release_tells_of_no_higher_chance_than_its_rule(chance: float) -> None:
    """A charge is rounded up to whole billionths of epsilon: 0.200670696 would be 56% by a rule of 55%."""
    stated = {"rule": {"attack_chance": chance}, "columns": SCHEMA["columns"]}
    certificate = asked(**stated).release().certificate
    assert certificate.charged is not None
    assert attack_chance(certificate.charged) <= chance
    assert f"at most {chance:.0%} of the time" in repr(certificate)


def test_the_most_exposed_under_laplace_noise() -> None:
    found = asked().risk().attack(1)
    assert figures(found) == pytest.approx((0.69673, 0.73106, 0.02718, 0.13591), abs=1e-5)
    assert (found.exposure, found.beyond, found.upper_bound) == (1, 0, False)
    assert found.as_dict()["chance"] == found.chance


def test_somebody_less_exposed() -> None:
    query = asked("SELECT SUM(days) FROM stays")
    assert figures(query.risk().attack(3, exposure=1 / 3)) == figures(asked().risk().attack(1))
    assert figures(query.worst_case().attack(1, exposure=1.0)) == figures(asked().risk().attack(1))
    nobody = query.risk().attack(3, prior=0.2, exposure=0)
    assert figures(nobody) == pytest.approx((0.8, 0.2, 0.01, 0.05))


def test_somebody_less_exposed_under_gaussian_noise() -> None:
    view = asked("SELECT SUM(days) FROM stays").risk(**GAUSSIAN)
    mu = mu_of(1, Noise("gaussian", 1e-6))
    found = view.attack(1, exposure=0.25)
    assert figures(found)[2:] == (roc_gaussian(mu / 4, 0.01), roc_gaussian(mu / 4, 0.05))
    assert figures(found)[:2] == (attack_chance_gaussian(mu / 4, 1), posterior_quantile_gaussian(mu / 4, 1))


@pytest.mark.parametrize("prior", [0.01, 0.5, 0.7])
@pytest.mark.parametrize("how", [{}, GAUSSIAN], ids=["laplace", "gaussian"])
def test_anybody_bounds_everybody(prior: float, how: dict[str, Any]) -> None:
    anybody, most = asked().worst_case(**how).attack(1, prior), asked().risk(**how).attack(1, prior)
    assert all(a >= b for a, b in zip(figures(anybody), figures(most), strict=True))
    assert most.chance >= max(prior, 1 - prior)


@pytest.mark.parametrize("sql", [COUNT, "SELECT AVG(days) FROM stays", "SELECT MEDIAN(days) FROM stays"])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_a_coin_has_the_chance_that_the_table_of_epsilons_tells(sql: str, relation: str) -> None:
    query = asked(sql, relation=relation)
    for view in (query.worst_case(), query.risk()):
        for epsilon in (0.1, 1.0, 5.0):
            assert view.attack(epsilon).chance == view.at(epsilon).attack_chance


def test_gaussian_noise_has_no_worst_posterior() -> None:
    found = asked().risk(**GAUSSIAN).attack(1)
    assert found.beyond == 0.05
    assert "except with probability 0.05" in " ".join(found.text().split())


def test_private_groups_may_tell_more_with_a_chance_of_delta() -> None:
    view = asked("SELECT ward, COUNT(*) FROM stays GROUP BY ward").worst_case(delta=1e-6)
    assert view.attack(1).beyond == 1e-6
    assert "sure of it, except with probability 1e-06" in " ".join(view.attack(1).text().split())


def test_what_is_said() -> None:
    assert asked().risk().attack(1, prior=0.3).text() == (
        "At epsilon 1, take an attacker who knows everyone else's record, and\n"
        "whose belief that the most exposed person is included is 30% before the\n"
        "release.\n"
        "The attacker can tell whether it is so at most 72.3% of the time.\n"
        "After the release the attacker is at most 53.9% sure of it.\n"
        "In a search through many people, the attacker finds at most 2.8% of\n"
        "those included with 1% false alarms, and 13.6% with 5%."
    )
    assert "a person of exposure 0.4 is included" in " ".join(asked().risk().attack(1, exposure=0.4).text().split())
    assert "or another in their place" in " ".join(asked(relation="replace").risk().attack(1).text().split())


def test_of_several_numbers_it_is_an_upper_bound_and_says_so() -> None:
    for sql in ("SELECT AVG(days) FROM stays", "SELECT COUNT(*), SUM(days) FROM stays"):
        found = asked(sql).risk().attack(1)
        assert found.upper_bound
        assert "these figures are upper bounds" in found.text()
    assert "upper bounds" not in asked().risk().attack(1).text()


def test_of_the_people_nothing_is_printed_unasked() -> None:
    found = asked().risk().attack(1)
    assert repr(found) == "<Attack on the people; confidential: call .show()>"
    with pytest.raises(TypeError, match="confidential"):
        pickle.dumps(found)
    assert "73.2% of the time" in repr(asked().worst_case().attack(1))


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"prior": 0}, "prior must be a number between 0 and 1, not 0"),
        ({"prior": 1.0}, "prior must be a number between 0 and 1"),
        ({"prior": float("nan")}, "prior must be a number between 0 and 1"),
        ({"exposure": 1.1}, "exposure must be a number from 0 to 1, not 1.1"),
        ({"exposure": "half"}, "exposure must be a number from 0 to 1, not 'half'"),
        ({"epsilon": 0}, "epsilon must be between"),
    ],
)
def test_numbers_that_are_none(how: dict[str, Any], why: str) -> None:
    with pytest.raises(PreferenceError, match=why):
        asked().worst_case().attack(**({"epsilon": 1} | how))


@pytest.mark.parametrize(
    ("sql", "stated"),
    [
        ("SELECT MEDIAN(days) FROM stays", {}),
        ("SELECT COUNT(DISTINCT days) FROM stays", {}),
        ("SELECT ward, COUNT(*) FROM stays GROUP BY ward", {}),
        (COUNT, {"relation": "replace"}),
    ],
    ids=["rank", "distinct", "private keys", "replaced"],
)
def test_where_an_exposure_tells_no_odds_it_is_refused(sql: str, stated: dict[str, Any]) -> None:
    with pytest.raises(PreferenceError, match="leave the exposure out"):
        asked(sql, **stated).worst_case().attack(1, exposure=0.5)
