"""The released numbers, from outside: no guesser beats epsilon, and the noise is the noise that was declared.

All the checks in this folder together fail by chance in fewer than 8e-7 of all runs (`audit.RATE`).
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import combinations, islice, pairwise
from pathlib import Path
from statistics import fmean
from typing import cast

import pyarrow as pa
import pytest

import sfumato
from sfumato.auditing.guesser import Round
from sfumato.model.choice import Noise
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release.noise import draw_noise
from tests.depth import depth
from tests.statistical.audit import RATE, audit, least_rate, misfit, most_rate, power, question, said
from tests.statistical.bulk import draw_answers
from tests.statistical.cases import (
    AVERAGE,
    CASES,
    COUNT,
    DECIMALS,
    EPSILON,
    LARGE,
    MANY_ROWS,
    SEED,
    SUM,
    Case,
    alone,
    grouped,
)

pytestmark = pytest.mark.statistical

ROOT = Path(__file__).parents[2]


Record = Callable[[str, object], None]


def audited(case: Case, rounds: list[Round]) -> str:
    """The verdict, if the claim stands and the noise is Laplace noise of the scale that epsilon asks for."""
    verdict = audit(rounds, EPSILON)
    print(said(verdict))
    assert verdict.holds, verdict
    assert not any(wrong := misfits(case, rounds)), wrong
    return said(verdict)


def misfits(case: Case, rounds: list[Round]) -> list[str]:
    """What is wrong with the noise of each number."""
    return [misfit(case.noise(rounds, j), case.scale(j) / rounds[0].steps[j]) for j in range(len(case.moves))]


@pytest.mark.depth("audit runs", seed=SEED)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_guesser_beats_epsilon_in_groups(case: Case, record_property: Record) -> None:
    """Twice as many runs as when each takes a release: they come cheap."""
    rounds = list(grouped(case, 4 * depth("audit runs") * len(case.moves)))
    record_property("verdict", audited(case, rounds))


@pytest.mark.slow
@pytest.mark.depth("audit runs", seed=SEED)
@pytest.mark.parametrize("case", [COUNT, SUM, DECIMALS, LARGE, AVERAGE, MANY_ROWS], ids=lambda case: case.name)
def test_no_guesser_beats_epsilon_by_asking_again(case: Case, record_property: Record) -> None:
    rounds = list(alone(case, 2 * depth("audit runs") * len(case.moves)))
    record_property("verdict", audited(case, rounds))


@pytest.mark.depth("audit runs", seed=SEED)
def test_no_guesser_beats_epsilon_in_computed_groups(record_property: Record) -> None:
    """Somebody in more bands than count: the two that do are moved by the whole sensitivity, the third is not."""
    others, person = (5, 12.5, 30), (1, 2, 15, 25)
    sql = "SELECT value < 10 AS low, value >= 20 AS high, COUNT(DISTINCT who) FROM people GROUP BY low, high"
    column = {"type": "number", "bounds": (0, 40)}
    sides = [(*others, person) if there else others for there in (False, True)]
    tables = [question(sql, column, {"here": side}, unit="who", max_rows=3, max_groups=2) for side in sides]
    choices = [table.choose(stated_epsilon(EPSILON)) for table in tables]
    answers = [draw_answers(table, choice) for table, choice in zip(tables, choices, strict=True)]
    coins, rounds = random.Random(f"{SEED} computed groups"), []
    for _ in range(4 * depth("audit runs")):
        present = coins.random() < 0.5
        cells = tuple(number for cell in next(answers[present]).numbers for number in cell)
        rounds.append(Round(present, cells, cells))
    verdict = audit(rounds, EPSILON)
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict


@pytest.mark.depth("audit runs", seed=SEED)
def test_no_guesser_beats_epsilon_in_groups_and_their_total(record_property: Record) -> None:
    """A row moves its group and the total, each with its share of epsilon; what is seen are the fitted figures."""
    places = {"here": (0, 1, 1), **{f"place {i}": (1,) for i in range(5)}}
    sql, column = "SELECT place, COUNT(*) FROM people GROUP BY ROLLUP(place)", {"type": "integer", "bounds": (0, 1)}
    sides = [places | {"here": (0, 1, 1, *([1] if there else []))} for there in (False, True)]
    tables = [question(sql, column, side) for side in sides]
    assert tables[0].measurement.drawn_levels == 2
    choices = [table.choose(stated_epsilon(EPSILON)) for table in tables]
    answers = [draw_answers(table, choice) for table, choice in zip(tables, choices, strict=True)]
    coins, rounds = random.Random(f"{SEED} groups and total"), []
    for _ in range(2 * depth("audit runs")):
        present = coins.random() < 0.5
        answer = next(answers[present])
        (own,), (total,) = answer.numbers[0], answer.numbers[-1]
        rounds.append(Round(present, (own, total), (own + total,)))
    verdict = audit(rounds, EPSILON)
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict


@pytest.mark.depth("audit runs", seed=SEED)
def test_no_guesser_beats_epsilon_in_a_histogram(record_property: Record) -> None:
    """A row moves one node of each level; what is seen are the nodes themselves, from which quantiles are read."""
    sql, column = "SELECT APPROX_QUANTILE(value, 0.5) FROM people", {"type": "integer", "bounds": (0, 63)}
    sides = [(5, 40, *([40] if there else [])) for there in (False, True)]
    queries = [question(sql, column, {"here": side})._bound for side in sides]
    (number,) = queries[0].measurement.numbers
    assert (number.tree.branching, number.tree.height) == (8, 2)
    calibration = calibrate(queries[0].measurement, Noise(), EPSILON, EPSILON)
    exact = [query.totals() for query in queries]
    coins, rounds = random.Random(f"{SEED} histogram"), []
    for _ in range(2 * depth("audit runs")):
        present = coins.random() < 0.5
        query = queries[present]
        noisy = draw_noise(exact[present], query.measurement, calibration, query.context.services.mechanism)
        nodes = noisy.numbers[0][0]
        assert isinstance(nodes, tuple)
        own = float(nodes[40 // 8]), float(nodes[8 + 40])
        rounds.append(Round(present, own, (sum(own),)))
    verdict = audit(rounds, EPSILON)
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict


@pytest.mark.depth("audit runs", seed=SEED)
def test_no_guesser_beats_epsilon_in_a_join_that_fans_out(record_property: Record) -> None:
    """A person with two rows, each of which meets four rows of the public table: of eight joined rows, 3 count."""
    codes = pa.table({"code": ["a"] * 4 + ["b"], "kind": ["x", "x", "y", "y", "y"]})
    stated = {
        "unit": {"table": "people", "column": "who", "max_rows": 3},
        "tables": {
            "people": {"person": "who", "columns": {"who": {"type": "integer"}}},
            "visits": {"person": "who", "columns": {"who": {"type": "integer"}, "code": {"type": "text"}}},
            "codes": {"public": True, "columns": {"code": {"type": "text"}, "kind": {"categories": ["x", "y"]}}},
        },
    }
    sides = [[(1, "a"), (2, "b"), *([(3, "a"), (3, "a")] if there else [])] for there in (False, True)]
    tables = []
    for side in sides:
        who, code = ([row[i] for row in side] for i in (0, 1))
        data = {"people": pa.table({"who": sorted(set(who))}), "visits": pa.table({"who": who, "code": code})}
        shop = sfumato.open(data | {"codes": codes}, {"name": "clinic"} | stated, ledger=":memory:")
        tables.append(shop.query("SELECT COUNT(*) FROM visits v JOIN codes c ON c.code = v.code"))
    choices = [table.choose(stated_epsilon(EPSILON)) for table in tables]
    answers = [draw_answers(table, choice) for table, choice in zip(tables, choices, strict=True)]
    coins, rounds = random.Random(f"{SEED} join"), []
    for _ in range(2 * depth("audit runs")):
        present = coins.random() < 0.5
        (numbers,) = next(answers[present]).numbers
        rounds.append(Round(present, numbers, numbers))
    verdict = audit(rounds, EPSILON)
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict
    truth = (3 + 1, 3 + 1 + 3)
    assert abs(fmean(r.numbers[0] - truth[r.present] for r in rounds)) < 7 * 3 / EPSILON * math.sqrt(2 / len(rounds))


@pytest.mark.depth("audit runs", seed=SEED)
def test_noise_reaches_as_far_as_it_must() -> None:
    """Noise that is cut off even at six scales is seen by so many draws."""
    assert not any(wrong := misfits(COUNT, list(grouped(COUNT, 40 * depth("audit runs"))))), wrong


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_noise_lies_on_the_declared_grid(case: Case) -> None:
    """And on every step of it: noise on a coarser grid has a common divisor."""
    rounds = list(grouped(case, 400))
    for j, (step, move) in enumerate(zip(rounds[0].steps, case.moves, strict=True)):
        assert 0 < step <= move / 1024
        steps = [r.numbers[j] / step for r in rounds]
        assert all(abs(s - round(s)) < 1e-3 for s in steps)
        assert math.gcd(*case.noise(rounds, j)) == 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_certificate_states_the_noise(case: Case) -> None:
    asked = question(
        f"SELECT {case.figure} FROM {case.source()}", case.column, {"here": case.people(True)}, **case.stated
    )
    certificate = asked.release(epsilon=EPSILON, redraw=True).certificate
    assert certificate.sensitivity == pytest.approx(case.moves)
    assert certificate.scale == pytest.approx([case.scale(j) for j in range(len(case.moves))])


def test_noises_are_independent() -> None:
    """Of two numbers in a group, and of one number in neighbouring groups: the signs agree every other time."""
    rounds = list(grouped(AVERAGE, 2000))
    sums, counts = AVERAGE.noise(rounds, 0), AVERAGE.noise(rounds, 1)
    for pairs in (zip(sums, counts, strict=True), pairwise(sums), pairwise(counts)):
        agree = [(a > 0) == (b > 0) for a, b in pairs if a and b]
        assert least_rate(sum(agree), len(agree)) <= 0.5 <= most_rate(sum(agree), len(agree))


@pytest.mark.depth("audit runs")
def test_averages_are_right_on_average() -> None:
    """As many lie above the truth as below it, and their mean is within seven standard errors of it.

    A mean of so many Laplace noises is further away in less than 1e-10 of all runs.
    """
    values, places, runs = [0, 10, 20, 90], 40, 2 * depth("audit runs")
    truth, people = fmean(values), 50 * len(values)
    asked = question(
        "SELECT place, AVG(value) FROM people GROUP BY place",
        AVERAGE.column,
        {f"place {i}": values * 50 for i in range(places)},
    )
    drawn = islice(draw_answers(asked, asked.choose(stated_epsilon(EPSILON))), math.ceil(runs / places))
    answers = [cast(float, row[1]) for answer in drawn for row in answer.rows]
    above = sum(answer > truth for answer in answers)
    assert least_rate(above, len(answers)) <= 0.5 <= most_rate(above, len(answers))
    noise = math.hypot(AVERAGE.scale(0), (truth - 50) * AVERAGE.scale(1)) / people
    assert abs(fmean(answers) - truth) < 7 * noise * math.sqrt(2 / len(answers))


FORKS = """
import json, multiprocessing
from tests.statistical.audit import question

asked = question(
    "SELECT place, COUNT(*) FROM people GROUP BY place", {"type": "integer"}, {f"place {i}": [] for i in range(64)}
)

def noise():
    return [cell[0] for cell in asked.release(epsilon=0.01, redraw=True).numbers]

drawn = [noise(), noise()]
context = multiprocessing.get_context("fork")
queue = context.SimpleQueue()
children = [context.Process(target=lambda: queue.put(noise())) for _ in range(2)]
for child in children:
    child.start()
print(json.dumps([*drawn, *(queue.get() for _ in children)]))
"""


def test_noise_never_repeats() -> None:
    """Not in the next release, not in another process, not in forks of one.

    At this epsilon two noises are alike in 1 of 400,000 cases: five of 64 in 1 of 1e12, wherever they stand.
    """
    command = [sys.executable, "-W", "ignore", "-c", FORKS]
    outputs = [subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, timeout=600).stdout for _ in "12"]
    drawn = [Counter(noise) for output in outputs for noise in json.loads(output)]
    assert len(drawn) == 8
    assert max((one & other).total() for one, other in combinations(drawn, 2)) < 5


# The audit itself, on noise that was made here


def laplace(coins: random.Random, scale: float) -> float:
    return coins.expovariate(1 / scale) - coins.expovariate(1 / scale)


@pytest.mark.parametrize("numbers", [1, 2])
def test_the_audit_sees_a_doubled_epsilon(numbers: int) -> None:
    """Noise half as wide, or two numbers with a whole epsilon each; honest noise passes."""

    def rounds(epsilon: float) -> list[Round]:
        coins = random.Random(SEED)
        there = [coins.random() < 0.5 for _ in range(2 * depth("audit runs") * numbers)]
        seen = [tuple(p + laplace(coins, numbers / epsilon) for _ in range(numbers)) for p in there]
        return [Round(p, s, (round(sum(s)),)) for p, s in zip(there, seen, strict=True)]

    assert audit(rounds(EPSILON), EPSILON).holds
    assert not audit(rounds(2 * EPSILON), EPSILON).holds


@pytest.mark.parametrize(("numbers", "times"), [(1, 2), (2, 2), (3, 4)])
def test_the_depth_is_enough(numbers: int, times: int) -> None:
    """Each audit alone, by the three quarters of its runs that count, catches a doubled epsilon 99 times of 100.

    Three numbers are audited in groups, with twice the runs.
    """
    assert power(EPSILON, numbers, times * depth("audit runs") * numbers * 3 // 4) > 0.99
    assert RATE * 300 < 1e-6


@pytest.mark.parametrize(
    ("made", "sound"),
    [
        pytest.param(lambda noise: noise, True, id="as declared"),
        pytest.param(lambda noise: noise / 2, False, id="half as wide"),
        pytest.param(lambda noise: noise * 2, False, id="twice as wide"),
        pytest.param(lambda noise: max(-4096.0, min(4096.0, noise)), False, id="cut off at 4 scales"),
        pytest.param(lambda noise: noise if noise < 4096 else noise * 9, False, id="with a long tail"),
        pytest.param(abs, False, id="on one side"),
    ],
)
def test_a_misfit_is_seen(made: Callable[[float], float], sound: bool) -> None:
    coins = random.Random(SEED)
    noise = [round(made(laplace(coins, 1024.0))) for _ in range(4 * depth("audit runs"))]
    assert (misfit(noise, 1024.0) == "") is sound
