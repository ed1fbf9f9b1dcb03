"""What preferences and noise refuse: numbers out of range, and promises that no noise keeps."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.presentation.interface import Interface
from sfumato.presentation.refusals.options import Options, Preferences
from sfumato.presentation.refusals.pages import COUNT_PEOPLE, OTHER_NOISE, STATE_DELTA
from sfumato.presentation.refusals.wording import Wording
from sfumato.privacy.preferences.registry import NAMES

_MORE = "ask for more than that."
_LARGER = "ask for a larger one."
_UNPAID = "A private selection by {} needs to know what it may cost"
_PAY = "add {option[select_epsilon=0.1]}; it is charged beside the release."
_LEVELS = "say {levels}, or a number from 0 to 1."
_ONE_MISSING = "leave {option[missing]} out, for one."
_REHEARSE = "try it on a rehearsal, which reads nobody."
_WORLDS = "try {option[worlds=universe.csv]}, a public table of everybody who could be in the data."
_LIST_WORLDS = "list the answers in each world, such as worlds = [2, 3, 3]."
_IN_RULE = {Interface.SCHEMA: _LIST_WORLDS}
_NOISE = {"gaussian": "Gaussian noise", "truncated": "truncated noise"}
_EXAMPLES = {  # of what says how a preference is met
    "worst_case": "gap=1.2 worst_case",
    "exact": "gap=1.2 worst_case exact",
    "between": 'gap=1.2 between="age > 60"',
    "as_published": "variance=1e-4 select_epsilon=1 as_published",
    "allow": "exposure_cap=0.5 allow=0.01 select_epsilon=0.1",
    "select_epsilon": "variance=1e-4 select_epsilon=0.1",
    "beta": "variance=1e-4 select_epsilon=0.1 beta=0.05",
    "choices": "guess=0.4 choices=4",
    "secret": "guess=0.4 secret=marital_status",
    "radius": "guess=0.4 secret=age radius=5",
    "prior": "guess=0.4 prior=0.25",
    "trust": "sharing_risk=low trust=low data_sensitivity=high choices=4",
    "data_sensitivity": "sharing_risk=low trust=low data_sensitivity=high choices=4",
    "worlds": "belief=0.333 worlds=universe.csv",
    "missing": "belief=0.333 worlds=universe.csv missing=2",
    "bound": "belief=0.333 worlds=universe.csv bound",
    "confidence": "within=5 confidence=0.95",
    "each": "within=5 each",
    "expected_count": "within=5 expected_count=1000",
    "expected": "relative_error=0.1 expected=2300",
}
_IN_RULES = {  # which list their worlds, and leave nobody out of them
    "worlds": "belief=0.5 worlds=2,3,3",
    "missing": "belief=0.5 worlds=2,3,3",
    "bound": "belief=0.5 worlds=2,3,3 bound",
}


def _goes_with(name: str, whose: Sequence[str], option: Options, preference: Preferences) -> str:
    def words(one: str) -> str:
        if one == "allow":
            return f"{preference['exposure_cap']} with {option['allow']}"
        return preference[one] if one in NAMES else option[one]

    return f"{option[name]} goes with {' or '.join(map(words, whose))}"


def _example(name: str, preference: Preferences) -> str:
    return f"try {preference[_EXAMPLES[name]]}."


def _example_in_rule(name: str, preference: Preferences) -> str:
    return f"try {preference[_IN_RULES.get(name, _EXAMPLES[name])]}."


def _half(what: str, option: Options, preference: Preferences) -> str:
    name = what.replace(" ", "_")
    return f"try {preference[f'{name}=0.5'] if name in NAMES else option[f'{name}=0.5']}."


def _no_end(mechanism: str) -> str:
    return f"{mechanism.capitalize()} noise has no end, so nothing holds every time"


def _unbounded(column: str, numbers: int) -> str:
    what = "is selected by its rank" if numbers == 1 else "is put together from three noisy numbers"
    return f"{column} {what}, so no epsilon bounds its error beforehand"


def _secret(what: str, stated: int) -> str:
    return f"{what} {'takes one of choices, secret and prior' if stated else 'needs to know what is guessed'}"


def _above_floor(floor: float, option: Options) -> str:
    if not floor:
        return "allow some."
    return f"leave {option['as_published']} out: what a blind guess risks is then not counted."


def _together(stated: Sequence[str]) -> str:
    return f"{' and '.join(f'“{words}”' for words in stated)} cannot be stated in one request"


def _each_query(what: str, option: Options) -> str:
    """How the numbers of a split are stated."""
    match what:
        case "index":
            return f"state one number above 0 for each query, such as {option['index=1,10']}."
        case "expected answer":
            return f"state one guess for each query, such as {option['expected=3000,30000']}."
        case "relative error":
            return f"state one for all, such as {option['relative_error=0.1']}, or one for each query."
    return f"try {option['confidence=0.9']}."


def _needs_delta(mechanism: str) -> str:
    noise = _NOISE.get(mechanism)
    return f"{noise[:1].upper()}{noise[1:]} needs a delta" if noise else "Private group keys need a delta"


def _no_noise_on_rank(number: str, mechanism: str) -> str:
    return f"{number} is selected by its rank, and carries no {_NOISE[mechanism]}"


def _too_small(beside: str) -> str:
    return f"This epsilon is too small {'on its grid' if beside == 'grid' else 'beside its delta'} for truncated noise"


_RISK = {
    "epsilon-out-of-range": Wording("{what} must lie between {least:g} and {most:,}, not {stated}", _half),
    "gap-below-one": Wording(
        "gap must be 1 or more, not {stated}",
        "a gap of 1.2 means: nobody at more than 1.2 times the risk of anybody else.",
    ),
    "ratio-out-of-range": Wording("ratio must lie between 0 and 1, not {stated}", "try {preference[ratio=0.95]}."),
    "between-goes-alone": Wording(
        "{option[between]} compares people in the data by Lemma 3.1, so it goes neither with {option[worst_case]} nor "
        "{option[exact]}",
        "leave one of them out.",
    ),
    "between-without-condition": Wording(
        "between takes a condition on the people", 'try {option[between="age > 60"]}.'
    ),
    "attack-chance-out-of-range": Wording(
        "attack chance must lie between 0.5 and 1, not {stated}",
        "a coin already guesses right half of the time; try {preference[attack_chance=0.6]}.",
    ),
    "pri-out-of-range": Wording("pri must lie between 0 and 100, not {stated}", "try {preference[pri=5]}."),
    "satisfies-without-function": Wording(
        "satisfies takes a function of the RDRs",
        instead={Interface.PYTHON: "try sf.satisfies(lambda rdrs: rdrs.ratio >= 0.95)."},
    ),
    "satisfies-failed": Wording("The function of “{stated}” failed with {kind}", _REHEARSE),
    "satisfies-undecided": Wording("The function of “{stated}” must return True or False", _REHEARSE),
    "truncated-risk-needs-schema": Wording(
        "The risk under truncated noise goes by the bounds of the schema",
        "leave {option[bounds_from_data]} out, or use {option[mechanism=laplace]}.",
        OTHER_NOISE,
    ),
    "exact-rdr-unknown": Wording(
        "The exact RDR is known for one COUNT, SUM or AVG at a time, of people with one row each in a GROUP BY or AVG",
        "leave {option[exact]} out: the RDR of Lemma 3.1 is known for every query; or use "
        "{option[mechanism=gaussian]}.",
        OTHER_NOISE,
    ),
    "exact-rdr-of-other-noise": Wording(
        "The exact RDR is that of Laplace or Gaussian noise",
        "leave {option[exact]} out, or use {option[mechanism=laplace]}.",
        OTHER_NOISE,
    ),
    "exposure-without-odds": Wording(
        "An exposure tells odds only of sums over people who come or go, with noise on every number",
        "leave the exposure out: what is told then holds for anybody.",
    ),
}
_SELECTIONS = {
    "variance-out-of-range": Wording(
        "variance must lie above 0 and not above 1, not {stated}", "try {preference[variance=1e-4]}."
    ),
    "variance-selection-unpaid": Wording(_UNPAID.format("variance"), _PAY),
    "allow-out-of-range": Wording("allow must be a fraction from 0 up to 1, not {stated}", "try {option[allow=0.01]}."),
    "exposure-cap-selects-nothing": Wording(
        "An exposure cap for everybody selects nothing",
        "leave select_epsilon out, or say how many may lie above the cap: {option[allow=0.01]}.",
    ),
    "exposure-cap-selection-unpaid": Wording(_UNPAID.format("exposure cap with {option[allow]}"), _PAY),
    "select-epsilon-out-of-range": Wording(
        "select_epsilon must lie between {least:g} and 10, not {stated}",
        "it is what the private selection costs; try {option[select_epsilon=0.1]}.",
    ),
    "beta-out-of-range": Wording(
        "beta must lie between 0 and 1, not {stated}",
        "it is how often the preference may be missed; try {option[beta=0.05]}.",
    ),
}
_GUESSES = {
    "guess-out-of-range": Wording(
        "guess must lie above 0 and not above 1, not {stated}", "try {preference[guess=0.4]}."
    ),
    "guess-below-blind": Wording(
        "guess must lie above {blind:.4g}, not {chance:g}: a blind guess is right that often", _MORE
    ),
    "advantage-out-of-range": Wording(
        "advantage must lie above 0 and not above 1, not {stated}",
        "0.2 means: no belief of 30% becomes more than 50%.",
    ),
    "advantage-with-delta": Wording(
        "An advantage is bounded at every answer, and noise with a delta has answers that tell all",
        "use {preference[guess]}, which counts delta, or {option[mechanism=laplace]}.",
        OTHER_NOISE,
    ),
    "sharing-risk-incomplete": Wording(
        "sharing risk needs {what}",
        "try {preference[sharing_risk=low trust=low data_sensitivity=high choices=4]}.",
    ),
    "sharing-risk-below-floor": Wording(
        "sharing risk must lie above {floor:.4g}, not {risk:g}: no noise goes below that", _above_floor
    ),
    "level-unknown": Wording("{what} is no '{stated}'", _LEVELS),
    "level-out-of-range": Wording("{what} must lie between 0 and 1, not {stated}", _LEVELS),
    "secret-not-one": Wording(
        _secret, "try {option[choices=4]}, or {option[secret=COLUMN]} for the categories that the schema lists."
    ),
    "secret-not-a-name": Wording("secret names a column, not {stated}", "try {option[secret=marital_status]}."),
    "secret-column-unknown": Wording("The schema has no column '{column}'", "name a column of the schema."),
    "secret-without-categories": Wording(
        "Column '{column}' lists no categories",
        "list its categories, say {option[radius]} for a number, or say {option[choices]}.",
    ),
    "secret-always-guessed": Wording(
        "There is nothing to guess of '{column}': any guess is right", "guess closer, or another column."
    ),
    "radius-without-secret": Wording("radius goes with secret", "try {option[secret=age radius=5]}."),
    "radius-without-bounds": Wording(
        "Column '{column}' has no bounds, so a radius says nothing", "state bounds = [low, high]."
    ),
    "radius-zero": Wording("A guess at '{column}' needs a radius above 0", "try {option[radius=5]}."),
    "radius-negative": Wording("radius must not be negative, not {stated}", "try {option[radius=5]}."),
    "choices-not-whole": Wording("choices must be a whole number from 2 on, not {stated}", "try {option[choices=4]}."),
    "prior-out-of-range": Wording("prior must lie between 0 and 1, not {stated}", "try {option[prior=0.25]}."),
}
_BELIEFS = {
    "belief-out-of-range": Wording("belief must lie between 0 and 1, not {stated}", "try {preference[belief=0.333]}."),
    "belief-below-prior": Wording(
        "belief must lie above {prior:.4g}, not {belief:.4g}: so much is believed before any answer", _MORE
    ),
    "belief-with-delta": Wording(
        "Noise with a delta has answers that leave one world only, so it bounds no belief",
        "use {option[mechanism=laplace]}, and list the public categories of what is grouped by.",
        OTHER_NOISE,
    ),
    "worlds-missing": Wording("belief needs the possible worlds", _WORLDS, _IN_RULE),
    "worlds-too-few": Wording("A belief is about two worlds or more, not {worlds}", _WORLDS, _IN_RULE),
    "worlds-of-one-number": Wording(
        "Answers in each world go with a query of one noisy number, such as a COUNT or a SUM",
        "pass the universe as a table: {option[worlds=universe.csv]}.",
    ),
    "missing-not-whole": Wording("missing must be a whole number from 1 on, not {stated}", "try {option[missing=1]}."),
    "missing-with-answers": Wording(
        "missing goes with a universe, not with answers", _WORLDS, {Interface.SCHEMA: "leave missing out."}
    ),
    "missing-too-many": Wording("{missing} of {people:,} people in {name} cannot be missing", _ONE_MISSING),
    "missing-in-too-many-ways": Wording("There are too many ways for {missing} of {name} to be missing", _ONE_MISSING),
    "prior-without-answers": Wording("prior goes with the answers in each world", "leave it out: all are as likely."),
    "priors-not-of-worlds": Wording("There are {worlds} worlds and {priors} priors", "state how likely each world is."),
    "priors-not-one": Wording("The priors of the worlds must lie above 0 and add up to 1", "try 0.5,0.25,0.25."),
    "universe-too-small": Wording("There are fewer than two worlds in {name}", "a universe is everybody who could be."),
    "universe-too-large": Wording(
        "There are more than {most:,} worlds in {name} to be compared one by one",
        "ask for one aggregate at a time, or of a smaller universe.",
    ),
}
_ERRORS = {
    "within-not-positive": Wording("within must lie above 0, not {stated}", "try {preference[within=5]}."),
    "relative-error-not-positive": Wording(
        "relative error must lie above 0, not {stated}", "try {preference[relative_error=0.1]}."
    ),
    "expected-answer-missing": Wording(
        "relative error needs an expected answer",
        "add {option[expected=2300]}: a public guess, not the true answer.",
    ),
    "expected-answer-zero": Wording(
        "expected must not be 0", "an error cannot be a share of nothing; use {preference[within]}."
    ),
    "expected-count-missing": Wording(
        "How far {column} is off depends on how many people it is of",
        "add {option[expected_count=1000]}: how many people its smallest cell has at least, by public knowledge.",
        COUNT_PEOPLE,
    ),
    "expected-count-below-one": Wording(
        "expected count must be 1 or more, not {stated}", "try {option[expected_count=1000]}.", COUNT_PEOPLE
    ),
    "confidence-out-of-range": Wording(
        "confidence must lie above 0 and not above 1, not {stated}",
        "0.95 means: 95 of 100 answers; 1, which only truncated noise has, every one.",
    ),
    "private-keys-error-unbounded": Wording(
        "A group with private keys is shown where its noise came out high, so its error is not bounded",
        "list the public categories, or choose by {preference[gap]}, {preference[guess]} or {preference[epsilon]}.",
    ),
    "noise-without-end": Wording(
        _no_end, "use {option[mechanism=truncated]} with a {option[delta]}, or a confidence below 1.", OTHER_NOISE
    ),
    "error-unbounded-beforehand": Wording(_unbounded, "ask for counts, sums or means."),
    "mean-error-without-end": Wording(
        "No error of {column} holds every time", "ask for a confidence below 1, or for counts and sums."
    ),
    "truncated-noise-reaches-further": Wording(
        "Truncated noise always reaches further than what one person moves, {moved:g}",
        "allow a larger error, or a confidence below 1.",
    ),
}
_SPLITS = {
    "aim-unknown": Wording("There is no aim “{aim}”", "use {aims}."),
    "aim-without-guesses": Wording(
        "The aim “{aim}” needs a public guess of each answer", "state them with {option[expected=3000,30000]}."
    ),
    "index-not-positive": Wording(
        "An index has numbers above 0 only, not {number:g}",
        "a query's noise is as wide as its number says, beside the others': try {option[index=1,10]}.",
    ),
    "guess-of-zero": Wording(
        "An answer that is expected to be 0 has no relative error",
        "guess what it will be about, such as 1 or more for a count, or state an {option[index]}.",
    ),
    "split-relative-error-not-positive": Wording(
        "A relative error lies above 0, not at {number:g}", "try {option[relative_error=0.1]}."
    ),
    "split-confidence-out-of-range": Wording(
        "confidence must lie between 0 and 1, not {number:g}", "try {option[confidence=0.9]}."
    ),
    "split-numbers-not-finite": Wording("The {what} takes finite numbers only", _each_query),
    "split-numbers-not-of-queries": Wording(
        "The {what} takes a number for each query: {queries}, not {numbers}", _each_query
    ),
}
_STATED = {
    "number-not-finite": Wording("{what} must be a finite number, not {stated}", "write it with digits, such as 0.5."),
    "option-without-preference": Wording(_goes_with, _example, {Interface.SCHEMA: _example_in_rule}),
    "bounds-of-schema-needed": Wording(
        "“{stated}” goes by the bounds of the schema", "leave {option[bounds_from_data]} out.", OTHER_NOISE
    ),
    "priority-out-of-range": Wording(
        "priority must lie above 0 and not above 1000, not {stated}",
        "try {option[priority=2]}.",
        {Interface.PYTHON: "try sf.weighted(sf.gap(1.2), 2)."},
    ),
    "priority-twice": Wording("This preference has a priority already", "weigh it once."),
    "priority-of-nothing": Wording("“{stated}” has no priority", "weigh a gap, a chance, a cap or a variance."),
    "priority-in-request": Wording(
        "“{stated}” has a priority, and in a request queries have weights",
        "state it without, and give the query its weight: submit(..., weight=2).",
    ),
    "preference-not-in-request": Wording(
        "“{stated}” cannot be stated in a request",
        "a request carries names and numbers: no functions, no tables, and nothing that looks at what was spent.",
    ),
    "preferences-not-together": Wording(
        _together, "what two of them share, such as worst_case or confidence, holds for both."
    ),
}
_RULES = {  # these are about a file, and so in its terms only
    "rule-key-unknown": Wording(
        "[rule] does not know '{key}'", "it knows {known}, what goes with them, mechanism and delta."
    ),
    "rule-without-preference": Wording("[rule] states no preference", "try {preference[gap=1.2 worst_case]}."),
    "rule-exact-of-people": Wording(
        "exact in a rule goes with worst_case = true: an exact RDR of the people leaves no guarantee",
        "add worst_case = true, or leave exact out.",
    ),
    "rule-worlds-not-listed": Wording("worlds in a rule are listed: a file may change after the rule", _LIST_WORLDS),
    "rule-flag-not-boolean": Wording("{name} must be true or false"),
}
_DRAWN = {
    "delta-missing": Wording(_needs_delta, "state one with {option[delta]}, such as 1e-9.", STATE_DELTA),
    "rank-without-noise": Wording(
        _no_noise_on_rank,
        "use {option[mechanism=laplace]}: the selection is then as private as Laplace noise is.",
        OTHER_NOISE,
    ),
    "private-keys-need-laplace": Wording(
        "Private group keys are found with Laplace noise",
        "use {option[mechanism=laplace]} with the same {option[delta]}, or list the public categories.",
        OTHER_NOISE,
    ),
    "epsilon-too-small-for-truncated": Wording(_too_small, _LARGER),
    "epsilon-too-small-for-gaussian": Wording("This epsilon is too small for Gaussian noise on a grid", _LARGER),
    "classic-noise-too-narrow": Wording(
        "Classic noise is too narrow to keep its delta at this epsilon", "use {option[calibration=analytic]}."
    ),
}
WORDINGS = {
    **_RISK,
    **_SELECTIONS,
    **_GUESSES,
    **_BELIEFS,
    **_ERRORS,
    **_SPLITS,
    **_STATED,
    **_RULES,
    **_DRAWN,
}
