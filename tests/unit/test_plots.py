"""What may be plotted of a risk profile, and who may see it."""

from __future__ import annotations

import math
import pickle
import stat
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.api.risk import RiskProfile
from sfumato.api.risk_figures import KINDS
from sfumato.errors import BadInput
from sfumato.presentation.figures.marks import Bars, Limit, Line, Pin, Points
from sfumato.privacy.risk.membership import attack_chance, attack_chance_gaussian, attack_chance_laplace

SCHEMA: dict[str, Any] = {"name": "stays", "columns": {"days": {"type": "integer", "bounds": [0, 20]}}}
SUM = "SELECT SUM(days) AS days FROM stays"


def query(sql: str = SUM, days: tuple[int, ...] = (0, 5, 10, 10), **stated: Any) -> sf.Query:
    return sf.open(pd.DataFrame({"days": days}), SCHEMA | stated, ledger=":memory:").query(sql)


def curve(profile: RiskProfile, epsilon: float, exposure: float | None = None) -> dict[float, float]:
    """Hits by false alarms, of 100."""
    first, *_ = profile.roc(epsilon, exposure).figure.of(Line)
    return dict(first.points)


def advantage(points: dict[float, float]) -> float:
    """How often somebody who was as likely in as not is told right."""
    return max(hits + 100 - alarms for alarms, hits in points.items()) / 200


@pytest.mark.parametrize("kind", KINDS)
def test_of_the_people_every_picture_stays_closed(kind: str, tmp_path: Path) -> None:
    picture = query().risk().plot(kind)
    assert repr(picture) == f"<Picture: {picture.figure.title}; call .show()>"
    with pytest.raises(TypeError):
        pickle.dumps(picture)
    picture.to_svg(tmp_path / "picture.svg")
    assert stat.S_IMODE((tmp_path / "picture.svg").stat().st_mode) == 0o600


def test_of_the_people_a_curve_stays_closed_too() -> None:
    assert repr(query().risk().roc(1.0)) == "<Picture: Attack success at each rate of false alarms; call .show()>"
    assert "any person, epsilon 1" in repr(query().worst_case().roc(1.0))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("exposure", "rdr-histogram")])
def test_of_the_worst_case_every_picture_is_public(kind: str, tmp_path: Path) -> None:
    picture = query().worst_case().plot(kind)
    assert picture.figure.title in repr(picture)
    assert "No data was read" in " ".join(repr(picture).split())
    picture.to_svg(tmp_path / "picture.svg")
    assert stat.S_IMODE((tmp_path / "picture.svg").stat().st_mode) & 0o044


def test_the_gap_is_what_is_plotted_unless_said() -> None:
    assert query().worst_case().plot() == query().worst_case().plot("gap")


def test_there_are_no_other_pictures() -> None:
    with pytest.raises(BadInput, match="gap, exposure, frontier, attack, roc"):
        query().worst_case().plot("pie")


def test_exposures_of_people_of_a_look_alike_and_with_noise() -> None:
    [bars] = query().risk().plot("exposure").figure.of(Bars)
    assert (sum(bars.heights), bars.edges[0], bars.edges[-1]) == (4, 0, 0.5)
    [invented] = query().rehearse().plot("exposure").figure.of(Bars)
    assert invented.edges[-1] <= 1
    [noisy] = query().exposure_histogram(1.0).plot("exposure").figure.of(Bars)
    assert noisy.noise > 0
    with pytest.raises(BadInput, match="same for everyone: it has no histogram"):
        query().worst_case().plot("exposure")


def test_where_everybody_is_alike_the_bar_ends_where_they_are() -> None:
    """And never beyond an exposure of 1."""
    for sql, high in (("SELECT COUNT(*) FROM stays", 1), ("SELECT COUNT(*) FROM stays WHERE days > 19", 0.01)):
        [bars] = query(sql).risk().plot("exposure").figure.of(Bars)
        assert bars.heights == (4,)
        assert bars.edges[-1] == pytest.approx(high)


def test_without_an_exposure_there_is_no_histogram_of_it() -> None:
    frame = pd.DataFrame({"days": [0, 5, 10]})
    seen = sf.open(frame, SCHEMA, ledger=":memory:", bounds_from_data=True).query(SUM).risk()
    with pytest.raises(BadInput, match="bounds are taken from the data"):
        seen.plot("exposure")


def test_the_frontier_has_the_noise_and_the_gap_of_each_epsilon() -> None:
    rehearsed = query().rehearse(sf.gap(1.2, worst_case=True))
    figure = rehearsed.plot("frontier").figure
    others, chosen = figure.of(Points)
    rows = {row.epsilon: (row.noise_90[0], row.gap) for row in rehearsed.candidates}
    assert sorted([*others.points, *chosen.points]) == sorted(rows.values())
    assert chosen.names == ("0.2",)


def test_a_limit_is_drawn_only_where_it_is_on_these_people() -> None:
    """A worst-case preference says nothing about the gap of the people in a rehearsal."""
    of_them, of_anyone = query().rehearse(sf.gap(1.2)), query().rehearse(sf.gap(1.2, worst_case=True))
    for kind in ("gap", "frontier"):
        assert [limit.y for limit in of_them.plot(kind).figure.of(Limit)] == [1.2]
        assert of_anyone.plot(kind).figure.of(Limit) == ()
    assert "allowed" in of_them.text()
    assert "allowed" not in of_anyone.text()


def test_less_than_all_is_never_drawn_as_100_percent() -> None:
    drawn = str(query().worst_case().plot("attack"))
    assert "99.996%" in drawn
    assert " 100%\n" not in drawn.partition("epsilon\n")[2].partition("      50%")[0]


def test_the_frontier_says_whose_noise_it_shows_and_needs_some() -> None:
    two = query("SELECT SUM(days) AS s, COUNT(*) AS n FROM stays").worst_case()
    assert two.plot("frontier").figure.x.label == "noise of sum of days"
    with pytest.raises(BadInput, match="selected by its rank"):
        query("SELECT MAX(days) AS d FROM stays").worst_case().plot("frontier")


def test_the_attacker_is_right_as_often_as_the_view_says() -> None:
    rehearsed = query().rehearse(sf.gap(1.2, worst_case=True))
    figure = rehearsed.plot("attack").figure
    for (epsilon, of_100), row in zip(figure.of(Line)[0].points, rehearsed.candidates, strict=True):
        assert epsilon == row.epsilon
        assert row.attack_chance <= of_100 / 100 + 1e-12 <= row.attack_chance + 0.001
    assert figure.of(Pin)[0].x == pytest.approx(0.2)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_a_curve_leads_to_the_chance_that_is_shown(epsilon: float) -> None:
    """At even odds the best point of the curve is the attacker's chance, of each noise and exposure."""
    close = pytest.approx
    assert advantage(curve(query().worst_case(), epsilon)) == close(attack_chance(epsilon), abs=1e-3)
    for exposure in (0.25, 1.0):
        found = advantage(curve(query().worst_case(), epsilon, exposure))
        assert found == close(attack_chance_laplace(epsilon, exposure), abs=1e-3)
    assert advantage(curve(query().risk(), epsilon)) == close(attack_chance_laplace(epsilon, 0.5), abs=1e-3)
    gaussian = query().worst_case("gaussian", delta=1e-6)
    assert advantage(curve(gaussian, epsilon)) == close(gaussian.at(epsilon).attack_chance, abs=2e-3)
    half = curve(gaussian, epsilon, 0.5)
    mu = 2 * NormalDist().inv_cdf(gaussian.at(epsilon).attack_chance)
    assert advantage(half) == close(attack_chance_gaussian(mu, 0.5), abs=2e-3)


@pytest.mark.parametrize("sql", [SUM, "SELECT MAX(days) AS d FROM stays"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_no_curve_promises_more_than_any_mechanism_keeps(sql: str, epsilon: float) -> None:
    """Hits are at most e^epsilon times the false alarms, and never fewer than those: below the bound, above a coin."""
    for alarms, hits in curve(query(sql).worst_case(), epsilon).items():
        assert alarms - 1e-9 <= hits <= min(100, math.exp(epsilon) * alarms) + 0.1 + 1e-9


def test_what_is_selected_by_its_rank_has_the_curve_of_any_mechanism() -> None:
    largest = query("SELECT MAX(days) AS d FROM stays").risk()
    assert advantage(curve(largest, 1)) == pytest.approx(attack_chance(1), abs=1e-3)


def test_a_curve_is_labelled_with_whom_it_is_about() -> None:
    def label(profile: RiskProfile, exposure: float | None = None) -> str:
        return profile.roc(1.0, exposure).figure.of(Line)[0].label

    assert label(query().worst_case()) == "any person, epsilon 1"
    assert label(query().worst_case(), 0.3) == "exposure 0.3, epsilon 1"
    assert label(query().risk()) == "the most exposed person, epsilon 1"


def test_curves_are_of_the_chosen_epsilon_or_of_three() -> None:
    assert [line.label for line in query().worst_case().plot("roc").figure.of(Line)] == [
        "any person, epsilon 0.1",
        "any person, epsilon 1",
        "any person, epsilon 10",
        "a blind guess",
    ]
    rehearsed = query().rehearse(sf.gap(1.2, worst_case=True)).plot("roc").figure
    assert [line.label for line in rehearsed.of(Line)] == ["the most exposed person, epsilon 0.2", "a blind guess"]


@pytest.mark.parametrize(
    ("epsilon", "exposure", "said"),
    [
        (0, None, "above 0"),
        (101, None, "at most 100"),
        (math.nan, None, "above 0"),
        (1, 1.1, "between"),
        (1, math.nan, "between"),
    ],
)
def test_a_curve_that_cannot_be_drawn_is_refused(epsilon: float, exposure: float | None, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        query().worst_case().roc(epsilon, exposure)


def test_an_exposure_that_tells_nothing_about_the_odds_is_refused() -> None:
    for asked in (query("SELECT MAX(days) AS d FROM stays"), query(relation="replace")):
        with pytest.raises(BadInput, match="does not give odds"):
            asked.worst_case().roc(1.0, 0.5)
        assert asked.worst_case().roc(1.0).figure.of(Line)
