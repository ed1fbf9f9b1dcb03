"""Small texts under the master key (AES-256-GCM): they cannot be read, altered or exchanged without it."""

from __future__ import annotations

import base64
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sfumato.adapters.vault.master_key import MasterKey
from sfumato.errors import VaultBroken, instead

PURPOSE = "sealed texts"
NONCE = 12  # bytes; random: for 2^32 texts of one workspace, two alike have a chance of 2^-33


def seal(master: MasterKey, plain: bytes, about: str) -> str:
    """Base64. `about` says what it is and whose, and is not in it: it opens under the same words only."""
    nonce = os.urandom(NONCE)
    return base64.b64encode(nonce + AESGCM(master.key(PURPOSE)).encrypt(nonce, plain, _words(about))).decode()


def unseal(master: MasterKey, sealed: str, about: str) -> bytes:
    broken = VaultBroken.because("sealed-text-altered", about=about)
    return instead(broken, (InvalidTag, ValueError), lambda: _decrypt(master, sealed, about))


def _decrypt(master: MasterKey, sealed: str, about: str) -> bytes:
    encrypted = base64.b64decode(sealed, validate=True)
    return AESGCM(master.key(PURPOSE)).decrypt(encrypted[:NONCE], encrypted[NONCE:], _words(about))


def _words(about: str) -> bytes:
    return about.encode("utf-8", "surrogatepass")
