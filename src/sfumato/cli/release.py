"""`sfumato choose` and `sfumato release`: from a preference to an epsilon, and to an answer that may leave."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.waiting import reading
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.session.release import Release

_OUT = (".csv", ".parquet", ".json")
_CERTIFICATE = (".json", ".txt")


def choose(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    epsilon: options.Epsilon = None,
    gap: options.Gap = None,
    ratio: options.Ratio = None,
    worst_case: options.WorstCase = False,
    exact: options.Exact = False,
    between: options.Between = None,
    attack_chance: options.AttackChance = None,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    grid: options.Grid = None,
    epsilon_max: options.EpsilonMax = 10.0,
    bounds_from_data: options.BoundsFromData = False,
    fixed_beforehand: options.FixedBeforehand = "",
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """The largest epsilon that meets every preference given; without any, the schema's [rule]."""
    from sfumato import wiring

    query = wiring.open(data, schema, ledger=ledger, bounds_from_data=bounds_from_data).query(options.query_text(sql))
    preferences = options.preferences(epsilon, gap, ratio, worst_case, attack_chance, exact, between)
    how = options.how(mechanism, delta, calibration, grid, epsilon_max, fixed_beforehand)
    with reading(query.dataset.progress):
        choice = query.choose(*preferences, **how)
    typer.echo(json.dumps(choice.as_dict(), indent=2) if as_json else choice.text())
    if not choice.feasible:
        raise typer.Exit(3)


def release(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    epsilon: options.Epsilon = None,
    gap: options.Gap = None,
    ratio: options.Ratio = None,
    worst_case: options.WorstCase = False,
    exact: options.Exact = False,
    between: options.Between = None,
    attack_chance: options.AttackChance = None,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    grid: options.Grid = None,
    epsilon_max: options.EpsilonMax = 10.0,
    bounds_from_data: options.BoundsFromData = False,
    fixed_beforehand: options.FixedBeforehand = "",
    again: Annotated[bool, typer.Option("--again", help="Draw anew, and be charged anew.")] = False,
    accept_none: Annotated[
        bool, typer.Option("--accept-none", help="Release even though there is no guarantee.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE.csv|.parquet|.json", help="Write the answer.")] = None,
    certificate: Annotated[Path | None, typer.Option(metavar="FILE.json|.txt", help="Write the certificate.")] = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """A noisy answer with its certificate; the ledger is charged first."""
    from sfumato import wiring

    for path, endings in ((out, _OUT), (certificate, _CERTIFICATE)):
        if path is not None and (path.suffix not in endings or not _can_be_written(path)):
            raise BadInput(
                f"{path} cannot be written", hint=f"name a {', '.join(endings)} file in a folder that exists."
            )
    query = wiring.open(data, schema, ledger=ledger, bounds_from_data=bounds_from_data).query(options.query_text(sql))
    preferences = options.preferences(epsilon, gap, ratio, worst_case, attack_chance, exact, between)
    how = options.how(mechanism, delta, calibration, grid, epsilon_max, fixed_beforehand)
    with reading(query.dataset.progress):
        if not accept_none:
            query.require_guarantee(*preferences, **how)
        released = query.release(query.choose(*preferences, **how), accept_none=accept_none, again=again)
    typer.echo(released.to_json() if as_json else f"{released}\n\n{released.certificate}")
    try:
        _write(released, out, certificate)
    except OSError:
        hint = "the answer is in the ledger: ask again, it costs nothing."
        raise BadInput("The answer was released, but a file could not be written", hint=hint) from None


def _can_be_written(path: Path) -> bool:
    """As far as can be told before an answer is drawn and charged."""
    if path.exists():
        return path.is_file() and os.access(path, os.W_OK)
    return path.parent.is_dir() and os.access(path.parent, os.W_OK)


def _write(released: Release, out: Path | None, certificate: Path | None) -> None:
    if certificate is not None:
        as_json = certificate.suffix == ".json"
        text = json.dumps(released.certificate.as_dict(), indent=2) if as_json else repr(released.certificate)
        certificate.write_text(text + "\n", "utf-8")
    if out is None:
        return
    if out.suffix == ".csv":
        released.to_csv(out)
    elif out.suffix == ".json":
        out.write_text(released.to_json() + "\n", "utf-8")
    else:
        import pyarrow.parquet as pq

        pq.write_table(released.to_arrow(), out)
