"""Encryption at rest and its keys: the only room that knows cryptography and argon2."""

import os
from importlib.util import find_spec

from sfumato.errors import BadInput

if not all(map(find_spec, ("argon2", "cryptography"))):
    raise BadInput("A vault needs cryptography and argon2", hint="pip install 'sfumato[server]'.")
if not hasattr(os, "memfd_create"):
    raise BadInput("A vault opens data in memory only, which needs Linux", hint="run the server on Linux.")
