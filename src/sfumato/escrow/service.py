"""The escrow: everything that several parties do with the data of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.errors import Forbidden, NoGuarantee
from sfumato.escrow.audit_log import AuditLog
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.catalogue.policy_draft import Drafts
from sfumato.escrow.catalogue.populations import Populations
from sfumato.escrow.catalogue.separation import refuse_viewer
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person
from sfumato.escrow.notifications import Notifications
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
    """One room for each noun; every verb takes whoever acts first."""

    def __init__(self, ports: EscrowPorts) -> None:
        self.ports = ports
        self.accounts = Accounts(ports)
        self.notifications = Notifications(ports)
        self.audit = AuditLog(ports, self.accounts)
        kept = Policies(ports, self.accounts)
        self.accounts.keep_roles = lambda actor: self.datasets.refuse_viewers(actor, "change who is let in as what")
        self.audit.hides_looks = lambda name: self.datasets.is_separated(self.datasets.of(name))
        self.datasets = Datasets(ports, self.accounts, kept, Populations(ports, self.notifications))
        self.policies = PolicyService(kept, self.datasets)
        self.drafts = Drafts(self.datasets, kept)
        self.questions = Questions(ports, self.datasets, kept)
        rooms = (ports, self.accounts, self.datasets, self.notifications)
        self.requests = Requests(SubmissionStore(Request, *rooms), self.questions)
        self.signals = Signals(SubmissionStore(Signal, *rooms), self.requests)

    def resume(self, *, alone: bool = True) -> int:
        """After a start: what was approved goes on. How much that is."""
        return self.requests.execution.resume(alone=alone) + self.signals.execution.resume(alone=alone)


class PolicyService:
    """Policies as people reach them: by the dataset's name, if they may."""

    def __init__(self, kept: Policies, datasets: Datasets) -> None:
        self._kept, self._datasets = kept, datasets

    def set(
        self, actor: Person, dataset: str, policy: Mapping[str, Any], *, allow_no_guarantee: bool = False
    ) -> SignedPolicy:
        """Write the policy of a dataset. To take access away after a look is a decision, and is entered as one."""
        registered = self._datasets.visible(actor, dataset)
        may_write(actor, registered)
        record = self._datasets.record_of(actor, registered)
        viewers = frozenset() if record is None else record.viewers
        draft = self._kept.read(registered, policy, viewers)
        if record is not None:
            refuse_viewer(record, actor, "write its policy")
        if draft.separation and actor.name in viewers:
            raise Forbidden.because("viewer-separates")
        self._datasets.require_room(actor, registered, draft)
        if record is not None:
            self._enter_change(actor, registered, draft, allow_no_guarantee)
        signed = self._kept.write(actor, registered, draft)
        self._datasets.enter_policy(registered, actor)
        return signed

    def _enter_change(self, actor: Person, dataset: RegisteredDataset, draft: Policy, allow_no_guarantee: bool) -> None:
        """Enter what a policy takes away or gives back after a look, before it holds.

        Whether somebody has looked is read in the transaction that enters it: no look comes in between.
        """
        ledger, before = self._datasets.ledger_of(actor, dataset), self._kept.of(dataset)

        def decided(record: Record) -> list[Draft]:
            if not record.somebody_looked or before is None or draft.keeps(before.policy):
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
        """For whoever holds the data; an analyst sees their own access rule with the dataset."""
        return self._kept.require(self._datasets.for_whoever_decides(actor, dataset))

    def history(self, actor: Person, dataset: str) -> list[SignedPolicy]:
        return self._kept.history(self._datasets.for_whoever_decides(actor, dataset))
