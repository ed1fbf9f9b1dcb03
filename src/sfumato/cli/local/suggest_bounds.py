"""`sfumato suggest-bounds`: how many rows or groups of one person should count, and what each choice costs."""

from __future__ import annotations

import json
import re
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import option
from sfumato.cli.progress import reading
from sfumato.errors import BadInput


@with_option_groups
def suggest_bounds(
    *,
    target: options.TableFlags,
    for_epsilon: Annotated[float, option("Epsilon of the releases that the bound is meant for.", "E")],
    epsilon: Annotated[float | None, option("Epsilon of the histogram, which is charged.", "E")] = None,
    known: Annotated[
        str | None, option("In place of a histogram: people by their rows, from public knowledge.", "1=900,5=80")
    ] = None,
    groups: Annotated[str, option("Suggest max_groups: the different values of this column.", "COLUMN")] = "",
    column: Annotated[str, option("Suggest per_person: the sum of this column.", "COLUMN")] = "",
    terms: options.ReleaseFlags,
    budget: options.Budget = None,
    cohort: options.Cohort = None,
    as_json: options.Json = False,
) -> None:
    """Suggest max_rows, max_groups or per_person from a private histogram of what people contribute; charged.

    With --known nothing is read and nothing is charged.
    """
    if (epsilon is None) == (known is None):
        raise BadInput("suggest-bounds needs --epsilon or --known", hint="state one of them.")
    if known is not None:
        dataset = target.open_without_data()
        suggested = dataset.suggest_bounds(for_epsilon=for_epsilon, known=_people(known), groups=groups, column=column)
    else:
        dataset = target.open(budget=budget, cohort=cohort)
        with reading(dataset.progress):
            suggested = dataset.suggest_bounds(
                epsilon, for_epsilon=for_epsilon, groups=groups, column=column, **vars(terms)
            )
    typer.echo(json.dumps(suggested.as_dict(), indent=2) if as_json else suggested.text())


def _people(known: str) -> dict[int, float]:
    people = {}
    for part in known.split(","):
        match = re.fullmatch(r"\s*([1-9][0-9]{0,8})\s*=\s*([0-9]{1,15})\s*", part)
        if match is None:
            raise BadInput("--known is no list of people by their rows", hint="write --known 1=900,5=80,50=20.")
        people[int(match[1])] = float(match[2])
    return people
