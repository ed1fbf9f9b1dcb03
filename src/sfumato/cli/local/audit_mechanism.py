"""`sfumato audit-mechanism`: a black-box audit on generated people."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.options import option
from sfumato.cli.progress import waiting


def audit_mechanism(
    mechanism: Annotated[
        str,
        option(
            "Mechanism: laplace, gaussian, truncated, exponential (ranks), threshold (private keys), "
            "selection-variance, selection-cap; algorithm-1 or algorithm-3 as published.",
            "NAME",
        ),
    ],
    aggregate: Annotated[
        str, option("Aggregate: count, sum, avg, var, distinct, min, max, median, quantile or group-by.", "NAME")
    ],
    epsilon: Annotated[float, option("Claimed epsilon.", "E")],
    delta: options.Delta = None,
    relation: Annotated[str, option("How neighbouring tables differ: add-remove or replace.", "NAME")] = "add-remove",
    runs: Annotated[int, option("Number of runs on each of the two tables.", "N")] = 2000,
    confidence: Annotated[
        float, option("Confidence: the lower bound exceeds the true epsilon in at most 1 - this of all audits.")
    ] = 0.999,
    as_json: options.Json = False,
) -> None:
    """Query two generated tables that differ in one person many times, and test whether the results contradict epsilon.

    No data is read. The exit status is 3 if the claim is contradicted.
    """
    from sfumato.auditing.audit import Auditing, audit_setup
    from sfumato.presentation.wording import audit as of_audit

    auditing = Auditing(audit_setup(mechanism, aggregate, epsilon, delta, relation), runs, confidence)
    with waiting(auditing.progress, of_audit.AUDITING):
        audit = auditing.result()
    typer.echo(json.dumps(audit.as_dict(), indent=2) if as_json else str(audit))
    if not audit.holds:
        raise typer.Exit(3)
