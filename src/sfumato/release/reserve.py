"""Decide and reserve, before the data is read; keep what was drawn, before it leaves: the way of every charge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from sfumato.errors import EngineFailure, NoGuarantee, SfumatoError
from sfumato.ledger.entry import Draft, Entry, Event
from sfumato.ledger.history import Record
from sfumato.ledger.odometer import Total
from sfumato.model.guarantee import ChosenBy, Guarantee, Provenance, guarantee_of
from sfumato.release.bound_query import BoundQuery
from sfumato.release.context import DatasetContext
from sfumato.release.ledger import PrivacyLedger, digest

T = TypeVar("T")


@dataclass(frozen=True)
class Reservation:
    """A charge that was entered, what it rests on, and what the dataset has spent with it.

    `recorded` are entries that noisy numbers of the release were charged in before. Where that is so of all of them,
    nothing is charged now: `entry` is the last of those, and `asked_after` the last entry of all.
    """

    entry: Entry
    inputs: tuple[Provenance, ...]
    total: Total
    together: int | None = None  # how many releases it was made for, where that is more than this one
    recorded: tuple[int, ...] = ()
    asked_after: int | None = None

    @property
    def guarantee(self) -> Guarantee:
        return guarantee_of(self.inputs)

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
) -> Reservation | T:
    """One transaction decides and reserves; or what the record has comes back, and nothing is charged.

    The provenances are those of the record that the transaction reads, so that a look or a charge in between counts.
    `entered` makes what is entered with them, before the charge. A crash afterwards leaves epsilon spent: an unknown
    outcome counts as spent.
    """
    stored: T | None = None
    provenances: tuple[Provenance, ...] = ()
    total = Total()

    def decide(record: Record) -> Sequence[Draft]:
        nonlocal stored, provenances, total
        stored = recorded(record)
        if stored is not None and entered is None:
            return []
        provenances, total = inputs(record), record.total
        beside = [] if entered is None else entered(record, provenances)
        if stored is not None:
            return beside
        if not allow_no_guarantee:
            refuse_without_guarantee(provenances, what, instead)
        return [*beside, *ledger.reserve(record, _with_declarations(charge(guarantee_of(provenances)), provenances))]

    with ledger.recognise_rows() if recorded(ledger.known) is None else nullcontext():
        added = ledger.write(decide)
    return stored if stored is not None else Reservation(added[-1], provenances, total.and_then(added[-1]))


def earlier_release(key: str, *, allow_no_guarantee: bool, redraw: bool) -> Callable[[Record], Draft | None]:
    """What left to this very request, for `reserve`; nothing where it is to be drawn again."""
    return lambda record: None if redraw else repeatable(record.release_entry(key), allow_no_guarantee)


def _with_declarations(charge: Draft, inputs: Sequence[Provenance]) -> Draft:
    """With the declarations that its word rests on."""
    attestations = sorted({i.attestation for i in inputs if i.attestation})
    holds = Guarantee(str(charge.public["guarantee"])).holds
    return replace(charge, public={**charge.public, "attested": attestations}) if attestations and holds else charge


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
    """What was drawn and what it costs. Where epsilon was chosen by looking, nothing that follows from it is told."""
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


def public_charge(
    context: DatasetContext, guarantee: Guarantee, figures: dict[str, object], *, what: str, method: str, kind: str
) -> dict[str, object]:
    """The public part of a charge: what it is for, of which data, and its figures."""
    own = {"what": what, "guarantee": guarantee.value, "method": method, "kind": kind, "version": version_of(context)}
    return own | figures


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
    """Enter what was drawn: only then may it leave. What is not to be told stays in the record.

    Returns the number of the entry.
    """
    public: dict[str, object] = {"what": what, "guarantee": reserved.guarantee.value, "reserved": reserved.entry.number}
    hidden: dict[str, object] = {} if reserved.guarantee.holds else {"key": key}
    if is_public:
        public |= left
    else:
        hidden |= left
    return ledger.write(lambda _record: [ledger.draft(Event.RELEASED, key, public, hidden)])[-1].number


def answer_key(query: BoundQuery, request_key: str) -> str:
    """The same request, on the same data, under the same schema: the same answer."""
    schema = [query.context.ledger.schema.get(name) for name in ("", *query.statement.columns)]
    return digest([request_key, query.context.version, schema])


def version_of(context: DatasetContext) -> str:
    """Which data was read, for a record: the same for the same version, and telling nothing else."""
    return context.ledger.version


def repeatable(released: Entry | None, allow_no_guarantee: bool) -> Draft | None:
    """What left, if it did; what carries no guarantee has to be accepted each time."""
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
