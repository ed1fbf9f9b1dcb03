"""What goes between a worker and the process that started it: JSON, so that nothing a worker says is ever run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from sfumato.errors import BadInput, EngineFailure, Refused, SfumatoError, rebuild_error

LONGEST = 256 * 2**20  # bytes of one message
SETTING_UP = 0  # jobs are counted from 1


class MessageKind(StrEnum):
    READY = "ready"
    JOB = "job"
    SHARE = "share"  # how far the job is
    ANSWER = "answer"
    ERROR = "error"


class Message(NamedTuple):
    """Something about a job, by its number: what belongs to one is never taken for another's."""

    kind: MessageKind
    number: int
    content: Any = None


def send(line: Connection, message: Message) -> None:
    line.send_bytes(json.dumps(message).encode())


def receive(line: Connection) -> Message:
    """The next message. One that is not as it should be is a ValueError."""
    match json.loads(line.recv_bytes(LONGEST)):
        case [str(kind), int(number), content] if _is_proper(MessageKind(kind), content):
            return Message(MessageKind(kind), number, content)
    raise ValueError


def _is_proper(kind: MessageKind, content: object) -> bool:
    match kind:
        case MessageKind.JOB | MessageKind.ANSWER:
            return isinstance(content, dict)
        case MessageKind.SHARE:
            return content is None or isinstance(content, int | float)
        case MessageKind.ERROR:
            return content is None or _error(content) is not None
    return content is None


def error_content(error: SfumatoError) -> Mapping[str, object] | None:
    """An error as it crosses; None for one that is told without values."""
    return error.as_values() if isinstance(error, BadInput | Refused) else None


def error_from(content: object) -> SfumatoError:
    """The error that a worker told of, of the same class."""
    return _error(content) or EngineFailure()


def _error(content: object) -> SfumatoError | None:
    match content:
        case {"code": str(code), "message": str(message), "hint": str(hint), "where": str(where), **more}:
            reason, values = str(more.get("reason", "")), more.get("values")
            error = rebuild_error(code, message, hint, where, reason=reason, values=values)
            return error if isinstance(error, BadInput | Refused) else None
    return None
