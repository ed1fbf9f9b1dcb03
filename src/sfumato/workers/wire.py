"""What goes between a worker and the process that started it: JSON, so that nothing a worker says is ever run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from sfumato.errors import BadInput, EngineFailure, Refused, SfumatoError

LONGEST = 256 * 2**20  # bytes of one message


class Kind(StrEnum):
    READY = "ready"
    JOB = "job"
    SHARE = "share"  # how far the job is
    ANSWER = "answer"
    ERROR = "error"


class Message(NamedTuple):
    kind: Kind
    content: Any = None


def say(line: Connection, kind: Kind, content: object = None) -> None:
    line.send_bytes(json.dumps([kind, content]).encode())


def hear(line: Connection) -> Message:
    kind, content = json.loads(line.recv_bytes(LONGEST))
    return Message(Kind(kind), content)


def told(error: SfumatoError) -> Mapping[str, str] | None:
    """An error as it crosses; None for one that is told by the one constant sentence."""
    if not isinstance(error, BadInput | Refused):
        return None
    return {"class": type(error).__name__, "message": error.message, "hint": error.hint, "where": error.where}


def rebuilt(message: Message | None) -> SfumatoError:
    """The error that a worker told of, of the same class; whatever else it said, or nothing, is the constant one."""
    match message:
        case Message(Kind.ERROR, {"class": str(name), "message": str(text), "hint": str(hint), "where": str(where)}):
            kind = {kind.__name__: kind for root in (BadInput, Refused) for kind in _family(root)}.get(name)
            if kind is not None:
                error = kind.__new__(kind)
                SfumatoError.__init__(error, text, hint=hint, where=where)
                return error
    return EngineFailure()


def _family(kind: type[SfumatoError]) -> Iterator[type[SfumatoError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _family(below)
