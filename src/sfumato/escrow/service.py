"""The escrow: everything that several parties do with the data of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.errors import Forbidden, NoGuarantee
from sfumato.escrow.audit_log import Audit
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.catalogue.policy_draft import Drafts
from sfumato.escrow.catalogue.populations import Populations
from sfumato.escrow.catalogue.separation import refuse_viewer
from sfumato.escrow.dataset import Held
from sfumato.escrow.identity.accounts import People
from sfumato.escrow.identity.person import Person
from sfumato.escrow.notices import Notices
from sfumato.escrow.policy.policy import Policy
from sfumato.escrow.policy.store import Policies, Signed, may_write
from sfumato.escrow.ports import Outside
from sfumato.escrow.questions.exploration import Questions
from sfumato.escrow.submissions.request import Request
from sfumato.escrow.submissions.requests import Requests
from sfumato.escrow.submissions.signal import Signal
from sfumato.escrow.submissions.signals import Signals
from sfumato.escrow.submissions.store import SubmissionStore
from sfumato.ledger.entry import Draft, Event
from sfumato.ledger.history import Record
from sfumato.model.guarantee import Guarantee
from sfumato.release.ledger import digest


class Escrow:
    """One room for each noun; every verb takes whoever acts first."""

    def __init__(self, outside: Outside) -> None:
        self.outside = outside
        self.people = People(outside)
        self.notices = Notices(outside)
        self.audit = Audit(outside, self.people)
        kept = Policies(outside, self.people)
        self.people.keep_roles = lambda actor: self.datasets.refuse_viewers(actor, "change who is let in as what")
        self.audit.hides_looks = lambda name: self.datasets.is_separated(self.datasets.of(name))
        self.datasets = Datasets(outside, self.people, kept, Populations(outside, self.notices))
        self.policies = PolicyDesk(kept, self.datasets)
        self.drafts = Drafts(self.datasets, kept)
        self.questions = Questions(outside, self.datasets, kept)
        rooms = (outside, self.people, self.datasets, self.notices)
        self.requests = Requests(SubmissionStore(Request, *rooms), self.questions)
        self.signals = Signals(SubmissionStore(Signal, *rooms), self.requests)

    def resume(self, *, alone: bool = True) -> int:
        """After a start: what was approved goes on. How much that is."""
        return self.requests.execution.resume(alone=alone) + self.signals.execution.resume(alone=alone)


class PolicyDesk:
    """Policies as people reach them: by the dataset's name, if they may."""

    def __init__(self, kept: Policies, datasets: Datasets) -> None:
        self._kept, self._datasets = kept, datasets

    def set(
        self, actor: Person, dataset: str, policy: Mapping[str, Any], *, allow_no_guarantee: bool = False
    ) -> Signed:
        """Write the policy of a dataset. To take access away after a look is a decision, and is entered as one."""
        held = self._datasets.visible(actor, dataset)
        may_write(actor, held)
        record = self._datasets.record_of(actor, held)
        viewers = frozenset() if record is None else record.viewers
        made = self._kept.read(held, policy, viewers)
        if record is not None:
            refuse_viewer(record, actor, "write its policy")
        if made.separation and actor.name in viewers:
            raise Forbidden.because("viewer-separates")
        self._datasets.require_room(actor, held, made)
        if record is not None:
            self._enter_change(actor, held, made, allow_no_guarantee)
        signed = self._kept.write(actor, held, made)
        self._datasets.enter_policy(held, actor)
        return signed

    def _enter_change(self, actor: Person, held: Held, made: Policy, allow_no_guarantee: bool) -> None:
        """Enter what a policy takes away or gives back after a look, before it holds.

        Whether somebody has looked is read in the transaction that enters it: no look comes in between.
        """
        ledger, before = self._datasets.ledger_of(actor, held), self._kept.of(held)

        def decided(record: Record) -> list[Draft]:
            if not record.somebody_looked or before is None or made.keeps(before.policy):
                return []
            blindly = made.separation and actor.name not in record.viewers
            holds = blindly or bool(made.preregistered)
            if not holds and not allow_no_guarantee:
                raise NoGuarantee.because("policy-changed-after-look")
            public: dict[str, object] = {"what": "policy: access changed", "approved": False, "policy": True}
            public |= {"guarantee": (Guarantee.DP if holds else Guarantee.NONE).value}
            public |= {"attested": made.preregistered} if made.preregistered else {}
            key = digest(["policy", held.name, made.fingerprint])
            return [ledger.draft(Event.DECIDED, key, public, who=actor.name)]

        ledger.write(decided, opened=False)

    def current(self, actor: Person, dataset: str) -> Signed:
        """For whoever holds the data; an analyst sees their own flow with the dataset."""
        return self._kept.require(self._datasets.for_whoever_decides(actor, dataset))

    def history(self, actor: Person, dataset: str) -> list[Signed]:
        return self._kept.history(self._datasets.for_whoever_decides(actor, dataset))
