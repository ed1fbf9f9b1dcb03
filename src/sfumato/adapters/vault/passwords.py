"""What people sign in with: passwords under argon2id, and random secrets that are kept as their hash."""

from __future__ import annotations

import base64
import hashlib
import os
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY

PARAMETERS = RFC_9106_LOW_MEMORY
_HASHER = PasswordHasher.from_parameters(PARAMETERS)


def password_bytes(password: str) -> bytes:
    """The same text has the same bytes on every keyboard; what is no text is taken as it is."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")


def password_hash(password: str) -> str:
    return _HASHER.hash(password_bytes(password))


def matches(stored: str | None, password: str) -> bool:
    """Whether this is the password. An unknown person, or one without a password, is refused after the same time."""
    if stored is None:
        password_hash(password)
        return False
    try:
        return _HASHER.verify(stored, password_bytes(password))
    except (InvalidHashError, VerificationError):
        return False


def new_secret() -> str:
    """256 random bits, for tokens and sessions: shown once, kept as `digest_of` only."""
    return base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
