"""What differs between requests and signals: what an approval binds and promises, and how the result is computed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from sfumato.errors import Forbidden, NoGuarantee
from sfumato.escrow.catalogue.separation import EarlierLook
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy import AccessRule, Policy
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.submissions.lifecycle import Act, Submission
from sfumato.escrow.submissions.store import SubmissionStore
from sfumato.escrow.submissions.visibility import VisibleSubmission
from sfumato.model.authorization import Authorization
from sfumato.model.guarantee import Guarantee
from sfumato.release.ledger import PrivacyLedger

T = TypeVar("T", bound=Submission)


@dataclass(frozen=True)
class Approved:
    """In whose name something runs, under what, and the guarantee of that decision."""

    who: str
    authorization: Authorization
    guarantee: Guarantee
    allow_no_guarantee: bool
    preregistered: str


@dataclass(frozen=True, kw_only=True)
class ApprovalFacts(Generic[T]):
    """The approver's page of a submission; `approved_by` are the approvals that count, `access` says how many do."""

    submission: VisibleSubmission[T]
    binding: str
    analyst: Person
    access: AccessRule
    approved_by: tuple[str, ...]
    looked: bool
    warning: EarlierLook | None
    policy: Policy


@dataclass(frozen=True)
class Computed:
    """A result as it was computed, in plain values; its guarantee, and what was charged."""

    result: Any
    guarantee: Guarantee
    charged: float | None


F = TypeVar("F", bound=ApprovalFacts[Any])
W = TypeVar("W")  # a result that is withheld, as its approver sees it


class Payload(ABC, Generic[T, F, W]):
    """One submission with what it asks, under the policy in force: everything is as it is now, and read once.

    `preregistered` is what an approval attests; `in_force` is the policy, where that was read already.
    """

    looked_at: ClassVar[str]  # what the audit log calls a result that is withheld

    def __init__(
        self,
        store: SubmissionStore[T],
        submission: T,
        dataset: RegisteredDataset,
        preregistered: str = "",
        in_force: tuple[SignedPolicy, AccessRule] | None = None,
    ) -> None:
        self._store, self.submission, self.dataset = store, submission, dataset
        self._preregistered, self._read_before = preregistered, in_force

    @cached_property
    def analyst(self) -> Person:
        return self._store.accounts.one(self.submission.analyst)

    @property
    def signed(self) -> SignedPolicy:
        return self._in_force[0]

    @property
    def access(self) -> AccessRule:
        return self._in_force[1]

    @cached_property
    def _in_force(self) -> tuple[SignedPolicy, AccessRule]:
        return self._read_before or self._store.datasets.access_rule(self.analyst, self.dataset)

    # Approving

    @property
    @abstractmethod
    def binding(self) -> str:
        """What an approval is of. Anything else needs another approval."""

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """The guarantee that it would have, approved now."""

    @abstractmethod
    def ledger_for(self, approver: Person) -> PrivacyLedger:
        """Where an approval is entered."""

    @abstractmethod
    def page(self, facts: ApprovalFacts[T], ledger: PrivacyLedger, approver: Person, rehearse: bool, /) -> F:
        """The approver's page with the facts of this kind of submission."""

    @abstractmethod
    def look(self, approver: Person) -> W:
        """The withheld result as the PRI paper's controller sees it; that is entered in the ledger as a look first."""

    def require_allowed(self) -> None:
        """Refuse what the policy does not have by now."""

    def require_possible(self) -> None:
        """Refuse what could not be computed, or would tell too much."""

    def require_guarantee(self, *, allow_no_guarantee: bool) -> None:
        """Refuse a guarantee that the policy does not have, or none where the approver does not allow that."""
        guarantee, allowed = self.guarantee, self.access.guarantees
        if guarantee not in allowed:
            raise Forbidden.because(
                "approval-guarantee-not-allowed", guarantee=guarantee.value, allowed=list(map(str, allowed))
            )
        if not guarantee.holds and not allow_no_guarantee:
            raise no_guarantee(Act.APPROVE)

    @property
    def approved_fields(self) -> dict[str, Any]:
        """What changes with the last approval."""
        return {"policy": self.signed.number}

    @property
    def approved_facts(self) -> dict[str, object]:
        """What the audit log says of the last approval beside its binding."""
        return {}

    # Computing

    @property
    @abstractmethod
    def is_withheld(self) -> bool:
        """Whether the result waits for a second approval."""

    @property
    def is_automatic(self) -> bool:
        """Whether a policy that approves by itself covers it."""
        return True

    @abstractmethod
    def prepare(self, approved: Approved) -> Callable[[], Computed]:
        """Read what it takes, in one moment; what is returned then computes the result."""

    def sealed(self, computed: Computed) -> object:
        """What is sealed of what was computed."""
        return computed.result


def no_guarantee(act: Act) -> NoGuarantee:
    if act is Act.APPROVE:
        return NoGuarantee.because("approval-without-guarantee")
    return NoGuarantee.because("no-after-look")
