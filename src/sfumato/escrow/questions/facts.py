"""Public facts about a request before anything is drawn: its outputs, cost and worst case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from sfumato.errors import BadInput, BudgetExceeded, SfumatoError
from sfumato.escrow.questions.query import RequestedQuery
from sfumato.escrow.questions.request_split import index_of, split_terms
from sfumato.ledger.entry import NANO, nano
from sfumato.ledger.odometer import Total
from sfumato.model.budget import BudgetLimit
from sfumato.model.choice import Noise
from sfumato.model.expected_interval import ExpectedCount
from sfumato.model.guarantee import Guarantee, Provenance, guarantee_of, weakest
from sfumato.model.noise_view import ColumnNoise
from sfumato.model.risk import RiskAt
from sfumato.model.statement import Statement, columns_in
from sfumato.privacy.sensitivity import require_drawable
from sfumato.release.bound_query import BoundQuery, bind
from sfumato.release.choose import enter_plan, preview
from sfumato.release.context import DatasetContext
from sfumato.release.decide import EPSILON_MAX, SolvedRequest
from sfumato.release.individual_filter import WithinBudget, within_budget
from sfumato.release.ledger import PrivacyLedger
from sfumato.release.request import request_of
from sfumato.release.risk.noise_plan import noise_plan
from sfumato.release.risk.profile import worst_case

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class QueryFacts:
    """One query of a request; `epsilon` and `why` are None where they are not told, or there is no epsilon yet."""

    sql: str
    weight: float
    index: float | None
    guess: float | None
    column_noise: tuple[ColumnNoise, ...]
    outputs: int | None
    numbers: tuple[str, ...]
    columns: tuple[str, ...]
    noise: Noise
    epsilon: float | None
    feasible: bool
    method: str
    why: str | None
    guarantee: Guarantee
    select_epsilon: float
    worst_case: RiskAt | None
    furthest: tuple[float, ...]
    expected_count: ExpectedCount | None  # that the interval of an average depends on
    replaced: bool  # whether a neighbouring table has another record in a person's place


@dataclass(frozen=True)
class RequestFacts:
    """What a request would be charged, carry and leave; `lost` are the inputs that leave no guarantee."""

    queries: tuple[QueryFacts, ...]
    epsilon: float | None
    delta: float | None
    guarantee: Guarantee
    lost: tuple[Provenance, ...]
    total: Total
    budget: BudgetLimit
    left: float | None


class RequestPreview:
    """A request on a dataset that is not read. Everything it says holds for any data."""

    def __init__(
        self,
        dataset: DatasetContext,
        queries: Sequence[RequestedQuery],
        preference: Mapping[str, Any] | None,
        preregistered: str = "",
    ) -> None:
        self.dataset, self.preference = dataset, preference
        self.queries = tuple(each(lambda one: bind(dataset, one.sql), queries))
        require_drawable([query.measurement for query in self.queries], "The request")
        self._requested = tuple(queries)
        self.stated = split_terms(self.queries, queries, preference)
        self._refuse_twice()
        self.choices = tuple(
            each(
                lambda one: preview(one[0], request_of(one[0], one[1][0], **one[1][1]), preregistered),
                tuple(zip(self.queries, self.stated, strict=True)),
            )
        )

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(query.statement for query in self.queries)

    @property
    def compared(self) -> tuple[str, ...]:
        """Columns that preferences compare groups by."""
        preferences = [p for choice in self.choices for p in choice.request.preferences]
        conditions = [self.dataset.condition(text) for p in preferences for text in p.conditions]
        return tuple(dict.fromkeys(column.name for one in conditions for column in columns_in(one)))

    @property
    def inputs(self) -> tuple[Provenance, ...]:
        return tuple(one for choice in self.choices for one in choice.provenances)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee if it were approved now."""
        return weakest(choice.guarantee for choice in self.choices)

    @property
    def guarantee_before_approval(self) -> Guarantee:
        """The guarantee without regard to the approval."""
        return guarantee_of(one for one in self.inputs if one.what != "approval")

    @property
    def withheld(self) -> bool:
        """Whether epsilon depends on something that was changed after a look: the analyst may not see it then."""
        looked = self.dataset.ledger.known.anyone_looked
        lost = any(one.what in ("preference", "policy") and not guarantee_of([one]).holds for one in self.inputs)
        public = any(not one.reads_people for choice in self.choices for one in choice.request.preferences)
        return looked and lost and public

    def plan(self) -> None:
        """Enter public preferences as planned: a later look does not affect them."""
        for query, choice in zip(self.queries, self.choices, strict=True):
            if not choice.request.reads_people:
                enter_plan(query, choice.request, "")

    @property
    def charge(self) -> tuple[Fraction, Fraction] | None:
        """Epsilon and delta of all of it; at most, where an epsilon is selected. None: it has none yet.

        What has no guarantee is charged a public constant.
        """
        if not self.guarantee.holds:
            return Fraction(str(EPSILON_MAX)) * len(self.choices), _deltas(self.choices)
        if any(choice.epsilon is None and not choice.request.selecting for choice in self.choices):
            return None
        within = [self._within(query, choice) for query, choice in zip(self.queries, self.choices, strict=True)]
        outside = [choice for choice, own in zip(self.choices, within, strict=True) if own is None]
        nanos = sum(nano(choice.select_epsilon) + nano(_most(choice)) for choice in outside)
        first = next((own for own in within if own is not None), None)  # the others are charged nothing
        epsilon, delta, _ = (0, 0, 0) if first is None else first.charged(self.dataset.ledger.known)
        return Fraction(nanos, NANO) + epsilon, _deltas(outside) + delta

    @staticmethod
    def _within(query: BoundQuery, choice: SolvedRequest) -> WithinBudget | None:
        """What a query costs within the budget per person; None where it is charged outside it."""
        return None if choice.request.draws else within_budget(query, choice.request, choice.epsilon)

    def require_affordable(self) -> None:
        """Refuse a request that costs more than is left of the budget."""
        left = budget_left(self.dataset.ledger)
        if self.charge is not None and left is not None and self.charge[0] > left:
            epsilon, rest = float(self.charge[0]), float(max(left, Fraction(0)))
            raise BudgetExceeded.because("request-beyond-budget", epsilon=epsilon, left=rest)

    def facts(self, expected_count: float | None = None) -> RequestFacts:
        """`expected_count`: how many are in the smallest group, by public knowledge."""
        ledger, charge = self.dataset.ledger, self.charge
        left = budget_left(ledger)
        index = index_of(self.queries, self._requested) or (None,) * len(self.queries)
        each_query = zip(self.queries, self.choices, self._requested, index, strict=True)
        return RequestFacts(
            queries=tuple(_query(*one, expected_count) for one in each_query),
            epsilon=None if charge is None else float(charge[0]),
            delta=None if charge is None else float(charge[1]),
            guarantee=self.guarantee,
            lost=tuple(one for one in self.inputs if not guarantee_of([one]).holds),
            total=ledger.total,
            budget=ledger.budget,
            left=None if left is None else float(left),
        )

    def _refuse_twice(self) -> None:
        texts = [query.sql for query in self.queries]
        if twice := next((text for text in texts if texts.count(text) > 1), None):
            raise BadInput.because("request-query-twice", sql=twice)


def _deltas(choices: Sequence[SolvedRequest]) -> Fraction:
    return sum((Fraction(str(choice.noise.delta or 0)) for choice in choices), Fraction(0))


def budget_left(ledger: PrivacyLedger) -> Fraction | None:
    """Epsilon that is left of a dataset's budget; None if no budget is set."""
    return ledger.epsilon_left(ledger.record)


def _query(
    query: BoundQuery,
    choice: SolvedRequest,
    requested: RequestedQuery,
    index: float | None,
    expected_count: float | None,
) -> QueryFacts:
    public = choice.guarantee.holds or all(
        one.what == "approval" for one in choice.provenances if not guarantee_of([one]).holds
    )
    epsilon, noise, at, expected = choice.epsilon if public else None, choice.noise, None, None
    split_noise: tuple[ColumnNoise, ...] = ()
    if epsilon is not None:
        profile = worst_case(
            query, candidates=[epsilon], expected_count=_expected(choice, expected_count), **vars(noise)
        )
        at, expected = profile.at(epsilon), profile.expected_count
        guesses: dict[str, Any] = {"expected": requested.expected, "expected_count": expected_count}
        split_noise = noise_plan(query, epsilon, **guesses, **vars(noise)).view.columns
    return QueryFacts(
        sql=query.sql,
        weight=requested.weight,
        index=index,
        guess=requested.expected,
        column_noise=split_noise,
        outputs=query.measurement.k,
        numbers=tuple(number.words for number in query.measurement.numbers),
        columns=tuple(query.statement.columns),
        noise=noise,
        epsilon=epsilon,
        feasible=choice.feasible or (epsilon is None and (choice.request.reads_people or choice.request.draws)),
        method=choice.request.method_text(public=public),
        why=choice.why if public else None,
        guarantee=choice.guarantee,
        select_epsilon=choice.select_epsilon,
        worst_case=at,
        furthest=() if at is None else query.furthest(at.epsilon, noise),
        expected_count=expected,
        replaced=query.measurement.steps != 1,
    )


def _expected(choice: SolvedRequest, expected_count: float | None) -> float | None:
    """What is stated, beside the preference or in it."""
    counts = (getattr(preference, "expected_count", None) for preference in choice.request.preferences)
    return expected_count or next((float(count) for count in counts if count is not None), None)


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
    if choice.request.selecting:
        return choice.epsilon_max
    return choice.epsilon or 0.0
