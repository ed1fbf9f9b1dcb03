"""Assumptions: what a guarantee rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sfumato.model.release import Assumed, Assumption, ReleaseCertificate
from sfumato.presentation.wording.belief import WORLDS_PUBLIC, universe_public
from sfumato.presentation.wording.guarantee import ASKED_BLINDLY, declared, rows_counted
from sfumato.presentation.wording.guessing_sentences import guess_alike, guess_known


def counted_apart(population: str | None = None) -> str:
    """The total assumes that datasets counted separately are about other people.

    >>> counted_apart("patients")
    'the people of population patients are in no dataset outside it'
    """
    if population is None:
        return "the people in this dataset are in no other dataset that is counted separately"
    return f"the people of population {population} are in no dataset outside it"


def viewers_silent(viewers: int) -> str:
    """A decision assumes this where viewers of individual risks and deciders are separate.

    >>> viewers_silent(2)
    'the 2 people who viewed individual risks told nothing to those who decide'
    """
    who = "1 person" if viewers == 1 else f"{viewers:,} people"
    return f"the {who} who viewed individual risks told nothing to those who decide"


def cohorts_disjoint(cohorts: int) -> str:
    """The total counts cohorts in parallel.

    >>> cohorts_disjoint(3)
    'no person is in two of the 3 cohorts of the data that are counted so far, as the schema declares'
    """
    several = "no person is in two" if cohorts > 1 else "no person is in this and in another"
    counted = f"of the {cohorts:,} cohorts of the data that are counted so far" if cohorts > 1 else "cohort of the data"
    return f"{several} {counted}, as the schema declares"


def one_value_each(unit: str, column: str) -> str:
    """The total counts the values of a partition in parallel.

    >>> one_value_each("patient", "ward")
    'all rows of one patient in a version of the data have the same ward, as the schema declares'
    """
    return f"all rows of one {unit} in a version of the data have the same {column}, as the schema declares"


def replaced_alike(unit: str, column: str) -> str:
    """Under replace, the charges that a total counts in parallel are about neighbours that agree in the partition.

    >>> replaced_alike("patient", "ward")
    'one patient is replaced by another of the same ward: different values of ward are counted in parallel'
    """
    return (
        f"one {unit} is replaced by another of the same {column}: different values of {column} are counted in parallel"
    )


def key_unique(table: str, column: str) -> str:
    """The rows below a table belong to whom its row belongs, which is one person if the key names one row.

    >>> key_unique("orders", "order_id")
    'no two rows of orders have the same order_id, as the schema declares'
    """
    return f"no two rows of {table} have the same {column}, as the schema declares"


def interrupted(entry: int, cause: str) -> str:
    """A draw went on under an earlier charge.

    >>> interrupted(12, "the machine was restarted")
    'the run that charged entry 12 stopped for a reason that does not depend on the data: the machine was restarted'
    """
    return f"the run that charged entry {entry} stopped for a reason that does not depend on the data: {cause}"


ASSUMPTIONS: Mapping[Assumption, str | Callable[..., str]] = {
    Assumption.CLOSED_QUOTES: "the program that wrote the CSV file closed every quote that it opened",
    Assumption.RUNS_APART: "the function did not use timing to carry information from one run to another",
    Assumption.SCHEMA_PUBLIC: "bounds, categories and types come from public knowledge, not from the data",
    Assumption.BOUNDS_FROM_DATA: "nothing: bounds, group keys and sensitivities were taken from the data",
    Assumption.LOOKED_LINE_KEPT: (
        "the schema had no line `looked` removed, which records that its author saw values of the data"
    ),
    Assumption.COUNTED_APART: counted_apart,
    Assumption.WORLDS_PUBLIC: WORLDS_PUBLIC,
    Assumption.UNIVERSE_PUBLIC: universe_public,
    Assumption.GUESS_ALIKE: guess_alike,
    Assumption.GUESS_KNOWN: guess_known,
    Assumption.COHORTS_DISJOINT: cohorts_disjoint,
    Assumption.ONE_VALUE_EACH: one_value_each,
    Assumption.REPLACED_ALIKE: replaced_alike,
    Assumption.KEY_UNIQUE: key_unique,
    Assumption.INTERRUPTED: interrupted,
    Assumption.ROWS_COUNTED: rows_counted,
    Assumption.DECLARED: declared,
    Assumption.VIEWERS_SILENT: viewers_silent,
    Assumption.ROWS_CHOSEN_BLINDLY: (
        "the rows of the data were not chosen by what anyone saw of the people in another version, or under another "
        "name"
    ),
    Assumption.ASKED_BLINDLY: ASKED_BLINDLY,
}


def assumed(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """The assumptions of a certificate, each once, as sentences."""
    return tuple(dict.fromkeys(map(_sentence, certificate.assumed)))


def _sentence(one: Assumed | str) -> str:
    if isinstance(one, str):
        return one
    wording = ASSUMPTIONS[one.code]
    return wording if isinstance(wording, str) else wording(**dict(one.values))
