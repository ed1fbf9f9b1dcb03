"""What the escrow refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.presentation.interface import Interface
from sfumato.presentation.refusals.wording import Wording
from sfumato.presentation.wording import code as of_code
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording.signals import requests_sentences as of_signalling

_WRITE_FUNCTION = "write def evaluate(tables): ... as text, or name its file."
_LEAVE_IT = "the policy keeps viewers and deciders apart; leave it to somebody who has not viewed them."
_LIST_OWN = "list yours first."
_WRITE_ANEW = "nothing flows under it; a controller writes it anew."
_OTHER_NAME = "take another name."
_NO_DATA = "{dataset} has no data"
_STATE_WHO = 'who = ["a name, an organisation, or everyone"].'


def _roles_only(roles: Sequence[str], to: str) -> str:
    first, *others = sorted(roles, key=_begins_with_vowel)
    who = " or ".join([f"{'an' if _begins_with_vowel(first) else 'a'} {first}", *others])
    return f"Only {who} may {to}"


def _begins_with_vowel(word: str) -> bool:
    return word[0] in "aeiou"


def _delivered_as(known: Sequence[str], format: str) -> str:
    return f"Data is delivered as {' or '.join(known)}, not as '{format}'"


def _allows(allowed: Sequence[str]) -> str:
    return f"it allows {', '.join(allowed) or 'nothing'}."


def _near_or_known(near: str, known: Sequence[str]) -> str:
    return f"did you mean '{near}'?" if near else f"it knows {', '.join(known)}."


def _near_or_let_in(near: str) -> str:
    return f"did you mean '{near}'?" if near else "let them in first, or name an organisation or everyone."


_PEOPLE = {
    "role-missing": Wording(_roles_only, "ask an admin for the role, or somebody who has it."),
    "role-unknown": Wording("There are four roles: {known}", "state one or several of them."),
    "roles-empty": Wording("A person has one role at least", "state one or several of {known}."),
    "person-name": Wording(
        "'{name}' is no name for a person",
        "use 1 to 64 letters, digits, '.', '_', '@' or '-', beginning with a letter or digit.",
    ),
    "person-unknown": Wording("There is nobody named '{name}'", "{step[list_people]} tells who there is."),
    "person-taken": Wording("There is somebody named '{name}' already", _OTHER_NAME),
    "name-of-both": Wording("'{name}' would be a person and an organisation, or everyone", _OTHER_NAME),
    "person-change-empty": Wording("Nothing is to be changed", "state roles, an organisation, disabled or a password."),
    "people-already": Wording("This workspace has people already", "sign in as its admin."),
    "admin-last": Wording("Somebody must stay admin", "make another person admin first."),
    "password-length": Wording(
        "A password has at least {least} characters", "take four words that nobody else would put together."
    ),
    "password-not-the-current": Wording("That is not your password so far", "state it, or ask an admin for another."),
    "sign-in-wrong": Wording("That name and password do not go together", "try again, or ask an admin."),
    "session-over": Wording("You are not signed in, or it was too long ago", "sign in again."),
    "person-disabled": Wording("You are no longer let in", "ask an admin."),
    "token-not-good": Wording("That token is not known, or no longer good", "make another {step[with_token]}."),
    "token-unknown": Wording("There is no such token", _LIST_OWN),
    "token-days": Wording("A token is good for up to {most} days, not {days:g}", "try 90."),
    "token-scopes": Wording("A token is for 'read', or for 'read' and 'write'", "state one or both."),
    "quiz-answers": Wording("The quiz has {questions} questions", "answer each with the number of a choice, from 0."),
    "notification-unknown": Wording("There is no such notification", _LIST_OWN),
    "audit-head-unsigned": Wording("This is no signed head of a record", "make one {step[with_audit_head]}."),
    "audit-head-missed": Wording(
        "The {chain} does not go through the head that was kept, at entry {number}: an older copy was put back",
        "find the copy that has it; what was released since then is not counted in this one.",
    ),
}
_DATASETS = {
    "dataset-unknown": Wording("There is no dataset '{dataset}'", "list those that you may see."),
    "dataset-taken": Wording(
        "There is a dataset '{dataset}' already",
        "rename the table in the schema, or deliver a new version of that one.",
    ),
    "dataset-retired": Wording("{dataset} was retired", "register another under another name."),
    "dataset-not-controlled": Wording("Only a controller of {dataset} may do that", "ask one of them."),
    "schema-of-other-table": Wording("The schema is of '{table}', not of '{dataset}'", "keep the table's name."),
    "delivery-beside-reference": Wording(
        "The data of {dataset} lies elsewhere and is not delivered", "register another without a reference."
    ),
    "delivery-format": Wording(_delivered_as, "convert it."),
    "reference-not-allowed": Wording(
        "Data that lies elsewhere may not be named from there",
        "an admin lists its folder under [references] in the settings of the workspace, or deliver the file.",
    ),
    "data-not-delivered": Wording(_NO_DATA, "a controller delivers it first."),
    "data-forgotten": Wording(_NO_DATA, "its time was over, or it was retired."),
    "data-not-where-it-lay": Wording(_NO_DATA, "a controller sees to where it lies."),
    "controllers-empty": Wording("A dataset has one controller at least", "name one or several."),
    "controllers-all-viewers": Wording(
        "Every one of them has viewed individual risks, so that nobody could decide", "name one who has not."
    ),
    "population-name-missing": Wording(
        "A population has a name", "state one, the same for each dataset about these people."
    ),
    "population-name-length": Wording("The name of a population has up to {longest} characters", "shorten it."),
    "population-of-others": Wording(
        "The population '{population}' has datasets that you do not control",
        "take another name, or ask a controller of those datasets to add yours.",
    ),
}
_SEPARATION = {
    "viewer-decides": Wording("You viewed individual risks of {dataset}: you may not {to}", _LEAVE_IT),
    "viewer-separates": Wording("You viewed individual risks: you may not write who decides", _LEAVE_IT),
    "look-of-last-controller": Wording(
        "You are the last controller who has not viewed individual risks, and may decide",
        "leave it to somebody else, or name another controller first.",
    ),
    "look-of-last-admin": Wording(
        "You are the last admin who has not viewed individual risks, and may change roles",
        "leave it to somebody else, or make another person admin first.",
    ),
}
_POLICIES = {  # what a policy in force does not let happen, and policies that are none
    "policy-missing": Wording(
        of_policy.NO_POLICY,
        "a controller writes one with `sfumato policy set {dataset} FILE`.",
        instead={
            Interface.PYTHON: "a controller writes one with `set_policy('{dataset}', FILE)`.",
            Interface.WEB: "a controller writes one: /datasets/{dataset}/policy.",
        },
    ),
    "policy-not-newest": Wording(
        "The policy of {dataset} is not the one that was written last: it was edited in the database", _WRITE_ANEW
    ),
    "policy-unsigned": Wording(
        "The policy of {dataset} was not signed by {author}: it was edited in the database", _WRITE_ANEW
    ),
    "policy-not-shown": Wording(
        "Only a controller of {dataset} or an auditor sees its whole policy",
        "your own part of it is shown with the dataset.",
    ),
    "flow-missing": Wording("The policy of {dataset} has nothing for you", "ask a controller for a flow."),
    "aggregate-not-allowed": Wording("The policy does not let you ask for {aggregate}", _allows),
    "column-not-allowed": Wording("The policy does not let you ask about '{column}'", _allows),
    "preference-not-allowed": Wording("The policy does not let you go by '{name}'", _allows),
    "rule-not-allowed": Wording("The policy does not let you go by the rule alone", _allows),
    "signal-not-allowed": Wording("The policy does not let you ask for the signal '{kind}'", _allows),
    "own-code-not-allowed": Wording("The policy does not let you bring code of your own", "take one of the tasks."),
    "rule-as-it-stands": Wording("The rule is applied as it stands, with the noise that it has", "leave out {stated}."),
    "trust-not-rated": Wording(
        "The policy rates no trust in {person}", "a controller adds them, or everyone, under [trust]."
    ),
    "sensitivity-not-rated": Wording(
        "The policy does not say how sensitive this data is",
        'a controller states dataset = "high" under [sensitivity].',
    ),
}
_POLICY_FILES = {
    "policy-not-toml": Wording("The policy is not TOML: {error}"),
    "policy-nested-too-deeply": Wording(
        "The policy is not TOML: it is nested too deeply, or a number is too long",
        "write it as the documentation has it.",
    ),
    "policy-key-unknown": Wording("A policy does not know '{name}'", _near_or_known),
    "policy-key-not-a-table": Wording("'{name}' is a table", "write [{name}] and what it holds below."),
    "policy-key-not-text": Wording("'{name}' is a text", 'write {name} = "...".'),
    "policy-key-not-boolean": Wording("'{name}' is true or false", "write {name} = true."),
    "policy-key-not-names": Wording("'{name}' is a list of names", 'write {name} = ["one", "two"].'),
    "policy-words-unknown": Wording("'{name}' knows {known}", "state some of these."),
    "policy-days": Wording("'{name}' is a number of days", "write {name} = 365."),
    "policy-names-nobody": Wording("The policy names '{name}', and there is nobody of that name", _near_or_let_in),
    "policy-column-unknown": Wording("The dataset has no column '{name}'", "it has {columns}."),
    "policy-rule-not-a-table": Wording("[rule] is a table", "write gap = 1.2 and worst_case = true below [rule]."),
    "rule-without-trust": Wording(
        "The rule goes by trust, and none is rated for '{name}'",
        "name them, their organisation, or everyone under [trust].",
    ),
    "rule-without-sensitivity": Wording(
        "The rule goes by sensitivity, and none is rated for the dataset",
        'state dataset = "high" under [sensitivity].',
    ),
    "policy-without-flow": Wording(
        "The policy names nobody: without a flow nothing goes to anybody", f"add [[flow]] with {_STATE_WHO}"
    ),
    "flow-not-a-table": Wording("A flow is a table", 'write [[flow]] and who = ["name"] below it.'),
    "flow-without-people": Wording("The policy names nobody: a flow says whom it goes to", f"state {_STATE_WHO}"),
    "flow-after-the-answer": Wording(
        "What is approved after the answer carries no guarantee",
        'add guarantees = ["none"], or approve = "by a controller".',
    ),
    "flow-automatic-without-guarantee": Wording(
        "Nothing without a guarantee is approved automatically",
        'state approve = "by a controller", or guarantees = ["dp"].',
    ),
    "preference-unknown": Wording("There is no preference '{name}'", "it knows {known}."),
    "approvals-out-of-range": Wording("'approvals' is a number from 1 to 10", "write approvals = 1."),
    "approvals-too-many": Wording(
        "{approvals} approvals cannot be given",
        "{most} may approve: state approvals = {most} or less, or add controllers.",
    ),
    "approver-not-controller": Wording("'{name}' is no controller of this dataset", "it has {controllers}."),
    "approver-is-viewer": Wording(
        "'{name}' has viewed individual risks, and decides nothing", "those who may approve are {deciders}."
    ),
    "signal-bits-out-of-range": Wording("'signal_bits' is a number from 0 to 10,000", "write signal_bits = 20."),
    "separation-of-one": Wording(
        "Viewers and deciders cannot be separate where there is one controller",
        "name another controller first, or leave separation out.",
    ),
    "separation-without-deciders": Wording(
        "Every controller has viewed individual risks, so no controller could decide",
        "name a controller who has not.",
    ),
    "separation-after-the-answer": Wording(
        "A controller who approves after the answer would view it and decide",
        'state approve = "by a controller", or leave separation out.',
    ),
    "separation-of-exact-score": Wording(
        "A controller who approves an exact score would view it and decide", "leave '{kind}' or separation out."
    ),
}
_DECISIONS = {
    "introduction-first": Wording(
        "Whoever approves under this policy passes the introduction first", "it takes three minutes: /introduction."
    ),
    "no-after-look": Wording(
        "This decision follows a look at the people: to say no tells something about them, and no total exists for "
        "this dataset from then on",
        "{step[allow_no_guarantee]}, or leave it to the policy.",
    ),
    "policy-changed-after-look": Wording(
        "This policy changes who gets what after somebody looked at the people: what it takes away or gives back tells "
        "something about them, and no total exists for this dataset from then on",
        "{step[allow_no_guarantee]}, or {step[attest]}. "
        "A policy that only adds [[flow]] tables at the end, or raises limits, takes nothing away.",
    ),
}
_REQUESTS = {
    "request-beyond-budget": Wording(
        of_request.beyond, "a controller raises the budget of the policy, or asks for less."
    ),
    "rule-withheld": Wording(
        "How much noise there would be is withheld: the rule, or the policy, was changed after a look at the people",
        "submit it without a trial, or ask a controller.",
    ),
}
_SIGNALS = {
    "function-missing": Wording(of_code.ABSENT, _WRITE_FUNCTION),
    "function-not-python": Wording(of_code.UNREADABLE, _WRITE_FUNCTION),
    "function-without-score": Wording(
        "The function has no score on what was released. Nothing was read and nothing was charged",
        "try it on the answer that you have.",
    ),
    "signal-beyond-bits": Wording(of_signalling.beyond, "ask for one of the other signals."),
    "signal-beyond-budget": Wording(
        of_request.beyond, "ask for a free signal, or a controller raises the budget of the policy."
    ),
}
WORDINGS: Mapping[str, Wording] = {
    **_PEOPLE,
    **_DATASETS,
    **_SEPARATION,
    **_POLICIES,
    **_POLICY_FILES,
    **_DECISIONS,
    **_REQUESTS,
    **_SIGNALS,
}
