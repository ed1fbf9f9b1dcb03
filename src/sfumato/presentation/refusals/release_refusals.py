"""What the pipeline of a release refuses, and what it warns of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.ledger.charges import BATCH
from sfumato.model.guarantee import Guarantee
from sfumato.presentation.refusals import pages
from sfumato.presentation.refusals.options import Options, Preferences
from sfumato.presentation.refusals.wording import Wording
from sfumato.presentation.wording.guarantee import WITHHELD

_CHOOSE_AGAIN = "choose again."
_FOR_NOTHING = "what was released before comes back for nothing."
_OWN_BOUNDS = "open the data with the bounds of its schema."
_STATE_DELTA = "state one with {option[delta]}, such as 1e-9."
_TRY_DELTA = "try {option[delta=1e-9]}."
_PUBLIC_UNIVERSE = "pass a public table, or see {step[show_missing]}, which records the look."
_PUBLIC_TABLE = "pass a public table, or use {step[show_risk]}, which records the look."
_NOT_INVENTED = "Column '{column}' has neither bounds nor categories, so no look-alike can be invented for it"


def _needs_delta(mechanism: str) -> str:
    return f"{mechanism.capitalize()} noise needs a delta"


def _without_guarantee(what: str, inputs: list[str], causes: list[str]) -> str:
    lost = "; ".join(f"the {name} was {cause}" for name, cause in zip(inputs, causes, strict=True))
    return f"This {what} would carry no guarantee: {lost}. Nothing was drawn and nothing was charged"


def _with_guarantee(
    what: str,
    inputs: list[str],
    attestable: list[bool],
    instead: str,
    option: Options,
    preference: Preferences,
    step: Mapping[str, str],
) -> str:
    """What keeps a guarantee: something else, a declaration of what was fixed beforehand, or doing without one."""
    ways = [
        _other_way(name, by_a_person, option, preference) for name, by_a_person in zip(inputs, attestable, strict=True)
    ]
    match instead:
        case "worst-case":
            ways = [f"see {step['show_worst_case']}, which reads nobody"]
        case "free-signal":
            ways = [f"ask for {option['kind=free']}, which reads nobody"]
        case "as-planned":
            ways = ["use what was planned before the look, as it was planned"]
    attest = step["attest"] if all(attestable) else ""
    accept = "" if what == BATCH else step["allow_no_guarantee"]  # whatever is in a batch has a guarantee
    return f"{'; or '.join(filter(None, [*ways, attest, accept]))}."


def _other_way(lost: str, by_a_person: bool, option: Options, preference: Preferences) -> str:
    """Instead of an input that lost the guarantee; `stated`: by a person, after a look."""
    if lost == "preference" and by_a_person:
        return "state no preference, where the schema had its [rule] before the look"
    if lost == "preference":
        return f"use a preference that reads nobody, such as {preference['gap=1.2 worst_case']}"
    return f"leave {option['bounds_from_data']} out" if lost == "bounds" and not by_a_person else ""


def _budget_exceeded(limit: str, charge: float, guarantee: str, spent: float, budget: float, left: float) -> str:
    without = "" if Guarantee(guarantee).holds else ", the charge of a release without a guarantee"
    return (
        f"This asks for {limit} {charge:.15g}{without}: {spent:.15g} is spent, the budget is {budget:.15g} and "
        f"{left:.15g} is left. Nothing was drawn and nothing was charged"
    )


def _less(left: float) -> str:
    less = f"ask for {left:.15g} or less, or " if left else ""
    return f"{less}raise the budget where it is stated; {_FOR_NOTHING}"


def _larger_variance(smallest: str, option: Options) -> str:
    variance = option[f"variance={smallest}"]
    return f"the smallest that works is {variance}; or spend more with {option['select_epsilon']}."


def _usual_bins(usual: int, option: Options) -> str:
    return f"try {option[f'bins={usual}']}."


def _same_rows(dataset: str, others: Sequence[str]) -> str:
    named = " and ".join(f"'{name}'" for name in others)
    return f"The data of '{dataset}' has the same rows as {named} in this ledger, and they are counted separately"


_BATCHES = {
    "batch-empty": Wording("A batch has one choice at least", "make one with query.choose()."),
    "batch-choice-twice": Wording("The same choice is in the batch twice: {sql}", "leave one out."),
    "batch-not-of-choices": Wording("A batch takes choices", "make them with query.choose()."),
    "batch-epsilon-not-public": Wording(
        "A batch takes epsilons that are public, and this one is {guarantee} ({method}): {sql}",
        "leave it out, and release it by itself.",
    ),
    "split-empty": Wording("A batch has one query at least", 'state them as ["SELECT ...", "SELECT ..."].'),
    "split-index-and-aim": Wording("An index is stated, or found for an aim, not both", "leave one of them out."),
    "split-of-other-dataset": Wording("This query belongs to another dataset", "make it with this one's query()."),
    "split-not-of-queries": Wording(
        "An epsilon is split over queries",
        'state each as "SELECT ...", or make it with query(); a choice has an epsilon of its own.',
    ),
    "split-bounds-from-data": Wording(
        "With bounds from the data there is no split that is public: sensitivities are read off the people",
        "leave {option[bounds_from_data]} out.",
    ),
    "split-expected-of-several": Wording(
        "An expected answer is for one noisy number, and this is several or selected: {sql}",
        "state an {option[index]}, or ask for a COUNT or a SUM.",
    ),
    "split-part-too-small": Wording(
        "Less than a billionth of epsilon is left for: {sql}",
        "state a larger epsilon, or an index whose numbers lie closer together.",
    ),
    "split-part-too-large": Wording(
        "A part of epsilon would be above {most:g}, for: {sql}",
        "state a smaller epsilon: no query has more than this of it.",
    ),
}
_REQUESTS = {
    "not-a-preference": Wording(
        "A preference is stated as {option[gap=1.2]}, {option[ratio=0.95]} or {option[attack_chance=0.6]}"
    ),
    "preference-missing": Wording(
        "No preference is stated, and the schema has no [rule]",
        "try {preference[gap=1.2 worst_case]} (nobody at more than 1.2 times the risk of anybody else: epsilon 0.2, a "
        "count is then within ±11.5 in 90 of 100 answers), {option[within=5]} where the answer must be usable, or "
        "{preference[sharing_risk=low trust=low data_sensitivity=high choices=4]} where it matters who gets it.",
    ),
    "plan-reads-people": Wording(
        "“{method}” reads the people, so that no plan gives it a guarantee",
        "plan one that reads nobody, such as {preference[gap=1.2 worst_case]}, or one that is selected privately.",
    ),
    "not-a-choice": Wording("A release takes a choice", "make one with choose(), or state {option[epsilon=0.5]}."),
    "choice-of-other-query": Wording(
        "This choice was made for another query or other data", "choose again for this one."
    ),
    "choice-altered": Wording("This choice was altered", _CHOOSE_AGAIN),
    "opened-without-data": Wording("This dataset was opened without its data", "open it with the data to go on."),
    "bounds-from-data-unknown": Wording(
        "The authors' way is known for COUNT, SUM and AVG of a column, where a row is a person",
        "leave {option[bounds_from_data]} out and state bounds in the schema.",
        instead=pages.OTHER_NOISE,
    ),
    "private-keys-not-compared": Wording(
        "With private group keys nobody knows how many noisy numbers there are, so people are not compared",
        "use {option[worst_case]}, which reads nobody, or list the public categories.",
    ),
    "truncated-noise-not-compared": Wording(
        "“{stated}” goes by the RDRs of Laplace or Gaussian noise",
        "use {option[mechanism=laplace]}, or another preference.",
        instead=pages.OTHER_NOISE,
    ),
    "rows-kept-by-noise": Wording(
        "HAVING and LIMIT keep rows by their noise, so no error holds for each of those by itself",
        "leave {option[each]} out: then it holds for all rows together, and so for those that are kept.",
    ),
    "sharing-risk-needs-both": Wording(
        "A sharing risk goes by trust and data sensitivity, both of them", "try {step[low_trust]}."
    ),
    "guesses-bounds-from-data": Wording(
        "A view of guesses goes by the bounds of the schema", "leave {option[bounds_from_data]} out."
    ),
    "universe-is-the-data": Wording("The universe passed is the data itself, which is not public", _PUBLIC_UNIVERSE),
    "universe-has-rows-of-data": Wording(
        "The universe passed has the same rows as the data, which is not public", _PUBLIC_UNIVERSE
    ),
    "worlds-have-none-missing": Wording(
        "{file} has the answers in each world: missing goes with a universe", "check the file."
    ),
    "worlds-rows-differ": Wording(
        "{file} has the answers in each world: a world has one answer and one prior", "check the file."
    ),
    "rehearsal-on-the-data": Wording("A rehearsal needs a look-alike, and this is the data itself", _PUBLIC_TABLE),
    "rehearsal-on-rows-of-data": Wording(
        "A rehearsal needs a look-alike, and this has the same rows as the data", _PUBLIC_TABLE
    ),
    "rehearsal-with-private-keys": Wording(
        _NOT_INVENTED,
        "see {step[show_worst_case]}, which needs none, or pass {option[like=PUBLIC]}.",
        instead=pages.NO_REHEARSAL,
    ),
    "rehearsal-without-bounds": Wording(
        _NOT_INVENTED,
        "state them under [columns.{column}] in {schema}, or pass {option[like=PUBLIC]}.",
        instead=pages.NO_REHEARSAL,
    ),
}
_NOISE = {
    "mechanism-unknown": Wording("There is no mechanism '{mechanism}'", "use laplace, gaussian or truncated."),
    "calibration-unknown": Wording("There is no calibration '{calibration}'", "use analytic or classic."),
    "candidates-unreadable": Wording(
        "Candidates are 'paper' or a list of epsilons above 0", "try {step[state_candidates]}."
    ),
    "delta-out-of-range": Wording("delta must lie between 0 and 1, not {delta}", _TRY_DELTA),
    "truncated-delta-too-large": Wording("The delta of truncated noise lies below 1/2, not at {delta}", _TRY_DELTA),
    "rule-delta-not-a-number": Wording("delta must be a number", "write delta = 1e-9."),
    "laplace-has-no-delta": Wording(
        "Laplace noise has no delta",
        "leave {option[delta]} out, or use {option[mechanism=gaussian]}.",
        instead=pages.DELTA_APART,
    ),
    "noise-needs-delta": Wording(_needs_delta, _STATE_DELTA, instead=pages.STATE_DELTA),
    "private-keys-need-delta": Wording(
        "Private group keys need a delta: the chance that a group of one person shows",
        _STATE_DELTA,
        instead=pages.STATE_DELTA,
    ),
}
_CHARGES = {
    "without-guarantee": Wording(_without_guarantee, _with_guarantee),
    "budget-exceeded": Wording(_budget_exceeded, _less),
    "budget-passed-before": Wording(
        "The budget is stated as {limit} {budget:.15g}, and {spent:.15g} is spent already",
        f"state {{spent:.15g}} or more, or none; {_FOR_NOTHING}",
    ),
    "spent-since-chosen": Wording("More was spent on this dataset since the epsilon was chosen", _CHOOSE_AGAIN),
    "preference-leads-nowhere": Wording(
        "A preference ({method}) leads to no release", "state an epsilon with {option[epsilon]}."
    ),
    "epsilon-unbounded": Wording("{why}", "state one with {option[epsilon]}."),
    "preference-infeasible": Wording("{why}", "ask for less."),
}
_SELECTIONS = {
    "selection-beside-published": Wording(
        "Algorithm 3 as published leaves no guarantee, so nothing is selected privately beside it",
        "leave one of the two out.",
    ),
    "selection-bounds-from-data": Wording(
        "With bounds from the data nobody's exposure is their own, so nothing is selected privately", _OWN_BOUNDS
    ),
    "selection-not-additive": Wording(
        "There is no private selection for {columns}: that is no sum over people, and everybody counts as exposed in "
        "full",
        "use {preference[gap=1.2 worst_case]}, which reads nobody.",
    ),
    "selection-epsilon-max-too-small": Wording(
        "No epsilon is selected below {smallest:g}, and epsilon_max is {epsilon_max:g}",
        "state a larger epsilon_max, or smaller candidates.",
    ),
    "variance-below-noise": Wording(
        "variance {variance:g} is below the noise of a selection with epsilon {select_epsilon:g} among {people:,} "
        "people: were they all alike, what is selected would still be less than what that costs, more often than not",
        _larger_variance,
    ),
    "pri-not-additive": Wording(
        "Find-eps-from-PRI adds noise to sums, and {columns} is none",
        "ask for COUNT, SUM, AVG, a variance or a standard deviation.",
    ),
    "pri-not-alone": Wording(
        "Find-eps-from-PRI releases the very output that it accepted, so no other preference goes with it",
        "state {option[pri]} alone, or with {option[larger_than_spent]}.",
    ),
    "pri-mechanism": Wording(
        "Find-eps-from-PRI draws Laplace noise", "leave {option[mechanism]} out.", instead=pages.OTHER_NOISE
    ),
    "pri-output-released": Wording(
        "The output that Find-eps-from-PRI accepted went out already, and it has no other",
        "choose again with {option[again]}: that draws anew.",
    ),
}
_HISTOGRAMS = {
    "exposure-histogram-epsilon-too-large": Wording(
        "An exposure histogram spends an epsilon of at most {most:g}, not {epsilon:g}", "try {option[epsilon=0.05]}."
    ),
    "exposure-histogram-bins": Wording("An exposure histogram has {fewest} to {most} bins, not {bins}", _usual_bins),
    "exposure-histogram-bounds-from-data": Wording(
        "With bounds from the data nobody's exposure is their own, so there is no private exposure histogram",
        "open the data with the bounds of its schema, or look at the worst case, which reads nobody.",
    ),
    "exposure-histogram-not-additive": Wording(
        "There is no private exposure histogram of {columns}: that is no sum over people, and how exposed one of "
        "them is depends on the others",
        "look at the worst case, which reads nobody; there everybody counts as exposed in full.",
    ),
}
_AFTERWARDS = {  # differences of figures, and what an answer says about each person
    "difference-figure-unknown": Wording("There is no such figure in the answer", "rows and columns count from 1."),
    "difference-of-group": Wording("'{column}' is a group and no figure", "choose two figures with noise ranges."),
    "difference-of-selected": Wording(
        "'{column}' is selected by its rank and has no noise range", "choose two figures with noise ranges."
    ),
    "difference-withheld": Wording(f"The size of the noise is {WITHHELD}", "nothing can be said of a difference."),
    "difference-of-same-number": Wording("Both are the same noisy number", "choose two figures."),
    "difference-schema-changed": Wording(
        "The schema is no longer the one that this was released under", "go by the noise ranges."
    ),
    "posthoc-without-rows": Wording("No row of this answer left to be compared", "ask without HAVING or LIMIT."),
    "release-of-other-query": Wording(
        "This release is of another query", "ask the query that it was made with for its post-hoc risk."
    ),
    "release-not-in-ledger": Wording(
        "This release is not in the ledger of this dataset", "open the dataset with the ledger that has it."
    ),
    "release-of-other-data": Wording(
        "This release was drawn from other data, or under another schema", "open what it was drawn from."
    ),
    "private-keys-without-distance": Wording(
        "With private group keys a group of one person is not there without them, so no distance is known",
        "list the public categories.",
    ),
    "keys-not-shown": Wording(
        "The answer does not show by what it is grouped, and HAVING, ORDER BY or LIMIT moved its rows",
        "select the keys of GROUP BY too.",
    ),
}
_WARNINGS = {
    "look-unrecorded": Wording(
        "The ledger of this dataset is kept in memory, so no ledger file records this look",
        "What you choose after it has no guarantee, also where another ledger does not know that you looked.",
    ),
    "same-rows": Wording(
        _same_rows,
        'If they are about the same people, write population = "{others[0]}" in the schema of {dataset}: looks, plans '
        "and charges then count together.",
    ),
}
WORDINGS = {
    **_BATCHES,
    **_REQUESTS,
    **_NOISE,
    **_CHARGES,
    **_SELECTIONS,
    **_HISTOGRAMS,
    **_AFTERWARDS,
    **_WARNINGS,
}
