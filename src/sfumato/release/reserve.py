"""Reserve before the data is read, and record what was drawn before it is returned: the steps of every charge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, TypeVar

from sfumato.errors import Conflict, EngineFailure, NoGuarantee, SfumatoError
from sfumato.ledger.entry import Draft, Entry, Event, nano
from sfumato.ledger.history import Record
from sfumato.ledger.odometer import Total
from sfumato.ledger.parallel import Spent
from sfumato.model.guarantee import ChosenBy, Guarantee, Provenance, chosen_by, guarantee_of
from sfumato.model.period import CalendarPeriod
from sfumato.model.schema import PER_PERSON
from sfumato.model.statement import Statement
from sfumato.privacy.partition import values_read
from sfumato.release.bound_query import BoundQuery
from sfumato.release.context import DatasetContext
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.ledger import PrivacyLedger, digest

T = TypeVar("T")


@dataclass(frozen=True)
class SpentInPeriod:
    """What was released from a dataset in a calendar period."""

    period: CalendarPeriod
    spent: Spent


class FigureCharge(Protocol):
    """How a figure of a recurring plan is charged: once."""

    def named(self, charge: Draft, /) -> Draft:
        """The charge with the figure that it is for."""

    def resumption(self, record: Record, guarantee: Guarantee, /) -> tuple[Entry, Draft] | None:
        """A charge that no answer followed, and what is entered to go on with it."""


@dataclass(frozen=True)
class Reservation:
    """A charge that was entered, what it rests on, and what the dataset has spent with it, in all and in a period.

    `recorded` are entries that noisy numbers of the release were charged in before. Where that is so of all of them,
    nothing is charged now: `entry` is the last of those, and `asked_after` the last entry of all.
    """

    entry: Entry
    inputs: tuple[Provenance, ...]
    spent: Spent
    period: SpentInPeriod | None = None  # where a budget is stated for periods
    together: int | None = None  # how many releases it was made for, where that is more than this one
    recorded: tuple[int, ...] = ()
    asked_after: int | None = None
    resumption: Entry | None = None  # why the draw of an earlier charge goes on

    @property
    def guarantee(self) -> Guarantee:
        return guarantee_of(self.inputs)

    @property
    def total(self) -> Total:
        return self.spent.total

    @property
    def is_free(self) -> bool:
        return self.asked_after is not None

    @property
    def number(self) -> int:
        """What was entered before this number came before the release."""
        return self.entry.number if self.asked_after is None else self.asked_after + 1


def reserve(
    ledger: PrivacyLedger,
    recorded: Callable[[Record], T | None],
    inputs: Callable[[Record], tuple[Provenance, ...]],
    charge: Callable[[Guarantee], Draft],
    *,
    allow_no_guarantee: bool,
    what: str = "release",
    instead: str = "",
    entered: Callable[[Record, Sequence[Provenance]], Sequence[Draft]] | None = None,
    figure: FigureCharge | None = None,
) -> Reservation | T:
    """One transaction decides and reserves; or what the record has comes back, and nothing is charged.

    The provenances are those of the record that the transaction reads, so that a look or a charge in between counts.
    `entered` makes what is entered with them, before the charge. `figure`, of a recurring plan, may have a charge whose
    draw was interrupted: then that goes on, and nothing is charged. A crash afterwards leaves epsilon spent: an unknown
    outcome counts as spent.
    """
    stored: T | None = None
    provenances: tuple[Provenance, ...] = ()
    spent, period, earlier = Spent(), None, None

    def decide(record: Record) -> Sequence[Draft]:
        nonlocal stored, provenances, spent, period, earlier
        stored = recorded(record)
        if stored is not None and entered is None:
            return []
        provenances = inputs(record)
        beside = [] if entered is None else entered(record, provenances)
        if stored is not None:
            return beside
        if not allow_no_guarantee:
            refuse_without_guarantee(provenances, what, instead)
        guarantee = guarantee_of(provenances)
        resumption = None if figure is None else figure.resumption(record, guarantee)
        if resumption is not None:
            earlier, draft = resumption
            spent, period = record.spent, spent_in_period(ledger, record)
            return [*beside, draft]
        own = _with_declarations(charge(guarantee), provenances)
        reserved = ledger.reserve(record, own if figure is None else figure.named(own))
        spent, period = ledger.spent_after(record, reserved[-1]), spent_in_period(ledger, record, reserved[-1])
        return [*beside, *reserved]

    with ledger.recognise_rows() if recorded(ledger.known) is None else nullcontext():
        added = ledger.write(decide)
    if stored is not None:
        return stored
    if earlier is not None:
        return Reservation(earlier, provenances, spent, period, resumption=added[-1])
    return Reservation(added[-1], provenances, spent, period)


def spent_in_period(ledger: PrivacyLedger, record: Record, charge: Draft | None = None) -> SpentInPeriod | None:
    """What the period of a charge has spent with it; without a charge, what it has spent by now."""
    period = ledger.period_of(charge)
    if period is None:
        return None
    return SpentInPeriod(
        period, record.spent_in(period) if charge is None else ledger.spent_after(record, charge, period)
    )


def earlier_release(key: str, terms: ReleaseTerms) -> Callable[[Record], Draft | None]:
    """The stored answer to this very request, for `reserve`; None where it is to be drawn again."""
    return lambda record: None if terms.redraw else repeatable(record.release_entry(key), terms.allow_no_guarantee)


def _with_declarations(charge: Draft, inputs: Sequence[Provenance]) -> Draft:
    """The charge with the declarations that its guarantee depends on."""
    preregistrations = sorted({i.preregistered for i in inputs if i.preregistered})
    holds = Guarantee(str(charge.public["guarantee"])).holds
    return (
        replace(charge, public={**charge.public, "attested": preregistrations})
        if preregistrations and holds
        else charge
    )


@dataclass(frozen=True)
class PrivacyCost:
    """What there is to tell of a charge; one sensitivity and one scale a number, in its own units.

    See docs/theory/odometer.md.
    """

    epsilon: float
    rho: Fraction
    sensitivity: tuple[float, ...]
    scale: tuple[float | None, ...]  # None: selected
    numbers: int | None  # that are drawn; None where group keys are private
    delta: Fraction = Fraction(0)
    rho_delta: Fraction = Fraction(0)  # of delta, what rho does not cover
    select_epsilon: float = 0.0
    at_most: float | None = None  # epsilon, before it was selected privately


def charge_figures(how: ChosenBy, mechanism: str, cost: PrivacyCost | None) -> dict[str, object]:
    """The mechanism and the cost. Where epsilon was chosen by looking, nothing that follows from it is included."""
    public: dict[str, object] = {"chosen_by": how.value, "mechanism": mechanism}
    if how is ChosenBy.LOOKED or cost is None:
        return public
    return public | {
        "epsilon": cost.epsilon,
        "delta": str(cost.delta),
        "rho": str(cost.rho),
        "rho_delta": str(cost.rho_delta),
        "select_epsilon": cost.select_epsilon,
        "at_most": cost.epsilon if cost.at_most is None else cost.at_most,
        "numbers": cost.numbers,
        "sensitivity": list(cost.sensitivity),
        "scale": list(cost.scale),
    }


@dataclass(frozen=True)
class ChargePurpose:
    """What a charge is for, as the ledger states it."""

    what: str
    kind: str
    method: str
    mechanism: str
    outright: bool = True  # a person stated the epsilon itself


def charge_draft(
    context: DatasetContext,
    key: str,
    guarantee: Guarantee,
    purpose: ChargePurpose,
    cost: PrivacyCost | None,
    epsilon: float | None,
) -> Draft:
    """The entry of a charge: its cost, or a public constant where the cost would tell about the data."""
    public_cost, how = cost if guarantee.holds else None, chosen_by(guarantee, outright=purpose.outright)
    own = {"what": purpose.what, "kind": purpose.kind, "method": purpose.method}
    own |= {"guarantee": guarantee.value, "version": version_of(context)}
    public = own | charge_figures(how, purpose.mechanism, public_cost)
    hidden: dict[str, object] = {"epsilon": epsilon} if public_cost is None else {}
    charge, delta = (EPSILON_MAX, Fraction(0)) if public_cost is None else (public_cost.epsilon, public_cost.delta)
    return context.ledger.draft(Event.RESERVED, key, public, hidden, nano(charge), delta)


def partition_facts(context: DatasetContext, statements: Sequence[Statement]) -> dict[str, object]:
    """The values of the declared partition that statements read; nothing where one of them may read everyone."""
    partition, column = context.ledger.declared.partition, context.schema.column(context.schema.partition)
    if partition is None or column is None or context.bounds_from_data:
        return {}
    each = [values_read(statement, column) for statement in statements]
    known = [values for values in each if values is not None]
    if len(known) < len(each):
        return {}
    every = list(dict.fromkeys(value for values in known for value in values))
    return {"partition": partition.as_public() | {"values": every}}


def read_for(ledger: PrivacyLedger, key: str, reserved: Reservation, what: str, work: Callable[[], T]) -> T:
    """Do what reads the data for a charge. Should it fail, that is entered, and one constant sentence is raised.

    Errors of our own, from public facts, go through as they are. Of any other nothing is left, not even as a context.
    """
    try:
        return work()
    except Exception as error:
        if isinstance(error, SfumatoError) and not isinstance(error, EngineFailure):
            raise
    ledger.enter_failure(what, key, reserved.entry.number)
    raise EngineFailure


def record_release(
    ledger: PrivacyLedger,
    key: str,
    reserved: Reservation,
    what: str,
    left: dict[str, object],
    *,
    is_public: bool = True,
) -> int:
    """Enter what was drawn, before it is returned. What is not public stays in the confidential part of the entry.

    Returns the number of the entry.
    """
    public: dict[str, object] = {"what": what, "guarantee": reserved.guarantee.value, "reserved": reserved.entry.number}
    hidden: dict[str, object] = {} if reserved.guarantee.holds else {"key": key}
    if is_public:
        public |= left
    else:
        hidden |= left
    if figure := reserved.entry.draft.public.get("figure"):
        public |= {"figure": figure}
    own = None if reserved.resumption is None else reserved.resumption.number

    def decide(record: Record) -> Sequence[Draft]:
        if record.resumption(reserved.entry.number) != own:  # another run took it over: two draws would be two releases
            raise Conflict.because("draw-taken-over", entry=reserved.entry.number)
        return [ledger.draft(Event.RELEASED, key, public, hidden)]

    return ledger.write(decide)[-1].number


def record_free_release(
    ledger: PrivacyLedger, key: str, reserved: Reservation, what: str, left: dict[str, object], figure: str = ""
) -> None:
    """Enter an answer whose noisy numbers were all charged before."""
    public: dict[str, object] = {"what": what, "guarantee": reserved.guarantee.value, "reserved": reserved.entry.number}
    public |= left | ({"figure": figure} if figure else {})
    ledger.write(lambda _record: [ledger.draft(Event.RELEASED, key, public)])


def answer_key(query: BoundQuery, request_key: str) -> str:
    """The same request, on the same data, under the same schema: the same answer."""
    known = query.context.ledger.schema
    schema = [known.get(name) for name in ("", *query.statement.columns)]
    schema += [known[PER_PERSON]] if PER_PERSON in known else []
    return digest([request_key, query.context.version, schema])


def version_of(context: DatasetContext) -> str:
    """Which data was read, for a record: the same for the same version, and telling nothing else."""
    return context.ledger.version


def repeatable(released: Entry | None, allow_no_guarantee: bool) -> Draft | None:
    """The stored answer, if there is one; without a guarantee it has to be allowed each time."""
    if released is None:
        return None
    holds = Guarantee(str(released.draft.public["guarantee"])).holds
    return released.draft if holds or allow_no_guarantee else None


def refuse_without_guarantee(inputs: Sequence[Provenance], what: str = "release", instead: str = "") -> None:
    """`instead` names what could be done that loses no guarantee; without it that is known from what lost it."""
    if guarantee_of(inputs).holds:
        return
    lost = list(dict.fromkeys(i for i in inputs if not guarantee_of([i]).holds))
    raise NoGuarantee.because(
        "without-guarantee",
        what=what,
        inputs=[i.what for i in lost],
        causes=[i.because for i in lost],
        attestable=[i.can_be_attested for i in lost],
        instead=instead,
    )
