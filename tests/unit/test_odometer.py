"""What the charges of a dataset add up to, what each of them says, and what is said after one without a guarantee."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import PreferenceError
from sfumato.ledger.entry import Draft, Event, nano, seal
from sfumato.ledger.hash_chain import GENESIS
from sfumato.ledger.odometer import By, Total
from sfumato.model.choice import Noise
from sfumato.model.guarantee import ChosenBy, Guarantee, chosen_by
from sfumato.presentation import ledger_view as view
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.privacy.accounting.cost import rho_delta_of, rho_of
from sfumato.privacy.accounting.zcdp import epsilon_of_zcdp, ledger_rho, rho_gaussian, rho_laplace, rho_pure
from sfumato.privacy.noise.calibration import calibrate
from sfumato.release.reserve import PrivacyCost, charge_figures, version_of

PEOPLE = pd.DataFrame({"ward": ["a", "a", "b"], "days": [3, 40, 7]})
SCHEMA = {
    "name": "stays",
    "columns": {
        "days": {"type": "integer", "bounds": [0, 60]},
        "ward": {"categories": ["a", "b"]},
        "town": {"type": "text", "keys": "private"},
    },
}
COUNT = "SELECT COUNT(*) FROM stays WHERE days > 5"
TENTH: tuple[float, dict[str, object]] = (0.1, {"rho": "1/200"})
AFTER_NONE = "Given everything released before, including releases without a guarantee, this release changes the odds"


def stays(ledger: Path | str = ":memory:") -> sf.Query:
    return sf.open(PEOPLE.assign(town="x"), SCHEMA, ledger=ledger, version="1").query(COUNT)


def total(*charges: tuple[float, dict[str, object]], delta: str = "0") -> Total:
    made = Total()
    for epsilon, public in charges:
        said = {"guarantee": "dp", "protected": "one row", **public}
        draft = Draft(Event.RESERVED, "stays", "ada", "2026-11-15T09:00:00+00:00", "", nano(epsilon), delta, said)
        made = made.and_then(seal(made.releases + 1, draft, GENESIS))
    return made


# What a charge says


def charges(query: sf.Query) -> list[dict[str, object]]:
    return [dict(e.draft.public) for e in query.dataset.ledger.entries if e.draft.event is Event.RESERVED]


def test_a_charge_says_what_it_consists_of() -> None:
    query = stays()
    query.release(epsilon=0.5)
    [charge] = charges(query)
    assert charge == {
        "what": COUNT,
        "guarantee": "dp",
        "method": "epsilon 0.5",
        "kind": "release",
        "version": version_of(query.dataset._context),
        "chosen_by": "fixed",
        "mechanism": "laplace",
        "epsilon": 0.5,
        "delta": "0",
        "rho": str(ledger_rho(rho_laplace(0.5, 1024))),
        "rho_delta": "0",
        "select_epsilon": 0.0,
        "at_most": 0.5,
        "numbers": 1,
        "sensitivity": [1.0],
        "scale": [2.0],
        "protected": "one row, add-remove",
    }


def test_how_epsilon_was_chosen() -> None:
    query = stays()
    query.release(epsilon=0.5)
    query.release(query.choose(sf.gap(1.2, worst_case=True)))
    query.exposure_histogram(0.1)
    query.release(query.choose(sf.ratio(0.9)), allow_no_guarantee=True)
    query.exposure_histogram(0.2, allow_no_guarantee=True)
    looked = "controller-after-looking"
    assert [c["chosen_by"] for c in charges(query)] == ["fixed", "data-independent", "fixed", looked, looked]
    for charge in charges(query)[3:]:
        assert set(charge) == {"what", "guarantee", "method", "kind", "version", "chosen_by", "mechanism", "protected"}
    shown = repr(query.dataset.ledger)
    for said in ("dp, fixed ", "dp, data-independent ", "none, after looking "):
        assert said in shown


@pytest.mark.parametrize(
    ("word", "outright", "how"),
    [
        (Guarantee.DP, True, ChosenBy.FIXED),
        (Guarantee.DP, False, ChosenBy.PUBLIC),
        (Guarantee.SELECTED, False, ChosenBy.SELECTED),
        (Guarantee.NONE, True, ChosenBy.LOOKED),
        (Guarantee.NONE, False, ChosenBy.LOOKED),
    ],
)
def test_the_word_decides_first(word: Guarantee, outright: bool, how: ChosenBy) -> None:
    assert chosen_by(word, outright=outright) is how


def test_what_was_chosen_by_looking_is_not_told_even_where_it_is_known() -> None:
    cost = PrivacyCost(0.123, Fraction(1, 7), (1.0,), (8.13,), 1)
    assert charge_figures(ChosenBy.LOOKED, "laplace", cost) == {
        "chosen_by": "controller-after-looking",
        "mechanism": "laplace",
    }
    selected = charge_figures(ChosenBy.SELECTED, "laplace", replace(cost, select_epsilon=0.1, at_most=10.0))
    assert (selected["select_epsilon"], selected["at_most"], selected["rho"]) == (0.1, 10.0, "1/7")


@pytest.mark.parametrize(
    ("sql", "noise", "rho", "uncovered"),
    [
        (COUNT, Noise(), ledger_rho(rho_laplace(2.0, 1024)), 0),
        (
            "SELECT COUNT(*), MEDIAN(days) FROM stays",
            Noise(),
            ledger_rho(rho_laplace(1, 1024)) + ledger_rho(rho_pure(1)),
            0,
        ),
        ("SELECT ward, COUNT(*) FROM stays GROUP BY ward", Noise(), ledger_rho(rho_laplace(2.0, 1024)), 0),
        (
            "SELECT town, COUNT(*) FROM stays GROUP BY town",
            Noise(delta=1e-9),
            ledger_rho(rho_laplace(2.0, 1024)),
            Fraction(1, 10**9),
        ),
        ("SELECT AVG(days) FROM stays", Noise("truncated", 1e-9), 2 * ledger_rho(rho_pure(1.0)), Fraction(1, 10**9)),
    ],
)
def test_what_a_draw_costs(sql: str, noise: Noise, rho: Fraction, uncovered: Fraction) -> None:
    measurement = stays().dataset.query(sql).measurement
    calibration = calibrate(measurement, noise, 2.0, 10.0)
    assert (rho_of(measurement, calibration), rho_delta_of(calibration)) == (rho, uncovered)


def test_gaussian_noise_has_no_delta_beside_rho() -> None:
    measurement = stays().dataset.query("SELECT AVG(days) FROM stays").measurement
    calibration = calibrate(measurement, Noise("gaussian", 1e-6), 2.0, 10.0)
    mu = math.hypot(*(drawing.budget for drawing in calibration.numbers))
    assert float(rho_of(measurement, calibration)) == pytest.approx(rho_gaussian(mu), abs=3e-12)
    assert rho_delta_of(calibration) == 0


# What they add up to


def test_rhos_add_up_exactly() -> None:
    made = total((0.1, {"rho": "1/3", "rho_delta": "0"}), (0.2, {"rho": "1/6"}))
    assert (made.exact_rho, made.rho_delta, made.rho) == (Fraction(1, 2), Fraction(0), 0.5)


def test_there_is_no_total_of_rho_where_there_is_no_total() -> None:
    none = total((1, {"rho": "1/3"}), (10, {"guarantee": "none"}), (1, {"rho": "1/3"}))
    assert (none.exact_rho, none.rho, none.at_most, none.at(0.5).by) == (None, None, None, None)
    others = total((1, {"rho": "1/3", "protected": "one row"}), (1, {"rho": "1/3", "protected": "one who"}))
    assert (others.rho, others.at_most, others.at(0.5).by) == (None, None, None)


def test_what_epsilon_all_of_it_has_at_a_delta() -> None:
    few, many = (total(*[TENTH] * times) for times in (1, 400))
    assert (few.at(1e-6).epsilon, few.at(1e-6).by) == (0.1, By.SUMS)
    assert many.at(1e-6).epsilon == pytest.approx(epsilon_of_zcdp(2.0, 1e-6))
    assert [many.at(delta).by for delta in (1e-6, 0)] == [By.ZCDP, By.SUMS], "pure releases need no delta"
    gaussian = total((1, {"rho": "1/8", "rho_delta": "0"}), delta="1/1000000")
    assert gaussian.at(1e-9).epsilon == pytest.approx(epsilon_of_zcdp(0.125, 1e-9)), "Gaussian noise has any delta"
    keys = total((9, {"rho": "1/8", "rho_delta": "1/1000000"}), delta="1/1000000")
    assert (keys.at(1e-9).epsilon, keys.at(1e-9).by) == (math.inf, None), "a threshold has its own, and no less"
    assert keys.at(2e-6).epsilon == pytest.approx(epsilon_of_zcdp(0.125, 1e-6))


def test_a_ledger_says_it_too(ledger_path: Path) -> None:
    query = stays(ledger_path)
    assert query.dataset.ledger.epsilon_at(1e-6) == 0
    for _ in range(3):
        query.release(epsilon=2, mechanism="gaussian", delta=1e-6, redraw=True)
    ledger = query.dataset.ledger
    assert ledger.total.epsilon == 6
    at = ledger.epsilon_at(1e-6)
    assert at is not None
    assert 3 < at < 4, "of Gaussian noise the squares of mu add up"
    [record] = local.records(ledger_path)
    shown = view.as_dict(record, 1e-6)
    assert shown["at_delta"] == {"delta": 1e-6, "epsilon": at, "by": "zcdp"}
    assert (shown["rho"], shown["rho_delta"], shown["at_most"]) == (ledger.total.rho, 0, 6)
    assert json.loads(json.dumps(shown)) == shown
    assert "at_delta" not in view.as_dict(record)
    query.release(query.choose(sf.ratio(0.9)), allow_no_guarantee=True)
    assert ledger.epsilon_at(1e-6) is None
    [record] = local.records(ledger_path)
    assert view.as_dict(record, 1e-6)["at_delta"] == {"delta": 1e-6, "epsilon": None, "by": None}
    assert view.concentrated(record.total, 1e-6) == ""


@pytest.mark.parametrize("wrong", [-1e-9, 1, 2.0, math.nan, "1e-6", True])
def test_what_is_no_delta(wrong: object) -> None:
    with pytest.raises(PreferenceError, match="delta must be at least 0 and below 1, not "):
        Total().at(wrong)


def test_the_sentence_about_rho() -> None:
    many = total(*[TENTH] * 400)
    assert view.concentrated(many) == f"As zero-concentrated DP: rho 2. {of_guarantee.FIXED_BEFORE}"
    assert view.concentrated(many, 1e-6) == (
        f"As zero-concentrated DP: rho 2, which is (11.69, 1e-06)-DP. {of_guarantee.FIXED_BEFORE}"
    )
    few = total((0.1, {"rho": "1/200"}))
    least = "At delta 1e-06 the sum of the epsilons, 0.1, is the smallest known epsilon"
    anyway = f"{least}, and always holds."
    assert view.concentrated(few, 1e-6) == f"As zero-concentrated DP: rho 0.005. {of_guarantee.FIXED_BEFORE} {anyway}"
    older = total((0.1, {}), delta="1/1000000")
    assert (view.concentrated(older), view.concentrated(older, 1e-6)) == ("", f"{least}."), "and has no rho"
    keys = total((1, {"rho": "1/8", "rho_delta": "1/1000000"}), delta="1/1000000")
    assert view.concentrated(keys, 1e-9) == (
        f"As zero-concentrated DP: rho 0.125, with delta 1e-06. {of_guarantee.FIXED_BEFORE} "
        "At delta 1e-09 there is no epsilon: more delta than that is spent."
    )
    assert view.concentrated(Total(), 1e-6) == ""


def test_what_was_selected_privately_has_two_totals() -> None:
    """What is spent, and what it could have come to before epsilon was selected (docs/theory/variance.md)."""
    made = total(
        (0.1, {"guarantee": "dp-selected", "rho": "1/200", "at_most": 0.1}),
        (0.7, {"guarantee": "dp-selected", "rho": "1/5", "at_most": 10.0}),
        (0.2, {"rho": "1/50", "at_most": 0.2}),
    )
    assert (made.epsilon, made.at_most) == (1.0, 10.3)
    assert view.total_text(made) == (
        "Epsilon used so far: 1 in 3 charges (guarantee dp-selected). "
        "It could not have exceeded 10.3, whichever epsilons were selected."
    )


def test_in_a_terminal_the_entries_fit_as_far_as_they_can_be_read(ledger_path: Path) -> None:
    query = stays(ledger_path)
    query.choose(sf.variance(0.01, select_epsilon=0.5))
    record = query.dataset.ledger.record

    def widest(width: int) -> int:
        shown = view.document(record.entries, record.total, record.budget, width=width).text().split("\n\n")[0]
        return max(map(len, shown.splitlines()))

    assert widest(0) > 120
    assert widest(120) <= 120
    assert 80 < widest(80) <= 110


# After a release without a guarantee


def test_a_dataset_says_so_from_then_on(ledger_path: Path) -> None:
    query = stays(ledger_path)
    query.choose(sf.gap(1.2, worst_case=True))  # planned before the look, and so dp
    before = query.release(epsilon=0.5).certificate
    planned = query.choose(sf.gap(1.2, worst_case=True))
    none = query.release(query.choose(sf.ratio(0.9)), allow_no_guarantee=True).certificate
    assert (before.dataset_guarantee, before.dataset_total) == ("dp", 0.5)
    assert "No total exists for this dataset from now on." in repr(none)
    reopened = stays(ledger_path)
    later = reopened.release(planned).certificate
    assert (later.guarantee, later.dataset_guarantee, later.dataset_total) == ("dp", "none", None)
    for page in (repr(later), later.to_html().replace("&#x27;", "'")):
        assert f"{AFTER_NONE} about any one person by at most a factor of e^0.2." in page
    assert "no total exists (3 charges; at least one without a guarantee)" in repr(reopened.dataset.ledger)
    [record] = local.records(ledger_path)
    shown = view.as_dict(record)
    assert [shown[name] for name in ("guarantee", "spent", "delta", "rho", "rho_delta", "at_most")] == [
        "none",
        *[None] * 5,
    ]


def test_a_delta_is_said_with_the_odds(ledger_path: Path) -> None:
    query = stays(ledger_path)
    how = {"mechanism": "gaussian", "delta": 1e-6}
    planned = query.choose(sf.gap(1.2, worst_case=True), **how)  # type: ignore[arg-type]
    query.release(query.choose(sf.ratio(0.9)), allow_no_guarantee=True)
    assert "except with probability 1e-06." in repr(query.release(planned).certificate)
