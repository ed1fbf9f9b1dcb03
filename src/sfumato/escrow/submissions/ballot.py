"""What a decision is, whatever it is on: entered in the ledger with its word, and noted with what was decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from sfumato.errors import Forbidden, NoGuarantee, NotIntroduced
from sfumato.escrow.catalogue.separation import is_viewer
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy import AccessRule
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.submissions.lifecycle import Act, State
from sfumato.ledger.entry import Draft, Event
from sfumato.ledger.history import Record
from sfumato.model.guarantee import Guarantee
from sfumato.release.ledger import PrivacyLedger

WAITING = (State.SUBMITTED, State.COMPUTED)
"""The states in which somebody has to decide."""


class LookedBy(StrEnum):
    """Who has looked, as it concerns whoever decides."""

    ONESELF = "oneself"  # who may no longer decide, as the policy keeps viewers apart
    OTHERS = "others"  # whom the policy keeps apart from those who decide
    SOMEBODY = "somebody"  # whoever it was: a decision after that has no guarantee


@dataclass(frozen=True)
class EarlierLook:
    """What whoever decides should know of looks; `viewers` are how many people viewed individual risks."""

    by: LookedBy
    viewers: int


class Decided(Protocol):
    """What is decided: a request, or a signal about one."""

    @property
    def state(self) -> State: ...

    @property
    def decided_by(self) -> Sequence[Mapping[str, Any]]: ...


def entered(
    ledger: PrivacyLedger,
    what: str,
    act: Act,
    binding: str,
    actor: Person,
    allow_no_guarantee: bool,
    attestation: str = "",
) -> Guarantee:
    """The decision, in the ledger, and its word: none after a look, which has to be accepted.

    Whether somebody has looked is read in the transaction that enters it: no look comes in between.
    """
    attested = " ".join(attestation.split())

    def decided(record: Record) -> list[Draft]:
        holds = not record.somebody_looked or record.decides_blindly(actor.name)
        holds = holds or (bool(attested) and act is Act.APPROVE)
        if not holds and not allow_no_guarantee:
            raise no_guarantee(act)
        public: dict[str, object] = {
            "what": f"{what}: {act}",
            "approved": act is Act.APPROVE,
            "guarantee": (Guarantee.DP if holds else Guarantee.NONE).value,
        }
        public |= {"attested": attested} if attested else {}
        return [ledger.draft(Event.DECIDED, binding, public, who=actor.name)]

    return Guarantee(str(ledger.write(decided)[-1].draft.public["guarantee"]))


def noted(
    found: Decided,
    actor: Person,
    moment: str,
    act: Act,
    binding: str,
    note: str,
    allow_no_guarantee: bool,
    preregistered: str = "",
) -> list[dict[str, Any]]:
    """The decisions on it with this one."""
    made = {"who": actor.name, "at": moment, "act": act.value, "binding": binding, "note": note}
    made |= {"preregistered": " ".join(preregistered.split()), "state": found.state.value}
    return [*map(dict, found.decided_by), made | {"allow_no_guarantee": allow_no_guarantee}]


def approved_by(found: Decided, binding: str) -> tuple[str, ...]:
    """Who approved exactly this, as it stands in this state."""
    made = [d for d in found.decided_by if d["act"] == Act.APPROVE and d["binding"] == binding]
    return tuple(dict.fromkeys(d["who"] for d in made if d["state"] == found.state))


def valid(names: Iterable[str], record: Record) -> tuple[str, ...]:
    """The approvals that still count: under separation, not of those who have viewed individual risks since."""
    return tuple(name for name in names if not (record.separated and name in record.viewers))


def approved_before(found: Decided, actor: Person, binding: str) -> bool:
    """Whether this very approval was given: for what it led to, or as one of several."""
    given = [d for d in found.decided_by if d["act"] == Act.APPROVE and d["who"] == actor.name]
    return any(d["binding"] == binding and (d["state"] == found.state or found.state not in WAITING) for d in given)


def warning(record: Record, actor: Person) -> EarlierLook | None:
    """What whoever decides should know of looks; None where there was none."""
    if not record.somebody_looked:
        return None
    others = LookedBy.OTHERS if record.separated else LookedBy.SOMEBODY
    return EarlierLook(LookedBy.ONESELF if is_viewer(record, actor) else others, len(record.viewers))


def require_approver(
    people: Accounts, actor: Person, signed: SignedPolicy, flow: AccessRule, *, by_session: bool
) -> None:
    """Refuse whoever the policy does not ask, or who signed in without having passed the introduction."""
    if flow.approvers and actor.name not in [name.casefold() for name in flow.approvers]:
        raise Forbidden.because("approver-not-named", approvers=list(flow.approvers))
    if by_session and signed.policy.introduction and people.introduced(actor) is None:
        raise NotIntroduced.because("introduction-first")


def require_word(word: Guarantee, flow: AccessRule, allow_no_guarantee: bool) -> None:
    """Refuse what would carry a word that the policy does not have, or none without a word that this is accepted."""
    if word not in flow.guarantees:
        allowed = [one.value for one in flow.guarantees]
        raise Forbidden.because("approval-guarantee-not-allowed", guarantee=word.value, allowed=allowed)
    if not word.holds and not allow_no_guarantee:
        raise no_guarantee(Act.APPROVE)


def no_guarantee(act: Act) -> NoGuarantee:
    if act is Act.APPROVE:
        return NoGuarantee.because("approval-without-guarantee")
    return NoGuarantee.because("no-after-look")
