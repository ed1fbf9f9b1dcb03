"""Errors of a server, rebuilt from their code."""

from __future__ import annotations

from typing import Any

from sfumato.errors import AwaitingApproval, BadInput, EngineFailure, Refused, SfumatoError, rebuild_error


def problem(status: int, body: Any, host: str) -> SfumatoError:
    """The error of a problem+json; an unknown code is classified by its status."""
    facts = body if isinstance(body, dict) else {}
    code, message = str(facts.get("code") or ""), str(facts.get("detail") or facts.get("title") or "")
    if code == EngineFailure.code:
        return EngineFailure()
    if not message:
        hint = "check the address of the server." if status < 500 else "tell the operator of the server."
        return _by_status(status)(f"{host} answered with status {status} and no message", hint=hint)
    sentences = (message, str(facts.get("hint") or ""), str(facts.get("where") or ""))
    why = str(facts.get("reason") or "")
    error = rebuild_error(code, *sentences, reason=why, values=facts.get("values"))
    return error or _by_status(status)(sentences[0], hint=sentences[1], where=sentences[2])


def _by_status(status: int) -> type[SfumatoError]:
    if status == 202:
        return AwaitingApproval
    if status >= 500:
        return SfumatoError
    return Refused if status in (401, 403, 409, 410, 429) else BadInput
