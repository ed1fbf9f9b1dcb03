"""Noise of a query before it is asked: how far it goes how often, and the smallest meaningful answer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.errors import BadInput, SfumatoError
from sfumato.presentation import noise_view
from sfumato.presentation.figures.plotly import page_plotly
from sfumato.presentation.wording import noise_sentences as of_noise
from sfumato.release.risk.noise_plan import NoisePlan
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.web.explorer import SqlParameter, first_query, problem_of
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
_MOST = 20
Typed = Annotated[str, Query(max_length=200)]
_PLOTS = (("noise", of_noise.BY_PROBABILITY), ("least", of_noise.BY_EPSILON), ("least-by-error", of_noise.BY_ERROR))


@screens.get("/datasets/{name}/noise")
def noise(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    name: NameInPath,
    sql: SqlParameter = "",
    epsilon: Typed = "0.1, 1",
    probability: Typed = "0.5, 0.3, 0.1",
    expected: Typed = "",
    expected_count: Typed = "",
    within: Typed = "",
    relative_error: Typed = "10",
) -> Response:
    """For analysts and controllers, from public facts: what an epsilon means for an answer of their own."""
    dataset = escrow.datasets.one(actor, name)
    typed = {"sql": sql or first_query(dataset.name), "epsilon": epsilon, "probability": probability}
    typed |= {"expected": expected, "expected_count": expected_count, "within": within}
    typed |= {"relative_error": relative_error}
    around: dict[str, Any] = {"dataset": dataset, "typed": typed, "problem": None, "found": None, "plots": []}
    if not sql.strip():
        return page("noise.html", words=of_noise, **around)
    try:
        how: dict[str, Any] = {"probabilities": _numbers("probability", probability)}
        guesses = {"expected": expected, "expected_count": expected_count, "within": within}
        how |= {given: _numbers(given, text)[0] for given, text in guesses.items() if text.strip()}
        how["relative_error"] = _numbers("relative_error", relative_error)[0] / 100
        plan = escrow.questions.noise(actor, dataset.name, sql, _numbers("epsilon", epsilon), how)
    except SfumatoError as refused:
        return page("noise.html", words=of_noise, **around | {"problem": problem_of(refused)})
    plots = _plots(plan)
    around |= {"found": noise_view.worded(plan.view), "plots": [(kind, title) for kind, title, _ in plots]}
    return page("noise.html", words=of_noise, facts={"plots": {kind: drawn for kind, _, drawn in plots}}, **around)


def _plots(plan: NoisePlan) -> list[tuple[str, str, dict[str, Any]]]:
    figures = [(kind, title, noise_view.figure(plan, kind)) for kind, title in _PLOTS]
    return [(kind, title, page_plotly(figure)) for kind, title, figure in figures if figure is not None]


def _numbers(name: str, text: str) -> list[float]:
    """Numbers as they were typed, with commas or blanks between them."""
    try:
        numbers = [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= _MOST:
        label = name.replace("_", " ").capitalize()
        raise BadInput(f"{label} must be 1 to {_MOST} numbers", hint="write them with commas, such as 0.1, 0.5.")
    return numbers
