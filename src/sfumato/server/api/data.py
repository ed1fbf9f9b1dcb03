"""Uploads: a raw body, passed to the vault chunk by chunk."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import suppress
from functools import partial

from anyio import fail_after, from_thread
from fastapi import APIRouter, HTTPException, Request
from starlette.requests import ClientDisconnect

from sfumato.errors import SourceError
from sfumato.escrow.dataset import Version
from sfumato.server.dependencies import EscrowDep, NameInPath, Plain, SettingsDep, WorkPoolsDep, Writer
from sfumato.server.middleware.body_limit import raise_limit
from sfumato.server.openapi import SENT, statuses

routes = APIRouter(prefix="/datasets", tags=["datasets"])
FORMATS = {"text/csv": "csv", "application/vnd.apache.parquet": "parquet", "application/zip": "zip"}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in FORMATS},
    }
}


@routes.put("/{name}/data", responses=SENT | statuses(415), openapi_extra=_BODY)
async def deliver(
    actor: Writer,
    name: NameInPath,
    request: Request,
    escrow: EscrowDep,
    settings: SettingsDep,
    lanes: WorkPoolsDep,
) -> Plain[Version]:
    """Deliver a new version of the data: a CSV or Parquet file, encrypted as it arrives.

    Of several tables it is a ZIP file with a CSV or Parquet file for each table, named as the table.
    """
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind not in FORMATS:
        raise HTTPException(415)
    raise_limit(request.scope, settings.data_bytes)
    chunks = _chunks(partial(_next, request.stream(), settings.body_seconds))
    return await lanes.delivering.run(actor.name, escrow.datasets.deliver, actor, name, chunks, FORMATS[kind])


def _chunks(coming: Callable[[], Coroutine[None, None, bytes | None]]) -> Iterator[bytes]:
    """The body for the thread of the vault: each chunk is read from the network when it is needed."""
    while (chunk := from_thread.run(coming)) is not None:
        if chunk:
            yield chunk


async def _next(body: AsyncIterator[bytes], patience: float) -> bytes | None:
    """One chunk, or None at the end; an error after a pause of `patience` seconds, or if the client disconnects."""
    with suppress(ClientDisconnect, TimeoutError), fail_after(patience):
        return await anext(body, None)
    raise SourceError("The upload is incomplete", hint="send the file again; nothing of it was stored.")
