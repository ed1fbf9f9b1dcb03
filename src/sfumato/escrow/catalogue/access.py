"""Who may see, control and decide about a dataset; the policy, the ledger and the data that it is asked under."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
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
from sfumato.escrow.catalogue.connection import CONNECTED
from sfumato.escrow.catalogue.populations import Populations
from sfumato.escrow.catalogue.separation import decides_after_look, is_viewer, refuse_last, refuse_viewer
from sfumato.escrow.dataset import RegisteredDataset, Version, all_datasets, find_dataset
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.policy import AccessRule, Approve, Policy
from sfumato.escrow.policy.store import Policies, SignedPolicy
from sfumato.escrow.ports import EscrowPorts
from sfumato.ledger.entry import Event
from sfumato.ledger.history import Record
from sfumato.model.authorization import Authorization
from sfumato.model.plain import from_plain
from sfumato.model.release import Assumption
from sfumato.model.schema import Type
from sfumato.ports import Among, Containing, Selection
from sfumato.release.context import DatasetContext
from sfumato.release.decide import EPSILON_MAX
from sfumato.release.ledger import PrivacyLedger, digest


class Access:
    """Datasets as an actor may reach them: a dataset that the actor may not know of does not exist for them."""

    def __init__(self, ports: EscrowPorts, accounts: Accounts, policies: Policies, populations: Populations) -> None:
        self._ports, self._accounts, self._policies = ports, accounts, policies
        self._populations = populations
        self._rows, self._versions = ports.rows("datasets"), ports.rows("versions")

    # Who may

    def visible(self, actor: Person, name: str) -> RegisteredDataset:
        """A dataset that this person may know of; to others it is not there."""
        return self._visible_with_policy(actor, name)[0]

    def accessible(self, actor: Person, name: str) -> tuple[RegisteredDataset, SignedPolicy, AccessRule]:
        """A dataset that this person may know of, the policy in force, and their access rule."""
        dataset, signed = self._visible_with_policy(actor, name)
        return dataset, *self.access_rule(actor, dataset, signed)

    def _visible_with_policy(self, actor: Person, name: str) -> tuple[RegisteredDataset, SignedPolicy | None]:
        """With its policy, where that was needed to tell whether it may be seen."""
        dataset = find_dataset(self._rows, name.casefold())
        if dataset is not None and self._sees_all(actor, dataset):
            return dataset, None
        signed = None if dataset is None else self._policies_quietly(dataset)
        if dataset is None or not _is_shown(actor, dataset, signed):
            raise not_there(name)
        return dataset, signed

    def of(self, name: str) -> RegisteredDataset:
        """A dataset that there is, by its name: access was checked before."""
        dataset = find_dataset(self._rows, name)
        assert dataset is not None
        return dataset

    def controlled(self, actor: Person, name: str) -> RegisteredDataset:
        dataset = self.visible(actor, name)
        if not dataset.is_controlled_by(actor):
            raise Forbidden.because("dataset-not-controlled", dataset=dataset.name)
        return dataset

    def _changeable(self, actor: Person, name: str) -> RegisteredDataset:
        """A dataset that this person may change: not after viewing individual risks, where viewers are kept apart."""
        dataset = self.controlled(actor, name)
        if (record := self.record_of(actor, dataset)) is not None:
            refuse_viewer(record, actor, f"change {dataset.name}")
        return dataset

    def for_whoever_decides(self, actor: Person, name: str) -> RegisteredDataset:
        dataset = self.visible(actor, name)
        if not self._sees_all(actor, dataset):
            raise Forbidden.because("policy-not-shown", dataset=dataset.name)
        return dataset

    def named(self, names: Collection[str]) -> dict[str, RegisteredDataset]:
        """Datasets by their names: access was checked before."""
        rows = self._rows.many(name=list(names), limit=len(names)) if names else ()
        return {row["name"]: from_plain(RegisteredDataset, row) for row in rows}

    def held_by(self, actor: Person) -> list[str]:
        """Names of the datasets that this person controls."""
        if not actor.has(Role.CONTROLLER):
            return []
        rows = self._rows.listed(Selection((_controlled_by(actor),)), columns=("name",), limit=100_000)
        return [row["name"] for row in rows]

    def separated_from(self, actor: Person) -> list[str]:
        """Names of the datasets that this person controls and may not decide about, as a viewer of individual risks."""
        looked = {"name": Among("ledger", "who", {"who": actor.name, "event": Event.LOOKED.value})}
        if not self._ports.rows("people").counts(Selection((looked,))):
            return []
        separated = self.named([name for name, one in self._policies.in_force().items() if one.policy.separation])
        controlled = {name: one for name, one in separated.items() if one.is_controlled_by(actor)}
        return [name for name, one in controlled.items() if is_viewer(self.ledger_of(actor, one).record, actor)]

    def prepare(self) -> None:
        """At a start: verify the policies in force, which the first list would wait for."""

        def verify() -> None:
            self._policies.in_force()

        self._ports.later("", verify)

    def refuse_viewers(self, actor: Person, to: str) -> None:
        """Refuse a person who has viewed individual risks of any dataset whose policy separates viewers."""
        for dataset in all_datasets(self._rows):
            if self._is_viewer(actor, dataset):
                refuse_viewer(self.ledger_of(actor, dataset).known, actor, to)

    def require_look(self, actor: Person, dataset: RegisteredDataset) -> None:
        """Refuse a look after which no decider would be left, where viewers may not decide."""
        refuse_last(self.ledger_of(actor, dataset).record, dataset, actor, self._accounts.all())

    def is_separated(self, dataset: RegisteredDataset) -> bool:
        """Whether its policy keeps viewers of individual risks and deciders apart."""
        signed = self._policies_quietly(dataset)
        return signed is not None and signed.policy.separation

    def _is_viewer(self, actor: Person, dataset: RegisteredDataset) -> bool:
        return self.is_separated(dataset) and is_viewer(self.ledger_of(actor, dataset).record, actor)

    def looked(self, actor: Person, name: str) -> bool:
        """Whether what this person, who controls it, decides follows a look at the people."""
        return decides_after_look(self.ledger_of(actor, self.controlled(actor, name)).known, actor)

    # Under which policy, and what its ledger says

    def policy_of(self, dataset: RegisteredDataset) -> SignedPolicy | None:
        return self._policies.of(dataset)

    def some_policy(self, is_so: Callable[[Policy], bool]) -> bool:
        """Whether it is so for one of the policies in force."""
        every = map(self._policies_quietly, all_datasets(self._rows, retired=False))
        return any(is_so(signed.policy) for signed in every if signed is not None)

    def access_rule(
        self, actor: Person, dataset: RegisteredDataset, signed: SignedPolicy | None = None
    ) -> tuple[SignedPolicy, AccessRule]:
        """The policy in force, which may be `signed`, and this person's access rule; without a policy, no access."""
        signed = signed or self._policies.require(dataset)
        access_rule = signed.policy.access_rule_for(actor)
        if access_rule is None:
            raise Forbidden.because("access-rule-missing", dataset=dataset.name)
        return signed, access_rule

    def ledger_of(self, actor: Person, dataset: RegisteredDataset) -> PrivacyLedger:
        return self.planned(dataset, None, actor).ledger

    def record_of(self, actor: Person, dataset: RegisteredDataset) -> Record | None:
        """What its ledger says; None where the policy in force leaves nothing readable: another takes its place."""
        try:
            return self.ledger_of(actor, dataset).record
        except (LedgerBroken, PreferenceError):
            return None

    def planned(
        self,
        dataset: RegisteredDataset,
        authorization: Authorization | None,
        actor: Person,
        rule: Mapping[str, Any] | None = None,
    ) -> DatasetContext:
        schema = replace(dataset.schema, rule=rule)
        if authorization is None and (policy := self._policies.of(dataset)) is not None:
            authorization = authorization_of(policy, None)
        return self._ports.planned(schema, who=actor.name, authorization=authorization, present=self.columns(dataset))

    def as_read(self, dataset: RegisteredDataset, authorization: Authorization | None, who: str) -> DatasetContext:
        """The newest data as a worker has it. No row is read here."""
        version = self.version(dataset)
        if version.format in CONNECTED:
            key = version.fingerprint
        elif dataset.reference is not None:
            key = f"{version.id} {self._written(dataset, dataset.reference)}"
        else:
            key = version.id
        assumed = (Assumption.CLOSED_QUOTES,) if version.format == "csv" else ()
        schema, present = replace(dataset.schema, rule=None), self.columns(dataset)
        return self._ports.planned(
            schema, who=who, version=key, authorization=authorization, present=present, assumed=assumed
        )

    def columns(self, dataset: RegisteredDataset) -> dict[str, Type | None] | None:
        """The columns that the data has, so that a question is read as it will be."""
        row = None if dataset.version is None else self._versions.one(id=dataset.version)
        return None if row is None else {name: type_ and Type(type_) for name, type_ in row["columns"].items()}

    # The data

    def version(self, dataset: RegisteredDataset) -> Version:
        """The newest data, unless it was kept as long as the policy said."""
        if self._sweep(dataset):
            dataset = self.of(dataset.name)
        row = None if dataset.version is None else self._versions.one(id=dataset.version)
        if row is None or row["forgotten"]:
            if dataset.version is None:
                raise Conflict.because("data-not-delivered", dataset=dataset.name)
            raise Conflict.because("data-forgotten", dataset=dataset.name)
        return from_plain(Version, row)

    def version_key(self, dataset: RegisteredDataset) -> str:
        """Which data an approval is of: a delivery, a file with the time of its last change, or a table's state."""
        version = self.version(dataset)
        if version.format in CONNECTED:
            return version.fingerprint
        if dataset.reference is None:
            return version.id
        return digest([version.id, self._written(dataset, dataset.reference)])

    def _written(self, dataset: RegisteredDataset, reference: str) -> str:
        try:
            return self._ports.written(reference)
        except SourceError:  # its place is for its controllers
            raise Conflict.because("data-not-where-it-lay", dataset=dataset.name) from None

    def _sweep(self, dataset: RegisteredDataset) -> int:
        policy = self._policies_quietly(dataset)
        if policy is None or policy.policy.data_days is None:
            return 0
        until, forgotten = self._ports.now() - timedelta(days=policy.policy.data_days), 0
        for version in self._versions.many(dataset=dataset.name, forgotten=False, limit=100_000):
            if datetime.fromisoformat(version["created_at"]) <= until:
                self._forget(dataset, version["id"])
                self._rows.change({"name": dataset.name, "version": version["id"]}, {"version": None})
                self._ports.audit.append(
                    self._ports.moment, "the policy", "forgot", dataset.name, {"version": version["id"]}
                )
                forgotten += 1
        return forgotten

    def _forget(self, dataset: RegisteredDataset, version: str) -> None:
        self._ports.files.forget(dataset.id, version)
        self._versions.change({"id": version}, {"forgotten": True})

    def job(
        self, verb: str, dataset: RegisteredDataset, who: str, authorization: Authorization | None
    ) -> dict[str, Any]:
        """A job on the newest data."""
        version = self.version(dataset)
        state = version.fingerprint if version.format in CONNECTED else ""
        return self.job_on(verb, dataset, version.id, version.format, who, authorization, state)

    def job_on(
        self,
        verb: str,
        dataset: RegisteredDataset,
        version: str,
        format: str,
        who: str,
        authorization: Authorization | None = None,
        state: str = "",
    ) -> dict[str, Any]:
        """A job on one version of the data, in plain values; a table elsewhere must be in this `state`."""
        limits = None if authorization is None else _as_json(authorization)
        job = {"verb": verb, "version": version, "format": format, "who": who, "authorization": limits}
        job |= {"dataset": dataset.id, "name": dataset.name, "reference": dataset.reference, "state": state}
        return job | {"schema": dataset.schema_text, "population": dataset.population or ""}

    def computed(
        self, actor: Person, dataset: RegisteredDataset, name: str, job: Mapping[str, Any], *, deciding: bool = False
    ) -> Mapping[str, Any]:
        """Have a worker do what is charged. One that is lost can enter nothing, so its failure is entered here."""
        try:
            return self._ports.runner.run(name, job, actor.name, deciding=deciding)
        except EngineFailure as failure:
            if failure.worker_lost:
                self.ledger_of(actor, dataset).enter_failure(f"the worker of a {job['verb']} was lost")
            raise

    # What these lean on

    def _policies_quietly(self, dataset: RegisteredDataset) -> SignedPolicy | None:
        """To a list, a dataset whose policy was edited is one without."""
        try:
            return self._policies.of(dataset)
        except SfumatoError:
            return None

    def _sees_all_of(self, actor: Person, name: str) -> bool:
        dataset = find_dataset(self._rows, name)
        return dataset is not None and self._sees_all(actor, dataset)

    def _sees_all(self, actor: Person, dataset: RegisteredDataset) -> bool:
        return dataset.is_controlled_by(actor) or actor.has(Role.AUDITOR)

    def say(self, actor: Person, verb: str, about: str, details: Mapping[str, object] | None = None) -> None:
        self._ports.audit.append(self._ports.moment, actor.name, verb, about, details or {})


def _controlled_by(actor: Person) -> dict[str, object]:
    return {"controllers": Containing(actor.name), "retired": False}


def _as_json(authorization: Authorization) -> dict[str, object]:
    per_person = authorization.per_person
    texts = {} if per_person is None else per_person.as_texts()
    return vars(authorization) | {"budget": authorization.budget.as_texts(), "per_person": texts}


def not_there(name: str) -> NotFound:
    return NotFound.because("dataset-unknown", dataset=name)


def _is_shown(actor: Person, dataset: RegisteredDataset, signed: SignedPolicy | None) -> bool:
    """Whether it is shown to an analyst: its policy has an access rule for them."""
    access_rule = None if signed is None else signed.policy.access_rule_for(actor)
    return actor.has(Role.ANALYST) and not dataset.retired and access_rule is not None


def authorization_of(
    signed: SignedPolicy, access_rule: AccessRule | None, decision: str = "", *, by_a_person: bool = False
) -> Authorization:
    """What a policy binds a dataset to under an access rule; a person may decide what the rule does not by itself."""
    policy = signed.policy
    return Authorization(
        policy=policy.fingerprint,
        preregistered=policy.preregistered,
        decision=decision,
        by_policy=access_rule is None or (access_rule.approve is Approve.AUTOMATIC and not by_a_person),
        after_the_answer=access_rule is not None and access_rule.approve is Approve.AFTER_THE_ANSWER,
        epsilon_max=policy.epsilon_max or EPSILON_MAX,  # no request raises it
        budget=policy.budget,
        per_person=policy.per_person,
        separation=policy.separation,
    )
