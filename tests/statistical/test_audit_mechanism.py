"""The audit that users run: it contradicts what is broken, and what is right no more often than it says."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.auditing import guesser
from sfumato.auditing.audit import Auditing, audit_setup
from sfumato.auditing.game import MECHANISMS, query_of, rounds
from sfumato.auditing.guesser import Corner, OutputEvent, Round, half_noise_event
from sfumato.auditing.neighbours import ADDED, EDGE, END, NeighbourPair, Setup, noisy_max
from sfumato.composition import local
from sfumato.model.facts import Totals
from sfumato.model.schema import Relation
from sfumato.ports import Mechanism
from sfumato.privacy.noise.rank_selection import scores
from tests.depth import depth
from tests.statistical.audit import RATE
from tests.statistical.bulk import draw_in_bulk
from tests.statistical.cases import SEED

pytestmark = pytest.mark.statistical

CONFIDENCE = 1 - RATE
NOISY = [
    (name, aggregate) for name in ("laplace", "gaussian", "truncated") for aggregate in MECHANISMS[name].neighbours
]
RANKED = [("exponential", aggregate) for aggregate in MECHANISMS["exponential"].neighbours]
REPLACED = {"median": Fraction(1), "quantile": Fraction(2, 3), "max": Fraction(1, 2), "min": Fraction(1, 2)}
SELECTING = [("selection-variance", "count"), ("selection-variance", "sum"), ("selection-cap", "count")]
HIDDEN = [("threshold", "group-by")]

Record = Callable[[str, object], None]


@pytest.fixture
def in_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The audits of many runs draw in bulk: they are about the law of the noise and the power of the audit."""
    draw_in_bulk(monkeypatch)


def audited(
    mechanism: str, aggregate: str, runs: int, epsilon: float = 1.5, confidence: float = CONFIDENCE
) -> sf.Audit:
    delta = 0.1 if MECHANISMS[mechanism].takes_delta else None
    return sf.audit_mechanism(mechanism, aggregate, epsilon, delta=delta, runs=runs, confidence=confidence)


# What is right is not contradicted; what is broken is


@pytest.mark.usefixtures("in_bulk")
@pytest.mark.depth("own audit runs")
@pytest.mark.parametrize(("mechanism", "aggregate"), [*NOISY, *RANKED, *HIDDEN, *SELECTING])
def test_what_is_right_is_not_contradicted(mechanism: str, aggregate: str, record_property: Record) -> None:
    found = audited(mechanism, aggregate, depth("own audit runs"))
    record_property("verdict", " ".join(str(found).split()))
    assert found.holds, found


def drawn_by(broken: Callable[[Mechanism, Sequence[int], int, float], Sequence[int]]) -> Callable[[str], Mechanism]:
    """Every mechanism of the product, broken in this way."""
    honest = local._mechanism

    def mechanism(law: str, reach: int = 0) -> Mechanism:
        return lambda totals, sensitivity, budget: broken(honest(law, reach), totals, sensitivity, budget)

    return mechanism


HALVED = [
    ("laplace", "sum", 700),
    ("laplace", "group-by", 1200),
    ("gaussian", "count", 1200),
    ("truncated", "sum", 700),
    ("selection-variance", "count", 1200),
    ("exponential", "median", 2500),
]


@pytest.mark.usefixtures("in_bulk")
@pytest.mark.parametrize(("mechanism", "aggregate", "runs"), HALVED)
def test_half_the_noise_is_caught(mechanism: str, aggregate: str, runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget twice as large makes noise half as wide. At a confidence of 0.95 that goes unseen in less than 1e-6."""
    monkeypatch.setattr(local, "_mechanism", drawn_by(lambda draw, totals, d, budget: draw(totals, d, 2 * budget)))
    found = audited(mechanism, aggregate, runs, confidence=0.95)
    assert not found.holds, found
    assert found.power > (0.99 if MECHANISMS[mechanism].takes_delta else 1 - 1e-6), found


def unnoised(_: Mechanism, totals: Sequence[int], sensitivity: int, budget: float) -> Sequence[int]:
    return totals


def seeded(_: Mechanism, totals: Sequence[int], sensitivity: int, budget: float) -> Sequence[int]:
    coins = random.Random(SEED)
    return [total + round(coins.gauss(0, sensitivity / budget)) for total in totals]


@pytest.mark.usefixtures("in_bulk")
@pytest.mark.parametrize("broken", [unnoised, seeded])
def test_no_noise_and_noise_that_repeats_are_caught(
    broken: Callable[[Mechanism, Sequence[int], int, float], Sequence[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_mechanism", drawn_by(broken))
    found = audited("laplace", "sum", 200)
    assert not found.holds, found


@pytest.mark.usefixtures("in_bulk")
def test_a_group_that_shows_too_often_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the counts are pushed over the threshold: somebody alone shows more often than delta allows."""

    def pushed(draw: Mechanism, totals: Sequence[int], sensitivity: int, budget: float) -> Sequence[int]:
        return [noisy + random.choice((0, 20 * sensitivity)) for noisy in draw(totals, sensitivity, budget)]

    monkeypatch.setattr(local, "_mechanism", drawn_by(pushed))
    found = audited("threshold", "group-by", 500, epsilon=0.5)
    assert not found.holds, found


@pytest.mark.usefixtures("in_bulk")
def test_algorithm_1_as_published_is_caught() -> None:
    """The width of the noise tells: more runs contradict a larger epsilon, by as much as the log of them.

    See docs/theory/papers.md, RDR 4.2.

    One that never comes up in n runs where the other comes up in half of them shows no more than ln(n / 2 ln(1/rate)).
    """
    found = audited("algorithm-1", "count", 1000, epsilon=2.0)
    assert not found.holds, found
    assert found.power > 1 - 1e-6


@pytest.mark.usefixtures("in_bulk")
def test_algorithm_3_as_published_is_caught() -> None:
    """One person is by whom all risks are divided, and so decides which epsilon is selected.

    See docs/theory/papers.md, RDR 5.1.
    """
    found = audited("algorithm-3", "sum", 300, epsilon=1.0)
    assert not found.holds, found
    assert found.power > 1 - 1e-6


@pytest.mark.usefixtures("in_bulk")
def test_algorithm_3_is_far_from_what_it_claims() -> None:
    found = sf.audit_mechanism("algorithm-3", "sum", 1.0, relation="replace", runs=1500)
    assert found.lower_bound > 5, found


# The rate of false alarms is the stated one


def right_at_the_limit(runs: int, epsilon: float, coins: random.Random) -> list[Round]:
    """Randomized response: what the coin was, right as often as epsilon allows. No guesser does better."""
    right = math.exp(epsilon) / (1 + math.exp(epsilon))
    there = [coins.random() < 0.5 for _ in range(runs)]
    said = [float(p is (coins.random() < right)) for p in there]
    return [Round(p, (s,), (s,)) for p, s in zip(there, said, strict=True)]


@pytest.mark.depth("false alarms", seed=SEED)
def test_what_is_right_to_the_limit_is_contradicted_no_more_often_than_stated() -> None:
    """At a confidence of 0.9, 1 of 10; Chernoff's bound and what lies in between make it fewer."""
    coins, audits = random.Random(SEED), depth("false alarms")
    alarms = sum(not guesser.audit(right_at_the_limit(400, 1.0, coins), 1.0, 0.1).holds for _ in range(audits))
    assert alarms / audits <= 0.1 + 6 * math.sqrt(0.09 / audits)
    assert alarms, "it is never wrong: it shows too little"


@pytest.mark.depth("false alarms", seed=SEED)
@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_power_is_no_promise_too_many(epsilon: float) -> None:
    """Noise half as wide is caught at least as often as was said, but for three deviations."""
    coins, audits = random.Random(SEED), depth("false alarms") // 10
    runs = 4000 if epsilon < 1 else 600
    foreseen = Corner(lambda played: played.numbers, (1.0,), (1.0,), (0.0,))
    caught, said = 0, 0.0
    for _ in range(audits):
        there = [coins.random() < 0.5 for _ in range(runs)]
        numbers = [(p + (coins.expovariate(1) - coins.expovariate(1)) / (2 * epsilon),) for p in there]
        played = [Round(p, n, n) for p, n in zip(there, numbers, strict=True)]
        found = guesser.audit(played, epsilon, 0.001, (half_noise_event(epsilon, 1),), foreseen)
        caught, said = caught + (not found.holds), found.power
    assert said > 0.8
    assert caught >= audits * said - 3 * math.sqrt(audits * said * (1 - said)) - 1


# The neighbours are the worst there are, as it says by hand


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("aggregate", ADDED)
def test_the_person_moves_the_numbers_as_far_as_it_says(aggregate: str, relation: Relation) -> None:
    setup = Setup("laplace", aggregate, 1.0, relation=relation)
    (pair,) = MECHANISMS["laplace"].neighbours[aggregate](setup)
    case, query, exact = ADDED[aggregate], query_of(pair, setup, pair.tables()[True]), totals(pair, setup)
    steps = [number.step for number in query.measurement.numbers]
    without, there = ([float(n * s) for n, s in zip(side, steps, strict=True)] for side in exact)
    assert there == pytest.approx(case.numbers)
    moves = case.limits if relation is Relation.ADD_REMOVE else case.replaced
    assert [b - a for a, b in zip(without, there, strict=True)] == pytest.approx(moves)
    most = [float(number.sensitivity) for number in query.measurement.numbers]
    assert most == pytest.approx([limit * relation.steps for limit in case.limits])


def totals(pair: NeighbourPair, setup: Setup) -> list[tuple[int, ...]]:
    """Exactly, without the person and with them."""
    found: list[Totals] = [query_of(pair, setup, pair.tables()[there])._bound.totals() for there in (False, True)]
    return [tuple(each.cells[()]) for each in found]


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize(("mechanism", "aggregate"), RANKED)
def test_most_candidates_become_worse_and_the_others_better(mechanism: str, aggregate: str, relation: Relation) -> None:
    """And how often one beyond the edge is selected, with half the noise, is as it says."""
    setup = Setup(mechanism, aggregate, 1.0, relation=relation)
    (pair,) = MECHANISMS[mechanism].neighbours[aggregate](setup)
    sides = []
    for there in (False, True):
        query = query_of(pair, setup, pair.tables()[there])
        (number,) = query.measurement.numbers
        found = scores(number, query._bound.totals().counts[0][()], setup.epsilon)
        sides.append([Fraction(score, number.steps) for score in (found[::-1] if aggregate == "min" else found)])
    without, present = sides
    most = Fraction(1) if relation is Relation.ADD_REMOVE else REPLACED[aggregate]
    assert {b - a for a, b in zip(without[:EDGE], present[:EDGE], strict=True)} == {-most}
    assert {b - a for a, b in zip(without[EDGE + 1 :], present[EDGE + 1 :], strict=True)} == {most}
    for side, expected in ((present, pair.broken[0].more), (without, pair.broken[0].fewer)):
        groups = [(EDGE, float(side[0])), (1, float(side[EDGE])), (END - EDGE, float(side[END]))]
        assert noisy_max(groups, 2) == pytest.approx(expected, rel=1e-6)


def test_an_audit_knows_how_far_it_is() -> None:
    auditing = Auditing(audit_setup("laplace", "count", 1.0), runs=100)
    assert auditing.progress() == 0
    auditing.result()
    assert auditing.progress() == 1


@pytest.mark.usefixtures("in_bulk")
def test_coins_are_fair_and_both_tables_are_asked() -> None:
    setup = Setup("laplace", "count", 1.0)
    (pair,) = MECHANISMS["laplace"].neighbours["count"](setup)
    played = list(rounds(pair, setup, MECHANISMS["laplace"], 400))
    assert len(played) == 400
    assert abs(sum(r.present for r in played) - 200) < 70  # seven standard deviations


def test_an_event_that_never_comes_catches_nothing() -> None:
    assert guesser.power(1.0, OutputEvent(0.0001, 0.00001), 400, 0.001) == 0
