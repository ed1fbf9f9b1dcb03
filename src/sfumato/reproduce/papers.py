"""Every reproduction by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sfumato.errors import BadInput
from sfumato.reproduce import diff, dpp, lee_clifton, pri, rdr, scaling
from sfumato.reproduce.finding import Reproduction
from sfumato.reproduce.study import Study

REPRODUCTIONS: dict[str, Callable[[Study], Reproduction]] = {
    "fig2": rdr.figure_2,
    "fig7": rdr.figure_7,
    "fig9": rdr.figure_9,
    "lee-clifton": lee_clifton.tables_and_figures,
    "diff": diff.examples,
    "dpp": dpp.situations,
    "pri": pri.figures,
    "scaling": scaling.scaling,
}
ALL = "all"


def reproduced(what: str, study: Study) -> Iterator[Reproduction]:
    """One of them, or all, one after the other."""
    if what == "escrow":
        hint = "Figure 8 of 003 times queries in an escrow, which is not built yet."
        raise BadInput("There is no escrow to reproduce", hint=hint)
    if what not in (*REPRODUCTIONS, ALL):
        raise BadInput(f"There is no reproduction '{what}'", hint=f"it is {', '.join(REPRODUCTIONS)} or {ALL}.")
    for name, reproduce in REPRODUCTIONS.items():
        if what in (name, ALL):
            yield reproduce(study)
