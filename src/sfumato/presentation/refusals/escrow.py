"""What the escrow refuses."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.presentation.refusals.wording import Wording
from sfumato.presentation.wording import code as of_code
from sfumato.presentation.wording import requests as of_request
from sfumato.presentation.wording.signals import requests as of_signalling

_AFTER_CHANGE = {  # of a request that was approved as it was then
    "submit": "submit it again.",
    "inspect": "inspect it again.",
    "return": "refuse or return it; it can be submitted again.",
}
_AFTER_CHANGE_OF_SIGNAL = {
    "ask": "ask again.",
    "inspect": "inspect it again.",
    "return": "refuse or return it; it can be asked again.",
}
_WRITE_FUNCTION = "write def evaluate(tables): ... as text, or name its file."


def _request_stands(state: str) -> str:
    return of_request.STANDS[state]


def _request_note(note: str) -> str:
    return note or "submit another request."


def _after_change(then: str) -> str:
    return _AFTER_CHANGE[then]


def _signal_stands(state: str) -> str:
    return of_signalling.STANDS[state]


def _signal_note(note: str) -> str:
    return note or "ask again."


def _after_change_of_signal(then: str) -> str:
    return _AFTER_CHANGE_OF_SIGNAL[then]


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
    "answer-awaited": Wording(_request_stands, "ask again later."),
    "request-beyond-budget": Wording(
        of_request.beyond, "a controller raises the budget of the policy, or asks for less."
    ),
    "request-changed": Wording(
        "The query, the data, the preference or the policy is no longer what was approved", _after_change
    ),
    "request-without-answer": Wording(_request_stands, _request_note),
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
    "signal-awaited": Wording(_signal_stands, "ask again later."),
    "signal-beyond-bits": Wording(of_signalling.beyond, "ask for one of the other signals."),
    "signal-beyond-budget": Wording(
        of_request.beyond, "ask for a free signal, or a controller raises the budget of the policy."
    ),
    "signal-changed": Wording(
        "The task or code, the release, the data or the policy is no longer what was approved",
        _after_change_of_signal,
    ),
    "signal-without-result": Wording(_signal_stands, _signal_note),
}
WORDINGS: Mapping[str, Wording] = {**_DECISIONS, **_REQUESTS, **_SIGNALS}
