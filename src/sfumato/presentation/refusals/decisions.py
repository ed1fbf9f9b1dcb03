"""Wordings that need more than a template, and words that errors share with certificates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sfumato.ledger.charges import BATCH
from sfumato.model.guarantee import Guarantee
from sfumato.presentation.refusals.options import Options, Preferences
from sfumato.presentation.wording.guarantee import WITHHELD
from sfumato.privacy.preferences.registry import NAMES

_ATTACKS = {
    "read-file": "read a file of the machine",
    "list-processes": "list processes",
    "write-file": "write a file",
    "open-socket": "open a socket",
    "fork": "fork",
    "start-program": "start a program",
    "start-thread": "start a thread",
    "trace": "trace itself",
    "take-memory": "use more memory than allowed",
}


def attacks_succeeded(attacks: list[str]) -> str:
    acts = ", ".join(_ATTACKS[attack] for attack in attacks)
    return f"update bubblewrap and libseccomp; in the self-test, a function in the sandbox could {acts}."


def other_format(format: int, reads: int) -> str:
    if format > reads:
        return "install a newer version of sfumato; nothing was changed."
    return "open it with the version of sfumato that wrote it, and keep the file: what it records stays spent."


def rows_of_answer(rows: list[str], count: int) -> str:
    if set(rows) == {""}:
        return "leave the name out: the answer has one row, without a name."
    more = f", and {count - len(rows):,} more" if count > len(rows) else ""
    return f"use one of its rows: {', '.join(map(repr, rows))}{more}."


def roles_only(roles: Sequence[str], to: str) -> str:
    first, *others = sorted(roles, key=_begins_with_vowel)
    who = " or ".join([f"{'an' if _begins_with_vowel(first) else 'a'} {first}", *others])
    return f"Only {who} may {to}"


def _begins_with_vowel(word: str) -> bool:
    return word[0] in "aeiou"


def goes_with(name: str, whose: Sequence[str], option: Options, preference: Preferences) -> str:
    def words(one: str) -> str:
        if one == "allow":
            return f"{preference['exposure_cap']} with {option['allow']}"
        return preference[one] if one in NAMES else option[one]

    return f"{option[name]} needs {' or '.join(map(words, whose))}"


def half(what: str, option: Options, preference: Preferences) -> str:
    name = what.replace(" ", "_")
    return f"try {preference[f'{name}=0.5'] if name in NAMES else option[f'{name}=0.5']}."


def without_guarantee(what: str, inputs: list[str], causes: list[str]) -> str:
    lost = ", and ".join(f"the {name} was {cause}" for name, cause in zip(inputs, causes, strict=True))
    return f"This {what} would have no guarantee, because {lost}; nothing was drawn or charged"


def with_guarantee(
    what: str,
    inputs: list[str],
    attestable: list[bool],
    instead: str,
    option: Options,
    preference: Preferences,
    step: Mapping[str, str],
) -> str:
    """What keeps a guarantee: something else, a declaration of preregistration, or a release without a guarantee."""
    ways = [
        _other_way(name, by_a_person, option, preference) for name, by_a_person in zip(inputs, attestable, strict=True)
    ]
    match instead:
        case "worst-case":
            ways = [f"use {step['show_worst_case']}, which reads no data"]
        case "free-signal":
            ways = [f"ask for {option['kind=free']}, which reads no data"]
        case "as-planned":
            ways = ["use what was planned before the look, unchanged"]
    attest = step["attest"] if all(attestable) else ""
    accept = "" if what == BATCH else step["allow_no_guarantee"]  # whatever is in a batch has a guarantee
    return f"{'; or '.join(filter(None, [*ways, attest, accept]))}."


def _other_way(lost: str, by_a_person: bool, option: Options, preference: Preferences) -> str:
    """Instead of an input that lost the guarantee; `by_a_person`: by a person, after a look."""
    if lost == "preference" and by_a_person:
        return "state no preference, if the schema had its [rule] before the look"
    if lost == "preference":
        return f"use a preference that reads no data, such as {preference['gap=1.2 worst_case']}"
    return f"leave {option['bounds_from_data']} out" if lost == "bounds" and not by_a_person else ""


def beyond_budget(
    limit: str, charge: float, spent: float, budget: float, left: float, guarantee: str, parallel: list[str]
) -> str:
    return _beyond("the budget", f"{spent:.15g} of {budget:.15g} used", limit, charge, left, guarantee, parallel)


def beyond_period_budget(
    limit: str,
    charge: float,
    spent: float,
    budget: float,
    left: float,
    guarantee: str,
    parallel: list[str],
    length: str,
    period: str,
) -> str:
    used = f"{spent:.15g} of {budget:.15g} used in {period}"
    return _beyond(f"the budget of this {length}", used, limit, charge, left, guarantee, parallel)


def _beyond(budget: str, used: str, limit: str, charge: float, left: float, guarantee: str, parallel: list[str]) -> str:
    """With what parallel sums assume: `parallel` are cohorts, or columns that divide the people."""
    without = ", the charge of a release without a guarantee" if guarantee == Guarantee.NONE.value else ""
    assumed = f"; people are declared to be disjoint by {' and by '.join(parallel)}" if parallel else ""
    what = f"This needs {limit} {charge:.15g}{without}, and {left:.15g} of {budget} is left ({used})"
    return f"{what}; nothing was drawn or charged{assumed}"


FUNCTIONS: Mapping[str, Callable[..., str]] = {
    "attacks_succeeded": attacks_succeeded,
    "beyond_budget": beyond_budget,
    "beyond_period_budget": beyond_period_budget,
    "goes_with": goes_with,
    "half": half,
    "other_format": other_format,
    "roles_only": roles_only,
    "rows_of_answer": rows_of_answer,
    "with_guarantee": with_guarantee,
    "without_guarantee": without_guarantee,
}
TEXTS: Mapping[str, object] = {"withheld_words": WITHHELD}
