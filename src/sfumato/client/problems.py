"""What a server refuses -> the error that the same refusal is here, by its code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.errors import AwaitingApproval, BadInput, EngineFailure, Refused, SfumatoError


def problem(status: int, said: Any, host: str) -> SfumatoError:
    """The error of a problem+json; one whose code this version does not know is told apart by its status."""
    facts = said if isinstance(said, dict) else {}
    code, message = str(facts.get("code") or ""), str(facts.get("detail") or facts.get("title") or "")
    if code == EngineFailure.code:
        return EngineFailure()
    if not message:
        hint = "is that the address of a sfumato server?" if status < 500 else "tell whoever runs it."
        return _by_status(status)(f"{host} answered with status {status} and without a word", hint=hint)
    kind = {each.code: each for each in _kinds(SfumatoError)}.get(code) or _by_status(status)
    return kind(message, hint=str(facts.get("hint") or ""), where=str(facts.get("where") or ""))


def _by_status(status: int) -> type[SfumatoError]:
    if status == 202:
        return AwaitingApproval
    if status >= 500:
        return SfumatoError
    return Refused if status in (401, 403, 409, 410, 429) else BadInput


def _kinds(kind: type[SfumatoError]) -> Iterator[type[SfumatoError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _kinds(each)
