"""What a release takes for granted. Every such sentence stands here, or where it is said elsewhere too, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sfumato.model.release import Assumed, Assumption, ReleaseCertificate
from sfumato.presentation.wording.belief import WORLDS_PUBLIC, universe_public
from sfumato.presentation.wording.guarantee import ASKED_BLINDLY, declared, rows_counted
from sfumato.presentation.wording.guessing_sentences import guess_alike, guess_known


def counted_apart(population: str | None = None) -> str:
    """What the total takes for granted: datasets with totals of their own are about other people.

    >>> counted_apart("patients")
    'the people of the population patients are in no dataset outside it'
    """
    if population is None:
        return "the people in this dataset are in no other dataset that is counted separately"
    return f"the people of the population {population} are in no dataset outside it"


def viewers_silent(viewers: int) -> str:
    """What a decision takes for granted where viewers of individual risks and deciders are separate.

    >>> viewers_silent(2)
    'the 2 people who saw individual risks told nothing to those who decide'
    """
    who = "1 person" if viewers == 1 else f"{viewers:,} people"
    return f"the {who} who saw individual risks told nothing to those who decide"


ASSUMPTIONS: Mapping[Assumption, str | Callable[..., str]] = {
    Assumption.CLOSED_QUOTES: "the CSV file was written by a program that closes every quote it opens",
    Assumption.RUNS_APART: "the function did not time the machine to learn in one run what it had seen in another",
    Assumption.SCHEMA_PUBLIC: "bounds, categories and types were stated from what is publicly known, not from the data",
    Assumption.BOUNDS_FROM_DATA: "nothing: bounds, group keys and sensitivities were read off the data",
    Assumption.LOOKED_LINE_KEPT: (
        "no line `looked`, which says that its author saw values of the data, was removed from the schema"
    ),
    Assumption.COUNTED_APART: counted_apart,
    Assumption.WORLDS_PUBLIC: WORLDS_PUBLIC,
    Assumption.UNIVERSE_PUBLIC: universe_public,
    Assumption.GUESS_ALIKE: guess_alike,
    Assumption.GUESS_KNOWN: guess_known,
    Assumption.ROWS_COUNTED: rows_counted,
    Assumption.DECLARED: declared,
    Assumption.VIEWERS_SILENT: viewers_silent,
    Assumption.ROWS_CHOSEN_BLINDLY: (
        "which rows the data has did not depend on what was seen of the people in another version, or under another "
        "name"
    ),
    Assumption.ASKED_BLINDLY: ASKED_BLINDLY,
}


def assumed(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """What a certificate rests on, each once; what an earlier version stored as a sentence is one already."""
    return tuple(dict.fromkeys(map(_sentence, certificate.assumed)))


def _sentence(one: Assumed | str) -> str:
    if isinstance(one, str):
        return one
    wording = ASSUMPTIONS[one.code]
    return wording if isinstance(wording, str) else wording(**dict(one.values))
