"""The vault's keys, as the escrow holds them."""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.adapters.vault import passwords, sealed_text, signatures
from sfumato.adapters.vault.master_key import MasterKey


@dataclass(frozen=True)
class VaultLocks:
    master: MasterKey = field(repr=False)

    def seal(self, plain: bytes, about: str) -> str:
        return sealed_text.seal(self.master, plain, about)

    def unseal(self, closed: str, about: str) -> bytes:
        return sealed_text.unseal(self.master, closed, about)

    def new_pair(self) -> tuple[str, bytes]:
        return signatures.new_pair()

    def sign(self, private: bytes, message: bytes) -> str:
        return signatures.sign(private, message)

    def verify(self, public: str, message: bytes, signature: str) -> bool:
        return signatures.verify(public, message, signature)

    def hashed(self, password: str) -> str:
        return passwords.password_hash(password)

    def matches(self, stored: str | None, password: str) -> bool:
        return passwords.matches(stored, password)

    def digest_of(self, secret: str) -> str:
        return passwords.digest_of(secret)

    def new_secret(self) -> str:
        return passwords.new_secret()
