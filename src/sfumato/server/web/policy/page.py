"""The policy of a dataset: what holds, who signed it, what held before, and the form that changes it."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import JsonValue
from starlette.responses import Response

from sfumato.errors import LedgerBroken, NotFound
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.ballot import LookedBy, warning
from sfumato.presentation.escrow import policy_view
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.presentation.wording import rule as of_rule
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.texts import plain
from sfumato.server.web.policy.form import offered
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
Rule = Annotated[str | None, Query(max_length=4000)]


@screens.get("/datasets/{name}/policy")
def policy(page: RendererDep, actor: ReadingUser, escrow: EscrowDep, name: NameInPath, rule: Rule = None) -> Response:
    """`rule` is one that somebody found elsewhere, to be put into the form."""
    held = escrow.datasets.for_whoever_decides(actor, name)
    now, before, broken = _signed(escrow, actor, held)
    controls = held.is_controlled_by(actor) and not held.retired
    brought = None if rule is None else _brought(rule)
    return page(
        "policy.html",
        dataset=held,
        now=None if now is None else policy_view.signed(now),
        history=[policy_view.signed(one) for one in reversed(before)],
        broken=broken,
        no_policy=of_policy.NO_POLICY,
        controls=controls,
        looked=_looked(escrow, actor, held),
        accept_change=of_rule.ACCEPT_CHANGE,
        brought=None if brought is None else f"{of_policy.rule_values(brought)}.",
        unread=rule is not None and brought is None,
        form=offered(escrow, len(held.controllers)) if controls else None,
        facts={
            "name": held.name,
            "policy": {} if now is None else now.policy.as_dict(),
            "versions": {one.number: one.policy.as_dict() for one in before} if controls else {},
            "rule": brought,
        },
    )


def _signed(
    escrow: Escrow, actor: Person, held: RegisteredDataset
) -> tuple[SignedPolicy | None, list[SignedPolicy], str | None]:
    """What holds, every version of it, and what is wrong with them if they were edited outside."""
    try:
        return escrow.policies.current(actor, held.name), escrow.policies.history(actor, held.name), None
    except NotFound:
        return None, [], None
    except LedgerBroken as error:
        return None, [], f"{error.message}. {error.hint[:1].upper()}{error.hint[1:]}"


def _looked(escrow: Escrow, actor: Person, held: RegisteredDataset) -> list[str]:
    """What is said of looks at the people; nothing where the policy leaves nothing readable."""
    record = escrow.datasets.record_of(actor, held)
    look = None if record is None else warning(record, actor)
    if look is None:
        return []
    return [policy_view.earlier_look(look), *([of_rule.AFTER_LOOK] if look.by is LookedBy.SOMEBODY else [])]


def _brought(text: str) -> dict[str, JsonValue] | None:
    """A rule out of an address: what cannot be read as one is left there."""
    try:
        found: Any = json.loads(text)
        return plain(found) if isinstance(found, dict) and found else None
    except (ValueError, RecursionError):
        return None
