"""What charges add up to where some of them cannot concern the same person (docs/theory/parallel.md).

A schema may declare that cohorts of its data have no person in common, and that all rows of a person have the same
value of a column. A charge then states which cohort, or which values, it read. Charges that concern different people
compose in parallel: the total is the largest sum over what any one person may be in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, cast

from sfumato.ledger.entry import Draft, Entry, Event
from sfumato.ledger.odometer import Total, charged_total
from sfumato.model.period import CalendarPeriod, moment

DISJOINT = "disjoint people"  # what a schema declares of its versions

NOTHING = Total()


@dataclass(frozen=True)
class Partition:
    """A column that divides the people: its name, and the fingerprint of what the schema says of it."""

    column: str
    fingerprint: str

    def as_public(self) -> dict[str, str]:
        return {"column": self.column, "fingerprint": self.fingerprint}


@dataclass(frozen=True)
class Declared:
    """What a schema declares about its people. Without a declaration every charge concerns everyone."""

    cohorts: bool = False  # no person is in two of them
    partition: Partition | None = None  # all rows of a person in a version of the data have one value of this column

    @classmethod
    def from_public(cls, public: Mapping[str, Any]) -> Declared:
        named = public.get("partition")
        return cls(public.get("versions") == DISJOINT, None if named is None else Partition(**named))

    def as_public(self) -> dict[str, object]:
        public: dict[str, object] = {"versions": DISJOINT} if self.cohorts else {}
        return public if self.partition is None else public | {"partition": self.partition.as_public()}


UNDECLARED = Declared()


@dataclass(frozen=True)
class Part:
    """The people of a dataset whom a charge can concern; without a cohort and without values, everyone."""

    dataset: str
    version: str = ""  # of the data, opaquely
    cohort: str = ""
    partition: Partition | None = None
    values: frozenset[str] = frozenset()

    @property
    def is_everyone(self) -> bool:
        return not self.cohort and self.partition is None

    def under(self, declared: Declared) -> Part:
        """As far as what is declared now covers it."""
        kept = self if declared.cohorts else replace(self, cohort="")
        same = kept.partition is not None and kept.partition == declared.partition
        return kept if same else replace(kept, partition=None, values=frozenset())


def part_of(draft: Draft) -> Part:
    """The part that a charge states."""
    public, dataset = draft.public, draft.dataset.casefold()
    part = Part(dataset, str(public.get("version", "")), str(public.get("cohort", "")))
    named = cast(Mapping[str, Any] | None, public.get("partition"))
    if named is None:
        return part
    partition = Partition(str(named["column"]), str(named["fingerprint"]))
    return replace(part, partition=partition, values=frozenset(map(repr, named["values"])))


@dataclass(frozen=True)
class Spent:
    """Every charge of a record: those that concern everyone as one sum, the others one by one."""

    in_sequence: Total = NOTHING  # the plain sum of all charges
    everyone: Total = NOTHING  # of those that may concern anyone
    parted: tuple[tuple[Part, Total], ...] = ()
    declared: Mapping[str, Declared] = field(default_factory=dict)  # by each dataset, as it was opened last

    def and_then(self, entry: Entry) -> Spent:
        """With one more entry: a charge, or an opening that declares something or withdraws it."""
        match entry.draft.event:
            case Event.OPENED:
                return self.opened(entry.draft.dataset, Declared.from_public(entry.draft.public))
            case Event.RESERVED:
                return self.charged(entry.draft)
        return self

    def opened(self, dataset: str, declared: Declared) -> Spent:
        """What is withdrawn holds for no charge any more; what is declared holds for later charges."""
        name = dataset.casefold()
        if declared == self.declared.get(name, UNDECLARED):
            return self
        other = replace(self, parted=(), declared={**self.declared, name: declared})
        for part, total in self.parted:
            other = other._with(part.under(declared) if part.dataset == name else part, total)
        return other

    def charged(self, draft: Draft) -> Spent:
        """A charge counts for a part of the people only if that is declared when it is made."""
        part, total = part_of(draft), charged_total(draft)
        part = part.under(self.declared.get(part.dataset, UNDECLARED))
        return replace(self, in_sequence=self.in_sequence.plus(total))._with(part, total)

    def _with(self, part: Part, total: Total) -> Spent:
        if part.is_everyone:
            return replace(self, everyone=self.everyone.plus(total))
        return replace(self, parted=(*self.parted, (part, total)))

    def without_guarantee(self) -> Spent:
        """After something that was decided by looking, and drew nothing."""
        return replace(self, in_sequence=self.in_sequence.without_guarantee())

    @property
    def total(self) -> Total:
        """What the charges add up to for any one person."""
        return self.total_of(None)

    def total_of(self, part: Part | None) -> Total:
        """The same for those whom a charge of this part could concern."""
        if not self.parted:
            return self.in_sequence
        sums = self.everyone
        for dataset in dict.fromkeys(part.dataset for part, _ in self.parted):
            own = [(p, total) for p, total in self.parted if p.dataset == dataset]
            touched = part.under(self.declared.get(dataset, UNDECLARED)) if part and part.dataset == dataset else None
            sums = sums.plus(_largest(own, touched))
        return replace(
            self.in_sequence,
            nano_epsilon=sums.nano_epsilon,
            exact_delta=sums.exact_delta,
            exact_rho=None if self.in_sequence.exact_rho is None else sums.exact_rho,
            rho_delta=sums.rho_delta,
            nano_at_most=sums.nano_at_most,
        )

    @property
    def cohorts(self) -> tuple[str, ...]:
        """The cohorts that are counted in parallel."""
        return tuple(dict.fromkeys(part.cohort for part, _ in self.parted if part.cohort))

    @property
    def partitions(self) -> tuple[str, ...]:
        """The columns whose values are counted in parallel."""
        return tuple(dict.fromkeys(part.partition.column for part, _ in self.parted if part.partition is not None))


def spent_in(entries: Iterable[Entry], period: CalendarPeriod) -> Spent:
    """What was charged in a period, by the time of each charge. What was declared before it counts."""
    spent = Spent()
    for entry in entries:
        if entry.draft.event is not Event.RESERVED or moment(entry.draft.at) in period:
            spent = spent.and_then(entry)
    return spent


Charges = list[tuple[Part, Total]]


def _largest(charges: Charges, touched: Part | None) -> Total:
    """The largest sum for one person: of one cohort at most, and with one value in each version of the data.

    `touched`: only for people whom a charge of this part could concern.
    """
    groups = [group for group in _groups(charges) if not (touched and touched.cohort) or touched.cohort in group]
    return _most(
        _of_versions([(part, total) for part, total in charges if part.cohort in {"", *group}], touched)
        for group in [*groups, set[str]()]
    )


def _groups(charges: Charges) -> list[set[str]]:
    """The cohorts; those that share a version of the data are one."""
    groups: list[tuple[set[str], set[str]]] = []  # cohorts, and the versions of their data
    for part, _ in charges:
        if part.cohort:
            cohorts, versions = {part.cohort}, {part.version} - {""}
            for known in [g for g in groups if not g[0].isdisjoint(cohorts) or not g[1].isdisjoint(versions)]:
                groups.remove(known)
                cohorts, versions = cohorts | known[0], versions | known[1]
            groups.append((cohorts, versions))
    return [cohorts for cohorts, _ in groups]


def _of_versions(charges: Charges, touched: Part | None) -> Total:
    """A person may be in every version of the data, and in each with another value."""
    sums = NOTHING
    for part, total in charges:
        if part.partition is None:
            sums = sums.plus(total)
    parted = [(part, total) for part, total in charges if part.partition is not None]
    for place in dict.fromkeys((part.version, part.partition) for part, _ in parted):
        own = [(part.values, total) for part, total in parted if (part.version, part.partition) == place]
        same = touched is not None and (touched.version, touched.partition) == place and bool(place[0])
        values = touched.values if touched is not None and same else {value for each, _ in own for value in each}
        if not place[0]:  # charges on data without a version add up
            sums = _sum([sums, *(total for _, total in own)])
        else:
            sums = sums.plus(_most(_sum(total for each, total in own if value in each) for value in values))
    return sums


def _sum(totals: Iterable[Total]) -> Total:
    sums = NOTHING
    for total in totals:
        sums = sums.plus(total)
    return sums


def _most(totals: Iterable[Total]) -> Total:
    """The largest of each figure."""
    every = [NOTHING, *totals]
    rhos = [total.exact_rho for total in every]
    return Total(
        nano_epsilon=max(total.nano_epsilon for total in every),
        exact_delta=max(total.exact_delta for total in every),
        exact_rho=None if None in rhos else max(cast(Iterator[Fraction], iter(rhos))),
        rho_delta=max(total.rho_delta for total in every),
        nano_at_most=max(total.nano_at_most for total in every),
    )
