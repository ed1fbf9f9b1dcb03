"""What a policy says, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.model.budget import BudgetLimit
from sfumato.model.guarantee import Guarantee
from sfumato.presentation.wording.guarantee import budget as budget_words

NOBODY_ELSE = "Whoever is not named gets nothing, and does not learn that this dataset is there."
NO_POLICY = "There is no policy: nothing flows to anybody"
_NO_RULE = "There is no rule of record: whoever asks states a preference."
_OWN = {"within": "an error", "attack_chance": "an attacker's chance", "guess": "a chance of a guess", "pri": "a PRI"}
_DECIDED = {
    "automatic": "The policy approves by itself what carries a guarantee",
    "by a controller": "{who} before anything is drawn",
    "after the answer": "{who}, and once more after seeing the answer, which is withheld until then: no guarantee",
}
CODE = "They may bring functions of their own, which run in a sandbox after a controller has read them."
AFTER_LOOK = (
    "Somebody has looked at the people in this dataset. What a person decides now, yes or no, carries no guarantee, "
    "unless it was fixed beforehand; what the policy of record decides by itself keeps its word."
)
SEPARATION = (
    "A controller who views individual risks can no longer decide, or change the policy, schema, data, roles or "
    "population of this dataset. The decisions of others keep their guarantee after a look; certificates print the "
    "assumption that the viewers told them nothing."
)
VIEWED = (
    "You viewed individual risks of this dataset, and the policy keeps viewers and deciders apart: leave the decision "
    "to somebody else."
)


def purpose(words: str) -> str:
    return f"Purpose: {words}."


def flow(
    who: Sequence[str], aggregates: Sequence[str] | None, columns: Sequence[str] | None, preferences: Sequence[str]
) -> str:
    """To whom goes what, by which preferences."""
    what = "any aggregate" if aggregates is None else ", ".join(aggregates)
    of = "any column" if columns is None else ", ".join(columns)
    how = " or ".join(
        "the rule" if name == "rule" else f"{_OWN.get(name, _one(name.replace('_', ' ')))} of their own"
        for name in preferences
    )
    return f"{_listed(who)} may ask for {what} of {of}, by {how}."


def decided(approve: str, approvers: Sequence[str], approvals: int, guarantees: Sequence[Guarantee]) -> str:
    """Who decides, and what may leave."""
    named = _listed(approvers) if approvers else "any controller"
    if approvals > 1:
        named = f"{approvals} of {named}" if approvers else f"{approvals} controllers"
    by = _DECIDED[approve].format(
        who=f"{named} must approve".capitalize() if not approvers else f"{named} must approve"
    )
    return f"{by}. What leaves carries the word {' or '.join(word.value for word in guarantees)}."


def signals(kinds: Sequence[str], bits: float) -> str:
    """What may be asked about the noise of a release."""
    if not kinds:
        return "Nothing may be asked about what the noise did."
    exact = f"; exact scores may tell {bits:g} bits in all" if "as_published" in kinds else ""
    return f"What the noise did to a task may be asked by these signals: {', '.join(kinds)}{exact}."


def decides(approve: str) -> str:
    """The same for whoever asks, who is not told which of the controllers."""
    return f"{_DECIDED[approve].format(who='A controller must approve')}."


def rule(preferences: Mapping[str, object] | None) -> str:
    """The rule of record, as it is written."""
    if preferences is None:
        return _NO_RULE
    return f"The rule of record: {rule_values(preferences)}."


def rule_values(preferences: Mapping[str, object]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_value(value)}".strip() for name, value in preferences.items())


def limits(epsilon_max: float | None, budget: BudgetLimit) -> list[str]:
    sentences = [] if epsilon_max is None else [f"No release has an epsilon above {epsilon_max:g}."]
    return sentences + (
        [f"The budget of all releases together is {budget_words(budget)}."] if budget.is_limited else []
    )


def partners(
    trust: Mapping[str, float | str], columns: Mapping[str, float | str], otherwise: float | str | None
) -> list[str]:
    """How far each partner is trusted, and how sensitive the data is."""
    sentences = [f"Trust in {name}: {rated}." for name, rated in trust.items()]
    sentences += [] if otherwise is None else [f"The sensitivity of this data: {otherwise}."]
    return sentences + [f"The sensitivity of {name}: {rated}." for name, rated in columns.items()]


def retention(answers_days: int | None, data_days: int | None) -> list[str]:
    sentences = [] if answers_days is None else [f"An answer is handed out for {answers_days} days after its release."]
    return sentences + (
        [] if data_days is None else [f"The data is forgotten {data_days} days after it was delivered."]
    )


def switches(*, introduction: bool, public_page: bool, separation: bool) -> list[str]:
    """What is said of a switch that does not stand as it does by itself."""
    sentences = [] if introduction else ["Whoever signs in to approve need not pass the introduction first."]
    sentences += ["A page that is open to everybody lists what was released, and its total."] if public_page else []
    return sentences + ([SEPARATION] if separation else [])


def others_viewed(viewers: int) -> str:
    """What is said to somebody who decides after others viewed individual risks, and has not viewed them."""
    who = "1 person has" if viewers == 1 else f"{viewers:,} people have"
    return (
        f"{who} viewed individual risks of this dataset, and you have not. Your decision keeps its guarantee, which "
        "then assumes that they told you nothing; the certificate says so."
    )


def _one(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _value(value: object) -> str:
    return "" if value is True else str(value)
