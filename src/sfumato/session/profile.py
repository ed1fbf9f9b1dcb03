"""A risk view as its holder sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sfumato.choose.solve import Solution
from sfumato.model.choice import Noise
from sfumato.model.confidential import Confidential
from sfumato.model.facts import Reach, Summary
from sfumato.model.measurement import Measurement
from sfumato.model.risk import RiskAt, RiskView, Source, Spread
from sfumato.risk.view import CANDIDATES, risk_at
from sfumato.session.picture import Picture
from sfumato.views import risk as view
from sfumato.views import words

if TYPE_CHECKING:
    import pyarrow as pa


class RiskProfile(Confidential):
    """How exposed people are under a query, per epsilon; `.source` says whose: anybody's, a look-alike's, theirs."""

    def __init__(
        self,
        source: Source,
        query: str,
        measurement: Measurement,
        noise: Noise,
        spread: Spread,
        *,
        influence: Summary | Reach | None = None,
        exposure: Summary | Reach | None = None,
        candidates: Sequence[float] | None = None,
        people: Callable[[], pa.Table] | None = None,
        solution: Solution | None = None,
        limit: float | None = None,
        exact: bool = False,
    ) -> None:
        self.source = source
        self.influence = influence
        self.exposure = exposure
        self.solution = solution
        self.outputs = spread.k if spread.published else measurement.k
        self._query = query
        self._measurement = measurement
        self._noise = noise
        self._spread = spread
        chosen = () if solution is None or solution.epsilon is None else (solution.epsilon,)
        self._candidates = tuple(sorted({*(candidates or CANDIDATES), *chosen}))
        self._people = people
        self._limit = limit
        self._exact = exact

    @property
    def people_count(self) -> int | None:
        return self.influence.people if isinstance(self.influence, Summary) else None

    @property
    def candidates(self) -> tuple[RiskAt, ...]:
        return tuple(map(self.at, self._candidates))

    def at(self, epsilon: float, exact: bool | None = None) -> RiskAt:
        """What this epsilon would mean: by the exact RDR or by Lemma 3.1, as the profile shows it if not said."""
        exact = self._exact if exact is None else exact
        return risk_at(epsilon, self._spread, self._measurement, self._noise, exact=exact)

    def people(self) -> pa.Table:
        """One row per person: person, influence, exposure."""
        if self._people is None:
            raise ValueError("the worst case is about anybody: it has no list of people")
        return self._people()

    def plot(self) -> Picture:
        """The gap range: per epsilon, from the person least at risk to the one most at risk."""
        return Picture(view.figure(self.view, self._limit, self._chosen))

    @property
    def view(self) -> RiskView:
        return RiskView(
            source=self.source,
            query=self._query,
            people=self.people_count,
            outputs=self.outputs,
            mechanism=self._noise.mechanism,
            sensitivity=tuple(float(n.sensitivity) for n in self._measurement.numbers),
            influence=self.influence,
            exposure=self.exposure,
            candidates=self.candidates,
            exact=self._exact,
        )

    @property
    def _chosen(self) -> float | None:
        return None if self.solution is None else self.solution.epsilon

    def text(self, *, colour: bool = False) -> str:
        shown = view.as_text(self.view, self._limit, self._chosen, colour)
        return (
            shown
            if self.solution is None
            else f"{shown}\n\n{words.rehearsed(self.solution.epsilon, self.solution.why)}"
        )

    def show(self) -> None:
        print(self.text())

    def __repr__(self) -> str:
        if self.source is Source.PEOPLE:
            return "<RiskProfile of the people; confidential: call .show()>"
        return self.text()

    def _repr_html_(self) -> str:
        return view.as_html(self.view, self._limit, self._chosen)
