"""What controllers decide of a submission: inspect, approve, return or refuse; each decision is in the ledger first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from sfumato.errors import BadInput, Conflict, Forbidden, NotIntroduced
from sfumato.escrow.catalogue.separation import decides_after_look, earlier_look, is_viewer, refuse_viewer
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.submissions.lifecycle import WAITING, Act, State, Submission, SubmissionDecision
from sfumato.escrow.submissions.payload import ApprovalFacts, F, Payload, W, no_guarantee
from sfumato.escrow.submissions.store import EVERY, IDENTICAL, SubmissionFilter, SubmissionStore
from sfumato.escrow.submissions.visibility import VisibleSubmission, visible
from sfumato.ledger.entry import Draft, Event
from sfumato.ledger.history import Record
from sfumato.model.guarantee import Guarantee
from sfumato.model.plain import to_plain
from sfumato.ports import RowGroup, Selection
from sfumato.release.ledger import PrivacyLedger

T = TypeVar("T", bound=Submission)
Order: TypeAlias = Literal["oldest", "newest", "due"]


@dataclass(frozen=True)
class Decision:
    """What a person decides, of what it is bound to; `preregistered` says where an approval was fixed before a look."""

    actor: Person
    act: Act
    binding: str
    note: str = ""
    allow_no_guarantee: bool = False
    preregistered: str = ""

    def on(self, submission: Submission, moment: str) -> object:
        """The decisions on a submission with this one, as they are stored."""
        decision = SubmissionDecision(
            who=self.actor.name,
            at=moment,
            act=self.act,
            binding=self.binding,
            note=self.note,
            preregistered=" ".join(self.preregistered.split()),
            state=submission.state,
            allow_no_guarantee=self.allow_no_guarantee,
        )
        return to_plain([*submission.decided_by, decision])


class Approval(Generic[T, F, W]):
    """The decisions on submissions of one kind."""

    def __init__(
        self, store: SubmissionStore[T], payload: Callable[..., Payload[T, F, W]], start: Callable[[T], None]
    ) -> None:
        self._store, self._payload, self._start = store, payload, start
        self._ports, self._accounts, self._datasets = store.ports, store.accounts, store.datasets
        self.released: Callable[[T], None] = lambda _submission: None  # what goes on when a result was released

    def waiting(
        self,
        actor: Person,
        limit: int = 100,
        *,
        filter: SubmissionFilter = EVERY,
        skip: int = 0,
        after: int | None = None,
        order: Order = "oldest",
    ) -> list[VisibleSubmission[T]]:
        """What waits for this person's decision, oldest first or in another order."""
        place: dict[str, Any] = {"skip": skip, "after": after, "limit": limit, "newest_first": order == "newest"}
        waiting = self._store.waiting_for(actor, filter)
        rows = self._store.rows.listed(waiting, by="due" if order == "due" else "", **place)
        return [visible(self._store.kind.from_row(row), to_controller=True) for row in rows]

    def waiting_ids(self, actor: Person) -> dict[str, int]:
        """The number of each submission that waits for this person's decision by its id, oldest first."""
        waiting = self._store.waiting_for(actor, EVERY)
        rows = self._store.rows.listed(waiting, columns=("id", "number"), limit=100_000)
        return {row["id"]: row["number"] for row in rows}

    def count_waiting(self, actor: Person, filter: SubmissionFilter = EVERY) -> int:
        return sum(self._store.rows.counts(self._store.waiting_for(actor, filter)).values())

    def waiting_by_dataset(self, actor: Person, names: Sequence[str]) -> dict[str, int]:
        """How many wait for this person's decision, by dataset."""
        waits = self._store.waiting_for(actor, EVERY)
        counts = self._store.rows.counts(replace(waits, every=(*waits.every, {"dataset": list(names)})), "dataset")
        return {dataset: rows for (dataset,), rows in counts.items()}

    def waiting_groups(
        self, actor: Person, filter: SubmissionFilter, *, skip: int = 0, limit: int = 100, order: Order = "oldest"
    ) -> tuple[list[tuple[T, RowGroup]], int]:
        """What waits for this person's decision, identical requests together, and how many groups there are."""
        rows, waiting = self._store.rows, self._store.waiting_for(actor, filter)
        how = {"newest_first": order == "newest", "due_first": order == "due"}
        groups, total = rows.groups(waiting, IDENTICAL, skip=skip, limit=limit, **how)
        firsts = rows.listed(Selection(({"number": [group.first for group in groups]},)), limit=limit)
        by_number = {row["number"]: self._store.kind.from_row(row) for row in firsts}
        return [(by_number[group.first], group) for group in groups], total

    def decides(self, actor: Person, id: str) -> bool:
        """Whether a submission is this person's to decide; to others it may be there, or not."""
        self._store.get_visible(actor, id)
        with suppress(Forbidden):
            _, dataset = self._store.get_decidable(actor, id)
            return not is_viewer(self._datasets.ledger_of(actor, dataset).known, actor)
        return False

    def inspect(self, actor: Person, id: str, *, rehearse: bool = True) -> F:
        """The approver's page: analyst, purpose, cost and worst case. Public facts only.

        With `rehearse`, each query of a request is also run on synthetic rows.
        """
        submission, dataset = self._store.get_decidable(actor, id)
        payload = self._payload(submission, dataset)
        ledger, binding = payload.ledger_for(actor), payload.binding
        facts = ApprovalFacts(
            submission=visible(submission, to_controller=True),
            binding=binding,
            analyst=payload.analyst,
            access=payload.access,
            approved_by=_valid(submission.approved_by(binding), ledger.known),
            looked=decides_after_look(ledger.known, actor),
            warning=earlier_look(ledger.known, actor) if submission.state in WAITING else None,
            policy=payload.signed.policy,
        )
        page = payload.page(facts, ledger, actor, rehearse)
        self._store.log(actor.name, "inspected", submission.id)
        return page

    def look(self, actor: Person, id: str) -> W:
        """A withheld result, for a controller who decides whether it is released: a look."""
        submission, dataset = self._store.get_decidable(actor, id)
        if submission.state is not State.COMPUTED:
            raise Conflict.because("no-withheld-result", what=submission.noun)
        self._datasets.require_look(actor, dataset)
        payload = self._payload(submission, dataset)
        result = payload.look(actor)
        self._store.log(actor.name, f"looked at the {payload.looked_at} of", submission.id)
        return result

    def approve(
        self,
        actor: Person,
        id: str,
        binding: str,
        *,
        note: str = "",
        allow_no_guarantee: bool = False,
        preregistered: str = "",
        by_session: bool = False,
        at_once: bool = False,
    ) -> T:
        """Let it go on, exactly as it was seen: `binding` is the page's. A second click changes nothing.

        It starts after some seconds, in which it can be taken back; or `at_once`.
        `by_session`: by a person who signed in, whom the policy may ask to have passed the introduction.
        """
        submission, dataset = self._store.get_decidable(actor, id)
        if submission.was_approved_by(actor.name, binding):
            return submission
        submission.next_state(Act.APPROVE)
        payload = self._payload(submission, dataset, preregistered)
        signed, access, ledger = payload.signed, payload.access, payload.ledger_for(actor)
        refuse_viewer(ledger.record, actor, f"decide on {submission.noun}s")
        if access.approvers and actor.name not in [name.casefold() for name in access.approvers]:
            raise Forbidden.because("approver-not-named", approvers=list(access.approvers))
        if by_session and self.is_introduction_due(actor, signed):
            raise NotIntroduced.because("introduction-first")
        payload.require_allowed()
        self._require_bound(submission, binding, payload.binding)
        payload.require_possible()
        payload.require_guarantee(allow_no_guarantee=allow_no_guarantee)
        decision = Decision(actor, Act.APPROVE, binding, note, allow_no_guarantee, preregistered)
        self.enter(ledger, submission, decision)
        decided_by = decision.on(submission, self._ports.moment)
        approvers = {actor.name, *_valid(submission.approved_by(binding), ledger.known)}
        if len(approvers & {*dataset.controllers}) < access.approvals:
            self._store.change(submission, {"decided_by": decided_by, "binding": binding})
            self._store.settle(submission, [actor.name])
            self._store.log(actor.name, "approved in part", submission.id, {"binding": binding})
            return self._store.get(submission.id)
        to = {"decided_by": decided_by, "decided_at": self._ports.moment, "note": note, "binding": binding}
        if submission.state is State.COMPUTED:
            result = self._store.unseal(submission)
            to[submission.result_column] = self._store.seal(submission, result, withheld=False)
        seconds = self._ports.limits.undo_seconds if submission.state is State.SUBMITTED and not at_once else 0.0
        if seconds:
            to["starts_at"] = (self._ports.now() + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
        self._store.move(submission, Act.APPROVE, to | payload.approved_fields)
        self._store.log(actor.name, "approved", submission.id, {"binding": binding} | payload.approved_facts)
        if not seconds:
            self._notify(submission, decision)  # else the analyst is notified when it starts
        approved = self._store.get(submission.id)
        if submission.state is State.SUBMITTED:
            self._start(approved)
        elif submission.state is State.COMPUTED:
            self.released(approved)
        return approved

    def undo(self, actor: Person, id: str, *, allow_no_guarantee: bool = False) -> T:
        """Take back one's own approval before it starts: the submission waits for a decision again.

        It is the state that tells whether it starts or is taken back, whatever two people do at once. After a look
        this is a decision without a guarantee, as a refusal is.
        """
        submission, dataset = self._store.get_decidable(actor, id)
        starts_at, what = submission.starts_at, submission.noun
        if submission.state is not State.APPROVED or starts_at is None or not self._ports.until(starts_at):
            raise Conflict.because("approval-started", what=what, state=submission.state.value)
        if not submission.was_approved_by(actor.name, submission.binding):
            raise Forbidden.because("approval-of-others", what=what)
        ledger = self._datasets.ledger_of(actor, dataset)
        refuse_viewer(ledger.record, actor, f"decide on {what}s")
        decision = Decision(actor, Act.UNDO, submission.binding, allow_no_guarantee=allow_no_guarantee)
        _require_allowed(ledger.record, decision)
        left = [one for one in submission.decided_by if (one.who, one.binding) != (actor.name, submission.binding)]
        to = {"decided_by": to_plain(left), "decided_at": None, "note": "", "starts_at": None}
        to["state"] = submission.next_state(Act.UNDO).value
        if not self._store.take(submission, to, starts_at=starts_at):
            raise Conflict.because("approval-started", what=what, state=self._store.get(submission.id).state.value)
        self.enter(ledger, submission, replace(decision, allow_no_guarantee=True))
        self._store.log(actor.name, "took back the approval of", submission.id)
        return self._store.get(submission.id)

    def return_(self, actor: Person, id: str, note: str, *, allow_no_guarantee: bool = False) -> T:
        """Back to the analyst, with what to change."""
        if not note.strip():
            raise BadInput.because("returned-without-note", what=self._store.kind.noun)
        return self._decline(actor, id, Act.RETURN, note, allow_no_guarantee)

    def refuse(self, actor: Person, id: str, note: str = "", *, allow_no_guarantee: bool = False) -> T:
        return self._decline(actor, id, Act.REFUSE, note, allow_no_guarantee)

    def enter(self, ledger: PrivacyLedger, submission: T, decision: Decision) -> Guarantee:
        """Enter a decision in the ledger, and return its guarantee: none after a look, which has to be allowed.

        Whether anyone has looked is read in the transaction that enters it: no look comes in between.
        """
        actor, act, attested = decision.actor, decision.act, " ".join(decision.preregistered.split())

        def decided(record: Record) -> list[Draft]:
            holds = _require_allowed(record, decision)
            public: dict[str, object] = {
                "what": f"{submission.noun} {submission.number}: {act}",
                "approved": act is Act.APPROVE,
                "guarantee": (Guarantee.DP if holds else Guarantee.NONE).value,
            }
            public |= {"attested": attested} if attested else {}
            return [ledger.draft(Event.DECIDED, decision.binding, public, who=actor.name)]

        return Guarantee(str(ledger.write(decided)[-1].draft.public["guarantee"]))

    def is_introduction_due(self, actor: Person, signed: SignedPolicy) -> bool:
        """Whether this person passes the introduction first, to approve in a browser."""
        return signed.policy.introduction and self._accounts.introduced(actor) is None

    def _decline(self, actor: Person, id: str, act: Act, note: str, allow_no_guarantee: bool) -> T:
        """A no after a look tells about the people: it is entered, and the dataset's total is none from then on."""
        submission, dataset = self._store.get_decidable(actor, id)
        submission.next_state(act)
        ledger = self._datasets.ledger_of(actor, dataset)
        refuse_viewer(ledger.known, actor, f"decide on {submission.noun}s")
        decision = Decision(actor, act, submission.binding, note, allow_no_guarantee)
        guarantee = self.enter(ledger, submission, decision)
        to = {
            "decided_by": decision.on(submission, self._ports.moment),
            "decided_at": self._ports.moment,
            "note": note,
            "guarantee": None if guarantee.holds else guarantee.value,
        }
        self._store.move(submission, act, to)
        self._store.log(actor.name, "returned" if act is Act.RETURN else "refused", submission.id)
        self._notify(submission, decision)
        return self._store.get(submission.id)

    def _require_bound(self, submission: T, binding: str, now: str) -> None:
        """Refuse an approval of anything but what there is; what is withheld was computed as it was then."""
        if submission.state is State.COMPUTED and now != submission.binding:
            raise Conflict.because("submission-changed", what=submission.noun, then="return")
        if binding != now:
            raise Conflict.because("submission-changed", what=submission.noun, then="inspect")

    def _notify(self, submission: T, decision: Decision) -> None:
        values = {"act": decision.act.value, "note": decision.note}
        self._store.notify([submission.analyst], "decided", submission, **values)


def _require_allowed(record: Record, decision: Decision) -> bool:
    """Whether a decision has a guarantee: after a look it has none, which has to be allowed."""
    holds = not record.anyone_looked or record.decides_blindly(decision.actor.name)
    holds = holds or (bool(decision.preregistered.split()) and decision.act is Act.APPROVE)
    if not holds and not decision.allow_no_guarantee:
        raise no_guarantee(decision.act)
    return holds


def _valid(names: Iterable[str], record: Record) -> tuple[str, ...]:
    """The approvals that still count: under separation, not of those who have viewed individual risks since."""
    return tuple(name for name in names if not (record.separated and name in record.viewers))
