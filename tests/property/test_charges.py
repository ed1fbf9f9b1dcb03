"""Charging by noisy numbers: what the record has is not drawn and not charged again; whatever else is, is charged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NoReturn

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import NoGuarantee
from sfumato.ledger.entry import Event
from sfumato.ports import Mechanism
from sfumato.presentation.wording import guarantee as of_guarantee
from tests.property.tables import examples
from tests.property.wordings import questions, wordings

ROWS = pd.DataFrame(
    {
        "days": [1, 5, 9, 40, 12, 3] * 10,
        "cost": [0.5, 2.0, 7.5, 30.0, 900.0, 1.0] * 10,
        "ward": ["Heart", "Surgery", "Birth"] * 20,
        "urgent": [True, False] * 30,
        "country": ["at", "ch", "de", "al"] * 15,
        "patient": [i // 3 for i in range(60)],
    }
)
COLUMNS: dict[str, Any] = {
    "days": {"type": "integer", "bounds": [0, 60]},
    "cost": {"type": "number", "bounds": [0, 1000]},
    "ward": {"type": "text", "categories": ["Heart", "Surgery", "Birth"]},
    "urgent": {"type": "boolean"},
    "country": {"type": "text", "keys": "private"},
    "patient": {"type": "integer"},
}
SCHEMA: dict[str, Any] = {"name": "stays", "columns": COLUMNS}
PEOPLE = SCHEMA | {"unit": "patient", "max_rows": 2}
BY_WARD = "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward"
IN_OTHER_WORDS = "SELECT COUNT(*) AS people, ward FROM stays GROUP BY ward HAVING people > 3 ORDER BY people LIMIT 2"


class Drawn:
    """A dataset whose draws are counted, number by number."""

    def __init__(self, schema: dict[str, Any] = SCHEMA, *, version: str = "1", store: sf.Dataset | None = None) -> None:
        self.data = sf.open(ROWS, schema, ledger=":memory:", version=version)
        if store is not None:
            self.data._context.ledger = type(self.data.ledger)(
                store.ledger._store, self.data.schema, self.data.services
            )
        self.draws = 0
        plain = self.data.services.mechanism

        def counted(law: str, reach: int = 0) -> Mechanism:
            draw = plain(law, reach) if reach else plain(law)

            def watched(totals: Sequence[int], sensitivity: int, budget: float) -> Sequence[int]:
                self.draws += 1
                return draw(totals, sensitivity, budget)

            return watched

        self.data._context.services = replace(self.data.services, mechanism=counted)

    @property
    def spent(self) -> Fraction:
        return Fraction(self.data.ledger.total.nano_epsilon, 10**9)

    @property
    def charges(self) -> int:
        return self.data.ledger.total.releases

    def release(self, sql: str, epsilon: float = 0.5, **how: Any) -> sf.Release:
        return self.data.query(sql).release(epsilon=epsilon, **how)


# The same numbers in other words


@pytest.mark.depth("charged wordings")
@examples("charged wordings")
@given(data=st.data(), schema=st.sampled_from((SCHEMA, PEOPLE)))
def test_the_same_numbers_in_other_words_draw_nothing_and_cost_nothing(
    data: st.DataObject, schema: dict[str, Any]
) -> None:
    asked = data.draw(questions())
    said, watched = data.draw(wordings(asked)), Drawn(schema)
    first = watched.release(asked.sql())
    before = watched.draws, watched.spent, watched.charges
    redraw = watched.release(said)
    assert (watched.draws, watched.spent, watched.charges) == before, said
    assert redraw.certificate.guarantee == "dp"
    if said != asked.sql() and redraw.certificate.query != first.certificate.query:
        assert redraw.certificate.charged == 0
        assert redraw.certificate.recorded == (3,), "the charge that its numbers were drawn for"
    assert (redraw.certificate.epsilon, redraw.certificate.promised) == (0.5, 0.5)
    shown = {tuple(sorted(numbers)) for numbers in first.numbers}
    assert {tuple(sorted(numbers)) for numbers in redraw.numbers} <= shown, "no figure comes from anything else"
    third = watched.data.query(asked.sql()).release(
        watched.data.query(asked.sql()).choose(sf.gap(1.5, worst_case=True))
    )
    assert third.answer == first.answer, "byte for byte, from the numbers"


@pytest.mark.depth("charged wordings")
@examples("charged wordings")
@given(data=st.data(), schema=st.sampled_from((SCHEMA, PEOPLE)))
def test_other_numbers_are_drawn_and_charged(data: st.DataObject, schema: dict[str, Any]) -> None:
    """Whatever differs in its rows or groups shares no number; of one that shares some, the others are charged."""
    first, second, watched = data.draw(questions()), data.draw(questions()), Drawn(schema)
    watched.release(first.sql())
    draws, spent = watched.draws, watched.spent
    numbers = watched.data.query(second.sql()).measurement.numbers
    watched.release(second.sql())
    drawn = watched.draws - draws
    assert (drawn > 0) == (watched.spent > spent), "what is drawn is charged, and nothing else"
    if (set(first.keys), first.where) != (set(second.keys), second.where):
        assert watched.spent == spent + Fraction(1, 2)
    else:
        charged = Fraction(-(-drawn * Fraction(10**9) // (2 * len(numbers))), 10**9)
        selected = any(number.selects for number in numbers)  # drawn cell by cell
        assert selected or watched.spent - spent in (charged, Fraction(1, 2))


def test_an_answer_in_other_words_is_the_noisy_numbers_of_the_first() -> None:
    watched = Drawn()
    first, redraw = watched.release(BY_WARD), watched.release(IN_OTHER_WORDS)
    told: dict[Any, Any] = {row[0]: row[1] for row in first.rows}
    assert [told[ward] for _, ward in redraw.rows] == [people for people, _ in redraw.rows]
    assert [people for people, _ in redraw.rows] == sorted(n for n in told.values() if n > 3)[:2]
    assert watched.draws == 1


def test_groups_that_were_not_shown_are_in_the_record() -> None:
    watched = Drawn()
    assert len(watched.release(f"{BY_WARD} LIMIT 1").rows) == 1
    assert len(watched.release(BY_WARD).rows) == 3
    assert watched.draws == 1


def test_keys_in_another_order_are_the_same_groups() -> None:
    watched = Drawn()
    first = watched.release("SELECT ward, urgent, SUM(days) AS s FROM stays GROUP BY ward, urgent")
    redraw = watched.release("SELECT SUM(days) AS t, urgent, ward FROM stays GROUP BY urgent, ward")
    assert {(w, u): s for w, u, s in first.rows} == {(w, u): t for t, u, w in redraw.rows}
    assert [urgent for _, urgent, _ in redraw.rows] == [False] * 3 + [True] * 3
    assert watched.draws == 1


def test_an_epsilon_that_is_stated_in_another_way_finds_the_same_numbers() -> None:
    watched = Drawn()
    first = watched.release(BY_WARD, 0.2)
    choice = watched.data.query(BY_WARD).choose(sf.gap(1.2, worst_case=True))
    redraw = watched.data.query(BY_WARD).release(choice)
    assert choice.epsilon == 0.2
    assert redraw.answer == first.answer
    assert (watched.draws, watched.charges, redraw.certificate.charged) == (1, 1, 0)
    assert redraw.certificate.method != first.certificate.method


def test_each_answer_that_left_is_in_the_ledger_and_comes_back_as_it_left() -> None:
    watched = Drawn()
    watched.release(BY_WARD)
    first, redraw = watched.release(IN_OTHER_WORDS), watched.release(IN_OTHER_WORDS)
    assert (redraw.answer, redraw.certificate) == (first.answer, first.certificate)
    released = [e for e in watched.data.ledger.entries if e.draft.event is Event.RELEASED]
    assert len(released) == 2
    assert released[1].draft.public["reserved"] == 3
    assert "entry 3. This answer costs nothing." in " ".join(str(first.certificate).split())


def test_it_may_be_looked_at_what_an_answer_in_other_words_tells() -> None:
    watched = Drawn()
    watched.release(BY_WARD)
    told = watched.release("SELECT ward, COUNT(*) AS people FROM stays GROUP BY ward")
    assert told.posthoc_risk() is not None


# What is another number


@pytest.mark.parametrize(
    "other",
    [
        "SELECT ward, COUNT(*) AS n FROM stays WHERE days > 3 GROUP BY ward",
        "SELECT ward, COUNT(days) AS n FROM stays GROUP BY ward",
        "SELECT COUNT(*) AS n FROM stays WHERE ward = 'Heart'",
        "SELECT urgent, COUNT(*) AS n FROM stays GROUP BY urgent",
        "SELECT ward, COUNT(*) AS n FROM stays WHERE ward <> 'Birth' GROUP BY ward",
    ],
)
def test_another_question_is_charged(other: str) -> None:
    watched = Drawn()
    watched.release(BY_WARD)
    watched.release(other)
    assert watched.spent == 1
    assert watched.draws == 2


@pytest.mark.parametrize("other", ["days > 4", "days >= 3", "NOT days > 3", "days > 3 OR days > 3", "days > 3.5"])
def test_another_where_on_the_same_columns_is_charged(other: str) -> None:
    watched = Drawn()
    for where in ("days > 3", other):
        watched.release(f"SELECT ward, COUNT(*) FROM stays WHERE {where} GROUP BY ward")
    assert watched.charges == watched.draws == 2


def test_another_epsilon_mechanism_or_version_is_charged() -> None:
    watched = Drawn()
    watched.release(BY_WARD)
    watched.release(IN_OTHER_WORDS, 0.6)
    watched.release(IN_OTHER_WORDS, 0.4)
    watched.release(IN_OTHER_WORDS, 0.5, mechanism="gaussian", delta=1e-6)
    assert watched.charges == 4
    anew = Drawn(version="2", store=watched.data)
    anew.release(IN_OTHER_WORDS)
    assert anew.charges == 5
    assert anew.draws == 1


@pytest.mark.parametrize("changed", [{"bounds": [0, 61]}, {"type": "number"}])
def test_other_bounds_or_another_type_make_other_numbers(changed: dict[str, Any]) -> None:
    watched = Drawn()
    watched.release("SELECT SUM(days) FROM stays")
    anew = Drawn(SCHEMA | {"columns": COLUMNS | {"days": COLUMNS["days"] | changed}}, store=watched.data)
    anew.release("SELECT SUM(days) AS s FROM stays")
    assert anew.charges == 2


def test_one_group_by_its_where_is_not_a_group_of_the_record_where_rows_are_truncated() -> None:
    """At most two rows of a patient count: among those of one ward others are kept than among all."""
    for schema in (SCHEMA, PEOPLE):
        watched = Drawn(schema)
        watched.release(BY_WARD)
        watched.release("SELECT COUNT(*) FROM stays WHERE ward = 'Heart'")
        assert watched.charges == 2


def test_which_rows_of_a_person_count_is_in_the_key() -> None:
    """A count beside a mean is the count alone where rows are people; of truncated people it is of other rows."""
    for schema, epsilon_in_all in ((SCHEMA, Fraction(3, 2)), (PEOPLE, Fraction(2))):
        watched = Drawn(schema)
        watched.release("SELECT COUNT(*) FROM stays", 0.5)
        watched.release("SELECT COUNT(*), AVG(days) FROM stays", 1.5)
        assert watched.spent == epsilon_in_all


# Some of the numbers


def test_only_numbers_that_are_missing_are_drawn_and_charged_at_their_shares() -> None:
    watched = Drawn()
    first = watched.release(BY_WARD)
    both = watched.release("SELECT ward, SUM(days) AS s, COUNT(*) AS n FROM stays GROUP BY ward", 1.0)
    assert (watched.draws, watched.spent) == (2, Fraction(1))
    assert [row[2] for row in both.rows] == [row[1] for row in first.rows]
    certificate = both.certificate
    assert (certificate.epsilon, certificate.charged, certificate.recorded) == (1.0, 0.5, (3,))
    assert certificate.promised == 1.0
    assert "Only the others are charged." in " ".join(str(certificate).split())
    alone = watched.release("SELECT SUM(days), ward FROM stays GROUP BY ward")
    assert (watched.draws, watched.spent, alone.certificate.recorded) == (2, Fraction(1), (6,))
    charge = next(e for e in watched.data.ledger.entries if e.number == 6).draft.public
    assert (charge["numbers"], charge["sensitivity"], charge["scale"]) == (3, [60.0], [120.0])


def test_thirds_are_rounded_up() -> None:
    watched = Drawn()
    watched.release("SELECT COUNT(*) FROM stays", 0.1)
    watched.release("SELECT COUNT(*), SUM(days), SUM(cost) FROM stays", 0.3)
    assert (watched.draws, watched.spent) == (3, Fraction(3, 10))


def test_a_part_counts_in_full_for_each_person() -> None:
    """What one person moves of the numbers that were drawn may be all of it, whatever they move of the others."""
    watched = Drawn()
    watched.release("SELECT COUNT(*) FROM stays")
    watched.release("SELECT COUNT(*), SUM(days) FROM stays", 1.0)
    assert watched.data.per_person().in_all.in_full == 1


@pytest.mark.parametrize("how", [{"mechanism": "gaussian", "delta": 1e-6}, {"mechanism": "truncated", "delta": 1e-6}])
def test_noise_that_is_calibrated_for_all_numbers_has_no_parts(how: dict[str, Any]) -> None:
    watched = Drawn()
    both = "SELECT COUNT(*), SUM(days) FROM stays"
    watched.release(both, 1.0, **how)
    watched.release("SELECT SUM(days) AS a, COUNT(*) AS b FROM stays", 1.0, **how)
    assert watched.draws == 2, "all of them come back"
    watched.release("SELECT COUNT(*), SUM(days), SUM(cost) FROM stays", 1.5, **how)
    assert (watched.draws, watched.spent) == (5, Fraction(5, 2))


# Private keys


PRIVATE = "SELECT country, COUNT(*) AS n FROM stays GROUP BY country"


def test_private_groups_come_back_as_they_were_found() -> None:
    watched = Drawn()
    first = watched.release(PRIVATE, 5.0, delta=1e-3)
    redraw = watched.release("SELECT COUNT(*) AS m, country FROM stays GROUP BY country ORDER BY m", 5.0, delta=1e-3)
    assert len(first.rows) > 0
    assert sorted((n, c) for c, n in first.rows) == sorted(redraw.rows)
    assert watched.draws == 1
    assert redraw.certificate.recorded == (3,)


def test_private_groups_by_keys_in_another_order_come_in_that_order() -> None:
    watched = Drawn()
    first = watched.release("SELECT ward, country, SUM(days) AS s FROM stays GROUP BY ward, country", 10.0, delta=1e-3)
    redraw = watched.release("SELECT country, ward, SUM(days) AS t FROM stays GROUP BY country, ward", 10.0, delta=1e-3)
    assert len(first.rows) > 3
    assert list(redraw.rows) == sorted((country, ward, s) for ward, country, s in first.rows)
    assert watched.draws == 2, "the count of persons, and the sum"


def test_a_private_group_that_is_absent_is_no_zero() -> None:
    watched = Drawn()
    watched.release(PRIVATE, 5.0, delta=1e-3)
    watched.release("SELECT COUNT(*) FROM stays WHERE country = 'at'", 5.0)
    watched.release("SELECT country, COUNT(*) FROM stays WHERE country <> 'at' GROUP BY country", 5.0, delta=1e-3)
    watched.release(PRIVATE.replace("AS n", "AS m"), 5.0, delta=1e-4)
    assert watched.charges == 4


# Words


def test_what_has_no_guarantee_serves_nothing_that_has_one() -> None:
    watched = Drawn()
    watched.data.query(BY_WARD).risk()
    watched.release(BY_WARD, allow_no_guarantee=True)
    with pytest.raises(NoGuarantee):
        watched.release(IN_OTHER_WORDS)
    told = watched.release(IN_OTHER_WORDS, preregistered="minutes of 3 May")
    assert (told.certificate.guarantee, told.certificate.charged) == ("dp", 0.5)
    assert watched.draws == 2
    record = [e.draft.public for e in watched.data.ledger.entries if e.draft.event is Event.RELEASED]
    assert ["draw" in public for public in record] == [False, True]


def test_an_answer_in_other_words_rests_on_what_the_first_rests_on() -> None:
    """The declaration is on its certificate; and, after a look, that what was asked did not depend on it."""
    watched = Drawn()
    watched.data.query(BY_WARD).risk()
    watched.release(BY_WARD, preregistered="minutes of 3 May")
    told = watched.release(IN_OTHER_WORDS).certificate
    assert (told.guarantee, told.fixed, told.charged) == ("dp", "attested", 0)
    assert any("minutes of 3 May" in said for said in told.assumed)
    assert of_guarantee.ASKED_BLINDLY in told.assumed


def test_after_a_look_what_was_released_before_comes_back_in_other_words() -> None:
    watched = Drawn()
    watched.release(BY_WARD)
    watched.data.query(BY_WARD).risk()
    told = watched.release(IN_OTHER_WORDS).certificate
    assert (told.guarantee, told.looked, watched.draws) == ("dp", True, 1)
    assert of_guarantee.ASKED_BLINDLY in told.assumed
    with pytest.raises(NoGuarantee):
        watched.release("SELECT ward, COUNT(*), SUM(days) FROM stays GROUP BY ward", 1.0)


SELECTED = sf.variance(0.5, select_epsilon=5.0)


def test_a_selected_epsilon_serves_its_own_word_alone() -> None:
    watched = Drawn()
    query = watched.data.query(BY_WARD)
    choice = query.choose(SELECTED)
    assert choice.epsilon is not None
    first = query.release(choice)
    spent = watched.spent
    other = watched.data.query(IN_OTHER_WORDS)
    redraw = other.release(other.choose(SELECTED))
    assert watched.spent == spent, "neither selected nor drawn again"
    assert (redraw.certificate.guarantee, redraw.certificate.charged) == ("dp-selected", 0)
    assert redraw.certificate.promised == pytest.approx(first.certificate.charged)
    watched.release(BY_WARD, choice.epsilon)
    assert watched.spent > spent


def stopped(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def test_an_unknown_outcome_is_drawn_and_charged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Drawn()
    query = watched.data.query(BY_WARD)
    with monkeypatch.context() as broken:
        broken.setattr(type(query._bound), "survey", stopped)
        with pytest.raises(KeyboardInterrupt):
            query.release(epsilon=0.5)
    watched.release(IN_OTHER_WORDS)
    assert (watched.draws, watched.spent) == (1, Fraction(1))


def test_again_draws_anew_and_the_last_draw_is_what_comes_back() -> None:
    watched = Drawn()
    first, second = watched.release(BY_WARD), watched.release(BY_WARD, redraw=True)
    redraw = watched.release("SELECT ward, COUNT(*) AS m FROM stays GROUP BY ward")
    assert redraw.rows == second.rows
    assert redraw.rows != first.rows or first.rows == second.rows
    assert (watched.draws, watched.charges) == (2, 2)


# Batches


def test_a_batch_in_other_words_costs_nothing_and_serves_single_answers() -> None:
    watched = Drawn()
    watched.data.batch([BY_WARD, "SELECT SUM(days) FROM stays"], epsilon=1.0).release()
    draws, spent = watched.draws, watched.spent
    redraw = watched.data.batch([IN_OTHER_WORDS, "SELECT SUM(days) AS s FROM stays"], epsilon=1.0).release()
    assert (watched.draws, watched.spent) == (draws, spent)
    assert [one.certificate.charged for one in redraw] == [0, 0]
    epsilon = redraw[0].certificate.epsilon
    assert epsilon is not None
    assert watched.release(BY_WARD.replace("AS n", "AS k"), epsilon).certificate.charged == 0
    assert watched.draws == draws
