"""Data on its way into the vault: a raw body, handed on chunk by chunk and kept nowhere in between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from anyio import from_thread
from fastapi import APIRouter, HTTPException, Request
from starlette.requests import ClientDisconnect

from sfumato.errors import SourceError
from sfumato.server.asking import Here, NameInPath, Slowly, Told, Writer
from sfumato.server.openapi import ASKED, statuses
from sfumato.server.routes.datasets import VersionShown
from sfumato.server.sizes import raise_limit

routes = APIRouter(prefix="/datasets", tags=["datasets"])
FORMATS = {"text/csv": "csv", "application/vnd.apache.parquet": "parquet"}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in FORMATS},
    }
}


@routes.put("/{name}/data", responses=ASKED | statuses(415), openapi_extra=_BODY)
async def deliver(
    actor: Writer, name: NameInPath, request: Request, escrow: Here, told: Told, lanes: Slowly
) -> VersionShown:
    """A new version of the data: a CSV or Parquet file as it is, encrypted as it comes."""
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind not in FORMATS:
        raise HTTPException(415)
    raise_limit(request.scope, told.data_bytes)
    chunks = _chunks(request.stream())
    version = await lanes.delivering.run(actor.name, escrow.datasets.deliver, actor, name, chunks, FORMATS[kind])
    return VersionShown.model_validate(version.as_dict())


def _chunks(body: AsyncIterator[bytes]) -> Iterator[bytes]:
    """The body as the vault's thread reads it: the next chunk is taken from the network when it is asked for."""
    while True:
        try:
            chunk = from_thread.run(anext, body, None)
        except ClientDisconnect:
            raise SourceError("The data did not arrive whole", hint="send it again; nothing of it was kept.") from None
        if chunk is None:
            return
        if chunk:
            yield chunk
