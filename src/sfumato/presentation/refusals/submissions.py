"""What the escrow refuses of requests and signals, and of the questions in them."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.presentation.refusals.wording import Wording
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording.signals import requests_sentences as of_signalling

DONE = {  # of each act, what a submission is after it
    "approve": "approved",
    "return": "returned",
    "refuse": "refused",
    "withdraw": "withdrawn",
    "start": "started",
    "release": "released",
    "withhold": "withheld",
    "fail": "ended",
}
_ASK_THEM = "ask one of them."
_LOOK_AGAIN = "look at it again."
_SUBMIT_SEVERAL = "submit several."


def _not_possible(what: str, state: str, act: str) -> str:
    return f"This {what} is {state}, and cannot be {DONE[act]} any more"


_STANDS = {"request": of_request.STANDS, "signal": of_signalling.STANDS}
_BOUND = {
    "request": "The query, the data, the preference or the policy",
    "signal": "The task or code, the release, the data or the policy",
}
_AGAIN = {"request": "submit it again.", "signal": "ask again."}
_ASKED_AGAIN = {"request": "submitted", "signal": "asked"}
_NO_RESULT = {"request": "submit another request.", "signal": "ask again."}
_WITHHELD = {
    "request": ("answer", 'only `approve = "after the answer"` makes one.'),
    "signal": ("value", "only a signal 'as_published' has one."),
}
_GOES = {
    "request": ("answer", "the certificate is in the dataset's ledger."),
    "signal": ("signal", "its certificate is in the dataset's ledger."),
}


def _stands(what: str, state: str) -> str:
    return _STANDS[what][state]


def _changed(what: str) -> str:
    return f"{_BOUND[what]} is no longer what was approved"


def _after_change(what: str, then: str) -> str:
    if then == "again":
        return _AGAIN[what]
    return "inspect it again." if then == "inspect" else f"refuse or return it; it can be {_ASKED_AGAIN[what]} again."


def _allowed_or_attested(allowed: list[str], step: Mapping[str, str]) -> str:
    return f"it allows {' and '.join(allowed)}; or {step['attest']}."


def _allowed(allowed: list[str], lost: str) -> str:
    return f"it allows {' and '.join(allowed)}{f' ({lost})' if lost else ''}."


def _leave_out(names: list[str]) -> str:
    return f"leave out {' and '.join(names)}."


_QUESTIONS = {
    "option-unknown": Wording("There is no option '{name}' here", "there are {known}."),
    "request-empty": Wording("A request has one query at least", "state what you ask in SQL."),
    "request-preference-unknown": Wording("There is no preference '{name}'", "there are {known}."),
    "request-queries": Wording("A request has {most} queries at most, not {queries}", _SUBMIT_SEVERAL),
    "request-query-twice": Wording("The same query is in the request twice: {sql}", "leave one out."),
    "request-sql-length": Wording(
        "A request has {longest:,} characters of SQL at most, not {letters:,}", _SUBMIT_SEVERAL
    ),
    "exposure-histogram-without-epsilon": Wording("An exposure histogram states its epsilon", "try 0.05."),
    "trust-stated": Wording("How far you are trusted, and with how sensitive data, is the policy's to say", _leave_out),
    "weight-out-of-range": Wording("A weight lies above 0 and not above 1000, not at {weight:g}", "try 1 and 2."),
    "worlds-not-listed": Wording("The worlds of a belief are listed", "state them as numbers."),
}
_DECISIONS = {
    "approval-guarantee-not-allowed": Wording(
        "Approved now, this would carry the word {guarantee}, which the policy does not allow", _allowed_or_attested
    ),
    "approval-without-guarantee": Wording(
        "Approved now, this would carry no guarantee. Nothing was drawn and nothing was charged",
        "{step[attest_approval]}, or {step[allow_no_guarantee]}.",
    ),
    "approver-not-named": Wording("The policy asks {approvers} to approve", "leave it to them."),
    "decider-is-analyst": Wording("Nobody decides their own request", "leave it to another controller."),
    "decider-not-controller": Wording("Only a controller of {dataset} decides", _ASK_THEM),
    "no-withheld-result": Wording(
        lambda what: f"There is no withheld {_WITHHELD[what][0]}", lambda what: _WITHHELD[what][1]
    ),
    "returned-without-note": Wording("A {what} is returned with a note", "say what to change."),
}
_SUBMISSIONS = {  # requests and signals alike
    "idempotency-key-used": Wording(
        "This Idempotency-Key was used for another {what}", "take another Idempotency-Key for another {what}."
    ),
    "no-longer-automatic": Wording("The policy no longer approves this by itself", lambda what: _AGAIN[what]),
    "no-result": Wording(_stands, lambda what, note: note or _NO_RESULT[what]),
    "request-query-missing": Wording("Request {number} has no query {query}", "queries count from 1."),
    "result-awaited": Wording(_stands, "ask again later."),
    "result-of-others": Wording(
        lambda what: f"The {_GOES[what][0]} goes to whoever asked", lambda what: _GOES[what][1]
    ),
    "state-unknown": Wording("There is no state {state!r}", "there are: {states}."),
    "step-not-possible": Wording(_not_possible, "it can be submitted again."),
    "submission-changed": Wording(_changed, _after_change),
    "submission-changed-meanwhile": Wording("Somebody else was faster", _LOOK_AGAIN),
    "submission-not-found": Wording("There is no such {what}", "list yours first."),
    "submission-not-running": Wording("It does not run here, or not any more", _LOOK_AGAIN),
    "text-hides-something": Wording(
        "The {what} holds characters that would hide what it says", "leave out what does not print."
    ),
    "withdrawn-by-others": Wording("Only whoever asked may withdraw", "refuse or return it instead."),
}
_REQUESTS = {
    "answer-withheld": Wording("The answer is withheld", "see it with {step[see_answer]}, which is a look."),
    "answers-no-longer-kept": Wording("The policy keeps answers for {days} days, and they are over", "ask again."),
    "cancelled-by-others": Wording("Only whoever asked, or a controller, may cancel", _ASK_THEM),
    "delta-without-budget": Wording(
        "The policy approves by itself and states no budget for delta",
        "state none, or ask a controller for a budget_delta in it.",
    ),
    "purpose-length": Wording(
        "A request has a purpose of up to {longest:,} characters", "say in a sentence what the answer is for."
    ),
    "request-guarantee-not-allowed": Wording("The policy lets nothing leave with the word {guarantee}", _allowed),
    "request-without-epsilon": Wording("{why}", "ask for something else, or state an epsilon."),
}
_SIGNALS = {
    "function-length": Wording("A function has up to {longest:,} characters", "write def evaluate(tables): ..."),
    "own-code-runs": Wording(
        "Code of your own is run once for each draw and each block, and not so often",
        "{draws} draws, or {blocks} blocks.",
    ),
    "own-code-states-range": Wording(
        "Code of your own states the range of its scores, and a task has its own",
        "state range = [0, 1] with code only.",
    ),
    "signal-about-answer-of-others": Wording(
        "Whoever asked may ask what the noise did to it", "ask the dataset yourself first."
    ),
    "signal-about-older-data": Wording(
        "There is newer data than what this was released from", "ask the dataset again first."
    ),
    "signal-epsilon-above-policy": Wording("The policy has no epsilon above {most:g}", "ask for less."),
    "signal-task-or-code": Wording("A signal has a task, or code of your own", "state one of them."),
}
WORDINGS: Mapping[str, Wording] = {**_QUESTIONS, **_DECISIONS, **_SUBMISSIONS, **_REQUESTS, **_SIGNALS}
