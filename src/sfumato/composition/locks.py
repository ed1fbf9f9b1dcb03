"""The vault's keys as the escrow's locks."""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.adapters.vault import passwords, sealed_text, signatures
from sfumato.adapters.vault.master_key import MasterKey


@dataclass(frozen=True)
class VaultLocks:
    master: MasterKey = field(repr=False)

    def seal(self, plain: bytes, about: str) -> str:
        return sealed_text.seal(self.master, plain, about)

    def unseal(self, sealed: str, about: str) -> bytes:
        return sealed_text.unseal(self.master, sealed, about)

    new_pair = staticmethod(signatures.new_pair)
    sign = staticmethod(signatures.sign)
    verify = staticmethod(signatures.verify)
    hashed = staticmethod(passwords.password_hash)
    matches = staticmethod(passwords.matches)
    digest_of = staticmethod(passwords.digest_of)
    new_secret = staticmethod(passwords.new_secret)
