"""A batch: charged once and tight, drawn one by one, repeated for nothing, and what its certificates say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.api.choice import Choice
from sfumato.composition.local import open_without_data, records, verify_ledger
from sfumato.errors import BudgetExceeded, EngineFailure, Infeasible, NoGuarantee, PreferenceError, SourceError
from sfumato.ledger.entry import Event
from sfumato.model.choice import Noise
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.privacy.noise.calibration import mu_of
from sfumato.privacy.noise.gaussian import epsilon_analytic
from sfumato.privacy.preferences.preference import epsilon as stated
from sfumato.release import batch as batches
from sfumato.release import draw

DAYS = {"type": "integer", "bounds": [0, 20]}
COLUMNS = {"days": DAYS, "who": {"type": "text"}, "ward": {"categories": ["a", "b"]}}
FRAME = pd.DataFrame({"days": [0, 10, 20], "who": ["Al", "Al", "Bo"], "ward": ["a", "b", "a"]})


def stays(ledger: object = ":memory:", version: str = "1", budget: object = None, **more: Any) -> sf.Dataset:
    schema = {"name": "stays", "columns": COLUMNS} | more
    return sf.open(FRAME, schema, ledger=ledger, version=version, budget=budget)  # type: ignore[arg-type]


def choices(dataset: sf.Dataset, many: int = 20, epsilon: float = 0.1, **how: Any) -> list[Choice]:
    return [dataset.query(f"SELECT SUM(days) FROM stays WHERE days > {i}").choose(stated(epsilon), **how)
            for i in range(many)]  # fmt: skip


def charged(dataset: sf.Dataset) -> list[float]:
    return [e.draft.nano_epsilon / 1e9 for e in dataset.ledger.entries if e.draft.event is Event.RESERVED]


def rows(releases: Sequence[sf.Release]) -> list[object]:
    return [release.rows for release in releases]


# What it costs


def test_many_cost_less_together_than_one_by_one() -> None:
    dataset = stays()
    batch = dataset.batch(choices(dataset, 50, 0.02), delta=1e-6)
    assert (batch.epsilon_sum, batch.delta_sum) == (1.0, 0.0)
    assert batch.epsilon < 0.65
    assert batch.delta == 1e-6
    assert batch.is_tight


def test_gaussians_cost_what_one_gaussian_does() -> None:
    dataset = stays()
    batch = dataset.batch(choices(dataset, 16, 0.5, mechanism="gaussian", delta=1e-6), delta=1e-6)
    mu = mu_of(0.5, Noise("gaussian", 1e-6))
    exact = epsilon_analytic(4 * mu, 1e-6)
    assert exact <= batch.epsilon <= 1.02 * exact
    assert batch.delta_sum == 1.6e-5
    assert batch.delta == 1e-6


def test_where_the_sum_is_no_more_the_sum_is_charged() -> None:
    dataset = stays()
    batch = dataset.batch(choices(dataset, 1, 0.5), delta=1e-12)
    assert (batch.epsilon, batch.delta) == (0.5, 0.0)
    assert not batch.is_tight
    batch.release()
    assert (dataset.ledger.total.epsilon, dataset.ledger.total.delta) == (0.5, 0.0)


def test_what_thresholds_may_show_comes_on_top() -> None:
    dataset = stays(columns=COLUMNS | {"ward": {"type": "text", "keys": "private"}})
    found = dataset.query("SELECT ward, COUNT(*) FROM stays GROUP BY ward").choose(stated(0.1), delta=1e-7)
    batch = dataset.batch([*choices(dataset, 30), found], delta=1e-6)
    assert batch.delta_sum == 1e-7
    assert batch.delta == 1.1e-6
    assert batch.is_tight


def test_what_truncated_noise_may_show_comes_on_top() -> None:
    dataset = stays()
    batch = dataset.batch(choices(dataset, 30, mechanism="truncated", delta=1e-8), delta=1e-6)
    assert batch.delta_sum == 3e-7
    assert batch.delta == 1.3e-6
    assert batch.epsilon < batch.epsilon_sum
    assert batch._cost.rho_delta == 30 * Fraction(1, 10**8)


def test_what_it_costs_is_seen_without_the_data() -> None:
    dataset = open_without_data({"name": "stays", "columns": COLUMNS}, ledger=":memory:")
    batch = dataset.batch(choices(dataset))
    assert batch.epsilon < batch.epsilon_sum
    with pytest.raises(SourceError):
        batch.release()
    assert charged(dataset) == []


# Charged once, kept each


def test_it_is_charged_once_and_every_answer_is_kept(ledger_path: Path) -> None:
    dataset = stays(ledger_path)
    batch = dataset.batch(choices(dataset))
    left = batch.release()
    assert len(left) == 20
    assert charged(dataset) == [batch.epsilon]
    total = dataset.ledger.total
    assert (total.epsilon, total.delta, total.releases) == (batch.epsilon, 1e-6, 1)
    [record] = records(ledger_path)
    assert record.total == total
    assert verify_ledger(ledger_path) == len(dataset.ledger.entries)


def test_the_same_batch_comes_back_for_nothing(ledger_path: Path) -> None:
    dataset = stays(ledger_path)
    first = dataset.batch(choices(dataset)).release()
    other = stays(ledger_path)
    redraw = other.batch(choices(other)).release()
    assert rows(redraw) == rows(first)
    assert [r.certificate for r in redraw] == [r.certificate for r in first]
    assert len(charged(other)) == 1
    anew = other.batch(choices(other)).release(redraw=True)
    assert rows(anew) != rows(first)
    assert len(charged(other)) == 2


def test_what_left_in_a_batch_comes_back_by_itself_too() -> None:
    dataset = stays()
    chosen = choices(dataset)
    left = dataset.batch(chosen).release()
    assert dataset.query(chosen[3].request.statement.text).release(chosen[3]).rows == left[3].rows
    assert len(charged(dataset)) == 1


def test_another_version_is_another_batch(ledger_path: Path) -> None:
    dataset = stays(ledger_path)
    dataset.batch(choices(dataset)).release()
    other = stays(ledger_path, version="2")
    other.batch(choices(other)).release()
    assert len(charged(other)) == 2


def test_the_same_numbers_at_another_delta_are_not_charged_again(ledger_path: Path) -> None:
    """The delta of a batch is one of accounting: what is drawn is the same."""
    dataset = stays(ledger_path)
    first = dataset.batch(choices(dataset)).release()
    second = dataset.batch(choices(dataset), delta=1e-5).release()
    assert [one.answer for one in second] == [one.answer for one in first]
    assert [one.certificate.charged for one in second] == [0.0] * len(second)
    assert len(charged(dataset)) == 1


def test_a_crash_between_leaves_all_of_it_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = stays()
    batch, read, engine = dataset.batch(choices(dataset, 3)), [0], type(dataset._context.engine)
    stream_of = engine.stream

    def fails_the_second_time(self: Any, sql: str) -> Any:
        read[0] += 1
        if read[0] == 2:
            raise EngineFailure
        return stream_of(self, sql)

    with monkeypatch.context() as broken:
        broken.setattr(engine, "stream", fails_the_second_time)
        with pytest.raises(EngineFailure):
            batch.release()
    assert charged(dataset) == [batch.epsilon]
    assert [e.draft.event for e in dataset.ledger.entries].count(Event.RELEASED) == 1
    batch.release()
    assert charged(dataset) == [batch.epsilon] * 2  # an unknown outcome is spent


def test_the_budget_holds_and_nothing_is_read() -> None:
    dataset = stays(budget=1.0)
    batch = dataset.batch(choices(dataset, 20, 0.1), delta=1e-6)
    assert 1 < batch.epsilon < batch.epsilon_sum
    with pytest.raises(BudgetExceeded, match="nothing was drawn or charged"):
        batch.release()
    assert charged(dataset) == []
    fits = stays(budget=(batch.epsilon, 1e-6))
    fits.batch(choices(fits, 20, 0.1)).release()
    assert fits.ledger.total.epsilon == batch.epsilon


def test_what_each_person_carries_of_it_is_all_of_it() -> None:
    dataset = stays()
    batch = dataset.batch(choices(dataset))
    batch.release()
    totals = dataset.per_person()
    assert totals.people().to_pydict()["epsilon"] == pytest.approx([batch.epsilon] * 3)
    assert (totals.in_all.in_full, totals.in_all.delta) == (1, 1e-6)
    assert totals.rho.max == pytest.approx(20 * 0.1**2 / 2, rel=0.05)


# Refused, by name


def test_an_epsilon_that_was_read_off_the_people_is_refused() -> None:
    dataset = stays()
    planned_ones = choices(dataset, 2)
    looked = dataset.query("SELECT COUNT(*) FROM stays WHERE days > 3").choose(sf.gap(1.2))
    with pytest.raises(
        NoGuarantee, match=r"this one has the guarantee 'none' .*: SELECT COUNT\(\*\) FROM stays WHERE days > 3"
    ):
        dataset.batch([*planned_ones, looked])


def test_what_lost_its_guarantee_since_is_refused() -> None:
    dataset = stays()
    chosen = choices(dataset, 2)
    dataset.query("SELECT SUM(days) FROM stays").risk()
    late = dataset.query("SELECT SUM(days) FROM stays").choose(stated(0.3), preregistered="minutes of May")
    with pytest.raises(NoGuarantee, match="would have no guarantee"):
        dataset.batch([*chosen, replace(late, preregistered="")]).release()
    assert charged(dataset) == []
    dataset.batch(chosen).release()  # what was planned before the look stays planned
    assert len(charged(dataset)) == 1


def test_a_look_while_it_is_drawn_takes_nothing_from_it(ledger_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of plans for one statement only the last before a look counts; all of them were reserved before this one."""
    dataset, other, drawn = stays(ledger_path), stays(ledger_path), draw.draw_and_record
    query = dataset.query("SELECT SUM(days) FROM stays")
    batch = dataset.batch([query.choose(stated(e)) for e in (0.1, 0.2, 0.3)])

    def looked_at(*how: Any) -> Any:
        other.query("SELECT COUNT(*) FROM stays").risk()
        return drawn(*how)

    monkeypatch.setattr(batches, "draw_and_record", looked_at)
    assert [release.certificate.guarantee for release in batch.release()] == ["dp"] * 3
    assert {e.draft.public.get("guarantee") for e in dataset.ledger.entries} == {None, "dp"}


def test_a_batch_has_a_choice_at_least_and_each_once() -> None:
    dataset = stays()
    with pytest.raises(PreferenceError, match="The batch has no choice"):
        dataset.batch([])
    with pytest.raises(PreferenceError, match="contains the same choice twice: SELECT SUM"):
        dataset.batch(choices(dataset, 1) * 2)
    with pytest.raises(PreferenceError, match="must contain choices"):
        dataset.batch([0.5])  # type: ignore[list-item]


NUMBERS = {"columns": COLUMNS | {"days": {"type": "number", "bounds": [0, 9]}}}


@pytest.mark.parametrize("other", [{"version": "2"}, NUMBERS], ids=["another version", "another schema"])
def test_choices_for_other_data_are_refused(other: dict[str, Any]) -> None:
    with pytest.raises(PreferenceError, match="another query or other data"):
        stays().batch(choices(stays(**other), 2))


@pytest.mark.parametrize("delta", [0, 1, -1e-6, float("nan"), "much"])
def test_a_delta_is_a_probability(delta: Any) -> None:
    dataset = stays()
    with pytest.raises(PreferenceError, match="delta must be between 0 and 1"):
        dataset.batch(choices(dataset, 2), delta=delta)


def test_a_choice_without_an_epsilon_is_refused() -> None:
    dataset = stays()
    everything = dataset.query("SELECT COUNT(*) FROM stays").choose(sf.gap(1.0, worst_case=True))
    with pytest.raises(Infeasible):
        dataset.batch([everything])


# What is said


def test_a_certificate_has_its_own_epsilon_and_the_charge_of_all() -> None:
    dataset = stays()
    batch = dataset.batch(choices(dataset))
    certificate = batch.release()[0].certificate
    assert (certificate.epsilon, certificate.promised, certificate.charged) == (0.1, 0.1, batch.epsilon)
    assert (certificate.batch, certificate.batch_delta, certificate.delta) == (20, 1e-6, 0.0)
    assert certificate.dataset_total == batch.epsilon
    assert of_guarantee.guarantee(certificate) == "Guaranteed: 0.1-differential privacy for one row (add-remove)."
    sentence = (
        f"One of 20 releases that were fixed in advance and charged together: epsilon {batch.epsilon:.15g}, delta "
        "1e-06 for all of them. The epsilon of this one holds for it alone."
    )
    assert of_guarantee.together(certificate) == sentence
    assert sentence in str(certificate)
    assert sentence in certificate.to_html()
    assert of_guarantee.together(dataset.query("SELECT COUNT(*) FROM stays").release(epsilon=0.1).certificate) == ""


def test_a_batch_says_what_it_costs(capsys: pytest.CaptureFixture[str]) -> None:
    dataset = stays()
    batch = dataset.batch(choices(dataset, 50, 0.02))
    batch.show()
    said = capsys.readouterr().out
    assert said.startswith("50 releases, charged together: epsilon 0.")
    assert said.endswith(", delta 1e-06. One by one: epsilon 1.\n")
    assert repr(batch) == f"<Batch of {said.strip()}>"
    assert said.strip() in batch._repr_html_()
    told = batch.as_dict()
    assert (told["epsilon"], told["delta"], told["epsilon_sum"], told["delta_sum"]) == (batch.epsilon, 1e-6, 1.0, 0.0)
    assert told["queries"] == [choice.request.statement.text for choice in choices(dataset, 50, 0.02)]
