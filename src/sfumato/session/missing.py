"""Who is missing? The worlds of the data itself, as its controller sees them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from sfumato.choose.belief import Belief, Universe, require_bounded
from sfumato.model.choice import Noise
from sfumato.model.confidential import Confidential
from sfumato.model.worlds import World
from sfumato.risk.guessing import guess_chance
from sfumato.risk.view import CANDIDATES
from sfumato.risk.worlds import average_at, beliefs_at, countless, prior_of, widest, width_of
from sfumato.session.picture import Picture
from sfumato.views import belief as view
from sfumato.views import words

if TYPE_CHECKING:
    from sfumato.session.query import Query

_ANY = Fraction(1, 2)  # whatever belief is asked for, it is the same noise that bounds none


class Beliefs(Confidential):
    """If somebody knows the table but for one person who is missing: how sure can they become of who it is?

    Made by `Query.missing`, which enters the look before anybody is read. `.at(epsilon)` has risk, bound, average and
    the most identifiable person; `.limit` is what no epsilon goes beyond.
    """

    def __init__(self, query: Query, candidates: Sequence[float] | None) -> None:
        require_bounded(Belief(_ANY, Universe(None)), Noise(), query._declared)
        survey = query._look(Noise())
        found = survey.worlds()
        self._worlds = tuple(world for world, _ in found) or (World(()),)
        self._who = tuple(who for _, who in found) or (None,)
        self._countless = countless(self._worlds)
        self._candidates = tuple(sorted(set(candidates or CANDIDATES)))
        self.people_count = survey.people_count

    @cached_property
    def prior(self) -> float:
        return prior_of(self._worlds)

    @cached_property
    def limit(self) -> float:
        """What no belief rises above, however large epsilon is: whoever is alike is not told apart."""
        return 1.0 if self._countless else max(beliefs_at(self._worlds, math.inf))

    @cached_property
    def _width(self) -> float:
        return width_of(self._worlds)

    def at(self, epsilon: float) -> view.BeliefAt:
        if self._countless:
            bound = guess_chance(epsilon * widest(self._worlds), self.prior)
            return view.BeliefAt(epsilon, bound, bound, None, None, 0)
        beliefs = beliefs_at(self._worlds, epsilon)
        risk = max(beliefs)
        place = beliefs.index(risk)
        average = average_at(self._worlds, epsilon)
        bound = guess_chance(epsilon * self._width, self.prior)
        shown = None if math.isnan(average) else average
        return view.BeliefAt(epsilon, risk, bound, shown, self._who[place], int(self._worlds[place].mass))

    @property
    def candidates(self) -> tuple[view.BeliefAt, ...]:
        return tuple(map(self.at, self._candidates))

    @property
    def view(self) -> view.Beliefs:
        apart = self._countless or any(world.apart for world in self._worlds)
        return view.Beliefs(self.people_count, self.prior, self.limit, self.candidates, apart)

    def as_dict(self) -> dict[str, object]:
        return self.view.as_dict()

    def plot(self) -> Picture:
        """The largest belief over epsilon, with its upper bound and its limit."""
        return Picture(view.figure(self.view))

    def text(self) -> str:
        return view.as_text(self.view)

    def show(self) -> None:
        print(self.text())

    def __repr__(self) -> str:
        return f"<Beliefs. {words.WHO_IS_MISSING} It is confidential: call .show()>"

    def _repr_html_(self) -> str:
        return view.as_html(self.view)
