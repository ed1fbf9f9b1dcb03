"""Lee & Clifton, "How Much Is Enough? Choosing eps for Differential Privacy": Tables 2 to 4, Figures 1 to 3."""

from __future__ import annotations

from sfumato.api.universe import possible_worlds
from sfumato.presentation.figures.curves import belief_curves
from sfumato.presentation.figures.figure import Figure
from sfumato.privacy.risk.belief import laplace_density, local_sensitivity, median, posterior
from sfumato.reproduce.data import Study
from sfumato.reproduce.finding import Reproduction, Value, beside, with_place

PAPER = "How Much Is Enough? Choosing eps for Differential Privacy"
ABSENCE, YEAR = possible_worlds((1, 2, 3, 10)), possible_worlds((1, 2, 3, 4))  # means
MEDIAN = possible_worlds(ABSENCE.universe, "median")
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
    "Table 2 comes out only with means rounded to 4.33 and 4.67, at responses that the paper does not print; those "
    "here were found from its first column.",
    "The sensitivity is that of a public universe, and the worlds are two steps of adding and removing apart: this "
    "paper's epsilon is not that of a mechanism that protects by adding or removing.",
    "Print: the prior “C(n, n-1) = 1/n” is one over that; after (7) “the minimum eps needed” is the maximum allowed; "
    "in 5.2 the bound gives a smaller eps than needed, not a greater one, and no search on [0, bound] improves on it.",
)


def tables_and_figures(_study: Study) -> Reproduction:
    """The students of Table 1: whose absence can be told from the mean, or from the median."""
    values = [*_sensitivities(), *_response(), *_epsilons(), *_tables()]
    title = "Tables 2 to 4, Figures 1 to 3"
    return Reproduction("lee-clifton", title, PAPER, tuple(values), _figures(), notes=NOTES)


def _sensitivities() -> list[Value]:
    local = [local_sensitivity(world, median) for world in MEDIAN.worlds]
    return [
        beside("4.1: sensitivity of the mean, absence days", "17/6", ABSENCE.sensitivity),
        beside("4.4: sensitivity of the mean, school year", "5/6", YEAR.sensitivity),
        beside("Table 4: sensitivity of the median in each world", "0.5 4 3.5 3.5", local),
        beside("5.2, 6: widths of the means and of the medians", "3 1 1", [ABSENCE.width, YEAR.width, MEDIAN.width]),
    ]


def _response() -> list[Value]:
    """The responses of sections 4.1 and 4.4, at epsilon 2."""
    response, scale = 2.2013, ABSENCE.sensitivity / 2
    densities = [laplace_density(response, answer, scale) for answer in ABSENCE.answers]
    return [
        beside("4.1: a response above 3.1677, from X and from X'", "3.2933", ABSENCE.times_as_often(3.1677, 2)),
        beside(
            "4.4: densities at 2.2013",
            "0.3602 0.0784 0.0619 0.0489",
            densities,
            erratum="the first is 0.3062, as in its own denominator",
        ),
        beside("4.4: belief that Terry is missing", "0.6180", ABSENCE.posterior(response, 2)[0]),
        beside(
            "4.4: the same from school years",
            "0.3390",
            YEAR.posterior(response, 2)[0],
            note="the best guess is the second world then, believed at 0.4003: it is wrong",
        ),
    ]


def _epsilons() -> list[Value]:
    return [
        beside("(9): epsilon by the bound, absence days", "0.3829", ABSENCE.epsilon(RHO, bound=True)),
        beside("5.2: the same, school year", "0.3379", YEAR.epsilon(RHO, bound=True)),
        beside("(18): the same, median of absence days", "1.6219", MEDIAN.epsilon(RHO, bound=True)),
        beside("(12): risk of the school years at epsilon 0.5", "0.3292", YEAR.risk(0.5)),
        beside("exact epsilon, absence days", "", ABSENCE.epsilon(RHO)),
        beside("exact epsilon, school year", "", YEAR.epsilon(RHO)),
        beside("(21): exact epsilon, median", "2.776", MEDIAN.epsilon(RHO), erratum="4 ln 2 is 2.7726"),
        beside("best guess right on average, absence days, epsilon 2", "", ABSENCE.average(2)),
    ]


def _tables() -> list[Value]:
    rounded = [2.0, 4.33, 4.67, 5.0]
    second = [
        beside(
            f"Table 2, epsilon {e:g}, response {g:g}",
            printed,
            posterior(rounded, ABSENCE.sensitivity / e, g),
            digits=4,
        )
        for e, g, printed in TABLE_2
    ]
    third = [
        beside(f"Table 3, epsilon {e:g}", printed, ABSENCE.posterior(ABSENCE.answers[0], e), digits=4)
        for e, printed in zip(EPSILONS, TABLE_3, strict=True)
    ]
    return [*second, *third]


def _figures() -> tuple[Figure, ...]:
    """What each world answers, the risk and its bound, and mean beside median."""
    curves = {}
    for name, worlds in (("absence days", ABSENCE), ("school year", YEAR)):
        epsilons = [0.05 * i for i in range(1, 101)]
        curves[f"{name}, bound"] = [(e, worlds.bound(e)) for e in epsilons]
        curves[f"{name}, exact"] = [(e, worlds.risk(e)) for e in epsilons]
    return (
        with_place("Figure 1", ABSENCE.responses(2, 1.0).figure),
        with_place("Figure 2", belief_curves(curves, RHO, "Belief about which student is missing, from the mean.")),
        with_place("Figure 3 (a), mean", ABSENCE.responses(2).figure),
        with_place("Figure 3 (b), median", MEDIAN.responses(2).figure),
    )
