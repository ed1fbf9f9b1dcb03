"""The record, without any file: the chain that seals it, what is remembered from it, and what it adds up to."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import LedgerBroken
from sfumato.ledger.entry import Draft, Entry, Event, nano, seal, upward, verify
from sfumato.ledger.hash_chain import GENESIS
from sfumato.ledger.history import Plan, Record
from sfumato.ledger.odometer import Total
from sfumato.ledger.opening import Opening
from sfumato.model.guarantee import Guarantee

SCHEMA, RULE = {"": "table", "days": "0 to 60"}, "gap 1.2"


def draft(event: Event, key: str = "", dataset: str = "stays", nano_epsilon: int = 0, **public: object) -> Draft:
    return Draft(event, dataset, "ada", "2026-11-15T09:00:00+00:00", key, nano_epsilon, public=public)


def opened(schema: dict[str, str] = SCHEMA, rule: str = RULE) -> Draft:
    return draft(Event.OPENED, schema=schema, rule=rule)


def reserved(epsilon: float, word: str = "dp", dataset: str = "stays") -> Draft:
    return draft(Event.RESERVED, dataset=dataset, nano_epsilon=nano(epsilon), guarantee=word, protected="one row")


LOOK = draft(Event.LOOKED, "risk")
PLAN, OTHER_PLAN = (draft(Event.PLANNED, key, question="the question") for key in ("plan", "other plan"))
ASKED = Plan("plan", "the question")


def chain(*drafts: Draft) -> list[Entry]:
    entries: list[Entry] = []
    for each in drafts:
        entries.append(seal(len(entries) + 1, each, entries[-1].digest if entries else GENESIS))
    return entries


def record(*drafts: Draft) -> Record:
    made = Record("stays")
    made.extend(chain(*drafts))
    return made


# The chain


def test_a_chain_is_followed_to_its_end() -> None:
    entries = chain(opened(), PLAN, LOOK)
    assert verify(entries) == (3, entries[-1].digest)
    assert verify([]) == (0, GENESIS)
    assert verify(entries[2:], 2, entries[1].digest) == (3, entries[-1].digest), "or from any entry on"


CHANGES: dict[str, Callable[[Draft], Draft]] = {
    "event": lambda d: replace(d, event=Event.PLANNED),
    "dataset": lambda d: replace(d, dataset="others"),
    "who": lambda d: replace(d, who="bob"),
    "at": lambda d: replace(d, at="2026-11-16T09:00:00+00:00"),
    "key": lambda d: replace(d, key="another"),
    "nano_epsilon": lambda d: replace(d, nano_epsilon=d.nano_epsilon - 1),
    "delta": lambda d: replace(d, delta="1e-9"),
    "public": lambda d: replace(d, public={"guarantee": "dp-selected"}),
    "confidential": lambda d: replace(d, confidential={"epsilon": 1}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_edited_entry_is_named(change: Callable[[Draft], Draft]) -> None:
    entries = chain(opened(), reserved(0.2), LOOK)
    entries[1] = replace(entries[1], draft=change(entries[1].draft))
    with pytest.raises(LedgerBroken, match="changed at entry 2") as broken:
        verify(entries)
    assert broken.value.exit_status == 3


def test_an_edited_entry_that_is_sealed_anew_breaks_the_next_one() -> None:
    entries = chain(opened(), reserved(0.2), LOOK)
    entries[1] = seal(2, reserved(0.1), entries[0].digest)
    with pytest.raises(LedgerBroken, match="changed at entry 3"):
        verify(entries)


@pytest.mark.parametrize(
    ("order", "named"),
    [([1, 2, 3], 1), ([0, 2, 3], 2), ([0, 2, 1, 3], 2), ([0, 0, 1, 2, 3], 2), ([3, 2, 1, 0], 1)],
    ids=["the first is missing", "one in the middle is missing", "two swapped", "one twice", "backwards"],
)
def test_a_removed_or_moved_entry_is_named(order: list[int], named: int) -> None:
    entries = chain(opened(), PLAN, reserved(0.2), LOOK)
    with pytest.raises(LedgerBroken, match=f"changed at entry {named}"):
        verify([entries[i] for i in order])


def test_a_record_takes_no_broken_chain() -> None:
    entries = chain(opened(), PLAN, LOOK)
    made = Record("stays")
    made.extend(entries[:1])
    with pytest.raises(LedgerBroken):
        made.extend(entries[2:])


def test_what_is_confidential_is_not_printed() -> None:
    secret = replace(reserved(0.2), confidential={"epsilon": 0.0526})
    assert "0.0526" not in repr(secret) + repr(seal(1, secret, GENESIS))


# Whole billionths


@pytest.mark.parametrize(
    ("epsilon", "billionths"),
    [
        (1, 10**9),
        (0.1, 10**8),
        (1e-9, 1),
        (1e-10, 1),
        (1e-300, 1),
        (1 / 3, 333_333_334),
        (0.2, 2 * 10**8),
        (10, 10**10),
    ],
)
def test_epsilon_is_kept_in_whole_billionths_rounded_up(epsilon: float, billionths: int) -> None:
    assert nano(epsilon) == billionths


@given(st.floats(1e-12, 1e3))
def test_rounding_never_undercounts(epsilon: float) -> None:
    assert 0 <= nano(epsilon) - Fraction(str(epsilon)) * 10**9 < 1


@given(st.integers(1, 1000), st.integers(1, 9))
def test_tenths_add_up(times: int, tenths: int) -> None:
    assert nano(tenths / 10) * times == nano(tenths) * times // 10


# What a record remembers


def test_a_record_keeps_to_its_dataset() -> None:
    kept = record(opened(), reserved(5, dataset="others"), PLAN)
    assert [e.number for e in kept.entries] == [1, 3]
    assert kept.last == 3, "and follows the chain through all of them"
    assert kept.total == Total()


def test_what_was_looked_at() -> None:
    assert [record(PLAN, LOOK).has_look(key, "ada") for key in ("plan", "risk")] == [False, True]
    assert [record(*drafts).anyone_looked for drafts in ([], [PLAN], [PLAN, LOOK])] == [False, False, True]


def test_of_several_plans_the_last_is_in_force() -> None:
    kept = record(PLAN, OTHER_PLAN)
    assert [kept.in_force(Plan(key, "the question")) for key in ("plan", "other plan")] == [False, True]
    assert not kept.in_force(Plan("other plan", "another question"))


def test_the_last_answer_to_a_request_is_the_one_that_holds() -> None:
    last = record(draft(Event.RELEASED, "answer", n=1), draft(Event.RELEASED, "answer", n=2)).release_entry("answer")
    assert last is not None
    assert last.draft.public == {"n": 2}


def test_the_schema_and_the_rule_stand_as_they_were_last_opened() -> None:
    kept = record(opened(), opened(rule="gap 1.5"))
    assert kept.is_open(Opening(SCHEMA, "gap 1.5"))
    assert not kept.is_open(Opening(SCHEMA, RULE))
    assert not kept.is_open(Opening(SCHEMA | {"days": "0 to 90"}, "gap 1.5"))
    assert not record().is_open(Opening(SCHEMA, RULE))


WORDS = {
    "stated, nobody looked": ([opened()], {}, "planned"),
    "stated before the look": ([opened(), PLAN, LOOK], {}, "planned"),
    "stated before the look, for another question": (
        [opened(), PLAN, LOOK], {"plan": Plan("plan", "other")}, "after-look",
    ),
    "stated before the look, and taken back": ([opened(), PLAN, OTHER_PLAN, LOOK], {}, "after-look"),
    "stated after the look": ([opened(), LOOK, PLAN], {}, "after-look"),
    "stated after the look, fixed elsewhere": ([opened(), LOOK], {"preregistered": "p. 3"}, "attested"),
    "the rule before the look": ([opened(), LOOK], {"is_rule": True}, "planned"),
    "a rule that came after the look": ([opened(rule="none"), LOOK, opened()], {"is_rule": True}, "after-look"),
    "a look at other people": ([opened(), draft(Event.LOOKED, "risk", "others")], {}, "planned"),
}  # fmt: skip


@pytest.mark.parametrize(("drafts", "asked", "fixed"), WORDS.values(), ids=WORDS)
def test_when_a_preference_was_fixed(drafts: list[Draft], asked: dict[str, object], fixed: str) -> None:
    how = {"plan": ASKED, "is_rule": False, "rule": RULE, "preregistered": ""}
    assert record(*drafts).preference(**how | asked).fixed == fixed  # type: ignore[arg-type]


def test_only_the_facts_in_force_at_the_first_look_are_public() -> None:
    kept = record(opened(), LOOK, opened(SCHEMA | {"days": "7 to 9"}))
    assert kept.schema(["days"], SCHEMA, preregistered="").fixed == "planned"
    assert kept.schema(["days"], SCHEMA | {"days": "7 to 9"}, preregistered="").fixed == "after-look"
    assert kept.schema([], SCHEMA | {"days": "7 to 9"}, preregistered="").fixed == "planned", "unless they are not used"


# What is spent


def test_a_total_adds_up_exactly() -> None:
    total = record(*[reserved(0.1)] * 3).total
    assert (total.epsilon, total.nano_epsilon, total.releases) == (0.3, 3 * 10**8, 3)


def test_deltas_are_added_exactly_and_shown_rounded_up() -> None:
    third = replace(reserved(0.1), delta="1/3")
    total = record(reserved(0.1), third, third).total
    assert total.exact_delta == Fraction(2, 3)
    assert total.delta is not None
    assert Fraction(total.delta) > Fraction(2, 3) > Fraction(total.delta) - Fraction(1, 10**15)


def test_the_digest_covers_the_text() -> None:
    charge = Draft(Event.RESERVED, "stays", "ada", "2026-11-15T09:00:00+00:00", "key", 10**8, "0", {"guarantee": "dp"})
    assert seal(1, charge, GENESIS).digest == "2e99419014dae36235771a4f5b1a337d4d0380c5cbb207b72c7c8d29182fd8db"


@given(st.fractions(0, 1) | st.floats(0, 1).map(lambda delta: Fraction(str(delta))))
def test_what_is_shown_is_never_less(exact: Fraction) -> None:
    shown = upward(exact)
    assert Fraction(str(shown)) >= exact
    below = math.nextafter(shown, 0)
    assert shown == 0 or Fraction(str(below)) < exact, "and is the least such float"


def test_what_was_reserved_counts_whether_or_not_it_was_released() -> None:
    assert record(reserved(0.2), draft(Event.RELEASED, "answer")).total == record(reserved(0.2)).total


@pytest.mark.parametrize(
    ("words", "together"),
    [([], "dp"), (["dp", "dp"], "dp"), (["dp-selected", "dp"], "dp-selected"), (["dp", "none", "dp-selected"], "none")],
)
def test_a_total_carries_the_weakest_word(words: list[str], together: str) -> None:
    total = record(*(reserved(1, word) for word in words)).total
    assert total.guarantee == together
    assert total.epsilon == (None if total.guarantee is Guarantee.NONE else len(words))
