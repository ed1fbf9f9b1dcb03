"""`sfumato batch`: one epsilon for several queries, split by an index (DIFF) and charged once."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from sfumato.cli import answers, options
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import option
from sfumato.cli.output import show
from sfumato.cli.progress import reading
from sfumato.errors import BadInput


@with_option_groups
def batch(
    *,
    table: options.TableFlags,
    sql: options.Sqls,
    epsilon: Annotated[float, option("Epsilon of all queries together.", "E")],
    index: Annotated[str | None, option("Relative width of the noise of each query.", "G1,G2,…")] = None,
    expected: Annotated[str | None, option("Public estimate of each answer, to find an index.", "Q1,Q2,…")] = None,
    aim: Annotated[
        str | None, option("What to minimize with --expected: the largest relative error, the sum, or squares.", "AIM")
    ] = None,
    relative_error: Annotated[
        str, option("Maximum error as a share of the answer: one for all queries, or one for each.", "R")
    ] = "0.1",
    confidence: Annotated[float, option("Probability that the stated errors hold.")] = 0.9,
    mechanism: options.Mechanism = "laplace",
    delta: Annotated[
        float | None, option("Delta of all queries: for Gaussian noise, private group keys or tight accounting.", "D")
    ] = None,
    dry_run: Annotated[bool, options.flag("--dry-run", "Show the split; no data is read, nothing is charged.")] = False,
    check: Annotated[
        bool,
        options.flag("--check", "Plan the split and test the true answers against it; logged as a look, no release."),
    ] = False,
    plan: Annotated[
        bool, options.flag("--plan", "Show the split and enter it as the plan; nothing is charged.")
    ] = False,
    preregistered: options.Preregistered = "",
    redraw: options.Redraw = False,
    out: answers.Out = None,
    budget: options.Budget = None,
    cohort: options.Cohort = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Release several noisy answers for one epsilon, split by an index (DIFF) and charged once."""
    from sfumato.model.guarantee import Guarantee
    from sfumato.presentation.wording import choosing as of_choosing
    from sfumato.presentation.wording import release_sentences as of_release

    if dry_run + plan + check > 1:
        raise BadInput("--dry-run, --plan and --check exclude each other", hint="state one of them.")
    files = answers.output_files(out, len(sql))
    for file in files:
        options.require_not_read(file, "--out", table.source, table.schema, table.ledger)
    queries = [options.query_text(text) for text in sql]
    errors = options.parse_numbers(relative_error, "--relative-error")
    how: dict[str, Any] = {
        "epsilon": epsilon,
        "index": index and options.parse_numbers(index, "--index"),
        "expected": expected and options.parse_numbers(expected, "--expected"),
        "aim": aim,
        "relative_error": errors[0] if len(errors) == 1 else errors,
        "confidence": confidence,
        "mechanism": mechanism,
        "delta": delta,
    }
    unread = table.open_without_data()
    split = unread.split(queries, **how)  # errors come before the data is opened
    if dry_run or plan:
        if plan:
            unread.batch(queries, preregistered=preregistered, **how)
        show(split, as_json)
        if plan and not as_json:
            typer.echo(of_choosing.planned(Guarantee.DP, len(queries)), err=True)
        return
    dataset = table.open(budget=budget, cohort=cohort)
    if check:
        confirm_look(yes=yes)
        with reading(dataset.progress):
            tested = dataset.batch(queries, preregistered=preregistered, **how).check()
            text = json.dumps(tested.as_dict(), indent=2) if as_json else f"{split.text()}\n\n{tested.text()}"
        typer.echo(text)
        return
    charges = dataset.ledger.total.releases
    with reading(dataset.progress):
        planned = dataset.batch(queries, preregistered=preregistered, **how)
        released = planned.release(redraw=redraw)
    whole = json.dumps(planned.as_dict() | {"releases": [each.as_dict() for each in released]}, indent=2)
    places = files[1::2] or [*files, None][:1] * len(released)
    texts = map(answers.answer_text, released, places)
    typer.echo(whole if as_json else "\n\n".join([planned.text(), *texts]))
    if charges == dataset.ledger.total.releases and not as_json:
        typer.echo(of_release.AS_IT_LEFT, err=True)
    with answers.writing_answers("the answers are in the ledger: run the command again, it costs nothing"):
        answers.write(files, released, whole)
