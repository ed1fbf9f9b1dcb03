"""`sfumato beliefs`: how sure an attacker becomes of who is not in the data."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import option
from sfumato.cli.progress import reading
from sfumato.errors import BadInput


@with_option_groups
def beliefs(
    *,
    target: options.QueryFlags,
    prior: Annotated[
        float | None, option("Prior belief of the attacker about any one person; by default the same for all.")
    ] = None,
    candidates: options.Candidates = None,
    public: Annotated[
        bool, options.flag("--public", "DATA is a public universe: show every possible world. This is not a look.")
    ] = False,
    sensitivity: Annotated[
        str | None,
        option("With --public: noise by the schema, or by the possible-worlds as in the paper.", "NAME"),
    ] = None,
    response: Annotated[
        float | None, option("With possible-worlds: the noisy answer; by default the most revealing.", "G")
    ] = None,
    limit: Annotated[
        float | None, option("With --public: the epsilon that limits every belief to this.", "RHO")
    ] = None,
    names: Annotated[str | None, option("With --public: the column that names people.", "COLUMN")] = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Show how sure an attacker becomes of who is missing, if they know everyone in DATA; logged as a look.

    With --public DATA is a universe that everyone knows: prior, posterior and confidence of each possible world.
    """
    if public:
        _of_universe(target, candidates, sensitivity, response, limit, names, as_json=as_json)
        return
    of_universe = {"sensitivity": sensitivity, "response": response, "limit": limit, "names": names}
    if beside := next((name for name, value in of_universe.items() if value is not None), None):
        raise BadInput(f"--{beside} needs --public", hint="add --public if DATA is public knowledge, or leave it out.")
    query = target.open().query(target.text, target.parameters)
    confirm_look(yes=yes)
    with reading(query.dataset.progress):
        result = query.beliefs(candidates=options.parse_candidates(candidates), prior=prior)
        text = json.dumps(result.as_dict(), indent=2, default=str) if as_json else result.text()
    typer.echo(text)


def _of_universe(
    target: options.QueryFlags,
    candidates: str | None,
    sensitivity: str | None,
    response: float | None,
    limit: float | None,
    names: str | None,
    *,
    as_json: bool,
) -> None:
    """Nothing is entered anywhere: the table is public."""
    from sfumato.composition import local

    universe = local.open(target.data, target.schema, ledger=":memory:")
    result = universe.query(target.text, target.parameters).world_beliefs(
        options.parse_candidates(candidates),
        sensitivity=sensitivity or "schema",
        response=response,
        limit=limit,
        names=names,
    )
    typer.echo(json.dumps(result.as_dict(), indent=2) if as_json else result.text())
