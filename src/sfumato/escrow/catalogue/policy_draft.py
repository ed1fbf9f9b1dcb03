"""Schemas and policies that are still being written: read, and kept nowhere."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import PolicyError
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy import Policy
from sfumato.escrow.policy.store import Policies, may_write
from sfumato.model.schema import Schema


@dataclass(frozen=True)
class SchemaDraft:
    """A table that is not registered yet, and the policy that it would have."""

    name: str
    schema_text: str
    schema: Schema
    policy: Policy | None


class Drafts:
    def __init__(self, datasets: Datasets, policies: Policies) -> None:
        self._datasets, self._policies = datasets, policies

    def schema(self, actor: Person, schema_text: str, policy: Mapping[str, Any] | None = None) -> SchemaDraft:
        dataset = self._datasets.drafted(actor, schema_text)
        read = None if policy is None else self._policies.read(dataset, policy)
        return SchemaDraft(dataset.name, schema_text, dataset.schema, read)

    def policy(self, actor: Person, name: str, policy: Mapping[str, Any] | str) -> Policy:
        """Another policy of a dataset: its tables, or the text of its file."""
        dataset = self._datasets.visible(actor, name)
        may_write(actor, dataset)
        record = self._datasets.record_of(actor, dataset)
        viewers = frozenset() if record is None else record.viewers
        draft = self._policies.read(dataset, _parsed(policy) if isinstance(policy, str) else policy, viewers)
        self._datasets.require_room(actor, dataset, draft)
        return draft


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError.because("policy-not-toml", error=str(error)) from None
    except (ValueError, RecursionError):
        raise PolicyError.because("policy-nested-too-deeply") from None
