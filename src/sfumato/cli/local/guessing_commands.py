"""`sfumato sharing-risk`: the chance to guess a person's value, and the risk of sharing the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from sfumato.cli import options
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import option
from sfumato.cli.output import show
from sfumato.errors import BadInput
from sfumato.presentation.option_help import HELP, METAVARS

if TYPE_CHECKING:
    from sfumato.api.figure import Picture
    from sfumato.api.guessing import Guessing


@dataclass(frozen=True)
class GuessFlags:
    """What an attacker guesses, and with whom the answer is shared."""

    choices: Annotated[int | None, option(HELP["choices"], METAVARS["choices"])] = None
    secret: Annotated[str | None, option(HELP["secret"], METAVARS["secret"])] = None
    radius: Annotated[float | None, option(HELP["radius"])] = None
    prior: Annotated[float | None, option(HELP["prior"])] = None
    trust: Annotated[
        str | None,
        option(
            "Trust in the recipient of the answer, or its factors: ability=LEVEL,benevolence=LEVEL,integrity=LEVEL.",
            METAVARS["trust"],
        ),
    ] = None
    data_sensitivity: Annotated[str | None, option("Harm that a correct guess does.", METAVARS["data_sensitivity"])] = (
        None
    )
    limit: Annotated[str | None, option("Maximum risk; the epsilon that meets it is marked.", "RISK")] = None
    earlier_epsilon: Annotated[
        float | None,
        option("Total epsilon of all answers that the recipient holds already.", METAVARS["earlier_epsilon"]),
    ] = None
    earlier_delta: Annotated[float | None, option(HELP["earlier_delta"], METAVARS["earlier_delta"])] = None
    count: Annotated[int | None, option("Show noise as a share of a count of this size.", "N")] = None


@with_option_groups
def sharing_risk(
    *,
    target: options.QueryFlags,
    guess: GuessFlags,
    noise: options.NoiseFlags,
    plot: Annotated[str | None, option("Print one picture: risk, trust (one line each) or surface.", "KIND")] = None,
    svg: options.Svg = None,
    as_json: options.Json = False,
) -> None:
    """Show how often an attacker guesses a person's value, and the risk of sharing the answer; no data is read."""
    options.require_writable(svg, "--svg", ".svg")
    query = target.open_without_data().query(target.text, target.parameters)
    guessing = query.guessing(**vars(guess), **noise.values)
    picture = _picture(guessing, plot)
    if svg is not None:
        picture.to_svg(svg)
    if plot is not None and not as_json:
        picture.show()
        return
    show(guessing, as_json)


def _picture(guessing: Guessing, kind: str | None) -> Picture:
    kinds = {None: guessing.plot, "risk": guessing.plot, "trust": guessing.by_trust, "surface": guessing.surface}
    if kind not in kinds:
        raise BadInput(f"There is no plot '{kind}'", hint="use risk, trust or surface.")
    return kinds[kind]()
