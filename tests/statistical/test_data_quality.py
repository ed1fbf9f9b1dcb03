"""A private check, from outside: no guesser beats its epsilon, and its noise is the noise that was declared."""

from __future__ import annotations

import random
from collections.abc import Callable

import pyarrow as pa
import pytest

import sfumato
from sfumato.auditing.guesser import Round
from sfumato.release.data_quality import exact_counts, noisy_counts
from tests.depth import depth
from tests.statistical.audit import audit, misfit, said
from tests.statistical.bulk import IN_FULL

pytestmark = pytest.mark.statistical

EPSILON = 1.5  # about where a doubled epsilon shows with the fewest runs
SEED = 20240229  # of the coins; the noise has none
STEP = 1024  # of the grid, to a row
SCHEMA = {"name": "t", "columns": {"a": {"type": "integer"}, "b": {"type": "integer"}}}

Record = Callable[[str, object], None]


@pytest.mark.depth("audit runs", seed=SEED)
def test_no_guesser_beats_the_epsilon_of_a_check(record_property: Record) -> None:
    """A person is readable in one column and unreadable in the other, or is not there: two counts show it."""
    coins, rounds, noise = random.Random(SEED), [], []
    tables = [pa.table({"a": ["1"] * (2 + there), "b": ["1", "1", "x"][: 2 + there]}) for there in (False, True)]
    opened = [sfumato.open(table, SCHEMA, ledger=":memory:", version="1") for table in tables]
    truths = [exact_counts(dataset._context) for dataset in opened]
    for run in range(8 * depth("audit runs")):
        present = coins.random() < 0.5
        dataset, truth = opened[present], truths[present]
        if run % IN_FULL == 0:
            drawn = dataset.check(EPSILON, redraw=True).noisy
        else:
            drawn = noisy_counts(dataset._context, truth, EPSILON)
        seen = drawn[0], drawn[4]
        rounds.append(Round(present, seen, seen))
        noise += [round((noisy - count) * STEP) for noisy, count in zip(drawn, truth, strict=True)]
    verdict = audit(rounds, EPSILON)
    print(said(verdict))
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict
    wrong = misfit(noise, STEP * 2 / EPSILON)
    assert not wrong, wrong
