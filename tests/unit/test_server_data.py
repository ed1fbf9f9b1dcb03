"""Data on its way into the vault: chunk by chunk, as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sfumato.escrow.dataset import Version
from tests.examples import made_up
from tests.served import Caller, Nouns, app_on

CSV = {"Content-Type": "text/csv; charset=utf-8"}


class Vault:
    """Notes what it is given, when; fails as it is told to."""

    def __init__(self, *, fails: Exception | None = None) -> None:
        self.came: list[bytes] = []
        self.format = ""
        self.whole = False
        self._fails = fails

    def deliver(self, _actor: object, _name: str, chunks: Iterable[bytes], format: str) -> Version:
        assert isinstance(chunks, Iterator)
        self.format = format
        if self._fails:
            raise self._fails
        self.came.extend(chunks)
        self.whole = True
        return made_up(Version, id="v1")


def caller(vault: Vault, **told: Any) -> Caller:
    nouns = Nouns()
    nouns.datasets.answers["deliver"] = vault.deliver
    return Caller(app_on(nouns, **told))


def test_a_file_goes_on_as_it_comes() -> None:
    """The second chunk is sent only when the first has arrived: whoever gathers the body waits in vain."""
    vault = Vault()

    async def chunks() -> AsyncIterator[bytes]:
        for number in range(5):
            yield b"%d" % number
            async with asyncio.timeout(10):
                while len(vault.came) <= number:
                    await asyncio.sleep(0.001)

    answer = caller(vault)("PUT", "/datasets/adult/data", content=chunks(), headers=CSV)
    assert answer.json()["id"] == "v1"
    assert (vault.came, vault.format, vault.whole) == ([b"0", b"1", b"2", b"3", b"4"], "csv", True)


def test_a_large_file_is_held_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    vault = Vault()
    most = 0

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal most
        for number in range(200):
            most = max(most, number - len(vault.came))
            yield bytes(100_000)

    call = caller(vault, body_bytes=1000)
    assert call("PUT", "/datasets/adult/data", content=chunks(), headers=CSV).status_code == 200
    assert sum(map(len, vault.came)) == 20_000_000
    assert most <= 2  # chunks on their way at once
    assert not list(tmp_path.iterdir())


def test_parquet_is_told_by_its_media_type() -> None:
    vault = Vault()
    kind = {"Content-Type": "application/vnd.apache.parquet"}
    assert caller(vault)("PUT", "/datasets/adult/data", content=b"PAR1", headers=kind).status_code == 200
    assert vault.format == "parquet"


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x", ""])
def test_another_kind_is_not_taken(kind: str) -> None:
    vault = Vault()
    answer = caller(vault)("PUT", "/datasets/adult/data", content=b"x", headers={"Content-Type": kind})
    assert (answer.status_code, vault.format) == (415, "")


@pytest.mark.parametrize("stated", [True, False])
def test_more_than_is_taken(stated: bool) -> None:
    vault = Vault()

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield bytes(1000)

    headers = CSV | ({"Content-Length": "10000"} if stated else {})
    content: Any = bytes(10_000) if stated else chunks()
    answer = caller(vault, data_bytes=5000)("PUT", "/datasets/adult/data", content=content, headers=headers)
    assert (answer.status_code, vault.whole) == (413, False)
    assert len(vault.came) == (0 if stated else 5)


def test_whoever_goes_silent_is_waited_for_no_longer() -> None:
    vault = Vault()

    async def chunks() -> AsyncIterator[bytes]:
        yield b"a"
        await asyncio.sleep(30)

    answer = caller(vault, body_seconds=0.05)("PUT", "/datasets/adult/data", content=chunks(), headers=CSV)
    assert (answer.status_code, answer.json()["code"]) == (422, "source")
    assert answer.json()["detail"] == "The upload is incomplete"
    assert (vault.came, vault.whole) == ([b"a"], False)


def test_whoever_goes_away_leaves_nothing_whole() -> None:
    vault = Vault()
    call = caller(vault)
    messages = [{"type": "http.request", "body": b"a", "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"authorization", b"Bearer alice-write"), (b"content-type", b"text/csv")]
    scope = {"type": "http", "method": "PUT", "path": "/api/v1/datasets/adult/data", "headers": headers}
    asyncio.run(call.app(scope | {"query_string": b"", "client": ("192.0.2.1", 1)}, receive, send))
    assert sent[0]["status"] == 422
    assert (vault.came, vault.whole) == ([b"a"], False)


def test_a_refusal_needs_no_data() -> None:
    from sfumato.errors import Forbidden

    read = False

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal read
        read = True
        yield b"a"

    answer = caller(Vault(fails=Forbidden("No")))("PUT", "/datasets/adult/data", content=chunks(), headers=CSV)
    assert (answer.status_code, read) == (403, False)
