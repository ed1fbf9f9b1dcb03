"""The product's own audit at one rate for all of the suite, what is asked in it, and how noise is distributed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

import sfumato
from sfumato.auditing import chernoff, events, guesser
from sfumato.auditing.events import DeltaVerdict
from sfumato.auditing.guesser import EpsilonVerdict, Numbers, OutputEvent, Round, half_noise_event

RATE = 2e-9  # the false-alarm rate of one check; the suite makes fewer than 400, so that all of them stay below 8e-7


def audit(rounds: Sequence[Round], claim: float) -> EpsilonVerdict:
    return guesser.audit(rounds, claim, RATE)


def said(verdict: EpsilonVerdict | DeltaVerdict) -> str:
    """A verdict in a line, for the evidence."""
    if isinstance(verdict, EpsilonVerdict):
        return (
            f"claimed epsilon {verdict.claim:g}, shown at least {verdict.lower_bound:.3f} by {verdict.right} right of "
            f"{verdict.guesses} guesses in {verdict.rounds} runs; false alarms {RATE:g}, power against noise half as "
            f"wide {verdict.power:.5f}"
        )
    return (
        f"claimed ({verdict.epsilon:g}, {verdict.claim:g}), shown at least delta {verdict.lower_bound:.4f} in "
        f"{verdict.rounds} runs; false alarms {RATE:g}, power against what it is held up to {verdict.power:.5f}"
    )


def power(claim: float, numbers: int, rounds: int) -> float:
    """The probability to catch noise half as wide."""
    return guesser.power(claim, half_noise_event(claim, numbers), rounds, RATE)


def audit_delta(
    seen: Sequence[tuple[bool, float]], epsilon: float, delta: float, broken: Sequence[OutputEvent]
) -> DeltaVerdict:
    return events.audit_delta(seen, epsilon, delta, broken, RATE)


def least_rate(right: int, trials: int) -> float:
    return chernoff.least_rate(right, trials, RATE)


def most_rate(right: int, trials: int) -> float:
    return chernoff.most_rate(right, trials, RATE)


# What is asked


def question(
    sql: str, value: Mapping[str, Any], places: Mapping[str, Sequence[float | Numbers]], **stated: object
) -> sfumato.Query:
    """A statement about a table of people, each with a place and a value or several, whose ledger is forgotten.

    Who it is stands in a column of its own; `stated` is what else the schema says.
    """
    people = [(place, own) for place, values in places.items() for own in values]
    rows = [
        (who, place, one)
        for who, (place, own) in enumerate(people)
        for one in (own if isinstance(own, tuple) else (own,))
    ]
    types = {"who": pa.int64(), "place": pa.string(), "value": _STORED[value["type"]]}
    table = pa.table({name: pa.array([row[i] for row in rows], type_) for i, (name, type_) in enumerate(types.items())})
    columns = {"who": {"type": "integer"}, "place": {"type": "text", "categories": list(places)}, "value": dict(value)}
    return sfumato.open(table, {"name": "people", "columns": columns} | stated, ledger=":memory:").query(sql)


_STORED = {"integer": pa.int64(), "number": pa.float64()}


# How noise on a grid is distributed: X in steps, P(X = k) proportional to e^(-|k| / b)


def laplace(k: int, scale: float) -> float:
    """P(X <= k) of Laplace noise."""
    left = math.exp(-abs(k if k < 0 else k + 1) / scale) / (1 + math.exp(-1 / scale))
    return left if k < 0 else 1 - left


def gaussian(k: int, scale: float) -> float:
    """P(X <= k) of Gaussian noise on a grid that is fine beside it."""
    return math.erfc(-(k + 0.5) / scale / math.sqrt(2)) / 2


def misfit(noise: Sequence[int], scale: float, below: Callable[[int, float], float] = laplace) -> str:
    """What tells that noise, in steps of its grid, is not of this law and scale, each at the rate above; "" if nothing.

    The distance between the distributions is held against the bound of Dvoretzky, Kiefer, Wolfowitz and Massart;
    the furthest noise on either side against how far so many draws must and may reach.
    """
    n, far = len(noise), distance(noise, scale, below)
    allowed = math.sqrt(math.log(2 / RATE) / (2 * n))
    if far > allowed:
        return f"{n} draws are {far:.4f} away from noise of scale {scale:g} steps; chance allows {allowed:.4f}"
    for furthest in (max(noise), max(-k for k in noise)):
        beyond = below(-furthest - 1, scale)
        if n * math.log1p(-beyond) < math.log(RATE):
            return f"none of {n} draws lies beyond {furthest / scale:.2f} scales: noise is cut off"
        if n * below(-furthest, scale) < RATE:
            return f"one of {n} draws lies {furthest / scale:.2f} scales away: noise has too long a tail"
    return ""


def distance(noise: Sequence[int], scale: float, below: Callable[[int, float], float] = laplace) -> float:
    """Kolmogorov's: the largest difference between the share of draws up to a point and its probability."""
    furthest, up_to = 0.0, 0
    for k, times in sorted(Counter(noise).items()):
        before, up_to = up_to, up_to + times
        furthest = max(furthest, up_to / len(noise) - below(k, scale), below(k - 1, scale) - before / len(noise))
    return furthest
