"""A long text in chunks (AES-256-GCM): each opens at its own place only, and the last one only as the last.

This is the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár, "Online authenticated-encryption and its
nonce-reuse misuse-resistance", CRYPTO 2015). A key is for one text, so that the number of a chunk is its nonce.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SIZE = 1 << 20  # bytes of plain text in every chunk but the last
TAG = 16  # bytes that each grows by


def encrypt(key: bytes, about: bytes, plain: Iterable[bytes], size: int = SIZE) -> Iterator[bytes]:
    cipher = AESGCM(key)
    for number, chunk, last in chunks(plain, size):
        yield cipher.encrypt(_nonce(number), chunk, _place(about, number, last))


def decrypt(key: bytes, about: bytes, sealed: Iterable[bytes], size: int = SIZE) -> Iterator[bytes]:
    """InvalidTag at the first chunk that is not what was written there; what came before it is not the whole text."""
    cipher = AESGCM(key)
    for number, chunk, last in chunks(sealed, size + TAG):
        yield cipher.decrypt(_nonce(number), chunk, _place(about, number, last))


def chunks(pieces: Iterable[bytes], size: int) -> Iterator[tuple[int, bytearray, bool]]:
    """The same bytes in chunks of `size`, numbered, and whether it is the last. Of nothing, one empty chunk."""
    buffer, number = bytearray(), 0
    for piece in pieces:
        buffer += piece
        while len(buffer) > size:
            yield number, buffer[:size], False
            del buffer[:size]
            number += 1
    yield number, buffer, True


def _nonce(number: int) -> bytes:
    return number.to_bytes(12)


def _place(about: bytes, number: int, last: bool) -> bytes:
    return about + number.to_bytes(8) + bytes([last])
