"""Schemas and policies in draft: parsed, and not stored."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from sfumato.errors import PolicyError
from sfumato.escrow.policy.policy import Policy
from sfumato.model.schema import Schema


@dataclass(frozen=True)
class SchemaDraft:
    """A table that is not registered yet, and the policy that it is to have."""

    name: str
    schema_text: str
    schema: Schema
    policy: Policy | None


def policy_tables(text: str) -> dict[str, Any]:
    """Tables of a policy file."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError.because("policy-not-toml", error=str(error)) from None
    except (ValueError, RecursionError):
        raise PolicyError.because("policy-nested-too-deeply") from None
