"""Comparison of methods: the epsilons that each allows for a query, its guarantee and what it needs."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.errors import SfumatoError
from sfumato.model.method_comparison import MethodComparison
from sfumato.presentation import method_comparison_view as view
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import method_comparison_sentences as of_compare
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.web.explorer import SqlParameter, problem_of, query_form
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)


@screens.get("/datasets/{name}/compare")
def compare(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    name: NameInPath,
    sql: SqlParameter = "",
) -> Response:
    dataset = escrow.datasets.controlled(actor, name)
    around = query_form(dataset, sql) | {"compared": None}
    if not sql.strip():
        return page("compare.html", **around)
    try:
        comparison = escrow.questions.side_by_side(actor, dataset.name, sql)
    except SfumatoError as refused:
        return page("compare.html", **around | {"problem": problem_of(refused)})
    around |= {"compared": _table(comparison)}
    return page("compare.html", facts={"figure": view.page_figure(comparison)}, **around)


def _table(comparison: MethodComparison) -> dict[str, Any]:
    heads, rows = view.methods(comparison, whole=True)
    *more, conclusion = view.conclusions(comparison)
    return {
        "lead": of_compare.compared(comparison),
        "conclusion": conclusion,
        "heads": heads,
        "rows": rows,
        "notes": [*view.notes(comparison, on_a_page=True), *more],
        "bars": of_compare.COMPARED_BARS,
        "confidential": of_guarantee.CONTROLLER_ONLY if comparison.confidential else "",
    }
