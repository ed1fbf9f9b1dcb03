"""`sfumato choose` and `sfumato release`: from a preference to an epsilon, and to an answer that may leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.preferences import Preferences, with_preferences
from sfumato.cli.progress import reading
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.api.choice import Choice
    from sfumato.api.dataset import Query

_OUT = (".csv", ".parquet", ".json")
_CERTIFICATE = (".html", ".json", ".txt")


@with_preferences
@with_option_groups
def choose(
    *,
    target: options.QueryFlags,
    preferences: Preferences = (),
    search: options.SearchFlags,
    bounds_from_data: options.BoundsFromData = False,
    terms: options.ReleaseFlags,
    ledger: options.Ledger = None,
    budget: options.Budget = None,
    as_json: options.Json = False,
) -> None:
    """The largest epsilon that meets every preference given; without any, the schema's [rule].

    A private selection (--variance, --exposure-cap with --allow) is charged here, and its release charges the rest.
    """
    from sfumato.composition import local
    from sfumato.presentation.wording import choosing as of_choosing

    options.settle()
    dataset = local.open(target.data, target.schema, ledger=ledger, bounds_from_data=bounds_from_data, budget=budget)
    query = dataset.query(target.text)
    charges = dataset.ledger.total.releases
    with reading(query.dataset.progress):
        choice = query.choose(*preferences, **search.values, **vars(terms))
    typer.echo(json.dumps(choice.as_dict(), indent=2) if as_json else choice.text())
    if not as_json:
        _explain(query, choice, bounds_from_data)
    if choice.select_epsilon and charges == dataset.ledger.total.releases and not as_json:
        typer.echo(of_choosing.AS_IT_WAS, err=True)
    if not choice.feasible:
        raise typer.Exit(3)


def _explain(query: Query, choice: Choice, bounds_from_data: bool) -> None:
    """What the epsilon means for the answer and for anybody; or that looking at the people was a look."""
    from sfumato.presentation.wording import choosing as of_choosing
    from sfumato.presentation.wording import guarantee as of_guarantee

    if choice.request.reads_people:
        typer.echo(of_guarantee.LOOK)
    elif choice.epsilon is not None and not bounds_from_data:
        noise = choice.noise
        at = query.worst_case(noise.mechanism, noise.delta, calibration=noise.calibration).at(choice.epsilon)
        names = [number.words for number in query.measurement.numbers]
        typer.echo(of_choosing.means(at, names, query._bound.furthest(choice.epsilon, noise)))


@with_preferences
@with_option_groups
def release(
    *,
    target: options.QueryFlags,
    preferences: Preferences = (),
    search: options.SearchFlags,
    bounds_from_data: options.BoundsFromData = False,
    terms: options.ReleaseFlags,
    out: Annotated[Path | None, typer.Option(metavar="FILE.csv|.parquet|.json", help="Write the answer.")] = None,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="In the file, beside each figure NAME: NAME_low and NAME_high.")
    ] = False,
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE.html|.json|.txt", help="Write the certificate.")
    ] = None,
    ledger: options.Ledger = None,
    budget: options.Budget = None,
    as_json: options.Json = False,
) -> None:
    """A noisy answer with its certificate; the ledger is charged first."""
    from sfumato.api.release import Release
    from sfumato.composition import local
    from sfumato.presentation.wording import release_sentences as of_release
    from sfumato.release.pipeline import release as release_by
    from sfumato.release.request import request_of

    options.require_writable(out, "--out", *_OUT)
    options.require_writable(certificate, "--certificate", *_CERTIFICATE)
    if out is not None and certificate is not None and out.resolve() == certificate.resolve():
        raise BadInput("--out and --certificate name the same file", hint="name two.")
    options.require_not_read(out, "--out", target.data, target.schema, ledger)
    options.require_not_read(certificate, "--certificate", target.data, target.schema, ledger)
    if intervals and out is None:
        raise BadInput("--intervals goes with --out", hint="try --out answer.csv --intervals.")
    options.settle()
    dataset = local.open(target.data, target.schema, ledger=ledger, bounds_from_data=bounds_from_data, budget=budget)
    query = dataset.query(target.text)
    with reading(query.dataset.progress):
        accepted: dict[str, Any] = {
            "allow_no_guarantee": terms.allow_no_guarantee,
            "redraw": terms.redraw,
            "attestation": terms.preregistered,
        }
        bound = query._bound
        released = Release.of(release_by(bound, request_of(bound, preferences, **search.values), **accepted), bound)
    typer.echo(released.to_json() if as_json else f"{released}\n\n{released.certificate}")
    if released.repeated and not as_json:
        typer.echo(of_release.AS_IT_LEFT, err=True)
    try:
        if certificate is not None:
            released.certificate.write(certificate)
        if out is not None:
            released.write(out, intervals=intervals)
    except OSError:
        hint = "the answer is in the ledger: ask again, it costs nothing."
        raise BadInput("The answer was released, but a file could not be written", hint=hint) from None
