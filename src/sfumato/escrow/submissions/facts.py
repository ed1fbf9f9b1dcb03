"""What is publicly known of a request before anything is drawn: its outputs, its cost, its worst case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from sfumato.errors import BadInput, SfumatoError, StopReached
from sfumato.escrow.submissions.asking import asked
from sfumato.escrow.submissions.lifecycle import Asked
from sfumato.ledger.entry import NANO, nano
from sfumato.model.guarantee import Guarantee, Provenance, join, word
from sfumato.model.statement import Statement, columns_in
from sfumato.presentation.wording import (
    choosing as of_choosing,
)
from sfumato.presentation.wording import (
    guarantee as of_guarantee,
)
from sfumato.presentation.wording import (
    requests as of_request,
)
from sfumato.privacy.preferences.accuracy import errors_of_means
from sfumato.privacy.preferences.preference import Ratio
from sfumato.privacy.sensitivity import require_drawable
from sfumato.release.bound_query import BoundQuery, bind
from sfumato.release.choose import foreseen, planned
from sfumato.release.context import DatasetContext
from sfumato.release.decide import EPSILON_MAX, SolvedRequest
from sfumato.release.profile import worst_case
from sfumato.release.request import request_of

T = TypeVar("T")
U = TypeVar("U")


class Foreseen:
    """A request on a dataset that is not read. Everything it says holds for any data."""

    def __init__(
        self,
        dataset: DatasetContext,
        queries: Sequence[Asked],
        shares: Sequence[float],
        stated: Mapping[str, Any] | None,
        attestation: str = "",
    ) -> None:
        self.dataset = dataset
        self.queries = tuple(each(lambda one: bind(dataset, one.sql), queries))
        require_drawable([query.measurement for query in self.queries], "The request")
        self._weights = tuple(one.weight for one in queries)
        self.stated = tuple(asked(query, stated, share) for query, share in zip(self.queries, shares, strict=True))
        self._refuse_twice()
        self.choices = tuple(
            each(
                lambda one: foreseen(one[0], request_of(one[0], one[1][0], **one[1][1]), attestation),
                tuple(zip(self.queries, self.stated, strict=True)),
            )
        )

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(query.statement for query in self.queries)

    @property
    def compared(self) -> tuple[str, ...]:
        """The columns that preferences tell people apart by."""
        said = [p.between for choice in self.choices for p in choice.asked.preferences if isinstance(p, Ratio)]
        conditions = [self.dataset.condition(text) for text in said if text is not None]
        return tuple(dict.fromkeys(column.name for one in conditions for column in columns_in(one)))

    @property
    def inputs(self) -> tuple[Provenance, ...]:
        return tuple(one for choice in self.choices for one in choice.provenances)

    @property
    def guarantee(self) -> Guarantee:
        """The word, if it were approved as things are now."""
        return join(choice.guarantee for choice in self.choices)

    @property
    def guarantee_before_approval(self) -> Guarantee:
        """The word of everything but the approval, which is still to come."""
        return word(one for one in self.inputs if one.what != "approval")

    @property
    def withheld(self) -> bool:
        """Whether something leads to epsilon that was changed after a look: whoever asks is not told it."""
        looked = self.dataset.ledger.known.somebody_looked
        lost = any(one.what in ("preference", "policy") and not word([one]).holds for one in self.inputs)
        public = any(not one.reads_people for choice in self.choices for one in choice.asked.preferences)
        return looked and lost and public

    def plan(self) -> None:
        """Enter what is stated as planned, where that reads nobody: a later look does not change it."""
        for query, choice in zip(self.queries, self.choices, strict=True):
            if not choice.asked.reads_people:
                planned(query, choice.asked, "")

    @property
    def charge(self) -> tuple[Fraction, Fraction] | None:
        """Epsilon and delta of all of it; at most, where an epsilon is selected. None: it has none yet.

        What has no guarantee is charged a public constant.
        """
        if not self.guarantee.holds:
            return Fraction(str(EPSILON_MAX)) * len(self.choices), self._deltas
        if any(choice.epsilon is None and not choice.asked.selecting for choice in self.choices):
            return None
        nanos = sum(nano(choice.select_epsilon) + nano(_most(choice)) for choice in self.choices)
        return Fraction(nanos, NANO), self._deltas

    @property
    def _deltas(self) -> Fraction:
        return sum((Fraction(str(choice.noise.delta or 0)) for choice in self.choices), Fraction(0))

    def require_affordable(self) -> None:
        """Refuse what could never be charged: less is left than it takes."""
        stop, total = self.dataset.ledger.stop.epsilon, self.dataset.ledger.total
        if self.charge is None or stop is None:
            return
        left = stop - Fraction(total.nano_epsilon, NANO)
        if self.charge[0] > left:
            raise StopReached(of_request.beyond(float(self.charge[0]), float(max(left, Fraction(0)))),
                              hint="a controller raises the stop of the policy, or asks for less.")  # fmt: skip

    def as_dict(self, people: float | None = None) -> dict[str, Any]:
        """`people`: how many are in the smallest group at least, by public knowledge."""
        total, stop = self.dataset.ledger.total, self.dataset.ledger.stop
        charge = self.charge
        left = None if stop.epsilon is None else float(stop.epsilon - Fraction(total.nano_epsilon, NANO))
        return {
            "queries": [
                self._query(*one, people) for one in zip(self.queries, self.choices, self._weights, strict=True)
            ],
            "epsilon": None if charge is None else float(charge[0]),
            "delta": None if charge is None else float(charge[1]),
            "guarantee": self.guarantee.value,
            "spent": total.epsilon,
            "dataset_guarantee": total.guarantee.value,
            "stop": of_guarantee.stop(stop),
            "left": left,
            "sentences": [
                *([] if self.guarantee.holds else [self._lost]),
                of_request.costs(charge and float(charge[0]), charge and float(charge[1]), self.guarantee, left),
                f"What leaves would carry the word {self.guarantee.value}. {of_guarantee.MEANINGS[self.guarantee]}",
            ],
        }

    @property
    def _lost(self) -> str:
        return of_request.lost(one for one in self.inputs if not word([one]).holds)

    def _query(self, query: BoundQuery, choice: SolvedRequest, weight: float, people: float | None) -> dict[str, Any]:
        told = choice.guarantee.holds or all(
            one.what == "approval" for one in choice.provenances if not word([one]).holds
        )
        epsilon = choice.epsilon if told else None
        noise = choice.noise
        names = [number.words for number in query.measurement.numbers]
        at = None
        if epsilon is not None:
            worst = worst_case(query, noise.mechanism, noise.delta, [epsilon], noise.calibration)
            at = worst.at(epsilon)
        return {
            "sql": query.sql,
            "weight": weight,
            "outputs": query.measurement.k,
            "numbers": names,
            "columns": list(query.statement.columns),
            "mechanism": noise.mechanism,
            "delta": noise.delta,
            "calibration": noise.calibration,
            "epsilon": epsilon,
            "feasible": choice.feasible or (epsilon is None and (choice.asked.reads_people or choice.asked.draws)),
            "method": choice.asked.said(told=told),
            "why": choice.why if told else of_guarantee.WITHHELD,
            "guarantee": choice.guarantee.value,
            "select_epsilon": choice.select_epsilon,
            "worst_case": None if at is None else at.as_dict(),
            "means": None if at is None else of_choosing.noise(at, names, query.furthest(at.epsilon, noise)),
            "averages": None if epsilon is None else _averages(query, choice, epsilon, people),
            "odds": None if at is None else of_request.odds(at.attack_chance, replaced=query.measurement.steps != 1),
        }

    def _refuse_twice(self) -> None:
        texts = [query.sql for query in self.queries]
        if twice := next((text for text in texts if texts.count(text) > 1), None):
            raise BadInput(f"The same query is in the request twice: {twice}", hint="leave one out.")


def _averages(query: BoundQuery, choice: SolvedRequest, epsilon: float, people: float | None) -> str | None:
    """How exact averages would be; None where there are none."""
    errors = errors_of_means(query.measurement, choice.noise, epsilon, people or 1)
    if not errors or people is None:
        return of_choosing.HOW_MANY if errors else None
    return of_choosing.averages(errors, people)


def each(work: Callable[[T], U], queries: Sequence[T]) -> Iterator[U]:
    """Done with one query after the other; what goes wrong with one of several says with which."""
    for number, one in enumerate(queries, 1):
        try:
            yield work(one)
        except SfumatoError as error:
            if len(queries) > 1:
                error.where = ", ".join(filter(None, (f"query {number}", error.where)))
            raise


def _most(choice: SolvedRequest) -> float:
    if choice.asked.selecting:
        return choice.epsilon_max
    return choice.epsilon or 0.0
