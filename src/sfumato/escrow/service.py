"""The escrow: its nouns, wired together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.errors import Forbidden, NoGuarantee
from sfumato.escrow.audit_log import AuditLog
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.catalogue.populations import Populations
from sfumato.escrow.catalogue.separation import refuse_viewer
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person
from sfumato.escrow.notifications import Notifications
from sfumato.escrow.policy.draft import SchemaDraft, policy_tables
from sfumato.escrow.policy.policy import Policy
from sfumato.escrow.policy.store import Policies, SignedPolicy, may_write
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.questions.exploration import Questions
from sfumato.escrow.submissions.request_payload import Request
from sfumato.escrow.submissions.requests import Requests
from sfumato.escrow.submissions.signal_payload import Signal
from sfumato.escrow.submissions.signals import Signals
from sfumato.escrow.submissions.store import SubmissionStore
from sfumato.ledger.entry import Draft, Event
from sfumato.ledger.history import Record
from sfumato.model.guarantee import Guarantee
from sfumato.release.ledger import digest


class Escrow:
    """One attribute for each noun; every verb takes the actor first."""

    def __init__(self, ports: EscrowPorts) -> None:
        self.ports = ports
        self.accounts = Accounts(ports)
        self.notifications = Notifications(ports)
        self.audit = AuditLog(ports, self.accounts)
        kept = Policies(ports, self.accounts)
        self.accounts.keep_roles = lambda actor: self.datasets.refuse_viewers(actor, "add users or change their roles")
        self.audit.hides_looks = lambda name: self.datasets.is_separated(self.datasets.of(name))
        self.datasets = Datasets(ports, self.accounts, kept, Populations(ports, self.notifications))
        self.policies = PolicyService(kept, self.datasets)
        self.questions = Questions(ports, self.datasets, kept)
        rooms = (ports, self.accounts, self.datasets, self.notifications)
        self.requests = Requests(SubmissionStore(Request, *rooms), self.questions)
        self.signals = Signals(SubmissionStore(Signal, *rooms), self.requests)
        self.requests.execution.released = self.requests.approval.released = self.signals.submit_with

    def resume(self, *, alone: bool = True) -> int:
        """Continue approved submissions after a start, and return how many there are."""
        return self.requests.execution.resume(alone=alone) + self.signals.execution.resume(alone=alone)


class PolicyService:
    """Policies by the name of the dataset, for those who have access."""

    def __init__(self, kept: Policies, datasets: Datasets) -> None:
        self._kept, self._datasets = kept, datasets

    def set(
        self, actor: Person, dataset: str, policy: Mapping[str, Any], *, allow_no_guarantee: bool = False
    ) -> SignedPolicy:
        """Write the policy of a dataset. To take access away after a look is a decision, and is entered as one."""
        registered, record, draft = self._read(actor, dataset, policy)
        if record is not None:
            refuse_viewer(record, actor, "write its policy")
        if record is not None and draft.separation and actor.name in record.viewers:
            raise Forbidden.because("viewer-separates")
        self._datasets.require_room(actor, registered, draft)
        if record is not None:
            self._enter_change(actor, registered, draft, allow_no_guarantee)
        signed = self._kept.write(actor, registered, draft)
        self._datasets.planned(registered, None, actor)  # enters the policy in the ledger
        return signed

    def check(self, actor: Person, dataset: str, policy: Mapping[str, Any] | str) -> Policy:
        """Read a policy that is not signed yet: its tables, or the text of its file."""
        tables = policy_tables(policy) if isinstance(policy, str) else policy
        registered, _, draft = self._read(actor, dataset, tables)
        self._datasets.require_room(actor, registered, draft)
        return draft

    def check_schema(self, actor: Person, schema_text: str, policy: Mapping[str, Any] | None = None) -> SchemaDraft:
        """Read a schema that is not registered yet, and the policy that the dataset is to have."""
        dataset = self._datasets.drafted(actor, schema_text)
        read = None if policy is None else self._kept.read(dataset, policy)
        return SchemaDraft(dataset.name, schema_text, dataset.schema, read)

    def _read(
        self, actor: Person, name: str, policy: Mapping[str, Any]
    ) -> tuple[RegisteredDataset, Record | None, Policy]:
        dataset = self._datasets.visible(actor, name)
        may_write(actor, dataset)
        record = self._datasets.record_of(actor, dataset)
        return dataset, record, self._kept.read(dataset, policy, frozenset() if record is None else record.viewers)

    def _enter_change(self, actor: Person, dataset: RegisteredDataset, draft: Policy, allow_no_guarantee: bool) -> None:
        """Enter what a policy takes away or gives back after a look, before it holds.

        Whether anyone has looked is read in the transaction that enters it: no look comes in between.
        """
        ledger, before = self._datasets.ledger_of(actor, dataset), self._kept.of(dataset)

        def decided(record: Record) -> list[Draft]:
            if not record.anyone_looked or before is None or draft.keeps(before.policy):
                return []
            blindly = draft.separation and actor.name not in record.viewers
            holds = blindly or bool(draft.preregistered)
            if not holds and not allow_no_guarantee:
                raise NoGuarantee.because("policy-changed-after-look")
            public: dict[str, object] = {"what": "policy: access changed", "approved": False, "policy": True}
            public |= {"guarantee": (Guarantee.DP if holds else Guarantee.NONE).value}
            public |= {"attested": draft.preregistered} if draft.preregistered else {}
            key = digest(["policy", dataset.name, draft.fingerprint])
            return [ledger.draft(Event.DECIDED, key, public, who=actor.name)]

        ledger.write(decided, opened=False)

    def current(self, actor: Person, dataset: str) -> SignedPolicy:
        """The policy in force, for controllers and auditors; an analyst sees their access rule with the dataset."""
        return self._kept.require(self._datasets.for_whoever_decides(actor, dataset))

    def history(self, actor: Person, dataset: str) -> list[SignedPolicy]:
        return self._kept.history(self._datasets.for_whoever_decides(actor, dataset))
