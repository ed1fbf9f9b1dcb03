"""The entries of one dataset, read in order: who looked when, what was planned before, what is spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, cast

from sfumato.ledger.chain import GENESIS
from sfumato.ledger.entry import Entry, Event, verify
from sfumato.ledger.odometer import Total
from sfumato.model.guarantee import Guarantee, Provenance, of_record, stated
from sfumato.model.stop import NO_STOP, Stop


@dataclass(frozen=True)
class Plan:
    """A request that is planned: its key, and the question that it is for.

    `before` has both as older entries have them, which go by the words of a statement.
    """

    key: str
    question: str
    before: tuple[str, str] = ("", "")

    @property
    def keys(self) -> tuple[str, str]:
        return self.key, self.before[0]


class Record:
    """Folds entries as they come; everything it answers is a function of them alone."""

    def __init__(self, dataset: str) -> None:
        self.dataset = dataset
        self.entries: list[Entry] = []
        self.last = 0
        self.head = GENESIS
        self._first_look: int | None = None
        self._schema: Mapping[str, str] = {}
        self._schema_at_look: Mapping[str, str] = {}
        self._rule: str | None = None
        self._rule_at_look: str | None = None
        self._planned: set[str] = set()
        self._plan_at_look: dict[object, str] = {}
        self._looked: set[str] = set()
        self._released: dict[str, list[Entry]] = {}
        self._numbers: dict[str, Entry] = {}
        self._decided: dict[str, list[Entry]] = {}
        self._total = Total()
        self._stop = NO_STOP

    def copy(self) -> Record:
        """Another that goes on from here by itself."""
        other = copy(self)
        other.entries, other._looked, other._planned = [*self.entries], {*self._looked}, {*self._planned}
        other._plan_at_look, other._numbers = dict(self._plan_at_look), dict(self._numbers)
        other._released = {key: [*entries] for key, entries in self._released.items()}
        other._decided = {key: [*entries] for key, entries in self._decided.items()}
        return other

    def extend(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self.last, self.head = verify([entry], self.last, self.head)
            if entry.draft.dataset.casefold() == self.dataset.casefold():  # as SQL reads names
                self._add(entry)

    def _add(self, entry: Entry) -> None:
        self.entries.append(entry)
        match entry.draft.event:
            case Event.OPENED:
                self._schema = dict(entry.draft.public["schema"])  # type: ignore[call-overload]
                self._rule = str(entry.draft.public["rule"])
            case Event.LOOKED:
                self._looked.add(entry.draft.key)
                if self._first_look is None:
                    self._first_look = entry.number
                    self._schema_at_look, self._rule_at_look = self._schema, self._rule
            case Event.PLANNED:
                self._planned.add(entry.draft.key)
                if self._first_look is None:
                    said = entry.draft.public
                    self._plan_at_look[said.get("question") or said.get("query_sha256")] = entry.draft.key
            case Event.DECIDED:
                self._decided.setdefault(entry.draft.key, []).append(entry)
                if not Guarantee(str(entry.draft.public["guarantee"])).holds:
                    self._total = self._total.without_guarantee()  # what follows a look tells, and stays told
            case Event.RESERVED:
                self._total = self._total.and_then(entry)
                self._stop = Stop.from_texts(entry.draft.public.get("stop", {}))  # type: ignore[arg-type]
            case Event.RELEASED:
                self._released.setdefault(entry.draft.key, []).append(entry)
                draw = cast(Mapping[str, Any], entry.draft.public.get("draw") or {})
                if draw and Guarantee(str(entry.draft.public["guarantee"])).holds:
                    self._numbers |= dict.fromkeys(draw["numbers"], entry)

    # What was there before

    @property
    def somebody_looked(self) -> bool:
        return self._first_look is not None

    def is_open(self, schema: Mapping[str, str], rule: str, *, but: str | None = None) -> bool:
        """Whether the schema and the rule stand in the record as they are now; `but` is left aside."""
        stood, stands = ({name: said[name] for name in said if name != but} for said in (self._schema, schema))
        return stood == stands and self._rule == rule

    def looked(self, key: str) -> bool:
        return key in self._looked

    def in_force(self, plan: Plan) -> bool:
        """Whether this plan is entered, and no other for the question since."""
        return plan.key in self._planned and (self.somebody_looked or self._stood_at_look(plan))

    def _stood_at_look(self, plan: Plan) -> bool:
        """Whether it is the last plan for its question before the first look, if there was one.

        One that an older ledger has counts where no plan for the noisy numbers was entered since.
        """
        question, words = plan.question, plan.before[1]
        if question in self._plan_at_look:
            return self._plan_at_look[question] == plan.key
        return words in self._plan_at_look and self._plan_at_look[words] == plan.before[0]

    def planned_at(self, plan: Plan, *, before: int) -> str | None:
        """When this plan was last entered before an entry."""
        planned = (e for e in self.entries if e.draft.event is Event.PLANNED and e.draft.key in plan.keys)
        return max(((e.number, e.draft.at) for e in planned if e.number < before), default=(0, None))[1]

    def looked_before(self, number: int) -> bool:
        """Whether somebody had looked before an entry."""
        return self._first_look is not None and self._first_look < number

    def released(self, key: str) -> Entry | None:
        """The last answer to this very request."""
        return self._released.get(key, [None])[-1]

    def all_released(self, key: str) -> list[Entry]:
        """Every answer to this very request, oldest first."""
        return self._released.get(key, [])

    def drawn_number(self, key: str) -> Entry | None:
        """The last draw of a noisy number that left, with a guarantee; entries of older ledgers do not say theirs."""
        return self._numbers.get(key)

    def selections(self, key: str) -> list[Entry]:
        """Every selection that may still be released: after a look the last one before it, or the first one since.

        Those without a guarantee are none; and to pick among several after a look would be a decision.
        """
        held = [e for e in self.all_released(key) if Guarantee(str(e.draft.public["guarantee"])).holds]
        if self._first_look is None:
            return held
        return [e for e in held if not self.looked_before(e.number)][-1:] or held[:1]

    def drawn(self, key: str) -> list[Entry]:
        """Every plan of this request that had to be drawn, oldest first."""
        plans = (e for e in self.entries if e.draft.event is Event.PLANNED and e.draft.key == key)
        return [e for e in plans if "selected" in e.draft.confidential]

    # Provenance: labels come from the record, not from good intentions

    def preference(self, plan: Plan, *, is_rule: bool, rule: str, attestation: str) -> Provenance:
        """Where a preference comes from: the rule, or a person who had or had not looked.

        Of the plans for a question only the last before the first look counts: several would leave a choice.
        """
        if is_rule and (self._first_look is None or self._rule_at_look == rule):
            return of_record("preference")
        before = self._first_look is None or self._stood_at_look(plan)
        return stated("preference", before_first_look=before, attestation=attestation, replaced=self._was_planned(plan))

    def _was_planned(self, plan: Plan) -> bool:
        """Whether this was a plan before the first look, and another took its place."""
        plans = (e for e in self.entries if e.draft.event is Event.PLANNED and e.draft.key in plan.keys)
        return self._first_look is not None and any(e.number < self._first_look for e in plans)

    def policy(self, fingerprint: str, attestation: str) -> Provenance:
        """Where a policy comes from that decides by itself: one in force at the first look is of record."""
        if self._first_look is None or self._rule_at_look == fingerprint:
            return of_record("policy")
        return stated("policy", before_first_look=False, attestation=attestation)

    def decision(self, key: str, attestation: str = "") -> tuple[Provenance, ...]:
        """Where the approvals of a request come from: people who had or had not looked; or one that is to be made."""
        made = self._decided.get(key, [])
        if not made:
            return (stated("approval", before_first_look=not self.somebody_looked, attestation=attestation),)
        return tuple(
            stated(
                "approval",
                before_first_look=not self.looked_before(entry.number),
                attestation=str(entry.draft.public.get("attested", "")),
            )
            for entry in made
        )

    def approved_by(self, key: str) -> tuple[str, ...]:
        """Who approved a request, by the key of its decisions."""
        made = self._decided.get(key, [])
        return tuple(dict.fromkeys(entry.draft.who for entry in made if entry.draft.public["approved"]))

    def schema(
        self, used: Iterable[str], now: Mapping[str, str], *, attestation: str, what: str = "schema"
    ) -> Provenance:
        """Where bounds, types and categories come from: those in force at the first look are public."""
        names = ("", *used)
        before = self._first_look is None or all(self._schema_at_look.get(n) == now.get(n) for n in names)
        return stated(what, before_first_look=before, attestation=attestation)

    # What is spent

    @property
    def total(self) -> Total:
        return self._total

    @property
    def stop(self) -> Stop:
        """The stop that the last charge was made under."""
        return self._stop
