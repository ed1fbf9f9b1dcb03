"""People take turns: the plain cases, and what holds in whatever order work comes and ends."""

from __future__ import annotations

from collections import Counter
from threading import Event

from hypothesis import given
from hypothesis import strategies as st

from sfumato.composition.background import Background
from sfumato.escrow.turns import Turns


def started(turns: Turns[str]) -> list[tuple[str, str]]:
    begun: list[tuple[str, str]] = []
    turns.start_all(lambda person, work: begun.append((person, work)))
    return begun


def test_people_take_turns_and_each_of_them_in_order() -> None:
    turns: Turns[str] = Turns(1, 1)
    for person, work in (("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("b", "b2")):
        turns.add(person, work)
    order = []
    while begun := started(turns):
        [(person, work)] = begun
        order.append(work)
        turns.end(person)
    assert order == ["a1", "b1", "c1", "a2", "b2", "a3"]
    assert turns.is_idle


def test_one_person_has_so_many_at_once_and_the_rest_is_for_others() -> None:
    turns: Turns[str] = Turns(3, 2)
    for number in range(40):
        turns.add("a", f"a{number}")
    assert [work for _, work in started(turns)] == ["a0", "a1"]
    turns.add("b", "b0")
    assert started(turns) == [("b", "b0")]
    turns.add("c", "c0")
    assert started(turns) == []
    turns.end("a")
    assert started(turns) == [("a", "a2")], "it was their turn before c came"
    turns.end("a")
    assert started(turns) == [("c", "c0")]
    assert (turns.count("a"), turns.count("b"), turns.count("d")) == (38, 1, 0)


def test_what_waits_can_be_taken_back() -> None:
    turns: Turns[str] = Turns(1, 1)
    for work in ("first", "second", "third"):
        turns.add("a", work)
    started(turns)
    assert [turns.remove("a", work) for work in ("first", "second", "second")] == [False, True, False]
    assert turns.waiting == ["third"]
    assert turns.remove("a", "third")
    assert not turns.remove("b", "third")
    turns.end("a")
    assert turns.is_idle


PEOPLE = st.sampled_from("abcd")


@given(st.integers(1, 4), st.integers(1, 3), st.lists(st.one_of(PEOPLE, st.integers(0, 9)), max_size=120))
def test_no_one_waits_for_more_than_one_turn_of_each_other_person(size: int, each: int, steps: list[str | int]) -> None:
    """A name brings work of that person, a number ends some work that runs; whatever may run is begun at once."""
    turns: Turns[int] = Turns(size, each)
    running: list[str] = []
    queues: dict[str, list[int]] = {person: [] for person in "abcd"}
    passed: dict[str, Counter[str]] = {person: Counter() for person in "abcd"}  # since their next work could run

    def begin(person: str, work: int) -> None:
        assert queues[person].pop(0) == work, "one person's work begins in the order in which it came"
        running.append(person)
        assert len(running) <= size
        assert running.count(person) <= each
        passed[person].clear()
        for other in "abcd":
            if other == person or not queues[other] or running.count(other) >= each:
                passed[other].clear()
            else:
                passed[other][person] += 1
                assert passed[other][person] <= 1, f"{other} waits for {person} twice"

    for number, step in enumerate(steps):
        if isinstance(step, str):
            queues[step].append(number)
            turns.add(step, number)
        elif running:
            turns.end(running.pop(step % len(running)))
        turns.start_all(begin)
        free = len(running) < size
        assert not (free and any(queues[who] and running.count(who) < each for who in "abcd")), "no worker is idle"
    while running:
        turns.end(running.pop())
        turns.start_all(begin)
    assert turns.is_idle
    assert not any(queues.values()), "everything is done in the end"


# In threads


def test_a_background_that_is_stopped_leaves_what_waits() -> None:
    begun, may_end, background = Event(), Event(), Background(1, 1, "test")
    done: list[int] = []

    def first() -> None:
        begun.set()
        assert may_end.wait(600)
        done.append(0)

    background.submit("a", first)
    for number in range(1, 41):
        background.submit("a", lambda number=number: done.append(number))  # type: ignore[misc]
    assert begun.wait(600)
    background.stop()
    may_end.set()
    background.close()
    assert done == [0]
    background.submit("b", lambda: done.append(99))
    assert done == [0]


def test_a_background_that_is_closed_does_all_of_it() -> None:
    done: list[str] = []
    background = Background(2, 1, "test")
    for person in "aaabbc":
        background.submit(person, lambda person=person: done.append(person))  # type: ignore[misc]
    background.close()
    assert sorted(done) == sorted("aaabbc")
