"""Charges that are declared to concern different people: the printed total is never below what any person may lose.

The oracle follows every person who may exist under the declarations that stand, one by one, and adds up their charges.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.ledger.entry import Draft, Entry, Event, nano, seal
from sfumato.ledger.hash_chain import GENESIS
from sfumato.ledger.history import Record
from tests.depth import depth

WARDS = ("a", "b", "c")
PARTITION = {"column": "ward", "fingerprint": "1"}


@dataclass(frozen=True)
class Declare:
    """The schema as it is opened from now on."""

    cohorts: bool
    partition: bool
    dataset: str = "stays"

    def draft(self) -> Draft:
        public: dict[str, object] = {"schema": {}, "rule": "", "population": "people"}
        public |= {"versions": "disjoint people"} if self.cohorts else {}
        public |= {"partition": PARTITION} if self.partition else {}
        return Draft(Event.OPENED, self.dataset, "ada", "2026-01-01T00:00:00+00:00", public=public)


@dataclass(frozen=True)
class Charge:
    """What an entry states, whether or not it is declared."""

    epsilon: int
    version: str
    cohort: str
    wards: tuple[str, ...]
    dataset: str = "stays"

    def draft(self) -> Draft:
        public: dict[str, object] = {"guarantee": "dp", "protected": "one row, add-remove", "version": self.version}
        public |= {"cohort": self.cohort} if self.cohort else {}
        public |= {"partition": PARTITION | {"values": list(self.wards)}} if self.wards else {}
        public |= {"rho": str(self.epsilon), "what": "", "kind": "release"}
        at = f"2026-{1 + self.epsilon % 3:02}-10T00:00:00+00:00"
        return Draft(Event.RESERVED, self.dataset, "ada", at, "", nano(self.epsilon), f"1/{self.epsilon}00", public)


Step = Declare | Charge
DATASETS = st.sampled_from(("stays", "stays", "bills"))
STEPS = st.lists(
    st.builds(Declare, st.booleans(), st.booleans(), DATASETS)
    | st.builds(
        Charge,
        st.integers(1, 9),
        st.sampled_from(("v1", "v2", "v3")),
        st.sampled_from(("", "jan", "feb", "mar")),
        st.sampled_from(((), ("a",), ("b",), ("a", "c"))),
        DATASETS,
    ),
    max_size=9,
)


def record_of(steps: Iterable[Step]) -> Record:
    record, previous = Record("stays", [("stays", "people"), ("bills", "people")]), GENESIS
    for number, step in enumerate(steps, 1):
        entry: Entry = seal(number, step.draft(), previous)
        record.extend([entry])
        previous = entry.digest
    return record


def largest_loss(steps: list[Step]) -> Fraction:
    """The most that one person may lose, over all who may exist: in one cohort, and in one ward in each version."""
    return sum((_largest_in([s for s in steps if s.dataset == name]) for name in ("stays", "bills")), Fraction(0))


def _largest_in(steps: list[Step]) -> Fraction:
    open_cohorts = since(steps, "cohorts")
    open_wards = since(steps, "partition")
    charges = [(place, step) for place, step in enumerate(steps) if isinstance(step, Charge)]
    bound = [
        (step.cohort if place > open_cohorts else "", step.wards if place > open_wards else ())
        for place, step in charges
    ]
    groups = merged([(cohort, step.version) for (_, step), (cohort, _) in zip(charges, bound, strict=True) if cohort])
    versions = sorted({step.version for _, step in charges})
    largest = Fraction(0)
    for group in [*groups, frozenset[str]()]:
        for wards in product(("elsewhere", *WARDS), repeat=len(versions)):
            ward_in = dict(zip(versions, wards, strict=True))
            loss = sum(
                step.epsilon
                for (_, step), (cohort, own) in zip(charges, bound, strict=True)
                if (not cohort or cohort in group) and (not own or ward_in[step.version] in own)
            )
            largest = max(largest, Fraction(loss))
    return largest


def since(steps: list[Step], name: str) -> int:
    """From which step on it has been declared without a break until now; beyond the last one, if it is not."""
    start = len(steps)
    for place, step in enumerate(steps):
        if isinstance(step, Declare):
            start = min(start, place) if getattr(step, name) else len(steps)
    return start


def merged(cohorts: list[tuple[str, str]]) -> list[frozenset[str]]:
    """Cohorts that were charged on one version of the data are one."""
    groups = [frozenset({cohort}) for cohort, _ in dict.fromkeys(cohorts)]
    for one, version in cohorts:
        for other, same in cohorts:
            if version == same:
                both = frozenset().union(*(g for g in groups if one in g or other in g))
                groups = [g for g in groups if not g & both] + [both]
    return groups


@pytest.mark.depth("parallel charges")
def test_a_total_in_parallel_is_never_below_what_one_person_may_lose() -> None:
    @settings(max_examples=depth("parallel charges"))
    @given(STEPS)
    def check(steps: list[Step]) -> None:
        before = Fraction(0)
        for count in range(1, len(steps) + 1):
            total = record_of(steps[:count]).total
            spent, oracle = Fraction(total.nano_epsilon, 10**9), largest_loss(steps[:count])
            assert spent >= oracle
            assert spent <= sum(step.epsilon for step in steps[:count] if isinstance(step, Charge))
            assert spent >= before, "no declaration and no withdrawal makes a total smaller"
            assert total.exact_rho == spent, "epsilon and rho are counted in the same way"
            before = spent

    check()


def test_what_is_withdrawn_makes_no_total_smaller() -> None:
    """A cohort and a value on one version of the data: who was in the cohort has that value or another, not both."""
    steps: list[Declare | Charge] = [Declare(True, True), Charge(1, "v3", "", ("a",)), Charge(1, "v3", "jan", ("b",))]
    before, after = (record_of(each).total.nano_epsilon for each in (steps, [*steps, Declare(False, True)]))
    assert before == after == nano(1)


@pytest.mark.depth("parallel charges")
def test_a_total_of_cohorts_or_of_one_partition_is_exactly_that() -> None:
    """Where both are not mixed on one version of the data, nothing is counted twice."""

    @settings(max_examples=depth("parallel charges"))
    @given(STEPS, st.booleans())
    def check(steps: list[Step], only_cohorts: bool) -> None:
        unused = {"wards": ()} if only_cohorts else {"cohort": ""}
        plain = [replace(step, **unused) if isinstance(step, Charge) else step for step in steps]
        assert Fraction(record_of(plain).total.nano_epsilon, 10**9) == largest_loss(plain)

    check()


def spent(*steps: Step) -> float | None:
    return record_of(steps).total.epsilon


ON, OFF = Declare(cohorts=True, partition=True), Declare(cohorts=False, partition=False)
JAN, FEB = Charge(3, "v1", "jan", ()), Charge(4, "v2", "feb", ())
WARD_A, WARD_B = Charge(3, "v1", "", ("a",)), Charge(4, "v1", "", ("b",))


@pytest.mark.parametrize(("one", "other"), [(JAN, FEB), (WARD_A, WARD_B)])
def test_every_order_of_declaring_and_charging(one: Charge, other: Charge) -> None:
    assert spent(ON, one, other) == 4
    assert spent(one, other) == 7, "without a declaration"
    assert spent(OFF, one, other) == 7
    assert spent(one, ON, other) == 7, "a declaration holds for no earlier charge"
    assert spent(one, other, ON) == 7
    assert spent(ON, one, other, OFF) == 7, "what is withdrawn holds no more"
    assert spent(ON, one, OFF, other) == 7
    assert spent(ON, one, OFF, ON, other) == 7, "and to declare it again does not bring it back"
    assert spent(ON, one, ON, other) == 4


def test_cohorts_of_the_same_data_are_one() -> None:
    assert spent(ON, JAN, Charge(4, "v1", "january", ())) == 7


def test_wards_of_several_versions_add_up() -> None:
    """The same people may be in another ward next month."""
    assert spent(ON, WARD_A, Charge(4, "v2", "", ("b",))) == 7
    assert spent(ON, WARD_A, WARD_B, Charge(5, "v2", "", ("b",))) == 9


def test_data_without_a_version_adds_up() -> None:
    assert spent(ON, Charge(3, "", "", ("a",)), Charge(4, "", "", ("b",))) == 7


def test_datasets_of_one_population_add_up() -> None:
    bills = Declare(cohorts=True, partition=True, dataset="bills")
    assert spent(ON, bills, JAN, FEB, Charge(2, "v3", "mar", (), "bills")) == 6
