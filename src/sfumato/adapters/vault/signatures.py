"""Signatures (Ed25519, RFC 8032): who wrote it, and that it is what they wrote."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


def new_pair() -> tuple[str, bytes]:
    """A public key, in hexadecimal, and its private key, which is to be sealed."""
    private = Ed25519PrivateKey.generate()
    return private.public_key().public_bytes_raw().hex(), private.private_bytes_raw()


def sign(private: bytes, message: bytes) -> str:
    return Ed25519PrivateKey.from_private_bytes(private).sign(message).hex()


def verify(public: str, message: bytes, signature: str) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True
