"""A dataset's ledger: the record, and the one way to write to it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from fractions import Fraction
from threading import RLock

from sfumato.errors import BudgetExceeded, PreferenceError, UnrecordedLookWarning
from sfumato.ledger.entry import NANO, Draft, Entry, Event
from sfumato.ledger.failures import failure_facts, state_cause
from sfumato.ledger.history import Record
from sfumato.ledger.odometer import Total
from sfumato.ledger.opening import Opening
from sfumato.ledger.parallel import Declared, Part, Partition, Spent, part_of
from sfumato.ledger.population import declaration
from sfumato.model.budget import NO_BUDGET, BudgetLimit, BudgetNumber
from sfumato.model.guarantee import Guarantee
from sfumato.model.period import CalendarPeriod, moment
from sfumato.model.person_budget import PersonBudget
from sfumato.model.schema import BUDGET, PER_PERSON, Schema
from sfumato.ports import LedgerStore
from sfumato.release.recognition import Recognition
from sfumato.release.records import Records
from sfumato.release.services import Services


class PrivacyLedger:
    """What was looked at, planned and spent for one dataset and its population, oldest first."""

    def __init__(
        self,
        store: LedgerStore,
        schema: Schema,
        services: Services,
        budget: BudgetLimit = NO_BUDGET,
        policy: str = "",
        records: Records | None = None,
        *,
        separation: bool = False,
        version: str = "",
        cohort: str = "",
        files: Mapping[str, object] | None = None,
        per_person: PersonBudget | None = None,
    ) -> None:
        self._store = store
        self._services = services
        self._dataset = schema.name
        self._files = files or {}  # which schema file and which source it is opened from, where they are files
        self.recognition: Recognition | None = None  # of data that is opened here
        self._population, self._separation = schema.population, separation
        self.version = digest(["version", version]) if version else ""  # which data is read, telling nothing else
        self.cohort = cohort  # whose data it is, where the schema declares that cohorts have no person in common
        self.declared = declared_by_schema(schema)
        self._stated = schema.budget.strictest(budget)
        self._fingerprints = schema.fingerprints() | _fingerprint_per_person(per_person)
        self.rule = policy or digest(schema.rule)  # a policy is of record with all that it says
        self.protected = f"one {schema.unit.words}, {schema.relation}"
        declared = [declaration(schema.name, schema.population)] if schema.population else []
        self._record = (records or Records()).of(schema.name, declared)
        self._lock = RLock()
        refuse_below(self.total, budget)
        if records is not None:
            records.keep(self._record)
        self._enter_look_of_draft(schema.looked)
        is_open = self.known.is_open(self._opening, budget=False)
        if (policy or schema.rule is not None or schema.population) and not is_open:
            # A rule and a population are of record from the moment the dataset is first opened.
            self.write(lambda _record: [])

    @property
    def who(self) -> str:
        """Who asks, or decides, now."""
        return self._services.who

    @property
    def recorded(self) -> bool:
        return self._store.recorded

    @property
    def budget(self) -> BudgetLimit:
        """The strictest of what is stated for the dataset and for the others of its population."""
        return self._stated.strictest(self.known.budget_of_others)

    @property
    def schema(self) -> Mapping[str, str]:
        """Fingerprints of all that a release may rest on."""
        return self._fingerprints | _fingerprint(self.budget)

    @property
    def record(self) -> Record:
        """The record as it is now, read from the store."""
        with self._lock:
            self._record.extend(self._store.read(self._record.last, self._record.head))
            self._read_anew()
            return self._record

    def _read_anew(self) -> None:
        """From the first entry, if a dataset was declared since to be about the same people."""
        while self._record.outgrown:
            self._record = Record(self._dataset, self._record.declared)
            self._record.extend(self._store.read(0))

    @property
    def known(self) -> Record:
        """The record as it was when it was last read or written."""
        return self._record

    @property
    def entries(self) -> Sequence[Entry]:
        return tuple(self.record.entries)

    @property
    def total(self) -> Total:
        return self.record.total

    def epsilon_at(self, delta: float) -> float | None:
        """The smallest epsilon of everything released, at this delta: by summing epsilons and deltas, or rhos.

        None where there is none. Sums of rho hold for a plan or a limit (docs/theory/odometer.md).
        """
        at = self.total.at(delta)
        return None if at.by is None else at.epsilon

    def write(self, decide: Callable[[Record], Sequence[Draft]], *, opened: bool = True) -> Sequence[Entry]:
        """Let `decide` see the record as it is now and add what it returns, in one transaction; returns what was added.

        The schema and the rule are entered first, whenever they are not in the record as they stand; another budget
        only with what is added under it. With `opened` false they are left for later.
        """

        def decide_on(new: Sequence[Entry]) -> Sequence[Draft]:
            self._record.extend(new)
            if self._record.outgrown:
                raise _Outgrown
            drafts = decide(self._record)
            is_open = not opened or self._record.is_open(self._opening, budget=bool(drafts))
            return [*drafts] if is_open else [self._opening_draft(), *drafts]

        with self._lock:
            try:
                added = self._store.append(self._record.last, decide_on, self._record.head)
            except _Outgrown:
                self._read_anew()
                return self.write(decide, opened=opened)
            self._record.extend(added)
            return added

    def look(self, key: str, what: str) -> None:
        """Enter a look, before anything is shown: once for each person, and never taken back."""
        if not self.known.has_look(key, self.who):
            with self.recognise_rows():
                self.write(lambda record: [] if record.has_look(key, self.who) else [self._look(record, key, what)])
            if not self.recorded:
                self._services.notify(UnrecordedLookWarning.because("look-unrecorded"))

    def _enter_look_of_draft(self, looked: str) -> None:
        """What was seen while the schema was drafted comes before the schema: what it states was stated after it."""
        key = digest(["schema draft", looked])
        if looked and not self.known.is_entered(key):
            what = f"values of the data, while the schema was drafted ({looked})"
            self.write(lambda record: [] if record.is_entered(key) else [self._look(record, key, what)], opened=False)

    def _look(self, record: Record, key: str, what: str) -> Draft:
        return self.draft(Event.LOOKED, key, {"what": what} | self._which(record))

    def _which(self, record: Record) -> dict[str, object]:
        """Which version of the data is read, and which one it follows, where that is another."""
        if not self.version:
            return {}
        which: dict[str, object] = {"version": self.version}
        return which if record.version in ("", self.version) else which | {"follows": record.version}

    def recognise_rows(self) -> AbstractContextManager[None]:
        """Around the first look or draw: rows that the ledger knows under another name are told of."""
        return nullcontext() if self.recognition is None else self.recognition.around(self.known.together)

    def enter_failure(self, what: str, key: str = "", reserved: int | None = None) -> None:
        """Enter that the engine failed, as an event without a guarantee, until its cause is stated."""
        self.write(lambda _record: [self.draft(Event.FAILED, key, failure_facts(what, reserved))])

    def state_cause(self, number: int, cause: str) -> None:
        """State that the failure in this entry had a cause outside the data, such as a full disk.

        The ledger keeps the sentence and your name. The totals of the dataset then exist again.
        """
        who, at = self._services.who, self._services.now()
        self.write(lambda record: [state_cause(record, number, cause, who=who, at=at)])

    def reserve(self, record: Record, charge: Draft) -> Sequence[Draft]:
        """The charge, to be written in the transaction that read `record`; refused where it exceeds the budget."""
        cohort = {"cohort": self.cohort} if self.cohort and self.declared.cohorts else {}
        about = {**self._which(record), **cohort, "protected": self.protected}
        charge = replace(charge, public={**charge.public, **about})
        limit = self.budget
        if not limit.is_limited:
            return [charge]
        charge = replace(charge, public={**charge.public, "budget": limit.as_texts()})
        charges = {"epsilon": Fraction(charge.nano_epsilon, NANO), "delta": Fraction(charge.delta)}
        for one in limit.limits:
            period = None if one.period is None else one.period.at(moment(charge.at))
            spent = self.spent_after(record, charge, period)
            reached = _figures(spent.total_of(part_of(charge)))[one.name]
            if reached > one.most:
                raise _beyond_budget(one, period, reached, charges[one.name], charge, spent)
        return [charge]

    def spent_after(self, record: Record, charge: Draft, period: CalendarPeriod | None = None) -> Spent:
        """What is spent with a charge, and with the opening that is entered before it; of one period, or in all."""
        spent = record.spent if period is None else record.spent_in(period)
        return spent.opened(self._dataset, self.declared).charged(charge)

    def period_of(self, charge: Draft | None) -> CalendarPeriod | None:
        """The shortest period that a budget is stated for: that of a charge, or the current one."""
        at = self._services.now() if charge is None else charge.at
        return self.budget.per[0].period.at(moment(at)) if self.budget.per else None

    def epsilon_left(self, record: Record | None = None, more: Fraction = Fraction(0)) -> Fraction | None:
        """Epsilon that is left of the budget after `more`, now: in all, and in the period. None without a budget."""
        record, now = record or self.known, moment(self._services.now())
        left = []
        for one in self.budget.limits:
            if one.name == "epsilon":
                spent = record.spent if one.period is None else record.spent_in(one.period.at(now))
                part = Part(self._dataset.casefold(), self.version, self.cohort)
                spent_now = spent.opened(self._dataset, self.declared).total_of(part)
                left.append(one.most - Fraction(spent_now.nano_epsilon, NANO) - more)
        return min(left, default=None)

    def draft(
        self,
        event: Event,
        key: str,
        public: dict[str, object],
        confidential: dict[str, object] | None = None,
        nano_epsilon: int = 0,
        delta: Fraction = Fraction(0),
        who: str = "",
    ) -> Draft:
        now, who = self._services.now(), who or self._services.who
        hidden = confidential | {"salt": self._services.salt()} if confidential else {}  # digests must not tell it
        return Draft(event, self._dataset, who, now, key, nano_epsilon, str(delta), public, hidden)

    @property
    def _opening(self) -> Opening:
        own, apart = self._stated, self._separation
        return Opening(self.schema, self.rule, self._population, own, apart, self.declared)

    def _opening_draft(self) -> Draft:
        what = "schema, preregistered rule and budget, as far as stated"
        what += f"; counted in the population {self._population}" if self._population else ""
        return self.draft(Event.OPENED, "", {"what": what, **self._files} | self._opening.as_public())


class _Outgrown(Exception):
    """Another dataset was declared to be about the same people, before this could be written."""


def declared_by_schema(schema: Schema) -> Declared:
    """What a schema declares of its people, for the ledger."""
    column = schema.column(schema.partition) if schema.partition else None
    partition = None if column is None else Partition(column.name, column.fingerprint())
    return Declared(schema.disjoint_versions, partition)


def _fingerprint(budget: BudgetLimit) -> dict[str, str]:
    """The fingerprint of the epsilon budget, where one is stated: what remains limits what may be selected."""
    if not budget.limits_epsilon:
        return {}
    per = [one.words for one in budget.limits if one.name == "epsilon" and one.period is not None]
    return {BUDGET: digest([str(budget.epsilon), *per] if per else str(budget.epsilon))[:16]}


def _fingerprint_per_person(budget: PersonBudget | None) -> dict[str, str]:
    """The fingerprint of the budget per person, where one is stated: it decides whom answers are about."""
    return {} if budget is None else {PER_PERSON: digest(budget.as_texts())[:16]}


def _figures(total: Total) -> Mapping[str, Fraction]:
    """What is limited, and how much of it is spent."""
    return {"epsilon": Fraction(total.nano_epsilon, NANO), "delta": total.exact_delta}


def refuse_below(total: Total, limit: BudgetLimit) -> None:
    """Refuse a budget that is stated at opening and was passed before: no one could have meant to keep it."""
    for one in limit.limits:
        spent = _figures(total)[one.name]
        if one.period is None and one.most < spent:
            budget = float(one.most)
            raise PreferenceError.because("budget-passed-before", limit=one.name, budget=budget, spent=float(spent))


def _beyond_budget(
    one: BudgetNumber, period: CalendarPeriod | None, reached: Fraction, charge: Fraction, draft: Draft, spent: Spent
) -> BudgetExceeded:
    """Of a period, the refusal says when the next one begins; and what the parallel sums assume."""
    guarantee, before = Guarantee(str(draft.public["guarantee"])).value, reached - charge
    left = float(max(one.most - before, Fraction(0)))
    parallel = [*(["cohort"] if spent.cohorts else []), *spent.partitions]
    if period is None:
        return BudgetExceeded.because(
            "budget-exceeded",
            limit=one.name,
            charge=float(charge),
            guarantee=guarantee,
            spent=float(before),
            budget=float(one.most),
            left=left,
            parallel=parallel,
        )
    return BudgetExceeded.because(
        "period-budget-exceeded",
        limit=one.name,
        charge=float(charge),
        guarantee=guarantee,
        spent=float(before),
        budget=float(one.most),
        left=left,
        parallel=parallel,
        length=period.length.value,
        period=period.name,
        next=period.next.first.isoformat(),
    )


def digest(public: object) -> str:
    """A hash of something public, canonically."""
    return hashlib.sha256(json.dumps(public, sort_keys=True, default=str).encode()).hexdigest()
