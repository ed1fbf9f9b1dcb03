"""Lee & Clifton, "How Much Is Enough? Choosing eps for Differential Privacy": Tables 2 to 4, Figures 1 to 3."""

from __future__ import annotations

from sfumato.reproduce.finding import Reproduction, Value, beside, titled
from sfumato.reproduce.study import Study
from sfumato.risk.belief import (
    disclosure_risk,
    epsilon_bound,
    epsilon_for_belief,
    global_sensitivity,
    laplace_density,
    local_sensitivity,
    mean,
    median,
    one_missing,
    posterior,
    risk_bound,
    tail_ratio,
)
from sfumato.views.curves import belief_curves, response_curves
from sfumato.views.figure import Figure

PAPER = "How Much Is Enough? Choosing eps for Differential Privacy"
ABSENCE, YEAR = (1.0, 2.0, 3.0, 10.0), (1.0, 2.0, 3.0, 4.0)
RHO = 1 / 3
EPSILONS = (5, 2, 1, 0.5, 0.1, 0.01)
TABLE_2 = (  # with the responses at which its columns come out
    (5, 2.0, "0.9705 0.0159 0.0087 0.0049"),
    (2, 2.3943, "0.5519 0.1859 0.1463 0.1159"),
    (1, 2.0, "0.4596 0.2019 0.1791 0.1594"),
    (0.5, 2.0, "0.3477 0.2305 0.2171 0.2048"),
    (0.1, 5.0, "0.2328 0.2527 0.2558 0.2588"),
    (0.01, 5.0, "0.2482 0.2503 0.2506 0.2509"),
)
TABLE_3 = (
    "0.9705 0.0158 0.0088 0.0049",
    "0.6825 0.1315 0.1039 0.0821",
    "0.4596 0.2017 0.1793 0.1594",
    "0.3477 0.2303 0.2172 0.2048",
    "0.2680 0.2469 0.2440 0.2411",
    "0.2518 0.2497 0.2494 0.2491",
)
NOTES = (
    "The sensitivity is that of a public universe, and the worlds are two steps of adding and removing apart: this "
    "paper's epsilon is not that of a mechanism that protects by adding or removing.",
    "Print: the prior “C(n, n-1) = 1/n” is one over that; after (7) “the minimum eps needed” is the maximum allowed; "
    "in 5.2 the bound gives a smaller eps than needed, not a greater one, and no search on [0, bound] improves on it.",
)


def tables_and_figures(_study: Study) -> Reproduction:
    """The students of Table 1: whose absence can be told from the mean, or from the median."""
    values = [*_sensitivities(), *_response(), *_epsilons(), *_tables()]
    title = "Tables 2 to 4, Figures 1 to 3"
    return Reproduction(
        "lee-clifton", title, PAPER, tuple(values), (_figure_1(), _figure_2(), *_figure_3()), notes=NOTES
    )


def _means(universe: tuple[float, ...]) -> list[float]:
    return [mean(world) for world in one_missing(universe)]


def _medians() -> list[float]:
    return [median(world) for world in one_missing(ABSENCE)]


def _width(answers: list[float]) -> float:
    return max(answers) - min(answers)


def _sensitivities() -> list[Value]:
    local = [local_sensitivity(world, median) for world in one_missing(ABSENCE)]
    return [
        beside("4.1: sensitivity of the mean, absence days", "17/6", global_sensitivity(ABSENCE, mean)),
        beside("4.4: sensitivity of the mean, school year", "5/6", global_sensitivity(YEAR, mean)),
        beside("Table 4: sensitivity of the median in each world", "0.5 4 3.5 3.5", local),
        beside(
            "5.2, 6: widths of the means and of the medians",
            "3 1 1",
            [_width(_means(ABSENCE)), _width(_means(YEAR)), _width(_medians())],
        ),
    ]


def _response() -> list[Value]:
    """The responses of sections 4.1 and 4.4, at epsilon 2."""
    scale, year = (global_sensitivity(universe, mean) / 2 for universe in (ABSENCE, YEAR))
    worlds, response = _means(ABSENCE), 2.2013
    densities = [laplace_density(response, world, scale) for world in worlds]
    return [
        beside("4.1: a response above 3.1677, from X and from X'", "3.2933", tail_ratio(3.1677, 4.0, 2.0, scale)),
        beside(
            "4.4: densities at 2.2013",
            "0.3602 0.0784 0.0619 0.0489",
            densities,
            erratum="the first is 0.3062, as in its own denominator",
        ),
        beside("4.4: belief that Terry is missing", "0.6180", posterior(worlds, scale, response)[0]),
        beside(
            "4.4: the same from school years",
            "0.3390",
            posterior(_means(YEAR), year, response)[0],
            note="the best guess is the second world then, believed at 0.4003: it is wrong",
        ),
    ]


def _epsilons() -> list[Value]:
    absence, year, middle = _means(ABSENCE), _means(YEAR), _medians()
    of_absence, of_year, of_median = (
        global_sensitivity(ABSENCE, mean),
        global_sensitivity(YEAR, mean),
        global_sensitivity(ABSENCE, median),
    )
    return [
        beside("(9): epsilon by the bound, absence days", "0.3829", epsilon_bound(4, RHO, of_absence, _width(absence))),
        beside("5.2: the same, school year", "0.3379", epsilon_bound(4, RHO, of_year, _width(year))),
        beside("(18): the same, median of absence days", "1.6219", epsilon_bound(4, RHO, of_median, _width(middle))),
        beside("(12): risk of the school years at epsilon 0.5", "0.3292", disclosure_risk(year, of_year / 0.5)),
        beside("exact epsilon, absence days", "", epsilon_for_belief(absence, of_absence, RHO)),
        beside("exact epsilon, school year", "", epsilon_for_belief(year, of_year, RHO)),
        beside(
            "(21): exact epsilon, median",
            "2.776",
            epsilon_for_belief(middle, of_median, RHO),
            erratum="4 ln 2 is 2.7726",
        ),
    ]


def _tables() -> list[Value]:
    rounded, exact = [2.0, 4.33, 4.67, 5.0], _means(ABSENCE)
    sensitivity = global_sensitivity(ABSENCE, mean)
    second = [
        beside(
            f"Table 2, epsilon {e:g}: at a response of {g:g}", printed, posterior(rounded, sensitivity / e, g), digits=4
        )
        for e, g, printed in TABLE_2
    ]
    third = [
        beside(f"Table 3, epsilon {e:g}", printed, posterior(exact, sensitivity / e, exact[0]), digits=4)
        for e, printed in zip(EPSILONS, TABLE_3, strict=True)
    ]
    return [*second, *third]


def _figure_1() -> Figure:
    scale = global_sensitivity(ABSENCE, mean) / 2
    return titled("Figure 1", _responses(_means(ABSENCE), scale, "Mean of absence days, epsilon 2.", response=1.0))


def _figure_2() -> Figure:
    """The bound, and the risk itself, for both attributes."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for name, universe in (("absence days", ABSENCE), ("school year", YEAR)):
        worlds, sensitivity = _means(universe), global_sensitivity(universe, mean)
        epsilons = [0.05 * i for i in range(1, 101)]
        curves[f"{name}, bound"] = [(e, risk_bound(1 / 4, e, sensitivity, _width(worlds))) for e in epsilons]
        curves[f"{name}, exact"] = [(e, disclosure_risk(worlds, sensitivity / e)) for e in epsilons]
    return titled("Figure 2", belief_curves(curves, RHO, "Of which student is missing, from the mean."))


def _figure_3() -> list[Figure]:
    return [
        titled(f"Figure 3 ({letter})", _responses(worlds, sensitivity / 2, f"{name} of absence days, epsilon 2."))
        for letter, name, worlds, sensitivity in (
            ("a", "Mean", _means(ABSENCE), global_sensitivity(ABSENCE, mean)),
            ("b", "Median", _medians(), global_sensitivity(ABSENCE, median)),
        )
    ]


def _responses(worlds: list[float], scale: float, subtitle: str, response: float | None = None) -> Figure:
    names: dict[float, str] = {}
    for place, world in enumerate(worlds, 1):
        names[world] = f"{names[world]} and {place}" if world in names else f"world {place}"
    xs = sorted({0.05 * i - 2 for i in range(221)} | set(worlds))
    curves = {name: [(x, laplace_density(x, world, scale)) for x in xs] for world, name in names.items()}
    return response_curves(curves, response, subtitle)
