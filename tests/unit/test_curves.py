"""The pictures of what an epsilon does: from plain numbers, through all three renderers."""

from __future__ import annotations

from math import exp, log

import pytest

from sfumato.presentation import sharing
from sfumato.presentation.figures import curves
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Limit, Line, Pin, Points, Surface
from sfumato.presentation.figures.plotly import plotly
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import text

RATES = [rate / 20 for rate in range(21)]
GAP = Axis("gap", "×", scale="log")
WORLDS = {f"without {name}": [(at, exp(-abs(at - mean))) for at in range(9)] for name, mean in (("Ann", 2), ("Bob", 5))}
BELIEFS: dict[str, list[tuple[float, float]]] = {
    "days": [(e, 1 / (1 + 3 * exp(-e))) for e in RATES],
    "years": [(0, 0.25), (1, 0.3)],
}
BELIEF = curves.belief_curves(BELIEFS, 1 / 3)
NOISE = curves.noise_curves({f"epsilon {e}": [(p, -log(p) / e) for p in RATES[1:]] for e in (0.01, 0.1, 1)}, "a count")
MTA = curves.mta_curves({f"{often}%": [(0.01, often), (1, often / 100)] for often in (90, 95)}, "within 10%")
FRONTIER = curves.frontier([(0.1, 23, 1.1), (1, 2.3, 2), (5, 0.46, 6)], GAP, limit=Limit(2, "your limit 2×"), chosen=1)
ATTACK = curves.attack_curve([(0.1, 0.52501), (1, 0.7311), (5, 0.99331)], chosen=1)
ROC = curves.roc({"any person, epsilon 1": [(rate, min(1, 2.718 * rate)) for rate in RATES]}, "About anybody.")
RISK = sharing.noise_against_risk([(0, 0.5), (2, 0.2), (4, 0.1)], 0.15, least=3, chosen=(4, 0.1))
TRUST = sharing.risk_by_trust({"low trust": [(0, 0.5), (4, 0.1)], "high trust": [(0, 0.2), (4, 0.05)]}, 0.15)
SURFACE = sharing.sharing_surface([0.1, 0.5, 0.9], [0.3, 0.7], [[0.2, 0.1, 0.02], [0.5, 0.3, 0.07]], 0.25, "no noise")
FIGURES = {
    "worlds": curves.response_curves(WORLDS, 2.2),
    "belief": BELIEF,
    "noise": NOISE,
    "mta": MTA,
    "frontier": FRONTIER,
    "attack": ATTACK,
    "roc": ROC,
    "risk": RISK,
    "trust": TRUST,
    "surface": SURFACE,
}


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_every_picture_is_drawn_by_all_three_and_says_what_it_is(figure: Figure) -> None:
    layout = plotly(figure)["layout"]
    axes = layout.get("scene", layout)
    assert axes["xaxis"]["title"]["text"] == figure.x.name
    assert figure.title in svg(figure)
    assert figure.title in text(figure)
    assert figure.note
    assert max(map(len, text(figure).split("\n"))) <= 80
    for mark in figure.marks:
        label = mark.label if isinstance(mark, Line | Points | Limit | Pin) else ""
        assert label in " ".join(text(figure).split())


def test_shares_are_shown_as_percentages() -> None:
    [limit] = BELIEF.of(Limit)
    assert limit.y == pytest.approx(33.333, abs=1e-3)
    assert limit.label == "at most 33.3%"
    assert BELIEF.of(Line)[1].points == ((0, 25), (1, 30))
    assert NOISE.of(Line)[0].points[-1] == (100, 0)
    assert NOISE.across.low == 0


def test_what_is_at_most_is_rounded_up() -> None:
    [chances] = ATTACK.of(Line)
    assert chances.points == ((0.1, 52.6), (1, 73.2), (5, 99.4))
    assert ROC.of(Line)[0].points[1] == (5, 13.6)
    assert ATTACK.of(Pin) == (Pin(1, "chosen: 1"),)


def test_a_single_epsilon_is_a_point() -> None:
    assert curves.attack_curve([(1, 0.7)]).of(Points) == (Points(((1, 70.0),)),)


def test_the_frontier_names_every_epsilon_and_sets_the_chosen_one_apart() -> None:
    others, chosen = FRONTIER.of(Points)
    assert others == Points(((23, 1.1), (0.46, 6)), "candidate epsilons", ("0.1", "5"))
    assert chosen == Points(((2.3, 2),), "chosen", ("1",))
    assert len(curves.frontier([(1, 2.3, 2)], GAP).of(Points)) == 1


def test_a_blind_guess_is_on_the_diagonal() -> None:
    assert ROC.of(Line)[-1] == Line(((0, 0), (100, 100)), "a blind guess")


def test_the_limit_of_sharing_is_marked_and_so_is_the_noise_that_meets_it() -> None:
    assert RISK.of(Limit) == TRUST.of(Limit) == (Limit(0.15, "your limit 0.15"),)
    assert RISK.of(Pin) == (Pin(3, "within your limit from 3"),)
    assert RISK.up.low == RISK.across.low == 0
    assert not sharing.noise_against_risk([(0, 0.5), (2, 0.2)]).of(Limit)


def test_the_surface_has_trust_across_and_sensitivity_up() -> None:
    [surface] = SURFACE.of(Surface)
    assert (surface.xs, surface.ys, surface.limit) == ((0.1, 0.5, 0.9), (0.3, 0.7), 0.25)
    assert [surface.over(height) for height in surface.flat] == [False, False, False, True, True, False]
