"""Static files: what pages are drawn with. Their address changes with their content, so that a browser keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from gzip import compress
from hashlib import sha256
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

FOLDER = Path(__file__).parent.parent / "static"
PLACE = "/static"
_KINDS = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".woff2": "font/woff2",
}
_COMPRESSED = ("font/woff2",)  # by itself
_JOINED = {"sfumato.css": "vendor/plotly.css"}  # one sheet is one request
_FOR_GOOD = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class Asset:
    """One file, read and compressed once."""

    content: bytes
    kind: str

    @cached_property
    def compressed(self) -> bytes:
        return compress(self.content, mtime=0)


class Assets:
    """All of them, under one digest: what a script imports from beside it is then of the same version."""

    def __init__(self, folder: Path = FOLDER) -> None:
        files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in _KINDS}
        self._all = {name: Asset(files[name].read_bytes(), _KINDS[files[name].suffix]) for name in sorted(files)}
        for name, other in _JOINED.items():
            if name in self._all and other in self._all:
                self._all[name] = Asset(self._all[name].content + self._all[other].content, _KINDS[".css"])
        digest = sha256()
        for name, asset in self._all.items():
            digest.update(f"{name} {len(asset.content)} ".encode() + asset.content)
        self.version = digest.hexdigest()[:12]

    def url(self, name: str) -> str:
        """Where a page finds it; a name that is not there is our own mistake."""
        assert name in self._all, name
        return f"{PLACE}/{self.version}/{name}"

    def answer(self, request: Request, version: str, name: str) -> Response:
        asset = self._all.get(name)
        if asset is None or version != self.version:
            raise HTTPException(404)
        packed = asset.kind not in _COMPRESSED and "gzip" in request.headers.get("Accept-Encoding", "")
        headers = {"Cache-Control": _FOR_GOOD, "Vary": "Accept-Encoding"}
        headers |= {"Content-Encoding": "gzip"} if packed else {}
        return Response(asset.compressed if packed else asset.content, 200, headers, asset.kind)
