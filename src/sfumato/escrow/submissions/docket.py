"""The requests as they are kept: found by whoever may see them, moved one step at a time, their answers sealed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import Conflict, Forbidden, NotFound
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.policy import AccessRule
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.questions.query import RequestedQuery
from sfumato.escrow.submissions.ballot import WAITING, approved_by
from sfumato.escrow.submissions.lifecycle import Act, Request, State, binding_of, stepped


class Docket:
    def __init__(self, outside: EscrowPorts, people: Accounts, datasets: Datasets) -> None:
        self._outside, self._people, self._datasets = outside, people, datasets
        self.rows = outside.rows("requests")

    def seen(self, actor: Person, id: str) -> tuple[Request, RegisteredDataset]:
        """A request by its id, or by its number, as people say it."""
        row = self.rows.one(number=int(id)) if id.isdecimal() and len(id) < 10 else self.rows.one(id=id)
        held = None if row is None else self._datasets.of(row["dataset"])
        if row is None or held is None or not self.may_see(actor, row, held):
            raise NotFound.because("request-not-found")
        return Request.of(row), held

    def may_see(self, actor: Person, row: Mapping[str, Any], held: RegisteredDataset) -> bool:
        return row["analyst"] == actor.name or held.is_controlled_by(actor) or actor.has(Role.AUDITOR)

    def decidable(self, actor: Person, id: str) -> tuple[Request, RegisteredDataset]:
        """A request that this person may decide: of their dataset, and not their own."""
        found, held = self.seen(actor, id)
        if not held.is_controlled_by(actor):
            raise Forbidden.because("decider-not-controller", dataset=held.name)
        if found.analyst == actor.name:
            raise Forbidden.because("decider-is-analyst")
        return found, held

    def waiting(self, actor: Person, limit: int) -> list[Request]:
        """What waits for this person's decision: of their datasets, not their own, not approved by them already."""
        names, states = self._datasets.held_by(actor, to_decide=True), [state.value for state in WAITING]
        rows = self.rows.many(state=states, dataset=names, limit=limit) if names else ()
        found = [Request.of(row) for row in rows if row["analyst"] != actor.name]
        return [one for one in found if actor.name not in approved_by(one, one.binding)]

    def request(self, id: str) -> Request:
        row = self.rows.one(id=id)
        assert row is not None  # requests are never removed
        return Request.of(row)

    def asker(self, found: Request) -> Person:
        return self._people.one(found.analyst)

    def move(self, found: Request, act: Act, to: Mapping[str, Any]) -> None:
        """One step, if it is still where it was."""
        state = stepped(found.state, act)
        self.change(found, dict(to) | {"state": state.value})

    def change(self, found: Request, to: Mapping[str, Any]) -> None:
        """Other facts of it, if nothing came in between."""
        if not self.taken(found, to):
            raise Conflict.because("submission-changed-meanwhile")

    def taken(self, found: Request, to: Mapping[str, Any]) -> bool:
        """Whether it was still as it was, and is changed: an approval that came in between is not overwritten."""
        decided = [dict(one) for one in found.decided_by]
        return bool(self.rows.change({"id": found.id, "state": found.state.value, "decided_by": decided}, to))

    def flow(self, found: Request, held: RegisteredDataset) -> tuple[SignedPolicy, AccessRule]:
        return self._datasets.access_rule(self._people.one(found.analyst), held)

    def binding(
        self,
        asked: Sequence[str],
        held: RegisteredDataset,
        queries: Sequence[RequestedQuery],
        stated: Mapping[str, Any] | None,
        signed: SignedPolicy,
        analyst: Person,
    ) -> str:
        """What an approval of it would be of, as everything is now."""
        data = [held.id, self._datasets.version_key(held), held.schema_text]
        who = [analyst.name, analyst.organisation]
        return binding_of(asked, data, queries, stated or None, signed.policy.fingerprint, who)

    def binding_now(self, found: Request, held: RegisteredDataset, signed: SignedPolicy) -> str:
        analyst = self._people.one(found.analyst)
        return self.binding([found.id, found.purpose], held, found.queries, found.preference, signed, analyst)

    def answers(self, found: Request) -> dict[str, Any]:
        row = self.rows.one(id=found.id)
        assert row is not None
        about = _about(found.id, withheld=found.state is State.COMPUTED)
        return {"answers": json.loads(self._outside.locks.unseal(row["answers"], about))}

    def sealed(self, found: Request, answers: object, *, withheld: bool) -> str:
        """What is withheld is sealed as that: a state that is edited in the database does not release it."""
        return self._outside.locks.seal(json.dumps(answers).encode(), _about(found.id, withheld=withheld))

    def say(self, who: str, verb: str, about: str, said: Mapping[str, object] | None = None) -> None:
        self._outside.audit.append(self._outside.moment, who, verb, about, said or {})


def _about(id: str, *, withheld: bool) -> str:
    return f"{'withheld ' if withheld else ''}answers of {id}"
