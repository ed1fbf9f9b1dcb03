"""Figures that hold every mark, and the words that each must show, whoever draws it."""

from math import inf

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Bars, Box, Dots, Limit, Line, Pin, Points, Range, Span, Surface
from sfumato.presentation.figures.scale import Axis

EPSILON = Axis("epsilon")
RATIO = Axis("the risk of the person most at risk over that of the one least at risk", "times")
GAP = Figure(
    "Risk gap",
    "bed-days by ward",
    EPSILON,
    RATIO,
    (
        Range(0.5, 1, 1.12),
        Range(0.75, 1, 1.19, "chosen"),
        Range(1, 1, 1.25, "over"),
        Range(5, 1, 2.24, "over", "over the ceiling"),
        Limit(1.2, "your limit 1.2×"),
    ),
    "The gap compares people in this dataset. It is not a probability.",
)
TAIL = Bars(tuple(i / 60 for i in range(61)), (812.0, 95.0, *[0.0] * 57, 1.0))
EXPOSURE = Figure("Exposure", "of everyone", Axis("exposure"), Axis("people"), (TAIL,))
ODDS = Figure("Odds", "in words", Axis(""), Axis(""), (Dots(32, 100, "not in"), Dots(68, 100, "in")))
CURVES = Figure(
    "Guesses",
    "by trust",
    Axis("noise", "people"),
    Axis("right guesses", "%"),
    (Line(((0, 90), (10, 40)), "low trust"), Line(((0, 70), (10, 30)), "high trust"), Limit(60, "tolerable")),
)
MEASURED = Figure(
    "Measured",
    "against theory",
    Axis("noise", "people"),
    Axis("right guesses", "%"),
    (
        Line(((0, 90), (10, 40)), "theory"),
        Points(((0, 88), (5, 66), (10, 39)), "first run", ("run a", "run b", "run c")),
        Points(((0, 81), (5, 61), (10, 31)), "second run"),
        Limit(70, "tolerable"),
        Pin(4, "chosen noise"),
    ),
)
BOXES = Figure(
    "Boxes",
    "of many draws",
    Axis("p"),
    Axis("error", "people"),
    (Box(10, 1, 2.5, 4, 6, 9, "p = 10"), Box(5, 0.5, 1, 2, 3, 8, "p = 5"), Limit(7, "at most 7")),
)
METHODS = Figure(
    "Methods",
    "every epsilon that will do",
    Axis("epsilon", scale="log"),
    Axis("method"),
    (
        Span("gap at most 1.2", 0, 0.75, "chosen", "for anybody"),
        Span("within 10", 0.23, inf),
        Span("belief at most 1 in 3", 0.1, 0.38, "over", "no guarantee"),
        Span("fixed", 1, 1),
        Pin(0.5, "your epsilon"),
    ),
)
SHARING = Figure(
    "Sharing",
    "by trust and sensitivity",
    Axis("trust", ticks=(1, 2, 3)),
    Axis("sensitivity"),
    (Surface((1, 2, 3), (1, 2), ((30, 20, 10), (61, 42, 23)), "at no noise", 40),),
    z=Axis("risk", "%"),
)
FIGURES = [GAP, EXPOSURE, ODDS, CURVES, MEASURED, BOXES, METHODS, SHARING]
SAID = {
    "Risk gap": ["0.5", "0.75", "1.12", "1.19", "1.25", "2.24", "✓ allowed", "● chosen", "✕ over", "ceiling"],
    "Exposure": ["0", "1", "people", "exposure"],
    "Odds": ["not in: 32 of 100", "in: 68 of 100"],
    "Measured": ["theory", "first run", "run b", "second run", "chosen noise", "noise (people)", "right guesses (%)"],
    "Boxes": ["p = 5", "p = 10", "2", "4", "error (people)"],
    "Methods": [
        "● gap at most 1.2",
        "up to 0.75",
        "for anybody",
        "✓ within 10",
        "from 0.23",
        "✕ belief",
        "0.1 to 0.38",
    ],
    "Sharing": ["at no noise", "risk (%)", "over the limit 40%", "61%", "42%", "23%", "trust", "sensitivity"],
    "Guesses": ["low trust", "high trust", "tolerable", "30%", "noise (people)", "right guesses (%)"],
}
