"""After the release: what an answer that went out says about each person is the controller's to see, and a look."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pytest

import sfumato as sf
from sfumato.api.posthoc import PosthocRisk
from sfumato.errors import BadInput, EngineFailure, NoGuarantee, NoMechanism, PreferenceError
from sfumato.ledger.entry import Event
from sfumato.presentation.html import preformatted
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import posthoc_sentences as of_posthoc

STAYS = pd.DataFrame({"who": ["Al", "Bo", "Cy", "Di"], "days": [0, 5, 10, 10], "ward": ["a", "a", "b", "b"]})
COLUMNS: dict[str, Any] = {
    "who": {"type": "text"},
    "days": {"type": "integer", "bounds": [0, 10]},
    "ward": {"categories": ["a", "b"]},
}
COUNT, SUM = "SELECT COUNT(*) FROM stays WHERE days > 3", "SELECT SUM(days) FROM stays"
BY_WARD = "SELECT ward, SUM(days) FROM stays GROUP BY ward"


def stays(ledger: Path | str = ":memory:", table: pd.DataFrame = STAYS, **stated: Any) -> sf.Dataset:
    return sf.open(table, {"name": "stays", "columns": COLUMNS} | stated, ledger=str(ledger), version="1")


def said(after: PosthocRisk) -> str:
    return " ".join(after.text().split())


# What is found


def test_a_count_says_the_same_of_everybody_who_is_counted() -> None:
    released = stays().query(COUNT).release(epsilon=0.5)
    after = released.posthoc_risk()
    r = released.numbers[0][0]
    loss, printed = (abs(r - 2) - abs(r - 3)) * 0.5, cast(Any, released.rows)[0][0]
    assert after.people().to_pydict() == {
        "person": [1, 2, 3, 4],
        "printed": [abs(printed - 3)] + [abs(printed - 2)] * 3,
        "pri": pytest.approx([abs(r - 3)] + [abs(r - 2)] * 3),
        "loss": pytest.approx([0] + [loss] * 3),
    }
    assert after.distance == pytest.approx(abs(r - 3))
    assert after.bound == pytest.approx(0.5)
    assert after.positive == (0.75 if loss > 0 else 0)
    assert after.ratio == pytest.approx(min(abs(r - 2), abs(r - 3)) / max(abs(r - 2), abs(r - 3)))


def test_in_groups_only_the_own_one_counts() -> None:
    released = stays().query(BY_WARD).release(epsilon=1)
    (a,), (b,) = released.numbers
    expected = [(abs(a - 5 + d) - abs(a - 5)) / 10 for d in (0, 5)] + [(abs(b - 20 + 10) - abs(b - 20)) / 10] * 2
    after = released.posthoc_risk()
    assert after.people()["loss"].to_pylist() == pytest.approx(expected)
    assert after.distance == pytest.approx(abs(a - 5) + abs(b - 20))


def test_gaussian_noise_bounds_no_loss() -> None:
    released = stays().query(COUNT).release(epsilon=0.5, mechanism="gaussian", delta=1e-6)
    after = released.posthoc_risk()
    assert released.certificate.scale is not None
    (sigma,), r = released.certificate.scale, released.numbers[0][0]
    assert sigma is not None
    assert after.people()["loss"].to_pylist()[1] == pytest.approx(((r - 2) ** 2 - (r - 3) ** 2) / (2 * sigma**2))
    assert after.bound is None
    assert "Under Gaussian noise a single loss has no bound." in said(after)


def test_of_a_median_only_distances_are_known() -> None:
    released = stays().query("SELECT MEDIAN(days) FROM stays").release(epsilon=1)
    after = released.posthoc_risk()
    r = released.numbers[0][0]
    assert after.people()["pri"].to_pylist() == pytest.approx([abs(r - 10), abs(r - 10), abs(r - 5), abs(r - 5)])
    assert after.loss is None
    assert "this answer has other noise too." in said(after)
    assert after.plot().figure.x.label == "PRI"


def test_rows_that_did_not_leave_are_left_out_and_it_is_said() -> None:
    released = stays().query(f"{BY_WARD} ORDER BY ward DESC LIMIT 1").release(epsilon=1)
    after = released.posthoc_risk()
    ((b,),) = released.numbers
    assert after.distance == pytest.approx(abs(b - 20))
    assert after.people()["loss"].to_pylist()[:2] == [0, 0]
    assert of_posthoc.ROWS_KEPT_BACK in said(after)


def test_where_no_row_left_there_is_nothing_to_say() -> None:
    released = stays().query(f"{BY_WARD} LIMIT 0").release(epsilon=1)
    with pytest.raises(NoMechanism, match="The answer has no rows to compare"):
        released.posthoc_risk()


def test_keys_that_are_not_shown_go_by_the_order_of_the_cells() -> None:
    released = stays().query("SELECT SUM(days) AS s FROM stays GROUP BY ward").release(epsilon=1)
    (a,), (b,) = released.numbers
    assert released.posthoc_risk().distance == pytest.approx(abs(a - 5) + abs(b - 20))
    moved = stays().query("SELECT SUM(days) AS s FROM stays GROUP BY ward ORDER BY s").release(epsilon=1)
    with pytest.raises(NoMechanism, match="does not contain its group keys"):
        moved.posthoc_risk()
    assert moved._query is not None
    assert not moved._query.context.ledger.record.anyone_looked


def test_two_groups() -> None:
    query = stays().query(COUNT)
    after = query.release(epsilon=0.5).posthoc_risk(between="days > 7")
    counted, one = after.people()["pri"].to_pylist()[2], after.people()["pri"].to_pylist()[0]
    assert after.between == pytest.approx((counted, (one + after.people()["pri"].to_pylist()[1]) / 2))
    assert "Median PRI where “days > 7”" in said(after)
    nobody = query.release(epsilon=0.5).posthoc_risk(between="days > 99")
    assert nobody.between is not None
    assert nobody.between[0] is None
    assert nobody.between_ratio is None
    assert "One of the two groups of “days > 99” is empty." in said(nobody)


def test_of_nobody() -> None:
    empty = stays(table=STAYS[:0].astype({"days": "int64"}))
    after = empty.query(SUM).release(epsilon=1).posthoc_risk()
    assert (after.people_count, after.ratio, after.positive, after.bound) == (0, 1, 0, 0)
    assert of_guarantee.CONTROLLER_ONLY in after.text()


# A look


def test_it_is_entered_as_a_look_before_anybody_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = stays()
    released = dataset.query(SUM).release(epsilon=0.5)
    with monkeypatch.context() as broken:
        broken.setattr(type(dataset._context.engine), "rows", fails)
        with pytest.raises(EngineFailure):
            released.posthoc_risk()
    assert dataset.ledger.record.anyone_looked
    released.posthoc_risk()
    looks = [e.draft.public["what"] for e in dataset.ledger.entries if e.draft.event is Event.LOOKED]
    assert looks == [f"what the answer of {released.certificate.released_at} says about each person under {SUM}"]
    with pytest.raises(NoGuarantee):
        dataset.query(COUNT).release(epsilon=0.5)


def fails(*_: object) -> None:
    raise EngineFailure


def test_the_release_keeps_its_word() -> None:
    query = stays().query(SUM)
    first = query.release(epsilon=0.5)
    first.posthoc_risk()
    assert query.release(epsilon=0.5) == first


# Refused, and nothing is entered


def test_a_release_that_went_through_a_file_asks_for_its_query(ledger_path: Path) -> None:
    query = stays(ledger_path).query(SUM)
    released = query.release(epsilon=0.5)
    copied = pickle.loads(pickle.dumps(released))
    assert copied == released
    assert copied._query is None
    with pytest.raises(BadInput, match=r"query\.posthoc_risk\(release\)"):
        copied.posthoc_risk()
    assert not query.dataset.ledger.record.anyone_looked
    redraw = stays(ledger_path).query(SUM)
    assert redraw.posthoc_risk(copied).people() == released.posthoc_risk().people()


def test_of_another_query_or_ledger_or_table(ledger_path: Path) -> None:
    dataset = stays(ledger_path)
    released = dataset.query(SUM).release(epsilon=0.5)
    others = {
        "of another query": dataset.query(COUNT),
        "not in the ledger": stays().query(SUM),
        "under another schema": stays(ledger_path, unit="who", max_rows=2).query(SUM),
        "from other data": sf.open(
            STAYS[1:], {"name": "stays", "columns": COLUMNS}, ledger=str(ledger_path), version="2"
        ).query(SUM),
        "or under another": stays(
            ledger_path, columns=COLUMNS | {"days": {"type": "integer", "bounds": [0, 20]}}
        ).query(SUM),
    }
    for sentence, query in others.items():
        with pytest.raises(PreferenceError, match=sentence):
            query.posthoc_risk(released)
    assert not dataset.ledger.record.anyone_looked


def test_private_keys() -> None:
    private = stays(columns=COLUMNS | {"ward": {"type": "text", "keys": "private"}})
    released = private.query(BY_WARD).release(epsilon=1, delta=1e-6)
    with pytest.raises(NoMechanism, match="private group keys"):
        released.posthoc_risk()
    assert not private.ledger.record.anyone_looked


def test_a_condition_that_cannot_be_read() -> None:
    dataset = stays()
    with pytest.raises(sf.SfumatoError):
        dataset.query(SUM).release(epsilon=1).posthoc_risk(between="age >")
    assert not dataset.ledger.record.anyone_looked


# What is seen


def test_a_repr_has_the_public_part_only() -> None:
    after = stays().query(SUM).release(epsilon=0.5).posthoc_risk()
    assert repr(after) == (
        f"<PosthocRisk of {SUM}, epsilon 0.5. What it says about the people is confidential: .show()>"
    )
    with pytest.raises(TypeError, match="confidential"):
        pickle.dumps(after)
    assert of_guarantee.CONTROLLER_ONLY in after._html()
    assert after._repr_html_() == preformatted(repr(after))


def test_a_release_does_not_show_its_query() -> None:
    released = stays().query(SUM).release(epsilon=0.5)
    assert "_query" not in repr(released) + released.to_json()


def test_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    after = stays().query(COUNT).release(epsilon=0.5).posthoc_risk()
    after.show()
    shown = " ".join(capsys.readouterr().out.split())
    for sentence in (of_guarantee.CONTROLLER_ONLY, of_guarantee.LOOK, of_posthoc.SIGNED_LOSS, of_posthoc.PRI):
        assert sentence in shown
    assert "The exposures in this data limit it to 0.5, and epsilon limits it to 0.5 in any data." in shown
    assert f"{round((after.positive or 0) * 4)} people of 4" in shown
    assert after.as_dict()["epsilon"] == 0.5


def test_many_are_drawn_as_bars() -> None:
    many = pd.DataFrame({"who": "x", "days": [i % 11 for i in range(110)], "ward": "a"})
    after = stays(table=many).query(SUM).release(epsilon=0.5).posthoc_risk()
    assert "people, for each loss" in after.text()
    assert after.plot().figure.x.label == "loss"


def test_with_a_selection_beside_it() -> None:
    many = pd.DataFrame({"who": "x", "days": [10] * 5000, "ward": "a"})
    query = stays(table=many).query(SUM)
    choice = query.choose(sf.variance(0.1, select_epsilon=1))
    assert choice.epsilon is not None
    after = query.release(choice).posthoc_risk()
    assert of_posthoc.SELECTED_BESIDE in said(after)
    assert after.loss is not None


def test_without_a_guarantee_there_is_no_loss() -> None:
    dataset = stays()
    dataset.query(SUM).risk()
    after = dataset.query(SUM).release(epsilon=0.5, allow_no_guarantee=True).posthoc_risk()
    assert (after.loss, after.epsilon, after.bound) == (None, None, None)
    assert of_guarantee.NO_GUARANTEE in said(after)
    assert "epsilon withheld" in repr(after)


def test_bounds_from_the_data() -> None:
    dataset = sf.open(STAYS, {"name": "stays", "columns": COLUMNS}, ledger=":memory:", bounds_from_data=True)
    released = dataset.query(SUM).release(epsilon=0.5, allow_no_guarantee=True)
    after = released.posthoc_risk()
    assert after.distance == pytest.approx(abs(released.numbers[0][0] - 25))
    assert after.loss is None


# Find-eps-from-PRI, as published


def test_the_output_that_went_out_is_not_charged_again(ledger_path: Path) -> None:
    query = stays(ledger_path).query(SUM)
    choice = query.choose(sf.pri(50))
    query.release(choice, allow_no_guarantee=True)
    charges = query.dataset.ledger.total.releases
    with pytest.raises(PreferenceError, match="is already released, and there is no other"):
        query.release(choice, allow_no_guarantee=True, redraw=True)
    assert query.dataset.ledger.total.releases == charges
    anew = query.choose(sf.pri(50), redraw=True)
    query.release(anew, allow_no_guarantee=True, redraw=True)
    assert query.dataset.ledger.total.releases == charges + 1


def test_the_very_output_that_passed_is_released(ledger_path: Path) -> None:
    query = stays(ledger_path).query(SUM)
    choice = query.choose(sf.pri(50))
    assert choice.guarantee.value == "none"
    assert str(choice.epsilon) not in repr(choice).replace("pri 50", "")
    released = query.release(choice, allow_no_guarantee=True)
    (kept,) = query.dataset.ledger.record.drawn_plans(choice.request.key)
    ((output,),) = cast(Any, kept.draft.confidential["selected"])[0]["output"]
    assert released.numbers == ((float(Fraction(output)),),)
    assert released.posthoc_risk().ratio >= 0.5
    assert released.certificate.epsilon is None
    redraw = stays(ledger_path).query(SUM)
    assert redraw.release(redraw.choose(sf.pri(50)), allow_no_guarantee=True) == released
    assert "selected" not in kept.draft.public


def test_it_is_a_look_and_carries_no_guarantee() -> None:
    dataset = stays()
    with pytest.raises(NoGuarantee, match="computed from the people"):
        dataset.query(SUM).require_releasable(sf.pri(5))
    assert not dataset.ledger.record.anyone_looked
    dataset.query(SUM).choose(sf.pri(5))
    assert dataset.ledger.record.anyone_looked


def test_where_no_output_passes_there_is_none() -> None:
    choice = stays().query(SUM).choose(sf.pri(0))  # of three different values, no output is as far from all
    assert (choice.epsilon, choice.feasible) == (None, False)
    empty = stays(table=STAYS[:0].astype({"days": "int64"})).query(SUM)
    assert "no one in the data" in empty.choose(sf.pri(5)).why


REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "cannot be combined with other preferences": (SUM, {}),
    "uses Laplace noise": (SUM, {"mechanism": "gaussian", "delta": 1e-6}),
    "is not a sum": ("SELECT MEDIAN(days) AS m FROM stays", {}),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_it_does_not_do(sentence: str) -> None:
    sql, how = REFUSED[sentence]
    dataset = stays()
    more = [sf.attack_chance(0.6)] if "other" in sentence else []
    with pytest.raises(sf.SfumatoError, match=sentence):
        dataset.query(sql).choose(sf.pri(5), *more, **how)
    assert not dataset.ledger.record.anyone_looked


@pytest.mark.parametrize("percent", [-1, 101, math.nan, "x"])
def test_a_percentage_is_one(percent: Any) -> None:
    with pytest.raises(PreferenceError, match="pri must"):
        sf.pri(percent)


def test_a_rehearsal_tries_it() -> None:
    rehearsal = stays().query(COUNT).rehearse(sf.pri(50), rows=20)
    (tries,) = rehearsal.tries
    assert not tries.private
    assert len(tries.epsilons) + tries.nothing == 200
