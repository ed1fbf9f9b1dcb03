"""One pass on an engine at a time: from a question to what the people carry, no more of it than is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.confidential import Confidential
from sfumato.model.facts import EXPOSURE, INFLUENCE, Bin, Cell, Counts, Distribution, Facts, Moments, Summary, Totals
from sfumato.model.measurement import Measurement
from sfumato.model.possible_worlds import World
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import Predicate, Statement
from sfumato.ports import Engine
from sfumato.release.people.passes import Passes
from sfumato.sql.plans import (
    exposure_histogram_plan,
    exposure_totals,
    possible_worlds_plan,
    posthoc_plan,
    ranks,
    totals,
)
from sfumato.sql.plans import exposure_summary as plan
from sfumato.sql.plans.individual_filter_plan import IndividualFilter, of_included
from sfumato.sql.plans.people_parts import MAX, MIN, SUM, Merging, adds_up, has_parts
from sfumato.sql.plans.rows import L1, L2, PlanInput

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
_PEOPLE: WeakKeyDictionary[Engine, int] = WeakKeyDictionary()  # counted once for every table that is open

_SUMS, _REACH = Merging(0, (SUM,)), Merging(0, (SUM, MIN, MAX))
_MOMENTS = Merging(0, (SUM, *(MIN, MAX, SUM, SUM) * 2))  # people, then two figures of each


class Survey(Confidential):
    """What can be read about the people under one statement and one kind of noise. Each pass is made once."""

    published = False  # as the authors of the RDR paper do: bounds and sensitivity come from the data
    sensitivity = Fraction(1)  # of an exposure

    @property
    def k(self) -> int:
        """The noisy numbers that are compared; one where the group keys are private."""
        return self.measurement.k or 1

    @property
    def figure(self) -> str:
        """The figure of a person that preferences compare."""
        return INFLUENCE if self.published else EXPOSURE

    def __init__(
        self,
        engine: Engine,
        schema: Schema,
        statement: Statement,
        measurement: Measurement,
        noise: Noise,
        individual: IndividualFilter | None = None,
    ) -> None:
        norm = L2 if noise.mechanism == NoiseLaw.GAUSSIAN else L1
        self.question = PlanInput(schema, statement, measurement, norm)
        self._engine = engine
        self._individual = individual  # whose totals are read, where not everyone's are
        self._passes = Passes(engine)
        self._known_distributions: dict[str, Distribution] = {}
        self._known_cells: dict[object, tuple[Any, ...]] = {}
        self._known_bins: dict[int, tuple[int, ...]] = {}

    @property
    def measurement(self) -> Measurement:
        return self.question.measurement

    @property
    def people_count(self) -> int:
        if self._engine not in _PEOPLE:
            _PEOPLE[self._engine] = plan.whole(self._of_parts(plan.people_count(self.question), _SUMS)[0][0])
        return _PEOPLE[self._engine]

    @cached_property
    def facts(self) -> Facts:
        """Smallest, largest, sum and sum of squares of influence and exposure."""
        everyone = self.people_count
        alike = plan.uniform(self.question)
        if alike is not None:
            return Facts(
                *(Summary.alike(self._matched_count, f).and_zeros(everyone - self._matched_count) for f in alike)
            )
        return Facts(
            *plan.read_moments(self._of_persons(plan.moments(self.question), _MOMENTS), self.question, everyone)
        )

    def reach(self, figure: str = EXPOSURE, *, sums: bool = False) -> tuple[float, float]:
        """The smallest and the largest figure of anyone: all that a ratio compares. `sums`: with those at once."""
        if sums or "facts" in self.__dict__ or plan.uniform(self.question) is not None:
            summary = self.facts.summary(figure)
            return summary.min, summary.max
        return (self._ends if figure == EXPOSURE else None) or self._reach(figure)

    @cached_property
    def _ends(self) -> tuple[float, float] | None:
        tree = plan.ends(self.question)
        return None if tree is None else plan.read_ends(self._of_parts(tree, _REACH), self.question, self.people_count)

    def _reach(self, figure: str) -> tuple[float, float]:
        count, low, high = self._of_persons(plan.reach(self.question, figure), _REACH)[0]
        if not count:
            return 0.0, 0.0
        return float(low) if plan.whole(count) == self.people_count else 0.0, float(high)

    def distribution(self, figure: str) -> Distribution:
        """How a figure is spread over the people."""
        factor = plan.proportional(self.question)
        if figure == EXPOSURE and factor is not None:
            return self._distributions(INFLUENCE).scaled(float(factor))
        return self._distributions(figure)

    def _distributions(self, figure: str) -> Distribution:
        if figure not in self._known_distributions:
            self._known_distributions[figure] = self._distribution(figure, self.facts.summary(figure))
        return self._known_distributions[figure]

    def _distribution(self, figure: str, summary: Summary) -> Distribution:
        alike = plan.uniform(self.question)
        if alike is not None:
            carried = alike[0] if figure == INFLUENCE else alike[1]
            bins = [Bin(0.0, 0.0, self.people_count - self._matched_count), Bin(carried, carried, self._matched_count)]
            return Distribution(tuple(b for b in bins if b.people))
        tree = plan.bins(self.question, figure, summary.min, summary.max)
        return plan.read_bins(self._of_persons(tree, Merging(1, (MIN, MAX, SUM))), self.people_count)

    @cached_property
    def singletons(self) -> int:
        """In how many cells one person is all there is, where the answer does not exist without them."""
        tree = plan.singletons(self.question)
        return 0 if tree is None else plan.whole(self._rows(tree)[0][0])

    def most_exposed(self) -> pa.Table:
        return self._engine.table(self._sql(plan.most_exposed(self.question, self._engine.numbered)))

    def people(self) -> pa.Table:
        """One row per person, in order."""
        return self._engine.table(self._sql(plan.people_in_order(self.question, self._engine.numbered)))

    def medians(self, side: Predicate, figure: str) -> dict[bool, float]:
        """The median of those who meet a condition, and of all the others; a group that no one is in has none."""
        lower = self.question.norm == L2  # the root does not commute with the mean of two
        rows = self._rows(plan.medians(self.question, self._engine.numbered, side, figure, lower=lower))
        return {bool(met): float(median) for met, median in rows}

    def group(self, met: Predicate, figure: str) -> Distribution:
        """How a figure is spread over the people who meet a condition."""
        factor = plan.proportional(self.question) if figure == EXPOSURE else None
        read = figure if factor is None else INFLUENCE
        people, low, high = self._rows(plan.group_reach(self.question, self._engine.numbered, met, read))[0]
        if not people:
            return Distribution(())
        tree = plan.group_bins(self.question, self._engine.numbered, met, read, float(low), float(high))
        group = plan.read_bins(self._rows(tree), plan.whole(people))
        return group if factor is None else group.scaled(float(factor))

    @property
    def columns(self) -> Mapping[str, Type | None]:
        return self._engine.columns

    def answer(self) -> tuple[tuple[object, ...], ...]:
        return plan.read_answer(self._rows(plan.answer(self.question)), self.question)

    def totals(self) -> Totals:
        """All exact totals at once, for what is computed from them and drawn from by no one else."""
        ranked = [i for i, number in enumerate(self.measurement.numbers) if number.kind.is_ranked]
        return Totals(dict(self.by_cell()), {i: dict(self.counts_by_cell(i)) for i in ranked})

    def by_cell(self) -> Iterable[tuple[Cell, tuple[int, ...]]]:
        """The exact totals of one cell after the other: one pass for all that is added up."""
        question = self.question
        added_up = any(not number.kind.is_ranked for number in self.measurement.numbers)
        merging = Merging(len(question.keys), (SUM,))
        return self._read_once(
            "totals",
            lambda: totals.read_totals(self._stream(self._totals, merging) if added_up else (), question),
        )

    @property
    def _totals(self) -> plan.Tree:
        tree, individual = totals.totals(self.question), self._individual
        return tree if individual is None else of_included(tree, individual, self._engine.numbered)

    def counts_by_cell(self, position: int) -> Iterable[tuple[Cell, Counts]]:
        """Where the values of a number that goes by ranks lie, of one cell after the other: one pass."""
        number, merging = self.measurement.numbers[position], Merging(len(self.question.keys) + 1, (SUM,))
        return self._read_once(
            number.ranks, lambda: ranks.read_counts(self._stream(ranks.counts(self.question, number), merging))
        )

    def _read_once(self, what: object, read: Callable[[], Iterator[T]]) -> Iterable[T]:
        """Read for each draw and then forgotten; held where there are few, which public facts decide."""
        if not self.measurement.few:
            return read()
        if what not in self._known_cells:
            self._known_cells[what] = tuple(read())
        return self._known_cells[what]

    def largest_moves(
        self, outputs: Sequence[posthoc_plan.Residuals], weights: Sequence[float]
    ) -> list[tuple[float, float]]:
        """By how much nearer and further each output lies from the answer without someone, at most: in one pass."""
        tree = posthoc_plan.extremes(self.question, self._engine.numbered, outputs, weights)
        return posthoc_plan.read_extremes(self._rows(tree), len(outputs), self.people_count)

    def people_by_bin(self, bins: int) -> tuple[int, ...]:
        """How many people are at exposure 0, and in each of so many bins up to 1."""
        if bins not in self._known_bins:
            rows = self._of_parts(exposure_histogram_plan.people_by_bin(self.question, bins), Merging(1, (SUM,)))
            self._known_bins[bins] = exposure_histogram_plan.read_people_by_bin(rows, self.people_count, bins)
        return self._known_bins[bins]

    def worlds(self) -> list[tuple[World, object]]:
        """Everyone but one of them, and who that is: of people who are alike, one."""
        rows = self._rows(possible_worlds_plan.alike(self.question, self._engine.numbered))
        return possible_worlds_plan.read_alike(rows, self.question, self.people_count)

    @cached_property
    def moments(self) -> Moments:
        """How many people there are, and how exposed, in whole units."""
        alike = plan.uniform(self.question)
        if alike is not None:
            moments = exposure_totals.moments_alike(self.question, alike[1], self._matched_count, Moments.ONE)
        else:
            moments = exposure_totals.read_moments(
                self._of_parts(exposure_totals.moments(self.question, Moments.ONE), _SUMS)
            )
        return Moments(self.people_count, *moments)

    @cached_property
    def _matched_count(self) -> int:
        merging = Merging(len(self.question.keys), (SUM,))
        return plan.read_matched_rows(self._of_parts(plan.matched_rows(self.question), merging), self.question)

    def _rows(self, tree: plan.Tree) -> plan.Rows:
        return self._engine.rows(self._sql(tree))

    def _of_parts(self, tree: plan.Tree, merging: Merging) -> plan.Rows:
        """What a plan gives that adds up over people: of people with several rows, part by part."""
        return self._passes.rows(tree, self.question, merging) if has_parts(self.question) else self._rows(tree)

    def _of_persons(self, tree: plan.Tree, merging: Merging) -> plan.Rows:
        """The same of figures that may compare people with all the others: then of all at once."""
        return self._rows(tree) if self.question.compares_with_cell else self._of_parts(tree, merging)

    def _stream(self, tree: plan.Tree, merging: Merging) -> Iterator[tuple[Any, ...]]:
        """Row by row where all are asked about at once."""
        in_parts = adds_up(self.question) and (self.measurement.few or self._engine.parts > 1)
        return iter(self._of_parts(tree, merging)) if in_parts else self._engine.stream(self._sql(tree))

    def _sql(self, tree: plan.Tree) -> str:
        return self._engine.spell(tree)
