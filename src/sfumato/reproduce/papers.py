"""Every reproduction by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec

from sfumato.errors import BadInput
from sfumato.reproduce import diff, dpp, escrow, escrow_finding, lee_clifton, models, pri, rdr, scaling
from sfumato.reproduce.data import Study
from sfumato.reproduce.finding import Reproduction

REPRODUCTIONS: dict[str, Callable[[Study], Reproduction]] = {
    "fig2": rdr.figure_2,
    "fig7": rdr.figure_7,
    "fig9": rdr.figure_9,
    "lee-clifton": lee_clifton.tables_and_figures,
    "diff": diff.examples,
    "dpp": dpp.situations,
    "pri": pri.figures,
    "models": models.table_1,
    "escrow": escrow.figure_8,
    "escrow-finding": escrow_finding.figure_9,
    "scaling": scaling.scaling,
}
NEEDS = dict.fromkeys(
    ("escrow", "escrow-finding"), ("alembic", "argon2", "cryptography")
)  # installed by the [server] extra; without it, not among all
ALL = "all"


def reproductions(what: str, study: Study) -> Iterator[Reproduction]:
    """One of them, or all, one after the other."""
    if what not in (*REPRODUCTIONS, ALL):
        raise BadInput(f"There is no reproduction '{what}'", hint=f"use {', '.join(REPRODUCTIONS)} or {ALL}.")
    for name, reproduce in REPRODUCTIONS.items():
        if what == name or (what == ALL and all(map(find_spec, NEEDS.get(name, ())))):
            yield reproduce(study)
