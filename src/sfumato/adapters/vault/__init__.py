"""Encryption at rest and its keys: the only room that knows cryptography and argon2."""

import os
from importlib.util import find_spec

from sfumato.errors import BadInput

if not all(map(find_spec, ("argon2", "cryptography"))):
    raise BadInput.because("vault-packages-missing")
if not hasattr(os, "memfd_create"):
    raise BadInput.because("vault-needs-linux")
