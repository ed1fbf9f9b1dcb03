"""The key that everything in a workspace hangs on: random, with a key of its own for each purpose."""

from __future__ import annotations

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from sfumato.model.confidential import Confidential

SIZE = 32  # bytes of every key


class MasterKey(Confidential):
    """The master key of a workspace. What may leave: nothing; `secret` goes to workers, over a pipe."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        if len(secret) != SIZE:
            raise ValueError(f"a master key has {SIZE} bytes")
        self._secret = bytes(secret)

    @property
    def secret(self) -> bytes:
        return self._secret

    def key(self, purpose: str) -> bytes:
        """A key of its own for each purpose; none tells anything about another (HKDF-SHA256, RFC 5869)."""
        return HKDF(SHA256(), SIZE, salt=None, info=f"sfumato {purpose}".encode()).derive(self._secret)
