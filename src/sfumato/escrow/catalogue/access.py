"""Who may see, control and decide about a dataset; the policy, the ledger and the data that it is asked under."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sfumato.errors import (
    Conflict,
    EngineFailure,
    Forbidden,
    LedgerBroken,
    NotFound,
    PreferenceError,
    SfumatoError,
    SourceError,
)
from sfumato.escrow.catalogue.populations import Populations
from sfumato.escrow.catalogue.separation import decides_after_look, is_viewer, refuse_last, refuse_viewer
from sfumato.escrow.dataset import Held, Version
from sfumato.escrow.identity.accounts import People
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.policy import Approve, Flow, Policy
from sfumato.escrow.policy.store import Policies, Signed
from sfumato.escrow.ports import Outside
from sfumato.ledger.history import Record
from sfumato.model.authorization import Mandate
from sfumato.model.release import Assumption
from sfumato.model.schema import Type
from sfumato.release.context import DatasetContext
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.ledger import DatasetLedger, digest


class Access:
    """Datasets as an actor may reach them: a dataset that the actor may not know of does not exist for them."""

    def __init__(self, outside: Outside, people: People, policies: Policies, populations: Populations) -> None:
        self._outside, self._people, self._policies = outside, people, policies
        self._populations = populations
        self._rows, self._versions = outside.rows("datasets"), outside.rows("versions")

    # Who may

    def visible(self, actor: Person, name: str) -> Held:
        """A dataset that this person may know of; to others it is not there."""
        return self._found(actor, name)[0]

    def flowing(self, actor: Person, name: str) -> tuple[Held, Signed, Flow]:
        """A dataset that this person may know of, the policy in force, and what it has for them."""
        held, signed = self._found(actor, name)
        flow = None if signed is None else signed.policy.flow_for(actor)
        return (held, signed, flow) if signed is not None and flow is not None else (held, *self.flow(actor, held))

    def _found(self, actor: Person, name: str) -> tuple[Held, Signed | None]:
        """With its policy, where that was needed to tell whether it may be seen."""
        row = self._rows.one(name=name.casefold())
        held = None if row is None else Held.of(row)
        if held is not None and self._sees_all(actor, held):
            return held, None
        signed = None if held is None else self._policies_quietly(held)
        if held is None or not _is_shown(actor, held, signed):
            raise not_there(name)
        return held, signed

    def of(self, name: str) -> Held:
        """By its name, for whoever was let through already."""
        return self._held(name)

    def controlled(self, actor: Person, name: str) -> Held:
        held = self.visible(actor, name)
        if not held.is_controlled_by(actor):
            raise Forbidden.because("dataset-not-controlled", dataset=held.name)
        return held

    def _changeable(self, actor: Person, name: str) -> Held:
        """A dataset that this person may change: not after viewing individual risks, where viewers are kept apart."""
        held = self.controlled(actor, name)
        if (record := self.record_of(actor, held)) is not None:
            refuse_viewer(record, actor, f"change {held.name}")
        return held

    def for_whoever_decides(self, actor: Person, name: str) -> Held:
        held = self.visible(actor, name)
        if not self._sees_all(actor, held):
            raise Forbidden.because("policy-not-shown", dataset=held.name)
        return held

    def held_by(self, actor: Person, *, to_decide: bool = False) -> list[str]:
        """The names of those that this person controls; or of those that they may decide about."""
        rows = self._rows.many(limit=100_000, retired=False)
        held = [one for one in map(Held.of, rows) if one.is_controlled_by(actor)]
        return [one.name for one in held if not (to_decide and self._is_viewer(actor, one))]

    def refuse_viewers(self, actor: Person, to: str) -> None:
        """Refuse whoever has viewed individual risks of any dataset whose policy keeps viewers apart."""
        for held in map(Held.of, self._rows.many(limit=100_000)):
            if self._is_viewer(actor, held):
                refuse_viewer(self.ledger_of(actor, held).known, actor, to)

    def require_look(self, actor: Person, held: Held) -> None:
        """Refuse a look after which nobody would be left to decide, where viewers decide nothing."""
        refuse_last(self.ledger_of(actor, held).record, held, actor, self._people.all())

    def is_separated(self, held: Held) -> bool:
        """Whether its policy keeps viewers of individual risks and deciders apart."""
        signed = self._policies_quietly(held)
        return signed is not None and signed.policy.separation

    def _is_viewer(self, actor: Person, held: Held) -> bool:
        return self.is_separated(held) and is_viewer(self.ledger_of(actor, held).record, actor)

    def looked(self, actor: Person, name: str) -> bool:
        """Whether what this person, who controls it, decides follows a look at the people."""
        return decides_after_look(self.ledger_of(actor, self.controlled(actor, name)).known, actor)

    # Under which policy, and what its ledger says

    def policy_of(self, held: Held) -> Signed | None:
        return self._policies.of(held)

    def some_policy(self, is_so: Callable[[Policy], bool]) -> bool:
        """Whether it is so of one of the policies in force."""
        every = (self._policies_quietly(Held.of(row)) for row in self._rows.many(limit=100_000, retired=False))
        return any(is_so(signed.policy) for signed in every if signed is not None)

    def flow(self, actor: Person, held: Held) -> tuple[Signed, Flow]:
        """The policy in force and what it has for this person. No policy, no flow."""
        signed = self._policies.require(held)
        flow = signed.policy.flow_for(actor)
        if flow is None:
            raise Forbidden.because("flow-missing", dataset=held.name)
        return signed, flow

    def ledger_of(self, actor: Person, held: Held) -> DatasetLedger:
        return self.planned(held, None, actor).ledger

    def record_of(self, actor: Person, held: Held) -> Record | None:
        """What its ledger says; None where the policy in force leaves nothing readable: another takes its place."""
        try:
            return self.ledger_of(actor, held).record
        except (LedgerBroken, PreferenceError):
            return None

    def planned(
        self, held: Held, mandate: Mandate | None, actor: Person, rule: Mapping[str, Any] | None = None
    ) -> DatasetContext:
        schema = replace(held.schema, rule=rule)
        if mandate is None and (policy := self._policies.of(held)) is not None:
            mandate = mandate_of(policy, None)
        return self._outside.planned(schema, mandate, actor.name, self.columns(held))

    def as_read(self, held: Held, mandate: Mandate | None, who: str) -> DatasetContext:
        """The newest data as a worker has it, though nobody is read here: what is asked of both is the same."""
        version = self.version(held)
        key = version.id if held.reference is None else f"{version.id} {self._written(held, held.reference)}"
        assumed = (Assumption.CLOSED_QUOTES,) if version.format == "csv" else ()
        schema, present = replace(held.schema, rule=None), self.columns(held)
        return self._outside.planned(schema, mandate, who, present, version=key, assumed=assumed)

    def columns(self, held: Held) -> dict[str, Type | None] | None:
        """The columns that the data has, so that a question is read as it will be."""
        row = None if held.version is None else self._versions.one(id=held.version)
        return None if row is None else {name: type_ and Type(type_) for name, type_ in row["columns"].items()}

    # The data

    def version(self, held: Held) -> Version:
        """The newest data, unless it was kept as long as the policy said."""
        if self._sweep(held):
            held = self._held(held.name)
        row = None if held.version is None else self._versions.one(id=held.version)
        if row is None or row["forgotten"]:
            if held.version is None:
                raise Conflict.because("data-not-delivered", dataset=held.name)
            raise Conflict.because("data-forgotten", dataset=held.name)
        return Version.of(row)

    def version_key(self, held: Held) -> str:
        """Which data an approval is of; of data that lies elsewhere also when it was last written."""
        version = self.version(held)
        if held.reference is None:
            return version.id
        return digest([version.id, self._written(held, held.reference)])

    def _written(self, held: Held, reference: str) -> str:
        try:
            return self._outside.written(reference)
        except SourceError:  # its place is for its controllers
            raise Conflict.because("data-not-where-it-lay", dataset=held.name) from None

    def _sweep(self, held: Held) -> int:
        policy = self._policies_quietly(held)
        if policy is None or policy.policy.data_days is None:
            return 0
        until, forgotten = self._outside.now() - timedelta(days=policy.policy.data_days), 0
        for version in self._versions.many(dataset=held.name, forgotten=False, limit=100_000):
            if datetime.fromisoformat(version["created_at"]) <= until:
                self._forget(held, version["id"])
                self._rows.change({"name": held.name, "version": version["id"]}, {"version": None})
                self._outside.audit.append(
                    self._outside.moment, "the policy", "forgot", held.name, {"version": version["id"]}
                )
                forgotten += 1
        return forgotten

    def _forget(self, held: Held, version: str) -> None:
        self._outside.files.forget(held.id, version)
        self._versions.change({"id": version}, {"forgotten": True})

    def job(self, verb: str, held: Held, who: str, mandate: Mandate | None) -> dict[str, Any]:
        """A job on the newest data."""
        version = self.version(held)
        return self.job_on(verb, held, version.id, version.format, who, mandate)

    def job_on(
        self, verb: str, held: Held, version: str, format: str, who: str, mandate: Mandate | None = None
    ) -> dict[str, Any]:
        said = {"verb": verb, "dataset": held.id, "name": held.name, "version": version, "format": format, "who": who}
        limits = None if mandate is None else vars(mandate) | {"budget": mandate.budget.as_texts()}
        said |= {"schema": held.schema_text, "population": held.population or ""}
        return said | {"reference": held.reference, "mandate": limits}

    def computed(self, actor: Person, held: Held, name: str, job: Mapping[str, Any]) -> Mapping[str, Any]:
        """Have a worker do what is charged. One that is lost can enter nothing, so its failure is entered here."""
        try:
            return self._outside.runner.run(name, job)
        except EngineFailure as failure:
            if failure.worker_lost:
                self.ledger_of(actor, held).enter_failure(f"the worker of a {job['verb']} was lost")
            raise

    # What these lean on

    def _held(self, name: str) -> Held:
        row = self._rows.one(name=name)
        assert row is not None  # it was just written
        return Held.of(row)

    def _may_see(self, actor: Person, held: Held) -> bool:
        return self._sees_all(actor, held) or _is_shown(actor, held, self._policies_quietly(held))

    def _policies_quietly(self, held: Held) -> Signed | None:
        """To a list, a dataset whose policy was edited is one without."""
        try:
            return self._policies.of(held)
        except SfumatoError:
            return None

    def _sees_all_of(self, actor: Person, name: str) -> bool:
        row = self._rows.one(name=name)
        return row is not None and self._sees_all(actor, Held.of(row))

    def _sees_all(self, actor: Person, held: Held) -> bool:
        return held.is_controlled_by(actor) or actor.has(Role.AUDITOR)

    def say(self, actor: Person, verb: str, about: str, said: Mapping[str, object] | None = None) -> None:
        self._outside.audit.append(self._outside.moment, actor.name, verb, about, said or {})


def not_there(name: str) -> NotFound:
    return NotFound.because("dataset-unknown", dataset=name)


def _is_shown(actor: Person, held: Held, signed: Signed | None) -> bool:
    """To an analyst for whom its policy has a flow."""
    flow = None if signed is None else signed.policy.flow_for(actor)
    return actor.has(Role.ANALYST) and not held.retired and flow is not None


def mandate_of(signed: Signed, flow: Flow | None, decision: str = "", *, by_a_person: bool = False) -> Mandate:
    """What a policy binds a dataset to, for what flows by `flow`; a person may decide what it does not by itself."""
    policy = signed.policy
    return Mandate(
        policy=policy.fingerprint,
        attestation=policy.preregistered,
        decision=decision,
        by_policy=flow is None or (flow.approve is Approve.AUTOMATIC and not by_a_person),
        after_the_answer=flow is not None and flow.approve is Approve.AFTER_THE_ANSWER,
        epsilon_max=policy.epsilon_max or EPSILON_MAX,  # nobody who asks raises it
        budget=policy.budget,
        separation=policy.separation,
    )
