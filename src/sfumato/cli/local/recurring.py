"""`sfumato run`: the figures of a plan file, released for one period."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.options import argument, option
from sfumato.cli.progress import reading


def run(
    plan: Annotated[str, argument("PLAN.toml", "Plan file: the data, and the figures of each period.")],
    period: Annotated[
        str, option("Period to release, such as 2026-03; current (the default), or previous.", "PERIOD")
    ] = "current",
    dry_run: Annotated[
        bool, options.flag("--dry-run", "Show the figures; no data is read, nothing is charged.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Release the figures of a plan for one period; what was released before is written again, at no charge."""
    from sfumato.composition.recurring import PlanRun
    from sfumato.presentation import recurring_view as view

    running = PlanRun(plan, period)
    figures = running.figures()
    ledger = running.unread.ledger
    if dry_run:
        rows = [view.PlannedRow(f.planned.name, f.epsilon, f.delta, f.is_released, f.planned.sql) for f in figures]
        left = ledger.epsilon_left()
        if as_json:
            typer.echo(json.dumps(view.preview_as_dict(running.period, rows, left), indent=2))
        else:
            typer.echo(view.preview(running.period, rows, left, ledger.budget))
        return
    done = []
    with reading(running.progress):
        for figure in running.run(figures):
            one = view.Done(figure.planned.name, figure.release.certificate, figure.is_new, figure.files)
            done.append(one)
            if not as_json:
                typer.echo(view.line(running.period, one))
    if as_json:
        typer.echo(json.dumps(view.as_dict(running.period, done), indent=2))
    else:
        typer.echo(view.ending(done))
