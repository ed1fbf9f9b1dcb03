"""The policy of a dataset: the version in force, earlier versions, and the form that changes it."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import JsonValue
from starlette.responses import Response

from sfumato.errors import LedgerBroken, NotFound
from sfumato.escrow.catalogue.separation import LookedBy, earlier_look
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.service import Escrow
from sfumato.presentation.escrow import policy_view
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.presentation.wording import rule as of_rule
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.texts import plain
from sfumato.server.web.dataset_tabs import tab_frame
from sfumato.server.web.policy.form import form_content
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
Rule = Annotated[str | None, Query(max_length=4000)]


@screens.get("/datasets/{name}/policy")
def policy(page: RendererDep, actor: ReadingUser, escrow: EscrowDep, name: NameInPath, rule: Rule = None) -> Response:
    """The policy in force and its form; `rule` comes from another page and is put into the form."""
    dataset = escrow.datasets.for_whoever_decides(actor, name)
    now, before, broken = _signed_policies(escrow, actor, dataset)
    controls = dataset.is_controlled_by(actor) and not dataset.retired
    columns = [column.name for column in dataset.schema.columns]
    form = form_content(escrow, len(dataset.controllers), columns) if controls else None
    brought = None if rule is None else _rule_of(rule)
    return page(
        "policy.html",
        **tab_frame(escrow, actor, dataset, "policy"),
        dataset=dataset,
        now=None if now is None else policy_view.signed(now),
        history=[policy_view.signed(version) for version in reversed(before)],
        broken=broken,
        no_policy=of_policy.NO_POLICY,
        may_write=controls,
        looked=_look_warnings(escrow, actor, dataset),
        accept_change=of_rule.ACCEPT_CHANGE,
        brought=None if brought is None else f"{of_policy.rule_values(brought)}.",
        unread=rule is not None and brought is None,
        form=form,
        facts={
            "name": dataset.name,
            "policy": {} if now is None else now.policy.as_dict(),
            "versions": {version.number: version.policy.as_dict() for version in before} if controls else {},
            "rule": brought,
        },
    )


def _signed_policies(
    escrow: Escrow, actor: Person, dataset: RegisteredDataset
) -> tuple[SignedPolicy | None, list[SignedPolicy], str | None]:
    """The policy in force, all versions, and what is wrong with them if their files were edited."""
    try:
        return escrow.policies.current(actor, dataset.name), escrow.policies.history(actor, dataset.name), None
    except NotFound:
        return None, [], None
    except LedgerBroken as error:
        return None, [], f"{error.message}. {error.hint[:1].upper()}{error.hint[1:]}"


def _look_warnings(escrow: Escrow, actor: Person, dataset: RegisteredDataset) -> list[str]:
    """Warnings about earlier looks; none where the ledger cannot be read."""
    record = escrow.datasets.record_of(actor, dataset)
    look = None if record is None else earlier_look(record, actor)
    if look is None:
        return []
    return [policy_view.earlier_look(look), *([of_rule.AFTER_LOOK] if look.by is LookedBy.ANYONE else [])]


def _rule_of(text: str) -> dict[str, JsonValue] | None:
    """The rule in an address, or None if it cannot be read."""
    try:
        rule: Any = json.loads(text)
        return plain(rule) if isinstance(rule, dict) and rule else None
    except (ValueError, RecursionError):
        return None
