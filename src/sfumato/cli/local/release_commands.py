"""`sfumato choose` and `sfumato release`: from a preference to an epsilon, and to a noisy answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import answers, options
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import option
from sfumato.cli.output import show
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
    budget: options.Budget = None,
    cohort: options.Cohort = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Choose the largest epsilon that meets all preferences; without any, the preregistered rule of the schema.

    A private selection (--variance, --exposure-cap with --allow) is charged now, and its release charges the rest.
    """
    from sfumato.presentation.wording import choosing as of_choosing

    options.settle()
    dataset = target.open(bounds_from_data=bounds_from_data, budget=budget, cohort=cohort)
    query = dataset.query(target.text, target.parameters)
    charges = dataset.ledger.total.releases
    if needs_look(query, preferences, bounds_from_data):
        confirm_look(yes=yes)
    with reading(query.dataset.progress):
        choice = query.choose(*preferences, **search.values, **vars(terms))
    show(choice, as_json)
    if not as_json:
        _explain(query, choice, bounds_from_data)
    if choice.select_epsilon and charges == dataset.ledger.total.releases and not as_json:
        typer.echo(of_choosing.AS_IT_WAS, err=True)
    if not choice.feasible:
        raise typer.Exit(3)


def needs_look(query: Query, preferences: Preferences, bounds_from_data: bool = False) -> bool:
    """Whether the epsilon depends on the people in the data."""
    return bounds_from_data or any(p.reads_people for p in preferences or query._bound.rule.preferences)


def _explain(query: Query, choice: Choice, bounds_from_data: bool) -> None:
    """Print what the epsilon means for the answer and for each person, or that this was a look."""
    from sfumato.presentation.wording import choosing as of_choosing
    from sfumato.presentation.wording import guarantee as of_guarantee
    from sfumato.privacy.risk.membership import attack_chance

    if choice.request.reads_people:
        typer.echo(of_guarantee.LOOK)
    elif choice.epsilon is not None and not bounds_from_data:
        noise = choice.noise
        at = query.worst_case(noise.mechanism, noise.delta, calibration=noise.calibration).at(choice.epsilon)
        if choice.select_epsilon:  # an attacker also sees what was selected
            chance = attack_chance(choice.epsilon + choice.select_epsilon, noise.delta or 0.0)
            at = replace(at, attack_chance=chance)
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
    out: Annotated[Path | None, option("Write the answer to this file.", "FILE.csv|.parquet|.json")] = None,
    intervals: Annotated[
        bool, options.flag("--intervals", "Add the interval of each figure NAME to the file: NAME_low, NAME_high.")
    ] = False,
    certificate: Annotated[
        Path | None, option("Write the certificate to this file; - prints it.", "FILE.html|.json|.txt|-")
    ] = None,
    budget: options.Budget = None,
    cohort: options.Cohort = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Release a noisy answer with its certificate; the ledger is charged first."""
    from sfumato.api.release import Release
    from sfumato.presentation.release_view import document
    from sfumato.presentation.wording import release_sentences as of_release
    from sfumato.release.keywords import ReleaseTerms
    from sfumato.release.pipeline import release as release_by
    from sfumato.release.request import request_of

    target.require_output(out, "--out", *_OUT)
    printed = certificate == Path("-")
    if printed and as_json:
        raise BadInput("--certificate - and --json exclude each other", hint="leave one of them out.")
    certificate = None if printed else certificate
    target.require_output(certificate, "--certificate", *_CERTIFICATE)
    if out is not None and certificate is not None and out.resolve() == certificate.resolve():
        raise BadInput("--out and --certificate name the same file", hint="name two files.")
    if intervals and out is None:
        raise BadInput("--intervals needs --out", hint="try --out answer.csv --intervals.")
    options.settle()
    dataset = target.open(bounds_from_data=bounds_from_data, budget=budget, cohort=cohort)
    query = dataset.query(target.text, target.parameters)
    if needs_look(query, preferences, bounds_from_data):
        is_recorded = query.require_releasable(*preferences, **search.values, **vars(terms))
        if not is_recorded:
            confirm_look(yes=yes)
    with reading(query.dataset.progress):
        bound, accepted = query._bound, ReleaseTerms(terms.allow_no_guarantee, terms.redraw, terms.preregistered)
        released = Release.of(release_by(bound, request_of(bound, preferences, **search.values), accepted), bound)
    if as_json:
        typer.echo(released.to_json())
    else:
        place = "below" if printed else str(certificate or "--certificate - prints it, --certificate FILE writes it")
        typer.echo(document(released.answer, released.certificate, place).text())
    if printed:
        typer.echo(f"\n{released.certificate}")
    if released.repeated and not as_json:
        typer.echo(of_release.AS_IT_LEFT, err=True)
    with answers.writing_answers(
        "the answer is in the ledger: run the command again, it costs nothing", "The answer was"
    ):
        if certificate is not None:
            released.certificate.write(certificate)
        if out is not None:
            released.write(out, intervals=intervals)
