"""A policy is read or refused with its place, says in sentences what it allows, and rates each partner by itself."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from sfumato.composition import local
from sfumato.errors import Forbidden, PolicyError
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.policy import Approve, Policy
from sfumato.escrow.policy.read import policy_of
from sfumato.model.budget import BudgetLimit
from sfumato.model.guarantee import Guarantee
from sfumato.model.person_budget import PersonBudget
from sfumato.model.statement import AggregateKind
from sfumato.presentation.escrow.policy_view import sentences
from sfumato.privacy.preferences import registry

COLUMNS = ("Age", "ward", "income")
SCHEMA: dict[str, Any] = {
    "name": "stays",
    "columns": {
        "age": {"type": "integer", "bounds": [0, 100]},
        "ward": {"categories": ["a", "b"]},
        "income": {"type": "integer", "bounds": [0, 9]},
    },
}
EVERYTHING: dict[str, Any] = {
    "purpose": "planning  beds",
    "rule": {"sharing_risk": "low", "choices": 4},
    "epsilon_max": 2,
    "budget": 3.5,
    "budget_delta": 1e-6,
    "budget_per_person": 1.5,
    "budget_per_person_delta": 1e-7,
    "preregistered": "minutes of 3 May",
    "trust": {"bob": "very high", "Health Board": 0.7, "everyone": "low"},
    "sensitivity": {"dataset": "medium", "columns": {"income": "very high"}},
    "retention": {"answers_days": 30, "data_days": 365},
    "access_rule": [
        {
            "who": ["bob", "health board"],
            "aggregates": ["count", "AVG"],
            "columns": ["age", "WARD"],
            "preferences": ["rule", "epsilon"],
            "guarantees": ["dp"],
            "approvers": ["alice", "carol"],
            "approvals": 2,
        },
        {"who": ["everyone"], "approve": "automatic"},
    ],
}


def person(name: str, organisation: str = "") -> Person:
    return Person(name, organisation, (Role.ANALYST,), "", "2026-11-16T09:00:00+00:00")


BOB, ANN, DAN = person("bob", "Health Board"), person("ann", "health BOARD"), person("dan")
PEOPLE = (BOB, ANN, DAN, person("alice"), person("carol"))


def read(stated: Mapping[str, Any]) -> Policy:
    return policy_of(stated, PEOPLE, ("alice", "carol"), COLUMNS)


def flow(**said: Any) -> dict[str, Any]:
    return {"access_rule": [{"who": ["bob"]} | said]}


# Reading


def test_the_least_policy_leaves_the_rest_to_a_controller_and_the_rule() -> None:
    (only,) = read(flow()).access_rules
    assert (only.who, only.aggregates, only.columns, only.preferences) == (("bob",), None, None, ("rule",))
    assert (only.guarantees, only.approve) == ((Guarantee.DP, Guarantee.SELECTED), Approve.BY_CONTROLLER)
    assert (only.approvers, only.approvals) == ((), 1)


def test_everything_that_a_policy_may_say_is_read() -> None:
    policy = read(EVERYTHING)
    first, second = policy.access_rules
    assert first.aggregates == (AggregateKind.COUNT, AggregateKind.AVG)
    assert (first.approvers, first.approvals, first.guarantees) == (("alice", "carol"), 2, (Guarantee.DP,))
    assert second.approve is Approve.AUTOMATIC
    assert (policy.purpose, policy.epsilon_max) == ("planning beds", 2.0)
    assert policy.budget == BudgetLimit(Fraction(7, 2), Fraction(1, 10**6))
    assert policy.per_person == PersonBudget(Fraction(3, 2), Fraction(1, 10**7))
    assert (policy.answers_days, policy.data_days, policy.preregistered) == (30, 365, "minutes of 3 May")


@pytest.mark.parametrize(
    ("stated", "said", "where"),
    [
        ({}, "The policy has no access rule, so no analyst would have access", ""),
        ({"access_rule": []}, "The policy has no access rule, so no analyst would have access", ""),
        ({"access_rule": {"who": ["bob"]}}, "The policy has no access rule, so no analyst would have access", ""),
        (flow(who=[]), "The access rule names no user", "[[access_rule]] 1"),
        ({"access_rule": [{}]}, "The access rule names no user", "[[access_rule]] 1"),
        ({"access_rule": ["bob"]}, "An access rule must be a table", "[[access_rule]] 1"),
        (
            {"access_rule": [{"who": ["bob"]}, {"who": ["bobb"]}]},
            "The policy names 'bobb', which is neither a user nor an organisation",
            "[[access_rule]] 2",
        ),
        (flow(who="bob"), "'who' must be a list of names", "[[access_rule]] 1"),
        (flow(who=["bob", " "]), "'who' must be a list of names", "[[access_rule]] 1"),
        (flow(who=["bob", 7]), "'who' must be a list of names", "[[access_rule]] 1"),
        (flow(approver=["alice"]), "'approver' is not a key of a policy here", "[[access_rule]] 1"),
        (flow(columns=["age", "wage"]), "has no column 'wage'", "[[access_rule]] 1"),
        (flow(aggregates=["count", "mode"]), "'aggregates' has a value that is not supported", "[[access_rule]] 1"),
        (flow(preferences=["rule", "gab"]), "There is no preference 'gab'", "[[access_rule]] 1"),
        (flow(guarantees=["some"]), "'guarantees' has a value that is not supported", "[[access_rule]] 1"),
        (flow(approve="never"), "'approve' has a value that is not supported", "[[access_rule]] 1"),
        (flow(approve=["automatic"]), "'approve' must be a list of names", "[[access_rule]] 1"),
        (
            flow(approve="after the answer"),
            "An approval after the answer has no guarantee, and this access rule does not allow that",
            "[[access_rule]] 1",
        ),
        (
            flow(approve="automatic", guarantees=["none"]),
            "Automatic approval needs a guarantee, and this access rule allows only releases without one",
            "[[access_rule]] 1",
        ),
        (
            flow(approvers=["bob"]),
            "'bob' cannot approve: this user is not a controller of the dataset",
            "[[access_rule]] 1",
        ),
        (flow(approvals=3), "The access rule needs 3 approvals, and only 2 may approve", "[[access_rule]] 1"),
        (
            flow(approvers=["alice"], approvals=2),
            "The access rule needs 2 approvals, and only 1 may approve",
            "[[access_rule]] 1",
        ),
        (flow(approvals=0), "'approvals' must be a whole number from 1 to 10", "[[access_rule]] 1"),
        (flow(approvals=True), "'approvals' must be a whole number from 1 to 10", "[[access_rule]] 1"),
        (flow(approvals=1.0), "'approvals' must be a whole number from 1 to 10", "[[access_rule]] 1"),
        (flow() | {"rules": {}}, "'rules' is not a key of a policy here", "the policy"),
        (flow() | {"purpose": 7}, "'purpose' must be text", ""),
        (flow() | {"preregistered": True}, "'preregistered' must be text", ""),
        (flow() | {"rule": "gap"}, "[rule] must be a table", ""),
        (flow() | {"rule": {"gap": 0.5}}, "gap", "[rule]"),
        (flow() | {"rule": {"gab": 1.2}}, "gab", "[rule]"),
        (flow() | {"rule": {"mechanism": "gaussian"}}, "", "[rule]"),
        (flow() | {"epsilon_max": -1}, "epsilon_max", "epsilon_max"),
        (flow() | {"epsilon_max": math.nan}, "epsilon_max", "epsilon_max"),
        (flow() | {"epsilon_max": "two"}, "epsilon_max", "epsilon_max"),
        (flow() | {"budget": -0.1}, "budget must be a number from 0 to 1,000,000, not", "budget"),
        (flow() | {"budget": math.inf}, "budget must be a number from 0 to 1,000,000, not", "budget"),
        (flow() | {"budget_delta": 2}, "budget_delta must be a number from 0 to 1, not 2", "budget_delta"),
        (flow() | {"budget_per_person": -1}, "budget_per_person must be a number from 0 to 1,000", "budget_per_person"),
        (flow() | {"budget_per_person_delta": 1e-6}, "budget_per_person_delta needs budget_per_person", ""),
        (flow() | {"trust": {"nobody": "low"}}, "names 'nobody'", "[trust]"),
        (flow() | {"trust": {"bob": "some"}}, "A rating has no level 'some'", "[trust] and [sensitivity]"),
        (flow() | {"trust": {"bob": 1.1}}, "A rating must be between 0 and 1, not 1.1", "[trust] and [sensitivity]"),
        (flow() | {"trust": "low"}, "'trust' must be a table", ""),
        (flow() | {"sensitivity": "low"}, "'sensitivity' must be a table", ""),
        (flow() | {"sensitivity": {"column": {}}}, "'column' is not a key of a policy here", "[sensitivity]"),
        (flow() | {"sensitivity": {"columns": {"wage": "low"}}}, "has no column 'wage'", "[sensitivity.columns]"),
        (
            flow() | {"sensitivity": {"dataset": 7}},
            "A rating must be between 0 and 1, not 7",
            "[trust] and [sensitivity]",
        ),
        (flow() | {"retention": {"days": 3}}, "'days' is not a key of a policy here", "[retention]"),
        (
            flow() | {"retention": {"answers_days": 0}},
            "'answers_days' must be a number of days from 1 to 36525",
            "[retention]",
        ),
        (
            flow() | {"retention": {"data_days": 1.5}},
            "'data_days' must be a number of days from 1 to 36525",
            "[retention]",
        ),
        (
            flow() | {"rule": {"sharing_risk": "low", "choices": 4}},
            "The rule depends on trust, and 'bob' has no trust rating",
            "",
        ),
        (
            flow() | {"rule": {"sharing_risk": "low", "choices": 4}, "trust": {"everyone": "low"}},
            "The rule depends on sensitivity, and the dataset has no rating",
            "",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_a_way_out(stated: Mapping[str, Any], said: str, where: str) -> None:
    with pytest.raises(PolicyError) as wrong:
        read(stated)
    assert said in wrong.value.message
    assert where in wrong.value.where
    assert wrong.value.hint


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(PolicyError, match="did you mean 'health board'"):
        read(flow(who=["helth board"]))
    with pytest.raises(PolicyError, match="did you mean 'retention'"):
        read(flow() | {"retentoin": {}})


# Whom it names


def test_the_first_flow_that_names_a_person_their_organisation_or_everyone_holds() -> None:
    flows = [{"who": ["bob"]}, {"who": ["HEALTH board"]}, {"who": ["everyone"]}]
    policy = read({"access_rule": flows})
    assert [policy.access_rule_for(one) for one in (BOB, ANN, DAN)] == list(policy.access_rules)
    assert read({"access_rule": flows[::-1]}).access_rule_for(BOB) == policy.access_rules[2], (
        "the first, not the closest"
    )
    assert read({"access_rule": flows[:2]}).access_rule_for(DAN) is None
    assert read({"access_rule": flows[1:2]}).access_rule_for(person("nemo", "")) is None, (
        "no organisation is not everybody's"
    )


def test_a_flow_says_no_to_what_it_does_not_have() -> None:
    data = local.open_without_data(SCHEMA, ledger=":memory:")
    (only,) = read(flow(aggregates=["COUNT"], columns=["age"], preferences=["epsilon"])).access_rules
    only.require(data.query("SELECT COUNT(*) FROM stays WHERE age > 3").statement)
    with pytest.raises(Forbidden, match="allow you to use SUM"):
        only.require(data.query("SELECT SUM(age) FROM stays").statement)
    with pytest.raises(Forbidden, match="use column 'ward'"):
        only.require(data.query("SELECT COUNT(*) FROM stays WHERE ward = 'a'").statement)
    with pytest.raises(Forbidden, match="use column 'ward'"):
        only.require(data.query("SELECT ward, COUNT(*) FROM stays GROUP BY ward").statement)
    only.require_preferences({"epsilon": 1, "mechanism": "gaussian", "delta": 1e-9})
    with pytest.raises(Forbidden, match="state the preference 'gap'"):
        only.require_preferences({"gap": 1.2, "epsilon": 1})
    for nothing in (None, {}, {"epsilon": None}):
        with pytest.raises(Forbidden, match="ask by the preregistered rule alone"):
            only.require_preferences(nothing)


def test_whoever_may_go_by_the_rule_may_not_change_its_noise() -> None:
    (only,) = read(flow()).access_rules
    only.require_preferences(None)
    for own in ({"mechanism": "gaussian", "delta": 0.5}, {"epsilon": None, "delta": 0.5}, {"candidates": "paper"}):
        with pytest.raises(Forbidden, match="The preregistered rule already fixes the noise"):
            only.require_preferences(own)


# Each partner has their own noise (DPP 3)


def epsilon(policy: Policy, who: Person, sql: str) -> float:
    data = local.open_without_data(SCHEMA, ledger=":memory:")
    rule = policy.rule_for(who, lambda: data.query(sql).statement.columns, policy.rule)
    assert rule is not None
    found = data.query(sql).preview(*registry.preferences(rule)).epsilon
    assert found is not None
    return found


def expected(risk: float, trust: float, sensitivity: float, choices: int = 4) -> float:
    """The gain of a guess is risk / (s (1 - t)); add-remove takes half of what a replaced value allows.

    See docs/theory/guessing.md.
    """
    blind = 1 / choices
    right = blind + min(risk / (sensitivity * (1 - trust)), 1) * (1 - blind)
    return 0.5 * math.log(right * (1 - blind) / (blind * (1 - right)))


def test_trust_and_sensitivity_give_each_partner_their_own_epsilon() -> None:
    policy = read(EVERYTHING | {"rule": {"sharing_risk": 0.02, "choices": 4}})
    age, income = "SELECT COUNT(*) FROM stays WHERE age > 3", "SELECT COUNT(*) FROM stays WHERE income > 3"
    found = {(who.name, sql): epsilon(policy, who, sql) for who in (BOB, ANN, DAN) for sql in (age, income)}
    trust = {"bob": 0.9, "ann": 0.7, "dan": 0.3}
    for (name, sql), spent in found.items():
        sensitivity = 0.9 if sql == income else 0.5
        assert spent == pytest.approx(expected(0.02, trust[name], sensitivity), rel=1e-6), (name, sql)
    assert len({*found.values()}) == 6


def test_what_is_rated_for_a_person_comes_before_their_organisation_and_that_before_everyone() -> None:
    stated = EVERYTHING["rule"]
    policy = read(EVERYTHING)
    rated = {who.name: policy.rule_for(who, lambda: ["age"], stated) for who in (BOB, ANN, DAN)}
    assert {name: rule and rule["trust"] for name, rule in rated.items()} == {
        "bob": "very high",
        "ann": 0.7,
        "dan": "low",
    }
    assert policy.rule_for(BOB, lambda: ["AGE", "Income"], stated) == stated | {
        "trust": "very high",
        "data_sensitivity": "very high",
    }
    assert policy.rule_for(BOB, lambda: ["age"], {"gap": 1.2}) == {"gap": 1.2}
    assert policy.rule_for(BOB, lambda: ["age"], None) is None
    own = {"sharing_risk": "low", "choices": 4, "trust": "low", "data_sensitivity": "high"}
    assert read({"access_rule": [{"who": ["everyone"]}]}).rule_for(DAN, lambda: ["age"], own) == own


def test_nobody_is_trusted_who_is_not_rated() -> None:
    policy = read({"access_rule": [{"who": ["everyone"]}], "trust": {"bob": "high"}})
    with pytest.raises(Forbidden, match="has no trust rating for dan"):
        policy.rule_for(DAN, lambda: ["age"], {"sharing_risk": "low", "choices": 4})
    with pytest.raises(Forbidden, match="no sensitivity rating for this dataset"):
        policy.rule_for(BOB, lambda: ["age"], {"sharing_risk": "low", "choices": 4})


# What it is kept and shown as


def test_a_policy_that_says_what_holds_by_itself_is_the_same_policy() -> None:
    """Those that were written before there were switches keep their fingerprints."""
    assert read(flow() | {"introduction": True, "public_page": False}).fingerprint == read(flow()).fingerprint
    with pytest.raises(PolicyError, match="'public_page' must be true or false"):
        read(flow() | {"public_page": "yes"})


def test_a_policy_comes_back_from_what_is_kept_of_it() -> None:
    for stated in (
        EVERYTHING,
        EVERYTHING | {"introduction": False, "public_page": True},
        flow(),
        flow(approve="after the answer", guarantees=["none"]),
    ):
        policy = read(stated)
        kept = json.loads(json.dumps(policy.as_signed()))
        assert Policy.from_signed(kept) == policy
        assert Policy.from_signed(kept).fingerprint == policy.fingerprint


def test_whatever_is_changed_changes_the_fingerprint() -> None:
    others: list[dict[str, Any]] = [
        {"purpose": "planning"},
        {"rule": {"sharing_risk": "medium", "choices": 4}},
        {"epsilon_max": 1},
        {"budget": 3.4},
        {"budget_delta": 1e-7},
        {"budget_per_person": 1.25},
        {"budget_per_person_delta": 1e-8},
        {"preregistered": ""},
        {"trust": EVERYTHING["trust"] | {"everyone": "medium"}},
        {"sensitivity": {"dataset": "high", "columns": {"income": "very high"}}},
        {"sensitivity": {"dataset": "medium", "columns": {"income": "high"}}},
        {"retention": {"answers_days": 31, "data_days": 365}},
        {"retention": {"answers_days": 30}},
        {"introduction": False},
        {"public_page": True},
        {"access_rule": EVERYTHING["access_rule"][::-1]},
        *({"access_rule": [EVERYTHING["access_rule"][0] | one]} for one in (
            {"who": ["bob"]}, {"aggregates": ["count"]}, {"columns": ["age"]}, {"preferences": ["rule"]},
            {"guarantees": ["dp", "none"]}, {"approvers": ["alice"], "approvals": 1}, {"approvals": 1},
            {"approve": "automatic"},
        )),
    ]  # fmt: skip
    prints = [read(EVERYTHING | other).fingerprint for other in ({}, *others)]
    assert len({*prints}) == len(prints)


def test_a_policy_in_sentences() -> None:
    assert sentences(read(EVERYTHING)) == [
        "Purpose: planning beds.",
        "Access rule: bob and health board may request COUNT, AVG of age, WARD. "
        "Allowed preferences: the rule, epsilon.",
        "2 of alice and carol must approve before noise is drawn. Allowed guarantees: dp.",
        "Access rule: everyone may request any aggregate of any column. Allowed preferences: the rule.",
        "The policy itself approves requests that have a guarantee. Allowed guarantees: dp, dp-selected.",
        "No one else has access, or learns that this dataset exists.",
        "Rule: sharing risk low, choices 4.",
        "Maximum epsilon of one release (epsilon_max): 2.",
        "Budget of all releases together: epsilon 3.5, delta 1e-06.",
        "Budget per person: epsilon 1.5, delta 1e-07. Sums and counts are about the people whose own total stays "
        "within it.",
        "Trust in bob: very high.",
        "Trust in Health Board: 0.7.",
        "Trust in everyone: low.",
        "Sensitivity of the data: medium.",
        "Sensitivity of income: very high.",
        "An answer can be read for 30 days after its release.",
        "The data is deleted 365 days after its delivery.",
    ]
    assert sentences(read(EVERYTHING | {"introduction": False, "public_page": True}))[-2:] == [
        "Controllers may approve in a browser without passing the introduction.",
        "A public page lists the releases and their total.",
    ]
    after = sentences(read(flow(approve="after the answer", guarantees=["none"])))
    assert after[1].startswith("Any controller must approve, and again after seeing the withheld answer")
    assert "There is no rule" in after[-1]
    assert sentences(read(flow(approvals=2)))[1].startswith("2 controllers must approve before")


def test_what_may_be_asked_about_the_noise() -> None:
    """A policy of before says nothing of it, and stays what it was; free signals are what it lets be asked."""
    people = [Person("bob", "", (Role.ANALYST,), "00", "")]

    def read(**flow: Any) -> Policy:
        return policy_of({"access_rule": [{"who": ["bob"]} | flow]}, people, ["alice"], COLUMNS)

    plain = read()
    assert set(plain.as_dict()["access_rule"][0]).isdisjoint({"signals", "code", "signal_bits"})  # type: ignore[index]
    assert read(signals=["free"], code=False, signal_bits=20).fingerprint == plain.fingerprint
    assert plain.access_rules[0].for_analyst().signals == ("free",)
    wide = read(signals=["free", "as_published"], code=True, signal_bits=7)
    assert Policy.from_signed(json.loads(json.dumps(wide.as_signed()))) == wide
    assert len({wide.fingerprint, plain.fingerprint, read(code=True).fingerprint}) == 3
    said = " ".join(sentences(wide))
    assert "free, as_published; exact scores may reveal at most 7 bits" in said
    assert "functions of their own" in said
    assert "Utility signals are not allowed." in sentences(read(signals=[]))
    for wrong in ({"signals": ["loud"]}, {"code": "yes"}, {"signal_bits": -1}, {"signal_bits": True}):
        with pytest.raises(PolicyError):
            read(**wrong)
