"""Beliefs about who is missing from the data, as its controller sees them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property

from sfumato.api.display import DocumentDisplay
from sfumato.api.figure import Picture
from sfumato.model.choice import Noise
from sfumato.model.confidential import Confidential
from sfumato.model.possible_worlds import World
from sfumato.presentation.beliefs import BeliefAt, BeliefTable, document, figure
from sfumato.presentation.document import Document
from sfumato.presentation.wording import belief as of_belief
from sfumato.privacy.preferences.belief import Belief, Universe, require_bounded
from sfumato.privacy.preferences.preference import number_where
from sfumato.privacy.risk.belief import suspicion
from sfumato.privacy.risk.guessing import guess_chance
from sfumato.privacy.risk.possible_worlds import average_at, beliefs_at, countless, prior_of, widest, width_of
from sfumato.privacy.risk.profile import CANDIDATES
from sfumato.release.bound_query import BoundQuery

_ANY = Fraction(1, 2)  # whatever belief is asked for, it is the same noise that bounds none


class Beliefs(DocumentDisplay, Confidential):
    """How sure an attacker who knows the table except for one missing person can become of who that is.

    Made by `Query.beliefs`, which enters the look before any data is read. `.at(epsilon)` has risk, bound, average and
    the most identifiable person; `.limit` is what no epsilon goes beyond.
    """

    def __init__(self, query: BoundQuery, candidates: Sequence[float] | None, prior: float | None = None) -> None:
        self._suspicion = None if prior is None else _suspicion(prior)
        require_bounded(Belief(_ANY, Universe(None)), Noise(), query.declared)
        survey = query.look(Noise())
        worlds = sorted(survey.worlds(), key=lambda one: (one[0].loads, one[0].apart))
        self._worlds = tuple(world for world, _ in worlds) or (World(()),)
        self._who = tuple(who for _, who in worlds) or (None,)
        self._countless = countless(self._worlds)
        self._candidates = tuple(sorted(set(candidates or CANDIDATES)))
        self.people_count = survey.people_count

    @cached_property
    def prior(self) -> float:
        """What is believed beforehand: of everyone alike, or of the one who is suspected."""
        return prior_of(self._worlds) if self._suspicion is None else self._suspicion

    @cached_property
    def limit(self) -> float:
        """The limit of every belief as epsilon grows: people whose rows are alike cannot be distinguished."""
        return 1.0 if self._countless else self._posterior(max(beliefs_at(self._worlds, math.inf)))

    def _posterior(self, belief: float) -> float:
        return belief if self._suspicion is None else suspicion(belief, self._suspicion, self.people_count)

    @cached_property
    def _width(self) -> float:
        return width_of(self._worlds)

    def at(self, epsilon: float) -> BeliefAt:
        if self._countless:
            bound = guess_chance(epsilon * widest(self._worlds), self.prior)
            return BeliefAt(epsilon, bound, bound, None, None, 0)
        beliefs = beliefs_at(self._worlds, epsilon)
        place = beliefs.index(max(beliefs))  # the same person whether all are equally suspected or one is
        risk = self._posterior(beliefs[place])
        average = average_at(self._worlds, epsilon)
        bound = max(risk, guess_chance(epsilon * self._width, self.prior))
        public_average = None if math.isnan(average) or self._suspicion is not None else average
        return BeliefAt(epsilon, risk, bound, public_average, self._who[place], int(self._worlds[place].mass))

    @property
    def candidates(self) -> tuple[BeliefAt, ...]:
        return tuple(map(self.at, self._candidates))

    @property
    def view(self) -> BeliefTable:
        return self._view(self._candidates)

    def _view(self, candidates: Iterable[float]) -> BeliefTable:
        apart = self._countless or any(world.apart for world in self._worlds)
        rows = tuple(map(self.at, candidates))
        return BeliefTable(self.people_count, self.prior, self.limit, rows, apart, self._suspicion is not None)

    def as_dict(self) -> dict[str, object]:
        return self.view.as_dict()

    def plot(self) -> Picture:
        """The largest belief over epsilon, with its upper bound and its limit."""
        return Picture(figure(self._curve))

    @property
    def _curve(self) -> BeliefTable:
        return self._view(sorted({*self._candidates, *CANDIDATES}))

    def _document(self) -> Document:
        return document(self.view)

    @property
    def withheld(self) -> str:
        return f"<Beliefs. {of_belief.WHO_IS_MISSING} It is confidential: call .show()>"

    def _html(self) -> str:
        return document(self.view, self._curve).html()


def _suspicion(prior: object) -> float:
    return float(number_where("prior", prior, "prior-out-of-range", lambda number: 0 < number < 1))
