"""What privacy costs, as ratios of CPU time against the plain query in one run. Writes bench/results.json.

Both sides scan the same Parquet file; rounds take turns and medians are compared: a busy machine does not matter much.
What is measured and why is in docs/performance.md.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import typer

sys.path.insert(0, str(Path(__file__).parents[1]))  # a file that is run finds only what lies beside it

from bench import contribution, joins, memory, own_rows, page, population
from bench.closed import closed
from bench.cost import VERBS, costs
from bench.escrow import escrow
from bench.growth import Growth, short
from bench.keys import many_keys
from bench.price import Price
from bench.question import QUESTIONS
from bench.report import Report
from bench.sandbox import start
from bench.speed import speed
from bench.web import web
from sfumato.errors import SfumatoError

FEW, SMALL, BASELINE = 100, 1_000_000, 100_000
GROWING = ("Q1", "Q4", "Q5")
ROUNDS_OF_FEW, ROUNDS_OF_LARGEST = 15, 3

Files = Mapping[int, Path]


def main(
    rows: int = typer.Option(10_000_000, min=1, help="How many people the ratios are measured with."),
    largest: int = typer.Option(100_000_000, min=1, help="Up to how many people growth is measured."),
    rounds: int = typer.Option(7, min=1, help="How many rounds the medians are of."),
    quick: bool = typer.Option(False, "--quick", help="1M people only; neither growth nor the authors' method."),
) -> None:
    """Measure Q1 to Q5 of the RDR paper on a generated population, and an escrow; exit 1 when a target is missed."""
    rows = SMALL if quick else rows
    sizes = [] if quick else sorted({min(SMALL, rows), rows, max(largest, rows)})
    try:
        files = population.files([FEW, rows, *sizes, *([] if quick else [BASELINE])], typer.echo)
    except SfumatoError as wrong:
        typer.echo(wrong, err=True)
        raise typer.Exit(wrong.exit_status) from None
    report = Report(rows, rounds)
    _prices(report, files)
    _memory(report, files, times=1 if quick else 3)
    _contributions(report)
    _own_rows(report)
    _joins(report)
    _keys(report)
    _closed(report, files)
    _escrow(report)
    _web(report, files)
    _sandbox(report)
    if not quick:
        _growth(report, files, sizes)
        _speeds(report, files)
    written = report.write()
    if report.judged:
        page.refresh(report.as_dict())
    _say("", *report.verdict_lines(), f"Written to {written.relative_to(population.FOLDER.parents[1])}.")
    for target in report.missed:
        typer.echo(f"Missed: {target.what} is {target.measured:,.4g}, target {target.limits}.", err=True)
    raise typer.Exit(1 if report.missed else 0)


def _prices(report: Report, files: Files) -> None:
    for question in QUESTIONS:
        typer.echo(f"Measuring {question.name} ...")
        few = costs(files[FEW], question, ROUNDS_OF_FEW)
        many = costs(files[report.rows], question, report.rounds)
        report.prices += [Price(question, verb, few, many) for verb in VERBS]
        if SMALL in files and report.rows != SMALL:
            fewer = costs(files[SMALL], question, ROUNDS_OF_FEW, ["release"])
            report.prices.append(Price(question, "release", few, fewer, f" at {short(SMALL)}"))
    _say("", *report.price_lines(), "")


def _memory(report: Report, files: Files, times: int) -> None:
    if not memory.can_be_measured():
        typer.echo("Memory is not measured: this system has no /proc to read it from.")
        return
    few, many = files[FEW], files[report.rows]
    for question in QUESTIONS:
        typer.echo(f"Measuring the memory of {question.name} ...")
        plain = memory.lift(question, "plain", few, many, times)
        for verb in VERBS:
            report.added_mib[question.name, verb] = memory.lift(question, verb, few, many, times) - plain
    _say("", *report.memory_lines(), "")


def _contributions(report: Report) -> None:
    for stays in contribution.STAYS:
        for rows in sorted({min(SMALL, report.rows), report.rows}):
            typer.echo(f"Measuring {short(rows)} rows of people who have most of them {stays.name} max_rows ...")
            report.contributions.append(contribution.bounded(stays, rows, report.rounds))
    _say("", *contribution.lines(report.contributions), "")


def _own_rows(report: Report) -> None:
    typer.echo("Measuring totals by person ...")
    report.own_rows = own_rows.own_totals(report.rows, report.rounds)
    _say("", *report.own_rows.lines(), "")


def _joins(report: Report) -> None:
    typer.echo("Measuring a join of several tables ...")
    report.join = joins.join(report.rows, report.rounds)
    _say("", *report.join.lines(), "")


def _keys(report: Report) -> None:
    typer.echo("Measuring a release by many computed groups ...")
    report.keys = many_keys(report.rows, report.rounds)
    _say("", *report.keys.lines(), "")


def _closed(report: Report, files: Files) -> None:
    typer.echo("Measuring a release from a closed file ...")
    rows = SMALL if SMALL in files else report.rows
    report.closed = closed(files[rows], files[FEW], rows, max(report.rounds, ROUNDS_OF_FEW))
    _say("", *report.closed.lines(), "")


def _escrow(report: Report) -> None:
    typer.echo("Measuring an escrow ...")
    report.escrow = escrow(max(report.rounds, ROUNDS_OF_FEW))
    _say("", *report.escrow.lines(), "")


def _web(report: Report, files: Files) -> None:
    if shutil.which("chromium") is None:
        typer.echo("The web app is not measured: Chromium is not here.")
        return
    typer.echo("Measuring the risk explorer ...")
    report.web = web(files[report.rows], report.rows)
    _say("", *report.web.lines(), "")


def _sandbox(report: Report) -> None:
    report.sandbox = start(max(report.rounds, ROUNDS_OF_FEW))
    _say(*(report.sandbox.lines() if report.sandbox else ["A sandbox is not measured: there is none here."]), "")


def _growth(report: Report, files: Files, sizes: Iterable[int]) -> None:
    for price in report.prices:
        if price.verb != "choose" or price.question.name not in GROWING:
            continue
        plain, choose = {}, {}
        for rows in sizes:
            typer.echo(f"Measuring {price.question.name} with {short(rows)} people ...")
            rounds = ROUNDS_OF_LARGEST if rows > report.rows else report.rounds
            found = costs(
                files[rows], price.question, rounds, ["choose"]
            )  # all sizes within a minute: the same machine
            plain[rows], choose[rows] = found.plain, found.verb["choose"] - price.apart
        report.growth += [Growth(price.question, "plain", plain), Growth(price.question, "choose", choose)]
    _say("", *report.growth_lines(), "")


def _speeds(report: Report, files: Files) -> None:
    report.baseline_rows = BASELINE
    for price in report.prices:
        if price.verb == "choose":
            typer.echo(f"Running {price.question.name} by the authors' method with {short(BASELINE)} people ...")
            report.speeds.append(speed(files[BASELINE], price.question, price.apart, report.rounds))
    _say("", *report.speed_lines())


def _say(*lines: str) -> None:
    for line in lines:
        typer.echo(line)


if __name__ == "__main__":
    typer.run(main)
