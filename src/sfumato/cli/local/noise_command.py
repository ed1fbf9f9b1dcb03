"""`sfumato noise`: how far the noise of an answer goes, and the smallest answer of which that is little."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import option
from sfumato.cli.output import write_file
from sfumato.errors import BadInput


@with_option_groups
def noise(
    *,
    target: options.QueryFlags,
    epsilon: Annotated[str, option("Epsilon, or several.", "E1,E2,…")],
    probability: Annotated[
        str, option("How often the noise is at least as large as shown: one or several.", "P1,P2,…")
    ] = "0.5,0.3,0.1",
    expected: Annotated[float | None, option("Public guess of the answer, whose relative error is shown.", "Q")] = None,
    expected_count: options.ExpectedCount = None,
    relative_error: Annotated[float, option("Error that is little, as a share of the answer.", "R")] = 0.1,
    within: Annotated[float | None, option("Error of an average that is little, in its own units.", "X")] = None,
    confidence: Annotated[float, option("Probability that the error is no larger.")] = 0.9,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    plot: Annotated[str | None, option("Print one picture: noise, least or least-by-error.", "KIND")] = None,
    svg: Annotated[Path | None, option("Write the picture as a file; by default the noise.", "FILE.svg")] = None,
    as_json: options.Json = False,
) -> None:
    """Show how far noise goes how often, and the smallest meaningful answer, from public facts; no data is read."""
    from sfumato.presentation.figures.terminal import text as picture_text

    options.require_writable(svg, "--svg", ".svg")
    if plot is not None and as_json:
        raise BadInput("--plot and --json exclude each other", hint="leave one of them out.")
    query = target.open_without_data(read_columns=True).query(target.text, target.parameters)
    profile = query.noise(
        options.parse_numbers(epsilon, "--epsilon"),
        probabilities=options.parse_numbers(probability, "--probability"),
        expected=expected,
        expected_count=expected_count,
        within=within,
        relative_error=relative_error,
        confidence=confidence,
        mechanism=mechanism,
        delta=delta,
        calibration=calibration,
    )
    picture = profile.plot(plot or "noise") if plot is not None or svg is not None else None
    if as_json:
        typer.echo(json.dumps(profile.as_dict(), indent=2))
    else:
        typer.echo(picture_text(picture.figure) if picture is not None and plot is not None else profile.text())
    if picture is not None and svg is not None:
        write_file(picture.to_svg, svg, "--svg")
