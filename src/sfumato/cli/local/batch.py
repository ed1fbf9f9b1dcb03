"""`sfumato batch`: one epsilon for several queries, split by an index (DIFF), and charged once for all of them."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from sfumato.cli import answers, options
from sfumato.cli.progress import reading
from sfumato.errors import BadInput

Sqls = Annotated[list[str], typer.Option("--sql", metavar="SQL", help="A query: text or @FILE; one --sql for each.")]
Numbers = str | None


def batch(
    data: options.Data,
    schema: options.Schema,
    sql: Sqls,
    epsilon: Annotated[float, typer.Option(help="What all of it is charged, to be split over the queries.")],
    index: Annotated[
        Numbers, typer.Option(metavar="G1,G2,…", help="How wide each query's noise is, beside the others'.")
    ] = None,
    expected: Annotated[
        Numbers, typer.Option(metavar="Q1,Q2,…", help="A public guess of each answer, to find an index by.")
    ] = None,
    aim: Annotated[
        str | None,
        typer.Option(help="Of --expected: make the largest relative error smallest, the sum, or the squares."),
    ] = None,
    relative_error: Annotated[
        str, typer.Option(metavar="R", help="How far an answer may be off, as a share of it; one for all, or for each.")
    ] = "0.1",
    confidence: Annotated[float, typer.Option(help="How often what is said of errors holds.")] = 0.9,
    mechanism: options.Mechanism = "laplace",
    delta: Annotated[
        float | None,
        typer.Option(help="Of Gaussian noise and private group keys, for all queries; else of tight accounting."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the split; nothing is read, entered or charged.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show the split and enter it as the plan; nothing is read or charged.")
    ] = False,
    preregistered: options.Preregistered = "",
    redraw: options.Redraw = False,
    out: answers.Out = None,
    ledger: options.Ledger = None,
    budget: options.Budget = None,
    as_json: options.Json = False,
) -> None:
    """Several noisy answers for one epsilon, their noise as wide as an index says; all of it is charged once, first."""
    from sfumato.composition import local
    from sfumato.model.guarantee import Guarantee
    from sfumato.presentation.wording import choosing as of_choosing
    from sfumato.presentation.wording import release_sentences as of_release

    if dry_run and plan:
        raise BadInput("--dry-run plans nothing, and --plan does", hint="leave one of them out.")
    files = answers.output_files(out, len(sql))
    for file in files:
        options.require_not_read(file, "--out", data, schema, ledger)
    queries = [options.query_text(text) for text in sql]
    how: dict[str, Any] = {
        "epsilon": epsilon,
        "index": _numbers(index, "--index"),
        "expected": _numbers(expected, "--expected"),
        "aim": aim,
        "relative_error": _one_or_each(_numbers(relative_error, "--relative-error")),
        "confidence": confidence,
        "mechanism": mechanism,
        "delta": delta,
    }
    unread = local.open_without_data(schema, source=data, ledger=ledger)
    split = unread.split(queries, **how)  # whatever is wrong is said before the data is opened
    if dry_run or plan:
        if plan:
            unread.batch(queries, preregistered=preregistered, **how)
        typer.echo(json.dumps(split.as_dict(), indent=2) if as_json else split.text())
        if plan and not as_json:
            typer.echo(of_choosing.planned(Guarantee.DP, len(queries)), err=True)
        return
    dataset = local.open(data, schema, ledger=ledger, budget=budget)
    charges = dataset.ledger.total.releases
    with reading(dataset.progress):
        planned = dataset.batch(queries, preregistered=preregistered, **how)
        released = planned.release(redraw=redraw)
    whole = json.dumps(planned.as_dict() | {"releases": [each.as_dict() for each in released]}, indent=2)
    typer.echo(whole if as_json else "\n\n".join([planned.text(), *map(answers.answer_text, released)]))
    if charges == dataset.ledger.total.releases and not as_json:
        typer.echo(of_release.AS_IT_LEFT, err=True)
    try:
        answers.write(files, released, whole)
    except OSError:
        hint = "the answers are in the ledger: ask again, it costs nothing."
        raise BadInput("The answers were released, but a file could not be written", hint=hint) from None


def _numbers(text: str | None, flag: str) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"{flag} takes numbers with commas, not {text}", hint=f"try {flag} 1,10.") from None


def _one_or_each(numbers: tuple[float, ...] | None) -> float | tuple[float, ...]:
    assert numbers is not None
    return numbers[0] if len(numbers) == 1 else numbers
