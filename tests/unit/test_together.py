"""A preference for several people together: where it is stated, what is shown of it, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import PreferenceError, SfumatoError
from sfumato.model.release import ReleaseCertificate
from sfumato.privacy.preferences.preference import epsilon
from sfumato.privacy.preferences.registry import from_rule, preferences, to_mapping

STAYS = pd.DataFrame({"days": [0, 15, 30, 60, 90], "ward": list("abaab")})
SCHEMA: dict[str, Any] = {
    "name": "stays",
    "columns": {
        "days": {"type": "integer", "bounds": [0, 60]},
        "ward": {"type": "text", "categories": ["a", "b"]},
    },
}
SUM = "SELECT SUM(days) FROM stays"
GAUSSIAN: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-5}


def query(sql: str = SUM, **changes: object) -> sf.Query:
    return sf.open(STAYS, SCHEMA | changes, ledger=":memory:", version="1").query(sql)


def test_it_is_stated_by_name_and_in_a_rule() -> None:
    stated = {"epsilon": 0.5, "within": 5.0, "confidence": 0.95, "together": 4}
    household, error = preferences(stated)
    assert (household.words, error.words.startswith("within")) == ("epsilon 0.5, for any 4 people together", True)
    assert to_mapping((household, error)) == stated
    assert from_rule({"attack_chance": 0.6, "together": 2}) == (sf.together(sf.attack_chance(0.6), 2),)
    assert sf.together(sf.attack_chance(0.6), 1) == sf.attack_chance(0.6)
    assert sf.weighted(sf.together(epsilon(0.5), 4), 2).words == "epsilon 1, at priority 2, for any 4 people together"


def test_the_rule_of_a_schema_may_be_for_a_household() -> None:
    release = query(rule={"epsilon": 0.6, "together": 3}).release()
    assert release.certificate.epsilon == pytest.approx(0.2)
    assert (release.certificate.decided_by, release.certificate.together) == ("policy", 3)


@pytest.mark.parametrize(("how", "one"), [({}, 0.125), (GAUSSIAN, 0.110251)], ids=["laplace", "gaussian"])
def test_the_certificate_says_what_a_household_has(how: dict[str, Any], one: float) -> None:
    asked = query()
    release = asked.release(asked.choose(sf.together(epsilon(0.5), 4), **how))
    certificate = release.certificate
    assert certificate.epsilon == pytest.approx(one, abs=1e-6)
    assert (certificate.together, certificate.together_epsilon) == (4, 0.5)
    delta = " and delta 1e-05" if how else ""
    assert f"Any 4 people together: epsilon 0.5{delta}." in str(certificate)
    assert "The epsilon was stated for any 4 people together." in certificate.to_html()
    assert sf.Certificate.of(ReleaseCertificate.from_dict(certificate.as_dict())).together_epsilon == 0.5
    assert certificate.dataset_total == pytest.approx(one, abs=1e-6)


def test_views_and_the_comparison_show_it() -> None:
    for profile in (
        query().worst_case(candidates=[0.1, 0.5], together=4),
        query().risk(candidates=[0.1, 0.5], together=4),
    ):
        assert [at.together_epsilon for at in profile.candidates] == [0.4, 2.0]
        assert "epsilon of any 4 together" in profile.document().text()
    assert query().rehearse(sf.together(epsilon(0.5), 4)).candidates[0].together_epsilon == 0.04
    found = sf.open(STAYS, SCHEMA, ledger=":memory:").compare(SUM, sf.together(sf.gap(1.2, worst_case=True), 4))
    assert found.methods[0].words == "gap 1.2, worst case, for any 4 people together"
    assert found.methods[0].epsilon == pytest.approx(0.05)


HOUSEHOLD = sf.together(sf.attack_chance(0.6), 4)
SELECTED = sf.variance(0.1, select_epsilon=0.5)
PRIVATE = {"columns": {"ward": {"type": "text", "keys": "private"}}}


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: sf.together(sf.gap(1.2), 4), "cannot be met for several people together"),
        (lambda: sf.together(SELECTED, 4), "cannot be met for several people together"),
        (lambda: sf.together(sf.belief(0.6, worlds=[1, 2]), 4), "cannot be met for several people together"),
        (lambda: sf.together(HOUSEHOLD, 2), "several people together already"),
        (lambda: sf.together(sf.attack_chance(0.6), 0), "whole number from 1 to 1000, not 0"),
        (lambda: sf.together(sf.attack_chance(0.6), True), "whole number from 1 to 1000, not True"),
        (lambda: preferences({"together": 4}), "together"),
        (lambda: preferences({"together": 4, "within": 5}), "together"),
        (lambda: query().choose(HOUSEHOLD, SELECTED), "private selection"),
        (lambda: query().choose(HOUSEHOLD, mechanism="truncated", delta=1e-5), "not supported with truncated noise"),
        (lambda: query().choose(HOUSEHOLD, **GAUSSIAN, calibration="classic"), "not supported with classic noise"),
        (lambda: query().worst_case(together=1001), "whole number from 1 to 1000, not 1001"),
        (
            lambda: query("SELECT ward, COUNT(*) FROM stays GROUP BY ward", **PRIVATE).choose(HOUSEHOLD, delta=1e-5),
            "not supported with private group keys",
        ),
    ],
)
def test_what_has_no_proof_is_refused(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(SfumatoError, match=said) as refused:
        ask()
    assert isinstance(refused.value, PreferenceError)
