"""The signals as they are kept: found by whoever may see them, moved one step at a time, what came of them sealed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sfumato.errors import BadInput, Conflict, Forbidden, NotFound
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.policy import AccessRule
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.submissions.ballot import WAITING, approved_by
from sfumato.escrow.submissions.lifecycle import Act, Request, State, stepped
from sfumato.escrow.submissions.request import Requests
from sfumato.escrow.submissions.signal import Signal, binding_of
from sfumato.model.release import Answer, ReleaseCertificate, Released
from sfumato.model.signal import SignalKind
from sfumato.release.ledger import digest

_PENDING = (*WAITING, State.APPROVED, State.RUNNING)


@dataclass(frozen=True)
class About:
    """What a signal is about: one answer of a request, as it was released."""

    request: Request
    held: RegisteredDataset
    query: int
    told: dict[str, Any]

    @cached_property
    def release(self) -> Released:
        return Released(Answer.from_dict(self.told), ReleaseCertificate.from_dict(self.told["certificate"]))

    @property
    def sql(self) -> str:
        return self.release.certificate.query


class SignalDocket:
    def __init__(self, outside: EscrowPorts, people: Accounts, datasets: Datasets, requests: Requests) -> None:
        self._outside, self._people, self._datasets, self._requests = outside, people, datasets, requests
        self.rows = outside.rows("signals")

    def seen(self, actor: Person, id: str) -> tuple[Signal, RegisteredDataset]:
        """A signal by its id, or by its number, as people say it."""
        row = self.rows.one(number=int(id)) if id.isdecimal() and len(id) < 10 else self.rows.one(id=id)
        held = None if row is None else self._datasets.of(row["dataset"])
        if row is None or held is None or not self.may_see(actor, row, held):
            raise NotFound.because("signal-not-found")
        return Signal.of(row), held

    def may_see(self, actor: Person, row: Mapping[str, Any], held: RegisteredDataset) -> bool:
        return row["analyst"] == actor.name or held.is_controlled_by(actor) or actor.has(Role.AUDITOR)

    def decidable(self, actor: Person, id: str) -> tuple[Signal, RegisteredDataset]:
        """A signal that this person may decide: of their dataset, and not their own."""
        found, held = self.seen(actor, id)
        if not held.is_controlled_by(actor):
            raise Forbidden.because("decider-not-controller", dataset=held.name)
        if found.analyst == actor.name:
            raise Forbidden.because("decider-is-analyst")
        return found, held

    def waiting(self, actor: Person, limit: int) -> list[Signal]:
        """What waits for this person's decision: of their datasets, not their own, not approved by them already."""
        names = self._datasets.held_by(actor, to_decide=True)
        rows = self.rows.many(state=[state.value for state in WAITING], dataset=names, limit=limit) if names else ()
        found = [Signal.of(row) for row in rows if row["analyst"] != actor.name]
        return [one for one in found if actor.name not in approved_by(one, one.binding)]

    def signal(self, id: str) -> Signal:
        row = self.rows.one(id=id)
        assert row is not None  # signals are never removed
        return Signal.of(row)

    def about(self, asker: Person, request: str, query: int) -> About:
        """The answer, if whoever asked may still have it."""
        found, held = self._requests.found(asker, request)
        if found.analyst != asker.name:
            raise Forbidden.because("signal-about-answer-of-others")
        answers = self._requests.result(asker, request)["answers"]
        if not 0 < query <= len(answers):
            raise BadInput.because("request-query-missing", number=found.number, query=query)
        return About(found, held, query, answers[query - 1])

    def request(self, actor: Person, id: str) -> Request:
        return self._requests.found(actor, id)[0]

    def of_signal(self, found: Signal) -> About:
        return self.about(self._people.one(found.analyst), found.request, found.query)

    def flow(self, found: Signal, held: RegisteredDataset) -> tuple[SignedPolicy, AccessRule]:
        return self._datasets.access_rule(self._people.one(found.analyst), held)

    def binding_now(self, found: Signal, about: About, signed: SignedPolicy) -> str:
        """What an approval of it would be of, as everything is now. A free one is of a release, whatever data is."""
        held, analyst = about.held, self._people.one(found.analyst)
        version = self._datasets.version_key(held) if found.reads_people else about.request.version
        data, who = [held.id, version, held.schema_text], [analyst.name, analyst.organisation]
        return binding_of([found.id], found.asked, digest(about.told), data, signed.policy.fingerprint, who)

    def bits_used(self, analyst: str, dataset: str, beside: str = "") -> float:
        """What exact scores have told this analyst, or may yet: whatever was started counts, no_score too."""
        rows = self.rows.many(analyst=analyst, dataset=dataset, kind=SignalKind.PUBLISHED.value, limit=100_000)
        counted = [row for row in rows if row["ran"] or State(row["state"]) in _PENDING]
        return float(sum(row["bits"] for row in counted if row["id"] != beside))

    def require_bits(self, found: Signal, flow: AccessRule) -> None:
        """Refuse what would tell more than the policy lets exact scores tell this analyst."""
        told, used = found.bits or 0.0, self.bits_used(found.analyst, found.dataset, beside=found.id)
        if told + used > flow.signal_bits:
            raise Forbidden.because("signal-beyond-bits", told=told, used=used, budget=flow.signal_bits)

    def move(self, found: Signal, act: Act, to: Mapping[str, Any]) -> None:
        """One step, if it is still where it was."""
        self.change(found, dict(to) | {"state": stepped(found.state, act, "signal").value})

    def change(self, found: Signal, to: Mapping[str, Any]) -> None:
        if not self.taken(found, to):
            raise Conflict.because("submission-changed-meanwhile")

    def taken(self, found: Signal, to: Mapping[str, Any]) -> bool:
        """Whether it was still as it was, and is changed: an approval that came in between is not overwritten."""
        decided = [dict(one) for one in found.decided_by]
        return bool(self.rows.change({"id": found.id, "state": found.state.value, "decided_by": decided}, to))

    def result(self, found: Signal) -> dict[str, Any]:
        row = self.rows.one(id=found.id)
        assert row is not None
        about = _about(found.id, withheld=found.state is State.COMPUTED)
        opened: dict[str, Any] = json.loads(self._outside.locks.unseal(row["result"], about))
        return opened

    def sealed(self, id: str, result: object, *, withheld: bool) -> str:
        """What is withheld is sealed as that: a state that is edited in the database does not release it."""
        return self._outside.locks.seal(json.dumps(result).encode(), _about(id, withheld=withheld))

    def say(self, who: str, verb: str, about: str, said: Mapping[str, object] | None = None) -> None:
        self._outside.audit.append(self._outside.moment, who, verb, about, said or {})


def _about(id: str, *, withheld: bool) -> str:
    return f"{'withheld ' if withheld else ''}signal {id}"
