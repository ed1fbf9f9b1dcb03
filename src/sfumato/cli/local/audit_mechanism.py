"""`sfumato audit-mechanism`: a black-box audit on people who were made up."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.progress import waiting


def audit_mechanism(
    mechanism: Annotated[
        str,
        typer.Option(
            help="laplace, gaussian, truncated, exponential (ranks), threshold (private keys), selection-variance, "
            "selection-cap; algorithm-1 or algorithm-3 as published."
        ),
    ],
    aggregate: Annotated[
        str, typer.Option(help="count, sum, avg, var, distinct, min, max, median, quantile or group-by.")
    ],
    epsilon: Annotated[float, typer.Option(help="The epsilon that is claimed.")],
    delta: options.Delta = None,
    relation: Annotated[str, typer.Option(help="What neighbours differ in: add-remove, or replace.")] = "add-remove",
    runs: Annotated[int, typer.Option(help="How often each of the two tables is asked.")] = 2000,
    confidence: Annotated[
        float, typer.Option(help="What is shown is more than the real epsilon in at most 1 - this of all audits.")
    ] = 0.999,
    as_json: options.Json = False,
) -> None:
    """Ask two made-up tables that differ in one person, again and again: does what comes out contradict epsilon?"""
    from sfumato.auditing.audit import Auditing, audit_setup
    from sfumato.presentation.wording import audit as of_audit

    auditing = Auditing(audit_setup(mechanism, aggregate, epsilon, delta, relation), runs, confidence)
    with waiting(auditing.progress, of_audit.AUDITING):
        audit = auditing.result()
    typer.echo(json.dumps(audit.as_dict(), indent=2) if as_json else str(audit))
    if not audit.holds:
        raise typer.Exit(3)
