"""Noise in bulk: drawn as a release or a selection draws it, without a charge, a certificate or a ledger entry.

An audit of the law of the noise needs thousands of draws, and the ledger costs thirty times as much as a draw. So the
first of every fifty draws goes through the ledger, and the others start from the exact totals.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest

import sfumato as sf
from sfumato.model.calibration import NoiseLaw
from sfumato.model.facts import Cell, Totals
from sfumato.model.release import Answer, Released
from sfumato.ports import Mechanism, Mechanisms
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.private_selection import Selected
from sfumato.release import answer, noise
from sfumato.release import choose as plan
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import ReleaseRequest, SolvedRequest
from sfumato.release.pipeline import release_choice
from sfumato.release.selection import draw as selection_draw
from sfumato.release.services import Services

IN_FULL = 50  # draws of which one goes through the ledger
AHEAD = 1000

T = TypeVar("T")
MoreGroups = tuple[dict[str, bool], Totals]  # whether the person is in each group, and the totals


def draw_answers(query: sf.Query, choice: sf.Choice, *, allow_no_guarantee: bool = False) -> Iterator[Answer]:
    """Answers without end, each with noise of its own."""
    exact = query._bound.totals()
    while True:
        yield query.release(choice, redraw=True, allow_no_guarantee=allow_no_guarantee).answer
        for _ in range(IN_FULL - 1):
            yield draw_answer(query._bound, choice, exact)


def draw_answer(query: BoundQuery, choice: SolvedRequest, exact: Totals) -> Answer:
    """An answer with new noise on these totals."""
    assert choice.epsilon is not None
    how = calibrate(query.measurement, choice.noise, choice.epsilon, choice.epsilon_max)
    noisy = noise.draw_noise(exact, query.measurement, how, query.context.services.mechanism)
    return answer.answer(query.measurement, noisy, how, query.statement.afterwards)


def more_groups(exact: Totals, present: Mapping[str, bool], coins: random.Random, groups: int) -> MoreGroups:
    """The totals of so many groups more, by a coin each: as one that has the person has them, or one that has not."""
    known: dict[bool, list[Cell]] = {False: [], True: []}
    for cell in exact.cells:
        known[present[str(cell[0])]].append(cell)
    more = {f"more {i:06}": coins.random() < 0.5 for i in range(groups)}
    like: dict[Cell, Cell] = {
        (place,): known[there][i % len(known[there])] for i, (place, there) in enumerate(more.items())
    }
    counts = {
        position: {cell: counts[model] for cell, model in like.items() if model in counts}
        for position, counts in exact.counts.items()
    }
    return more, Totals({cell: exact.cells[model] for cell, model in like.items()}, counts)


def draw_selections(query: sf.Query, preference: Preference, **how: Any) -> Iterator[Selected]:
    """Selections of an epsilon without end; `why` says why there is none."""
    services = query.dataset.services
    ahead = replace(services, mechanism=_ahead(services.mechanism))
    while True:
        choice = query.choose(preference, redraw=True, **how)
        yield Selected(choice.epsilon, choice.why)
        for _ in range(IN_FULL - 1):
            yield draw_selection(query._bound, choice.request, ahead)


def draw_selection(query: BoundQuery, asked: ReleaseRequest, services: Services) -> Selected:
    (preference,), survey = asked.preferences, query.survey(asked.noise)
    if asked.as_published:
        return selection_draw.draw_as_published(preference, survey, asked, services)
    return selection_draw.draw_selection(preference, survey, asked.noise, services, asked.candidates, asked.epsilon_max)


def _ahead(mechanisms: Mechanisms) -> Mechanisms:
    """Laplace noise is drawn a thousand at once, ahead of the totals that it is added to."""
    left = defaultdict[tuple[int, float], list[int]](list)

    def mechanism(law: str, reach: int = 0, /) -> Mechanism:
        draw = mechanisms(law, reach)
        if law != NoiseLaw.LAPLACE:
            return draw

        def noisy(totals: Sequence[int], sensitivity: int, budget: float, /) -> Sequence[int]:
            noise = left[sensitivity, budget]
            while len(noise) < len(totals):
                noise += draw([0] * AHEAD, sensitivity, budget)
            return [total + noise.pop() for total in totals]

        return noisy

    return mechanism


def draw_in_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `Query.release` and `Query.choose` draw in bulk, for an audit that calls them by itself."""

    def release(before: Released, query: BoundQuery, choice: SolvedRequest) -> Released:
        if query not in exact:
            exact[query] = query.totals()
        return replace(before, answer=draw_answer(query, choice, exact[query]))

    def choose(before: SolvedRequest, query: BoundQuery, asked: ReleaseRequest) -> SolvedRequest:
        if not asked.draws:
            return before
        found = draw_selection(query, asked, query.context.services)
        return replace(before, epsilon=found.epsilon, feasible=found.epsilon is not None, why=found.why)

    exact: dict[BoundQuery, Totals] = {}
    monkeypatch.setattr("sfumato.release.pipeline.release_choice", _one_in_full(release_choice, release))
    monkeypatch.setattr(plan, "choose_epsilon", _one_in_full(plan.choose_epsilon, choose))


def _one_in_full(full: Callable[..., T], bulk: Callable[[T, BoundQuery, Any], T]) -> Callable[..., T]:
    """`full` in the first of every fifty calls about a query; in the others `bulk`, with what that returned."""
    calls, last = Counter[BoundQuery](), dict[BoundQuery, T]()

    def call(query: BoundQuery, asked: Any, *more: object, **how: object) -> T:
        calls[query] += 1
        if calls[query] % IN_FULL != 1:
            return bulk(last[query], query, asked)
        last[query] = full(query, asked, *more, **how)
        return last[query]

    return call
